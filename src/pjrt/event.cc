// Events: those of the library, and those that the host makes and sets.
#include <utility>

#include "pjrt/objects.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {

PJRT_Event* NewEvent(Event event) { return new PJRT_Event{std::move(event), {}, {}}; }

absl::Status Handle(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Event_IsReady_Args& args) {
  args.is_ready = args.event->event.IsReady();
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Event_Error_Args& args) {
  if (!args.event->event.IsReady())
    return FailedPrecondition("PJRT_Event_Error: the event has not happened");
  return args.event->event.Wait();
}

absl::Status Handle(PJRT_Event_Await_Args& args) {
  // The event may be destroyed by who is told of it.
  const Event event = args.event->event;
  return event.Wait();
}

absl::Status Handle(PJRT_Event_OnReady_Args& args) {
  if (args.callback == nullptr) return InvalidArgument("PJRT_Event_OnReady: no callback");
  const Event event = args.event->event;
  event.OnReady([callback = args.callback, user_arg = args.user_arg](const absl::Status& s) {
    callback(MakeError(s), user_arg);
  });
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Event_Create_Args& args) {
  Promise promise;
  args.event = new PJRT_Event{promise.event(), promise, {}};
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Event_Set_Args& args) {
  if (!args.event->promise)
    return FailedPrecondition("PJRT_Event_Set: the event is not of PJRT_Event_Create");
  if (args.event->is_set.exchange(true))
    return FailedPrecondition("PJRT_Event_Set: the event has been set before");
  const Promise promise = *args.event->promise;
  promise.Set(MakeStatus(args.error_code, args.error_message, args.error_message_size));
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
