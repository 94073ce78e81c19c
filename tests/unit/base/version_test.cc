#include "sinter/version.h"

#include <catch2/catch.hpp>
#include <regex>
#include <string>

namespace sinter {
namespace {

TEST_CASE("the version is three numbers") {
  REQUIRE(std::regex_match(Version(), std::regex(R"(\d+\.\d+\.\d+)")));
}

}  // namespace
}  // namespace sinter
