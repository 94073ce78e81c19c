#include "sinter/literal.h"

#include <cstring>

#include "base/status.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

Shape WithoutLayout(Shape s) {
  s.set_minor_to_major({});
  for (Shape& element : s.mutable_tuple_shapes()) element = WithoutLayout(std::move(element));
  return s;
}

}  // namespace

Literal::Literal(const Shape& shape) : shape_(WithoutLayout(shape)) {
  for (const Shape& element : shape_.tuple_shapes()) tuple_.emplace_back(element);
  if (shape_.is_array()) bytes_.resize(static_cast<size_t>(shape_.byte_size()));
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal l;
  std::vector<Shape> shapes;
  for (const Literal& e : elements) shapes.push_back(e.shape());
  l.shape_ = Shape::Tuple(std::move(shapes));
  l.tuple_ = std::move(elements);
  return l;
}

double Literal::GetAsDouble(int64_t i) const {
  auto at = static_cast<size_t>(i);
  switch (shape_.element_type()) {
    using E = ElementType;
    case E::PRED:
      return data<uint8_t>()[at] ? 1 : 0;
    case E::S2:
    case E::S4:
    case E::S8:
      return data<int8_t>()[at];
    case E::S16:
      return data<int16_t>()[at];
    case E::S32:
      return data<int32_t>()[at];
    case E::S64:
      return static_cast<double>(data<int64_t>()[at]);
    case E::U2:
    case E::U4:
    case E::U8:
      return data<uint8_t>()[at];
    case E::U16:
      return data<uint16_t>()[at];
    case E::U32:
      return data<uint32_t>()[at];
    case E::U64:
      return static_cast<double>(data<uint64_t>()[at]);
    case E::F32:
      return data<float>()[at];
    case E::F64:
      return data<double>()[at];
    case E::C64:
      return data<std::complex<float>>()[at].real();
    case E::C128:
      return data<std::complex<double>>()[at].real();
    case E::BF16:
    case E::F16:
      return DecodeFloat(*FormatOf(shape_.element_type()), data<uint16_t>()[at]);
    default:
      if (auto format = FormatOf(shape_.element_type()))
        return DecodeFloat(*format, data<uint8_t>()[at]);
      return 0;
  }
}

absl::StatusOr<Literal> Literal::Reshape(absl::Span<const int64_t> dimensions) const {
  ASSIGN_OR_RETURN(Shape shape, Shape::Make(shape_.element_type(), dimensions));
  RETURN_IF_ERROR(internal::CheckElementCount(shape, static_cast<size_t>(shape_.element_count())));
  Literal l;
  l.shape_ = std::move(shape);
  l.bytes_ = bytes_;
  return l;
}

bool Literal::operator==(const Literal& o) const {
  return shape_ == o.shape_ && bytes_ == o.bytes_ && tuple_ == o.tuple_;
}

namespace internal {

absl::Status CheckElementCount(const Shape& shape, size_t given) {
  if (static_cast<size_t>(shape.element_count()) == given) return absl::OkStatus();
  return InvalidArgument("{} has {} elements, but {} values were given", shape.ToString(),
                         shape.element_count(), given);
}

}  // namespace internal
}  // namespace sinter
