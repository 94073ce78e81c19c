#include "record.h"

namespace sinter {
namespace {

TEST_CASE("unary functions record their op") {
  struct Case {
    Op (*function)(const Operand&);
    ElementType type;
    const char* body;
  };
  const Case cases[] = {
      {Abs, kF32, "ROOT abs = f32[2] abs(x)"},
      {Abs, kC64, "ROOT abs = f32[2] abs(x)"},
      {Cbrt, kF32, "ROOT cbrt = f32[2] cbrt(x)"},
      {Ceil, kF32, "ROOT ceil = f32[2] ceil(x)"},
      {Clz, kS32, "ROOT count-leading-zeros = s32[2] count-leading-zeros(x)"},
      {Copy, kF32, "ROOT copy = f32[2] copy(x)"},
      {Cos, kF32, "ROOT cosine = f32[2] cosine(x)"},
      {Erf, kF32, "ROOT erf = f32[2] erf(x)"},
      {Exp, kC64, "ROOT exponential = c64[2] exponential(x)"},
      {Expm1, kF32, "ROOT exponential-minus-one = f32[2] exponential-minus-one(x)"},
      {Floor, kF32, "ROOT floor = f32[2] floor(x)"},
      {Imag, kC64, "ROOT imag = f32[2] imag(x)"},
      {IsFinite, kF32, "ROOT is-finite = pred[2] is-finite(x)"},
      {Log, kF32, "ROOT log = f32[2] log(x)"},
      {Log1p, kF32, "ROOT log-plus-one = f32[2] log-plus-one(x)"},
      {Logistic, kF32, "ROOT logistic = f32[2] logistic(x)"},
      {Neg, kS32, "ROOT negate = s32[2] negate(x)"},
      {Not, kPred, "ROOT not = pred[2] not(x)"},
      {OptimizationBarrier, kF32, "ROOT opt-barrier = f32[2] opt-barrier(x)"},
      {PopulationCount, kU8, "ROOT popcnt = u8[2] popcnt(x)"},
      {Real, kC64, "ROOT real = f32[2] real(x)"},
      {Round, kF32, "ROOT round-nearest-afz = f32[2] round-nearest-afz(x)"},
      {RoundNearestEven, kF32, "ROOT round-nearest-even = f32[2] round-nearest-even(x)"},
      {Rsqrt, kF32, "ROOT rsqrt = f32[2] rsqrt(x)"},
      {Sign, kF32, "ROOT sign = f32[2] sign(x)"},
      {Sin, kF32, "ROOT sine = f32[2] sine(x)"},
      {Sqrt, kF32, "ROOT sqrt = f32[2] sqrt(x)"},
      {Tan, kF32, "ROOT tan = f32[2] tan(x)"},
      {Tanh, kF32, "ROOT tanh = f32[2] tanh(x)"},
      {Conj, kC64,
       "real = f32[2] real(x)\nimag = f32[2] imag(x)\nnegate = f32[2] negate(imag)\n"
       "ROOT complex = c64[2] complex(real, negate)"},
  };
  for (const Case& c : cases) {
    Builder b("t");
    c.function(Param(b, 0, c.type, {2}));
    CHECK(Body(b) == c.body);
  }
}

TEST_CASE("binary functions record their op") {
  struct Case {
    Op (*function)(const Operand&, const Operand&, absl::Span<const int64_t>);
    ElementType type;
    const char* body;
  };
  const Case cases[] = {
      {Add, kF32, "ROOT add = f32[2] add(x, y)"},
      {Add, kPred, "ROOT add = pred[2] add(x, y)"},
      {And, kS32, "ROOT and = s32[2] and(x, y)"},
      {Atan2, kF32, "ROOT atan2 = f32[2] atan2(x, y)"},
      {Complex, kF32, "ROOT complex = c64[2] complex(x, y)"},
      {Div, kS32, "ROOT divide = s32[2] divide(x, y)"},
      {Max, kF32, "ROOT maximum = f32[2] maximum(x, y)"},
      {Min, kF32, "ROOT minimum = f32[2] minimum(x, y)"},
      {Mul, kC64, "ROOT multiply = c64[2] multiply(x, y)"},
      {Mulhi, kS32, "ROOT mulhi = s32[2] mulhi(x, y)"},
      {Or, kPred, "ROOT or = pred[2] or(x, y)"},
      {Pow, kF32, "ROOT power = f32[2] power(x, y)"},
      {Rem, kF32, "ROOT remainder = f32[2] remainder(x, y)"},
      {ShiftLeft, kS32, "ROOT shift-left = s32[2] shift-left(x, y)"},
      {ShiftRightArithmetic, kS32,
       "ROOT shift-right-arithmetic = s32[2] shift-right-arithmetic(x, y)"},
      {ShiftRightLogical, kS32, "ROOT shift-right-logical = s32[2] shift-right-logical(x, y)"},
      {Sub, kF32, "ROOT subtract = f32[2] subtract(x, y)"},
      {Xor, kS32, "ROOT xor = s32[2] xor(x, y)"},
      {Eq, kF32, "ROOT compare = pred[2] compare(x, y), direction=EQ"},
      {Ne, kF32, "ROOT compare = pred[2] compare(x, y), direction=NE"},
      {Ge, kF32, "ROOT compare = pred[2] compare(x, y), direction=GE"},
      {Gt, kF32, "ROOT compare = pred[2] compare(x, y), direction=GT"},
      {Le, kF32, "ROOT compare = pred[2] compare(x, y), direction=LE"},
      {Lt, kF32, "ROOT compare = pred[2] compare(x, y), direction=LT"},
      {EqTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=EQ, type=TOTALORDER"},
      {NeTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=NE, type=TOTALORDER"},
      {GeTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=GE, type=TOTALORDER"},
      {GtTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=GT, type=TOTALORDER"},
      {LeTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=LE, type=TOTALORDER"},
      {LtTotalOrder, kF32, "ROOT compare = pred[2] compare(x, y), direction=LT, type=TOTALORDER"},
      // The only order that there is.
      {GtTotalOrder, kS32, "ROOT compare = pred[2] compare(x, y), direction=GT"},
      {LeTotalOrder, kU8, "ROOT compare = pred[2] compare(x, y), direction=LE"},
      {EqTotalOrder, kPred, "ROOT compare = pred[2] compare(x, y), direction=EQ"},
  };
  for (const Case& c : cases) {
    Builder b("t");
    Op x = Param(b, 0, c.type, {2}), y = Param(b, 1, c.type, {2});
    c.function(x, y, {});
    CHECK(Body(b) == c.body);
  }
}

TEST_CASE("operators") {
  struct Case {
    Op (*record)(Op, Op);
    ElementType type;
    const char* body;
  };
  const Case cases[] = {
      {[](Op x, Op y) { return x + y; }, kF32, "ROOT add = f32[2] add(x, y)"},
      {[](Op x, Op y) { return x - y; }, kF32, "ROOT subtract = f32[2] subtract(x, y)"},
      {[](Op x, Op y) { return x * y; }, kF32, "ROOT multiply = f32[2] multiply(x, y)"},
      {[](Op x, Op y) { return x / y; }, kF32, "ROOT divide = f32[2] divide(x, y)"},
      {[](Op x, Op y) { return x % y; }, kF32, "ROOT remainder = f32[2] remainder(x, y)"},
      {[](Op x, Op y) { return x & y; }, kS32, "ROOT and = s32[2] and(x, y)"},
      {[](Op x, Op y) { return x | y; }, kS32, "ROOT or = s32[2] or(x, y)"},
      {[](Op x, Op y) { return x ^ y; }, kS32, "ROOT xor = s32[2] xor(x, y)"},
      {[](Op x, Op y) { return x << y; }, kS32, "ROOT shift-left = s32[2] shift-left(x, y)"},
      {[](Op x, Op y) { return x >> y; }, kS32,
       "ROOT shift-right-arithmetic = s32[2] shift-right-arithmetic(x, y)"},
      {[](Op x, Op y) { return x >> y; }, kU8,
       "ROOT shift-right-logical = u8[2] shift-right-logical(x, y)"},
      {[](Op x, Op) { return -x; }, kF32, "ROOT negate = f32[2] negate(x)"},
      {[](Op x, Op) { return ~x; }, kS32, "ROOT not = s32[2] not(x)"},
  };
  for (const Case& c : cases) {
    Builder b("t");
    Op x = Param(b, 0, c.type, {2}), y = Param(b, 1, c.type, {2});
    c.record(x, y);
    CHECK(Body(b) == c.body);
  }
}

TEST_CASE("comparisons with a direction and a type") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Param(b, 1, kF32, {});
  Compare(x, x, ComparisonDirection::kGe);
  Compare(x, y, {}, ComparisonDirection::kLt, ComparisonType::kTotalOrder);
  CHECK(Body(b) ==
        "compare = pred[2] compare(x, x), direction=GE\n"
        "broadcast = f32[2] broadcast(y), dimensions={}\n"
        "ROOT compare.1 = pred[2] compare(x, broadcast), direction=LT, type=TOTALORDER");
}

TEST_CASE("select and clamp repeat scalars") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Param(b, 1, kF32, {}), p = Param(b, 2, kPred, {2}),
     q = Param(b, 3, kPred, {});
  Select(p, x, y);
  CHECK(Body(b) ==
        "broadcast = f32[2] broadcast(y), dimensions={}\nROOT select = f32[2] select(z, x, "
        "broadcast)");
  x = Param(b, 0, kF32, {2}), q = Param(b, 1, kPred, {});
  Select(q, x, 0);
  CHECK(Body(b) ==
        "constant = f32[] constant(0)\nbroadcast = pred[2] broadcast(y), dimensions={}\n"
        "broadcast.1 = f32[2] broadcast(constant), dimensions={}\n"
        "ROOT select = f32[2] select(broadcast, x, broadcast.1)");
  x = Param(b, 0, kF32, {2});
  Clamp(0, x, 6);
  CHECK(Body(b) ==
        "constant = f32[] constant(0)\nconstant.1 = f32[] constant(6)\n"
        "broadcast = f32[2] broadcast(constant), dimensions={}\n"
        "broadcast.1 = f32[2] broadcast(constant.1), dimensions={}\n"
        "ROOT clamp = f32[2] clamp(broadcast, x, broadcast.1)");
  x = Param(b, 0, kF32, {2});
  Select(Lt(x, 0), Param(b, 1, kF32, {3}), x);
  CHECK(ErrorOf(b) ==
        "select: the operands must be scalars or have the same dimensions; operands pred[2], "
        "f32[3], f32[2]");
}

TEST_CASE("conversions") {
  Builder b("t");
  ConvertElementType(Param(b, 0, kF32, {2}), kS32);
  CHECK(Body(b) == "ROOT convert = s32[2] convert(x)");
  ConvertElementType(Param(b, 0, kC64, {2}), kF32);
  CHECK(Body(b) == "real = f32[2] real(x)\nROOT convert = f32[2] convert(real)");
  BitcastConvertType(Param(b, 0, kF32, {2}), kS32);
  CHECK(Body(b) == "ROOT bitcast-convert = s32[2] bitcast-convert(x)");
  BitcastConvertType(Param(b, 0, kF32, {2}), kU8);
  CHECK(Body(b) == "ROOT bitcast-convert = u8[2,4] bitcast-convert(x)");
  BitcastConvertType(Param(b, 0, kU8, {2, 4}), kF32);
  CHECK(Body(b) == "ROOT bitcast-convert = f32[2] bitcast-convert(x)");
  ReducePrecision(Param(b, 0, kF32, {2}), 5, 10);
  CHECK(Body(b) ==
        "ROOT reduce-precision = f32[2] reduce-precision(x), exponent_bits=5, mantissa_bits=10");
}

}  // namespace
}  // namespace sinter
