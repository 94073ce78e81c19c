// How the library's factorisations and solves fall into tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "program/matrix_layouts.h"
#include "runtime/cpu/lane_matrices_vectors.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {

// How many threads so many operations are worth, at about 30 a nanosecond.
inline int UsefulThreads(const LibraryArguments& arguments, double operations) {
  constexpr double kOperationsPerThread = 30 * 5000;
  return static_cast<int>(
      std::min<double>(arguments.workers.parallelism(), operations / kOperationsPerThread + 1));
}

// task(i, seat) for i = 0, ..., tasks - 1, on as many threads as all their operations are worth, at
// most `threads`.
template <class F>
void ForEachPart(const LibraryArguments& arguments, int64_t tasks, int threads, double operations,
                 F&& task) {
  const int useful = std::min(threads, UsefulThreads(arguments, operations));
  if (useful <= 1) {
    for (int64_t i = 0; i < tasks; ++i) task(i, 0);
  } else {
    ForEachTask(arguments, tasks, useful, task);
  }
}

// A part of the scratch memory.
template <class T>
T* ScratchAt(void* scratch, int64_t bytes) {
  return reinterpret_cast<T*>(static_cast<char*>(scratch) + bytes);
}

// Matrices of a batch, one to a lane of a vector. Arrays hold `size` elements for each matrix of
// the batch.
template <class T>
class LaneGroup {
 public:
  LaneGroup(const LaneKernels<T>& kernels, int64_t first, int64_t batch, T* scratch)
      : kernels(kernels), scratch(scratch), first_(first), batch_(batch) {}

  const LaneKernels<T>& kernels;
  T* const scratch;

  void Gather(const void* from, int64_t size, T* to) const {
    const T* const own = static_cast<const T*>(from) + first_ * size;
    kernels.gather(own, size, Count(first_), size, to);
    // The thread's next group.
    Fetch(own + Count(first_) * size, Count(first_ + kernels.lanes) * size);
  }
  // Says some time before what will be written.
  void WillScatter(void* to, int64_t size) const {
    Fetch(static_cast<T*>(to) + first_ * size, Count(first_) * size);
  }
  void Scatter(const T* from, int64_t size, void* to) const {
    kernels.scatter(from, size, Count(first_), size, static_cast<T*>(to) + first_ * size);
  }
  void ScatterNumbers(const T* from, int64_t size, void* to) const {
    kernels.scatter_numbers(from, Count(first_), size, static_cast<int32_t*>(to) + first_ * size);
  }

 private:
  int64_t Count(int64_t first) const {
    return std::clamp(batch_ - first, int64_t{0}, kernels.lanes);
  }
  // Rows of a few matrices are read and written side by side, which no processor foresees: it would
  // take most of the time of small ones.
  static void Fetch(const T* from, int64_t count) {
    constexpr int64_t kLine = 64 / sizeof(T);
    for (int64_t i = 0; i < count; i += kLine) __builtin_prefetch(from + i);
  }

  const int64_t first_, batch_;
};

// work(group) for groups of matrices; the last group may be smaller.
template <class T, class Layout, class F>
void ForEachGroup(const LibraryArguments& arguments, const Layout& layout, void* scratch,
                  double operations, F&& work) {
  const LaneKernels<T> kernels = LaneKernelsFor<T>(arguments.target);
  const int64_t groups = (layout.batch + kernels.lanes - 1) / kernels.lanes;
  ForEachPart(arguments, groups, static_cast<int>(layout.Slots()), operations,
              [&](int64_t group, int seat) {
                work(LaneGroup<T>(kernels, group * kernels.lanes, layout.batch,
                                  ScratchAt<T>(scratch, seat * layout.SlotBytes())));
              });
}

// Of a batch of matrices. Internal for sizes that no array has.
inline absl::StatusOr<int64_t> BatchBytes(const program::MatrixLayout& layout, int64_t rows,
                                          int64_t columns) {
  constexpr int64_t kMost = int64_t{1} << 30;
  RETURN_INTERNAL_IF(
      layout.batch < 0 || std::min(rows, columns) < 0 || std::max(rows, columns) > kMost,
      "{} matrices of {} x {}", layout.batch, rows, columns);
  const int64_t elements = std::max<int64_t>(rows * columns, 1);
  RETURN_INTERNAL_IF(layout.batch > INT64_MAX / 8 / elements, "{} matrices of {} x {}",
                     layout.batch, rows, columns);
  return layout.batch * rows * columns * layout.ElementBytes();
}

}  // namespace sinter::runtime::cpu
