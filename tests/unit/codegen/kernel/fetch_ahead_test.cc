#include "codegen/kernel/fetch_ahead.h"

#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

constexpr Type kTile{ElementType::F32, 1, 16};

struct Shape {
  int64_t cols = 1024;
  int passes = 2;
  Space space = Space::kArgument;
  int64_t second_from = 0;
  int64_t block = 0;  // a pass goes block by block
};

// Rows of a matrix, summed in several passes, and stored.
Kernel Passes(const Shape& s) {
  Builder b("passes");
  Value rows = b.Int(64), cols = b.Int(s.cols);
  const int x = b.AddBuffer("x", ElementType::F32, Values{rows, cols}, s.space);
  const int o = b.AddBuffer("o", ElementType::F32, Values{rows});
  b.For(LoopKind::kPar, b.Int(0), rows, 1, Tail::kExact, {}, [&](Value r, const Values&) {
    Value total = b.Const(ElementType::F32, 0);
    for (int pass = 0; pass < s.passes; ++pass) {
      Value zero = b.Splat(b.Const(ElementType::F32, 0), kTile);
      Value from = b.Int(pass == 1 ? s.second_from : 0);
      auto loop = [&](Value lo, Value hi) {
        return b.For(LoopKind::kSeq, lo, hi, 16, Tail::kExact, {zero},
                     [&](Value j, const Values& c) {
                       return Values{b.Add(c[0], b.Load(x, {{r}, {j, 0, 1}}, kTile))};
                     })[0];
      };
      Value sum = s.block == 0
                      ? loop(from, cols)
                      : b.For(LoopKind::kSeq, from, cols, s.block, Tail::kExact, {zero},
                              [&](Value lo, const Values& c) {
                                return Values{b.Add(c[0], loop(lo, b.Add(lo, b.Int(s.block))))};
                              })[0];
      auto add = [&](const Values& p, const Values& q) { return Values{b.Add(p[0], q[0])}; };
      total = b.Add(total, b.Reduce({sum}, Axis::kCols, add)[0]);
    }
    b.Store(total, o, {{r}});
    return Values{};
  });
  return b.Take();
}

// `ahead` of the load in each pass.
std::vector<int64_t> Ahead(const Shape& shape) {
  Kernel kernel = Passes(shape);
  FetchRowsAhead(kernel, 512 << 10);
  if (shape.space == Space::kArgument) CHECK(Verify(kernel).ToString() == "OK");
  std::vector<int64_t> ahead;
  for (const Op& stage : kernel.top.ops) {
    if (stage.code != OpCode::kFor) continue;
    for (const Op& pass : stage.regions[0].ops) {
      if (pass.code != OpCode::kFor) continue;
      for (const Op& op : pass.regions[0].ops) {
        if (op.code == OpCode::kLoad) ahead.push_back(op.int_value);
        if (op.code != OpCode::kFor) continue;
        for (const Op& inner : op.regions[0].ops)
          if (inner.code == OpCode::kLoad) ahead.push_back(inner.int_value);
      }
    }
  }
  return ahead;
}

TEST_CASE("the second pass over a row fetches the next one") {
  using Each = std::vector<int64_t>;
  CHECK(Ahead({}) == Each{0, 1024});
  CHECK(Ahead({.passes = 4}) == Each{0, 1024, 0, 0});
  CHECK(Ahead({.cols = 128}) == Each{0, 128});
  CHECK(Ahead({.cols = 32000}) == Each{0, 32000});  // 125 KB
  CHECK(Ahead({.block = 256}) == Each{0, 1024});
}

TEST_CASE("nothing is fetched where it would not help") {
  using Each = std::vector<int64_t>;
  CHECK(Ahead({.passes = 1}) == Each{0});
  CHECK(Ahead({.cols = 64}) == Each{0, 0});             // short rows
  CHECK(Ahead({.cols = 40000}) == Each{0, 0});          // two rows are half of the cache and more
  CHECK(Ahead({.space = Space::kTask}) == Each{0, 0});  // was never in memory
  CHECK(Ahead({.second_from = 512}) == Each{0, 0});     // another part of the row
}

}  // namespace
}  // namespace sinter::kernel
