// Values of sinter/lib/slicing.h and loops.h; references of NumPy.
#include <cmath>

#include "sinter/lib/loops.h"
#include "sinter/lib/slicing.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

TEST_CASE("slices of the last dimensions") {
  const Literal x = IotaLiteral(kF32, {2, 3, 4}),
                u = LiteralOfValues(kF32, {1, 2, 2}, {-1, -2, -3, -4});
  const Literal at = LiteralOfValues(kS32, {2}, {1, 2});
  Builder b("t");
  Op p = Argument(b, 0, x), q = Argument(b, 1, u), starts = Argument(b, 2, at);
  Op i = Reshape(SliceInDim(starts, 0, 1, 1, 0), {}),
     j = Reshape(SliceInDim(starts, 1, 2, 1, 0), {});
  CheckValues(
      b,
      {SliceInMinorDims(p, {1, 2}, {3, 4}), UpdateSlice(p, q, {1, 0, 2}),
       UpdateSliceInMinorDims(p, q, {1, 1}), DynamicSliceInMinorDims(p, {i, j}, {2, 1}),
       DynamicUpdateSliceInMinorDims(p, q, {i, j})},
      {x, u, at},
      {{6, 7, 10, 11, 18, 19, 22, 23},
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -1, -2, 16, 17, -3, -4, 20, 21, 22, 23},
       {0, 1, 2, 3, 4, -1, -2, 7, 8, -3, -4, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23},
       {6, 10, 18, 22},
       {0, 1, 2, 3, 4, 5, -1, -2, 8, 9, -3, -4, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}});
  Builder c("t");
  SliceInMinorDims(Parameter(&c, 0, Shape(kF32, {2}), "x"), {0, 0}, {1, 1});
  CHECK(ErrorOf(c).find("slice-in-minor-dims: 2 minor dimensions of an operand of rank 1") !=
        std::string::npos);
}

TEST_CASE("PyTorch's gather") {
  struct Case {
    int64_t dim;
    std::vector<int64_t> sizes;
    std::vector<double> index, is;
  };
  const Case cases[] = {
      {0, {1, 2, 4}, {0, 1, 1, 0, 1, 0, 0, 1}, {0, 13, 14, 3, 16, 5, 6, 19}},
      {1, {2, 1, 4}, {2, 0, 1, 1, 0, 0, 2, 1}, {8, 1, 6, 7, 12, 13, 22, 19}},
      {2, {2, 2, 2}, {3, 0, 1, 1, 2, 2, 0, 3}, {3, 0, 5, 5, 14, 14, 16, 19}},
  };
  const Literal x = IotaLiteral(kF32, {2, 3, 4});
  for (ElementType type : {kS32, ElementType::S64, ElementType::U32}) {
    for (const Case& c : cases) {
      INFO("dimension " << c.dim);
      const Literal index = LiteralOfValues(type, c.sizes, c.index);
      // Dense gathers need the index's sizes beside the dimension.
      std::vector<int64_t> limits = c.sizes;
      limits[static_cast<size_t>(c.dim)] = x.shape().dimension(c.dim);
      Builder b("t");
      Op p = Argument(b, 0, x), i = Argument(b, 1, index);
      Op cut = Slice(p, {0, 0, 0}, limits, {1, 1, 1});
      CheckValues(b, {TorchGather(p, i, c.dim), TorchGather(cut, i, c.dim, /*sparse=*/false)},
                  {x, index}, {c.is, c.is});
    }
  }
}

TEST_CASE("PyTorch's dense scatter") {
  const Literal x = IotaLiteral(kF32, {2, 3});
  const Literal src = LiteralOfValues(kF32, {2, 3}, {10, 20, 30, 40, 50, 60});
  auto add = [](Op l, Op r) { return l + r; };
  Builder b("t");
  const Literal columns = LiteralOfValues(kS32, {2, 3}, {0, 2, 2, 1, 1, 0});
  Op p = Argument(b, 0, x), s = Argument(b, 1, src), i = Argument(b, 2, columns);
  CheckValues(b, {TorchScatterDense(p, i, s, 1, add), TorchScatterDense(p, i % 2, s, 0, add)},
              {x, src, columns}, {{10, 1, 52, 63, 94, 5}, {10, 21, 92, 43, 54, 5}});
}

TEST_CASE("PyTorch's index select") {
  const Literal x = IotaLiteral(kF32, {2, 3, 4});
  const Literal one = LiteralOfValues(kS32, {4}, {2, 0, 0, 1});
  const Literal two = LiteralOfValues(ElementType::S64, {2, 2}, {1, 2, 0, 0});
  Builder b("t");
  Op p = Argument(b, 0, x), i = Argument(b, 1, one), j = Argument(b, 2, two);
  CheckValues(
      b,
      {TorchIndexSelect(p, i, 1), TorchIndexSelect(p, i, 2), TorchIndexSelect(p, j, 1, 1),
       TorchIndexSelect(p, j, 2, 1), TorchIndexSelect(p, j, 1)},
      {x, one, two},
      {{8,  9,  10, 11, 0,  1,  2,  3,  0,  1,  2,  3,  4,  5,  6,  7,
        20, 21, 22, 23, 12, 13, 14, 15, 12, 13, 14, 15, 16, 17, 18, 19},
       {2, 0, 0, 1, 6, 4, 4, 5, 10, 8, 8, 9, 14, 12, 12, 13, 18, 16, 16, 17, 22, 20, 20, 21},
       {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15},
       {1, 2, 5, 6, 9, 10, 12, 12, 16, 16, 20, 20},
       {4,  5,  6,  7,  8,  9,  10, 11, 0,  1,  2,  3,  0,  1,  2,  3,
        16, 17, 18, 19, 20, 21, 22, 23, 12, 13, 14, 15, 12, 13, 14, 15}});
  Builder c("t");
  Op q = Argument(c, 0, x);
  TorchIndexSelect(q, Argument(c, 1, one), 0, 1);
  CHECK(ErrorOf(c).find("torch-index-select: 1 batch dimensions of an index s32[4]") !=
        std::string::npos);
}

TEST_CASE("loops of several values") {
  const Literal n = Literal::R0<int32_t>(10), x = LiteralOfValues(kF32, {2}, {1, 3});
  Builder b("t");
  Op limit = Argument(b, 0, n), start = Argument(b, 1, x);
  auto condition = [](absl::Span<const Op> v, Builder*) -> absl::StatusOr<Op> {
    return Lt(v[0], v[1]);
  };
  auto body = [](absl::Span<const Op> v, Builder* inner) -> absl::StatusOr<std::vector<Op>> {
    return std::vector<Op>{v[0] + ConstantR0<int32_t>(inner, 3), v[1], v[2] * 2};
  };
  auto last = WhileLoopHelper(condition, body, {ConstantR0<int32_t>(&b, 0), limit, start}, "l", &b);
  REQUIRE(last.ok());
  // 3, 6, 9, 12: four steps; the sum of 0 to 4.
  auto sum = ForEachIndex(
      5, ElementType::S64,
      [](Op i, absl::Span<const Op> v, Builder*) -> absl::StatusOr<std::vector<Op>> {
        return std::vector<Op>{v[0] + i, v[1]};
      },
      {ConstantR0<int64_t>(&b, 0), start}, "sum", &b);
  REQUIRE(sum.ok());
  CheckValues(b, {(*last)[0], (*last)[2], (*sum)[0], (*sum)[1]}, {n, x},
              {{12}, {16, 48}, {10}, {1, 3}});
}

TEST_CASE("loops whose functions fail") {
  Builder b("t");
  Op start = ConstantR0<int32_t>(&b, 0);
  auto condition = [](absl::Span<const Op> v, Builder*) -> absl::StatusOr<Op> {
    return Lt(v[0], 3);
  };
  auto none = [](absl::Span<const Op>, Builder*) -> absl::StatusOr<std::vector<Op>> {
    return std::vector<Op>{};
  };
  auto wrong = WhileLoopHelper(condition, none, {start}, "loop", &b);
  CHECK(wrong.status().message() == "loop: the body gives 0 values, the loop carries 1");
  auto refuses = [](absl::Span<const Op>, Builder*) -> absl::StatusOr<std::vector<Op>> {
    return absl::CancelledError("no");
  };
  CHECK(WhileLoopHelper(condition, refuses, {start}, "loop", &b).status() ==
        absl::CancelledError("no"));
}

}  // namespace
}  // namespace sinter
