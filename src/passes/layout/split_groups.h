// Which operations on small rows are done on parts.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "passes/layout/split_array.h"

namespace sinter::layout {

// What costs nothing to write out again for each who uses it: positions, one number repeated.
bool IsFree(const HloInstruction& i);

// Operations on parts that what can be split becomes, about; and how many a group may become.
int64_t OperationsOf(const HloInstruction& i, const SplitArray& result);
inline constexpr int64_t kMostOperations = 16384;

// Operations of a computation that can be split, connected by arrays of small rows. A group is
// replaced as a whole, where its elements meet more than once in a way that would be a loop of its
// own, what it becomes is not too large, and is enough beside the long rows that are taken apart
// for it and put together of it, few of which others reduce.
class SplitGroups {
 public:
  // Of a computation's instructions, operands before users.
  explicit SplitGroups(const std::vector<HloInstruction*>& order);

  // Whether it belongs to a group that is replaced.
  bool Replaces(const HloInstruction* i);

 private:
  struct Group {
    size_t parent = 0;
    int64_t operations = 0;  // on parts
    int apart = 0;           // operations that kernels do not join with others
    int products = 0;        // those of them that are products of matrices
    int64_t largest = 0;     // of these: operations on parts
    int64_t moved = 0;       // parts of long rows that it has from outside, or gives
    int64_t reduced = 0;     // parts that it gives to reductions of rows
  };

  size_t Find(size_t g);
  void Join(size_t x, size_t y);
  // Counts what comes into the groups and leaves them.
  void CountMoved(const std::vector<HloInstruction*>& order);

  absl::flat_hash_map<const HloInstruction*, size_t> of_;
  std::vector<Group> groups_;
};

}  // namespace sinter::layout
