#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/status.h"
#include "runtime/cuda/completions.h"
#include "runtime/cuda/executor.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/nccl_transport.h"

namespace sinter::runtime::cuda {
namespace {

// An event that knows when it happened.
class TimedEvent {
 public:
  explicit TimedEvent(Context& context) : context_(context) {}
  ~TimedEvent() {
    if (event_ == nullptr) return;
    Context::Scope scope(context_);
    context_.driver().EventDestroy(event_);
  }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;

  absl::Status Record() {
    Context::Scope scope(context_);
    RETURN_IF_ERROR(scope.status());
    RETURN_IF_CUDA_ERROR(context_, EventCreate, &event_, kEventBlockingSync);
    return SINTER_CUDA_CHECK(context_, EventRecord, event_, context_.stream());
  }
  EventHandle handle() const { return event_; }

 private:
  Context& context_;
  EventHandle event_ = nullptr;
};

class CudaDeviceImpl final : public CudaDevice {
 public:
  CudaDeviceImpl(std::shared_ptr<Context> context, std::shared_ptr<MemoryPool> memory,
                 const std::shared_ptr<Workers>& threads, std::shared_ptr<NcclTransport> transport)
      : CudaDevice(std::move(memory), threads),
        context_(std::move(context)),
        transport_(std::move(transport)),
        cubins_(context_),
        staging_(context_),
        completions_(std::make_shared<Completions>(context_, threads->queue())) {}

  const DeviceProperties& properties() const override { return context_->properties(); }
  int driver_version() const override { return context_->driver().version; }
  bool shares_host_memory() const override { return false; }

  absl::StatusOr<std::unique_ptr<StepExecutor>> Prepare(
      const program::Program& program, const StepExecutor::Options& options) override {
    return MakeCudaExecutor(program, context_, cubins_, transport_, options);
  }
  absl::Status CopyFromHost(void* to, const void* from, int64_t bytes) override {
    if (bytes == 0) return absl::OkStatus();
    return staging_.CopyFromHost(to, from, bytes);
  }
  absl::Status CopyToHost(void* to, const void* from, int64_t bytes) override {
    if (bytes == 0) return absl::OkStatus();
    return staging_.CopyToHost(to, from, bytes);
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    if (bytes == 0 || to == from) return absl::OkStatus();
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    return SINTER_CUDA_CHECK(*context_, MemcpyDtoDAsync, Address(to), Address(from),
                             static_cast<size_t>(bytes), context_->stream());
  }
  bool exchanges() const override { return transport_->used(); }
  absl::Status CopyFromDevice(void* to, Device& other, const void* from, int64_t bytes) override {
    if (bytes == 0) return absl::OkStatus();
    const std::shared_ptr<Context> source = static_cast<CudaDeviceImpl&>(other).context_;
    RETURN_IF_ERROR(Follow(*context_, *source));
    {
      Context::Scope scope(*context_);
      RETURN_IF_ERROR(scope.status());
      RETURN_IF_CUDA_ERROR(*context_, MemcpyPeerAsync, Address(to), context_->handle(),
                           Address(from), source->handle(), static_cast<size_t>(bytes),
                           context_->stream());
    }
    absl::Status status = Follow(*source, *context_);
    // Where the other does not wait for the copy, the caller does.
    if (!status.ok()) context_->Synchronize().IgnoreError();
    return status;
  }
  absl::Status Zero(void* to, int64_t bytes) override {
    if (bytes == 0) return absl::OkStatus();
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    return SINTER_CUDA_CHECK(*context_, MemsetD8Async, Address(to), 0, static_cast<size_t>(bytes),
                             context_->stream());
  }
  uint64_t failures() const override { return context_->disturbances(); }
  absl::Status Synchronize(uint64_t failures) override { return context_->Synchronize(failures); }
  Event Completion(uint64_t failures) override { return completions_->Next(failures); }

  absl::StatusOr<StorageRef> Borrow(void* data, int64_t bytes, bool writable, StreamHandle stream,
                                    std::function<void()> on_done) override {
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    if (bytes > 0) RETURN_IF_ERROR(CheckPointer(data));
    if (stream != nullptr) RETURN_IF_ERROR(context_->Order(stream, context_->stream()));
    // The last reference is released when the last work on it has been submitted, before that is
    // done.
    auto done = [context = context_, completions = completions_, on_done = std::move(on_done)] {
      if (!on_done) return;
      completions->Next(context->disturbances()).OnReady([on_done](const absl::Status&) {
        on_done();
      });
    };
    return Storage::External(data, bytes, writable, std::move(done));
  }

  absl::StatusOr<double> Time(const std::function<absl::Status()>& submit) override {
    TimedEvent start(*context_), end(*context_);
    RETURN_IF_ERROR(start.Record());
    RETURN_IF_ERROR(submit());
    RETURN_IF_ERROR(end.Record());
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    RETURN_IF_CUDA_ERROR(*context_, EventSynchronize, end.handle());
    float milliseconds = 0;
    RETURN_IF_CUDA_ERROR(*context_, EventElapsedTime, &milliseconds, start.handle(), end.handle());
    return static_cast<double>(milliseconds);
  }

  absl::StatusOr<DeviceLimits> Limits() override {
    std::lock_guard<std::mutex> lock(limits_mutex_);
    if (limits_.bytes_per_second > 0) return limits_;
    constexpr int64_t kBytes = int64_t{64} << 20;
    constexpr int kCopies = 8;
    ASSIGN_OR_RETURN(StorageRef from, Storage::Allocate(pool(), kBytes));
    ASSIGN_OR_RETURN(StorageRef to, Storage::Allocate(pool(), kBytes));
    auto copy = [&](int times) {
      return Time([&]() -> absl::Status {
        for (int i = 0; i < times; ++i) RETURN_IF_ERROR(Copy(to->data(), from->data(), kBytes));
        return absl::OkStatus();
      });
    };
    RETURN_IF_ERROR(copy(1).status());
    ASSIGN_OR_RETURN(const double milliseconds, copy(kCopies));
    // Each lane begins a multiply-add a cycle.
    const DeviceProperties& p = properties();
    const int sm = p.compute_capability;
    const double lanes = sm < 86 ? 64 : 128;
    limits_.operations_per_second = 2 * lanes * p.multiprocessors * p.clock_hertz;
    limits_.bytes_per_second = 2.0 * kBytes * kCopies / std::max(milliseconds * 1e-3, 1e-9);
    return limits_;
  }

  absl::Status Precede(StreamHandle stream) override {
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    return context_->Order(context_->stream(), stream);
  }

 private:
  absl::Status CheckPointer(const void* data) const {
    unsigned type = 0;
    int ordinal = -1;
    const Driver& driver = context_->driver();
    Result r = driver.PointerGetAttribute(&type, PointerAttribute::kMemoryType, Address(data));
    if (r == Result::kSuccess) {
      r = driver.PointerGetAttribute(&ordinal, PointerAttribute::kDeviceOrdinal, Address(data));
    }
    if (r != Result::kSuccess && r != Result::kInvalidValue)
      return context_->Check(r, "cuPointerGetAttribute");
    if (r != Result::kSuccess || type != kMemoryTypeDevice || ordinal != context_->device()) {
      return InvalidArgument("{} is no memory of CUDA device {}", data, context_->device());
    }
    return absl::OkStatus();
  }

  // What `after`'s stream is given from now on waits for what `before`'s has been given so far.
  static absl::Status Follow(Context& after, Context& before) {
    EventHandle event = nullptr;
    {
      Context::Scope scope(before);
      RETURN_IF_ERROR(scope.status());
      ASSIGN_OR_RETURN(event, before.Record());
    }
    absl::Status status;
    {
      Context::Scope scope(after);
      status = scope.status();
      if (status.ok()) status = SINTER_CUDA_CHECK(after, StreamWaitEvent, after.stream(), event, 0);
    }
    Context::Scope scope(before);
    before.ReturnEvent(event);
    return status;
  }

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<NcclTransport> transport_;
  CubinCache cubins_;
  Staging staging_;
  std::mutex limits_mutex_;
  DeviceLimits limits_;
  // Before the rest goes, what is pending is waited for.
  const std::shared_ptr<Completions> completions_;
};

}  // namespace

absl::StatusOr<std::vector<std::shared_ptr<CudaDevice>>> MakeCudaDevices(
    const CudaDevicesOptions& options) {
  std::vector<int> ordinals = options.ordinals;
  if (ordinals.empty()) {
    ASSIGN_OR_RETURN(std::shared_ptr<const Driver> driver,
                     Driver::Load(options.device.context.driver_path));
    int count = 0;
    if (Result r = driver->DeviceGetCount(&count); r != Result::kSuccess)
      return driver->Error(r, "cuDeviceGetCount");
    if (count == 0) return Unavailable("the CUDA driver finds no device");
    for (int d = 0; d < count; ++d) ordinals.push_back(d);
  }
  std::vector<std::shared_ptr<Context>> contexts;
  for (int d : ordinals) {
    if (std::count(ordinals.begin(), ordinals.end(), d) > 1)
      return InvalidArgument("CUDA device {} is named twice", d);
    ContextOptions how = options.device.context;
    how.device = d;
    ASSIGN_OR_RETURN(contexts.emplace_back(), Context::Make(how));
    const DeviceProperties &first = contexts[0]->properties(), &p = contexts.back()->properties();
    if (p.compute_capability != first.compute_capability ||
        p.multiprocessors != first.multiprocessors) {
      return InvalidArgument("CUDA devices {} ({}) and {} ({}) need code of their own each",
                             ordinals[0], first.name, d, p.name);
    }
  }
  auto transport = std::make_shared<NcclTransport>(contexts, options.nccl_path);
  // No parallel sections; one thread for runs whose submission waits.
  std::shared_ptr<Workers> workers = MakePoolWorkers(1);
  std::vector<std::shared_ptr<CudaDevice>> devices;
  for (const std::shared_ptr<Context>& context : contexts) {
    ASSIGN_OR_RETURN(std::shared_ptr<MemoryPool> memory,
                     MakeMemoryPool(context, options.device.memory_limit,
                                    options.device.memory_pool_limit, ordinals));
    devices.push_back(
        std::make_shared<CudaDeviceImpl>(context, std::move(memory), workers, transport));
  }
  return devices;
}

absl::StatusOr<std::shared_ptr<CudaDevice>> MakeCudaDevice(const CudaDeviceOptions& options) {
  CudaDevicesOptions one;
  one.device = options;
  one.ordinals = {options.context.device};
  ASSIGN_OR_RETURN(auto devices, MakeCudaDevices(one));
  return std::move(devices[0]);
}

}  // namespace sinter::runtime::cuda
