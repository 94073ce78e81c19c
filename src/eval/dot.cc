// dot: sums of products in index order, in an accumulator that is rounded once to the result's
// type.
#include <complex>
#include <type_traits>

#include "eval/functions.h"
#include "eval/product.h"

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

}  // namespace

absl::StatusOr<Value> Dot(const Input& in) {
  const auto& attrs = in.instruction.attrs<DotAttrs>();
  ElementType to = in.shape().element_type();
  ElementType accumulator = AccumulatorOf(in.array(0).shape().element_type(), to);
  Matrices lhs =
      ToMatrices(in.array(0), attrs.lhs_batch_dims, attrs.lhs_contracting_dims, accumulator);
  Matrices rhs =
      ToMatrices(in.array(1), attrs.rhs_batch_dims, attrs.rhs_contracting_dims, accumulator);
  auto result = ConvertTo(Multiply(lhs, rhs, accumulator), to).Reshape(in.shape().dimensions());
  if (!result.ok()) return result.status();
  return Value(*std::move(result));
}

}  // namespace sinter::eval
