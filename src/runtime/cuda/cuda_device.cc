#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/status.h"
#include "runtime/cuda/completions.h"
#include "runtime/cuda/executor.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

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
                 const std::shared_ptr<Workers>& threads)
      : CudaDevice(std::move(memory), threads),
        context_(std::move(context)),
        cubins_(context_),
        staging_(context_),
        completions_(std::make_shared<Completions>(context_, threads->queue())) {}

  const DeviceProperties& properties() const override { return context_->properties(); }
  int driver_version() const override { return context_->driver().version; }
  bool shares_host_memory() const override { return false; }

  absl::StatusOr<std::unique_ptr<StepExecutor>> Prepare(
      const program::Program& program, const StepExecutor::Options& options) override {
    return MakeCudaExecutor(program, context_, cubins_, options);
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
  absl::Status Synchronize() override { return context_->Synchronize(); }
  Event Completion() override { return completions_->Next(); }

  absl::StatusOr<StorageRef> Borrow(void* data, int64_t bytes, bool writable, StreamHandle stream,
                                    std::function<void()> on_done) override {
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    if (bytes > 0) RETURN_IF_ERROR(CheckPointer(data));
    if (stream != nullptr) RETURN_IF_ERROR(Order(stream, context_->stream()));
    // The last reference is released when the last work on it has been submitted, before that is
    // done.
    auto done = [completions = completions_, on_done = std::move(on_done)] {
      if (!on_done) return;
      completions->Next().OnReady([on_done](const absl::Status&) { on_done(); });
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
    return Order(context_->stream(), stream);
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

  // What `after` is given from now on waits for what `before` has been given so far.
  absl::Status Order(StreamHandle before, StreamHandle after) const {
    if (before == after) return absl::OkStatus();
    ASSIGN_OR_RETURN(EventHandle event, context_->TakeEvent());
    absl::Status status = SINTER_CUDA_CHECK(*context_, EventRecord, event, before);
    if (status.ok()) status = SINTER_CUDA_CHECK(*context_, StreamWaitEvent, after, event, 0);
    // The wait has noted what it is for; the event may be recorded anew.
    context_->ReturnEvent(event);
    return status;
  }

  const std::shared_ptr<Context> context_;
  CubinCache cubins_;
  Staging staging_;
  std::mutex limits_mutex_;
  DeviceLimits limits_;
  // Before the rest goes, what is pending is waited for.
  const std::shared_ptr<Completions> completions_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<CudaDevice>> MakeCudaDevice(const CudaDeviceOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Context::Make(options.context));
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryPool> memory,
                   MakeMemoryPool(context, options.memory_limit, options.memory_pool_limit));
  // No parallel sections; one thread for runs whose submission waits.
  std::shared_ptr<Workers> workers = MakePoolWorkers(1);
  return std::make_shared<CudaDeviceImpl>(std::move(context), std::move(memory), workers);
}

}  // namespace sinter::runtime::cuda
