// Regions as computations, and what they capture.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo {
namespace {

// Constants are copied into the regions that use them: passes look for them, for instance as bounds
// of loops.
bool IsConstant(const HloInstruction* i) {
  return i->op() == HloOpcode::Constant ||
         (i->op() == HloOpcode::Broadcast && i->operand(0)->op() == HloOpcode::Constant);
}

HloInstruction* CopyConstant(const HloInstruction* i, HloComputation* into) {
  std::vector<HloInstruction*> operands;
  if (i->op() == HloOpcode::Broadcast) operands.push_back(CopyConstant(i->operand(0), into));
  HloInstruction* copy = into->AddWithShape(i->op(), i->shape(), operands, i->attributes(), {},
                                            std::string(i->name()));
  copy->set_metadata(i->metadata());
  return copy;
}

}  // namespace

std::vector<ValueId> Lowering::CapturesOf(const Region& region) const {
  std::vector<ValueId> ids;
  for (ValueId id : region.captures) {
    if (!IsConstant(Get(id))) ids.push_back(id);
  }
  return ids;
}

std::vector<ValueId> Lowering::Captures(const Operation& op) const {
  std::vector<ValueId> ids;
  for (const Region& r : op.regions) {
    std::vector<ValueId> more = CapturesOf(r);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

absl::StatusOr<HloInstruction*> Lowering::Pack(const Operation& op,
                                               const std::vector<ValueId>& ids) {
  if (ids.size() == 1) return Get(ids[0]);
  std::vector<HloInstruction*> elements;
  for (ValueId id : ids) elements.push_back(Get(id));
  return Add(op, HloOpcode::Tuple, elements);
}

// What was bound to values of outside is restored when the computation is complete.
class Lowering::Scope {
 public:
  Scope(Lowering* l, const Operation& op, std::string_view name)
      : lowering_(l), outer_(l->computation_) {
    std::string stem = op.name.substr(op.name.find('.') + 1);
    l->computation_ = l->module_->AddComputation(Format("{}.{}.{}", outer_->name(), stem, name));
  }
  ~Scope() {
    for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
      lowering_->Set(it->first, it->second);
    }
    lowering_->computation_ = outer_;
  }
  Scope(const Scope&) = delete;
  void Bind(ValueId id, HloInstruction* i) {
    saved_.emplace_back(id, lowering_->Get(id));
    lowering_->Set(id, i);
  }
  absl::Status BindConstants(const Operation& op, const Region& region,
                             const std::vector<ValueId>& bound) {
    const absl::flat_hash_set<ValueId> is_bound(bound.begin(), bound.end());
    for (ValueId id : region.captures) {
      if (is_bound.contains(id)) continue;
      HloInstruction* i = lowering_->Get(id);
      if (!IsConstant(i)) {
        return lowering_->Unsupported(op, "the region uses %{} of outside",
                                      lowering_->value(id).name);
      }
      Bind(id, CopyConstant(i, lowering_->computation_));
    }
    return absl::OkStatus();
  }
  // Adds the region's operations and the root.
  absl::StatusOr<HloComputation*> Finish(const Region& region,
                                         const std::vector<ValueId>& returned) {
    RETURN_IF_ERROR(lowering_->LowerOperations(region));
    ASSIGN_OR_RETURN(HloInstruction * root, lowering_->Bundle(returned));
    lowering_->computation_->set_root(root);
    return lowering_->computation_;
  }

 private:
  Lowering* lowering_;
  HloComputation* outer_;
  std::vector<std::pair<ValueId, HloInstruction*>> saved_;
};

absl::StatusOr<HloComputation*> Lowering::Body(const Operation& op, const Region& region,
                                               std::string_view name) {
  Scope scope(this, op, name);
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    ValueId id = region.arguments[i];
    scope.Bind(id, computation_->AddParameter(static_cast<int64_t>(i), ShapeOf(id)));
  }
  RETURN_IF_ERROR(scope.BindConstants(op, region, {}));
  return scope.Finish(region, region.returned);
}

absl::StatusOr<std::vector<HloInstruction*>> Lowering::InlineRegion(const Operation& op,
                                                                    const Region& region) {
  std::vector<HloInstruction*> values = Operands(op);
  if (region.arguments.empty()) values.clear();
  return InlineRegion(op, region, values);
}

absl::StatusOr<std::vector<HloInstruction*>> Lowering::InlineRegion(
    const Operation& op, const Region& region, absl::Span<HloInstruction* const> values) {
  if (region.arguments.size() != values.size()) {
    return Invalid(op, "the region takes {} values, there are {} operands", region.arguments.size(),
                   values.size());
  }
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    const ValueId argument = region.arguments[i];
    if (!Shape::Compatible(ShapeOf(argument), values[i]->shape())) {
      return Unsupported(op, "several devices: operand {} is {}, of which each has {}", i,
                         ToText(values[i]->shape()), ToText(ShapeOf(argument)));
    }
    Set(argument, values[i]);
  }
  RETURN_IF_ERROR(LowerOperations(region));
  std::vector<HloInstruction*> returned;
  for (ValueId id : region.returned) returned.push_back(Get(id));
  return returned;
}

absl::StatusOr<HloComputation*> Lowering::PackedBody(const Operation& op, const Region& region,
                                                     std::string_view name,
                                                     const std::vector<ValueId>& bound,
                                                     const std::vector<ValueId>& passed,
                                                     const std::vector<HloInstruction*>& origins) {
  Scope scope(this, op, name);
  auto bind = [&](size_t i, HloInstruction* value) {
    if (dynamic_ && origins[i] != nullptr) ranges_.SetSame(*value, *origins[i]);
    scope.Bind(bound[i], value);
  };
  if (bound.size() == 1) {
    bind(0, computation_->AddParameter(0, ShapeOf(bound[0])));
  } else {
    std::vector<Shape> shapes;
    for (ValueId id : bound) shapes.push_back(ShapeOf(id));
    HloInstruction* tuple = computation_->AddParameter(0, Shape::Tuple(std::move(shapes)));
    for (size_t i = 0; i < bound.size(); ++i) {
      bool used = value(bound[i]).uses > 0 &&
                  (bound[i] >= region.first || absl::c_binary_search(region.captures, bound[i]) ||
                   absl::c_binary_search(passed, bound[i]));
      if (!used) continue;
      ASSIGN_OR_RETURN(HloInstruction * element, Add(op, HloOpcode::GetTupleElement, {tuple},
                                                     TupleElementAttrs{static_cast<int64_t>(i)}));
      bind(i, element);
    }
  }
  RETURN_IF_ERROR(scope.BindConstants(op, region, bound));
  std::vector<ValueId> returned = region.returned;
  returned.insert(returned.end(), passed.begin(), passed.end());
  return scope.Finish(region, returned);
}

}  // namespace sinter::stablehlo
