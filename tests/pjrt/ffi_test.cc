// Handlers of XLA's foreign function interface as targets of custom calls.
#include "pjrt/ffi_abi.h"

#include <cstring>
#include <string>

#include "plugin.h"
#include "sinter/pjrt_extensions.h"

namespace sinter::plugin_test {
namespace {

namespace ffi = sinter::pjrt::ffi;

const PJRT_FFI_Extension* Ffi() {
  for (const PJRT_Extension_Base* e = Api()->extension_start; e != nullptr; e = e->next) {
    if (e->type == PJRT_Extension_Type_FFI) return reinterpret_cast<const PJRT_FFI_Extension*>(e);
  }
  return nullptr;
}

std::string Register(const char* name, ffi::Handler* handler, const char* platform = "sinter") {
  auto args = Make<PJRT_FFI_Register_Handler_Args>();
  args.target_name = name;
  args.target_name_size = std::strlen(name);
  args.handler = reinterpret_cast<void*>(handler);
  args.platform_name = platform;
  args.platform_name_size = std::strlen(platform);
  return TextOf(Ffi()->register_handler(&args));
}

// Targets of several stages, by their extension.
std::string RegisterStages(const char* name, ffi::Handler* instantiate, ffi::Handler* prepare,
                           ffi::Handler* initialize, ffi::Handler* execute, int version = 1) {
  const PJRT_Extension_Base* e = Api()->extension_start;
  while (e != nullptr && e->type != PJRT_Extension_Type_Gpu_Custom_Call) e = e->next;
  REQUIRE(e != nullptr);
  auto args = Make<PJRT_Gpu_Register_Custom_Call_Args>();
  args.function_name = name;
  args.function_name_size = std::strlen(name);
  args.api_version = version;
  args.handler_instantiate = reinterpret_cast<void*>(instantiate);
  args.handler_prepare = reinterpret_cast<void*>(prepare);
  args.handler_initialize = reinterpret_cast<void*>(initialize);
  args.handler_execute = reinterpret_cast<void*>(execute);
  return TextOf(reinterpret_cast<const PJRT_Gpu_Custom_Call*>(e)->custom_call(&args));
}

int minor_version = ffi::kMinorVersion, major_version = ffi::kMajorVersion;
int64_t state_type = 0;

// What the runtime asks of a handler before it calls it.
bool AnswerMetadata(ffi::CallFrame* frame) {
  if (frame->extension_start == nullptr || frame->extension_start->type != ffi::kMetadata)
    return false;
  ffi::Metadata* m = reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start)->metadata;
  m->api_version.major_version = major_version;
  m->api_version.minor_version = minor_version;
  m->state_type_id = state_type;
  return true;
}

ffi::Error* Fail(ffi::CallFrame* frame, const char* message) {
  ffi::ErrorCreateArgs args{sizeof args, nullptr, message, 9};
  return frame->api->error_create(&args);
}

int64_t user_type = 0;

// y = by * x + user data; attributes: by (f32), name, n (i32), list (i64s), more ({flag}).
ffi::Error* Scale(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  if (frame->stage != ffi::Stage::kExecute) return Fail(frame, "stage");
  if (frame->struct_size != 168) return Fail(frame, "size");  // XLA_FFI_CallFrame_STRUCT_SIZE
  if (frame->operands.size != 1 || frame->results.size != 1) return Fail(frame, "counts");
  const ffi::Attrs& a = frame->attributes;
  if (a.size != 5) return Fail(frame, "attributes");
  const std::string names[] = {"by", "list", "more", "n", "name"};
  for (int i = 0; i < 5; ++i) {
    if (std::string(a.names[i]->data, a.names[i]->size) != names[i]) return Fail(frame, "names");
  }
  const auto* by = static_cast<ffi::Scalar*>(a.values[0]);
  const auto* list = static_cast<ffi::Array*>(a.values[1]);
  const auto* more = static_cast<ffi::Attrs*>(a.values[2]);
  const auto* n = static_cast<ffi::Scalar*>(a.values[3]);
  const auto* name = static_cast<ffi::ByteSpan*>(a.values[4]);
  if (a.kinds[0] != ffi::AttrKind::kScalar || by->dtype != 11) return Fail(frame, "by");
  if (a.kinds[1] != ffi::AttrKind::kArray || list->dtype != 5 || list->size != 2) {
    return Fail(frame, "list");
  }
  if (static_cast<int64_t*>(list->data)[1] != -7) return Fail(frame, "list");
  if (a.kinds[2] != ffi::AttrKind::kDictionary || more->size != 1) return Fail(frame, "more");
  if (a.kinds[3] != ffi::AttrKind::kScalar || n->dtype != 4 ||
      *static_cast<int32_t*>(n->value) != 3)
    return Fail(frame, "n");
  if (a.kinds[4] != ffi::AttrKind::kString || std::string(name->data, name->size) != "a\"b")
    return Fail(frame, "name");

  const auto* x = static_cast<ffi::Buffer*>(frame->operands.values[0]);
  const auto* y = static_cast<ffi::Buffer*>(frame->results.values[0]);
  if (x->dtype != 11 || x->rank != 1 || x->dims[0] != 3) return Fail(frame, "operand");
  float more_to_add = 0;
  ffi::ContextGetArgs data{sizeof data, nullptr, frame->context, &user_type, nullptr};
  if (ffi::Error* e = frame->api->context_get(&data)) {
    ffi::ErrorDestroyArgs destroy{sizeof destroy, nullptr, e};
    frame->api->error_destroy(&destroy);
  } else {
    more_to_add = *static_cast<float*>(data.data);
  }
  for (int64_t i = 0; i < x->dims[0]; ++i) {
    static_cast<float*>(y->data)[i] =
        *static_cast<float*>(by->value) * static_cast<float*>(x->data)[i] + more_to_add;
  }
  return nullptr;
}

std::string Call(const char* target, const char* config) {
  return std::string("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n") +
         "  %0 = stablehlo.custom_call @" + target + "(%x) {api_version = 4 : i32, " +
         "backend_config = " + config + "} : (tensor<3xf32>) -> tensor<3xf32>\n" +
         "  return %0 : tensor<3xf32>\n}\n";
}

TEST_CASE("a handler gets its arrays, attributes and the data of the run") {
  auto type = Make<PJRT_FFI_Type_Register_Args>();
  type.type_name = "addend";
  type.type_name_size = 6;
  REQUIRE(TextOf(Ffi()->type_register(&type)) == "");
  CHECK(type.type_id > 0);
  user_type = type.type_id;
  CHECK(TextOf(Ffi()->type_register(&type)) == "");  // the same again
  CHECK(type.type_id == user_type);
  type.type_id = user_type + 100;
  CHECK(TextOf(Ffi()->type_register(&type)).find("the type addend has the id") !=
        std::string::npos);
  type.type_name = "another";
  type.type_name_size = 7;
  type.type_id = user_type;
  CHECK(TextOf(Ffi()->type_register(&type)).find("is that of the type addend") !=
        std::string::npos);

  REQUIRE(Register("test_scale", &Scale) == "");
  CHECK(Register("test_scale", &Scale).find("INVALID_ARGUMENT") == 0);
  CHECK(Register("test_scale_2", &Scale, "abacus").find("INVALID_ARGUMENT") == 0);
  CHECK(Register("test_none", nullptr).find("no handler") != std::string::npos);

  TestClient client;
  PJRT_LoadedExecutable* f =
      client.Compile(Call("test_scale",
                          "{by = 2.0 : f32, n = 3 : i32, name = \"a\\22b\", "
                          "list = array<i64: 1, -7>, more = {flag = true}}"));
  PJRT_Buffer* x = client.Vector({1, 2, 3});
  PJRT_Buffer* y = Run(f, {x})[0];
  CHECK(ValuesOf(y) == std::vector<float>{2, 4, 6});
  Destroy(y);

  PJRT_ExecuteContext* context = CALL(ExecuteContext_Create).context;
  float addend = 10;
  auto add = Make<PJRT_FFI_UserData_Add_Args>();
  add.context = context;
  add.user_data = {user_type, &addend};
  CHECK(TextOf(Ffi()->user_data_add(&add)) == "");
  CHECK(TextOf(Ffi()->user_data_add(&add)).find("has data of type") != std::string::npos);
  RunOptions options;
  options.context = context;
  y = Run(f, {x}, 1, options)[0];
  CHECK(ValuesOf(y) == std::vector<float>{12, 14, 16});
  CALL(ExecuteContext_Destroy, args.context = context);
  for (PJRT_Buffer* b : {x, y}) Destroy(b);
  Destroy(f);
}

TEST_CASE("the error of a handler is that of the run") {
  REQUIRE(Register("test_fails", [](ffi::CallFrame* frame) -> ffi::Error* {
            return AnswerMetadata(frame) ? nullptr : Fail(frame, "the scales are broken");
          }) == "");
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Call("test_fails", "{}"));
  PJRT_Buffer* x = client.Vector({1, 2, 3});
  std::string error;
  RunOptions fails;
  fails.error = &error;
  Run(f, {x}, 1, fails);
  CHECK(error == "FAILED_PRECONDITION: custom call to \"test_fails\": the scales are broken");
  Destroy(x);
  Destroy(f);
}

TEST_CASE("handlers that cannot be called are refused") {
  auto handler = [](ffi::CallFrame* frame) -> ffi::Error* {
    AnswerMetadata(frame);
    return nullptr;
  };
  major_version = 1;
  CHECK(Register("test_new", handler) ==
        "UNIMPLEMENTED: test_new: a handler of version 1.5 of the interface");
  major_version = ffi::kMajorVersion;
  CHECK(RegisterStages("test_untyped", nullptr, nullptr, nullptr, handler, 0) ==
        "UNIMPLEMENTED: test_untyped: version 0 of custom calls");
  CHECK(RegisterStages("test_no_execution", handler, nullptr, nullptr, nullptr) ==
        "INVALID_ARGUMENT: test_no_execution: no handler");
}

// --- state: a counter of each place that calls, and one of each call

struct Counter {
  float count = 0;
};
int living_counters = 0;
void DeleteCounter(void* counter) {
  --living_counters;
  delete static_cast<Counter*>(counter);
}

ffi::Error* SetCounter(ffi::CallFrame* frame, ffi::Stage stage, float count) {
  ++living_counters;
  ffi::StateArgs set{sizeof set, nullptr, frame->context, stage, &state_type, new Counter{count}};
  ffi::Error* error = frame->api->state_set(&set);
  if (error != nullptr) DeleteCounter(set.state);
  return error;
}
ffi::Error* GetCounter(ffi::CallFrame* frame, ffi::Stage stage, Counter*& counter) {
  ffi::StateArgs get{sizeof get, nullptr, frame->context, stage, &state_type, nullptr};
  ffi::Error* error = frame->api->state_get(&get);
  counter = static_cast<Counter*>(get.state);
  return error;
}
// The message of an error, which is destroyed.
std::string Taken(const ffi::Api& api, ffi::Error* error) {
  if (error == nullptr) return "";
  ffi::ErrorDetailsArgs details{sizeof details, nullptr, error, nullptr, 0};
  api.error_details(&details);
  std::string message = details.message;
  ffi::ErrorDestroyArgs destroy{sizeof destroy, nullptr, error};
  api.error_destroy(&destroy);
  return message;
}

// The state begins with the attribute `from`.
ffi::Error* InstantiateCounter(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  if (frame->operands.size != 0 || frame->results.size != 0) return Fail(frame, "arrays");
  Counter* counter = nullptr;
  if (Taken(*frame->api, GetCounter(frame, ffi::Stage::kInstantiate, counter)) !=
      "stage 0 has set no state")
    return Fail(frame, "a state before it is set");
  if (Taken(*frame->api, SetCounter(frame, ffi::Stage::kPrepare, 0)) != "stage 1 has no state here")
    return Fail(frame, "the state of a later stage");
  const float from =
      *static_cast<float*>(static_cast<ffi::Scalar*>(frame->attributes.values[0])->value);
  if (from < 0) return Fail(frame, "cannot count from there");
  if (ffi::Error* error = SetCounter(frame, ffi::Stage::kInstantiate, from)) return error;
  if (Taken(*frame->api, SetCounter(frame, ffi::Stage::kInstantiate, 0)) !=
      "the state is set a second time")
    return Fail(frame, "two states");
  return nullptr;
}
ffi::Error* PrepareCounter(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  return SetCounter(frame, ffi::Stage::kPrepare, 100);
}
ffi::Error* InitializeCounter(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  if (frame->operands.size != 1 || frame->results.size != 1) return Fail(frame, "arrays");
  Counter* prepared = nullptr;
  if (ffi::Error* error = GetCounter(frame, ffi::Stage::kPrepare, prepared)) return error;
  return SetCounter(frame, ffi::Stage::kInitialize, prepared->count + 1000);
}
// y = x + how often this place was called before + 1100.
ffi::Error* ExecuteCounter(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  Counter *of_place = nullptr, *of_call = nullptr;
  if (ffi::Error* error = GetCounter(frame, ffi::Stage::kInstantiate, of_place)) return error;
  if (ffi::Error* error = GetCounter(frame, ffi::Stage::kInitialize, of_call)) return error;
  const int64_t other_type = state_type + 1;
  ffi::StateArgs other{sizeof other, nullptr, frame->context, ffi::Stage::kInstantiate,
                       &other_type,  nullptr};
  if (Taken(*frame->api, frame->api->state_get(&other)).find("the state is of type") != 0)
    return Fail(frame, "a state of another type");
  const auto* x = static_cast<ffi::Buffer*>(frame->operands.values[0]);
  const auto* y = static_cast<ffi::Buffer*>(frame->results.values[0]);
  for (int64_t i = 0; i < x->dims[0]; ++i) {
    static_cast<float*>(y->data)[i] =
        static_cast<float*>(x->data)[i] + of_place->count + of_call->count;
  }
  ++of_place->count;
  return nullptr;
}

TEST_CASE("handlers have state of each place that calls and of each call") {
  auto type = Make<PJRT_FFI_Type_Register_Args>();
  PJRT_FFI_Type_Info info{&DeleteCounter, nullptr, nullptr};
  type.type_name = "counter";
  type.type_name_size = 7;
  type.type_info = &info;
  REQUIRE(TextOf(Ffi()->type_register(&type)) == "");
  state_type = type.type_id;
  REQUIRE(RegisterStages("test_count", &InstantiateCounter, &PrepareCounter, &InitializeCounter,
                         &ExecuteCounter) == "");
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Call("test_count", "{from = 0.0 : f32}"));
  PJRT_LoadedExecutable* g = client.Compile(Call("test_count", "{from = 10.0 : f32}"));
  CHECK(living_counters == 2);
  PJRT_Buffer* x = client.Vector({1, 2, 3});
  for (float before : {0.0f, 1.0f, 2.0f}) {
    PJRT_Buffer* y = Run(f, {x})[0];
    CHECK(ValuesOf(y) == std::vector<float>{1101 + before, 1102 + before, 1103 + before});
    Destroy(y);
  }
  PJRT_Buffer* y = Run(g, {x})[0];
  CHECK(ValuesOf(y) == std::vector<float>{1111, 1112, 1113});
  CHECK(living_counters == 2);
  for (PJRT_Buffer* b : {x, y}) Destroy(b);
  Destroy(f);
  Destroy(g);
  state_type = 0;
}

TEST_CASE("what fails when a place is instantiated fails the compilation") {
  REQUIRE(RegisterStages(
              "test_no_instance",
              [](ffi::CallFrame* frame) -> ffi::Error* {
                return AnswerMetadata(frame) ? nullptr : Fail(frame, "not today");
              },
              nullptr, nullptr,
              [](ffi::CallFrame* frame) -> ffi::Error* {
                AnswerMetadata(frame);
                return nullptr;
              }) == "");
  TestClient client;
  std::string text = Call("test_no_instance", "{}");
  auto program = Make<PJRT_Program>();
  program.code = text.data();
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  CHECK(ERROR_OF(Client_Compile, args.client = client.get(); args.program = &program) ==
        "FAILED_PRECONDITION: custom call to \"test_no_instance\": not today");
}

// Memory, tasks, numbers of the run, and a result that comes later.
ffi::Error* Services(ffi::CallFrame* frame) {
  if (AnswerMetadata(frame)) return nullptr;
  const ffi::Api& api = *frame->api;
  ffi::MemoryAllocateArgs memory{sizeof memory, nullptr, frame->context, 100, 128, nullptr};
  if (api.memory_allocate(&memory) != nullptr) return Fail(frame, "memory");
  if (reinterpret_cast<uintptr_t>(memory.data) % 128 != 0) return Fail(frame, "alignment");
  std::memset(memory.data, 1, 100);
  ffi::MemoryFreeArgs free{sizeof free, nullptr, frame->context, 100, memory.data};
  if (api.memory_free(&free) != nullptr) return Fail(frame, "free");
  ffi::Error* again = api.memory_free(&free);
  if (again == nullptr) return Fail(frame, "freed twice");
  ffi::ErrorDetailsArgs details{sizeof details, nullptr, again, nullptr, 0};
  api.error_details(&details);
  if (details.code != 3) return Fail(frame, "code");
  ffi::ErrorDestroyArgs destroy{sizeof destroy, nullptr, again};
  api.error_destroy(&destroy);
  memory.data = nullptr;
  if (api.memory_allocate(&memory) != nullptr) return Fail(frame, "memory");  // is not freed
  int64_t threads = 0;
  ffi::ThreadCountArgs count{sizeof count, nullptr, frame->context, &threads};
  if (api.thread_count(&count) != nullptr || threads < 1) return Fail(frame, "threads");
  int ran = 0;
  ffi::ScheduleArgs schedule{sizeof schedule, nullptr, frame->context,
                             [](void* data) { ++*static_cast<int*>(data); }, &ran};
  if (api.schedule(&schedule) != nullptr) return Fail(frame, "schedule");
  ffi::RunIdArgs run{sizeof run, nullptr, frame->context, 0};
  if (api.run_id(&run) != nullptr || run.run_id == 0) return Fail(frame, "run");
  ffi::DeviceOrdinalArgs device{sizeof device, nullptr, frame->context, -1};
  if (api.device_ordinal(&device) != nullptr || device.device_ordinal != 0)
    return Fail(frame, "device");
  ffi::FindExtensionArgs find{sizeof find, nullptr, frame->context, 42, &find};
  if (api.find_extension(&find) != nullptr || find.extension != nullptr) return Fail(frame, "find");
  ffi::CustomOptionsArgs custom{sizeof custom, nullptr, frame->context, nullptr};
  if (api.custom_options(&custom) != nullptr || custom.attributes->size != 0)
    return Fail(frame, "custom options");
  ffi::StreamArgs stream{sizeof stream, nullptr, frame->context, nullptr};
  ffi::Error* no_stream = api.stream(&stream);
  if (no_stream == nullptr) return Fail(frame, "stream");
  destroy.error = no_stream;
  api.error_destroy(&destroy);
  ffi::FutureCreateArgs future{sizeof future, nullptr, nullptr};
  if (api.future_create(&future) != nullptr) return Fail(frame, "future");
  frame->future = future.future;
  const auto* y = static_cast<ffi::Buffer*>(frame->results.values[0]);
  std::fill_n(static_cast<float*>(y->data), 3, static_cast<float>(ran));
  ffi::FutureErrorArgs set{sizeof set, nullptr, future.future, nullptr};
  return api.future_set(&set);
}

TEST_CASE("a handler has memory, tasks and futures") {
  REQUIRE(Register("test_services", &Services, "cpu") == "");
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Call("test_services", "{}"));
  PJRT_Buffer* x = client.Vector({1, 2, 3});
  PJRT_Buffer* y = Run(f, {x})[0];
  Await(CALL(Buffer_ReadyEvent, args.buffer = y).event);
  CHECK(ValuesOf(y) == std::vector<float>{1, 1, 1});
  for (PJRT_Buffer* b : {x, y}) Destroy(b);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
