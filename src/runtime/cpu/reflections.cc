#include "runtime/cpu/reflections.h"

#include <utility>

#include "base/status.h"
#include "program/matrix_layouts.h"
#include "runtime/cpu/lane_matrices_vectors.h"
#include "runtime/cpu/matrix_tasks.h"
#include "runtime/cpu/matrix_vectors.h"

namespace sinter::runtime::cpu {
namespace {

using program::ReflectionsLayout;

// One matrix at a time.
template <class T>
class Reflections {
 public:
  Reflections(const LibraryArguments& arguments, const ReflectionsLayout& layout,
              const MatrixKernels<T>& kernels, int slot, int threads)
      : arguments_(arguments),
        layout_(layout),
        kernels_(kernels),
        m_(layout.m),
        n_(layout.n),
        columns_(kernels.columns),
        threads_(threads),
        vectors_(ScratchAt<T>(arguments.buffers[3], slot * layout.SlotBytes())),
        triangle_(vectors_ + m_ * columns_),
        products_(triangle_ + columns_ * columns_),
        seats_(reinterpret_cast<char*>(vectors_) + layout.SharedBytes()) {}

  // In place.
  void Triangularise(T* a, T* taus) {
    for (int64_t j = 0; j < layout_.count; j += columns_) {
      const int64_t width = std::min(columns_, layout_.count - j), rows = m_ - j;
      const MatrixView<T> block{a + j * (n_ + 1), n_, 1};
      kernels_.pack(block, rows, width, vectors_);
      kernels_.qr(vectors_, rows, width, taus + j);
      kernels_.unpack(vectors_, rows, width, block);
      if (j + width == n_) return;
      MakeBlock(rows, width, taus + j);
      Apply(a, j, j + width, /*transposed=*/true);
    }
  }

  // `to` begins as anything.
  void Multiply(const T* a, const T* taus, T* to) {
    std::fill_n(to, m_ * n_, T{0});
    for (int64_t i = 0; i < std::min(m_, n_); ++i) to[i * (n_ + 1)] = 1;
    if (layout_.count == 0) return;
    // Of the columns before j nothing is left in the rows from there on.
    for (int64_t j = (layout_.count - 1) / columns_ * columns_; j >= 0; j -= columns_) {
      const int64_t width = std::min(columns_, layout_.count - j), rows = m_ - j;
      kernels_.pack({a + j * (n_ + 1), n_, 1}, rows, width, vectors_);
      MakeBlock(rows, width, taus + j);
      Apply(to, j, j, /*transposed=*/false);
    }
  }

 private:
  // vectors_ becomes V, with ones on the diagonal and zeros above; triangle_ becomes T of I - V T
  // V^T, the product of the reflections from the first one on.
  void MakeBlock(int64_t rows, int64_t width, const T* taus) {
    for (int64_t r = 0; r < width; ++r) {
      T* const row = vectors_ + r * columns_;
      row[r] = 1;
      std::fill(row + r + 1, row + columns_, T{0});
    }
    std::fill_n(triangle_, 2 * columns_ * columns_, T{0});
    kernels_.subtract({vectors_, 1, columns_}, width, rows, vectors_, products_, columns_);
    for (int64_t j = 0; j < width; ++j) {
      // T (v's products with v_j, which are there with the other sign) tau_j.
      for (int64_t r = 0; r < j; ++r) {
        T sum = 0;
        for (int64_t k = r; k < j; ++k)
          sum += triangle_[r * columns_ + k] * products_[k * columns_ + j];
        triangle_[r * columns_ + j] = sum * taus[j];
      }
      triangle_[j * columns_ + j] = taus[j];
    }
    width_ = width;
  }

  // a - V T V^T a, or with T^T, of rows from `row` and columns from `column` on.
  void Apply(T* a, int64_t row, int64_t column, bool transposed) {
    const int64_t rows = m_ - row, panels = (n_ - column + columns_ - 1) / columns_;
    const MatrixView<T> t{triangle_, transposed ? 1 : columns_, transposed ? columns_ : 1};
    auto apply = [&](int64_t task, int seat) {
      const int64_t c = column + task * columns_, count = std::min(columns_, n_ - c);
      T* const panel = ScratchAt<T>(seats_, seat * layout_.SeatBytes());
      T *const x = panel + rows * columns_, *const y = x + columns_ * columns_;
      const MatrixView<T> block{a + row * n_ + c, n_, 1};
      kernels_.pack(block, rows, count, panel);
      std::fill_n(x, 2 * columns_ * columns_, T{0});
      kernels_.subtract({vectors_, 1, columns_}, width_, rows, panel, x, columns_);
      kernels_.subtract(t, width_, width_, x, y, columns_);
      kernels_.subtract({vectors_, columns_, 1}, rows, width_, y, panel, columns_);
      kernels_.unpack(panel, rows, count, block);
    };
    const double operations =
        4.0 * static_cast<double>(rows * width_) * static_cast<double>(panels * columns_);
    ForEachPart(arguments_, panels, std::min(threads_, static_cast<int>(layout_.Seats())),
                operations, apply);
  }

  const LibraryArguments& arguments_;
  const ReflectionsLayout& layout_;
  const MatrixKernels<T>& kernels_;
  const int64_t m_, n_, columns_;
  const int threads_;
  int64_t width_ = 0;
  T *const vectors_, *const triangle_, *const products_;
  char* const seats_;
};

// one(reflections, layout, i) for each matrix; in lanes group(kernels, layout, first, matrices,
// scratch) for each of their groups.
template <class T, class One, class Group>
void ForEachMatrix(const LibraryArguments& arguments, One one, Group group) {
  const auto layout = ReflectionsLayout::FromDims({arguments.dims, ReflectionsLayout::kDims});
  const double operations = 4.0 * static_cast<double>(layout.batch * (layout.m + 16)) *
                            static_cast<double>((layout.n + 16) * (layout.count + 1));
  if (layout.IsInLanes()) {
    const LaneKernels<T> lanes = LaneKernelsFor<T>(arguments.target);
    return ForEachGroup<T>(arguments, layout, lanes.lanes, arguments.buffers[3], operations / 4,
                           [&](int64_t first, int64_t matrices, T* scratch) {
                             group(lanes, layout, first, matrices, scratch);
                           });
  }
  const MatrixKernels<T> kernels = MatrixKernelsFor<T>(arguments.target);
  auto matrix = [&](int64_t i, int slot, int threads) {
    Reflections<T> reflections(arguments, layout, kernels, slot, threads);
    one(reflections, layout, i);
  };
  if (layout.batch == 1) return matrix(0, 0, arguments.workers.parallelism());
  ForEachPart(arguments, layout.batch, static_cast<int>(layout.Slots()), operations,
              [&](int64_t i, int seat) { matrix(i, seat, 1); });
}

template <class T>
void RunQr(const LibraryArguments& arguments) {
  const T* const from = static_cast<const T*>(arguments.buffers[0]);
  T* const to = static_cast<T*>(arguments.buffers[1]);
  T* const taus = static_cast<T*>(arguments.buffers[2]);
  auto one = [&](Reflections<T>& reflections, const ReflectionsLayout& layout, int64_t i) {
    const int64_t size = layout.m * layout.n;
    std::copy_n(from + i * size, size, to + i * size);
    reflections.Triangularise(to + i * size, taus + i * layout.count);
  };
  auto group = [&](const LaneKernels<T>& kernels, const ReflectionsLayout& layout, int64_t first,
                   int64_t matrices, T* a) {
    const int64_t size = layout.m * layout.n, count = layout.count;
    T* const factors = a + size * kernels.lanes;
    kernels.gather(from + first * size, size, matrices, size, a);
    kernels.qr(a, layout.m, layout.n, factors);
    kernels.scatter(a, size, matrices, size, to + first * size);
    kernels.scatter(factors, count, matrices, count, taus + first * count);
  };
  ForEachMatrix<T>(arguments, one, group);
}

template <class T>
void RunProduct(const LibraryArguments& arguments) {
  const T* const from = static_cast<const T*>(arguments.buffers[0]);
  const T* const taus = static_cast<const T*>(arguments.buffers[1]);
  T* const to = static_cast<T*>(arguments.buffers[2]);
  auto one = [&](Reflections<T>& reflections, const ReflectionsLayout& layout, int64_t i) {
    const int64_t size = layout.m * layout.n;
    reflections.Multiply(from + i * size, taus + i * layout.count, to + i * size);
  };
  auto group = [&](const LaneKernels<T>& kernels, const ReflectionsLayout& layout, int64_t first,
                   int64_t matrices, T* a) {
    const int64_t size = layout.m * layout.n, count = layout.count;
    T* const product = a + size * kernels.lanes;
    T* const factors = product + size * kernels.lanes;
    kernels.gather(from + first * size, size, matrices, size, a);
    kernels.gather(taus + first * count, count, matrices, count, factors);
    kernels.product(a, factors, layout.m, layout.n, count, product);
    kernels.scatter(product, size, matrices, size, to + first * size);
  };
  ForEachMatrix<T>(arguments, one, group);
}

absl::Status CheckReflections(const char* name, const LibrarySignature& s, size_t factors) {
  RETURN_INTERNAL_IF(s.dims.size() != ReflectionsLayout::kDims || s.sizes.size() != 4,
                     "{}: {} integers, {} buffers", name, s.dims.size(), s.sizes.size());
  const auto layout = ReflectionsLayout::FromDims(s.dims);
  ASSIGN_OR_RETURN(const int64_t bytes, BatchBytes(layout, layout.m, layout.n));
  RETURN_INTERNAL_IF(layout.count < 0 || layout.count > std::min(layout.m, layout.n),
                     "{}: {} reflections of {} x {}", name, layout.count, layout.m, layout.n);
  const size_t result = 3 - factors;
  RETURN_INTERNAL_IF(s.sizes[0] < bytes || s.sizes[result] < bytes ||
                         s.sizes[factors] < layout.batch * layout.count * layout.ElementBytes() ||
                         s.sizes[3] < layout.ScratchBytes(),
                     "{}: buffers of {}, {}, {} and {} bytes", name, s.sizes[0], s.sizes[1],
                     s.sizes[2], s.sizes[3]);
  return absl::OkStatus();
}

}  // namespace

void Qr(const LibraryArguments& arguments) {
  if (arguments.dims[1] != 0) return RunQr<double>(arguments);
  RunQr<float>(arguments);
}
void HouseholderProduct(const LibraryArguments& arguments) {
  if (arguments.dims[1] != 0) return RunProduct<double>(arguments);
  RunProduct<float>(arguments);
}

absl::Status CheckQr(const LibrarySignature& s) { return CheckReflections("qr", s, 2); }
absl::Status CheckHouseholderProduct(const LibrarySignature& s) {
  return CheckReflections("householder-product", s, 1);
}

}  // namespace sinter::runtime::cpu
