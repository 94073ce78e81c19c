// Passes that are rules on single instructions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/module.h"
#include "pass/pass.h"

namespace sinter {

// Adds to the computation what the instruction may be replaced by, or gives what is there already;
// null, and nothing added, where it stays. A replacement of other dimensions or of another element
// type is not taken. Rules only go down, so that applying them ends.
using Rule = HloInstruction* (*)(HloComputation& c, HloInstruction* i);

// A pass that applies a rule until nothing changes: one replacement may be another's beginning.
std::unique_ptr<Pass> MakeRulesPass(std::string name, Rule rule);

// The array itself, where it has these dimensions.
HloInstruction* AddReshape(HloComputation& c, HloInstruction* x, const Dims& dims);
// The array itself, where its elements have this type.
HloInstruction* AddConvert(HloComputation& c, HloInstruction* x, ElementType type);
// An array of one value; a scalar as it is.
HloInstruction* AddSplat(HloComputation& c, const Shape& shape, Literal value);
// What a reduction begins with, for each element of its results.
std::vector<HloInstruction*> InitialValues(HloComputation& c, const HloInstruction& reduce);
// The elements of an array from `starts` to `limits`, by steps along each dimension.
HloInstruction* AddSlice(HloComputation& c, HloInstruction* x, Dims starts, Dims limits,
                         Dims strides);
// Positions `from` to `to` of a dimension of an array; the array itself, where that is all of it.
HloInstruction* Rows(HloComputation& c, HloInstruction* x, size_t dim, int64_t from, int64_t to);

}  // namespace sinter
