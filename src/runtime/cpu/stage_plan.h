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

struct StagePlan {
  std::vector<PlannedStage> stages;              // as FlatProgram::stages
  std::vector<PlannedLibraryCall> library;       // as FlatProgram::library_calls
  std::vector<program::StageFunction> reducers;  // as FlatProgram::collectives; null: none
  int trials = 0;
  // By instruction (FlatProgram::code): of a jump that ends a loop, the trial that times its turns;
  // else -1. Empty if there are no trials.
  std::vector<int> trial_of;
  int64_t task_bytes = 0;  // a thread, the maximum over the launches
  int task_threads = 1;    // threads that may need it
  std::vector<std::shared_ptr<program::LoadedCode>> loaded;  // keeps the functions
};

// `flat` is the same program. Errors of the loader; Internal where it loads other functions.
absl::StatusOr<StagePlan> PlanStages(const program::Program& program, const FlatProgram& flat,
                                     program::Loader& loader, int parallelism);

}  // namespace sinter::runtime::cpu
