#include "runtime/cpu/cpu_device.h"

#include <cstring>
#include <utility>

#include "runtime/cpu/cpu_executor.h"
#include "runtime/cpu/limits.h"

namespace sinter::runtime::cpu {
namespace {

class CpuDevice final : public Device {
 public:
  CpuDevice(std::shared_ptr<program::Loader> loader, std::shared_ptr<MemoryPool> pool,
            std::shared_ptr<Workers> workers)
      : Device(std::move(pool), std::move(workers)), loader_(std::move(loader)) {}

  bool shares_host_memory() const override { return true; }
  absl::StatusOr<std::unique_ptr<StepExecutor>> Prepare(
      const program::Program& program, const StepExecutor::Options& options) override {
    return MakeCpuExecutor(program, *loader_, workers(), pool(), options);
  }
  absl::Status CopyFromHost(void* to, const void* from, int64_t bytes) override {
    return Copy(to, from, bytes);
  }
  absl::Status CopyToHost(void* to, const void* from, int64_t bytes) override {
    return Copy(to, from, bytes);
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  absl::Status CopyFromDevice(void* to, Device&, const void* from, int64_t bytes) override {
    return Copy(to, from, bytes);
  }
  absl::Status Zero(void* to, int64_t bytes) override {
    if (bytes > 0) std::memset(to, 0, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  absl::Status Synchronize(uint64_t) override { return absl::OkStatus(); }
  Event Completion(uint64_t) override { return Event(); }
  absl::StatusOr<DeviceLimits> Limits() override { return MeasureLimits(*workers()); }

 private:
  const std::shared_ptr<program::Loader> loader_;
};

}  // namespace

std::shared_ptr<Device> MakeCpuDevice(std::shared_ptr<program::Loader> loader,
                                      std::shared_ptr<MemoryPool> pool,
                                      std::shared_ptr<Workers> workers) {
  return std::make_shared<CpuDevice>(std::move(loader), std::move(pool), std::move(workers));
}

}  // namespace sinter::runtime::cpu
