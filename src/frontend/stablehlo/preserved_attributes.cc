#include "frontend/stablehlo/preserved_attributes.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "ir/frontend_attributes.h"
#include "types/brackets.h"

namespace sinter::stablehlo {
namespace {

// Attributes that the lowering of custom calls reads and their printer writes.
bool IsOfCustomCall(std::string_view name) {
  return name == "mhlo.attributes" || name == "mhlo.backend_config" || name == "mhlo.version";
}

// Whether HLO text has it as one value in braces: where those do not close, or what follows is no
// part of it, it is another's text and no sharding.
bool IsOneGroup(std::string_view s) {
  return s.starts_with('{') && FindEndOfBrackets(s, 0, BracketSyntax::kHlo).end == s.size();
}

// {a="b",c="d"}, or nothing where a value is no string.
std::string FrontendText(const Attribute& dictionary) {
  std::vector<FrontendAttribute> attributes;
  for (const NamedAttribute& e : dictionary.entries) {
    if (e.value.kind != Attribute::Kind::kString || !IsAttributeName(e.name)) return "";
    attributes.push_back({e.name, e.value.text});
  }
  return attributes.empty() ? "" : FrontendAttributesText(attributes);
}

}  // namespace

bool IsAttributeName(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_$.-").find(c) != std::string_view::npos;
  });
}

Annotations PreservedAttributes(const std::vector<NamedAttribute>& attributes,
                                std::string_view prefix) {
  Annotations annotations;
  for (const NamedAttribute& a : attributes) {
    if (a.name.find('.') == std::string::npos || IsOfCustomCall(a.name)) continue;
    if (a.name == kSharding && a.value.kind == Attribute::Kind::kString && prefix.empty() &&
        IsOneGroup(a.value.text)) {
      annotations.push_back({"sharding", a.value.text});
      continue;
    }
    const std::string frontend =
        a.name == kFrontendAttributes && prefix.empty() ? FrontendText(a.value) : "";
    if (!frontend.empty()) {
      annotations.push_back({"frontend_attributes", frontend});
    } else {
      annotations.push_back({Format("{}{}", prefix, a.name), a.value.kept});
    }
  }
  return annotations;
}

Annotation PairsAnnotation(const Groups& pairs) {
  std::vector<std::string> each;
  for (const Dims& pair : pairs) each.push_back(Format("{{{}}}", Join(pair, ",")));
  return {
      "frontend_attributes",
      FrontendAttributesText({{std::string(kPairs), Format("{{{}}}", Join(each, ",")), false}})};
}

std::string ResultPrefix(size_t result) { return Format("{}{}.", kResultPrefix, result); }

}  // namespace sinter::stablehlo
