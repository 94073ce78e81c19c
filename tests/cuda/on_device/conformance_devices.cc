// The conformance of clients on the CUDA driver of the machine.
#include "clients.h"

namespace sinter::conformance {

std::vector<Device> Devices() {
  Device device;
  device.name = "cuda";
  device.exact = false;
  device.make = []() -> absl::StatusOr<std::shared_ptr<Client>> { return Client::Cuda(); };
  return {device};
}

}  // namespace sinter::conformance
