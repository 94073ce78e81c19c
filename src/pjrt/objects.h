// The objects that callers of the C API hold: a struct behind each name.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "pjrt/key_value_store.h"
#include "pjrt/named_values.h"
#include "pjrt/options.h"
#include "sinter/buffer.h"
#include "sinter/client.h"
#include "sinter/event.h"
#include "sinter/executable.h"
#include "sinter/pjrt_c_api.h"
#include "sinter/pjrt_extensions.h"

// A memory of a device; all devices have the same kinds. Its number among them is the kind's id,
// and 0 is the default.
struct PJRT_MemoryDescription {
  std::string kind;
  int kind_id = 0;
};

struct PJRT_DeviceDescription {
  PJRT_DeviceDescription(int number, int of_process, const std::string& platform);

  const int id;  // the client's number of the device
  const int process;
  std::string kind;          // "sinter_cpu"
  std::string text;          // "SinterDevice(id=0)"
  std::string debug_string;  // with the kind
  sinter::pjrt::NamedValues attributes;
  std::vector<PJRT_MemoryDescription> memories;
  std::vector<const PJRT_MemoryDescription*> memory_pointers;
  std::vector<int> memory_kind_ids;
};

// A platform without a client of it: its devices, described.
struct PJRT_TopologyDescription {
  // `processes`: of each device; empty: as the options say.
  explicit PJRT_TopologyDescription(sinter::pjrt::PluginOptions o, std::vector<int> processes = {});

  const sinter::pjrt::PluginOptions options;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> descriptions;
  std::vector<PJRT_DeviceDescription*> devices;
  PJRT_DeviceDescription& device;  // the first: all are alike
  sinter::pjrt::NamedValues attributes;

  // What compiles for it, made when first needed.
  absl::StatusOr<std::shared_ptr<sinter::pjrt::ClientState>> Compiler() const;

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<sinter::pjrt::ClientState> compiler_;
};

namespace sinter::pjrt {

struct HostMemory : PJRT_Memory {
  HostMemory(PJRT_Device* of, const PJRT_MemoryDescription* described);
  ~HostMemory();

  PJRT_Device* const device;
  const PJRT_MemoryDescription* description;
  const int id;  // unique in the client
  std::string text, debug_string;

  // What the host keeps here by its own keys.
  struct UserData {
    void* data = nullptr;
    void (*destroy)(void*) = nullptr;
  };
  std::mutex mutex;
  std::map<const void*, UserData> user_data;
};

}  // namespace sinter::pjrt

struct PJRT_Device {
  PJRT_Device(sinter::pjrt::ClientState* c, PJRT_DeviceDescription* d);

  sinter::pjrt::ClientState* client;
  PJRT_DeviceDescription* description;
  std::vector<std::unique_ptr<sinter::pjrt::HostMemory>> owned_memories;
  std::vector<PJRT_Memory*> memories;
};

namespace sinter::pjrt {

// What a client's objects share; it lives as long as one of them.
struct ClientState {
  ClientState(PluginOptions options, std::shared_ptr<Client> c);

  const std::shared_ptr<Client> client;
  PJRT_TopologyDescription topology;
  const std::string platform_version;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;  // those of the first device, of the second, ...
  // Of this process.
  std::vector<PJRT_Device*> local_devices;
  std::vector<PJRT_Memory*> local_memories;
  // The device reads and writes the memory of the host.
  const bool on_host;
};

absl::StatusOr<std::shared_ptr<ClientState>> MakeClient(const PluginOptions& options,
                                                        const KeyValueStore& store = {});

// Where an array is: the numbers of a device and of one of its memories.
struct Place {
  int device = 0;
  int memory = 0;
};
// The memory, or the default one of the device, or that of the first device where both are null.
// InvalidArgument for those of another client.
absl::StatusOr<Place> PlaceOf(const ClientState& client, const PJRT_Device* device,
                              const PJRT_Memory* memory);

// The driver's number of a GPU, else the device's place among those of its process.
int HardwareId(const PJRT_Device& device);

// A program compiled, with what callers ask of it.
struct CompiledProgram;
absl::StatusOr<std::shared_ptr<const CompiledProgram>> CompileProgram(
    const std::shared_ptr<ClientState>& client, const PJRT_Program* program,
    std::string_view options);

PJRT_Event* NewEvent(Event event);
// `memory`: the number of the memory of the buffer's device.
PJRT_Buffer* NewBuffer(std::shared_ptr<ClientState> client, Buffer buffer, int memory);

}  // namespace sinter::pjrt

struct PJRT_Event {
  sinter::Event event;
  // Only of those that the host has made.
  std::optional<sinter::Promise> promise;
  std::atomic<bool> is_set{false};
};

struct PJRT_Client {
  std::shared_ptr<sinter::pjrt::ClientState> state;
};

struct PJRT_Buffer {
  std::shared_ptr<sinter::pjrt::ClientState> client;
  sinter::Buffer buffer;
  int memory = 0;  // the number of its device's memory

  // The orders of dimensions that callers have been given pointers to, and the hold on the contents
  // while there are external references.
  std::mutex mutex;
  std::vector<int64_t> minor_to_major;
  int64_t external_references = 0;
  std::shared_ptr<const void> held;
};

struct PJRT_Executable {
  std::shared_ptr<const sinter::pjrt::CompiledProgram> program;
};

namespace sinter::pjrt {

// Where a program's participants run, in their order; and of those that are in this process.
struct Places {
  int64_t replicas = 1, partitions = 1;
  std::vector<PJRT_Device*> all;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> ids;
};

}  // namespace sinter::pjrt

struct PJRT_LoadedExecutable {
  std::shared_ptr<sinter::pjrt::ClientState> client;
  // Null once it has been deleted.
  std::shared_ptr<const sinter::pjrt::CompiledProgram> Get() const {
    std::lock_guard<std::mutex> lock(mutex);
    return program;
  }

  mutable std::mutex mutex;
  std::shared_ptr<const sinter::pjrt::CompiledProgram> program;
  // Stay, since callers have been given pointers into them.
  std::shared_ptr<const std::string> fingerprint;
  std::shared_ptr<sinter::pjrt::Places> places;
};

struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::map<int64_t, void*> user_data;  // by type
};

struct PJRT_AsyncTrackingEvent {
  std::string description;
};
