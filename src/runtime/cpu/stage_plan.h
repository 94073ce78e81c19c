// How each stage of a program runs on the host's processor: its function, and over how many
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "program/program.h"
#include "runtime/cpu/library.h"
#include "runtime/flat_program.h"

namespace sinter::runtime::cpu {

struct PlannedStage {
  program::StageFunction function = nullptr;
  int64_t tasks = 0;
  int threads = 1;  // 1: serial
  int pieces = 1;   // chunks a thread
  int trial = -1;   // that tells whether it runs on one thread all the same; -1: none
};

struct PlannedLibraryCall {
  LibraryFunction function = nullptr;
  program::StageFunction stage = nullptr;
  VectorTarget target = VectorTarget::kBits128;
  std::shared_ptr<const void> prepared;
};

// How `blocks` times `turns` turns of a loop run (turn_tiles.h), before others of the same loop run
// one by one.
struct TurnTiles {
  // Tasks of a stage.
  struct Call {
    int32_t instruction = 0;  // the launch
    int32_t stage = 0;        // index into StagePlan::stages
    int64_t lo = 0, hi = 0;
  };
  int32_t begin = 0;  // the loop's first instruction
  // The jumps that end it: before a first turn, and before a second one where two are laid out.
  int32_t entry = 0, exit = 0;
  int64_t period = 1;  // turns that are laid out
  int64_t turns = 0;   // a multiple of those
  int64_t blocks = 0;
  int threads = 1;
  std::vector<Call> calls;
  // By phase: the first call of each part, and behind the last one's end. Parts of a phase are
  // independent, calls of a part run in order.
  std::vector<size_t> phases[2];
};

struct StagePlan {
  std::vector<PlannedStage> stages;              // as FlatProgram::stages
  std::vector<PlannedLibraryCall> library;       // as FlatProgram::library_calls
  std::vector<program::StageFunction> reducers;  // as FlatProgram::collectives; null: none
  int trials = 0;
  // By instruction (FlatProgram::code): of a jump that ends a loop, the trial that times its turns;
  // else -1. Empty if there are no trials.
  std::vector<int> trial_of;
  std::vector<TurnTiles> tiles;
  // By instruction: of the jumps that end such a loop, its place in `tiles`; else -1. Empty if
  // there are none.
  std::vector<int> tiles_of;
  int64_t task_bytes = 0;  // a thread, the maximum over the launches
  int task_threads = 1;    // threads that may need it
  std::vector<std::shared_ptr<program::LoadedCode>> loaded;  // keeps the functions
};

// `flat` is the same program. Errors of the loader; Internal where it loads other functions.
absl::StatusOr<StagePlan> PlanStages(const program::Program& program, const FlatProgram& flat,
                                     program::Loader& loader, int parallelism);

}  // namespace sinter::runtime::cpu
