// dot: sums of products in index order, in an accumulator that is rounded once to the result's
// type.
#include <complex>
#include <type_traits>

#include "eval/functions.h"
#include "eval/product.h"
#include "ir/ops/ragged_dot.h"

namespace sinter::eval {

ElementType AccumulatorOf(ElementType operand, ElementType result) {
  using E = ElementType;
  if (IsComplex(result)) return operand == E::C128 ? E::C128 : result;
  if (IsFloat(result)) return operand == E::F64 || result == E::F64 ? E::F64 : E::F32;
  if (IsSigned(result)) return E::S64;
  if (IsUnsigned(result)) return E::U64;
  return E::PRED;
}

namespace {

// The operand's elements as [batch, free, contracting], in the accumulator's type.
struct Matrices {
  Literal elements;
  int64_t batch = 1, rows = 1, depth = 1;
};
Matrices ToMatrices(const Literal& x, const Dims& batch, const Dims& contracting,
                    ElementType accumulator) {
  Matrices m;
  const Dims& dimensions = x.shape().dimensions();
  Dims strides = RowMajorStrides(dimensions), extents;
  std::vector<bool> taken(dimensions.size(), false);
  Strided source;
  auto add = [&](int64_t dimension, int64_t& size) {
    auto d = static_cast<size_t>(dimension);
    taken[d] = true;
    extents.push_back(dimensions[d]);
    source.strides.push_back(strides[d]);
    size *= dimensions[d];
  };
  for (int64_t d : batch) add(d, m.batch);
  for (int64_t d : contracting) taken[static_cast<size_t>(d)] = true;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (!taken[d]) add(static_cast<int64_t>(d), m.rows);
  }
  for (int64_t d : contracting) add(d, m.depth);
  Literal ordered(Shape(x.shape().element_type(), extents));
  CopyStrided(extents, x, source, ordered, {0, RowMajorStrides(extents)});
  m.elements = ConvertTo(ordered, accumulator);
  return m;
}

template <class T>
Literal Multiply(const Matrices& lhs, const Matrices& rhs, ElementType accumulator) {
  Literal result(Shape(accumulator, {lhs.batch, lhs.rows, rhs.rows}));
  const T* x = lhs.elements.data<T>().data();
  const T* y = rhs.elements.data<T>().data();
  T* out = result.data<T>().data();
  for (int64_t b = 0; b < lhs.batch; ++b) {
    for (int64_t i = 0; i < lhs.rows; ++i) {
      for (int64_t j = 0; j < rhs.rows; ++j) {
        const T* row = x + (b * lhs.rows + i) * lhs.depth;
        const T* column = y + (b * rhs.rows + j) * rhs.depth;
        T sum{};
        for (int64_t k = 0; k < lhs.depth; ++k) sum = AddProduct(sum, row[k], column[k]);
        *out++ = sum;
      }
    }
  }
  return result;
}

Literal Multiply(const Matrices& lhs, const Matrices& rhs, ElementType accumulator) {
  return VisitAccumulator(
      accumulator, [&](auto zero) { return Multiply<decltype(zero)>(lhs, rhs, accumulator); });
}

// Operands may differ in precision.
ElementType AccumulatorOf(const Input& in) {
  const ElementType lhs = in.array(0).shape().element_type(),
                    rhs = in.array(1).shape().element_type();
  return eval::AccumulatorOf(BitWidth(rhs) > BitWidth(lhs) ? rhs : lhs, in.shape().element_type());
}

// Sums converted to the result's type, under its dimensions.
absl::StatusOr<Value> Finish(const Input& in, const Literal& sums) {
  auto result = ConvertTo(sums, in.shape().element_type()).Reshape(in.shape().dimensions());
  if (!result.ok()) return result.status();
  return Value(*std::move(result));
}

absl::StatusOr<Value> DotOf(const Input& in, const DotAttrs& attrs) {
  const ElementType accumulator = AccumulatorOf(in);
  Matrices lhs =
      ToMatrices(in.array(0), attrs.lhs_batch_dims, attrs.lhs_contracting_dims, accumulator);
  Matrices rhs =
      ToMatrices(in.array(1), attrs.rhs_batch_dims, attrs.rhs_contracting_dims, accumulator);
  return Finish(in, Multiply(lhs, rhs, accumulator));
}

// The group of each element [batch, rows] or [batch, contracting] of lhs, or -1.
std::vector<int64_t> GroupsOf(const Input& in) {
  const auto& attrs = in.instruction.attrs<RaggedDotAttrs>();
  const Shape& lhs = in.array(0).shape();
  const Literal& sizes = in.array(2);
  const int64_t ragged = attrs.lhs_ragged_dims[0];
  const RaggedDims dims = FindRagged(attrs, lhs.rank());
  const int64_t groups = sizes.shape().dimensions().back();
  // In row-major order come the dimensions before the ragged one, it, and those behind it.
  int64_t before = 1, extent = lhs.dimension(ragged), behind = 1;
  for (int64_t d : dims.before) before *= lhs.dimension(d);
  bool is_behind = false;
  for (int64_t d :
       dims.mode == RaggedMode::kContracting
           ? attrs.lhs_contracting_dims
           : FreeDims(lhs.rank(), {&attrs.lhs_batch_dims, &attrs.lhs_contracting_dims})) {
    if (is_behind) behind *= lhs.dimension(d);
    is_behind |= d == ragged;
  }
  std::vector<int64_t> result;
  for (int64_t b = 0; b < before; ++b) {
    const int64_t first = sizes.shape().rank() == 1 ? 0 : b * groups;
    std::vector<int64_t> of_element(static_cast<size_t>(extent), -1);
    int64_t start = 0;
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t size = LoadIndex(sizes, first + g);
      for (int64_t k = 0; k < size && start < extent; ++k)
        of_element[static_cast<size_t>(start++)] = g;
    }
    for (int64_t group : of_element)
      result.insert(result.end(), static_cast<size_t>(behind), group);
  }
  return result;
}

// Each row of lhs with the columns of its group's right operand, [groups * batch, columns, depth].
template <class T>
Literal MultiplyRows(const Matrices& lhs, const Matrices& rhs, const std::vector<int64_t>& groups,
                     ElementType accumulator) {
  Literal result(Shape(accumulator, {lhs.batch, lhs.rows, rhs.rows}));
  const T* x = lhs.elements.data<T>().data();
  const T* y = rhs.elements.data<T>().data();
  T* out = result.data<T>().data();
  for (int64_t row = 0; row < lhs.batch * lhs.rows; ++row) {
    const int64_t group = groups[static_cast<size_t>(row)];
    for (int64_t j = 0; j < rhs.rows; ++j) {
      T sum{};
      for (int64_t k = 0; group >= 0 && k < lhs.depth; ++k) {
        const int64_t column = (group * lhs.batch + row / lhs.rows) * rhs.rows + j;
        sum = AddProduct(sum, x[row * lhs.depth + k], y[column * rhs.depth + k]);
      }
      *out++ = sum;
    }
  }
  return result;
}

// Each product is added to the sum of its group.
template <class T>
Literal MultiplyParts(const Matrices& lhs, const Matrices& rhs, const std::vector<int64_t>& groups,
                      int64_t group_count, ElementType accumulator) {
  Literal result(Shape(accumulator, {group_count, lhs.batch, lhs.rows, rhs.rows}));
  const T* x = lhs.elements.data<T>().data();
  const T* y = rhs.elements.data<T>().data();
  T* out = result.data<T>().data();
  for (int64_t b = 0; b < lhs.batch; ++b) {
    for (int64_t i = 0; i < lhs.rows; ++i) {
      for (int64_t j = 0; j < rhs.rows; ++j) {
        for (int64_t k = 0; k < lhs.depth; ++k) {
          const int64_t group = groups[static_cast<size_t>(b * lhs.depth + k)];
          if (group < 0) continue;
          T& sum = out[((group * lhs.batch + b) * lhs.rows + i) * rhs.rows + j];
          sum = AddProduct(sum, x[(b * lhs.rows + i) * lhs.depth + k],
                           y[(b * rhs.rows + j) * rhs.depth + k]);
        }
      }
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<Value> Dot(const Input& in) { return DotOf(in, in.instruction.attrs<DotAttrs>()); }

absl::StatusOr<Value> RaggedDot(const Input& in) {
  const auto& attrs = in.instruction.attrs<RaggedDotAttrs>();
  const RaggedMode mode = FindRagged(attrs, in.array(0).shape().rank()).mode;
  if (mode == RaggedMode::kBatch) return DotOf(in, attrs);
  const ElementType accumulator = AccumulatorOf(in);
  Dims rhs_batch = attrs.rhs_group_dims;
  rhs_batch.insert(rhs_batch.end(), attrs.rhs_batch_dims.begin(), attrs.rhs_batch_dims.end());
  const Matrices lhs =
      ToMatrices(in.array(0), attrs.lhs_batch_dims, attrs.lhs_contracting_dims, accumulator);
  const Matrices rhs = ToMatrices(in.array(1), rhs_batch, attrs.rhs_contracting_dims, accumulator);
  const std::vector<int64_t> groups = GroupsOf(in);
  return Finish(in, VisitAccumulator(accumulator, [&](auto zero) {
                  using T = decltype(zero);
                  if (mode == RaggedMode::kFree)
                    return MultiplyRows<T>(lhs, rhs, groups, accumulator);
                  return MultiplyParts<T>(lhs, rhs, groups, in.array(2).shape().dimensions().back(),
                                          accumulator);
                }));
}

}  // namespace sinter::eval
