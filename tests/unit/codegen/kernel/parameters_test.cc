#include "codegen/kernel/parameters.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

struct Numbers {
  int64_t row = 2, column = 16, bound = 64, masked_from = 70;
  double factor = 3, wide = 0.5;
  int64_t ones = 7;
  int warps = 0;
};
// Of a row of an array, from a column on, 64 columns, with some arithmetic of all types.
Kernel Row(const Numbers& n) {
  Builder b("row");
  const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{8, 256});
  const int y = b.AddBuffer("y", ElementType::F32, std::vector<int64_t>{8, 256});
  b.For(LoopKind::kPar, b.Int(0), b.Int(n.bound), 16, Tail::kExact, {},
        [&](Value i, const Values&) {
          const Value at = b.Add(b.Int(n.column), i);
          Expr v{&b, b.Load(x, {{b.Int(n.row)}, {at, 0, 1}}, samples::F32Tile(1, 16))};
          const Expr wide = (v * n.factor).To(ElementType::F64) * n.wide;
          const Expr bits = wide.To(ElementType::F32).As(ElementType::S32);
          const Expr turned = (bits ^ bits.ci(n.ones)).As(ElementType::F32);
          const Value mask = b.Mask(at, b.Int(n.masked_from), samples::F32Tile(1, 16), Axis::kCols);
          b.Store(turned, y, {{b.Int(n.row)}, {at, 0, 1}}, mask);
          return Values{};
        });
  Kernel k = b.Take();
  k.warps = n.warps;
  return k;
}

TEST_CASE("what a kernel reads and scales by is no part of its form") {
  const KernelForm plain = FormOf(Row({}));
  CHECK(FormOf(Row({.row = 5})).hash == plain.hash);
  CHECK(FormOf(Row({.factor = -1})).hash == plain.hash);
  CHECK(FormOf(Row({.wide = 1e300})).hash == plain.hash);
  CHECK(FormOf(Row({.ones = -1})).hash == plain.hash);
  CHECK(FormOf(Row({.row = 5})).constants != plain.constants);
  CHECK(FormOf(Row({})).constants == plain.constants);
}

TEST_CASE("what loops, masks and conditions depend on is") {
  const KernelForm plain = FormOf(Row({}));
  CHECK(FormOf(Row({.bound = 48})).hash != plain.hash);
  CHECK(FormOf(Row({.masked_from = 80})).hash != plain.hash);
  // It is what the mask compares, too.
  CHECK(FormOf(Row({.column = 32})).hash != plain.hash);
}

TEST_CASE("where tiles have layouts, what may be accessed at once is part of a form") {
  const auto hash = [](int64_t row) { return FormOf(Row({.row = row, .warps = 4})).hash; };
  CHECK(hash(2) == hash(6));
  CHECK(hash(2) != hash(4));
  CHECK(hash(2) != hash(3));
}

TEST_CASE("with parameters a kernel does what each of its form does") {
  const std::vector<Numbers> all{{},
                                 {.row = 7, .factor = 0.25, .wide = -3, .ones = 1 << 30},
                                 {.row = 0, .factor = -0.0, .wide = 1e-320, .ones = -1}};
  const size_t count = FormOf(Row({})).constants.size();
  std::vector<int> parameter_of;
  std::vector<ConstantParameter> parameters;
  for (size_t n = 0; n < count; ++n) {
    ConstantParameter p;
    p.elem = FormOf(Row({})).constants[n].elem;
    if (p.elem == ElementType::S64) p.lo = 0, p.hi = 7;
    parameter_of.push_back(static_cast<int>(n));
    parameters.push_back(p);
  }
  const Kernel shared = WithParameters(Row({}), parameter_of, parameters);
  INFO(Print(shared));
  REQUIRE(Verify(shared).ToString() == "OK");
  for (const Numbers& n : all) {
    std::vector<int64_t> dims;
    for (const FreeConstant& c : FormOf(Row(n)).constants) dims.push_back(ArgumentFor(c));
    std::vector<float> x(8 * 256), expected(x.size(), -1), given(x.size(), -1);
    std::iota(x.begin(), x.end(), 1.F);
    std::vector<void*> buffers{x.data(), expected.data()};
    REQUIRE(Interpret(Row(n), buffers, {}).ToString() == "OK");
    buffers[1] = given.data();
    REQUIRE(Interpret(shared, buffers, dims).ToString() == "OK");
    CHECK(std::memcmp(expected.data(), given.data(), x.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("constants that keep their places are no parameters") {
  const Kernel k = Row({});
  const std::vector<int> none(FormOf(k).constants.size(), -1);
  const Kernel same = WithParameters(k, none, {});
  CHECK(Hash(same) == Hash(k));
}

// The sums of every two neighbours of a row, from an element on.
Kernel Neighbours(int64_t from) {
  Builder b("neighbours");
  const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{256});
  const int y = b.AddBuffer("y", ElementType::F32, std::vector<int64_t>{64});
  b.For(LoopKind::kPar, b.Int(0), b.Int(64), 16, Tail::kExact, {}, [&](Value i, const Values&) {
    const Value at = from == 0 ? i : b.Add(b.Int(from), i);
    const Expr left{&b, b.Load(x, {{at, 0, 1}}, samples::F32Tile(1, 16))};
    const Expr right{&b, b.Load(x, {{b.Add(at, b.Int(1)), 0, 1}}, samples::F32Tile(1, 16))};
    b.Store(left + right, y, {{i, 0, 1}});
    return Values{};
  });
  return b.Take();
}

TEST_CASE("with offsets, what is read from the start of an array has the form of other reads") {
  CHECK(FormOf(Neighbours(0)).hash != FormOf(Neighbours(5)).hash);
  const KernelForm start = FormOf(WithOffsets(Neighbours(0)));
  CHECK(FormOf(WithOffsets(Neighbours(5))).hash == start.hash);
  const auto numbers = [](const KernelForm& form) {
    std::vector<int64_t> all;
    for (const FreeConstant& c : form.constants) all.push_back(ArgumentFor(c));
    return all;
  };
  // The two reads and the write.
  CHECK(numbers(start) == std::vector<int64_t>{0, 1, 0});
  CHECK(numbers(FormOf(WithOffsets(Neighbours(5)))) == std::vector<int64_t>{5, 6, 0});
}

TEST_CASE("with offsets a kernel does what it did") {
  for (const int64_t from : {0, 1, 190}) {
    const Kernel with = WithOffsets(Neighbours(from));
    INFO(Print(with));
    REQUIRE(Verify(with).ToString() == "OK");
    std::vector<float> x(256), expected(64, -1), given(64, -1);
    std::iota(x.begin(), x.end(), 1.F);
    std::vector<void*> buffers{x.data(), expected.data()};
    REQUIRE(Interpret(Neighbours(from), buffers, {}).ToString() == "OK");
    buffers[1] = given.data();
    REQUIRE(Interpret(with, buffers, {}).ToString() == "OK");
    CHECK(expected == given);
  }
}

}  // namespace
}  // namespace sinter::kernel
