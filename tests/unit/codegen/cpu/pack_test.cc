// Words of neighbouring columns, which only the CPU has.
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "differential.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Builder;
using kernel::Index;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Tail;
using kernel::Value;
using kernel::Values;

// Of the rows of x in one task.
Kernel Packed(ElementType elem, int cols, int lanes) {
  constexpr int kRows = 3;
  const int words = cols * ByteWidth(elem) / 4;
  Builder b("pack");
  b.kernel().lanes = lanes;
  const int x = b.AddBuffer("x", elem, std::vector<int64_t>{kRows, cols}),
            o = b.AddBuffer("o", ElementType::U32, std::vector<int64_t>{kRows, words});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Index row{b.Int(0), 1, 0}, col{b.Int(0), 0, 1};
    b.Store(b.Pack(b.Load(x, {row, col}, {elem, kRows, cols}), ElementType::U32), o, {row, col});
    return Values{};
  });
  return b.Take();
}

TEST_CASE("words of neighbours") {
  std::mt19937_64 random(3);
  for (ElementType elem : {ElementType::BF16, ElementType::U16, ElementType::S8, ElementType::U8}) {
    for (int lanes : {4, 8, 16}) {
      for (int cols : {4, 8, 32, 64, 72, 128}) {
        INFO(Name(elem) << ", " << cols << " columns, lanes " << lanes);
        const Kernel k = Packed(elem, cols, lanes);
        const auto bytes = static_cast<size_t>(3 * cols * ByteWidth(elem));
        Differential({&k, {RandomData(ElementType::U8, bytes, random), Bytes(bytes)}, {}});
      }
    }
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
