#include "frontend/stablehlo_text/print_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

// Larger constants are bytes in hexadecimal, as MLIR prints them.
constexpr int64_t kMostListed = 100;

constexpr char kHexDigits[] = "0123456789ABCDEF";

void AppendBits(uint64_t bits, int digits, std::string& out) {
  out += "0x";
  for (int d = digits - 1; d >= 0; --d) out += kHexDigits[bits >> (4 * d) & 15];
}

// MLIR tells floats from integers by the point.
template <class T>
void AppendDecimal(T value, std::string& out) {
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t exponent = text.find('e');
  out += text.substr(0, exponent);
  if (text.substr(0, exponent).find('.') == text.npos) out += ".0";
  if (exponent != text.npos) out += text.substr(exponent);
}

template <class T>
void AppendFloat(T value, std::string& out) {
  if (std::isfinite(value)) return AppendDecimal(value, out);
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> bits;
  std::memcpy(&bits, &value, sizeof bits);
  AppendBits(bits, 2 * static_cast<int>(sizeof bits), out);
}

template <class T>
void AppendComplex(std::complex<T> value, std::string& out) {
  out += '(';
  AppendFloat(value.real(), out);
  out += ',';
  AppendFloat(value.imag(), out);
  out += ')';
}

void AppendSmallFloat(ElementType type, uint32_t bits, std::string& out) {
  double value = DecodeFloat(*FormatOf(type), bits);
  if (std::isfinite(value)) return AppendDecimal(value, out);
  AppendBits(bits, (BitWidth(type) + 3) / 4, out);
}

template <class T>
T At(const Literal& l, int64_t i) {
  return l.data<T>()[static_cast<size_t>(i)];
}

void AppendElement(const Literal& l, int64_t i, std::string& out) {
  switch (ElementType type = l.shape().element_type()) {
    case ElementType::PRED:
      out += At<bool>(l, i) ? "true" : "false";
      return;
    case ElementType::S2:
    case ElementType::S4:
    case ElementType::S8:
      out += std::to_string(At<int8_t>(l, i));
      return;
    case ElementType::S16:
      out += std::to_string(At<int16_t>(l, i));
      return;
    case ElementType::S32:
      out += std::to_string(At<int32_t>(l, i));
      return;
    case ElementType::S64:
      out += std::to_string(At<int64_t>(l, i));
      return;
    case ElementType::U2:
    case ElementType::U4:
    case ElementType::U8:
      out += std::to_string(At<uint8_t>(l, i));
      return;
    case ElementType::U16:
      out += std::to_string(At<uint16_t>(l, i));
      return;
    case ElementType::U32:
      out += std::to_string(At<uint32_t>(l, i));
      return;
    case ElementType::U64:
      out += std::to_string(At<uint64_t>(l, i));
      return;
    case ElementType::F32:
      return AppendFloat(At<float>(l, i), out);
    case ElementType::F64:
      return AppendFloat(At<double>(l, i), out);
    case ElementType::C64:
      return AppendComplex(At<std::complex<float>>(l, i), out);
    case ElementType::C128:
      return AppendComplex(At<std::complex<double>>(l, i), out);
    case ElementType::BF16:
    case ElementType::F16:
      return AppendSmallFloat(type, At<uint16_t>(l, i), out);
    default:
      return AppendSmallFloat(type, At<uint8_t>(l, i), out);  // f8 and narrower
  }
}

bool IsUniform(const Literal& l) {
  auto* bytes = static_cast<const std::byte*>(l.untyped_data());
  auto width = static_cast<size_t>(ByteWidth(l.shape().element_type()));
  auto size = static_cast<size_t>(l.byte_size());
  return size <= width || std::memcmp(bytes, bytes + width, size - width) == 0;
}

// Predicates have no bytes: writers differ in whether they pack them into bits.
void AppendHex(const Literal& l, std::string& out) {
  auto* bytes = static_cast<const uint8_t*>(l.untyped_data());
  auto size = static_cast<size_t>(l.byte_size());
  int bits = BitWidth(l.shape().element_type());
  uint8_t mask = bits < 8 ? static_cast<uint8_t>((1 << bits) - 1) : 255;
  size_t at = out.size() + 3;
  out += "\"0x";
  out.resize(at + 2 * size);
  for (size_t i = 0; i < size; ++i) {
    uint8_t b = bytes[i] & mask;
    out[at++] = kHexDigits[b >> 4];
    out[at++] = kHexDigits[b & 15];
  }
  out += '"';
}

// Nested lists in one pass: before element i and behind it, a bracket for each dimension whose run
// begins or ends there.
void AppendLists(const Literal& l, std::string& out) {
  const auto& dims = l.shape().dimensions();
  int64_t count = l.shape().element_count();
  for (int64_t i = 0; i < count; ++i) {
    size_t opened = 0;
    int64_t run = 1;
    for (size_t d = dims.size(); d-- > 0 && i % (run *= dims[d]) == 0;) ++opened;
    if (i) out += ", ";
    out.append(opened, '[');
    AppendElement(l, i, out);
    size_t closed = 0;
    run = 1;
    for (size_t d = dims.size(); d-- > 0 && (i + 1) % (run *= dims[d]) == 0;) ++closed;
    out.append(closed, ']');
  }
}

}  // namespace

std::string ListText(const Dims& dims) { return Format("[{}]", Join(dims, ", ")); }

std::string ArrayText(const Dims& dims) {
  return dims.empty() ? "array<i64>" : Format("array<i64: {}>", Join(dims, ", "));
}

std::string FloatText(float value) {
  std::string out;
  AppendFloat(value, out);
  return out;
}

void AppendDense(const Literal& literal, std::string& out) {
  int64_t count = literal.shape().element_count();
  out += "dense<";
  if (count != 0 && IsUniform(literal)) {
    AppendElement(literal, 0, out);
  } else if (count > kMostListed && !IsPredicate(literal.shape().element_type())) {
    AppendHex(literal, out);
  } else {
    AppendLists(literal, out);
  }
  out += '>';
}

}  // namespace sinter::stablehlo
