// Runs every module on the lower sets of instructions, and every kernel of every module as machine
// code and on the kernel IR's interpreter.
#include <catch2/catch.hpp>

#include "ops/run_all.h"

namespace sinter {
namespace {

TEST_CASE("every kernel of every module against its interpreter", "[.kernels]") {
  testing::RunAll(testing::KernelDevices());
}

TEST_CASE("every module of every file on the lower sets of instructions", "[.levels]") {
  testing::RunAll(testing::LowerLevels());
}

}  // namespace
}  // namespace sinter
