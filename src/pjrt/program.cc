#include "pjrt/program.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "pjrt/array.h"
#include "pjrt/compile_options.h"
#include "pjrt/ffi.h"
#include "pjrt/hlo_module.h"
#include "pjrt/message.h"
#include "pjrt/shardings.h"
#include "pjrt/slot.h"
#include "pjrt/wire.h"
#include "sinter/import.h"
#include "sinter/version.h"

namespace sinter::pjrt {
namespace {

// A run that the compiler expects to take this long is not worth another thread.
constexpr int64_t kShortNanoseconds = 20'000;

bool IsShort(const ExecutionCost& cost) {
  return !cost.open_ended && cost.nanoseconds <= kShortNanoseconds &&
         cost.bytes_read + cost.bytes_written <= 64 << 10;
}

absl::StatusOr<Computation> LoadProgram(std::string_view code, std::string_view format) {
  if (format == "mlir") return sinter::Load(code, "program");
  if (format != "hlo" && format != "hlo_with_config") {
    return InvalidArgument("program format {}; there are mlir, hlo and hlo_with_config", format);
  }
  // HLO text is no protocol buffer: its first byte would be a field of an unknown kind.
  if (code.starts_with("HloModule")) return LoadHlo(code, "program");
  std::string_view module = code;
  if (format == "hlo_with_config") {
    // xla.HloModuleProtoWithConfig; what of the configuration means something comes as options.
    ASSIGN_OR_RETURN(const Message both, Message::Read(code));
    module = both.Text(1);
  }
  ASSIGN_OR_RETURN(const std::string text, HloTextOfProto(module));
  return LoadHlo(text, "program");
}

std::string FingerprintOf(const ClientState& client, std::string_view code,
                          std::string_view options) {
  Hasher hasher;
  hasher.Add(client.platform_version);
  hasher.Add(client.topology.options.platform);
  hasher.Add(code);
  hasher.Add(options);
  return hasher.Finish().ToString();
}

// The numbers of the memories of these kinds: the default one where none is stated.
absl::StatusOr<std::vector<int>> FindMemories(const PJRT_DeviceDescription& device,
                                              const std::vector<std::string>& stated,
                                              size_t count) {
  std::vector<int> numbers(count);
  for (size_t i = 0; i < count && i < stated.size(); ++i) {
    if (stated[i].empty()) continue;
    const auto found =
        std::find_if(device.memories.begin(), device.memories.end(),
                     [&](const PJRT_MemoryDescription& m) { return m.kind == stated[i]; });
    if (found == device.memories.end()) {
      return InvalidArgument("mhlo.memory_kind: a device of the platform {} has no memory {}",
                             device.kind, stated[i]);
    }
    numbers[i] = found->kind_id;
  }
  return numbers;
}

void AddKinds(const PJRT_DeviceDescription& device, const std::vector<int>& memories,
              std::vector<const char*>& kinds, std::vector<size_t>& sizes) {
  for (int m : memories) {
    const std::string& kind = device.memories[static_cast<size_t>(m)].kind;
    kinds.push_back(kind.c_str());
    sizes.push_back(kind.size());
  }
}

void AddLayouts(const std::vector<Shape>& shapes, CompiledProgram& program,
                std::vector<PJRT_Layouts_MemoryLayout*>& out) {
  for (const Shape& s : shapes) {
    program.layouts.push_back(
        std::make_unique<PJRT_Layouts_MemoryLayout>(PJRT_Layouts_MemoryLayout{MinorToMajorOf(s)}));
    out.push_back(program.layouts.back().get());
  }
}

absl::StatusOr<std::shared_ptr<const CompiledProgram>> Describe(
    const ClientState& client, Executable executable, MemoryKinds kinds, std::string_view code,
    std::string_view format, std::string_view options) {
  auto program = std::make_shared<CompiledProgram>();
  CompiledProgram& p = *program;
  p.executable = std::move(executable);
  p.code = code;
  p.format = format;
  p.options = options;
  p.name = p.executable.name();
  p.fingerprint = FingerprintOf(client, code, options);
  p.parameters = p.executable.flat_parameter_shapes();
  p.results = p.executable.flat_result_shapes();
  for (const Shape& s : p.parameters) p.parameter_bytes += s.packed_byte_size();
  for (const Shape& s : p.results) {
    p.result_bytes += s.packed_byte_size();
    p.types.push_back(ToBufferType(s.element_type()));
    p.dims.insert(p.dims.end(), s.dimensions().begin(), s.dimensions().end());
    p.ranks.push_back(static_cast<size_t>(s.rank()));
  }
  const PJRT_DeviceDescription& device = client.topology.device;
  p.kinds = std::move(kinds);
  ASSIGN_OR_RETURN(p.result_memories, FindMemories(device, p.kinds.results, p.results.size()));
  ASSIGN_OR_RETURN(const std::vector<int> parameter_memories,
                   FindMemories(device, p.kinds.parameters, p.parameters.size()));
  AddKinds(device, p.result_memories, p.result_kinds, p.result_kind_sizes);
  AddKinds(device, parameter_memories, p.parameter_kinds, p.parameter_kind_sizes);
  AddLayouts(p.results, p, p.result_layouts);
  AddLayouts(p.parameters, p, p.parameter_layouts);

  RETURN_IF_ERROR(AddShardings(p));

  const ExecutionCost cost = p.executable.cost();
  // Waiting for other processes is not short.
  const auto participants = p.executable.devices().size();
  p.is_short =
      client.on_host && IsShort(cost) && p.executable.local_participants().size() == participants;
  const std::string platform = client.on_host ? "Host" : "CUDA";
  for (const std::string& target : p.executable.custom_call_targets())
    p.calls_handlers = p.calls_handlers || Handlers()->FindFactory(target, platform) != nullptr;
  p.costs.Add("flops", static_cast<float>(cost.operations));
  p.costs.Add("bytes accessed", static_cast<float>(cost.bytes_read + cost.bytes_written));
  p.costs.Add("bytes accessed output", static_cast<float>(cost.bytes_written));
  p.costs.Add("optimal_seconds", static_cast<float>(cost.nanoseconds) * 1e-9f);
  p.costs.Add("kernels", static_cast<float>(p.executable.kernel_count()));
  return program;
}

}  // namespace

absl::StatusOr<std::string_view> CompiledProgram::Optimized() const {
  std::call_once(once_, [&] {
    optimized_ = [&]() -> absl::StatusOr<std::string> {
      ASSIGN_OR_RETURN(ProgramOptions read, ReadCompileOptions(options));
      RETURN_IF_ERROR(ReadPropagation(options, read.compile));
      ASSIGN_OR_RETURN(const Computation whole, LoadProgram(code, format));
      ASSIGN_OR_RETURN(const Computation simplified, Simplify(whole, read.compile));
      return simplified.ToStablehlo();
    }();
  });
  RETURN_IF_ERROR(optimized_.status());
  return *optimized_;
}

absl::StatusOr<std::shared_ptr<const CompiledProgram>> Compile(ClientState& client,
                                                               std::string_view code,
                                                               std::string_view format,
                                                               std::string_view options) {
  ASSIGN_OR_RETURN(ProgramOptions read, ReadCompileOptions(options));
  RETURN_IF_ERROR(ReadPropagation(options, read.compile));
  read.compile.stated_layouts = true;
  ASSIGN_OR_RETURN(const Computation computation, LoadProgram(code, format));
  ASSIGN_OR_RETURN(Executable executable, client.client->Compile(computation, read.compile));
  return Describe(client, std::move(executable), StatedMemoryKinds(computation), code, format,
                  options);
}

absl::StatusOr<std::shared_ptr<const CompiledProgram>> Load(
    ClientState& client, std::string_view image, MemoryKinds kinds, std::string_view code,
    std::string_view format, std::string_view options) {
  RETURN_IF_ERROR(ReadCompileOptions(options).status());
  absl::StatusOr<Executable> executable = client.client->LoadSerialized(image);
  if (executable.ok()) {
    return Describe(client, *std::move(executable), std::move(kinds), code, format, options);
  }
  if (absl::IsUnavailable(executable.status())) return Compile(client, code, format, options);
  return executable.status();
}

absl::StatusOr<std::shared_ptr<const CompiledProgram>> CompileProgram(
    const std::shared_ptr<ClientState>& client, const PJRT_Program* program,
    std::string_view options) {
  if (program == nullptr || program->code == nullptr || program->format == nullptr)
    return InvalidArgument("there is no program");
  return Compile(*client, Bytes(program->code, program->code_size),
                 Bytes(program->format, program->format_size), options);
}

}  // namespace sinter::pjrt
