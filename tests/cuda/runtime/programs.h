// Programs made by hand for CUDA, and clients that compile nothing else.
#pragma once

#include <memory>
#include <string>

#include "api/client_core.h"
#include "cuda/driver/fake_driver.h"
#include "sinter/client.h"

namespace sinter::cuda_test {

// By the module's name, over f32[n]:
//   "chain": y = x + 8 by way of eight launches and a copy
//   "loop": the result takes over argument 0, x: while x[0] < 5, x += 1; then argument 1, s32[],
//     selects x += 1 (0) or x += 2 (else)
//   "constant": y = a constant of ones + 1, and the argument as it was
//   "wild": a launch that writes beyond its buffer
//   "custom": y = x + 2 by way of a custom call to "test.copy"
//   "torn": PTX that no driver understands
absl::StatusOr<api::Compiled> CompileByName(const std::string& name);
inline constexpr int64_t kElements = 200;

// A client whose compiler is CompileByName.
absl::StatusOr<std::shared_ptr<Client>> MakeClient(
    const runtime::cuda::CudaDeviceOptions& options = {}, const CudaOptions& client = {});
absl::StatusOr<Executable> Compile(Client& client, const std::string& name);

// kElements elements: first, first + 1, ...
Literal Iota(float first);
absl::Status ExpectIota(const absl::StatusOr<Literal>& literal, float first);

// Uses about all there is: uploads, runs of every kind, downloads, statistics. OK only with right
// results.
absl::Status UseClient(Client& client);

// Objects of the driver that are alive once runs have ended without a wait: they hold their client.
fake_cuda::Alive AliveInTheEnd();

}  // namespace sinter::cuda_test
