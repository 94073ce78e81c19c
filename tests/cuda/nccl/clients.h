// Clients of several GPUs on the fake driver and the fake NCCL.
#pragma once

#include <memory>

#include "sinter/client.h"

namespace sinter::nccl_test {

constexpr int kDevices = 4;

// What it compiles is dumped where the fake driver finds machine code.
absl::StatusOr<std::shared_ptr<Client>> MakeClient(CudaOptions options = {});

// While it lives, the fakes are as new; in the end nothing may be left.
struct Fixture {
  Fixture();
  ~Fixture();
};

}  // namespace sinter::nccl_test
