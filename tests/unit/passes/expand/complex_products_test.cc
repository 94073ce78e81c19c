// Complex products as real ones: the values.
#include "passes/expand/complex_products.h"

#include <catch2/catch.hpp>
#include <complex>
#include <string_view>

#include "base/status.h"
#include "base/text.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

// The largest difference between the results with and without the pass, on a machine with small
// caches.
double Difference(std::string_view body, const Shape& x, const Shape& y) {
  auto parse = [&] {
    auto module = ParseHloText(Format("HloModule m\n\nENTRY main {{\n  x = {} parameter(0)\n"
                                      "  y = {} parameter(1)\n  {}\n}}\n",
                                      x.ToString(), y.ToString(), body),
                               "t.hlo");
    REQUIRE(MessageOf(module.status()) == MessageOf(absl::OkStatus()));
    return *std::move(module);
  };
  auto plain = parse(), real = parse();
  const CpuMachine machine{.l2_bytes = 1 << 10, .l3_bytes = 1 << 12};
  auto changed = MakeExpandComplexProductsPass(machine)->Run(*real);
  REQUIRE(changed.ok());
  CHECK(*changed);
  REQUIRE(MessageOf(VerifyModule(*real)) == MessageOf(absl::OkStatus()));
  std::vector<Literal> arguments;
  for (const Shape& s : {x, y}) {
    Literal& a = arguments.emplace_back(s);
    uint32_t state = 1;
    for (std::complex<float>& v : a.data<std::complex<float>>()) {
      auto next = [&] {
        state = state * 1664525 + 1013904223;
        return static_cast<float>(static_cast<int>(state >> 28) - 8);
      };
      const float re = next();
      v = {re, next()};
    }
  }
  auto want = Evaluate(*plain, arguments), got = Evaluate(*real, arguments);
  REQUIRE(want.ok());
  REQUIRE(got.ok());
  double most = 0;
  auto a = want->data<std::complex<float>>(), b = got->data<std::complex<float>>();
  REQUIRE(a.size() == b.size());
  for (size_t k = 0; k < a.size(); ++k) most = std::max<double>(most, std::abs(a[k] - b[k]));
  return most;
}

Shape C64(Dims dims) { return Shape(ElementType::C64, std::move(dims)); }

// Of small whole numbers, whose products and sums are exact in any order.
TEST_CASE("complex products of real matrices are the same") {
  CHECK(Difference("ROOT d = c64[70,80] dot(x, y), lhs_contracting_dims={1}, "
                   "rhs_contracting_dims={0}",
                   C64({70, 9}), C64({9, 80})) == 0);
  CHECK(Difference("ROOT d = c64[90,80] dot(x, y), lhs_contracting_dims={0}, "
                   "rhs_contracting_dims={1}",
                   C64({9, 90}), C64({80, 9})) == 0);
  CHECK(Difference("ROOT d = c64[2,3,30,64] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={2}, "
                   "lhs_contracting_dims={2,3}, rhs_contracting_dims={0,1}",
                   C64({3, 2, 5, 2, 30}), C64({5, 2, 2, 64})) == 0);
}

}  // namespace
}  // namespace sinter
