// Sums of products in the type that accumulates them.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "sinter/element_type.h"

namespace sinter::eval {

// sum + x * y; the product and the sum are rounded apart (this room is compiled without
// contraction).
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
