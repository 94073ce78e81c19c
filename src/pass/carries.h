// Tuples that are only taken apart, and what loops carry in them.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter {

// How many instructions of the module call each computation.
using Callers = absl::flat_hash_map<const HloComputation*, int>;
Callers CountCallers(const HloModule& module);

bool IsElementOf(const HloInstruction* i, const HloInstruction* tuple);
// Of a get-tuple-element.
size_t IndexOf(const HloInstruction* element);
HloInstruction* AddElement(HloInstruction* tuple, size_t k);
// Whether a tuple is no result and only taken apart.
bool IsTakenApart(const HloInstruction* tuple);

// Of a tuple that is only taken apart: which elements somebody uses.
std::vector<bool> UsedElements(const HloInstruction& tuple);
// Makes it one of the elements that are kept; nobody uses the others.
void Narrow(HloInstruction& tuple, const std::vector<bool>& kept);
// A tuple of those operands of a tuple that are kept.
HloInstruction* Narrowed(HloInstruction& tuple, const std::vector<bool>& kept);

// Whether a while loop carries a tuple that its computations, which nobody else calls, only take
// apart, and of which the body makes the next one. What follows holds for such loops.
bool CarriesElements(const HloInstruction& loop, const Callers& callers);

// Element k of what the loop starts from, which may have to be taken out of a tuple.
HloInstruction* InitialElement(HloInstruction& loop, size_t k);
// Whether each turn passes element k on as it is.
bool IsPassedOn(const HloInstruction& loop, size_t k);
// The loop's result is only taken apart from now on: users of all of it use a tuple of its parts.
void TakeApart(HloInstruction& loop);
// The loop carries more, passed on as it is until the body's root says otherwise. Returns the new
// elements in the body; the loop's result is taken apart.
std::vector<HloInstruction*> CarryMore(HloInstruction& loop,
                                       const std::vector<HloInstruction*>& initial);
// The loop carries only what is kept: of the others nobody uses an element, but to pass it on. The
// loop's result is taken apart.
void DropCarries(HloInstruction& loop, const std::vector<bool>& kept);

}  // namespace sinter
