#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Products of complex matrices that caches do not hold become one product of real ones, of as many
// multiplications, which kernels pack:
//
//   dot(a, b)  ->  r = dot([re a, im a], [[re b, im b], [-im b, re b]])
//                  complex(r's first columns, r's others)
//
// The operand of fewer elements is the one that is written twice; it may be the left one as well.
// Others, as products with vectors, stay as they are: they run at the speed of the packed ones
// without another copy of the operands. CPUs only.
std::unique_ptr<Pass> MakeExpandComplexProductsPass(const TargetInfo& target);

}  // namespace sinter
