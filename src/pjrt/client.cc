#include "sinter/client.h"

#include <algorithm>
#include <utility>

#include "pjrt/ffi.h"
#include "pjrt/objects.h"
#include "pjrt/slot.h"
#include "pjrt/text.h"
#include "sinter/version.h"

namespace sinter::pjrt {
namespace {

constexpr std::string_view kPlatformName = "sinter";

absl::StatusOr<std::shared_ptr<Client>> MakeLibraryClient(const PluginOptions& options,
                                                          const KeyValueStore& store) {
  if (options.platform == "cuda") {
    if (options.num_nodes > 1)
      return Unimplemented("platform=cuda: {} processes; a client is of one", options.num_nodes);
    CudaOptions cuda;
    cuda.device = static_cast<int>(options.device);
    cuda.memory_limit = options.memory_limit;
    cuda.memory_pool_limit = options.memory_pool_limit;
    cuda.cache_entries = options.cache_entries;
    cuda.custom_calls = Handlers();
    return Client::Cuda(cuda);
  }
  CpuOptions cpu;
  cpu.devices = DeviceCount(options);
  cpu.distributed =
      ProcessesOf(store, static_cast<int>(options.node_id), static_cast<int>(options.num_nodes));
  cpu.collective_timeout = options.collective_timeout;
  cpu.threads = static_cast<int>(options.threads);
  cpu.inline_execution = options.inline_execution;
  cpu.memory_limit = options.memory_limit;
  cpu.memory_pool_limit = options.memory_pool_limit;
  cpu.cache_entries = options.cache_entries;
  cpu.custom_calls = Handlers();
  return options.platform == "cpu" ? Client::Cpu(cpu) : Client::Interpreter(cpu);
}

std::vector<int> ProcessesOfDevices(const Client& client) {
  std::vector<int> processes;
  for (int d = 0; d < client.device_count(); ++d) processes.push_back(client.process_of(d));
  return processes;
}

}  // namespace

int HardwareId(const PJRT_Device& device) {
  const ClientState& client = *device.client;
  if (client.topology.options.platform == "cuda")
    return static_cast<int>(client.topology.options.device);
  const auto of_same = [&](const PJRT_Device* other) {
    return other->description->process == device.description->process;
  };
  const auto first = std::find_if(client.devices.begin(), client.devices.end(), of_same);
  return device.description->id - (*first)->description->id;
}

ClientState::ClientState(PluginOptions options, std::shared_ptr<Client> c)
    : client(std::move(c)),
      topology(std::move(options), ProcessesOfDevices(*client)),
      platform_version(std::string("sinter ") + Version()),
      on_host(topology.options.platform != "cuda") {
  for (PJRT_DeviceDescription* description : topology.devices) {
    owned_devices.push_back(std::make_unique<PJRT_Device>(this, description));
    devices.push_back(owned_devices.back().get());
    const std::vector<PJRT_Memory*>& own = devices.back()->memories;
    memories.insert(memories.end(), own.begin(), own.end());
    if (description->process != client->process_id()) continue;
    local_devices.push_back(devices.back());
    local_memories.insert(local_memories.end(), own.begin(), own.end());
  }
}

absl::StatusOr<std::shared_ptr<ClientState>> MakeClient(const PluginOptions& options,
                                                        const KeyValueStore& store) {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, MakeLibraryClient(options, store));
  return std::make_shared<ClientState>(options, std::move(client));
}

absl::StatusOr<Place> PlaceOf(const ClientState& client, const PJRT_Device* device,
                              const PJRT_Memory* memory) {
  if (device != nullptr && device->client != &client)
    return InvalidArgument("the device belongs to another client");
  if (memory == nullptr)
    return Place{(device == nullptr ? client.local_devices[0] : device)->description->id, 0};
  if (std::find(client.memories.begin(), client.memories.end(), memory) == client.memories.end())
    return InvalidArgument("the memory belongs to another client");
  const auto& m = *static_cast<const HostMemory*>(memory);
  if (device != nullptr && m.device != device) {
    return InvalidArgument("memory {} is not one of device {}", m.id, device->description->id);
  }
  return Place{m.device->description->id, m.description->kind_id};
}

absl::Status Handle(PJRT_Client_Create_Args& args) {
  ASSIGN_OR_RETURN(const PluginOptions options, ReadOptions(args.create_options, args.num_options));
  ASSIGN_OR_RETURN(std::shared_ptr<ClientState> state,
                   MakeClient(options, {args.kv_get_callback, args.kv_get_user_arg,
                                        args.kv_put_callback, args.kv_put_user_arg}));
  args.client = new PJRT_Client{std::move(state)};
  return absl::OkStatus();
}

// Buffers, executables and what runs keep what they need of it.
absl::Status Handle(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_PlatformName_Args& args) {
  SetText(kPlatformName, args.platform_name, args.platform_name_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = args.client->state->client->process_id();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_PlatformVersion_Args& args) {
  SetText(args.client->state->platform_version, args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->state->topology;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->state->devices.data();
  args.num_devices = args.client->state->devices.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->state->local_devices.data();
  args.num_addressable_devices = args.client->state->local_devices.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_LookupDevice_Args& args) {
  const auto& devices = args.client->state->devices;
  if (args.id < 0 || static_cast<size_t>(args.id) >= devices.size())
    return InvalidArgument("there is no device {}; there are {}", args.id, devices.size());
  args.device = devices[static_cast<size_t>(args.id)];
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_LookupAddressableDevice_Args& args) {
  for (PJRT_Device* device : args.client->state->local_devices) {
    if (args.local_hardware_id != HardwareId(*device)) continue;
    args.addressable_device = device;
    return absl::OkStatus();
  }
  return InvalidArgument("there is no device with the hardware id {}", args.local_hardware_id);
}

absl::Status Handle(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->state->local_memories.data();
  args.num_addressable_memories = args.client->state->local_memories.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const auto devices = static_cast<int64_t>(args.client->state->devices.size());
  const int64_t replicas = args.num_replicas, partitions = args.num_partitions;
  if (replicas < 1 || partitions < 1 || replicas * partitions > devices) {
    return InvalidArgument("{} replicas of {} partitions do not fit on {} devices", replicas,
                           partitions, devices);
  }
  const int64_t count = replicas * partitions;
  if (static_cast<int64_t>(args.default_assignment_size) < count ||
      args.default_assignment == nullptr)
    return InvalidArgument("PJRT_Client_DefaultDeviceAssignment: no room for the assignment");
  for (int64_t n = 0; n < count; ++n) args.default_assignment[n] = static_cast<int>(n);
  return absl::OkStatus();
}

// What the host finds out of other processes, their connections tell as well, and sooner.
absl::Status Handle(PJRT_Client_UpdateGlobalProcessInfo_Args&) { return absl::OkStatus(); }

// Where the device is the host's processor all memory is mapped already.
absl::Status Handle(PJRT_Client_DmaMap_Args& args) {
  if (args.client->state->on_host) return absl::OkStatus();
  return Unimplemented("PJRT_Client_DmaMap");
}
absl::Status Handle(PJRT_Client_DmaUnmap_Args& args) {
  if (args.client->state->on_host) return absl::OkStatus();
  return Unimplemented("PJRT_Client_DmaUnmap");
}

}  // namespace sinter::pjrt
