#include "frontend/stablehlo_text/print_preserved_attributes.h"

#include "base/status.h"
#include "frontend/stablehlo/mlir_text.h"
#include "frontend/stablehlo_text/lexer.h"
#include "ir/annotation_call.h"
#include "ir/frontend_attributes.h"

namespace sinter::stablehlo {
namespace {

// Values that are no strings are what operations have attributes of their own for
// (composites, transfers) or dictionaries of JSON, which are strings here.
std::string FrontendDictionary(std::string_view text) {
  std::vector<std::string> entries;
  for (const FrontendAttribute& a : FrontendAttributes(text)) {
    if (a.name.starts_with("composite.") || a.name == kPairs) continue;
    entries.push_back(Format("{} = {}", QuotedText(a.name), QuotedText(a.value)));
  }
  return entries.empty() ? "" : Format("{{{}}}", Join(entries, ", "));
}

// {{0,1},{1,0}}
std::optional<Groups> ParsePairs(std::string_view text) {
  Groups pairs;
  int depth = 0;
  bool in_number = false;
  for (const char c : text) {
    if (c == '{') {
      if (++depth == 2) pairs.emplace_back();
      if (depth > 2) return std::nullopt;
    } else if (c == '}') {
      if (depth == 2 && pairs.back().size() != 2) return std::nullopt;
      if (--depth == 0) return pairs;
    } else if (IsDigit(c)) {
      if (depth != 2) return std::nullopt;
      if (!in_number) pairs.back().push_back(0);
      int64_t& n = pairs.back().back();
      if (n > int64_t{1} << 32) return std::nullopt;
      n = 10 * n + (c - '0');
    } else if (depth == 0 || (c != ',' && c != ' ')) {
      return std::nullopt;
    }
    in_number = IsDigit(c);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Groups> FindPairs(const Annotated& transfer) {
  const std::string* all = Find(transfer.annotations(), "frontend_attributes");
  if (all == nullptr) return std::nullopt;
  for (const FrontendAttribute& a : FrontendAttributes(*all)) {
    if (a.name == kPairs) return ParsePairs(a.value);
  }
  return std::nullopt;
}

std::string AttributesText(const Annotated& annotated, std::string_view prefix) {
  std::string out;
  auto add = [&](std::string_view name, std::string_view value) {
    const bool plain = IsAttributeName(name) && name.find('-') == name.npos && !IsDigit(name[0]);
    out += Format("{}{}{}{}", out.empty() ? "" : ", ", plain ? std::string(name) : QuotedText(name),
                  value.empty() ? "" : " = ", value);
  };
  for (const Annotation& a : annotated.annotations()) {
    std::string_view name = a.name;
    if (prefix.empty() && name == "sharding") add(kSharding, QuotedText(a.value));
    if (prefix.empty() && name == "frontend_attributes") {
      if (const std::string text = FrontendDictionary(a.value); !text.empty())
        add(kFrontendAttributes, text);
    }
    if (!name.starts_with(prefix)) continue;
    if (prefix.empty() && (name.starts_with(kResultPrefix) || name.starts_with(kMeshPrefix) ||
                           name.starts_with(kDeclarationPrefix) || name == kIdentity ||
                           name.starts_with(kAnnotationCallPrefix)))
      continue;
    name.remove_prefix(prefix.size());
    if (name.find('.') != name.npos) add(name, a.value);
  }
  return out;
}

}  // namespace sinter::stablehlo
