// What a compilation did, as program::Notes.
#pragma once

#include "compiler/backend.h"
#include "ir/module.h"
#include "passes/fusion/fusion.h"
#include "program/notes.h"

namespace sinter::compiler {

// The kernel of a fusion, whose first stage has `tasks`.
program::Notes::Kernel Describe(const HloInstruction& fusion, const Backend::Lowered& lowered,
                                int64_t tasks);

// The values that a fusion reads and another one computes, in the order of the module.
void DescribeEdges(const HloModule& module, const FusionLog& log, program::Notes& notes);

// The operations of the entry computation that are in no fusion.
void DescribeOutside(const HloModule& module, program::Notes& notes);

}  // namespace sinter::compiler
