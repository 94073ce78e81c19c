// A CUDA device as the shared parts of the runtime see it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/cuda/context.h"
#include "runtime/device.h"
#include "runtime/storage.h"

namespace sinter::runtime::cuda {

struct CudaDeviceOptions {
  ContextOptions context;
  int64_t memory_limit = 0;  // bytes in use; 0: none
  int64_t memory_pool_limit = 0;
};

struct CudaDevicesOptions {
  // Of each device; `context.device` is not looked at.
  CudaDeviceOptions device;
  // The driver's numbers; empty: all that the machine has.
  std::vector<int> ordinals;
  std::string nccl_path;  // "": libnccl.so.2
};

class CudaDevice : public Device {
 public:
  using Device::Device;
  virtual const DeviceProperties& properties() const = 0;
  // As cuDriverGetVersion gives it.
  virtual int driver_version() const = 0;

  // Device memory of the host's, which must have been allocated on this device (InvalidArgument
  // else). Work submitted from now on waits for what `stream` has been given so far; null: nothing
  // to wait for. `on_done`: the device is done with it.
  virtual absl::StatusOr<StorageRef> Borrow(void* data, int64_t bytes, bool writable,
                                            StreamHandle stream, std::function<void()> on_done) = 0;
  // Milliseconds between what has been submitted before `submit` and all that it submits, by the
  // device's clock. Waits for it. Errors of `submit`.
  virtual absl::StatusOr<double> Time(const std::function<absl::Status()>& submit) = 0;
  // What `stream` is given from now on waits for all that has been submitted.
  virtual absl::Status Precede(StreamHandle stream) = 0;
};

// Errors: Context::Make's, ResourceExhausted.
absl::StatusOr<std::shared_ptr<CudaDevice>> MakeCudaDevice(const CudaDeviceOptions& options);
// The devices of one client, which run programs of several participants and copy from each other.
// InvalidArgument for a device named twice, and for devices of which one would need other code.
absl::StatusOr<std::vector<std::shared_ptr<CudaDevice>>> MakeCudaDevices(
    const CudaDevicesOptions& options);

}  // namespace sinter::runtime::cuda
