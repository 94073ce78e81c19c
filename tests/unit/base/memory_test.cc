#include "base/memory.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace sinter {
namespace {

TEST_CASE("memory that the system gives, and that no system gives") {
  CHECK(CanMap(0));
  CHECK(CanMap(1));
  CHECK(CanMap(size_t{1} << 20));
  CHECK_FALSE(CanMap(SIZE_MAX));
  CHECK_FALSE(CanMap(size_t{1} << 62));
}

}  // namespace
}  // namespace sinter
