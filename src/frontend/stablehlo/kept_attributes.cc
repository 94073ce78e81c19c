#include "frontend/stablehlo/kept_attributes.h"

#include <algorithm>

#include "base/status.h"
#include "frontend/stablehlo/lexer.h"
#include "frontend/stablehlo/print_text.h"
#include "ir/annotation_call.h"
#include "ir/frontend_attributes.h"

namespace sinter::stablehlo {
namespace {

constexpr std::string_view kSharding = "mhlo.sharding", kFrontend = "mhlo.frontend_attributes";
constexpr std::string_view kResult = "results.";
constexpr std::string_view kPairs = "_xla_send_recv_source_target_pairs";

// Read for what they mean when a custom call is lowered, which prints them itself.
bool IsOfCustomCall(std::string_view name) {
  return name == "mhlo.attributes" || name == "mhlo.backend_config" || name == "mhlo.version";
}

bool IsName(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](char c) { return IsWordChar(c) || c == '-'; });
}

// Whether HLO text has it as one value in braces: what would end it elsewhere, as a comment or a
// bracket too many does, is another's text and no sharding.
bool IsOneGroup(std::string_view s) {
  if (!s.starts_with('{')) return false;
  std::string open;
  for (size_t at = 0; at < s.size(); ++at) {
    const std::string_view rest = s.substr(at);
    if (rest.starts_with("//") || rest.starts_with("/*")) return false;
    const char c = rest[0];
    if (c == '"') {
      for (++at; at < s.size() && s[at] != '"'; ++at) at += s[at] == '\\';
    } else if (c == '{' || c == '(' || c == '[') {
      open += c == '{' ? '}' : c == '(' ? ')' : ']';
    } else if (c == '}' || c == ')' || c == ']') {
      if (open.back() != c) return false;
      open.pop_back();
      if (open.empty()) return at + 1 == s.size();
    }
  }
  return false;
}

// {a="b",c="d"}, or nothing where a value is no string.
std::string FrontendText(const Attribute& dictionary) {
  std::vector<FrontendAttribute> attributes;
  for (const NamedAttribute& e : dictionary.entries) {
    if (e.value.kind != Attribute::Kind::kString || !IsName(e.name)) return "";
    attributes.push_back({e.name, e.value.text});
  }
  return attributes.empty() ? "" : FrontendAttributesText(attributes);
}

// The other way. Values that are no strings are what operations have attributes of their own for
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

Annotations KeptAttributes(const std::vector<NamedAttribute>& attributes, std::string_view prefix) {
  Annotations kept;
  for (const NamedAttribute& a : attributes) {
    if (a.name.find('.') == std::string::npos || IsOfCustomCall(a.name)) continue;
    if (a.name == kSharding && a.value.kind == Attribute::Kind::kString && prefix.empty() &&
        IsOneGroup(a.value.text)) {
      kept.push_back({"sharding", a.value.text});
      continue;
    }
    const std::string frontend = a.name == kFrontend && prefix.empty() ? FrontendText(a.value) : "";
    if (!frontend.empty()) {
      kept.push_back({"frontend_attributes", frontend});
    } else {
      kept.push_back({Format("{}{}", prefix, a.name), a.value.kept});
    }
  }
  return kept;
}

Annotation PairsAnnotation(const Groups& pairs) {
  std::vector<std::string> each;
  for (const Dims& pair : pairs) each.push_back(Format("{{{}}}", Join(pair, ",")));
  return {
      "frontend_attributes",
      FrontendAttributesText({{std::string(kPairs), Format("{{{}}}", Join(each, ",")), false}})};
}

std::optional<Groups> FindPairs(const Annotated& transfer) {
  const std::string* all = Find(transfer.annotations(), "frontend_attributes");
  if (all == nullptr) return std::nullopt;
  for (const FrontendAttribute& a : FrontendAttributes(*all)) {
    if (a.name == kPairs) return ParsePairs(a.value);
  }
  return std::nullopt;
}

std::string ResultPrefix(size_t result) { return Format("{}{}.", kResult, result); }

std::string AttributesText(const Annotated& annotated, std::string_view prefix) {
  std::string out;
  auto add = [&](std::string_view name, std::string_view value) {
    const bool plain = IsName(name) && name.find('-') == name.npos && !IsDigit(name[0]);
    out += Format("{}{}{}{}", out.empty() ? "" : ", ", plain ? std::string(name) : QuotedText(name),
                  value.empty() ? "" : " = ", value);
  };
  for (const Annotation& a : annotated.annotations()) {
    std::string_view name = a.name;
    if (prefix.empty() && name == "sharding") add(kSharding, QuotedText(a.value));
    if (prefix.empty() && name == "frontend_attributes") {
      if (const std::string text = FrontendDictionary(a.value); !text.empty()) add(kFrontend, text);
    }
    if (!name.starts_with(prefix)) continue;
    if (prefix.empty() && (name.starts_with(kResult) || name.starts_with(kMeshPrefix) ||
                           name.starts_with(kDeclarationPrefix) || name == kIdentity ||
                           name.starts_with(kAnnotationCallPrefix)))
      continue;
    name.remove_prefix(prefix.size());
    if (name.find('.') != name.npos) add(name, a.value);
  }
  return out;
}

}  // namespace sinter::stablehlo
