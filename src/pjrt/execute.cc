// Runs of executables, and the contexts that these may be given.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "pjrt/ffi.h"
#include "pjrt/host_transfers.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {
namespace {

absl::Status CheckRun(const PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.options == nullptr) return InvalidArgument("PJRT_LoadedExecutable_Execute: no options");
  const Places& places = *args.executable->places;
  const auto& devices = places.devices;
  if (devices.empty()) {
    return InvalidArgument("the executable is of devices of other processes, the first of them {}",
                           places.all[0]->description->id);
  }
  if (args.num_devices != devices.size()) {
    return InvalidArgument("arguments for {} devices are given, the executable is of {}",
                           args.num_devices, devices.size());
  }
  for (size_t d = 0; d < devices.size(); ++d) {
    if (args.num_args > 0 && (args.argument_lists == nullptr || args.argument_lists[d] == nullptr))
      return InvalidArgument("PJRT_LoadedExecutable_Execute: no arguments");
  }
  ASSIGN_OR_RETURN(const Place place,
                   PlaceOf(*args.executable->client, args.execute_device, nullptr));
  if (args.execute_device != nullptr &&
      (devices.size() != 1 || place.device != devices[0]->description->id)) {
    return InvalidArgument(
        "the executable is for {} devices, the first of them {}; it cannot run "
        "on device {} alone",
        devices.size(), devices[0]->description->id, place.device);
  }
  return absl::OkStatus();
}

// The options, of which a caller that is older states fewer.
absl::StatusOr<PJRT_ExecuteOptions> OptionsOf(const PJRT_ExecuteOptions& given) {
  constexpr size_t kRequired = offsetof(PJRT_ExecuteOptions, num_non_donatable_input_indices) +
                               sizeof(PJRT_ExecuteOptions::num_non_donatable_input_indices);
  if (given.struct_size < kRequired) {
    return InvalidArgument("PJRT_ExecuteOptions: struct_size is {}, expected at least {}",
                           given.struct_size, kRequired);
  }
  PJRT_ExecuteOptions options{};
  std::memcpy(&options, &given, std::min(given.struct_size, sizeof options));
  if (options.num_hlo_output_callbacks > 0) return Unimplemented("callbacks of HLO outputs");
  if (options.num_non_donatable_input_indices > 0 && options.non_donatable_input_indices == nullptr)
    return InvalidArgument("PJRT_ExecuteOptions: no non_donatable_input_indices");
  return options;
}

// There, and not in error: errors of arguments are those of the results, not of the call.
bool AreThere(absl::Span<const Buffer> buffers) {
  for (const Buffer& b : buffers) {
    const Event ready = b.Ready();
    if (!ready.IsReady() || !ready.Wait().ok()) return false;
  }
  return true;
}

absl::Status AddHost(const PJRT_ExecuteOptions& options, const Executable& executable,
                     ExecuteOptions& how) {
  if (options.num_send_ops == 0 && options.num_recv_ops == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(how.host_transfers, HostTransfersOf(options, executable.local_participants()));
  return absl::OkStatus();
}

absl::Status ExecuteOnDevices(PJRT_LoadedExecutable_Execute_Args& args,
                              const PJRT_ExecuteOptions& options, const CompiledProgram& program) {
  std::vector<std::vector<Buffer>> arguments(args.num_devices);
  bool there = true;
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (size_t i = 0; i < args.num_args; ++i) {
      const PJRT_Buffer* b = args.argument_lists[d][i];
      if (b == nullptr)
        return InvalidArgument("{}: argument {} of device {} is null", program.name, i, d);
      arguments[d].push_back(b->buffer);
    }
    there = there && AreThere(arguments[d]);
  }
  ExecuteOptions how;
  how.keep.assign(options.non_donatable_input_indices,
                  options.non_donatable_input_indices + options.num_non_donatable_input_indices);
  RETURN_IF_ERROR(AddHost(options, program.executable, how));
  std::vector<Event> done(args.num_devices);
  // The host may answer on the thread that calls.
  const bool is_short = program.is_short && how.host_transfers == nullptr;
  auto results = program.calls_handlers || (is_short && there)
                     ? program.executable.ExecuteOnDevices(arguments, how)
                     : program.executable.ExecuteOnDevicesAsync(arguments, how, &done);
  if (!results.ok()) {
    if (options.call_location == nullptr || *options.call_location == '\0') return results.status();
    return Annotate(results.status(), options.call_location);
  }
  std::vector<std::vector<std::unique_ptr<PJRT_Buffer>>> made(args.num_devices);
  std::vector<std::unique_ptr<PJRT_Event>> events;
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (Buffer& b : (*results)[d])
      made[d].emplace_back(NewBuffer(args.executable->client, std::move(b),
                                     program.result_memories[made[d].size()]));
    if (args.device_complete_events != nullptr) events.emplace_back(NewEvent(std::move(done[d])));
  }
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (size_t i = 0; i < made[d].size(); ++i) args.output_lists[d][i] = made[d][i].release();
    if (args.device_complete_events != nullptr)
      args.device_complete_events[d] = events[d].release();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Handle(PJRT_LoadedExecutable_Execute_Args& args) {
  RETURN_IF_ERROR(CheckRun(args));
  ASSIGN_OR_RETURN(const PJRT_ExecuteOptions options, OptionsOf(*args.options));
  const auto program = args.executable->Get();
  if (program == nullptr) return InvalidArgument("the executable has been deleted");
  for (size_t d = 0; d < args.num_devices && !program->results.empty(); ++d) {
    if (args.output_lists == nullptr || args.output_lists[d] == nullptr)
      return InvalidArgument("PJRT_LoadedExecutable_Execute: no room for results");
  }
  if (args.executable->places->all.size() > 1) return ExecuteOnDevices(args, options, *program);

  absl::InlinedVector<Buffer, 8> arguments;
  arguments.reserve(args.num_args);
  for (size_t i = 0; i < args.num_args; ++i) {
    const PJRT_Buffer* b = args.argument_lists[0][i];
    if (b == nullptr) return InvalidArgument("{}: argument {} is null", program->name, i);
    arguments.push_back(b->buffer);
  }
  ExecuteOptions how;
  how.keep.assign(options.non_donatable_input_indices,
                  options.non_donatable_input_indices + options.num_non_donatable_input_indices);

  RETURN_IF_ERROR(AddHost(options, program->executable, how));

  // Handlers find the context of their run on their thread, which is this one where it waits. The
  // host may answer on it too.
  ContextOfRun context(options.context);
  const bool is_short = program->is_short && how.host_transfers == nullptr;
  const bool waits =
      program->calls_handlers || context.has_data() || (is_short && AreThere(arguments));
  Event done;
  absl::StatusOr<std::vector<Buffer>> results =
      waits ? program->executable.Execute(arguments, how)
            : program->executable.ExecuteAsync(arguments, how, &done);
  if (!results.ok()) {
    if (options.call_location == nullptr || *options.call_location == '\0') return results.status();
    return Annotate(results.status(), options.call_location);
  }

  // Whatever of it fails, nothing is left behind.
  absl::InlinedVector<std::unique_ptr<PJRT_Buffer>, 8> made;
  made.reserve(results->size());
  for (Buffer& b : *results) {
    made.emplace_back(
        NewBuffer(args.executable->client, std::move(b), program->result_memories[made.size()]));
  }
  if (args.device_complete_events != nullptr)
    args.device_complete_events[0] = NewEvent(std::move(done));
  for (size_t i = 0; i < made.size(); ++i) args.output_lists[0][i] = made[i].release();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
