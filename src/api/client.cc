#include "sinter/client.h"

#include "api/buffer_promise.h"
#include "api/client_core.h"
#include "base/thread/event_state.h"
#include "runtime/array_copy.h"

namespace sinter {
namespace {

// Transfers above it are copied asynchronously where the host's memory may be read later.
constexpr int64_t kAsyncTransfer = int64_t{64} << 10;

absl::Status CheckArray(std::string_view call, const Shape& shape) {
  if (shape.is_array() && shape.is_static()) return absl::OkStatus();
  return InvalidArgument("{}: expected the shape of an array, given {}", call, shape.ToString());
}

absl::Status CheckHostShape(const void* data, const Shape& shape) {
  RETURN_IF_ERROR(CheckArray("BufferFromHost", shape));
  if (shape.byte_size() > 0 && data == nullptr) {
    return InvalidArgument("BufferFromHost: no data for {}", shape.ToString());
  }
  // Of complex numbers the parts.
  auto width = static_cast<uintptr_t>(ByteWidth(RealPart(shape.element_type())));
  if (reinterpret_cast<uintptr_t>(data) % width != 0) {
    return InvalidArgument("BufferFromHost: the data of {} is not aligned to {} bytes",
                           shape.ToString(), width);
  }
  return absl::OkStatus();
}

// Of the client's devices; none: all that there are.
absl::StatusOr<std::vector<int>> Ordinals(const CudaOptions& options) {
  if (!options.devices.empty() && options.device != 0)
    return InvalidArgument("CudaOptions: device {} and a list of devices", options.device);
  std::vector<int> ordinals = options.devices;
  if (ordinals.empty() && options.device != kAllCudaDevices) ordinals.push_back(options.device);
  if (ordinals.size() != 1 && (options.context != nullptr || options.stream != nullptr))
    return InvalidArgument("CudaOptions: a context or stream of the host's is of one device");
  return ordinals;
}

absl::StatusOr<Buffer> MakeBuffer(const std::shared_ptr<api::ClientCore>& core, const void* data,
                                  const Shape& shape, HostBufferSemantics semantics,
                                  std::function<void()> on_done, int on_device) {
  RETURN_IF_ERROR(CheckHostShape(data, shape));
  ASSIGN_OR_RETURN(on_device, core->LocalDevice(on_device));
  int64_t bytes = shape.packed_byte_size();
  auto shared_shape = std::make_shared<const Shape>(shape);
  auto make = [&](runtime::StorageRef storage, const Event& ready, const Event& submitted) {
    return Buffer(std::make_shared<runtime::DeviceBuffer>(
                      core.get(), shared_shape, std::move(storage), ready, submitted, on_device),
                  core);
  };
  const std::shared_ptr<runtime::Device>& device = core->device(on_device);
  if (ElementsPerByte(shape.element_type()) > 1) {
    // The host's elements have bytes of their own, so that there is no sharing memory.
    ASSIGN_OR_RETURN(runtime::StorageRef storage,
                     runtime::Storage::Allocate(device->pool(), bytes));
    RETURN_IF_ERROR(runtime::CopyArrayFromHost(*device, shape, data, storage->data()));
    Buffer buffer = make(std::move(storage), device->Completion(), Event());
    if (on_done) on_done();
    return buffer;
  }
  bool zero_copy = semantics == HostBufferSemantics::kImmutableZeroCopy ||
                   semantics == HostBufferSemantics::kMutableZeroCopy;
  if (zero_copy && device->shares_host_memory()) {
    bool writable = semantics == HostBufferSemantics::kMutableZeroCopy;
    return make(
        runtime::Storage::External(const_cast<void*>(data), bytes, writable, std::move(on_done)),
        Event(), Event());
  }
  ASSIGN_OR_RETURN(runtime::StorageRef storage, runtime::Storage::Allocate(device->pool(), bytes));
  bool later = semantics != HostBufferSemantics::kImmutableOnlyDuringCall;
  if (later && bytes >= kAsyncTransfer && core->workers()->queue() != nullptr) {
    Promise submitted(core->workers()->queue());
    Promise ready = device->shares_host_memory() ? submitted : Promise(core->workers()->queue());
    Buffer buffer = make(storage, ready.event(), submitted.event());
    storage->MarkAwaited();
    core->workers()->Schedule(
        [device, storage, data, bytes, submitted, ready, on_done = std::move(on_done)]() mutable {
          absl::Status status = device->CopyFromHost(storage->data(), data, bytes);
          storage.DropAwaited();
          if (!device->shares_host_memory()) {
            Event done = status.ok() ? device->Completion() : Event(status);
            done.OnReady([ready](const absl::Status& s) { ready.Set(s); });
          }
          submitted.Set(status);
          if (on_done) on_done();
        });
    return buffer;
  }
  RETURN_IF_ERROR(device->CopyFromHost(storage->data(), data, bytes));
  Buffer buffer = make(std::move(storage), device->Completion(), Event());
  if (on_done) on_done();
  return buffer;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> Client::Cpu(const CpuOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<Client>> {
    ASSIGN_OR_RETURN(api::Flags flags, api::FlagsFromEnvironment());
    ASSIGN_OR_RETURN(api::Compiler compiler, api::DefaultCompiler());
    ASSIGN_OR_RETURN(auto core,
                     api::ClientCore::Cpu(options, std::move(compiler), std::move(flags)));
    return std::make_shared<Client>(std::move(core));
  });
}

absl::StatusOr<std::shared_ptr<Client>> Client::Interpreter(const CpuOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<Client>> {
    ASSIGN_OR_RETURN(api::Flags flags, api::FlagsFromEnvironment());
    ASSIGN_OR_RETURN(auto core, api::ClientCore::Interpreter(options, std::move(flags)));
    return std::make_shared<Client>(std::move(core));
  });
}

absl::StatusOr<std::shared_ptr<Client>> Client::Cuda(const CudaOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<Client>> {
    for (int64_t n : {options.memory_limit, options.memory_pool_limit, options.cache_entries}) {
      if (n < 0) return InvalidArgument("CudaOptions: a limit is negative: {}", n);
    }
    ASSIGN_OR_RETURN(api::Flags flags, api::FlagsFromEnvironment());
    runtime::cuda::CudaDevicesOptions how;
    ASSIGN_OR_RETURN(how.ordinals, Ordinals(options));
    how.nccl_path = options.nccl;
    how.device.context.driver_path = flags.cuda_driver.empty() ? options.driver : flags.cuda_driver;
    how.device.context.context = options.context;
    how.device.context.stream = options.stream;
    how.device.memory_limit = options.memory_limit;
    how.device.memory_pool_limit = options.memory_pool_limit;
    ASSIGN_OR_RETURN(auto devices, runtime::cuda::MakeCudaDevices(how));
    const runtime::cuda::DeviceProperties& properties = devices[0]->properties();
    ASSIGN_OR_RETURN(api::Compiler compiler,
                     api::CudaCompiler(properties.compute_capability, devices[0]->driver_version(),
                                       properties.multiprocessors));
    ASSIGN_OR_RETURN(auto core, api::ClientCore::Cuda(std::move(devices), std::move(compiler),
                                                      std::move(flags), options));
    return std::make_shared<Client>(std::move(core));
  });
}

Client::Client(std::shared_ptr<api::ClientCore> core) : core_(std::move(core)) {}
Client::~Client() { CancelTransfers(); }

std::string Client::platform() const { return core_->platform(); }
int Client::device_count() const { return core_->device_count(); }
std::vector<int> Client::local_devices() const {
  std::vector<int> local;
  for (int d = 0; d < core_->device_count(); ++d) {
    if (core_->ProcessOf(d) == core_->process_id()) local.push_back(d);
  }
  return local;
}
int Client::process_of(int device) const { return core_->ProcessOf(device); }
int Client::process_id() const { return core_->process_id(); }
int Client::process_count() const { return core_->process_count(); }
int Client::parallelism() const { return core_->workers()->parallelism(); }

absl::StatusOr<Executable> Client::Compile(const Computation& computation,
                                           const CompileOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<Executable> {
    if (computation.IsNull()) return InvalidArgument("Compile: there is no computation");
    return core_->CompileModule(*computation.module(), options);
  });
}

absl::StatusOr<Computation> Simplify(const Computation& computation,
                                     const CompileOptions& options) {
  return api::Guarded([&]() -> absl::StatusOr<Computation> {
    if (computation.IsNull()) return InvalidArgument("Simplify: there is no computation");
    ASSIGN_OR_RETURN(api::Flags flags, api::FlagsFromEnvironment());
    ASSIGN_OR_RETURN(std::shared_ptr<const HloModule> module,
                     api::SimplifyModule(*computation.module(), api::WithFlags(options, flags)));
    return Computation(std::move(module));
  });
}

absl::StatusOr<Buffer> Client::BufferFromHost(const void* data, const Shape& shape,
                                              HostBufferSemantics semantics,
                                              std::function<void()> on_done, int device) {
  return api::Guarded(
      [&] { return MakeBuffer(core_, data, shape, semantics, std::move(on_done), device); });
}

absl::StatusOr<Buffer> Client::BufferFromLiteral(const Literal& literal, int device) {
  return api::Guarded([&]() -> absl::StatusOr<Buffer> {
    RETURN_IF_ERROR(literal.status());
    if (!literal.shape().is_array()) {
      return InvalidArgument("BufferFromLiteral: expected an array, given {}",
                             literal.shape().ToString());
    }
    // A literal is row-major whatever its shape's layout says.
    Shape shape = literal.shape();
    shape.set_minor_to_major({});
    return MakeBuffer(core_, literal.untyped_data(), shape,
                      HostBufferSemantics::kImmutableOnlyDuringCall, {}, device);
  });
}

absl::StatusOr<BufferPromise> Client::PromiseBuffer(const Shape& shape, int device) {
  return api::Guarded([&]() -> absl::StatusOr<BufferPromise> {
    RETURN_IF_ERROR(CheckArray("PromiseBuffer", shape));
    ASSIGN_OR_RETURN(const int place, core_->LocalDevice(device));
    return api::MakeBufferPromise(core_, shape, place);
  });
}

absl::StatusOr<Buffer> Client::ErrorBuffer(const Shape& shape, absl::Status error, int device) {
  return api::Guarded([&]() -> absl::StatusOr<Buffer> {
    RETURN_IF_ERROR(CheckArray("ErrorBuffer", shape));
    if (error.ok()) return InvalidArgument("ErrorBuffer: the status is OK");
    ASSIGN_OR_RETURN(const int place, core_->LocalDevice(device));
    return Buffer(std::make_shared<runtime::DeviceBuffer>(
                      core_.get(), std::make_shared<const Shape>(shape),
                      runtime::Storage::External(nullptr, 0, /*writable=*/false, {}),
                      Event(std::move(error)), place),
                  core_);
  });
}

absl::StatusOr<Buffer> Client::BufferFromDevice(void* data, const Shape& shape,
                                                DeviceMemoryOptions options) {
  return api::Guarded([&]() -> absl::StatusOr<Buffer> {
    ASSIGN_OR_RETURN(const int place, core_->LocalDevice(options.device));
    if (core_->cuda(place) == nullptr) {
      return InvalidArgument("BufferFromDevice: a client of {} has no device memory",
                             core_->platform());
    }
    RETURN_IF_ERROR(CheckArray("BufferFromDevice", shape));
    auto width = static_cast<uintptr_t>(ByteWidth(shape.element_type()));
    if (reinterpret_cast<uintptr_t>(data) % width != 0) {
      return InvalidArgument("BufferFromDevice: the data of {} is not aligned to {} bytes",
                             shape.ToString(), width);
    }
    ASSIGN_OR_RETURN(runtime::StorageRef storage,
                     core_->cuda(place)->Borrow(data, shape.packed_byte_size(), options.writable,
                                                options.stream, std::move(options.on_done)));
    return Buffer(std::make_shared<runtime::DeviceBuffer>(
                      core_.get(), std::make_shared<const Shape>(shape), std::move(storage),
                      core_->device(place)->Completion(), Event(), place),
                  core_);
  });
}

absl::Status Client::TransferToInfeed(Literal data) {
  return api::Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(data.status());
    return core_->transfers()->to_infeed().Offer(std::move(data));
  });
}

absl::StatusOr<Literal> Client::TransferFromOutfeed() {
  return api::Guarded([&] { return core_->transfers()->from_outfeed().Take(); });
}

void Client::CancelTransfers() { core_->transfers()->Cancel(); }

MemoryStats Client::memory_stats(int device) const {
  if (device >= 0 && core_->LocalDevice(device).ok()) return core_->pool(device)->stats();
  MemoryStats all;
  for (const auto& d : core_->devices()) {
    const MemoryStats one = d->pool()->stats();
    all.in_use += one.in_use;
    all.peak_in_use += one.peak_in_use;
    all.pooled += one.pooled;
    all.limit += one.limit;
    all.pool_limit += one.pool_limit;
    all.allocations += one.allocations;
    all.reused += one.reused;
  }
  return all;
}
void Client::ResetPeakMemory(int device) {
  if (device >= 0 && core_->LocalDevice(device).ok()) return core_->pool(device)->ResetPeak();
  for (const auto& d : core_->devices()) d->pool()->ResetPeak();
}
CacheStats Client::cache_stats() const { return core_->cache().stats(); }
void Client::TrimMemory() {
  for (const auto& d : core_->devices()) d->pool()->Trim();
}
void Client::ClearCache() { core_->cache().Clear(); }

}  // namespace sinter
