// Values of sinter/lib/sorting.h, comparators.h and approx_topk.h; references of NumPy, sizes of
// approximate top-k those of XLA.
#include <cmath>

#include "sinter/lib/approx_topk.h"
#include "sinter/lib/approx_topk_shape.h"
#include "sinter/lib/comparators.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/sorting.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

TEST_CASE("the largest elements and their positions") {
  const std::vector<double> values = {
      -2,  0,   10,  18, -19, -15, 12,  17, -11, -8,  14, -4,  -10, 13, -10, -4, 5,  1,  -17,
      -19, 14,  10,  13, 1,   12,  -7,  -2, 11,  -16, -8, -16, -2,  19, -15, -5, -4, 16, -12,
      0,   -10, -20, 10, -18, -9,  -1,  -1, -16, 19,  9,  18,  -17, 8,  -9,  1,  16, -9, 9,
      -14, -8,  18,  -4, 0,   -9,  -16, -4, 4,   -2,  11, -6,  4,   10, 16,  -3, -19};
  struct Case {
    int64_t k, partitions;
    std::vector<double> values, indices;
  };
  const Case cases[] = {
      {1, 1, {19, 19}, {32, 10}},
      {5, 1, {19, 18, 17, 16, 14, 19, 18, 18, 16, 16}, {32, 3, 7, 36, 10, 10, 12, 22, 17, 34}},
      {37,
       1,
       {19, 18, 17, 16, 14, 14, 13, 13, 12,  12,  11,  10,  10,  5,   1,   1,   0,   -2,  -2,
        -2, -4, -4, -4, -5, -7, -8, -8, -10, -10, -11, -15, -15, -16, -16, -17, -19, -19, 19,
        18, 18, 16, 16, 11, 10, 10, 9,  9,   8,   4,   4,   1,   0,   0,   -1,  -1,  -2,  -3,
        -4, -4, -6, -8, -9, -9, -9, -9, -10, -12, -14, -16, -16, -17, -18, -19, -20},
       {32, 3,  7,  36, 10, 20, 13, 22, 6,  24, 27, 2,  21, 16, 17, 23, 1, 0,  26,
        31, 11, 15, 35, 34, 25, 9,  29, 12, 14, 8,  5,  33, 28, 30, 18, 4, 19, 10,
        12, 22, 17, 34, 30, 4,  33, 11, 19, 14, 28, 32, 16, 1,  24, 7,  8, 29, 35,
        23, 27, 31, 21, 6,  15, 18, 25, 2,  0,  20, 9,  26, 13, 5,  36, 3}},
      {0, 1, {}, {}},
      {3, 4, {19, 18, 17, 19, 18, 18}, {32, 3, 7, 10, 12, 22}},
      {3, 5, {19, 18, 17, 19, 18, 18}, {32, 3, 7, 10, 12, 22}},
      {3, 37, {19, 18, 17, 19, 18, 18}, {32, 3, 7, 10, 12, 22}},
      {7,
       6,
       {19, 18, 17, 16, 14, 14, 13, 19, 18, 18, 16, 16, 11, 10},
       {32, 3, 7, 36, 10, 20, 13, 10, 12, 22, 17, 34, 30, 4}},
      {20,
       3,
       {19, 18, 17, 16, 14, 14, 13, 13, 12, 12, 11, 10, 10, 5, 1, 1, 0,  -2, -2, -2,
        19, 18, 18, 16, 16, 11, 10, 10, 9,  9,  8,  4,  4,  1, 0, 0, -1, -1, -2, -3},
       {32, 3,  7,  36, 10, 20, 13, 22, 6,  24, 27, 2,  21, 16, 17, 23, 1, 0, 26, 31,
        10, 12, 22, 17, 34, 30, 4,  33, 11, 19, 14, 28, 32, 16, 1,  24, 7, 8, 29, 35}},
  };
  for (ElementType type : {kF32, kS32}) {
    const Literal x = LiteralOfValues(type, {2, 37}, values);
    for (const Case& c : cases) {
      INFO(c.k << " of " << c.partitions << " partitions");
      Builder b("t");
      Op p = Argument(b, 0, x);
      Op all = TopK(p, c.k), parts = TopKWithPartitions(p, c.k, c.partitions, ElementType::S64);
      CheckValues(b,
                  {GetTupleElement(all, 0), GetTupleElement(all, 1), GetTupleElement(parts, 0),
                   GetTupleElement(parts, 1)},
                  {x}, {c.values, c.indices, c.values, c.indices});
    }
  }
  Builder b("t");
  TopK(Parameter(&b, 0, Shape(kF32, {2, 3}), "x"), 4);
  CHECK(ErrorOf(b).find("top-k: the 4 largest of the rows of f32[2,3]") != std::string::npos);
}

TEST_CASE("the largest elements in total order") {
  const Literal x = Literal::R1<float>({0.0f, NAN, -0.0f, INFINITY, -NAN, -1.0f});
  Builder b("t");
  Op top = TopK(Argument(b, 0, x), 6);
  CheckValues(b, {GetTupleElement(top, 1)}, {x}, {{1, 3, 0, 2, 5, 4}});
}

TEST_CASE("comparators") {
  // In ascending total order.
  const std::vector<float> values = {-NAN, -INFINITY, -1, -0.0f, 0.0f, 1, INFINITY, NAN};
  const auto n = static_cast<int64_t>(values.size());
  std::vector<double> less, greater;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      less.push_back(i < j);
      greater.push_back(i > j);
    }
  }
  const Literal x = Literal::R1<float>(absl::Span<const float>(values));
  for (ElementType type : {kF32, ElementType::F64, ElementType::BF16, ElementType::F16}) {
    Builder b("t");
    Op p = ConvertElementType(Argument(b, 0, x), type);
    Op rows = BroadcastInDim(p, {n, n}, {0}), columns = BroadcastInDim(p, {n, n}, {1});
    CheckValues(b,
                {Map(&b, {rows, columns}, CreateScalarLtComputation({type}, &b), {0, 1}),
                 Map(&b, {rows, columns}, CreateScalarGtComputation({type}, &b), {0, 1})},
                {x}, {less, greater});
  }
}

TEST_CASE("comparators of several keys") {
  const Literal x = LiteralOfValues(kF32, {6}, {1, 0, 1, 0, 1, 0});
  const Literal y = LiteralOfValues(kF32, {6}, {3, 3, 1, 2, 2, 3});
  const Literal z = IotaLiteral(kF32, {6});
  Builder b("t");
  Computation order = CreateScalarComparisonComputation("order", {kF32, kF32, kF32},
                                                        {LtTotalOrder, GtTotalOrder, {}}, &b);
  Op sorted = Sort({Argument(b, 0, x), Argument(b, 1, y), Argument(b, 2, z)}, order, 0, true);
  CheckValues(b, {GetTupleElement(sorted, 2)}, {x, y, z}, {{1, 5, 3, 0, 4, 2}});

  Builder c("t");
  CHECK(CreateScalarLtComputation({}, &c).IsNull());
  CHECK(ErrorOf(c).find("compare-less-than: 0 comparators for 0 types") != std::string::npos);
}

TEST_CASE("approximate top-k") {
  const Literal x = LiteralOfValues(kF32, {2, 4}, {1, 4, 2, 3, 8, 5, 6, 7});
  const Literal i = LiteralOfValues(kS32, {2, 4}, {0, 1, 2, 3, 0, 1, 2, 3});
  for (int64_t k : {1, 2}) {
    Builder b("t");
    Computation greater = CreateScalarGtComputation({kF32, kS32}, &b);
    Op p = Argument(b, 0, x), q = Argument(b, 1, i);
    std::vector<Op> init = {MinValue(&b, kF32), ConstantR0<int32_t>(&b, -1)};
    Op top = ApproxTopK(&b, {p, q}, init, k, 1, greater);
    Op same = ApproxTopKFallback(&b, {p, q}, init, k, 1, greater);
    Op along = AggregateToTopKBuilder(&b, {p, q}, init, 1, 0, greater);
    Op kept = ApproxTopK(&b, {p, q}, init, k, 1, greater, 0.9f, /*aggregate_to_topk=*/false);
    const std::vector<double> values =
        k == 1 ? std::vector<double>{4, 8} : std::vector<double>{4, 3, 8, 7};
    const std::vector<double> at =
        k == 1 ? std::vector<double>{1, 0} : std::vector<double>{1, 3, 0, 3};
    CheckValues(b,
                {GetTupleElement(top, 0), GetTupleElement(top, 1), GetTupleElement(same, 0),
                 GetTupleElement(same, 1), GetTupleElement(along, 0), GetTupleElement(kept, 0)},
                {x, i}, {values, at, values, at, {8, 5, 6, 7}, {1, 4, 2, 3, 8, 5, 6, 7}});
  }
}

TEST_CASE("an approximate top-k that is not aggregated") {
  std::vector<double> values(600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7 % 600);
  const Literal x = LiteralOfValues(kF32, {1, 600}, values);
  Builder b("t");
  Op top = ApproxTopK(&b, {Argument(b, 0, x)}, {MinValue(&b, kF32)}, 1, 1,
                      CreateScalarGtComputation({kF32}, &b), 0.9f, /*aggregate_to_topk=*/false);
  Op found = GetTupleElement(top, 0);
  std::vector<double> expected;
  for (int i = 599; i > 599 - 128; --i) expected.push_back(i);
  CheckValues(b, {found}, {x}, {expected});
}

TEST_CASE("sizes of approximate top-k") {
  struct Case {
    int64_t size, rank, k;
    float recall;
    bool aggregates;
    int64_t override_size, left, log2;
  };
  const Case cases[] = {
      {100, 2, 5, 0.9f, false, -1, 100, 0},         {128, 2, 1, 0.9f, false, -1, 128, 0},
      {1000, 1, 3, 0.9f, false, -1, 1000, 0},       {65536, 2, 1, 0.9f, false, -1, 128, 9},
      {65536, 2, 32, 0.95f, false, -1, 1024, 6},    {65536, 1, 32, 0.95f, false, -1, 1024, 6},
      {1000000, 2, 10, 0.99f, false, -1, 1024, 10}, {1000000, 2, 10, 0.5f, false, -1, 256, 12},
      {1000000, 1, 100, 0.9f, false, -1, 2048, 9},  {5000, 2, 40, 1.0f, false, -1, 5000, 0},
      {5000, 2, 40, 0.95f, true, -1, 40, -1},       {4096, 2, 8, 0.95f, false, 100000, 128, 5},
      {4000, 2, 1, 0.95f, false, 100000, 128, 10},  {300, 2, 64, 0.99f, false, -1, 300, 0},
      {12345, 2, 7, 0.8f, false, -1, 256, 6},
  };
  for (const Case& c : cases) {
    INFO(c.size << " " << c.rank << " " << c.k << " " << c.recall);
    auto size =
        ApproxTopKReductionOutputSize(c.size, c.rank, c.k, c.recall, c.aggregates, c.override_size);
    REQUIRE(size.ok());
    CHECK(size->first == c.left);
    CHECK(size->second == c.log2);
  }
  CHECK(!ApproxTopKReductionOutputSize(1000, 2, 5, 0.0f, false).ok());
  CHECK(!ApproxTopKReductionOutputSize(1000, 2, 5, 1.5f, false).ok());
  CHECK(!ApproxTopKReductionOutputSize(1000, 2, 5, 0.5f, false, 999).ok());
}

}  // namespace
}  // namespace sinter
