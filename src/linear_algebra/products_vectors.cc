#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linear_algebra/products_vectors.cc"
#include "base/vector_targets.h"
#include "linear_algebra/products.h"

#include <algorithm>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::linear_algebra::HWY_NAMESPACE::products {

namespace hn = hwy::HWY_NAMESPACE;
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 4")

template <class R>
using Tag = hn::ScalableTag<R>;
template <class R>
using Reals = hn::Vec<Tag<R>>;

// Of real numbers: complex columns are twice as long, and elements of b are pairs.
template <class R>
struct Call {
  const R *a, *b;
  R* c;
  int64_t a_stride, b_stride, c_stride;
  int64_t rows, depth, columns;
};

// kVectors of rows from `row` on, kColumns from `column` on; of the last vector `count` elements
// if it is not whole. Complex numbers: what the real parts of b give and what the imaginary ones
// give meet at the end.
template <bool kComplex, int kVectors, int kColumns, bool kWhole, class R>
HWY_INLINE void Tile(const Call<R>& call, int64_t row, int64_t column, int64_t count) {
  constexpr int kParts = kComplex ? 2 : 1;
  const Tag<R> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<size_t>(count));
  Reals<R> straight[kColumns][kVectors], crossed[kColumns][kVectors];
  UNROLLED for (int j = 0; j < kColumns; ++j) {
    UNROLLED for (int v = 0; v < kVectors; ++v) straight[j][v] = crossed[j][v] = hn::Zero(d);
  }
  const R* a = call.a + row;
  const R* b = call.b + column * call.b_stride;
  for (int64_t k = 0; k < call.depth; ++k, a += call.a_stride, b += kParts) {
    Reals<R> x[kVectors];
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      const R* from = a + v * lanes;
      x[v] = kWhole || v + 1 < kVectors ? hn::LoadU(d, from) : hn::MaskedLoad(mask, d, from);
    }
    UNROLLED for (int j = 0; j < kColumns; ++j) {
      const auto re = hn::Set(d, b[j * call.b_stride]);
      UNROLLED for (int v = 0; v < kVectors; ++v) straight[j][v] =
          hn::MulAdd(x[v], re, straight[j][v]);
      if constexpr (kComplex) {
        const auto im = hn::Set(d, b[j * call.b_stride + 1]);
        UNROLLED for (int v = 0; v < kVectors; ++v) crossed[j][v] =
            hn::MulAdd(x[v], im, crossed[j][v]);
      }
    }
  }
  UNROLLED for (int j = 0; j < kColumns; ++j) {
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      Reals<R> sum = straight[j][v];
      if constexpr (kComplex) {
        const Reals<R> turned = hn::Reverse2(d, crossed[j][v]);
        sum = hn::OddEven(hn::Add(sum, turned), hn::Sub(sum, turned));
      }
      R* const to = call.c + (column + j) * call.c_stride + row + v * lanes;
      if (kWhole || v + 1 < kVectors) {
        hn::StoreU(hn::Sub(hn::LoadU(d, to), sum), d, to);
      } else {
        hn::BlendedStore(hn::Sub(hn::MaskedLoad(mask, d, to), sum), mask, d, to);
      }
    }
  }
}

template <bool kComplex, int kColumns, class R>
HWY_INLINE void SomeColumns(const Call<R>& call, int64_t column) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag<R>()));
  int64_t row = 0;
  for (; row + 2 * lanes <= call.rows; row += 2 * lanes)
    Tile<kComplex, 2, kColumns, true>(call, row, column, lanes);
  const int64_t rest = call.rows - row;
  if (rest > lanes) return Tile<kComplex, 2, kColumns, false>(call, row, column, rest - lanes);
  if (rest > 0) Tile<kComplex, 1, kColumns, false>(call, row, column, rest);
}

template <bool kComplex, class R>
HWY_INLINE void Subtract(const Call<R>& call) {
  // As many as there are registers for.
  constexpr int kColumns = HWY_TARGET == HWY_AVX3 || !kComplex ? 4 : 2;
  int64_t j = 0;
  for (; j + kColumns <= call.columns; j += kColumns) SomeColumns<kComplex, kColumns>(call, j);
  for (; j < call.columns; ++j) SomeColumns<kComplex, 1>(call, j);
}
template <class R>
HWY_NOINLINE void SubtractReals(const Call<R>& call) {
  Subtract<false>(call);
}
template <class R>
HWY_NOINLINE void SubtractComplexes(const Call<R>& call) {
  Subtract<true>(call);
}

// By names and arguments without a type of the instruction set's.
template <class R>
void Run(bool is_complex, const R* a, int64_t a_stride, const R* b, int64_t b_stride, R* c,
         int64_t c_stride, int64_t rows, int64_t depth, int64_t columns) {
  const Call<R> call{a, b, c, a_stride, b_stride, c_stride, rows, depth, columns};
  is_complex ? SubtractComplexes(call) : SubtractReals(call);
}

#undef UNROLLED
}  // namespace sinter::linear_algebra::HWY_NAMESPACE::products
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::linear_algebra {

template <class T>
void SubtractProduct(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c) {
  using R = RealOf<T>;
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  static const auto run = SINTER_FOR_VECTOR_TARGET(HostVectorTarget(), products::Run<R>);
  run(kIsComplex<T>, reinterpret_cast<const R*>(a.data), kParts * a.stride,
      reinterpret_cast<const R*>(b.data), kParts * b.stride, reinterpret_cast<R*>(c.data),
      kParts * c.stride, kParts * c.rows, a.columns, c.columns);
}

#define SINTER_INSTANTIATE(T) \
  template void SubtractProduct<T>(const Matrix<T>&, const Matrix<T>&, const Matrix<T>&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
#endif
