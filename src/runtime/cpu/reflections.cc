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
        seats_(ScratchAt<char>(arguments.buffers[3],
                               slot * layout.SlotBytes() + layout.SharedBytes())) {
    T* at = ScratchAt<T>(arguments.buffers[3], slot * layout.SlotBytes());
    for (Block& b : blocks_) {
      b.vectors = at;
      b.triangle = at + m_ * columns_;
      b.products = b.triangle + columns_ * columns_;
      at = b.products + columns_ * columns_;
    }
  }

  // In place.
  void Triangularise(T* a, T* taus) {
    if (layout_.count == 0) return;
    if (IsNarrow()) {
      T* const columns = blocks_[0].vectors;
      ToColumns(a, columns);
      kernels_.qr_of_columns(columns, m_, n_, taus);
      FromColumns(columns, a);
      return;
    }
    Factor(a, 0, taus, blocks_[0]);
    for (int64_t j = 0, turn = 0; j < layout_.count; ++turn) {
      const Block& block = blocks_[turn % 2];
      const int64_t next = j + block.width;
      if (next == n_) return;
      Apply(block, a, j, next, /*transposed=*/true, [&] {
        if (next < layout_.count) Factor(a, next, taus, blocks_[(turn + 1) % 2]);
      });
      j = next;
    }
  }

  // `to` begins as anything.
  void Multiply(const T* a, const T* taus, T* to) {
    if (IsNarrow() && layout_.count > 0) {
      T *const columns = blocks_[0].vectors, *const product = columns + m_ * n_;
      ToColumns(a, columns);
      kernels_.product_of_columns(columns, taus, m_, n_, layout_.count, product);
      FromColumns(product, to);
      return;
    }
    std::fill_n(to, m_ * n_, T{0});
    for (int64_t i = 0; i < std::min(m_, n_); ++i) to[i * (n_ + 1)] = 1;
    if (layout_.count == 0) return;
    auto read = [&](int64_t j, Block& block) {
      block.width = std::min(columns_, layout_.count - j);
      kernels_.pack({a + j * (n_ + 1), n_, 1}, m_ - j, block.width, block.vectors);
      MakeBlock(m_ - j, taus + j, block);
    };
    // Of the columns before j nothing is left in the rows from there on.
    const int64_t last = (layout_.count - 1) / columns_ * columns_;
    read(last, blocks_[0]);
    for (int64_t j = last, turn = 0; j >= 0; j -= columns_, ++turn) {
      Apply(blocks_[turn % 2], to, j, j, /*transposed=*/false, [&] {
        if (j > 0) read(j - columns_, blocks_[(turn + 1) % 2]);
      });
    }
  }

 private:
  // The reflections of a panel of `width` columns.
  struct Block {
    T *vectors = nullptr, *triangle = nullptr;
    T* products = nullptr;  // of vectors, while `triangle` is made
    int64_t width = 0;
  };

  // Whether it is worked on by columns; then two such matrices have room where the blocks would be.
  bool IsNarrow() const { return layout_.HasFewColumns() && m_ >= 2 * n_; }
  void ToColumns(const T* a, T* columns) const {
    for (int64_t r = 0; r < m_; ++r)
      for (int64_t c = 0; c < n_; ++c) columns[c * m_ + r] = a[r * n_ + c];
  }
  void FromColumns(const T* columns, T* a) const {
    for (int64_t r = 0; r < m_; ++r)
      for (int64_t c = 0; c < n_; ++c) a[r * n_ + c] = columns[c * m_ + r];
  }

  // Makes the columns from `j` on triangular, as many as a panel has.
  void Factor(T* a, int64_t j, T* taus, Block& block) {
    block.width = std::min(columns_, layout_.count - j);
    const int64_t rows = m_ - j;
    const MatrixView<T> at{a + j * (n_ + 1), n_, 1};
    kernels_.pack(at, rows, block.width, block.vectors);
    kernels_.qr(block.vectors, rows, block.width, taus + j);
    kernels_.unpack(block.vectors, rows, block.width, at);
    if (j + block.width < n_) MakeBlock(rows, taus + j, block);
  }

  // `vectors`, of the reflections, becomes V, with ones on the diagonal and zeros above; `triangle`
  // becomes T of I - V T V^T, the product of the reflections from the first one on.
  void MakeBlock(int64_t rows, const T* taus, Block& block) {
    T *const triangle = block.triangle, *const products = block.products;
    for (int64_t r = 0; r < block.width; ++r) {
      T* const row = block.vectors + r * columns_;
      row[r] = 1;
      std::fill(row + r + 1, row + columns_, T{0});
    }
    std::fill_n(triangle, columns_ * columns_, T{0});
    std::fill_n(products, columns_ * columns_, T{0});
    kernels_.subtract({block.vectors, 1, columns_}, block.width, rows, block.vectors, products,
                      columns_);
    for (int64_t j = 0; j < block.width; ++j) {
      // T (v's products with v_j, which are there with the other sign) tau_j.
      for (int64_t r = 0; r < j; ++r) {
        T sum = 0;
        for (int64_t k = r; k < j; ++k)
          sum += triangle[r * columns_ + k] * products[k * columns_ + j];
        triangle[r * columns_ + j] = sum * taus[j];
      }
      triangle[j * columns_ + j] = taus[j];
    }
  }

  // a - V T V^T a, or with T^T, of rows from `row` and columns from `column` on. Once that is done
  // to the first panel, the task goes on with `then`, while others do it to theirs.
  template <class Then>
  void Apply(const Block& block, T* a, int64_t row, int64_t column, bool transposed,
             const Then& then) {
    const int64_t rows = m_ - row, panels = (n_ - column + columns_ - 1) / columns_;
    const MatrixView<T> t{block.triangle, transposed ? 1 : columns_, transposed ? columns_ : 1};
    auto apply = [&](int64_t task, int seat) {
      const int64_t c = column + task * columns_, count = std::min(columns_, n_ - c);
      T* const panel = ScratchAt<T>(seats_, seat * layout_.SeatBytes());
      T *const x = panel + rows * columns_, *const y = x + columns_ * columns_;
      const MatrixView<T> at{a + row * n_ + c, n_, 1};
      kernels_.pack(at, rows, count, panel);
      std::fill_n(x, 2 * columns_ * columns_, T{0});
      kernels_.subtract({block.vectors, 1, columns_}, block.width, rows, panel, x, columns_);
      kernels_.subtract(t, block.width, block.width, x, y, columns_);
      kernels_.subtract({block.vectors, columns_, 1}, rows, block.width, y, panel, columns_);
      kernels_.unpack(panel, rows, count, at);
      if (task == 0) then();
    };
    const double operations =
        4.0 * static_cast<double>(rows * block.width) * static_cast<double>(panels * columns_);
    ForEachPart(arguments_, panels, std::min(threads_, static_cast<int>(layout_.Seats())),
                operations, apply);
  }

  const LibraryArguments& arguments_;
  const ReflectionsLayout& layout_;
  const MatrixKernels<T>& kernels_;
  const int64_t m_, n_, columns_;
  const int threads_;
  char* const seats_;
  Block blocks_[2];
};

// one(reflections, layout, i) for each matrix; in lanes group(lanes, layout) for each LaneGroup.
template <class T, class One, class Group>
void ForEachMatrix(const LibraryArguments& arguments, One one, Group group) {
  const auto layout = ReflectionsLayout::FromDims({arguments.dims, ReflectionsLayout::kDims});
  const double operations = 4.0 * static_cast<double>(layout.batch * (layout.m + 16)) *
                            static_cast<double>((layout.n + 16) * (layout.count + 1));
  if (layout.IsInLanes()) {
    return ForEachGroup<T>(arguments, layout, arguments.buffers[3], operations / 4,
                           [&](const LaneGroup<T>& lanes) { group(lanes, layout); });
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
  auto group = [&](const LaneGroup<T>& lanes, const ReflectionsLayout& layout) {
    const int64_t size = layout.m * layout.n, count = layout.count;
    T *const a = lanes.scratch, *const factors = a + size * lanes.kernels.lanes;
    lanes.Gather(from, size, a);
    lanes.WillScatter(to, size);
    lanes.kernels.qr(a, layout.m, layout.n, factors);
    lanes.Scatter(a, size, to);
    lanes.Scatter(factors, count, taus);
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
  auto group = [&](const LaneGroup<T>& lanes, const ReflectionsLayout& layout) {
    const int64_t size = layout.m * layout.n, count = layout.count;
    T *const a = lanes.scratch, *const product = a + size * lanes.kernels.lanes,
             *const factors = product + size * lanes.kernels.lanes;
    lanes.Gather(from, size, a);
    lanes.Gather(taus, count, factors);
    lanes.WillScatter(to, size);
    lanes.kernels.product(a, factors, layout.m, layout.n, count, product);
    lanes.Scatter(product, size, to);
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
