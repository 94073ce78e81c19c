// Runs every module of tests/ops on every device.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "ops/devices.h"
#include "ops/module_file.h"
#include "ops/run_all.h"
#include "sinter/testing.h"

namespace sinter {
namespace {

TEST_CASE("every module of every file on every device") { testing::RunAll(testing::Devices()); }

// A program that uses each op that no device runs, and the op it is refused for.
const std::pair<HloOpcode, std::string_view> kRefused[] = {
    {HloOpcode::RaggedAllToAll,
     "  n = s32[1] constant({0})\n  y = f32[2] ragged-all-to-all(x, x, n, n, n, n), "
     "replica_groups={{0}}"},
    {HloOpcode::RngGetAndUpdateState,
     "  s = u64[2] rng-get-and-update-state(), delta=1\n  y = f32[2] convert(s)"},
};
// And one that uses each op through a channel that is not to the host.
const std::pair<HloOpcode, std::string_view> kRefusedChannels[] = {
    {HloOpcode::Recv,
     "  r = (f32[2], u32[], token[]) recv(t), channel_id=1\n  d = (f32[2], token[]) recv-done(r), "
     "channel_id=1\n  y = f32[2] get-tuple-element(d), index=0"},
    {HloOpcode::Send,
     "  s = (f32[2], u32[], token[]) send(x, t), channel_id=1\n  y = f32[2] get-tuple-element(s), "
     "index=0"},
};

bool IsRefused(HloOpcode op) {
  return std::any_of(std::begin(kRefused), std::end(kRefused),
                     [&](const auto& row) { return row.first == op; });
}

TEST_CASE("every device refuses by name what it does not run") {
  std::vector<std::pair<HloOpcode, std::string_view>> refused(std::begin(kRefused),
                                                              std::end(kRefused));
  refused.insert(refused.end(), std::begin(kRefusedChannels), std::end(kRefusedChannels));
  for (const auto& [op, uses] : refused) {
    auto module = ParseHloText(Format(R"(HloModule refused
ENTRY main {{
  x = f32[2] constant({{1, 2}})
  t = token[] after-all()
{}
  k = () custom-call(x, y), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT done = () tuple()
}})",
                                      uses),
                               "refused.hlo");
    INFO(Name(op));
    REQUIRE(testing::Text(module.status()) == "ok");
    REQUIRE(VerifyModule(**module).ok());
    for (const auto& device : testing::Devices()) {
      if (!device->WhyAbsent().empty()) continue;
      INFO(device->name());
      testing::Transfers transfers;
      absl::Status s = device->RunChecks(**module, transfers);
      CHECK(s.code() == absl::StatusCode::kUnimplemented);
      CHECK(MessageOf(s).find(Name(op)) != std::string::npos);
    }
  }
}

TEST_CASE("every op has a file that uses it") {
  std::set<std::string> names;
  for (const OpInfo& info : kOps) {
    std::string name(info.name);
    if (IsRefused(info.op)) continue;
    names.insert(name);
    std::string path = testing::kOpsFolder + "/" + name + ".hlo";
    INFO(path);
    bool used = false;
    for (const auto& text : testing::ReadModules(path)) {
      auto module = testing::LoadModule(path, text);
      if (!module) continue;
      for (const auto& computation : module->computations()) {
        for (const auto& i : computation->instructions()) used |= i->op() == info.op;
      }
    }
    CHECK(used);
  }
  for (const std::string& path : testing::ListModuleFiles(testing::kOpsFolder)) {
    CHECK(names.count(std::filesystem::path(path).stem().string()) == 1);
  }
}

// Ops that take no array whose sizes could differ, or do not know dynamic dimensions, and why.
const std::pair<HloOpcode, std::string_view> kStatic[] = {
    {HloOpcode::AfterAll, "takes tokens"},
    {HloOpcode::AllGather, "participants may have other sizes"},
    {HloOpcode::AllToAll, "participants may have other sizes"},
    {HloOpcode::Constant, "is of the literal's sizes"},
    {HloOpcode::CustomCall, "targets know nothing of sizes"},
    {HloOpcode::Infeed, "is of its shape's sizes"},
    {HloOpcode::Iota, "has no operand"},
    {HloOpcode::Outfeed, "is of its operand's sizes"},
    {HloOpcode::Parameter, "is what tests/unit/api/dynamic_test.cc is about"},
    {HloOpcode::PartitionId, "has no operand"},
    {HloOpcode::ReduceScatter, "participants may have other sizes"},
    {HloOpcode::ReplicaId, "has no operand"},
    {HloOpcode::Recv, "is of its shape's sizes"},
    {HloOpcode::RecvDone, "is of its operand's sizes"},
    {HloOpcode::Rng, "takes scalars"},
    {HloOpcode::RngBitGenerator, "takes a state of so many words"},
    {HloOpcode::Send, "is of its operand's sizes"},
    {HloOpcode::SendDone, "is of its operand's sizes"},
    {HloOpcode::Windows, "is made by passes when nothing is dynamic any more"},
};

bool IsStatic(HloOpcode op) {
  return std::any_of(std::begin(kStatic), std::end(kStatic),
                     [&](const auto& row) { return row.first == op; });
}

TEST_CASE("every op that can has a program with a dynamic dimension") {
  for (const OpInfo& info : kOps) {
    if (IsRefused(info.op)) continue;
    INFO(info.name);
    bool used = false;
    for (const auto& text :
         testing::ReadModules(testing::kOpsFolder + "/" + std::string(info.name) + ".hlo")) {
      auto module = testing::LoadModule(std::string(info.name), text);
      if (!module) continue;
      for (const auto& computation : module->computations()) {
        for (const auto& i : computation->instructions()) {
          if (i->op() != info.op) continue;
          used |= !i->shape().is_static();
          for (const HloInstruction* o : i->operands()) used |= !o->shape().is_static();
        }
      }
    }
    CHECK(used != IsStatic(info.op));
  }
}

TEST_CASE("a wrong expectation fails") {
  for (const char* target : {"eq", "close", "almost_eq"}) {
    auto module = ParseHloText(Format(R"(HloModule wrong
ENTRY main {{
  x = f32[2] constant({{1, 2}})
  y = f32[2] constant({{1, 3}})
  c = () custom-call(x, y), custom_call_target="check.expect_{}", custom_call_has_side_effect=true
  ROOT done = () tuple()
}})",
                                      target),
                               "wrong.hlo");
    REQUIRE(module.ok());
    for (const auto& device : testing::Devices()) {
      testing::Transfers transfers;
      if (device->WhyAbsent().empty()) CHECK_FALSE(device->RunChecks(**module, transfers).ok());
    }
  }
}

}  // namespace
}  // namespace sinter
