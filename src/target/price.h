// What work and memory traffic cost on a target, in nanoseconds: of one core of a CPU, of a GPU as
// a whole. Estimates, to be compared with one another; the runtime takes them for how long a kernel
// runs on one thread.
#pragma once

#include "target/target.h"

namespace sinter {

// `operations` in units of OpCost (ir/analysis/op_cost.h), on elements of four bytes; `bytes` that
// are streamed from and to memory.
double PriceOf(const TargetInfo& target, double operations, double bytes);

// Of a kernel of its own: what begins and ends it, beside its work.
double PriceOfLaunch(const TargetInfo& target);

}  // namespace sinter
