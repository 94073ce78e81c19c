#include "codegen/kernel/hoist_invariants.h"

#include <catch2/catch.hpp>
#include <vector>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

// How deep in loops the first operation with this code stands, -1: nowhere.
int DepthOf(const Block& block, OpCode code) {
  for (const Op& op : block.ops) {
    if (op.code == code) return 0;
    for (const Block& region : op.regions) {
      const int inner = DepthOf(region, code);
      if (inner >= 0) return inner + 1;
    }
  }
  return -1;
}

constexpr int64_t kRows = 5, kCols = 24;

struct Variant {
  bool s_written = false;    // the scalar's buffer is one that rows are written to
  bool s_overlaps = false;   // it may overlap the results
  bool cheap = false;        // no exponential
  bool per_column = false;   // of s[column] instead of s[0]
  bool in_branch = false;    // computed only where a condition holds
  int64_t columns_from = 0;  // of the inner loop, which runs nowhere if this is its end
};

// o[r, c] = x[r, c] * sqrt(exp(s)), computed in the inner loop.
Kernel Scale(const Variant& v) {
  Builder b("scale");
  const Value rows = b.Int(kRows), cols = b.Int(kCols), one = b.Int(1), zero = b.Int(0);
  const int s = b.AddBuffer("s", ElementType::F32, Values{v.per_column ? cols : one});
  const int x = b.AddBuffer("x", ElementType::F32, Values{rows, cols});
  const int o = b.AddBuffer("o", ElementType::F32, Values{rows, cols});
  samples::Each(b, LoopKind::kPar, zero, rows, 1, [&](Value r) {
    samples::Each(b, LoopKind::kSeq, b.Int(v.columns_from), cols, 8, [&](Value c) {
      auto body = [&] {
        Value w = v.per_column ? b.Load(s, {{c, 0, 1}}, samples::F32Tile(1, 8))
                               : b.Load(s, {{zero}}, {ElementType::F32});
        if (!v.cheap) w = samples::Exp(Expr{&b, w}).v;
        w = b.Unary(OpCode::kSqrt, w);
        if (v.cheap) w = b.Unary(OpCode::kNeg, b.Load(s, {{zero}}, {ElementType::F32}));
        b.Store(b.Mul(b.Load(x, {{r}, {c, 0, 1}}, samples::F32Tile(1, 8)), w), o, {{r}, {c, 0, 1}});
      };
      if (!v.in_branch) return body();
      b.If(
          b.Compare(Predicate::kGt, r, one), [&] { return body(), Values{}; },
          [&] { return Values{}; });
    });
    if (v.s_written)
      samples::Each(b, LoopKind::kSeq, zero, zero, 1,
                    [&](Value i) { b.Store(b.Const(ElementType::F32, 1), s, {{b.Add(r, i)}}); });
  });
  Kernel k = b.Take();
  if (v.s_overlaps)
    for (const int i : {s, o}) k.buffers[static_cast<size_t>(i)].alias_group = 0;
  return k;
}

std::vector<float> Run(const Kernel& k) {
  std::vector<float> s(kCols, 0.5f), x(kRows * kCols), o(kRows * kCols, -1);
  for (size_t i = 0; i < s.size(); ++i) s[i] += 0.01f * static_cast<float>(i);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  void* const buffers[] = {s.data(), x.data(), o.data()};
  const absl::Status status = Interpret(k, buffers, {});
  INFO(status.ToString() << "\n" << Print(k));
  CHECK(status.ok());
  return o;
}

// The depth of the square root after the motion, which changes no result.
int MovedTo(const Variant& v) {
  const Kernel before = Scale(v), after = HoistInvariants(before);
  INFO(Print(after));
  CHECK(Verify(after, {.bounds = !v.s_written && !v.s_overlaps}).ToString() == "OK");
  CHECK(Run(before) == Run(after));
  return DepthOf(after.top, OpCode::kSqrt);
}

TEST_CASE("what no task changes is computed before them") {
  CHECK(DepthOf(Scale({}).top, OpCode::kSqrt) == 2);
  CHECK(MovedTo({}) == 0);
  CHECK(DepthOf(HoistInvariants(Scale({})).top, OpCode::kLoad) == 0);
}

TEST_CASE("what varies, may be written, or need not come to be computed stays where it is") {
  CHECK(MovedTo({.per_column = true}) == 2);
  CHECK(MovedTo({.s_written = true}) == 2);
  CHECK(MovedTo({.s_overlaps = true}) == 2);
  CHECK(MovedTo({.in_branch = true}) == 3);
}

TEST_CASE("what costs less than to keep it stays") {
  const Kernel k = HoistInvariants(Scale({.cheap = true}));
  CHECK(DepthOf(k.top, OpCode::kNeg) == 2);
}

TEST_CASE("a load at a place that varies in an outer loop leaves only loops that run") {
  // y[r] is read in a loop of no turns, where r may be outside; its square root is worth moving.
  auto depth = [](int64_t turns) {
    Builder b("rows");
    const Value rows = b.Int(4), zero = b.Int(0);
    const int y = b.AddBuffer("y", ElementType::F32, Values{rows});
    const int o = b.AddBuffer("o", ElementType::F32, Values{rows});
    samples::Each(b, LoopKind::kPar, zero, rows, 1, [&](Value r) {
      const Value sum = b.For(LoopKind::kSeq, zero, b.Int(turns), 1, Tail::kExact,
                              {b.Const(ElementType::F32, 0)}, [&](Value, const Values& c) {
                                const Value root =
                                    b.Unary(OpCode::kSqrt, b.Load(y, {{r}}, {ElementType::F32}));
                                return Values{b.Add(c[0], root)};
                              })[0];
      b.Store(sum, o, {{r}});
    });
    const Kernel k = HoistInvariants(b.Take());
    CHECK(Verify(k).ToString() == "OK");
    return DepthOf(k.top, OpCode::kSqrt);
  };
  CHECK(depth(3) == 1);
  CHECK(depth(0) == 2);
}

TEST_CASE("a whole loop leaves the loops that do not change it") {
  Builder b("norm");
  const Value rows = b.Int(6), cols = b.Int(16), zero = b.Int(0);
  const int w = b.AddBuffer("w", ElementType::F32, Values{cols});
  const int o = b.AddBuffer("o", ElementType::F32, Values{rows});
  samples::Each(b, LoopKind::kPar, zero, rows, 1, [&](Value r) {
    const Value sum = b.For(LoopKind::kSeq, zero, cols, 1, Tail::kExact,
                            {b.Const(ElementType::F32, 0)}, [&](Value c, const Values& sums) {
                              return Values{b.Add(sums[0], b.Load(w, {{c}}, {ElementType::F32}))};
                            })[0];
    b.Store(b.Mul(sum, b.Convert(r, ElementType::F32)), o, {{r}});
  });
  const Kernel before = b.Take(), after = HoistInvariants(before);
  CHECK(Verify(after).ToString() == "OK");
  CHECK(DepthOf(before.top, OpCode::kAdd) == 2);
  CHECK(DepthOf(after.top, OpCode::kAdd) == 1);
  std::vector<float> weights(16, 0.25f);
  for (const Kernel* k : {&before, &after}) {
    std::vector<float> out(6);
    void* const buffers[] = {weights.data(), out.data()};
    CHECK(Interpret(*k, buffers, {}).ok());
    CHECK(out == std::vector<float>{0, 4, 8, 12, 16, 20});
  }
}

}  // namespace
}  // namespace sinter::kernel
