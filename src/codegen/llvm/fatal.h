// LLVM ends the process where it cannot go on; inside a guard it throws instead.
#pragma once

#include <stdexcept>
#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"

namespace sinter::codegen {

// The error for which LLVM was about to end the process.
class FatalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// While one lives on a thread, LLVM's fatal errors on it are thrown as FatalError, and lack of
// memory as std::bad_alloc. LLVM's own frames clean nothing up: what it was working on must be
// leaked, never used or destroyed.
class FatalErrorsThrow {
 public:
  FatalErrorsThrow();
  ~FatalErrorsThrow();
  FatalErrorsThrow(const FatalErrorsThrow&) = delete;
  FatalErrorsThrow& operator=(const FatalErrorsThrow&) = delete;
};

// Runs `body`, which returns a status or StatusOr, as Internal where LLVM fails.
template <class Body>
auto CatchFatalErrors(const Body& body) -> decltype(body()) {
  FatalErrorsThrow guard;
  try {
    return body();
  } catch (const FatalError& e) {
    return Internal("LLVM: {}", e.what());
  }
}

}  // namespace sinter::codegen
