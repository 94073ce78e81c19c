#include "runtime/cuda/context.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/thread/workers.h"

namespace sinter::runtime::cuda {
namespace {

// Events that are cached for reuse.
constexpr size_t kCachedEvents = 64;
// For work that is being submitted; older ones count as the oldest of these.
constexpr size_t kKeptDisturbances = 64;

}  // namespace

Context::Scope::Scope(const Context& context) : context_(context) {
  status_ = context.CheckAlive();
  if (status_.ok()) status_ = SINTER_CUDA_CHECK(context, CtxPushCurrent, context.context_);
}

Context::Scope::~Scope() {
  ContextHandle popped = nullptr;
  if (status_.ok()) context_.driver().CtxPopCurrent(&popped);
}

absl::StatusOr<std::shared_ptr<Context>> Context::Make(const ContextOptions& options) {
  std::shared_ptr<Context> context(new Context);
  ASSIGN_OR_RETURN(context->driver_, Driver::Load(options.driver_path));
  RETURN_IF_ERROR(context->Open(options));
  return context;
}

absl::Status Context::Open(const ContextOptions& options) {
  int count = 0;
  RETURN_IF_CUDA_ERROR(*this, DeviceGetCount, &count);
  if (count == 0) return Unavailable("the CUDA driver finds no device");
  if (options.device < 0 || options.device >= count) {
    return InvalidArgument("CUDA device {} of {}", options.device, count);
  }
  RETURN_IF_CUDA_ERROR(*this, DeviceGet, &device_, options.device);
  RETURN_IF_ERROR(ReadProperties());
  if (options.context != nullptr) {
    context_ = options.context;
  } else {
    RETURN_IF_CUDA_ERROR(*this, DevicePrimaryCtxRetain, &context_, device_);
    retained_ = true;
  }
  Scope scope(*this);
  RETURN_IF_ERROR(scope.status());
  if (options.context != nullptr) {
    DeviceId actual = 0;
    RETURN_IF_CUDA_ERROR(*this, CtxGetDevice, &actual);
    if (actual != device_) {
      return InvalidArgument("the context is of CUDA device {}, not {}", actual, device_);
    }
  }
  if (options.stream != nullptr) {
    stream_ = options.stream;
    return absl::OkStatus();
  }
  RETURN_IF_CUDA_ERROR(*this, StreamCreate, &stream_, kStreamNonBlocking);
  own_stream_ = true;
  return absl::OkStatus();
}

absl::Status Context::ReadProperties() {
  std::array<char, 256> name{};
  RETURN_IF_CUDA_ERROR(*this, DeviceGetName, name.data(), static_cast<int>(name.size()) - 1,
                       device_);
  properties_.name = name.data();
  auto read = [&](DeviceAttribute attribute, auto& to) {
    int value = 0;
    absl::Status status = SINTER_CUDA_CHECK(*this, DeviceGetAttribute, &value, attribute, device_);
    to = value;
    return status;
  };
  int major = 0, minor = 0, pools = 0, kilohertz = 0;
  RETURN_IF_ERROR(read(DeviceAttribute::kComputeCapabilityMajor, major));
  RETURN_IF_ERROR(read(DeviceAttribute::kComputeCapabilityMinor, minor));
  properties_.compute_capability = 10 * major + minor;
  RETURN_IF_ERROR(read(DeviceAttribute::kMultiprocessorCount, properties_.multiprocessors));
  RETURN_IF_ERROR(read(DeviceAttribute::kClockKilohertz, kilohertz));
  properties_.clock_hertz = 1e3 * kilohertz;
  RETURN_IF_ERROR(read(DeviceAttribute::kMaxThreadsPerBlock, properties_.max_threads_per_block));
  RETURN_IF_ERROR(
      read(DeviceAttribute::kSharedBytesPerBlockOptIn, properties_.shared_bytes_per_block));
  RETURN_IF_ERROR(read(DeviceAttribute::kSharedBytesPerMultiprocessor,
                       properties_.shared_bytes_per_multiprocessor));
  RETURN_IF_ERROR(read(DeviceAttribute::kL2CacheBytes, properties_.l2_bytes));
  RETURN_IF_ERROR(read(DeviceAttribute::kMemoryPoolsSupported, pools));
  if (pools == 0) {
    return Unavailable("the CUDA device {} has no stream-ordered memory", properties_.name);
  }
  size_t bytes = 0;
  RETURN_IF_CUDA_ERROR(*this, DeviceTotalMem, &bytes, device_);
  properties_.memory_bytes = static_cast<int64_t>(bytes);
  return absl::OkStatus();
}

Context::~Context() {
  if (context_ != nullptr && driver_->CtxPushCurrent(context_) == Result::kSuccess) {
    // In a lost context each of these fails and frees all the same.
    if (stream_ != nullptr) driver_->StreamSynchronize(stream_);
    if (exchange_stream_ != nullptr) driver_->StreamSynchronize(exchange_stream_);
    for (EventHandle event : events_) driver_->EventDestroy(event);
    if (own_stream_) driver_->StreamDestroy(stream_);
    for (StreamHandle s : {exchange_stream_, capture_streams_.stream, capture_streams_.exchange}) {
      if (s != nullptr) driver_->StreamDestroy(s);
    }
    ContextHandle popped = nullptr;
    driver_->CtxPopCurrent(&popped);
  }
  if (retained_) driver_->DevicePrimaryCtxRelease(device_);
}

absl::Status Context::Check(Result result, std::string_view call) const {
  if (result == Result::kSuccess) return absl::OkStatus();
  if (!IsSticky(result)) return driver_->Error(result, call);
  std::lock_guard<std::mutex> lock(mutex_);
  if (lost_.ok()) {
    lost_ = Internal("the CUDA context is lost, and the client with it: {}: {}", call,
                     driver_->Describe(result));
  }
  return lost_;
}

absl::Status Context::CheckAlive() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return lost_;
}

uint64_t Context::recorded() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return records_;
}

uint64_t Context::disturbances() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return disturbances_;
}

void Context::Disturb(const absl::Status& status, uint64_t recorded) {
  Scope scope(*this);
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [event, r] : recorded_) {
    if (r.number <= recorded || !r.status.ok()) continue;
    if (scope.status().ok() && driver_->EventQuery(event) == Result::kSuccess) continue;
    r.status = status;
  }
  ++disturbances_;
  last_disturbances_.push_back({recorded, status});
  if (last_disturbances_.size() > kKeptDisturbances) last_disturbances_.pop_front();
}

absl::StatusOr<EventHandle> Context::TakeEvent() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!events_.empty()) {
      EventHandle event = events_.back();
      events_.pop_back();
      return event;
    }
  }
  EventHandle event = nullptr;
  RETURN_IF_CUDA_ERROR(*this, EventCreate, &event, kEventBlockingSync | kEventDisableTiming);
  return event;
}

void Context::ReturnEvent(EventHandle event) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    recorded_.erase(event);
    if (events_.size() < kCachedEvents) {
      events_.push_back(event);
      return;
    }
  }
  driver_->EventDestroy(event);
}

absl::StatusOr<StreamHandle> Context::exchange_stream() {
  std::lock_guard<std::mutex> lock(streams_mutex_);
  if (exchange_stream_ == nullptr)
    RETURN_IF_CUDA_ERROR(*this, StreamCreate, &exchange_stream_, kStreamNonBlocking);
  return exchange_stream_;
}

StreamHandle Context::made_exchange_stream() const {
  std::lock_guard<std::mutex> lock(streams_mutex_);
  return exchange_stream_;
}

absl::StatusOr<Context::CaptureStreams> Context::capture_streams() {
  std::lock_guard<std::mutex> lock(streams_mutex_);
  for (StreamHandle* s : {&capture_streams_.stream, &capture_streams_.exchange}) {
    if (*s == nullptr) RETURN_IF_CUDA_ERROR(*this, StreamCreate, s, kStreamNonBlocking);
  }
  return capture_streams_;
}

absl::Status Context::Order(StreamHandle earlier, StreamHandle later) {
  if (earlier == later) return absl::OkStatus();
  ASSIGN_OR_RETURN(EventHandle event, TakeEvent());
  absl::Status status = SINTER_CUDA_CHECK(*this, EventRecord, event, earlier);
  if (status.ok()) status = SINTER_CUDA_CHECK(*this, StreamWaitEvent, later, event, 0);
  // The wait has noted what it is for; the event may be recorded anew.
  ReturnEvent(event);
  return status;
}

absl::StatusOr<EventHandle> Context::Record(StreamHandle stream, uint64_t disturbances) {
  ASSIGN_OR_RETURN(EventHandle event, TakeEvent());
  uint64_t number = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    number = ++records_;
  }
  absl::Status status = SINTER_CUDA_CHECK(*this, EventRecord, event, stream);
  if (!status.ok()) {
    ReturnEvent(event);
    return status;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  Recorded& r = recorded_[event] = {number, absl::OkStatus()};
  // Those since then, also while the event was recorded.
  const size_t since = std::min<size_t>(disturbances_ - disturbances, last_disturbances_.size());
  for (size_t k = last_disturbances_.size() - since; k < last_disturbances_.size(); ++k) {
    if (last_disturbances_[k].recorded < number) r.status.Update(last_disturbances_[k].status);
  }
  return event;
}

absl::Status Context::Wait(EventHandle event) const {
  RETURN_IF_ERROR(Await(event));
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = recorded_.find(event);
  return found == recorded_.end() ? absl::OkStatus() : found->second.status;
}

absl::Status Context::Await(EventHandle event) const {
  Result result = Result::kNotReady;
  auto done = [&] {
    result = driver_->EventQuery(event);
    return result != Result::kNotReady;
  };
  if (SpinUntil(done)) return Check(result, "cuEventQuery");
  return SINTER_CUDA_CHECK(*this, EventSynchronize, event);
}

absl::Status Context::Synchronize(uint64_t disturbances) {
  Scope scope(*this);
  RETURN_IF_ERROR(scope.status());
  ASSIGN_OR_RETURN(EventHandle event, Record(stream_, disturbances));
  absl::Status status = Wait(event);
  ReturnEvent(event);
  return status;
}

}  // namespace sinter::runtime::cuda
