#include "sinter/shape.h"

#include <algorithm>
#include <limits>

#include "base/status.h"

namespace sinter {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// a * b for non-negative numbers, at most INT64_MAX.
int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? kMax : r;
}
int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? kMax : r;
}

bool IsRowMajor(const std::vector<int64_t>& minor_to_major) {
  auto rank = static_cast<int64_t>(minor_to_major.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (minor_to_major[static_cast<size_t>(i)] != rank - 1 - i) return false;
  }
  return true;
}

void AppendShape(const Shape& s, std::string& out) {
  if (s.is_tuple()) {
    out += '(';
    const char* separator = "";
    for (const Shape& element : s.tuple_shapes()) {
      out += separator;
      AppendShape(element, out);
      separator = ", ";
    }
    out += ')';
    return;
  }
  out += Name(s.element_type());
  out += '[';
  for (int64_t i = 0; i < s.rank(); ++i) {
    if (i) out += ',';
    if (s.dimension(i) == Shape::kUnbounded) {
      out += '?';
      continue;
    }
    if (s.is_dynamic(i)) out += "<=";
    out += std::to_string(s.dimension(i));
  }
  out += ']';
  if (!s.has_default_layout()) out += Format("{{{}}}", Join(s.minor_to_major(), ","));
}

}  // namespace

Shape::Shape(ElementType element_type, std::vector<int64_t> dimensions)
    : element_type_(element_type), dimensions_(std::move(dimensions)) {}

absl::StatusOr<Shape> Shape::Make(ElementType element_type, absl::Span<const int64_t> dimensions) {
  Shape s(element_type, {dimensions.begin(), dimensions.end()});
  if (!IsArrayType(element_type) && !dimensions.empty()) {
    return InvalidArgument("a {} has no dimensions, got {}", Name(element_type), s.ToString());
  }
  // Zeros are left out, so that the strides of an empty tensor do not overflow either.
  int64_t bytes = ByteWidth(element_type);
  for (int64_t d : dimensions) {
    if (d < 0) return InvalidArgument("a dimension is negative: {}", s.ToString());
    if (d > 0) bytes = SaturatingMultiply(bytes, d);
  }
  if (bytes == kMax)
    return InvalidArgument("the size of {} in bytes overflows int64", s.ToString());
  return s;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape s;
  s.tuple_ = std::move(elements);
  return s;
}

Shape Shape::Token() { return Shape(ElementType::TOKEN); }

std::string Shape::ToString() const {
  std::string out;
  AppendShape(*this, out);
  return out;
}

bool Shape::is_static() const {
  return dynamic_.empty() &&
         std::all_of(tuple_.begin(), tuple_.end(), [](const Shape& s) { return s.is_static(); });
}

void Shape::set_dynamic(int64_t i, bool dynamic) {
  if (dynamic_.empty() && dynamic) dynamic_.resize(dimensions_.size());
  if (!dynamic_.empty()) dynamic_[static_cast<size_t>(i)] = dynamic;
  // One form for each value, so that members compare and hash as they are.
  if (std::find(dynamic_.begin(), dynamic_.end(), true) == dynamic_.end()) dynamic_.clear();
}

void Shape::add_dimensions(int64_t size, bool dynamic) {
  dimensions_.push_back(size);
  if (!dynamic_.empty()) dynamic_.push_back(false);
  minor_to_major_.clear();
  if (dynamic) set_dynamic(rank() - 1, true);
}

void Shape::DeleteDimension(int64_t i) {
  if (i < 0 || i >= rank()) return;
  dimensions_.erase(dimensions_.begin() + i);
  if (!dynamic_.empty()) {
    dynamic_.erase(dynamic_.begin() + i);
    if (std::find(dynamic_.begin(), dynamic_.end(), true) == dynamic_.end()) dynamic_.clear();
  }
  if (minor_to_major_.empty()) return;
  std::vector<int64_t> order;
  for (int64_t d : minor_to_major_) {
    if (d != i) order.push_back(d > i ? d - 1 : d);
  }
  set_minor_to_major(std::move(order));
}

std::vector<bool> Shape::dynamic_dimensions() const {
  return dynamic_.empty() ? std::vector<bool>(dimensions_.size()) : dynamic_;
}

Layout Shape::layout() const {
  if (!minor_to_major_.empty() || !is_array()) return Layout(minor_to_major_);
  Layout row_major;
  for (int64_t d = rank(); d-- > 0;) row_major.add_minor_to_major(d);
  return row_major;
}

std::string Layout::ToString() const { return Format("{{{}}}", Join(minor_to_major_, ",")); }

void Shape::set_minor_to_major(std::vector<int64_t> order) {
  if (IsRowMajor(order)) order.clear();
  minor_to_major_ = std::move(order);
}

bool Shape::has_default_layout() const { return minor_to_major_.empty(); }

int64_t Shape::element_count() const {
  if (!is_array()) return 0;
  int64_t count = 1;
  for (int64_t d : dimensions_) {
    if (d == 0) return 0;
    count = SaturatingMultiply(count, d == kUnbounded ? kMax : d);
  }
  return count;
}

int64_t Shape::byte_size() const {
  int64_t bytes = SaturatingMultiply(element_count(), ByteWidth(element_type_));
  for (const Shape& s : tuple_) bytes = SaturatingAdd(bytes, s.byte_size());
  return bytes;
}

int64_t Shape::packed_byte_size() const {
  const int64_t each = ElementsPerByte(element_type_);
  if (each == 1 && !is_tuple()) return byte_size();
  const int64_t count = element_count();
  int64_t bytes = count / each + (count % each != 0);
  for (const Shape& s : tuple_) bytes = SaturatingAdd(bytes, s.packed_byte_size());
  return bytes;
}

bool Shape::operator==(const Shape& o) const {
  return minor_to_major_ == o.minor_to_major_ && element_type_ == o.element_type_ &&
         dimensions_ == o.dimensions_ && dynamic_ == o.dynamic_ && tuple_ == o.tuple_ &&
         (quantization_ == o.quantization_ ||
          (quantization_ && o.quantization_ && *quantization_ == *o.quantization_));
}

bool Shape::Compatible(const Shape& a, const Shape& b) {
  if (a.element_type_ != b.element_type_ || a.dimensions_ != b.dimensions_ ||
      a.dynamic_ != b.dynamic_)
    return false;
  bool same_quantization =
      a.quantization_ == b.quantization_ ||
      (a.quantization_ && b.quantization_ && *a.quantization_ == *b.quantization_);
  return same_quantization &&
         std::equal(a.tuple_.begin(), a.tuple_.end(), b.tuple_.begin(), b.tuple_.end(), Compatible);
}

bool Shape::Fits(const Shape& value, const Shape& declared) {
  if (declared.is_static()) return Compatible(value, declared);
  Shape sized = declared;
  if (value.rank() != declared.rank() || value.tuple_.size() != declared.tuple_.size())
    return false;
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (!declared.is_dynamic(d)) continue;
    const int64_t bound = declared.dimension(d);
    if (value.is_dynamic(d) || (bound != kUnbounded && value.dimension(d) > bound)) return false;
    sized.set_dimension(d, value.dimension(d));
  }
  if (!std::equal(value.tuple_.begin(), value.tuple_.end(), declared.tuple_.begin(), Fits))
    return false;
  sized.dynamic_.clear();
  sized.tuple_ = value.tuple_;
  return Compatible(value, sized);
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.ToString(); }

}  // namespace sinter
