#include "runtime/cpu/stage_plan.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "runtime/cpu/caches.h"
#include "runtime/cpu/thread_choice.h"
#include "runtime/cpu/turn_tiles.h"

namespace sinter::runtime::cpu {
namespace {

void Divide(const FlatStage& stage, int parallelism, PlannedStage& planned) {
  planned.threads = ThreadsWorth(stage.nanoseconds, stage.tasks, parallelism);
  if (planned.threads == 1) return;
  // Long stages in several chunks a thread, so that a thread the system has taken away, or that
  // another machine on the same processor slows down, is not waited for.
  int64_t share = stage.nanoseconds / planned.threads;
  int64_t tasks_each = stage.tasks / planned.threads;
  planned.pieces =
      static_cast<int>(std::clamp<int64_t>(std::min(share / 50000, tasks_each), 1, 16));
}

}  // namespace

absl::StatusOr<StagePlan> PlanStages(const program::Program& program, const FlatProgram& flat,
                                     program::Loader& loader, int parallelism) {
  StagePlan plan;
  for (const program::Code& code : program.codes) {
    ASSIGN_OR_RETURN(std::shared_ptr<program::LoadedCode> loaded, loader.Load(code));
    RETURN_INTERNAL_IF(loaded == nullptr || loaded->functions().size() != code.symbols.size(),
                       "program {}: {} symbols, other functions loaded", program.name,
                       code.symbols.size());
    plan.loaded.push_back(std::move(loaded));
  }
  for (const FlatStage& stage : flat.stages) {
    auto functions = plan.loaded[static_cast<size_t>(stage.code)]->functions();
    PlannedStage planned{functions[static_cast<size_t>(stage.function)], stage.tasks};
    RETURN_INTERNAL_IF(planned.function == nullptr, "program {}: no function {}", program.name,
                       stage.function);
    Divide(stage, parallelism, planned);
    plan.stages.push_back(planned);
  }
  for (const program::Collective& c : flat.collectives) {
    plan.reducers.push_back(c.code < 0 ? nullptr
                                       : plan.loaded[static_cast<size_t>(c.code)]
                                             ->functions()[static_cast<size_t>(c.function)]);
  }
  const ThreadChoices choices = ChooseThreads(program, parallelism);
  plan.trials = static_cast<int>(choices.loops.size());
  if (plan.trials > 0) plan.trial_of.assign(flat.code.size(), -1);
  for (size_t n = 0; n < flat.code.size(); ++n) {
    const FlatStep& step = flat.code[n];
    const auto number = static_cast<size_t>(flat.step_of[n]);
    if (step.kind == FlatStep::Kind::kLaunch && number < choices.of_step.size()) {
      const int choice = choices.of_step[number];
      for (int32_t s = step.first; s < step.first + step.count; ++s) {
        PlannedStage& stage = plan.stages[static_cast<size_t>(s)];
        if (choice == ThreadChoices::kOne) stage.threads = 1;
        stage.trial = std::max(choice, -1);
      }
    }
    if (step.kind == FlatStep::Kind::kJumpIfFalse) {
      const auto loop = absl::c_find(choices.loops, flat.step_of[n]);
      if (loop != choices.loops.end())
        plan.trial_of[n] = static_cast<int>(loop - choices.loops.begin());
    }
    if (step.kind == FlatStep::Kind::kLibrary) {
      const FlatLibraryCall& call = flat.library_calls[static_cast<size_t>(step.first)];
      const absl::Span<const int64_t> dims = absl::MakeConstSpan(flat.dims).subspan(
          static_cast<size_t>(step.dims), static_cast<size_t>(step.dim_count));
      const LibraryKernel* kernel = FindLibraryKernel(call.name);
      RETURN_INTERNAL_IF(kernel == nullptr, "program {}: the library has no kernel '{}'",
                         program.name, call.name);
      RETURN_IF_ERROR(kernel->check({call.sizes, dims, call.code >= 0}));
      PlannedLibraryCall planned{kernel->run, nullptr, VectorTargetFor(call.vector_bytes)};
      if (call.code >= 0) {
        planned.stage = plan.loaded[static_cast<size_t>(call.code)]
                            ->functions()[static_cast<size_t>(call.function)];
      }
      if (kernel->prepare != nullptr) planned.prepared = kernel->prepare(dims, planned.target);
      plan.library.push_back(std::move(planned));
    }
    if (step.kind != FlatStep::Kind::kLaunch || step.bytes == 0) continue;
    plan.task_bytes = std::max(plan.task_bytes, step.bytes);
    for (int32_t s = step.first; s < step.first + step.count; ++s) {
      plan.task_threads = std::max(plan.task_threads, plan.stages[static_cast<size_t>(s)].threads);
    }
  }
  plan.tiles = TileTurns(program, flat, plan, parallelism, CachesOfHost().l2_bytes);
  if (!plan.tiles.empty()) plan.tiles_of.assign(flat.code.size(), -1);
  for (size_t k = 0; k < plan.tiles.size(); ++k) {
    const TurnTiles& tiles = plan.tiles[k];
    plan.tiles_of[static_cast<size_t>(tiles.entry)] = static_cast<int>(k);
    plan.tiles_of[static_cast<size_t>(tiles.exit)] = static_cast<int>(k);
    if (plan.task_bytes > 0) plan.task_threads = std::max(plan.task_threads, tiles.threads);
  }
  return plan;
}

}  // namespace sinter::runtime::cpu
