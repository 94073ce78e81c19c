// Elementwise operations whose operands or result differ in type, or that take attributes.
#include <cmath>
#include <cstring>

#include "base/status.h"
#include "eval/functions.h"
#include "types/small_floats.h"

namespace sinter::eval {
namespace {

// result[i] = f(x[i]) for wide types of the operand's and the result's kind.
template <class From, class To, class F>
Value MapTo(const Input& in, F f) {
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
    From a[kChunk];
    To r[kChunk];
    Load(x, first, count, a);
    for (int64_t i = 0; i < count; ++i) r[i] = f(a[i]);
    Store(result, first, count, r);
  });
  return Value(std::move(result));
}

bool OfComplex(const Input& in) { return IsComplex(in.array(0).shape().element_type()); }

}  // namespace

// Of integers modulo their width: the most negative number is its own. Of a complex number the
// modulus.
absl::StatusOr<Value> Abs(const Input& in) {
  ElementType t = in.array(0).shape().element_type();
  if (IsComplex(t)) {
    return MapTo<Complex, double>(
        in, [](Complex x) { return static_cast<double>(std::abs(std::complex<long double>(x))); });
  }
  if (IsSigned(t)) {
    return MapTo<int64_t, int64_t>(
        in, [](int64_t x) { return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x; });
  }
  if (!IsFloat(t)) return Unimplemented("abs of {}", Name(t));
  return MapTo<double, double>(in, [](double x) { return std::fabs(x); });
}

absl::StatusOr<Value> Real(const Input& in) {
  if (!OfComplex(in)) return Identity(in);
  return MapTo<Complex, double>(in, [](Complex x) { return x.real(); });
}

absl::StatusOr<Value> Imag(const Input& in) {
  if (!OfComplex(in)) return Value(NewResult(in));
  return MapTo<Complex, double>(in, [](Complex x) { return x.imag(); });
}

absl::StatusOr<Value> MakeComplex(const Input& in) {
  Literal result = NewResult(in);
  ForChunks(result.shape().element_count(), [&](int64_t first, int64_t count) {
    double re[kChunk], im[kChunk];
    Complex r[kChunk];
    Load(in.array(0), first, count, re);
    Load(in.array(1), first, count, im);
    for (int64_t i = 0; i < count; ++i) r[i] = {re[i], im[i]};
    Store(result, first, count, r);
  });
  return Value(std::move(result));
}

absl::StatusOr<Value> IsFinite(const Input& in) {
  return MapTo<double, bool>(in, [](double x) { return std::isfinite(x); });
}

// On bit patterns: rounds the mantissa to nearest even, then makes what the smaller exponent cannot
// hold infinite or zero (its denormal numbers are flushed). NaN stays, or is infinite without a
// mantissa.
absl::StatusOr<Value> ReducePrecision(const Input& in) {
  const Literal& x = in.array(0);
  const auto& attrs = in.instruction.attrs<ReducePrecisionAttrs>();
  ElementType t = x.shape().element_type();
  auto format = t == ElementType::F64
                    ? FloatFormat{11, 52, 1023, FloatFormat::Special::kIeee}
                    : FormatOf(t).value_or(FloatFormat{0, 0, 0, FloatFormat::Special::kNone});
  if (format.special != FloatFormat::Special::kIeee) {
    return Unimplemented("reduce-precision of {}", Name(t));
  }
  int mantissa = format.mantissa_bits;
  uint64_t sign_mask = uint64_t{1} << (BitWidth(t) - 1);
  uint64_t exponent_mask = ((uint64_t{1} << format.exponent_bits) - 1) << mantissa;
  auto width = static_cast<size_t>(ByteWidth(t));

  Literal result = NewResult(in);
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    size_t at = static_cast<size_t>(i) * width;
    uint64_t bits = 0;  // little-endian
    std::memcpy(&bits, static_cast<const char*>(x.untyped_data()) + at, width);
    if ((bits & ~sign_mask) > exponent_mask) {  // NaN
      if (attrs.mantissa_bits == 0) bits = exponent_mask;
    } else {
      if (attrs.mantissa_bits < mantissa) {
        auto dropped = mantissa - static_cast<int>(attrs.mantissa_bits);
        uint64_t last = uint64_t{1} << dropped;
        bits += (last >> 1) - 1 + (bits >> dropped & 1);
        bits &= ~(last - 1);
      }
      if (attrs.exponent_bits < format.exponent_bits) {
        auto bias = static_cast<uint64_t>(format.bias);
        uint64_t reduced_bias = (uint64_t{1} << (attrs.exponent_bits - 1)) - 1;
        uint64_t exponent = bits & exponent_mask;
        if (exponent > (bias + reduced_bias) << mantissa) {
          bits = (bits & sign_mask) | exponent_mask;
        } else if (exponent <= (bias - reduced_bias) << mantissa) {
          bits &= sign_mask;
        }
      }
    }
    std::memcpy(static_cast<char*>(result.untyped_data()) + at, &bits, width);
  }
  return Value(std::move(result));
}

// minimum(maximum(x, low), high); either bound may be a scalar.
absl::StatusOr<Value> Clamp(const Input& in) {
  const Literal &low = in.array(0), &x = in.array(1), &high = in.array(2);
  const BinaryKernel &max = *BinaryKernelOf(HloOpcode::Maximum),
                     &min = *BinaryKernelOf(HloOpcode::Minimum);
  ElementType t = x.shape().element_type();
  return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
    using W = decltype(wide);
    auto load = [](const Literal& bound, bool scalar, int64_t first, int64_t count, W* out) {
      if (!scalar) return Load(bound, first, count, out);
      std::fill_n(out, count, LoadOne<W>(bound));
    };
    bool scalar_low = low.shape().is_scalar(), scalar_high = high.shape().is_scalar();
    Literal result = NewResult(in);
    ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
      W lo[kChunk], v[kChunk], hi[kChunk];
      load(low, scalar_low, first, count, lo);
      Load(x, first, count, v);
      load(high, scalar_high, first, count, hi);
      for (int64_t i = 0; i < count; ++i) {
        v[i] = Apply(min, BitWidth(t), Apply(max, BitWidth(t), v[i], lo[i]), hi[i]);
      }
      Store(result, first, count, v);
    });
    return Value(std::move(result));
  });
}

// Bits move unchanged, NaN payloads included. The predicate may be a scalar.
absl::StatusOr<Value> Select(const Input& in) {
  const Literal& which = in.array(0);
  if (which.shape().is_scalar()) return std::move(in.operands[LoadOne<bool>(which) ? 1 : 2]);
  Literal result = NewResult(in);
  auto width = static_cast<size_t>(ByteWidth(result.shape().element_type()));
  const auto* on_true = static_cast<const char*>(in.array(1).untyped_data());
  const auto* on_false = static_cast<const char*>(in.array(2).untyped_data());
  auto* out = static_cast<char*>(result.untyped_data());
  auto predicates = which.data<uint8_t>();
  for (size_t i = 0; i < predicates.size(); ++i) {
    std::memcpy(out + i * width, (predicates[i] ? on_true : on_false) + i * width, width);
  }
  return Value(std::move(result));
}

}  // namespace sinter::eval
