// Values of sinter/lib/pooling.h, tridiagonal.h and quantize.h; references of NumPy.
#include <cmath>

#include "sinter/lib/matrix.h"
#include "sinter/lib/pooling.h"
#include "sinter/lib/quantize.h"
#include "sinter/lib/tridiagonal.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

// Batch, features, rows, columns.
const TensorFormat kImages(0, 1, {2, 3});

TEST_CASE("the greatest of windows") {
  std::vector<double> values;
  for (int i = 1; i <= 40; ++i) values.push_back(-i);
  for (ElementType type : {kF32, ElementType::S32}) {
    const Literal x = LiteralOfValues(type, {1, 2, 4, 5}, values);
    Builder b("t");
    Op p = Argument(b, 0, x);
    CheckValues(b,
                {MaxPool(p, {1, 1, 2, 3}, {1, 1, 2, 1}, Padding::kValid, kImages),
                 MaxPool(p, {1, 1, 3, 2}, {1, 1, 2, 2}, Padding::kSame, kImages)},
                {x},
                {{-1, -2, -3, -11, -12, -13, -21, -22, -23, -31, -32, -33},
                 {-1, -3, -5, -11, -13, -15, -21, -23, -25, -31, -33, -35}});
  }
}

TEST_CASE("means of windows and their gradients") {
  struct Case {
    std::vector<int64_t> kernel, stride;
    std::vector<std::pair<int64_t, int64_t>> padding;
    bool counts_padding;
    std::vector<int64_t> sizes;
    std::vector<double> is, gradient;  // the latter of a result's gradient of 0, 1, ...
  };
  // Of 1, 2, ... as [1, 2, 4, 5].
  const Case cases[] = {
      {{1, 1, 2, 2},
       {1, 1, 2, 2},
       {{0, 0}, {0, 0}},
       false,
       {1, 2, 2, 2},
       {4, 6, 14, 16, 24, 26, 34, 36},
       {0,    0,   0.25, 0.25, 0,    0,    0, 0.25, 0.25, 0,    0.5,  0.5, 0.75, 0.75,
        0,    0.5, 0.5,  0.75, 0.75, 0,    1, 1,    1.25, 1.25, 0,    1,   1,    1.25,
        1.25, 0,   1.5,  1.5,  1.75, 1.75, 0, 1.5,  1.5,  1.75, 1.75, 0}},
      {{1, 1, 3, 2},
       {1, 1, 1, 2},
       {{1, 1}, {0, 1}},
       false,
       {1, 2, 4, 3},
       {4,  6,  7.5,  6.5,  8.5,  10, 11.5, 13.5, 15, 14, 16, 17.5,
        24, 26, 27.5, 26.5, 28.5, 30, 31.5, 33.5, 35, 34, 36, 37.5},
       {0.5,   0.5,   0.9166666666666666, 0.9166666666666666, 2.666666666666667,
        1.5,   1.5,   2.0833333333333335, 2.0833333333333335, 5.333333333333334,
        3.75,  3.75,  4.333333333333334,  4.333333333333334,  9.833333333333332,
        3.25,  3.25,  3.666666666666667,  3.666666666666667,  8.166666666666666,
        5.5,   5.5,   5.916666666666666,  5.916666666666666,  12.666666666666668,
        8.5,   8.5,   9.083333333333332,  9.083333333333332,  19.333333333333336,
        10.75, 10.75, 11.333333333333332, 11.333333333333332, 23.833333333333336,
        8.25,  8.25,  8.666666666666666,  8.666666666666666,  18.166666666666668}},
      {{1, 1, 3, 2},
       {1, 1, 1, 2},
       {{1, 1}, {0, 1}},
       true,
       {1, 2, 4, 3},
       {2.6666666666666665,
        4,
        2.5,
        6.5,
        8.5,
        5,
        11.5,
        13.5,
        7.5,
        9.333333333333334,
        10.666666666666666,
        5.833333333333333,
        16,
        17.333333333333332,
        9.166666666666666,
        26.5,
        28.5,
        15,
        31.5,
        33.5,
        17.5,
        22.666666666666668,
        24,
        12.5},
       {0.5,
        0.5,
        0.8333333333333333,
        0.8333333333333333,
        1.1666666666666667,
        1.5,
        1.5,
        2,
        2,
        2.5,
        3,
        3,
        3.5,
        3.5,
        4,
        2.5,
        2.5,
        2.8333333333333335,
        2.8333333333333335,
        3.1666666666666665,
        4.5,
        4.5,
        4.833333333333333,
        4.833333333333333,
        5.166666666666667,
        7.5,
        7.5,
        8,
        8,
        8.5,
        9,
        9,
        9.5,
        9.5,
        10,
        6.5,
        6.5,
        6.833333333333333,
        6.833333333333333,
        7.166666666666667}},
      {{1, 1, 2, 3},
       {1, 1, 3, 1},
       {{1, 0}, {2, 2}},
       false,
       {1, 2, 2, 7},
       {1,  1.5,  2,  3,  4,  4.5,  5,  13.5, 14, 14.5, 15.5, 16.5, 17, 17.5,
        21, 21.5, 22, 23, 24, 24.5, 25, 33.5, 34, 34.5, 35.5, 36.5, 37, 37.5},
       {1.1666666666666665,
        2.1666666666666665,
        3,
        4.833333333333333,
        9.833333333333332,
        0,
        0,
        0,
        0,
        0,
        7,
        5.166666666666667,
        5,
        6.5,
        11.333333333333332,
        7,
        5.166666666666667,
        5,
        6.5,
        11.333333333333332,
        26.833333333333332,
        18.5,
        17,
        21.166666666666668,
        35.5,
        0,
        0,
        0,
        0,
        0,
        19.833333333333332,
        13.333333333333334,
        12,
        14.666666666666668,
        24.166666666666668,
        19.833333333333332,
        13.333333333333334,
        12,
        14.666666666666668,
        24.166666666666668}},
      {{1, 1, 1, 1},
       {1, 1, 2, 3},
       {{0, 0}, {0, 0}},
       true,
       {1, 2, 2, 2},
       {1, 4, 11, 14, 21, 24, 31, 34},
       {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0,
        4, 0, 0, 5, 0, 0, 0, 0, 0, 0, 6, 0, 0, 7, 0, 0, 0, 0, 0, 0}},
      {{1, 1, 2, 2},
       {1, 1, 1, 1},
       {{-1, 0}, {0, -2}},
       true,
       {1, 2, 2, 2},
       {9, 10, 14, 15, 29, 30, 34, 35},
       {0, 0, 0, 0, 0, 0, 0.25, 0.25, 0, 0, 0.5, 1.5, 1, 0, 0, 0.5, 1.25, 0.75, 0, 0,
        0, 0, 0, 0, 0, 1, 2.25, 1.25, 0, 0, 2.5, 5.5, 3, 0, 0, 1.5, 3.25, 1.75, 0, 0}},
  };
  const Literal x = IotaLiteral(kF32, {1, 2, 4, 5});
  for (const Case& c : cases) {
    INFO("case " << &c - cases);
    const Literal g = IotaLiteral(kF32, c.sizes);
    Builder b("t");
    Op p = Argument(b, 0, x) + 1, q = Argument(b, 1, g);
    CheckValues(
        b,
        {AvgPool(p, c.kernel, c.stride, c.padding, kImages, c.counts_padding),
         AvgPoolGrad(q, {1, 2, 4, 5}, c.kernel, c.stride, c.padding, kImages, c.counts_padding)},
        {x, g}, {c.is, c.gradient}, {1e-6, 1});
  }
}

TEST_CASE("padding of windows, and windows that do not fit") {
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  CHECK(MakeSpatialPadding({1, 2, 4, 5}, {1, 1, 3, 2}, {1, 1, 2, 2}, Padding::kSame, kImages) ==
        Pairs{{0, 1}, {0, 1}});
  CHECK(MakeSpatialPadding({1, 2, 4, 5}, {1, 1, 3, 2}, {1, 1, 2, 2}, Padding::kValid, kImages) ==
        Pairs{{0, 0}, {0, 0}});
  CHECK(MakeSpatialPadding({4, 5}, {3, 2}, {2, 2}, Padding::kSame, kImages).empty());
  Builder b("t");
  Op p = Parameter(&b, 0, Shape(kF32, {1, 2, 4}), "x");
  AvgPool(p, {1, 1, 2}, {1, 1, 1}, {{0, 0}}, kImages, true);
  CHECK(ErrorOf(b).find("avg-pool: 2 spatial dimensions of a rank of 3") != std::string::npos);
  Builder c("t");
  Op q = Parameter(&c, 0, Shape(kF32, {1, 2, 2}), "x");
  AvgPoolGrad(q, {1, 2, 4}, {1, 1, 2}, {1, 1, 1}, {{0, 0}}, TensorFormat(0, 1, {2}), true);
  CHECK(ErrorOf(c).find("the gradient of the result is f32[1,2,2], not f32[1,2,3]") !=
        std::string::npos);
}

TEST_CASE("tridiagonal systems") {
  const std::vector<double> lower = {2, -2.5, 0.375, -0.625, -0.5, -0.25, -2, -0.25, -0.875, 3.375},
                            main = {6, 7.5, 6.5, 5.5, 5.875, 6.5, 7.875, 5.75, 5.75, 7},
                            upper = {0.25, -0.375, -0.25, -0.625, -1, -0.375, 0.5, -0.25, 1, -0.25},
                            rhs = {-0.875, -0.25, 0.875,  0.625, 0.125, 0.625, -2.875,
                                   1,      -1,    -1.625, 0.25,  0.75,  -0.5,  -1.125,
                                   0,      -0.0,  1.375,  0.75,  0.25,  1.125};
  const std::vector<double>
      solution = {-0.14276166692974263, -0.0737199936861767,  0.1440112391414169,
                  0.1337122271475747,   0.0326563597572404,   0.118152752163729,
                  -0.33566605192949606, 0.1656606136518856,   -0.19632312294521825,
                  -0.2933040955698058,  0.044951728874549374, 0.11249663382552245,
                  -0.09201506725378131, -0.2288431806624925,  0.1103351049622732,
                  0.00970448840384995,  0.16821113233339913,  0.13949261936436352,
                  0.04011911304696208,  0.14137114192378614},
      solution_as_columns = {-0.14276166692974263, 0.118152752163729,    -0.0737199936861767,
                             -0.33566605192949606, 0.1440112391414169,   0.1656606136518856,
                             0.1337122271475747,   -0.19632312294521825, 0.0326563597572404,
                             -0.2933040955698058,  0.044951728874549374, 0.00970448840384995,
                             0.11249663382552245,  0.16821113233339913,  -0.09201506725378131,
                             0.13949261936436352,  -0.2288431806624925,  0.04011911304696208,
                             0.1103351049622732,   0.14137114192378614},
      product = {-5.3125,   3.03125,  -0.015625, -23.5,   5.4375,    5.671875, 2.8125,
                 -5.109375, 0.421875, -9.046875, 1.34375, -0.515625, 5.15625,  11.203125,
                 -2.78125,  3.90625,  -6.03125,  1.90625, -3.796875, 8.71875};
  for (ElementType type : {kF32, ElementType::F64}) {
    const std::vector<Literal> arguments = {
        LiteralOfValues(type, {2, 1, 5}, lower), LiteralOfValues(type, {2, 1, 5}, main),
        LiteralOfValues(type, {2, 1, 5}, upper), LiteralOfValues(type, {2, 2, 5}, rhs)};
    Builder b("t");
    std::vector<Op> p;
    for (const Literal& x : arguments) p.push_back(Argument(b, static_cast<int64_t>(p.size()), x));
    using tridiagonal::kThomas;
    auto x = tridiagonal::TridiagonalSolver(kThomas, p[0], p[1], p[2], p[3]);
    Op columns = TransposeInMinorDims(p[3]);
    Op diagonals = ConcatInDim(&b, {p[2], p[1], p[0]}, 1);
    auto y = tridiagonal::ThomasSolver(diagonals, columns);
    auto z = tridiagonal::TridiagonalMatMul(p[2], p[1], p[0], columns);
    REQUIRE((x.ok() && y.ok() && z.ok()));
    CheckValues(b, {*x, *y, *z}, arguments, {solution, solution_as_columns, product},
                {type == kF32 ? 1e-6 : 1e-15, 1});
  }
  // One equation.
  const Literal two = LiteralOfValues(kF32, {1, 1}, {2}), six = LiteralOfValues(kF32, {1, 1}, {6});
  Builder b("t");
  Op p = Argument(b, 0, two), q = Argument(b, 1, six);
  auto x = tridiagonal::ThomasSolver(p, p, p, q);
  REQUIRE(x.ok());
  CheckValues(b, {*x}, {two, six}, {{3}});

  Builder c("t");
  Op r = Parameter(&c, 0, Shape(kF32, {2, 5}), "x");
  auto none = tridiagonal::ThomasSolver(r, r, r, r);
  CHECK(std::string(none.status().message()).find("the lower diagonal is f32[2,5], not f32[1,5]") !=
        std::string::npos);
}

TEST_CASE("packed numbers") {
  CHECK(PackToUint32<uint8_t>({1, 2, 3, 4, 255}) == std::vector<uint32_t>{0x01020304, 0xff000000});
  CHECK(PackToUint32<uint16_t>({1, 0xffff, 3}) == std::vector<uint32_t>{0x0001ffff, 0x00030000});
  CHECK(PackToUint32<int8_t>({-1, 0, -128}) == std::vector<uint32_t>{0xff008000});
}

TEST_CASE("packed numbers are dequantized") {
  auto words = [](std::vector<uint32_t> packed) {
    Literal all = Literal::R1<uint32_t>(packed);
    return *all.Reshape({2, static_cast<int64_t>(packed.size()) / 2});
  };
  const Literal bytes = words(PackToUint32<uint8_t>({0, 1, 2, 127, 128, 200, 254, 255}));
  const Literal signed_bytes = words(PackToUint32<int8_t>({-128, -1, 0, 1, 127, 5, -77, 64}));
  const Literal halves = words(PackToUint32<uint16_t>({0, 1, 65535, 40000}));
  const QuantizedRange range(-1.5f, 3.0f);
  Builder b("t");
  Op p = Argument(b, 0, bytes), q = Argument(b, 1, signed_bytes), r = Argument(b, 2, halves);
  CheckValues(b,
              {Dequantize<uint8_t>(p, range), Dequantize<int8_t>(q, range),
               Dequantize<uint16_t>(r, range), Dequantize<uint8_t>(p, range, "MIN_COMBINED", true)},
              {bytes, signed_bytes, halves},
              {{-1.5, -1.484375, -1.4609375, 0.75, 0.765625, 2.046875, 3, 3},
               {-1.5, 0.75, 0.765625, 0.78125, 3, 0.859375, -0.59765625, 1.90625},
               {-1.5, -1.5, 3, 1.25},
               {-1.5, 0.765625, -1.484375, 2.046875, -1.4609375, 3, 0.75, 3}});
  Builder c("t");
  Dequantize<uint8_t>(Argument(c, 0, bytes), range, "SCALED");
  CHECK(ErrorOf(c).find("dequantize: the mode SCALED is not MIN_COMBINED") != std::string::npos);
}

}  // namespace
}  // namespace sinter
