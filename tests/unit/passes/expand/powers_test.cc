#include "passes/expand/powers.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

using E = ElementType;

// x^y of arrays of `type`, converted from and to F64; whether the pass made it of other operations.
struct Result {
  Literal value;
  bool changed = false;
};
Result Power(E type, const std::vector<double>& x, const std::string& y) {
  const std::string n = Format("[{}]", x.size()), t = std::string(Name(type));
  auto module = ParseHloText(
      Format("HloModule m\n\nENTRY main {{\n  a = f64{0} parameter(0)\n  x = {1}{0} convert(a)\n"
             "  c = {1}[] constant({2})\n  y = {1}{0} broadcast(c), dimensions={{}}\n"
             "  p = {1}{0} power(x, y)\n  ROOT r = f64{0} convert(p)\n}}\n",
             n, t, y),
      "t.hlo");
  REQUIRE(MessageOf(module.status()) == MessageOf(absl::OkStatus()));
  auto changed = MakeExpandPowersPass()->Run(**module);
  REQUIRE(changed.ok());
  INFO(Print(**module));
  REQUIRE(MessageOf(VerifyModule(**module)) == MessageOf(absl::OkStatus()));
  Literal a(Shape(E::F64, {static_cast<int64_t>(x.size())}));
  std::copy(x.begin(), x.end(), a.data<double>().begin());
  auto result = Evaluate(**module, {a});
  REQUIRE(result.ok());
  return {*std::move(result), *changed};
}

struct Precision {
  E type;
  int digits, least;  // of the mantissa, and the exponent of the smallest denormal
};

TEST_CASE("Powers with known exponents are within three units, special values included") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Precision& f : {Precision{E::F32, 24, -149}, Precision{E::F64, 53, -1074},
                             Precision{E::F16, 11, -24}, Precision{E::BF16, 8, -133}}) {
    std::vector<double> x{0.0, -0.0, inf, -inf, std::nan(""), 1, -1, 2, -3, 0.5, 1.5, -0.75};
    for (int e = f.type == E::F16 ? -24 : -140; e < (f.type == E::F16 ? 16 : 128); e++) {
      for (double m : {1.0, 1.25, 1.984375}) {
        x.push_back(std::ldexp(m, e));
        if (e % 3 == 0) x.push_back(-x.back());
      }
    }
    for (const char* text : {"0", "1", "2", "3", "4", "-1", "-2", "0.5", "-0.5", "1.5", "-1.5",
                             "2.5", "6", "12", "-3", "-7", "32"}) {
      const double y = std::atof(text);
      const bool whole = y == std::floor(y);
      if (f.type == E::F64 && whole && (y > 4 || y < -2)) continue;
      CAPTURE(Name(f.type), y);
      const Result r = Power(f.type, x, text);
      CHECK(r.changed);
      // The operands as the type has them.
      const Literal rounded = Power(f.type, x, "1").value;
      for (size_t i = 0; i < x.size(); i++) {
        const double got = r.value.data<double>()[i];
        const double at = rounded.data<double>()[i];
        const long double want = std::pow(static_cast<long double>(at), y);
        CAPTURE(i, at, got, static_cast<double>(want));
        const int exponent = want == 0 || !std::isfinite(want)
                                 ? f.least
                                 : std::max(std::ilogb(want) - f.digits + 1, f.least);
        if (std::isnan(want)) {
          CHECK(std::isnan(got));
        } else if (std::isinf(got) || std::isinf(want)) {
          // Rounded to infinity, or nearly.
          const int most = f.type == E::F64 ? 1023 : f.type == E::F16 ? 15 : 127;
          CHECK(std::abs(want) > std::ldexp(1.99L - std::ldexp(1.0L, 2 - f.digits), most));
          CHECK(std::isinf(got));
          CHECK(std::signbit(got) == std::signbit(want));
        } else {
          CHECK(std::abs(got - want) <= std::ldexp(3.0L, exponent));
          CHECK(std::signbit(got) == std::signbit(want));
        }
      }
    }
  }
}

TEST_CASE("Powers of integers with known exponents wrap as others do") {
  const std::vector<double> x{0, 1, -1, 2, -3, 7, 46341, -2147483648.0};
  for (E type : {E::S32, E::U8, E::S64}) {
    for (const char* y : {"0", "1", "2", "5", "31", "63"}) {
      const Result r = Power(type, x, y);
      CHECK(r.changed);
      for (size_t i = 0; i < x.size(); i++) {
        if (type == E::U8 && (x[i] < 0 || x[i] > 255)) continue;
        uint64_t want = 1;
        for (int k = 0; k < std::atoi(y); k++)
          want *= static_cast<uint64_t>(static_cast<int64_t>(x[i]));
        const double expected = type == E::S32  ? static_cast<double>(static_cast<int32_t>(want))
                                : type == E::U8 ? static_cast<double>(static_cast<uint8_t>(want))
                                                : static_cast<double>(static_cast<int64_t>(want));
        CAPTURE(Name(type), y, x[i]);
        CHECK(r.value.data<double>()[i] == expected);
      }
    }
  }
}

TEST_CASE("Powers with other exponents stay") {
  CHECK_FALSE(Power(E::F32, {1, 2}, "0.3").changed);
  CHECK_FALSE(Power(E::F32, {1, 2}, "33").changed);
  CHECK_FALSE(Power(E::F64, {1, 2}, "5").changed);
  CHECK_FALSE(Power(E::S32, {1, 2}, "-1").changed);
  CHECK_FALSE(Power(E::F32, {1, 2}, "nan").changed);
  CHECK_FALSE(Power(E::F32, {1, 2}, "inf").changed);
}

}  // namespace
}  // namespace sinter
