// Pointwise operations over all types as device code against the interpreter.
#include <catch2/catch.hpp>

#include "cuda/walk/differential.h"
#include "unit/codegen/cpu/elementwise.h"
#include "unit/codegen/cpu/random_graph.h"

namespace sinter::gpu::testing {
namespace {

using cpu::testing::Elementwise;
using cpu::testing::Interesting;
using cpu::testing::kTypes;
using kernel::Builder;
using kernel::OpCode;
using kernel::Value;
using kernel::Values;

void Run(const Elementwise& e, int warps, const kernel::Layout& layout, std::vector<Bytes> data,
         size_t n, std::string_view gpu = "sm_90") {
  for (ElementType elem : e.results)
    data.push_back(Bytes(n * static_cast<size_t>(ByteWidth(elem))));
  Differential(WithLayouts(e.kernel, warps, layout), data, {static_cast<int64_t>(n)}, gpu, 1);
}

TEST_CASE("random graphs of pointwise operations") {
  const size_t n = 331;
  const kernel::Layout layouts[] = {TileLayout({}, {Warp(2), Lane(32), Reg(1)}),
                                    TileLayout({}, {Reg(2), Lane(32)}),
                                    TileLayout({}, {Lane(16), Warp(2), Reg(2)})};
  for (uint64_t seed = 0; seed < 24; seed++) {
    std::mt19937_64 random(seed);
    std::vector<Bytes> data;
    for (ElementType e : kTypes) data.push_back(Interesting(e, n, random));
    INFO("seed " << seed);
    const Elementwise e(kTypes, 64, 16, [&](Builder& b, const Values& x) {
      return cpu::testing::RandomGraph(b, x, seed, 25);
    });
    Run(e, 2, layouts[seed % 3], data, n, seed % 2 == 0 ? "sm_90" : "sm_75");
  }
}

TEST_CASE("operations of floats at their corners") {
  const size_t n = 1999;
  for (ElementType elem : {ElementType::F32, ElementType::F64}) {
    std::mt19937_64 random(static_cast<uint64_t>(elem));
    const ElementType integer = elem == ElementType::F32 ? ElementType::S32 : ElementType::S64;
    std::vector<Bytes> data{Interesting(elem, n, random), Interesting(elem, n, random),
                            Interesting(elem, n, random)};
    std::vector<int64_t> exponents;
    for (size_t i = 0; i < n; i++) exponents.push_back(static_cast<int64_t>(random() % 600) - 300);
    data.push_back(elem == ElementType::F32
                       ? BytesOf(std::vector<int32_t>(exponents.begin(), exponents.end()))
                       : BytesOf(exponents));
    const Elementwise e({elem, elem, elem, integer}, 64, 16, [&](Builder& b, const Values& x) {
      Values y{b.Fma(x[0], x[1], x[2]), b.Binary(OpCode::kLdexp, x[0], x[3])};
      for (OpCode op : {OpCode::kMin, OpCode::kMax, OpCode::kDiv, OpCode::kRem})
        y.push_back(b.Binary(op, x[0], x[1]));
      y.push_back(b.Add(b.Mul(x[0], x[1]), x[2]));  // which must not be contracted
      for (ElementType to : kTypes) y.push_back(b.Convert(x[0], to));
      return y;
    });
    for (const char* gpu : {"sm_75", "sm_100"})
      Run(e, 1, TileLayout({}, {Lane(32), Reg(2)}), data, n, gpu);
  }
}

}  // namespace
}  // namespace sinter::gpu::testing
