#include "target/price.h"

#include "target/tuning.h"

namespace sinter {

double LanesOf(const TargetInfo& target) {
  return target.gpu() != nullptr ? 1 : target.cpu()->vector_bytes / 4.0;
}

double PriceOf(const TargetInfo& target, double operations, double bytes) {
  if (target.gpu() != nullptr) return operations * tuning::kGpuOperation + bytes * tuning::kGpuByte;
  return operations / LanesOf(target) * tuning::kCpuVectorOperation + bytes * tuning::kCpuByte;
}

namespace {

// Of a value that one kernel writes and another reads: less where it stays in the caches.
double PriceOfRoundTrip(const CpuMachine& cpu, double bytes) {
  if (bytes <= static_cast<double>(cpu.l2_bytes) * cpu.threads / 2)
    return PriceOf(cpu, bytes / 4 * tuning::kRoundTrip, 0);
  const bool stays = bytes <= static_cast<double>(cpu.l3_bytes) / 2;
  return bytes * (stays ? tuning::kRoundTripByteInCache : tuning::kRoundTripByte);
}

}  // namespace

double PriceOfKernel(const TargetInfo& target, double operations, double bytes, double reader) {
  if (target.gpu() != nullptr) return tuning::kGpuLaunch + PriceOf(target, operations, 2 * bytes);
  const CpuMachine& cpu = *target.cpu();
  const double own = PriceOf(target, operations, 0) + PriceOfRoundTrip(cpu, bytes);
  auto forks = [](double price) {
    return price >= static_cast<double>(tuning::kNanosecondsPerThread);
  };
  if (forks(PriceOf(target, operations, 2 * bytes))) return tuning::kCpuFork + own;
  return tuning::kCpuLaunch + own * (forks(reader) ? cpu.threads : 1);
}

}  // namespace sinter
