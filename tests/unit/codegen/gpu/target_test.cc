#include "codegen/gpu/target.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter::gpu {
namespace {

TEST_CASE("targets by name") {
  const Target t = Target::Parse("sm_90a").value();
  CHECK(t.name == "sm_90a");
  CHECK(t.sm == 90);
  CHECK(t.ptx == 80);
  CHECK(t.shared_bytes == 227 << 10);
  CHECK(t.Key() == "sm_90a/ptx80");
  CHECK(Target::Parse("sm_70").value().ptx == 70);
  for (const std::string& name : Target::Names()) CHECK(Target::Parse(name).ok());
  for (const char* name : {"", "sm_", "sm_9", "90", "sm_90b", "sm_90a "}) {
    const auto none = Target::Parse(name);
    CHECK(none.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(MessageOf(none.status()).find("sm_100a") != std::string::npos);
  }
}

TEST_CASE("the driver limits the version of PTX") {
  CHECK(Target::Parse("sm_90", 12040).value().ptx == 84);
  CHECK(Target::Parse("sm_80", 11080).value().ptx == 78);
  CHECK(Target::Parse("sm_80", 12060).value().ptx == 85);
  CHECK(Target::Parse("sm_80", 14000).value().ptx == 90);  // the newest that LLVM writes
  const auto old = Target::Parse("sm_100", 12040);
  CHECK(old.status().code() == absl::StatusCode::kUnavailable);
  CHECK(MessageOf(old.status()).find("CUDA 12.4") != std::string::npos);
}

}  // namespace
}  // namespace sinter::gpu
