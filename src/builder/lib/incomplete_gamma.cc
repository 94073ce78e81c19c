// The incomplete gamma functions and their derivatives by the order.

#include <cmath>
#include <limits>
#include <numbers>

#include "builder/lib/iterate.h"
#include "builder/lib/of_floats.h"
#include "builder/lib/polynomial.h"
#include "sinter/lib/math.h"

namespace sinter {

Op Log1pMinus(Op t) {
  // log1p(t) = 2 atanh(s)
  Op s = t / (t + 2);
  Op y = s * s;
  return s * y *
             Polynomial(y, {2.0 / 35, 2.0 / 33, 2.0 / 31, 2.0 / 29, 2.0 / 27, 2.0 / 25, 2.0 / 23,
                            2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                            2.0 / 7, 2.0 / 5, 2.0 / 3}) -
         s * t;
}

Op StirlingError(Op z) {
  Op inverse = 1 / z;
  // B_2k / (2k (2k - 1))
  Op far = inverse *
           Polynomial(inverse * inverse, {-3617.0 / 122400, 1.0 / 156, -691.0 / 360360, 1.0 / 1188,
                                          -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12});
  const double rest = std::log(2 * std::numbers::pi) / 2 - 0.5;
  return Select(Lt(z, 10), Lgamma(z) - ((z - 0.5) * (Log(z) - 1) + rest), far);
}

namespace {

constexpr double kMax = std::numeric_limits<double>::max();

// P(a, x), Q(a, x) = 1 - P, the derivative of P by a, and that of the x which has a given P.
enum class Which { kLower, kUpper, kGradient, kSample };
bool IsDerivative(Which which) { return which == Which::kGradient || which == Which::kSample; }

// N. Temme, The asymptotic expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10,
// 1979: eta^2 / 2 = mu - log(1 + mu) with mu = (x - a) / a, and
//   P = erfc(-eta sqrt(a / 2)) / 2 - S,  S = exp(-a eta^2 / 2) / sqrt(2 pi a) sum C_k(eta) a^-k
// The rows are C_0, C_1, ... as polynomials, derived from 1 / mu - 1 / eta by the recurrence there:
// to 2^-53 for a >= 200, |mu| <= 0.3.
constexpr double kLeastA = 200, kMostMu = 0.3;
const std::vector<std::vector<double>>& Expansion() {
  static const auto& rows = *new std::vector<std::vector<double>>{
      {-0x1.61ca701fd754ap-38, 0x1.ac9475c463659p-36, -0x1.0070a87340428p-34,
       -0x1.c0d9b6edf2b0bp-36, 0x1.f6e66d24d5c8ap-31, -0x1.2d2197c7a2faap-28, 0x1.6097d55c37c1cp-27,
       0x1.ccf5ceb7f0d9fp-28, -0x1.7b5f9a2d0465cp-23, 0x1.bd6d21e4b4109p-21, -0x1.f1b22f594c6b5p-20,
       -0x1.255370652afc1p-19, 0x1.48c5892f7cd83p-15, -0x1.76e06fec7273bp-13, 0x1.71de3a556c734p-12,
       0x1.2f684bda12f68p-10, -0x1.e573ac901e574p-7, 0x1.5555555555555p-4, -0x1.5555555555555p-2},
      {-0x1.78a5056f8ce45p-34, 0x1.c9b434bf3c34ep-32, -0x1.1564ecff73d58p-30,
       -0x1.349fbca3a377bp-36, 0x1.9aa7a30de114cp-27, -0x1.ee23d0cba8aeep-25, 0x1.280f2cde3f847p-23,
       0x1.3f59230a8357cp-28, -0x1.b0bdfcc629cbap-20, 0x1.00a9cabd6b83ep-17, -0x1.2fa4ae89e5af0p-16,
       -0x1.af83440e53dbcp-22, 0x1.af83440e53dbcp-13, -0x1.0394f6f09e723p-10, 0x1.5ac056b015ac0p-9,
       -0x1.c71c71c71c71cp-9, -0x1.e573ac901e574p-10},
      {-0x1.77c5829460139p-30, 0x1.ac0d455e25360p-28, -0x1.e437343a46f5dp-27,
       -0x1.c24bd0e740a6cp-33, 0x1.32ac81c15d3d7p-23, -0x1.522cb05171911p-21, 0x1.7058929663937p-20,
       0x1.26154ae39151dp-25, -0x1.ac2d05890f2c3p-17, 0x1.bbf43daf4fe53p-15, -0x1.c253efaa1a932p-14,
       0x1.0db20a88f4696p-19, 0x1.948b0fcd6e9e0p-11, -0x1.5f7268edab4c8p-9, 0x1.0ee643b990ee6p-8},
      {-0x1.4853ced169327p-26, 0x1.5bde8ef4c4dc7p-24, -0x1.6c2dcffbefeefp-23,
       -0x1.ea23269c140a7p-36, 0x1.7e0201539310ep-20, -0x1.7cd6f27b3f020p-18, 0x1.73df462204ef4p-17,
       -0x1.0152a1871f27ap-22, -0x1.3d2a3a29b5d9dp-14, 0x1.18b9b5bf2d984p-12,
       -0x1.ebfb188b7ca00p-12, 0x1.e13ce465fa859p-13, 0x1.547d93b34e2b6p-11},
      {0x1.de37d9f09164cp-21, -0x1.c71c074985d3fp-20, 0x1.13b3c5b7cb45ep-32, 0x1.7db4c02846e81p-17,
       -0x1.4ce3fd902bcadp-15, 0x1.16908b48ce058p-14, -0x1.88f2ae1def9d0p-20,
       -0x1.3999a85a4237ap-12, 0x1.9b0ff6874f2c4p-11, -0x1.c3e0b02da7bf9p-11},
      {0x1.30bdcf208080ep-23, 0x1.1d1e9cb24760bp-14, -0x1.a2042c5148e27p-13, 0x1.22be87360ef1fp-12,
       -0x1.247604839c038p-14, -0x1.6128ac5a4fa71p-12},
      {0x1.a8411da6cab49p-21, 0x1.1c0950d3ecb9dp-12, -0x1.36773bdb97b48p-11, 0x1.168ef1b0931c8p-11},
      {0x1.26eeb5ece1d9fp-12, -0x1.5f3385098cebfp-12, 0x1.b1d75d3346711p-15, 0x1.691879c01efb4p-12},
  };
  return rows;
}

struct Arguments {
  Op a, x;
  Op mu;     // (x - a) / a
  Op power;  // x^a e^-x / gamma(a)
  double tolerance;
};

Arguments Prepared(Op a, Op x, double tolerance) {
  Op mu = (x - a) / a;
  Op is_near = And(Gt(mu, -0.45), Lt(mu, 0.8));
  Op far = a * Log(Min(x / a, kMax)) - (x - a);
  Op exponent = Select(is_near, a * Log1pMinus(Select(is_near, mu, ZerosLike(mu))), far);
  Op power = Sqrt(a * (0.5 / std::numbers::pi)) * Exp(exponent - StirlingError(a));
  return {a, x, mu, power, tolerance};
}

// P = power / a (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...), where x is not much above a.
absl::StatusOr<Op> BySeries(Builder* b, const Arguments& s, Op active, Which which) {
  const bool derives = IsDerivative(which);
  std::vector<Op> values{OnesLike(s.x), OnesLike(s.x)};  // term, sum, and their derivatives
  if (derives) values.insert(values.end(), {ZerosLike(s.x), ZerosLike(s.x)});
  auto step = [&](Op k, absl::Span<const Op> v, absl::Span<const Op> fixed) {
    Op r = fixed[0] + k;
    Op ratio = fixed[1] / r;
    Op term = v[0] * ratio, sum = v[1] + term;
    if (!derives) return Iteration{Gt(term, sum * s.tolerance), {term, sum}};
    Op derived = v[2] * ratio - term / r, derived_sum = v[3] + derived;
    return Iteration{Gt(Abs(derived), Abs(derived_sum) * s.tolerance),
                     {term, sum, derived, derived_sum}};
  };
  ASSIGN_OR_RETURN(values,
                   Iterate("incomplete-gamma-series", b, active, values, {s.a, s.x}, 10000, step));
  Op scaled = s.power / s.a * values[1];
  if (!derives) return which == Which::kLower ? scaled : 1 - scaled;
  Op derived = values[1] * (Log(s.x) - Digamma(s.a + 1)) + values[3];
  return which == Which::kGradient ? s.power / s.a * derived : -(derived * (s.x / s.a));
}

// Q = power h, h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), where x is above a
// and 1: W. Lentz's method as changed by I. Thompson and A. Barnett, Coulomb and Bessel Functions
// of Complex Arguments and Order, J. Comput. Phys. 64, 1986.
absl::StatusOr<Op> ByFraction(Builder* b, const Arguments& s, Op active, Which which) {
  const bool derives = IsDerivative(which);
  Op first = s.x + 1 - s.a;
  Op d = 1 / first;
  std::vector<Op> values{FullLike(first, 0x1p1000), d, d};  // C, D, h
  // The derivatives of C and D, and that of log h.
  if (derives) values.insert(values.end(), {ZerosLike(d), d * d, d});
  auto step = [&](Op k, absl::Span<const Op> v, absl::Span<const Op> fixed) {
    Op numerator = (fixed[0] - k) * k, denominator = fixed[1] + k * 2;
    Op new_c = denominator + numerator / v[0];
    Op new_d = 1 / (denominator + numerator * v[1]);
    Op factor = new_c * new_d;
    // Rounding leaves factors that are off by a unit.
    Op goes_on = Gt(Abs(factor - 1), s.tolerance * 4);
    if (!derives) return Iteration{goes_on, {new_c, new_d, v[2] * factor}};
    Op slope_c = k / v[0] - 1 - numerator * v[3] / (v[0] * v[0]);
    Op slope_d = -(new_d * new_d) * (v[1] * k + numerator * v[4] - 1);
    Op more = slope_c / new_c + slope_d / new_d;
    Op slope = v[5] + more;
    goes_on = Or(goes_on, Gt(Abs(more), Abs(slope) * (s.tolerance * 16)));
    return Iteration{goes_on, {new_c, new_d, v[2] * factor, slope_c, slope_d, slope}};
  };
  ASSIGN_OR_RETURN(
      values, Iterate("incomplete-gamma-fraction", b, active, values, {s.a, first}, 10000, step));
  Op h = values[2];
  if (!derives) return which == Which::kUpper ? s.power * h : 1 - s.power * h;
  Op derived = h * (Log(s.x) - Digamma(s.a) + values[5]);
  return which == Which::kGradient ? -(s.power * derived) : derived * s.x;
}

Op ByExpansion(const Arguments& s, Which which) {
  Op half_square = -Log1pMinus(s.mu);  // eta^2 / 2
  Op magnitude = Sqrt(half_square * 2);
  Op eta = Select(Lt(s.mu, 0), -magnitude, magnitude);
  Op inverse = 1 / s.a;
  // Of the sum, by eta, and by the powers of 1 / a.
  Op sum = ZerosLike(eta), by_eta = sum, by_power = sum;
  const auto& rows = Expansion();
  for (size_t k = rows.size(); k-- > 0;) {
    Op c = Polynomial(eta, rows[k]);
    sum = sum * inverse + c;
    if (!IsDerivative(which)) continue;
    std::vector<double> derivative;
    for (size_t n = 0; n + 1 < rows[k].size(); ++n)
      derivative.push_back(rows[k][n] * static_cast<double>(rows[k].size() - 1 - n));
    by_eta = by_eta * inverse + Polynomial(eta, derivative);
    by_power = by_power * inverse + c * static_cast<double>(k);
  }
  Op scale = Exp(-(s.a * half_square)) / Sqrt(s.a * (2 * std::numbers::pi));
  if (!IsDerivative(which)) {
    Op z = Sqrt(s.a * half_square);
    Op signed_z = Select(Lt(s.mu, 0), -z, z);
    return which == Which::kLower ? Erfc(-signed_z) * 0.5 - scale * sum
                                  : Erfc(signed_z) * 0.5 + scale * sum;
  }
  Op ratio = Select(Eq(eta, 0), OnesLike(eta), s.mu / eta);
  Op slope = eta * 0.5 - ratio - (s.mu - half_square - inverse * 0.5) * sum +
             ratio * inverse * by_eta + by_power * inverse;
  return which == Which::kGradient ? scale * slope
                                   : -(slope * (s.x / s.a) * Exp(StirlingError(s.a)));
}

// Q for small a, where 1 - P would cancel: 1 - x^a / gamma(1 + a), and what the rest of the series
// of P adds to it.
absl::StatusOr<Op> UpperOfSmall(Builder* b, const Arguments& s, Op active) {
  auto step = [&](Op k, absl::Span<const Op> v, absl::Span<const Op> fixed) {
    Op term = -(v[0] * fixed[1] / k);
    Op part = term / (fixed[0] + k);
    Op sum = v[1] + part;
    return Iteration{Gt(Abs(part), Abs(sum) * s.tolerance), {term, sum}};
  };
  ASSIGN_OR_RETURN(std::vector<Op> v,
                   Iterate("incomplete-gamma-small", b, active, {OnesLike(s.x), ZerosLike(s.x)},
                           {s.a, s.x}, 1000, step));
  Op low = Lt(s.a, 0.5);
  Op t = Select(low, s.a, s.a - 1);
  Op log_gamma = t * LgammaOverArgument(t) - Select(low, Log1p(t), ZerosLike(t));
  Op exponent = s.a * Log(s.x) - log_gamma;
  return -Expm1(exponent) - Exp(exponent) * s.a * v[1];
}

absl::StatusOr<Op> IncompleteGamma(Builder* b, Op a, Op x, double tolerance, Which which) {
  Op outside = Or(Or(Lt(x, 0), Le(a, 0)), Or(Ne(x, x), Ne(a, a)));
  Op at_end = Or(Eq(x, 0), Or(Eq(x, kInfinity), Eq(a, kInfinity)));
  Op inside = Not(Or(outside, at_end));
  const Arguments s = Prepared(a, x, tolerance);
  Op expands = And(inside, And(Ge(a, kLeastA), Lt(Abs(s.mu), kMostMu)));
  Op rest = And(inside, Not(expands));
  Op above = And(rest, And(Gt(x, 1), Gt(x, a)));
  Op below = And(rest, Not(above));
  Op small;
  if (which == Which::kUpper) {
    // Where P is near 1.
    small = And(below, And(Lt(a, 1.4), Lt(a, Select(Gt(x, 0.5), x * 1.1, -0.4 / Log(x)))));
    below = And(below, Not(small));
  }
  ASSIGN_OR_RETURN(Op series, BySeries(b, s, below, which));
  ASSIGN_OR_RETURN(Op fraction, ByFraction(b, s, above, which));
  Op y = Select(expands, ByExpansion(s, which), Select(above, fraction, series));
  if (which == Which::kUpper) {
    ASSIGN_OR_RETURN(Op of_small, UpperOfSmall(b, s, small));
    y = Select(small, of_small, y);
  }
  // P is 1 at x = infinity, 0 at x = 0 and at a = infinity.
  Op is_one = Eq(x, kInfinity);
  if (which == Which::kUpper) is_one = Not(is_one);
  Op end = IsDerivative(which) ? ZerosLike(x) : ConvertElementType(is_one, ElementType::F64);
  y = Select(at_end, end, y);
  if (which != Which::kUpper) return Select(outside, FullLike(x, kNan), y);
  // XLA's Q is 1 outside.
  Op unknown = Or(Ne(x, x), Ne(a, a));
  return Select(unknown, FullLike(x, kNan), Select(outside, OnesLike(x), y));
}

Op Function(std::string_view name, const Operand& a, const Operand& x, Which which) {
  return InF64s(name, a, {a.op(), x.op()},
                [&](Builder* b, const std::vector<Op>& operands, double tolerance) {
                  return IncompleteGamma(b, operands[0], operands[1], tolerance, which);
                });
}

}  // namespace

Op Igamma(const Operand& a, const Operand& x) { return Function("igamma", a, x, Which::kLower); }
Op Igammac(const Operand& a, const Operand& x) { return Function("igammac", a, x, Which::kUpper); }
Op IgammaGradA(const Operand& a, const Operand& x) {
  return Function("igamma-grad-a", a, x, Which::kGradient);
}
Op RandomGammaGrad(const Operand& a, const Operand& x) {
  return Function("random-gamma-grad", a, x, Which::kSample);
}

}  // namespace sinter
