// What a program's participants send each other.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace sinter {

struct CollectiveTraffic {
  const HloInstruction* instruction = nullptr;
  int64_t participants = 0;  // in a group
  // That one participant receives, when the instruction runs once: of all-gathers what it lacks, of
  // all-to-alls, permutations and broadcasts what is from others, of reduce-scatters its part from
  // all others, of all-reduces twice as much as of a reduce-scatter (a reduce-scatter and an
  // all-gather).
  int64_t bytes = 0;
};

// Of all reachable collectives, computations in the order of the module, those in loops once.
std::vector<CollectiveTraffic> TrafficOf(const HloModule& module);

// "all-reduce f32[8,4], 4 participants, 192 bytes, for dot.3": after its operation's name, where
// there is one.
std::string ToText(const CollectiveTraffic& traffic);

}  // namespace sinter
