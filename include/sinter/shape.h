// Shapes: element type, dimensions (each static or dynamic with a bound), layout, or a tuple of
// shapes.
//
//   sinter::Shape s(sinter::ElementType::F32, {2, 3});
//   s.ToString();        // "f32[2,3]"
//   s.element_count();   // 6
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/element_type.h"
#include "sinter/export.h"

namespace sinter {

// Parameters of a quantized type (StableHLO specification, "Quantized types"): stored integers q
// stand for (q - zero_point) * scale. `dimension` is -1 for one scale per tensor; else scales run
// along that dimension. Or each block of block_sizes[i] elements along block_dimensions[i] has a
// scale: the scales are then an array of scale_dimensions, in row-major order.
struct Quantization {
  ElementType storage = ElementType::S8;
  ElementType expressed = ElementType::F32;
  int64_t storage_min = -128, storage_max = 127;
  int64_t dimension = -1;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  std::vector<int64_t> block_dimensions, block_sizes, scale_dimensions;
  bool operator==(const Quantization&) const = default;
};

// The order of an array in memory: its dimensions from minor to major.
class SINTER_API Layout {
 public:
  Layout() = default;
  explicit Layout(absl::Span<const int64_t> minor_to_major)
      : minor_to_major_(minor_to_major.begin(), minor_to_major.end()) {}

  const std::vector<int64_t>& minor_to_major() const { return minor_to_major_; }
  int64_t minor_to_major(int i) const { return minor_to_major_[static_cast<size_t>(i)]; }
  int minor_to_major_size() const { return static_cast<int>(minor_to_major_.size()); }
  void add_minor_to_major(int64_t d) { minor_to_major_.push_back(d); }
  // "{1,0}".
  std::string ToString() const;
  bool operator==(const Layout&) const = default;

 private:
  std::vector<int64_t> minor_to_major_;
};

class SINTER_API Shape {
 public:
  // An empty tuple.
  Shape() = default;
  // An array of static dimensions in the default layout (row-major: the last dimension is minor).
  // Dimensions must not be negative; Make checks it.
  explicit Shape(ElementType element_type, std::vector<int64_t> dimensions = {});

  // As the constructor, with every check: InvalidArgument for negative dimensions or a size in
  // bytes that overflows int64, and for token, tuple and opaque with dimensions.
  static absl::StatusOr<Shape> Make(ElementType element_type, absl::Span<const int64_t> dimensions);
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();

  // HLO text: "f32[2,<=3]{1,0}", "(f32[], s32[4])", "token[]". The layout is printed where it is
  // not the default.
  static absl::StatusOr<Shape> Parse(std::string_view text);
  std::string ToString() const;

  ElementType element_type() const { return element_type_; }
  bool is_tuple() const { return element_type_ == ElementType::TUPLE; }
  bool is_token() const { return element_type_ == ElementType::TOKEN; }
  bool is_array() const { return IsArrayType(element_type_); }
  bool is_scalar() const { return is_array() && dimensions_.empty(); }

  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  // Sizes; for a dynamic dimension its bound, or kUnbounded.
  const std::vector<int64_t>& dimensions() const { return dimensions_; }
  int64_t dimension(int64_t i) const { return dimensions_[static_cast<size_t>(i)]; }
  static constexpr int64_t kUnbounded = INT64_MIN;
  bool is_dynamic(int64_t i) const { return !dynamic_.empty() && dynamic_[static_cast<size_t>(i)]; }
  bool is_static() const;
  void set_dynamic(int64_t i, bool dynamic);
  void set_dimension(int64_t i, int64_t size) { dimensions_[static_cast<size_t>(i)] = size; }
  void set_element_type(ElementType t) { element_type_ = t; }

  // XLA's names. Sizes of dynamic dimensions are bounds here too. Indices must be within what there
  // is.
  bool IsArray() const { return is_array(); }
  bool IsTuple() const { return is_tuple(); }
  bool IsToken() const { return is_token(); }
  bool IsOpaque() const { return element_type_ == ElementType::OPAQUE_TYPE; }
  bool IsInteger() const { return sinter::IsInteger(element_type_); }
  int dimensions_size() const { return static_cast<int>(dimensions_.size()); }
  int64_t dimensions(int i) const { return dimensions_[static_cast<size_t>(i)]; }
  void set_dimensions(int i, int64_t size) { dimensions_[static_cast<size_t>(i)] = size; }
  // A last dimension, which must not be negative; the layout becomes row-major.
  void add_dimensions(int64_t size, bool dynamic = false);
  void DeleteDimension(int64_t i);
  bool is_dynamic() const { return !is_static(); }
  bool is_dynamic_dimension(int i) const { return is_dynamic(i); }
  bool is_static_dimension(int i) const { return !is_dynamic(i); }
  bool is_unbounded_dynamic_dimension(int i) const { return dimensions(i) == kUnbounded; }
  bool is_bounded_dynamic_dimension(int i) const {
    return is_dynamic(i) && !is_unbounded_dynamic_dimension(i);
  }
  void set_dynamic_dimension(int i, bool dynamic) { set_dynamic(i, dynamic); }
  std::vector<bool> dynamic_dimensions() const;
  int tuple_shapes_size() const { return static_cast<int>(tuple_.size()); }
  const Shape& tuple_shapes(int i) const { return tuple_[static_cast<size_t>(i)]; }
  Shape* mutable_tuple_shapes(int i) { return &tuple_[static_cast<size_t>(i)]; }
  // Every array has one.
  bool has_layout() const { return is_array(); }
  Layout layout() const;

  // Dimensions from minor to major; empty means row-major.
  const std::vector<int64_t>& minor_to_major() const { return minor_to_major_; }
  void set_minor_to_major(std::vector<int64_t> order);
  bool has_default_layout() const;

  const std::vector<Shape>& tuple_shapes() const { return tuple_; }
  std::vector<Shape>& mutable_tuple_shapes() { return tuple_; }

  const Quantization* quantization() const { return quantization_.get(); }
  void set_quantization(std::shared_ptr<const Quantization> q) { quantization_ = std::move(q); }

  // Product of the dimensions (bounds, where dynamic); 1 for a scalar, 0 for tuples and tokens.
  int64_t element_count() const;
  // Bytes on the host: element_count() * ByteWidth(), summed over tuples.
  int64_t byte_size() const;
  // Bytes of a device buffer: as byte_size(), but that ElementsPerByte() elements share a byte, the
  // first in its low bits, in the order of the layout and over the ends of rows. What is left of
  // the last byte is zeros.
  int64_t packed_byte_size() const;

  // Equality of everything; SameDimensions ignores element type and layout, Compatible ignores
  // layout.
  bool operator==(const Shape& o) const;
  bool SameDimensions(const Shape& o) const { return dimensions_ == o.dimensions_; }
  static bool Compatible(const Shape& a, const Shape& b);
  // Whether a value of static shape `value` may be where `declared` is stated: the same but for
  // layouts, and dimensions that are dynamic there of any size up to their bounds.
  static bool Fits(const Shape& value, const Shape& declared);

  template <class H>
  friend H AbslHashValue(H h, const Shape& s) {
    return H::combine(std::move(h), s.element_type_, s.dimensions_, s.dynamic_, s.minor_to_major_,
                      s.tuple_);
  }

 private:
  ElementType element_type_ = ElementType::TUPLE;
  std::vector<int64_t> dimensions_;
  std::vector<bool> dynamic_;            // empty: all static
  std::vector<int64_t> minor_to_major_;  // empty: row-major
  std::vector<Shape> tuple_;
  std::shared_ptr<const Quantization> quantization_;
};

SINTER_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace sinter
