#include "pjrt/transfers.h"

#include <cstring>
#include <utility>

#include "pjrt/array.h"
#include "pjrt/objects.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {
namespace {

absl::Status CheckRange(const Buffer& buffer, int64_t offset, int64_t bytes) {
  const int64_t size = buffer.byte_size();
  if (offset >= 0 && bytes >= 0 && offset <= size && bytes <= size - offset)
    return absl::OkStatus();
  return InvalidArgument("{} bytes at {} are no part of {}, which has {}", bytes, offset,
                         buffer.shape().ToString(), size);
}

absl::Status CopyRaw(const Buffer& source, int64_t offset, int64_t bytes, void* destination) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const void> contents, source.View());
  if (bytes > 0) {
    std::memcpy(destination, static_cast<const char*>(contents.get()) + offset,
                static_cast<size_t>(bytes));
  }
  return absl::OkStatus();
}

// A row-major copy is the library's own; others pass through one.
absl::Status CopyInOrder(const Buffer& source, const Shape& host, void* destination) {
  if (host.has_default_layout()) return source.CopyToHost(destination, host.byte_size());
  const int64_t width = ByteWidth(host.element_type());
  if (host.minor_to_major() == MinorToMajorOf(source.shape()) &&
      ElementsPerByte(host.element_type()) == 1) {
    return CopyRaw(source, 0, host.byte_size(), destination);
  }
  ASSIGN_OR_RETURN(const Literal literal, source.ToLiteral());
  CopyArray(host.dimensions(), width, literal.untyped_data(), DenseStrides(literal.shape()),
            destination, DenseStrides(host));
  return absl::OkStatus();
}

absl::StatusOr<PJRT_Buffer*> CopyOf(const PJRT_Buffer& source, Place to) {
  ASSIGN_OR_RETURN(const Buffer from, source.buffer.Share());
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   source.client->client->PromiseBuffer(from.shape(), to.device));
  auto copied = OnceReady(from, [from, promise]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::shared_ptr<const void> contents, from.View());
    return promise.Write(contents.get(), 0, from.byte_size());
  });
  PJRT_Buffer* copy = NewBuffer(source.client, promise.buffer(), to.memory);
  copied.OnReady([promise](const absl::Status& s) { (void)promise.Keep(s); });
  return copy;
}

}  // namespace

absl::StatusOr<Buffer> FromStrided(Client& client, const void* data,
                                   const std::vector<int64_t>& strides, const Shape& shape,
                                   int device) {
  const int64_t width = ByteWidth(shape.element_type());
  if (ElementsPerByte(shape.element_type()) > 1) {
    std::vector<char> dense(static_cast<size_t>(shape.byte_size()));
    CopyArray(shape.dimensions(), width, data, strides, dense.data(), DenseStrides(shape));
    return client.BufferFromHost(dense.data(), shape, HostBufferSemantics::kImmutableOnlyDuringCall,
                                 {}, device);
  }
  ASSIGN_OR_RETURN(const BufferPromise promise, client.PromiseBuffer(shape, device));
  RETURN_IF_ERROR(WriteStrided(promise, data, strides));
  RETURN_IF_ERROR(promise.Keep());
  return promise.buffer();
}

absl::Status WriteStrided(const BufferPromise& promise, const void* data,
                          const std::vector<int64_t>& strides) {
  const Shape shape = promise.buffer().shape();
  const int64_t width = ByteWidth(shape.element_type());
  if (void* to = promise.data()) {
    CopyArray(shape.dimensions(), width, data, strides, to, DenseStrides(shape));
    return absl::OkStatus();
  }
  std::vector<char> dense(static_cast<size_t>(shape.byte_size()));
  CopyArray(shape.dimensions(), width, data, strides, dense.data(), DenseStrides(shape));
  return promise.Write(dense.data(), 0, shape.byte_size());
}

absl::Status Handle(PJRT_Buffer_ToHostBuffer_Args& args) {
  Shape host = args.src->buffer.shape();
  if (args.host_layout != nullptr) {
    host.set_minor_to_major({});
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajor(host, *args.host_layout));
    host.set_minor_to_major(std::move(order));
  }
  const auto size = static_cast<size_t>(host.byte_size());
  if (args.dst == nullptr) {
    args.dst_size = size;
    args.event = nullptr;
    return absl::OkStatus();
  }
  if (args.dst_size < size) {
    return InvalidArgument("{} takes {} bytes, there is room for {}", host.ToString(), size,
                           args.dst_size);
  }
  const Buffer& buffer = args.src->buffer;
  if (buffer.IsReady() && !buffer.IsDeleted()) {
    args.event = NewEvent(Event(CopyInOrder(buffer, host, args.dst)));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Buffer source, buffer.Share());
  if (host.has_default_layout()) {
    args.event = NewEvent(source.CopyToHostAsync(args.dst, host.byte_size()));
  } else {
    args.event = NewEvent(
        OnceReady(source, [source, host, to = args.dst] { return CopyInOrder(source, host, to); }));
  }
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_CopyRawToHost_Args& args) {
  ASSIGN_OR_RETURN(const Buffer source, args.buffer->buffer.Share());
  RETURN_IF_ERROR(CheckRange(source, args.offset, args.transfer_size));
  if (args.dst == nullptr && args.transfer_size > 0)
    return InvalidArgument("PJRT_Buffer_CopyRawToHost: no destination");
  args.event =
      NewEvent(OnceReady(source, [source, offset = args.offset, bytes = args.transfer_size,
                                  to = args.dst] { return CopyRaw(source, offset, bytes, to); }));
  return absl::OkStatus();
}

namespace {

// A copy whose destination the host states later.
struct PendingCopy {
  Buffer source;
  int64_t offset = 0, bytes = 0;
  Promise done;
};

void BeginCopy(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
  if (args == nullptr) return;
  std::unique_ptr<PendingCopy> copy(static_cast<PendingCopy*>(args->callback_data));
  if (copy == nullptr) return;
  absl::Status status = MakeStatus(args->error_code, args->error_message, args->error_message_size);
  const Promise done = copy->done;
  if (!status.ok()) return done.Set(std::move(status));
  const Event copied =
      OnceReady(copy->source, [source = copy->source, offset = copy->offset, bytes = copy->bytes,
                               to = args->dst] { return CopyRaw(source, offset, bytes, to); });
  copied.OnReady([done](const absl::Status& s) { done.Set(s); });
}

}  // namespace

absl::Status Handle(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  ASSIGN_OR_RETURN(const Buffer source, args.buffer->buffer.Share());
  RETURN_IF_ERROR(CheckRange(source, args.offset, args.transfer_size));
  auto copy = std::make_unique<PendingCopy>();
  copy->source = source;
  copy->offset = args.offset;
  copy->bytes = args.transfer_size;
  args.event = NewEvent(copy->done.event());
  args.callback_data = copy.release();
  args.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* callback) {
    Destroy(Guarded([&] {
      BeginCopy(callback);
      return absl::OkStatus();
    }));
  };
  return absl::OkStatus();
}

// The donated buffer is there once the host has called back.
absl::Status Handle(PJRT_Buffer_DonateWithControlDependency_Args& args) {
  auto dependency = std::make_unique<Promise>();
  ASSIGN_OR_RETURN(Buffer donated, args.buffer->buffer.DonateAfter(dependency->event()));
  args.out_buffer = NewBuffer(args.buffer->client, std::move(donated), args.buffer->memory);
  args.callback_data = dependency.release();
  args.dependency_ready_callback =
      [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* ready) {
        Destroy(Guarded([&] {
          const std::unique_ptr<Promise> promise(static_cast<Promise*>(ready->callback_data));
          promise->Set(
              MakeStatus(ready->error_code, ready->error_message, ready->error_message_size));
          return absl::OkStatus();
        }));
      };
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_CopyToDevice_Args& args) {
  if (args.dst_device == nullptr) return InvalidArgument("PJRT_Buffer_CopyToDevice: no device");
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*args.buffer->client, args.dst_device, nullptr));
  ASSIGN_OR_RETURN(args.dst_buffer, CopyOf(*args.buffer, place));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_CopyToMemory_Args& args) {
  if (args.dst_memory == nullptr) return InvalidArgument("PJRT_Buffer_CopyToMemory: no memory");
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*args.buffer->client, nullptr, args.dst_memory));
  ASSIGN_OR_RETURN(args.dst_buffer, CopyOf(*args.buffer, place));
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
