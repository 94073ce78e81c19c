#include "passes/expand/participants.h"

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/participants.h"
#include "ir/results.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace {

// Of the sizes of `like`, where the shape has dynamic dimensions.
HloInstruction* Zeros(Graph& g, const Shape& shape, HloInstruction* like) {
  HloInstruction* zeros = g.Splat(g.Zero(shape.element_type()), shape.dimensions());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic(d)) continue;
    const DimensionsAttrs dimension{{d}};
    HloInstruction* size = g.Add(HloOpcode::GetDimensionSize, {like}, dimension);
    zeros = g.Add(HloOpcode::SetDimensionSize, {zeros, size}, dimension);
  }
  return zeros;
}

HloInstruction* Zeros(Graph& g, const HloInstruction& i) {
  if (!i.shape().is_tuple())
    return Zeros(g, i.shape(), i.operands().empty() ? nullptr : i.operand(0));
  std::vector<HloInstruction*> elements;
  for (size_t n = 0; n < i.shape().tuple_shapes().size(); ++n)
    elements.push_back(Zeros(g, i.shape().tuple_shapes()[n], i.operand(n)));
  return g.Add(HloOpcode::Tuple, elements);
}

HloInstruction* Operands(Graph& g, const HloInstruction& i) {
  std::vector<HloInstruction*> results;
  for (size_t n = 0; n < i.operands().size(); ++n) {
    const Shape& result = ResultShape(i, n);
    HloInstruction* x = i.operand(n);
    bool same = x->shape().element_type() == result.element_type();
    results.push_back(same ? x : g.Convert(x, result.element_type()));
  }
  return i.shape().is_tuple() ? g.Add(HloOpcode::Tuple, results) : results[0];
}

bool Reduces(HloOpcode op) {
  return op == HloOpcode::AllReduce || op == HloOpcode::ReduceScatter ||
         op == HloOpcode::CollectiveReduce;
}

// Operands that carry no values: roots and offsets.
size_t DataCount(const HloInstruction& i) {
  const auto* a = std::get_if<CollectiveAttrs>(&i.attributes());
  return i.operands().size() - (a != nullptr && a->has_dynamic_root ? 1 : 0);
}

absl::Status Refused(const HloInstruction& i, std::string_view why) {
  return Unimplemented("{} '{}' between several participants {}", Name(i.op()), i.name(), why);
}

absl::StatusOr<bool> IsHostTransfer(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone: {
      ASSIGN_OR_RETURN(const HloInstruction* begun, TransferOf(i));
      return begun->attrs<TransferAttrs>().is_host_transfer;
    }
    default:
      return false;
  }
}

absl::Status CheckStatic(const HloInstruction& i) {
  bool is_static = i.shape().is_static();
  for (const HloInstruction* x : i.operands()) is_static &= x->shape().is_static();
  return is_static ? absl::OkStatus() : Refused(i, "has a dynamic dimension");
}

// What shapes alone do not say: that as many take part as there are parts.
absl::Status CheckGroups(const HloInstruction& i, const collective::Groups& groups) {
  const auto* a = std::get_if<CollectiveAttrs>(&i.attributes());
  if (a == nullptr) return absl::OkStatus();
  for (const auto& group : groups) {
    const auto n = static_cast<int64_t>(group.size());
    auto wrong = [&] {
      std::vector<std::string> operands;
      for (const HloInstruction* x : i.operands()) operands.push_back(x->shape().ToString());
      return InvalidArgument("{} '{}' of {} to {} does not fit groups of {} participants",
                             Name(i.op()), i.name(), Join(operands, ", "), i.shape().ToString(), n);
    };
    for (size_t k = 0; k < i.operands().size() && !a->dimensions.empty(); ++k) {
      const int64_t d = a->dimensions[0], from = i.operand(k)->shape().dimension(d),
                    to = ResultShape(i, k).dimension(d);
      const bool fits = i.op() == HloOpcode::AllGather       ? from * n == to
                        : i.op() == HloOpcode::ReduceScatter ? to * n == from
                                                             : from % n == 0;
      if (!fits) return wrong();
    }
    if (i.op() == HloOpcode::AllToAll && a->dimensions.empty() &&
        i.operands().size() != group.size())
      return wrong();
    if (i.op() == HloOpcode::RaggedAllToAll && i.operand(2)->shape().element_count() % n != 0)
      return wrong();
  }
  return absl::OkStatus();
}

// The type in which elements are reduced that have no byte of their own, or no arithmetic.
ElementType ReducedIn(ElementType t) {
  if (BitWidth(t) > 8 || IsPredicate(t) || (BitWidth(t) == 8 && !IsFloat(t))) return t;
  if (t == ElementType::F8E8M0FNU) return ElementType::F64;  // F32 has not its least numbers
  return IsFloat(t) ? ElementType::F32 : IsSigned(t) ? ElementType::S8 : ElementType::U8;
}

// The reducer on scalars of `wide`, which hold values of its own type before and after.
HloComputation* Widened(HloModule& module, HloComputation* reducer, const HloInstruction& origin,
                        ElementType wide) {
  const ElementType narrow = reducer->root()->shape().element_type();
  HloComputation* c = module.AddComputation(reducer->name());
  std::vector<HloInstruction*> arguments;
  Graph g(*c, origin);
  for (int64_t n = 0; n < 2; ++n)
    arguments.push_back(g.Convert(c->AddParameter(n, Shape(wide)), narrow));
  c->set_root(g.Convert(c->Inline(*reducer, arguments), wide));
  return c;
}

// The same exchange of operands of the results' element types; null where they are already.
HloInstruction* OfResultTypes(HloComputation& c, HloInstruction& i) {
  std::vector<HloInstruction*> operands = i.operands();
  std::vector<HloComputation*> called = i.called();
  Graph g(c, i);
  const ElementType type = ResultShape(i, 0).element_type();
  const ElementType wide = Reduces(i.op()) ? ReducedIn(type) : type;
  bool same = wide == type;
  for (size_t n = 0; n < DataCount(i); ++n) {
    if (!Reduces(i.op()) || operands[n]->shape().element_type() == wide) continue;
    operands[n] = g.Convert(g.Convert(operands[n], type), wide);
    same = false;
  }
  if (same) return nullptr;
  if (wide != type) called[0] = Widened(*c.module(), called[0], i, wide);
  Shape declared = i.shape();
  if (declared.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& s : declared.tuple_shapes()) elements.emplace_back(wide, s.dimensions());
    declared = Shape::Tuple(std::move(elements));
  } else {
    declared = Shape(wide, declared.dimensions());
  }
  HloInstruction* made = g.Add(i.op(), operands, i.attributes(), called, &declared);
  if (!g.status().ok()) return made;
  made->set_name(i.name());
  if (IsAsync(i)) MarkAsync(made);
  if (!declared.is_tuple()) return g.Convert(made, type);
  std::vector<HloInstruction*> results;
  for (size_t n = 0; n < declared.tuple_shapes().size(); ++n)
    results.push_back(g.Convert(g.Element(made, static_cast<int64_t>(n)), type));
  return g.Add(HloOpcode::Tuple, results);
}

absl::StatusOr<HloInstruction*> BetweenSeveral(HloComputation& c, HloInstruction& i,
                                               const collective::Grid& grid) {
  switch (i.op()) {
    case HloOpcode::PartitionId:
    case HloOpcode::ReplicaId: {
      const int64_t count = i.op() == HloOpcode::ReplicaId ? grid.replicas : grid.partitions;
      if (count != 1) return nullptr;
      Graph g(c, i);
      return g.Zero(ElementType::U32);
    }
    case HloOpcode::RngGetAndUpdateState:
      return AloneOnDevice(i).status();
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone: {
      RETURN_IF_ERROR(CheckStatic(i));
      ASSIGN_OR_RETURN(const HloInstruction* begun, TransferOf(i));
      ASSIGN_OR_RETURN(const Exchange exchange, ExchangeOf(*begun, grid));
      if (exchange.pairs.empty()) {
        return InvalidArgument("{} '{}' between devices needs source_target_pairs",
                               Name(begun->op()), begun->name());
      }
      return nullptr;
    }
    default:
      break;
  }
  if (const auto* a = std::get_if<CollectivePermuteAttrs>(&i.attributes());
      a != nullptr && !a->slice_sizes.empty())
    return Refused(i, "is of slices");
  ASSIGN_OR_RETURN(const Exchange exchange, ExchangeOf(i, grid));
  RETURN_IF_ERROR(CheckGroups(i, exchange.groups));
  // Groups of one each: every participant is alone.
  const bool alone = static_cast<int64_t>(exchange.groups.size()) == grid.size() &&
                     absl::c_all_of(exchange.groups, [](const auto& g) { return g.size() == 1; });
  const bool plain = exchange.pairs.empty() && DataCount(i) == i.operands().size() &&
                     i.op() != HloOpcode::RaggedAllToAll;
  if (alone && plain) {
    Graph g(c, i);
    HloInstruction* result = Operands(g, i);
    RETURN_IF_ERROR(g.status());
    return result;
  }
  RETURN_IF_ERROR(CheckStatic(i));
  return OfResultTypes(c, i);
}

}  // namespace

std::unique_ptr<Pass> MakeExpandParticipantsPass() {
  return MakeExpansionPass(
      "expand-participants",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (!NeedsParticipants(i.op())) return nullptr;
        ASSIGN_OR_RETURN(const bool is_with_host, IsHostTransfer(i));
        if (is_with_host) {
          RETURN_IF_ERROR(CheckStatic(i));
          return nullptr;
        }
        const collective::Grid grid = GridOf(*c.module());
        if (grid.size() > 1) return BetweenSeveral(c, i, grid);
        ASSIGN_OR_RETURN(Alone alone, AloneOnDevice(i));
        Graph g(c, i);
        HloInstruction* result = alone == Alone::kZero ? Zeros(g, i) : Operands(g, i);
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
