// Results that go past the caches, whose rows begin anywhere in a vector of memory.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "base/text.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "unit/api/clients.h"

namespace sinter::large_arrays {
namespace {

// The program's only result. It has no parameters: what it moves is counted up.
Literal Run(const std::string& body) {
  auto computation = LoadHlo("HloModule large\n\nENTRY main {\n" + body + "\n}\n");
  CAPTURE(MessageOf(computation.status()));
  REQUIRE(computation.ok());
  return RunOn(**Client::Cpu(), *computation, {});
}

// Elements of s32[rows, columns] that are not what `want` says.
template <typename Want>
int64_t Wrong(const Literal& got, int64_t rows, int64_t columns, const Want& want) {
  REQUIRE(got.shape() == Shape(ElementType::S32, {rows, columns}));
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      wrong += got.data<int32_t>()[static_cast<size_t>(i * columns + j)] != want(i, j);
  return wrong;
}

std::string Numbers(int64_t rows, int64_t columns) {
  return Format(
      "i = s32[{0},{1}] iota(), iota_dimension=0\nj = s32[{0},{1}] iota(), iota_dimension=1\n"
      "k = s32[] constant(10000)\nks = s32[{0},{1}] broadcast(k), dimensions={{}}\n"
      "m = s32[{0},{1}] multiply(i, ks)\nx_n = s32[{0},{1}] add(m, j)\n"
      "x = s32[{0},{1}] opt-barrier(x_n)\n",
      rows, columns);
}
int32_t Number(int64_t i, int64_t j) { return static_cast<int32_t>(i * 10000 + j); }

TEST_CASE("large pads, with rows that are whole vectors and others") {
  constexpr int64_t kRows = 4500;
  for (const auto& [columns, low, high] :
       {std::tuple<int64_t, int64_t, int64_t>{1000, 11, 13}, {1000, 1, 1}, {999, 0, 2}}) {
    const int64_t wide = columns + low + high;
    const Literal got = Run(Numbers(kRows, columns) +
                            Format("nine = s32[] constant(9)\nROOT p = s32[{},{}] pad(x, nine), "
                                   "padding=0_0x{}_{}",
                                   kRows, wide, low, high));
    CHECK(Wrong(got, kRows, wide, [&, low = low, columns = columns](int64_t i, int64_t j) {
            return j < low || j >= low + columns ? 9 : Number(i, j - low);
          }) == 0);
  }
}

TEST_CASE("large slices and rolls of rows") {
  constexpr int64_t kRows = 4500;
  const Literal slice =
      Run(Numbers(kRows, 1003) +
          Format("ROOT s = s32[{0},1001] slice(x), slice={{[0:{0}], [2:1003]}}", kRows));
  CHECK(Wrong(slice, kRows, 1001, [](int64_t i, int64_t j) { return Number(i, j + 2); }) == 0);
  const Literal roll = Run(Numbers(kRows, 1024) +
                           Format("a = s32[{0},13] slice(x), slice={{[0:{0}], [1011:1024]}}\n"
                                  "b = s32[{0},1011] slice(x), slice={{[0:{0}], [0:1011]}}\n"
                                  "ROOT r = s32[{0},1024] concatenate(a, b), dimensions={{1}}",
                                  kRows));
  CHECK(Wrong(roll, kRows, 1024,
              [](int64_t i, int64_t j) { return Number(i, (j + 1011) % 1024); }) == 0);
}

TEST_CASE("one large row, in parts that begin anywhere") {
  constexpr int64_t kEnds = 2000003, kAll = 2 * kEnds + 7 + 1000000;
  const Literal got = Run(Format(
      "a_n = s32[{0}] iota(), iota_dimension=0\na = s32[{0}] opt-barrier(a_n)\n"
      "b = s32[7] slice(a), slice={{[5:12]}}\nc = s32[{0}] add(a, a)\n"
      "d = s32[1000000] slice(a), slice={{[3:1000003]}}\n"
      "r = s32[{1}] concatenate(a, b, c, d), dimensions={{0}}\nROOT one = s32[1,{1}] reshape(r)",
      kEnds, kAll));
  CHECK(Wrong(got, 1, kAll, [](int64_t, int64_t j) {
          if (j < kEnds) return j;
          if (j < kEnds + 7) return j - kEnds + 5;
          if (j < 2 * kEnds + 7) return 2 * (j - kEnds - 7);
          return j - 2 * kEnds - 7 + 3;
        }) == 0);
}

}  // namespace
}  // namespace sinter::large_arrays
