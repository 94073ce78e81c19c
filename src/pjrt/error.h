// Errors as the C API knows them: statuses behind a table of functions.
#pragma once

#include <exception>
#include <new>

#include "absl/status/status.h"
#include "base/status.h"
#include "sinter/pjrt_c_api.h"

namespace sinter::pjrt {

// Null for an OK status. Without memory for an error, one that is always there.
PJRT_Error* MakeError(absl::Status status) noexcept;
PJRT_Error* OutOfMemory() noexcept;

// Of an error that the plugin or its host has made.
absl::Status StatusOf(const PJRT_Error* error);
// And its end; null is taken.
void Destroy(PJRT_Error* error);
// A status of what a caller states in parts. A code out of range is kUnknown.
absl::Status MakeStatus(PJRT_Error_Code code, const char* message, size_t message_size);

// For callbacks of the host's: what makes the errors that they return, and what takes one.
extern PJRT_CallbackError kMakeError;
absl::Status Take(PJRT_Error* error);

// Runs `body`, which returns a status, and turns what the standard library throws into an error:
// nothing leaves the plugin but errors.
template <class Body>
PJRT_Error* Guarded(const Body& body) noexcept {
  try {
    return MakeError(body());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::exception& e) {
    return MakeError(absl::Status(absl::StatusCode::kInternal, e.what()));
  } catch (...) {
    return MakeError(absl::Status(absl::StatusCode::kInternal, "unexpected exception"));
  }
}

}  // namespace sinter::pjrt
