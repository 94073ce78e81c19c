// The part of Verify that looks at one operation alone: numbers and types of operands and results,
// attributes.
#pragma once

#include <string>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Whether values may have this element type.
bool IsValueElement(ElementType elem);

// What is wrong with `op`, or "". Its operands, results, regions' arguments and yields are values
// of the kernel.
std::string TypeError(const Kernel& kernel, const Op& op);

}  // namespace sinter::kernel
