#include "record.h"

namespace sinter {
namespace {

Op Sum(Op a, Op b) { return a + b; }

TEST_CASE("reduce window") {
  Builder b("t");
  ReduceWindow(Param(b, 0, kF32, {1, 9, 9, 2}), 0, Sum, {1, 3, 3, 1}, {1, 2, 2, 1},
               Padding::kValid);
  CHECK(Body(b).find("f32[1,4,4,2] reduce-window(x, constant), "
                     "window={size=1x3x3x1 stride=1x2x2x1}, to_apply=") != std::string::npos);
  // 4 windows of 3 begin every second element of 8; they take one more than there are.
  ReduceWindow(Param(b, 0, kF32, {8}), 0, Sum, {3}, {2}, Padding::kSame);
  CHECK(Body(b).find("f32[4] reduce-window(x, constant), window={size=3 stride=2 pad=0_1}") !=
        std::string::npos);
  ReduceWindowWithGeneralPadding(Param(b, 0, kF32, {4, 5}), 0, Sum, {2, 2}, {}, {2, 1}, {1, 3},
                                 {{0, 1}, {-1, 2}});
  CHECK(Body(b).find("f32[7,3] reduce-window(x, constant), window={size=2x2 pad=0_1x-1_2 "
                     "lhs_dilate=2x1 rhs_dilate=1x3}") != std::string::npos);
  Op x = Param(b, 0, kF32, {6}), n = Param(b, 1, kS32, {6});
  Op zero = ConstantR0<float>(&b, 0), one = ConstantR0<int32_t>(&b, 0);
  ReduceWindow(
      &b, {x, n}, {zero, one},
      [](Op a, Op i, Op c, Op j) {
        return Tuple(a.builder(), {a + c, i + j});
      },
      {2}, {1}, Padding::kValid);
  CHECK(Body(b).find("(f32[5], s32[5]) reduce-window(x, y, constant, constant.1), "
                     "window={size=2}") != std::string::npos);
}

TEST_CASE("reduce window's errors") {
  Builder lists("t");
  ReduceWindow(Param(lists, 0, kF32, {4, 5}), 0, Sum, {2, 2}, {1}, Padding::kValid);
  CHECK(ErrorOf(lists) ==
        "reduce-window: the window has 2 dimensions, but 1 strides; operands f32[4,5], f32[]");
  Builder rank("t");
  ReduceWindow(Param(rank, 0, kF32, {4, 5}), 0, Sum, {2}, {1}, Padding::kSame);
  CHECK(ErrorOf(rank) ==
        "reduce-window: (C4) the window must have an entry for each of 2 dimensions, it has 1; "
        "operands f32[4,5], f32[]");
  Builder initial("t");
  ReduceWindow(&initial, {Param(initial, 0, kF32, {4})}, {}, Sum, {2}, {1}, Padding::kValid);
  CHECK(ErrorOf(initial) ==
        "reduce-window: (C1) needs as many initial values as inputs, got 0 and 1; operands "
        "f32[4]");
}

TEST_CASE("select and scatter") {
  Builder b("t");
  auto ge = [](Op a, Op c) { return Ge(a, c); };
  SelectAndScatter(Param(b, 0, kF32, {4, 6}), ge, {2, 2}, {2, 2}, Padding::kValid,
                   Param(b, 1, kF32, {2, 3}), 0, Sum);
  CHECK(Body(b).find("f32[4,6] select-and-scatter(x, y, constant), window={size=2x2 stride=2x2}, "
                     "select=select-and-scatter_select, scatter=select-and-scatter_scatter") !=
        std::string::npos);
  SelectAndScatterWithGeneralPadding(Param(b, 0, kF32, {5}), ge, {3}, {2}, {{1, 1}},
                                     Param(b, 1, kF32, {3}), 0, Sum);
  CHECK(Body(b).find("f32[5] select-and-scatter(x, y, constant), window={size=3 stride=2 "
                     "pad=1_1}") != std::string::npos);
}

TEST_CASE("convolution") {
  Builder b("t");
  Conv(Param(b, 0, kF32, {2, 3, 9, 10}), Param(b, 1, kF32, {4, 3, 3, 3}), {1, 2}, Padding::kSame);
  CHECK(Body(b) ==
        "ROOT convolution = f32[2,4,9,5] convolution(x, y), "
        "window={size=3x3 stride=1x2 pad=1_1x0_1}, dim_labels=bf01_oi01->bf01");
  ConvWithGeneralPadding(Param(b, 0, kF32, {1, 4, 8}), Param(b, 1, kF32, {6, 2, 3}), {1}, {{2, -1}},
                         2);
  CHECK(Body(b) ==
        "ROOT convolution = f32[1,6,7] convolution(x, y), window={size=3 pad=2_-1}, "
        "dim_labels=bf0_oi0->bf0, feature_group_count=2");
  ConvolutionDimensionNumbers d;
  d.set_input_batch_dimension(0);
  d.add_input_spatial_dimensions(1);
  d.set_input_feature_dimension(2);
  d.add_kernel_spatial_dimensions(0);
  d.set_kernel_input_feature_dimension(1);
  d.set_kernel_output_feature_dimension(2);
  d.set_output_feature_dimension(0);
  d.set_output_batch_dimension(1);
  d.add_output_spatial_dimensions(2);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGHEST);
  ConvGeneralDilated(Param(b, 0, ElementType::S8, {4, 8, 2}),
                     Param(b, 1, ElementType::S8, {3, 2, 6}), {2}, {{1, 1}}, {2}, {3}, d, 1, 2,
                     &precision, kS32, std::vector<bool>{true});
  CHECK(Body(b) ==
        "ROOT convolution = s32[6,2,6] convolution(x, y), "
        "window={size=3 stride=2 pad=1_1 lhs_dilate=2 rhs_dilate=3 rhs_reversal=1}, "
        "dim_labels=b0f_0io->fb0, batch_group_count=2, operand_precision={highest,default}");
  ConvGeneral(Param(b, 0, kF32, {4, 8, 2}), Param(b, 1, kF32, {3, 2, 6}), {1}, {}, d);
  CHECK(Body(b) ==
        "ROOT convolution = f32[6,4,6] convolution(x, y), window={size=3}, "
        "dim_labels=b0f_0io->fb0");
  ConvWithGeneralDimensions(Param(b, 0, kF32, {4, 8, 2}), Param(b, 1, kF32, {3, 2, 6}), {1},
                            Padding::kSame, d);
  CHECK(Body(b) ==
        "ROOT convolution = f32[6,4,8] convolution(x, y), window={size=3 pad=1_1}, "
        "dim_labels=b0f_0io->fb0");
  Builder ranks("t");
  Conv(Param(ranks, 0, kF32, {2, 3, 9}), Param(ranks, 1, kF32, {4, 3}), {}, Padding::kValid);
  CHECK(ErrorOf(ranks) ==
        "convolution: (C1) the operands must have the same rank, at least 2; operands f32[2,3,9], "
        "f32[4,3]");
  Builder reversals("t");
  ConvGeneralDilated(Param(reversals, 0, kF32, {4, 8, 2}), Param(reversals, 1, kF32, {3, 2, 6}),
                     {1}, {}, {}, {}, d, 1, 1, nullptr, std::nullopt, std::vector<bool>{});
  CHECK(ErrorOf(reversals) ==
        "convolution: (C9) the window has 1 dimensions, but 0 reversals; operands f32[4,8,2], "
        "f32[3,2,6]");
}

TEST_CASE("batch normalisation") {
  Builder b("t");
  auto vector = [&](int n) { return Param(b, n, kF32, {3}); };
  BatchNormTraining(Param(b, 0, kF32, {4, 3}), vector(1), vector(2), .5f, 1);
  CHECK(Body(b) ==
        "ROOT batch-norm-training = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, y, z), "
        "epsilon=0.5, feature_index=1");
  BatchNormInference(Param(b, 0, kF32, {4, 3}), vector(1), vector(2), vector(3), vector(4), .25f,
                     1);
  CHECK(Body(b) ==
        "ROOT batch-norm-inference = f32[4,3] batch-norm-inference(x, y, z, u, v), epsilon=0.25, "
        "feature_index=1");
  BatchNormGrad(Param(b, 0, kF32, {4, 3}), vector(1), vector(2), vector(3),
                Param(b, 4, kF32, {4, 3}), .25f, 1);
  CHECK(Body(b) ==
        "ROOT batch-norm-grad = (f32[4,3], f32[3], f32[3]) batch-norm-grad(x, y, z, u, v), "
        "epsilon=0.25, feature_index=1");
}

}  // namespace
}  // namespace sinter
