// Constants as parameters: kernels that differ only in where they access arrays, or in the
// constants of their arithmetic, can run one code. Layers of a model that a program writes out one
// by one are such kernels: each reads its rows of an array of weights, or scales by a number of its
// own.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/hash.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// A use of a constant that a parameter may take the place of.
struct FreeConstant {
  ElementType elem = ElementType::S64;
  uint64_t bits = 0;  // of integers: extended to 64 bits by their signedness
  bool operator==(const FreeConstant&) const = default;
};

// A kernel without its free constants. Those are the scalars, by use, that pointwise operations
// read, or that are an index of an access or added to one; but not what the bounds of a loop, a
// mask or a condition depend on, other than by what is loaded, so that kernels of one form have the
// same tasks and loops. Where tiles have layouts, an index enters the form by the power of two that
// divides it, up to 16: what may be accessed at once depends on that.
struct KernelForm {
  KernelHash hash;
  std::vector<FreeConstant> constants;  // in the order of the kernel's operations
};
KernelForm FormOf(const Kernel& kernel);

// The same kernel where each index of an access, other than a constant, is the sum of a value and a
// constant of its own, if only zero: kernels that read an array from its start and from further on
// have one form then.
Kernel WithOffsets(const Kernel& kernel);

// What takes the place of constants: `lo`, `hi` and `multiple` as of a Param.
struct ConstantParameter {
  ElementType elem = ElementType::S64;
  int64_t lo = INT64_MIN, hi = INT64_MAX, multiple = 1;
};
// The kernel whose free constant n is the parameter `parameter_of[n]`, where that is not negative.
// The kernel's own parameters, if there are any, come first.
Kernel WithParameters(const Kernel& kernel, absl::Span<const int> parameter_of,
                      absl::Span<const ConstantParameter> parameters);

// What a launch passes for a constant.
int64_t ArgumentFor(const FreeConstant& constant);

}  // namespace sinter::kernel
