// Estimates of an instruction's work and traffic, for decisions about fusion and placement.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace sinter {

struct Cost {
  double flops = 0;  // arithmetic on elements, integer or float; a complex product counts 6
  double transcendentals = 0;  // elementary functions and the like: tens of instructions each
  double bytes_read = 0;       // of operands, as far as they are read
  double bytes_written = 0;

  Cost& operator+=(const Cost& o);
  double bytes() const { return bytes_read + bytes_written; }
};

// The instruction run by itself, operands from memory, result to memory. Tuples, parameters and
// constants cost nothing; a call costs what its computation does; a loop one iteration (their
// number is not known), a conditional its most expensive branch.
Cost CostOf(const HloInstruction& instruction);
// The sum over what the root needs.
Cost CostOf(const HloComputation& computation);

// Arithmetic for one element of an elementwise op's result: 1 for an addition; elementary functions
// count as transcendentals instead.
double FlopsPerElement(HloOpcode op, ElementType type);
bool IsTranscendental(HloOpcode op);
// Functions whose floating-point results devices may round differently (no device's is exact).
bool IsElementaryFunction(HloOpcode op);

}  // namespace sinter
