// Products of matrices in panels of two vectors' columns: broadcast elements times rows. Compiled
// for each instruction set, as often as Highway includes the file.
#if defined(SINTER_MATRIX_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef SINTER_MATRIX_LANES
#undef SINTER_MATRIX_LANES
#else
#define SINTER_MATRIX_LANES
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "runtime/cpu/fft_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE::matrix {

namespace hn = hwy::HWY_NAMESPACE;
using fft::Lanes;
using fft::Load;
using fft::LoadTransposed;
using fft::Splat;
using fft::Store;
using fft::Vector;

// Terms that one accumulator takes.
constexpr int64_t kDepth = 256;
// Rows of a tile: two accumulators each, so many that they hide the latency of multiply-adds.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 6;
#endif

// turned[k][c] = rows[c][k] for k < depth and c < count; zero for c from `count` to two vectors.
template <class T>
HWY_NOINLINE void Turn(const T* rows, int64_t stride, int64_t count, int64_t depth, T* turned) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  for (int64_t half = 0; half < 2; ++half) {
    const int64_t first = half * kLanes;
    T* to = turned + first;
    if (first + kLanes > count) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t c = 0; c < kLanes; ++c)
          to[k * kColumns + c] = first + c < count ? rows[(first + c) * stride + k] : T{0};
      }
      continue;
    }
    int64_t k = 0;
    for (; k + kLanes <= depth; k += kLanes) {
      Vector<T> v[kLanes];
      LoadTransposed<T>([&](int64_t c) HWY_ATTR { return rows + (first + c) * stride + k; }, v);
      UNROLLED for (int64_t c = 0; c < kLanes; ++c) Store(v[c], to + (k + c) * kColumns);
    }
    for (; k < depth; ++k) {
      for (int64_t c = 0; c < kLanes; ++c) to[k * kColumns + c] = rows[(first + c) * stride + k];
    }
  }
}

// to[r] -= the sum over k < depth of left[r * row + k * column] panel[k], for kRows rows.
template <int kRows, class T>
HWY_INLINE void Subtract(const T* left, int64_t row, int64_t column, int64_t depth, const T* panel,
                         T* to, int64_t stride) {
  constexpr int64_t kLanes = LANES, kColumns = 2 * kLanes;
  for (int64_t begin = 0; begin < depth; begin += kDepth) {
    const int64_t end = std::min(depth, begin + kDepth);
    Vector<T> sum[kRows][2];
    UNROLLED for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(Lanes<T>());
    for (int64_t k = begin; k < end; ++k) {
      const Vector<T> b0 = Load(panel + k * kColumns), b1 = Load(panel + k * kColumns + kLanes);
      UNROLLED for (int r = 0; r < kRows; ++r) {
        const Vector<T> x = Splat(left[r * row + k * column]);
        sum[r][0] = hn::MulAdd(x, b0, sum[r][0]);
        sum[r][1] = hn::MulAdd(x, b1, sum[r][1]);
      }
    }
    UNROLLED for (int r = 0; r < kRows; ++r) {
      T* at = to + r * stride;
      Store(hn::Sub(Load(at), sum[r][0]), at);
      Store(hn::Sub(Load(at + kLanes), sum[r][1]), at + kLanes);
    }
  }
}
template <class T>
HWY_INLINE void SubtractRows(const T* left, int64_t row, int64_t column, int64_t rows,
                             int64_t depth, const T* panel, T* to, int64_t stride) {
  int64_t r = 0;
  for (; r + kTileRows <= rows; r += kTileRows)
    Subtract<kTileRows>(left + r * row, row, column, depth, panel, to + r * stride, stride);
  for (; r + 4 <= rows; r += 4)
    Subtract<4>(left + r * row, row, column, depth, panel, to + r * stride, stride);
  for (; r < rows; ++r)
    Subtract<1>(left + r * row, row, column, depth, panel, to + r * stride, stride);
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE::matrix
HWY_AFTER_NAMESPACE();

#endif  // SINTER_MATRIX_LANES
