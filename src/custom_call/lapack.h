// LAPACK's routines under the names by which JAX calls them on the host, "lapack_sgetrf_ffi" and
// so on: jaxlib's interface of typed attributes. What they do, linear_algebra computes.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "linear_algebra/threads.h"
#include "sinter/custom_call.h"

namespace sinter {

// What "lapack_sgetrf_ffi" names: sgetrf, the routine getrf of the type s.
struct LapackTarget {
  std::string_view name;
  char type() const { return name[0]; }
  std::string_view routine() const { return name.substr(1); }
};
// Nothing where `target` is no such name. Views into it.
std::optional<LapackTarget> ParseLapackTarget(std::string_view target);

// A target of the library's own, which may use threads.
using LibraryFunction =
    std::function<absl::Status(const CustomCallFrame&, const linear_algebra::Threads&)>;

// The function behind `target`, empty where that is no name of a LAPACK call. The host needs no
// such library.
LibraryFunction FindLapack(std::string_view target);

}  // namespace sinter
