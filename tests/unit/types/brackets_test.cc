#include "types/brackets.h"

#include <catch2/catch.hpp>

namespace sinter {
namespace {

size_t End(std::string_view text, BracketSyntax syntax = BracketSyntax::kHlo) {
  return FindEndOfBrackets(text, 0, syntax).end;
}
constexpr size_t kNone = std::string_view::npos;

TEST_CASE("A group ends with the bracket that closes it") {
  CHECK(End("{a(b)[c{}]}, d") == 11);
  CHECK(End("{\"}\\\"}\"}x") == 8);
  CHECK(End("{") == kNone);
  CHECK(End("") == kNone);
  CHECK(FindEndOfBrackets("x={1},", 2, BracketSyntax::kHlo).end == 5);
}

TEST_CASE("What does not close is told") {
  const BracketEnd other = FindEndOfBrackets("{a(b]}", 0, BracketSyntax::kHlo);
  CHECK(other.end == kNone);
  CHECK(other.bad == 4);
  const BracketEnd string = FindEndOfBrackets("{a\"b}", 0, BracketSyntax::kHlo);
  CHECK(string.end == kNone);
  CHECK(string.bad == 2);
  CHECK(FindEndOfBrackets("{{}", 0, BracketSyntax::kHlo).bad == 0);
}

TEST_CASE("Angles are brackets of MLIR, comments are HLO's") {
  CHECK(End("<(a) -> b>c", BracketSyntax::kMlir) == 10);
  CHECK(End("{a < b}", BracketSyntax::kMlir) == kNone);
  CHECK(End("{a < b}") == 7);
  CHECK(End("{/* } */}") == 9);
  CHECK(End("{// }\n}") == 7);
  CHECK(End("{// }") == kNone);
  CHECK(End("{// }", BracketSyntax::kMlir) == 5);
}

TEST_CASE("A string ends with a quote that no backslash is before") {
  CHECK(FindEndOfString("\"a\\\"b\" c", 0) == 6);
  CHECK(FindEndOfString("\"a\\\\\"", 0) == 5);
  CHECK(FindEndOfString("\"a\\\"", 0) == kNone);
}

}  // namespace
}  // namespace sinter
