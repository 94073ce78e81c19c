#include "plugin.h"

#include <dlfcn.h>

#include <cstring>

namespace sinter::plugin_test {
namespace {

constexpr const char* kCodes[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

}  // namespace

const PJRT_Api* Api() {
  static const PJRT_Api* api = [] {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;  // the sanitizers' runtimes refuse RTLD_DEEPBIND
#else
    constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif
    void* library = dlopen(SINTER_PJRT_LIBRARY, kFlags);
    INFO(SINTER_PJRT_LIBRARY);
    REQUIRE(library != nullptr);
    auto* get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
    REQUIRE(get != nullptr);
    return get();
  }();
  return api;
}

std::string TextOf(PJRT_Error* error) {
  if (error == nullptr) return "";
  auto message = Make<PJRT_Error_Message_Args>();
  message.error = error;
  Api()->PJRT_Error_Message(&message);
  auto code = Make<PJRT_Error_GetCode_Args>();
  code.error = error;
  REQUIRE(Api()->PJRT_Error_GetCode(&code) == nullptr);
  std::string text =
      std::string(kCodes[code.code]) + ": " + std::string(message.message, message.message_size);
  auto destroy = Make<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  Api()->PJRT_Error_Destroy(&destroy);
  return text;
}

void Succeeds(const char* slot, PJRT_Error* error) {
  INFO(slot);
  CHECK(TextOf(error) == "");
}

PJRT_NamedValue Named(std::string_view name, std::string_view value) {
  auto v = Make<PJRT_NamedValue>();
  v.name = name.data();
  v.name_size = name.size();
  v.type = PJRT_NamedValue_kString;
  v.string_value = value.data();
  v.value_size = value.size();
  return v;
}
PJRT_NamedValue Named(std::string_view name, int64_t value) {
  auto v = Make<PJRT_NamedValue>();
  v.name = name.data();
  v.name_size = name.size();
  v.type = PJRT_NamedValue_kInt64;
  v.int64_value = value;
  v.value_size = 1;
  return v;
}

TestClient::TestClient(std::vector<PJRT_NamedValue> options) {
  if (options.empty()) options.push_back(Named("threads", 2));
  client_ =
      CALL(Client_Create, args.create_options = options.data(); args.num_options = options.size())
          .client;
  REQUIRE(client_ != nullptr);
}
TestClient::~TestClient() { Destroy(); }
void TestClient::Destroy() {
  CALL(Client_Destroy, args.client = client_);
  client_ = nullptr;
}
PJRT_Device* TestClient::device() const {
  return CALL(Client_AddressableDevices, args.client = client_).addressable_devices[0];
}
PJRT_Memory* TestClient::memory() const {
  return CALL(Device_DefaultMemory, args.device = device()).memory;
}

PJRT_LoadedExecutable* TestClient::Compile(std::string_view text, std::string_view options) const {
  auto program = Make<PJRT_Program>();
  program.code = const_cast<char*>(text.data());
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  return CALL(Client_Compile, args.client = client_; args.program = &program;
              args.compile_options = options.data(); args.compile_options_size = options.size())
      .executable;
}

PJRT_Buffer* TestClient::Vector(const std::vector<float>& values) const {
  const auto size = static_cast<int64_t>(values.size());
  auto made = CALL(Client_BufferFromHostBuffer, args.client = client_; args.data = values.data();
                   args.type = PJRT_Buffer_Type_F32; args.dims = &size; args.num_dims = 1;
                   args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
                   args.device = device());
  Await(made.done_with_host_buffer);
  return made.buffer;
}

void Await(PJRT_Event* event, std::string_view error) {
  REQUIRE(event != nullptr);
  auto await = Make<PJRT_Event_Await_Args>();
  await.event = event;
  CHECK(TextOf(Api()->PJRT_Event_Await(&await)) == error);
  CHECK(CALL(Event_IsReady, args.event = event).is_ready);
  CALL(Event_Destroy, args.event = event);
}

std::vector<float> ValuesOf(PJRT_Buffer* buffer) {
  std::vector<float> values(CALL(Buffer_ToHostBuffer, args.src = buffer).dst_size / sizeof(float));
  if (values.empty()) return values;
  Await(CALL(Buffer_ToHostBuffer, args.src = buffer; args.dst = values.data();
             args.dst_size = values.size() * sizeof(float))
            .event);
  return values;
}

void Destroy(PJRT_Buffer* buffer) { CALL(Buffer_Destroy, args.buffer = buffer); }
void Destroy(PJRT_LoadedExecutable* executable) {
  CALL(LoadedExecutable_Destroy, args.executable = executable);
}

std::vector<PJRT_Buffer*> Run(PJRT_LoadedExecutable* executable,
                              std::vector<PJRT_Buffer*> arguments, size_t results,
                              const RunOptions& options) {
  auto how = Make<PJRT_ExecuteOptions>();
  how.non_donatable_input_indices = options.keep.data();
  how.num_non_donatable_input_indices = options.keep.size();
  how.context = options.context;
  // One more, to see that nothing is written there. Of no results JAX gives no list.
  std::vector<PJRT_Buffer*> out(results + 1, nullptr);
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Buffer* const no_argument = nullptr;
  if (arguments.empty()) argument_list = &no_argument;
  PJRT_Buffer** result_list = results == 0 ? nullptr : out.data();
  auto args = Make<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &how;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &result_list;
  args.device_complete_events = options.done;
  const std::string error = TextOf(Api()->PJRT_LoadedExecutable_Execute(&args));
  if (options.error != nullptr) {
    *options.error = error;
  } else {
    CHECK(error == "");
  }
  CHECK(out[results] == nullptr);
  out.resize(results);
  return out;
}

std::string Axpy(int64_t size, std::string_view attributes) {
  const std::string type = "tensor<" + std::to_string(size) + "xf32>";
  return "func.func @main(%x: " + type + ", %y: " + type + std::string(attributes) + ") -> " +
         type + " {\n  %a = stablehlo.constant dense<2.0> : " + type +
         "\n  %0 = stablehlo.multiply %a, %x : " + type +
         "\n  %1 = stablehlo.add %0, %y : " + type + "\n  return %1 : " + type + "\n}\n";
}

}  // namespace sinter::plugin_test
