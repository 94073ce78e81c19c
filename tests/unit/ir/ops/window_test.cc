// Windows: how many there are, and what no text can say.
#include "ir/ops/window.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/ops/op.h"

namespace sinter {
namespace {

TEST_CASE("windows are counted") {
  CHECK(WindowCount(7, {.size = 3}) == 5);
  CHECK(WindowCount(7, {.size = 3, .stride = 2}) == 3);
  CHECK(WindowCount(7, {.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1}) == 4);
  CHECK(WindowCount(7, {.size = 3, .window_dilation = 3}) == 1);
  CHECK(WindowCount(7, {.size = 3, .window_dilation = 4}) == 0);
  CHECK(WindowCount(4, {.size = 2, .base_dilation = 3}) == 9);
  CHECK(WindowCount(4, {.size = 1, .padding_low = -3}) == 1);
  CHECK(WindowCount(4, {.size = 1, .padding_low = -4}) == 0);
  CHECK(WindowCount(4, {.size = 1, .padding_low = -9}) == 0);
  CHECK(WindowCount(0, {.size = 1, .base_dilation = 5}) == 0);
  CHECK(WindowCount(0, {.size = 2, .padding_low = 2}) == 1);
  CHECK(WindowCount(4, {.size = 0}) == 5);
  CHECK(!WindowCount(4, {.size = 1, .padding_low = INT64_MAX}));
  CHECK(!WindowCount(4, {.size = 1, .base_dilation = INT64_MAX}));
  CHECK(!WindowCount(4, {.size = 3, .window_dilation = INT64_MAX}));
}

TEST_CASE("cumulative windows are found") {
  const WindowDimension one, forwards{.size = 5, .padding_low = 4},
      backwards{.size = 5, .padding_high = 4};
  auto found = FindCumulative({3, 5}, {one, forwards});
  REQUIRE(found);
  CHECK(found->dimension == 1);
  CHECK(!found->backwards);
  found = FindCumulative({5, 3}, {backwards, one});
  REQUIRE(found);
  CHECK(found->dimension == 0);
  CHECK(found->backwards);
  CHECK(!FindCumulative({5, 5}, {forwards, forwards}));
  CHECK(!FindCumulative({6}, {forwards}));
  CHECK(!FindCumulative({5}, {{.size = 5, .padding_low = 3, .padding_high = 1}}));
  CHECK(!FindCumulative({5}, {{.size = 5, .stride = 2, .padding_low = 4}}));
  CHECK(!FindCumulative({5, 3}, {forwards, {.stride = 2}}));
  CHECK(!FindCumulative({1}, {one}));
  CHECK(!FindCumulative({}, {}));
}

std::string InferConvolution(const ConvolutionDimensionNumbers& numbers) {
  const Shape x(ElementType::F32, {1, 5, 2}), kernel(ElementType::F32, {3, 2, 4});
  const Shape* operands[] = {&x, &kernel};
  Attributes attrs = ConvolutionAttrs{.window = {{.size = 3}}, .dim_labels = numbers};
  auto s = InferShape(HloOpcode::Convolution, {operands, attrs, {}, nullptr});
  return s.ok() ? s->ToString() : MessageOf(s.status());
}

// Labels of HLO text cannot repeat a dimension or leave one out.
TEST_CASE("dimension numbers must be permutations") {
  ConvolutionDimensionNumbers n;
  n.input_batch_dimension = 0;
  n.input_spatial_dimensions = {1};
  n.input_feature_dimension = 2;
  n.kernel_spatial_dimensions = {0};
  n.kernel_input_feature_dimension = 1;
  n.kernel_output_feature_dimension = 2;
  n.output_batch_dimension = 1;
  n.output_spatial_dimensions = {2};
  n.output_feature_dimension = 0;
  CHECK(InferConvolution(n) == "f32[4,1,3]");
  auto wrong = n;
  wrong.input_spatial_dimensions = {2};
  CHECK(InferConvolution(wrong) ==
        "convolution: (C13) the dimension numbers {2,0,2} of the left operand must be different "
        "dimensions of 3; operands f32[1,5,2], f32[3,2,4]");
  wrong = n;
  wrong.kernel_output_feature_dimension = 3;
  CHECK(InferConvolution(wrong) ==
        "convolution: (C18) the dimension numbers {0,1,3} of the right operand must be different "
        "dimensions of 3; operands f32[1,5,2], f32[3,2,4]");
  wrong = n;
  wrong.output_batch_dimension = -1;
  CHECK(InferConvolution(wrong) ==
        "convolution: (C20) the dimension numbers {2,-1,0} of the result must be different "
        "dimensions of 3; operands f32[1,5,2], f32[3,2,4]");
}

}  // namespace
}  // namespace sinter
