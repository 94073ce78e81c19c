// Files that jax.export's Exported.serialize writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter {

// The sizes of an array that the exported function takes or gives: "3", or of symbols "a", "2*b".
using SymbolicDims = std::vector<std::string>;

struct JaxExport {
  std::string function_name;
  std::string jax_version;  // of the writer; empty where it does not say
  std::vector<std::string> platforms;
  // Of the function. Effects are none; the module may take the index of a platform in front.
  std::vector<SymbolicDims> arguments, results;
  // The arguments that the module takes, ascending.
  std::vector<int64_t> kept;
  // StableHLO's bytecode: a part of the file.
  std::string_view module;
};

// InvalidArgument where the bytes are wrong, Unimplemented for effects, several devices and calling
// conventions before 9, ResourceExhausted for sizes past the limits. The version that a file states
// of its format is not looked at. Messages begin with the file's name. Source:
// jax/_src/export/serialization.py and "Module calling convention" in JAX's documentation.
absl::StatusOr<JaxExport> ReadJaxExport(std::string_view bytes, std::string_view filename);

}  // namespace sinter
