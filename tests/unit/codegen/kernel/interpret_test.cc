#include "codegen/kernel/interpret.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "codegen/kernel/text.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

std::vector<float> Random(size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> v(n);
  for (float& x : v) x = uniform(generator);
  return v;
}
std::string Run(const Kernel& k, std::vector<void*> buffers, std::vector<int64_t> params = {}) {
  return Interpret(k, buffers, params).ToString();
}

TEST_CASE("sum over chunks and partial sums") {
  for (Tail tail : {Tail::kPeel, Tail::kMasked}) {
    for (int64_t n : {1, 127, 128, 1000, 2500}) {
      const Kernel k = samples::SumFma(128, tail, 1000);
      const int64_t tasks = (n + 999) / 1000;
      auto x = Random(n, 1), y = Random(n, 2), z = Random(n, 3);
      std::vector<float> part(tasks);
      float out = -1;
      REQUIRE(Run(k, {x.data(), y.data(), z.data(), part.data(), &out}, {n, tasks}) == "OK");
      double want = 0;
      for (int64_t i = 0; i < n; ++i) want += x[i] + static_cast<double>(y[i]) * z[i];
      CHECK(out == Approx(want).margin(1e-3));
    }
  }
}

TEST_CASE("a reduction combines the elements beyond a power of two first") {
  // Of 5: 4 into 0; then 2 into 0 and 3 into 1; then 1 into 0. The large number makes the order
  // show.
  Builder b("order");
  int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{5});
  int o = b.AddBuffer("o", ElementType::F32, std::vector<int64_t>{1});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Value v = b.Load(x, {{b.Int(0), 0, 1}}, samples::F32Tile(1, 5));
    b.Store(samples::ReduceWith(b, OpCode::kAdd, v, Axis::kCols), o, {{b.Int(0)}});
    return Values{};
  });
  auto v = Random(5, 4);
  v[3] = 1e7F;
  float out = 0;
  REQUIRE(Run(b.kernel(), {v.data(), &out}) == "OK");
  CHECK(out == ((v[0] + v[4]) + v[2]) + (v[1] + v[3]));
}

TEST_CASE("reductions over rows, with constants in the combiner") {
  Builder b("rows");
  int x = b.AddBuffer("x", ElementType::S32, std::vector<int64_t>{7, 3});
  int o = b.AddBuffer("o", ElementType::S32, std::vector<int64_t>{3});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value z, const Values&) {
    Value v = b.Load(x, {{z, 1, 0}, {b.Int(0), 0, 1}}, {ElementType::S32, 7, 3});
    // x * y / 1 through a constant of the top; and the second of pairs, exchanged.
    Values r = b.Reduce({v, v}, Axis::kRows, [&](const Values& p, const Values& q) {
      Value one = b.ConstInt(ElementType::S32, 1);
      return Values{b.Max(p[0], q[0]), b.Mul(b.Mul(p[1], one), q[1])};
    });
    b.Store(b.Sub(r[0], r[1]), o, {{b.Int(0), 0, 1}});
    return Values{};
  });
  std::vector<int32_t> v(21), out(3);
  std::iota(v.begin(), v.end(), -9);
  REQUIRE(Run(b.kernel(), {v.data(), out.data()}) == "OK");
  for (int c = 0; c < 3; ++c) {
    int32_t most = INT32_MIN, product = 1;
    for (int r = 0; r < 7; ++r) {
      most = std::max(most, v[r * 3 + c]);
      product = static_cast<int32_t>(static_cast<uint32_t>(product) *
                                     static_cast<uint32_t>(v[r * 3 + c]));
    }
    CHECK(out[c] == most - product);
  }
}

TEST_CASE("softmax") {
  const int64_t rows = 3, n = 128;
  auto x = Random(rows * n, 5);
  std::vector<float> o(rows * n);
  REQUIRE(Run(samples::Softmax(n), {x.data(), o.data()}, {rows}) == "OK");
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += std::exp(static_cast<double>(x[r * n + j]));
    for (int64_t j = 0; j < n; ++j) {
      CHECK(o[r * n + j] ==
            Approx(std::exp(static_cast<double>(x[r * n + j])) / sum).epsilon(1e-5));
    }
  }
}

TEST_CASE("transpose") {
  const int64_t n = 128;
  auto x = Random(n * n, 6);
  std::vector<float> o(n * n);
  REQUIRE(Run(samples::Transpose(), {x.data(), o.data()}, {n}) == "OK");
  bool equal = true;
  for (int64_t i = 0; i < n * n; ++i) equal &= o[i] == x[i % n * n + i / n];
  CHECK(equal);
}

TEST_CASE("gemm with bias and relu, over blocks with rests") {
  samples::GemmBlocks blocks;
  blocks.kc = 24;
  blocks.mc = 36;
  const int64_t m = 50, n = 70, k = 61, panels = 3, bands = 2, width = 2;
  auto a = Random(m * k, 7), b = Random(k * n, 8), bias = Random(n, 9);
  std::vector<float> c(m * n), bp(panels * 24 * 32), cp(panels * m * 32);
  REQUIRE(Run(samples::Gemm(blocks),
              {a.data(), b.data(), bias.data(), c.data(), bp.data(), cp.data()},
              {m, n, k, panels, bands, width}) == "OK");
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double want = bias[j];
      for (int64_t q = 0; q < k; ++q) want += static_cast<double>(a[i * k + q]) * b[q * n + j];
      CHECK(c[i * n + j] == Approx(std::max(want, 0.0)).margin(1e-4));
    }
  }
}

TEST_CASE("while loops, also of no iterations") {
  for (int64_t n : {0, 1, 1000}) {
    float a = 0.25F, x = 3, o = 0, want = 3;
    for (int64_t i = 0; i < n; ++i) {
      want = want * .999F;
      want = want + a;
    }
    REQUIRE(Run(samples::Steps(), {&a, &x, &o}, {n}) == "OK");
    CHECK(o == want);
  }
}

TEST_CASE("column sums and argmax") {
  const int64_t rows = 10, n = 300;
  auto x = Random(rows * n, 10);
  x[5 * n + 17] = x[5 * n + 200] = 99;
  for (const Kernel& k : {samples::ColumnSum(256, 1), samples::ColumnSum(64, 4)}) {
    std::vector<float> o(n);
    REQUIRE(Run(k, {x.data(), o.data()}, {rows, n}) == "OK");
    for (int64_t j = 0; j < n; ++j) {
      double want = 0;
      for (int64_t r = 0; r < rows; ++r) want += x[r * n + j];
      CHECK(o[j] == Approx(want).margin(1e-4));
    }
  }
  std::vector<int32_t> best(rows);
  REQUIRE(Run(samples::ArgMax(), {x.data(), best.data()}, {rows, n}) == "OK");
  for (int64_t r = 0; r < rows; ++r) {
    CHECK(best[r] == std::max_element(&x[r * n], &x[r * n] + n) - &x[r * n]);
  }
  CHECK(best[5] == 17);
}

TEST_CASE("gathers, constants, interleaving") {
  std::vector<int32_t> index(100);
  std::iota(index.begin(), index.end(), -50);
  std::vector<float> o(100);
  REQUIRE(Run(samples::Gather({1, 2, 3, 4.5F}), {index.data(), o.data()}) == "OK");
  for (int i = 0; i < 100; ++i) {
    const float table[] = {1, 2, 3, 4.5F};
    CHECK(o[i] == table[std::clamp(i - 50, 0, 3)]);
  }
  std::vector<uint16_t> x(128), swapped(128);
  std::iota(x.begin(), x.end(), uint16_t{40000});
  REQUIRE(Run(samples::SwapPairs(), {x.data(), swapped.data()}) == "OK");
  // Interleaved o0 e0 o1 e1 ..., then split again: the odd ones, then the even ones.
  for (int i = 0; i < 64; ++i) {
    CHECK(swapped[2 * i] == x[2 * i + 1]);
    CHECK(swapped[2 * i + 1] == x[2 * i]);
  }
}

TEST_CASE("scatter: later lanes win") {
  Builder b("scatter");
  int o = b.AddBuffer("o", ElementType::S32, std::vector<int64_t>{4});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Type tile{ElementType::S32, 1, 8};
    Value lane = b.Iota(tile, Axis::kCols), place = b.Rem(lane, b.ConstInt(ElementType::S32, 4));
    b.Store(lane, o, {{place}}, b.Mask(b.Int(0), b.Int(7), tile, Axis::kCols));
    return Values{};
  });
  std::vector<int32_t> out(4);
  REQUIRE(Run(b.kernel(), {out.data()}) == "OK");
  CHECK(out == std::vector<int32_t>{4, 5, 6, 3});
}

TEST_CASE("carries may be exchanged") {
  Builder b("fibonacci");
  int o = b.AddBuffer("o", ElementType::S64, std::vector<int64_t>{2});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Values r = b.For(LoopKind::kSeq, b.Int(0), b.Int(10), 1, Tail::kExact, {b.Int(0), b.Int(1)},
                     [&](Value, const Values& c) {
                       return Values{c[1], b.Add(c[0], c[1])};
                     });
    b.Store(r[0], o, {{b.Int(0)}});
    b.Store(r[1], o, {{b.Int(1)}});
    return Values{};
  });
  std::vector<int64_t> out(2);
  REQUIRE(Run(b.kernel(), {out.data()}) == "OK");
  CHECK(out == std::vector<int64_t>{55, 89});
}

TEST_CASE("predicates in memory are 0 or 1") {
  Builder b("predicates");
  const std::vector<int64_t> shape{4};
  int x = b.AddBuffer("x", ElementType::PRED, shape),
      o = b.AddBuffer("o", ElementType::PRED, shape);
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value z, const Values&) {
    b.Store(b.Load(x, {{z, 0, 1}}, {ElementType::PRED, 1, 4}), o, {{z, 0, 1}},
            b.ConstInt(ElementType::PRED, 1));
    return Values{};
  });
  // z runs once, but its value does not show that to the check of bounds: 0 .. 0 does.
  std::vector<uint8_t> in{0, 1, 2, 255}, out(4);
  REQUIRE(Run(b.kernel(), {in.data(), out.data()}) == "OK");
  CHECK(out == std::vector<uint8_t>{0, 1, 1, 1});
}

TEST_CASE("accesses outside are refused by name") {
  Builder b("outside");
  int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{10});
  int o = b.AddBuffer("o", ElementType::F32, std::vector<int64_t>{10});
  Value limit = b.AddParam("limit", 0, 100);
  b.For(LoopKind::kPar, b.Int(0), b.Int(10), 4, Tail::kMasked, {}, [&](Value i, const Values&) {
    Value m = b.Mask(i, limit, samples::F32Tile(1, 4), Axis::kCols);
    b.Store(b.Load(x, {{i, 0, 1}}, samples::F32Tile(1, 4), m), o, {{i, 0, 1}}, m);
    return Values{};
  });
  std::vector<float> in = Random(10, 11), out(10);
  CHECK(Run(b.kernel(), {in.data(), out.data()}, {10}) == "OK");
  CHECK(out == in);
  CHECK_THAT(Run(b.kernel(), {in.data(), out.data()}, {11}),
             Contains("load @x") && Contains("row 0, column 2: index 0 is 10 of 10"));
  CHECK_THAT(Run(b.kernel(), {in.data(), out.data()}, {101}), Contains("parameter limit is 101"));
  CHECK_THAT(Run(b.kernel(), {in.data(), out.data()}, {}), Contains("has 1 parameters, not 0"));
  CHECK_THAT(Run(b.kernel(), {in.data()}, {10}), Contains("more buffers than the 1 given"));
  CHECK_THAT(Run(b.kernel(), {in.data(), out.data(), out.data()}, {10}),
             Contains("has 2 buffers, not 3"));
}

TEST_CASE("an exact loop whose step does not divide is refused") {
  Builder b("inexact");
  Value n = b.AddParam("n", 0, 100);
  b.For(LoopKind::kPar, b.Int(0), n, 8, Tail::kExact, {},
        [&](Value, const Values&) { return Values{}; });
  CHECK(Run(b.kernel(), {}, {16}) == "OK");
  CHECK_THAT(Run(b.kernel(), {}, {17}), Contains("the step does not divide 0..17"));
}

TEST_CASE("invalid kernels are refused") {
  Kernel k = samples::Steps();
  k.top.ops.back().operands[0] = 12345;
  CHECK_THAT(Run(k, {}, {}), Contains("is invalid"));
}

}  // namespace
}  // namespace sinter::kernel
