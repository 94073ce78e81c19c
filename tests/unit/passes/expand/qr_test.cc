#include <catch2/catch.hpp>
#include <cmath>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "passes/expand/decompositions.h"

namespace sinter {
namespace {

// Packed reflections and taus of columns [m, n] of f64, by the interpreter or by what Qr becomes.
template <bool kExpanded>
Literal Qr(const Literal& a) {
  const Shape& s = a.shape();
  const int64_t k = std::min(s.dimension(0), s.dimension(1));
  auto module = ParseHloText(
      Format("HloModule m\n\nENTRY main {{\n  a = {0} parameter(0)\n  ROOT r = ({0}, f64[{1}]) "
             "custom-call(a), custom_call_target=\"Qr\"\n}}\n",
             s.ToString(), k),
      "t.hlo");
  REQUIRE(module.ok());
  if (kExpanded) {
    auto changed = MakeExpandDecompositionsPass(GpuMachine{})->Run(**module);
    INFO(MessageOf(changed.status()));
    REQUIRE(changed.ok());
    REQUIRE(*changed);
    REQUIRE(MessageOf(VerifyModule(**module)) == MessageOf(absl::OkStatus()));
  }
  auto result = Evaluate(**module, {a});
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  return *result;
}

void CheckClose(const Literal& x, const Literal& y) {
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    const double a = x.GetAsDouble(i), b = y.GetAsDouble(i);
    CAPTURE(i, a, b);
    CHECK(std::abs(a - b) <= 1e-13 * std::abs(b));
  }
}

TEST_CASE("Columns whose squares overflow or vanish are reflected") {
  for (double scale : {1.0, 1e200, 1e-200, 1e-310, 0x1p1020}) {
    CAPTURE(scale);
    Literal a(Shape(ElementType::F64, {3, 2}));
    const double values[] = {1, 2, -3, 1, 2, 5};
    for (size_t i = 0; i < 6; ++i) a.data<double>()[i] = values[i] * scale;
    const Literal expanded = Qr<true>(a), expected = Qr<false>(a);
    if (scale < 1e-300) {  // few bits are left of such numbers
      for (size_t i = 0; i < 2; ++i) {
        CHECK(std::abs(expanded.tuple()[1].data<double>()[i] -
                       expected.tuple()[1].data<double>()[i]) <= 1e-9);
      }
      continue;
    }
    CheckClose(expanded.tuple()[0], expected.tuple()[0]);
    CheckClose(expanded.tuple()[1], expected.tuple()[1]);
  }
}

TEST_CASE("A tail whose square vanishes beside the diagonal is reflected, zeros are not") {
  Literal a(Shape(ElementType::F64, {3, 1}));
  a.data<double>()[0] = 1;
  a.data<double>()[1] = 1e-250;
  const Literal r = Qr<true>(a);
  CHECK(r.tuple()[0].data<double>()[0] == -1);
  CHECK(r.tuple()[0].data<double>()[1] == 5e-251);
  CHECK(r.tuple()[1].data<double>()[0] == 2);
  a.data<double>()[1] = 0;
  const Literal none = Qr<true>(a);
  CHECK(none.tuple()[0].data<double>()[0] == 1);
  CHECK(none.tuple()[1].data<double>()[0] == 0);
}

}  // namespace
}  // namespace sinter
