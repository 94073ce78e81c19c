#include "frontend/stablehlo/imported.h"

#include <algorithm>

#include "frontend/stablehlo/locations.h"
#include "frontend/stablehlo/lowering.h"

namespace sinter {
namespace stablehlo {

absl::StatusOr<const Function*> FindEntry(const Source& source, const Program& program,
                                          std::string_view entry) {
  auto it = program.by_name.find(std::string(entry));
  if (it != program.by_name.end()) return it->second;
  const Function* only = nullptr;
  int count = 0;
  for (const Function& f : program.functions) {
    if (!f.is_public || !f.has_body) continue;
    only = &f;
    ++count;
  }
  if (entry == "main" && count == 1) return only;
  return source.Invalid(source.begin(), "there is no function @{}", entry);
}

bool IsAlias(const NamedAttribute& attribute) {
  const Attribute& value = attribute.value;
  if (attribute.name == "tf.aliasing_output")
    return value.kind == Attribute::Kind::kInteger && value.integer >= 0;
  return attribute.name == "jax.buffer_donor" &&
         (value.kind != Attribute::Kind::kBool || value.integer != 0);
}

namespace {

std::string TextOf(absl::Span<const NamedAttribute> attributes, std::string_view name) {
  const Attribute* a = FindAttribute(attributes, name);
  return a != nullptr && a->kind == Attribute::Kind::kString ? a->text : std::string();
}

}  // namespace
}  // namespace stablehlo

absl::StatusOr<StablehloSignature> ImportedProgram::Signature(std::string_view entry) const {
  ASSIGN_OR_RETURN(const stablehlo::Function* f, stablehlo::FindEntry(*source_, *program_, entry));
  StablehloSignature out;
  for (size_t i = 0; i < f->argument_shapes.size(); ++i) {
    StablehloValue& value = out.arguments.emplace_back();
    value.shape = f->argument_shapes[i];
    if (i < f->argument_locations.size())
      value.name = stablehlo::OriginOf(*program_, f->argument_locations[i]).name;
    if (value.name.empty() && i < f->body.arguments.size())
      value.name = program_->values[static_cast<size_t>(f->body.arguments[i])].name;
    if (i >= f->argument_attributes.size()) continue;
    const std::vector<stablehlo::NamedAttribute>& attributes = f->argument_attributes[i];
    value.donated = std::any_of(attributes.begin(), attributes.end(), stablehlo::IsAlias);
    value.global_constant = stablehlo::TextOf(attributes, "jax.global_constant");
  }
  for (size_t i = 0; i < f->result_shapes.size(); ++i) {
    StablehloValue& value = out.results.emplace_back();
    value.shape = f->result_shapes[i];
    if (i < f->result_attributes.size())
      value.name = stablehlo::TextOf(f->result_attributes[i], "jax.result_info");
  }
  return out;
}

absl::StatusOr<std::unique_ptr<HloModule>> ImportedProgram::Lower(
    const StablehloOptions& options) const {
  return stablehlo::Lowering(*source_, *program_, options).Run();
}

}  // namespace sinter
