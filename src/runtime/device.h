// A device, as the parts of the runtime see it that all devices share: its memory, and the order in
// which it works. Work is *submitted*, and then done in the order of submission; on the host's
// processor it is done when it has been submitted.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "base/thread/workers.h"
#include "program/program.h"
#include "runtime/memory_pool.h"
#include "runtime/step_executor.h"
#include "sinter/event.h"

namespace sinter::runtime {

// What a device can do at most.
struct DeviceLimits {
  double bytes_per_second = 0;       // of its memory, reading and writing
  double operations_per_second = 0;  // on numbers of 4 bytes; a multiply-add is two
};

class Device {
 public:
  Device(std::shared_ptr<MemoryPool> pool, std::shared_ptr<Workers> workers)
      : pool_(std::move(pool)), workers_(std::move(workers)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::shared_ptr<MemoryPool>& pool() const { return pool_; }
  const std::shared_ptr<Workers>& workers() const { return workers_; }

  // The host may read and write the device's memory, and the device the host's.
  virtual bool shares_host_memory() const = 0;

  // Makes a program's steps ready; its `codes` and `steps` are not needed afterwards.
  virtual absl::StatusOr<std::unique_ptr<StepExecutor>> Prepare(
      const program::Program& program, const StepExecutor::Options& options) = 0;

  // Submits a copy of the host's memory, which may change once this returns.
  virtual absl::Status CopyFromHost(void* to, const void* from, int64_t bytes) = 0;
  // Copies what is there once all that was submitted before is done, and waits for it.
  virtual absl::Status CopyToHost(void* to, const void* from, int64_t bytes) = 0;
  // Submits a copy within the device's memory; the ranges do not overlap.
  virtual absl::Status Copy(void* to, const void* from, int64_t bytes) = 0;
  // Submits the same from the memory of another device of the client, of this kind, which does not
  // give back or write that memory before the copy is done.
  virtual absl::Status CopyFromDevice(void* to, Device& other, const void* from, int64_t bytes) = 0;
  // Submits zeros.
  virtual absl::Status Zero(void* to, int64_t bytes) = 0;

  // Whether it has exchanged with others: work may then fail that is not lost with the device.
  virtual bool exchanges() const { return false; }
  // How often such work has failed so far. Who submits a run piece by piece asks before the first,
  // and then for the run's end by this number.
  virtual uint64_t failures() const { return 0; }
  // Waits for all that has been submitted.
  absl::Status Synchronize() { return Synchronize(failures()); }
  virtual absl::Status Synchronize(uint64_t failures) = 0;
  // The event that all is done that has been submitted.
  Event Completion() { return Completion(failures()); }
  virtual Event Completion(uint64_t failures) = 0;

  // Measured, where the device does not state it, when first asked for; that takes a fraction of a
  // second and some memory (ResourceExhausted).
  virtual absl::StatusOr<DeviceLimits> Limits() = 0;

 private:
  const std::shared_ptr<MemoryPool> pool_;
  const std::shared_ptr<Workers> workers_;
};

}  // namespace sinter::runtime
