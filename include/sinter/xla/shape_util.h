// The functions on shapes of xla/shape_util.h. Indices and dimensions must be those of the shape,
// unless said otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/element_type.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter::xla_names {

// A path through tuples.
using ShapeIndex = std::vector<int64_t>;

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
  // InvalidArgument for sizes that are negative or overflow.
  static absl::StatusOr<Shape> MakeValidatedShape(ElementType type,
                                                  absl::Span<const int64_t> dimensions) {
    return Shape::Make(type, dimensions);
  }
  static Shape MakeShapeWithDenseLayout(ElementType type, absl::Span<const int64_t> dimensions,
                                        absl::Span<const int64_t> minor_to_major) {
    Shape shape = MakeShape(type, dimensions);
    shape.set_minor_to_major({minor_to_major.begin(), minor_to_major.end()});
    return shape;
  }
  static Shape MakeShapeWithDescendingLayout(ElementType type,
                                             absl::Span<const int64_t> dimensions) {
    return MakeShape(type, dimensions);
  }
  static Shape MakeScalarShape(ElementType type) { return Shape(type); }
  template <class T>
  static Shape MakeShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeShape(kElementTypeOf<T>, dimensions);
  }
  static Shape MakeTupleShape(absl::Span<const Shape> shapes) {
    return Shape::Tuple({shapes.begin(), shapes.end()});
  }
  static Shape MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes) {
    std::vector<Shape> copies;
    for (const Shape* shape : shapes) copies.push_back(*shape);
    return Shape::Tuple(std::move(copies));
  }
  static Shape MakeMaybeTupleShape(absl::Span<const Shape> shapes) {
    return shapes.size() == 1 ? shapes[0] : MakeTupleShape(shapes);
  }
  static Shape MakeNil() { return Shape::Tuple({}); }
  static Shape MakeTokenShape() { return Shape::Token(); }
  static Shape MakeOpaqueShape() { return Shape(ElementType::OPAQUE_TYPE); }
  // With bounds for the sizes of dynamic dimensions.
  static Shape MakeStaticShape(const Shape& original) {
    Shape shape = original;
    for (int64_t i = 0; i < shape.rank(); ++i) shape.set_dynamic(i, false);
    for (Shape& element : shape.mutable_tuple_shapes()) element = MakeStaticShape(element);
    return shape;
  }
  // Of every array.
  static Shape ChangeElementType(const Shape& original, ElementType type) {
    Shape shape = original;
    if (shape.is_array()) shape.set_element_type(type);
    for (Shape& element : shape.mutable_tuple_shapes()) element = ChangeElementType(element, type);
    return shape;
  }
  // Dimension i of the result is dimension permutation[i]; row-major.
  static Shape PermuteDimensions(absl::Span<const int64_t> permutation, const Shape& shape) {
    std::vector<int64_t> sizes;
    std::vector<bool> dynamic;
    for (int64_t d : permutation) {
      sizes.push_back(shape.dimension(d));
      dynamic.push_back(shape.is_dynamic(d));
    }
    return MakeShape(shape.element_type(), sizes, dynamic);
  }
  static Shape DeleteDimension(int64_t dimension, Shape shape) {
    shape.DeleteDimension(dimension);
    return shape;
  }
  static Shape DeleteDimensions(absl::Span<const int64_t> dimensions, Shape shape) {
    std::vector<int64_t> sorted(dimensions.begin(), dimensions.end());
    std::sort(sorted.rbegin(), sorted.rend());
    for (int64_t d : sorted) shape.DeleteDimension(d);
    return shape;
  }
  static Shape DropDegenerateDimensions(Shape shape) {
    for (int64_t d = shape.rank(); d-- > 0;) {
      if (shape.dimension(d) == 1) shape.DeleteDimension(d);
    }
    return shape;
  }
  static void AppendMinorDimension(int size, Shape* shape) { shape->add_dimensions(size); }
  static Shape PrependMajorDimension(int64_t size, const Shape& shape) {
    std::vector<int64_t> sizes = shape.dimensions();
    std::vector<bool> dynamic = shape.dynamic_dimensions();
    sizes.insert(sizes.begin(), size);
    dynamic.insert(dynamic.begin(), false);
    return MakeShape(shape.element_type(), sizes, dynamic);
  }

  static int64_t ElementsIn(const Shape& shape) { return shape.element_count(); }
  static int64_t ByteSizeOf(const Shape& shape) { return shape.byte_size(); }
  static int64_t ByteSizeOf(const Shape& shape, int64_t /*pointer_size*/) {
    return shape.byte_size();
  }
  static int64_t ByteSizeOfElements(const Shape& shape) { return shape.byte_size(); }
  static int64_t ByteSizeOfPrimitiveType(ElementType type) { return ByteWidth(type); }
  static int64_t GetDimension(const Shape& shape, int64_t d) {
    return shape.dimension(d < 0 ? d + shape.rank() : d);
  }
  static int64_t GetDimensionNumber(const Shape& shape, int64_t d) {
    return d < 0 ? d + shape.rank() : d;
  }
  static bool IsScalar(const Shape& shape) { return shape.is_scalar(); }
  static bool IsEffectiveScalar(const Shape& shape) {
    return shape.is_array() && std::all_of(shape.dimensions().begin(), shape.dimensions().end(),
                                           [](int64_t size) { return size == 1; });
  }
  static bool IsScalarWithElementType(const Shape& shape, ElementType type) {
    return shape.is_scalar() && shape.element_type() == type;
  }
  static bool IsZeroElementArray(const Shape& shape) {
    return shape.is_array() && shape.element_count() == 0;
  }
  static bool ElementIsFloating(const Shape& shape) { return IsFloat(shape.element_type()); }
  static bool ElementIsIntegral(const Shape& shape) { return IsInteger(shape.element_type()); }
  static bool ElementIsIntegralWithBits(const Shape& shape, int bits) {
    return ElementIsIntegral(shape) && BitWidth(shape.element_type()) == bits;
  }
  static bool ElementIsSigned(const Shape& shape) {
    return IsSigned(shape.element_type()) || IsFloat(shape.element_type());
  }
  static bool ElementIsComplex(const Shape& shape) { return IsComplex(shape.element_type()); }
  static bool ElementHasBitWidth(const Shape& shape, int bits) {
    return shape.is_array() && BitWidth(shape.element_type()) == bits;
  }

  static bool SameDimensions(const Shape& a, const Shape& b) { return a.SameDimensions(b); }
  static bool SameRank(const Shape& a, const Shape& b) { return a.rank() == b.rank(); }
  static bool SameElementType(const Shape& a, const Shape& b) {
    return a.element_type() == b.element_type();
  }
  static bool Compatible(const Shape& a, const Shape& b) { return Shape::Compatible(a, b); }
  static bool CompatibleIgnoringElementType(const Shape& a, const Shape& b) {
    if (a.is_array() != b.is_array() || a.is_tuple() != b.is_tuple()) return false;
    return a.dimensions() == b.dimensions() &&
           std::equal(a.tuple_shapes().begin(), a.tuple_shapes().end(), b.tuple_shapes().begin(),
                      b.tuple_shapes().end(), CompatibleIgnoringElementType);
  }
  static bool Equal(const Shape& a, const Shape& b) { return a == b; }
  static bool EqualIgnoringElementType(const Shape& a, const Shape& b) {
    return ChangeElementType(a, ElementType::F32) == ChangeElementType(b, ElementType::F32);
  }

  static bool IsEmptyTuple(const Shape& shape) {
    return shape.is_tuple() && shape.tuple_shapes().empty();
  }
  static bool IsNestedTuple(const Shape& shape) {
    return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                       [](const Shape& element) { return element.is_tuple(); });
  }
  static int64_t TupleElementCount(const Shape& shape) { return shape.tuple_shapes_size(); }
  static const Shape& GetTupleElementShape(const Shape& shape, int64_t i) {
    return shape.tuple_shapes()[static_cast<size_t>(i)];
  }
  // Whether there is something at the path.
  static bool IndexIsValid(const Shape& shape, const ShapeIndex& index) {
    return TryGetSubshape(shape, index) != nullptr;
  }
  static const Shape& GetSubshape(const Shape& shape, const ShapeIndex& index) {
    return *TryGetSubshape(shape, index);
  }
  static bool IsLeafIndex(const Shape& shape, const ShapeIndex& index) {
    return !GetSubshape(shape, index).is_tuple();
  }
  // Arrays and tokens.
  static int64_t GetLeafCount(const Shape& shape) {
    if (!shape.is_tuple()) return 1;
    int64_t count = 0;
    for (const Shape& element : shape.tuple_shapes()) count += GetLeafCount(element);
    return count;
  }
  // Tuples too, this one first.
  static int64_t SubshapeCount(const Shape& shape) {
    int64_t count = 0;
    ForEachSubshape(shape, [&](const Shape&, const ShapeIndex&) { ++count; });
    return count;
  }
  // f(shape, index) for the shape itself and what is in it, parents first.
  template <class F>
  static void ForEachSubshape(const Shape& shape, F&& f) {
    ShapeIndex index;
    Visit(shape, index, f);
  }
  // Of one leaf of a shape.
  struct IndexedShape {
    ShapeIndex index;
    Shape shape;
  };
  static std::vector<IndexedShape> GetLeafShapes(const Shape& shape) {
    std::vector<IndexedShape> leaves;
    ForEachSubshape(shape, [&](const Shape& each, const ShapeIndex& index) {
      if (!each.is_tuple()) leaves.push_back({index, each});
    });
    return leaves;
  }

  static std::string HumanString(const Shape& shape) {
    Shape row_major = shape;
    ClearLayouts(row_major);
    return row_major.ToString();
  }
  static std::string HumanStringWithLayout(const Shape& shape) { return shape.ToString(); }

 private:
  static const Shape* TryGetSubshape(const Shape& shape, const ShapeIndex& index) {
    const Shape* at = &shape;
    for (int64_t i : index) {
      if (i < 0 || i >= at->tuple_shapes_size()) return nullptr;
      at = &at->tuple_shapes()[static_cast<size_t>(i)];
    }
    return at;
  }
  template <class F>
  static void Visit(const Shape& shape, ShapeIndex& index, F& f) {
    f(shape, static_cast<const ShapeIndex&>(index));
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      index.push_back(i);
      Visit(shape.tuple_shapes(i), index, f);
      index.pop_back();
    }
  }
  static void ClearLayouts(Shape& shape) {
    shape.set_minor_to_major({});
    for (Shape& element : shape.mutable_tuple_shapes()) ClearLayouts(element);
  }
};

// xla/layout_util.h.
struct LayoutUtil {
  static Layout MakeLayout(absl::Span<const int64_t> minor_to_major) {
    return Layout(minor_to_major);
  }
  static Layout MakeDescendingLayout(int64_t rank) {
    Layout layout;
    for (int64_t d = rank; d-- > 0;) layout.add_minor_to_major(d);
    return layout;
  }
  static Layout GetDefaultLayoutForRank(int64_t rank) { return MakeDescendingLayout(rank); }
  static Layout GetDefaultLayoutForShape(const Shape& shape) {
    return MakeDescendingLayout(shape.rank());
  }
  static bool Equal(const Layout& a, const Layout& b) { return a == b; }
  static absl::Span<const int64_t> MinorToMajor(const Layout& layout) {
    return layout.minor_to_major();
  }
  static std::string HumanString(const Layout& layout) { return layout.ToString(); }
};

}  // namespace sinter::xla_names
