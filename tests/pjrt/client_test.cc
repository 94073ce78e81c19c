// Clients, devices, memories and topologies.
#include <cstdlib>
#include <cstring>

#include "plugin.h"
#include "sinter/pjrt_extensions.h"

namespace sinter::plugin_test {
namespace {

std::string CreateError(std::vector<PJRT_NamedValue> options) {
  return ERROR_OF(Client_Create, args.create_options = options.data();
                  args.num_options = options.size());
}

TEST_CASE("options of clients are named") {
  TestClient client({Named("platform", "cpu"), Named("threads", "1"),
                     Named("memory_limit", 1 << 20), Named("cache_entries", 3)});
  const auto stats = CALL(Device_MemoryStats, args.device = client.device());
  CHECK(stats.bytes_limit_is_set);
  CHECK(stats.bytes_limit == 1 << 20);
  CHECK(CreateError({Named("platform", "abacus")}) ==
        "INVALID_ARGUMENT: the option platform takes cpu, cuda or interpreter");
  CHECK(CreateError({Named("threads", "many")}) ==
        "INVALID_ARGUMENT: the option threads takes an integer");
  CHECK(CreateError({Named("threads", -1)}) ==
        "INVALID_ARGUMENT: the option threads is -1, out of range");
  CHECK(CreateError({Named("colour", "red")}).find("INVALID_ARGUMENT: unknown option colour") == 0);
  CHECK(CreateError({PJRT_NamedValue{}}) == "INVALID_ARGUMENT: named value 0 has no name");
  CHECK(ERROR_OF(Client_Create, args.num_options = 1) ==
        "INVALID_ARGUMENT: 1 named values at null");
}

TEST_CASE("the environment overrides options of clients") {
  setenv("SINTER_PJRT_OPTIONS", "threads=1,memory_limit=4096", 1);
  {
    TestClient client({Named("memory_limit", 1)});
    CHECK(CALL(Device_MemoryStats, args.device = client.device()).bytes_limit == 4096);
  }
  setenv("SINTER_PJRT_OPTIONS", "threads", 1);
  CHECK(CreateError({}) ==
        "INVALID_ARGUMENT: SINTER_PJRT_OPTIONS: an option without a value: threads");
  unsetenv("SINTER_PJRT_OPTIONS");
}

TEST_CASE("a client has one device with its memories") {
  TestClient client;
  PJRT_Client* c = client.get();
  const auto name = CALL(Client_PlatformName, args.client = c);
  CHECK(std::string(name.platform_name, name.platform_name_size) == "sinter");
  const auto version = CALL(Client_PlatformVersion, args.client = c);
  CHECK(std::string(version.platform_version, version.platform_version_size).find("sinter ") == 0);
  CHECK(CALL(Client_ProcessIndex, args.client = c).process_index == 0);
  const auto devices = CALL(Client_Devices, args.client = c);
  REQUIRE(devices.num_devices == 1);
  PJRT_Device* device = client.device();
  CHECK(devices.devices[0] == device);
  CHECK(CALL(Client_LookupDevice, args.client = c; args.id = 0).device == device);
  CHECK(CALL(Client_LookupAddressableDevice, args.client = c).addressable_device == device);
  CHECK(ERROR_OF(Client_LookupAddressableDevice, args.client = c; args.local_hardware_id = 3) ==
        "INVALID_ARGUMENT: there is no device with the hardware id 3");
  const auto memories = CALL(Client_AddressableMemories, args.client = c);
  REQUIRE(memories.num_addressable_memories == 3);
  CHECK(memories.addressable_memories[0] == client.memory());
  int assignment = -1;
  CALL(Client_DefaultDeviceAssignment, args.client = c; args.num_replicas = 1;
       args.num_partitions = 1; args.default_assignment_size = 1;
       args.default_assignment = &assignment);
  CHECK(assignment == 0);
  CHECK(ERROR_OF(Client_DefaultDeviceAssignment, args.client = c; args.num_replicas = 2;
                 args.num_partitions = 1) ==
        "INVALID_ARGUMENT: 2 replicas of 1 partitions do not fit on 1 devices");
  CALL(Client_UpdateGlobalProcessInfo, args.client = c; args.num_process_infos = 2);
  int page[4];
  CALL(Client_DmaMap, args.client = c; args.data = page; args.size = sizeof page);
  CALL(Client_DmaUnmap, args.client = c; args.data = page);
}

TEST_CASE("devices and memories describe themselves") {
  TestClient client;
  PJRT_Device* device = client.device();
  PJRT_DeviceDescription* d = CALL(Device_GetDescription, args.device = device).device_description;
  CHECK(CALL(DeviceDescription_Id, args.device_description = d).id == 0);
  CHECK(CALL(DeviceDescription_ProcessIndex, args.device_description = d).process_index == 0);
  const auto kind = CALL(DeviceDescription_Kind, args.device_description = d);
  CHECK(std::string(kind.device_kind, kind.device_kind_size) == "sinter_cpu");
  const auto text = CALL(DeviceDescription_ToString, args.device_description = d);
  CHECK(std::string(text.to_string, text.to_string_size) == "SinterDevice(id=0)");
  const auto debug = CALL(DeviceDescription_DebugString, args.device_description = d);
  CHECK(std::string(debug.debug_string, debug.debug_string_size).find("sinter_cpu") !=
        std::string::npos);
  const auto attributes = CALL(DeviceDescription_Attributes, args.device_description = d);
  REQUIRE(attributes.num_attributes == 1);
  CHECK(std::string(attributes.attributes[0].string_value) == "cpu");
  auto own = CALL(Device_GetAttributes, args.device = device);
  CHECK(own.num_attributes == 1);
  own.attributes_deleter(own.device_attributes);
  CHECK(CALL(Device_IsAddressable, args.device = device).is_addressable);
  CHECK(CALL(Device_LocalHardwareId, args.device = device).local_hardware_id == 0);
  CHECK(CALL(Device_AddressableMemories, args.device = device).num_memories == 3);
  CALL(Device_ClearMemoryStats, args.device = device);
  const auto used = CALL(Device_MemoryStats, args.device = device);
  CHECK(used.peak_bytes_in_use == used.bytes_in_use);
  CHECK(ERROR_OF(Device_PoisonExecution, args.device = device).find("UNIMPLEMENTED") == 0);
  PJRT_AsyncTrackingEvent* tracking = CALL(Device_CreateAsyncTrackingEvent, args.device = device;
                                           args.description = "copy"; args.description_size = 4)
                                          .event;
  CALL(AsyncTrackingEvent_Destroy, args.event = tracking);

  PJRT_Memory* m = client.memory();
  CHECK(CALL(Memory_Id, args.memory = m).id == 0);
  CHECK(CALL(Memory_Kind_Id, args.memory = m).kind_id == 0);
  const auto memory_kind = CALL(Memory_Kind, args.memory = m);
  CHECK(std::string(memory_kind.kind, memory_kind.kind_size) == "device");
  CHECK(CALL(Memory_ToString, args.memory = m).to_string_size > 0);
  CHECK(CALL(Memory_DebugString, args.memory = m).debug_string_size > 0);
  const auto by = CALL(Memory_AddressableByDevices, args.memory = m);
  REQUIRE(by.num_devices == 1);
  CHECK(by.devices[0] == device);
}

int destroyed = 0;

TEST_CASE("the host keeps data of its own with a memory") {
  destroyed = 0;
  auto destroy = [](void* data) { destroyed += *static_cast<int*>(data); };
  static int one = 1, ten = 10, key;
  {
    TestClient client;
    PJRT_Memory* m = client.memory();
    CHECK(m->vtable->get_user_data(m, &key) == nullptr);
    m->vtable->set_user_data(m, &key, &one, destroy);
    CHECK(m->vtable->get_user_data(m, &key) == &one);
    m->vtable->set_user_data(m, &key, &ten, destroy);
    CHECK(destroyed == 1);
  }
  CHECK(destroyed == 11);
}

TEST_CASE("a topology describes a platform without a client") {
  const PJRT_NamedValue option = Named("threads", 1);
  PJRT_TopologyDescription* t =
      CALL(TopologyDescription_Create, args.create_options = &option; args.num_options = 1)
          .topology;
  const auto name = CALL(TopologyDescription_PlatformName, args.topology = t);
  CHECK(std::string(name.platform_name, name.platform_name_size) == "sinter");
  CHECK(CALL(TopologyDescription_PlatformVersion, args.topology = t).platform_version_size > 0);
  CHECK(CALL(TopologyDescription_GetDeviceDescriptions, args.topology = t).num_descriptions == 1);
  CHECK(CALL(TopologyDescription_Attributes, args.topology = t).num_attributes == 1);
  CHECK(CALL(TopologyDescription_GetMemorySpaceKindIds, args.topology = t)
            .num_memory_space_kind_ids == 3);
  CHECK(ERROR_OF(TopologyDescription_MakeCanonicalShapeForMemorySpace, args.topology = t;
                 args.element_type = PJRT_Buffer_Type_F32; args.memory_space_kind_id = 3) ==
        "INVALID_ARGUMENT: there is no memory of kind 3");
  const int64_t dims[] = {2, 3};
  auto shape = CALL(TopologyDescription_MakeCanonicalShapeForMemorySpace, args.topology = t;
                    args.dims = dims; args.num_dims = 2; args.element_type = PJRT_Buffer_Type_F32);
  CHECK(std::string(shape.serialized_shape, shape.serialized_shape_size) ==
        std::string("\x10\x0b\x1a\x02\x02\x03\x2a\x04\x0a\x02\x01\x00", 12));
  shape.serialized_shape_deleter(shape.serialized_shape);

  auto bytes = CALL(TopologyDescription_Serialize, args.topology = t);
  PJRT_TopologyDescription* again =
      CALL(TopologyDescription_Deserialize, args.serialized_topology = bytes.serialized_bytes;
           args.serialized_topology_size = bytes.serialized_bytes_size)
          .topology;
  CHECK(CALL(TopologyDescription_Fingerprint, args.topology = t).fingerprint ==
        CALL(TopologyDescription_Fingerprint, args.topology = again).fingerprint);
  CHECK(ERROR_OF(TopologyDescription_Deserialize, args.serialized_topology = "x";
                 args.serialized_topology_size = 1)
            .find("INVALID_ARGUMENT: the bytes are no topology") == 0);
  bytes.serialized_topology_deleter(bytes.serialized_topology);

  // Compiled for it, loaded by a client.
  const std::string text = Axpy(4);
  auto program = Make<PJRT_Program>();
  program.code = const_cast<char*>(text.data());
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  PJRT_Executable* executable =
      CALL(Compile, args.topology = again; args.program = &program).executable;
  TestClient client;
  PJRT_LoadedExecutable* loaded =
      CALL(Client_Load, args.client = client.get(); args.executable = executable).loaded_executable;
  PJRT_Buffer* x = client.Vector({1, 2, 3, 4});
  PJRT_Buffer* sum = Run(loaded, {x, x})[0];
  CHECK(ValuesOf(sum) == std::vector<float>{3, 6, 9, 12});
  Destroy(sum);
  Destroy(x);
  Destroy(loaded);
  CALL(Executable_Destroy, args.executable = executable);
  CALL(TopologyDescription_Destroy, args.topology = again);
  CALL(TopologyDescription_Destroy, args.topology = t);
}

template <class Extension>
const Extension* Find(PJRT_Extension_Type type) {
  for (const PJRT_Extension_Base* e = Api()->extension_start; e != nullptr; e = e->next) {
    if (e->type == type) {
      CHECK(e->struct_size == sizeof(Extension));
      return reinterpret_cast<const Extension*>(e);
    }
  }
  return nullptr;
}

TEST_CASE("memories of described devices") {
  const auto* e = Find<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions);
  REQUIRE(e != nullptr);
  TestClient client;
  auto memories = Make<PJRT_DeviceDescription_MemoryDescriptions_Args>();
  memories.device_description =
      CALL(Device_GetDescription, args.device = client.device()).device_description;
  REQUIRE(TextOf(e->PJRT_DeviceDescription_MemoryDescriptions(&memories)) == "");
  REQUIRE(memories.num_memory_descriptions == 3);
  CHECK(memories.default_memory_index == 0);
  const char* const names[] = {"device", "pinned_host", "unpinned_host"};
  for (int n = 0; n < 3; ++n) {
    auto kind = Make<PJRT_MemoryDescription_Kind_Args>();
    kind.memory_description = memories.memory_descriptions[n];
    CHECK(TextOf(e->PJRT_MemoryDescription_Kind(&kind)) == "");
    CHECK(std::string(kind.kind, kind.kind_size) == names[n]);
    CHECK(kind.kind_id == n);
  }
  memories.struct_size = 8;
  CHECK(TextOf(e->PJRT_DeviceDescription_MemoryDescriptions(&memories)) ==
        "INVALID_ARGUMENT: struct_size is 8, expected 48");
}

TEST_CASE("a program that is not partitioned has no shardings") {
  const auto* e = Find<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings);
  REQUIRE(e != nullptr);
  TestClient client;
  PJRT_LoadedExecutable* loaded = client.Compile(Axpy(4));
  PJRT_Executable* executable =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  auto parameters = Make<PJRT_Shardings_PJRT_Executable_ParameterShardings_Args>();
  parameters.executable = executable;
  REQUIRE(TextOf(e->PJRT_Shardings_PJRT_Executable_ParameterShardings(&parameters)) == "");
  CHECK(parameters.shardings == nullptr);
  CHECK(parameters.sharding_sizes == nullptr);
  auto results = Make<PJRT_Shardings_PJRT_Executable_OutputShardings_Args>();
  CHECK(TextOf(e->PJRT_Shardings_PJRT_Executable_OutputShardings(&results)) != "");
  results.executable = executable;
  REQUIRE(TextOf(e->PJRT_Shardings_PJRT_Executable_OutputShardings(&results)) == "");
  CHECK(results.shardings == nullptr);
  CALL(Executable_Destroy, args.executable = executable);
  Destroy(loaded);
}

TEST_CASE("layouts are orders of dimensions") {
  const auto* e = Find<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  REQUIRE(e != nullptr);
  TestClient client;
  auto text = [&](PJRT_Layouts_MemoryLayout* layout) {
    auto serialize = Make<PJRT_Layouts_MemoryLayout_Serialize_Args>();
    serialize.layout = layout;
    REQUIRE(TextOf(e->PJRT_Layouts_MemoryLayout_Serialize(&serialize)) == "");
    std::string out(serialize.serialized_bytes, serialize.serialized_bytes_size);
    serialize.serialized_layout_deleter(serialize.serialized_layout);
    return out;
  };
  auto destroy = [&](PJRT_Layouts_MemoryLayout* layout) {
    auto args = Make<PJRT_Layouts_MemoryLayout_Destroy_Args>();
    args.layout = layout;
    CHECK(TextOf(e->PJRT_Layouts_MemoryLayout_Destroy(&args)) == "");
  };
  const int64_t dims[] = {2, 3};
  auto of_client = Make<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
  of_client.client = client.get();
  of_client.type = PJRT_Buffer_Type_F32;
  of_client.dims = dims;
  of_client.num_dims = 2;
  REQUIRE(TextOf(e->PJRT_Layouts_PJRT_Client_GetDefaultLayout(&of_client)) == "");
  CHECK(text(of_client.layout) == "{1,0}");
  destroy(of_client.layout);
  auto of_topology = Make<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>();
  of_topology.topology_description =
      CALL(Client_TopologyDescription, args.client = client.get()).topology;
  of_topology.type = PJRT_Buffer_Type_F32;
  REQUIRE(TextOf(e->PJRT_Layouts_PJRT_Topology_GetDefaultLayout(&of_topology)) == "");
  CHECK(text(of_topology.layout) == "{}");
  destroy(of_topology.layout);
  auto of_buffer = Make<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>();
  of_buffer.buffer = client.Vector({1, 2});
  REQUIRE(TextOf(e->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&of_buffer)) == "");
  CHECK(text(of_buffer.layout) == "{0}");
  destroy(of_buffer.layout);
  Destroy(of_buffer.buffer);
  PJRT_LoadedExecutable* loaded = client.Compile(Axpy(4));
  PJRT_Executable* executable =
      CALL(LoadedExecutable_GetExecutable, args.loaded_executable = loaded).executable;
  auto results = Make<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>();
  results.executable = executable;
  REQUIRE(TextOf(e->PJRT_Layouts_PJRT_Executable_GetOutputLayouts(&results)) == "");
  REQUIRE(results.num_outputs == 1);
  CHECK(text(results.layouts[0]) == "{0}");
  auto parameters = Make<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>();
  parameters.executable = executable;
  REQUIRE(TextOf(e->PJRT_Layouts_PJRT_Executable_GetParameterLayouts(&parameters)) == "");
  CHECK(parameters.num_parameters == 2);
  CALL(Executable_Destroy, args.executable = executable);
  Destroy(loaded);
}

}  // namespace
}  // namespace sinter::plugin_test
