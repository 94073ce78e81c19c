// Runs of all participants that are here.
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/thread/event_state.h"
#include "runtime/executable.h"
#include "runtime/gang.h"

namespace sinter::runtime {
namespace {

// See Executable::Run::failures.
using Failures = std::shared_ptr<std::atomic<uint64_t>>;

// What has been submitted when `submitted` happens is done; its error, and that of the arguments.
// On a device that shares the host's memory all are one.
Event ReadyAfter(const Event& submitted, const Event& made, const std::shared_ptr<Device>& device,
                 const Failures& failures) {
  if (device->shares_host_memory()) return submitted;
  const Promise ready(device->workers()->queue());
  submitted.OnReady([ready, device, failures](const absl::Status& s) {
    if (!s.ok()) return ready.Set(s);
    device->Completion(*failures).OnReady([ready](const absl::Status& done) { ready.Set(done); });
  });
  return Event::All({made, ready.event()});
}

}  // namespace

absl::Status Executable::CheckAlone() const {
  if (program_.grid.size() == 1 && !local_.empty()) return absl::OkStatus();
  if (program_.grid.size() == 1) {
    return InvalidArgument("{}: its device {} is one of process {}", program_.name, devices()[0],
                           participants_.processes->ProcessOf(devices()[0]));
  }
  return InvalidArgument(
      "{} is for {} participants, and is to be run with the arguments of all of them "
      "(Executable::ExecuteOnDevices)",
      program_.name, program_.grid.size());
}

absl::Status Executable::CheckTogether() const {
  RETURN_INTERNAL_IF(places_[0].steps->transport() == nullptr, "{}: a device without participants",
                     program_.name);
  if (!local_.empty()) return absl::OkStatus();
  return InvalidArgument("{}: none of its devices is of process {}", program_.name,
                         participants_.processes->id());
}

Turns* Executable::TurnsOf() const {
  return spans_processes_ ? places_[0].steps->transport()->turns() : nullptr;
}

RunKey Executable::NextRun() const {
  return spans_processes_ ? participants_.processes->NextRun(devices()) : RunKey();
}

absl::Status Executable::DropRun(const RunKey& run, const absl::Status& why) const {
  if (!spans_processes_) return why;
  Processes& processes = *participants_.processes;
  const std::string message = Gang::Failure(Unavailable(
      "{}: process {} has not begun: {}", program_.name, processes.id(), MessageOf(why)));
  // Processes that cannot be reached are lost, and hear so.
  for (int p : other_processes_) processes.Send(p, run, message).IgnoreError();
  processes.End(run);
  return why;
}

absl::StatusOr<std::vector<std::unique_ptr<Executable::Run>>> Executable::BeginAll(
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options) {
  if (arguments.size() != local_.size()) {
    return InvalidArgument("{}: expected arguments for {} participants{}, given {}", program_.name,
                           local_.size(), spans_processes_ ? " of this process" : "",
                           arguments.size());
  }
  std::vector<std::unique_ptr<Run>> runs;
  absl::Status status;
  for (size_t n = 0; n < arguments.size() && status.ok(); ++n) {
    auto run = TakeRun(n);
    status = run.status();
    if (!status.ok()) break;
    status = Begin(arguments[n], options, /*defer=*/false, **run, DeviceOf(n));
    (*run)->state->caller.participant = local_[n];
    if (!PlaceOf(n).device->shares_host_memory())
      (*run)->failures = std::make_shared<std::atomic<uint64_t>>(0);
    if (!status.ok()) {
      ReturnRun(*std::move(run));
      status = Annotate(status, collective::NameOf(local_[n], program_.grid));
      break;
    }
    runs.push_back(*std::move(run));
  }
  if (status.ok()) return runs;
  for (size_t n = 0; n < runs.size(); ++n) {
    Undo(arguments[n], *runs[n]);
    ReturnRun(std::move(runs[n]));
  }
  return status;
}

absl::StatusOr<std::vector<Executable::Results>> Executable::ExecuteAll(
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options) {
  RETURN_IF_ERROR(CheckTogether());
  const RunKey key = NextRun();
  absl::Status inputs;
  for (const auto& own : arguments) {
    for (DeviceBuffer* b : own) {
      if (b != nullptr && inputs.ok()) inputs = b->submitted().Wait();
    }
  }
  if (!inputs.ok()) return DropRun(key, inputs);
  absl::StatusOr<std::vector<std::unique_ptr<Run>>> begun = BeginAll(arguments, options);
  if (!begun.ok()) return DropRun(key, begun.status());
  std::vector<std::unique_ptr<Run>>& runs = *begun;
  std::vector<Results> results;
  std::vector<Promise> promises;
  std::vector<Failures> failures;
  for (size_t n = 0; n < runs.size(); ++n) {
    results.push_back(MakeResults(*runs[n], Event(), Event(), DeviceOf(n)));
    failures.push_back(runs[n]->failures);
    promises.emplace_back(places_[0].device->workers()->queue());
  }
  auto gang = std::make_shared<Gang>(shared_from_this(), std::move(runs), std::move(promises),
                                     /*awaited=*/false, key);
  if (Turns* turns = TurnsOf()) {
    const Promise turn(places_[0].device->workers()->queue());
    // Runs that have failed have been submitted too.
    turns->Next(turn.event()).Wait().IgnoreError();
    gang->Run(/*waits=*/true);
    turn.Set(absl::OkStatus());
  } else {
    gang->Run(/*waits=*/true);
  }
  RETURN_IF_ERROR(gang->status());
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (failures[n] != nullptr) RETURN_IF_ERROR(PlaceOf(n).device->Synchronize(*failures[n]));
    RETURN_IF_ERROR(Made(arguments[n], *PlaceOf(n).device).Wait());
  }
  return results;
}

absl::StatusOr<std::vector<Executable::Results>> Executable::ExecuteAllAsync(
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const RunOptions& options,
    std::vector<Event>* done) {
  const std::shared_ptr<Workers>& workers = places_[0].device->workers();
  if (workers->queue() == nullptr) {
    if (done != nullptr) done->assign(local_.size(), Event());
    return ExecuteAll(arguments, options);
  }
  RETURN_IF_ERROR(CheckTogether());
  const RunKey key = NextRun();
  absl::StatusOr<std::vector<std::unique_ptr<Run>>> begun = BeginAll(arguments, options);
  if (!begun.ok()) return DropRun(key, begun.status());
  std::vector<std::unique_ptr<Run>>& runs = *begun;
  std::vector<Event> inputs;
  for (const auto& own : arguments) {
    for (DeviceBuffer* b : own) inputs.push_back(b->submitted());
  }
  std::vector<Results> results;
  std::vector<Promise> promises;
  std::vector<Event> submitted;
  if (done != nullptr) done->clear();
  for (size_t n = 0; n < runs.size(); ++n) {
    const Promise& ended = promises.emplace_back(workers->queue());
    submitted.push_back(ended.event());
    const Event ready = ReadyAfter(ended.event(), Made(arguments[n], *PlaceOf(n).device),
                                   PlaceOf(n).device, runs[n]->failures);
    for (size_t r = 0; r < results_.size(); ++r) Awaited(*runs[n], r)->MarkAwaited();
    results.push_back(MakeResults(*runs[n], ready, ended.event(), DeviceOf(n)));
    if (done != nullptr) done->push_back(ready);
  }
  auto gang = std::make_shared<Gang>(shared_from_this(), std::move(runs), std::move(promises),
                                     /*awaited=*/true, key);
  if (Turns* turns = TurnsOf()) {
    const Promise turn(workers->queue());
    inputs.push_back(turns->Next(turn.event()));
    Event::All(std::move(submitted)).OnReady([turn](const absl::Status&) {
      turn.Set(absl::OkStatus());
    });
  }
  Event::All(std::move(inputs)).OnReady([workers, gang](const absl::Status& s) {
    if (s.ok()) {
      workers->Schedule([gang] { gang->Run(/*waits=*/false); });
    } else {
      gang->Cancel(s);
    }
  });
  return results;
}

}  // namespace sinter::runtime
