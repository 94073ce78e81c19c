#include "frontend/bytecode/bytecode.h"

#include <algorithm>
#include <charconv>

#include "base/status.h"
#include "frontend/bytecode/container.h"
#include "frontend/bytecode/ir_reader.h"

namespace sinter {
namespace stablehlo {
namespace {

// The newest known version of VHLO: patches change nothing.
constexpr int kMajor = 1, kMinor = 22;

// The producer of portable artifacts says which version of VHLO they have: StableHLO_v1.10.0.
absl::Status CheckVersion(const BytecodeSource& source, const Container& container) {
  constexpr std::string_view kPrefix = "StableHLO_v";
  const bool is_vhlo = std::find(container.dialects.begin(), container.dialects.end(), "vhlo") !=
                       container.dialects.end();
  if (!is_vhlo || !container.producer.starts_with(kPrefix)) return absl::OkStatus();
  const std::string_view version = container.producer.substr(kPrefix.size());
  int major = 0, minor = 0;
  const char* end = version.data() + version.size();
  auto [point, error] = std::from_chars(version.data(), end, major);
  if (error != std::errc() || point == end || *point != '.') return absl::OkStatus();
  std::from_chars(point + 1, end, minor);
  if (std::pair(major, minor) <= std::pair(kMajor, kMinor)) return absl::OkStatus();
  return source.Unsupported(source.begin(),
                            "an artifact of StableHLO {}, the newest version known is {}.{}",
                            version, kMajor, kMinor);
}

}  // namespace
}  // namespace stablehlo

absl::StatusOr<ImportedProgram> ReadStablehloBytecode(std::string_view bytes,
                                                      std::string_view filename, size_t offset) {
  auto source = std::make_unique<stablehlo::BytecodeSource>(bytes, filename, offset);
  ASSIGN_OR_RETURN(const stablehlo::Container container, stablehlo::ReadContainer(*source));
  RETURN_IF_ERROR(stablehlo::CheckVersion(*source, container));
  stablehlo::ProgramBuilder builder(*source);
  source->SetProgram(&builder.program());
  stablehlo::Entries entries(*source, container, builder);
  RETURN_IF_ERROR(stablehlo::IrReader(*source, entries, builder).Read(container.ir));
  auto program = std::make_unique<stablehlo::Program>(std::move(builder.program()));
  source->SetProgram(program.get());
  return ImportedProgram(std::move(source), std::move(program));
}

absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehloBytecode(std::string_view bytes,
                                                                  std::string_view filename,
                                                                  const StablehloOptions& options) {
  ASSIGN_OR_RETURN(const ImportedProgram program, ReadStablehloBytecode(bytes, filename));
  return program.Lower(options);
}

}  // namespace sinter
