// Prices order what was measured: pairs of kernels, the first of which was faster.
#include "target/price.h"

#include <catch2/catch.hpp>

namespace sinter {
namespace {

TEST_CASE("a price grows with work, with traffic, and with what begins a kernel") {
  const TargetInfo cpu = CpuMachine{}, gpu = GpuMachine{};
  CHECK(PriceOf(cpu, 2e6, 0) == Approx(2 * PriceOf(cpu, 1e6, 0)));
  CHECK(PriceOf(cpu, 1e6, 1e6) > PriceOf(cpu, 1e6, 0));
  CHECK(PriceOfLaunch(gpu) > PriceOfLaunch(cpu));
  // Half as many lanes, twice the time.
  CHECK(PriceOf(CpuMachine{.vector_bytes = 32}, 1e6, 0) == Approx(2 * PriceOf(cpu, 1e6, 0)));
}

TEST_CASE("a target is of one kind, and says what its programs may be made of") {
  const TargetInfo cpu = CpuMachine{.threads = 8}, gpu = GpuMachine{.multiprocessors = 16};
  REQUIRE(cpu.cpu() != nullptr);
  CHECK(cpu.cpu()->threads == 8);
  CHECK(cpu.gpu() == nullptr);
  CHECK((cpu.calls_library() && cpu.scatters() && cpu.joins_loops() && cpu.chains_products()));
  REQUIRE(gpu.gpu() != nullptr);
  CHECK(gpu.gpu()->multiprocessors == 16);
  CHECK(gpu.cpu() == nullptr);
  CHECK_FALSE(
      (gpu.calls_library() || gpu.scatters() || gpu.joins_loops() || gpu.chains_products()));
}

}  // namespace
}  // namespace sinter
