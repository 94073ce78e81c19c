#include "frontend/stablehlo_text/text_entry.h"

#include "frontend/stablehlo_text/parser.h"

namespace sinter::stablehlo {

absl::StatusOr<Attribute> ParseAttributeEntry(std::string_view text, std::string_view filename) {
  const TextSource source(text, filename);
  Parser parser(source);
  ASSIGN_OR_RETURN(Attribute attribute, parser.ParseAttribute());
  RETURN_IF_ERROR(parser.Finish());
  return attribute;
}

absl::StatusOr<Type> ParseTypeEntry(std::string_view text, std::string_view filename) {
  const TextSource source(text, filename);
  Parser parser(source);
  ASSIGN_OR_RETURN(Type type, parser.ParseType());
  RETURN_IF_ERROR(parser.Finish());
  return type;
}

}  // namespace sinter::stablehlo
