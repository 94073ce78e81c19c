// The columns that loops of a kernel go through, and the memory that they are of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/compose.h"

namespace sinter::kernel {

// Bytes that buffers look at: a group of ranges that share bytes, or a buffer of the task's own.
struct ColumnMemory {
  bool written = false;
  bool scalar = false, tiled = false;  // how it is accessed
  // Every access is of rows that are known when the kernel is made.
  bool rows_known = true;
  // That are accessed: a buffer that looks at it; whether a turn may read what an earlier one
  // wrote.
  struct Row {
    int buffer = -1;
    bool state = false;
  };
  std::map<int64_t, Row> rows;
  int width = 0;         // bytes of an element
  bool carried = false;  // its rows are values
  // What is of use outside of the loops: first and last byte of ranges.
  std::vector<std::pair<int64_t, int64_t>> outside;

  bool IsOutside(int64_t begin, int64_t end) const {
    return std::any_of(outside.begin(), outside.end(),
                       [&](const auto& r) { return r.first < end && begin < r.second; });
  }
};

// What the columns of a kernel are.
class Columns {
 public:
  Columns(const Composed& composed, absl::Span<const ItemMemory> memory);

  // How many there are: what divides the length of every loop over them. 0: there are none.
  int64_t Count(const Block& block) const;

  // A loop whose tiles are as wide as its steps, without state.
  bool IsColumnLoop(const Op& op) const;
  std::optional<int64_t> IntOf(Value v) const {
    auto it = ints_.find(v);
    return it == ints_.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }

  const Kernel& kernel() const { return k_; }
  std::vector<ColumnMemory>& memory() { return memory_; }
  ColumnMemory& MemoryOf(int buffer) {
    return memory_[static_cast<size_t>(of_buffer_[static_cast<size_t>(buffer)])];
  }
  int NumberOf(int buffer) const { return of_buffer_[static_cast<size_t>(buffer)]; }
  // Where a buffer's bytes begin among those of its object.
  int64_t BeginOf(int buffer) const { return begin_[static_cast<size_t>(buffer)]; }

 private:
  const Kernel& k_;
  std::vector<int> of_buffer_;  // the memory of each
  std::vector<int64_t> begin_;
  std::vector<ColumnMemory> memory_;
  std::map<Value, int64_t> ints_;
};

}  // namespace sinter::kernel
