// How the fake NCCL reduces.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/cuda/nccl.h"

namespace sinter::fake_nccl {

// Bytes of an element.
size_t WidthOf(runtime::cuda::NcclType type);
// Adds the part's elements to those of the sum, or the like.
void Combine(runtime::cuda::NcclType type, runtime::cuda::NcclReduction op, std::vector<char>& sum,
             const std::vector<char>& part);

}  // namespace sinter::fake_nccl
