// Executables: what callers ask of compiled programs, and how these are made and loaded again.
#include <algorithm>
#include <cstring>
#include <utility>

#include "pjrt/compile_options.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/slot.h"
#include "pjrt/text.h"
#include "pjrt/wire.h"
#include "sinter/version.h"

namespace sinter::pjrt {
namespace {

// An executable is serialized as what it was made of, by which it can be compiled again, and the
// code that it became: the fields of a protocol buffer behind a line that names the version.
constexpr std::string_view kMagic = "sinter executable ";
enum SerializedField {
  kFormat = 1,
  kCode = 2,
  kOptions = 3,
  kImage = 4,
  kParameterKind = 5,
  kResultKind = 6
};

// Whether programs compiled with these are the same code, for the same devices.
bool HaveSameCode(const CompileOptions& a, const CompileOptions& b) {
  return a.allow_contraction == b.allow_contraction &&
         a.allow_excess_precision == b.allow_excess_precision &&
         a.flush_denormals == b.flush_denormals && a.isa == b.isa &&
         a.donated_parameters == b.donated_parameters && a.disabled_passes == b.disabled_passes &&
         a.pass_limit == b.pass_limit && a.replicas == b.replicas && a.partitions == b.partitions &&
         a.device_assignment == b.device_assignment;
}

std::string FirstLine() { return std::string(kMagic) + Version() + "\n"; }

PJRT_LoadedExecutable* NewLoaded(std::shared_ptr<ClientState> client,
                                 std::shared_ptr<const CompiledProgram> program) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->client = std::move(client);
  auto places = std::make_shared<Places>();
  places->replicas = program->executable.replica_count();
  places->partitions = program->executable.partition_count();
  for (int d : program->executable.devices())
    places->all.push_back(loaded->client->devices[static_cast<size_t>(d)]);
  for (int64_t n : program->executable.local_participants()) {
    places->devices.push_back(places->all[static_cast<size_t>(n)]);
    places->ids.push_back(
        {static_cast<int>(n / places->partitions), static_cast<int>(n % places->partitions)});
  }
  loaded->places = std::move(places);
  loaded->fingerprint = std::make_shared<const std::string>(program->fingerprint);
  loaded->program = std::move(program);
  return loaded.release();
}

}  // namespace

absl::Status Handle(PJRT_Client_Compile_Args& args) {
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(
      auto program,
      CompileProgram(client, args.program, Bytes(args.compile_options, args.compile_options_size)));
  args.executable = NewLoaded(client, std::move(program));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Client_Load_Args& args) {
  if (args.executable == nullptr) return InvalidArgument("PJRT_Client_Load: no executable");
  const CompiledProgram& p = *args.executable->program;
  const std::string_view options = args.compile_options_size > 0
                                       ? Bytes(args.compile_options, args.compile_options_size)
                                       : std::string_view(p.options);
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(auto program, Compile(*client, p.code, p.format, options));
  args.loaded_executable = NewLoaded(client, std::move(program));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_Serialize_Args& args) {
  const CompiledProgram& p = *args.executable->program;
  std::string bytes = FirstLine();
  WriteBytes(kFormat, p.format, bytes);
  WriteBytes(kOptions, p.options, bytes);
  // How arguments and results are spread over partitions is known once the program is compiled.
  if (p.executable.partition_count() == 1) {
    const absl::StatusOr<std::string> image = p.executable.Serialize();
    // A client that interprets programs has none.
    if (!image.ok() && !absl::IsUnimplemented(image.status())) return image.status();
    if (image.ok()) WriteBytes(kImage, *image, bytes);
    for (const std::string& kind : p.kinds.parameters) WriteBytes(kParameterKind, kind, bytes);
    for (const std::string& kind : p.kinds.results) WriteBytes(kResultKind, kind, bytes);
  }
  WriteBytes(kCode, p.code, bytes);  // the last, so that what is cut off is no program
  Give(std::move(bytes), args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_executable, args.serialized_executable_deleter);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_DeserializeAndLoad_Args& args) {
  std::string_view bytes = Bytes(args.serialized_executable, args.serialized_executable_size);
  if (!bytes.starts_with(FirstLine()))
    return InvalidArgument("the bytes are no executable that sinter {} has serialized", Version());
  bytes.remove_prefix(FirstLine().size());
  std::string_view format, code, options, image;
  MemoryKinds kinds;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == kFormat) format = reader.bytes();
    if (reader.field() == kCode) code = reader.bytes();
    if (reader.field() == kOptions) options = reader.bytes();
    if (reader.field() == kImage) image = reader.bytes();
    if (reader.field() == kParameterKind) kinds.parameters.emplace_back(reader.bytes());
    if (reader.field() == kResultKind) kinds.results.emplace_back(reader.bytes());
  }
  RETURN_IF_ERROR(reader.status());
  if (code.empty()) return InvalidArgument("the serialized executable is cut off");
  if (args.overridden_serialized_compile_options != nullptr) {
    const std::string_view given = Bytes(args.overridden_serialized_compile_options,
                                         args.overridden_serialized_compile_options_size);
    ASSIGN_OR_RETURN(const ProgramOptions now, ReadCompileOptions(given));
    ASSIGN_OR_RETURN(const ProgramOptions then, ReadCompileOptions(options));
    if (!HaveSameCode(now.compile, then.compile)) image = {};
    options = given;
  }
  const std::shared_ptr<ClientState>& client = args.client->state;
  ASSIGN_OR_RETURN(auto program,
                   image.empty() ? Compile(*client, code, format, options)
                                 : Load(*client, image, std::move(kinds), code, format, options));
  args.loaded_executable = NewLoaded(client, std::move(program));
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_GetCompileOptions_Args& args) {
  Give(args.executable->program->options, args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_compile_options, args.serialized_compile_options_deleter);
  return absl::OkStatus();
}

// What the passes before those of the device leave: what follows is no HLO.
absl::Status Handle(PJRT_Executable_OptimizedProgram_Args& args) {
  if (args.program == nullptr)
    return InvalidArgument("PJRT_Executable_OptimizedProgram: no program");
  constexpr std::string_view kFormatOfText = "mlir";
  ASSIGN_OR_RETURN(const std::string_view text, args.executable->program->Optimized());
  args.program->format = kFormatOfText.data();
  args.program->format_size = kFormatOfText.size();
  if (args.program->code != nullptr) {
    if (args.program->code_size < text.size()) {
      return InvalidArgument("the program takes {} bytes, there is room for {}", text.size(),
                             args.program->code_size);
    }
    std::memcpy(args.program->code, text.data(), text.size());
  }
  args.program->code_size = text.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_Name_Args& args) {
  SetText(args.executable->program->name, args.executable_name, args.executable_name_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<size_t>(args.executable->program->executable.replica_count());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = static_cast<size_t>(args.executable->program->executable.partition_count());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->program->results.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = args.executable->program->executable.code_bytes();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_Fingerprint_Args& args) {
  SetText(args.executable->program->fingerprint, args.executable_fingerprint,
          args.executable_fingerprint_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_GetCostAnalysis_Args& args) {
  args.properties = args.executable->program->costs.data();
  args.num_properties = args.executable->program->costs.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const CompiledProgram& p = *args.executable->program;
  args.generated_code_size_in_bytes = p.executable.code_bytes();
  args.argument_size_in_bytes = p.parameter_bytes;
  args.output_size_in_bytes = p.result_bytes;
  args.alias_size_in_bytes = p.executable.aliased_bytes();
  args.temp_size_in_bytes = p.executable.temp_bytes();
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes = args.argument_size_in_bytes + args.output_size_in_bytes -
                              args.alias_size_in_bytes + args.temp_size_in_bytes;
  args.total_size_in_bytes = args.peak_memory_in_bytes + args.generated_code_size_in_bytes;
  args.total_allocation_bytes = args.temp_size_in_bytes;
  args.indefinite_allocations = 0;
  args.peak_unpadded_heap_bytes = args.peak_memory_in_bytes;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_OutputElementTypes_Args& args) {
  // The C API forgot that nobody writes to it.
  args.output_types = const_cast<PJRT_Buffer_Type*>(args.executable->program->types.data());
  args.num_output_types = args.executable->program->types.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_OutputDimensions_Args& args) {
  const CompiledProgram& p = *args.executable->program;
  args.num_outputs = p.results.size();
  args.dims = p.dims.data();
  args.dim_sizes = p.ranks.data();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_OutputMemoryKinds_Args& args) {
  const CompiledProgram& p = *args.executable->program;
  args.num_outputs = p.results.size();
  args.memory_kinds = p.result_kinds.data();
  args.memory_kind_sizes = p.result_kind_sizes.data();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  const CompiledProgram& p = *args.executable->program;
  args.num_parameters = p.parameters.size();
  args.memory_kinds = p.parameter_kinds.data();
  args.memory_kind_sizes = p.parameter_kind_sizes.data();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  auto program = args.loaded_executable->Get();
  if (program == nullptr) return InvalidArgument("the executable has been deleted");
  args.executable = new PJRT_Executable{std::move(program)};
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->places->devices.data();
  args.num_addressable_devices = args.executable->places->devices.size();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  args.addressable_device_logical_ids = args.executable->places->ids.data();
  args.num_addressable_device_logical_ids = args.executable->places->ids.size();
  return absl::OkStatus();
}

// xla.DeviceAssignmentProto: for each partition the devices of its replicas.
absl::Status Handle(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  const Places& places = *args.executable->places;
  std::string assignment;
  WriteInteger(1, places.replicas, assignment);
  WriteInteger(2, places.partitions, assignment);
  for (int64_t p = 0; p < places.partitions; ++p) {
    std::string devices, computation;
    for (int64_t r = 0; r < places.replicas; ++r) {
      const auto n = static_cast<size_t>(r * places.partitions + p);
      WriteVarint(static_cast<uint64_t>(places.all[n]->description->id), devices);
    }
    WriteBytes(1, devices, computation);  // replica_device_ids
    WriteBytes(3, computation, assignment);
  }
  Give(std::move(assignment), args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_device_assignment, args.serialized_device_assignment_deleter);
  return absl::OkStatus();
}

// Runs that have begun keep what they need.
absl::Status Handle(PJRT_LoadedExecutable_Delete_Args& args) {
  std::shared_ptr<const CompiledProgram> dropped;
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  dropped.swap(args.executable->program);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->Get() == nullptr;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  SetText(*args.executable->fingerprint, args.executable_fingerprint,
          args.executable_fingerprint_size);
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
