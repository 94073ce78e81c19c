#include <catch2/catch.hpp>

#include "table.h"

namespace sinter::pjrt_abi {
namespace {

TEST_CASE("every field of the C API lies where XLA's headers have it") {
  const Table ours = Ours(), theirs = Theirs();
  REQUIRE(ours.fields.size() == theirs.fields.size());
  REQUIRE(ours.fields.size() > 700);
  for (size_t i = 0; i < ours.fields.size(); ++i) {
    INFO(ours.fields[i].name);
    CHECK(ours.fields[i].offset == theirs.fields[i].offset);
    CHECK(ours.fields[i].size == theirs.fields[i].size);
  }
  REQUIRE(ours.constants.size() == theirs.constants.size());
  for (size_t i = 0; i < ours.constants.size(); ++i) {
    INFO(ours.constants[i].first);
    CHECK(ours.constants[i].second == theirs.constants[i].second);
  }
}

// A later version may have appended more.
TEST_CASE("no struct of the C API is larger than XLA's") {
  const Table ours = Ours(), theirs = Theirs();
  REQUIRE(ours.structs.size() == theirs.structs.size());
  for (size_t i = 0; i < ours.structs.size(); ++i) {
    INFO(ours.structs[i].name);
    CHECK(ours.structs[i].size <= theirs.structs[i].size);
  }
}

}  // namespace
}  // namespace sinter::pjrt_abi
