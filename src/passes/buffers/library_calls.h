// Instructions that are calls of the runtime's library, as it wants them written down.
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "program/cholesky_layout.h"
#include "program/fft_layout.h"
#include "program/sort_layout.h"

namespace sinter {

// Of a sort along its minor dimension. Unimplemented for more than 2^32 - 1 elements.
absl::StatusOr<program::SortLayout> SortLayoutOf(const HloInstruction& i);
// Of a top-k of elements of 32 bits.
absl::StatusOr<program::TopKLayout> TopKLayoutOf(const HloInstruction& i);
program::FftLayout FftLayoutOf(const HloInstruction& i);
program::CholeskyLayout CholeskyLayoutOf(const HloInstruction& i);

// Floating-point operations of a call, for profiles: of a transform, those of radix 2.
double OperationsOf(const program::FftLayout& layout);
double OperationsOf(const program::CholeskyLayout& layout);

}  // namespace sinter
