// What the tests of this room share.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sinter/client.h"

namespace sinter {

inline std::shared_ptr<Client> MakeClient(const CpuOptions& options) {
  auto client = Client::Cpu(options);
  REQUIRE(client.ok());
  return *client;
}
inline std::shared_ptr<Client> MakeClient(int threads) {
  CpuOptions options;
  options.threads = threads;
  return MakeClient(options);
}

inline Literal RunOn(Client& client, const Computation& computation,
                     const std::vector<Literal>& arguments) {
  auto executable = client.Compile(computation);
  CAPTURE(MessageOf(executable.status()));
  REQUIRE(executable.ok());
  auto result = executable->Evaluate(arguments);
  CAPTURE(MessageOf(result.status()));
  REQUIRE(result.ok());
  return *std::move(result);
}

inline Shape F32Shape(std::vector<int64_t> dims) {
  return Shape(ElementType::F32, std::move(dims));
}

}  // namespace sinter
