// Shardings as the C API has them.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "pjrt/program.h"
#include "sinter/options.h"

namespace sinter::pjrt {

// xla.OpSharding, serialized, of the text of HLO: "{devices=[2,1]<=[2]}". Of an array. Source:
// openxla/xla, xla/xla_data.proto.
absl::StatusOr<std::string> WriteSharding(std::string_view text);

// What CompileOptionsProto says of parameters and results whose shardings the program leaves open.
absl::Status ReadPropagation(std::string_view compile_options, CompileOptions& options);

// The shardings of the program's executable.
absl::Status AddShardings(CompiledProgram& program);

}  // namespace sinter::pjrt
