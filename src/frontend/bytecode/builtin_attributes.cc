// Attributes and locations of MLIR's builtin dialect. Source: MLIR's BuiltinDialectBytecode.td.
#include <cstring>

#include "frontend/bytecode/attribute_text.h"
#include "frontend/bytecode/attribute_values.h"
#include "frontend/bytecode/dialects.h"
#include "frontend/stablehlo/elements.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

enum class BuiltinAttribute : uint64_t {
  kArray,
  kDictionary,
  kString,
  kStringOfType,
  kSymbol,
  kNestedSymbol,
  kType,
  kUnit,
  kInteger,
  kFloat,
  kCallSite,
  kFileLineColumn,
  kFused,
  kFusedWithMetadata,
  kName,
  kUnknown,
  kResource,
  kDenseArray,
  kDense,
  kDenseStrings,
  kSparse,
  kDistinct,
  kFileRange,
};

std::string TextOf(EntryReader& reader, const Attribute& a, Kind kind) {
  if (reader.ok() && a.kind != kind) reader.FailInvalid("expected a string or a symbol");
  return a.text;
}

Attribute ReadBuiltinDictionary(EntryReader& reader) {
  Attribute a = OfKind(Kind::kDictionary);
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    NamedAttribute entry;
    entry.name = TextOf(reader, reader.ReadAttribute(), Kind::kString);
    entry.value = reader.ReadAttribute();
    a.entries.push_back(std::move(entry));
  }
  return a;
}

Attribute ReadNestedSymbol(EntryReader& reader) {
  Attribute a = SymbolOf(TextOf(reader, reader.ReadAttribute(), Kind::kString));
  for (const Attribute& nested : reader.ReadAttributes())
    a.text += "::" + TextOf(reader, nested, Kind::kSymbol);
  return a;
}

// array<i64: 1, 2>: elements in as many bytes as their type has.
Attribute ReadDenseArray(EntryReader& reader) {
  const std::shared_ptr<const Type> type = reader.ReadType();
  const uint64_t size = reader.VarInt();
  const std::string_view bytes = reader.Blob();
  Attribute a = OfKind(Kind::kIntegers);
  a.type = type;
  if (!reader.ok()) return a;
  const bool is_number = type->kind == Type::Kind::kScalar && !type->shape.quantization() &&
                         !IsComplex(type->shape.element_type());
  const int width = is_number ? ByteWidth(type->shape.element_type()) : 0;
  if (!is_number || size > bytes.size() || size * static_cast<uint64_t>(width) != bytes.size()) {
    reader.FailInvalid("an array of {} elements of type {} in {} bytes", size, ToText(*type),
                       bytes.size());
    return a;
  }
  const ElementType element = type->shape.element_type();
  const bool is_float = IsFloat(element);
  if (is_float) a = ArrayOf({});
  // A float is an attribute of its own.
  reader.Spend(static_cast<int64_t>(size) / (is_float ? 1 : 16));
  ByteReader numbers(reader.source(), bytes);
  for (uint64_t i = 0; i < size && reader.ok(); ++i) {
    uint64_t bits = 0;
    const std::string_view of_one = numbers.Bytes(static_cast<uint64_t>(width));
    for (size_t k = of_one.size(); k-- > 0;) bits = bits << 8 | static_cast<uint8_t>(of_one[k]);
    if (is_float) {
      a.elements.push_back(FloatOf(type, bits));
    } else {
      a.integers.push_back(IntegerOfBits(element, bits));
    }
  }
  if (is_float) a.kept = FloatArrayText(*type, a.elements);
  return a;
}

// The bytes stand in the section of resources, behind an alignment and their number. An error is
// that of those who use the elements.
Attribute ReadResource(EntryReader& reader) {
  Attribute a = OfKind(Kind::kElements);
  a.type = reader.ReadType();
  const uint64_t index = reader.VarInt();
  const auto& resources = reader.entries().container().resources;
  if (reader.ok() && index >= resources.size())
    reader.FailInvalid("resource {} of {}", index, resources.size());
  if (!reader.ok()) return a;
  const Type& type = *a.type;
  const bool is_array = type.kind == Type::Kind::kShape && type.shape.is_array();
  if (!is_array || !type.shape.is_static()) {
    reader.FailInvalid("a constant must have a static tensor type, not {}", ToText(type));
    return a;
  }
  const Container::Resource& resource = resources[index];
  auto elements = [&]() -> absl::StatusOr<Literal> {
    if (resource.kind != Container::Resource::kBlob || resource.bytes.empty())
      return reader.source().Invalid(reader.at(), "there is no resource '{}'", resource.key);
    ByteReader blob(reader.source(), resource.bytes);
    const uint64_t alignment = blob.VarInt(), size = blob.VarInt();
    if (blob.ok()) blob.AlignTo(alignment);
    const std::string_view bytes = blob.Bytes(size);
    RETURN_IF_ERROR(blob.Finish("a resource"));
    return LiteralOfBytes(
        reader.source(), reader.at(),
        absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
        type.shape, nullptr);
  };
  a.resource = std::make_shared<const absl::StatusOr<Literal>>(elements());
  return a;
}

}  // namespace

Attribute ReadBuiltinAttribute(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  using enum BuiltinAttribute;
  switch (static_cast<BuiltinAttribute>(code)) {
    case kArray:
      return ArrayOf(reader.ReadAttributes());
    case kDictionary:
      return ReadBuiltinDictionary(reader);
    case kString:
      return StringOf(reader.ReadString());
    case kStringOfType: {
      Attribute a = StringOf(reader.ReadString());
      reader.ReadType();
      return a;
    }
    case kSymbol:
      return SymbolOf(TextOf(reader, reader.ReadAttribute(), Kind::kString));
    case kNestedSymbol:
      return ReadNestedSymbol(reader);
    case kType:
      return TypeOf(reader.ReadType());
    case kUnit:
      return {};
    case kInteger:
    case kFloat:
      return ReadNumber(reader, reader.ReadType());
    case kResource:
      return ReadResource(reader);
    case kDenseArray:
      return ReadDenseArray(reader);
    case kDense: {
      const std::shared_ptr<const Type> type = reader.ReadType();
      return ReadElements(reader, type, reader.Blob());
    }
    default:
      break;
  }
  reader.Fail(
      reader.source().Unsupported(reader.at(), "builtin attributes of the number {}", code));
  return {};
}

Location ReadLocation(EntryReader& reader, std::vector<uint64_t>* children) {
  using enum BuiltinAttribute;
  Location location;
  auto file = [&] {
    location.kind = Location::Kind::kFile;
    location.text = TextOf(reader, reader.ReadAttribute(), Kind::kString);
  };
  auto children_of = [&](size_t count) {
    for (size_t i = 0; i < count && reader.ok(); ++i) children->push_back(reader.VarInt());
  };
  switch (const auto code = static_cast<BuiltinAttribute>(reader.VarInt()); code) {
    case kCallSite:
      location.kind = Location::Kind::kCallSite;
      children_of(2);
      break;
    case kFileLineColumn:
      file();
      location.line = static_cast<int32_t>(reader.VarInt());
      reader.VarInt();
      break;
    case kFused:
    case kFusedWithMetadata:
      location.kind = Location::Kind::kFused;
      children_of(reader.Count());
      if (code == kFusedWithMetadata) reader.VarInt();
      break;
    case kName:
      location.kind = Location::Kind::kName;
      location.text = TextOf(reader, reader.ReadAttribute(), Kind::kString);
      children_of(1);
      break;
    case kFileRange: {
      // The line, then what is not there or as the number before it: columns and the last line.
      file();
      const size_t count = reader.Count();
      for (size_t i = 0; i < count && reader.ok(); ++i) {
        const uint64_t number = reader.VarInt();
        if (i == 0) location.line = static_cast<int32_t>(number);
      }
      break;
    }
    case kUnknown:
      break;
    default:
      reader.Bytes(reader.left());  // one that nobody knows has no place to tell
      break;
  }
  return location;
}

}  // namespace sinter::stablehlo
