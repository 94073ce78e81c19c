// The kernels of the kernel IR's own tests, as machine code.
#include <catch2/catch.hpp>

#include "differential.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::cpu::testing {
namespace {

namespace samples = kernel::samples;
using kernel::Kernel;

TEST_CASE("Sum of x + y z, at every remainder of the peeled loop") {
  std::mt19937_64 random(1);
  const Kernel k = samples::SumFma(37, kernel::Tail::kPeel, 128);
  for (size_t n : {1, 2, 36, 37, 38, 128, 129, 200, 255, 256}) {
    const int64_t tasks = static_cast<int64_t>((n + 127) / 128);
    Differential({&k,
                  {RandomFloats(n, random), RandomFloats(n, random), RandomFloats(n, random),
                   Bytes(static_cast<size_t>(tasks) * 4), Bytes(4)},
                  {static_cast<int64_t>(n), tasks}});
  }
}

TEST_CASE("exp of every kind of float") {
  std::mt19937_64 random(2);
  const Kernel k = samples::Unary(ElementType::F32, ElementType::F32, samples::Exp);
  for (size_t n : {100, 1000})
    Differential({&k, {RandomData(ElementType::F32, n, random), Bytes(n * 4)}, {int64_t(n), 1}});
}

TEST_CASE("Softmax") {
  std::mt19937_64 random(3);
  const Kernel k = samples::Softmax(256);
  Differential({&k, {RandomFloats(5 * 256, random), Bytes(5 * 256 * 4)}, {5}});
}

TEST_CASE("Transpose of a matrix") {
  std::mt19937_64 random(4);
  const Kernel k = samples::Transpose();
  Differential({&k, {RandomFloats(128 * 128, random), Bytes(128 * 128 * 4)}, {128}});
}

TEST_CASE("GEMM with bias and relu") {
  std::mt19937_64 random(5);
  samples::GemmBlocks blocks;
  blocks.kc = 32;
  blocks.mc = 24;
  const Kernel k = samples::Gemm(blocks);
  const size_t m = 29, n = 77, depth = 70, panels = 3;
  Differential(
      {&k,
       {RandomFloats(m * depth, random), RandomFloats(depth * n, random), RandomFloats(n, random),
        Bytes(m * n * 4), Bytes(panels * 32 * 32 * 4), Bytes(panels * m * 32 * 4)},
       {m, n, depth, panels, 2, 2}});
}

TEST_CASE("A loop that carries a scalar") {
  const Kernel k = samples::Steps();
  for (int64_t n : {0, 1, 1000}) {
    const std::vector<float> a{0.5F}, x{2};
    Differential({&k, {BytesOf(a), BytesOf(x), Bytes(4)}, {n}});
  }
}

TEST_CASE("Sums of columns") {
  std::mt19937_64 random(6);
  for (int rows_at_once : {1, 4}) {
    const Kernel k = samples::ColumnSum(64, rows_at_once);
    for (size_t rows : {1, 3, 10})
      for (size_t cols : {1, 63, 64, 130}) {
        Differential({&k,
                      {RandomFloats(rows * cols, random), Bytes(cols * 4)},
                      {static_cast<int64_t>(rows), static_cast<int64_t>(cols)}});
      }
  }
}

TEST_CASE("The greatest of each row") {
  std::mt19937_64 random(7);
  const Kernel k = samples::ArgMax();
  for (size_t n : {1, 64, 200})
    Differential({&k, {RandomFloats(3 * n, random), Bytes(3 * 4)}, {3, static_cast<int64_t>(n)}});
}

TEST_CASE("Gather from constant data") {
  std::mt19937_64 random(8);
  const Kernel k = samples::Gather({1, 2, 3, 4.5F});
  std::vector<int32_t> index(100);
  for (size_t i = 0; i < index.size(); i++) index[i] = static_cast<int32_t>(i % 9) - 3;
  Differential({&k, {BytesOf(index), Bytes(400)}, {}});
}

TEST_CASE("Pairs swapped by lanes") {
  std::mt19937_64 random(9);
  const Kernel k = samples::SwapPairs();
  Differential({&k, {RandomData(ElementType::BF16, 128, random), Bytes(256)}, {}});
}

}  // namespace
}  // namespace sinter::cpu::testing
