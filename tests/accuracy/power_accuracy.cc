// The error of the power of complex numbers, C128 and C64, on a CPU client against MPFR.
#include <mpfr.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "base/text.h"
#include "sinter/builder.h"
#include "sinter/client.h"

namespace sinter {
namespace {

using Wide = std::complex<double>;

// x^y, exact to more than 128 bits where |y log x| is below 2^60.
class Reference {
 public:
  Reference() { mpfr_inits2(256, a_, b_, log_, angle_, re_, im_, t_, u_, nullptr); }
  ~Reference() { mpfr_clears(a_, b_, log_, angle_, re_, im_, t_, u_, nullptr); }
  Reference(const Reference&) = delete;

  // |result - x^y| / |x^y|, in units of 2^-digits. Not for powers that a double does not hold.
  double Error(Wide x, Wide y, Wide result, int digits) {
    mpfr_set_d(a_, x.real(), MPFR_RNDN);
    mpfr_set_d(b_, x.imag(), MPFR_RNDN);
    mpfr_atan2(angle_, b_, a_, MPFR_RNDN);
    mpfr_hypot(log_, a_, b_, MPFR_RNDN);
    mpfr_log(log_, log_, MPFR_RNDN);
    Combine(re_, log_, y.real(), angle_, -y.imag());
    Combine(im_, angle_, y.real(), log_, y.imag());
    mpfr_exp(re_, re_, MPFR_RNDN);  // the modulus
    mpfr_sin_cos(u_, t_, im_, MPFR_RNDN);
    mpfr_mul(t_, t_, re_, MPFR_RNDN);
    mpfr_mul(u_, u_, re_, MPFR_RNDN);
    mpfr_sub_d(t_, t_, result.real(), MPFR_RNDN);
    mpfr_sub_d(u_, u_, result.imag(), MPFR_RNDN);
    mpfr_hypot(t_, t_, u_, MPFR_RNDN);
    mpfr_div(t_, t_, re_, MPFR_RNDN);
    mpfr_mul_2si(t_, t_, digits, MPFR_RNDN);
    return mpfr_get_d(t_, MPFR_RNDN);
  }

 private:
  void Combine(mpfr_t to, mpfr_t x, double by_x, mpfr_t y, double by_y) {
    mpfr_mul_d(t_, x, by_x, MPFR_RNDN);
    mpfr_mul_d(u_, y, by_y, MPFR_RNDN);
    mpfr_add(to, t_, u_, MPFR_RNDN);
  }
  mpfr_t a_, b_, log_, angle_, re_, im_, t_, u_;
};

template <class T>
std::vector<std::complex<T>> Powers(const std::vector<std::complex<T>>& x,
                                    const std::vector<std::complex<T>>& y) {
  Builder b("power");
  const Literal lx = Literal::R1<std::complex<T>>(absl::MakeConstSpan(x)),
                ly = Literal::R1<std::complex<T>>(absl::MakeConstSpan(y));
  auto c = b.Build(Pow(Parameter(&b, 0, lx.shape(), "x"), Parameter(&b, 1, ly.shape(), "y")));
  REQUIRE(c.ok());
  auto client = Client::Cpu();
  REQUIRE(client.ok());
  auto e = (*client)->Compile(*c);
  REQUIRE(e.ok());
  auto result = e->Evaluate({lx, ly});
  REQUIRE(result.ok());
  auto data = result->data<std::complex<T>>();
  return {data.begin(), data.end()};
}

// Pairs whose power is neither too large nor too small: of any modulus and angle, near the unit
// circle, near and on the axes; exponents as large as the power allows.
template <class T>
void AddPairs(int count, std::vector<std::complex<T>>& x, std::vector<std::complex<T>>& y) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  constexpr bool kWide = sizeof(T) == 8;
  const double most = kWide ? 700 : 85;
  while (static_cast<int>(x.size()) < count) {
    Wide a;
    switch (random() % 6) {
      case 0:
        a = std::polar(std::exp(unit(random) * most), unit(random) * 3.15);
        break;
      case 1:
        a = std::polar(1 + std::ldexp(unit(random), -static_cast<int>(random() % 50)),
                       unit(random) * 3.15);
        break;
      case 2:
        a = {unit(random), std::ldexp(unit(random), -static_cast<int>(random() % 60))};
        break;
      case 3:
        a = {std::ldexp(unit(random), -static_cast<int>(random() % 60)), unit(random)};
        break;
      case 4:
        a = {unit(random) * 4, 0};
        break;
      default:
        a = {unit(random) * 3, unit(random) * 3};
    }
    const std::complex<T> base(static_cast<T>(a.real()), static_cast<T>(a.imag()));
    const Wide log = std::log(Wide(base));
    if (!(std::abs(log) > 0) || !std::isfinite(std::abs(log))) continue;
    // |y log x| up to the largest whose exponential is a number.
    const double size = std::pow(most, std::abs(unit(random))) / std::abs(log);
    const Wide v = std::polar(size, unit(random) * 3.15);
    const std::complex<T> power =
        random() % 8 == 0 ? std::complex<T>(static_cast<T>(std::round(v.real())), 0)
                          : std::complex<T>(static_cast<T>(v.real()), static_cast<T>(v.imag()));
    const Wide product = Wide(power) * log;
    if (!(std::abs(product.real()) < most) || !(std::abs(product) < 2 * most)) continue;
    x.push_back(base);
    y.push_back(power);
  }
}

TEST_CASE("Powers of complex numbers against MPFR") {
  Reference reference;
  SECTION("C128") {
    std::vector<Wide> x, y;
    AddPairs<double>(1 << 17, x, y);
    const auto result = Powers(x, y);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = reference.Error(x[i], y[i], result[i], 53);
      if (!(error <= worst)) worst = error, at = i;
    }
    WARN(Format("C128: {} units of 2^-53 of the modulus at ({}, {})^({}, {})", worst, x[at].real(),
                x[at].imag(), y[at].real(), y[at].imag()));
    CHECK(worst <= 6);
  }
  SECTION("C64") {
    std::vector<std::complex<float>> x, y;
    AddPairs<float>(1 << 17, x, y);
    const auto result = Powers(x, y);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = reference.Error(Wide(x[i]), Wide(y[i]), Wide(result[i]), 24);
      if (!(error <= worst)) worst = error;
    }
    WARN(Format("C64: {} units of 2^-24 of the modulus", worst));
    CHECK(worst <= 1.01);
  }
}

TEST_CASE("Powers of complex numbers whose parts are special") {
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Wide> x{{0, 0},      {0, 0},         {0, 0},      {2, 0},     {-2, 0},
                            {5e-324, 0}, {1e308, 1e308}, {1, 0},      {nan, 0},   {3, 4},
                            {0, -1},     {inf, 0},       {0, 5e-324}, {1, 1e-300}};
  const std::vector<Wide> y{{2, 1}, {0, 0}, {0.5, 0}, {10, 0}, {3, 0}, {0.5, 0}, {-1, 0},
                            {9, 9}, {0, 0}, {0, 0},   {2, 0},  {0, 0}, {1, 0},   {2, 0}};
  const auto w = Powers(x, y);
  CHECK(w[0] == Wide(0));
  CHECK(w[1] == Wide(1));
  CHECK(w[2] == Wide(0));
  CHECK(w[3] == Wide(1024));
  CHECK(std::abs(w[4] - Wide(-8)) <= 8 * 0x1p-52);
  CHECK(w[5].imag() == 0);
  CHECK(std::abs(w[5].real() / 2.2227587494850775e-162 - 1) <= 0x1p-51);
  CHECK(std::abs(w[6] / Wide(5e-309, -5e-309) - 1.0) <= 0x1p-49);
  CHECK(w[7] == Wide(1));
  CHECK(w[8] == Wide(1));
  CHECK(w[9] == Wide(1));
  CHECK(std::abs(w[10] + 1.0) <= 0x1p-52);
  CHECK(w[11] == Wide(1));
  CHECK(w[12] == Wide(0, 5e-324));
  CHECK(w[13].real() == 1);
  CHECK(std::abs(w[13].imag() / 2e-300 - 1) <= 0x1p-51);
}

}  // namespace
}  // namespace sinter
