// Collectives and transfers.
#include <array>
#include <optional>

#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/mesh_axes.h"
#include "frontend/stablehlo/preserved_attributes.h"

namespace sinter::stablehlo::lower {
namespace {

// dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>; -1 fills up groups that are shorter.
absl::StatusOr<Groups> ReadPairsOrGroups(Lowering& l, const Operation& op, std::string_view key) {
  ASSIGN_OR_RETURN(const Attribute* a, l.Require(op, key));
  if (a->kind != Attribute::Kind::kElements || a->type->shape.rank() != 2) {
    return l.Invalid(op, "{} must be a dense constant of two dimensions", key);
  }
  // A pair may be of one participant; in larger groups no participant occurs twice.
  if (a->splat && a->type->shape.element_count() > 2) {
    return l.Invalid(op, "{} names a participant twice", key);
  }
  ASSIGN_OR_RETURN(Dims all, l.ToDims(op, *a));
  const int64_t rows = a->type->shape.dimension(0), columns = a->type->shape.dimension(1);
  Groups groups(columns ? static_cast<size_t>(rows) : 0);
  for (size_t n = 0; n < all.size(); ++n) {
    if (all[n] != -1) groups[n / static_cast<size_t>(columns)].push_back(all[n]);
  }
  return groups;
}

absl::StatusOr<Groups> ReadGroups(Lowering& l, const Operation& op) {
  const Attribute* a = op.Find("replica_groups");
  if (a && IsMeshAxes(*a)) return GroupsOfMeshAxes(l.source(), l.program(), *a);
  return ReadPairsOrGroups(l, op, "replica_groups");
}

// #stablehlo.channel_handle<handle = 1, type = 0>; a handle of 0 is none.
absl::StatusOr<std::optional<int64_t>> ReadChannel(Lowering& l, const Operation& op) {
  const Attribute* a = op.Find("channel_handle");
  if (a == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*a));
  for (const NamedAttribute& f : fields) {
    if (f.name == "handle" && f.value.kind == Attribute::Kind::kInteger) {
      if (f.value.integer == 0) return std::nullopt;
      return f.value.integer;
    }
  }
  return l.Invalid(op, "channel_handle must have an integer handle");
}

absl::StatusOr<CollectiveAttrs> ReadAttributes(Lowering& l, const Operation& op) {
  CollectiveAttrs attrs;
  ASSIGN_OR_RETURN(attrs.replica_groups, ReadGroups(l, op));
  ASSIGN_OR_RETURN(attrs.channel_id, ReadChannel(l, op));
  attrs.use_global_device_ids = op.Flag("use_global_device_ids");
  return attrs;
}

absl::StatusOr<HloComputation*> ReadComputation(Lowering& l, const Operation& op) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs a computation");
  return l.Body(op, op.regions[0], "computation");
}

// XLA exchanges along one dimension. Where parts are concatenated along another, the dimension that
// counts parts is moved before that one and joined with it.
absl::StatusOr<HloInstruction*> Exchange(Lowering& l, const Operation& op, HloInstruction* x,
                                         CollectiveAttrs attrs, int64_t concat, int64_t count) {
  const int64_t split = attrs.dimensions[0];
  ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::AllToAll, {x}, std::move(attrs)));
  if (split == concat || count == 1) return x;
  const ElementType type = x->shape().element_type();
  Dims parts = x->shape().dimensions(), order, joined;
  parts[static_cast<size_t>(split)] /= count;
  joined = parts;
  joined[static_cast<size_t>(concat)] *= count;
  parts.insert(parts.begin() + split, count);
  const auto rank = static_cast<int64_t>(parts.size());
  const int64_t before = concat < split ? concat : concat + 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == before) order.push_back(split);
    if (d != split) order.push_back(d);
  }
  const Shape split_shape(type, parts), result(type, joined);
  ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Reshape, {x}, NoAttrs{}, {}, &split_shape));
  ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Transpose, {x}, DimensionsAttrs{order}));
  return l.Add(op, HloOpcode::Reshape, {x}, NoAttrs{}, {}, &result);
}

std::string Config(const Operation& op, std::string_view key) {
  const Attribute* a = op.Find(key);
  return a && a->kind == Attribute::Kind::kString ? a->text : "";
}

absl::StatusOr<TransferAttrs> ReadTransfer(Lowering& l, const Operation& op) {
  TransferAttrs attrs;
  ASSIGN_OR_RETURN(attrs.channel_id, ReadChannel(l, op));
  attrs.is_host_transfer = op.Flag("is_host_transfer");
  return attrs;
}

// StableHLO has the pairs as an attribute, HLO as a frontend attribute.
absl::Status KeepPairs(Lowering& l, const Operation& op, HloInstruction* transfer) {
  if (!op.Find("source_target_pairs")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Groups pairs, ReadPairsOrGroups(l, op, "source_target_pairs"));
  transfer->set_annotations({PairsAnnotation(pairs)});
  return absl::OkStatus();
}

// The form of one value where several are a tuple: XLA sends and receives the value itself, and
// feeds a tuple of it.
enum class One { kAsIs, kTuple };

// The operands but the token, which comes last.
absl::StatusOr<std::array<HloInstruction*, 2>> DataAndToken(Lowering& l, const Operation& op,
                                                            One one) {
  if (op.operands.empty()) return l.Invalid(op, "needs a token");
  std::vector<ValueId> data(op.operands.begin(), op.operands.end() - 1);
  ASSIGN_OR_RETURN(HloInstruction * packed, l.Pack(op, data));
  if (data.size() == 1 && one == One::kTuple) {
    ASSIGN_OR_RETURN(packed, l.Add(op, HloOpcode::Tuple, {packed}));
  }
  return std::array<HloInstruction*, 2>{packed, l.Get(op.operands.back())};
}

// The shape of the results but the token, which must come last.
absl::StatusOr<Shape> DataShape(Lowering& l, const Operation& op, One one) {
  if (op.results.empty() || !l.ResultShape(op, op.results.size() - 1).is_token()) {
    return l.Invalid(op, "the last result must be a token");
  }
  if (op.results.size() == 2 && one == One::kAsIs) return l.ResultShape(op);
  std::vector<Shape> shapes;
  for (size_t n = 0; n + 1 < op.results.size(); ++n) shapes.push_back(l.ResultShape(op, n));
  return Shape::Tuple(std::move(shapes));
}

// Binds the results to those of an instruction that gives (data, token).
absl::Status SetDataAndToken(Lowering& l, const Operation& op, HloInstruction* pair, One one) {
  ASSIGN_OR_RETURN(HloInstruction * data,
                   l.Add(op, HloOpcode::GetTupleElement, {pair}, TupleElementAttrs{0}));
  ASSIGN_OR_RETURN(HloInstruction * token,
                   l.Add(op, HloOpcode::GetTupleElement, {pair}, TupleElementAttrs{1}));
  std::vector<HloInstruction*> results;
  for (size_t n = 0; n + 1 < op.results.size(); ++n) {
    HloInstruction* element = data;
    if (op.results.size() != 2 || one == One::kTuple) {
      ASSIGN_OR_RETURN(element, l.Add(op, HloOpcode::GetTupleElement, {data},
                                      TupleElementAttrs{static_cast<int64_t>(n)}));
    }
    results.push_back(element);
  }
  results.push_back(token);
  return l.BindResults(op, results);
}

}  // namespace

absl::Status AllReduce(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  ASSIGN_OR_RETURN(HloComputation * computation, ReadComputation(l, op));
  return l.AddResults(op, HloOpcode::AllReduce, l.Operands(op), std::move(attrs),
                      {&computation, 1});
}

absl::Status CrossReplicaSum(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  CollectiveAttrs attrs;
  ASSIGN_OR_RETURN(attrs.replica_groups, ReadGroups(l, op));
  HloComputation* sum = SumComputation(l, l.Operand(op, 0)->shape().element_type());
  return l.AddResult(op, HloOpcode::AllReduce, l.Operands(op), std::move(attrs), {&sum, 1});
}

absl::Status AllGather(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  ASSIGN_OR_RETURN(int64_t dimension, l.RequireInteger(op, "all_gather_dim"));
  attrs.dimensions = {dimension};
  return l.AddResults(op, HloOpcode::AllGather, l.Operands(op), std::move(attrs), {});
}

absl::Status ReduceScatter(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  ASSIGN_OR_RETURN(int64_t dimension, l.RequireInteger(op, "scatter_dimension"));
  attrs.dimensions = {dimension};
  ASSIGN_OR_RETURN(HloComputation * computation, ReadComputation(l, op));
  return l.AddResult(op, HloOpcode::ReduceScatter, l.Operands(op), std::move(attrs),
                     {&computation, 1});
}

absl::Status AllToAll(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  ASSIGN_OR_RETURN(int64_t split, l.RequireInteger(op, "split_dimension"));
  ASSIGN_OR_RETURN(int64_t concat, l.RequireInteger(op, "concat_dimension"));
  ASSIGN_OR_RETURN(int64_t count, l.RequireInteger(op, "split_count"));
  if (attrs.replica_groups.empty()) {  // tensor<0xNxi64> still says how many there are
    const int64_t size = op.Find("replica_groups")->type->shape.dimension(1);
    if (size != count && size != 0)
      return l.Invalid(op, "(C8) a group has {} participants, split_count is {}", size, count);
  }
  for (const Dims& group : attrs.replica_groups) {
    if (group.size() != static_cast<size_t>(count)) {
      return l.Invalid(op, "(C8) a group has {} participants, split_count is {}", group.size(),
                       count);
    }
  }
  if (op.operands.size() != op.results.size()) {
    return l.Invalid(op, "has {} results for {} operands", op.results.size(), op.operands.size());
  }
  attrs.dimensions = {split};
  std::vector<HloInstruction*> results;
  for (HloInstruction* x : l.Operands(op)) {
    if (!x->shape().is_array() || concat < 0 || concat >= x->shape().rank()) {
      return l.Invalid(op, "(C3) concat_dimension {} is no dimension of {}", concat,
                       ToText(x->shape()));
    }
    if (0 <= split && split < x->shape().rank() && x->shape().dimension(split) % count != 0) {
      return l.Invalid(op, "(C2) split_count {} does not divide dimension {} of {}", count, split,
                       ToText(x->shape()));
    }
    ASSIGN_OR_RETURN(HloInstruction * result, Exchange(l, op, x, attrs, concat, count));
    results.push_back(result);
  }
  return l.BindResults(op, results);
}

absl::Status CollectiveBroadcast(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  attrs.has_dynamic_root = op.Flag("has_dynamic_root");
  return l.AddResults(op, HloOpcode::CollectiveBroadcast, l.Operands(op), std::move(attrs), {});
}

absl::Status CollectiveReduce(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(CollectiveAttrs attrs, ReadAttributes(l, op));
  attrs.has_dynamic_root = op.Flag("has_dynamic_root");
  ASSIGN_OR_RETURN(HloComputation * computation, ReadComputation(l, op));
  return l.AddResults(op, HloOpcode::CollectiveReduce, l.Operands(op), std::move(attrs),
                      {&computation, 1});
}

absl::Status CollectivePermute(Lowering& l, const Operation& op, const OpRow&) {
  CollectivePermuteAttrs attrs;
  ASSIGN_OR_RETURN(attrs.source_target_pairs, ReadPairsOrGroups(l, op, "source_target_pairs"));
  ASSIGN_OR_RETURN(attrs.channel_id, ReadChannel(l, op));
  return l.AddResults(op, HloOpcode::CollectivePermute, l.Operands(op), std::move(attrs), {});
}

absl::Status ParticipantId(Lowering& l, const Operation& op, const OpRow& row) {
  return l.AddResult(op, *row.op, l.Operands(op));
}

absl::Status Infeed(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Shape data, DataShape(l, op, One::kTuple));
  const Shape result = Shape::Tuple({std::move(data), Shape::Token()});
  ASSIGN_OR_RETURN(HloInstruction * infeed,
                   l.Add(op, HloOpcode::Infeed, l.Operands(op),
                         InfeedAttrs{Config(op, "infeed_config")}, {}, &result));
  return SetDataAndToken(l, op, infeed, One::kTuple);
}

absl::Status Outfeed(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(auto operands, DataAndToken(l, op, One::kTuple));
  return l.AddResult(op, HloOpcode::Outfeed, operands, OutfeedAttrs{Config(op, "outfeed_config")});
}

absl::Status Recv(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Shape data, DataShape(l, op, One::kAsIs));
  ASSIGN_OR_RETURN(TransferAttrs attrs, ReadTransfer(l, op));
  const Shape result = Shape::Tuple({std::move(data), Shape(ElementType::U32), Shape::Token()});
  ASSIGN_OR_RETURN(HloInstruction * recv,
                   l.Add(op, HloOpcode::Recv, l.Operands(op), attrs, {}, &result));
  RETURN_IF_ERROR(KeepPairs(l, op, recv));
  ASSIGN_OR_RETURN(HloInstruction * done, l.Add(op, HloOpcode::RecvDone, {recv}, attrs));
  return SetDataAndToken(l, op, done, One::kAsIs);
}

absl::Status Send(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(auto operands, DataAndToken(l, op, One::kAsIs));
  ASSIGN_OR_RETURN(TransferAttrs attrs, ReadTransfer(l, op));
  ASSIGN_OR_RETURN(HloInstruction * send, l.Add(op, HloOpcode::Send, operands, attrs));
  RETURN_IF_ERROR(KeepPairs(l, op, send));
  return l.AddResult(op, HloOpcode::SendDone, {send}, attrs);
}

}  // namespace sinter::stablehlo::lower
