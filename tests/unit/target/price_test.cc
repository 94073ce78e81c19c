// Prices order what was measured: pairs of kernels, the first of which was faster.
#include "target/price.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "ir/ops/op.h"

namespace sinter {
namespace {

TEST_CASE("a price grows with work, with traffic, and with shorter vectors") {
  const TargetInfo cpu = CpuMachine{}, gpu = GpuMachine{};
  CHECK(PriceOf(cpu, 2e6, 0) == Approx(2 * PriceOf(cpu, 1e6, 0)));
  CHECK(PriceOf(cpu, 1e6, 1e6) > PriceOf(cpu, 1e6, 0));
  CHECK(PriceOf(CpuMachine{.vector_bytes = 32}, 1e6, 0) == Approx(2 * PriceOf(cpu, 1e6, 0)));
  // A launch on a GPU is as long as much work.
  CHECK(PriceOfKernel(gpu, 1000, 1000, 0) > 10 * PriceOfKernel(cpu, 1000, 1000, 0));
}

TEST_CASE("a short kernel lets the threads of a long reader wait") {
  const TargetInfo cpu = CpuMachine{};
  CHECK(PriceOfKernel(cpu, 1e5, 4096, 1e6) > 1.9 * PriceOfKernel(cpu, 1e5, 4096, 1000));
}

// A function of each element of a f32 array, read at `times` places (shifted, or for each of so
// many rows), computed there each time or once, by a kernel before: milliseconds on two threads of
// a Zen 4. Differences below a tenth are noise.
struct Recorded {
  HloOpcode op;
  int64_t elements;
  int times;
  double fused, apart;
};
constexpr Recorded kRecorded[] = {
    {HloOpcode::Sqrt, 16384, 2, 0.0057, 0.0041},
    {HloOpcode::Sqrt, 16384, 4, 0.0113, 0.0048},
    {HloOpcode::Sqrt, 16384, 8, 0.0223, 0.0067},
    {HloOpcode::Sqrt, 262144, 2, 0.0451, 0.0346},
    {HloOpcode::Sqrt, 262144, 4, 0.0895, 0.0387},
    {HloOpcode::Sqrt, 262144, 8, 0.1782, 0.0537},
    {HloOpcode::Sqrt, 4194304, 2, 0.7138, 1.2098},
    {HloOpcode::Sqrt, 4194304, 4, 1.4254, 1.2100},
    {HloOpcode::Sqrt, 4194304, 8, 2.8514, 1.1903},
    {HloOpcode::Sqrt, 16777216, 2, 3.0316, 6.0415},
    {HloOpcode::Sqrt, 16777216, 4, 5.7435, 3.9638},
    {HloOpcode::Sqrt, 16777216, 8, 11.5248, 6.0121},
    {HloOpcode::Exp, 16384, 2, 0.0063, 0.0051},
    {HloOpcode::Exp, 16384, 4, 0.0116, 0.0060},
    {HloOpcode::Exp, 16384, 8, 0.0230, 0.0078},
    {HloOpcode::Exp, 262144, 2, 0.0511, 0.0441},
    {HloOpcode::Exp, 262144, 4, 0.0946, 0.0480},
    {HloOpcode::Exp, 262144, 8, 0.1856, 0.0665},
    {HloOpcode::Exp, 4194304, 2, 0.7771, 0.8805},
    {HloOpcode::Exp, 4194304, 4, 1.4803, 1.1889},
    {HloOpcode::Exp, 4194304, 8, 2.9516, 1.2124},
    {HloOpcode::Exp, 16777216, 2, 3.1997, 5.9632},
    {HloOpcode::Exp, 16777216, 4, 6.0166, 5.9261},
    {HloOpcode::Exp, 16777216, 8, 11.9261, 4.3089},
    {HloOpcode::Tanh, 16384, 2, 0.0105, 0.0071},
    {HloOpcode::Tanh, 16384, 4, 0.0204, 0.0078},
    {HloOpcode::Tanh, 16384, 8, 0.0405, 0.0100},
    {HloOpcode::Tanh, 262144, 2, 0.0877, 0.0599},
    {HloOpcode::Tanh, 262144, 4, 0.1674, 0.0636},
    {HloOpcode::Tanh, 262144, 8, 0.3300, 0.0809},
    {HloOpcode::Tanh, 4194304, 2, 1.3455, 1.1213},
    {HloOpcode::Tanh, 4194304, 4, 2.6235, 1.3577},
    {HloOpcode::Tanh, 4194304, 8, 5.2487, 1.3506},
    {HloOpcode::Tanh, 16777216, 2, 5.4456, 5.1826},
    {HloOpcode::Tanh, 16777216, 4, 10.8457, 5.1614},
    {HloOpcode::Tanh, 16777216, 8, 21.1650, 6.6531},
    {HloOpcode::Log, 16384, 2, 0.0124, 0.0085},
    {HloOpcode::Log, 16384, 4, 0.0234, 0.0100},
    {HloOpcode::Log, 16384, 8, 0.0459, 0.0112},
    {HloOpcode::Log, 262144, 2, 0.1028, 0.0726},
    {HloOpcode::Log, 262144, 4, 0.1911, 0.0765},
    {HloOpcode::Log, 262144, 8, 0.3707, 0.0934},
    {HloOpcode::Log, 4194304, 2, 1.5982, 1.5445},
    {HloOpcode::Log, 4194304, 4, 3.0191, 1.4941},
    {HloOpcode::Log, 4194304, 8, 5.9416, 1.5756},
    {HloOpcode::Log, 16777216, 2, 6.4923, 7.2531},
    {HloOpcode::Log, 16777216, 4, 12.7426, 5.7870},
    {HloOpcode::Log, 16777216, 8, 25.1998, 7.3334},
    {HloOpcode::Sqrt, 8192, 2, 0.0018, 0.0033},
    {HloOpcode::Sqrt, 1024, 16, 0.0030, 0.0016},
    {HloOpcode::Sqrt, 131072, 2, 0.0232, 0.0450},
    {HloOpcode::Sqrt, 16384, 16, 0.0229, 0.0217},
    {HloOpcode::Sqrt, 2097152, 2, 0.3754, 0.9228},
    {HloOpcode::Sqrt, 262144, 16, 0.5949, 0.6453},
    {HloOpcode::Sqrt, 8388608, 2, 3.3888, 4.9091},
    {HloOpcode::Sqrt, 1048576, 16, 2.5400, 2.7668},
    {HloOpcode::Exp, 8192, 2, 0.0024, 0.0038},
    {HloOpcode::Exp, 1024, 16, 0.0040, 0.0016},
    {HloOpcode::Exp, 131072, 2, 0.0644, 0.0645},
    {HloOpcode::Exp, 16384, 16, 0.0619, 0.0358},
    {HloOpcode::Exp, 2097152, 2, 0.6014, 1.4716},
    {HloOpcode::Exp, 262144, 16, 1.0694, 0.6970},
    {HloOpcode::Exp, 8388608, 2, 3.3381, 7.7894},
    {HloOpcode::Exp, 1048576, 16, 4.5665, 2.7808},
    {HloOpcode::Tanh, 8192, 2, 0.0034, 0.0048},
    {HloOpcode::Tanh, 1024, 16, 0.0061, 0.0017},
    {HloOpcode::Tanh, 131072, 2, 0.0483, 0.0496},
    {HloOpcode::Tanh, 16384, 16, 0.0480, 0.0241},
    {HloOpcode::Tanh, 2097152, 2, 0.7707, 0.9772},
    {HloOpcode::Tanh, 262144, 16, 0.7660, 0.7267},
    {HloOpcode::Tanh, 8388608, 2, 3.5698, 7.3154},
    {HloOpcode::Tanh, 1048576, 16, 3.1791, 2.7806},
    {HloOpcode::Log, 8192, 2, 0.0041, 0.0054},
    {HloOpcode::Log, 1024, 16, 0.0076, 0.0018},
    {HloOpcode::Log, 131072, 2, 0.0603, 0.0530},
    {HloOpcode::Log, 16384, 16, 0.0603, 0.0256},
    {HloOpcode::Log, 2097152, 2, 0.9736, 1.1603},
    {HloOpcode::Log, 262144, 16, 1.9390, 0.7804},
    {HloOpcode::Log, 8388608, 2, 7.3561, 5.5929},
    {HloOpcode::Log, 1048576, 16, 3.8978, 2.6861},
};

TEST_CASE("prices choose what was faster in nine of ten recorded comparisons") {
  const TargetInfo target = CpuMachine{};
  int right = 0, all = 0;
  for (const Recorded& r : kRecorded) {
    if (std::abs(r.fused - r.apart) < 0.1 * std::min(r.fused, r.apart)) continue;
    const double operations = Info(r.op).work.of_floats * static_cast<double>(r.elements);
    const double fused = PriceOf(target, operations * r.times, 0),
                 apart = PriceOfKernel(target, operations, 4.0 * static_cast<double>(r.elements),
                                       fused);
    const bool is_right = (fused <= apart) == (r.fused <= r.apart);
    UNSCOPED_INFO(Name(r.op) << " of " << r.elements << " read " << r.times
                             << " times: " << (is_right ? "right" : "wrong") << ", " << fused
                             << " and " << apart << " ns");
    right += is_right;
    ++all;
  }
  REQUIRE(all > 60);
  CHECK(right * 10 >= all * 9);
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
