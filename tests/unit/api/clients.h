// What the tests of this room share.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

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

inline Shape F32Shape(std::vector<int64_t> dims) {
  return Shape(ElementType::F32, std::move(dims));
}

}  // namespace sinter
