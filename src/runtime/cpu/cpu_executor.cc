#include "runtime/cpu/cpu_executor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/cpu/memory_transport.h"
#include "runtime/cpu/stage_plan.h"
#include "runtime/cpu/thread_trial.h"
#include "runtime/flat_program.h"
#include "runtime/storage.h"

namespace sinter::runtime::cpu {
namespace {

// Larger copies are split over threads.
constexpr int64_t kCopyTask = int64_t{256} << 10;
constexpr int64_t kParallelCopy = int64_t{1} << 20;

class CpuState final : public StepExecutor::State {
 public:
  std::vector<void*> bases;  // that `pointers` was computed from
  std::vector<void*> pointers;
  StorageRef scratch;
  int64_t scratch_stride = 0;            // between threads
  int32_t at = 0;                        // of a run that has met others: the step to go on with
  std::vector<ThreadTrial::Turn> turns;  // by trial
  std::vector<bool> in_loop;             // by StagePlan::tiles: the blocks of turns are done
};

struct StageCall {
  program::StageFunction function;
  void* const* buffers;
  const int64_t* dims;
  char* scratch;
  int64_t stride;
  FpMode mode;

  static void Body(void* context, int64_t lo, int64_t hi, int seat) {
    const auto& c = *static_cast<const StageCall*>(context);
    char* scratch = c.scratch + c.stride * seat;
    if (seat == 0) return c.function(c.buffers, c.dims, lo, hi, scratch);  // the caller's is set
    ScopedFpEnvironment fp(c.mode);
    c.function(c.buffers, c.dims, lo, hi, scratch);
  }
};

struct CopyCall {
  char* to;
  const char* from;
  int64_t bytes;

  static void Body(void* context, int64_t lo, int64_t hi, int) {
    const auto& c = *static_cast<const CopyCall*>(context);
    int64_t begin = lo * kCopyTask, end = std::min(hi * kCopyTask, c.bytes);
    std::memcpy(c.to + begin, c.from + begin, static_cast<size_t>(end - begin));
  }
};

// A stage whose parts are timed, thread by thread.
struct TimedCall {
  struct Part {
    int64_t begin, end;
  };
  StageCall call;
  const StepTimes& times;
  std::vector<std::vector<Part>> parts;  // by seat

  static void Body(void* context, int64_t lo, int64_t hi, int seat) {
    auto& c = *static_cast<TimedCall*>(context);
    const int64_t begin = c.times.Now();
    StageCall::Body(&c.call, lo, hi, seat);
    c.parts[static_cast<size_t>(seat)].push_back({begin, c.times.Now()});
  }
};

// Parts of a phase of a block of turns.
struct BlockCall {
  const FlatProgram& program;
  const StagePlan& plan;
  const TurnTiles& tiles;
  void* const* pointers;
  char* scratch;
  int64_t stride;
  FpMode mode;
  const std::vector<size_t>* first;         // of the phase
  std::vector<std::vector<int64_t>> spent;  // nanoseconds, by seat and stage
  const StepTimes* times = nullptr;         // null: nobody wants to know

  static void Body(void* context, int64_t lo, int64_t hi, int seat) {
    auto& c = *static_cast<BlockCall*>(context);
    if (seat == 0) return c.Run(lo, hi, seat);  // the caller's environment is set
    ScopedFpEnvironment fp(c.mode);
    c.Run(lo, hi, seat);
  }
  void Run(int64_t lo, int64_t hi, int seat) {
    const size_t end = (*first)[static_cast<size_t>(hi)];
    for (size_t k = (*first)[static_cast<size_t>(lo)]; k < end; ++k) {
      const TurnTiles::Call& call = tiles.calls[k];
      const FlatStep& i = program.code[static_cast<size_t>(call.instruction)];
      const int64_t begin = times != nullptr ? times->Now() : 0;
      plan.stages[static_cast<size_t>(call.stage)].function(pointers + i.pointer,
                                                            program.dims.data() + i.dims, call.lo,
                                                            call.hi, scratch + stride * seat);
      if (times != nullptr)
        spent[static_cast<size_t>(seat)][static_cast<size_t>(call.stage)] += times->Now() - begin;
    }
  }
};

// Runs take times with a StepTimer, and with this one none.
struct NoTimer {
  static constexpr bool kOn = false;
  static int64_t Now() { return 0; }
  static void Begin(int32_t, bool, int64_t) {}
  static void End(int32_t, int64_t) {}
  static void Turn(int32_t) {}
  static void Finish() {}
};
struct Timer {
  static constexpr bool kOn = true;
  StepTimer steps;
  int64_t Now() { return steps.times().Now(); }
  void Begin(int32_t step, bool opens, int64_t now) { steps.Begin(step, opens, now); }
  void End(int32_t step, int64_t begin) { steps.End(step, begin, Now()); }
  void Turn(int32_t step) { steps.Turn(step); }
  void Finish() { steps.Finish(Now()); }
};

class CpuExecutor final : public StepExecutor {
 public:
  CpuExecutor(FlatProgram program, StagePlan plan, std::shared_ptr<Workers> workers,
              std::shared_ptr<MemoryPool> pool, FpMode mode)
      : program_(std::move(program)),
        plan_(std::move(plan)),
        workers_(std::move(workers)),
        pool_(std::move(pool)),
        mode_(mode),
        trials_(static_cast<size_t>(plan_.trials)),
        transport_(MakeMemoryTransport(mode)) {}

  absl::StatusOr<std::unique_ptr<State>> NewState() override {
    auto state = std::make_unique<CpuState>();
    state->bases.assign(program_.by_allocation.size(), nullptr);
    state->pointers.assign(static_cast<size_t>(program_.pointers), nullptr);
    state->turns.resize(trials_.size());
    state->in_loop.resize(plan_.tiles.size());
    // A stage gets a valid pointer even where it needs no memory.
    for (size_t a = 0; a < program_.by_allocation.size(); ++a) Resolve(a, nullptr, *state);
    if (plan_.task_bytes > 0) {
      state->scratch_stride = (plan_.task_bytes + kAlignment - 1) / kAlignment * kAlignment;
      ASSIGN_OR_RETURN(state->scratch,
                       Storage::Allocate(pool_, state->scratch_stride * plan_.task_threads));
    }
    return state;
  }

  absl::Status Run(absl::Span<void* const> bases, State& state) override {
    NoTimer timer;
    return RunAlone(bases, state, timer);
  }
  absl::Status RunTimed(absl::Span<void* const> bases, State& state, StepTimes& times) override {
    Timer timer{StepTimer(times, program_.parents)};
    return RunAlone(bases, state, timer);
  }
  absl::StatusOr<Meeting> Advance(absl::Span<void* const> bases, State& state,
                                  const Participant& self) override {
    NoTimer timer;
    return RunSteps(bases, static_cast<CpuState&>(state), timer, self);
  }

  Transport* transport() override { return transport_.get(); }
  bool blocks() const override { return true; }

 private:
  template <class AnyTimer>
  absl::Status RunAlone(absl::Span<void* const> bases, State& state, AnyTimer& timer) {
    ASSIGN_OR_RETURN(const Meeting met,
                     RunSteps(bases, static_cast<CpuState&>(state), timer, Participant()));
    RETURN_INTERNAL_IF(met.step != nullptr, "{} in a program of one participant",
                       met.step->operation.text);
    return absl::OkStatus();
  }

  // From where the run was to where it meets others.
  template <class AnyTimer>
  absl::StatusOr<Meeting> RunSteps(absl::Span<void* const> bases, CpuState& state, AnyTimer& timer,
                                   const Participant& self) {
    for (size_t a = 0; a < bases.size(); ++a) {
      if (bases[a] != state.bases[a]) Resolve(a, bases[a], state);
    }
    ScopedFpEnvironment fp(mode_);
    void* const* pointers = state.pointers.data();
    const FlatStep* code = program_.code.data();
    auto size = static_cast<int32_t>(program_.code.size());
    for (int32_t at = std::exchange(state.at, 0); at < size;) {
      const int32_t step = AnyTimer::kOn ? program_.step_of[static_cast<size_t>(at)] : 0;
      const FlatStep& i = code[at++];
      const int64_t begin = timer.Now();
      timer.Begin(step, AnyTimer::kOn && i.controls(), begin);
      switch (i.kind) {
        case FlatStep::Kind::kLaunch:
          Launch(i, pointers + i.pointer, state, step, timer);
          break;
        case FlatStep::Kind::kCopy:
          CopyBytes(pointers[i.pointer], pointers[i.pointer + 1], i.bytes);
          break;
        case FlatStep::Kind::kLibrary: {
          const PlannedLibraryCall& call = plan_.library[static_cast<size_t>(i.first)];
          call.function({pointers + i.pointer, program_.dims.data() + i.dims, call.stage, *workers_,
                         mode_, call.target, call.prepared.get()});
          break;
        }
        case FlatStep::Kind::kCustomCall:
          RETURN_IF_ERROR(program_.custom_calls[static_cast<size_t>(i.first)].Call(
              absl::MakeConstSpan(pointers + i.pointer, static_cast<size_t>(i.buffers)),
              /*stream=*/nullptr, state.caller, {workers_.get(), mode_}));
          break;
        case FlatStep::Kind::kParticipantId:
          std::memcpy(pointers[i.pointer], i.predicate ? &self.partition : &self.replica,
                      sizeof(uint32_t));
          break;
        case FlatStep::Kind::kCollective: {
          state.at = at;
          const auto n = static_cast<size_t>(i.first);
          return Meeting{&program_.collectives[n], pointers + i.pointer, plan_.reducers[n]};
        }
        case FlatStep::Kind::kAwait: {
          state.at = at;
          Meeting end{&program_.collectives[static_cast<size_t>(i.first)]};
          end.awaits = true;
          return end;
        }
        case FlatStep::Kind::kJump:
          at = i.target;
          continue;
        case FlatStep::Kind::kJumpIfFalse: {
          const bool ends = *static_cast<const uint8_t*>(pointers[i.pointer]) == 0;
          if (!plan_.tiles.empty()) {
            const TurnTiles* tiles = TilesAt(at - 1, ends, state);
            if (tiles != nullptr) {
              RunBlocks(*tiles, state, step, timer);
              at = tiles->begin;
              continue;
            }
          }
          if (plan_.trials > 0) CountTurn(at - 1, ends, state);
          if (ends) {
            at = i.target;
          } else {
            timer.Turn(step);
          }
          continue;
        }
        case FlatStep::Kind::kSwitch:
          at = program_.targets[static_cast<size_t>(i.first + Select(i, pointers[i.pointer]))];
          continue;
      }
      timer.End(step, begin);
    }
    timer.Finish();
    return Meeting();
  }

  // Where the jump has come to the first turn of a loop whose turns run several at a time, how they
  // do; else null.
  const TurnTiles* TilesAt(int32_t jump, bool ends, CpuState& state) const {
    const int number = plan_.tiles_of[static_cast<size_t>(jump)];
    if (number < 0) return nullptr;
    const bool is_first = !state.in_loop[static_cast<size_t>(number)];
    state.in_loop[static_cast<size_t>(number)] = !ends;
    return ends || !is_first ? nullptr : &plan_.tiles[static_cast<size_t>(number)];
  }
  template <class AnyTimer>
  void RunBlocks(const TurnTiles& tiles, CpuState& state, int32_t step, AnyTimer& timer) const {
    BlockCall call{program_,
                   plan_,
                   tiles,
                   state.pointers.data(),
                   state.scratch ? static_cast<char*>(state.scratch->data()) : nullptr,
                   state.scratch_stride,
                   mode_,
                   nullptr,
                   {},
                   nullptr};
    if constexpr (AnyTimer::kOn) {
      call.times = &timer.steps.times();
      call.spent.resize(static_cast<size_t>(tiles.threads),
                        std::vector<int64_t>(plan_.stages.size()));
    }
    for (int64_t block = 0; block < tiles.blocks; ++block) {
      const int64_t begin = timer.Now();
      for (const std::vector<size_t>& first : tiles.phases) {
        call.first = &first;
        const int64_t parts = std::ssize(first) - 1;
        const int64_t pieces = (parts + tiles.threads - 1) / tiles.threads;
        workers_->Run(parts, tiles.threads, static_cast<int>(pieces), BlockCall::Body, &call);
      }
      if constexpr (AnyTimer::kOn) NoteBlock(call, step, begin, timer);
    }
  }
  // Divides the time of a block between its stages, as the threads have spent it.
  void NoteBlock(BlockCall& call, int32_t loop, int64_t begin, Timer& timer) const {
    const int64_t end = timer.Now();
    std::map<int32_t, int32_t> launches;  // by stage
    for (const TurnTiles::Call& c : call.tiles.calls) launches[c.stage] = c.instruction;
    std::map<int32_t, int64_t> spent;
    int64_t all = 0;
    for (const auto& [stage, launch] : launches) {
      for (std::vector<int64_t>& of_seat : call.spent)
        spent[stage] += std::exchange(of_seat[static_cast<size_t>(stage)], 0);
      all += spent[stage];
    }
    const double share =
        static_cast<double>(end - begin) / static_cast<double>(std::max<int64_t>(all, 1));
    timer.steps.Block(loop, call.tiles.turns, begin, end);
    for (const auto& [stage, launch] : launches) {
      const FlatStep& i = program_.code[static_cast<size_t>(launch)];
      timer.steps.StageOfBlock(program_.step_of[static_cast<size_t>(launch)], stage - i.first,
                               call.tiles.turns / call.tiles.period,
                               static_cast<int64_t>(share * static_cast<double>(spent[stage])));
    }
  }

  // Of the loop that the jump ends, if it has a trial.
  void CountTurn(int32_t jump, bool ends, CpuState& state) {
    const int number = plan_.trial_of[static_cast<size_t>(jump)];
    if (number < 0) return;
    ThreadTrial& trial = trials_[static_cast<size_t>(number)];
    ThreadTrial::Turn& turn = state.turns[static_cast<size_t>(number)];
    if (ends) {
      trial.End(turn);
    } else {
      trial.Next(turn);
    }
  }
  bool RunsOnOneThread(const PlannedStage& stage, const CpuState& state) const {
    return stage.threads == 1 ||
           (stage.trial >= 0 && state.turns[static_cast<size_t>(stage.trial)].one_thread);
  }

  void Resolve(size_t allocation, void* base, CpuState& state) const {
    state.bases[allocation] = base;
    for (const FlatProgram::Pointer& p : program_.by_allocation[allocation]) {
      // Offsets of an absent (empty) buffer stay out of pointer arithmetic.
      state.pointers[static_cast<size_t>(p.entry)] =
          base == nullptr ? nullptr : static_cast<char*>(base) + p.offset;
    }
  }

  template <class AnyTimer>
  void Launch(const FlatStep& i, void* const* pointers, CpuState& state, int32_t step,
              AnyTimer& timer) const {
    const int64_t* dims = program_.dims.data() + i.dims;
    char* scratch = state.scratch ? static_cast<char*>(state.scratch->data()) : nullptr;
    for (int32_t s = i.first; s < i.first + i.count; ++s) {
      const PlannedStage& stage = plan_.stages[static_cast<size_t>(s)];
      if constexpr (AnyTimer::kOn) {
        StageCall call{stage.function, pointers, dims, scratch, state.scratch_stride, mode_};
        LaunchTimed(stage, call, step, s - i.first, RunsOnOneThread(stage, state), timer);
        continue;
      }
      if (RunsOnOneThread(stage, state)) {
        stage.function(pointers, dims, 0, stage.tasks, scratch);
        continue;
      }
      StageCall call{stage.function, pointers, dims, scratch, state.scratch_stride, mode_};
      workers_->Run(stage.tasks, stage.threads, stage.pieces, StageCall::Body, &call);
    }
  }

  void LaunchTimed(const PlannedStage& stage, StageCall& call, int32_t step, int32_t number,
                   bool on_one_thread, Timer& timer) const {
    StepTimes& times = timer.steps.times();
    if (on_one_thread || !times.wants_events()) {
      const int64_t begin = times.Now();
      if (on_one_thread) {
        stage.function(call.buffers, call.dims, 0, stage.tasks, call.scratch);
      } else {
        workers_->Run(stage.tasks, stage.threads, stage.pieces, StageCall::Body, &call);
      }
      timer.steps.Stage(step, number, begin, times.Now());
      return;
    }
    TimedCall timed{call, times, {}};
    timed.parts.resize(static_cast<size_t>(stage.threads));
    for (auto& parts : timed.parts) parts.reserve(static_cast<size_t>(stage.pieces));
    const int64_t begin = times.Now();
    workers_->Run(stage.tasks, stage.threads, stage.pieces, TimedCall::Body, &timed);
    timer.steps.Stage(step, number, begin, times.Now());
    for (size_t seat = 0; seat < timed.parts.size(); ++seat) {
      for (const TimedCall::Part& p : timed.parts[seat])
        times.Add({step, number, static_cast<int32_t>(seat), p.begin, p.end});
    }
  }

  void CopyBytes(void* to, const void* from, int64_t bytes) const {
    if (bytes == 0 || to == from) return;
    auto a = reinterpret_cast<uintptr_t>(to), b = reinterpret_cast<uintptr_t>(from);
    bool overlap = (a < b ? b - a : a - b) < static_cast<uintptr_t>(bytes);
    if (bytes < kParallelCopy || workers_->parallelism() == 1 || overlap) {
      std::memmove(to, from, static_cast<size_t>(bytes));
      return;
    }
    CopyCall call{static_cast<char*>(to), static_cast<const char*>(from), bytes};
    workers_->Run((bytes + kCopyTask - 1) / kCopyTask, workers_->parallelism(), 2, CopyCall::Body,
                  &call);
  }

  static int32_t Select(const FlatStep& i, const void* selector) {
    if (i.predicate) return *static_cast<const uint8_t*>(selector) != 0 ? 0 : 1;
    int32_t branch;
    std::memcpy(&branch, selector, sizeof branch);
    return branch < 0 || branch >= i.count ? i.count - 1 : branch;
  }

  const FlatProgram program_;
  const StagePlan plan_;
  const std::shared_ptr<Workers> workers_;
  const std::shared_ptr<MemoryPool> pool_;
  const FpMode mode_;
  std::vector<ThreadTrial> trials_;
  const std::shared_ptr<Transport> transport_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StepExecutor>> MakeCpuExecutor(
    const program::Program& program, program::Loader& loader, std::shared_ptr<Workers> workers,
    std::shared_ptr<MemoryPool> pool, const StepExecutor::Options& options) {
  ASSIGN_OR_RETURN(FlatProgram flat, Flatten(program, "Host", options.custom_calls));
  ASSIGN_OR_RETURN(StagePlan plan, PlanStages(program, flat, loader, workers->parallelism()));
  FpMode mode = options.flush_denormals ? FpMode::kFlushDenormals : FpMode::kKeepDenormals;
  return std::make_unique<CpuExecutor>(std::move(flat), std::move(plan), std::move(workers),
                                       std::move(pool), mode);
}

}  // namespace sinter::runtime::cpu
