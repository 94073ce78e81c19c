// What the compiler makes of a computation: which operations share a kernel.
//
//   std::cout << sinter::Explain(computation).value().ToString();
//   // kernel k0: loop, 4 tasks
//   //   multiply
//   //   add
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/computation.h"
#include "sinter/export.h"

namespace sinter {

struct Explanation {
  struct Kernel {
    std::string name;
    std::string nest;                     // how it is laid out, with its tile
    std::vector<std::string> operations;  // names of the instructions in it
    std::vector<std::string> cached;      // of these, those whose values a thread caches in memory
    int64_t tasks = 0;                    // that may run at the same time
    bool shared = false;                  // its code is that of an equal kernel before
  };
  std::vector<Kernel> kernels;
  // Operations that need no kernel: views, control flow over arrays.
  std::vector<std::string> outside;
  // Time spent on passes, on kernels, on machine code.
  double pass_milliseconds = 0, kernel_milliseconds = 0, code_milliseconds = 0;

  // A line a kernel, a line an operation, a summary.
  SINTER_API std::string ToString() const;
};

// Compiles for this processor, past every cache, and reports where each operation is computed.
// Errors as those of Client::Compile.
SINTER_API absl::StatusOr<Explanation> Explain(const Computation& computation);

}  // namespace sinter
