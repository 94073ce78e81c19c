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

// The box of `sizes` that begins at `starts`; dimension i of the result is dimension order[i].
Literal Picked(const Literal& x, absl::Span<const int64_t> starts, absl::Span<const int64_t> sizes,
               absl::Span<const int64_t> order) {
  const size_t rank = sizes.size();
  std::vector<int64_t> given(rank, 1), result_sizes(rank), steps(rank), index(rank, 0);
  for (size_t d = rank; d-- > 1;) given[d - 1] = given[d] * x.shape().dimensions()[d];
  int64_t at = 0;
  for (size_t d = 0; d < rank; ++d) {
    const auto from = static_cast<size_t>(order[d]);
    result_sizes[d] = sizes[from];
    steps[d] = given[from];
    at += starts[d] * given[d];
  }
  Literal result{Shape(x.shape().element_type(), result_sizes)};
  const auto width = static_cast<size_t>(ByteWidth(x.shape().element_type()));
  const auto* in = static_cast<const std::byte*>(x.untyped_data());
  auto* out = static_cast<std::byte*>(result.untyped_data());
  for (int64_t n = 0; n < result.element_count(); ++n, out += width) {
    std::memcpy(out, in + static_cast<size_t>(at) * width, width);
    for (size_t d = rank; d-- > 0;) {
      at += steps[d];
      if (++index[d] < result_sizes[d]) break;
      at -= steps[d] * result_sizes[d];
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

Literal::Literal(const Shape& shape) : shape_(WithoutLayout(shape)) {
  for (const Shape& element : shape_.tuple_shapes()) tuple_.emplace_back(element);
  if (shape_.is_array()) bytes_.resize(static_cast<size_t>(shape_.byte_size()));
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal l;
  std::vector<Shape> shapes;
  for (const Literal& e : elements) {
    if (!e.ok()) return Error(e.status());
    shapes.push_back(e.shape());
  }
  l.shape_ = Shape::Tuple(std::move(shapes));
  l.tuple_ = std::move(elements);
  return l;
}

Literal Literal::Error(absl::Status error) {
  Literal l;
  if (error.ok()) error = Internal("a literal was made of an error that is none");
  l.error_ = std::make_shared<const absl::Status>(std::move(error));
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
  return ok() && o.ok() && shape_ == o.shape_ && bytes_ == o.bytes_ && tuple_ == o.tuple_;
}

int64_t Literal::Place(absl::Span<const int64_t> multi_index) const {
  if (!shape_.is_array() || multi_index.size() != shape_.dimensions().size()) return -1;
  int64_t place = 0;
  for (size_t d = 0; d < multi_index.size(); ++d) {
    const int64_t size = shape_.dimensions()[d];
    if (multi_index[d] < 0 || multi_index[d] >= size) return -1;
    place = place * size + multi_index[d];
  }
  return place;
}

const Literal* Literal::Leaf(absl::Span<const int64_t> shape_index) const {
  const Literal* leaf = this;
  for (int64_t i : shape_index) {
    if (i < 0 || i >= static_cast<int64_t>(leaf->tuple_.size())) return nullptr;
    leaf = &leaf->tuple_[static_cast<size_t>(i)];
  }
  return leaf;
}

absl::Status Literal::CheckWidth(size_t width) const {
  RETURN_IF_ERROR(status());
  if (shape_.is_array() && static_cast<size_t>(ByteWidth(shape_.element_type())) == width)
    return absl::OkStatus();
  return InvalidArgument("{} has no elements of {} bytes", shape_.ToString(), width);
}

std::vector<Literal> Literal::DecomposeTuple() {
  if (!shape_.is_tuple()) return {};
  std::vector<Literal> elements = std::move(tuple_);
  *this = Literal();
  return elements;
}

Literal Literal::Slice(absl::Span<const int64_t> start_indices,
                       absl::Span<const int64_t> limit_indices) const {
  if (!ok()) return *this;
  const size_t rank = shape_.dimensions().size();
  if (!shape_.is_array() || start_indices.size() != rank || limit_indices.size() != rank) {
    return Error(InvalidArgument("Slice: {} starts and {} limits for {}", start_indices.size(),
                                 limit_indices.size(), shape_.ToString()));
  }
  std::vector<int64_t> sizes(rank), order(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t start = start_indices[d], limit = limit_indices[d];
    if (start < 0 || start > limit || limit > shape_.dimensions()[d]) {
      return Error(InvalidArgument("Slice: {} to {} are not within dimension {} of {}", start,
                                   limit, d, shape_.ToString()));
    }
    sizes[d] = limit - start;
    order[d] = static_cast<int64_t>(d);
  }
  return Picked(*this, start_indices, sizes, order);
}

Literal Literal::Transpose(absl::Span<const int64_t> permutation) const {
  if (!ok()) return *this;
  const size_t rank = shape_.dimensions().size();
  std::vector<bool> seen(rank);
  bool fits = shape_.is_array() && permutation.size() == rank;
  for (size_t d = 0; fits && d < rank; ++d) {
    fits = permutation[d] >= 0 && permutation[d] < static_cast<int64_t>(rank) &&
           !seen[static_cast<size_t>(permutation[d])];
    if (fits) seen[static_cast<size_t>(permutation[d])] = true;
  }
  if (!fits) {
    return Error(InvalidArgument("Transpose: {{{}}} is no permutation of the dimensions of {}",
                                 Join(permutation, ","), shape_.ToString()));
  }
  return Picked(*this, std::vector<int64_t>(rank, 0), shape_.dimensions(), permutation);
}

namespace internal {

absl::Status CheckElementCount(const Shape& shape, size_t given) {
  if (static_cast<size_t>(shape.element_count()) == given) return absl::OkStatus();
  return InvalidArgument("{} has {} elements, but {} values were given", shape.ToString(),
                         shape.element_count(), given);
}

absl::StatusOr<int64_t> CountElements(absl::Span<const int64_t> sizes, size_t width) {
  int64_t count = 1, bytes = static_cast<int64_t>(width);
  for (int64_t size : sizes) {
    if (size < 0) return InvalidArgument("a size is negative: {}", Join(sizes, ","));
    // Zeros are left out, so that the strides of an empty array do not overflow either.
    if (size > 0 && __builtin_mul_overflow(bytes, size, &bytes))
      return InvalidArgument("the bytes of an array of sizes {} overflow int64", Join(sizes, ","));
  }
  for (int64_t size : sizes) count *= size;
  return count;
}

absl::Status WrongCount(size_t expected, size_t given) {
  return InvalidArgument("{} values were given for {} elements", given, expected);
}

absl::Status RaggedList(size_t depth, size_t first, size_t other) {
  return InvalidArgument("the lists along dimension {} have {} and {} entries", depth, first,
                         other);
}

}  // namespace internal
}  // namespace sinter
