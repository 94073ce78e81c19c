// CompileOptionsProto, of which compilation here takes what has a meaning.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "sinter/options.h"

namespace sinter::pjrt {

struct ProgramOptions {
  CompileOptions compile;
  // The program takes one tuple of its arguments. They are given one by one either way.
  bool tupled_arguments = false;
};

// Denormals are flushed unless the override sinter_flush_denormals is false.
// InvalidArgument for what is no such message. Unimplemented, by name, for layouts of arguments and
// results that are not row-major, and unknown overrides that begin with sinter_. Other overrides
// and options of XLA's own are accepted and mean nothing. Source: openxla/xla,
// xla/pjrt/proto/compile_options.proto.
absl::StatusOr<ProgramOptions> ReadCompileOptions(std::string_view bytes);

}  // namespace sinter::pjrt
