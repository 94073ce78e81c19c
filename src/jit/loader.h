// Makes object code runnable in this process, by ORC and JITLink: relocates it into memory of its
// own.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "program/program.h"

namespace sinter::jit {

// Thread-safe. Loaded code keeps what it needs of the loader alive, and frees its memory when it
// dies. Objects refer to no symbols but their own; nothing of the host process is looked up.
absl::StatusOr<std::unique_ptr<program::Loader>> CreateLoader();

}  // namespace sinter::jit
