// Every entry point of the driver returns every error that it may, at every place where it is
// called: what the client says, what it leaves behind, and whether it is of use afterwards.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "base/status.h"
#include "cuda/driver/fake_driver.h"
#include "programs.h"
#include "runtime/cuda/driver.h"

namespace sinter::cuda_test {
namespace {

using runtime::cuda::Result;

struct Fault {
  Result result;
  absl::StatusCode code;
};
constexpr Fault kFaults[] = {
    {Result::kOutOfMemory, absl::StatusCode::kResourceExhausted},
    {Result::kDeviceUnavailable, absl::StatusCode::kUnavailable},
    {Result::kInvalidPtx, absl::StatusCode::kInternal},
    {Result::kUnsupportedPtxVersion, absl::StatusCode::kUnavailable},
    {Result::kUnknown, absl::StatusCode::kInternal},
    {Result::kIllegalAddress, absl::StatusCode::kInternal},
    {Result::kLaunchFailed, absl::StatusCode::kInternal},
};

// Calls whose errors may go unreported: what they were to free is gone, or only a message has less
// text. (A context is made current also to free memory; an event is recorded also for a buffer
// whose readiness is never read.)
const std::set<std::string> kSilent = {"cuGetErrorName",      "cuGetErrorString",
                                       "cuCtxPopCurrent_v2",  "cuStreamDestroy_v2",
                                       "cuEventDestroy_v2",   "cuMemPoolDestroy",
                                       "cuMemFreeAsync",      "cuMemFreeHost",
                                       "cuLinkDestroy",       "cuModuleUnload",
                                       "cuGraphDestroy",      "cuGraphExecDestroy",
                                       "cuMemPoolTrimTo",     "cuMemPoolGetAttribute",
                                       "cuMemGetInfo_v2",     "cuDevicePrimaryCtxRelease_v2",
                                       "cuStreamSynchronize", "cuCtxPushCurrent_v2",
                                       "cuEventCreate",       "cuEventRecord",
                                       "cuEventQuery",        "cuEventSynchronize"};

absl::Status Scenario(bool* usable_again) {
  auto client = MakeClient();
  if (!client.ok()) return client.status();
  absl::Status status = UseClient(**client);
  if (fake_cuda::FaultHappened() && usable_again != nullptr)
    *usable_again = UseClient(**client).ok();
  return status;
}

TEST_CASE("every fault at every entry point") {
  fake_cuda::Reset();
  REQUIRE(Scenario(nullptr).ok());
  std::map<std::string, int> calls = fake_cuda::Calls();
  int tried = 0;
  for (const auto& [symbol, count] : calls) {
    std::set<int> places = {1, 2, 3, 5, 8, 13, count / 2, count - 1, count};
    for (int place : places) {
      if (place < 1 || place > count) continue;
      for (const Fault& fault : kFaults) {
        CAPTURE(symbol, place, static_cast<int>(fault.result));
        fake_cuda::Reset();
        fake_cuda::InjectFault(symbol, place, static_cast<int>(fault.result));
        bool usable_again = true;
        absl::Status status = Scenario(&usable_again);
        bool happened = fake_cuda::FaultHappened();
        fake_cuda::Reset();
        CAPTURE(MessageOf(status));
        // Spinning and threads make some counts vary.
        if (!happened) {
          REQUIRE(status.ok());
          continue;
        }
        ++tried;
        if (!status.ok()) REQUIRE(status.code() == fault.code);
        if (status.ok()) REQUIRE(kSilent.contains(symbol));
        fake_cuda::Alive alive = AliveInTheEnd();
        CAPTURE(alive.ToString());
        REQUIRE(alive == fake_cuda::Alive());
        if (!runtime::cuda::IsSticky(fault.result)) REQUIRE(usable_again);
      }
    }
  }
  INFO("faults tried: " << tried);
  REQUIRE(tried > 1000);
  // All is well again.
  REQUIRE(Scenario(nullptr).ok());
}

// A client that took its context for lost gives back what the device, slow as it is, still works
// with: nothing of it may go before.
TEST_CASE("a slow device whose context is lost") {
  fake_cuda::Settings slow;
  slow.most_delay_us = 3000;
  for (int place = 1; place <= 24; ++place) {
    CAPTURE(place);
    fake_cuda::Reset();
    fake_cuda::Configure(slow);
    fake_cuda::InjectFault("cuCtxPushCurrent_v2", place, static_cast<int>(Result::kIllegalAddress));
    absl::Status status = Scenario(nullptr);
    REQUIRE(fake_cuda::FaultHappened());
    CAPTURE(MessageOf(status));
    if (!status.ok()) REQUIRE(status.code() == absl::StatusCode::kInternal);
    REQUIRE(AliveInTheEnd().ToString() == fake_cuda::Alive().ToString());
  }
}

// Those of several devices are in tests/cuda/nccl.
TEST_CASE("the scenario calls every entry point that the cases below do not") {
  fake_cuda::Reset();
  REQUIRE(Scenario(nullptr).ok());
  std::string never;
  for (const auto& [symbol, count] : fake_cuda::Calls())
    if (count == 0) never += symbol + " ";
  REQUIRE(never ==
          "cuCtxGetDevice cuDeviceCanAccessPeer cuGetErrorName cuGetErrorString cuMemGetInfo_v2 "
          "cuMemPoolSetAccess cuMemcpyPeerAsync cuMemsetD32Async cuMemsetD8Async "
          "cuStreamBeginCapture_v2 cuStreamEndCapture cuStreamGetCaptureInfo_v2 ");
}

TEST_CASE("faults while a context is borrowed") {
  fake_cuda::Reset();
  auto driver = *runtime::cuda::Driver::Load("");
  for (const Fault& fault : kFaults) {
    runtime::cuda::CudaDeviceOptions options;
    REQUIRE(driver->DevicePrimaryCtxRetain(&options.context.context, 0) == Result::kSuccess);
    fake_cuda::InjectFault("cuCtxGetDevice", 1, static_cast<int>(fault.result));
    REQUIRE(MakeClient(options).status().code() == fault.code);
    REQUIRE(fake_cuda::FaultHappened());
    REQUIRE(driver->DevicePrimaryCtxRelease(0) == Result::kSuccess);
    REQUIRE(AliveInTheEnd().ToString() == fake_cuda::Alive().ToString());
  }
}

TEST_CASE("faults while an error is being told") {
  fake_cuda::Reset();
  fake_cuda::Settings settings;
  settings.memory_bytes = 1000;
  fake_cuda::Configure(settings);
  for (const char* symbol : {"cuGetErrorName", "cuGetErrorString", "cuMemGetInfo_v2"}) {
    for (const Fault& fault : kFaults) {
      auto client = *MakeClient();
      fake_cuda::InjectFault(symbol, 1, static_cast<int>(fault.result));
      absl::Status status =
          client->BufferFromLiteral(Literal(Shape(ElementType::F32, {5000}))).status();
      REQUIRE(fake_cuda::FaultHappened());
      CAPTURE(symbol, MessageOf(status));
      REQUIRE(status.code() == absl::StatusCode::kResourceExhausted);
      REQUIRE(MessageOf(status).find("allocation of 20000 bytes") == 0);
    }
  }
  REQUIRE(AliveInTheEnd().ToString() == fake_cuda::Alive().ToString());
}

}  // namespace
}  // namespace sinter::cuda_test
