// Buffers: made from the host's memory, copied to it, and shared with it.
#include "sinter/buffer.h"

#include <cstring>
#include <utility>

#include "pjrt/array.h"
#include "pjrt/objects.h"
#include "pjrt/slot.h"
#include "pjrt/transfers.h"
#include "sinter/client.h"

namespace sinter::pjrt {
namespace {

absl::StatusOr<HostBufferSemantics> ToSemantics(PJRT_HostBufferSemantics semantics) {
  switch (semantics) {
    case PJRT_HostBufferSemantics_kImmutableOnlyDuringCall:
      return HostBufferSemantics::kImmutableOnlyDuringCall;
    case PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes:
      return HostBufferSemantics::kImmutableUntilTransferCompletes;
    case PJRT_HostBufferSemantics_kImmutableZeroCopy:
      return HostBufferSemantics::kImmutableZeroCopy;
    case PJRT_HostBufferSemantics_kMutableZeroCopy:
      return HostBufferSemantics::kMutableZeroCopy;
  }
  return InvalidArgument("unknown host buffer semantics {}", static_cast<int>(semantics));
}

// Whether an array of these strides (none: row-major) is one that the library takes as it is.
bool IsDense(const PJRT_Client_BufferFromHostBuffer_Args& args, const Shape& shape) {
  if (args.num_byte_strides == 0) return shape.has_default_layout();
  const std::vector<int64_t> dense = DenseStrides(shape);
  for (size_t d = 0; d < dense.size(); ++d) {
    if (args.byte_strides[d] != dense[d] && args.dims[d] > 1) return false;
  }
  return true;
}
bool IsAligned(const void* data, const Shape& shape) {
  const auto width = static_cast<uintptr_t>(ByteWidth(RealPart(shape.element_type())));
  return reinterpret_cast<uintptr_t>(data) % width == 0;
}

// Shares or copies memory of the host's that lies as the buffer does. The event is that the memory
// is the host's again.
absl::StatusOr<Buffer> FromDense(ClientState& client, const void* data, const Shape& shape,
                                 HostBufferSemantics semantics, int device, Event* done) {
  if (semantics == HostBufferSemantics::kImmutableOnlyDuringCall) {
    *done = Event();
    return client.client->BufferFromHost(data, shape, semantics, {}, device);
  }
  Promise promise;
  *done = promise.event();
  return client.client->BufferFromHost(
      data, shape, semantics, [promise] { promise.Set(absl::OkStatus()); }, device);
}

absl::Status CheckStrides(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  if (args.num_byte_strides == 0) return absl::OkStatus();
  if (args.num_byte_strides != args.num_dims) {
    return InvalidArgument("{} strides are given for {} dimensions", args.num_byte_strides,
                           args.num_dims);
  }
  if (args.byte_strides == nullptr) return InvalidArgument("the strides are null");
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const void>> Contents(const PJRT_Buffer& b) {
  return b.client->on_host ? b.buffer.View() : b.buffer.DeviceView();
}

}  // namespace

PJRT_Buffer* NewBuffer(std::shared_ptr<ClientState> client, Buffer buffer, int memory) {
  auto b = std::make_unique<PJRT_Buffer>();
  b->client = std::move(client);
  b->buffer = std::move(buffer);
  b->memory = memory;
  return b.release();
}

absl::Status Handle(PJRT_Client_BufferFromHostBuffer_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, args.device, args.memory));
  RETURN_IF_ERROR(CheckStrides(args));
  ASSIGN_OR_RETURN(const Shape shape,
                   MakeShape(args.type, args.dims, args.num_dims, args.device_layout));
  ASSIGN_OR_RETURN(const HostBufferSemantics semantics, ToSemantics(args.host_buffer_semantics));
  Event done;
  Buffer buffer;
  if (shape.byte_size() > 0 && args.data == nullptr)
    return InvalidArgument("there is no data for {}", shape.ToString());
  if (IsDense(args, shape) && IsAligned(args.data, shape)) {
    ASSIGN_OR_RETURN(buffer, FromDense(*client, args.data, shape, semantics, place.device, &done));
  } else {
    // Of another order than the buffer's: it is copied before this returns.
    Shape row_major = shape;
    row_major.set_minor_to_major({});
    const std::vector<int64_t> strides =
        args.num_byte_strides == 0
            ? DenseStrides(row_major)
            : std::vector<int64_t>(args.byte_strides, args.byte_strides + args.num_byte_strides);
    ASSIGN_OR_RETURN(buffer, FromStrided(*client->client, args.data, strides, shape, place.device));
  }
  std::unique_ptr<PJRT_Event> event(NewEvent(std::move(done)));
  args.buffer = NewBuffer(client, std::move(buffer), place.memory);
  args.done_with_host_buffer = event.release();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, args.device, args.memory));
  ASSIGN_OR_RETURN(const Shape shape, MakeShape(args.shape_element_type, args.shape_dims,
                                                args.shape_num_dims, args.shape_layout));
  ASSIGN_OR_RETURN(const BufferPromise promise, client->client->PromiseBuffer(shape, place.device));
  RETURN_IF_ERROR(promise.Keep());
  args.buffer = NewBuffer(client, promise.buffer(), place.memory);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_CreateErrorBuffer_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, nullptr, args.memory));
  ASSIGN_OR_RETURN(const Shape shape, MakeShape(args.shape_element_type, args.shape_dims,
                                                args.shape_num_dims, args.shape_layout));
  absl::Status error = MakeStatus(args.error_code, args.error_message, args.error_message_size);
  ASSIGN_OR_RETURN(const std::vector<NamedValue> payload,
                   ReadNamedValues(args.payload, args.num_payload));
  for (const NamedValue& v : payload) {
    if (const auto* text = std::get_if<std::string>(&v.value))
      error.SetPayload(v.name, absl::Cord(*text));
  }
  ASSIGN_OR_RETURN(Buffer buffer,
                   client->client->ErrorBuffer(shape, std::move(error), place.device));
  args.buffer = NewBuffer(client, std::move(buffer), place.memory);
  return absl::OkStatus();
}

// Memory of somebody else's as a buffer, without a copy where elements have bytes of their own.
absl::Status Handle(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, args.device, args.memory));
  ASSIGN_OR_RETURN(const Shape shape,
                   MakeShape(args.element_type, args.dims, args.num_dims, args.layout));
  std::function<void()> on_done;
  if (args.on_delete_callback != nullptr) {
    on_done = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
               user_arg = args.on_delete_callback_arg] { callback(data, user_arg); };
  }
  Buffer buffer;
  if (!client->on_host) {
    DeviceMemoryOptions options;
    options.stream = reinterpret_cast<void*>(args.stream);
    options.writable = true;
    options.on_done = std::move(on_done);
    ASSIGN_OR_RETURN(buffer, client->client->BufferFromDevice(args.device_buffer_ptr, shape,
                                                              std::move(options)));
  } else if (ElementsPerByte(shape.element_type()) > 1) {
    ASSIGN_OR_RETURN(const BufferPromise promise,
                     client->client->PromiseBuffer(shape, place.device));
    RETURN_IF_ERROR(promise.Write(args.device_buffer_ptr, 0, shape.packed_byte_size()));
    RETURN_IF_ERROR(promise.Keep());
    buffer = promise.buffer();
    if (on_done) on_done();
  } else {
    ASSIGN_OR_RETURN(buffer, client->client->BufferFromHost(args.device_buffer_ptr, shape,
                                                            HostBufferSemantics::kMutableZeroCopy,
                                                            std::move(on_done), place.device));
  }
  args.buffer = NewBuffer(client, std::move(buffer), place.memory);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_Destroy_Args& args) {
  if (args.buffer != nullptr) args.buffer->buffer.Delete();
  delete args.buffer;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_ElementType_Args& args) {
  args.type = ToBufferType(args.buffer->buffer.shape().element_type());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_Dimensions_Args& args) {
  const std::vector<int64_t>& dims = args.buffer->buffer.shape().dimensions();
  args.dims = dims.data();
  args.num_dims = dims.size();
  return absl::OkStatus();
}

// Results have their real sizes: no buffer has dynamic dimensions.
absl::Status Handle(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  const std::vector<int64_t>& dims = args.buffer->buffer.shape().dimensions();
  args.unpadded_dims = dims.data();
  args.num_dims = dims.size();
  return absl::OkStatus();
}
absl::Status Handle(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_GetMemoryLayout_Args& args) {
  PJRT_Buffer& b = *args.buffer;
  std::lock_guard<std::mutex> lock(b.mutex);
  if (b.minor_to_major.empty()) b.minor_to_major = MinorToMajorOf(b.buffer.shape());
  args.layout = PJRT_Buffer_MemoryLayout{};
  args.layout.struct_size = sizeof args.layout;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = sizeof args.layout.tiled;
  args.layout.tiled.minor_to_major = b.minor_to_major.data();
  args.layout.tiled.minor_to_major_size = b.minor_to_major.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->buffer.byte_size());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->client->devices[static_cast<size_t>(args.buffer->buffer.device())];
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_Memory_Args& args) {
  const PJRT_Buffer& b = *args.buffer;
  const PJRT_Device& device = *b.client->devices[static_cast<size_t>(b.buffer.device())];
  args.memory = device.memories[static_cast<size_t>(b.memory)];
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = args.buffer->client->on_host;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_Delete_Args& args) {
  args.buffer->buffer.Delete();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->buffer.IsDeleted();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_ReadyEvent_Args& args) {
  const Buffer& b = args.buffer->buffer;
  args.event = NewEvent(
      b.IsDeleted() ? Event(InvalidArgument("the buffer {} has been deleted", b.shape().ToString()))
                    : b.Ready());
  return absl::OkStatus();
}

// --- addresses of contents, which stay while there are external references, or else as long as the
// buffer has not been deleted or donated

absl::Status Handle(PJRT_Buffer_UnsafePointer_Args& args) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const void> contents, Contents(*args.buffer));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(contents.get());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const void> contents, Contents(*args.buffer));
  args.device_memory_ptr = const_cast<void*>(contents.get());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  PJRT_Buffer& b = *args.buffer;
  std::shared_ptr<const void> contents;
  {
    std::lock_guard<std::mutex> lock(b.mutex);
    if (b.held != nullptr) {
      ++b.external_references;
      return absl::OkStatus();
    }
  }
  ASSIGN_OR_RETURN(contents, Contents(b));
  std::lock_guard<std::mutex> lock(b.mutex);
  if (b.held == nullptr) b.held = std::move(contents);
  ++b.external_references;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  PJRT_Buffer& b = *args.buffer;
  std::shared_ptr<const void> dropped;
  std::lock_guard<std::mutex> lock(b.mutex);
  if (b.external_references == 0) return InvalidArgument("there are no external references");
  if (--b.external_references == 0) dropped.swap(b.held);
  return absl::OkStatus();
}

// The same bytes under another shape; they are shared.
absl::Status Handle(PJRT_Buffer_Bitcast_Args& args) {
  const PJRT_Buffer& b = *args.buffer;
  ASSIGN_OR_RETURN(const Shape shape,
                   MakeShape(args.element_type, args.dims, args.num_dims, args.device_layout));
  if (shape.packed_byte_size() != b.buffer.byte_size()) {
    return InvalidArgument("{} has {} bytes, {} has {}", b.buffer.shape().ToString(),
                           b.buffer.byte_size(), shape.ToString(), shape.packed_byte_size());
  }
  if (ElementsPerByte(shape.element_type()) > 1)
    return Unimplemented("PJRT_Buffer_Bitcast to {}", shape.ToString());
  ASSIGN_OR_RETURN(std::shared_ptr<const void> contents, Contents(b));
  void* data = const_cast<void*>(contents.get());
  Client& client = *b.client->client;
  Buffer out;
  auto release = [contents = std::move(contents)] {};
  if (b.client->on_host) {
    ASSIGN_OR_RETURN(out,
                     client.BufferFromHost(data, shape, HostBufferSemantics::kImmutableZeroCopy,
                                           std::move(release), b.buffer.device()));
  } else {
    DeviceMemoryOptions options;
    options.on_done = std::move(release);
    ASSIGN_OR_RETURN(out, client.BufferFromDevice(data, shape, std::move(options)));
  }
  args.out_buffer = NewBuffer(b.client, std::move(out), b.memory);
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
