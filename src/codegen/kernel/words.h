// The words of attributes in the text form, shared by printer and parser, in the order of their
// enumerators.
#pragma once

#include <string_view>

namespace sinter::kernel {

inline constexpr std::string_view kAxisWords[] = {"rows", "cols"};
inline constexpr std::string_view kPredicateWords[] = {"lt", "le", "gt", "ge", "eq", "ne"};
inline constexpr std::string_view kLoopWords[] = {"seq", "par", "unroll"};
inline constexpr std::string_view kTailWords[] = {"exact", "masked", "peel"};
inline constexpr std::string_view kSpaceWords[] = {"argument", "scratch", "task", "constant"};
inline constexpr std::string_view kHardwareDimWords[] = {"reg", "lane", "warp"};

// Characters of names that need no quotes. A name starts with a letter or an underscore; it has no
// minus, which begins a step of an index.
constexpr bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool IsNameChar(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '.'; }

}  // namespace sinter::kernel
