#include "frontend/bytecode/attribute_values.h"

#include <bit>
#include <iterator>

#include "frontend/stablehlo/elements.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

// The bits of an integer of a type that no value may have, or 0.
int WidthOfOther(const Type& type) {
  int width = 0;
  const size_t digits = type.text.find_first_of("0123456789");
  if (digits == std::string::npos || type.text.size() - digits > 8) return 0;
  const std::string_view prefix = std::string_view(type.text).substr(0, digits);
  if (prefix != "i" && prefix != "si" && prefix != "ui") return 0;
  for (char c : std::string_view(type.text).substr(digits)) {
    if (c < '0' || c > '9') return 0;
    width = 10 * width + (c - '0');
  }
  return width;
}

double RealOf(ElementType type, uint64_t bits) {
  if (type == ElementType::F64) return std::bit_cast<double>(bits);
  if (type == ElementType::F32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return DecodeFloat(*FormatOf(type), static_cast<uint32_t>(bits));
}

}  // namespace

int64_t IntegerOfBits(ElementType type, uint64_t bits) {
  const int width = BitWidth(type);
  if (width == 64) return static_cast<int64_t>(bits);
  bits &= (uint64_t{1} << width) - 1;
  if (!IsSigned(type)) return static_cast<int64_t>(bits);
  const uint64_t sign = uint64_t{1} << (width - 1);
  return static_cast<int64_t>(bits ^ sign) - static_cast<int64_t>(sign);
}

Attribute FloatOf(const std::shared_ptr<const Type>& type, uint64_t bits) {
  Attribute a = OfKind(Kind::kFloat);
  a.type = type;
  a.real = RealOf(type->shape.element_type(), bits);
  return a;
}

Attribute StringOf(std::string_view text) {
  Attribute a = OfKind(Kind::kString);
  a.text = std::string(text);
  return a;
}

Attribute SymbolOf(std::string_view name) {
  Attribute a = OfKind(Kind::kSymbol);
  a.text = std::string(name);
  return a;
}

Attribute BoolOf(bool value) {
  Attribute a = OfKind(Kind::kBool);
  a.integer = value;
  return a;
}

Attribute IntegerOf(int64_t value) {
  Attribute a = OfKind(Kind::kInteger);
  a.integer = value;
  return a;
}

Attribute IntegersOf(std::vector<int64_t> values) {
  Attribute a = OfKind(Kind::kIntegers);
  a.integers = std::move(values);
  return a;
}

Attribute ArrayOf(std::vector<Attribute> elements) {
  Attribute a = OfKind(Kind::kArray);
  a.elements = std::move(elements);
  return a;
}

Attribute TypeOf(std::shared_ptr<const Type> type) {
  Attribute a = OfKind(Kind::kType);
  a.type = std::move(type);
  return a;
}

Attribute DialectOf(std::string_view name, std::vector<NamedAttribute> fields) {
  Attribute a = OfKind(Kind::kDialect);
  a.text = std::string(name);
  a.entries = std::move(fields);
  return a;
}

Attribute WordOf(std::string_view name, std::string_view word) {
  Attribute a = DialectOf(name, {});
  a.word = word;
  return a;
}

Attribute ReadNumber(EntryReader& reader, const std::shared_ptr<const Type>& type) {
  Attribute a;
  a.type = type;
  if (type->kind == Type::Kind::kScalar && !type->shape.quantization()) {
    const ElementType element = type->shape.element_type();
    const int width = BitWidth(element);
    if (element == ElementType::PRED) {
      a = BoolOf(reader.Byte() & 1);
    } else if (IsInteger(element)) {
      a.kind = Kind::kInteger;
      a.integer = IntegerOfBits(element, reader.ReadBits(width));
    } else if (IsFloat(element)) {
      a = FloatOf(type, reader.ReadBits(width));
    } else {
      reader.FailInvalid("a number of type {}", ToText(*type));
    }
    return a;
  }
  // Integers of other widths, in attributes that no operation of ours has.
  const int width = WidthOfOther(*type);
  if (width == 0 || width > 64) {
    reader.Fail(reader.source().Unsupported(reader.at(), "a number of type {}", ToText(*type)));
    return a;
  }
  a.kind = Kind::kInteger;
  const uint64_t bits = reader.ReadBits(width), sign = uint64_t{1} << (width - 1);
  const bool is_negative = type->text[0] != 'u' && (bits & sign) != 0;
  a.integer = static_cast<int64_t>(is_negative && width < 64 ? bits | ~(2 * sign - 1) : bits);
  return a;
}

Attribute ReadElements(EntryReader& reader, const std::shared_ptr<const Type>& type,
                       std::string_view bytes) {
  Attribute a = OfKind(Kind::kElements);
  a.type = type;
  if (!reader.ok()) return a;
  if (type->kind == Type::Kind::kOther) {  // vectors
    reader.Fail(reader.source().Unsupported(reader.at(), "constants of type {}", ToText(*type)));
    return a;
  }
  const bool is_array = type->kind == Type::Kind::kShape && type->shape.is_array();
  if (!is_array || !type->shape.is_static()) {
    reader.FailInvalid("a constant must have a static tensor type, not {}", ToText(*type));
    return a;
  }
  auto value = LiteralOfBytes(
      reader.source(), reader.at(),
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
      type->shape, &a.splat);
  if (!value.ok()) {
    reader.Fail(value.status());
    return a;
  }
  a.value = std::make_shared<const Literal>(*std::move(value));
  return a;
}

Attribute ReadFields(EntryReader& reader, const FieldsRow& row) {
  std::vector<NamedAttribute> fields;
  for (const FieldRow& f : row.fields) {
    if (f.name.empty() || !reader.ok()) break;
    std::optional<Attribute> value;
    bool is_there = false;
    switch (f.encoding) {
      case Encoding::kInteger:
        value = IntegerOf(reader.SignedVarInt());
        break;
      case Encoding::kIntegers:
        value = IntegersOf(reader.SignedVarInts());
        break;
      case Encoding::kByte:
        value = BoolOf(reader.Byte());
        break;
      case Encoding::kDouble:
        value = OfKind(Kind::kFloat);
        value->real = reader.ReadDouble();
        break;
      case Encoding::kString:
        value = StringOf(reader.ReadString());
        break;
      case Encoding::kType:
        value = TypeOf(reader.ReadType());
        break;
      case Encoding::kAttribute:
        value = reader.ReadAttribute();
        break;
      case Encoding::kSymbol:
        value = reader.ReadAttribute();
        if (value->kind == Kind::kString) value->kind = Kind::kSymbol;
        break;
      case Encoding::kAttributes:
        value = ArrayOf(reader.ReadAttributes());
        break;
      case Encoding::kOptional:
        value = reader.ReadOptionalAttribute();
        break;
      case Encoding::kBehindByte:
        is_there = reader.Byte();
        if (is_there) value = reader.ReadAttribute();
        break;
      case Encoding::kBehindFlag:
        is_there = reader.VarInt();
        if (is_there) value = reader.ReadAttribute();
        break;
    }
    if (!value) continue;
    if (value->at == nullptr) value->at = reader.at();
    reader.Spend(1);
    fields.push_back({std::string(f.name), *std::move(value)});
  }
  return DialectOf(row.name, std::move(fields));
}

Attribute ReadWord(EntryReader& reader, const WordsRow& row) {
  const uint64_t number = reader.VarInt();
  if (number < std::size(row.words) && !row.words[number].empty())
    return WordOf(row.name, row.words[number]);
  reader.FailInvalid("{} {}", row.name, number);
  return {};
}

}  // namespace sinter::stablehlo
