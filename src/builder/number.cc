// C++ numbers as constants of an element type.

#include <cmath>
#include <complex>

#include "builder/impl.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

std::string Text(const Number& n) {
  switch (n.kind()) {
    case Number::Kind::kSigned:
      return Format("{}", n.as_signed());
    case Number::Kind::kUnsigned:
      return Format("{}", n.as_unsigned());
    case Number::Kind::kFloat:
      return Format("{}", n.real());
    case Number::Kind::kComplex:
      return Format("({}, {})", n.real(), n.imag());
  }
  return "";
}

double RealOf(const Number& n) {
  switch (n.kind()) {
    case Number::Kind::kSigned:
      return static_cast<double>(n.as_signed());
    case Number::Kind::kUnsigned:
      return static_cast<double>(n.as_unsigned());
    default:
      return n.real();
  }
}

// The number as an integer if it is one: magnitude and sign.
struct Integer {
  uint64_t magnitude;
  bool negative;
};
std::optional<Integer> IntegerOf(const Number& n) {
  switch (n.kind()) {
    case Number::Kind::kSigned: {
      bool negative = n.as_signed() < 0;
      return Integer{negative ? 0 - n.as_unsigned() : n.as_unsigned(), negative};
    }
    case Number::Kind::kUnsigned:
      return Integer{n.as_unsigned(), false};
    case Number::Kind::kComplex:
      return std::nullopt;
    case Number::Kind::kFloat:
      break;
  }
  double magnitude = std::fabs(n.real());
  if (!(magnitude < 0x1p64) || magnitude != std::trunc(magnitude)) return std::nullopt;
  return Integer{static_cast<uint64_t>(magnitude), n.real() < 0};
}

// Whether an integer type of that width holds it.
bool Fits(Integer i, int bits, bool is_signed) {
  if (!is_signed)
    return (!i.negative || i.magnitude == 0) && (bits == 64 || i.magnitude >> bits == 0);
  uint64_t limit = uint64_t{1} << (bits - 1);
  return i.negative ? i.magnitude <= limit : i.magnitude < limit;
}

void StoreInteger(uint64_t bits, Literal& to) {
  switch (ByteWidth(to.shape().element_type())) {
    case 1:
      to.data<uint8_t>()[0] = static_cast<uint8_t>(bits);
      break;
    case 2:
      to.data<uint16_t>()[0] = static_cast<uint16_t>(bits);
      break;
    case 4:
      to.data<uint32_t>()[0] = static_cast<uint32_t>(bits);
      break;
    default:
      to.data<uint64_t>()[0] = bits;
  }
}

}  // namespace

absl::StatusOr<Literal> LiteralOf(const Number& number, ElementType type) {
  auto refuse = [&] { return InvalidArgument("the number {} is no {}", Text(number), Name(type)); };
  if (!IsArrayType(type)) return refuse();
  Literal literal{Shape(type)};
  switch (Kind(type)) {
    case ElementKind::kPredicate: {
      std::optional<Integer> i = IntegerOf(number);
      if (!i || i->magnitude > 1 || i->negative) return refuse();
      StoreInteger(i->magnitude, literal);
      return literal;
    }
    case ElementKind::kSigned:
    case ElementKind::kUnsigned: {
      std::optional<Integer> i = IntegerOf(number);
      if (!i || !Fits(*i, BitWidth(type), IsSigned(type))) return refuse();
      StoreInteger(i->negative ? 0 - i->magnitude : i->magnitude, literal);
      return literal;
    }
    case ElementKind::kFloat:
      if (number.kind() == Number::Kind::kComplex) return refuse();
      if (type == ElementType::F64) {
        literal.data<double>()[0] = RealOf(number);
      } else if (type == ElementType::F32) {
        literal.data<float>()[0] = static_cast<float>(RealOf(number));
      } else {
        StoreInteger(EncodeFloat(*FormatOf(type), RealOf(number)), literal);
      }
      return literal;
    case ElementKind::kComplex:
      if (type == ElementType::C64) {
        literal.data<std::complex<float>>()[0] = {static_cast<float>(RealOf(number)),
                                                  static_cast<float>(number.imag())};
      } else {
        literal.data<std::complex<double>>()[0] = {RealOf(number), number.imag()};
      }
      return literal;
    case ElementKind::kOther:
      break;
  }
  return refuse();
}

}  // namespace sinter
