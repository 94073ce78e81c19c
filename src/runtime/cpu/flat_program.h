// A program's steps as one array of instructions: control flow becomes jumps, every slice an entry
// of one table of pointers, every function a pointer. A run then needs neither recursion nor
// look-ups.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "program/program.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

struct FlatStage {
  program::StageFunction function = nullptr;
  int64_t tasks = 0;
  int threads = 1;  // 1: serial
  int pieces = 1;   // chunks a thread
};

struct Instruction {
  enum class Kind : uint8_t { kLaunch, kCopy, kLibrary, kJump, kJumpIfFalse, kSwitch };
  Kind kind = Kind::kLaunch;
  // kSwitch: the selector is a predicate.
  bool predicate = false;
  // kLaunch, kLibrary: its first pointer. kCopy: the destination's, then the source's. kJumpIfFalse, kSwitch:
  // the selector's.
  int32_t pointer = 0;
  // kLaunch: the first stage; kLibrary: its call; kSwitch: the first target.
  int32_t first = 0;
  int32_t count = 0;
  // kLaunch, kLibrary: the first dimension.
  int32_t dims = 0;
  // kJump, kJumpIfFalse.
  int32_t target = 0;
  // kCopy: bytes. kLaunch: bytes of task memory a thread.
  int64_t bytes = 0;
};

struct FlatProgram {
  // Entry of the table: bases[allocation] + offset.
  struct Pointer {
    int32_t entry = 0;
    int64_t offset = 0;
  };

  std::vector<Instruction> code;
  std::vector<FlatStage> stages;
  struct Library {
    LibraryFunction function = nullptr;
    program::StageFunction stage = nullptr;
  };
  std::vector<Library> library;
  std::vector<int64_t> dims;
  std::vector<int32_t> targets;
  int32_t pointers = 0;                             // entries of the table
  std::vector<std::vector<Pointer>> by_allocation;  // the entries that depend on it
  int64_t task_bytes = 0;                           // the most that a launch wants, a thread
  int task_threads = 1;                             // threads that may want it
  std::vector<std::shared_ptr<program::LoadedCode>> loaded;  // keeps the functions
};

// Work shorter than this many nanoseconds a thread is not worth another thread.
inline constexpr int64_t kNanosecondsPerThread = 5000;

// Internal where slices leave their allocations or indices their tables; errors of the loader.
absl::StatusOr<FlatProgram> Flatten(const program::Program& program, program::Loader& loader,
                                    int parallelism);

}  // namespace sinter::runtime::cpu
