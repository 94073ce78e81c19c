#include "api/buffer_promise.h"

#include <atomic>
#include <utility>

#include "api/client_core.h"
#include "base/status.h"
#include "runtime/device_buffer.h"
#include "runtime/storage.h"

namespace sinter {

struct BufferPromise::State {
  State(const std::shared_ptr<api::ClientCore>& c, const Shape& shape, runtime::StorageRef memory,
        int device)
      : core(c),
        submitted(c->workers()->queue()),
        ready(c->device()->shares_host_memory() ? submitted : Promise(c->workers()->queue())),
        storage(std::move(memory)),
        buffer(std::make_shared<runtime::DeviceBuffer>(
                   c.get(), std::make_shared<const Shape>(shape), storage, ready.event(),
                   submitted.event(), device),
               c) {
    storage->MarkAwaited();
  }
  ~State() {
    (void)Keep(absl::CancelledError("the promise of a buffer was dropped before it was kept"));
  }

  absl::Status Keep(absl::Status status) {
    if (kept.exchange(true))
      return FailedPrecondition("the promise of {} has been kept before", Name());
    storage.DropAwaited();
    if (!core->device()->shares_host_memory()) {
      Event done = status.ok() ? core->device(buffer.device())->Completion() : Event(status);
      done.OnReady([promise = ready](const absl::Status& s) { promise.Set(s); });
    }
    submitted.Set(std::move(status));
    return absl::OkStatus();
  }
  std::string Name() const { return buffer.shape().ToString(); }

  const std::shared_ptr<api::ClientCore> core;
  const Promise submitted, ready;
  std::atomic<bool> kept{false};
  runtime::StorageRef storage;
  const Buffer buffer;
};

Buffer BufferPromise::buffer() const { return state_ == nullptr ? Buffer() : state_->buffer; }

void* BufferPromise::data() const {
  if (state_ == nullptr || !state_->core->device()->shares_host_memory() || state_->kept)
    return nullptr;
  return state_->storage->data();
}

absl::Status BufferPromise::Write(const void* data, int64_t offset, int64_t bytes) const {
  return api::Guarded([&]() -> absl::Status {
    if (state_ == nullptr) return InvalidArgument("an empty promise");
    const int64_t size = state_->buffer.byte_size();
    if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset) {
      return InvalidArgument("{} bytes at {} are no part of {}, which has {}", bytes, offset,
                             state_->Name(), size);
    }
    if (state_->kept) return FailedPrecondition("{} has its contents already", state_->Name());
    if (bytes == 0) return absl::OkStatus();
    return state_->core->device(state_->buffer.device())
        ->CopyFromHost(static_cast<char*>(state_->storage->data()) + offset, data, bytes);
  });
}

absl::Status BufferPromise::Keep(absl::Status status) const {
  return api::Guarded([&]() -> absl::Status {
    if (state_ == nullptr) return InvalidArgument("an empty promise");
    return state_->Keep(std::move(status));
  });
}

namespace api {

absl::StatusOr<BufferPromise> MakeBufferPromise(const std::shared_ptr<ClientCore>& core,
                                                const Shape& shape, int device) {
  ASSIGN_OR_RETURN(runtime::StorageRef storage,
                   runtime::Storage::Allocate(core->pool(device), shape.packed_byte_size()));
  return BufferPromise(
      std::make_shared<BufferPromise::State>(core, shape, std::move(storage), device));
}

}  // namespace api
}  // namespace sinter
