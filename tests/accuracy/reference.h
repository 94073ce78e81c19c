// The elementary functions of F64 as MPFR computes them, and arguments to try.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "unit/codegen/emit/math/sweep.h"

namespace sinter::emit::testing {

// Rounded to 113 bits, more than any C library's long double; exact for the error of an F64 to
// 2^-60.
class Reference {
 public:
  Reference() { mpfr_inits2(160, x_, y_, r_, nullptr); }
  ~Reference() { mpfr_clears(x_, y_, r_, nullptr); }
  Reference(const Reference&) = delete;

  double Error(const Function& f, double x, double y, double result) {
    // Where MPFR's conventions differ from Annex F's, or exponents end, the C library knows.
    const long double c = f.exact(x, y);
    if (!std::isfinite(c) || c == 0 || !std::isfinite(result)) return UlpError(result, c);
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    const std::string name = f.name;
    if (name == "Exp") mpfr_exp(r_, x_, MPFR_RNDN);
    if (name == "Expm1") mpfr_expm1(r_, x_, MPFR_RNDN);
    if (name == "Log") mpfr_log(r_, x_, MPFR_RNDN);
    if (name == "Log1p") mpfr_log1p(r_, x_, MPFR_RNDN);
    if (name == "Sin") mpfr_sin(r_, x_, MPFR_RNDN);
    if (name == "Cos") mpfr_cos(r_, x_, MPFR_RNDN);
    if (name == "Tan") mpfr_tan(r_, x_, MPFR_RNDN);
    if (name == "Tanh") mpfr_tanh(r_, x_, MPFR_RNDN);
    if (name == "Sinh") mpfr_sinh(r_, x_, MPFR_RNDN);
    if (name == "Cosh") mpfr_cosh(r_, x_, MPFR_RNDN);
    if (name == "Asinh") mpfr_asinh(r_, x_, MPFR_RNDN);
    if (name == "Acosh") mpfr_acosh(r_, x_, MPFR_RNDN);
    if (name == "Atanh") mpfr_atanh(r_, x_, MPFR_RNDN);
    if (name == "Atan") mpfr_atan(r_, x_, MPFR_RNDN);
    if (name == "Asin") mpfr_asin(r_, x_, MPFR_RNDN);
    if (name == "Acos") mpfr_acos(r_, x_, MPFR_RNDN);
    if (name == "Erf") mpfr_erf(r_, x_, MPFR_RNDN);
    if (name == "Cbrt") mpfr_cbrt(r_, x_, MPFR_RNDN);
    if (name == "Rsqrt") mpfr_rec_sqrt(r_, x_, MPFR_RNDN);
    if (name == "Pow") mpfr_pow(r_, x_, y_, MPFR_RNDN);
    if (name == "Atan2") mpfr_atan2(r_, x_, y_, MPFR_RNDN);
    if (name == "Logistic") {
      mpfr_neg(x_, x_, MPFR_RNDN);
      mpfr_exp(r_, x_, MPFR_RNDN);
      mpfr_add_ui(r_, r_, 1, MPFR_RNDN);
      mpfr_ui_div(r_, 1, r_, MPFR_RNDN);
    }
    if ((mpfr_sgn(r_) < 0) != std::signbit(result)) return std::numeric_limits<double>::infinity();
    const auto exponent =
        std::max<mpfr_exp_t>(mpfr_get_exp(r_), std::numeric_limits<double>::min_exponent);
    mpfr_sub_d(r_, r_, result, MPFR_RNDN);
    mpfr_mul_2si(r_, r_, std::numeric_limits<double>::digits - exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(r_, MPFR_RNDN));
  }

 private:
  mpfr_t x_, y_, r_;
};

// Numbers of every exponent and, half of them, of those that matter most.
inline Arguments<double> ArgumentsF64(const Function& f, int count) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  Arguments<double> a;
  for (int i = 0; i < count; ++i) {
    if (f.unary == nullptr) {
      AddPair(f, random, a);
    } else if (i % 2 == 0) {
      a.Add(AnyValue<double>(random));
    } else {
      a.Add(i % 16 == 1 ? unit(random) * 760
                        : std::ldexp(unit(random), static_cast<int>(random() % 40) - 20));
    }
  }
  return a;
}

}  // namespace sinter::emit::testing
