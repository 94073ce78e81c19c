// Kernels that run one after the other, again and again, as one kernel of one task: loops whose
// steps take a few nanoseconds each need no launch for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// A range of bytes that items read and write.
struct ItemMemory {
  int64_t bytes = 0;
  // Ranges of one object: those of different objects are never looked at as parts of each other.
  int object = 0;
  // Ranges of one group may share bytes; those of different ones do not.
  int group = 0;
  // What is there before the first item is read, or what the last one leaves is. Else the memory is
  // of no use outside of the items.
  bool outside = true;
  int64_t begin = 0;  // the place of its first byte, beside those of other ranges of its group
};

struct Item;
using Items = std::vector<Item>;
// All stages of a kernel in order, without parameters. `memory`: of each launch buffer.
struct ItemKernel {
  const Kernel* kernel = nullptr;
  std::vector<int> memory;
};
// The same number of bytes each; disjoint or the same.
struct ItemCopy {
  int from = 0, to = 0;
};
// `condition`, then, while the byte at `predicate` is not 0, `body` and `condition` again. Of what
// the condition writes, only the predicate is read after it.
struct ItemLoop {
  Items condition, body;
  int predicate = 0;
};
// The branch that `selector` names: an S32 (outside the range: the last), or a predicate: 1 the
// first, 0 the second.
struct ItemChoice {
  int selector = 0;
  bool selector_is_predicate = false;
  std::vector<Items> branches;
};
struct Item {
  std::variant<ItemKernel, ItemCopy, ItemLoop, ItemChoice> op;
};

struct Composed {
  Kernel kernel;
  std::vector<int> arguments;  // the memory of each launch buffer
};

// One kernel that does what the items do in turn. Scalars that only scalar loads and stores touch
// become SSA values, carried by loops; other memory stays memory, where operations see what those
// before them wrote, in the order of the kernel: so buffers of an alias group hold no promise about
// that order. Nothing where a kernel has parameters, threads of its own, or strides that are no
// constants.
std::optional<Composed> Compose(std::string name, absl::Span<const ItemMemory> memory,
                                const Items& items);

// Operations of a kernel or of one of its stages, those in regions included.
int64_t OperationCount(const Kernel& kernel);
int64_t OperationCount(const Op& stage);

}  // namespace sinter::kernel
