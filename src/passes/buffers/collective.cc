#include "passes/buffers/collective.h"

#include <algorithm>
#include <optional>

#include "base/status.h"
#include "ir/participants.h"
#include "ir/results.h"
#include "types/leaves.h"

namespace sinter {
namespace {

using program::Collective;
using Kind = Collective::Kind;

// Two operands and a result stay in the first cache.
constexpr int64_t kTileBytes = 8192;

bool Reduces(HloOpcode op) {
  return op == HloOpcode::AllReduce || op == HloOpcode::ReduceScatter ||
         op == HloOpcode::CollectiveReduce;
}

std::optional<Kind> KindOf(HloOpcode op) {
  switch (op) {
    case HloOpcode::AllGather:
      return Kind::kAllGather;
    case HloOpcode::AllReduce:
      return Kind::kAllReduce;
    case HloOpcode::AllToAll:
      return Kind::kAllToAll;
    case HloOpcode::CollectiveBroadcast:
      return Kind::kBroadcast;
    case HloOpcode::CollectivePermute:
      return Kind::kPermute;
    case HloOpcode::CollectiveReduce:
      return Kind::kReduce;
    case HloOpcode::RaggedAllToAll:
      return Kind::kRaggedAllToAll;
    case HloOpcode::RecvDone:
      return Kind::kReceive;
    case HloOpcode::ReduceScatter:
      return Kind::kReduceScatter;
    case HloOpcode::Send:
      return Kind::kSend;
    default:
      return std::nullopt;
  }
}

int64_t ChannelOf(const HloInstruction& i) {
  if (const auto* a = std::get_if<CollectiveAttrs>(&i.attributes()))
    return a->channel_id.value_or(0);
  if (const auto* p = std::get_if<CollectivePermuteAttrs>(&i.attributes()))
    return p->channel_id.value_or(0);
  if (const auto* t = std::get_if<TransferAttrs>(&i.attributes())) return t->channel_id.value_or(0);
  return 0;
}

// An array as rows of parts along its dimension d.
Collective::Array Rows(const Shape& shape, int64_t d, int64_t parts) {
  Collective::Array a;
  for (int64_t k = 0; k < d; ++k) a.rows *= shape.dimension(k);
  const int64_t pieces = a.rows * parts;
  a.part_bytes = pieces == 0 ? 0 : shape.byte_size() / pieces;
  return a;
}

// Of what result k is made, or of what is sent.
Collective::Array ArrayOf(const HloInstruction& i, size_t k, int64_t group) {
  const auto* a = std::get_if<CollectiveAttrs>(&i.attributes());
  if (i.op() == HloOpcode::RaggedAllToAll) {
    const Shape& s = i.shape();
    return {s.dimension(0), s.dimension(0) == 0 ? 0 : s.byte_size() / s.dimension(0)};
  }
  if (a == nullptr || a->dimensions.empty()) return {1, ResultShape(i, k).byte_size()};
  return Rows(ResultShape(i, k), a->dimensions[0], i.op() == HloOpcode::ReduceScatter ? 1 : group);
}

}  // namespace

bool IsExchange(HloOpcode op) { return KindOf(op).has_value(); }

int64_t TileElements(const HloInstruction& i) {
  if (!Reduces(i.op())) return 0;
  int64_t most = 0;
  const size_t count = i.shape().is_tuple() ? i.shape().tuple_shapes().size() : 1;
  for (size_t k = 0; k < count; ++k) most = std::max(most, ResultShape(i, k).element_count());
  // As few kernels as there are powers of two below.
  int64_t tile = std::min<int64_t>(most, 1);
  const int64_t limit = kTileBytes / ByteWidth(ResultShape(i).element_type());
  while (tile < most && tile < limit) tile *= 2;
  return tile;
}

absl::StatusOr<Collective> CollectiveOf(const HloInstruction& i, bool has_reducers) {
  Collective c;
  const std::optional<Collective::Kind> kind = KindOf(i.op());
  RETURN_INTERNAL_IF(!kind, "{} {} is no exchange", Name(i.op()), i.name());
  c.kind = *kind;
  const HloInstruction* named = &i;
  if (i.op() == HloOpcode::RecvDone) {
    ASSIGN_OR_RETURN(named, TransferOf(i));
  }
  c.operation = OperationOf(*named);
  c.channel = ChannelOf(*named);
  ASSIGN_OR_RETURN(Exchange exchange, ExchangeOf(*named, GridOf(*i.parent()->module())));
  c.groups = std::move(exchange.groups);
  c.pairs = std::move(exchange.pairs);
  if (i.op() == HloOpcode::Send || i.op() == HloOpcode::RecvDone) {
    const Shape& data =
        i.op() == HloOpcode::Send ? i.operand(0)->shape() : i.shape().tuple_shapes()[0];
    for (const Shape& s : LeafShapes(data)) c.arrays.push_back({1, s.byte_size()});
    return c;
  }
  const size_t count = i.shape().is_tuple() ? i.shape().tuple_shapes().size() : 1;
  const auto group = c.groups.empty() ? 1 : static_cast<int64_t>(c.groups[0].size());
  for (size_t k = 0; k < count; ++k) c.arrays.push_back(ArrayOf(i, k, group));
  if (const auto* a = std::get_if<CollectiveAttrs>(&i.attributes()); a != nullptr) {
    c.has_roots = a->has_dynamic_root;
    if (c.has_roots) c.index_type = i.operands().back()->shape().element_type();
    if (i.op() == HloOpcode::RaggedAllToAll) c.index_type = i.operand(2)->shape().element_type();
  }
  if (!Reduces(i.op())) return c;
  c.reduction = ReductionOf(*i.called(0));
  c.type = ResultShape(i).element_type();
  if (has_reducers) c.tile_bytes = TileElements(i) * ByteWidth(c.type);
  return c;
}

}  // namespace sinter
