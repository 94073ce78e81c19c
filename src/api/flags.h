// SINTER_FLAGS: what a host's user can change without the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/options.h"

namespace sinter::api {

struct Flags {
  int threads = 0;          // 0: not given
  std::string cuda_driver;  // as CudaOptions::driver; "": not given
  // As in CompileOptions; those given override, lists are appended.
  std::string dump_directory;
  std::vector<std::string> dump_passes, disabled_passes;
  std::string isa;
  int64_t pass_limit = -1;
};

// "name=value" pairs between commas; a name may repeat where it makes a list. InvalidArgument names
// what is unknown and lists what is known.
absl::StatusOr<Flags> ParseFlags(std::string_view text);
// Of the environment variable SINTER_FLAGS.
absl::StatusOr<Flags> FlagsFromEnvironment();

CompileOptions WithFlags(CompileOptions options, const Flags& flags);

}  // namespace sinter::api
