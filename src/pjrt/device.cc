// Devices, their memories, and the descriptions of both.
#include <utility>

#include "pjrt/objects.h"
#include "pjrt/slot.h"
#include "pjrt/text.h"

PJRT_DeviceDescription::PJRT_DeviceDescription(int number, int of_process,
                                               const std::string& platform)
    : id(number),
      process(of_process),
      kind("sinter_" + platform),
      text("SinterDevice(id=" + std::to_string(id) + ")"),
      debug_string("sinter device " + std::to_string(id) + " of kind " + kind) {
  attributes.Add("platform", platform);
  // What XLA's CPU calls the parts of the host's memory; programs name them. Here they are the
  // same.
  memories.push_back({"device", 0});
  if (platform != "cuda") {
    memories.push_back({"pinned_host", 1});
    memories.push_back({"unpinned_host", 2});
  }
  for (const PJRT_MemoryDescription& m : memories) {
    memory_pointers.push_back(&m);
    memory_kind_ids.push_back(m.kind_id);
  }
}

PJRT_Device::PJRT_Device(sinter::pjrt::ClientState* c, PJRT_DeviceDescription* d)
    : client(c), description(d) {
  for (const PJRT_MemoryDescription& m : d->memories) {
    owned_memories.push_back(std::make_unique<sinter::pjrt::HostMemory>(this, &m));
    memories.push_back(owned_memories.back().get());
  }
}

namespace sinter::pjrt {
namespace {

constexpr PJRT_Memory_FunctionTable kMemoryFunctions = {
    .struct_size = sizeof(PJRT_Memory_FunctionTable),
    .extension_start = nullptr,
    .instance_struct_size = sizeof(PJRT_Memory),
    .get_user_data = [](PJRT_Memory* memory, const void* key) -> void* {
      auto* m = static_cast<HostMemory*>(memory);
      std::lock_guard<std::mutex> lock(m->mutex);
      const auto found = m->user_data.find(key);
      return found == m->user_data.end() ? nullptr : found->second.data;
    },
    .set_user_data =
        [](PJRT_Memory* memory, const void* key, void* data, void (*destroy)(void*)) {
          auto* m = static_cast<HostMemory*>(memory);
          HostMemory::UserData old{data, destroy};
          try {
            std::lock_guard<std::mutex> lock(m->mutex);
            std::swap(old, m->user_data[key]);
          } catch (const std::bad_alloc&) {
            // It is the host's to keep no longer, and cannot be kept here.
          }
          if (old.destroy != nullptr) old.destroy(old.data);
        },
};

const HostMemory& Get(const PJRT_Memory* memory) { return *static_cast<const HostMemory*>(memory); }

}  // namespace

HostMemory::HostMemory(PJRT_Device* of, const PJRT_MemoryDescription* described)
    : PJRT_Memory{&kMemoryFunctions},
      device(of),
      description(described),
      id(of->description->id * static_cast<int>(of->description->memories.size()) +
         description->kind_id),
      text("SinterMemory(id=" + std::to_string(id) + ", kind=" + description->kind + ")"),
      debug_string("memory " + std::to_string(id) + " of kind " + description->kind + " of " +
                   of->description->debug_string) {}

HostMemory::~HostMemory() {
  for (auto& [key, kept] : user_data) {
    if (kept.destroy != nullptr) kept.destroy(kept.data);
  }
}

absl::Status Handle(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->process;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_DeviceDescription_Kind_Args& args) {
  SetText(args.device_description->kind, args.device_kind, args.device_kind_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_DeviceDescription_DebugString_Args& args) {
  SetText(args.device_description->debug_string, args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_DeviceDescription_ToString_Args& args) {
  SetText(args.device_description->text, args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_GetDescription_Args& args) {
  args.device_description = args.device->description;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable =
      args.device->description->process == args.device->client->client->process_id();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = HardwareId(*args.device);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = args.device->memories[0];
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_ClearMemoryStats_Args& args) {
  args.device->client->client->ResetPeakMemory();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_MemoryStats_Args& args) {
  const MemoryStats stats = args.device->client->client->memory_stats();
  const PJRT_Device_MemoryStats_Args given = args;
  args = PJRT_Device_MemoryStats_Args{};
  args.struct_size = given.struct_size;
  args.extension_start = given.extension_start;
  args.device = given.device;
  args.bytes_in_use = stats.in_use;
  args.peak_bytes_in_use = stats.peak_in_use;
  args.peak_bytes_in_use_is_set = true;
  args.num_allocs = stats.allocations;
  args.num_allocs_is_set = true;
  args.bytes_limit = stats.limit;
  args.bytes_limit_is_set = stats.limit > 0;
  args.pool_bytes = stats.in_use + stats.pooled;
  args.pool_bytes_is_set = true;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = args.device->description->attributes.data();
  args.num_attributes = args.device->description->attributes.size();
  args.device_attributes = nullptr;  // they are the description's
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return absl::OkStatus();
}

// It marks what the host does meanwhile, for a profiler; there is none here to tell.
absl::Status Handle(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  auto event = std::make_unique<PJRT_AsyncTrackingEvent>();
  if (args.description != nullptr)
    event->description.assign(args.description, args.description_size);
  args.event = event.release();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_AsyncTrackingEvent_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_Id_Args& args) {
  args.id = Get(args.memory).id;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_Kind_Args& args) {
  SetText(Get(args.memory).description->kind, args.kind, args.kind_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = Get(args.memory).description->kind_id;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_DebugString_Args& args) {
  SetText(Get(args.memory).debug_string, args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_ToString_Args& args) {
  SetText(Get(args.memory).text, args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Memory_AddressableByDevices_Args& args) {
  const PJRT_Device& device = *Get(args.memory).device;
  args.devices = &device.client->devices[static_cast<size_t>(device.description->id)];
  args.num_devices = 1;
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
