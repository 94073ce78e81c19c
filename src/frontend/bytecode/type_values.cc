#include "frontend/bytecode/type_values.h"

#include <optional>

#include "base/status.h"
#include "base/text.h"
#include "frontend/stablehlo/make_types.h"
#include "frontend/stablehlo/mlir_text.h"

namespace sinter::stablehlo {
namespace {

constexpr std::string_view kIndex = "index";

std::vector<Shape> ReadShapes(EntryReader& reader) {
  std::vector<Shape> shapes;
  for (Type& type : reader.ReadTypes()) {
    if (reader.ok() && type.kind != Type::Kind::kShape) {
      reader.Fail(reader.source().Unsupported(reader.at(), "values of type {}", ToText(type)));
    }
    shapes.push_back(std::move(type.shape));
  }
  return shapes;
}

// MLIR has one pair of parentheses less for a single result.
std::string FunctionText(const Type& type) {
  auto list = [](const std::vector<Type>& types) {
    std::vector<std::string> all;
    for (const Type& t : types) all.push_back(ToText(t));
    return Format("({})", Join(all, ", "));
  };
  const bool is_alone = type.results.size() == 1 && type.results[0].kind != Type::Kind::kFunction;
  return Format("{} -> {}", list(type.inputs),
                is_alone ? ToText(type.results[0]) : list(type.results));
}

Type OtherType(std::string text) {
  Type type;
  type.text = std::move(text);
  return type;
}

std::string ArrayText(std::string_view name, const std::vector<int64_t>& dimensions,
                      const Type& element) {
  std::string text = Format("{}<", name);
  for (int64_t d : dimensions) text += d == Shape::kUnbounded ? "?x" : Format("{}x", d);
  return text + (element.text.empty() ? ToText(element) : element.text) + ">";
}

// Bounds of dimensions; other encodings, such as shardings, mean nothing here.
const Attribute* BoundsOf(const std::optional<Attribute>& encoding) {
  if (!encoding || encoding->kind != Attribute::Kind::kDialect) return nullptr;
  return FindAttribute(encoding->entries, "bounds");
}

}  // namespace

Type NamedType(std::string_view name) {
  const std::optional<ElementType> element = ElementTypeOf(name);
  if (!element) return OtherType(std::string(name));
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = Shape(*element);
  if (name == kIndex) type.text = kIndex;  // whose elements are those of i64
  return type;
}

Type NamedTypeOf(EntryReader& reader, uint64_t number, absl::Span<const std::string_view> names,
                 std::string_view dialect) {
  if (number < names.size() && !names[number].empty()) return NamedType(names[number]);
  reader.Fail(
      reader.source().Unsupported(reader.at(), "{} types of the number {}", dialect, number));
  return {};
}

Type ReadUnrankedTensorType(EntryReader& reader) {
  return NamedType(Format("tensor<*x{}>", ToText(*reader.ReadType())));
}

Type ShapeType(Shape shape) {
  Type type;
  type.kind = Type::Kind::kShape;
  type.shape = std::move(shape);
  return type;
}

Type ReadFunctionType(EntryReader& reader) {
  Type type;
  type.kind = Type::Kind::kFunction;
  type.inputs = reader.ReadTypes();
  type.results = reader.ReadTypes();
  type.text = FunctionText(type);
  reader.Spend(static_cast<int64_t>(type.text.size()) / kPartOfText);
  return type;
}

Type ReadComplexType(EntryReader& reader) {
  const std::shared_ptr<const Type> part = reader.ReadType();
  if (!reader.ok()) return {};
  const ElementType e = part->shape.element_type();
  if (part->kind != Type::Kind::kScalar || (e != ElementType::F32 && e != ElementType::F64)) {
    reader.Fail(reader.source().Unsupported(reader.at(), "the type complex<{}>", ToText(*part)));
    return {};
  }
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = Shape(e == ElementType::F32 ? ElementType::C64 : ElementType::C128);
  return type;
}

Type ReadTensorType(EntryReader& reader, bool has_encoding) {
  std::optional<Attribute> encoding;
  if (has_encoding) encoding = reader.ReadAttribute();
  std::vector<int64_t> dimensions = reader.SignedVarInts();
  const std::shared_ptr<const Type> element = reader.ReadType();
  if (!reader.ok()) return {};
  std::string text;
  if (!element->text.empty()) text = ArrayText("tensor", dimensions, *element);
  if (element->kind == Type::Kind::kOther) return OtherType(std::move(text));
  if (element->kind != Type::Kind::kScalar) {
    reader.FailInvalid("{} is not the type of an element", ToText(*element));
    return {};
  }
  reader.Spend(static_cast<int64_t>(dimensions.size()) / 8);
  auto shape = MakeArray(reader.source(), reader.at(), element->shape, std::move(dimensions));
  if (!shape.ok()) {
    reader.Fail(shape.status());
    return {};
  }
  if (const Attribute* bounds = BoundsOf(encoding)) {
    absl::Status set = SetBounds(reader.source(), reader.at(), bounds->integers, &*shape);
    if (!set.ok()) reader.Fail(std::move(set));
  }
  Type type = ShapeType(*std::move(shape));
  if (element->text == kIndex) type.text = std::move(text);
  return type;
}

Type ReadTupleType(EntryReader& reader) { return ShapeType(Shape::Tuple(ReadShapes(reader))); }

Type ReadFutureType(EntryReader& reader) {
  std::vector<Shape> shapes = ReadShapes(reader);
  return ShapeType(shapes.size() == 1 ? std::move(shapes[0]) : Shape::Tuple(std::move(shapes)));
}

Type ReadArrayText(EntryReader& reader, std::string_view name) {
  const std::vector<int64_t> dimensions = reader.SignedVarInts();
  return OtherType(ArrayText(name, dimensions, *reader.ReadType()));
}

Type MakeQuantizedType(EntryReader& reader, uint64_t flags, const Type& storage,
                       const Type& expressed, Quantization q) {
  if (!reader.ok()) return {};
  const bool is_scalar =
      storage.kind == Type::Kind::kScalar && expressed.kind == Type::Kind::kScalar;
  bool fits = q.dimension >= -1;
  for (int64_t d : q.block_dimensions) fits &= d >= 0;
  for (int64_t size : q.block_sizes) fits &= size >= 1;
  if (!fits || !is_scalar || !IsInteger(storage.shape.element_type()) ||
      !IsFloat(expressed.shape.element_type()) || q.scales.size() != q.zero_points.size()) {
    reader.FailInvalid("a quantized type of {} stored as {}", ToText(expressed), ToText(storage));
    return {};
  }
  // The type of stored integers has no sign, as MLIR has it: the flag says it.
  const std::string name = ElementText(storage.shape);
  const std::string_view width = std::string_view(name).substr(name.find_first_of("0123456789"));
  const auto stored = ElementTypeOf(Format("{}{}", flags & 1 ? "i" : "ui", width));
  if (!stored || !IsInteger(*stored)) {
    reader.FailInvalid("a quantized type stored as {}", name);
    return {};
  }
  q.storage = *stored;
  q.expressed = expressed.shape.element_type();
  auto element = MakeQuantized(reader.source(), reader.at(), std::move(q));
  if (!element.ok()) {
    reader.Fail(element.status());
    return {};
  }
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = *std::move(element);
  return type;
}

}  // namespace sinter::stablehlo
