// A program made ready to run: checks arguments, finds memory for results, donates, and calls the
// device's executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/thread/timer.h"
#include "program/program.h"
#include "runtime/device.h"
#include "runtime/device_buffer.h"
#include "runtime/step_executor.h"

namespace sinter::runtime {

struct RunOptions {
  // Which arguments a run consumes besides those that every run does, and which of those it must
  // not.
  absl::Span<const int64_t> donate = {};
  absl::Span<const int64_t> keep = {};
  // Who answers its sends to the host and receives from it; may be null.
  std::shared_ptr<const HostTransfers> host = nullptr;
};

class Processes;
struct RunKey;
class Turns;

// Who runs a program.
struct Participants {
  // The client's device of each participant, in their order.
  std::vector<int> devices = {0};
  // Null: all devices are of this process.
  std::shared_ptr<Processes> processes;
  // For how long one may wait for others, seconds; 0: for ever. It is told by `timer`.
  double timeout = 0;
  std::shared_ptr<Timer> timer;
};

class Executable : public std::enable_shared_from_this<Executable> {
 public:
  using Results = std::vector<std::shared_ptr<DeviceBuffer>>;

  // A device with the program's steps, which it has taken.
  struct Prepared {
    std::shared_ptr<Device> device;
    std::unique_ptr<StepExecutor> steps;
  };
  // `prepared`: one for all participants of this process, or one for each, in their order. `owner`
  // as in DeviceBuffer. Every run consumes the arguments in `donated` and those that results alias.
  // `flushes_denormals` says how the steps were made. Internal for a program that contradicts
  // itself.
  static absl::StatusOr<std::shared_ptr<Executable>> Make(const void* owner,
                                                          program::Program program,
                                                          std::vector<Prepared> prepared,
                                                          absl::Span<const int64_t> donated = {},
                                                          Participants participants = {},
                                                          bool flushes_denormals = false);

  const std::vector<int>& devices() const { return participants_.devices; }
  // Those whose devices are of this process, in ascending order.
  const std::vector<int64_t>& local_participants() const { return local_; }
  // The processes that run it too, in ascending order, and that of each participant.
  const std::vector<int>& other_processes() const { return other_processes_; }
  int ProcessOf(int64_t participant) const { return process_of_[static_cast<size_t>(participant)]; }

  // As given, without its constants.
  const program::Program& program() const { return program_; }
  // With the constants, as arrays of bytes, of which the run needs no more.
  absl::StatusOr<program::Program> ProgramWithConstants() const;
  // The arguments that every run consumes.
  std::vector<int64_t> donated() const;
  bool flushes_denormals() const { return flushes_denormals_; }

  // Runs and waits. InvalidArgument for a wrong count, shape, layout or client of arguments,
  // deleted and donated ones, and an argument that is both donated and read; ResourceExhausted; and
  // the error of an argument whose computation failed. On an error no argument has been consumed,
  // unless the run itself failed.
  absl::StatusOr<Results> Execute(absl::Span<DeviceBuffer* const> arguments,
                                  const RunOptions& options) {
    return Execute(arguments, options, nullptr);
  }
  // The same, and adds the times of its steps to `times` unless that is null.
  absl::StatusOr<Results> Execute(absl::Span<DeviceBuffer* const> arguments,
                                  const RunOptions& options, StepTimes* times);
  // Checks and returns; the run finds memory and is submitted after the work that makes the
  // arguments, on a thread of the client's if submitting blocks or waits. Errors of the run itself
  // become those of the results. `done`, unless null, becomes the event that the run is done.
  absl::StatusOr<Results> ExecuteAsync(absl::Span<DeviceBuffer* const> arguments,
                                       const RunOptions& options, Event* done = nullptr);

  // Runs as all participants that are here, with the arguments of each, and waits; other processes
  // do the same with the others. Errors as those of Execute,
  // and those of exchanges, which end all participants: InvalidArgument where they disagree or wait
  // for one another for ever; Unavailable where another process is lost or has failed. The error is
  // that of the participant that failed first.
  absl::StatusOr<std::vector<Results>> ExecuteAll(
      absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options);
  // The same without waiting. `done`, unless null, becomes the event of each participant.
  absl::StatusOr<std::vector<Results>> ExecuteAllAsync(
      absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options,
      std::vector<Event>* done = nullptr);

 private:
  friend class Gang;
  struct Place;
  // All that one run uses. Reused by the next run, with its vectors' capacity.
  struct Run {
    Place* place = nullptr;
    std::vector<void*> bases;
    std::vector<StorageRef> arguments;
    std::vector<char> donated;
    std::vector<StorageRef> owned;    // by allocation: results and stand-ins
    std::vector<StorageRef> results;  // by result
    // Argument and the result allocation that must start as its copy.
    std::vector<std::pair<int, int>> copies_in;
    std::unique_ptr<StepExecutor::State> state;
    std::shared_ptr<const HostTransfers> host;
    // Where others are met: Device::failures() when the run begins; null where a run is done when
    // it has been submitted, and where nobody asks.
    std::shared_ptr<std::atomic<uint64_t>> failures;

    // Drops every reference and keeps the capacity.
    void Clear() {
      host.reset();
      failures.reset();
      state->caller = {};
      arguments.clear();
      owned.clear();
      results.clear();
      copies_in.clear();
    }
  };
  // A device, and what of the program is there.
  struct Place {
    std::shared_ptr<Device> device;
    std::unique_ptr<StepExecutor> steps;
    std::vector<void*> fixed_bases;  // constants; null elsewhere
    // Constants start at aligned addresses, which those of literals need not be.
    std::vector<StorageRef> constants;
    std::vector<std::unique_ptr<Run>> runs;  // for reuse
  };
  struct ResultPlan {
    program::Slice slice;
    bool whole = false;  // the result is its allocation, and the first to be so
    std::shared_ptr<const Shape> shape;
  };

  Executable() = default;
  void FindGroups();
  absl::Status Prepare(absl::Span<const int64_t> donated);
  absl::Status PlaceConstant(size_t allocation, const Literal& literal);
  absl::Status CheckArgument(const DeviceBuffer& buffer, size_t i, int device) const;
  // With `defer`, results get their memory in Submit.
  absl::Status Begin(absl::Span<DeviceBuffer* const> arguments, const RunOptions& options,
                     bool defer, Run& run, int device);
  // Gives back what Begin has consumed.
  void Undo(absl::Span<DeviceBuffer* const> arguments, Run& run) const;
  // The runs of all participants; none has begun where one cannot.
  absl::StatusOr<std::vector<std::unique_ptr<Run>>> BeginAll(
      absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options);
  absl::Status CheckAlone() const;
  absl::Status CheckTogether() const;
  int DeviceOf(size_t local) const { return devices()[static_cast<size_t>(local_[local])]; }
  RunKey NextRun() const;
  // Null: runs may be submitted in any order.
  Turns* TurnsOf() const;
  // Tells other processes of a run that has not begun here, and why; returns that.
  absl::Status DropRun(const RunKey& run, const absl::Status& why) const;
  absl::Status MarkDonated(absl::Span<DeviceBuffer* const> arguments, const RunOptions& options,
                           Run& run) const;
  absl::Status PlaceResults(absl::Span<const char> exclusive, bool defer, Run& run);
  absl::Status FindBases(Run& run) const;
  absl::Status Submit(Run& run, StepTimes* times = nullptr);
  // What Submit does before the steps, which need the arena, and after them.
  absl::StatusOr<StorageRef> Enter(Run& run);
  absl::Status Leave(Run& run);
  // The event that the arguments are what was to be computed, where a device learns of that when it
  // has come to them (Device::exchanges); else one that has happened.
  static Event Made(absl::Span<DeviceBuffer* const> arguments, const Device& device);
  Results MakeResults(Run& run, const Event& ready, const Event& submitted, int device) const;
  // The reference of the run to result r's memory, beside the result's own.
  StorageRef& Awaited(Run& run, size_t r) const;
  // Of a participant, by its number among those that are here.
  Place& PlaceOf(size_t local) { return places_.size() == 1 ? places_[0] : places_[local]; }
  absl::StatusOr<std::unique_ptr<Run>> TakeRun(size_t local);
  void ReturnRun(std::unique_ptr<Run> run);

  const void* owner_ = nullptr;
  Participants participants_;
  std::vector<int64_t> local_;
  std::vector<int> process_of_;  // by participant
  std::vector<int> other_processes_;
  bool spans_processes_ = false;
  size_t remote_groups_ = 0;  // of participants here and in other processes
  program::Program program_;
  std::vector<Place> places_;
  bool flushes_denormals_ = false;

  std::vector<std::shared_ptr<const Shape>> argument_shapes_;
  std::vector<int> argument_allocation_;  // by argument: its allocation or -1
  // By argument: the result allocation that takes it over, or -1.
  std::vector<int> alias_of_argument_;
  std::vector<char> consumed_;           // by argument: every run takes it
  std::vector<int> result_allocations_;  // all kResult ones
  std::vector<ResultPlan> results_;
  std::vector<int> temps_;  // all kTemp allocations

  std::mutex runs_mutex_;
};

}  // namespace sinter::runtime
