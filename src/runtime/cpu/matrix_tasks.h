// How the library's factorisations and solves fall into tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "program/matrix_layouts.h"
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

// work(first, matrices, scratch) for groups of matrices that fill the lanes of a vector; the last
// group may be smaller.
template <class T, class Layout, class F>
void ForEachGroup(const LibraryArguments& arguments, const Layout& layout, int64_t lanes,
                  void* scratch, double operations, F&& work) {
  ForEachPart(arguments, (layout.batch + lanes - 1) / lanes, static_cast<int>(layout.Slots()),
              operations, [&](int64_t group, int seat) {
                const int64_t first = group * lanes;
                work(first, std::min(lanes, layout.batch - first),
                     ScratchAt<T>(scratch, seat * layout.SlotBytes()));
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
