// What work and memory traffic cost on a target, in nanoseconds: of one core of a CPU, of a GPU as
// a whole. Estimates, to be compared with one another; the runtime takes them for how long a kernel
// runs on one thread.
#pragma once

#include "target/target.h"

namespace sinter {

// `operations` in units of OpCost (ir/analysis/op_cost.h), on elements of four bytes; `bytes` that
// are streamed from and to memory.
double PriceOf(const TargetInfo& target, double operations, double bytes);

// Elements of four bytes that one such operation is for: of a CPU, those of a native vector.
double LanesOf(const TargetInfo& target);

// Of a kernel that computes a value of `bytes` bytes by so many operations and puts it into memory,
// for another one that reads it, and takes `reader` by itself: its launch, its work, and the way
// through memory or the caches. A kernel that is too short for several threads lets all but one of
// its reader's wait.
double PriceOfKernel(const TargetInfo& target, double operations, double bytes, double reader);

}  // namespace sinter
