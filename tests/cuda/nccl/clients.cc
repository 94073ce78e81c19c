#include "clients.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "cuda/driver/fake_driver.h"
#include "cuda/nccl/fake_nccl.h"

namespace sinter::nccl_test {
namespace {

void DumpCompilations() {
  static const std::string folder = [] {
    std::string path =
        (std::filesystem::temp_directory_path() / "sinter_nccl_dumps_XXXXXX").string();
    return std::string(mkdtemp(path.data()));
  }();
  setenv("SINTER_FAKE_CUDA_DUMPS", folder.c_str(), 1);
  setenv("SINTER_FLAGS", ("dump=" + folder).c_str(), 1);
  static const struct Remove {
    ~Remove() {
      std::error_code error;
      std::filesystem::remove_all(folder, error);
    }
  } remove;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> MakeClient(CudaOptions options) {
  DumpCompilations();
  if (options.devices.empty()) options.device = kAllCudaDevices;
  return Client::Cuda(options);
}

Fixture::Fixture() {
  fake_cuda::Reset();
  fake_nccl::Reset();
  fake_cuda::Settings settings;
  settings.devices = kDevices;
  fake_cuda::Configure(settings);
}

Fixture::~Fixture() {
  fake_cuda::Alive alive;
  for (int tries = 0; tries < 1000; ++tries) {
    alive = fake_cuda::AliveNow();
    if (alive == fake_cuda::Alive()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(alive.ToString() == fake_cuda::Alive().ToString());
  CHECK(fake_nccl::CommsAlive() == 0);
  CHECK(fake_nccl::Mistakes() == "");
}

void ReuseMemory(bool launches_wait, int most_delay_us) {
  fake_cuda::Settings settings;
  settings.devices = kDevices;
  settings.reuses_memory = true;
  settings.launches_wait = launches_wait;
  settings.most_delay_us = most_delay_us;
  fake_cuda::Configure(settings);
}

int64_t GraphLaunches() { return fake_cuda::Calls()["cuGraphLaunch"]; }

}  // namespace sinter::nccl_test
