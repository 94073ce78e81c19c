// What the host's processor can do at most: measured, since no table of processors says what a
// virtual machine has of one.
#pragma once

#include "absl/status/statusor.h"
#include "base/thread/workers.h"
#include "runtime/device.h"

namespace sinter::runtime::cpu {

// On all threads of `workers`. Measured once a process and number of threads: takes a tenth of a
// second or two, and 128 MiB of memory meanwhile (ResourceExhausted).
absl::StatusOr<DeviceLimits> MeasureLimits(Workers& workers);

}  // namespace sinter::runtime::cpu
