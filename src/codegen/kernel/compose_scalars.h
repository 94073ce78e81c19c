// Which memory of composed kernels can be SSA values.
#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/compose.h"

namespace sinter::kernel {

// The memory of each of the kernel's buffers; -1 of those that launches do not pass.
std::vector<int> MemoryOfBuffers(const ItemKernel& item);

// Of each memory the element type that its value has; nothing where it has to stay memory: what is
// looked at as more than a scalar or as several types, is part of an object of which another part
// is named, or is written in a loop's condition and read outside of it.
std::vector<std::optional<ElementType>> ScalarsOf(absl::Span<const ItemMemory> memory,
                                                  const Items& items);

}  // namespace sinter::kernel
