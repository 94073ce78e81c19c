// The table as a whole: every function checks what it is given.
#include <cstring>
#include <string>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

TEST_CASE("the table has a function in every slot") {
  const PJRT_Api* api = Api();
  CHECK(api->struct_size == sizeof(PJRT_Api));
  CHECK(api->pjrt_api_version.struct_size == sizeof(PJRT_Api_Version));
  CHECK(api->pjrt_api_version.major_version == PJRT_API_MAJOR);
  CHECK(api->pjrt_api_version.minor_version == PJRT_API_MINOR);
  int slots = 0;
#define PJRT_SLOT(slot, fields)       \
  CHECK(api->PJRT_##slot != nullptr); \
  ++slots;
#define PJRT_VOID_SLOT(slot, fields) PJRT_SLOT(slot, fields)
#include "sinter/pjrt_slots.inc"
  CHECK(slots == 138);
  CHECK(sizeof(PJRT_Api) == sizeof(PJRT_Api_Version) + (2 + 138) * sizeof(void*));
}

TEST_CASE("every function refuses null, and structs that are too small") {
  const PJRT_Api* api = Api();
#define PJRT_VOID_SLOT(slot, fields) \
  {                                  \
    api->PJRT_##slot(nullptr);       \
    PJRT_##slot##_Args args{};       \
    api->PJRT_##slot(&args);         \
  }
#define PJRT_SLOT(slot, fields)                                                                 \
  {                                                                                             \
    const std::string name = "PJRT_" #slot;                                                     \
    CHECK(TextOf(api->PJRT_##slot(nullptr)) == "INVALID_ARGUMENT: " + name + ": no arguments"); \
    PJRT_##slot##_Args args{};                                                                  \
    args.struct_size = 15;                                                                      \
    const std::string error = TextOf(api->PJRT_##slot(&args));                                  \
    CHECK(error.find("INVALID_ARGUMENT: " + name + ": struct_size is 15") == 0);                \
  }
#include "sinter/pjrt_slots.inc"
}

// Of all fields nothing is given: functions about an object refuse it, but for those that destroy.
TEST_CASE("every function about an object needs it") {
  const PJRT_Api* api = Api();
#define PJRT_VOID_SLOT(slot, fields)
#define PJRT_SLOT(slot, fields)                                                                    \
  {                                                                                                \
    const std::string name = "PJRT_" #slot;                                                        \
    PJRT_##slot##_Args args{};                                                                     \
    args.struct_size = sizeof args;                                                                \
    const bool makes = name == "PJRT_Client_Create" || name == "PJRT_Event_Create" ||              \
                       name == "PJRT_ExecuteContext_Create" ||                                     \
                       name == "PJRT_TopologyDescription_Create" || name.find("PJRT_Plugin") == 0; \
    if (!makes) {                                                                                  \
      const std::string error = TextOf(api->PJRT_##slot(&args));                                   \
      INFO(name << ": " << error);                                                                 \
      if (name.find("_Destroy") == std::string::npos) {                                            \
        CHECK(error.find("INVALID_ARGUMENT") == 0);                                                \
      } else {                                                                                     \
        CHECK(error == "");                                                                        \
      }                                                                                            \
    }                                                                                              \
  }
#include "sinter/pjrt_slots.inc"
}

TEST_CASE("callers may be older or newer than the plugin") {
  // Before the fields that were appended.
  PJRT_Client_Create_Args old{};
  old.struct_size = offsetof(PJRT_Client_Create_Args, kv_try_get_callback);
  old.kv_try_get_user_arg = &old;  // behind the end: not read, not written
  REQUIRE(TextOf(Api()->PJRT_Client_Create(&old)) == "");
  REQUIRE(old.client != nullptr);
  CHECK(old.kv_try_get_user_arg == &old);

  struct {
    PJRT_Client_PlatformName_Args args;
    void* field_of_tomorrow;
  } next{};
  next.args.struct_size = sizeof next;
  next.args.client = old.client;
  CHECK(TextOf(Api()->PJRT_Client_PlatformName(&next.args)) == "");
  CHECK(std::string(next.args.platform_name, next.args.platform_name_size) == "sinter");
  // Without the padding at the end.
  auto ready = Make<PJRT_Event_IsReady_Args>();
  ready.event = CALL(Event_Create).event;
  ready.struct_size = offsetof(PJRT_Event_IsReady_Args, is_ready) + sizeof(bool);
  ready.is_ready = true;
  CHECK(TextOf(Api()->PJRT_Event_IsReady(&ready)) == "");
  CHECK_FALSE(ready.is_ready);
  CALL(Event_Destroy, args.event = ready.event);
  CALL(Client_Destroy, args.client = old.client);
}

TEST_CASE("errors have a table of their own") {
  auto lookup = Make<PJRT_Client_LookupDevice_Args>();
  TestClient client;
  lookup.client = client.get();
  lookup.id = 7;
  PJRT_Error* error = Api()->PJRT_Client_LookupDevice(&lookup);
  REQUIRE(error != nullptr);
  const char* message = nullptr;
  size_t size = 0;
  error->vtable->message(error, &message, &size);
  CHECK(std::string(message, size) == "there is no device 7; there are 1");
  CHECK(error->vtable->get_code(error) == PJRT_Error_Code_INVALID_ARGUMENT);
  int payloads = 0;
  CALL(
      Error_ForEachPayload, args.error = error; args.user_arg = &payloads;
      args.visitor = [](const char*, size_t, const char*, size_t, void* count) {
        ++*static_cast<int*>(count);
      });
  CHECK(payloads == 0);
  error->vtable->destroy(error);
  auto destroy = Make<PJRT_Error_Destroy_Args>();
  Api()->PJRT_Error_Destroy(&destroy);  // null
}

TEST_CASE("the plugin states its attributes") {
  CALL(Plugin_Initialize);
  const auto got = CALL(Plugin_Attributes);
  REQUIRE(got.num_attributes == 3);
  CHECK(std::string(got.attributes[0].name) == "xla_version");
  CHECK(got.attributes[0].type == PJRT_NamedValue_kInt64);
  for (int i : {1, 2}) {
    CHECK(got.attributes[i].type == PJRT_NamedValue_kInt64List);
    CHECK(got.attributes[i].value_size == 3);
  }
  CHECK(std::string(got.attributes[1].name) == "stablehlo_current_version");
  CHECK(got.attributes[1].int64_array_value[0] == 1);
}

}  // namespace
}  // namespace sinter::plugin_test
