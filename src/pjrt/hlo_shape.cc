#include "pjrt/hlo_shape.h"

#include <cstring>
#include <optional>
#include <vector>

#include "base/status.h"
#include "ir/ops/attributes.h"
#include "pjrt/array.h"
#include "sinter/literal.h"

namespace sinter::pjrt {
namespace {

constexpr int kDeepestShape = 32;
constexpr int kTuple = 13, kOpaque = 14, kToken = 17;

std::optional<ElementType> ElementTypeOf(int64_t number) {
#define SINTER_PJRT_MATCH(id, ...) \
  if (PrimitiveType(ElementType::id) == number && number != 0) return ElementType::id;
  SINTER_ELEMENT_TYPES(SINTER_PJRT_MATCH)
#undef SINTER_PJRT_MATCH
  return std::nullopt;
}

absl::StatusOr<std::string> NestedShape(const Message& shape, int depth) {
  if (depth > kDeepestShape) return InvalidArgument("a shape is nested too deeply");
  const int64_t type = shape.Integer(2);
  if (type == kTuple) {
    std::vector<std::string> parts;
    ASSIGN_OR_RETURN(const std::vector<Message> elements, shape.All(4));
    for (const Message& e : elements) {
      ASSIGN_OR_RETURN(std::string part, NestedShape(e, depth + 1));
      parts.push_back(std::move(part));
    }
    return Format("({})", Join(parts, ", "));
  }
  if (type == kToken) return "token[]";
  if (type == kOpaque) return "opaque[]";
  const auto element = ElementTypeOf(type);
  if (!element) return Unimplemented("element type {} of xla.PrimitiveType", type);
  ASSIGN_OR_RETURN(const Dims sizes, shape.Integers(3));
  ASSIGN_OR_RETURN(const Dims dynamic, shape.Integers(6));
  std::string out(Name(*element));
  out += '[';
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d != 0) out += ',';
    if (d < dynamic.size() && dynamic[d] != 0) out += "<=";
    out += Format("{}", sizes[d]);
  }
  out += ']';
  ASSIGN_OR_RETURN(const Message layout, shape.One(5));
  ASSIGN_OR_RETURN(const Dims order, layout.Integers(1));
  for (size_t k = 1; k < order.size(); ++k) {
    if (order[k] > order[k - 1]) return out + Format("{{{}}}", Join(order, ","));
  }
  return out;
}

// Of an array, as it lies in the host's memory.
absl::StatusOr<Shape> ArrayShape(const Message& shape, ElementType type) {
  ASSIGN_OR_RETURN(const Dims sizes, shape.Integers(3));
  return MakeShape(ToBufferType(type), sizes.data(), sizes.size(), nullptr);
}

// The field of LiteralProto, and whether its numbers are of variable length.
struct LiteralField {
  int number = 0;
  bool varints = false;
  size_t width = 1;  // of a number in the message
};
std::optional<LiteralField> FieldOf(ElementType type) {
  switch (type) {
    case ElementType::PRED:
      return LiteralField{2, true};
    case ElementType::S32:
      return LiteralField{4, true};
    case ElementType::S64:
      return LiteralField{5, true};
    case ElementType::U32:
      return LiteralField{6, true};
    case ElementType::U64:
      return LiteralField{7, true};
    case ElementType::F32:
      return LiteralField{8, false, 4};
    case ElementType::F64:
      return LiteralField{9, false, 8};
    case ElementType::C64:
      return LiteralField{12, false, 4};
    case ElementType::C128:
      return LiteralField{18, false, 8};
    case ElementType::F16:
      return LiteralField{11};
    case ElementType::BF16:
      return LiteralField{13};
    case ElementType::S8:
      return LiteralField{15};
    case ElementType::U8:
      return LiteralField{3};
    case ElementType::U16:
      return LiteralField{16};
    case ElementType::S16:
      return LiteralField{17};
    case ElementType::F8E3M4:
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FN:
    case ElementType::F8E4M3FNUZ:
    case ElementType::F8E4M3B11FNUZ:
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ:
    case ElementType::F8E8M0FNU:
      return LiteralField{PrimitiveType(type)};  // the numbers are the same
    default:
      return std::nullopt;
  }
}

void AppendElements(const Literal& literal, size_t dimension, int64_t& at, std::string& out) {
  const Dims& dims = literal.shape().dimensions();
  if (dimension == dims.size()) {
    out += literal.ElementToString(at++);
    return;
  }
  out += '{';
  for (int64_t k = 0; k < dims[dimension]; ++k) {
    if (k != 0) out += ", ";
    AppendElements(literal, dimension + 1, at, out);
  }
  out += '}';
}

absl::StatusOr<std::string> NestedLiteral(const Message& literal, int depth) {
  if (depth > kDeepestShape) return InvalidArgument("a literal is nested too deeply");
  ASSIGN_OR_RETURN(const Message shape, literal.One(1));
  const int64_t number = shape.Integer(2);
  if (number == kTuple) {
    std::vector<std::string> parts;
    ASSIGN_OR_RETURN(const std::vector<Message> elements, literal.All(10));
    for (const Message& e : elements) {
      ASSIGN_OR_RETURN(std::string part, NestedLiteral(e, depth + 1));
      parts.push_back(std::move(part));
    }
    return Format("({})", Join(parts, ", "));
  }
  const auto type = ElementTypeOf(number);
  const auto field = type ? FieldOf(*type) : std::nullopt;
  if (!field) return Unimplemented("a constant of element type {} of xla.PrimitiveType", number);
  ASSIGN_OR_RETURN(const Shape array, ArrayShape(shape, *type));
  const auto width = static_cast<size_t>(ByteWidth(*type));
  std::string bytes;
  if (field->varints) {
    ASSIGN_OR_RETURN(const Dims values, literal.Integers(field->number));
    for (int64_t v : values) {
      for (size_t k = 0; k < width; ++k)
        bytes += static_cast<char>(static_cast<uint64_t>(v) >> (8 * k) & 0xff);
    }
  } else {
    bytes = literal.Fixed(field->number, field->width);
  }
  // Before memory is taken for it: the shape may say anything. Without elements a literal of one
  // is 0: what has its default is not written.
  if (bytes.empty() && array.element_count() == 1) bytes.assign(width, '\0');
  if (static_cast<int64_t>(bytes.size()) != array.byte_size()) {
    return InvalidArgument("a constant {} with {} bytes of elements", array.ToString(),
                           bytes.size());
  }
  Literal value(array);
  std::memcpy(value.untyped_data(), bytes.data(), bytes.size());
  // Elements stand in the order in memory: another order is that of the transposed array.
  ASSIGN_OR_RETURN(const Message layout, shape.One(5));
  ASSIGN_OR_RETURN(const Dims order, layout.Integers(1));
  for (size_t k = 1; k < order.size(); ++k) {
    if (order[k] > order[k - 1]) return Unimplemented("a constant whose layout is not row-major");
  }
  std::string out;
  int64_t at = 0;
  AppendElements(value, 0, at, out);
  return out;
}

}  // namespace

absl::StatusOr<std::string> ShapeText(const Message& shape) { return NestedShape(shape, 0); }
absl::StatusOr<std::string> LiteralText(const Message& literal) {
  return NestedLiteral(literal, 0);
}

}  // namespace sinter::pjrt
