// XLA's names for what sinter names otherwise. A program written for XlaBuilder includes this
// instead of XLA's headers and says
//
//   namespace xla = sinter;
//
// Then xla::XlaBuilder, xla::XlaOp, xla::F32, xla::ShapeUtil::MakeShape,
// xla::LiteralUtil::CreateR1, xla::Array2D and the functions of xla_builder.h and of the headers of
// lib/ that sinter/lib/ has mean what they mean there.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "sinter/array.h"
#include "sinter/builder.h"
#include "sinter/collective_ops.h"
#include "sinter/lib/approx_topk.h"
#include "sinter/lib/approx_topk_shape.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/comparators.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/dynamic_shaped_ops.h"
#include "sinter/lib/logdet.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/lu_decomposition.h"
#include "sinter/lib/math.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/pooling.h"
#include "sinter/lib/prng.h"
#include "sinter/lib/qr.h"
#include "sinter/lib/quantize.h"
#include "sinter/lib/self_adjoint_eig.h"
#include "sinter/lib/slicing.h"
#include "sinter/lib/sorting.h"
#include "sinter/lib/svd.h"
#include "sinter/lib/tridiagonal.h"
#include "sinter/literal.h"

namespace sinter {

using XlaBuilder = Builder;
using XlaOp = Op;
using XlaComputation = Computation;
using XlaOpGenerator = OpGenerator;
using XlaScopedOpMetadataAssignment = ScopedOpMetadata;

using PrimitiveType = ElementType;
// xla::F32 and the others (xla/xla_data.proto).
#define SINTER_PRIMITIVE_TYPE(id, ...) inline constexpr ElementType id = ElementType::id;
SINTER_ELEMENT_TYPES(SINTER_PRIMITIVE_TYPE)
#undef SINTER_PRIMITIVE_TYPE

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

using DimensionVector = std::vector<int64_t>;
using ShapeIndex = std::vector<int64_t>;

struct Comparison {
  using Type = ComparisonType;
  using Direction = ComparisonDirection;
};

// xla/shape_util.h.
struct ShapeUtil {
  static Shape MakeShape(ElementType type, absl::Span<const int64_t> dimensions) {
    return Shape(type, {dimensions.begin(), dimensions.end()});
  }
  static Shape MakeShape(ElementType type, absl::Span<const int64_t> dimensions,
                         const std::vector<bool>& dynamic_dimensions) {
    Shape shape = MakeShape(type, dimensions);
    for (size_t i = 0; i < dynamic_dimensions.size() && i < dimensions.size(); ++i) {
      shape.set_dynamic(static_cast<int64_t>(i), dynamic_dimensions[i]);
    }
    return shape;
  }
  static Shape MakeShapeWithDenseLayout(ElementType type, absl::Span<const int64_t> dimensions,
                                        absl::Span<const int64_t> minor_to_major) {
    Shape shape = MakeShape(type, dimensions);
    shape.set_minor_to_major({minor_to_major.begin(), minor_to_major.end()});
    return shape;
  }
  static Shape MakeScalarShape(ElementType type) { return Shape(type); }
  template <class T>
  static Shape MakeShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeShape(kElementTypeOf<T>, dimensions);
  }
  static Shape MakeTupleShape(absl::Span<const Shape> shapes) {
    return Shape::Tuple({shapes.begin(), shapes.end()});
  }
  static Shape MakeNil() { return Shape::Tuple({}); }
  static Shape MakeTokenShape() { return Shape::Token(); }
  static Shape ChangeElementType(const Shape& original, ElementType type) {
    Shape shape = original;
    shape.set_element_type(type);
    return shape;
  }

  static int64_t ElementsIn(const Shape& shape) { return shape.element_count(); }
  static int64_t ByteSizeOf(const Shape& shape) { return shape.byte_size(); }
  static bool IsScalar(const Shape& shape) { return shape.is_scalar(); }
  static bool ElementIsFloating(const Shape& shape) { return IsFloat(shape.element_type()); }
  static bool ElementIsIntegral(const Shape& shape) { return IsInteger(shape.element_type()); }
  static bool ElementIsComplex(const Shape& shape) { return IsComplex(shape.element_type()); }
  static bool SameDimensions(const Shape& a, const Shape& b) { return a.SameDimensions(b); }
  static bool SameElementType(const Shape& a, const Shape& b) {
    return a.element_type() == b.element_type();
  }
  static bool Compatible(const Shape& a, const Shape& b) { return Shape::Compatible(a, b); }
  static bool Equal(const Shape& a, const Shape& b) { return a == b; }
  static const Shape& GetTupleElementShape(const Shape& shape, int64_t i) {
    return shape.tuple_shapes()[static_cast<size_t>(i)];
  }
  static std::string HumanString(const Shape& shape) { return shape.ToString(); }
};

// xla/literal_util.h.
struct LiteralUtil {
  template <class T>
  static Literal CreateR0(T value) {
    return Literal::R0<T>(value);
  }
  template <class T>
  static Literal CreateR1(absl::Span<const T> values) {
    return Literal::R1<T>(values);
  }
  template <class T>
  static Literal CreateR2(std::initializer_list<std::initializer_list<T>> values) {
    return Literal::R2<T>(values);
  }
  template <class T>
  static Literal CreateR3(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> values) {
    return Array3D<T>(values).ToLiteral();
  }
  template <class T>
  static Literal CreateR4(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          values) {
    std::vector<int64_t> sizes(4, 0);
    std::vector<T> elements;
    for (const auto& volume : values) {
      sizes[1] = static_cast<int64_t>(volume.size());
      for (const auto& plane : volume) {
        sizes[2] = static_cast<int64_t>(plane.size());
        for (const auto& row : plane) {
          sizes[3] = static_cast<int64_t>(row.size());
          elements.insert(elements.end(), row.begin(), row.end());
        }
      }
    }
    sizes[0] = static_cast<int64_t>(values.size());
    Literal literal{Shape(kElementTypeOf<T>, sizes)};
    auto out = literal.data<T>();
    std::copy_n(elements.begin(), std::min(elements.size(), out.size()), out.begin());
    return literal;
  }
  template <class T>
  static Literal CreateFromArray(const Array<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR2FromArray2D(const Array2D<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR3FromArray3D(const Array3D<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR4FromArray4D(const Array4D<T>& values) {
    return values.ToLiteral();
  }
  // 0, 0, ... and 1, 1, ... of a scalar type known when the program runs.
  static Literal Zero(ElementType type) { return Literal(Shape(type)); }
  static Literal MakeTuple(absl::Span<const Literal* const> elements) {
    std::vector<Literal> copies;
    for (const Literal* element : elements) copies.push_back(*element);
    return Literal::Tuple(std::move(copies));
  }
  static Literal MakeTupleOwned(std::vector<Literal> elements) {
    return Literal::Tuple(std::move(elements));
  }
};

}  // namespace sinter
