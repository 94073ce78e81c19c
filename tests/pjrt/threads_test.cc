// The plugin under several threads, and a client that goes while there is work.
#include <atomic>
#include <thread>

#include "plugin.h"

namespace sinter::plugin_test {
namespace {

// Assertions of Catch are of one thread at a time: threads count what is wrong.
TEST_CASE("threads share a client, an executable and a buffer") {
  TestClient client;
  PJRT_LoadedExecutable* f = client.Compile(Axpy(1000));
  PJRT_Buffer* x = client.Vector(std::vector<float>(1000, 1));
  std::atomic<int> wrong{0};
  auto work = [&](int number) {
    auto options = Make<PJRT_ExecuteOptions>();
    const int64_t size = 1000;
    std::vector<float> values(1000, static_cast<float>(number));
    for (int i = 0; i < 50; ++i) {
      auto make = Make<PJRT_Client_BufferFromHostBuffer_Args>();
      make.client = client.get();
      make.data = values.data();
      make.type = PJRT_Buffer_Type_F32;
      make.dims = &size;
      make.num_dims = 1;
      if (Api()->PJRT_Client_BufferFromHostBuffer(&make) != nullptr) ++wrong;
      PJRT_Buffer* arguments[] = {x, make.buffer};
      PJRT_Buffer* const* list = arguments;
      PJRT_Buffer* result = nullptr;
      PJRT_Buffer** results = &result;
      PJRT_Event* done = nullptr;
      auto run = Make<PJRT_LoadedExecutable_Execute_Args>();
      run.executable = f;
      run.options = &options;
      run.argument_lists = &list;
      run.num_devices = 1;
      run.num_args = 2;
      run.output_lists = &results;
      run.device_complete_events = &done;
      if (Api()->PJRT_LoadedExecutable_Execute(&run) != nullptr) ++wrong;
      auto await = Make<PJRT_Event_Await_Args>();
      await.event = done;
      if (Api()->PJRT_Event_Await(&await) != nullptr) ++wrong;
      std::vector<float> out(1000);
      auto copy = Make<PJRT_Buffer_ToHostBuffer_Args>();
      copy.src = result;
      copy.dst = out.data();
      copy.dst_size = 4000;
      if (Api()->PJRT_Buffer_ToHostBuffer(&copy) != nullptr) ++wrong;
      await.event = copy.event;
      if (Api()->PJRT_Event_Await(&await) != nullptr) ++wrong;
      if (out != std::vector<float>(1000, static_cast<float>(2 + number))) ++wrong;
      for (PJRT_Event* e : {done, copy.event, make.done_with_host_buffer}) {
        auto destroy = Make<PJRT_Event_Destroy_Args>();
        destroy.event = e;
        if (Api()->PJRT_Event_Destroy(&destroy) != nullptr) ++wrong;
      }
      for (PJRT_Buffer* b : {make.buffer, result}) {
        auto destroy = Make<PJRT_Buffer_Destroy_Args>();
        destroy.buffer = b;
        if (Api()->PJRT_Buffer_Destroy(&destroy) != nullptr) ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) threads.emplace_back(work, number);
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  Destroy(x);
  Destroy(f);
}

TEST_CASE("a client may go before what it made, and while it works") {
  TestClient client;
  const std::string loop = R"(
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<2000> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<64x64xf32>
    cond {
      %c = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.tanh %v : tensor<64x64xf32>
      stablehlo.return %n, %w : tensor<i32>, tensor<64x64xf32>
    }
  return %0#1 : tensor<64x64xf32>
})";
  PJRT_LoadedExecutable* f = client.Compile(loop);
  const std::vector<float> values(64 * 64, 0.5f);
  const int64_t dims[] = {64, 64};
  auto made =
      CALL(Client_BufferFromHostBuffer, args.client = client.get(); args.data = values.data();
           args.type = PJRT_Buffer_Type_F32; args.dims = dims; args.num_dims = 2);
  Await(made.done_with_host_buffer);
  PJRT_Event* done = nullptr;
  RunOptions options;
  options.done = &done;
  PJRT_Buffer* y = Run(f, {made.buffer}, 1, options)[0];
  client.Destroy();
  Destroy(made.buffer);
  Destroy(f);
  Await(done);
  const std::vector<float> out = ValuesOf(y);
  CHECK(out[0] > 0);
  CHECK(out[0] < 0.05f);
  CHECK(CALL(Buffer_Device, args.buffer = y).device != nullptr);
  Destroy(y);
}

TEST_CASE("a client without threads does everything in the call") {
  auto inline_execution = Make<PJRT_NamedValue>();
  inline_execution.name = "inline_execution";
  inline_execution.name_size = 16;
  inline_execution.type = PJRT_NamedValue_kBool;
  inline_execution.bool_value = true;
  inline_execution.value_size = 1;
  TestClient client({inline_execution});
  PJRT_LoadedExecutable* f = client.Compile(Axpy(1 << 18));
  PJRT_Buffer* x = client.Vector(std::vector<float>(1 << 18, 1));
  PJRT_Event* done = nullptr;
  RunOptions options;
  options.done = &done;
  PJRT_Buffer* y = Run(f, {x, x}, 1, options)[0];
  CHECK(CALL(Event_IsReady, args.event = done).is_ready);
  Await(done);
  CHECK(ValuesOf(y).back() == 3);
  for (PJRT_Buffer* b : {x, y}) Destroy(b);
  Destroy(f);
}

}  // namespace
}  // namespace sinter::plugin_test
