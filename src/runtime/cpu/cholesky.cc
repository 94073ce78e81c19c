#include "runtime/cpu/cholesky.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status.h"
#include "program/cholesky_layout.h"
#include "runtime/cpu/cholesky_vectors.h"
#include "runtime/cpu/lane_matrices_vectors.h"
#include "runtime/cpu/matrix_tasks.h"

namespace sinter::runtime::cpu {
namespace {

using program::CholeskyLayout;

template <class T>
class Factoriser {
 public:
  explicit Factoriser(const LibraryArguments& arguments)
      : arguments_(arguments),
        layout_(CholeskyLayout::FromDims({arguments.dims, CholeskyLayout::kDims})),
        n_(layout_.n),
        kernels_(CholeskyKernelsFor<T>(arguments.target)) {}

  void Run() const {
    const double n = static_cast<double>(n_);
    // And what each column takes: 60 nanoseconds.
    const double operations = (n * n * n / 3 + 1800 * n) * static_cast<double>(layout_.batch);
    if (layout_.batch == 1) return Factor(0, 0, UsefulThreads(arguments_, operations));
    if (layout_.IsInLanes()) return FactorInLanes();
    ForEachPart(arguments_, layout_.batch, static_cast<int>(layout_.Slots()), operations,
                [&](int64_t i, int seat) { Factor(i, seat, 1); });
  }

 private:
  void FactorInLanes() const {
    const int64_t size = n_ * n_, row = layout_.lower ? n_ : 1, column = layout_.lower ? 1 : n_;
    const auto n = static_cast<double>(n_);
    ForEachGroup<T>(arguments_, layout_, arguments_.buffers[2],
                    n * n * (n + 16) * static_cast<double>(layout_.batch) / 8,
                    [&](const LaneGroup<T>& group) {
                      T* const a = group.scratch;
                      group.Gather(arguments_.buffers[0], size, a);
                      group.WillScatter(arguments_.buffers[1], size);
                      group.kernels.cholesky({a, row, column}, n_);
                      group.Scatter(a, size, arguments_.buffers[1]);
                    });
  }

  void Factor(int64_t i, int seat, int threads) const {
    const T* from = static_cast<const T*>(arguments_.buffers[0]) + i * n_ * n_;
    T* a = static_cast<T*>(arguments_.buffers[1]) + i * n_ * n_;
    CopyTriangle(from, a);
    if (!FactorBlocks(a, seat, threads)) {
      for (int64_t r = 0; r < n_; ++r)
        std::fill_n(a + r * n_, r + 1, std::numeric_limits<T>::quiet_NaN());
    }
    if (!layout_.lower) Transpose(a);
  }

  // The lower triangle, or the upper one turned, with zeros above.
  void CopyTriangle(const T* from, T* a) const {
    if (layout_.lower) {
      for (int64_t r = 0; r < n_; ++r) {
        std::copy_n(from + r * n_, r + 1, a + r * n_);
        std::fill(a + r * n_ + r + 1, a + (r + 1) * n_, T{0});
      }
      return;
    }
    constexpr int64_t kTile = 16;
    for (int64_t r = 0; r < n_; r += kTile) {
      for (int64_t c = 0; c < n_; c += kTile) {
        for (int64_t y = r; y < std::min(n_, r + kTile); ++y) {
          for (int64_t x = c; x < std::min(n_, c + kTile); ++x)
            a[y * n_ + x] = x <= y ? from[x * n_ + y] : T{0};
        }
      }
    }
  }
  void Transpose(T* a) const {
    constexpr int64_t kTile = 16;
    for (int64_t r = 0; r < n_; r += kTile) {
      for (int64_t c = 0; c <= r; c += kTile) {
        for (int64_t y = r; y < std::min(n_, r + kTile); ++y) {
          for (int64_t x = c; x < std::min(y, c + kTile); ++x)
            std::swap(a[y * n_ + x], a[x * n_ + y]);
        }
      }
    }
  }

  bool FactorBlocks(T* a, int seat, int threads) const {
    const int64_t columns = kernels_.columns;
    T* const turned = reinterpret_cast<T*>(static_cast<char*>(arguments_.buffers[2]) +
                                           seat * layout_.SlotBytes());
    T* const triangle = turned + n_ * columns;
    for (int64_t j = 0; j < n_; j += columns) {
      const int64_t count = std::min(columns, n_ - j);
      const T* const left = a + j * n_;
      kernels_.turn(left, n_, count, j, turned);
      if (!kernels_.diagonal(left + j, left, n_, count, j, turned, triangle)) return false;
      for (int64_t r = 0; r < count; ++r)
        std::copy_n(triangle + r * columns, r + 1, a + (j + r) * n_ + j);
      const int64_t first = j + count, tasks = (n_ - first + kernels_.rows - 1) / kernels_.rows;
      auto below = [&](int64_t task, int) {
        const int64_t row = first + task * kernels_.rows, rows = std::min(kernels_.rows, n_ - row);
        kernels_.below(a + row * n_ + j, a + row * n_, n_, rows, count, j, turned, triangle);
      };
      ForEachPart(arguments_, tasks, threads,
                  static_cast<double>((n_ - first) * count * (j + count)), below);
    }
    return true;
  }

  const LibraryArguments& arguments_;
  const CholeskyLayout layout_;
  const int64_t n_;
  const CholeskyKernels<T> kernels_;
};

}  // namespace

void Cholesky(const LibraryArguments& arguments) {
  if (CholeskyLayout::FromDims({arguments.dims, CholeskyLayout::kDims}).wide)
    return Factoriser<double>(arguments).Run();
  Factoriser<float>(arguments).Run();
}

absl::Status CheckCholesky(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(s.dims.size() != CholeskyLayout::kDims || s.sizes.size() != 3,
                     "cholesky: {} integers, {} buffers", s.dims.size(), s.sizes.size());
  const CholeskyLayout layout = CholeskyLayout::FromDims(s.dims);
  ASSIGN_OR_RETURN(const int64_t bytes, BatchBytes(layout, layout.n, layout.n));
  RETURN_INTERNAL_IF(s.sizes[0] < bytes || s.sizes[1] < bytes || s.sizes[2] < layout.ScratchBytes(),
                     "cholesky: buffers of {}, {} and {} bytes", s.sizes[0], s.sizes[1],
                     s.sizes[2]);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
