// What transforms of given lengths need beside their data: roots of unity, in the order in which
// passes read them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "program/fft_layout.h"
#include "runtime/cpu/fft_vectors.h"

namespace sinter::runtime::cpu {

// What lines point to.
template <class T>
struct FftTables {
  std::deque<std::vector<T>> numbers;
  std::deque<std::vector<int32_t>> orders;
};

// A transform by itself (program::FftLongLayout).
template <class T>
struct FftLong {
  explicit FftLong(program::FftLongLayout l)
      : layout(l), middle_bytes(l.MiddleBytes()), line_bytes(l.LineBytes()) {}

  program::FftLongLayout layout;
  int64_t middle_bytes, line_bytes;  // the layout's
  FftLine<T> columns, rows;
  // Roots of order columns.n * rows.n to the power k1 j2, for groups g of lanes j2: blocks [g][k1];
  // or, without those, pairs `base` [g][k1] for the first lane of each, and blocks `lane` [k1] from
  // that one to each lane.
  const T* whole = nullptr;
  const T* base = nullptr;
  const T* lane = nullptr;
  // If it is chirped: pairs [n] and [columns.n * rows.n].
  const T* chirp = nullptr;
  const T* filter = nullptr;
  // For real lines of 2 n: pairs [n / 2 + 1] as in FftLine.
  const T* real = nullptr;
};

// Runs body(i, seat) for 0 <= i < tasks, on one thread or several.
using FftTasks = absl::FunctionRef<void(int64_t tasks, absl::FunctionRef<void(int64_t, int64_t)>)>;

// One line's transform, in its place or elsewhere. `memory` has FftLongLayout::LineBytes() for the
// line, `slot(seat)` TaskBytes() for each thread.
template <class T>
struct FftLongCall {
  const FftLong<T>* plan = nullptr;
  const FftKernels<T>* kernels = nullptr;
  const T* in = nullptr;
  const T* in_im = nullptr;  // as in FftLinesCall; null if it is chirped
  T* out = nullptr;
  bool inverse = false;
  T scale = 1;
  bool stream = false;  // as in FftLinesCall
  FftAhead<T> ahead;
  char* memory = nullptr;
  absl::FunctionRef<char*(int64_t)> slot;
  FftTasks tasks;
};
template <class T>
void RunLong(const FftLongCall<T>& call);

// The steps of a call with what they need.
template <class T>
class FftPlan {
 public:
  struct Step {
    program::FftLayout::Step layout;
    FftLine<T> line;                  // of Method::kLines
    std::unique_ptr<FftLong<T>> one;  // of others
    T scale = 1;
    bool stream = false;     // the result is too long for the caches
    int64_t task_rows = 1;   // of rows side by side, those of a task: whole vectors of lines
    double nanoseconds = 0;  // estimated, of one slab on one thread
  };
  struct Stage {
    int64_t slabs;
    std::vector<Step> steps;
  };

  FftPlan(const program::FftLayout& layout, VectorTarget target);

  const program::FftLayout layout;
  const FftKernels<T> kernels;
  const int64_t together, between_bytes, shared_bytes, slots, slot_bytes,
      steps_bytes;  // the layout's
  std::vector<Stage> stages;

 private:
  FftTables<T> tables_;
};

}  // namespace sinter::runtime::cpu
