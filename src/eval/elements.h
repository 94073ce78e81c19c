// Elements of literals as one wide type per kind of element, read exactly and written with one
// rounding: bool for predicates, int64_t and uint64_t for integers, double for floats, Complex for
// complex numbers.
#pragma once

#include <complex>
#include <cstdint>

#include "sinter/element_type.h"
#include "sinter/literal.h"

namespace sinter::eval {

using Complex = std::complex<double>;

// How many elements functions take at a time: enough to hide the choice of the type, little enough
// for arrays on the stack.
inline constexpr int64_t kChunk = 256;

// Calls body(first, count) for chunks that cover 0 .. size.
template <class Body>
void ForChunks(int64_t size, Body body) {
  for (int64_t first = 0; first < size; first += kChunk) {
    body(first, size - first < kChunk ? size - first : kChunk);
  }
}

// Reads `count` elements from row-major position `first`. The element type must be of the wide
// type's kind.
void Load(const Literal& from, int64_t first, int64_t count, bool* out);
void Load(const Literal& from, int64_t first, int64_t count, int64_t* out);
void Load(const Literal& from, int64_t first, int64_t count, uint64_t* out);
void Load(const Literal& from, int64_t first, int64_t count, double* out);
void Load(const Literal& from, int64_t first, int64_t count, Complex* out);

// Writes them: integers modulo 2^width, floats to the nearest, ties to even.
void Store(Literal& to, int64_t first, int64_t count, const bool* in);
void Store(Literal& to, int64_t first, int64_t count, const int64_t* in);
void Store(Literal& to, int64_t first, int64_t count, const uint64_t* in);
void Store(Literal& to, int64_t first, int64_t count, const double* in);
void Store(Literal& to, int64_t first, int64_t count, const Complex* in);

// The value that is read back after x has been written as an element of type `t`.
bool RoundTo(ElementType t, bool x);
int64_t RoundTo(ElementType t, int64_t x);
uint64_t RoundTo(ElementType t, uint64_t x);
double RoundTo(ElementType t, double x);
Complex RoundTo(ElementType t, Complex x);

// Calls body(Wide{}) with the wide type of `t`, which must be an array type.
template <class Body>
decltype(auto) VisitWide(ElementType t, Body body) {
  switch (Kind(t)) {
    case ElementKind::kPredicate:
      return body(bool{});
    case ElementKind::kSigned:
      return body(int64_t{});
    case ElementKind::kUnsigned:
      return body(uint64_t{});
    case ElementKind::kComplex:
      return body(Complex{});
    default:
      return body(double{});
  }
}

// One element; integer scalars such as indices and predicates.
template <class Wide>
Wide LoadOne(const Literal& from, int64_t at = 0) {
  Wide x;
  Load(from, at, 1, &x);
  return x;
}
// A signed or unsigned integer, saturated to int64.
int64_t LoadIndex(const Literal& from, int64_t at = 0);

}  // namespace sinter::eval
