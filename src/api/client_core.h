// What a client's handles share.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/compiler.h"
#include "api/flags.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/thread/timer.h"
#include "cache/memory_cache.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/device.h"
#include "runtime/executable.h"
#include "runtime/processes.h"
#include "sinter/client.h"
#include "transfer/queues.h"

namespace sinter::api {

class ClientCore : public std::enable_shared_from_this<ClientCore> {
 public:
  // Nobody is left who waits for runs: those that wait for other processes end.
  ~ClientCore();
  static absl::StatusOr<std::shared_ptr<ClientCore>> Cpu(const CpuOptions& options,
                                                         Compiler compiler, Flags flags);

  // Runs programs by the interpreter (InterpreterCompiler) on the host.
  static absl::StatusOr<std::shared_ptr<ClientCore>> Interpreter(const CpuOptions& options,
                                                                 Flags flags);

  // Of the options, what is not the device's.
  static absl::StatusOr<std::shared_ptr<ClientCore>> Cuda(
      std::vector<std::shared_ptr<runtime::cuda::CudaDevice>> devices, Compiler compiler,
      Flags flags, const CudaOptions& options);

  using ExecutablePtr = std::shared_ptr<runtime::Executable>;

  // Compiles, or finds the executable by the module's key.
  absl::StatusOr<Executable> CompileModule(const HloModule& module, const CompileOptions& options);
  // The executable of `key`, which must contain all that `trace` depends on; the options are added
  // to it. `trace` makes the module and is called only where the executable has to be made.
  using Trace = std::function<absl::StatusOr<std::shared_ptr<const HloModule>>()>;
  absl::StatusOr<Executable> CompileTraced(Hasher key, const CompileOptions& options,
                                           const Trace& trace);
  // Makes a compiled program ready to run on this client.
  absl::StatusOr<ExecutablePtr> Load(Compiled compiled, const CompileOptions& options) const;

  // What an executable of such a client was serialized to.
  absl::StatusOr<Executable> LoadSerialized(std::string_view bytes);

  const std::string& platform() const { return platform_; }
  // Its programs are machine code, or the GPU's.
  bool compiles() const { return compiler_.check_target != nullptr; }
  int device_count() const { return device_count_; }
  // InvalidArgument where there is no device of that number.
  absl::Status CheckDevice(int number) const;
  // The same, and of this process; -1: the first of this process.
  absl::StatusOr<int> LocalDevice(int number) const;
  // 0 where there are no other processes.
  int ProcessOf(int device) const;
  int process_id() const { return processes_ == nullptr ? 0 : processes_->id(); }
  int process_count() const { return processes_ == nullptr ? 1 : processes_->count(); }
  // What devices of the client share: whether they share the host's memory, and threads.
  const std::shared_ptr<runtime::Device>& device() const { return devices_[0]; }
  // The one of a number that this process has.
  const std::shared_ptr<runtime::Device>& device(int number) const;
  // All of this process: one for all numbers, or one each.
  const std::vector<std::shared_ptr<runtime::Device>>& devices() const { return devices_; }
  // Null where devices are other ones.
  runtime::cuda::CudaDevice* cuda(int number) const;
  const std::shared_ptr<Workers>& workers() const { return device()->workers(); }
  const std::shared_ptr<runtime::MemoryPool>& pool(int number) const {
    return device(number)->pool();
  }
  cache::MemoryCache<runtime::Executable>& cache() { return cache_; }
  const std::shared_ptr<TransferQueues>& transfers() const { return transfers_; }

 private:
  // `Options`: CpuOptions, CudaOptions.
  template <class Options>
  ClientCore(std::string platform, std::vector<std::shared_ptr<runtime::Device>> devices,
             Compiler compiler, Flags flags, const Options& options)
      : platform_(std::move(platform)),
        devices_(std::move(devices)),
        compiler_(std::move(compiler)),
        flags_(std::move(flags)),
        custom_calls_(options.custom_calls),
        transfers_(std::make_shared<TransferQueues>(options.transfers)),
        cache_(options.cache_entries) {}
  static absl::StatusOr<std::shared_ptr<ClientCore>> OnHost(std::string platform,
                                                            const CpuOptions& options,
                                                            Compiler compiler, Flags flags);
  absl::StatusOr<ExecutablePtr> Make(const HloModule& module, const CompileOptions& options) const;

  // Of as many devices of this process.
  absl::Status Connect(const DistributedOptions& distributed, int devices, double timeout);
  // Which device each participant runs on.
  absl::StatusOr<runtime::Participants> ParticipantsOf(const CompileOptions& options) const;

  const std::string platform_;
  int device_count_ = 1;
  double collective_timeout_ = 0;
  std::shared_ptr<runtime::Processes> processes_;  // null: one
  const std::shared_ptr<Timer> timer_ = std::make_shared<Timer>();
  const std::vector<std::shared_ptr<runtime::Device>> devices_;
  bool is_cuda_ = false;
  const Compiler compiler_;
  const Flags flags_;
  const std::shared_ptr<const CustomCallRegistry> custom_calls_;
  const std::shared_ptr<TransferQueues> transfers_;
  cache::MemoryCache<runtime::Executable> cache_;
};

// Adds every option that changes code.
void AddOptions(const CompileOptions& options, Hasher& key);

// Runs `body`, which returns a status or StatusOr, and turns what the standard library throws into
// a status: nothing leaves the library's interface but statuses.
template <class Body>
auto Guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("the system has no memory");
  } catch (const std::exception& e) {
    return Internal("unexpected exception: {}", e.what());
  }
}

}  // namespace sinter::api
