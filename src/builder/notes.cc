// What a builder notes on instructions for frameworks: frontend attributes and shardings.

#include "absl/algorithm/container.h"
#include "builder/impl.h"
#include "ir/frontend_attributes.h"

namespace sinter {
namespace {

void NoteSharding(BuilderImpl& impl, HloInstruction& instruction,
                  const std::optional<OpSharding>& sharding) {
  SetAnnotation(instruction, "sharding", sharding ? sharding->ToString() : "");
  if (sharding) {
    impl.shardings[&instruction] = *sharding;
  } else {
    impl.shardings.erase(&instruction);
  }
}

std::string DevicesText(const OpSharding& s) {
  std::string out = Format("{{devices=[{}]", Join(s.tile_assignment_dimensions, ","));
  if (s.iota_reshape_dims.empty()) {
    out += Join(s.tile_assignment_devices, ",");
  } else {
    out += Format("<=[{}]", Join(s.iota_reshape_dims, ","));
    if (s.iota_transpose_perm.size() > 1) out += Format("T({})", Join(s.iota_transpose_perm, ","));
  }
  return out + (s.replicate_on_last_tile_dim ? " last_tile_dim_replicate}" : "}");
}

}  // namespace

void SetAnnotation(Annotated& annotated, std::string_view name, std::string value) {
  Annotations annotations = annotated.annotations();
  auto it = absl::c_find_if(annotations, [&](const Annotation& a) { return a.name == name; });
  if (value.empty()) {
    if (it != annotations.end()) annotations.erase(it);
  } else if (it != annotations.end()) {
    it->value = std::move(value);
  } else {
    annotations.push_back({std::string(name), std::move(value)});
  }
  annotated.set_annotations(std::move(annotations));
}

std::string OpSharding::ToString() const {
  switch (type) {
    case REPLICATED:
      return "{replicated}";
    case MAXIMAL:
      return Format("{{maximal device={}}}",
                    tile_assignment_devices.empty() ? 0 : tile_assignment_devices[0]);
    case MANUAL:
      return "{manual}";
    case UNKNOWN:
      return "{unknown}";
    case OTHER:
      return DevicesText(*this);
    case TUPLE:
      break;
  }
  std::string out = "{";
  const char* separator = "";
  for (const OpSharding& element : tuple_shardings) {
    out += separator + element.ToString();
    separator = ", ";
  }
  return out + "}";
}

void BuilderImpl::Annotate(HloInstruction& instruction) {
  if (!frontend_attributes.entries.empty()) {
    std::vector<FrontendAttribute> all;
    for (const auto& [name, value] : frontend_attributes.entries) all.push_back({name, value});
    SetAnnotation(instruction, "frontend_attributes", FrontendAttributesText(all));
  }
  if (sharding) NoteSharding(*this, instruction, sharding);
}

void Builder::SetFrontendAttributes(const FrontendAttributeMap& attributes) {
  impl_->frontend_attributes = attributes;
}
FrontendAttributeMap Builder::SwapFrontendAttributes(const FrontendAttributeMap& attributes) {
  return std::exchange(impl_->frontend_attributes, attributes);
}
const FrontendAttributeMap& Builder::frontend_attributes() const {
  return impl_->frontend_attributes;
}
std::optional<OpSharding> Builder::SwapSharding(std::optional<OpSharding> sharding) {
  return std::exchange(impl_->sharding, std::move(sharding));
}
const std::optional<OpSharding>& Builder::sharding() const { return impl_->sharding; }

absl::Status Builder::SetInstructionFrontendAttribute(Op op, std::string attribute,
                                                      std::string value) {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * i, impl_->Find(this, op));
  const std::string* text = sinter::Find(i->annotations(), "frontend_attributes");
  std::vector<FrontendAttribute> all;
  if (text) all = FrontendAttributes(*text);
  auto it = absl::c_find_if(all, [&](const FrontendAttribute& a) { return a.name == attribute; });
  if (it == all.end()) it = all.insert(it, {std::move(attribute), "", true});
  it->value = std::move(value);
  it->is_string = true;
  SetAnnotation(*i, "frontend_attributes", FrontendAttributesText(all));
  return absl::OkStatus();
}

absl::Status Builder::SetInstructionSharding(Op op, const std::optional<OpSharding>& sharding) {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * i, impl_->Find(this, op));
  NoteSharding(*impl_, *i, sharding);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<OpSharding>> Builder::GetOpSharding(Op op) const {
  RETURN_IF_ERROR(first_error());
  ASSIGN_OR_RETURN(HloInstruction * i, impl_->Find(this, op));
  auto it = impl_->shardings.find(i);
  if (it == impl_->shardings.end()) return std::optional<OpSharding>();
  return std::optional<OpSharding>(it->second);
}

ScopedFrontendAttributes::ScopedFrontendAttributes(Builder* builder,
                                                   const FrontendAttributeMap& attributes)
    : builder_(builder) {
  if (builder_) saved_ = builder_->SwapFrontendAttributes(attributes);
}
ScopedFrontendAttributes::~ScopedFrontendAttributes() {
  if (builder_) builder_->SetFrontendAttributes(saved_);
}

ScopedSharding::ScopedSharding(Builder* builder, std::optional<OpSharding> sharding)
    : builder_(builder) {
  if (builder_) saved_ = builder_->SwapSharding(std::move(sharding));
}
ScopedSharding::~ScopedSharding() {
  if (builder_) builder_->SwapSharding(std::move(saved_));
}

}  // namespace sinter
