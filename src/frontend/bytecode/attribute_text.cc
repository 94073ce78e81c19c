#include "frontend/bytecode/attribute_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "frontend/stablehlo/mlir_text.h"
#include "frontend/stablehlo_text/print_text.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

// As the type holds it: what is printed has to be read as the same.
double Rounded(ElementType type, double x) {
  if (type == ElementType::F64) return x;
  if (type == ElementType::F32) return static_cast<float>(x);
  return DecodeFloat(*FormatOf(type), EncodeFloat(*FormatOf(type), x));
}

// Digits enough for any number of the type, without an exponent where few zeros take its place.
std::string PlainDigits(double x, int precision) {
  constexpr int kMostZeros = 3;
  const int most = 2 + precision * 59 / 196;
  const std::string text = Format("{:.{}e}", std::abs(x), most - 1);
  const size_t e = text.find('e');
  std::string digits = text.substr(0, 1) + text.substr(2, e - 2);
  int exponent = 0;  // of the first digit
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(),
                  exponent);
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const auto count = static_cast<int>(digits.size());
  const int last = exponent - (count - 1);  // of the last digit
  const bool scientific = last >= 0       ? last > kMostZeros || last + count > most
                          : exponent >= 0 ? false
                                          : -exponent > kMostZeros;
  std::string out = std::signbit(x) ? "-" : "";
  if (scientific) {
    out += Format("{}.{}E{}{}", digits[0], count == 1 ? "0" : digits.substr(1),
                  exponent < 0 ? '-' : '+', std::abs(exponent));
  } else if (last >= 0) {
    out += digits + std::string(static_cast<size_t>(last), '0');
  } else if (exponent >= 0) {
    const auto whole = static_cast<size_t>(exponent + 1);
    out += digits.substr(0, whole) + "." + digits.substr(whole);
  } else {
    out += "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  return out;
}

// Six digits and an exponent where they suffice, else more of them, else the bits.
std::string FloatText(ElementType type, double x) {
  if (std::isfinite(x)) {
    const std::string text = Format("{:.6e}", x);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (Rounded(type, read) == x) return text;
    const std::string digits =
        PlainDigits(x, type == ElementType::F64 ? 53 : FormatOf(type)->mantissa_bits + 1);
    if (digits.find('.') != std::string::npos) return digits;
  }
  const uint64_t bits = type == ElementType::F64   ? std::bit_cast<uint64_t>(x)
                        : type == ElementType::F32 ? std::bit_cast<uint32_t>(static_cast<float>(x))
                                                   : EncodeFloat(*FormatOf(type), x);
  return Format("0x{:0{}X}", bits, (BitWidth(type) + 3) / 4);
}

// Of what has a text of its own, as the type index has.
std::string TypeText(const Type& type) { return type.text.empty() ? ToText(type) : type.text; }

std::string NumberText(const Attribute& a) {
  const bool is_element = a.type && a.type->kind == Type::Kind::kScalar;
  const ElementType type = is_element               ? a.type->shape.element_type()
                           : a.kind == Kind::kFloat ? ElementType::F64
                                                    : ElementType::S64;
  const std::string_view name = a.kind == Kind::kFloat ? "f64" : "i64";
  const std::string of = a.type ? TypeText(*a.type) : std::string(name);
  if (a.kind == Kind::kFloat) return Format("{} : {}", FloatText(type, a.real), of);
  if (type == ElementType::U64) return Format("{} : {}", static_cast<uint64_t>(a.integer), of);
  return Format("{} : {}", a.integer, of);
}

// In lists the types i64 and f64 go without saying.
std::string ListedText(const Attribute& a) {
  std::string text = AttributeText(a);
  if (a.kind != Kind::kInteger && a.kind != Kind::kFloat) return text;
  const std::string_view own = a.kind == Kind::kInteger ? " : i64" : " : f64";
  if (text.ends_with(own) && !text.starts_with("0x")) text.resize(text.size() - own.size());
  return text;
}

std::string EntriesText(const std::vector<NamedAttribute>& entries) {
  std::vector<std::string> parts;
  for (const NamedAttribute& e : entries) {
    const std::string symbol = SymbolText(e.name);  // @name or @"na me"
    const std::string name = symbol.substr(1);
    const bool is_unit = e.value.kind == Kind::kUnit;
    parts.push_back(is_unit ? name : Format("{} = {}", name, AttributeText(e.value)));
  }
  return Join(parts, ", ");
}

// Floats as MLIR has them in attributes, in nested lists: before element i and behind it a bracket
// for each dimension whose run begins or ends there.
std::string FloatsText(const Literal& values, const Shape& shape, bool is_splat) {
  const ElementType type = shape.element_type();
  if (is_splat) return FloatText(type, values.GetAsDouble(0));
  const std::vector<int64_t>& dims = shape.dimensions();
  std::string out;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    size_t opened = 0, closed = 0;
    int64_t run = 1;
    for (size_t d = dims.size(); d-- > 0 && i % (run *= dims[d]) == 0;) ++opened;
    run = 1;
    for (size_t d = dims.size(); d-- > 0 && (i + 1) % (run *= dims[d]) == 0;) ++closed;
    if (i) out += ", ";
    out.append(opened, '[');
    out += FloatText(type, values.GetAsDouble(i));
    out.append(closed, ']');
  }
  return out;
}

std::string ElementsText(const Attribute& a) {
  constexpr int64_t kMostListed = 100;
  std::string out;
  if (!a.value) return Format("dense_resource<> : {}", TypeText(*a.type));
  const Shape& shape = a.type->shape;
  if (IsFloat(shape.element_type()) && (a.splat || shape.element_count() <= kMostListed)) {
    out = Format("dense<{}>", FloatsText(*a.value, shape, a.splat));
  } else {
    AppendDense(*a.value, out);
  }
  return Format("{} : {}", out, TypeText(*a.type));
}

std::string IntegersText(const Attribute& a) {
  std::vector<std::string> parts;
  const bool is_bool = a.type && a.type->shape.element_type() == ElementType::PRED;
  for (int64_t i : a.integers) {
    parts.push_back(is_bool ? std::string(i ? "true" : "false") : Format("{}", i));
  }
  const std::string type = a.type ? ToText(*a.type) : "i64";
  return parts.empty() ? Format("array<{}>", type)
                       : Format("array<{}: {}>", type, Join(parts, ", "));
}

std::string DialectText(const Attribute& a) {
  if (a.word.empty()) return Format("#{}<{}>", a.text, EntriesText(a.entries));
  const size_t dot = a.text.find('.');
  return Format("#{}<{} {}>", a.text.substr(0, dot), a.text.substr(dot + 1), a.word);
}

}  // namespace

std::string FloatArrayText(const Type& type, absl::Span<const Attribute> elements) {
  std::vector<std::string> parts;
  for (const Attribute& e : elements) parts.push_back(FloatText(type.shape.element_type(), e.real));
  return parts.empty() ? Format("array<{}>", ToText(type))
                       : Format("array<{}: {}>", ToText(type), Join(parts, ", "));
}

std::string AttributeText(const Attribute& a) {
  if (!a.kept.empty()) return a.kept;
  switch (a.kind) {
    case Kind::kUnit:
      return "unit";
    case Kind::kBool:
      return a.integer ? "true" : "false";
    case Kind::kInteger:
    case Kind::kFloat:
      return NumberText(a);
    case Kind::kString:
      return QuotedText(a.text);
    case Kind::kSymbol: {
      std::vector<std::string> names;
      for (size_t at = 0; at <= a.text.size();) {
        const size_t end = std::min(a.text.find("::", at), a.text.size());
        names.push_back(SymbolText(std::string_view(a.text).substr(at, end - at)));
        at = end + 2;
      }
      return Join(names, "::");
    }
    case Kind::kType:
      return ToText(*a.type);
    case Kind::kArray: {
      std::vector<std::string> parts;
      for (const Attribute& e : a.elements) parts.push_back(ListedText(e));
      return Format("[{}]", Join(parts, ", "));
    }
    case Kind::kIntegers:
      return IntegersText(a);
    case Kind::kDictionary:
      return Format("{{{}}}", EntriesText(a.entries));
    case Kind::kElements:
      return ElementsText(a);
    case Kind::kDialect:
      return DialectText(a);
    case Kind::kKeyword:
    case Kind::kOther:
      break;
  }
  return a.text;
}

}  // namespace sinter::stablehlo
