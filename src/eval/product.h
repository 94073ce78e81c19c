// Sums of products in the type that accumulates them.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "sinter/element_type.h"

namespace sinter::eval {

// In what a sum of Ts is held until it is rounded to T, once: a type of more digits where C++ has
// one, as the interpreter judges sums in any order.
template <class T>
struct SumOf {
  using Type = T;
};
template <>
struct SumOf<float> {
  using Type = double;
};
template <>
struct SumOf<double> {
  using Type = long double;
};
template <>
struct SumOf<std::complex<float>> {
  using Type = std::complex<double>;
};
template <>
struct SumOf<std::complex<double>> {
  using Type = std::complex<long double>;
};
template <class T>
using Sum = typename SumOf<T>::Type;

// sum + x * y; the product and the sum are rounded apart (this room is compiled without
// contraction).
template <class T>
Sum<T> AddProduct(Sum<T> sum, T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum || (x && y);
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + static_cast<Sum<T>>(x) * static_cast<Sum<T>>(y);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(sum) +
                          static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  } else {
    const Sum<T> p(x), q(y);
    return {sum.real() + (p.real() * q.real() - p.imag() * q.imag()),
            sum.imag() + (p.real() * q.imag() + p.imag() * q.real())};
  }
}

// Calls body(T{}) with the type of C++ that holds an accumulator (AccumulatorOf).
template <class Body>
decltype(auto) VisitAccumulator(ElementType accumulator, Body body) {
  switch (accumulator) {
    using E = ElementType;
    case E::F32:
      return body(float{});
    case E::F64:
      return body(double{});
    case E::S64:
      return body(int64_t{});
    case E::U64:
      return body(uint64_t{});
    case E::C64:
      return body(std::complex<float>{});
    case E::C128:
      return body(std::complex<double>{});
    default:
      return body(bool{});
  }
}

}  // namespace sinter::eval
