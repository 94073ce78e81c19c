#include <charconv>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "types/literal_text.h"
#include "types/shape_text.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// from_chars leaves the value alone where it is out of range: it is infinite where the first
// digit's power of ten is large, else zero.
template <class T>
T OutOfRange(const char* p, const char* end) {
  int64_t power = 0;  // of the first digit that is not zero
  bool point = false, found = false;
  for (; p != end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      point = true;
    } else {
      found |= *p != '0';
      if (found && !point) ++power;
      if (!found && point) --power;
    }
  }
  int64_t exponent = 0;
  if (p != end) {
    ++p;
    bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    for (; p != end; ++p)
      exponent = std::min<int64_t>(exponent * 10 + (*p - '0'), int64_t{1} << 50);
    if (negative) exponent = -exponent;
  }
  return power + exponent > 0 ? std::numeric_limits<T>::infinity() : T{0};
}

// Facts about the text of a float that its value does not have.
struct Nan {
  bool negative = false;
  uint64_t mantissa = 0;   // 0: the usual one
  bool too_large = false;  // digits of more than the largest number
};

// Reads a float; a NaN also says its bits in `nan`.
template <class T>
bool ParseFloat(TextCursor& c, T& value, Nan& nan) {
  c.SkipSpace();
  const char* begin = c.text().data() + c.pos();
  const char* end = c.text().data() + c.text().size();
  const char* p = begin;
  bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p != end && (IsDigit(*p) || *p == '.')) {
    auto [stop, error] = std::from_chars(p, end, value);
    if (error == std::errc::result_out_of_range) {
      value = OutOfRange<T>(p, stop);
      nan.too_large = value != T{0};
    } else if (error != std::errc()) {
      return false;
    }
    if (negative) value = -value;
    c.set_pos(c.pos() + static_cast<size_t>(stop - begin));
    return true;
  }
  std::string_view rest(p, static_cast<size_t>(end - p));
  if (rest.substr(0, 3) == "inf") {
    value = std::numeric_limits<T>::infinity();
    if (negative) value = -value;
    c.set_pos(c.pos() + static_cast<size_t>(p - begin) + 3);
    return true;
  }
  if (rest.substr(0, 3) != "nan") return false;
  value = std::copysign(std::numeric_limits<T>::quiet_NaN(), negative ? T{-1} : T{1});
  nan = {negative, 0};
  p += 3;
  if (rest.substr(3, 3) == "(0x") {
    auto [stop, error] = std::from_chars(p + 3, end, nan.mantissa, 16);
    if (error != std::errc() || stop == end || *stop != ')') return false;
    p = stop + 1;
  }
  c.set_pos(c.pos() + static_cast<size_t>(p - begin));
  return true;
}

// Of "{...}".
bool IsLeftOut(const TextCursor& c) { return c.Here() == '.' && c.Here(1) == '.'; }
absl::Status LeftOut(const TextCursor& c) {
  return c.Error("the value of the constant was left out of the text");
}

absl::Status BadValue(const TextCursor& c, ElementType t) {
  if (IsLeftOut(c)) return LeftOut(c);
  return c.Error("expected a value of type {}", Name(t));
}

absl::Status TooLarge(TextCursor& c, size_t start, ElementType t) {
  const size_t end = c.pos();
  c.set_pos(start);
  c.SkipSpace();
  const std::string_view text = c.text().substr(c.pos(), end - c.pos());
  return c.Error("'{}' is out of range for {}", text, Name(t));
}

// One reader an element type; each leaves the cursor where the bad value begins.
template <class T>
absl::Status ReadFloat(TextCursor& c, ElementType t, T& out) {
  Nan nan;
  const size_t start = c.pos();
  if (!ParseFloat(c, out, nan)) return BadValue(c, t);
  if (nan.too_large) return TooLarge(c, start, t);
  if (nan.mantissa) {
    constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    if (nan.mantissa >> kMantissa)
      return c.Error("the payload of a NaN has more than {} bits", kMantissa);
    Bits mask = (Bits{1} << kMantissa) - 1;
    out = std::bit_cast<T>(static_cast<Bits>((std::bit_cast<Bits>(out) & ~mask) | nan.mantissa));
  }
  return absl::OkStatus();
}

template <class T>
absl::Status ReadSmallFloat(TextCursor& c, ElementType t, T& out) {
  FloatFormat format = *FormatOf(t);
  double v;
  Nan nan;
  const size_t start = c.pos();
  if (!ParseFloat(c, v, nan)) return BadValue(c, t);
  out = static_cast<T>(EncodeFloat(format, v));
  if (nan.too_large || (std::isfinite(v) && !std::isfinite(DecodeFloat(format, out))))
    return TooLarge(c, start, t);
  const bool all_ones = nan.mantissa + 1 == uint64_t{1} << format.mantissa_bits;
  if (nan.mantissa && format.special != FloatFormat::Special::kIeee &&
      !(format.special == FloatFormat::Special::kAllOnes && all_ones))
    return c.Error("a NaN of {} has no payload", Name(t));
  if (nan.mantissa) {
    if (nan.mantissa >> format.mantissa_bits) {
      return c.Error("the payload of a NaN has more than {} bits", format.mantissa_bits);
    }
    auto mask = (uint32_t{1} << format.mantissa_bits) - 1;
    out = static_cast<T>((out & ~mask) | nan.mantissa);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status ReadComplex(TextCursor& c, ElementType t, std::complex<T>& out) {
  T re, im = 0;
  bool pair = c.Eat('(');
  RETURN_IF_ERROR(ReadFloat(c, t, re));
  if (pair) {
    if (!c.Eat(',')) return c.Error("expected ',' in a complex number");
    RETURN_IF_ERROR(ReadFloat(c, t, im));
    if (!c.Eat(')')) return c.Error("expected ')' after a complex number");
  }
  out = {re, im};
  return absl::OkStatus();
}

template <class T>
absl::Status ReadInteger(TextCursor& c, ElementType t, T& out) {
  c.SkipSpace();
  const char* begin = c.text().data() + c.pos();
  const char* end = c.text().data() + c.text().size();
  const char* p = begin;
  bool negative = p != end && *p == '-';
  if (negative) ++p;
  int base = 10;
  if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
    base = 16;
    p += 2;
  }
  uint64_t magnitude = 0;
  auto [stop, error] = std::from_chars(p, end, magnitude, base);
  if (error == std::errc::invalid_argument) {
    // XLA accepts these for any integer.
    if (c.Eat("true")) return out = 1, absl::OkStatus();
    if (c.Eat("false")) return out = 0, absl::OkStatus();
    return BadValue(c, t);
  }
  int bits = BitWidth(t) - (IsSigned(t) ? 1 : 0);
  uint64_t limit = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  // XLA takes -1 for the largest u64.
  if (negative) limit = IsSigned(t) ? limit + 1 : bits == 64 ? uint64_t{1} << 63 : 0;
  if (error != std::errc() || magnitude > limit) {
    return c.Error("'{}' is out of range for {}",
                   std::string_view(begin, static_cast<size_t>(stop - begin)), Name(t));
  }
  if (stop != end && (*stop == '.' || *stop == 'e'))
    return c.Error("expected an integer of type {}", Name(t));
  out = static_cast<T>(negative ? 0 - magnitude : magnitude);
  c.set_pos(c.pos() + static_cast<size_t>(stop - begin));
  return absl::OkStatus();
}

absl::Status ReadPredicate(TextCursor& c, ElementType t, uint8_t& out) {
  if (c.Eat("true") || c.Eat('1')) return out = 1, absl::OkStatus();
  if (c.Eat("false") || c.Eat('0')) return out = 0, absl::OkStatus();
  return BadValue(c, t);
}

template <class T>
using Reader = absl::Status (*)(TextCursor&, ElementType, T&);

template <class T, Reader<T> kRead>
class ArrayParser {
 public:
  ArrayParser(TextCursor& cursor, Literal& literal)
      : c_(cursor), shape_(literal.shape()), out_(literal.data<T>().data()) {}

  // Recursion is as deep as the rank, which the shape's parser limits.
  absl::Status Parse(int64_t dim) {
    if (dim == shape_.rank()) return kRead(c_, shape_.element_type(), *out_++);
    if (!c_.Eat('{')) {
      if (IsLeftOut(c_)) return LeftOut(c_);
      return c_.Error("expected '{{' in a constant of shape {}", shape_.ToString());
    }
    int64_t n = shape_.dimension(dim);
    for (int64_t i = 0; i < n; ++i) {
      if (i && !c_.Eat(',')) {
        return c_.Error("expected ',': dimension {} of {} has {} elements, not {}", dim,
                        shape_.ToString(), n, i);
      }
      if (dim + 1 == shape_.rank()) {
        if (absl::Status s = kRead(c_, shape_.element_type(), *out_++); !s.ok()) return s;
      } else {
        RETURN_IF_ERROR(Parse(dim + 1));
      }
    }
    if (!c_.Eat('}')) {
      return c_.Error("expected '}}': dimension {} of {} has {} elements", dim, shape_.ToString(),
                      n);
    }
    return absl::OkStatus();
  }

 private:
  TextCursor& c_;
  const Shape& shape_;
  T* out_;
};

template <class T, Reader<T> kRead>
absl::Status ParseArray(TextCursor& c, Literal& l) {
  return ArrayParser<T, kRead>(c, l).Parse(0);
}

absl::Status ParseElements(TextCursor& c, Literal& l) {
  switch (ElementType t = l.shape().element_type()) {
    using E = ElementType;
    case E::PRED:
      return ParseArray<uint8_t, ReadPredicate>(c, l);
    case E::S2:
    case E::S4:
    case E::S8:
      return ParseArray<int8_t, ReadInteger<int8_t>>(c, l);
    case E::S16:
      return ParseArray<int16_t, ReadInteger<int16_t>>(c, l);
    case E::S32:
      return ParseArray<int32_t, ReadInteger<int32_t>>(c, l);
    case E::S64:
      return ParseArray<int64_t, ReadInteger<int64_t>>(c, l);
    case E::U2:
    case E::U4:
    case E::U8:
      return ParseArray<uint8_t, ReadInteger<uint8_t>>(c, l);
    case E::U16:
      return ParseArray<uint16_t, ReadInteger<uint16_t>>(c, l);
    case E::U32:
      return ParseArray<uint32_t, ReadInteger<uint32_t>>(c, l);
    case E::U64:
      return ParseArray<uint64_t, ReadInteger<uint64_t>>(c, l);
    case E::F32:
      return ParseArray<float, ReadFloat<float>>(c, l);
    case E::F64:
      return ParseArray<double, ReadFloat<double>>(c, l);
    case E::C64:
      return ParseArray<std::complex<float>, ReadComplex<float>>(c, l);
    case E::C128:
      return ParseArray<std::complex<double>, ReadComplex<double>>(c, l);
    case E::BF16:
    case E::F16:
      return ParseArray<uint16_t, ReadSmallFloat<uint16_t>>(c, l);
    default:
      if (IsFloat(t)) return ParseArray<uint8_t, ReadSmallFloat<uint8_t>>(c, l);
      return c.Error("a {} has no constants", Name(t));
  }
}

// "{}", "{{}, {}}": the forms of an array without elements.
absl::Status ParseEmpty(TextCursor& c) {
  int64_t depth = 0;
  do {
    if (c.Eat('{')) {
      ++depth;
    } else if (depth && c.Eat('}')) {
      --depth;
    } else if (!depth || !c.Eat(',')) {
      return c.Error("expected '{{' or '}}' in a constant without elements");
    }
  } while (depth > 0);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> ParseLiteralValue(TextCursor& c, const Shape& shape) {
  if (shape.is_tuple()) {
    // As deep as the shape, which its parser limits.
    if (!c.Eat('(')) return c.Error("expected '(' in a constant of shape {}", shape.ToString());
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      if (i && !c.Eat(','))
        return c.Error("expected ',' in a constant of shape {}", shape.ToString());
      ASSIGN_OR_RETURN(Literal element, ParseLiteralValue(c, shape.tuple_shapes()[i]));
      elements.push_back(std::move(element));
    }
    if (!c.Eat(')')) return c.Error("expected ')' in a constant of shape {}", shape.ToString());
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.is_array()) return c.Error("a {} has no constants", Name(shape.element_type()));
  if (!shape.is_static()) return c.Error("the shape {} of a constant is dynamic", shape.ToString());
  if (shape.element_count() == 0) {
    RETURN_IF_ERROR(ParseEmpty(c));
    return Literal(shape);
  }
  // An element takes a character at least: a short text cannot make us allocate much.
  if (static_cast<uint64_t>(shape.element_count()) > c.remaining()) {
    c.SkipSpace();
    if (c.text().substr(c.pos(), 4) == "{...") return LeftOut(c.set_pos(c.pos() + 1));
    return c.Error("a constant of shape {} needs {} values", shape.ToString(),
                   shape.element_count());
  }
  Literal l(shape);
  RETURN_IF_ERROR(ParseElements(c, l));
  return l;
}

absl::StatusOr<Literal> ParseLiteral(std::string_view text) {
  TextCursor c(text);
  auto parse = [&]() -> absl::StatusOr<Literal> {
    ASSIGN_OR_RETURN(Shape shape, ParseShape(c));
    ASSIGN_OR_RETURN(Literal l, ParseLiteralValue(c, shape));
    if (c.Peek() != '\0') return c.Error("text after the literal");
    return l;
  };
  absl::StatusOr<Literal> literal = parse();
  if (!literal.ok()) return Annotate(literal.status(), Format("literal, column {}", c.pos() + 1));
  return literal;
}

}  // namespace sinter
