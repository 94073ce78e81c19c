#include "runtime/executable.h"

#include <algorithm>
#include <functional>
#include <new>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "base/thread/event_state.h"
#include "program/walk.h"
#include "runtime/processes.h"

namespace sinter::runtime {
namespace {

using program::Allocation;
using program::Residence;
using program::Slice;

// States of runs that are cached for reuse, a participant; those of further concurrent runs are
// dropped.
constexpr size_t kCachedRuns = 4;

void* Offset(void* base, int64_t bytes) { return static_cast<char*>(base) + bytes; }

}  // namespace

absl::StatusOr<std::shared_ptr<Executable>> Executable::Make(
    const void* owner, program::Program program, std::vector<Prepared> prepared,
    absl::Span<const int64_t> donated, Participants participants, bool flushes_denormals) {
  std::shared_ptr<Executable> e(new Executable);
  e->flushes_denormals_ = flushes_denormals;
  e->owner_ = owner;
  e->program_ = std::move(program);
  for (Prepared& p : prepared) {
    Place& place = e->places_.emplace_back();
    place.device = std::move(p.device);
    place.steps = std::move(p.steps);
  }
  e->participants_ = std::move(participants);
  RETURN_INTERNAL_IF(
      static_cast<int64_t>(e->participants_.devices.size()) != e->program_.grid.size(),
      "program {}: {} devices for {} participants", e->program_.name,
      e->participants_.devices.size(), e->program_.grid.size());
  const Processes* processes = e->participants_.processes.get();
  const int self = processes == nullptr ? 0 : processes->id();
  for (size_t n = 0; n < e->devices().size(); ++n) {
    const int process = processes == nullptr ? 0 : processes->ProcessOf(e->devices()[n]);
    e->process_of_.push_back(process);
    if (process == self) {
      e->local_.push_back(static_cast<int64_t>(n));
    } else {
      e->other_processes_.push_back(process);
    }
  }
  auto& others = e->other_processes_;
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  e->spans_processes_ = !others.empty() && !e->local_.empty();
  RETURN_INTERNAL_IF(e->places_.size() != 1 && e->places_.size() != e->local_.size(),
                     "program {}: prepared for {} devices, {} participants are here",
                     e->program_.name, e->places_.size(), e->local_.size());
  e->FindGroups();
  RETURN_IF_ERROR(e->Prepare(donated));
  return e;
}

void Executable::FindGroups() {
  std::set<std::vector<int64_t>> groups;
  const std::function<void(const std::vector<program::Step>&)> visit = [&](const auto& steps) {
    for (const program::Step& step : steps) {
      if (const auto* c = std::get_if<program::Collective>(&step.op)) {
        for (const auto& group : c->groups) {
          const auto here =
              absl::c_count_if(group, [&](int64_t n) { return absl::c_binary_search(local_, n); });
          if (here > 0 && here < static_cast<int64_t>(group.size())) groups.insert(group);
        }
      }
      program::ForEachBody(step, visit);
    }
  };
  if (spans_processes_) visit(program_.steps);
  remote_groups_ = groups.size();
}

absl::Status Executable::PlaceConstant(size_t allocation, const Literal& literal) {
  for (Place& place : places_) {
    ASSIGN_OR_RETURN(StorageRef storage,
                     Storage::Allocate(place.device->pool(), literal.byte_size()));
    RETURN_IF_ERROR(
        place.device->CopyFromHost(storage->data(), literal.untyped_data(), literal.byte_size()));
    place.fixed_bases[allocation] = storage->data();
    place.constants.push_back(std::move(storage));
  }
  return absl::OkStatus();
}

absl::Status Executable::Prepare(absl::Span<const int64_t> donated) {
  const auto& allocations = program_.allocations;
  size_t arguments = program_.argument_shapes.size(), results = program_.result_shapes.size();
  RETURN_INTERNAL_IF(program_.results.size() != results, "program {}: {} results, {} shapes",
                     program_.name, program_.results.size(), results);
  for (const Shape& s : program_.argument_shapes)
    argument_shapes_.push_back(std::make_shared<const Shape>(s));
  argument_allocation_.assign(arguments, -1);
  alias_of_argument_.assign(arguments, -1);
  consumed_.assign(arguments, 0);
  for (int64_t i : donated) {
    RETURN_INTERNAL_IF(i < 0 || i >= static_cast<int64_t>(arguments),
                       "program {}: donates argument {} of {}", program_.name, i, arguments);
    consumed_[static_cast<size_t>(i)] = true;
  }
  for (Place& place : places_) place.fixed_bases.assign(allocations.size(), nullptr);
  for (size_t a = 0; a < allocations.size(); ++a) {
    const Allocation& allocation = allocations[a];
    int index = static_cast<int>(a);
    auto slot = static_cast<size_t>(allocation.index);
    switch (allocation.residence) {
      case Residence::kArgument:
        RETURN_INTERNAL_IF(slot >= arguments || argument_allocation_[slot] >= 0 ||
                               allocation.size > program_.argument_shapes[slot].packed_byte_size(),
                           "program {}: allocation {} is argument {}", program_.name, a, slot);
        argument_allocation_[slot] = index;
        break;
      case Residence::kResult: {
        RETURN_INTERNAL_IF(slot >= results, "program {}: allocation {} is result {}", program_.name,
                           a, slot);
        result_allocations_.push_back(index);
        if (allocation.aliased_argument < 0) break;
        auto donor = static_cast<size_t>(allocation.aliased_argument);
        RETURN_INTERNAL_IF(
            donor >= arguments || alias_of_argument_[donor] >= 0 ||
                allocation.size != program_.argument_shapes[donor].packed_byte_size(),
            "program {}: allocation {} aliases argument {}", program_.name, a, donor);
        alias_of_argument_[donor] = index;
        consumed_[donor] = true;
        break;
      }
      case Residence::kTemp:
        RETURN_INTERNAL_IF(allocation.offset < 0 || allocation.offset % kAlignment != 0 ||
                               allocation.offset > program_.temp_bytes - allocation.size,
                           "program {}: allocation {} leaves the arena", program_.name, a);
        temps_.push_back(index);
        break;
      case Residence::kConstant: {
        RETURN_INTERNAL_IF(slot >= program_.constants.size() ||
                               allocation.size > program_.constants[slot].byte_size(),
                           "program {}: allocation {} is constant {}", program_.name, a, slot);
        RETURN_IF_ERROR(PlaceConstant(a, program_.constants[slot]));
        break;
      }
    }
  }
  program_.constants.clear();  // copies have been made, and weights can be large
  std::vector<char> delivered(allocations.size());
  for (size_t r = 0; r < results; ++r) {
    ResultPlan plan;
    plan.slice = program_.results[r];
    plan.shape = std::make_shared<const Shape>(program_.result_shapes[r]);
    int64_t bytes = plan.shape->packed_byte_size();
    auto a = static_cast<size_t>(plan.slice.allocation);
    RETURN_INTERNAL_IF(a >= allocations.size() || plan.slice.offset < 0 ||
                           plan.slice.size != bytes ||
                           plan.slice.offset > allocations[a].size - bytes,
                       "program {}: result {} is no slice of {} bytes of allocation {}",
                       program_.name, r, bytes, plan.slice.allocation);
    plan.whole = allocations[a].residence == Residence::kResult && plan.slice.offset == 0 &&
                 allocations[a].size == bytes && !delivered[a];
    if (plan.whole) delivered[a] = true;
    results_.push_back(std::move(plan));
  }
  return absl::OkStatus();
}

absl::StatusOr<program::Program> Executable::ProgramWithConstants() const {
  program::Program whole = program_;
  auto bytes_of = [](int64_t size) { return Literal(Shape(ElementType::U8, {size})); };
  for (size_t a = 0; a < whole.allocations.size(); ++a) {
    const Allocation& allocation = whole.allocations[a];
    if (allocation.residence != Residence::kConstant) continue;
    const auto slot = static_cast<size_t>(allocation.index);
    while (whole.constants.size() <= slot) whole.constants.push_back(bytes_of(0));
    Literal& constant = whole.constants[slot];
    if (constant.byte_size() >= allocation.size) continue;
    constant = bytes_of(allocation.size);
    RETURN_IF_ERROR(places_[0].device->CopyToHost(constant.untyped_data(),
                                                  places_[0].fixed_bases[a], allocation.size));
  }
  return whole;
}

std::vector<int64_t> Executable::donated() const {
  std::vector<int64_t> out;
  for (size_t i = 0; i < consumed_.size(); ++i)
    if (consumed_[i]) out.push_back(static_cast<int64_t>(i));
  return out;
}

absl::StatusOr<std::unique_ptr<Executable::Run>> Executable::TakeRun(size_t local) {
  Place& place = PlaceOf(local);
  {
    std::lock_guard<std::mutex> lock(runs_mutex_);
    if (!place.runs.empty()) {
      auto run = std::move(place.runs.back());
      place.runs.pop_back();
      return run;
    }
  }
  auto run = std::make_unique<Run>();
  run->place = &place;
  ASSIGN_OR_RETURN(run->state, place.steps->NewState());
  return run;
}

void Executable::ReturnRun(std::unique_ptr<Run> run) {
  run->Clear();
  std::lock_guard<std::mutex> lock(runs_mutex_);
  auto& runs = run->place->runs;
  const size_t participants = places_.size() == 1 ? devices().size() : 1;
  if (runs.size() < kCachedRuns * participants) runs.push_back(std::move(run));
}

absl::Status Executable::CheckArgument(const DeviceBuffer& buffer, size_t i, int device) const {
  if (buffer.owner() != owner_) {
    return InvalidArgument("{}: argument {}: the buffer {} belongs to another client",
                           program_.name, i, buffer.shape().ToString());
  }
  if (buffer.device() != device) {
    return InvalidArgument("{}: argument {}: the buffer {} is on device {}, not on device {}",
                           program_.name, i, buffer.shape().ToString(), buffer.device(), device);
  }
  const std::shared_ptr<const Shape>& expected = argument_shapes_[i];
  if (buffer.shared_shape() == expected || buffer.shape() == *expected) return absl::OkStatus();
  // Minor-to-major orders can differ in spelling only.
  if (Shape::Compatible(buffer.shape(), *expected) && buffer.shape().has_default_layout() &&
      expected->has_default_layout()) {
    return absl::OkStatus();
  }
  // A token says only that something has been done; hosts that have no tokens give arrays of
  // nothing.
  if (expected->is_token() && buffer.shape().packed_byte_size() == 0) return absl::OkStatus();
  return InvalidArgument("{}: argument {}: expected {}, given {}", program_.name, i,
                         expected->ToString(), buffer.shape().ToString());
}

absl::Status Executable::MarkDonated(absl::Span<DeviceBuffer* const> arguments,
                                     const RunOptions& options, Run& run) const {
  size_t n = arguments.size();
  for (absl::Span<const int64_t> list : {options.donate, options.keep}) {
    for (int64_t i : list) {
      if (i < 0 || i >= static_cast<int64_t>(n)) {
        return InvalidArgument("{}: donation names argument {} of {}", program_.name, i, n);
      }
    }
  }
  run.donated.assign(n, 0);
  for (size_t i = 0; i < n; ++i) {
    bool named = !options.donate.empty() && absl::c_linear_search(options.donate, i);
    bool kept = !options.keep.empty() && absl::c_linear_search(options.keep, i);
    if (named && kept)
      return InvalidArgument("{}: argument {} is both donated and kept", program_.name, i);
    run.donated[i] = (named || consumed_[i]) && !kept;
  }
  for (size_t i = 0; i < n; ++i) {
    if (!run.donated[i]) continue;
    for (size_t k = 0; k < n; ++k) {
      if (k == i || arguments[k] != arguments[i]) continue;
      return InvalidArgument(
          "{}: the buffer {} is argument {}, which is donated, and also argument {}", program_.name,
          arguments[i]->shape().ToString(), i, k);
    }
  }
  return absl::OkStatus();
}

// Checks everything, then gives each allocation its memory and consumes what is donated.
absl::Status Executable::Begin(absl::Span<DeviceBuffer* const> arguments, const RunOptions& options,
                               bool defer, Run& run, int device) {
  if (arguments.size() != argument_shapes_.size()) {
    return InvalidArgument("{}: expected {} arguments, given {}", program_.name,
                           argument_shapes_.size(), arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr)
      return InvalidArgument("{}: argument {} is an empty buffer", program_.name, i);
    RETURN_IF_ERROR(CheckArgument(*arguments[i], i, device));
    auto held = arguments[i]->Hold();
    if (!held.ok()) return Annotate(held.status(), Format("{}: argument {}", program_.name, i));
    run.arguments.push_back(*std::move(held));
  }
  RETURN_IF_ERROR(MarkDonated(arguments, options, run));
  run.host = options.host;
  run.state->caller.host = run.host.get();

  run.owned.resize(program_.allocations.size());
  size_t consumed = 0;
  absl::Status status;
  std::vector<char> exclusive;
  for (size_t i = 0; i < arguments.size() && status.ok(); ++i) {
    if (!run.donated[i]) continue;
    bool sole = false;
    status = arguments[i]->Donate(/*holds=*/1, &sole);
    if (!status.ok()) {
      status = Annotate(status, Format("{}: argument {}", program_.name, i));
      break;
    }
    consumed = i + 1;
    exclusive.resize(arguments.size());
    exclusive[i] = sole;
  }
  if (status.ok()) status = PlaceResults(exclusive, defer, run);
  if (!status.ok()) {
    for (size_t i = 0; i < consumed; ++i) {
      if (run.donated[i]) arguments[i]->Undonate(run.arguments[i]);
    }
    return status;
  }
  // The result holds it now; another reference would make it look shared to the next run that may
  // take it over.
  for (size_t i = 0; i < consumed; ++i) {
    int a = alias_of_argument_[i];
    if (a >= 0 && run.owned[static_cast<size_t>(a)].get() == run.arguments[i].get())
      run.arguments[i] = StorageRef();
  }
  return status;
}

void Executable::Undo(absl::Span<DeviceBuffer* const> arguments, Run& run) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!run.donated[i]) continue;
    const int a = alias_of_argument_[i];
    StorageRef held = std::move(run.arguments[i]);
    if (!held && a >= 0) held = run.owned[static_cast<size_t>(a)];
    arguments[i]->Undonate(std::move(held));
  }
}

// Memory for results: that of a donated argument without other owners, else fresh.
absl::Status Executable::PlaceResults(absl::Span<const char> exclusive, bool defer, Run& run) {
  auto allocate = [&](int64_t bytes) -> absl::StatusOr<StorageRef> {
    const std::shared_ptr<MemoryPool>& pool = run.place->device->pool();
    if (defer) return Storage::Deferred(pool, bytes);
    return Storage::Allocate(pool, bytes);
  };
  for (int index : result_allocations_) {
    auto a = static_cast<size_t>(index);
    const Allocation& allocation = program_.allocations[a];
    if (int donor = allocation.aliased_argument; donor >= 0) {
      auto i = static_cast<size_t>(donor);
      StorageRef& argument = run.arguments[i];
      bool in_place = run.donated[i] && exclusive[i] && argument->writable() &&
                      argument->size() >= allocation.size && argument->IsAligned(kAlignment);
      if (in_place) {
        run.owned[a] = argument;
      } else {
        ASSIGN_OR_RETURN(run.owned[a], allocate(allocation.size));
        run.copies_in.push_back({donor, index});
      }
    } else {
      ASSIGN_OR_RETURN(run.owned[a], allocate(allocation.size));
    }
  }
  for (const ResultPlan& plan : results_) {
    if (plan.whole) {
      run.results.push_back(run.owned[static_cast<size_t>(plan.slice.allocation)]);
    } else {
      ASSIGN_OR_RETURN(StorageRef copy, allocate(plan.slice.size));
      run.results.push_back(std::move(copy));
    }
  }
  return absl::OkStatus();
}

// The addresses of arguments and results, which get their memory where it was deferred.
absl::Status Executable::FindBases(Run& run) const {
  run.bases = run.place->fixed_bases;
  for (size_t i = 0; i < argument_allocation_.size(); ++i) {
    const int a = argument_allocation_[i];
    // An argument that a result has taken over is found there.
    if (a >= 0 && run.arguments[i]) run.bases[static_cast<size_t>(a)] = run.arguments[i]->data();
  }
  for (int index : result_allocations_) {
    const auto a = static_cast<size_t>(index);
    RETURN_IF_ERROR(run.owned[a]->Materialize());
    run.bases[a] = run.owned[a]->data();
    // The program was compiled for one memory under both names.
    const int donor = program_.allocations[a].aliased_argument;
    if (donor < 0) continue;
    if (int b = argument_allocation_[static_cast<size_t>(donor)]; b >= 0)
      run.bases[static_cast<size_t>(b)] = run.bases[a];
  }
  // Those that are whole allocations are with the caller already.
  for (StorageRef& result : run.results) {
    if (result) RETURN_IF_ERROR(result->Materialize());
  }
  return absl::OkStatus();
}

// The run itself, once what makes the arguments has been submitted. Memory that is given back here
// or later is not reused before the device is done with it.
absl::StatusOr<StorageRef> Executable::Enter(Run& run) {
  if (run.failures != nullptr) *run.failures = run.place->device->failures();
  RETURN_IF_ERROR(FindBases(run));
  for (auto [argument, allocation] : run.copies_in) {
    auto a = static_cast<size_t>(allocation);
    if (program_.allocations[a].size == 0) continue;
    RETURN_IF_ERROR(run.place->device->Copy(run.bases[a],
                                            run.arguments[static_cast<size_t>(argument)]->data(),
                                            program_.allocations[a].size));
  }
  StorageRef arena;
  if (program_.temp_bytes > 0) {
    ASSIGN_OR_RETURN(arena, Storage::Allocate(run.place->device->pool(), program_.temp_bytes));
    for (int t : temps_) {
      auto a = static_cast<size_t>(t);
      run.bases[a] = Offset(arena->data(), program_.allocations[a].offset);
    }
  }
  return arena;
}

absl::Status Executable::Submit(Run& run, StepTimes* times) {
  ASSIGN_OR_RETURN(const StorageRef arena, Enter(run));
  if (times == nullptr) {
    RETURN_IF_ERROR(run.place->steps->Run(run.bases, *run.state));
  } else {
    RETURN_IF_ERROR(run.place->steps->RunTimed(run.bases, *run.state, *times));
  }
  return Leave(run);
}

absl::Status Executable::Leave(Run& run) {
  for (size_t r = 0; r < results_.size(); ++r) {
    const ResultPlan& plan = results_[r];
    if (plan.whole || plan.slice.size == 0) continue;
    RETURN_IF_ERROR(run.place->device->Copy(
        run.results[r]->data(),
        Offset(run.bases[static_cast<size_t>(plan.slice.allocation)], plan.slice.offset),
        plan.slice.size));
  }
  return absl::OkStatus();
}

Event Executable::Made(absl::Span<DeviceBuffer* const> arguments, const Device& device) {
  if (!device.exchanges()) return Event();
  std::vector<Event> made;
  for (const DeviceBuffer* b : arguments) made.push_back(b->ready());
  return Event::All(std::move(made));
}

// The run holds one reference to each result's memory.
Executable::Results Executable::MakeResults(Run& run, const Event& ready, const Event& submitted,
                                            int device) const {
  Results out;
  out.reserve(results_.size());
  for (size_t r = 0; r < results_.size(); ++r) {
    StorageRef storage = results_[r].whole ? std::move(run.results[r]) : run.results[r];
    out.push_back(std::make_shared<DeviceBuffer>(owner_, results_[r].shape, std::move(storage),
                                                 ready, submitted, device));
  }
  return out;
}

StorageRef& Executable::Awaited(Run& run, size_t r) const {
  const ResultPlan& plan = results_[r];
  return plan.whole ? run.owned[static_cast<size_t>(plan.slice.allocation)] : run.results[r];
}

absl::StatusOr<Executable::Results> Executable::Execute(absl::Span<DeviceBuffer* const> arguments,
                                                        const RunOptions& options,
                                                        StepTimes* times) {
  RETURN_IF_ERROR(CheckAlone());
  for (DeviceBuffer* b : arguments) {
    if (b != nullptr) RETURN_IF_ERROR(b->submitted().Wait());
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Run> run, TakeRun(0));
  absl::Status status = Begin(arguments, options, /*defer=*/false, *run, devices()[0]);
  if (status.ok()) status = Submit(*run, times);
  Results results;
  if (status.ok()) {
    status = places_[0].device->Synchronize();
    if (status.ok()) status = Made(arguments, *places_[0].device).Wait();
    results = MakeResults(*run, Event(), Event(), devices()[0]);
  }
  ReturnRun(std::move(run));
  if (!status.ok()) return status;
  return results;
}

absl::StatusOr<Executable::Results> Executable::ExecuteAsync(
    absl::Span<DeviceBuffer* const> arguments, const RunOptions& options, Event* done) {
  if (done != nullptr) *done = Event();
  const std::shared_ptr<Device>& device = places_[0].device;
  const bool blocks = places_[0].steps->blocks();
  const std::shared_ptr<Workers>& workers = device->workers();
  RETURN_IF_ERROR(CheckAlone());
  if (workers->queue() == nullptr) return Execute(arguments, options);
  ASSIGN_OR_RETURN(std::unique_ptr<Run> taken, TakeRun(0));
  // Where runs wait for a thread, so does their memory.
  if (absl::Status s = Begin(arguments, options, blocks, *taken, devices()[0]); !s.ok()) {
    ReturnRun(std::move(taken));
    return s;
  }
  std::vector<Event> inputs;
  inputs.reserve(arguments.size());
  for (DeviceBuffer* b : arguments) inputs.push_back(b->submitted());
  Event all_inputs = Event::All(std::move(inputs));
  if (!blocks && all_inputs.IsReady()) {
    absl::Status status = all_inputs.Wait();
    if (status.ok()) status = Submit(*taken);
    Event completion = status.ok() ? device->Completion() : Event(status);
    if (device->exchanges()) completion = Event::All({Made(arguments, *device), completion});
    if (done != nullptr) *done = completion;
    Results results = MakeResults(*taken, completion, Event(status), devices()[0]);
    ReturnRun(std::move(taken));
    return results;
  }

  // On a device that shares the host's memory the two are one.
  Promise submitted(workers->queue());
  Promise ready = device->shares_host_memory() ? submitted : Promise(workers->queue());
  for (size_t r = 0; r < results_.size(); ++r) Awaited(*taken, r)->MarkAwaited();
  Results results = MakeResults(*taken, ready.event(), submitted.event(), devices()[0]);
  if (done != nullptr) *done = ready.event();
  std::shared_ptr<Run> run(taken.release(), [self = shared_from_this()](Run* finished) {
    self->ReturnRun(std::unique_ptr<Run>(finished));
  });
  auto finish = [self = shared_from_this(), device, run, submitted, ready,
                 made = Made(arguments, *device)](absl::Status status) {
    // Exceptions of allocations must not leave the thread.
    try {
      if (status.ok()) status = self->Submit(*run);
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("{}: the system has no memory", self->program_.name);
    }
    for (size_t r = 0; r < self->results_.size(); ++r) self->Awaited(*run, r).DropAwaited();
    run->Clear();
    if (!device->shares_host_memory()) {
      Event completion = status.ok() ? device->Completion() : Event(status);
      if (device->exchanges()) completion = Event::All({made, completion});
      completion.OnReady([ready](const absl::Status& s) { ready.Set(s); });
    }
    submitted.Set(std::move(status));
  };
  all_inputs.OnReady([workers, finish](const absl::Status& s) {
    if (s.ok()) {
      workers->Schedule([finish] { finish(absl::OkStatus()); });
    } else {
      finish(s);
    }
  });
  return results;
}

}  // namespace sinter::runtime
