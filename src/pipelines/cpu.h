// The passes for the CPU, in order.
#pragma once

#include "pass/pass.h"

namespace sinter {

Pipeline CpuPipeline();

}  // namespace sinter
