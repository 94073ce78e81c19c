// Operations of two operands whose result has their type.
#include <cmath>
#include <limits>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

using Wide = std::complex<long double>;

// Integer arithmetic is modulo 2^64 here; storing takes it modulo the type's width.
uint64_t U(int64_t x) { return static_cast<uint64_t>(x); }
int64_t S(uint64_t x) { return static_cast<int64_t>(x); }

// x/0 = -1; the most negative number / -1 = itself, since its negation wraps.
int64_t DivideSigned(int64_t x, int64_t y, int) { return y == 0 ? -1 : y == -1 ? S(-U(x)) : x / y; }
uint64_t DivideUnsigned(uint64_t x, uint64_t y, int) { return y == 0 ? ~uint64_t{0} : x / y; }

// x%0 = x; the sign is the dividend's.
int64_t RemainderSigned(int64_t x, int64_t y, int) { return y == 0 ? x : y == -1 ? 0 : x % y; }
uint64_t RemainderUnsigned(uint64_t x, uint64_t y, int) { return y == 0 ? x : x % y; }

uint64_t PowerUnsigned(uint64_t x, uint64_t y, int) {
  uint64_t result = 1;
  for (; y; y >>= 1, x *= x) {
    if (y & 1) result *= x;
  }
  return result;
}

// A negative power of 1 is 1, of -1 is 1 or -1, of others 0 (of 0 too).
int64_t PowerSigned(int64_t x, int64_t y, int bits) {
  if (y >= 0) return S(PowerUnsigned(U(x), U(y), bits));
  return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
}

// The amount is unsigned: a negative one is past every width.
bool Past(int64_t amount, int bits) { return amount < 0 || amount >= bits; }
bool Past(uint64_t amount, int bits) { return amount >= static_cast<uint64_t>(bits); }

int64_t ShiftLeftSigned(int64_t x, int64_t y, int bits) { return Past(y, bits) ? 0 : S(U(x) << y); }
uint64_t ShiftLeftUnsigned(uint64_t x, uint64_t y, int bits) { return Past(y, bits) ? 0 : x << y; }
int64_t ArithmeticSigned(int64_t x, int64_t y, int bits) { return x >> (Past(y, bits) ? 63 : y); }
// An unsigned element's upper bit is its sign.
uint64_t ArithmeticUnsigned(uint64_t x, uint64_t y, int bits) {
  int64_t with_sign = S(x << (64 - bits)) >> (64 - bits);
  return U(with_sign >> (Past(y, bits) ? 63 : S(y)));
}
int64_t LogicalSigned(int64_t x, int64_t y, int bits) {
  return Past(y, bits) ? 0 : S((U(x) & (~uint64_t{0} >> (64 - bits))) >> y);
}
uint64_t LogicalUnsigned(uint64_t x, uint64_t y, int bits) { return Past(y, bits) ? 0 : x >> y; }

int64_t MulhiSigned(int64_t x, int64_t y, int bits) {
  return static_cast<int64_t>((static_cast<__int128>(x) * y) >> bits);
}
uint64_t MulhiUnsigned(uint64_t x, uint64_t y, int bits) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> bits);
}

// NaN if either is NaN; -0 is less than +0.
double MaximumOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? x : y;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
double MinimumOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? x : y;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

// Complex numbers compare as the pairs of their parts.
bool IsNan(Complex x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
bool Less(Complex x, Complex y) {
  return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
}
Complex MaximumOfComplex(Complex x, Complex y) {
  if (IsNan(x) || IsNan(y)) return IsNan(x) ? x : y;
  return Less(x, y) ? y : x;
}
Complex MinimumOfComplex(Complex x, Complex y) {
  if (IsNan(x) || IsNan(y)) return IsNan(x) ? x : y;
  return Less(y, x) ? y : x;
}

// The angle of y + ix as -i log((x + iy) / sqrt(x^2 + y^2)), which defines it for complex operands.
Complex Atan2OfComplex(Complex y, Complex x) {
  Wide a(x), b(y), i(0, 1);
  return Complex(-i * std::log((a + i * b) / std::sqrt(a * a + b * b)));
}

// exp(y log x), where that is NaN or only a limit by these rules, which XLA has too: of a y of 0
// and an x of 1 it is 1, of an x of 0 and a real part of y above 0 it is 0 (XLA: where y is real),
// and of an x of +inf and a real y it is +inf or 0.
Complex PowerOfComplex(Complex x, Complex y) {
  if (y == Complex(0) || x == Complex(1)) return 1;
  if (x == Complex(0) && y.real() > 0) return 0;
  if (x == Complex(std::numeric_limits<double>::infinity()) && y.imag() == 0 && y.real() != 0 &&
      !std::isnan(y.real()))
    return y.real() > 0 ? x.real() : 0;
  return Complex(std::exp(Wide(y) * std::log(Wide(x))));
}

// In long double, but where C libraries get powers of infinities wrong there. 1 also to or of NaNs
// that signal, of which C libraries make others.
double PowerOf(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (x == 0 || !std::isfinite(x) || !std::isfinite(y)) return std::pow(x, y);
  const long double wide = x;
  return static_cast<double>(std::pow(wide, static_cast<long double>(y)));
}

double Atan2Of(double y, double x) {
  const long double wide = y;
  return static_cast<double>(std::atan2(wide, static_cast<long double>(x)));
}

constexpr OpRow<BinaryKernel> kBinaryRows[] = {
    {HloOpcode::Add,
     {.p = [](bool x, bool y) { return x || y; },
      .s = [](int64_t x, int64_t y, int) { return S(U(x) + U(y)); },
      .u = [](uint64_t x, uint64_t y, int) { return x + y; },
      .f = [](double x, double y) { return x + y; },
      .c = [](Complex x, Complex y) { return x + y; }}},
    {HloOpcode::And,
     {.p = [](bool x, bool y) { return x && y; },
      .s = [](int64_t x, int64_t y, int) { return x & y; },
      .u = [](uint64_t x, uint64_t y, int) { return x & y; }}},
    {HloOpcode::Atan2, {.f = Atan2Of, .c = Atan2OfComplex}},
    {HloOpcode::Divide,
     {.s = DivideSigned,
      .u = DivideUnsigned,
      .f = [](double x, double y) { return x / y; },
      .c = [](Complex x, Complex y) { return x / y; }}},
    {HloOpcode::Maximum,
     {.p = [](bool x, bool y) { return x || y; },
      .s = [](int64_t x, int64_t y, int) { return x > y ? x : y; },
      .u = [](uint64_t x, uint64_t y, int) { return x > y ? x : y; },
      .f = MaximumOf,
      .c = MaximumOfComplex}},
    {HloOpcode::Minimum,
     {.p = [](bool x, bool y) { return x && y; },
      .s = [](int64_t x, int64_t y, int) { return x < y ? x : y; },
      .u = [](uint64_t x, uint64_t y, int) { return x < y ? x : y; },
      .f = MinimumOf,
      .c = MinimumOfComplex}},
    {HloOpcode::Mulhi, {.s = MulhiSigned, .u = MulhiUnsigned}},
    {HloOpcode::Multiply,
     {.p = [](bool x, bool y) { return x && y; },
      .s = [](int64_t x, int64_t y, int) { return S(U(x) * U(y)); },
      .u = [](uint64_t x, uint64_t y, int) { return x * y; },
      .f = [](double x, double y) { return x * y; },
      .c = [](Complex x, Complex y) { return x * y; }}},
    {HloOpcode::Or,
     {.p = [](bool x, bool y) { return x || y; },
      .s = [](int64_t x, int64_t y, int) { return x | y; },
      .u = [](uint64_t x, uint64_t y, int) { return x | y; }}},
    {HloOpcode::Power, {.s = PowerSigned, .u = PowerUnsigned, .f = PowerOf, .c = PowerOfComplex}},
    {HloOpcode::Remainder,
     {.s = RemainderSigned,
      .u = RemainderUnsigned,
      .f = [](double x, double y) { return std::fmod(x, y); }}},
    {HloOpcode::ShiftLeft, {.s = ShiftLeftSigned, .u = ShiftLeftUnsigned}},
    {HloOpcode::ShiftRightArithmetic, {.s = ArithmeticSigned, .u = ArithmeticUnsigned}},
    {HloOpcode::ShiftRightLogical, {.s = LogicalSigned, .u = LogicalUnsigned}},
    {HloOpcode::Subtract,
     {.s = [](int64_t x, int64_t y, int) { return S(U(x) - U(y)); },
      .u = [](uint64_t x, uint64_t y, int) { return x - y; },
      .f = [](double x, double y) { return x - y; },
      .c = [](Complex x, Complex y) { return x - y; }}},
    {HloOpcode::Xor,
     {.p = [](bool x, bool y) { return x != y; },
      .s = [](int64_t x, int64_t y, int) { return x ^ y; },
      .u = [](uint64_t x, uint64_t y, int) { return x ^ y; }}},
};
constexpr auto kBinaryKernels = KernelTable(kBinaryRows, HasBinaryKernel);

}  // namespace

const BinaryKernel* BinaryKernelOf(HloOpcode op) {
  return HasBinaryKernel(Info(op)) ? &kBinaryKernels[static_cast<size_t>(op)] : nullptr;
}

absl::StatusOr<Value> Binary(const Input& in) {
  const Literal &x = in.array(0), &y = in.array(1);
  const BinaryKernel& kernel = kBinaryKernels[static_cast<size_t>(in.instruction.op())];
  ElementType t = x.shape().element_type();
  return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
    using W = decltype(wide);
    if (!Has(kernel, wide)) return Unimplemented("{} of {}", Name(in.instruction.op()), Name(t));
    Literal result = NewResult(in);
    ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
      W a[kChunk], b[kChunk];
      Load(x, first, count, a);
      Load(y, first, count, b);
      for (int64_t i = 0; i < count; ++i) a[i] = Apply(kernel, BitWidth(t), a[i], b[i]);
      Store(result, first, count, a);
    });
    return Value(std::move(result));
  });
}

}  // namespace sinter::eval
