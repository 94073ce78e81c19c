// Buffers: arrays that live with a client, given to and returned by executables.
//
//   sinter::Buffer x = client->BufferFromLiteral(literal).value();
//   std::vector<sinter::Buffer> results = executable.Execute({x}).value();
//   sinter::Literal y = results[0].ToLiteral().value();
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/event.h"
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter {

namespace runtime {
class DeviceBuffer;
}
namespace api {
class ClientCore;
}

// A handle; copies are the same buffer. Its contents never change: computations make new buffers,
// and one that takes over a donated buffer's memory leaves that unusable. Safe to use from several
// threads. It may outlive its client.
class SINTER_API Buffer {
 public:
  // No buffer: good only to be assigned to.
  Buffer() = default;
  bool is_empty() const { return impl_ == nullptr; }

  // Of an array, never a tuple. An empty buffer's is an empty tuple.
  const Shape& shape() const;
  // Bytes of the contents on the device, shape().packed_byte_size(): elements of 4 bits (s4, u4,
  // f4e2m1fn) lie two to a byte and of 2 bits (s2, u2) four, in the order of the layout, the first
  // in the byte's low bits, and the rest of the last byte is zeros. All others, f6e2m3fn and
  // f6e3m2fn included, have bytes of their own. The host's elements always do
  // (shape().byte_size()): copies to and from the host pack and unpack.
  int64_t byte_size() const { return shape().packed_byte_size(); }

  // The event that the contents are there. Its status is the error of what should have computed
  // them; operations on the buffer return it too.
  Event Ready() const;
  bool IsReady() const { return Ready().IsReady(); }
  absl::Status Await() const { return Ready().Wait(); }

  // Copies the contents, in row-major order whatever the layout, once they are there.
  // InvalidArgument if the buffer is empty, deleted or donated; ResourceExhausted.
  absl::StatusOr<Literal> ToLiteral() const;
  // The same into the host's memory: exactly shape().byte_size() bytes, else InvalidArgument.
  absl::Status CopyToHost(void* destination, int64_t bytes) const;
  // T must be of the element type's width.
  template <class T>
  absl::Status CopyToHost(absl::Span<T> destination) const {
    return CopyToHost(destination.data(), static_cast<int64_t>(destination.size() * sizeof(T)));
  }
  // Returns at once; `destination` must stay until the event is ready, whose status is the error if
  // there is one.
  Event CopyToHostAsync(void* destination, int64_t bytes) const;

  // The contents in place (from a device with memory of its own a copy), in the buffer's own
  // layout, waited for: byte_size() bytes, packed where elements share them. They stay readable as
  // long as the pointer is held, also after the buffer has been deleted; a donation meanwhile
  // copies.
  absl::StatusOr<std::shared_ptr<const void>> View() const;

  // Another buffer with the same contents, which need not be there, and a life of its own: deleting
  // or donating either leaves the other as it is; a donation meanwhile copies. InvalidArgument if
  // the buffer is empty, deleted or donated.
  absl::StatusOr<Buffer> Share() const;

  // Gives the contents to another buffer, which is there when this one is and `event` has happened;
  // its error is that of the first of the two that has one. Computations that have begun still see
  // the contents here. InvalidArgument if the buffer is empty, deleted or donated.
  absl::StatusOr<Buffer> DonateAfter(const Event& event) const;

  // The number of the client's device that it is on; 0 for an empty buffer.
  int device() const;
  // The same contents on another device of the client's, as Share; devices that share memory share
  // them. InvalidArgument also where there is no such device.
  absl::StatusOr<Buffer> CopyToDevice(int device) const;

  // The address of the contents on a device with memory of its own, in the buffer's own layout:
  // byte_size() bytes, packed where elements share them.
  // `stream` (a CUstream): what it is given from now on sees them; null: they are waited for. They
  // stay as long as the pointer is held, which must be until that work is done. InvalidArgument on
  // other devices.
  absl::StatusOr<std::shared_ptr<const void>> DeviceView(void* stream = nullptr) const;

  // Whether a result that takes over the buffer can be computed in its memory: the device may write
  // to it, and it is aligned to kInPlaceAlignment (sinter/options.h). Otherwise the result has
  // memory of its own. False for buffers that are empty or deleted.
  bool CanBeTakenOver() const;

  // Gives up the contents; computations that have begun still see them. All copies of the handle
  // are then deleted.
  void Delete();
  // Deleted or donated.
  bool IsDeleted() const;

  // --- for the library
  Buffer(std::shared_ptr<runtime::DeviceBuffer> impl, std::shared_ptr<api::ClientCore> client)
      : impl_(std::move(impl)), client_(std::move(client)) {}
  const std::shared_ptr<runtime::DeviceBuffer>& impl() const { return impl_; }

 private:
  std::shared_ptr<runtime::DeviceBuffer> impl_;
  std::shared_ptr<api::ClientCore> client_;
};

// The contents of a buffer that the host writes after it has been made (Client::PromiseBuffer).
// Computations that take the buffer meanwhile begin when it is there. A handle; copies are the same
// promise. If the last one goes before the promise is kept, the buffer's error is Cancelled. Safe
// to use from several threads, but that writes to one place are the caller's to order.
class SINTER_API BufferPromise {
 public:
  // No promise: good only to be assigned to.
  BufferPromise() = default;
  bool is_empty() const { return state_ == nullptr; }

  // The buffer. Empty for no promise.
  Buffer buffer() const;
  // Where the contents are to be written, until the promise is kept; null on a device with memory
  // of its own.
  void* data() const;
  // Copies `bytes` bytes to the contents from `offset` on, in the buffer's own layout and packed as
  // in Buffer::byte_size. InvalidArgument where they are no part of the contents;
  // FailedPrecondition once the promise has been kept.
  absl::Status Write(const void* data, int64_t offset, int64_t bytes) const;
  // The contents are there, those that have not been written undefined; or, where the status is
  // one, the error of what should have made them. FailedPrecondition if done before.
  absl::Status Keep(absl::Status status = absl::OkStatus()) const;

  // --- for the library
  struct State;
  explicit BufferPromise(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace sinter
