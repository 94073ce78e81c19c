#include "frontend/stablehlo/ast.h"

#include "base/status.h"

namespace sinter::stablehlo {

const Attribute* FindAttribute(absl::Span<const NamedAttribute> attributes, std::string_view name) {
  for (const NamedAttribute& a : attributes) {
    if (a.name == name) return &a.value;
  }
  return nullptr;
}

absl::StatusOr<absl::Span<const NamedAttribute>> FieldsOf(const Attribute& attribute) {
  if (attribute.kind != Attribute::Kind::kDialect) return absl::Span<const NamedAttribute>();
  RETURN_IF_ERROR(attribute.fields_status);
  return attribute.entries;
}

std::string ToText(const Type& t) {
  switch (t.kind) {
    case Type::Kind::kShape:
      return ToText(t.shape);
    case Type::Kind::kScalar:
      return ElementText(t.shape);
    case Type::Kind::kFunction:
    case Type::Kind::kOther:
      break;
  }
  return t.text;
}

}  // namespace sinter::stablehlo
