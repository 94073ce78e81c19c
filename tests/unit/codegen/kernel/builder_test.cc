#include "codegen/kernel/builder.h"

#include <catch2/catch.hpp>
#include <limits>

#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

constexpr Type kRow{ElementType::F32, 1, 16};

TEST_CASE("index constants fold") {
  Builder b("fold");
  Value x = b.AddParam("x", 0, 100);
  CHECK(b.Add(b.Int(2), b.Int(3)) == b.Int(5));
  CHECK(b.Sub(b.Int(2), b.Int(3)) == b.Int(-1));
  CHECK(b.Mul(b.Int(-2), b.Int(3)) == b.Int(-6));
  CHECK(b.Div(b.Int(-7), b.Int(2)) == b.Int(-3));
  CHECK(b.Rem(b.Int(-7), b.Int(2)) == b.Int(-1));
  CHECK(b.Div(b.Int(7), b.Int(0)) == b.Int(-1));
  CHECK(b.Rem(b.Int(7), b.Int(0)) == b.Int(7));
  CHECK(b.Div(b.Int(INT64_MIN), b.Int(-1)) == b.Int(INT64_MIN));
  CHECK(b.Min(b.Int(4), b.Int(3)) == b.Int(3));
  CHECK(b.Max(b.Int(4), b.Int(3)) == b.Int(4));
  CHECK(b.Add(x, b.Int(0)) == x);
  CHECK(b.Add(b.Int(0), x) == x);
  CHECK(b.Sub(x, b.Int(0)) == x);
  CHECK(b.Sub(x, x) == b.Int(0));
  CHECK(b.Mul(x, b.Int(1)) == x);
  CHECK(b.Mul(b.Int(0), x) == b.Int(0));
  CHECK(b.Div(x, b.Int(1)) == x);
  CHECK(b.Rem(x, b.Int(1)) == b.Int(0));
  CHECK(b.Min(x, x) == x);
  CHECK(b.Compare(Predicate::kLt, b.Int(1), b.Int(2)) == b.ConstInt(ElementType::PRED, 1));
  CHECK(b.Select(b.Compare(Predicate::kLt, b.Int(1), b.Int(2)), x, b.Int(0)) == x);
  CHECK(b.Select(b.Compare(Predicate::kGt, b.Int(1), b.Int(2)), x, b.Int(0)) == b.Int(0));
  CHECK(b.Convert(b.Int(300), ElementType::U8) == b.ConstInt(ElementType::U8, 44));
  for (const Op& op : b.kernel().top.ops) CHECK(op.code == OpCode::kConst);
}

TEST_CASE("what only looks foldable is emitted") {
  Builder b("keep");
  Value x = b.AddParam("x", 0, 100);
  CHECK(b.Add(x, b.Int(1)) != x);
  CHECK(b.Div(b.Int(0), x) != b.Int(0));  // 0 / 0 is -1
  Value f = b.Const(ElementType::F32, 1);
  CHECK(b.Add(f, b.Const(ElementType::F32, 0)) != f);
  Value tile = b.Splat(b.Int(3), {ElementType::S64, 1, 8});
  CHECK(b.type(b.Mul(tile, b.Int(0))).cols == 8);
  CHECK(b.type(b.Select(b.ConstInt(ElementType::PRED, 1), x, tile)).cols == 8);
}

TEST_CASE("scalar constants are shared, at the top, exact in their types") {
  Builder b("constants");
  CHECK(b.Const(ElementType::F32, 0.1) == b.Const(ElementType::F32, double{0.1F}));
  CHECK(b.Const(ElementType::F32, 0.0) != b.Const(ElementType::F32, -0.0));
  CHECK(b.Const(ElementType::F32, 1) != b.Const(ElementType::F64, 1));
  CHECK(b.ConstInt(ElementType::U8, -1) == b.Const(ElementType::U8, 255));
  CHECK(b.ConstInt(ElementType::S64, 7) == b.Int(7));
  CHECK(b.Const(ElementType::U64, 0x1p63) == b.ConstInt(ElementType::U64, INT64_MIN));
  int64_t value = 0;
  CHECK(b.IsInt(b.Int(7), &value));
  CHECK(value == 7);
  CHECK_FALSE(b.IsInt(b.ConstInt(ElementType::S32, 7), &value));
  Value inner = kNone;
  b.For(LoopKind::kPar, b.Int(0), b.Int(4), 1, Tail::kExact, {}, [&](Value, const Values&) {
    inner = b.Const(ElementType::F32, 42);
    return Values{};
  });
  CHECK(b.kernel().top.ops.back().code == OpCode::kFor);
  CHECK(b.kernel().top.ops.back().regions[0].ops.empty());
  CHECK(inner == b.Const(ElementType::F32, 42));
  CHECK(Verify(b.kernel()).ok());
}

TEST_CASE("results have the broadcast type of their operands") {
  Builder b("types");
  const ElementType f32 = ElementType::F32;
  int m = b.AddBuffer("m", f32, std::vector<int64_t>{8, 16});
  Values seen;
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Value column = b.Load(m, {{b.Int(0), 1, 0}, {b.Int(0)}}, {f32, 8, 1});
    Value row = b.Load(m, {{b.Int(0)}, {b.Int(0), 0, 1}}, kRow);
    CHECK(b.type(b.Mul(column, row)) == Type{f32, 8, 16});
    CHECK(b.type(b.Compare(Predicate::kLt, column, row)) == Type{ElementType::PRED, 8, 16});
    CHECK(b.type(b.Select(b.Compare(Predicate::kLt, row, row), column, column)) ==
          Type{f32, 8, 16});
    CHECK(b.type(b.Transpose(row)) == Type{f32, 16, 1});
    CHECK(b.type(b.Interleave(row, row)) == Type{f32, 1, 32});
    CHECK(b.type(b.Deinterleave(row).second) == Type{f32, 1, 8});
    Values r = b.Reduce({row}, Axis::kCols, [&](const Values& x, const Values& y) {
      return Values{b.Add(x[0], y[0])};
    });
    CHECK(b.type(r[0]).is_scalar());
    CHECK(b.Splat(r[0], {f32, 1, 1}) == r[0]);
    CHECK(b.Convert(row, f32) == row);
    CHECK(b.type(b.Mask(b.Int(0), b.Int(3), kRow, Axis::kCols)) ==
          WithElem(kRow, ElementType::PRED));
    return Values{};
  });
  INFO(Print(b.kernel()));
  CHECK(Verify(b.kernel()).ToString() == "OK");
}

TEST_CASE("arithmetic of the top stays before the stages") {
  Builder b("prelude");
  Value n = b.AddParam("n", 1, 64), m = b.AddParam("m", 1, 64);
  auto stage = [&](Value hi) {
    b.For(LoopKind::kPar, b.Int(0), hi, 1, Tail::kExact, {}, [&](Value i, const Values&) {
      // Strides that depend on parameters are values of the top, though asked for here.
      int x = b.AddBuffer("x", ElementType::F32, Values{n, m, n}, Space::kScratch);
      b.Store(b.Const(ElementType::F32, 1), x,
              {{b.Min(i, b.Sub(n, b.Int(1)))}, {b.Int(0)}, {b.Int(0)}});
      return Values{};
    });
  };
  stage(n);
  stage(b.Mul(n, m));
  INFO(Print(b.kernel()));
  CHECK(Verify(b.kernel()).ToString() == "OK");
}

TEST_CASE("emission into an enclosing block") {
  Builder b("hoist");
  Value n = b.AddParam("n", 1, 64);
  int x = b.AddBuffer("x", ElementType::F32, Values{n});
  b.For(LoopKind::kPar, b.Int(0), n, 1, Tail::kExact, {}, [&](Value i, const Values&) {
    Value twice = kNone;
    b.For(LoopKind::kSeq, b.Int(0), n, 1, Tail::kExact, {}, [&](Value, const Values&) {
      CHECK(b.depth() == 2);
      b.AtDepth(1, [&] { twice = b.Add(i, i); });
      b.Store(b.Convert(twice, ElementType::F32), x, {{i}});
      return Values{};
    });
    return Values{};
  });
  const Block& body = b.kernel().top.ops.back().regions[0];
  CHECK(body.ops[0].code == OpCode::kAdd);
  CHECK(Verify(b.kernel()).ToString() == "OK");
}

}  // namespace
}  // namespace sinter::kernel
