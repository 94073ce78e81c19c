// Runs of all participants that are here.
#include <utility>

#include "base/status.h"
#include "runtime/executable.h"
#include "runtime/gang.h"

namespace sinter::runtime {

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
  RETURN_INTERNAL_IF(steps_->transport() == nullptr, "{}: a device without participants",
                     program_.name);
  if (!local_.empty()) return absl::OkStatus();
  return InvalidArgument("{}: none of its devices is of process {}", program_.name,
                         participants_.processes->id());
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
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const Donation& donation) {
  if (arguments.size() != local_.size()) {
    return InvalidArgument("{}: expected arguments for {} participants{}, given {}", program_.name,
                           local_.size(), spans_processes_ ? " of this process" : "",
                           arguments.size());
  }
  std::vector<std::unique_ptr<Run>> runs;
  absl::Status status;
  for (size_t n = 0; n < arguments.size() && status.ok(); ++n) {
    auto run = TakeRun();
    status = run.status();
    if (!status.ok()) break;
    status = Begin(arguments[n], donation, /*defer=*/false, **run, DeviceOf(n));
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
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const Donation& donation) {
  RETURN_IF_ERROR(CheckTogether());
  const RunKey key = NextRun();
  absl::Status inputs;
  for (const auto& own : arguments) {
    for (DeviceBuffer* b : own) {
      if (b != nullptr && inputs.ok()) inputs = b->submitted().Wait();
    }
  }
  if (!inputs.ok()) return DropRun(key, inputs);
  absl::StatusOr<std::vector<std::unique_ptr<Run>>> begun = BeginAll(arguments, donation);
  if (!begun.ok()) return DropRun(key, begun.status());
  std::vector<std::unique_ptr<Run>>& runs = *begun;
  std::vector<Results> results;
  std::vector<Promise> promises;
  for (size_t n = 0; n < runs.size(); ++n) {
    results.push_back(MakeResults(*runs[n], Event(), Event(), DeviceOf(n)));
    promises.emplace_back(device_->workers()->queue());
  }
  auto gang = std::make_shared<Gang>(shared_from_this(), std::move(runs), std::move(promises),
                                     /*awaited=*/false, key);
  gang->Run(/*waits=*/true);
  RETURN_IF_ERROR(gang->status());
  return results;
}

absl::StatusOr<std::vector<Executable::Results>> Executable::ExecuteAllAsync(
    absl::Span<const std::vector<DeviceBuffer*>> arguments, const Donation& donation,
    std::vector<Event>* done) {
  const std::shared_ptr<Workers>& workers = device_->workers();
  if (workers->queue() == nullptr) {
    if (done != nullptr) done->assign(local_.size(), Event());
    return ExecuteAll(arguments, donation);
  }
  RETURN_IF_ERROR(CheckTogether());
  const RunKey key = NextRun();
  absl::StatusOr<std::vector<std::unique_ptr<Run>>> begun = BeginAll(arguments, donation);
  if (!begun.ok()) return DropRun(key, begun.status());
  std::vector<std::unique_ptr<Run>>& runs = *begun;
  std::vector<Event> inputs;
  for (const auto& own : arguments) {
    for (DeviceBuffer* b : own) inputs.push_back(b->submitted());
  }
  std::vector<Results> results;
  std::vector<Promise> promises;
  if (done != nullptr) done->clear();
  for (size_t n = 0; n < runs.size(); ++n) {
    const Promise& ended = promises.emplace_back(workers->queue());
    for (size_t r = 0; r < results_.size(); ++r) Awaited(*runs[n], r)->MarkAwaited();
    results.push_back(MakeResults(*runs[n], ended.event(), ended.event(), DeviceOf(n)));
    if (done != nullptr) done->push_back(ended.event());
  }
  auto gang = std::make_shared<Gang>(shared_from_this(), std::move(runs), std::move(promises),
                                     /*awaited=*/true, key);
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
