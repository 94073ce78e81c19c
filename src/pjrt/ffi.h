// Custom calls to functions of the host's that keep XLA's foreign function interface.
#pragma once

#include <cstdint>
#include <memory>

#include "sinter/custom_call.h"
#include "sinter/pjrt_extensions.h"

namespace sinter::pjrt {

// Those that have been registered, for all clients of the plugin.
const std::shared_ptr<const CustomCallRegistry>& Handlers();

// The data that a caller gives for one run, found by handlers that this thread calls meanwhile.
class ContextOfRun {
 public:
  explicit ContextOfRun(PJRT_ExecuteContext* context);
  ~ContextOfRun();
  ContextOfRun(const ContextOfRun&) = delete;
  ContextOfRun& operator=(const ContextOfRun&) = delete;

  bool has_data() const { return has_data_; }

 private:
  PJRT_ExecuteContext* const before_;
  bool has_data_ = false;
};

// InvalidArgument where the context is null, or has no data of the type.
absl::StatusOr<void*> UserDataOfRun(int64_t type);

using Deleter = void (*)(void* object);

// The id of a named type; `id` 0: its own, made when the name is first seen. InvalidArgument for
// one of another name, or for a name that has another one. `deleter`, where it is not null,
// destroys objects of the type from now on.
absl::StatusOr<int64_t> RegisterType(std::string_view name, int64_t id, Deleter deleter);

// Null for types without one. InvalidArgument for an id that no type has.
absl::StatusOr<Deleter> DeleterOfType(int64_t id);

}  // namespace sinter::pjrt
