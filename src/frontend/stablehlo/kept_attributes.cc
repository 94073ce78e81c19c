#include "frontend/stablehlo/kept_attributes.h"

#include <algorithm>

#include "base/status.h"
#include "frontend/stablehlo/lexer.h"
#include "frontend/stablehlo/print_text.h"

namespace sinter::stablehlo {
namespace {

constexpr std::string_view kSharding = "mhlo.sharding", kFrontend = "mhlo.frontend_attributes";
constexpr std::string_view kResult = "results.";
constexpr std::string_view kPairs = "_xla_send_recv_source_target_pairs";

// Read for what they mean when a custom call is lowered, which prints them itself.
bool IsOfCustomCall(std::string_view name) {
  return name == "mhlo.attributes" || name == "mhlo.backend_config" || name == "mhlo.version";
}

std::string QuotedForHlo(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

bool IsName(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](char c) { return IsWordChar(c) || c == '-'; });
}

// {a="b",c="d"}, or nothing where a value is no string.
std::string FrontendText(const Attribute& dictionary) {
  std::string out;
  for (const NamedAttribute& e : dictionary.entries) {
    if (e.value.kind != Attribute::Kind::kString || !IsName(e.name)) return "";
    out += Format("{}{}={}", out.empty() ? "" : ",", e.name, QuotedForHlo(e.value.text));
  }
  return out.empty() ? out : Format("{{{}}}", out);
}

// The other way. Values that are no strings are composites', which are operations of their own.
std::string FrontendDictionary(std::string_view text) {
  std::string out;
  size_t at = text.find('{') + 1;
  while (at < text.size()) {
    const size_t equal = text.find('=', at);
    if (equal == text.npos) break;
    std::string_view name = text.substr(at, equal - at);
    while (!name.empty() && (name.front() == ' ' || name.front() == '\n')) name.remove_prefix(1);
    if (equal + 1 >= text.size() || text[equal + 1] != '"') return "";
    std::string value;
    size_t end = equal + 2;
    for (; end < text.size() && text[end] != '"'; ++end) {
      if (text[end] == '\\' && end + 1 < text.size()) ++end;
      value += text[end];
    }
    if (!name.starts_with("composite.")) {
      out += Format("{}{} = {}", out.empty() ? "" : ", ", QuotedText(name), QuotedText(value));
    }
    at = text.find(',', end);
    at = at == text.npos ? text.size() : at + 1;
  }
  return out.empty() ? out : Format("{{{}}}", out);
}

}  // namespace

Annotations KeptAttributes(const std::vector<NamedAttribute>& attributes, std::string_view prefix) {
  Annotations kept;
  for (const NamedAttribute& a : attributes) {
    if (a.name.find('.') == std::string::npos || IsOfCustomCall(a.name)) continue;
    std::string_view sharding = a.value.text;
    if (a.name == kSharding && a.value.kind == Attribute::Kind::kString &&
        sharding.starts_with('{') && sharding.ends_with('}') && prefix.empty()) {
      kept.push_back({"sharding", std::string(sharding)});
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
  return {"frontend_attributes", Format("{{{}={{{}}}}}", kPairs, Join(each, ","))};
}

std::optional<Groups> FindPairs(const Annotated& transfer) {
  const std::string* all = Find(transfer.annotations(), "frontend_attributes");
  if (all == nullptr) return std::nullopt;
  size_t at = all->find(kPairs);
  if (at == all->npos) return std::nullopt;
  at += kPairs.size();
  Groups pairs;
  int depth = 0;
  bool in_number = false;
  for (; at < all->size(); ++at) {
    const char c = (*all)[at];
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
    } else if (c != ',' && c != ' ' && (depth > 0 || (c != '=' && c != '"'))) {
      return std::nullopt;
    }
    in_number = IsDigit(c);
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
                           name.starts_with(kDeclarationPrefix) || name == kIdentity))
      continue;
    name.remove_prefix(prefix.size());
    if (name.find('.') != name.npos) add(name, a.value);
  }
  return out;
}

}  // namespace sinter::stablehlo
