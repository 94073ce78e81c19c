// Clients of several GPUs on the fake driver and the fake NCCL.
#pragma once

#include <cstdint>
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

// Memory comes again at the same addresses, so that exchanges become graphs. The other settings as
// fake_cuda::Settings has them.
void ReuseMemory(bool launches_wait = false, int most_delay_us = 0);
// That have been submitted since the last fake_cuda::Reset.
int64_t GraphLaunches();

}  // namespace sinter::nccl_test
