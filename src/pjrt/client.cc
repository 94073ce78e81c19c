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

absl::StatusOr<std::shared_ptr<Client>> MakeLibraryClient(const PluginOptions& options) {
  if (options.platform == "cuda") {
    CudaOptions cuda;
    cuda.device = static_cast<int>(options.device);
    cuda.memory_limit = options.memory_limit;
    cuda.memory_pool_limit = options.memory_pool_limit;
    cuda.cache_entries = options.cache_entries;
    cuda.custom_calls = Handlers();
    return Client::Cuda(cuda);
  }
  CpuOptions cpu;
  cpu.threads = static_cast<int>(options.threads);
  cpu.inline_execution = options.inline_execution;
  cpu.memory_limit = options.memory_limit;
  cpu.memory_pool_limit = options.memory_pool_limit;
  cpu.cache_entries = options.cache_entries;
  cpu.custom_calls = Handlers();
  return options.platform == "cpu" ? Client::Cpu(cpu) : Client::Interpreter(cpu);
}

}  // namespace

ClientState::ClientState(PluginOptions options, std::shared_ptr<Client> c)
    : client(std::move(c)),
      topology(std::move(options)),
      platform_version(std::string("sinter ") + Version()),
      on_host(topology.options.platform != "cuda") {}

absl::StatusOr<std::shared_ptr<ClientState>> MakeClient(const PluginOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, MakeLibraryClient(options));
  return std::make_shared<ClientState>(options, std::move(client));
}

absl::Status CheckPlace(const ClientState& client, const PJRT_Device* device,
                        const PJRT_Memory* memory) {
  if (device != nullptr && device != &client.device)
    return InvalidArgument("the device belongs to another client");
  if (memory != nullptr && memory != &client.memory)
    return InvalidArgument("the memory belongs to another client");
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_Create_Args& args) {
  ASSIGN_OR_RETURN(const PluginOptions options, ReadOptions(args.create_options, args.num_options));
  ASSIGN_OR_RETURN(std::shared_ptr<ClientState> state, MakeClient(options));
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
  args.process_index = 0;
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
  args.devices = args.client->state->devices;
  args.num_devices = 1;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->state->devices;
  args.num_addressable_devices = 1;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_LookupDevice_Args& args) {
  if (args.id != 0) return InvalidArgument("there is no device {}, only 0", args.id);
  args.device = &args.client->state->device;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_LookupAddressableDevice_Args& args) {
  if (args.local_hardware_id != args.client->state->topology.options.device)
    return InvalidArgument("there is no device with the hardware id {}", args.local_hardware_id);
  args.addressable_device = &args.client->state->device;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->state->memories;
  args.num_addressable_memories = 1;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  if (args.num_replicas != 1 || args.num_partitions != 1) {
    return InvalidArgument("{} replicas of {} partitions do not fit on one device",
                           args.num_replicas, args.num_partitions);
  }
  if (args.default_assignment_size < 1 || args.default_assignment == nullptr)
    return InvalidArgument("PJRT_Client_DefaultDeviceAssignment: no room for the assignment");
  args.default_assignment[0] = 0;
  return absl::OkStatus();
}

// There are no others to know of.
absl::Status Handle(PJRT_Client_UpdateGlobalProcessInfo_Args& args) {
  if (args.num_process_infos > 1) {
    return Unimplemented("PJRT_Client_UpdateGlobalProcessInfo: {} processes; a client is of one",
                         args.num_process_infos);
  }
  return absl::OkStatus();
}

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
