// Buffers: from and to the host's memory in any order, shared, promised, in error.
#include <array>
#include <cstring>
#include <numeric>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

struct HostArray {
  const void* data = nullptr;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  PJRT_HostBufferSemantics semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  PJRT_Buffer_MemoryLayout* layout = nullptr;
};

PJRT_Client_BufferFromHostBuffer_Args Fill(const TestClient& client, const HostArray& a) {
  auto args = Make<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client.get();
  args.data = a.data;
  args.type = a.type;
  args.dims = a.dims.data();
  args.num_dims = a.dims.size();
  args.byte_strides = a.strides.data();
  args.num_byte_strides = a.strides.size();
  args.host_buffer_semantics = a.semantics;
  args.memory = client.memory();
  args.device_layout = a.layout;
  return args;
}
// It points to what the array holds.
PJRT_Client_BufferFromHostBuffer_Args Fill(const TestClient& client, HostArray&& a) = delete;

PJRT_Buffer* From(const TestClient& client, const HostArray& a) {
  auto args = Fill(client, a);
  REQUIRE(TextOf(Api()->PJRT_Client_BufferFromHostBuffer(&args)) == "");
  Await(args.done_with_host_buffer);
  return args.buffer;
}
std::string FromError(const TestClient& client, const HostArray& a) {
  auto args = Fill(client, a);
  return TextOf(Api()->PJRT_Client_BufferFromHostBuffer(&args));
}

PJRT_Buffer_MemoryLayout Tiled(const std::vector<int64_t>& order) {
  auto layout = Make<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = sizeof layout.tiled;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  return layout;
}
PJRT_Buffer_MemoryLayout Strides(const std::vector<int64_t>& strides) {
  auto layout = Make<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.struct_size = sizeof layout.strides;
  layout.strides.byte_strides = strides.data();
  layout.strides.num_byte_strides = strides.size();
  return layout;
}

std::vector<float> ValuesIn(PJRT_Buffer* b, PJRT_Buffer_MemoryLayout* layout, size_t size) {
  std::vector<float> values(size);
  Await(CALL(Buffer_ToHostBuffer, args.src = b; args.dst = values.data();
             args.dst_size = size * sizeof(float); args.host_layout = layout)
            .event);
  return values;
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};
const std::vector<float> kTransposed = {0, 3, 1, 4, 2, 5};

TEST_CASE("a buffer tells what it is") {
  TestClient client;
  PJRT_Buffer* b = From(client, {kSix.data(), PJRT_Buffer_Type_F32, {2, 3}});
  CHECK(CALL(Buffer_ElementType, args.buffer = b).type == PJRT_Buffer_Type_F32);
  const auto dims = CALL(Buffer_Dimensions, args.buffer = b);
  CHECK(std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims) == std::vector<int64_t>{2, 3});
  CHECK(CALL(Buffer_UnpaddedDimensions, args.buffer = b).num_dims == 2);
  CHECK(CALL(Buffer_DynamicDimensionIndices, args.buffer = b).num_dynamic_dims == 0);
  CHECK(CALL(Buffer_OnDeviceSizeInBytes, args.buffer = b).on_device_size_in_bytes == 24);
  CHECK(CALL(Buffer_Device, args.buffer = b).device == client.device());
  CHECK(CALL(Buffer_Memory, args.buffer = b).memory == client.memory());
  CHECK(CALL(Buffer_IsOnCpu, args.buffer = b).is_on_cpu);
  const auto layout = CALL(Buffer_GetMemoryLayout, args.buffer = b).layout;
  REQUIRE(layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled);
  REQUIRE(layout.tiled.minor_to_major_size == 2);
  CHECK(layout.tiled.minor_to_major[0] == 1);
  CHECK(ValuesOf(b) == kSix);
  CALL(Buffer_Delete, args.buffer = b);
  CHECK(CALL(Buffer_IsDeleted, args.buffer = b).is_deleted);
  Await(CALL(Buffer_ReadyEvent, args.buffer = b).event,
        "INVALID_ARGUMENT: the buffer f32[2,3] has been deleted");
  float out[6];
  CHECK(ERROR_OF(Buffer_ToHostBuffer, args.src = b; args.dst = out; args.dst_size = sizeof out) ==
        "INVALID_ARGUMENT: the buffer f32[2,3] has been deleted");
  Destroy(b);
}

TEST_CASE("arrays of the host's come in any order") {
  TestClient client;
  // The transpose of a row-major array of 2x3, by strides.
  PJRT_Buffer* t = From(client, {kSix.data(), PJRT_Buffer_Type_F32, {3, 2}, {4, 12}});
  CHECK(ValuesOf(t) == kTransposed);
  Destroy(t);
  // Backwards, every second, one element again and again.
  PJRT_Buffer* b = From(client, {kSix.data() + 5, PJRT_Buffer_Type_F32, {6}, {-4}});
  CHECK(ValuesOf(b) == std::vector<float>{5, 4, 3, 2, 1, 0});
  Destroy(b);
  b = From(client, {kSix.data(), PJRT_Buffer_Type_F32, {3}, {8}});
  CHECK(ValuesOf(b) == std::vector<float>{0, 2, 4});
  Destroy(b);
  b = From(client, {kSix.data() + 2, PJRT_Buffer_Type_F32, {2, 2}, {0, 0}});
  CHECK(ValuesOf(b) == std::vector<float>(4, 2));
  Destroy(b);
  // Elements that lie at no multiple of their size.
  std::array<char, 25> bytes{};
  std::memcpy(bytes.data() + 1, kSix.data(), 24);
  b = From(client, {bytes.data() + 1, PJRT_Buffer_Type_F32, {6}});
  CHECK(ValuesOf(b) == kSix);
  Destroy(b);
  // Of every width.
  for (auto [type, width] :
       {std::pair(PJRT_Buffer_Type_S8, 1), std::pair(PJRT_Buffer_Type_BF16, 2),
        std::pair(PJRT_Buffer_Type_F64, 8), std::pair(PJRT_Buffer_Type_C128, 16)}) {
    const auto w = static_cast<size_t>(width);
    alignas(16) std::array<char, 6 * 16> data{}, out{}, expected{};
    std::iota(data.begin(), data.end(), char{0});
    for (size_t i = 0; i < 6; ++i) std::memcpy(&expected[i * w], &data[(i % 2 * 3 + i / 2) * w], w);
    b = From(client, {data.data(), type, {3, 2}, {width, 3 * width}});
    Await(CALL(Buffer_ToHostBuffer, args.src = b; args.dst = out.data(); args.dst_size = out.size())
              .event);
    CHECK(std::memcmp(out.data(), expected.data(), 6 * w) == 0);
    Destroy(b);
  }
  // None at all.
  b = From(client, {nullptr, PJRT_Buffer_Type_F32, {0, 5}});
  CHECK(ValuesOf(b).empty());
  Destroy(b);
}

TEST_CASE("buffers have layouts, and so has what is copied from them") {
  TestClient client;
  const std::vector<int64_t> columns = {0, 1}, rows = {1, 0};
  auto column_major = Tiled(columns), row_major = Tiled(rows);
  HostArray a{kSix.data(), PJRT_Buffer_Type_F32, {2, 3}};
  a.layout = &column_major;
  PJRT_Buffer* b = From(client, a);
  CHECK(CALL(Buffer_GetMemoryLayout, args.buffer = b).layout.tiled.minor_to_major[0] == 0);
  CHECK(ValuesIn(b, &row_major, 6) == kSix);
  CHECK(ValuesIn(b, &column_major, 6) == kTransposed);
  CHECK(ValuesIn(b, nullptr, 6) == kTransposed);  // the buffer's own
  const std::vector<int64_t> byte_strides = {4, 8};
  auto strides = Strides(byte_strides);
  CHECK(ValuesIn(b, &strides, 6) == kTransposed);
  const auto* address =
      reinterpret_cast<const float*>(CALL(Buffer_UnsafePointer, args.buffer = b).buffer_pointer);
  CHECK(std::vector<float>(address, address + 6) == kTransposed);
  Destroy(b);
  b = From(client, {kSix.data(), PJRT_Buffer_Type_F32, {2, 3}});
  CHECK(ValuesIn(b, &column_major, 6) == kTransposed);
  const std::vector<int64_t> gaps = {4, 100};
  auto gappy = Strides(gaps);
  CHECK(ERROR_OF(Buffer_ToHostBuffer, args.src = b; args.host_layout = &gappy)
            .find("UNIMPLEMENTED: strides of f32[2,3] that leave gaps") == 0);
  float small[5];
  CHECK(ERROR_OF(Buffer_ToHostBuffer, args.src = b; args.dst = small; args.dst_size = 20) ==
        "INVALID_ARGUMENT: f32[2,3] takes 24 bytes, there is room for 20");
  Destroy(b);

  const std::vector<int64_t> twice = {0, 0}, one = {0};
  auto bad = Tiled(twice);
  a.layout = &bad;
  CHECK(FromError(client, a).find("no permutation") != std::string::npos);
  bad = Tiled(one);
  CHECK(FromError(client, a) == "INVALID_ARGUMENT: a layout of 1 dimensions for f32[2,3]");
  bad.tiled.num_tiles = 1;
  CHECK(FromError(client, a) == "UNIMPLEMENTED: a layout of tiles");
}

TEST_CASE("arrays that are none are refused") {
  TestClient client, other;
  HostArray a{kSix.data(), PJRT_Buffer_Type_F32, {-1}};
  CHECK(FromError(client, a).find("INVALID_ARGUMENT") == 0);
  a.dims = {int64_t{1} << 40, int64_t{1} << 40};
  CHECK(FromError(client, a).find("INVALID_ARGUMENT") == 0);
  a.dims = {6};
  a.type = PJRT_Buffer_Type_S1;
  CHECK(FromError(client, a) == "UNIMPLEMENTED: integers of 1 bit");
  a.type = static_cast<PJRT_Buffer_Type>(99);
  CHECK(FromError(client, a) == "INVALID_ARGUMENT: unknown element type 99");
  a.type = PJRT_Buffer_Type_F32;
  a.strides = {4, 4};
  CHECK(FromError(client, a) == "INVALID_ARGUMENT: 2 strides are given for 1 dimensions");
  a.strides = {};
  a.semantics = static_cast<PJRT_HostBufferSemantics>(9);
  CHECK(FromError(client, a) == "INVALID_ARGUMENT: unknown host buffer semantics 9");
  a.semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  a.data = nullptr;
  CHECK(FromError(client, a) == "INVALID_ARGUMENT: there is no data for f32[6]");
  a.data = kSix.data();
  auto args = Fill(client, a);
  args.memory = other.memory();
  CHECK(TextOf(Api()->PJRT_Client_BufferFromHostBuffer(&args)) ==
        "INVALID_ARGUMENT: the memory belongs to another client");
}

TEST_CASE("memory is shared both ways") {
  TestClient client;
  alignas(64) std::array<float, 16> data{};
  data[3] = 7;
  const HostArray array{data.data(), PJRT_Buffer_Type_F32, {16}};
  auto given = Fill(client, array);
  given.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  REQUIRE(TextOf(Api()->PJRT_Client_BufferFromHostBuffer(&given)) == "");
  PJRT_Buffer* b = given.buffer;
  CHECK(CALL(Buffer_UnsafePointer, args.buffer = b).buffer_pointer ==
        reinterpret_cast<uintptr_t>(data.data()));
  CHECK(CALL(Buffer_OpaqueDeviceMemoryDataPointer, args.buffer = b).device_memory_ptr ==
        data.data());
  CHECK_FALSE(CALL(Event_IsReady, args.event = given.done_with_host_buffer).is_ready);
  // While somebody refers to it the memory is not given back.
  CALL(Buffer_IncreaseExternalReferenceCount, args.buffer = b);
  CALL(Buffer_IncreaseExternalReferenceCount, args.buffer = b);
  CALL(Buffer_Delete, args.buffer = b);
  CHECK_FALSE(CALL(Event_IsReady, args.event = given.done_with_host_buffer).is_ready);
  CALL(Buffer_DecreaseExternalReferenceCount, args.buffer = b);
  CHECK_FALSE(CALL(Event_IsReady, args.event = given.done_with_host_buffer).is_ready);
  CALL(Buffer_DecreaseExternalReferenceCount, args.buffer = b);
  Await(given.done_with_host_buffer);
  CHECK(ERROR_OF(Buffer_DecreaseExternalReferenceCount, args.buffer = b) ==
        "INVALID_ARGUMENT: there are no external references");
  CHECK(ERROR_OF(Buffer_UnsafePointer, args.buffer = b).find("has been deleted") !=
        std::string::npos);
  Destroy(b);

  int deleted = 0;
  const int64_t size = 16;
  b = CALL(
          Client_CreateViewOfDeviceBuffer, args.client = client.get();
          args.device_buffer_ptr = data.data(); args.dims = &size; args.num_dims = 1;
          args.element_type = PJRT_Buffer_Type_F32; args.memory = client.memory();
          args.on_delete_callback_arg = &deleted;
          args.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); })
          .buffer;
  CHECK(CALL(Buffer_UnsafePointer, args.buffer = b).buffer_pointer ==
        reinterpret_cast<uintptr_t>(data.data()));
  CHECK(ValuesOf(b)[3] == 7);
  const int64_t square[] = {4, 4};
  PJRT_Buffer* cast =
      CALL(Buffer_Bitcast, args.buffer = b; args.element_type = PJRT_Buffer_Type_S32;
           args.dims = square; args.num_dims = 2)
          .out_buffer;
  CHECK(CALL(Buffer_UnsafePointer, args.buffer = cast).buffer_pointer ==
        reinterpret_cast<uintptr_t>(data.data()));
  CHECK(ERROR_OF(Buffer_Bitcast, args.buffer = b; args.element_type = PJRT_Buffer_Type_F32;
                 args.dims = square;
                 args.num_dims = 1) == "INVALID_ARGUMENT: f32[16] has 64 bytes, f32[4] has 16");
  Destroy(b);
  CHECK(deleted == 0);
  Destroy(cast);
  CHECK(deleted == 1);
}

TEST_CASE("elements of 4 bits have bytes of their own on the host") {
  TestClient client;
  const std::array<int8_t, 5> data = {1, -2, 3, -4, 5};
  PJRT_Buffer* b = From(client, {data.data(), PJRT_Buffer_Type_S4, {5}});
  CHECK(CALL(Buffer_OnDeviceSizeInBytes, args.buffer = b).on_device_size_in_bytes == 3);
  std::array<int8_t, 5> out{};
  Await(CALL(Buffer_ToHostBuffer, args.src = b; args.dst = out.data(); args.dst_size = 5).event);
  CHECK(out == data);
  std::array<uint8_t, 3> raw{};
  Await(CALL(Buffer_CopyRawToHost, args.buffer = b; args.dst = raw.data(); args.transfer_size = 3)
            .event);
  CHECK(raw == std::array<uint8_t, 3>{0xe1, 0xc3, 0x05});
  const int64_t size = 5;
  PJRT_Buffer* view =
      CALL(Client_CreateViewOfDeviceBuffer, args.client = client.get();
           args.device_buffer_ptr = raw.data(); args.dims = &size; args.num_dims = 1;
           args.element_type = PJRT_Buffer_Type_S4; args.memory = client.memory())
          .buffer;
  out = {};
  Await(CALL(Buffer_ToHostBuffer, args.src = view; args.dst = out.data(); args.dst_size = 5).event);
  CHECK(out == data);
  Destroy(view);
  Destroy(b);
  const std::array<int8_t, 3> strided = {1, 9, 2};
  b = From(client, {strided.data(), PJRT_Buffer_Type_U4, {2}, {2}});
  std::array<int8_t, 2> two{};
  Await(CALL(Buffer_ToHostBuffer, args.src = b; args.dst = two.data(); args.dst_size = 2).event);
  CHECK(two == std::array<int8_t, 2>{1, 2});
  Destroy(b);
}

TEST_CASE("copies on the device, and of parts to the host") {
  TestClient client;
  PJRT_Buffer* b = client.Vector(kSix);
  PJRT_Buffer* to_device =
      CALL(Buffer_CopyToDevice, args.buffer = b; args.dst_device = client.device()).dst_buffer;
  PJRT_Buffer* to_memory =
      CALL(Buffer_CopyToMemory, args.buffer = b; args.dst_memory = client.memory()).dst_buffer;
  CHECK(ERROR_OF(Buffer_CopyToDevice, args.buffer = b).find("no device") != std::string::npos);
  CHECK(ERROR_OF(Buffer_CopyToMemory, args.buffer = b).find("no memory") != std::string::npos);
  CHECK(CALL(Buffer_UnsafePointer, args.buffer = to_device).buffer_pointer !=
        CALL(Buffer_UnsafePointer, args.buffer = b).buffer_pointer);
  Destroy(b);
  CHECK(ValuesOf(to_device) == kSix);
  float part[2] = {};
  Await(CALL(Buffer_CopyRawToHost, args.buffer = to_memory; args.dst = part; args.offset = 8;
             args.transfer_size = 8)
            .event);
  CHECK(part[0] == 2);
  CHECK(part[1] == 3);
  CHECK(ERROR_OF(Buffer_CopyRawToHost, args.buffer = to_memory; args.dst = part; args.offset = 20;
                 args.transfer_size = 8) ==
        "INVALID_ARGUMENT: 8 bytes at 20 are no part of f32[6], which has 24");
  auto later = CALL(Buffer_CopyRawToHostFuture, args.buffer = to_memory; args.offset = 16;
                    args.transfer_size = 8);
  CHECK_FALSE(CALL(Event_IsReady, args.event = later.event).is_ready);
  auto there = Make<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
  there.callback_data = later.callback_data;
  there.dst = part;
  later.future_ready_callback(&there);
  Await(later.event);
  CHECK(part[0] == 4);
  later = CALL(Buffer_CopyRawToHostFuture, args.buffer = to_memory; args.transfer_size = 8);
  there.callback_data = later.callback_data;
  there.error_code = PJRT_Error_Code_ABORTED;
  there.error_message = "not today";
  there.error_message_size = 9;
  later.future_ready_callback(&there);
  Await(later.event, "ABORTED: not today");
  Destroy(to_device);
  Destroy(to_memory);
}

TEST_CASE("a donated buffer is there when what it depends on has happened") {
  TestClient client;
  for (bool fails : {false, true}) {
    PJRT_Buffer* x = client.Vector({3, 4});
    const auto donated = CALL(Buffer_DonateWithControlDependency, args.buffer = x);
    CHECK(CALL(Buffer_IsDeleted, args.buffer = x).is_deleted);
    CHECK(ERROR_OF(Buffer_DonateWithControlDependency, args.buffer = x).find("INVALID_ARGUMENT") ==
          0);
    PJRT_Event* ready = CALL(Buffer_ReadyEvent, args.buffer = donated.out_buffer).event;
    CHECK_FALSE(CALL(Event_IsReady, args.event = ready).is_ready);
    auto happened = Make<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    happened.callback_data = donated.callback_data;
    if (fails) {
      happened.error_code = PJRT_Error_Code_ABORTED;
      happened.error_message = "not today";
      happened.error_message_size = 9;
    }
    donated.dependency_ready_callback(&happened);
    if (fails) {
      Await(ready, "ABORTED: not today");
    } else {
      Await(ready);
      CHECK(ValuesOf(donated.out_buffer) == std::vector<float>{3, 4});
    }
    Destroy(donated.out_buffer);
    Destroy(x);
  }
}

TEST_CASE("buffers without contents, and in error") {
  TestClient client;
  const int64_t size = 6;
  PJRT_Buffer* b =
      CALL(Client_CreateUninitializedBuffer, args.client = client.get(); args.shape_dims = &size;
           args.shape_num_dims = 1; args.shape_element_type = PJRT_Buffer_Type_F32)
          .buffer;
  Await(CALL(Buffer_ReadyEvent, args.buffer = b).event);
  CHECK(ValuesOf(b).size() == 6);
  Destroy(b);
  PJRT_Buffer* lost = CALL(Client_CreateErrorBuffer, args.client = client.get();
                           args.error_code = PJRT_Error_Code_DATA_LOSS; args.error_message = "gone";
                           args.error_message_size = 4; args.shape_dims = &size;
                           args.shape_num_dims = 1; args.shape_element_type = PJRT_Buffer_Type_F32)
                          .buffer;
  Await(CALL(Buffer_ReadyEvent, args.buffer = lost).event, "DATA_LOSS: gone");
  float out[6];
  Await(
      CALL(Buffer_ToHostBuffer, args.src = lost; args.dst = out; args.dst_size = sizeof out).event,
      "DATA_LOSS: gone");
  PJRT_LoadedExecutable* f = client.Compile(Axpy(6));
  PJRT_Buffer* x = client.Vector(kSix);
  PJRT_Event* done = nullptr;
  RunOptions options;
  options.done = &done;
  PJRT_Buffer* y = Run(f, {x, lost}, 1, options)[0];
  Await(done, "DATA_LOSS: gone");
  Await(CALL(Buffer_ReadyEvent, args.buffer = y).event, "DATA_LOSS: gone");
  CHECK(ERROR_OF(Client_CreateErrorBuffer, args.client = client.get(); args.shape_dims = &size;
                 args.shape_num_dims = 1; args.shape_element_type = PJRT_Buffer_Type_F32)
            .find("the status is OK") != std::string::npos);
  for (PJRT_Buffer* buffer : {lost, x, y}) Destroy(buffer);
  Destroy(f);
}

TEST_CASE("buffers whose contents come in pieces") {
  TestClient client;
  const std::array<int64_t, 2> six = {6, 0}, two_by_three = {2, 3};
  std::array<PJRT_ShapeSpec, 3> specs = {Make<PJRT_ShapeSpec>(), Make<PJRT_ShapeSpec>(),
                                         Make<PJRT_ShapeSpec>()};
  for (PJRT_ShapeSpec& s : specs) {
    s.element_type = PJRT_Buffer_Type_F32;
    s.dims = six.data();
    s.num_dims = 1;
  }
  specs[1].dims = two_by_three.data();
  specs[1].num_dims = 2;
  PJRT_AsyncHostToDeviceTransferManager* m =
      CALL(Client_CreateBuffersForAsyncHostToDevice, args.client = client.get();
           args.shape_specs = specs.data(); args.num_shape_specs = 3; args.memory = client.memory())
          .transfer_manager;
  CHECK(
      CALL(AsyncHostToDeviceTransferManager_BufferCount, args.transfer_manager = m).buffer_count ==
      3);
  CHECK(CALL(AsyncHostToDeviceTransferManager_BufferSize, args.transfer_manager = m;
             args.buffer_index = 1)
            .buffer_size == 24);
  CHECK(CALL(AsyncHostToDeviceTransferManager_Device, args.transfer_manager = m).device_out ==
        client.device());
  CALL(AsyncHostToDeviceTransferManager_AddMetadata, args.transfer_manager = m);
  auto retrieve = [&](int i) {
    return CALL(AsyncHostToDeviceTransferManager_RetrieveBuffer, args.transfer_manager = m;
                args.buffer_index = i)
        .buffer_out;
  };
  PJRT_Buffer *a = retrieve(0), *b = retrieve(1), *c = retrieve(2);
  CHECK(ERROR_OF(AsyncHostToDeviceTransferManager_RetrieveBuffer, args.transfer_manager = m;
                 args.buffer_index = 3) ==
        "INVALID_ARGUMENT: there is no buffer 3 of 3 in the transfer manager");
  // A run that takes it begins when it is there.
  PJRT_LoadedExecutable* f = client.Compile(Axpy(6));
  PJRT_Event* done = nullptr;
  RunOptions options;
  options.done = &done;
  PJRT_Buffer* sum = Run(f, {a, a}, 1, options)[0];
  CHECK_FALSE(CALL(Event_IsReady, args.event = done).is_ready);
  auto transfer = [&](int64_t offset, bool last) {
    Await(CALL(AsyncHostToDeviceTransferManager_TransferData, args.transfer_manager = m;
               args.data = kSix.data() + offset / 4; args.offset = offset; args.transfer_size = 12;
               args.is_last_transfer = last)
              .done_with_h2d_transfer);
  };
  transfer(12, false);
  CHECK(ERROR_OF(AsyncHostToDeviceTransferManager_TransferData, args.transfer_manager = m;
                 args.data = kSix.data(); args.offset = 16; args.transfer_size = 12)
            .find("12 bytes at 16 are no part") != std::string::npos);
  transfer(0, true);
  CHECK(ERROR_OF(AsyncHostToDeviceTransferManager_TransferData, args.transfer_manager = m;
                 args.data = kSix.data(); args.transfer_size = 4)
            .find("FAILED_PRECONDITION") == 0);
  Await(done);
  CHECK(ValuesOf(sum) == std::vector<float>{0, 3, 6, 9, 12, 15});
  const std::vector<int64_t> columns = {0, 1};
  auto column_major = Tiled(columns);
  auto literal = [&](const int64_t* dims) {
    auto args = Make<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
    args.transfer_manager = m;
    args.buffer_index = 1;
    args.data = kTransposed.data();
    args.shape_dims = dims;
    args.shape_num_dims = 2;
    args.shape_element_type = PJRT_Buffer_Type_F32;
    args.shape_layout = &column_major;
    const std::string error =
        TextOf(Api()->PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(&args));
    if (error.empty()) Await(args.done_with_h2d_transfer);
    return error;
  };
  CHECK(literal(six.data()).find("a literal of f32[6,0]") != std::string::npos);
  CHECK(literal(two_by_three.data()) == "");
  CHECK(ValuesOf(b) == kSix);
  CHECK(ERROR_OF(AsyncHostToDeviceTransferManager_SetBufferError, args.transfer_manager = m;
                 args.buffer_index = 2) == "INVALID_ARGUMENT: the error of a buffer is OK");
  CALL(AsyncHostToDeviceTransferManager_SetBufferError, args.transfer_manager = m;
       args.buffer_index = 2; args.error_code = PJRT_Error_Code_ABORTED;
       args.error_message = "stop"; args.error_message_size = 4);
  Await(CALL(Buffer_ReadyEvent, args.buffer = c).event, "ABORTED: stop");
  CALL(AsyncHostToDeviceTransferManager_Destroy, args.transfer_manager = m);
  for (PJRT_Buffer* buffer : {a, b, c, sum}) Destroy(buffer);
  Destroy(f);
}

TEST_CASE("a transfer that is given up cancels its buffers") {
  TestClient client;
  auto spec = Make<PJRT_ShapeSpec>();
  spec.element_type = PJRT_Buffer_Type_F32;
  PJRT_AsyncHostToDeviceTransferManager* m =
      CALL(Client_CreateBuffersForAsyncHostToDevice, args.client = client.get();
           args.shape_specs = &spec; args.num_shape_specs = 1)
          .transfer_manager;
  PJRT_Buffer* b =
      CALL(AsyncHostToDeviceTransferManager_RetrieveBuffer, args.transfer_manager = m).buffer_out;
  // A copy waits for it.
  PJRT_Buffer* copy =
      CALL(Buffer_CopyToMemory, args.buffer = b; args.dst_memory = client.memory()).dst_buffer;
  CALL(AsyncHostToDeviceTransferManager_Destroy, args.transfer_manager = m);
  for (PJRT_Buffer* buffer : {b, copy}) {
    Await(CALL(Buffer_ReadyEvent, args.buffer = buffer).event,
          "CANCELLED: the promise of a buffer was dropped before it was kept");
    Destroy(buffer);
  }
}

TEST_CASE("copies that wait outlive the buffer that they are of") {
  TestClient client;
  auto spec = Make<PJRT_ShapeSpec>();
  const int64_t size = 6;
  spec.element_type = PJRT_Buffer_Type_F32;
  spec.dims = &size;
  spec.num_dims = 1;
  PJRT_AsyncHostToDeviceTransferManager* m =
      CALL(Client_CreateBuffersForAsyncHostToDevice, args.client = client.get();
           args.shape_specs = &spec; args.num_shape_specs = 1)
          .transfer_manager;
  PJRT_Buffer* b =
      CALL(AsyncHostToDeviceTransferManager_RetrieveBuffer, args.transfer_manager = m).buffer_out;
  PJRT_Buffer* copy =
      CALL(Buffer_CopyToMemory, args.buffer = b; args.dst_memory = client.memory()).dst_buffer;
  std::vector<float> whole(6), part(2);
  PJRT_Event* copied =
      CALL(Buffer_ToHostBuffer, args.src = b; args.dst = whole.data(); args.dst_size = 24).event;
  PJRT_Event* copied_part = CALL(Buffer_CopyRawToHost, args.buffer = b; args.dst = part.data();
                                 args.offset = 8; args.transfer_size = 8)
                                .event;
  Destroy(b);
  Await(CALL(AsyncHostToDeviceTransferManager_TransferData, args.transfer_manager = m;
             args.data = kSix.data(); args.transfer_size = 24; args.is_last_transfer = true)
            .done_with_h2d_transfer);
  Await(copied);
  Await(copied_part);
  CHECK(whole == kSix);
  CHECK(part == std::vector<float>{2, 3});
  CHECK(ValuesOf(copy) == kSix);
  Destroy(copy);
  CALL(AsyncHostToDeviceTransferManager_Destroy, args.transfer_manager = m);
}

TEST_CASE("an alias has the contents of the buffer that fulfils it") {
  TestClient client;
  const int64_t size = 6;
  auto make = [&] {
    return CALL(Client_CreateAliasBuffer, args.client = client.get(); args.shape_dims = &size;
                args.shape_num_dims = 1; args.shape_element_type = PJRT_Buffer_Type_F32);
  };
  auto alias = make();
  PJRT_Buffer* real = client.Vector(kSix);
  PJRT_LoadedExecutable* f = client.Compile(Axpy(6));
  PJRT_Buffer* sum = Run(f, {alias.alias_buffer, real})[0];
  CALL(Client_FulfillAliasBuffer, args.client = client.get(); args.buffer = real;
       args.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
  CHECK(ValuesOf(sum) == std::vector<float>{0, 3, 6, 9, 12, 15});
  auto failed = make();
  CALL(Client_FulfillAliasBuffer, args.client = client.get();
       args.status_code = PJRT_Error_Code_UNKNOWN; args.error_message = "?";
       args.error_message_size = 1; args.fulfill_alias_buffer_cb = failed.fulfill_alias_buffer_cb);
  Await(CALL(Buffer_ReadyEvent, args.buffer = failed.alias_buffer).event, "UNKNOWN: ?");
  auto unlike = make();
  PJRT_Buffer* three = client.Vector({1, 2, 3});
  CHECK(ERROR_OF(Client_FulfillAliasBuffer, args.client = client.get(); args.buffer = three;
                 args.fulfill_alias_buffer_cb = unlike.fulfill_alias_buffer_cb) ==
        "INVALID_ARGUMENT: a buffer of f32[3] for an alias of f32[6]");
  for (PJRT_Buffer* b :
       {alias.alias_buffer, failed.alias_buffer, unlike.alias_buffer, real, sum, three})
    Destroy(b);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
