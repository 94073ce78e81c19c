#include "builder/impl.h"

#include <algorithm>

#include "builder/copy_computation.h"
#include "ir/analysis/equality.h"

namespace sinter {

BuilderImpl::BuilderImpl(std::string name, BuilderImpl& caller, const std::source_location& where)
    : name(std::move(name)),
      parent(nullptr),
      module(caller.module),
      where(where),
      caller_(&caller) {
  computation = module->AddComputation(this->name);
  metadata = caller.metadata;
  composed_at = caller.composed_at;
}

absl::StatusOr<HloInstruction*> BuilderImpl::Find(const Builder* self, Op op) const {
  if (op.builder_ == nullptr) return InvalidArgument("an operand is an op that no builder made");
  if (op.builder_ != self) {
    return InvalidArgument(
        "an operand belongs to the builder \"{}\"; values of another computation must be passed as "
        "operands",
        op.builder_->name());
  }
  if (op.index_ < 0)
    return InvalidArgument("an operand stands for nothing, since the call that made it failed");
  if (computation == nullptr || op.generation_ != generation ||
      static_cast<size_t>(op.index_) >= computation->instructions().size()) {
    return InvalidArgument("an operand belongs to a computation that \"{}\" has built already",
                           name);
  }
  return computation->instructions()[static_cast<size_t>(op.index_)].get();
}

size_t BuilderImpl::PlaceOf(const HloInstruction& instruction) const {
  // Nothing is ever removed, so ids grow along the list. Nearly always it is the last one.
  const auto& all = computation->instructions();
  auto it = all.end() - 1;
  if (it->get() != &instruction) {
    it = std::lower_bound(all.begin(), all.end(), instruction.id(),
                          [](const auto& i, int32_t id) { return i->id() < id; });
  }
  return static_cast<size_t>(it - all.begin());
}

Op BuilderImpl::Handle(Builder* self, const HloInstruction* instruction) const {
  return Op(self, static_cast<int32_t>(PlaceOf(*instruction)), generation);
}

absl::StatusOr<HloComputation*> BuilderImpl::Import(const Computation& handle) {
  const std::shared_ptr<const HloModule>& source = handle.module();
  if (source == nullptr || source->entry() == nullptr)
    return InvalidArgument("the computation to call is null");
  auto [it, is_new] = root().imported_.try_emplace(source.get());
  if (is_new) it->second = {source, CopyInto(*source, *module)};
  return it->second.copy;
}

HloComputation* BuilderImpl::Share(HloComputation* given) {
  BuilderImpl& r = root();
  // Combiners are short; long ones are rarely equal.
  constexpr size_t kLongest = 32;
  if (given->instructions().size() > kLongest) return given;
  std::string key;
  for (const auto& i : given->instructions()) key += Format("{},", Name(i->op()));
  std::vector<HloComputation*>& alike = r.shared_[key];
  for (HloComputation* c : alike) {
    if (c == given) return c;
    if (!SameComputation(*c, *given)) continue;
    r.has_unused_ = true;
    return c;
  }
  alike.push_back(given);
  return given;
}

void BuilderImpl::RemoveUnused() {
  if (std::exchange(has_unused_, false)) module->RemoveUnreachable();
}

Builder* BuilderImpl::Keep(std::unique_ptr<Builder> inner) {
  root().inner_.push_back(std::move(inner));
  return root().inner_.back().get();
}

void BuilderImpl::Reset() {
  Close();
  owned = std::make_unique<HloModule>(name);
  module = owned.get();
  computation = module->AddComputation(name);
  first_error = absl::OkStatus();
}

void BuilderImpl::Close() {
  ++generation;
  for (const auto& inner : inner_) inner->impl().Close();
  imported_.clear();
  shared_.clear();
  shardings.clear();
  donors.clear();
  has_unused_ = false;
  module = nullptr;
  computation = nullptr;
}

absl::Status CheckShape(const Shape& shape) {
  if (shape.is_tuple()) {
    for (const Shape& element : shape.tuple_shapes()) RETURN_IF_ERROR(CheckShape(element));
    return absl::OkStatus();
  }
  std::vector<int64_t> sizes = shape.dimensions();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    // Unbounded sizes are known when the program runs.
    if (shape.is_dynamic(i) && shape.dimension(i) == Shape::kUnbounded)
      sizes[static_cast<size_t>(i)] = 0;
  }
  return Shape::Make(shape.element_type(), sizes).status();
}

}  // namespace sinter
