// A test case that runs once on each client.
#pragma once

#include <catch2/catch.hpp>

#include "clients.h"
#include "sinter/builder.h"

namespace sinter::conformance {

struct ClientCase {
  ClientCase() {
    std::vector<Device> devices = Devices();
    device = devices[GENERATE_COPY(range(size_t{0}, devices.size()))];
    INFO(device.name);
    auto made = device.make();
    REQUIRE(made.ok());
    client = *made;
  }
  Device device;
  std::shared_ptr<Client> client;
};

inline Executable Compile(Client& client, Builder& b, const Op& result,
                          const CompileOptions& options = {}) {
  auto computation = b.Build(result);
  REQUIRE(computation.ok());
  auto e = client.Compile(*computation, options);
  CAPTURE(e.status().message());
  REQUIRE(e.ok());
  return *e;
}

}  // namespace sinter::conformance
