#include "sinter/buffer.h"

#include <cstring>

#include "api/client_core.h"
#include "base/thread/event_state.h"
#include "runtime/device_buffer.h"

namespace sinter {
namespace {

absl::Status CheckDestination(const Shape& shape, int64_t bytes) {
  if (bytes == shape.byte_size()) return absl::OkStatus();
  return InvalidArgument("CopyToHost: {} takes {} bytes, given {}", shape.ToString(),
                         shape.byte_size(), bytes);
}

// From the shape's layout to row-major order.
void CopyRowMajor(const Shape& shape, const void* from, void* to) {
  if (shape.byte_size() == 0) return;
  if (shape.has_default_layout()) {
    std::memcpy(to, from, static_cast<size_t>(shape.byte_size()));
    return;
  }
  auto rank = static_cast<size_t>(shape.rank());
  auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  std::vector<int64_t> stride(rank), index(rank);
  int64_t step = 1;
  for (int64_t d : shape.minor_to_major()) {
    stride[static_cast<size_t>(d)] = step;
    step *= shape.dimension(d);
  }
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  int64_t at = 0;
  for (int64_t n = shape.element_count(); n > 0; --n, out += width) {
    std::memcpy(out, in + at * static_cast<int64_t>(width), width);
    for (size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape.dimensions()[d]) break;
      at -= stride[d] * index[d];
      index[d] = 0;
    }
  }
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
    RETURN_IF_ERROR(Await());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    Shape row_major = shape();
    row_major.set_minor_to_major({});
    Literal literal(row_major);
    CopyRowMajor(shape(), storage->data(), literal.untyped_data());
    return literal;
  });
}

absl::Status Buffer::CopyToHost(void* destination, int64_t bytes) const {
  return api::Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(Await());
    RETURN_IF_ERROR(CheckDestination(shape(), bytes));
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    CopyRowMajor(shape(), storage->data(), destination);
    return absl::OkStatus();
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
  auto copy = [storage = *std::move(held), shape = impl_->shared_shape(), destination,
               promise]() mutable {
    CopyRowMajor(*shape, storage->data(), destination);
    // Before the event, so that who waits for it can donate the buffer.
    storage = runtime::StorageRef();
    promise.Set(absl::OkStatus());
  };
  impl_->ready().OnReady([workers, promise, copy = std::move(copy)](const absl::Status& s) mutable {
    if (!s.ok()) return promise.Set(s);
    workers->Schedule(std::move(copy));
  });
  return promise.event();
}

absl::StatusOr<std::shared_ptr<const void>> Buffer::View() const {
  return api::Guarded([&]() -> absl::StatusOr<std::shared_ptr<const void>> {
    RETURN_IF_ERROR(Await());
    ASSIGN_OR_RETURN(runtime::StorageRef storage, impl_->Hold());
    auto keeper = std::make_shared<runtime::StorageRef>(std::move(storage));
    const void* data = (*keeper)->data();
    return std::shared_ptr<const void>(std::move(keeper), data);
  });
}

void Buffer::Delete() {
  if (impl_ != nullptr) impl_->Delete();
}

bool Buffer::IsDeleted() const { return impl_ == nullptr || impl_->is_deleted(); }

}  // namespace sinter
