#include "runtime/cpu/lu.h"

#include <numeric>
#include <utility>

#include "base/status.h"
#include "program/matrix_layouts.h"
#include "runtime/cpu/lane_matrices_vectors.h"
#include "runtime/cpu/matrix_tasks.h"
#include "runtime/cpu/matrix_vectors.h"

namespace sinter::runtime::cpu {
namespace {

using program::LuLayout;

// The order of `rows` rows after these exchanges.
void Permute(const int32_t* pivots, int64_t count, int64_t rows, int32_t* permutation) {
  std::iota(permutation, permutation + rows, 0);
  for (int64_t j = 0; j < count; ++j) std::swap(permutation[j], permutation[pivots[j]]);
}

// One matrix at a time, in place.
template <class T>
class LuFactoriser {
 public:
  LuFactoriser(const LibraryArguments& arguments, const LuLayout& layout,
               const MatrixKernels<T>& kernels, int64_t i, int seat, int threads)
      : arguments_(arguments),
        kernels_(kernels),
        m_(layout.m),
        n_(layout.n),
        threads_(threads),
        a_(static_cast<T*>(arguments.buffers[1]) + i * m_ * n_),
        pivots_(static_cast<int32_t*>(arguments.buffers[2]) + i * layout.Least()),
        panel_(ScratchAt<T>(arguments.buffers[4], seat * layout.SlotBytes())),
        right_(panel_ + m_ * layout.PanelColumns()) {
    std::copy_n(static_cast<const T*>(arguments.buffers[0]) + i * m_ * n_, m_ * n_, a_);
    const int64_t least = layout.Least();
    Factor(0, least);
    Update(0, least, n_);
    Permute(pivots_, least, m_, static_cast<int32_t*>(arguments.buffers[3]) + i * m_);
  }

 private:
  // Columns `begin` to `end` from row `begin` on, to which what is left of them is applied.
  void Factor(int64_t begin, int64_t end) {
    const int64_t columns = kernels_.columns, width = end - begin, rows = m_ - begin;
    if (width <= columns) {
      const MatrixView<T> block{a_ + begin * (n_ + 1), n_, 1};
      kernels_.pack(block, rows, width, panel_);
      kernels_.lu(panel_, rows, width, pivots_ + begin);
      kernels_.unpack(panel_, rows, width, block);
      for (int64_t j = begin; j < end; ++j) pivots_[j] += static_cast<int32_t>(begin);
      return;
    }
    const int64_t middle = begin + (width / 2 + columns - 1) / columns * columns;
    Factor(begin, middle);
    Update(begin, middle, end);
    Factor(middle, end);
    Exchange(middle, end, begin, middle);
  }

  // The exchanges of rows `first` to `last`, in columns `begin` to `end`.
  void Exchange(int64_t first, int64_t last, int64_t begin, int64_t end) {
    for (int64_t j = first; j < last; ++j) {
      if (pivots_[j] != j)
        std::swap_ranges(a_ + j * n_ + begin, a_ + j * n_ + end, a_ + pivots_[j] * n_ + begin);
    }
  }

  // What columns `begin` to `middle`, which are factored, do to those from there to `end`.
  void Update(int64_t begin, int64_t middle, int64_t end) {
    const int64_t columns = kernels_.columns, depth = middle - begin;
    const int64_t panels = (end - middle + columns - 1) / columns;
    if (panels == 0 || depth == 0) return;
    const auto work = static_cast<double>(depth * (end - middle));
    auto right = [&](int64_t panel) { return right_ + panel * depth * columns; };
    auto solve = [&](int64_t panel, int) {
      const int64_t c = middle + panel * columns, count = std::min(columns, end - c);
      Exchange(begin, middle, c, c + count);
      const MatrixView<T> top{a_ + begin * n_ + c, n_, 1};
      kernels_.pack(top, depth, count, right(panel));
      kernels_.solve({a_ + begin * (n_ + 1), n_, 1}, /*unit_diagonal=*/true, depth, right(panel));
      kernels_.unpack(right(panel), depth, count, top);
    };
    ForEachPart(arguments_, panels, threads_, work * static_cast<double>(depth), solve);
    const int64_t chunks = (m_ - middle + kRows - 1) / kRows;
    auto subtract = [&](int64_t task, int) {
      const int64_t panel = task / chunks, row = middle + task % chunks * kRows;
      const int64_t c = middle + panel * columns, count = std::min(columns, end - c);
      const int64_t rows = std::min(kRows, m_ - row);
      const MatrixView<T> left{a_ + row * n_ + begin, n_, 1}, to{a_ + row * n_ + c, n_, 1};
      if (count == columns) {
        kernels_.subtract(left, rows, depth, right(panel), a_ + row * n_ + c, n_);
        return;
      }
      T part[kRows * LuLayout::kPanelBytes / sizeof(T)];
      kernels_.pack(to, rows, count, part);
      kernels_.subtract(left, rows, depth, right(panel), part, columns);
      kernels_.unpack(part, rows, count, to);
    };
    ForEachPart(arguments_, panels * chunks, threads_, 2 * work * static_cast<double>(m_ - middle),
                subtract);
  }

  static constexpr int64_t kRows = 64;  // of a task of products

  const LibraryArguments& arguments_;
  const MatrixKernels<T>& kernels_;
  const int64_t m_, n_;
  const int threads_;
  T* const a_;
  int32_t* const pivots_;
  T *const panel_, *const right_;
};

// A matrix to a lane.
template <class T>
void FactorGroup(const LibraryArguments& arguments, const LuLayout& layout,
                 const LaneKernels<T>& kernels, int64_t first, int64_t matrices, T* a) {
  const int64_t m = layout.m, n = layout.n, least = layout.Least(), lanes = kernels.lanes;
  T* const numbers = a + m * n * lanes;
  kernels.gather(static_cast<const T*>(arguments.buffers[0]) + first * m * n, m * n, matrices,
                 m * n, a);
  kernels.lu(a, m, n, numbers);
  kernels.scatter(a, m * n, matrices, m * n, static_cast<T*>(arguments.buffers[1]) + first * m * n);
  kernels.scatter_numbers(numbers, matrices, least,
                          static_cast<int32_t*>(arguments.buffers[2]) + first * least);
  kernels.scatter_numbers(numbers + least * lanes, matrices, m,
                          static_cast<int32_t*>(arguments.buffers[3]) + first * m);
}

template <class T>
void RunLu(const LibraryArguments& arguments) {
  const auto layout = LuLayout::FromDims({arguments.dims, LuLayout::kDims});
  const MatrixKernels<T> kernels = MatrixKernelsFor<T>(arguments.target);
  auto factor = [&](int64_t i, int seat, int threads) {
    LuFactoriser<T>(arguments, layout, kernels, i, seat, threads);
  };
  if (layout.batch == 1) return factor(0, 0, arguments.workers.parallelism());
  const auto least = static_cast<double>(layout.Least());
  const double operations = static_cast<double>(layout.batch) * least * (least + 16) *
                            static_cast<double>(std::max(layout.m, layout.n) + 16);
  if (layout.IsInLanes()) {
    const LaneKernels<T> lanes = LaneKernelsFor<T>(arguments.target);
    return ForEachGroup<T>(arguments, layout, lanes.lanes, arguments.buffers[4], operations / 4,
                           [&](int64_t first, int64_t matrices, T* scratch) {
                             FactorGroup(arguments, layout, lanes, first, matrices, scratch);
                           });
  }
  ForEachPart(arguments, layout.batch, static_cast<int>(layout.Slots()), operations,
              [&](int64_t i, int seat) { factor(i, seat, 1); });
}

}  // namespace

void Lu(const LibraryArguments& arguments) {
  if (arguments.dims[1] != 0) return RunLu<double>(arguments);
  RunLu<float>(arguments);
}

absl::Status CheckLu(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(s.dims.size() != LuLayout::kDims || s.sizes.size() != 5,
                     "lu: {} integers, {} buffers", s.dims.size(), s.sizes.size());
  const auto layout = LuLayout::FromDims(s.dims);
  ASSIGN_OR_RETURN(const int64_t bytes, BatchBytes(layout, layout.m, layout.n));
  RETURN_INTERNAL_IF(
      s.sizes[0] < bytes || s.sizes[1] < bytes || s.sizes[2] < layout.batch * layout.Least() * 4 ||
          s.sizes[3] < layout.batch * layout.m * 4 || s.sizes[4] < layout.ScratchBytes(),
      "lu: buffers of {}, {}, {}, {} and {} bytes", s.sizes[0], s.sizes[1], s.sizes[2], s.sizes[3],
      s.sizes[4]);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
