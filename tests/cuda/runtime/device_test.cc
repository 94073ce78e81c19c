// CUDA clients on the fake driver: what the conformance of devices does not say.
#include <catch2/catch.hpp>

#include <thread>

#include "base/status.h"
#include "cuda/driver/fake_driver.h"
#include "programs.h"
#include "runtime/cuda/driver.h"

namespace sinter::cuda_test {
namespace {

using fake_cuda::AliveNow;
using runtime::cuda::Driver;
using runtime::cuda::Result;

struct Fixture {
  Fixture() { fake_cuda::Reset(); }
  ~Fixture() { CHECK(AliveInTheEnd().ToString() == fake_cuda::Alive().ToString()); }
};

std::string MessageOfUnavailable(const absl::Status& s) {
  REQUIRE(s.code() == absl::StatusCode::kUnavailable);
  std::string message = MessageOf(s);
  REQUIRE(message.find('\n') == std::string::npos);
  return message;
}

TEST_CASE("a client leaves nothing behind") {
  Fixture fixture;
  fake_cuda::Settings settings;
  settings.most_delay_us = GENERATE(0, 500);
  fake_cuda::Configure(settings);
  auto client = MakeClient();
  REQUIRE(client.ok());
  absl::Status status = UseClient(**client);
  CAPTURE(MessageOf(status), fake_cuda::LastKernelError());
  REQUIRE(status.ok());
  REQUIRE(fake_cuda::DoneNow().graph_launches >= 2);
  REQUIRE((*client)->memory_stats().in_use == 0);
  REQUIRE((*client)->memory_stats().peak_in_use > 0);
}

TEST_CASE("graphs are for runs that come again, with the pointers of each") {
  Fixture fixture;
  auto client = *MakeClient();
  Executable chain = *Compile(*client, "chain");
  auto run = [&](float first) {
    Buffer x = *client->BufferFromLiteral(Iota(first));
    auto y = chain.Execute({x});
    REQUIRE(y.ok());
    REQUIRE(ExpectIota((*y)[0].ToLiteral(), first + 8).ok());
    return x;
  };
  Buffer first = run(0);
  REQUIRE(fake_cuda::DoneNow().graph_launches == 0);
  Buffer second = run(10), third = run(20);
  REQUIRE(fake_cuda::DoneNow().graph_launches == 2);
  REQUIRE(fake_cuda::Calls()["cuGraphInstantiateWithFlags"] == 1);
  // What changed is patched: the copy of the argument, which is elsewhere. Whether launches are
  // depends on where the pool has put the rest.
  REQUIRE(fake_cuda::Calls()["cuGraphExecMemcpyNodeSetParams"] == 1);
}

TEST_CASE("a profile has the device's times, of loops too") {
  Fixture fixture;
  auto client = *MakeClient();
  ProfileOptions options;
  options.bytes_per_second = options.operations_per_second = 1e9;
  options.event_limit = 1000;
  options.runs = 2;
  Executable loop = *Compile(*client, "loop");
  Buffer x = *client->BufferFromLiteral(Iota(0));
  Buffer zero = *client->BufferFromLiteral(Literal::R0<int32_t>(0));
  auto profile = loop.Profile({x, zero}, options);
  CAPTURE(MessageOf(profile.status()));
  REQUIRE(profile.ok());
  CAPTURE(profile->ToString());
  int64_t number = -1;
  double inside = 0;
  for (const Profile::Step& s : profile->steps) {
    if (s.kind != Profile::Kind::kWhile) continue;
    number = s.number;
    CHECK(s.calls == 2);
    CHECK(s.turns == 2 * 5);  // x[0] of 0 to 4
    inside = s.seconds;
  }
  REQUIRE(number >= 0);
  for (const Profile::Step& s : profile->steps) {
    if (s.parent != number) continue;
    CHECK((s.calls == 2 * 5 || s.calls == 2 * 6));
    CHECK(s.seconds > 0);
    CHECK(s.seconds <= inside + 1e-9);
  }
  CHECK(!profile->events.empty());
  for (const Profile::Event& e : profile->events) CHECK(e.begin <= e.end);
  CHECK(ExpectIota(x.ToLiteral(), 0).ok());  // donated to no run

  Executable chain = *Compile(*client, "chain");
  auto straight = chain.Profile({x}, options);
  REQUIRE(straight.ok());
  int copies = 0, kernels = 0;
  for (const Profile::Step& s : straight->steps) {
    CHECK(s.calls == 2);
    copies += s.kind == Profile::Kind::kCopy;
    kernels += s.kind == Profile::Kind::kKernel;
  }
  CHECK(copies == 1);
  CHECK(kernels == 8);
}

TEST_CASE("a device states and measures its limits") {
  Fixture fixture;
  auto client = *MakeClient();
  Executable chain = *Compile(*client, "chain");
  auto profile = chain.Profile({*client->BufferFromLiteral(Iota(0))});
  REQUIRE(profile.ok());
  CHECK(profile->bytes_per_second > 0);
  CHECK(profile->operations_per_second == Approx(2.0 * 128 * 132 * 1.98e9));
}

TEST_CASE("what is current on a thread stays so") {
  Fixture fixture;
  auto driver = *Driver::Load("");
  runtime::cuda::ContextHandle other = nullptr, current = nullptr;
  REQUIRE(driver->DevicePrimaryCtxRetain(&other, 1) == Result::kSuccess);
  REQUIRE(driver->CtxPushCurrent(other) == Result::kSuccess);
  {
    auto client = *MakeClient();
    REQUIRE(UseClient(*client).ok());
  }
  REQUIRE(driver->CtxPopCurrent(&current) == Result::kSuccess);
  REQUIRE(current == other);
  REQUIRE(driver->CtxPopCurrent(&current) == Result::kInvalidContext);  // there is no more
  REQUIRE(driver->DevicePrimaryCtxRelease(1) == Result::kSuccess);
}

TEST_CASE("a context and a stream of the host's") {
  Fixture fixture;
  auto driver = *Driver::Load("");
  runtime::cuda::CudaDeviceOptions options;
  options.context.device = 1;
  REQUIRE(driver->DevicePrimaryCtxRetain(&options.context.context, 1) == Result::kSuccess);
  void* current = nullptr;
  REQUIRE(driver->CtxPushCurrent(options.context.context) == Result::kSuccess);
  REQUIRE(driver->StreamCreate(&options.context.stream, 1) == Result::kSuccess);
  REQUIRE(driver->CtxPopCurrent(&current) == Result::kSuccess);
  {
    auto client = *MakeClient(options);
    REQUIRE(UseClient(*client).ok());
    REQUIRE(AliveNow().streams == 1);
    // Memory of another client is memory of the device all the same.
    Buffer x = *client->BufferFromLiteral(Iota(0));
    auto view = *x.DeviceView(options.context.stream);
    auto other = *MakeClient(options);
    DeviceMemoryOptions memory;
    memory.stream = options.context.stream;
    bool done = false;
    memory.on_done = [&] { done = true; };
    {
      auto same = other->BufferFromDevice(const_cast<void*>(view.get()), x.shape(), memory);
      REQUIRE(same.ok());
      REQUIRE(ExpectIota(same->ToLiteral(), 0).ok());
    }
    other.reset();  // which waits for what is pending
    REQUIRE(done);
    // The host's memory is none of the device.
    float host[kElements] = {};
    REQUIRE(client->BufferFromDevice(host, x.shape()).status().code() ==
            absl::StatusCode::kInvalidArgument);
  }
  options.context.device = 0;
  REQUIRE(MakeClient(options).status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(driver->CtxPushCurrent(options.context.context) == Result::kSuccess);
  REQUIRE(driver->StreamDestroy(options.context.stream) == Result::kSuccess);
  REQUIRE(driver->CtxPopCurrent(&current) == Result::kSuccess);
  REQUIRE(driver->DevicePrimaryCtxRelease(1) == Result::kSuccess);
}

TEST_CASE("a kernel that goes wrong loses the client, and says so") {
  Fixture fixture;
  auto client = *MakeClient();
  Executable wild = *Compile(*client, "wild"), chain = *Compile(*client, "chain");
  Buffer x = *client->BufferFromLiteral(Iota(0));
  bool async = GENERATE(false, true);
  absl::Status status;
  if (async) {
    auto y = wild.ExecuteAsync({x});
    REQUIRE(y.ok());
    status = (*y)[0].Await();
    REQUIRE((*y)[0].ToLiteral().status() == status);
  } else {
    status = wild.Execute({x}).status();
  }
  REQUIRE(status.code() == absl::StatusCode::kInternal);
  REQUIRE(MessageOf(status).find("context is lost") != std::string::npos);
  REQUIRE(MessageOf(status).find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  REQUIRE(fake_cuda::LastKernelError().find("add_one") != std::string::npos);
  REQUIRE(chain.Execute({x}).status() == status);
  REQUIRE(x.ToLiteral().status() == status);
  REQUIRE(client->BufferFromLiteral(Iota(0)).status() == status);
  // The next client is well, once nothing holds the old one's context.
  x = Buffer();
  wild = chain = Executable();
  client.reset();
  client = *MakeClient();
  REQUIRE(UseClient(*client).ok());
}

TEST_CASE("memory: limits, and a full device") {
  Fixture fixture;
  runtime::cuda::CudaDeviceOptions options;
  options.memory_limit = 10000;
  auto client = *MakeClient(options);
  Literal large(Shape(ElementType::F32, {5000}));
  absl::Status status = client->BufferFromLiteral(large).status();
  REQUIRE(status.code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(MessageOf(status) == "allocation of 20000 bytes: 0 in use, the client's limit is 10000");
  fake_cuda::Settings settings;
  settings.memory_bytes = 15000;
  fake_cuda::Configure(settings);
  client = *MakeClient();
  status = client->BufferFromLiteral(large).status();
  REQUIRE(status.code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(MessageOf(status).find("the device has 15000 of 15000 free") != std::string::npos);
  REQUIRE(client->BufferFromLiteral(Iota(0)).ok());
}

TEST_CASE("PTX that the driver refuses is told with its log") {
  Fixture fixture;
  auto client = *MakeClient();
  absl::Status status = Compile(*client, "torn").status();
  REQUIRE(status.code() == absl::StatusCode::kInternal);
  REQUIRE(MessageOf(status).find("CUDA_ERROR_INVALID_PTX") != std::string::npos);
  REQUIRE(MessageOf(status).find("ptxas: unknown text") != std::string::npos);
}

TEST_CASE("equal texts are linked once") {
  Fixture fixture;
  auto client = *MakeClient();
  REQUIRE(UseClient(*client).ok());
  REQUIRE(fake_cuda::Calls()["cuLinkComplete"] == 1);
}

TEST_CASE("no driver, an old one, no device") {
  Fixture fixture;
  REQUIRE(MessageOfUnavailable(Driver::Load("/no/such/libcuda.so.1").status())
              .starts_with("no CUDA driver: "));
  fake_cuda::Settings settings;
  settings.driver_version = 11040;
  fake_cuda::Configure(settings);
  REQUIRE(MessageOfUnavailable(MakeClient().status()) ==
          "the CUDA driver is of version 11.4; 12.0 or later is needed");
  settings = {};
  settings.devices = 0;
  fake_cuda::Configure(settings);
  REQUIRE(MessageOfUnavailable(MakeClient().status()).find("CUDA_ERROR_NO_DEVICE") !=
          std::string::npos);
  settings = {};
  settings.memory_pools = false;
  fake_cuda::Configure(settings);
  REQUIRE(MessageOfUnavailable(MakeClient().status()) ==
          "the CUDA device Fake GPU has no stream-ordered memory");
  fake_cuda::Configure({});
  runtime::cuda::CudaDeviceOptions options;
  options.context.device = 7;
  absl::Status status = MakeClient(options).status();
  REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(status) == "CUDA device 7 of 2");
}

TEST_CASE("a driver without an entry point is refused by its name, but for those of captures") {
  Fixture fixture;
  auto whole = *Driver::Load("");
  CHECK(whole->captures);
  for (const auto& [symbol, calls] : fake_cuda::Calls()) {
    CAPTURE(symbol);
    auto driver = Driver::Resolve([&, missing = symbol](const char* name) -> void* {
      if (name == missing) return nullptr;
#define SINTER_CUDA_FIND(Name, text, ...) \
  if (std::string_view(name) == text) return reinterpret_cast<void*>(whole->Name);
      SINTER_CUDA_ENTRY_POINTS(SINTER_CUDA_FIND)
      SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_CUDA_FIND)
#undef SINTER_CUDA_FIND
      return nullptr;
    });
    if (symbol.find("Capture") != std::string::npos) {
      REQUIRE(driver.ok());
      CHECK_FALSE((*driver)->captures);
      continue;
    }
    std::string message = MessageOfUnavailable(driver.status());
    std::string version = symbol == "cuDriverGetVersion" ? "0.0" : "12.8";
    REQUIRE(message == Format("the CUDA driver (version {}) has no {}; 12.0 or later is needed",
                              version, symbol));
  }
}

int copy_result = 0;
std::string copy_opaque;

// The classic signature, in the order of the stream.
void CopyVector(CUstream_st* stream, void** buffers, const char* opaque, size_t opaque_len) {
  static auto driver = *Driver::Load("");
  copy_opaque.assign(opaque, opaque_len);
  auto address = [](void* p) { return reinterpret_cast<runtime::cuda::DevicePointer>(p); };
  copy_result = static_cast<int>(driver->MemcpyDtoDAsync(
      address(buffers[1]), address(buffers[0]), static_cast<size_t>(kElements) * 4, stream));
}

TEST_CASE("custom calls get the client's stream, and its context is current") {
  Fixture fixture;
  fake_cuda::Settings settings;
  settings.most_delay_us = 1000;
  fake_cuda::Configure(settings);
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry->Register("test.copy", "CUDA", WrapCustomCall(CopyVector)).ok());
  CudaOptions options;
  options.custom_calls = registry;
  auto client = *MakeClient({}, options);
  Executable custom = *Compile(*client, "custom");
  Buffer x = *client->BufferFromLiteral(Iota(0));
  auto first = custom.Execute({x});
  REQUIRE(first.ok());
  REQUIRE(ExpectIota((*first)[0].ToLiteral(), 2).ok());
  auto second = custom.ExecuteAsync({(*first)[0]});
  REQUIRE(second.ok());
  REQUIRE(ExpectIota((*second)[0].ToLiteral(), 4).ok());
  REQUIRE(copy_result == 0);
  REQUIRE(copy_opaque == "bytes");
}

TEST_CASE("what a custom call says on CUDA") {
  Fixture fixture;
  auto registry = std::make_shared<CustomCallRegistry>();
  CudaOptions options;
  options.custom_calls = registry;
  auto client = *MakeClient({}, options);
  REQUIRE(MessageOf(Compile(*client, "custom").status()) ==
          "custom call to \"test.copy\": no such target is registered for CUDA");
  auto fails = BindCustomCall().Operand<float>().Result<float>().Stream().To(
      [](CustomCallBuffer<const float>, CustomCallBuffer<float>, CUstream_st* stream) {
        return stream == nullptr ? absl::OkStatus() : absl::AbortedError("not today");
      });
  REQUIRE(registry->Register("test.copy", "CUDA", fails).ok());
  Executable custom = *Compile(*client, "custom");
  Buffer x = *client->BufferFromLiteral(Iota(0));
  absl::Status status = custom.Execute({x}).status();
  REQUIRE(status == absl::AbortedError("custom call to \"test.copy\": not today"));
  auto later = custom.ExecuteAsync({x});
  REQUIRE(later.ok());
  REQUIRE((*later)[0].Await() == status);
  REQUIRE(custom.Execute({(*later)[0]}).status() == status);
  REQUIRE(UseClient(*client).ok());
}

TEST_CASE("several threads use one client") {
  Fixture fixture;
  fake_cuda::Settings settings;
  settings.most_delay_us = 300;
  fake_cuda::Configure(settings);
  auto client = *MakeClient();
  std::vector<std::thread> threads;
  std::array<absl::Status, 4> statuses;
  for (absl::Status& status : statuses) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3 && status.ok(); ++i) status = UseClient(*client);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const absl::Status& status : statuses) {
    CAPTURE(MessageOf(status));
    REQUIRE(status.ok());
  }
}

}  // namespace
}  // namespace sinter::cuda_test
