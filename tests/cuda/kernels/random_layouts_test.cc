// The sample kernels of the kernel IR with layouts drawn at random, on the emulator.
#include "cuda/kernels/random_layouts.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/status.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "cuda/kernels/differential.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::emulator {
namespace {

namespace samples = kernel::samples;
using kernel::Kernel;
using kernel::OpCode;

// Small integers: sums of them are exact in any order.
Bytes Integers(size_t count, std::mt19937_64& random) {
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random() % 33) - 16;
  Bytes bytes(count * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct Sample {
  Kernel kernel;
  std::vector<Job> jobs;
  double tolerance = 0;
};

std::vector<Sample> Samples() {
  std::mt19937_64 random(1);
  auto floats = [&](size_t n) { return Integers(n, random); };
  std::vector<Sample> all;
  {
    Sample s{samples::SumFma(128, kernel::Tail::kPeel, 512), {}};
    for (size_t n : {1, 127, 128, 600, 1200}) {
      const size_t tasks = (n + 511) / 512;
      s.jobs.push_back({{floats(n), floats(n), floats(n), Bytes(tasks * 4), Bytes(4)},
                        {static_cast<int64_t>(n), static_cast<int64_t>(tasks)}});
    }
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::Unary(ElementType::F32, ElementType::F32, samples::Exp, 64, 256), {}};
    for (size_t n : {1, 63, 64, 300, 513}) {
      s.jobs.push_back({{floats(n), Bytes(n * 4)},
                        {static_cast<int64_t>(n), static_cast<int64_t>((n + 255) / 256)}});
    }
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::Softmax(256), {}, 1e-5};
    s.jobs.push_back({{floats(3 * 256), Bytes(3 * 256 * 4)}, {3}});
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::Transpose(), {}};
    s.jobs.push_back({{floats(128 * 128), Bytes(128 * 128 * 4)}, {128}});
    all.push_back(std::move(s));
  }
  for (int rows_at_once : {1, 4}) {
    Sample s{samples::ColumnSum(64, rows_at_once), {}};
    for (size_t rows : {1, 10}) {
      for (size_t cols : {1, 64, 130})
        s.jobs.push_back({{floats(rows * cols), Bytes(cols * 4)},
                          {static_cast<int64_t>(rows), static_cast<int64_t>(cols)}});
    }
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::ArgMax(), {}};
    for (size_t n : {1, 64, 200})
      s.jobs.push_back({{floats(3 * n), Bytes(12)}, {3, static_cast<int64_t>(n)}});
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::Gather({1, 2, 3, 4.5F}), {}};
    Bytes index(400);
    for (size_t i = 0; i < 100; i++) {
      const auto at = static_cast<int32_t>(i % 9) - 3;
      std::memcpy(&index[i * 4], &at, 4);
    }
    s.jobs.push_back({{index, Bytes(400)}, {}});
    all.push_back(std::move(s));
  }
  {
    Sample s{samples::Steps(), {}};
    for (int64_t n : {0, 1, 50}) s.jobs.push_back({{floats(1), floats(1), Bytes(4)}, {n}});
    all.push_back(std::move(s));
  }
  {
    samples::GemmBlocks blocks;
    blocks.kc = 32;
    blocks.mc = 24;
    Sample s{samples::Gemm(blocks), {}};
    const size_t m = 29, n = 77, depth = 70, panels = 3;
    s.jobs.push_back({{floats(m * depth), floats(depth * n), floats(n), Bytes(m * n * 4),
                       Bytes(panels * 32 * 32 * 4), Bytes(panels * m * 32 * 4)},
                      {m, n, depth, panels, 2, 2}});
    all.push_back(std::move(s));
  }
  return all;
}

// The sample with layouts, or nothing where these do not fit the registers.
std::optional<Kernel> WithLayouts(const Kernel& sample, std::mt19937_64& random) {
  Kernel k = sample;
  if (!AssignRandomLayouts(k, 1 << random() % 4, random)) return std::nullopt;
  SyncEverywhere(k);
  absl::Status s = kernel::Verify(k);
  if (!s.ok() && MessageOf(s).find("the carries need") != std::string::npos) return std::nullopt;
  INFO(kernel::Print(k));
  INFO(MessageOf(s));
  REQUIRE(s.ok());
  return k;
}

TEST_CASE("sample kernels with random layouts are what the interpreter says") {
  for (const Sample& sample : Samples()) {
    int tried = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
      std::mt19937_64 random(seed);
      auto k = WithLayouts(sample.kernel, random);
      if (!k) continue;
      tried++;
      INFO("seed " << seed << "\n" << kernel::Print(*k));
      auto compiled = CompiledKernel::Compile(*k);
      INFO(MessageOf(compiled.status()));
      REQUIRE(compiled.ok());
      for (const Job& job : sample.jobs) {
        const absl::Status s = (*compiled)->Check(job, seed, sample.tolerance);
        INFO(MessageOf(s) << "\n" << (*compiled)->ir());
        REQUIRE(s.ok());
      }
    }
    INFO(sample.kernel.name);
    CHECK(tried > 0);
  }
}

}  // namespace
}  // namespace sinter::emulator
