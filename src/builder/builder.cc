#include <algorithm>

#include "builder/impl.h"
#include "ir/text/printer.h"
#include "types/leaves.h"

namespace sinter {
namespace {

void MakeStatic(Shape& shape) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic(i) && shape.dimension(i) != Shape::kUnbounded) shape.set_dynamic(i, false);
  }
  for (Shape& element : shape.mutable_tuple_shapes()) MakeStatic(element);
}

void MakeStatic(HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      Shape shape = i->shape();
      MakeStatic(shape);
      i->set_shape(std::move(shape));
    }
  }
}

ProgramShape ProgramShapeOf(const HloComputation& c, const HloInstruction* root) {
  ProgramShape shape;
  for (const HloInstruction* p : c.parameters()) {
    shape.parameters.push_back(p ? p->shape() : Shape());
    shape.parameter_names.push_back(p ? p->name() : "");
  }
  shape.result = root->shape();
  return shape;
}

absl::Status CheckParameters(const HloComputation& c) {
  for (size_t n = 0; n < c.parameters().size(); ++n) {
    if (c.parameters()[n]) continue;
    return InvalidArgument("the parameters' numbers must be 0 to {}, {} is missing",
                           c.parameters().size() - 1, n);
  }
  return absl::OkStatus();
}

absl::Status CheckAliases(const HloModule& module, const HloComputation& c,
                          const HloInstruction* root) {
  for (const InputOutputAlias& alias : module.aliases()) {
    const Shape* to = Subshape(root->shape(), alias.output_index);
    const Shape* from = nullptr;
    if (alias.parameter >= 0 && alias.parameter < static_cast<int64_t>(c.parameters().size())) {
      from = Subshape(c.parameter(static_cast<size_t>(alias.parameter))->shape(),
                      alias.parameter_index);
    }
    if (!to || !from || !to->is_array() || !Shape::Compatible(*to, *from)) {
      return InvalidArgument(
          "SetUpAlias: element {{{}}} of the result and element {{{}}} of parameter {} must be "
          "arrays "
          "of the same shape; they are {} and {}",
          Join(alias.output_index, ","), Join(alias.parameter_index, ","), alias.parameter,
          to ? to->ToString() : "missing", from ? from->ToString() : "missing");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Builder::Builder(std::string name)
    : impl_(std::make_unique<BuilderImpl>(std::move(name), nullptr)) {}
Builder::Builder(std::unique_ptr<BuilderImpl> impl) : impl_(std::move(impl)) {}
Builder::~Builder() = default;

const std::string& Builder::name() const { return impl_->name; }

absl::StatusOr<Computation> Builder::Build(bool remove_dynamic_dimensions) {
  RETURN_IF_ERROR(first_error());
  if (!impl_->computation || impl_->computation->instructions().empty()) {
    return InvalidArgument("the builder \"{}\" has recorded nothing to build", name());
  }
  return Build(impl_->Handle(this, impl_->computation->instructions().back().get()),
               remove_dynamic_dimensions);
}

absl::StatusOr<Computation> Builder::Build(Op root, bool remove_dynamic_dimensions) {
  RETURN_IF_ERROR(first_error());
  if (!impl_->owned) {
    return InvalidArgument("the builder \"{}\" is that of a function, which ends by returning",
                           name());
  }
  absl::StatusOr<HloInstruction*> result = impl_->Find(this, root);
  if (!result.ok()) return Annotate(result.status(), Format("the result of \"{}\"", name()));
  HloComputation* c = impl_->computation;
  RETURN_IF_ERROR(CheckParameters(*c));
  RETURN_IF_ERROR(CheckAliases(*impl_->module, *c, *result));
  c->set_root(*result);
  impl_->module->set_entry(c);
  impl_->module->PlaceDonors(impl_->donors);
  impl_->RemoveUnused();
  std::unique_ptr<HloModule> module = std::move(impl_->owned);
  impl_->Reset();
  if (remove_dynamic_dimensions) MakeStatic(*module);
  return Computation(std::shared_ptr<const HloModule>(std::move(module)));
}

Computation Builder::BuildAndNoteError() {
  absl::StatusOr<Computation> built = Build();
  if (built.ok()) return *std::move(built);
  if (impl_->parent) impl_->parent->ReportError(built.status());
  return Computation();
}

std::unique_ptr<Builder> Builder::CreateSubBuilder(std::string name) {
  return std::make_unique<Builder>(std::make_unique<BuilderImpl>(std::move(name), this));
}

absl::Status Builder::first_error() const { return impl_->first_error; }

Op Builder::ReportError(const absl::Status& error) {
  if (impl_->first_error.ok()) {
    impl_->first_error = error.ok() ? Internal("an error was reported that is none") : error;
  }
  return BuilderImpl::Nothing(this);
}

Op Builder::ReportErrorOrReturn(const absl::StatusOr<Op>& op) {
  if (!impl_->first_error.ok()) return BuilderImpl::Nothing(this);
  return op.ok() ? *op : ReportError(op.status());
}

absl::StatusOr<const Shape*> Builder::GetShapePtr(Op op) const {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * i, impl_->Find(this, op));
  return &i->shape();
}

absl::StatusOr<Shape> Builder::GetShape(Op op) const {
  ASSIGN_OR_RETURN(const Shape* shape, GetShapePtr(op));
  return *shape;
}

absl::StatusOr<Shape> Op::shape() const {
  if (builder_ == nullptr) return InvalidArgument("an op that no builder made has no shape");
  return builder_->GetShape(*this);
}

absl::StatusOr<ProgramShape> Builder::GetProgramShape() const {
  RETURN_IF_ERROR(first_error());
  if (!impl_->computation || impl_->computation->instructions().empty()) {
    return InvalidArgument("the builder \"{}\" has recorded nothing", name());
  }
  return ProgramShapeOf(*impl_->computation, impl_->computation->instructions().back().get());
}

absl::StatusOr<ProgramShape> Builder::GetProgramShape(Op root) const {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * i, impl_->Find(this, root));
  return ProgramShapeOf(*impl_->computation, i);
}

void Builder::SetUpAlias(absl::Span<const int64_t> output_index, int64_t param_number,
                         absl::Span<const int64_t> param_index, bool must) {
  if (!impl_->module) return;
  impl_->module->aliases().push_back({Dims(output_index.begin(), output_index.end()), param_number,
                                      Dims(param_index.begin(), param_index.end()), must});
}

void Builder::AddBufferDonor(int64_t param_number, absl::Span<const int64_t> param_index) {
  impl_->donors.push_back({param_number, Dims(param_index.begin(), param_index.end())});
}

void Builder::SetOpMetadata(OpMetadata metadata) { impl_->metadata = std::move(metadata); }
void Builder::SetOneShotOpMetadata(OpMetadata metadata) {
  impl_->one_shot_metadata = std::move(metadata);
}
void Builder::ClearOpMetadata() { impl_->metadata.reset(); }
std::optional<OpMetadata> Builder::SwapOpMetadata(std::optional<OpMetadata> metadata) {
  return std::exchange(impl_->metadata, std::move(metadata));
}

ScopedOpMetadata::ScopedOpMetadata(Builder* builder, OpMetadata metadata) : builder_(builder) {
  if (builder_) saved_ = builder_->SwapOpMetadata(std::move(metadata));
}
ScopedOpMetadata::~ScopedOpMetadata() {
  if (builder_) builder_->SwapOpMetadata(std::move(saved_));
}

std::string ProgramShape::ToString() const {
  std::string out = "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i) out += ", ";
    if (i < parameter_names.size() && !parameter_names[i].empty()) out += parameter_names[i] + ": ";
    out += parameters[i].ToString();
  }
  return out + ") -> " + result.ToString();
}

const std::string& Computation::name() const {
  static const auto& none = *new std::string;
  return module_ ? module_->name() : none;
}

absl::StatusOr<ProgramShape> Computation::GetProgramShape() const {
  if (!module_ || !module_->entry()) return InvalidArgument("the computation is null");
  return ProgramShapeOf(*module_->entry(), module_->entry()->root());
}

std::string Computation::ToString(bool metadata) const {
  if (!module_) return "";
  PrintOptions options;
  options.metadata = metadata;
  return Print(*module_, options);
}

}  // namespace sinter
