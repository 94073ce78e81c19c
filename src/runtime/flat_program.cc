#include "runtime/flat_program.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/status.h"

namespace sinter::runtime {
namespace {

using program::Conditional;
using program::Copy;
using program::Launch;
using program::Slice;
using program::Stage;
using program::Step;
using program::While;

class Flattener {
 public:
  Flattener(const program::Program& program, const std::string& platform,
            const CustomCallTargets& targets)
      : program_(program), platform_(platform), targets_(targets) {
    out_.by_allocation.resize(program.allocations.size());
  }

  absl::StatusOr<FlatProgram> Run() {
    RETURN_IF_ERROR(Walk());
    RETURN_INTERNAL_IF(out_.code.size() > INT32_MAX || table_ > INT32_MAX, "program {} is too long",
                       program_.name);
    out_.pointers = static_cast<int32_t>(table_);
    return std::move(out_);
  }

 private:
  // A list of steps that is being laid out, and what follows its end. An explicit stack: nesting
  // comes from the user.
  struct Frame {
    enum class Kind { kTop, kCondition, kBody, kBranch };
    Kind kind;
    const std::vector<Step>* steps;
    bool in_branch = false;  // of a conditional, however deep
    const While* loop = nullptr;
    const Conditional* conditional = nullptr;
    size_t next = 0;
    int32_t begin = 0;            // kCondition, kBody: where the condition begins
    int32_t exits[2] = {-1, -1};  // kBody: the jumps that leave the loop
    // kCondition, kBody: whether storage exchanges its roles, so that turns are laid out two by
    // two; and which of them this is.
    bool exchanges = false;
    int turn = 0;
    size_t branch = 0;          // kBranch
    int32_t first_target = 0;   // kBranch: entry of the first branch's target
    std::vector<int32_t> ends;  // kBranch: jumps to the end of the conditional
    int32_t step = -1;          // the number of the loop or conditional
  };

  void Push(const FlatStep& i, int32_t step) {
    out_.code.push_back(i);
    out_.step_of.push_back(step);
  }
  void Push(const FlatStep& i) { Push(i, step_); }
  int32_t Here() const { return static_cast<int32_t>(out_.code.size()); }
  FlatStep& At(int32_t i) { return out_.code[static_cast<size_t>(i)]; }

  absl::Status Walk() {
    std::vector<Frame> stack;
    stack.push_back({Frame::Kind::kTop, &program_.steps});
    while (!stack.empty()) {
      Frame& f = stack.back();
      if (f.next == f.steps->size()) {
        RETURN_IF_ERROR(End(stack));
        continue;
      }
      const Step& step = (*f.steps)[f.next++];
      step_ = next_step_++;
      if (step_ == static_cast<int32_t>(out_.parents.size())) out_.parents.push_back(f.step);
      if (auto* launch = std::get_if<Launch>(&step.op)) {
        RETURN_IF_ERROR(Add(*launch));
      } else if (auto* copy = std::get_if<Copy>(&step.op)) {
        if (!(f.exchanges && IsOfExchange(step))) RETURN_IF_ERROR(Add(*copy));
      } else if (auto* library = std::get_if<program::LibraryCall>(&step.op)) {
        RETURN_IF_ERROR(Add(*library));
      } else if (auto* loop = std::get_if<While>(&step.op)) {
        stack.push_back({Frame::Kind::kCondition, &loop->condition, f.in_branch, loop});
        stack.back().begin = Here();
        stack.back().step = step_;
        stack.back().exchanges = Exchanges(*loop, stack);
      } else if (auto* call = std::get_if<program::CustomCall>(&step.op)) {
        RETURN_IF_ERROR(Add(*call, f.in_branch));
      } else if (auto* id = std::get_if<program::ParticipantId>(&step.op)) {
        FlatStep i{FlatStep::Kind::kParticipantId, id->is_partition};
        ASSIGN_OR_RETURN(i.pointer, Pointer(id->result, sizeof(uint32_t)));
        Push(i);
      } else if (auto* collective = std::get_if<program::Collective>(&step.op)) {
        RETURN_IF_ERROR(Add(*collective));
      } else if (auto* await = std::get_if<program::Await>(&step.op)) {
        const auto begun = begun_.find(await->ticket);
        RETURN_INTERNAL_IF(begun == begun_.end(),
                           "program {}: nothing has begun with the number {}", program_.name,
                           await->ticket);
        FlatStep i{FlatStep::Kind::kAwait};
        i.first = begun->second;
        Push(i);
      } else {
        RETURN_IF_ERROR(Begin(std::get<Conditional>(step.op), stack));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Begin(const Conditional& c, std::vector<Frame>& stack) {
    size_t n = c.branches.size();
    RETURN_INTERNAL_IF(n == 0 || (c.selector_is_predicate && n != 2),
                       "program {}: a conditional of {} branches", program_.name, n);
    FlatStep i{FlatStep::Kind::kSwitch, c.selector_is_predicate};
    ASSIGN_OR_RETURN(i.pointer, Pointer(c.selector, c.selector_is_predicate ? 1 : 4));
    i.first = static_cast<int32_t>(out_.targets.size());
    i.count = static_cast<int32_t>(n);
    Push(i);
    out_.targets.resize(out_.targets.size() + n);
    out_.targets[static_cast<size_t>(i.first)] = Here();
    stack.push_back({Frame::Kind::kBranch, &c.branches[0], true, nullptr, &c});
    stack.back().first_target = i.first;
    stack.back().step = step_;
    return absl::OkStatus();
  }

  absl::Status End(std::vector<Frame>& stack) {
    Frame& f = stack.back();
    switch (f.kind) {
      case Frame::Kind::kTop:
        stack.pop_back();
        break;
      case Frame::Kind::kCondition: {
        FlatStep i{FlatStep::Kind::kJumpIfFalse};
        ASSIGN_OR_RETURN(i.pointer, Pointer(f.loop->predicate, 1));
        f.exits[f.turn] = Here();
        Push(i, f.step);
        f.kind = Frame::Kind::kBody;
        f.steps = &f.loop->body;
        f.next = 0;
        break;
      }
      case Frame::Kind::kBody: {
        if (f.exchanges && f.turn == 0) {
          // The second turn: the same steps, where what is exchanged stands for each other.
          f.turn = 1;
          f.kind = Frame::Kind::kCondition;
          f.steps = &f.loop->condition;
          f.next = 0;
          next_step_ = f.step + 1;
          exchanged_.push_back(f.loop);
          break;
        }
        FlatStep i{FlatStep::Kind::kJump};
        i.target = f.begin;
        Push(i, f.step);
        if (f.exchanges) {
          exchanged_.pop_back();
          RETURN_IF_ERROR(EndOddTurns(f));
        }
        At(f.exits[0]).target = Here();
        stack.pop_back();
        break;
      }
      case Frame::Kind::kBranch:
        if (++f.branch == f.conditional->branches.size()) {
          for (int32_t jump : f.ends) At(jump).target = Here();
          stack.pop_back();
          break;
        }
        f.ends.push_back(Here());
        Push({FlatStep::Kind::kJump}, f.step);
        out_.targets[static_cast<size_t>(f.first_target) + f.branch] = Here();
        f.steps = &f.conditional->branches[f.branch];
        f.next = 0;
        break;
    }
    return absl::OkStatus();
  }

  // Whether turns are to be laid out two by two: twice the code, which no long body is worth, and
  // twice again for each loop around.
  static bool Exchanges(const While& loop, const std::vector<Frame>& around) {
    constexpr size_t kMostSteps = 1000;
    constexpr int64_t kMostLoops = 2;
    if (loop.body.size() + loop.condition.size() > kMostSteps ||
        std::count_if(around.begin(), around.end(), [](const Frame& f) { return f.exchanges; }) >=
            kMostLoops)
      return false;
    return std::any_of(loop.body.begin(), loop.body.end(), IsExchange);
  }
  static bool IsExchange(const Step& step) {
    const auto* copy = std::get_if<Copy>(&step.op);
    return copy != nullptr && copy->exchange;
  }
  static bool IsOfExchange(const Step& step) {
    const auto* copy = std::get_if<Copy>(&step.op);
    return copy != nullptr && (copy->exchange || copy->keeps);
  }
  // Where a loop ends after an odd number of turns, its state is where the next one is computed.
  absl::Status EndOddTurns(const Frame& f) {
    At(f.exits[1]).target = Here();
    // Exchanges are the last steps of the body, so their numbers are the last, too.
    const auto exchanges =
        static_cast<int32_t>(std::count_if(f.loop->body.begin(), f.loop->body.end(), IsOfExchange));
    step_ = next_step_ - exchanges;
    for (const Step& step : f.loop->body) {
      if (!IsOfExchange(step)) continue;
      RETURN_IF_ERROR(Add(std::get<Copy>(step.op)));
      ++step_;
    }
    return absl::OkStatus();
  }

  absl::Status Add(const Launch& launch) {
    FlatStep i{FlatStep::Kind::kLaunch};
    i.pointer = static_cast<int32_t>(table_);
    for (const Slice& slice : launch.buffers) RETURN_IF_ERROR(Pointer(slice, 0).status());
    i.buffers = static_cast<int32_t>(launch.buffers.size());
    i.dims = static_cast<int32_t>(out_.dims.size());
    i.dim_count = static_cast<int32_t>(launch.dims.size());
    out_.dims.insert(out_.dims.end(), launch.dims.begin(), launch.dims.end());
    i.first = static_cast<int32_t>(out_.stages.size());
    i.bytes = launch.task_bytes;
    RETURN_INTERNAL_IF(launch.task_bytes < 0, "{}: task memory of {} bytes", launch.name,
                       launch.task_bytes);
    for (const Stage& stage : launch.stages) {
      auto code = static_cast<size_t>(stage.code), function = static_cast<size_t>(stage.function);
      RETURN_INTERNAL_IF(code >= program_.codes.size(), "{}: code {} of {}", launch.name,
                         stage.code, program_.codes.size());
      const size_t functions = program_.codes[code].symbols.size();
      RETURN_INTERNAL_IF(function >= functions, "{}: function {} of {}", launch.name,
                         stage.function, functions);
      if (stage.tasks <= 0) continue;
      out_.stages.push_back(
          {stage.code, stage.function, stage.tasks, stage.nanoseconds, stage.threads});
    }
    i.count = static_cast<int32_t>(out_.stages.size()) - i.first;
    Push(i);
    return absl::OkStatus();
  }

  // The device finds the kernel.
  absl::Status Add(const program::LibraryCall& call) {
    FlatStep i{FlatStep::Kind::kLibrary};
    i.pointer = static_cast<int32_t>(table_);
    FlatLibraryCall flat{call.name, {}, call.code, call.function, call.vector_bytes};
    for (const Slice& slice : call.buffers) {
      RETURN_IF_ERROR(Pointer(slice, 0).status());
      flat.sizes.push_back(slice.size);
    }
    i.buffers = static_cast<int32_t>(call.buffers.size());
    i.dims = static_cast<int32_t>(out_.dims.size());
    i.dim_count = static_cast<int32_t>(call.dims.size());
    out_.dims.insert(out_.dims.end(), call.dims.begin(), call.dims.end());
    i.first = static_cast<int32_t>(out_.library_calls.size());
    if (call.code >= 0) {
      auto code = static_cast<size_t>(call.code), function = static_cast<size_t>(call.function);
      RETURN_INTERNAL_IF(
          code >= program_.codes.size() || function >= program_.codes[code].symbols.size(),
          "{}: function {} of code {}", call.name, call.function, call.code);
    }
    out_.library_calls.push_back(std::move(flat));
    Push(i);
    return absl::OkStatus();
  }

  absl::Status Add(const Copy& copy) {
    RETURN_INTERNAL_IF(copy.source.size != copy.destination.size,
                       "program {}: copy of {} bytes to {}", program_.name, copy.source.size,
                       copy.destination.size);
    FlatStep i{FlatStep::Kind::kCopy};
    ASSIGN_OR_RETURN(i.pointer, Pointer(copy.destination, 0));
    RETURN_IF_ERROR(Pointer(copy.source, 0).status());
    i.bytes = copy.source.size;
    Push(i);
    return absl::OkStatus();
  }

  // Programs for several platforms branch by the platform that they run on (JAX's exports: by an
  // argument), and each has targets of its own: a missing target in a branch is an error when the
  // branch is taken.
  absl::Status Add(const program::CustomCall& call, bool in_branch) {
    RETURN_INTERNAL_IF(call.operands.size() != call.operand_shapes.size() ||
                           call.results.size() != call.result_shapes.size(),
                       "program {}: custom call to {}: buffers without shapes", program_.name,
                       call.target);
    FlatStep i{FlatStep::Kind::kCustomCall};
    i.pointer = static_cast<int32_t>(table_);
    for (size_t k = 0; k < call.operands.size(); ++k)
      RETURN_IF_ERROR(
          Pointer(call.operands[k], call.operand_shapes[k].packed_byte_size()).status());
    for (size_t k = 0; k < call.results.size(); ++k)
      RETURN_IF_ERROR(Pointer(call.results[k], call.result_shapes[k].packed_byte_size()).status());
    i.buffers = static_cast<int32_t>(call.operands.size() + call.results.size());
    i.first = static_cast<int32_t>(out_.custom_calls.size());
    absl::StatusOr<ReadyCustomCall> ready =
        ReadyCustomCall::Make(targets_, call.target, platform_, call.opaque, call.operand_shapes,
                              call.result_shapes, call.tuple_result);
    if (!ready.ok()) {
      if (!in_branch) return ready.status();
      ready = ReadyCustomCall::Missing(ready.status());
    }
    out_.custom_calls.push_back(*std::move(ready));
    Push(i);
    return absl::OkStatus();
  }

  absl::Status Add(const program::Collective& collective) {
    const std::string& text = collective.operation.text;
    FlatStep i{FlatStep::Kind::kCollective};
    i.pointer = static_cast<int32_t>(table_);
    for (const Slice& s : collective.operands) RETURN_IF_ERROR(Pointer(s, 0).status());
    for (const Slice& s : collective.results) RETURN_IF_ERROR(Pointer(s, 0).status());
    i.buffers = static_cast<int32_t>(collective.operands.size() + collective.results.size());
    i.first = static_cast<int32_t>(out_.collectives.size());
    if (collective.code >= 0) {
      auto code = static_cast<size_t>(collective.code),
           function = static_cast<size_t>(collective.function);
      RETURN_INTERNAL_IF(
          code >= program_.codes.size() || function >= program_.codes[code].symbols.size(),
          "{}: function {} of code {}", text, collective.function, collective.code);
    }
    if (collective.ticket >= 0) begun_[collective.ticket] = i.first;
    out_.collectives.push_back(collective);
    Push(i);
    return absl::OkStatus();
  }

  // What an allocation stands for here: exchanges of inner loops speak of what those of the loops
  // around them exchange in their turn.
  int Exchanged(int allocation) const {
    for (size_t k = exchanged_.size(); k-- > 0;) {
      for (const Step& step : exchanged_[k]->body) {
        if (!IsExchange(step)) continue;
        const auto& copy = std::get<Copy>(step.op);
        if (allocation == copy.source.allocation) {
          allocation = copy.destination.allocation;
        } else if (allocation == copy.destination.allocation) {
          allocation = copy.source.allocation;
        } else {
          continue;
        }
        break;
      }
    }
    return allocation;
  }

  // A new entry of the table.
  absl::StatusOr<int32_t> Pointer(const Slice& slice, int64_t least) {
    auto a = static_cast<size_t>(Exchanged(slice.allocation));
    RETURN_INTERNAL_IF(a >= program_.allocations.size(), "program {}: allocation {} of {}",
                       program_.name, slice.allocation, program_.allocations.size());
    int64_t size = program_.allocations[a].size;
    RETURN_INTERNAL_IF(slice.offset < 0 || slice.size < least || slice.offset > size - slice.size,
                       "program {}: bytes {} + {} of allocation {}, which has {}", program_.name,
                       slice.offset, slice.size, slice.allocation, size);
    auto entry = static_cast<int32_t>(table_++);
    out_.by_allocation[a].push_back({entry, slice.offset});
    return entry;
  }

  const program::Program& program_;
  const std::string& platform_;
  const CustomCallTargets& targets_;
  int64_t table_ = 0;
  int32_t step_ = -1;                    // the number of the last step
  int32_t next_step_ = 0;                // the number of the next one
  std::vector<const While*> exchanged_;  // loops around, of which this is the second turn
  std::map<int, int32_t> begun_;         // by ticket: the collective that has begun last
  FlatProgram out_;
};

}  // namespace

absl::StatusOr<FlatProgram> Flatten(const program::Program& program, const std::string& platform,
                                    const CustomCallTargets& targets) {
  return Flattener(program, platform, targets).Run();
}

}  // namespace sinter::runtime
