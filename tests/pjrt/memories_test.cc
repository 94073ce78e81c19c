// The memories of a device, by kinds: buffers and programs name them, the bytes are all the host's.
#include "plugin.h"

namespace sinter::plugin_test {
namespace {

std::string KindOf(PJRT_Buffer* buffer) {
  PJRT_Memory* memory = CALL(Buffer_Memory, args.buffer = buffer).memory;
  const auto kind = CALL(Memory_Kind, args.memory = memory);
  return {kind.kind, kind.kind_size};
}

PJRT_Memory* MemoryOf(PJRT_Device* device, size_t n) {
  const auto all = CALL(Device_AddressableMemories, args.device = device);
  REQUIRE(all.num_memories == 3);
  return all.memories[n];
}

PJRT_Buffer* VectorIn(const TestClient& client, PJRT_Memory* memory,
                      const std::vector<float>& values) {
  const auto size = static_cast<int64_t>(values.size());
  auto made = CALL(Client_BufferFromHostBuffer, args.client = client.get(); args.memory = memory;
                   args.data = values.data(); args.type = PJRT_Buffer_Type_F32; args.dims = &size;
                   args.num_dims = 1);
  Await(made.done_with_host_buffer);
  return made.buffer;
}

const std::vector<float> kValues = {1, 2};

TEST_CASE("a buffer is in the memory that it was made in, or copied to") {
  TestClient client({Named("devices", 2)});
  const auto devices = CALL(Client_Devices, args.client = client.get());
  PJRT_Device *first = devices.devices[0], *second = devices.devices[1];
  PJRT_Memory* pinned = MemoryOf(second, 1);
  CHECK(CALL(Memory_Id, args.memory = pinned).id == 4);
  CHECK(CALL(Memory_AddressableByDevices, args.memory = pinned).devices[0] == second);

  PJRT_Buffer* b = VectorIn(client, pinned, kValues);
  CHECK(KindOf(b) == "pinned_host");
  CHECK(CALL(Buffer_Device, args.buffer = b).device == second);
  PJRT_Buffer* unpinned =
      CALL(Buffer_CopyToMemory, args.buffer = b; args.dst_memory = MemoryOf(first, 2)).dst_buffer;
  CHECK(KindOf(unpinned) == "unpinned_host");
  CHECK(CALL(Buffer_Device, args.buffer = unpinned).device == first);
  CHECK(ValuesOf(unpinned) == kValues);
  PJRT_Buffer* copy =
      CALL(Buffer_CopyToDevice, args.buffer = b; args.dst_device = first).dst_buffer;
  CHECK(KindOf(copy) == "device");
  // The same bytes stay where they are.
  const int64_t size = 2;
  PJRT_Buffer* bits = CALL(Buffer_Bitcast, args.buffer = b; args.dims = &size; args.num_dims = 1;
                           args.element_type = PJRT_Buffer_Type_S32)
                          .out_buffer;
  CHECK(KindOf(bits) == "pinned_host");
  CHECK(CALL(Buffer_Device, args.buffer = bits).device == second);
  PJRT_Buffer* empty = CALL(Client_CreateUninitializedBuffer, args.client = client.get();
                            args.memory = pinned; args.shape_dims = &size; args.shape_num_dims = 1;
                            args.shape_element_type = PJRT_Buffer_Type_F32)
                           .buffer;
  CHECK(KindOf(empty) == "pinned_host");
  CHECK(ERROR_OF(Client_CreateUninitializedBuffer, args.client = client.get(); args.memory = pinned;
                 args.device = first) == "INVALID_ARGUMENT: memory 4 is not one of device 0");
  for (PJRT_Buffer* each : {b, unpinned, copy, bits, empty}) Destroy(each);
}

constexpr std::string_view kKinds = R"(
func.func @main(%x: tensor<2xf32> {mhlo.memory_kind = "pinned_host"}, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32> {mhlo.memory_kind = "unpinned_host"}) {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0, %x : tensor<2xf32>, tensor<2xf32>
})";

void CheckKinds(const TestClient& client, PJRT_LoadedExecutable* loaded) {
  PJRT_Executable* e =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  const auto parameters = CALL(Executable_ParameterMemoryKinds, args.executable = e);
  REQUIRE(parameters.num_parameters == 2);
  CHECK(std::string(parameters.memory_kinds[0], parameters.memory_kind_sizes[0]) == "pinned_host");
  CHECK(std::string(parameters.memory_kinds[1], parameters.memory_kind_sizes[1]) == "device");
  const auto results = CALL(Executable_OutputMemoryKinds, args.executable = e);
  REQUIRE(results.num_outputs == 2);
  CHECK(std::string(results.memory_kinds[0], results.memory_kind_sizes[0]) == "device");
  CHECK(std::string(results.memory_kinds[1], results.memory_kind_sizes[1]) == "unpinned_host");
  CALL(Executable_Destroy, args.executable = e);

  PJRT_Buffer* x = VectorIn(client, MemoryOf(client.device(), 1), kValues);
  PJRT_Buffer* y = client.Vector(kValues);
  const std::vector<PJRT_Buffer*> out = Run(loaded, {x, y}, 2);
  CHECK(KindOf(out[0]) == "device");
  CHECK(KindOf(out[1]) == "unpinned_host");
  CHECK(ValuesOf(out[0]) == std::vector<float>{2, 4});
  CHECK(ValuesOf(out[1]) == kValues);
  for (PJRT_Buffer* b : {x, y, out[0], out[1]}) Destroy(b);
}

TEST_CASE("a program states the memories of its arguments and results") {
  TestClient client;
  PJRT_LoadedExecutable* loaded = client.Compile(kKinds);
  CheckKinds(client, loaded);
  // It is loaded again with them, without being read.
  PJRT_Executable* e =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  auto bytes = CALL(Executable_Serialize, args.executable = e);
  std::string copy(bytes.serialized_bytes, bytes.serialized_bytes_size);
  bytes.serialized_executable_deleter(bytes.serialized_executable);
  const size_t program = copy.rfind("func.func");
  REQUIRE(program != std::string::npos);
  copy[program] = '!';
  PJRT_LoadedExecutable* again =
      CALL(Executable_DeserializeAndLoad, args.client = client.get();
           args.serialized_executable = copy.data(); args.serialized_executable_size = copy.size())
          .loaded_executable;
  CheckKinds(client, again);
  CALL(Executable_Destroy, args.executable = e);
  Destroy(again);
  Destroy(loaded);
}

TEST_CASE("a memory that no device has is refused") {
  TestClient client;
  std::string text(kKinds);
  text.replace(text.find("unpinned_host"), 13, "attic");
  auto program = Make<PJRT_Program>();
  program.code = text.data();
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  CHECK(ERROR_OF(Client_Compile, args.client = client.get(); args.program = &program) ==
        "INVALID_ARGUMENT: mhlo.memory_kind: a device of the platform sinter_cpu has no memory "
        "attic");
}

}  // namespace
}  // namespace sinter::plugin_test
