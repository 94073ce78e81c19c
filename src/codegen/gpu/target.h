// Which GPU code is made for, and by which driver it must be understood.
//
//   ASSIGN_OR_RETURN(auto target, sinter::gpu::Target::Parse("sm_90a"));          // ahead of time
//   ASSIGN_OR_RETURN(auto here, sinter::gpu::Target::Parse("sm_90", 12040));      // for a driver
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter::gpu {

struct Target {
  std::string name;  // "sm_90a": the compute capability; a suffix gives up running on later GPUs
  int sm = 0;        // 90: ten times the compute capability
  int ptx = 0;       // 80: ten times the version of PTX that is written
  int64_t shared_bytes = 0;  // of shared memory that a block may have

  // `driver_version` is cuDriverGetVersion's (12040: CUDA 12.4), which limits the version of PTX;
  // 0: the lowest that the GPU has, so that all its drivers understand it. InvalidArgument for a
  // name that is none of Names(), Unavailable where the driver is too old for the GPU.
  static absl::StatusOr<Target> Parse(std::string_view name, int driver_version = 0);
  static std::vector<std::string> Names();

  // What code for it is keyed by: equal strings, equal code.
  std::string Key() const;
};

}  // namespace sinter::gpu
