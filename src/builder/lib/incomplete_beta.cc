// The regularized incomplete beta function.

#include <limits>
#include <numbers>

#include "builder/lib/iterate.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/math.h"

namespace sinter {
namespace {

// a log(1 + u / a) - u, where the power (1 + u / a)^a is `base`^a.
Op PowerLessArgument(Op a, Op u, Op base) {
  Op t = u / a;
  Op is_near = And(Gt(t, -0.45), Lt(t, 0.8));
  return Select(is_near, a * Log1pMinus(Select(is_near, t, ZerosLike(t))), a * Log(base) - u);
}

// x^a (1 - x)^b / B(a, b): Stirling's formula for the three gamma functions of B, whose leading
// terms cancel against the powers.
Op Power(Op a, Op b, Op x, Op y) {
  Op sum = a + b;
  Op u = x * b - y * a;
  Op exponent = PowerLessArgument(a, u, x * (sum / a)) + PowerLessArgument(b, -u, y * (sum / b));
  Op error = StirlingError(sum) - StirlingError(a) - StirlingError(b);
  return Sqrt(a * (b / sum) * (0.5 / std::numbers::pi)) * Exp(exponent + error);
}

// The continued fraction of DLMF 8.17.22 (https://dlmf.nist.gov/8.17), two terms a step; Lentz's
// method.
absl::StatusOr<Op> Fraction(Builder* builder, Op a, Op b, Op x, Op active, double tolerance) {
  Op first = 1 - (a + b) * x / (a + 1);
  Op d = 1 / Select(Eq(first, 0), FullLike(first, 0x1p-1000), first);
  auto step = [&](Op m, absl::Span<const Op> v, absl::Span<const Op> fixed) {
    Op p = fixed[0], q = fixed[1], z = fixed[2];
    auto safe = [](Op value) { return Select(Eq(value, 0), FullLike(value, 0x1p-1000), value); };
    Op twice = m * 2;
    Op even = m * (q - m) * z / ((p - 1 + twice) * (p + twice));
    Op d1 = 1 / safe(even * v[1] + 1), c1 = safe(even / v[0] + 1);
    Op h = v[2] * d1 * c1;
    Op odd = -((p + m) * (p + q + m) * z / ((p + twice) * (p + 1 + twice)));
    Op d2 = 1 / safe(odd * d1 + 1), c2 = safe(odd / c1 + 1);
    Op factor = d2 * c2;
    // Rounding leaves factors that are off by a unit.
    return Iteration{Gt(Abs(factor - 1), tolerance * 4), {c2, d2, h * factor}};
  };
  ASSIGN_OR_RETURN(std::vector<Op> v, Iterate("incomplete-beta", builder, active,
                                              {OnesLike(x), d, d}, {a, b, x}, 10000, step));
  return v[2];
}

absl::StatusOr<Op> IncompleteBeta(Builder* builder, Op a, Op b, Op x, double tolerance) {
  Op outside = Or(Or(Le(a, 0), Le(b, 0)), Or(Lt(x, 0), Gt(x, 1)));
  outside = Or(outside, Or(Ne(a, a), Or(Ne(b, b), Ne(x, x))));
  Op at_end = Or(Eq(x, 0), Eq(x, 1));
  // The fraction converges fast below the mean: above it I_x(a, b) = 1 - I_{1-x}(b, a).
  Op direct = Lt(x, (a + 1) / (a + b + 2));
  Op y = 1 - x;
  Op p = Select(direct, a, b), q = Select(direct, b, a);
  Op z = Select(direct, x, y), rest = Select(direct, y, x);
  ASSIGN_OR_RETURN(Op h, Fraction(builder, p, q, z, Not(Or(outside, at_end)), tolerance));
  Op value = Power(p, q, z, rest) * h / p;
  value = Select(direct, value, 1 - value);
  value = Select(at_end, x, value);
  return Select(outside, FullLike(x, std::numeric_limits<double>::quiet_NaN()), value);
}

}  // namespace

Op RegularizedIncompleteBeta(const Operand& a, const Operand& b, const Operand& x) {
  return InF64s("regularized-incomplete-beta", a, {a.op(), b.op(), x.op()},
                [&](Builder* builder, const std::vector<Op>& v, double tolerance) {
                  return IncompleteBeta(builder, v[0], v[1], v[2], tolerance);
                });
}

}  // namespace sinter
