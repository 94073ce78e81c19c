#include "sinter/buffer.h"

#include <cstring>

#include "api/client_core.h"
#include "base/thread/event_state.h"
#include "runtime/array_copy.h"
#include "runtime/device_buffer.h"
#include "runtime/memory_pool.h"
#include "sinter/options.h"

namespace sinter {
namespace {

absl::Status CheckDestination(const Shape& shape, int64_t bytes) {
  if (bytes == shape.byte_size()) return absl::OkStatus();
  return InvalidArgument("CopyToHost: {} takes {} bytes, given {}", shape.ToString(),
                         shape.byte_size(), bytes);
}

// The event that the contents are what was to be computed. Where devices exchange, one may fail
// without a loss of its context, so that copies of what it has not computed succeed.
Event Made(const api::ClientCore& client, const runtime::DeviceBuffer& buffer) {
  return client.device(buffer.device())->exchanges() ? buffer.ready() : Event();
}

}  // namespace

const Shape& Buffer::shape() const {
  static const Shape kEmpty;
  return impl_ == nullptr ? kEmpty : impl_->shape();
}

Event Buffer::Ready() const {
  if (impl_ == nullptr) return Event(InvalidArgument("an empty buffer"));
  return impl_->ready();
}

absl::StatusOr<Literal> Buffer::ToLiteral() const {
  return api::Guarded([&]() -> absl::StatusOr<Literal> {
    if (impl_ == nullptr) return Await();
    RETURN_IF_ERROR(impl_->submitted().Wait());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    Shape row_major = shape();
    row_major.set_minor_to_major({});
    Literal literal(row_major);
    RETURN_IF_ERROR(runtime::CopyArrayToHost(*client_->device(device()), shape(), storage->data(),
                                             literal.untyped_data()));
    RETURN_IF_ERROR(Made(*client_, *impl_).Wait());
    return literal;
  });
}

absl::Status Buffer::CopyToHost(void* destination, int64_t bytes) const {
  return api::Guarded([&]() -> absl::Status {
    if (impl_ == nullptr) return Await();
    RETURN_IF_ERROR(impl_->submitted().Wait());
    RETURN_IF_ERROR(CheckDestination(shape(), bytes));
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    RETURN_IF_ERROR(runtime::CopyArrayToHost(*client_->device(device()), shape(), storage->data(),
                                             destination));
    return Made(*client_, *impl_).Wait();
  });
}

Event Buffer::CopyToHostAsync(void* destination, int64_t bytes) const {
  if (impl_ == nullptr) return Ready();
  auto begin = [&]() -> absl::StatusOr<runtime::StorageRef> {
    RETURN_IF_ERROR(CheckDestination(shape(), bytes));
    return impl_->Hold();
  };
  absl::StatusOr<runtime::StorageRef> held = begin();
  if (!held.ok()) return Event(held.status());
  std::shared_ptr<Workers> workers = client_->workers();
  Promise promise(workers->queue());
  auto copy = [made = Made(*client_, *impl_), device = client_->device(device()),
               storage = *std::move(held), shape = impl_->shared_shape(), destination,
               promise]() mutable {
    absl::Status status = runtime::CopyArrayToHost(*device, *shape, storage->data(), destination);
    if (status.ok()) status = made.Wait();
    // Before the event, so that who waits for it can donate the buffer.
    storage = runtime::StorageRef();
    promise.Set(std::move(status));
  };
  impl_->submitted().OnReady(
      [workers, promise, copy = std::move(copy)](const absl::Status& s) mutable {
        if (!s.ok()) return promise.Set(s);
        workers->Schedule(std::move(copy));
      });
  return promise.event();
}

absl::StatusOr<std::shared_ptr<const void>> Buffer::View() const {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<const void>> {
    if (impl_ == nullptr) return Await();
    RETURN_IF_ERROR(impl_->submitted().Wait());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    if (!client_->device()->shares_host_memory()) {
      auto copy = std::make_shared<std::vector<char>>(static_cast<size_t>(byte_size()));
      RETURN_IF_ERROR(
          client_->device(device())->CopyToHost(copy->data(), storage->data(), byte_size()));
      RETURN_IF_ERROR(Made(*client_, *impl_).Wait());
      const void* data = copy->data();
      return std::shared_ptr<const void>(std::move(copy), data);
    }
    auto keeper = std::make_shared<runtime::StorageRef>(std::move(storage));
    const void* data = (*keeper)->data();
    return std::shared_ptr<const void>(std::move(keeper), data);
  });
}

int Buffer::device() const { return impl_ == nullptr ? 0 : impl_->device(); }

absl::StatusOr<Buffer> Buffer::Share() const { return CopyToDevice(device()); }

absl::StatusOr<Buffer> Buffer::DonateAfter(const Event& event) const {
  return api::Guarded([&]() -> absl::StatusOr<Buffer> {
    if (impl_ == nullptr) return Await();
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    bool sole = false;
    RETURN_IF_ERROR(impl_->Donate(/*holds=*/1, &sole));
    return Buffer(
        std::make_shared<runtime::DeviceBuffer>(
            impl_->owner(), impl_->shared_shape(), std::move(storage),
            Event::All({impl_->ready(), event}), Event::All({impl_->submitted(), event}), device()),
        client_);
  });
}

absl::StatusOr<Buffer> Buffer::CopyToDevice(int device) const {
  return api::Guarded([&]() -> absl::StatusOr<Buffer> {
    if (impl_ == nullptr) return Await();
    RETURN_IF_ERROR(client_->LocalDevice(device).status());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    const std::shared_ptr<runtime::Device>& target = client_->device(device);
    if (runtime::Device& source = *client_->device(impl_->device()); &source != target.get()) {
      RETURN_IF_ERROR(impl_->submitted().Wait());
      ASSIGN_OR_RETURN(runtime::StorageRef copy,
                       runtime::Storage::Allocate(target->pool(), byte_size()));
      RETURN_IF_ERROR(target->CopyFromDevice(copy->data(), source, storage->data(), byte_size()));
      return Buffer(std::make_shared<runtime::DeviceBuffer>(
                        impl_->owner(), impl_->shared_shape(), std::move(copy),
                        Event::All({impl_->ready(), target->Completion()}), Event(), device),
                    client_);
    }
    return Buffer(std::make_shared<runtime::DeviceBuffer>(impl_->owner(), impl_->shared_shape(),
                                                          std::move(storage), impl_->ready(),
                                                          impl_->submitted(), device),
                  client_);
  });
}

absl::StatusOr<std::shared_ptr<const void>> Buffer::DeviceView(void* stream) const {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<const void>> {
    if (impl_ == nullptr) return Await();
    if (client_->cuda(device()) == nullptr) {
      return InvalidArgument("DeviceView: a client of {} has no device memory",
                             client_->platform());
    }
    RETURN_IF_ERROR(stream == nullptr ? impl_->ready().Wait() : impl_->submitted().Wait());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    if (stream != nullptr) RETURN_IF_ERROR(client_->cuda(device())->Precede(stream));
    auto keeper = std::make_shared<runtime::StorageRef>(std::move(storage));
    const void* data = (*keeper)->data();
    return std::shared_ptr<const void>(std::move(keeper), data);
  });
}

// Said in the public header too, which sees nothing of the runtime.
static_assert(kInPlaceAlignment == runtime::kAlignment);

bool Buffer::CanBeTakenOver() const {
  if (impl_ == nullptr) return false;
  absl::StatusOr<runtime::StorageRef> storage = impl_->Hold();
  return storage.ok() && (*storage)->writable() && (*storage)->IsAligned(kInPlaceAlignment);
}

void Buffer::Delete() {
  if (impl_ != nullptr) impl_->Delete();
}

bool Buffer::IsDeleted() const { return impl_ == nullptr || impl_->is_deleted(); }

}  // namespace sinter
