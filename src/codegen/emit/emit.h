// From a fused region and its plan to a kernel.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/kernel/kernel.h"
#include "codegen/plan/plan.h"
#include "ir/module.h"

namespace sinter::emit {

// How results may be looser than the operations say (CompileOptions).
struct EmitOptions {
  bool allow_contraction = false;       // f32, f64: a product and the sum that uses it round once
  bool allow_excess_precision = false;  // bf16, f16: an operand in f32, before it was rounded
};

// The kernel's argument buffers are the region's parameters, then its outputs (plan::Outputs);
// scratch buffers follow. Complex buffers hold real and imaginary parts interleaved, predicates a
// byte an element. `stage_nanoseconds`, if given, gets the estimated serial time of each
// stage, or one of them all. Unimplemented, naming the op, where a node has no code.
absl::StatusOr<kernel::Kernel> EmitKernel(const HloComputation& region, const plan::Plan& plan,
                                          std::string name, const EmitOptions& options = {},
                                          std::vector<double>* stage_nanoseconds = nullptr);

}  // namespace sinter::emit
