#include "record.h"

namespace sinter {
namespace {

TEST_CASE("reshape") {
  Builder b("t");
  Reshape(Param(b, 0, kF32, {2, 3}), {3, 2});
  CHECK(Body(b) == "ROOT reshape = f32[3,2] reshape(x)");
  Reshape(Param(b, 0, kF32, {2, 3}), {});
  CHECK(ErrorOf(b) ==
        "reshape: (C2) the result must have the operand's number of elements: 1 is not 6; operands "
        "f32[2,3]; result "
        "f32[]");
}

TEST_CASE("reshape with an open dimension") {
  Builder b("t");
  Reshape(Param(b, 0, kF32, {4, 3}), {2, -1});
  CHECK(Body(b) == "ROOT reshape = f32[2,6] reshape(x)");
  Reshape(Shape(kF32, {12}), Param(b, 0, kF32, {4, 3}));
  CHECK(Body(b) == "ROOT reshape = f32[12] reshape(x)");
  SECTION("two") {
    Reshape(Param(b, 0, kF32, {4, 3}), {-1, -1});
    CHECK(ErrorOf(b) ==
          "reshape: dimensions={-1,-1} must not be negative, but for one that is -1; operands "
          "f32[4,3]");
  }
  SECTION("not whole") {
    Reshape(Param(b, 0, kF32, {4, 3}), {5, -1});
    CHECK(ErrorOf(b) ==
          "reshape: no size for -1 in dimensions={5,-1} keeps the number of elements; operands "
          "f32[4,3]");
  }
}

TEST_CASE("collapse") {
  Builder b("t");
  Collapse(Param(b, 0, kF32, {2, 3, 4, 5}), {1, 2});
  CHECK(Body(b) == "ROOT reshape = f32[2,12,5] reshape(x)");
  Neg(Collapse(Param(b, 0, kF32, {2, 3}), {1}));
  CHECK(Body(b) == "ROOT negate = f32[2,3] negate(x)");
  Collapse(Param(b, 0, kF32, {2, 3, 4}), {0, 2});
  CHECK(ErrorOf(b) ==
        "reshape: dimensions={0,2} to collapse must be consecutive dimensions of the operand; "
        "operands f32[2,3,4]");
}

TEST_CASE("transpose and reverse") {
  Builder b("t");
  Transpose(Param(b, 0, kF32, {2, 3, 4}), {2, 0, 1});
  CHECK(Body(b) == "ROOT transpose = f32[4,2,3] transpose(x), dimensions={2,0,1}");
  Rev(Param(b, 0, kF32, {2, 3}), {1});
  CHECK(Body(b) == "ROOT reverse = f32[2,3] reverse(x), dimensions={1}");
}

TEST_CASE("slices") {
  Builder b("t");
  Slice(Param(b, 0, kF32, {8, 9}), {1, 0}, {7, 9}, {2, 1});
  CHECK(Body(b) == "ROOT slice = f32[3,9] slice(x), slice={[1:7:2], [0:9]}");
  Slice(Param(b, 0, kF32, {8}), {1}, {7});
  CHECK(Body(b) == "ROOT slice = f32[6] slice(x), slice={[1:7]}");
  SliceInDim(Param(b, 0, kF32, {8, 9}), 2, 4, 1, 1);
  CHECK(Body(b) == "ROOT slice = f32[8,2] slice(x), slice={[0:8], [2:4]}");
  SliceInDim(Param(b, 0, kF32, {8, 9}), 2, 4, 1, 2);
  CHECK(ErrorOf(b) == "slice: 2 is no dimension of the operand; operands f32[8,9]");
}

TEST_CASE("pads") {
  Builder b("t");
  PaddingConfig config;
  config.add_dimensions()->set_edge_padding_low(1);
  PaddingDimension* second = config.add_dimensions();
  second->set_edge_padding_high(-1);
  second->set_interior_padding(2);
  Pad(Param(b, 0, kF32, {2, 3}), 0, config);
  CHECK(Body(b) ==
        "constant = f32[] constant(0)\nROOT pad = f32[3,6] pad(x, constant), padding=1_0x0_-1_2");
  PadInDim(Param(b, 0, kF32, {2, 3}), Param(b, 1, kF32, {}), 1, 1, 2);
  CHECK(Body(b) == "ROOT pad = f32[2,6] pad(x, y), padding=0_0x1_2");
  Pad(Param(b, 0, kF32, {2}), 0, MakeEdgePaddingConfig({{1, 1}}));
  CHECK(Body(b) == "constant = f32[] constant(0)\nROOT pad = f32[4] pad(x, constant), padding=1_1");
  Pad(Param(b, 0, kF32, {2}), 0, MakeNoPaddingConfig(2));
  CHECK(ErrorOf(b) ==
        "pad: (C2) needs low, high and interior padding for each of 1 dimensions, got 2, 2 and 2; "
        "operands f32[2], "
        "f32[]");
}

TEST_CASE("concatenation") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 3}), y = Param(b, 1, kF32, {2, 1});
  ConcatInDim(&b, {x, y, x}, 1);
  CHECK(Body(b) == "ROOT concatenate = f32[2,7] concatenate(x, y, x), dimensions={1}");
}

TEST_CASE("dynamic slices") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {8, 9}), i = Param(b, 1, kS32, {});
  DynamicSlice(x, {i, i}, {2, 3});
  CHECK(Body(b) ==
        "ROOT dynamic-slice = f32[2,3] dynamic-slice(x, y, y), dynamic_slice_sizes={2,3}");
  x = Param(b, 0, kF32, {8, 9}), i = Param(b, 1, ElementType::S64, {});
  DynamicSlice(x, {i, 0}, {2, 3});
  CHECK(Body(b) ==
        "constant = s64[] constant(0)\n"
        "ROOT dynamic-slice = f32[2,3] dynamic-slice(x, y, constant), dynamic_slice_sizes={2,3}");
  x = Param(b, 0, kF32, {8}), i = Param(b, 1, kS32, {});
  DynamicUpdateSlice(x, Param(b, 2, kF32, {2}), {i});
  CHECK(Body(b) == "ROOT dynamic-update-slice = f32[8] dynamic-update-slice(x, z, y)");
  std::vector<Op> starts = {Param(b, 1, kS32, {})};
  DynamicSlice(Param(b, 0, kF32, {8}), starts, {2});
  CHECK(Body(b) == "ROOT dynamic-slice = f32[2] dynamic-slice(x, y), dynamic_slice_sizes={2}");
}

}  // namespace
}  // namespace sinter
