// Operations of one operand whose result has its type.
#include <bit>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

// Functions are computed in long double and rounded once: what cancels or overflows in double does
// not there, and the C library's functions of double are off by up to 3 units in the last place.
using Long = long double;
using Wide = std::complex<long double>;

double Rounded(Long x) { return static_cast<double>(x); }

template <Wide (*kFunction)(const Wide&)>
Complex InLongDouble(Complex x) {
  return Complex(kFunction(Wide(x)));
}

// exp(a+bi) - 1 with cos b - 1 = -2 sin^2(b/2), so that nothing cancels near zero.
Wide Expm1OfComplex(const Wide& x) {
  long double a = x.real(), b = x.imag();
  if (b == 0) return {std::expm1(a), b};
  if (!std::isfinite(a) || !std::isfinite(b)) return std::exp(x) - 1.0L;
  long double half_sine = std::sin(b / 2);
  long double re = std::expm1(a) * std::cos(b) - 2 * half_sine * half_sine;
  return {re, std::exp(a) * std::sin(b)};
}

// log(1+a+bi): near 0 half the log1p of |1+x|^2 - 1 = a(2+a) + b^2.
Wide Log1pOfComplex(const Wide& x) {
  long double a = x.real(), b = x.imag();
  long double angle = std::atan2(b, 1 + a);
  if (std::fabs(a) < 0.5L && std::fabs(b) < 0.5L) {
    return {std::log1p(a * (2 + a) + b * b) / 2, angle};
  }
  return {std::log(Wide(1 + a, b)).real(), angle};
}

// Of the two forms the one whose exponential does not overflow. The real part of the divisor is
// taken as 1 + cos b + (e^-|a| - 1) cos b, as near the poles, odd multiples of pi i, it vanishes.
Wide LogisticOfComplex(const Wide& x) {
  const bool right = x.real() >= 0;
  const Wide e = std::exp(right ? -x : x);
  Wide divisor = 1.0L + e;
  if (std::isfinite(x.real()) && std::isfinite(x.imag())) {
    const Long half_cosine = std::cos(x.imag() / 2);
    divisor.real(2 * half_cosine * half_cosine +
                 std::expm1(-std::fabs(x.real())) * std::cos(x.imag()));
  }
  return (right ? Wide(1) : e) / divisor;
}

Wide SqrtOfComplex(const Wide& x) { return std::sqrt(x); }

Wide RsqrtOfComplex(const Wide& x) { return 1.0L / std::sqrt(x); }

// The principal root: a third of the argument.
Wide CbrtOfComplex(const Wide& x) {
  if (x.imag() == 0 && x.real() >= 0) return {std::cbrt(x.real()), x.imag()};
  long double modulus = std::cbrt(std::abs(x)), angle = std::arg(x) / 3;
  return {modulus * std::cos(angle), modulus * std::sin(angle)};
}

Wide SignOfComplex(const Wide& x) {
  if (std::isnan(x.real()) || std::isnan(x.imag())) {
    long double nan = std::numeric_limits<long double>::quiet_NaN();
    return {nan, nan};
  }
  long double modulus = std::abs(x);
  return modulus == 0 ? Wide(0) : x / modulus;
}

Wide AcosOfComplex(const Wide& x) { return std::acos(x); }
Wide AcoshOfComplex(const Wide& x) { return std::acosh(x); }
Wide AsinOfComplex(const Wide& x) { return std::asin(x); }
Wide AsinhOfComplex(const Wide& x) { return std::asinh(x); }
Wide AtanOfComplex(const Wide& x) { return std::atan(x); }
Wide AtanhOfComplex(const Wide& x) { return std::atanh(x); }
Wide CoshOfComplex(const Wide& x) { return std::cosh(x); }
Wide SinhOfComplex(const Wide& x) { return std::sinh(x); }
Wide ExpOfComplex(const Wide& x) { return std::exp(x); }
Wide LogOfComplex(const Wide& x) { return std::log(x); }
Wide CosineOfComplex(const Wide& x) { return std::cos(x); }
Wide SineOfComplex(const Wide& x) { return std::sin(x); }
Wide TanOfComplex(const Wide& x) { return std::tan(x); }
Wide TanhOfComplex(const Wide& x) { return std::tanh(x); }

double LogisticOf(double x) { return Rounded(1 / (1 + std::exp(-Long{x}))); }

// -1, +-0, 1; NaN stays NaN.
double SignOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// Halves away from zero, whatever the rounding mode.
double RoundAfzOf(double x) { return std::round(x); }

// Halves to even without the rounding mode: x minus its remainder is exact.
double RoundEvenOf(double x) {
  return std::isinf(x) ? x : std::copysign(x - std::remainder(x, 1.0), x);
}

uint64_t Bits(int64_t x, int bits) {
  return static_cast<uint64_t>(x) & (~uint64_t{0} >> (64 - bits));
}

constexpr OpRow<UnaryKernel> kUnaryRows[] = {
    {HloOpcode::Acos,
     {.f = [](double x) { return Rounded(std::acos(Long{x})); }, .c = InLongDouble<AcosOfComplex>}},
    {HloOpcode::Acosh,
     {.f = [](double x) { return Rounded(std::acosh(Long{x})); },
      .c = InLongDouble<AcoshOfComplex>}},
    {HloOpcode::Asin,
     {.f = [](double x) { return Rounded(std::asin(Long{x})); }, .c = InLongDouble<AsinOfComplex>}},
    {HloOpcode::Asinh,
     {.f = [](double x) { return Rounded(std::asinh(Long{x})); },
      .c = InLongDouble<AsinhOfComplex>}},
    {HloOpcode::Atan,
     {.f = [](double x) { return Rounded(std::atan(Long{x})); }, .c = InLongDouble<AtanOfComplex>}},
    {HloOpcode::Atanh,
     {.f = [](double x) { return Rounded(std::atanh(Long{x})); },
      .c = InLongDouble<AtanhOfComplex>}},
    {HloOpcode::Cbrt,
     {.f = [](double x) { return Rounded(std::cbrt(Long{x})); }, .c = InLongDouble<CbrtOfComplex>}},
    {HloOpcode::Ceil, {.f = [](double x) { return std::ceil(x); }}},
    {HloOpcode::Clz,
     {.s = [](int64_t x, int bits) -> int64_t {
        return std::countl_zero(Bits(x, bits)) - (64 - bits);
      },
      .u = [](uint64_t x, int bits) -> uint64_t {
        return static_cast<uint64_t>(std::countl_zero(x) - (64 - bits));
      }}},
    {HloOpcode::Cosine,
     {.f = [](double x) { return Rounded(std::cos(Long{x})); },
      .c = InLongDouble<CosineOfComplex>}},
    {HloOpcode::Cosh,
     {.f = [](double x) { return Rounded(std::cosh(Long{x})); }, .c = InLongDouble<CoshOfComplex>}},
    {HloOpcode::Erf, {.f = [](double x) { return Rounded(std::erf(Long{x})); }}},
    {HloOpcode::Exp,
     {.f = [](double x) { return Rounded(std::exp(Long{x})); }, .c = InLongDouble<ExpOfComplex>}},
    {HloOpcode::Expm1,
     {.f = [](double x) { return Rounded(std::expm1(Long{x})); },
      .c = InLongDouble<Expm1OfComplex>}},
    {HloOpcode::Floor, {.f = [](double x) { return std::floor(x); }}},
    {HloOpcode::Log,
     {.f = [](double x) { return Rounded(std::log(Long{x})); }, .c = InLongDouble<LogOfComplex>}},
    {HloOpcode::Log1p,
     {.f = [](double x) { return Rounded(std::log1p(Long{x})); },
      .c = InLongDouble<Log1pOfComplex>}},
    {HloOpcode::Logistic, {.f = LogisticOf, .c = InLongDouble<LogisticOfComplex>}},
    {HloOpcode::Negate,
     {.s = [](int64_t x, int) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); },
      .u = [](uint64_t x, int) { return -x; },
      .f = [](double x) { return -x; },
      .c = [](Complex x) { return -x; }}},
    {HloOpcode::Not,
     {.p = [](bool x) { return !x; },
      .s = [](int64_t x, int) { return ~x; },
      .u = [](uint64_t x, int) { return ~x; }}},
    {HloOpcode::Popcnt,
     {.s = [](int64_t x, int bits) -> int64_t { return std::popcount(Bits(x, bits)); },
      .u = [](uint64_t x, int) -> uint64_t { return static_cast<uint64_t>(std::popcount(x)); }}},
    {HloOpcode::RoundAfz, {.f = RoundAfzOf}},
    {HloOpcode::RoundEven, {.f = RoundEvenOf}},
    {HloOpcode::Rsqrt,
     {.f = [](double x) { return Rounded(1 / std::sqrt(Long{x})); },
      .c = InLongDouble<RsqrtOfComplex>}},
    {HloOpcode::Sign,
     {.s = [](int64_t x, int) -> int64_t { return (x > 0) - (x < 0); },
      .u = [](uint64_t x, int) -> uint64_t { return x > 0; },
      .f = SignOf,
      .c = InLongDouble<SignOfComplex>}},
    {HloOpcode::Sine,
     {.f = [](double x) { return Rounded(std::sin(Long{x})); }, .c = InLongDouble<SineOfComplex>}},
    {HloOpcode::Sinh,
     {.f = [](double x) { return Rounded(std::sinh(Long{x})); }, .c = InLongDouble<SinhOfComplex>}},
    {HloOpcode::Sqrt,
     {.f = [](double x) { return std::sqrt(x); }, .c = InLongDouble<SqrtOfComplex>}},
    {HloOpcode::Tan,
     {.f = [](double x) { return Rounded(std::tan(Long{x})); }, .c = InLongDouble<TanOfComplex>}},
    {HloOpcode::Tanh,
     {.f = [](double x) { return Rounded(std::tanh(Long{x})); }, .c = InLongDouble<TanhOfComplex>}},
};
constexpr auto kUnaryKernels = KernelTable(kUnaryRows, HasUnaryKernel);

bool Apply(const UnaryKernel& k, int, bool x) { return k.p(x); }
int64_t Apply(const UnaryKernel& k, int bits, int64_t x) { return k.s(x, bits); }
uint64_t Apply(const UnaryKernel& k, int bits, uint64_t x) { return k.u(x, bits); }
double Apply(const UnaryKernel& k, int, double x) { return k.f(x); }
Complex Apply(const UnaryKernel& k, int, Complex x) { return k.c(x); }

bool Has(const UnaryKernel& k, bool) { return k.p; }
bool Has(const UnaryKernel& k, int64_t) { return k.s; }
bool Has(const UnaryKernel& k, uint64_t) { return k.u; }
bool Has(const UnaryKernel& k, double) { return k.f; }
bool Has(const UnaryKernel& k, Complex) { return k.c; }

}  // namespace

absl::StatusOr<Value> Unary(const Input& in) {
  const Literal& x = in.array(0);
  const UnaryKernel& kernel = kUnaryKernels[static_cast<size_t>(in.instruction.op())];
  ElementType t = x.shape().element_type();
  return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
    using W = decltype(wide);
    if (!Has(kernel, wide)) return Unimplemented("{} of {}", Name(in.instruction.op()), Name(t));
    Literal result = NewResult(in);
    ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
      W a[kChunk];
      Load(x, first, count, a);
      for (int64_t i = 0; i < count; ++i) a[i] = Apply(kernel, BitWidth(t), a[i]);
      Store(result, first, count, a);
    });
    return Value(std::move(result));
  });
}

}  // namespace sinter::eval
