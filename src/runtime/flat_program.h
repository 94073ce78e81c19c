// A program's steps as one array of instructions: control flow becomes jumps, every slice an entry
// of one table of pointers. A run then needs neither recursion nor look-ups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "custom_call/call.h"
#include "program/program.h"

namespace sinter::runtime {

// A stage of a launch, with at least one task.
struct FlatStage {
  int32_t code = 0;      // index into Program::codes
  int32_t function = 0;  // index into that code's symbols
  int64_t tasks = 0;
  int64_t nanoseconds = 0;  // as in program::Stage
  int threads = 0;          // as in program::Stage
};

// A call of a kernel of the device's library.
struct FlatLibraryCall {
  std::string name;
  std::vector<int64_t> sizes;  // of its buffers, in bytes
  int32_t code = -1;           // index into Program::codes of a stage that it calls, -1: none
  int32_t function = 0;
  int32_t vector_bytes = 0;
};

struct FlatStep {
  enum class Kind : uint8_t {
    kLaunch,
    kCopy,
    kLibrary,
    kJump,
    kJumpIfFalse,
    kSwitch,
    kCustomCall,
    kParticipantId,
    kCollective,
    kAwait
  };
  Kind kind = Kind::kLaunch;
  // kSwitch: the selector is a predicate. kParticipantId: it is of the partition.
  bool predicate = false;
  // kLaunch, kLibrary, kCustomCall, kCollective: its first pointer. kParticipantId: the result's.
  // kCopy: the destination's, then the source's. kJumpIfFalse, kSwitch: the selector's.
  int32_t pointer = 0;
  // kLaunch: the first stage; kSwitch: the first target; kLibrary, kCustomCall, kCollective: its
  // index. kAwait: that of the collective.
  int32_t first = 0;
  int32_t count = 0;
  // kLaunch, kLibrary: the first dimension.
  int32_t dims = 0;
  // kLaunch, kLibrary: how many buffers and dimensions it has. kCustomCall: operands and results.
  int32_t buffers = 0, dim_count = 0;
  // kJump, kJumpIfFalse.
  int32_t target = 0;
  // kCopy: bytes. kLaunch: bytes of task memory a thread.
  int64_t bytes = 0;

  bool controls() const {
    return kind == Kind::kJump || kind == Kind::kJumpIfFalse || kind == Kind::kSwitch;
  }
};

struct FlatProgram {
  // Entry of the table: bases[allocation] + offset.
  struct Pointer {
    int32_t entry = 0;
    int64_t offset = 0;
  };

  std::vector<FlatStep> code;
  std::vector<FlatStage> stages;
  std::vector<FlatLibraryCall> library_calls;
  std::vector<int64_t> dims;
  std::vector<int32_t> targets;
  std::vector<ReadyCustomCall> custom_calls;
  std::vector<program::Collective> collectives;  // pointers: operands, then results
  // For profiles. Steps of the program have numbers in its order, a loop or conditional before what
  // is in it: the step that each entry of `code` comes of, and the one that each step is in (-1:
  // none).
  std::vector<int32_t> step_of, parents;
  int32_t pointers = 0;                             // entries of the table
  std::vector<std::vector<Pointer>> by_allocation;  // the entries that depend on it
};

// Internal where slices leave their allocations or indices their tables. Custom calls are to
// `targets` for `platform`: Unimplemented where there is none.
absl::StatusOr<FlatProgram> Flatten(const program::Program& program, const std::string& platform,
                                    const CustomCallTargets& targets);

}  // namespace sinter::runtime
