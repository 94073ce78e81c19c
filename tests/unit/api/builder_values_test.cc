// What the builder records means what it should: programs run by the interpreter.
#include <catch2/catch.hpp>
#include <cmath>

#include "eval/eval.h"
#include "ir/verify/verify.h"
#include "sinter/import.h"
#include "sinter/testing.h"
#include "sinter/xla_compat.h"
#include "unit/api/porting.h"

namespace sinter {
namespace {

Literal Run(const absl::StatusOr<Computation>& c, const std::vector<Literal>& arguments = {}) {
  INFO(c.status().message());
  REQUIRE(c.ok());
  CHECK(VerifyModule(*c->module()).ok());
  auto result = Evaluate(*c->module(), arguments);
  INFO(result.status().message());
  REQUIRE(result.ok());
  return *std::move(result);
}

TEST_CASE("a program written for XLA: softmax") {
  Literal x = Literal::R2<float>({{0, 0, 0}, {1, 2, 3}});
  Literal y = Run(porting::Softmax(), {x});
  float third = 1.0f / 3;
  Literal expected =
      Literal::R2<float>({{third, third, third}, {0.09003057f, 0.24472847f, 0.66524096f}});
  CHECK(ExpectClose(y, expected, {.max_ulp = 4}) == absl::OkStatus());
}

TEST_CASE("a program written for XLA: a loop") {
  CHECK(Run(porting::PowersOfTwo()) == Literal::R0<int32_t>(1024));
}

TEST_CASE("a program written for XLA: assorted") {
  Literal t = Run(porting::Assorted());
  CHECK(t.tuple()[0] == Literal::R2<float>({{-1, -1, -1}, {-1, 335, 686}, {-1, 353, 731}}));
  CHECK(t.tuple()[1] == Literal::R1<int32_t>({0, 2, 2}));
  CHECK(t.tuple()[2] == Literal::R0<bool>(true));
  CHECK(t.tuple()[3] == Literal::R0<bool>(false));
  CHECK(t.tuple()[4] == Literal::R1<int32_t>({1, 100, 10000}));
}

TEST_CASE("functions of floats") {
  struct Case {
    Op (*function)(const Operand&);
    double (*reference)(double);
    std::vector<double> at;
  };
  const Case cases[] = {
      {Acos, std::acos, {-1, -0.999, -0.5, 0, 1e-8, 0.5, 0.999, 1, 2}},
      {Acosh, std::acosh, {0.5, 1, 1 + 1e-6, 2, 1e10, 1e30, 3e38}},
      {Asin, std::asin, {-1, -0.999, -1e-8, 0, 0.5, 1, 2}},
      {Asinh, std::asinh, {-1e30, -2, -1e-8, 0, 1e-8, 0.3, 2, 1e10, 3e38}},
      {Atan, std::atan, {-1e30, -1, 0, 1e-8, 1, 1e30}},
      {Atanh, std::atanh, {-1, -0.999, -1e-8, 0, 1e-8, 0.5, 1, 2}},
      {Cosh, std::cosh, {-89, -1, 0, 1e-8, 0.5, 10, 89}},
      {Sinh, std::sinh, {-89, -1, -1e-8, 0, 1e-8, 0.5, 1, 10, 89}},
  };
  for (const Case& c : cases) {
    for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::BF16}) {
      Builder b("t");
      auto n = static_cast<int64_t>(c.at.size());
      Op x = Parameter(&b, 0, Shape(ElementType::F64, {n}), "x");
      // The argument as the type has it, and what the function of that is.
      Op rounded = ConvertElementType(x, type);
      Op y = ConvertElementType(c.function(rounded), ElementType::F64);
      Literal both = Run((Tuple(&b, {y, ConvertElementType(rounded, ElementType::F64)}), b.Build()),
                         {Literal::R1<double>(absl::Span<const double>(c.at))});
      double epsilon = type == ElementType::F64 ? 1e-15 : type == ElementType::F32 ? 6e-7 : 8e-3;
      for (size_t i = 0; i < c.at.size(); ++i) {
        double at = both.tuple()[1].data<double>()[i], is = both.tuple()[0].data<double>()[i];
        double should = c.reference(at);
        INFO(Name(type) << " case " << (&c - cases) << " of " << at << " is " << is << ", not "
                        << should);
        bool overflows = type == ElementType::F32 && std::fabs(should) > 3.3e38;
        CHECK((std::isnan(should) ? std::isnan(is)
                                  : is == should || overflows ||
                                        std::fabs(is - should) <= 8 * epsilon * std::fabs(should)));
      }
    }
  }
}

TEST_CASE("limits of types") {
  auto value = [](Op (*function)(Builder*, ElementType, SourceLocation), ElementType type) {
    Builder b("t");
    function(&b, type, SourceLocation::current());
    return Run(b.Build()).GetAsDouble(0);
  };
  CHECK(value(MaxValue, F32) == INFINITY);
  CHECK(value(MinValue, F64) == -INFINITY);
  CHECK(value(MaxFiniteValue, F32) == 0x1.fffffep127);
  CHECK(value(MinFiniteValue, F16) == -65504);
  CHECK(value(MaxFiniteValue, BF16) == 0x1.fep127);
  CHECK(value(MaxValue, F8E4M3FN) == 448);
  CHECK(value(MaxFiniteValue, F8E5M2) == 57344);
  CHECK(value(MaxValue, F8E4M3FNUZ) == 240);
  CHECK(value(MaxValue, F8E8M0FNU) == 0x1p127);
  CHECK(value(MinValue, F8E8M0FNU) == 0x1p-127);
  CHECK(value(MaxValue, F4E2M1FN) == 6);
  CHECK(value(MaxValue, S32) == 2147483647);
  CHECK(value(MinValue, S8) == -128);
  CHECK(value(MinValue, S4) == -8);
  CHECK(value(MaxValue, U16) == 65535);
  CHECK(value(MinValue, U64) == 0);
  CHECK(value(MaxValue, PRED) == 1);
  CHECK(value(Epsilon, F32) == 0x1p-23);
  CHECK(value(Epsilon, BF16) == 0x1p-7);
  CHECK(value(MinPositiveNormalValue, F32) == 0x1p-126);
  CHECK(std::isnan(value(NanValue, F32)));
  Builder b("t");
  Epsilon(&b, S32);
  CHECK(!b.first_error().ok());
}

TEST_CASE("where extremes stand") {
  Builder b("t");
  Op x = Parameter(&b, 0, Shape(F32, {4, 3}), "x");
  Op up = ArgMax(x, S32, 1), down = ArgMin(x, S64, 0);
  Tuple(&b, {up, down});
  float nan = NAN, inf = INFINITY;
  Literal t = Run(b.Build(),
                  {Literal::R2<float>({{1, 3, 3}, {-inf, -inf, -inf}, {0, nan, nan}, {2, 0, 1}})});
  CHECK(t.tuple()[0] == Literal::R1<int32_t>({1, 0, 1, 0}));
  CHECK(t.tuple()[1] == Literal::R1<int64_t>({1, 2, 2}));
}

TEST_CASE("polynomials, shifts, clamps, functions as computations") {
  Builder b("t");
  Op x = ConstantR1<float>(&b, {-1, 2}), i = ConstantR1<int32_t>(&b, {-8, 8});
  Op loop = While([](Op n, Op) { return Lt(n, 3); },
                  [](Op n, Op v) { return std::pair(n + 1, v * 2 + 1); },
                  {ConstantR0<int32_t>(&b, 0), x});
  Op branch = Conditional(7, {[](Op v) { return v; }, [](Op v) { return -v; }}, {x, x});
  Tuple(&b, {EvaluatePolynomial(x, {2, 0, 1}), i >> 1, Clamp(0, x, 1), GetTupleElement(loop, 1),
             branch, Select(Gt(x, 0), x, 0), Map(&b, {x}, [](Op v) { return v * v; }, {0})});
  Literal t = Run(b.Build());
  CHECK(t.tuple()[0] == Literal::R1<float>({3, 9}));
  CHECK(t.tuple()[1] == Literal::R1<int32_t>({-4, 4}));
  CHECK(t.tuple()[2] == Literal::R1<float>({0, 1}));
  CHECK(t.tuple()[3] == Literal::R1<float>({-1, 23}));
  CHECK(t.tuple()[4] == Literal::R1<float>({1, -2}));
  CHECK(t.tuple()[5] == Literal::R1<float>({0, 2}));
  CHECK(t.tuple()[6] == Literal::R1<float>({1, 4}));
}

TEST_CASE("text and builder say the same") {
  auto from_text = LoadHlo(
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, x)\n}\n");
  CHECK(Run(from_text, {Literal::R1<float>({1, 2})}) == Literal::R1<float>({2, 4}));
  auto again = Load(from_text->ToString());
  CHECK(Run(again, {Literal::R1<float>({1, 2})}) == Literal::R1<float>({2, 4}));
}

}  // namespace
}  // namespace sinter
