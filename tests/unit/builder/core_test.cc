#include "record.h"

namespace sinter {
namespace {

TEST_CASE("constants") {
  Builder b("t");
  ConstantR0<float>(&b, 1.5f);
  CHECK(Body(b) == "ROOT constant = f32[] constant(1.5)");
  ConstantR0<bool>(&b, true);
  CHECK(Body(b) == "ROOT constant = pred[] constant(true)");
  ConstantR1<int32_t>(&b, {1, 2});
  CHECK(Body(b) == "ROOT constant = s32[2] constant({1, 2})");
  std::vector<double> values = {1, 2};
  ConstantR1<double>(&b, values);
  CHECK(Body(b) == "ROOT constant = f64[2] constant({1, 2})");
  ConstantR1<float>(&b, 3, 7);
  CHECK(Body(b) ==
        "constant = f32[] constant(7)\nROOT broadcast = f32[3] broadcast(constant), dimensions={}");
  ConstantR2<float>(&b, {{1, 2}, {3, 4}});
  CHECK(Body(b) == "ROOT constant = f32[2,2] constant({{1, 2}, {3, 4}})");
  ConstantLiteral(&b, Literal::Tuple({Literal::R0<float>(1), Literal::R0<int32_t>(2)}));
  CHECK(Body(b) ==
        "constant = f32[] constant(1)\nconstant.1 = s32[] constant(2)\n"
        "ROOT tuple = (f32[], s32[]) tuple(constant, constant.1)");
}

TEST_CASE("numbers take the element type of the op beside them") {
  auto times = [&](ElementType type, auto n) {
    Builder c("t");
    n* Parameter(&c, 0, Shape(type), "x");
    std::string body = Body(c);
    return body.find('\n') == std::string::npos ? body.substr(body.find(": ") + 2)
                                                : body.substr(0, body.find('\n'));
  };
  CHECK(times(kF32, 2) == "constant = f32[] constant(2)");
  CHECK(times(kF32, 2.5) == "constant = f32[] constant(2.5)");
  CHECK(times(kF32, true) == "constant = f32[] constant(1)");
  CHECK(times(kS32, 2.0f) == "constant = s32[] constant(2)");
  CHECK(times(kS32, -3) == "constant = s32[] constant(-3)");
  CHECK(times(kU8, 255) == "constant = u8[] constant(255)");
  CHECK(times(ElementType::U64, ~uint64_t{0}) == "constant = u64[] constant(18446744073709551615)");
  CHECK(times(ElementType::S4, -8) == "constant = s4[] constant(-8)");
  CHECK(times(ElementType::BF16, 1.0 / 3) == "constant = bf16[] constant(0.334)");
  CHECK(times(ElementType::F16, half(0.5f)) == "constant = f16[] constant(0.5)");
  CHECK(times(ElementType::F64, bfloat16(0.5f)) == "constant = f64[] constant(0.5)");
  CHECK(times(kC64, 2) == "constant = c64[] constant((2, 0))");
  CHECK(times(kC64, std::complex<float>(1, 2)) == "constant = c64[] constant((1, 2))");
  CHECK(times(kPred, 1) == "constant = pred[] constant(true)");
  CHECK(times(kS32, 2.5) == "multiply: the number 2.5 is no s32");
  CHECK(times(kS32, 1e10) == "multiply: the number 10000000000 is no s32");
  CHECK(times(kU8, 256) == "multiply: the number 256 is no u8");
  CHECK(times(kU8, -1) == "multiply: the number -1 is no u8");
  CHECK(times(ElementType::S64, ~uint64_t{0}) ==
        "multiply: the number 18446744073709551615 is no s64");
  CHECK(times(kPred, 2) == "multiply: the number 2 is no pred");
  CHECK(times(kF32, std::complex<double>(1, 2)) == "multiply: the number (1, 2) is no f32");
}

TEST_CASE("numbers on either side of every operator") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {});
  2.0f * x + 1;
  CHECK(Body(b) ==
        "constant = f32[] constant(2)\nmultiply = f32[] multiply(constant, x)\nconstant.1 = f32[] "
        "constant(1)\n"
        "ROOT add = f32[] add(multiply, constant.1)");
  x = Param(b, 0, kS32, {});
  ((((1 - x) / 2 % 3) & 4) | 5) ^ 6;
  x << 1 >> 2;
  1 << x;
  CHECK(b.first_error().ok());
  CHECK(Body(b).find("ROOT shift-left.1 = s32[] shift-left(constant.8, x)") != std::string::npos);
}

TEST_CASE("iota") {
  Builder b("t");
  Iota(&b, Shape(kF32, {2, 3}), 1);
  CHECK(Body(b) == "ROOT iota = f32[2,3] iota(), iota_dimension=1");
  Iota(&b, kS32, 4);
  CHECK(Body(b) == "ROOT iota = s32[4] iota(), iota_dimension=0");
  Iota(&b, Shape(kS32, {4}), 1);
  CHECK(ErrorOf(b) ==
        "iota: (C1) iota_dimension 1 is not a dimension of the result; result s32[4]");
}

TEST_CASE("tuples and tokens") {
  Builder b("t");
  Op t = Tuple(&b, {Param(b, 0, kF32, {}), Param(b, 1, kS32, {2})});
  GetTupleElement(t, 1);
  CHECK(Body(b) ==
        "tuple = (f32[], s32[2]) tuple(x, y)\nROOT get-tuple-element = s32[2] "
        "get-tuple-element(tuple), index=1");
  AfterAll(&b, {CreateToken(&b)});
  CHECK(Body(b) ==
        "after-all = token[] after-all()\nROOT after-all.1 = token[] after-all(after-all)");
  GetTupleElement(Tuple(&b, {}), 0);
  CHECK(ErrorOf(b) == "get-tuple-element: (C1) the tuple of 0 has no element 0; operands ()");
}

TEST_CASE("custom calls") {
  Builder b("t");
  CustomCall(&b, "f", {Param(b, 0, kF32, {})}, Shape(kF32, {2}), "how", true);
  CHECK(
      Body(b) ==
      "ROOT custom-call = f32[2] custom-call(x), custom_call_target=\"f\", backend_config=\"how\", "
      "custom_call_has_side_effect=true");
}

TEST_CASE("parameters") {
  Builder b("t");
  SECTION("unnamed") {
    Parameter(&b, 0, Shape(kF32));
    auto shape = b.GetProgramShape();
    REQUIRE(shape.ok());
    CHECK(shape->ToString() == "(p0: f32[]) -> f32[]");
  }
  SECTION("twice") {
    Param(b, 0, kF32, {});
    Param(b, 0, kF32, {});
    CHECK(ErrorOf(b) == "parameter: the number 0 is that of \"x\" already");
  }
  SECTION("negative number") {
    Parameter(&b, -1, Shape(kF32), "x");
    CHECK(ErrorOf(b) == "parameter: the number -1 is not within 0 and 1048575");
  }
  SECTION("gap") {
    Param(b, 1, kF32, {});
    CHECK(ErrorOf(b) == "the parameters' numbers must be 0 to 1, 0 is missing");
  }
  SECTION("negative size") {
    Param(b, 0, kF32, {-2});
    CHECK(ErrorOf(b) == "parameter: a dimension is negative: f32[-2]");
  }
}

TEST_CASE("aliases") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2});
  Op t = Tuple(&b, {x + 1});
  b.SetUpAlias({0}, 0, {});
  auto c = b.Build(t);
  REQUIRE(c.ok());
  CHECK(c->ToString().find("input_output_alias={ {0}: (0, {}, may-alias) }") != std::string::npos);
  Param(b, 0, kF32, {2}) + 1;
  b.SetUpAlias({1}, 0, {});
  CHECK(ErrorOf(b) ==
        "SetUpAlias: element {1} of the result and element {} of parameter 0 must be arrays of the "
        "same shape; they "
        "are missing and f32[2]");
}

}  // namespace
}  // namespace sinter
