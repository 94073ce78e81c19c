#include "api/client_core.h"

#include "api/connect.h"
#include "api/interpreter.h"
#include "base/thread/cpu_count.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/host_memory_pool.h"
#include "runtime/transfers.h"

namespace sinter::api {
namespace {

constexpr int kMostDevices = 1024;
constexpr double kMostSeconds = 1e6;

absl::StatusOr<std::unique_ptr<Workers>> MakeWorkers(const CpuOptions& options,
                                                     const Flags& flags) {
  if (options.threads < 0 || options.threads > 4096) {
    return InvalidArgument("CpuOptions.threads: expected 0 to 4096, given {}", options.threads);
  }
  int ways = (options.threads > 0) + options.inline_execution + (options.executor != nullptr);
  if (ways > 1) {
    return InvalidArgument(
        "CpuOptions: expected one of threads, inline_execution and executor, given {}", ways);
  }
  if (options.inline_execution) return MakeInlineWorkers();
  if (options.executor != nullptr) return MakeExecutorWorkers(options.executor);
  int threads = flags.threads > 0 ? flags.threads : options.threads;
  return MakePoolWorkers(threads > 0 ? threads : AvailableCpus());
}

}  // namespace

absl::StatusOr<std::shared_ptr<ClientCore>> ClientCore::OnHost(std::string platform,
                                                               const CpuOptions& options,
                                                               Compiler compiler, Flags flags) {
  for (int64_t n : {options.memory_limit, options.memory_pool_limit, options.cache_entries}) {
    if (n < 0) return InvalidArgument("CpuOptions: a limit is negative: {}", n);
  }
  if (options.devices < 1 || options.devices > kMostDevices) {
    return InvalidArgument("CpuOptions.devices: expected 1 to {}, given {}", kMostDevices,
                           options.devices);
  }
  RETURN_IF_ERROR(TransferQueues::Check(options.transfers));
  ASSIGN_OR_RETURN(std::shared_ptr<Workers> workers, MakeWorkers(options, flags));
  auto device = runtime::cpu::MakeCpuDevice(
      compiler.loader,
      std::make_shared<runtime::HostMemoryPool>(options.memory_limit, options.memory_pool_limit),
      std::move(workers));
  std::shared_ptr<ClientCore> core(new ClientCore(std::move(platform), {std::move(device)},
                                                  std::move(compiler), std::move(flags), options));
  RETURN_IF_ERROR(core->Connect(options.distributed, options.devices, options.collective_timeout));
  return core;
}

absl::Status ClientCore::Connect(const DistributedOptions& distributed, int devices,
                                 double timeout) {
  if (!(timeout >= 0) || (timeout > kMostSeconds && timeout != kNoCollectiveTimeout)) {
    return InvalidArgument("collective_timeout: expected 0 to {} seconds, given {}", kMostSeconds,
                           timeout);
  }
  ASSIGN_OR_RETURN(processes_, ConnectProcesses(distributed, devices));
  device_count_ = processes_ == nullptr ? devices : processes_->device_count();
  if (timeout == 0 && processes_ != nullptr) timeout = kDefaultCollectiveTimeout;
  collective_timeout_ = timeout == kNoCollectiveTimeout ? 0 : timeout;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<ClientCore>> ClientCore::Cpu(const CpuOptions& options,
                                                            Compiler compiler, Flags flags) {
  return OnHost("cpu", options, std::move(compiler), std::move(flags));
}

absl::StatusOr<std::shared_ptr<ClientCore>> ClientCore::Interpreter(const CpuOptions& options,
                                                                    Flags flags) {
  if (options.distributed.transport != DistributedOptions::Transport::kNone)
    return Unimplemented("CpuOptions.distributed: the interpreter runs in one process");
  return OnHost("interpreter", options, InterpreterCompiler(), std::move(flags));
}

absl::StatusOr<std::shared_ptr<ClientCore>> ClientCore::Cuda(
    std::vector<std::shared_ptr<runtime::cuda::CudaDevice>> devices, Compiler compiler, Flags flags,
    const CudaOptions& options) {
  RETURN_IF_ERROR(TransferQueues::Check(options.transfers));
  const auto count = static_cast<int>(devices.size());
  std::shared_ptr<ClientCore> core(new ClientCore("cuda", {devices.begin(), devices.end()},
                                                  std::move(compiler), std::move(flags), options));
  core->is_cuda_ = true;
  RETURN_IF_ERROR(core->Connect(options.distributed, count, options.collective_timeout));
  return core;
}

const std::shared_ptr<runtime::Device>& ClientCore::device(int number) const {
  if (devices_.size() == 1) return devices_[0];
  const int first = processes_ == nullptr ? 0 : processes_->FirstDeviceOf(process_id());
  return devices_[static_cast<size_t>(number - first)];
}

runtime::cuda::CudaDevice* ClientCore::cuda(int number) const {
  return is_cuda_ ? static_cast<runtime::cuda::CudaDevice*>(device(number).get()) : nullptr;
}

absl::Status ClientCore::CheckDevice(int number) const {
  if (0 <= number && number < device_count_) return absl::OkStatus();
  return InvalidArgument("device {}: the client has {}", number, device_count_);
}

absl::StatusOr<int> ClientCore::LocalDevice(int number) const {
  if (number == -1) return processes_ == nullptr ? 0 : processes_->FirstDeviceOf(process_id());
  RETURN_IF_ERROR(CheckDevice(number));
  if (ProcessOf(number) == process_id()) return number;
  return InvalidArgument("device {}: it is one of process {}, this is process {}", number,
                         ProcessOf(number), process_id());
}

int ClientCore::ProcessOf(int device) const {
  if (processes_ == nullptr || device < 0 || device >= device_count_) return 0;
  return processes_->ProcessOf(device);
}

ClientCore::~ClientCore() {
  if (processes_ != nullptr)
    processes_->Cancel(absl::CancelledError("the client of the program has gone"));
}

absl::StatusOr<runtime::Participants> ClientCore::ParticipantsOf(
    const CompileOptions& options) const {
  if (options.replicas < 1 || options.partitions < 1 ||
      options.partitions > kMostDevices / options.replicas) {
    return InvalidArgument("CompileOptions: {} replicas of {} partitions; expected 1 to {} in all",
                           options.replicas, options.partitions, kMostDevices);
  }
  const auto count = static_cast<size_t>(options.replicas * options.partitions);
  runtime::Participants all{options.device_assignment, processes_, collective_timeout_, timer_};
  if (all.devices.empty() && count == 1) {
    ASSIGN_OR_RETURN(const int first, LocalDevice(-1));
    all.devices.push_back(first);
  }
  if (all.devices.empty()) {
    for (size_t n = 0; n < count; ++n) all.devices.push_back(static_cast<int>(n));
  }
  if (all.devices.size() != count) {
    return InvalidArgument("CompileOptions.device_assignment: {} devices for {} participants",
                           all.devices.size(), count);
  }
  std::vector<char> used(static_cast<size_t>(device_count_));
  for (int d : all.devices) {
    RETURN_IF_ERROR(CheckDevice(d));
    if (std::exchange(used[static_cast<size_t>(d)], true))
      return InvalidArgument("CompileOptions.device_assignment: device {} twice", d);
  }
  return all;
}

absl::StatusOr<ClientCore::ExecutablePtr> ClientCore::Load(Compiled compiled,
                                                           const CompileOptions& options) const {
  runtime::StepExecutor::Options how;
  how.flush_denormals = options.flush_denormals;
  how.custom_calls.registry = custom_calls_;
  ASSIGN_OR_RETURN(runtime::Participants participants, ParticipantsOf(options));
  std::vector<runtime::Executable::Prepared> prepared;
  for (int number : participants.devices) {
    if (ProcessOf(number) != process_id()) continue;
    prepared.emplace_back().device = device(number);
    if (devices_.size() == 1) break;
  }
  if (prepared.empty()) prepared.emplace_back().device = device();
  for (runtime::Executable::Prepared& p : prepared) {
    how.custom_calls.own = [&](std::string_view target) {
      if (compiled.interpreted && target == kInterpreterTarget)
        return Interpreting(compiled.interpreted, custom_calls_, transfers_);
      return runtime::FindTransfer(target, p.device, transfers_);
    };
    ASSIGN_OR_RETURN(p.steps, p.device->Prepare(compiled.program, how));
  }
  return runtime::Executable::Make(this, std::move(compiled.program), std::move(prepared),
                                   compiled.donated, std::move(participants),
                                   options.flush_denormals);
}

absl::StatusOr<ClientCore::ExecutablePtr> ClientCore::Make(const HloModule& module,
                                                           const CompileOptions& options) const {
  RETURN_IF_ERROR(ParticipantsOf(options).status());
  ASSIGN_OR_RETURN(Compiled compiled, compiler_.compile(module, options, *workers()));
  return Load(std::move(compiled), options);
}

absl::StatusOr<Executable> ClientCore::CompileModule(const HloModule& module,
                                                     const CompileOptions& given) {
  CompileOptions options = WithFlags(given, flags_);
  if (!compiler_.key) {
    ASSIGN_OR_RETURN(ExecutablePtr made, Make(module, options));
    return Executable(std::move(made), shared_from_this());
  }
  Hasher key;
  key.Add("module");
  compiler_.key(module, key);
  AddOptions(options, key);
  ASSIGN_OR_RETURN(ExecutablePtr found,
                   cache_.Get(key.Finish(), [&] { return Make(module, options); }));
  return Executable(std::move(found), shared_from_this());
}

absl::StatusOr<Executable> ClientCore::CompileTraced(Hasher key, const CompileOptions& given,
                                                     const Trace& trace) {
  CompileOptions options = WithFlags(given, flags_);
  AddOptions(options, key);
  auto make = [&]() -> absl::StatusOr<ExecutablePtr> {
    ASSIGN_OR_RETURN(std::shared_ptr<const HloModule> module, trace());
    return Make(*module, options);
  };
  ASSIGN_OR_RETURN(ExecutablePtr found, cache_.Get(key.Finish(), make));
  return Executable(std::move(found), shared_from_this());
}

void AddOptions(const CompileOptions& options, Hasher& key) {
  key.Add(uint64_t{options.cut_parameters.size()});
  for (bool cut : options.cut_parameters) key.Add(cut);
  for (bool cut : options.cut_results) key.Add(cut);
  key.Add(options.allow_contraction);
  key.Add(options.allow_excess_precision);
  key.Add(options.flush_denormals);
  key.Add(options.isa);
  key.Add(options.donated_parameters);
  key.Add(options.replicas);
  key.Add(options.partitions);
  for (int d : options.device_assignment) key.Add(int64_t{d});
  key.Add(static_cast<int64_t>(options.device_assignment.size()));
  key.Add(options.stated_layouts);
  key.Add(options.disabled_passes);
  key.Add(options.pass_limit);
}

}  // namespace sinter::api
