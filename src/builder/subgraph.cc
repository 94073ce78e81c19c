// Parts of what a builder has recorded: what is constant, computations made of it, text.

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "builder/impl.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

// Operands before users; those of instructions for which `is_leaf` holds are left out.
template <class IsLeaf>
std::vector<HloInstruction*> NeededFor(HloInstruction* root, IsLeaf is_leaf) {
  std::vector<HloInstruction*> order, stack{root};
  absl::flat_hash_map<const HloInstruction*, bool> done;  // false: its operands are on the stack
  while (!stack.empty()) {
    HloInstruction* i = stack.back();
    auto [it, is_new] = done.try_emplace(i, false);
    if (is_new && !is_leaf(*i)) {
      for (HloInstruction* operand : i->operands()) {
        if (!done.contains(operand)) stack.push_back(operand);
      }
      continue;
    }
    stack.pop_back();
    if (!done[i]) order.push_back(i);
    done[i] = true;
  }
  return order;
}

bool DependsOnRun(const HloInstruction& i) {
  return i.op() == HloOpcode::Parameter || i.op() == HloOpcode::CustomCall || i.HasSideEffect();
}

}  // namespace

absl::StatusOr<bool> Builder::IsConstant(Op op) const {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * root, impl_->Find(this, op));
  absl::flat_hash_set<const HloInstruction*> seen{root};
  std::vector<const HloInstruction*> stack{root};
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (DependsOnRun(*i)) return false;
    for (const HloInstruction* operand : i->operands()) {
      if (seen.insert(operand).second) stack.push_back(operand);
    }
  }
  return true;
}

absl::StatusOr<Computation> Builder::BuildConstantSubGraph(Op root_op,
                                                           bool dynamic_dimension_is_minus_one) {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * root, impl_->Find(this, root_op));
  if (impl_->owned == nullptr) {
    return InvalidArgument("BuildConstantSubGraph: \"{}\" is the builder of a function", name());
  }
  auto is_size = [](const HloInstruction& i) { return i.op() == HloOpcode::GetDimensionSize; };
  for (const HloInstruction* i : NeededFor(root, is_size)) {
    if (!DependsOnRun(*i)) continue;
    return InvalidArgument(
        "BuildConstantSubGraph: {} '{}' of {} is not constant, since it depends on {} '{}'",
        Name(root->op()), root->name(), root->shape().ToString(), Name(i->op()), i->name());
  }
  // Into a computation of its own beside a copy of all that has been recorded, which then goes.
  const size_t place = impl_->PlaceOf(*root);
  std::unique_ptr<HloModule> module = impl_->module->Clone();
  const HloComputation* recorded = nullptr;
  for (size_t n = 0; n < module->computations().size(); ++n) {
    if (impl_->module->computations()[n].get() == impl_->computation)
      recorded = module->computations()[n].get();
  }
  RETURN_INTERNAL_IF(recorded == nullptr, "\"{}\" does not hold its computation", name());
  HloComputation* entry = module->AddComputation(name());
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const HloInstruction* i : NeededFor(recorded->instructions()[place].get(), is_size)) {
    HloInstruction*& copy = copies[i];
    if (is_size(*i)) {
      const Shape& shape = i->operand(0)->shape();
      const int64_t d = i->dimensions()[0];
      const bool unknown = shape.is_dynamic(d) && (dynamic_dimension_is_minus_one ||
                                                   shape.dimension(d) == Shape::kUnbounded);
      copy = entry->AddConstant(
          Literal::R0<int32_t>(unknown ? -1 : static_cast<int32_t>(shape.dimension(d))));
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
      copy = entry->AddWithShape(i->op(), i->shape(), operands, i->attributes(), i->called());
      copy->copy_annotations(*i);
    }
    copy->set_metadata(i->metadata());
  }
  entry->set_root(copies.at(recorded->instructions()[place].get()));
  module->set_entry(entry);
  module->aliases().clear();
  module->RemoveUnreachable();
  return Computation(std::shared_ptr<const HloModule>(std::move(module)));
}

absl::StatusOr<Computation> Builder::Build(const ComputationId& entry) {
  RETURN_IF_ERROR(first_error());
  if (!entry.valid()) return InvalidArgument("\"{}\": the id is that of no computation", name());
  return entry.computation();
}

absl::StatusOr<ComputationId> Builder::BuildSubComputation(std::optional<Op> root,
                                                           bool remove_dynamic_dimensions) {
  ASSIGN_OR_RETURN(Computation built, root ? Build(*root, remove_dynamic_dimensions)
                                           : Build(remove_dynamic_dimensions));
  return ComputationId(std::move(built));
}

ComputationId Builder::AddSubComputation(const Computation& computation) {
  if (!computation.IsNull()) return ComputationId(computation);
  ReportError(InvalidArgument("AddSubComputation: the computation is null"));
  return ComputationId();
}

absl::StatusOr<std::vector<Shape>> Builder::GetOperandShapes(absl::Span<const Op> operands) const {
  std::vector<Shape> shapes;
  for (Op op : operands) {
    ASSIGN_OR_RETURN(Shape shape, GetShape(op));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::string Builder::OpToString(Op op) const {
  constexpr size_t kMostLines = 1000;
  absl::StatusOr<HloInstruction*> root = impl_->Find(this, op);
  if (!root.ok()) return std::string(root.status().message());
  std::string out;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<std::pair<const HloInstruction*, size_t>> stack{{*root, 0}};
  while (!stack.empty()) {
    auto [i, depth] = stack.back();
    stack.pop_back();
    if (!seen.insert(i).second) continue;
    if (seen.size() > kMostLines) return out + "...\n";
    out += std::string(2 * depth, ' ') + Print(*i, {.metadata = false}) + "\n";
    for (auto it = i->operands().rbegin(); it != i->operands().rend(); ++it)
      stack.emplace_back(*it, depth + 1);
  }
  return out;
}

}  // namespace sinter
