// Runs of executables, and the contexts that these may be given.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "pjrt/ffi.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {
namespace {

absl::Status CheckRun(const PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.options == nullptr) return InvalidArgument("PJRT_LoadedExecutable_Execute: no options");
  if (args.num_devices != 1)
    return InvalidArgument("{} devices are given, the executable is of one", args.num_devices);
  if (args.num_args > 0 && (args.argument_lists == nullptr || args.argument_lists[0] == nullptr))
    return InvalidArgument("PJRT_LoadedExecutable_Execute: no arguments");
  RETURN_IF_ERROR(CheckPlace(*args.executable->client, args.execute_device, nullptr));
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
  if (options.num_send_ops > 0 || options.num_recv_ops > 0)
    return Unimplemented("callbacks of send and recv");
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

}  // namespace

absl::Status Handle(PJRT_LoadedExecutable_Execute_Args& args) {
  RETURN_IF_ERROR(CheckRun(args));
  ASSIGN_OR_RETURN(const PJRT_ExecuteOptions options, OptionsOf(*args.options));
  const auto program = args.executable->Get();
  if (program == nullptr) return InvalidArgument("the executable has been deleted");
  if (!program->results.empty() &&
      (args.output_lists == nullptr || args.output_lists[0] == nullptr))
    return InvalidArgument("PJRT_LoadedExecutable_Execute: no room for results");

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

  // Handlers find the context of their run on their thread, which is this one where it waits.
  ContextOfRun context(options.context);
  const bool waits =
      program->calls_handlers || context.has_data() || (program->is_short && AreThere(arguments));
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
  for (Buffer& b : *results) made.emplace_back(NewBuffer(args.executable->client, std::move(b)));
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
