#include "runtime/processes.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "network/encoding.h"
#include "network/network.h"

namespace sinter::runtime {
namespace {

// Process 1 of 4; `start` is what comes at the start.
class ScriptedNetwork final : public network::Network {
 public:
  using Script = std::function<void(network::Receiver&)>;
  explicit ScriptedNetwork(Script start) : Network(1, 4), start_(std::move(start)) {}
  absl::Status Start(network::Receiver* receiver) override {
    start_(*receiver);
    return absl::OkStatus();
  }
  absl::Status Send(int, network::Message) override { return absl::OkStatus(); }
  void AddWaiting(int) override {}

 private:
  Script start_;
};

absl::StatusOr<std::shared_ptr<Processes>> Start(ScriptedNetwork::Script script) {
  return Processes::Make(std::make_unique<ScriptedNetwork>(std::move(script)), 2, 0.05);
}

// A greeting: a run's key of no devices, then how many the process has.
void Greet(network::Receiver& r, int from, uint64_t devices) {
  r.Received(from, {network::Writer().Number(0).Number(0).Number(devices).Take(), {}});
}

const absl::Status kGone = Unavailable("process 3 has closed its client");

TEST_CASE("a process that has greeted may go while others have not") {
  const auto processes = Start([](network::Receiver& r) {
    Greet(r, 3, 5);
    r.Lost(3, kGone, /*closed=*/true);
    Greet(r, 0, 1);
    Greet(r, 2, 3);
  });
  REQUIRE(processes.ok());
  CHECK((*processes)->device_count() == 1 + 2 + 3 + 5);
  CHECK((*processes)->ProcessOf(5) == 2);
  CHECK((*processes)->CheckLost(3) == kGone);
  CHECK((*processes)->CheckLost(2).ok());
}

TEST_CASE("what a process has closed its client after may still be under way") {
  const absl::Status dead = Unavailable("process 2 is lost: no route");
  const auto processes = Start([&](network::Receiver& r) {
    for (int n : {0, 2, 3}) Greet(r, n, 1);
    r.Lost(2, dead, /*closed=*/false);
    r.Lost(3, kGone, /*closed=*/true);
  });
  REQUIRE(processes.ok());
  const std::chrono::hours grace(1);
  CHECK((*processes)->CheckLost(0, grace).ok());
  CHECK((*processes)->CheckLost(2, grace) == dead);
  CHECK((*processes)->CheckLost(3, grace).ok());
  CHECK((*processes)->CheckLost(3) == kGone);
}

TEST_CASE("one that goes without a greeting is what a start fails by") {
  const auto lost = Start([](network::Receiver& r) {
    Greet(r, 0, 1);
    r.Lost(3, kGone, /*closed=*/true);
    Greet(r, 2, 3);
  });
  CHECK(lost.status() == kGone);
  const auto silent = Start([](network::Receiver& r) { Greet(r, 2, 3); });
  CHECK(silent.status() == Unavailable("these processes have said nothing for 0.05 seconds: 0, 3"));
}

}  // namespace
}  // namespace sinter::runtime
