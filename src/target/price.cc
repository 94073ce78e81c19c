#include "target/price.h"

#include "target/tuning.h"

namespace sinter {

double PriceOf(const TargetInfo& target, double operations, double bytes) {
  if (target.gpu() != nullptr) return operations * tuning::kGpuOperation + bytes * tuning::kGpuByte;
  const double lanes = target.cpu()->vector_bytes / 4.0;
  return operations / lanes * tuning::kCpuVectorOperation + bytes * tuning::kCpuByte;
}

double PriceOfLaunch(const TargetInfo& target) {
  return target.gpu() != nullptr ? tuning::kGpuLaunch : 0;
}

}  // namespace sinter
