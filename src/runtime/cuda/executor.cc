#include "runtime/cuda/executor.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/sequence.h"
#include "runtime/cuda/step_clock.h"
#include "runtime/flat_program.h"
#include "runtime/transport.h"

namespace sinter::runtime::cuda {
namespace {

// The most blocks that a grid may have along x.
constexpr int64_t kMaxBlocks = INT32_MAX;

// Steps [begin, end) of the program, which are launches and copies that nothing jumps between.
struct Segment {
  int32_t begin = 0, end = 0;
};

class CudaState final : public StepExecutor::State {
 public:
  std::vector<void*> bases;  // that `pointers` was computed from
  std::vector<void*> pointers;
  std::vector<void*> parameters;               // of all launches, one after the other
  std::vector<std::vector<Work>> work;         // by segment; refers to the above
  std::vector<std::unique_ptr<Graph>> graphs;  // by segment
  std::vector<char> ran;                       // by segment: it has been run before
  std::unique_ptr<PinnedBlock> selector;       // null: the program has no control flow
  // Of the participant with this number, which the state is for; those that it begins by step.
  int64_t number = -1;
  std::vector<std::unique_ptr<CudaSequence>> sequences;
  std::vector<SequenceRange> ranges;
  std::vector<int32_t> sequence_at;
  int32_t offered = -1;  // of a run that has met others: the sequence that it offered
  int32_t at = 0;        // and the step to go on with
};

class CudaExecutor final : public StepExecutor {
 public:
  CudaExecutor(FlatProgram program, const program::Program& source,
               std::shared_ptr<Context> context, std::shared_ptr<Transport> transport)
      : program_(std::move(program)),
        name_(source.name),
        context_(std::move(context)),
        transport_(std::move(transport)) {
    for (const program::Code& code : source.codes) symbols_.push_back(code.symbols);
    FindSegments();
  }

  absl::Status Link(const program::Program& source, CubinCache& cubins) {
    for (const program::Code& code : source.codes) {
      ASSIGN_OR_RETURN(std::shared_ptr<const Cubin> cubin, cubins.Get(code));
      cubins_.push_back(std::move(cubin));
    }
    RETURN_INTERNAL_IF(!program_.library_calls.empty(), "program {}: '{}' is no kernel for GPUs",
                       name_, program_.library_calls[0].name);
    for (const FlatStage& s : program_.stages) {
      RETURN_INTERNAL_IF(s.tasks > kMaxBlocks, "program {}: a stage of {} blocks", name_, s.tasks);
      RETURN_INTERNAL_IF(s.threads <= 0, "program {}: a stage of {} threads a block", name_,
                         s.threads);
    }
    return absl::OkStatus();
  }

  bool blocks() const override {
    return has_control_ || absl::c_any_of(program_.custom_calls, [](const ReadyCustomCall& call) {
             return call.is_own();
           });
  }

  absl::StatusOr<std::unique_ptr<State>> NewState() override {
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    RETURN_IF_ERROR(LoadModules());
    auto state = std::make_unique<CudaState>();
    state->bases.assign(program_.by_allocation.size(), nullptr);
    state->pointers.assign(static_cast<size_t>(program_.pointers), nullptr);
    state->graphs.resize(segments_.size());
    state->ran.assign(segments_.size(), 0);
    if (has_control_) {
      ASSIGN_OR_RETURN(state->selector, PinnedBlock::Make(context_, kAlignment));
    }
    for (const FlatStep& step : program_.code) {
      if (step.kind != FlatStep::Kind::kLaunch) continue;
      for (int32_t k = 0; k < step.buffers; ++k)
        state->parameters.push_back(&state->pointers[static_cast<size_t>(step.pointer + k)]);
      for (int32_t k = 0; k < step.dim_count; ++k)
        state->parameters.push_back(&program_.dims[static_cast<size_t>(step.dims + k)]);
    }
    void** parameters = state->parameters.data();
    for (const Segment& segment : segments_) {
      std::vector<Work>& work = state->work.emplace_back();
      for (int32_t at = segment.begin; at < segment.end; ++at) {
        const FlatStep& step = program_.code[static_cast<size_t>(at)];
        RETURN_IF_ERROR(AddWork(step, parameters, *state, work));
        if (step.kind == FlatStep::Kind::kLaunch) parameters += step.buffers + step.dim_count;
      }
    }
    return state;
  }

  absl::Status Run(absl::Span<void* const> bases, State& state) override {
    return RunAlone(bases, static_cast<CudaState&>(state), nullptr);
  }
  absl::Status RunTimed(absl::Span<void* const> bases, State& state, StepTimes& times) override {
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    StepClock clock(*context_, times, program_.parents);
    RETURN_IF_ERROR(clock.Start());
    absl::Status status = RunAlone(bases, static_cast<CudaState&>(state), &clock);
    return status.ok() ? clock.Finish() : status;
  }
  absl::StatusOr<Meeting> Advance(absl::Span<void* const> bases, State& state,
                                  const Participant& self) override {
    auto& own = static_cast<CudaState&>(state);
    if (own.number != self.number) MakeSequences(self, own);
    return RunSteps(bases, own, nullptr, self);
  }
  Transport* transport() override { return transport_.get(); }

 private:
  absl::Status RunAlone(absl::Span<void* const> bases, CudaState& state, StepClock* clock) {
    ASSIGN_OR_RETURN(const Meeting met, RunSteps(bases, state, clock, Participant()));
    RETURN_INTERNAL_IF(met.step != nullptr, "{} in a program of one participant",
                       met.step->operation.text);
    return absl::OkStatus();
  }

  // From where the run was to where it meets others. `clock` is null where nobody asks for times.
  absl::StatusOr<Meeting> RunSteps(absl::Span<void* const> bases, CudaState& state,
                                   StepClock* clock, const Participant& self) {
    for (size_t a = 0; a < bases.size(); ++a) {
      if (bases[a] != state.bases[a]) Resolve(a, bases[a], state);
    }
    Context::Scope scope(*context_);
    RETURN_IF_ERROR(scope.status());
    auto size = static_cast<int32_t>(program_.code.size());
    const int32_t offered = std::exchange(state.offered, -1);
    if (offered >= 0 && state.sequences[static_cast<size_t>(offered)]->whole)
      state.at = state.ranges[static_cast<size_t>(offered)].end;
    for (int32_t at = std::exchange(state.at, 0); at < size;) {
      if (int32_t s = segment_at_[static_cast<size_t>(at)]; s >= 0) {
        RETURN_IF_ERROR(clock == nullptr ? RunSegment(static_cast<size_t>(s), state)
                                         : TimeSegment(static_cast<size_t>(s), state, *clock));
        at = segments_[static_cast<size_t>(s)].end;
        continue;
      }
      const int32_t step = program_.step_of[static_cast<size_t>(at)];
      const FlatStep& i = program_.code[static_cast<size_t>(at++)];
      if (i.kind == FlatStep::Kind::kCustomCall) {
        if (clock != nullptr) RETURN_IF_ERROR(clock->Begin(step));
        RETURN_IF_ERROR(program_.custom_calls[static_cast<size_t>(i.first)].Call(
            absl::MakeConstSpan(state.pointers)
                .subspan(static_cast<size_t>(i.pointer), static_cast<size_t>(i.buffers)),
            context_->stream(), state.caller));
        if (clock != nullptr) RETURN_IF_ERROR(clock->End(step));
        continue;
      }
      if (i.kind == FlatStep::Kind::kParticipantId) {
        RETURN_IF_ERROR(Submit(*context_, NumberOf(i, self, state), context_->stream()));
        continue;
      }
      if (i.kind == FlatStep::Kind::kCollective) {
        state.at = at;
        Meeting meeting{&program_.collectives[static_cast<size_t>(i.first)],
                        state.pointers.data() + i.pointer, nullptr};
        state.offered =
            state.sequence_at.empty() ? -1 : state.sequence_at[static_cast<size_t>(at - 1)];
        if (state.offered >= 0) {
          meeting.sequence = state.sequences[static_cast<size_t>(state.offered)].get();
          meeting.sequence->whole = false;
        }
        return meeting;
      }
      if (i.kind == FlatStep::Kind::kAwait) {
        state.at = at;
        Meeting end{&program_.collectives[static_cast<size_t>(i.first)]};
        end.awaits = true;
        return end;
      }
      if (i.kind == FlatStep::Kind::kJump) {
        at = i.target;
        continue;
      }
      const bool is_switch = i.kind == FlatStep::Kind::kSwitch;
      ASSIGN_OR_RETURN(int32_t selector, ReadSelector(i, is_switch && !i.predicate ? 4 : 1, state));
      if (clock != nullptr) clock->Control(step, /*turn=*/!is_switch && selector != 0);
      if (is_switch) {
        at = program_.targets[static_cast<size_t>(i.first + Select(i, selector))];
      } else if (selector == 0) {
        at = i.target;
      }
    }
    return Meeting();
  }

  static bool IsStraight(const FlatStep& s) {
    return s.kind == FlatStep::Kind::kLaunch || s.kind == FlatStep::Kind::kCopy;
  }

  void FindSegments() {
    size_t n = program_.code.size();
    is_target_.resize(n + 1);
    for (int32_t t : program_.targets) is_target_[static_cast<size_t>(t)] = true;
    for (const FlatStep& s : program_.code) {
      if (!s.controls()) continue;
      has_control_ = true;
      if (s.kind != FlatStep::Kind::kSwitch) is_target_[static_cast<size_t>(s.target)] = true;
    }
    segment_at_.assign(n, -1);
    for (size_t begin = 0; begin < n;) {
      size_t end = begin;
      while (end < n && IsStraight(program_.code[end]) && (end == begin || !is_target_[end])) ++end;
      if (end > begin) {
        segment_at_[begin] = static_cast<int32_t>(segments_.size());
        segments_.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(end)});
      }
      begin = end > begin ? end : begin + 1;
    }
  }

  // What writes the participant's number.
  static Work NumberOf(const FlatStep& step, const Participant& self, const CudaState& state) {
    Work w;
    w.pointers = state.pointers.data() + step.pointer;
    w.count = 1;
    w.number = step.predicate ? self.partition : self.replica;
    return w;
  }

  void MakeSequences(const Participant& self, CudaState& state) const {
    state.number = self.number;
    state.sequences.clear();
    state.ranges = FindSequences(program_, self.number, is_target_);
    state.sequence_at.assign(program_.code.size(), -1);
    for (const SequenceRange& range : state.ranges) {
      state.sequence_at[static_cast<size_t>(range.begin)] =
          static_cast<int32_t>(state.sequences.size());
      auto sequence = std::make_unique<CudaSequence>();
      for (int32_t at = range.begin; at < range.end; ++at) {
        const FlatStep& i = program_.code[static_cast<size_t>(at)];
        if (int32_t s = segment_at_[static_cast<size_t>(at)]; s >= 0) {
          for (const Work& w : state.work[static_cast<size_t>(s)]) sequence->Add(w);
        } else if (i.kind == FlatStep::Kind::kParticipantId) {
          sequence->Add(NumberOf(i, self, state));
        } else if (i.kind == FlatStep::Kind::kCollective) {
          sequence->Add({&program_.collectives[static_cast<size_t>(i.first)],
                         state.pointers.data() + i.pointer});
        } else if (i.kind == FlatStep::Kind::kAwait) {
          sequence->AddEnd(&program_.collectives[static_cast<size_t>(i.first)]);
        }
      }
      state.sequences.push_back(std::move(sequence));
    }
  }

  absl::Status LoadModules() {
    std::lock_guard<std::mutex> lock(modules_mutex_);
    for (size_t i = modules_.size(); i < cubins_.size(); ++i) {
      absl::StatusOr<std::shared_ptr<Module>> module =
          Module::Load(context_, *cubins_[i], symbols_[i]);
      if (!module.ok()) return Annotate(module.status(), name_);
      modules_.push_back(*std::move(module));
    }
    return absl::OkStatus();
  }

  absl::Status AddWork(const FlatStep& step, void** parameters, CudaState& state,
                       std::vector<Work>& work) {
    Work w;
    w.pointers = state.pointers.data() + step.pointer;
    if (step.kind == FlatStep::Kind::kCopy) {
      w.count = 2;
      w.bytes = step.bytes;
      if (w.bytes > 0) work.push_back(w);
      return absl::OkStatus();
    }
    w.count = step.buffers;
    w.parameters = parameters;
    w.shared_bytes = static_cast<unsigned>(step.bytes);
    for (int32_t s = step.first; s < step.first + step.count; ++s) {
      const FlatStage& stage = program_.stages[static_cast<size_t>(s)];
      auto code = static_cast<size_t>(stage.code);
      auto function = modules_[code]->Function(stage.function, stage.threads, step.bytes);
      if (!function.ok()) {
        return Annotate(
            function.status(),
            Format("{}: {}", name_, symbols_[code][static_cast<size_t>(stage.function)]));
      }
      w.function = *function;
      w.blocks = static_cast<unsigned>(stage.tasks);
      w.threads = static_cast<unsigned>(stage.threads);
      work.push_back(w);
    }
    return absl::OkStatus();
  }

  void Resolve(size_t allocation, void* base, CudaState& state) const {
    state.bases[allocation] = base;
    for (const FlatProgram::Pointer& p : program_.by_allocation[allocation]) {
      // Offsets of an absent (empty) buffer stay out of pointer arithmetic.
      state.pointers[static_cast<size_t>(p.entry)] =
          base == nullptr ? nullptr : static_cast<char*>(base) + p.offset;
    }
  }

  absl::Status RunSegment(size_t s, CudaState& state) const {
    const std::vector<Work>& work = state.work[s];
    bool graph = work.size() >= kGraphLength && std::exchange(state.ran[s], true);
    // Whether a copy onto itself is one depends on the run's memory.
    for (const Work& w : work) graph &= w.function != nullptr || w.pointers[0] != w.pointers[1];
    if (!graph) {
      for (const Work& w : work) RETURN_IF_ERROR(Submit(*context_, w, context_->stream()));
      return absl::OkStatus();
    }
    if (state.graphs[s] == nullptr) {
      ASSIGN_OR_RETURN(state.graphs[s], Graph::Make(context_, work));
    }
    RETURN_IF_ERROR(state.graphs[s]->Patch());
    return state.graphs[s]->Launch();
  }

  // The same piece by piece.
  absl::Status TimeSegment(size_t s, CudaState& state, StepClock& clock) const {
    auto work = state.work[s].begin();
    for (int32_t at = segments_[s].begin; at < segments_[s].end; ++at) {
      const FlatStep& i = program_.code[static_cast<size_t>(at)];
      const int32_t step = program_.step_of[static_cast<size_t>(at)];
      RETURN_IF_ERROR(clock.Begin(step));
      if (i.kind == FlatStep::Kind::kCopy) {
        if (i.bytes > 0) RETURN_IF_ERROR(Submit(*context_, *work++, context_->stream()));
      } else {
        for (int32_t stage = 0; stage < i.count; ++stage) {
          RETURN_IF_ERROR(Submit(*context_, *work++, context_->stream()));
          RETURN_IF_ERROR(clock.Stage(step, stage));
        }
      }
      RETURN_IF_ERROR(clock.End(step));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int32_t> ReadSelector(const FlatStep& step, size_t bytes, CudaState& state) const {
    char* to = state.selector->data();
    const void* from = state.pointers[static_cast<size_t>(step.pointer)];
    RETURN_IF_CUDA_ERROR(*context_, MemcpyDtoHAsync, to, reinterpret_cast<DevicePointer>(from),
                         bytes, context_->stream());
    absl::StatusOr<EventHandle> event = context_->Record();
    if (!event.ok()) {
      // The device may still write there.
      context_->driver().StreamSynchronize(context_->stream());
      return event.status();
    }
    absl::Status status = context_->Wait(*event);
    context_->ReturnEvent(*event);
    RETURN_IF_ERROR(status);
    if (bytes == 1) return *to != 0 ? 1 : 0;
    int32_t value = 0;
    std::memcpy(&value, to, sizeof value);
    return value;
  }

  static int32_t Select(const FlatStep& i, int32_t selector) {
    if (i.predicate) return selector != 0 ? 0 : 1;
    return selector < 0 || selector >= i.count ? i.count - 1 : selector;
  }

  FlatProgram program_;  // parameters of kernels point into its dimensions
  const std::string name_;
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<Transport> transport_;
  std::vector<std::vector<std::string>> symbols_;  // by code
  std::vector<std::shared_ptr<const Cubin>> cubins_;
  std::vector<Segment> segments_;
  std::vector<char> is_target_;      // by step, and of the end: it is jumped to
  std::vector<int32_t> segment_at_;  // by step: the segment that begins there, or -1
  bool has_control_ = false;

  std::mutex modules_mutex_;
  std::vector<std::shared_ptr<Module>> modules_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StepExecutor>> MakeCudaExecutor(
    const program::Program& program, std::shared_ptr<Context> context, CubinCache& cubins,
    std::shared_ptr<Transport> transport, const StepExecutor::Options& options) {
  ASSIGN_OR_RETURN(FlatProgram flat, Flatten(program, "CUDA", options.custom_calls));
  auto executor = std::make_unique<CudaExecutor>(std::move(flat), program, std::move(context),
                                                 std::move(transport));
  RETURN_IF_ERROR(executor->Link(program, cubins));
  return executor;
}

}  // namespace sinter::runtime::cuda
