#include "runtime/cpu/triangular_solve.h"

#include "base/status.h"
#include "program/matrix_layouts.h"
#include "runtime/cpu/lane_matrices_vectors.h"
#include "runtime/cpu/matrix_tasks.h"
#include "runtime/cpu/matrix_vectors.h"

namespace sinter::runtime::cpu {
namespace {

using program::TriangularSolveLayout;

template <class T>
void SolveTriangles(const LibraryArguments& arguments) {
  const auto layout =
      TriangularSolveLayout::FromDims({arguments.dims, TriangularSolveLayout::kDims});
  const MatrixKernels<T> kernels = MatrixKernelsFor<T>(arguments.target);
  const int64_t n = layout.n, others = layout.others;
  const int64_t panels = (others + kernels.columns - 1) / kernels.columns;
  // An upper triangle is a lower one from its last row and column on; so are the rows of b.
  const int64_t last = layout.lower ? 0 : n - 1, step = layout.lower ? 1 : -1;
  const int64_t row = layout.left ? others : 1, column = layout.left ? 1 : n;
  const double operations = static_cast<double>(n) * static_cast<double>(n + 16) *
                            static_cast<double>(kernels.columns * panels * layout.batch);
  if (layout.IsInLanes()) {
    auto solve = [&](const LaneGroup<T>& group) {
      const int64_t lanes = group.kernels.lanes, size = n * others;
      T *const a = group.scratch, *const b = a + n * n * lanes;
      group.Gather(arguments.buffers[0], n * n, a);
      group.Gather(arguments.buffers[1], size, b);
      group.WillScatter(arguments.buffers[2], size);
      group.kernels.solve({a + last * (n + 1) * lanes, step * n, step}, layout.unit_diagonal, n,
                          others, {b + last * row * lanes, step * row, column});
      group.Scatter(b, size, arguments.buffers[2]);
    };
    return ForEachGroup<T>(arguments, layout, arguments.buffers[3], operations / 8, solve);
  }
  auto solve = [&](int64_t task, int seat) {
    const int64_t matrix = task / panels, first = task % panels * kernels.columns;
    const int64_t count = std::min(kernels.columns, others - first);
    const T* triangle = static_cast<const T*>(arguments.buffers[0]) + matrix * n * n;
    const int64_t at = matrix * n * others + last * row + first * column;
    T* const panel = ScratchAt<T>(arguments.buffers[3], seat * layout.SlotBytes());
    kernels.pack({static_cast<const T*>(arguments.buffers[1]) + at, step * row, column}, n, count,
                 panel);
    kernels.solve({triangle + last * (n + 1), step * n, step}, layout.unit_diagonal, n, panel);
    kernels.unpack(panel, n, count,
                   {static_cast<T*>(arguments.buffers[2]) + at, step * row, column});
  };
  ForEachPart(arguments, layout.batch * panels, static_cast<int>(layout.Slots()), operations,
              solve);
}

}  // namespace

void TriangularSolve(const LibraryArguments& arguments) {
  if (arguments.dims[1] != 0) return SolveTriangles<double>(arguments);
  SolveTriangles<float>(arguments);
}

absl::Status CheckTriangularSolve(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(s.dims.size() != TriangularSolveLayout::kDims || s.sizes.size() != 4,
                     "triangular-solve: {} integers, {} buffers", s.dims.size(), s.sizes.size());
  const auto layout = TriangularSolveLayout::FromDims(s.dims);
  ASSIGN_OR_RETURN(const int64_t triangle, BatchBytes(layout, layout.n, layout.n));
  ASSIGN_OR_RETURN(const int64_t right, BatchBytes(layout, layout.n, layout.others));
  RETURN_INTERNAL_IF(s.sizes[0] < triangle || s.sizes[1] < right || s.sizes[2] < right ||
                         s.sizes[3] < layout.ScratchBytes(),
                     "triangular-solve: buffers of {}, {}, {} and {} bytes", s.sizes[0], s.sizes[1],
                     s.sizes[2], s.sizes[3]);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
