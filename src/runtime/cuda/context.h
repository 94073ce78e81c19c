// A CUDA context and the one stream on which a client works in order, but for exchanges that only
// begin, which are on a stream of their own.
//
// The context is current only within a Scope: what a host has made current stays so outside.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cuda/driver.h"

namespace sinter::runtime::cuda {

// Facts of a device that code generation and planning need.
struct DeviceProperties {
  std::string name;
  int compute_capability = 0;  // 90: of version 9.0
  int multiprocessors = 0;
  double clock_hertz = 0;  // of the multiprocessors, at most
  int max_threads_per_block = 0;
  int64_t shared_bytes_per_block = 0;  // with opting in
  int64_t shared_bytes_per_multiprocessor = 0;
  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;
};

struct ContextOptions {
  std::string driver_path;  // "": libcuda.so.1
  int device = 0;
  // Of the host; they outlive the context. Null: the device's primary context, and a stream of our
  // own.
  ContextHandle context = nullptr;
  StreamHandle stream = nullptr;
};

class Context : public std::enable_shared_from_this<Context> {
 public:
  // InvalidArgument for a device that there is not, or a borrowed context of another; Unavailable
  // without a driver or a device, or where the device has no memory pools.
  static absl::StatusOr<std::shared_ptr<Context>> Make(const ContextOptions& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return *driver_; }
  const DeviceProperties& properties() const { return properties_; }
  DeviceId device() const { return device_; }
  ContextHandle handle() const { return context_; }
  StreamHandle stream() const { return stream_; }
  // Made when first needed. What is there is ordered with `stream` by events alone. Within a Scope.
  absl::StatusOr<StreamHandle> exchange_stream();
  // Null: nobody has needed it.
  StreamHandle made_exchange_stream() const;
  // The streams that graphs are captured on: what is submitted to others meanwhile is not in them.
  // Made when first needed. Within a Scope.
  struct CaptureStreams {
    StreamHandle stream = nullptr, exchange = nullptr;
  };
  absl::StatusOr<CaptureStreams> capture_streams();
  // What is submitted to `later` from now on comes after all that is on `earlier` now, in a capture
  // too. Within a Scope.
  absl::Status Order(StreamHandle earlier, StreamHandle later);

  // The context is current on this thread while it lives.
  class Scope {
   public:
    explicit Scope(const Context& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // The error, if the context could not be made current.
    const absl::Status& status() const { return status_; }

   private:
    const Context& context_;
    absl::Status status_;
  };

  // The status of a call's result. Once a result says that the context is lost, so do all others.
  absl::Status Check(Result result, std::string_view call) const;
  // Internal, with the first such error, once the context is lost.
  absl::Status CheckAlive() const;

  // How many events have been recorded so far: a place in the order of what is submitted.
  uint64_t recorded() const;
  // How often work has been disturbed so far.
  uint64_t disturbances() const;
  // Who waits for what has been submitted since `recorded` events and is not done gets `status`,
  // when the device has come to its end. What is submitted later is not concerned, unless its event
  // is recorded with an earlier number of disturbances.
  void Disturb(const absl::Status& status, uint64_t recorded);

  // An event without timing, from those given back before. Within a Scope.
  absl::StatusOr<EventHandle> TakeEvent();
  void ReturnEvent(EventHandle event);
  // An event of all that has been submitted to the stream, to be returned. Within a Scope.
  absl::StatusOr<EventHandle> Record() { return Record(stream_); }
  absl::StatusOr<EventHandle> Record(StreamHandle stream) { return Record(stream, disturbances()); }
  // The same for work that has been submitted piece by piece since there were so many disturbances.
  absl::StatusOr<EventHandle> Record(StreamHandle stream, uint64_t disturbances);
  // Waits for an event, for a short time without giving up the processor. Within a Scope. The error
  // of what lost the context or disturbed what was submitted before the event.
  absl::Status Wait(EventHandle event) const;
  // The same of one that disturbances do not concern: what was before it used memory of the host's.
  absl::Status Await(EventHandle event) const;
  // Waits for all that has been submitted to the stream, of work as in Record. Makes its own scope.
  absl::Status Synchronize() { return Synchronize(disturbances()); }
  absl::Status Synchronize(uint64_t disturbances);

 private:
  Context() = default;
  absl::Status Open(const ContextOptions& options);
  absl::Status ReadProperties();

  std::shared_ptr<const Driver> driver_;
  DeviceProperties properties_;
  DeviceId device_ = 0;
  ContextHandle context_ = nullptr;
  StreamHandle stream_ = nullptr, exchange_stream_ = nullptr;
  CaptureStreams capture_streams_;
  bool retained_ = false, own_stream_ = false;

  mutable std::mutex streams_mutex_;  // of those made when first needed
  mutable std::mutex mutex_;
  mutable absl::Status lost_;
  struct Disturbance {
    uint64_t recorded = 0;
    absl::Status status;
  };
  // The last of them, with how many there were; and the events that are in use, each with the
  // disturbance that it met, if any.
  std::deque<Disturbance> last_disturbances_;
  uint64_t disturbances_ = 0, records_ = 0;
  struct Recorded {
    uint64_t number = 0;  // from 1, in the order in which they were recorded
    absl::Status status;
  };
  std::map<EventHandle, Recorded> recorded_;
  std::vector<EventHandle> events_;
};

// The names of calls in messages are those of the driver's symbols.
#define SINTER_CUDA_CHECK(context, Call, ...) \
  (context).Check((context).driver().Call(__VA_ARGS__), "cu" #Call)
#define RETURN_IF_CUDA_ERROR(context, Call, ...) \
  RETURN_IF_ERROR(SINTER_CUDA_CHECK(context, Call, __VA_ARGS__))

}  // namespace sinter::runtime::cuda
