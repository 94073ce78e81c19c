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
        block_(layout.Block()),
        a_(static_cast<T*>(arguments.buffers[1]) + i * m_ * n_),
        pivots_(static_cast<int32_t*>(arguments.buffers[2]) + i * layout.Least()),
        panel_(ScratchAt<T>(arguments.buffers[4], seat * layout.SlotBytes())),
        inner_(panel_ + m_ * layout.PanelColumns()),
        right_(inner_ + layout.Block() * layout.PanelColumns()) {
    std::copy_n(static_cast<const T*>(arguments.buffers[0]) + i * m_ * n_, m_ * n_, a_);
    const int64_t least = layout.Least();
    Factor(0, block_);
    for (int64_t begin = 0; begin < least; begin += block_)
      UpdateBehind(begin, std::min(begin + block_, least), least);
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
    for (int64_t c = middle; c < end; c += columns) Update(begin, middle, c, end, inner_);
    Factor(middle, end);
    Exchange(middle, end, begin, middle);
  }

  // What a block of columns, which are factored, does to all others. The next block is factored as
  // soon as its columns are updated, by one thread, while others update those behind it.
  void UpdateBehind(int64_t begin, int64_t middle, int64_t least) {
    const int64_t columns = kernels_.columns, next = std::min(middle + block_, least),
                  panels = (n_ - next + columns - 1) / columns;
    auto task = [&](int64_t number, int) {
      if (number > panels) return Exchange(begin, middle, 0, begin);
      if (number > 0) {
        const int64_t c = next + (number - 1) * columns;
        return Update(begin, middle, c, n_, right_ + number * block_ * columns);
      }
      for (int64_t c = middle; c < next; c += columns) Update(begin, middle, c, next, right_);
      if (middle < next) Factor(middle, next);
    };
    const double operations = 2 * static_cast<double>((middle - begin) * (n_ - middle)) *
                              static_cast<double>(m_ - middle);
    ForEachPart(arguments_, panels + (begin > 0 ? 2 : 1), threads_, operations, task);
  }

  // The exchanges of rows `first` to `last`, in columns `begin` to `end`.
  void Exchange(int64_t first, int64_t last, int64_t begin, int64_t end) {
    for (int64_t j = first; j < last; ++j) {
      if (pivots_[j] != j)
        std::swap_ranges(a_ + j * n_ + begin, a_ + j * n_ + end, a_ + pivots_[j] * n_ + begin);
    }
  }

  // What columns `begin` to `middle`, which are factored, do to a panel of those from `c` on, but
  // not from `end` on.
  void Update(int64_t begin, int64_t middle, int64_t c, int64_t end, T* right) {
    const int64_t columns = kernels_.columns, depth = middle - begin,
                  count = std::min(columns, end - c);
    Exchange(begin, middle, c, c + count);
    const MatrixView<T> top{a_ + begin * n_ + c, n_, 1};
    kernels_.pack(top, depth, count, right);
    kernels_.solve({a_ + begin * (n_ + 1), n_, 1}, /*unit_diagonal=*/true, depth, right);
    kernels_.unpack(right, depth, count, top);
    for (int64_t row = middle; row < m_; row += kRows) {
      const int64_t rows = std::min(kRows, m_ - row);
      const MatrixView<T> left{a_ + row * n_ + begin, n_, 1}, to{a_ + row * n_ + c, n_, 1};
      if (count == columns) {
        kernels_.subtract(left, rows, depth, right, a_ + row * n_ + c, n_);
        continue;
      }
      T part[kRows * LuLayout::kPanelBytes / sizeof(T)];
      kernels_.pack(to, rows, count, part);
      kernels_.subtract(left, rows, depth, right, part, columns);
      kernels_.unpack(part, rows, count, to);
    }
  }

  static constexpr int64_t kRows = 64;  // whose factors stay in the first-level cache

  const LibraryArguments& arguments_;
  const MatrixKernels<T>& kernels_;
  const int64_t m_, n_;
  const int threads_;
  const int64_t block_;
  T* const a_;
  int32_t* const pivots_;
  // A panel that is factored, what is right of columns within a block, and what is right of a
  // block.
  T *const panel_, *const inner_, *const right_;
};

// A matrix to a lane.
template <class T>
void FactorGroup(const LibraryArguments& arguments, const LuLayout& layout,
                 const LaneGroup<T>& group) {
  const int64_t m = layout.m, n = layout.n, least = layout.Least(), lanes = group.kernels.lanes;
  T* const a = group.scratch;
  T* const numbers = a + m * n * lanes;
  group.Gather(arguments.buffers[0], m * n, a);
  group.WillScatter(arguments.buffers[1], m * n);
  group.kernels.lu(a, m, n, numbers);
  group.Scatter(a, m * n, arguments.buffers[1]);
  group.ScatterNumbers(numbers, least, arguments.buffers[2]);
  group.ScatterNumbers(numbers + least * lanes, m, arguments.buffers[3]);
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
    return ForEachGroup<T>(
        arguments, layout, arguments.buffers[4], operations / 4,
        [&](const LaneGroup<T>& group) { FactorGroup(arguments, layout, group); });
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
