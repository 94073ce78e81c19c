// The conformance of CUDA clients on the fake driver, which must outlive every case with nothing
// left.
#include <cstdlib>
#include <filesystem>

#include "clients.h"
#include "cuda/driver/fake_driver.h"

namespace sinter::conformance {
namespace {

// The fake driver finds machine code among the dumps of what the process compiles.
void DumpCompilations() {
  static const std::string folder = [] {
    std::string path = std::filesystem::temp_directory_path() / "sinter_cuda_conformance_XXXXXX";
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

std::vector<Device> Devices() {
  Device prompt;
  prompt.name = "cuda, a prompt driver";
  prompt.exact = false;
  prompt.elements = 5003;
  prompt.make = []() -> absl::StatusOr<std::shared_ptr<Client>> {
    DumpCompilations();
    fake_cuda::Configure({});
    return Client::Cuda();
  };
  Device slow = prompt;
  slow.name = "cuda, a slow driver";
  slow.make = []() -> absl::StatusOr<std::shared_ptr<Client>> {
    DumpCompilations();
    fake_cuda::Settings settings;
    settings.most_delay_us = 2000;
    fake_cuda::Configure(settings);
    return Client::Cuda();
  };
  return {prompt, slow};
}

}  // namespace sinter::conformance
