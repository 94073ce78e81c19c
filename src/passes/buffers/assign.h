// Buffer assignment: the allocation of every value, and the steps that compute them, in order.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "program/program.h"

namespace sinter {

// What assignment must know of the kernel behind a fusion.
struct KernelFacts {
  std::vector<int64_t> scratch;  // bytes of each scratch buffer
  // Operands whose storage an output of the same size may take over: each task reads an element
  // before it writes it.
  std::vector<bool> in_place;  // one an operand; empty: none
  // Not empty: the kernel writes only windows of its results, whose other elements are those of
  // these operands, one a result.
  struct Base {
    size_t operand = 0;
    bool read = false;  // the kernel also reads it
  };
  std::vector<Base> bases;
};

struct BufferAssignment {
  // Allocations, results, constants and steps. A launch's `kernel` indexes `fusions`; its buffers
  // are the operands', then the results', then the scratch buffers'. So does the `code` of a
  // library call that calls a comparator, whose entry there is the sort.
  program::Program program;
  std::vector<const HloInstruction*> fusions;
};

// Lays out the entry computation of a module after fusion. Temporaries share one arena: two overlap
// only if their live ranges do not (greedy by size: the largest first, each at the lowest offset
// that is free). Reshapes, tuples and barriers are views. Results live in buffers of their own,
// which take over a donated argument's storage where the module's aliases allow and nothing reads
// the argument afterwards. A copy is a step only where its source is needed afterwards: else the
// copy takes over the source's storage, and so do the next values of a loop's state the state's.
// Library calls have scratch memory for so many threads.
absl::StatusOr<BufferAssignment> AssignBuffers(
    const HloModule& module, const std::function<const KernelFacts&(const HloInstruction*)>& facts,
    int threads, bool has_reducers = true);

// Gives a program the parameters and results that its entry computation had before passes, which
// may have changed element types for others of the same width. Buffers are in the layouts of
// `stated`.
void StateSignature(const ComputationShape& stated, program::Program& program);

}  // namespace sinter
