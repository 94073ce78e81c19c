#include "record.h"

namespace sinter {
namespace {

Op Dynamic(Builder& b, std::vector<int64_t> bounds, int64_t dynamic) {
  Shape shape(kF32, std::move(bounds));
  shape.set_dynamic(dynamic, true);
  return Parameter(&b, 0, shape, "x");
}

TEST_CASE("sizes of dimensions") {
  Builder b("t");
  GetDimensionSize(Dynamic(b, {4, 3}, 0), 0);
  CHECK(Body(b) == "ROOT get-dimension-size = s32[] get-dimension-size(x), dimensions={0}");
  Op n = ConstantR0<int32_t>(&b, 2);
  SetDimensionSize(Param(b, 0, kF32, {4, 3}), n, 1);
  CHECK(Body(b).find("f32[4,<=3] set-dimension-size(x, constant") != std::string::npos);
}

TEST_CASE("a size that is the whole of a dimension") {
  Builder b("t");
  Neg(SetDimensionSize(Param(b, 0, kF32, {4}), 4, 0));
  CHECK(Body(b).find("negate(x)") != std::string::npos);
  RemoveDynamicDimension(Dynamic(b, {4, 3}, 0), 0);
  CHECK(Body(b).find("f32[4,3] set-dimension-size(x, constant") != std::string::npos);
  RemoveDynamicDimension(Param(b, 0, kF32, {4}), 1);
  CHECK(ErrorOf(b) ==
        "remove-dynamic-dimension: dimension 1 is not one of the operand's; operands f32[4]");
}

TEST_CASE("dynamic reshape") {
  Builder b("t");
  Op x = Dynamic(b, {4, 3}, 0);
  Op n = Mul(GetDimensionSize(x, 0), ConstantR0<int32_t>(&b, 3));
  DynamicReshape(x, {n}, {12}, {true});
  CHECK(Body(b).find("f32[<=12] dynamic-reshape(x, multiply)") != std::string::npos);
  Op y = Dynamic(b, {4, 3}, 0);
  DynamicReshape(y, {}, {12}, {true});
  CHECK(ErrorOf(b) ==
        "dynamic-reshape: (C4) needs a size for each of the result's 1 dimensions, got 0; operands "
        "f32[<=4,3]; result f32[<=12]");
}

TEST_CASE("dynamic dimensions are carried on") {
  Builder b("t");
  Op x = Dynamic(b, {4, 3}, 0);
  Broadcast(Reshape(Neg(x), {12}), {2});
  CHECK(Body(b).find("f32[2,<=12] broadcast") != std::string::npos);
  Add(Dynamic(b, {4, 3}, 1), ConstantR0<float>(&b, 1));
  CHECK(Body(b).find("f32[4,<=3] add") != std::string::npos);
}

}  // namespace
}  // namespace sinter
