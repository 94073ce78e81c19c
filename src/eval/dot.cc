// dot: sums of products in index order, in an accumulator that is rounded once to the result's
// type.
#include <complex>
#include <type_traits>

#include "eval/functions.h"

namespace sinter::eval {
namespace {

// Floats up to 32 bits accumulate in f32, integers modulo 2^64 (which no narrower integer can tell
// from its own accumulator), others in the result's or operands' own type, whichever is wider.
ElementType AccumulatorOf(ElementType operand, ElementType result) {
  using E = ElementType;
  if (IsComplex(result)) return operand == E::C128 ? E::C128 : result;
  if (IsFloat(result)) return operand == E::F64 || result == E::F64 ? E::F64 : E::F32;
  if (IsSigned(result)) return E::S64;
  if (IsUnsigned(result)) return E::U64;
  return E::PRED;
}

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

// The product and the sum are rounded apart (this file is compiled without contraction).
template <class T>
T AddProduct(T sum, T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum || (x && y);
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + x * y;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(sum) +
                          static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  } else {
    return {sum.real() + (x.real() * y.real() - x.imag() * y.imag()),
            sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
  }
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
  switch (accumulator) {
    using E = ElementType;
    case E::F32:
      return Multiply<float>(lhs, rhs, accumulator);
    case E::F64:
      return Multiply<double>(lhs, rhs, accumulator);
    case E::S64:
      return Multiply<int64_t>(lhs, rhs, accumulator);
    case E::U64:
      return Multiply<uint64_t>(lhs, rhs, accumulator);
    case E::C64:
      return Multiply<std::complex<float>>(lhs, rhs, accumulator);
    case E::C128:
      return Multiply<std::complex<double>>(lhs, rhs, accumulator);
    default:
      return Multiply<bool>(lhs, rhs, accumulator);
  }
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
