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
#include "pjrt/named_values.h"
#include "pjrt/options.h"
#include "sinter/buffer.h"
#include "sinter/client.h"
#include "sinter/event.h"
#include "sinter/executable.h"
#include "sinter/pjrt_c_api.h"
#include "sinter/pjrt_extensions.h"

// One memory a device has; its kind is the same on all.
struct PJRT_MemoryDescription {
  std::string kind = "device";
  int kind_id = 0;
};

struct PJRT_DeviceDescription {
  explicit PJRT_DeviceDescription(const std::string& platform);

  int id = 0;
  std::string kind;          // "sinter_cpu"
  std::string text;          // "SinterDevice(id=0)"
  std::string debug_string;  // with the kind
  sinter::pjrt::NamedValues attributes;
  PJRT_MemoryDescription memory;
  const PJRT_MemoryDescription* memories[1] = {&memory};
};

// A platform without a client of it: its one device, described.
struct PJRT_TopologyDescription {
  explicit PJRT_TopologyDescription(sinter::pjrt::PluginOptions o);

  const sinter::pjrt::PluginOptions options;
  PJRT_DeviceDescription device;
  PJRT_DeviceDescription* devices[1] = {&device};
  sinter::pjrt::NamedValues attributes;

  // What compiles for it, made when first needed.
  absl::StatusOr<std::shared_ptr<sinter::pjrt::ClientState>> Compiler() const;

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<sinter::pjrt::ClientState> compiler_;
};

namespace sinter::pjrt {

struct HostMemory : PJRT_Memory {
  explicit HostMemory(ClientState* owner);
  ~HostMemory();

  ClientState* const client;
  const PJRT_MemoryDescription* description;
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
  sinter::pjrt::ClientState* client;
  PJRT_DeviceDescription* description;
};

namespace sinter::pjrt {

// What a client's objects share; it lives as long as one of them.
struct ClientState {
  ClientState(PluginOptions options, std::shared_ptr<Client> c);

  const std::shared_ptr<Client> client;
  PJRT_TopologyDescription topology;
  const std::string platform_version;
  PJRT_Device device{this, &topology.device};
  HostMemory memory{this};
  PJRT_Device* devices[1] = {&device};
  PJRT_Memory* memories[1] = {&memory};
  // The device reads and writes the memory of the host.
  const bool on_host;
};

absl::StatusOr<std::shared_ptr<ClientState>> MakeClient(const PluginOptions& options);

// InvalidArgument for a device or memory of another client; null is the client's own.
absl::Status CheckPlace(const ClientState& client, const PJRT_Device* device,
                        const PJRT_Memory* memory);

// A program compiled, with what callers ask of it.
struct CompiledProgram;
absl::StatusOr<std::shared_ptr<const CompiledProgram>> CompileProgram(
    const std::shared_ptr<ClientState>& client, const PJRT_Program* program,
    std::string_view options);

PJRT_Event* NewEvent(Event event);
PJRT_Buffer* NewBuffer(std::shared_ptr<ClientState> client, Buffer buffer);

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

struct PJRT_LoadedExecutable {
  std::shared_ptr<sinter::pjrt::ClientState> client;
  // Null once it has been deleted.
  std::shared_ptr<const sinter::pjrt::CompiledProgram> Get() const {
    std::lock_guard<std::mutex> lock(mutex);
    return program;
  }

  mutable std::mutex mutex;
  std::shared_ptr<const sinter::pjrt::CompiledProgram> program;
  // Stays, since callers have been given pointers into it.
  std::shared_ptr<const std::string> fingerprint;
};

struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::map<int64_t, void*> user_data;  // by type
};

struct PJRT_AsyncTrackingEvent {
  std::string description;
};
