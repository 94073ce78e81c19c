#include "frontend/stablehlo/elements.h"

#include <cstring>

#include "frontend/stablehlo/mlir_text.h"

namespace sinter::stablehlo {
namespace {

// Bytes as MLIR stores them to bytes of a literal.
void Normalize(ElementType type, uint8_t* bytes, size_t count) {
  int width = BitWidth(type);
  if (type == ElementType::PRED) {
    for (size_t i = 0; i < count; ++i) bytes[i] &= 1;
  } else if (width < 8) {
    uint8_t mask = static_cast<uint8_t>((1u << width) - 1);
    for (size_t i = 0; i < count; ++i) {
      uint8_t v = bytes[i] & mask;
      if (IsSigned(type) && v >> (width - 1)) v = static_cast<uint8_t>(v | ~mask);
      bytes[i] = v;
    }
  }
}

}  // namespace

absl::StatusOr<Literal> LiteralOfBytes(const Source& source, const char* at,
                                       absl::Span<const uint8_t> bytes, const Shape& shape,
                                       bool* splat) {
  if (splat) *splat = false;
  const auto count = static_cast<size_t>(shape.element_count());
  const auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  // Predicates are packed into bits by older writers. Of eight and fewer the bits of a true one
  // that stands for all are all set.
  const bool bits = shape.element_type() == ElementType::PRED && bytes.size() != count;
  const bool is_all = bits && bytes.size() == 1 && bytes[0] == 0xff;
  const bool one =
      splat && bytes.size() == width && count != 1 && (is_all || !(bits && count <= 8));
  if (!one && (bits ? bytes.size() != (count + 7) / 8
                    : bytes.size() / width != count || bytes.size() % width != 0)) {
    return source.Invalid(at, "{} bytes of data for {}", bytes.size(), ToText(shape));
  }
  Literal literal{one ? Shape(shape.element_type()) : shape};
  auto* out = static_cast<uint8_t*>(literal.untyped_data());
  if (bits && !one) {
    for (size_t i = 0; i < count; ++i) out[i] = bytes[i / 8] >> (i % 8) & 1;
    return literal;
  }
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  Normalize(shape.element_type(), out, bytes.size());
  if (one) *splat = true;
  return literal;
}

}  // namespace sinter::stablehlo
