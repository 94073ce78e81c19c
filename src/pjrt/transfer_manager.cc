// Buffers whose contents come later: from the host piece by piece, or from another buffer.
#include <utility>

#include "pjrt/array.h"
#include "pjrt/objects.h"
#include "pjrt/slot.h"
#include "pjrt/transfers.h"
#include "sinter/client.h"

struct PJRT_AsyncHostToDeviceTransferManager {
  std::shared_ptr<sinter::pjrt::ClientState> client;
  std::vector<sinter::BufferPromise> promises;
  sinter::pjrt::Place place;
};

struct PJRT_FulfillAliasBufferCallback {
  sinter::BufferPromise promise;
};

namespace sinter::pjrt {
namespace {

absl::StatusOr<BufferPromise> PromiseAt(const PJRT_AsyncHostToDeviceTransferManager& manager,
                                        int index) {
  if (index < 0 || static_cast<size_t>(index) >= manager.promises.size()) {
    return InvalidArgument("there is no buffer {} of {} in the transfer manager", index,
                           manager.promises.size());
  }
  return manager.promises[static_cast<size_t>(index)];
}

}  // namespace

absl::Status Handle(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, nullptr, args.memory));
  if (args.num_shape_specs > 0 && args.shape_specs == nullptr)
    return InvalidArgument("PJRT_Client_CreateBuffersForAsyncHostToDevice: no shapes");
  if (args.device_layouts != nullptr && args.num_device_layouts != args.num_shape_specs) {
    return InvalidArgument("{} layouts for {} shapes", args.num_device_layouts,
                           args.num_shape_specs);
  }
  auto manager = std::make_unique<PJRT_AsyncHostToDeviceTransferManager>();
  manager->client = client;
  manager->place = place;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    const PJRT_Buffer_MemoryLayout* layout =
        args.device_layouts == nullptr ? nullptr : args.device_layouts[i];
    ASSIGN_OR_RETURN(const Shape shape,
                     MakeShape(spec.element_type, spec.dims, spec.num_dims, layout));
    ASSIGN_OR_RETURN(BufferPromise promise, client->client->PromiseBuffer(shape, place.device));
    manager->promises.push_back(std::move(promise));
  }
  args.transfer_manager = manager.release();
  return absl::OkStatus();
}

// Buffers that have not got all their contents are cancelled.
absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  delete args.transfer_manager;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   PromiseAt(*args.transfer_manager, args.buffer_index));
  if (args.data == nullptr && args.transfer_size > 0)
    return InvalidArgument("PJRT_AsyncHostToDeviceTransferManager_TransferData: no data");
  RETURN_IF_ERROR(promise.Write(args.data, args.offset, args.transfer_size));
  if (args.is_last_transfer) RETURN_IF_ERROR(promise.Keep());
  args.done_with_h2d_transfer = NewEvent(Event());
  return absl::OkStatus();
}

// A literal is dense, in the layout that is stated.
absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   PromiseAt(*args.transfer_manager, args.buffer_index));
  ASSIGN_OR_RETURN(const Shape shape, MakeShape(args.shape_element_type, args.shape_dims,
                                                args.shape_num_dims, args.shape_layout));
  const Shape expected = promise.buffer().shape();
  if (!Shape::Compatible(shape, expected)) {
    return InvalidArgument("a literal of {} for a buffer of {}", shape.ToString(),
                           expected.ToString());
  }
  if (args.data == nullptr && shape.byte_size() > 0)
    return InvalidArgument("PJRT_AsyncHostToDeviceTransferManager_TransferLiteral: no data");
  if (ElementsPerByte(shape.element_type()) > 1)
    return Unimplemented("a literal of {} through a transfer manager", shape.ToString());
  RETURN_IF_ERROR(WriteStrided(promise, args.data, DenseStrides(shape)));
  RETURN_IF_ERROR(promise.Keep());
  args.done_with_h2d_transfer = NewEvent(Event());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   PromiseAt(*args.transfer_manager, args.buffer_index));
  args.buffer_out = NewBuffer(args.transfer_manager->client, promise.buffer(),
                              args.transfer_manager->place.memory);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  args.device_out = args.transfer_manager->client
                        ->devices[static_cast<size_t>(args.transfer_manager->place.device)];
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  args.buffer_count = args.transfer_manager->promises.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   PromiseAt(*args.transfer_manager, args.buffer_index));
  args.buffer_size = static_cast<size_t>(promise.buffer().byte_size());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  ASSIGN_OR_RETURN(const BufferPromise promise,
                   PromiseAt(*args.transfer_manager, args.buffer_index));
  absl::Status error = MakeStatus(args.error_code, args.error_message, args.error_message_size);
  if (error.ok()) return InvalidArgument("the error of a buffer is OK");
  return promise.Keep(std::move(error));
}

// It is for who debugs the transfers.
absl::Status Handle(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args) {
  return ReadNamedValues(args.transfer_metadata, args.num_metadata).status();
}

absl::Status Handle(PJRT_Client_CreateAliasBuffer_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(const Place place, PlaceOf(*client, nullptr, args.memory));
  ASSIGN_OR_RETURN(const Shape shape, MakeShape(args.shape_element_type, args.shape_dims,
                                                args.shape_num_dims, args.shape_layout));
  ASSIGN_OR_RETURN(const BufferPromise promise, client->client->PromiseBuffer(shape, place.device));
  auto callback = std::make_unique<PJRT_FulfillAliasBufferCallback>();
  callback->promise = promise;
  args.alias_buffer = NewBuffer(client, promise.buffer(), place.memory);
  args.fulfill_alias_buffer_cb = callback.release();
  return absl::OkStatus();
}

// The contents are copied: a buffer cannot come by other memory than that it was made with.
absl::Status Handle(PJRT_Client_FulfillAliasBuffer_Args& args) {
  if (args.fulfill_alias_buffer_cb == nullptr)
    return InvalidArgument("PJRT_Client_FulfillAliasBuffer: no callback");
  const std::unique_ptr<PJRT_FulfillAliasBufferCallback> callback(args.fulfill_alias_buffer_cb);
  const BufferPromise promise = callback->promise;
  if (args.status_code != PJRT_Error_Code_OK) {
    return promise.Keep(MakeStatus(args.status_code, args.error_message, args.error_message_size));
  }
  if (args.buffer == nullptr) return InvalidArgument("PJRT_Client_FulfillAliasBuffer: no buffer");
  ASSIGN_OR_RETURN(const Buffer source, args.buffer->buffer.Share());
  const Shape alias = promise.buffer().shape();
  if (!(source.shape() == alias)) {
    absl::Status error = InvalidArgument("a buffer of {} for an alias of {}",
                                         source.shape().ToString(), alias.ToString());
    RETURN_IF_ERROR(promise.Keep(error));
    return error;
  }
  const Event copied = OnceReady(source, [source, promise]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::shared_ptr<const void> contents, source.View());
    return promise.Write(contents.get(), 0, source.byte_size());
  });
  copied.OnReady([promise](const absl::Status& s) { (void)promise.Keep(s); });
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
