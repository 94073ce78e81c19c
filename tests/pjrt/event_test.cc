#include <atomic>
#include <thread>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

struct Seen {
  std::atomic<int> calls{0};
  std::string error;
  static void Call(PJRT_Error* error, void* user_arg) {
    auto* seen = static_cast<Seen*>(user_arg);
    seen->error = TextOf(error);
    ++seen->calls;
  }
};

TEST_CASE("an event of the host's happens when it is set, once") {
  PJRT_Event* event = CALL(Event_Create).event;
  CHECK_FALSE(CALL(Event_IsReady, args.event = event).is_ready);
  CHECK(ERROR_OF(Event_Error, args.event = event) ==
        "FAILED_PRECONDITION: PJRT_Event_Error: the event has not happened");
  Seen before, after;
  CALL(Event_OnReady, args.event = event; args.callback = &Seen::Call; args.user_arg = &before);
  CHECK(before.calls == 0);
  std::string set;
  std::thread setter([&] { set = ERROR_OF(Event_Set, args.event = event); });
  CHECK(ERROR_OF(Event_Await, args.event = event) == "");
  setter.join();
  CHECK(set == "");
  CHECK(CALL(Event_IsReady, args.event = event).is_ready);
  CHECK(ERROR_OF(Event_Error, args.event = event) == "");
  CALL(Event_OnReady, args.event = event; args.callback = &Seen::Call; args.user_arg = &after);
  CHECK(before.calls == 1);
  CHECK(after.calls == 1);
  CHECK(ERROR_OF(Event_Set, args.event = event) ==
        "FAILED_PRECONDITION: PJRT_Event_Set: the event has been set before");
  CALL(Event_Destroy, args.event = event);
}

TEST_CASE("an event can happen with an error") {
  PJRT_Event* event = CALL(Event_Create).event;
  Seen seen;
  CALL(Event_OnReady, args.event = event; args.callback = &Seen::Call; args.user_arg = &seen);
  std::string message = "no more paper";
  CALL(Event_Set, args.event = event; args.error_code = PJRT_Error_Code_RESOURCE_EXHAUSTED;
       args.error_message = message.data(); args.error_message_size = message.size());
  message = "overwritten  ";
  CHECK(seen.calls == 1);
  CHECK(seen.error == "RESOURCE_EXHAUSTED: no more paper");
  CHECK(ERROR_OF(Event_Error, args.event = event) == seen.error);
  CHECK(ERROR_OF(Event_Await, args.event = event) == seen.error);
  CHECK(ERROR_OF(Event_OnReady, args.event = event) ==
        "INVALID_ARGUMENT: PJRT_Event_OnReady: no callback");
  CALL(Event_Destroy, args.event = event);
}

TEST_CASE("only the host's own events can be set") {
  TestClient client;
  PJRT_Buffer* x = client.Vector({1});
  PJRT_Event* ready = CALL(Buffer_ReadyEvent, args.buffer = x).event;
  CHECK(ERROR_OF(Event_Set, args.event = ready) ==
        "FAILED_PRECONDITION: PJRT_Event_Set: the event is not of PJRT_Event_Create");
  Await(ready);
  Destroy(x);
}

}  // namespace
}  // namespace sinter::plugin_test
