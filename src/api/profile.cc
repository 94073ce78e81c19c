#include "sinter/profile.h"

#include <algorithm>
#include <chrono>

#include "absl/container/inlined_vector.h"
#include "api/client_core.h"
#include "api/sized_execution.h"
#include "program/walk.h"
#include "runtime/device_buffer.h"
#include "runtime/step_times.h"
#include "sinter/executable.h"

namespace sinter {
namespace {

constexpr int64_t kMostRuns = 1'000'000;

// The steps of a program, in the order of their numbers.
class Lister {
 public:
  struct Listed {
    Profile::Step step;
    double wide_operations = 0;
  };

  explicit Lister(const std::vector<program::Step>& steps) { Add(steps, -1); }
  std::vector<Listed> Take() { return std::move(out_); }

 private:
  using Kind = Profile::Kind;

  void Add(const std::vector<program::Step>& steps, int64_t parent) {
    for (const program::Step& s : steps) {
      const auto number = static_cast<int64_t>(out_.size());
      out_.emplace_back();
      out_.back().step.number = number;
      out_.back().step.parent = parent;
      Cost(number, program::CostOf(s));
      std::visit([&](const auto& op) { Describe(op, number); }, s.op);
    }
  }
  Profile::Step& At(int64_t number) { return out_[static_cast<size_t>(number)].step; }
  void Name(int64_t number, Kind kind, std::string name) {
    At(number).kind = kind;
    At(number).name = std::move(name);
  }
  void Cost(int64_t number, const program::Cost& cost) {
    At(number).bytes_read = cost.bytes_read;
    At(number).bytes_written = cost.bytes_written;
    At(number).operations = cost.operations;
    out_[static_cast<size_t>(number)].wide_operations = cost.wide_operations;
  }

  void Describe(const program::Launch& launch, int64_t number) {
    Name(number, Kind::kKernel, launch.name);
  }
  void Describe(const program::Copy&, int64_t number) { Name(number, Kind::kCopy, "copy"); }
  void Describe(const program::LibraryCall& call, int64_t number) {
    Name(number, Kind::kLibrary, call.name);
  }
  void Describe(const program::CustomCall& call, int64_t number) {
    Name(number, Kind::kCustomCall, call.target);
  }
  void Describe(const program::ParticipantId&, int64_t number) {
    Name(number, Kind::kCollective, "number of the participant");
  }
  void Describe(const program::Collective& collective, int64_t number) {
    Name(number, Kind::kCollective, collective.operation.text);
  }
  void Describe(const program::Await&, int64_t number) {
    Name(number, Kind::kCollective, "end of a collective");
  }
  void Describe(const program::While& loop, int64_t number) {
    Name(number, Kind::kWhile, loop.name);
    Add(loop.condition, number);
    Add(loop.body, number);
  }
  void Describe(const program::Conditional& conditional, int64_t number) {
    Name(number, Kind::kConditional, "conditional");
    for (const auto& branch : conditional.branches) Add(branch, number);
  }

  std::vector<Listed> out_;
};

absl::Status Check(const ProfileOptions& options) {
  if (options.runs < 1 || options.runs > kMostRuns || options.warmup_runs < 0 ||
      options.warmup_runs > kMostRuns) {
    return InvalidArgument("ProfileOptions: {} runs after {}", options.runs, options.warmup_runs);
  }
  if (options.event_limit < 0 || !(options.bytes_per_second >= 0) ||
      !(options.operations_per_second >= 0))
    return InvalidArgument("ProfileOptions: a limit is negative");
  return absl::OkStatus();
}

void AddTimes(const runtime::StepTimes& times, std::vector<Lister::Listed>& listed, Profile& out) {
  for (size_t k = 0; k < listed.size(); ++k) {
    Profile::Step& step = listed[k].step;
    if (k < times.steps.size()) {
      const runtime::StepTimes::Step& t = times.steps[k];
      step.calls = t.calls;
      step.turns = t.turns;
      step.seconds = static_cast<double>(t.nanoseconds) * 1e-9;
      for (int64_t ns : t.stages) step.stage_seconds.push_back(static_cast<double>(ns) * 1e-9);
    }
    const double least =
        std::max(static_cast<double>(step.bytes_read + step.bytes_written) / out.bytes_per_second,
                 (step.operations + listed[k].wide_operations) / out.operations_per_second);
    if (step.seconds > 0) step.share_of_limit = least / step.seconds_per_call();
    out.steps.push_back(std::move(step));
  }
  std::stable_sort(
      out.steps.begin(), out.steps.end(),
      [](const Profile::Step& a, const Profile::Step& b) { return a.seconds > b.seconds; });
  for (const runtime::StepTimes::Event& e : times.events) {
    out.events.push_back({e.step, e.stage, e.thread, static_cast<double>(e.begin) * 1e-9,
                          static_cast<double>(e.end) * 1e-9});
  }
}

}  // namespace

const char* KindName(Profile::Kind kind) {
  switch (kind) {
    case Profile::Kind::kKernel:
      return "kernel";
    case Profile::Kind::kCopy:
      return "copy";
    case Profile::Kind::kLibrary:
      return "library";
    case Profile::Kind::kWhile:
      return "while";
    case Profile::Kind::kConditional:
      return "conditional";
    case Profile::Kind::kCustomCall:
      return "custom call";
    case Profile::Kind::kCollective:
      return "collective";
  }
  return "";
}

std::string Profile::ToString() const {
  const double all = seconds * static_cast<double>(runs);
  auto percent = [&](double s) { return all > 0 ? 100 * s / all : 0; };
  std::string out =
      Format("{}: {:.1f} us a run, average of {}; limits {:.1f} GB/s, {:.1f} Gop/s\n", name,
             seconds * 1e6, runs, bytes_per_second * 1e-9, operations_per_second * 1e-9);
  out += Format("{:>6} {:>12} {:>10} {:>8} {:>8} {:>10}  {:<11} {}\n", "% time", "us per call",
                "calls/run", "GB/s", "Gop/s", "% of limit", "kind", "name");
  double in_steps = 0;
  for (const Step& s : steps) {
    if (s.calls == 0) continue;
    if (s.parent < 0) in_steps += s.seconds;
    const double each = s.seconds_per_call();
    auto rate = [&](double count) {
      return count > 0 && each > 0 ? Format("{:.1f}", count / each * 1e-9) : std::string("-");
    };
    std::string what = s.name;
    if (s.kind == Kind::kWhile) {
      what = Format("{} turns, with the steps in it",
                    static_cast<double>(s.turns) / static_cast<double>(s.calls));
    } else if (s.kind == Kind::kConditional) {
      what = "with the steps in it";
    }
    for (size_t k = 0; s.stage_seconds.size() > 1 && k < s.stage_seconds.size(); ++k) {
      what += Format("{}{:.1f}", k == 0 ? " (stages " : " + ",
                     s.stage_seconds[k] / static_cast<double>(s.calls) * 1e6);
      if (k + 1 == s.stage_seconds.size()) what += " us)";
    }
    out +=
        Format("{:>6.1f} {:>12.2f} {:>10g} {:>8} {:>8} {:>10}  {:<11} {}\n", percent(s.seconds),
               each * 1e6, static_cast<double>(s.calls) / static_cast<double>(runs),
               rate(static_cast<double>(s.bytes_read + s.bytes_written)), rate(s.operations),
               s.share_of_limit > 0 ? Format("{:.0f}", 100 * s.share_of_limit) : std::string("-"),
               KindName(s.kind), what);
  }
  return out + Format("{:>6.1f} % of the time is outside of steps\n",
                      percent(std::max(0.0, all - in_steps)));
}

absl::StatusOr<sinter::Profile> Executable::Profile(absl::Span<const Buffer> arguments,
                                                    const ProfileOptions& options) const {
  return api::Guarded([&]() -> absl::StatusOr<sinter::Profile> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    if (client_->platform() == "interpreter")
      return Unimplemented("{}: the interpreter has no kernels to profile", name());
    RETURN_IF_ERROR(Check(options));
    // Arguments are there for the next run.
    ExecuteOptions keep_all;
    keep_all.host_transfers = options.host_transfers;
    absl::InlinedVector<runtime::DeviceBuffer*, 16> raw;
    for (const Buffer& b : arguments) {
      keep_all.keep.push_back(static_cast<int64_t>(raw.size()));
      raw.push_back(b.impl().get());
    }
    auto run = [&](runtime::StepTimes* times) {
      return api::HasSizes(impl_->program())
                 ? api::ExecuteSized(*impl_, client_, arguments, keep_all, times).status()
                 : impl_->Execute(raw, {{}, keep_all.keep, keep_all.host_transfers}, times)
                       .status();
    };
    for (int64_t i = 0; i < options.warmup_runs; ++i) RETURN_IF_ERROR(run(nullptr));
    runtime::StepTimes times;
    times.most_events = static_cast<size_t>(options.event_limit);
    for (int64_t i = 0; i < options.runs; ++i) RETURN_IF_ERROR(run(&times));
    sinter::Profile out;
    out.name = name();
    out.runs = options.runs;
    out.seconds = static_cast<double>(times.Now()) * 1e-9 / static_cast<double>(options.runs);
    out.bytes_per_second = options.bytes_per_second;
    out.operations_per_second = options.operations_per_second;
    if (options.bytes_per_second == 0 || options.operations_per_second == 0) {
      ASSIGN_OR_RETURN(const runtime::DeviceLimits limits,
                       client_->device(impl_->devices()[0])->Limits());
      if (options.bytes_per_second == 0) out.bytes_per_second = limits.bytes_per_second;
      if (options.operations_per_second == 0)
        out.operations_per_second = limits.operations_per_second;
    }
    std::vector<Lister::Listed> listed = Lister(impl_->program().steps).Take();
    AddTimes(times, listed, out);
    return out;
  });
}

}  // namespace sinter
