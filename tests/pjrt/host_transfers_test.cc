// Sends to the host and receives from it, answered by the callbacks of a run.
#include <cstring>
#include <thread>
#include <utility>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

// Sends its argument through channel 3 and adds to it what comes through channel 5.
constexpr const char* kExchange = R"(module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %s = "stablehlo.send"(%x, %t) {
      channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true
    } : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%s) {
      channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true
    } : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %y = stablehlo.add %x, %r#0 : tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";

// The host: keeps what it is sent, and answers with ten times that.
struct Host {
  std::vector<float> sent;
  bool refuses = false, ends_early = false;
  PJRT_CopyToDeviceStream* stream = nullptr;
  int freed = 0;  // chunks
  std::thread answer;

  ~Host() {
    if (answer.joinable()) answer.join();
  }

  static PJRT_Error* Send(PJRT_Chunk* chunk, PJRT_CallbackError* error, size_t total, bool done,
                          void* self) {
    Host& host = *static_cast<Host*>(self);
    host.sent.resize(chunk->size / sizeof(float));
    std::memcpy(host.sent.data(), chunk->data, chunk->size);
    const bool whole = done && total == chunk->size;
    chunk->deleter(chunk->data, chunk->deleter_arg);
    if (host.refuses) return (*error)(PJRT_Error_Code_ABORTED, "not today", 9);
    return whole ? nullptr : (*error)(PJRT_Error_Code_INTERNAL, "parts", 5);
  }

  // The answer comes in two chunks, on another thread, after the callback has returned.
  static void Receive(PJRT_CopyToDeviceStream* stream, void* self) {
    Host& host = *static_cast<Host*>(self);
    host.stream = stream;
    host.answer = std::thread([&host] { host.Answer(); });
  }
  // Without assertions, which are the test's own thread's to make.
  void Answer() {
    for (float& x : sent) x *= 10;
    PJRT_CopyToDeviceStream* s = std::exchange(stream, nullptr);
    auto total = Make<PJRT_CopyToDeviceStream_TotalBytes_Args>();
    auto granule = Make<PJRT_CopyToDeviceStream_GranuleSize_Args>();
    total.stream = granule.stream = s;
    errors += TextOf(Api()->PJRT_CopyToDeviceStream_TotalBytes(&total));
    errors += TextOf(Api()->PJRT_CopyToDeviceStream_GranuleSize(&granule));
    total_bytes = total.total_bytes;
    granule_bytes = granule.granule_size_in_bytes;
    errors += Add(s, Chunk(sent.data(), 8));
    if (!ends_early) {
      errors += Add(s, Chunk(sent.data() + 2, 8));
    } else {
      too_large = Add(s, Chunk(sent.data(), 12));
      auto current = Make<PJRT_CopyToDeviceStream_CurrentBytes_Args>();
      current.stream = s;
      errors += TextOf(Api()->PJRT_CopyToDeviceStream_CurrentBytes(&current));
      current_bytes = current.current_bytes;
    }
    auto destroy = Make<PJRT_CopyToDeviceStream_Destroy_Args>();
    destroy.stream = s;
    errors += TextOf(Api()->PJRT_CopyToDeviceStream_Destroy(&destroy));
  }
  static std::string Add(PJRT_CopyToDeviceStream* stream, PJRT_Chunk chunk) {
    auto add = Make<PJRT_CopyToDeviceStream_AddChunk_Args>();
    add.stream = stream;
    add.chunk = &chunk;
    std::string error = TextOf(Api()->PJRT_CopyToDeviceStream_AddChunk(&add));
    if (!error.empty()) return error;
    auto done = Make<PJRT_Event_Await_Args>();
    done.event = add.transfer_complete;
    error = TextOf(Api()->PJRT_Event_Await(&done));
    auto destroy = Make<PJRT_Event_Destroy_Args>();
    destroy.event = add.transfer_complete;
    return error + TextOf(Api()->PJRT_Event_Destroy(&destroy));
  }
  PJRT_Chunk Chunk(void* data, size_t size) {
    PJRT_Chunk chunk{};
    chunk.data = data;
    chunk.size = size;
    chunk.deleter_arg = this;
    chunk.deleter = [](void*, void* self) { ++static_cast<Host*>(self)->freed; };
    return chunk;
  }

  std::string errors, too_large;
  int64_t total_bytes = 0, granule_bytes = 0, current_bytes = -1;
};

struct Callbacks {
  explicit Callbacks(Host& host)
      : send{3, &host, Host::Send},
        receive{5, &host, Host::Receive},
        options(Make<PJRT_ExecuteOptions>()) {
    options.send_callbacks = &sends;
    options.recv_callbacks = &receives;
    options.num_send_ops = options.num_recv_ops = 1;
  }
  PJRT_SendCallbackInfo send, *sends = &send;
  PJRT_RecvCallbackInfo receive, *receives = &receive;
  PJRT_ExecuteOptions options;
};

// The error of the call, else that of the result, which `values` gets.
std::string Execute(PJRT_LoadedExecutable* f, PJRT_Buffer* x, PJRT_ExecuteOptions& options,
                    std::vector<float>* values) {
  PJRT_Buffer* const* arguments = &x;
  PJRT_Buffer* out = nullptr;
  PJRT_Buffer** outs = &out;
  std::string error = ERROR_OF(LoadedExecutable_Execute, args.executable = f;
                               args.options = &options; args.argument_lists = &arguments;
                               args.num_devices = 1; args.num_args = 1; args.output_lists = &outs);
  if (!error.empty()) return error;
  PJRT_Event* ready = CALL(Buffer_ReadyEvent, args.buffer = out).event;
  error = TextOf([&] {
    auto await = Make<PJRT_Event_Await_Args>();
    await.event = ready;
    return Api()->PJRT_Event_Await(&await);
  }());
  CALL(Event_Destroy, args.event = ready);
  if (error.empty() && values != nullptr) *values = ValuesOf(out);
  Destroy(out);
  return error;
}

TEST_CASE("a run's sends and receives are its callbacks'") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(kExchange);
  PJRT_Buffer* x = client.Vector({1, 2, 3, 4});
  for (int run = 0; run < 2; ++run) {
    Host host;
    Callbacks callbacks(host);
    std::vector<float> y;
    CHECK(Execute(f, x, callbacks.options, &y) == "");
    CHECK(y == std::vector<float>{11, 22, 33, 44});
    host.answer.join();
    CHECK(host.errors == "");
    CHECK(host.freed == 2);
    CHECK(host.total_bytes == 16);
    CHECK(host.granule_bytes == 1);
  }
  Destroy(x);
  Destroy(f);
}

TEST_CASE("callbacks that fail, or are missing, are the run's error") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(kExchange);
  PJRT_Buffer* x = client.Vector({1, 2, 3, 4});
  auto fails = [&](PJRT_ExecuteOptions& options, std::string_view expected) {
    const std::string error = Execute(f, x, options, nullptr);
    CAPTURE(error);
    CHECK(error.find(expected) != std::string::npos);
  };
  auto none = Make<PJRT_ExecuteOptions>();
  fails(none, "FAILED_PRECONDITION: a send to the host, channel 3");
  {
    Host host;
    Callbacks callbacks(host);
    callbacks.options.num_recv_ops = 0;
    fails(callbacks.options, "no callback of recv for the channel");
    host.refuses = true;
    fails(callbacks.options, "ABORTED: a send to the host, channel 3, participant 0: not today");
    callbacks.send.send_callback = nullptr;
    fails(callbacks.options, "INVALID_ARGUMENT: PJRT_SendCallbackInfo: no callback of channel 3");
    callbacks.sends = nullptr;
    fails(callbacks.options, "INVALID_ARGUMENT: PJRT_ExecuteOptions: no callbacks of send");
  }
  Host host;
  host.ends_early = true;
  Callbacks callbacks(host);
  fails(callbacks.options, "the host ends the stream after 8 of 16 bytes");
  host.answer.join();
  CHECK(host.errors == "");
  CHECK(host.too_large.find("a chunk of 12 bytes for a stream of 16 that has 8") !=
        std::string::npos);
  CHECK(host.current_bytes == 8);
  CHECK(host.freed == 2);
  Destroy(x);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
