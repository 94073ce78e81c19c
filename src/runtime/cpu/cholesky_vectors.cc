// Tiles of rows by two vectors of columns: broadcast elements times turned rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/cholesky_vectors.cc"
#include "runtime/cpu/cholesky_vectors.h"

#include <algorithm>
#include <cmath>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/cpu/matrix_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::cholesky {

namespace hn = hwy::HWY_NAMESPACE;
using matrix::Lanes;
using matrix::Load;
using matrix::LoadTransposed;
using matrix::Splat;
using matrix::Store;
using matrix::SubtractRows;
using matrix::Turn;
using matrix::Vector;

template <class T>
HWY_INLINE void LoadTile(const T* a, int64_t stride, int64_t rows, int64_t count, T* tile) {
  constexpr int64_t kColumns = 2 * LANES;
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(a + r * stride, count, tile + r * kColumns);
    std::fill(tile + r * kColumns + count, tile + (r + 1) * kColumns, T{0});
  }
}

template <class T>
bool Diagonal(const T* a, const T* left, int64_t stride, int64_t count, int64_t depth,
              const T* turned, T* triangle) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  // What stands above the diagonal is not the matrix's.
  for (int64_t r = 0; r < kColumns; ++r) {
    T* row = triangle + r * kColumns;
    std::fill(row, row + kColumns, T{0});
    if (r < count) {
      std::copy_n(a + r * stride, r + 1, row);
    } else {
      row[r] = 1;
    }
  }
  SubtractRows(left, stride, 1, count, depth, turned, triangle, kColumns);
  HWY_ALIGN T column[kColumns];
  for (int64_t j = 0; j < count; ++j) {
    T* pivot = triangle + j * kColumns + j;
    if (!(*pivot > 0)) return false;
    *pivot = std::sqrt(*pivot);
    std::fill(column, column + kColumns, T{0});
    for (int64_t r = j + 1; r < count; ++r) {
      column[r] = triangle[r * kColumns + j] / *pivot;
      triangle[r * kColumns + j] = column[r];
    }
    for (int64_t r = j + 1; r < count; ++r) {
      const Vector<T> x = Splat(column[r]);
      for (int64_t c = j / kLanes * kLanes; c <= r; c += kLanes) {
        T* to = triangle + r * kColumns + c;
        Store(hn::NegMulAdd(x, Load(column + c), Load(to)), to);
      }
    }
  }
  for (int64_t r = 0; r < count; ++r) {
    T* row = triangle + r * kColumns;
    std::fill(row + r + 1, row + kColumns, T{0});
  }
  return true;
}

template <class T>
void Below(T* a, const T* left, int64_t stride, int64_t rows, int64_t count, int64_t depth,
           const T* turned, const T* triangle) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  HWY_ALIGN T tile[kLanes * kColumns];
  HWY_ALIGN T x[kColumns * kLanes];  // a row to a lane
  std::fill(tile + rows * kColumns, tile + kLanes * kColumns, T{0});
  LoadTile(a, stride, rows, count, tile);
  SubtractRows(left, stride, 1, rows, depth, turned, tile, kColumns);
  for (int64_t half = 0; half < 2; ++half) {
    Vector<T> v[kLanes];
    LoadTransposed<T>([&](int64_t r) HWY_ATTR { return tile + r * kColumns + half * kLanes; }, v);
    UNROLLED for (int64_t c = 0; c < kLanes; ++c) Store(v[c], x + (half * kLanes + c) * kLanes);
  }
  for (int64_t j = 0; j < count; ++j) {
    const T* row = triangle + j * kColumns;
    // Several sums side by side: one would wait for its last term each time.
    constexpr int64_t kSums = 4;
    Vector<T> sum[kSums];
    UNROLLED for (int64_t s = 0; s < kSums; ++s) sum[s] = hn::Zero(Lanes<T>());
    int64_t k = 0;
    for (; k + kSums <= j; k += kSums) {
      UNROLLED for (int64_t s = 0; s < kSums; ++s) sum[s] =
          hn::MulAdd(Splat(row[k + s]), Load(x + (k + s) * kLanes), sum[s]);
    }
    for (; k < j; ++k) sum[0] = hn::MulAdd(Splat(row[k]), Load(x + k * kLanes), sum[0]);
    const Vector<T> total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
    Store(hn::Div(hn::Sub(Load(x + j * kLanes), total), Splat(row[j])), x + j * kLanes);
  }
  for (int64_t half = 0; half < 2; ++half) {
    Vector<T> v[kLanes];
    LoadTransposed<T>([&](int64_t c) HWY_ATTR { return x + (half * kLanes + c) * kLanes; }, v);
    UNROLLED for (int64_t r = 0; r < kLanes; ++r) Store(v[r], tile + r * kColumns + half * kLanes);
  }
  for (int64_t r = 0; r < rows; ++r) std::copy_n(tile + r * kColumns, count, a + r * stride);
}

static CholeskyKernels<float> KernelsOfFloat() {
  return {2 * HWY_LANES(float), HWY_LANES(float), Turn<float>, Diagonal<float>, Below<float>};
}
static CholeskyKernels<double> KernelsOfDouble() {
  return {2 * HWY_LANES(double), HWY_LANES(double), Turn<double>, Diagonal<double>, Below<double>};
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::cholesky
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinter::runtime::cpu {

template <>
CholeskyKernels<float> CholeskyKernelsFor<float>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, cholesky::KernelsOfFloat)();
}
template <>
CholeskyKernels<double> CholeskyKernelsFor<double>(VectorTarget target) {
  return SINTER_FOR_VECTOR_TARGET(target, cholesky::KernelsOfDouble)();
}

}  // namespace sinter::runtime::cpu
#endif
