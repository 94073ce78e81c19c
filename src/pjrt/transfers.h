// Copies between buffers and the host's memory, in any order of it.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/buffer.h"
#include "sinter/client.h"
#include "sinter/event.h"

namespace sinter::pjrt {

// A buffer of `shape` from elements at these distances in bytes; copied when it returns.
absl::StatusOr<Buffer> FromStrided(Client& client, const void* data,
                                   const std::vector<int64_t>& strides, const Shape& shape,
                                   int device);

// The same into what has been promised, from byte 0 on.
absl::Status WriteStrided(const BufferPromise& promise, const void* data,
                          const std::vector<int64_t>& strides);

// Calls `copy`, which returns a status, once the contents of `source` (Buffer::Share of a caller's,
// who may delete that meanwhile) are there: at once if they
// are, else on the thread that completes them. The event is that it has been done; its status is
// that of the copy, or the error of the buffer.
template <class Copy>
Event OnceReady(const Buffer& source, Copy copy) {
  const Event ready = source.Ready();
  if (ready.IsReady()) {
    absl::Status status = ready.Wait();
    if (status.ok()) status = copy();
    return Event(std::move(status));
  }
  Promise done;
  ready.OnReady([done, copy = std::move(copy)](const absl::Status& s) mutable {
    absl::Status status = s;
    try {
      if (status.ok()) status = copy();
    } catch (const std::bad_alloc&) {
      status = absl::ResourceExhaustedError("the system has no memory");
    }
    done.Set(std::move(status));
  });
  return done.event();
}

}  // namespace sinter::pjrt
