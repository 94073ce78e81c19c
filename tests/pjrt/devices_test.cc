// Clients of several devices, and executables that run on several.
#include "plugin.h"

namespace sinter::plugin_test {
namespace {

constexpr const char* kSum = R"(module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";
// Two replicas, on devices 3 and 1.
constexpr std::string_view kOnTwo(
    "\x1a\x0e\x20\x02\x4a\x0a\x08\x02\x10\x01\x1a\x04\x0a\x02\x03\x01", 16);

PJRT_Buffer* VectorOn(PJRT_Client* client, PJRT_Device* device, const std::vector<float>& values) {
  int64_t size = static_cast<int64_t>(values.size());
  auto made = CALL(Client_BufferFromHostBuffer, args.client = client; args.device = device;
                   args.data = values.data(); args.type = PJRT_Buffer_Type_F32; args.dims = &size;
                   args.num_dims = 1);
  Await(made.done_with_host_buffer);
  return made.buffer;
}

TEST_CASE("a client of several devices lists them, and buffers are on them") {
  TestClient client({Named("devices", 4), Named("threads", 2)});
  const auto devices = CALL(Client_Devices, args.client = client.get());
  REQUIRE(devices.num_devices == 4);
  const auto memories = CALL(Client_AddressableMemories, args.client = client.get());
  REQUIRE(memories.num_addressable_memories == 12);  // three a device
  for (int n = 0; n < 4; ++n) {
    PJRT_Device* device = devices.devices[n];
    PJRT_DeviceDescription* d =
        CALL(Device_GetDescription, args.device = device).device_description;
    CHECK(CALL(DeviceDescription_Id, args.device_description = d).id == n);
    CHECK(CALL(Device_LocalHardwareId, args.device = device).local_hardware_id == n);
    CHECK(CALL(Client_LookupDevice, args.client = client.get(); args.id = n).device == device);
    CHECK(
        CALL(Client_LookupAddressableDevice, args.client = client.get(); args.local_hardware_id = n)
            .addressable_device == device);
    PJRT_Memory* memory = CALL(Device_DefaultMemory, args.device = device).memory;
    CHECK(memory == memories.addressable_memories[3 * n]);
    CHECK(CALL(Memory_Id, args.memory = memory).id == 3 * n);
    const auto of = CALL(Memory_AddressableByDevices, args.memory = memory);
    REQUIRE(of.num_devices == 1);
    CHECK(of.devices[0] == device);

    PJRT_Buffer* x = VectorOn(client.get(), device, {1, 2});
    CHECK(CALL(Buffer_Device, args.buffer = x).device == device);
    CHECK(CALL(Buffer_Memory, args.buffer = x).memory == memory);
    PJRT_Device* other = devices.devices[(n + 1) % 4];
    PJRT_Buffer* copy =
        CALL(Buffer_CopyToDevice, args.buffer = x; args.dst_device = other).dst_buffer;
    CHECK(CALL(Buffer_Device, args.buffer = copy).device == other);
    CHECK(ValuesOf(copy) == std::vector<float>{1, 2});
    Destroy(x);
    Destroy(copy);
  }
  int assignment[4] = {};
  CALL(Client_DefaultDeviceAssignment, args.client = client.get(); args.num_replicas = 2;
       args.num_partitions = 2; args.default_assignment_size = 4;
       args.default_assignment = assignment);
  CHECK(std::vector<int>(assignment, assignment + 4) == std::vector<int>{0, 1, 2, 3});
  CHECK(ERROR_OF(Client_LookupDevice, args.client = client.get(); args.id = 4) ==
        "INVALID_ARGUMENT: there is no device 4; there are 4");
  TestClient another;
  CHECK(ERROR_OF(Client_DefaultDeviceAssignment, args.client = another.get(); args.num_replicas = 2;
                 args.num_partitions = 1)
            .find("do not fit on 1 devices") != std::string::npos);
}

TEST_CASE("an executable runs on its devices in one call") {
  TestClient client({Named("devices", 4), Named("threads", 2)});
  PJRT_LoadedExecutable* f = client.Compile(kSum, kOnTwo);
  const auto devices = CALL(LoadedExecutable_AddressableDevices, args.executable = f);
  REQUIRE(devices.num_addressable_devices == 2);
  const auto all = CALL(Client_Devices, args.client = client.get());
  CHECK(devices.addressable_devices[0] == all.devices[3]);
  CHECK(devices.addressable_devices[1] == all.devices[1]);
  const auto ids = CALL(LoadedExecutable_AddressableDeviceLogicalIds, args.executable = f);
  REQUIRE(ids.num_addressable_device_logical_ids == 2);
  CHECK(ids.addressable_device_logical_ids[1].replica == 1);
  PJRT_Executable* e = CALL(LoadedExecutable_GetExecutable, args.loaded_executable = f).executable;
  CHECK(CALL(Executable_NumReplicas, args.executable = e).num_replicas == 2);
  CALL(Executable_Destroy, args.executable = e);
  auto given = CALL(LoadedExecutable_GetDeviceAssignment, args.executable = f);
  CHECK(std::string_view(given.serialized_bytes, given.serialized_bytes_size) == kOnTwo.substr(6));
  given.serialized_device_assignment_deleter(given.serialized_device_assignment);

  PJRT_Buffer *x = VectorOn(client.get(), all.devices[3], {1, 2}),
              *y = VectorOn(client.get(), all.devices[1], {10, 20});
  PJRT_Buffer *const first[] = {x}, *const second[] = {y};
  PJRT_Buffer* const* lists[] = {first, second};
  PJRT_Buffer *sum[1], *same[1];
  PJRT_Buffer** outputs[] = {sum, same};
  PJRT_Event* done[2];
  auto options = Make<PJRT_ExecuteOptions>();
  auto run = [&](auto set) {
    auto args = Make<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = f;
    args.options = &options;
    args.argument_lists = lists;
    args.num_devices = 2;
    args.num_args = 1;
    args.output_lists = outputs;
    args.device_complete_events = done;
    set(args);
    return TextOf(Api()->PJRT_LoadedExecutable_Execute(&args));
  };
  REQUIRE(run([](auto&) {}) == "");
  Await(done[0]);
  Await(done[1]);
  CHECK(ValuesOf(sum[0]) == std::vector<float>{11, 22});
  CHECK(ValuesOf(same[0]) == std::vector<float>{11, 22});
  CHECK(CALL(Buffer_Device, args.buffer = sum[0]).device == all.devices[3]);
  CHECK(CALL(Buffer_Device, args.buffer = same[0]).device == all.devices[1]);
  CHECK(run([](auto& args) { args.num_devices = 1; }).find("the executable is of 2") !=
        std::string::npos);
  CHECK(run([&](auto& args) { args.execute_device = all.devices[1]; }).find("on device 1 alone") !=
        std::string::npos);
  std::swap(lists[0], lists[1]);
  CHECK(run([](auto&) {}).find("is on device 1, not on device 3") != std::string::npos);
  for (PJRT_Buffer* b : {x, y, sum[0], same[0]}) Destroy(b);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
