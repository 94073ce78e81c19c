// Topologies: a platform's one device without a client of it, which programs can be compiled for.
#include <utility>

#include "base/hash.h"
#include "pjrt/array.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/slot.h"
#include "pjrt/text.h"
#include "pjrt/wire.h"
#include "sinter/version.h"

namespace {

std::vector<std::unique_ptr<PJRT_DeviceDescription>> Describe(
    const sinter::pjrt::PluginOptions& options, std::vector<int> processes) {
  if (processes.empty()) {
    const auto each = static_cast<size_t>(sinter::pjrt::DeviceCount(options));
    for (int p = 0; p < static_cast<int>(options.num_nodes); ++p)
      processes.insert(processes.end(), each, p);
  }
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> all;
  for (int process : processes) {
    const int number = static_cast<int>(all.size());
    all.push_back(std::make_unique<PJRT_DeviceDescription>(number, process, options.platform));
  }
  return all;
}

}  // namespace

PJRT_TopologyDescription::PJRT_TopologyDescription(sinter::pjrt::PluginOptions o,
                                                   std::vector<int> processes)
    : options(std::move(o)),
      descriptions(Describe(options, std::move(processes))),
      device(*descriptions[0]) {
  for (const auto& d : descriptions) devices.push_back(d.get());
  attributes.Add("platform", options.platform);
}

absl::StatusOr<std::shared_ptr<sinter::pjrt::ClientState>> PJRT_TopologyDescription::Compiler()
    const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (compiler_ == nullptr) {
    // It only compiles: of as many devices, and of this process.
    sinter::pjrt::PluginOptions alone = options;
    alone.devices = static_cast<int64_t>(devices.size());
    alone.node_id = 0;
    alone.num_nodes = 1;
    ASSIGN_OR_RETURN(compiler_, sinter::pjrt::MakeClient(alone));
  }
  return compiler_;
}

namespace sinter::pjrt {
namespace {

constexpr std::string_view kPlatformName = "sinter";
constexpr std::string_view kMagic = "sinter topology ";

const std::string& PlatformVersion() {
  static const std::string* version = new std::string(std::string("sinter ") + Version());
  return *version;
}

std::string Serialize(const PJRT_TopologyDescription& topology) {
  return std::string(kMagic) + Version() + "\n" + ToString(topology.options);
}

}  // namespace

absl::Status Handle(PJRT_TopologyDescription_Create_Args& args) {
  ASSIGN_OR_RETURN(PluginOptions options, ReadOptions(args.create_options, args.num_options));
  args.topology = new PJRT_TopologyDescription(std::move(options));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_Destroy_Args& args) {
  delete args.topology;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_PlatformName_Args& args) {
  SetText(kPlatformName, args.platform_name, args.platform_name_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  SetText(PlatformVersion(), args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->devices.data();
  args.num_descriptions = args.topology->devices.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_Serialize_Args& args) {
  Give(Serialize(*args.topology), args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_topology, args.serialized_topology_deleter);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_Deserialize_Args& args) {
  if (args.serialized_topology == nullptr) return InvalidArgument("no serialized topology");
  const std::string_view bytes(args.serialized_topology, args.serialized_topology_size);
  const std::string first = std::string(kMagic) + Version() + "\n";
  if (!bytes.starts_with(first))
    return InvalidArgument("the bytes are no topology that sinter {} has serialized", Version());
  PluginOptions options;
  RETURN_IF_ERROR(SetOptions(bytes.substr(first.size()), options));
  args.topology = new PJRT_TopologyDescription(std::move(options));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_Fingerprint_Args& args) {
  const std::string bytes = Serialize(*args.topology);
  args.fingerprint = HashBytes(bytes.data(), bytes.size()).low;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args& args) {
  args.memory_space_kind_ids = args.topology->device.memory_kind_ids.data();
  args.num_memory_space_kind_ids = args.topology->device.memory_kind_ids.size();
  return absl::OkStatus();
}

// The shape itself, as a ShapeProto: there is no padding and no other layout than the one asked
// for.
absl::Status Handle(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args& args) {
  const auto kinds = static_cast<int>(args.topology->device.memories.size());
  if (args.memory_space_kind_id < 0 || args.memory_space_kind_id >= kinds)
    return InvalidArgument("there is no memory of kind {}", args.memory_space_kind_id);
  ASSIGN_OR_RETURN(const Shape shape,
                   MakeShape(args.element_type, args.dims, args.num_dims, args.layout));
  const std::string proto = WriteShape(shape);
  auto* bytes = new char[proto.size()];
  proto.copy(bytes, proto.size());
  args.serialized_shape = bytes;
  args.serialized_shape_size = proto.size();
  args.serialized_shape_deleter = [](const char* holder) { delete[] holder; };
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Compile_Args& args) {
  std::shared_ptr<ClientState> client;
  if (args.client != nullptr) {
    client = args.client->state;
  } else {
    ASSIGN_OR_RETURN(client, args.topology->Compiler());
  }
  ASSIGN_OR_RETURN(
      auto program,
      CompileProgram(client, args.program, Bytes(args.compile_options, args.compile_options_size)));
  args.executable = new PJRT_Executable{std::move(program)};
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
