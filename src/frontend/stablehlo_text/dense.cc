// Values of dense constants. They may be most of a file, so each element is read straight into its
// place.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "frontend/stablehlo/elements.h"
#include "frontend/stablehlo_text/parser.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

class DenseReader {
 public:
  DenseReader(const TextSource& source, std::string_view text, const Shape& shape)
      : source_(source), p_(text.data()), end_(text.data() + text.size()), shape_(shape) {}

  absl::StatusOr<Literal> Read(bool* splat);

 private:
  template <class T>
  absl::StatusOr<Literal> ReadAs(bool* splat);
  template <class T>
  absl::Status ReadOne(T* out);
  template <class T>
  absl::Status ReadFloat(T* out);
  template <class Bits>
  absl::Status ReadSmallFloat(Bits* out);
  template <class T>
  absl::Status ReadInteger(T* out);
  template <class T>
  absl::Status ReadComplex(T* out);
  // Digits behind 0x as the bits of an element.
  template <class Bits>
  absl::Status ReadHexBits(Bits* out, int width);

  void SkipSpace() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  bool Eat(char c) {
    SkipSpace();
    if (p_ == end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  bool AtHex() const { return end_ - p_ > 2 && p_[0] == '0' && (p_[1] == 'x' || p_[1] == 'X'); }
  bool EatWord(std::string_view word) {
    if (std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, word.size()) != word) {
      return false;
    }
    if (p_ + word.size() != end_ && IsWordChar(p_[word.size()])) return false;
    p_ += word.size();
    return true;
  }
  absl::Status Bad(std::string_view what) const { return source_.Invalid(p_, "expected {}", what); }

  const TextSource& source_;
  const char *p_, *end_;
  const Shape& shape_;
};

template <class Bits>
absl::Status DenseReader::ReadHexBits(Bits* out, int width) {
  const char* start = p_;
  auto [stop, error] = std::from_chars(p_ + 2, end_, *out, 16);
  if (error != std::errc() || (width < 64 && uint64_t{*out} >> width)) {
    return source_.Invalid(start, "hexadecimal digits must be the {} bits of an element", width);
  }
  p_ = stop;
  return absl::OkStatus();
}

// Too large becomes infinite, too small zero: from_chars says only that it is one of both.
template <class T>
T OutOfRange(const char* first, const char* last) {
  const char* e = std::find_if(first, last, [](char c) { return c == 'e' || c == 'E'; });
  bool tiny = last - e > 1 && e[1] == '-';
  // Without an exponent: many digits before the point are large, zeros behind it small.
  if (e == last) tiny = *first == '0';
  return tiny ? T{0} : std::numeric_limits<T>::infinity();
}

template <class T>
absl::Status DenseReader::ReadFloat(T* out) {
  bool negative = p_ != end_ && *p_ == '-';
  if (negative || (p_ != end_ && *p_ == '+')) ++p_;
  if (AtHex()) {
    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> bits;
    RETURN_IF_ERROR(ReadHexBits(&bits, static_cast<int>(8 * sizeof(T))));
    std::memcpy(out, &bits, sizeof(T));
  } else if (p_ != end_ && IsDigit(*p_)) {
    auto [stop, error] = std::from_chars(p_, end_, *out);
    if (error == std::errc::result_out_of_range) *out = OutOfRange<T>(p_, stop);
    p_ = stop;
  } else if (EatWord("inf") || EatWord("infinity")) {
    *out = std::numeric_limits<T>::infinity();
  } else if (EatWord("nan")) {
    *out = std::numeric_limits<T>::quiet_NaN();
  } else {
    return Bad("a number");
  }
  if (negative) *out = -*out;
  return absl::OkStatus();
}

template <class Bits>
absl::Status DenseReader::ReadSmallFloat(Bits* out) {
  ElementType type = shape_.element_type();
  if (AtHex()) {
    RETURN_IF_ERROR(ReadHexBits(out, BitWidth(type)));
    return absl::OkStatus();
  }
  double value;
  RETURN_IF_ERROR(ReadFloat(&value));
  *out = static_cast<Bits>(EncodeFloat(*FormatOf(type), value));
  return absl::OkStatus();
}

template <class T>
absl::Status DenseReader::ReadInteger(T* out) {
  ElementType type = shape_.element_type();
  int width = BitWidth(type);
  const char* start = p_;
  bool negative = p_ != end_ && *p_ == '-';
  if (negative) ++p_;
  uint64_t magnitude = 0;
  bool hex = AtHex();
  auto [stop, error] = std::from_chars(p_ + (hex ? 2 : 0), end_, magnitude, hex ? 16 : 10);
  if (error == std::errc::invalid_argument) return Bad("an integer");
  // As MLIR, both readings of a pattern of bits: 255 and -1 for i8.
  uint64_t limit = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (error != std::errc() || magnitude > (negative ? limit / 2 + 1 : limit)) {
    return source_.Invalid(start, "the integer does not fit into {} bits", width);
  }
  p_ = stop;
  uint64_t value = negative ? 0 - magnitude : magnitude;
  if (width < 8) {  // a byte each, extended
    value &= limit;
    if (IsSigned(type) && value >> (width - 1)) value |= ~limit;
  }
  *out = static_cast<T>(value);
  return absl::OkStatus();
}

template <class T>
absl::Status DenseReader::ReadComplex(T* out) {
  typename T::value_type parts[2];
  if (!Eat('(')) return Bad("'(' before a complex number");
  SkipSpace();
  RETURN_IF_ERROR(ReadFloat(&parts[0]));
  if (!Eat(',')) return Bad("',' in a complex number");
  SkipSpace();
  RETURN_IF_ERROR(ReadFloat(&parts[1]));
  if (!Eat(')')) return Bad("')' behind a complex number");
  *out = T(parts[0], parts[1]);
  return absl::OkStatus();
}

template <class T>
absl::Status DenseReader::ReadOne(T* out) {
  if constexpr (std::is_same_v<T, bool>) {
    if (EatWord("true")) {
      *out = true;
    } else if (EatWord("false") || EatWord("0")) {
      *out = false;
    } else if (EatWord("1") || EatWord("-1")) {
      *out = true;
    } else {
      return Bad("'true' or 'false'");
    }
    return absl::OkStatus();
  } else if constexpr (std::is_floating_point_v<T>) {
    return ReadFloat(out);
  } else if constexpr (std::is_unsigned_v<T>) {
    return IsFloat(shape_.element_type()) ? ReadSmallFloat(out) : ReadInteger(out);
  } else if constexpr (std::is_integral_v<T>) {
    return ReadInteger(out);
  } else {
    return ReadComplex(out);
  }
}

template <class T>
absl::StatusOr<Literal> DenseReader::ReadAs(bool* splat) {
  SkipSpace();
  *splat = false;
  if (p_ == end_) {
    if (shape_.element_count()) return Bad("elements");
    return Literal(shape_);
  }
  if (*p_ != '[') {
    Literal one{Shape(shape_.element_type())};
    RETURN_IF_ERROR(ReadOne(one.data<T>().data()));
    SkipSpace();
    if (p_ != end_) return Bad("'>'");
    *splat = true;
    return one;
  }
  // Every element takes at least two characters of text, so that the text bounds the allocation.
  if (shape_.element_count() > (end_ - p_) / 2 + 1) {
    return source_.Invalid(p_, "fewer elements than {} has", ToText(shape_));
  }
  Literal literal(shape_);
  T* out = literal.data<T>().data();
  // How many entries each open bracket has read.
  std::vector<int64_t> counts;
  int64_t rank = shape_.rank(), read = 0;
  auto misshapen = [&] {
    return source_.Invalid(p_, "the nested lists do not have the shape of {}", ToText(shape_));
  };
  // An empty dimension ends the nesting: [] for 0x2, [[], []] for 2x0.
  while (true) {
    SkipSpace();
    int64_t depth = static_cast<int64_t>(counts.size());
    if (p_ != end_ && *p_ == '[') {
      if (depth == rank) return misshapen();
      ++p_;
      counts.push_back(0);
      SkipSpace();
      if (p_ == end_ || *p_ != ']') continue;
    } else {
      if (depth != rank) return misshapen();
      if (read == shape_.element_count()) return misshapen();
      RETURN_IF_ERROR(ReadOne(out + read));
      ++read;
      ++counts.back();
    }
    // Behind an element or at "]": commas and closing brackets.
    while (true) {
      if (Eat(',')) break;
      if (!Eat(']')) return Bad("',' or ']'");
      if (counts.back() != shape_.dimension(static_cast<int64_t>(counts.size()) - 1)) {
        return misshapen();
      }
      counts.pop_back();
      if (counts.empty()) {
        SkipSpace();
        if (p_ != end_) return Bad("'>'");
        if (read != shape_.element_count()) return misshapen();
        return literal;
      }
      ++counts.back();
    }
  }
}

absl::StatusOr<Literal> DenseReader::Read(bool* splat) {
  SkipSpace();
  if (p_ != end_ && *p_ == '"') {
    std::string_view quoted(p_, static_cast<size_t>(end_ - p_));
    return ParseHex(source_, quoted.substr(0, quoted.rfind('"') + 1), shape_, 0, splat);
  }
  switch (shape_.element_type()) {
    case ElementType::PRED:
      return ReadAs<bool>(splat);
    case ElementType::S2:
    case ElementType::S4:
    case ElementType::S8:
      return ReadAs<int8_t>(splat);
    case ElementType::S16:
      return ReadAs<int16_t>(splat);
    case ElementType::S32:
      return ReadAs<int32_t>(splat);
    case ElementType::S64:
      return ReadAs<int64_t>(splat);
    case ElementType::U2:
    case ElementType::U4:
    case ElementType::U8:
      return ReadAs<uint8_t>(splat);
    case ElementType::BF16:
    case ElementType::F16:
    case ElementType::U16:
      return ReadAs<uint16_t>(splat);
    case ElementType::U32:
      return ReadAs<uint32_t>(splat);
    case ElementType::U64:
      return ReadAs<uint64_t>(splat);
    case ElementType::F32:
      return ReadAs<float>(splat);
    case ElementType::F64:
      return ReadAs<double>(splat);
    case ElementType::C64:
      return ReadAs<std::complex<float>>(splat);
    case ElementType::C128:
      return ReadAs<std::complex<double>>(splat);
    default:
      break;
  }
  return ReadAs<uint8_t>(splat);  // f8 and narrower floats
}

struct HexTable {
  int8_t value[256];
  constexpr HexTable() : value() {
    for (int i = 0; i < 256; ++i) value[i] = static_cast<int8_t>(HexValue(static_cast<char>(i)));
  }
};
constexpr HexTable kHex;

// Whether every character was a digit.
bool DecodeHex(const char* digits, size_t bytes, uint8_t* out) {
  int bad = 0;
  for (size_t i = 0; i < bytes; ++i) {
    int high = kHex.value[static_cast<uint8_t>(digits[2 * i])];
    int low = kHex.value[static_cast<uint8_t>(digits[2 * i + 1])];
    bad |= high | low;
    out[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return bad >= 0;
}

}  // namespace

absl::StatusOr<Literal> ParseHex(const TextSource& source, std::string_view quoted,
                                 const Shape& shape, size_t skip, bool* splat) {
  std::string_view digits = quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : quoted;
  if (digits.substr(0, 2) != "0x" || digits.size() % 2 || digits.size() / 2 < 1 + skip) {
    return source.Invalid(quoted.data(), "expected \"0x\" and pairs of hexadecimal digits");
  }
  digits.remove_prefix(2 + 2 * skip);
  std::vector<uint8_t> bytes(digits.size() / 2);
  if (!DecodeHex(digits.data(), bytes.size(), bytes.data())) {
    return source.Invalid(quoted.data(), "expected \"0x\" and pairs of hexadecimal digits");
  }
  return LiteralOfBytes(source, quoted.data(), bytes, shape, splat);
}

absl::StatusOr<Literal> ParseDenseText(const TextSource& source, std::string_view text,
                                       const Shape& shape, bool* splat) {
  return DenseReader(source, text, shape).Read(splat);
}

}  // namespace sinter::stablehlo
