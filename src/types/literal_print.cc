#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "types/literal_text.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

template <class T>
void AppendNumber(T value, std::string& out) {
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  if constexpr (std::is_floating_point_v<T>) {
    // XLA reads digits alone as an integer of 64 bits.
    if (end - buffer > 18 &&
        std::all_of(buffer + 1, end, [](char c) { return c >= '0' && c <= '9'; })) {
      end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    }
  }
  out.append(buffer, end);
}

// NaNs but the usual one say their mantissa bits.
void AppendNan(bool negative, uint64_t mantissa, int mantissa_bits, std::string& out) {
  out += negative ? "-nan" : "nan";
  if (mantissa != uint64_t{1} << (mantissa_bits - 1)) out += Format("(0x{:x})", mantissa);
}

void AppendFloat(float v, std::string& out) {
  if (!std::isnan(v)) return AppendNumber(v, out);
  auto bits = std::bit_cast<uint32_t>(v);
  AppendNan(bits >> 31, bits & 0x7fffff, 23, out);
}
void AppendFloat(double v, std::string& out) {
  if (!std::isnan(v)) return AppendNumber(v, out);
  auto bits = std::bit_cast<uint64_t>(v);
  AppendNan(bits >> 63, bits & 0xfffffffffffff, 52, out);
}

void AppendSmallFloat(const FloatFormat& f, uint32_t bits, std::string& out) {
  double v = DecodeFloat(f, bits);
  if (std::isnan(v)) {
    bool negative = f.has_sign && bits >> (f.bits() - 1);
    if (f.special != FloatFormat::Special::kIeee) {
      out += negative && f.special == FloatFormat::Special::kAllOnes ? "-nan" : "nan";
    } else {
      AppendNan(negative, bits & ((uint32_t{1} << f.mantissa_bits) - 1), f.mantissa_bits, out);
    }
    return;
  }
  if (v == std::floor(v) && std::fabs(v) < 1e5) return AppendNumber(v, out);
  // The fewest digits that read back to the same bits; five suffice for 11 bits of mantissa.
  char buffer[40];
  for (int digits = 1;; ++digits) {
    auto end =
        std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::general, digits).ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (digits == 17 || EncodeFloat(f, back) == bits) return AppendNumber(back, out);
  }
}

// XLA reads the halves of a complex number as f64 and refuses what is beyond the largest f32, as
// the shortest text of that very number is.
void AppendHalf(float v, std::string& out) {
  if (std::fabs(v) == std::numeric_limits<float>::max()) return AppendNumber<double>(v, out);
  AppendFloat(v, out);
}
void AppendHalf(double v, std::string& out) { AppendFloat(v, out); }

template <class T>
void AppendComplex(std::complex<T> v, std::string& out) {
  out += '(';
  AppendHalf(v.real(), out);
  out += ", ";
  AppendHalf(v.imag(), out);
  out += ')';
}

void AppendElement(const Literal& l, int64_t i, std::string& out) {
  auto at = static_cast<size_t>(i);
  switch (ElementType t = l.shape().element_type()) {
    using E = ElementType;
    case E::PRED:
      out += l.data<uint8_t>()[at] ? "true" : "false";
      return;
    case E::S2:
    case E::S4:
    case E::S8:
      return AppendNumber<int>(l.data<int8_t>()[at], out);
    case E::S16:
      return AppendNumber(l.data<int16_t>()[at], out);
    case E::S32:
      return AppendNumber(l.data<int32_t>()[at], out);
    case E::S64:
      return AppendNumber(l.data<int64_t>()[at], out);
    case E::U2:
    case E::U4:
    case E::U8:
      return AppendNumber<int>(l.data<uint8_t>()[at], out);
    case E::U16:
      return AppendNumber(l.data<uint16_t>()[at], out);
    case E::U32:
      return AppendNumber(l.data<uint32_t>()[at], out);
    case E::U64:
      return AppendNumber(l.data<uint64_t>()[at], out);
    case E::F32:
      return AppendFloat(l.data<float>()[at], out);
    case E::F64:
      return AppendFloat(l.data<double>()[at], out);
    case E::C64:
      return AppendComplex(l.data<std::complex<float>>()[at], out);
    case E::C128:
      return AppendComplex(l.data<std::complex<double>>()[at], out);
    case E::BF16:
    case E::F16:
      return AppendSmallFloat(*FormatOf(t), l.data<uint16_t>()[at], out);
    default:
      if (auto format = FormatOf(t)) AppendSmallFloat(*format, l.data<uint8_t>()[at], out);
  }
}

// Appends the part of an array below one index of each dimension before `dim`; `edge` elements are
// kept at both ends of each dimension, 0 keeps all.
void AppendArray(const Literal& l, int64_t dim, int64_t first, int64_t edge, std::string& out) {
  const Shape& shape = l.shape();
  if (dim == shape.rank()) return AppendElement(l, first, out);
  int64_t stride = 1;
  for (int64_t d = dim + 1; d < shape.rank(); ++d) stride *= shape.dimension(d);
  out += '{';
  for (int64_t i = 0, n = shape.dimension(dim); i < n; ++i) {
    if (i) out += ", ";
    if (edge && i == edge && n > 2 * edge + 1) {
      out += "..., ";
      i = n - edge;
    }
    AppendArray(l, dim + 1, first + i * stride, edge, out);
  }
  out += '}';
}

// An array without elements. XLA wants the braces of every dimension before the empty one, which
// the text of a large one leaves out: it would be as long as the dimensions say, for nothing.
void AppendEmpty(const Shape& shape, int64_t dim, std::string& out) {
  out += '{';
  for (int64_t i = 0; shape.rank() > dim && i < shape.dimension(dim); ++i) {
    if (i) out += ", ";
    AppendEmpty(shape, dim + 1, out);
  }
  out += '}';
}
bool HasFewBraces(const Shape& shape) {
  constexpr int64_t kMost = 1 << 16;
  int64_t braces = 1;
  for (int64_t d = 0; d < shape.rank() && shape.dimension(d) != 0; ++d) {
    if (shape.dimension(d) > kMost || (braces *= shape.dimension(d)) > kMost) return false;
  }
  return true;
}

}  // namespace

void AppendLiteralValue(const Literal& l, int64_t max_elements, std::string& out) {
  const Shape& shape = l.shape();
  if (shape.is_tuple()) {
    out += '(';
    for (size_t i = 0; i < l.tuple().size(); ++i) {
      if (i) out += ", ";
      AppendLiteralValue(l.tuple()[i], max_elements, out);
    }
    out += ')';
    return;
  }
  if (!shape.is_array()) {
    out += "{}";
    return;
  }
  if (shape.element_count() == 0) {
    if (HasFewBraces(shape)) return AppendEmpty(shape, 0, out);
    out += "{}";
    return;
  }
  int64_t edge = 0;
  if (shape.element_count() > max_elements) {
    double share =
        std::pow(static_cast<double>(max_elements), 1.0 / static_cast<double>(shape.rank()));
    edge = std::max<int64_t>(1, static_cast<int64_t>(share / 2));
  }
  AppendArray(l, 0, 0, edge, out);
}

std::string Literal::ElementToString(int64_t linear_index) const {
  std::string out;
  AppendElement(*this, linear_index, out);
  return out;
}

std::string Literal::ToString(int64_t max_elements) const {
  std::string out = shape_.ToString() + " ";
  AppendLiteralValue(*this, max_elements, out);
  return out;
}

}  // namespace sinter
