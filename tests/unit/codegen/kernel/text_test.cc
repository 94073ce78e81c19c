#include "codegen/kernel/text.h"

#include <catch2/catch.hpp>
#include <limits>

#include "codegen/kernel/hash.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

TEST_CASE("samples read back as they were printed") {
  for (const Kernel& kernel : samples::All()) {
    const std::string text = Print(kernel);
    INFO(text);
    absl::StatusOr<Kernel> read = Parse(text);
    INFO(read.status().ToString());
    REQUIRE(read.ok());
    CHECK(Print(*read) == text);
    CHECK(Hash(*read) == Hash(kernel));
    CHECK(read->name == kernel.name);
    CHECK(Verify(*read).ToString() == "OK");
  }
}

TEST_CASE("all declarations and attributes survive") {
  Builder b("odd name \"\\");
  Kernel& k = b.kernel();
  k.lanes = 8;
  Layout layout;
  layout.axes[0] = {{HardwareDim::kReg, 2, 1}, {HardwareDim::kLane, 8, 4}};
  layout.axes[1] = {
      {HardwareDim::kWarp, 4, 1}, {HardwareDim::kLane, 4, 1}, {HardwareDim::kReg, 2, 1}};
  k.layouts.push_back(layout);
  Value n = b.AddParam("two words", 0, 96, 3), c5 = b.AddParam("c5", -5, 5);
  b.Int(5);
  b.Int(INT64_MIN);
  const int x = b.AddBuffer("x", ElementType::F16, Values{n, c5}),
            y = b.AddBuffer("x", ElementType::F16, Values{n, c5});
  k.buffers[1].alias_group = 9;
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (double v : {nan, -nan, inf, -inf, -0.0, 0.1, 1e-40, 5e-324, 1.7976931348623157e308}) {
    for (ElementType e : {ElementType::BF16, ElementType::F16, ElementType::F32, ElementType::F64})
      b.Const(e, v);
  }
  b.ConstInt(ElementType::U64, -1);
  b.ConstInt(ElementType::PRED, 1);
  b.For(LoopKind::kPar, b.Int(0), n, 3, Tail::kMasked, {}, [&](Value i, const Values&) {
    const Type tile{ElementType::F16, 16, 32, 1};
    Value m = b.Mask(i, n, tile, Axis::kRows);
    Value v = b.Load(x, {{i, 2, -3}, {b.Int(5), -1, 1}}, tile, m, kNone, /*ahead=*/-96);
    Value at = b.Iota({ElementType::S32, 16, 32, 1}, Axis::kRows);
    b.Convert(b.Convert(v, ElementType::F32), ElementType::S16, /*in_range=*/true);
    b.Store(v, y, {{at}, {i, 0, 1}}, m, true);
    b.For(LoopKind::kUnroll, b.Int(0), b.Int(5), 2, Tail::kPeel, {},
          [&](Value, const Values&) { return Values{}; });
    return Values{};
  });
  const std::string text = Print(k);
  INFO(text);
  absl::StatusOr<Kernel> read = Parse(text);
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CHECK(Print(*read) == text);
  CHECK(Hash(*read) == Hash(k));
  CHECK(read->name == k.name);
  CHECK(read->layouts == k.layouts);
  CHECK(read->params[0].name == "two words");
  CHECK(read->buffers[1].name == "x");
  CHECK(read->buffers[1].alias_group == 9);
}

TEST_CASE("a scaling within a range is another kernel than one of any range") {
  auto scaling = [](bool in_range) {
    Builder b("scaling");
    const int x = b.AddBuffer("x", ElementType::F32, Values{b.Int(4)});
    b.For(LoopKind::kPar, b.Int(0), b.Int(4), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      Value v = b.Load(x, {{i, 0, 0}}, {ElementType::F32});
      b.Store(b.Ldexp(v, b.ConstInt(ElementType::S32, 3), in_range), x, {{i, 0, 0}});
      return Values{};
    });
    return b.Take();
  };
  const Kernel kernel = scaling(true);
  absl::StatusOr<Kernel> read = Parse(Print(kernel));
  REQUIRE(read.ok());
  CHECK(Hash(*read) == Hash(kernel));
  CHECK_FALSE(Hash(kernel) == Hash(scaling(false)));
}

TEST_CASE("malformed text is refused with the line") {
  auto message = [](std::string_view text) { return Parse(text).status().ToString(); };
  using Catch::Matchers::Contains;
  CHECK_THAT(message(""), Contains("line 1: expected 'kernel'"));
  CHECK_THAT(message("kernel k lanes 16 {"), Contains("unknown operation ''"));
  CHECK_THAT(message("kernel k lanes x {}"), Contains("expected an integer"));
  CHECK_THAT(message("kernel k lanes 16 {\n  %0:f32 = add %1, %1\n}"),
             Contains("line 2: value %1 is not defined"));
  CHECK_THAT(message("kernel k lanes 16 {\n  %0:f33 = const 1\n}"),
             Contains("unknown element type 'f33'"));
  CHECK_THAT(message("kernel k lanes 16 {\n  %0:f32 = frob\n}"),
             Contains("unknown operation 'frob'"));
  CHECK_THAT(message("kernel k lanes 16 {\n  store %0, @x[]\n}"),
             Contains("value %0 is not defined"));
  CHECK_THAT(message("kernel k lanes 16 {} more"), Contains("expected nothing after the kernel"));
  std::string deep = "kernel k lanes 16 {\n %c:pred = const 1\n";
  for (int i = 0; i < 100000; ++i) deep += "if %c {\n";
  CHECK_THAT(message(deep), Contains("nested too deeply"));
}

TEST_CASE("every prefix of a kernel's text is refused") {
  const std::string text = Print(samples::ArgMax());
  for (size_t n = 0; n + 2 < text.size(); n += 3) CHECK_FALSE(Parse(text.substr(0, n)).ok());
}

TEST_CASE("an invalid kernel is printed too") {
  Kernel k;
  k.name = "broken";
  Op op;
  op.code = OpCode::kLoad;
  op.operands = {77, -5};
  op.results = {1};
  op.buffer = 12;
  op.steps.resize(1);
  k.top.ops.push_back(op);
  CHECK_THAT(Print(k), Catch::Matchers::Contains("load @?12[%?77]"));
}

}  // namespace
}  // namespace sinter::kernel
