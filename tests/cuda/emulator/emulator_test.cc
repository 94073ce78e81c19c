// Correct kernels run, whatever the schedule; requests that make no sense are refused.
#include "cuda/emulator/emulator.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/status.h"
#include "cuda/emulator/kernels.h"

namespace sinter::emulator {
namespace {

std::string Text(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

TEST_CASE("correct kernels are right under every schedule") {
  for (const Case& c : Cases()) {
    INFO(c.name);
    auto module = Module::Load(c.ir);
    REQUIRE(Text(module.status()) == "ok");
    for (uint64_t seed = 0; seed < 100; seed++) REQUIRE(Text(RunCase(c, **module, seed)) == "ok");
  }
}

TEST_CASE("memory knows its bounds") {
  Memory memory;
  auto p = memory.Allocate(10);
  REQUIRE(p.ok());
  CHECK(reinterpret_cast<uintptr_t>(*p) % 256 == 0);
  CHECK(memory.bytes_in_use() == 10);
  auto* bytes = static_cast<char*>(*p);
  CHECK(memory.Check(bytes, 10).ok());
  CHECK(memory.Check(bytes + 4, 6).ok());
  CHECK_FALSE(memory.Check(bytes + 4, 7).ok());
  CHECK_FALSE(memory.Check(bytes + 10, 1).ok());
  CHECK_FALSE(memory.Free(bytes + 1).ok());
  CHECK(memory.Free(bytes).ok());
  CHECK_FALSE(memory.Free(bytes).ok());
  CHECK_FALSE(memory.Check(bytes, 1).ok());
  CHECK(memory.bytes_in_use() == 0);
  auto empty = memory.Allocate(0);
  REQUIRE(empty.ok());
  CHECK(*empty != nullptr);
}

// One warp that stores at a stride, loads one word together, and loads 16 bytes a lane.
TEST_CASE("accesses to the banks of shared memory are counted") {
  auto waves_at_stride = [](int stride) {
    auto module = Module::Load(Format(R"(target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr addrspace(1) %p) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = mul i32 %t, {0}
  %q = getelementptr i32, ptr addrspace(3) @shared, i32 %at
  store i32 %t, ptr addrspace(3) %q, align 4
  %far = mul i32 %t, 4
  %far2 = add i32 %far, 1056
  %r = getelementptr i32, ptr addrspace(3) @shared, i32 %far2
  store <4 x i32> zeroinitializer, ptr addrspace(3) %r, align 16
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) @shared, align 16
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %g, align 4
  ret void
}}
)",
                                      stride));
    REQUIRE(Text(module.status()) == "ok");
    Memory memory;
    void* p = *memory.Allocate(128);
    std::vector<BankUse> banks;
    Launch launch;
    launch.symbol = "k";
    launch.block = {32, 1, 1};
    launch.shared_bytes = (1056 + 128) * 4;
    launch.arguments = {&p};
    launch.banks = &banks;
    REQUIRE(Text((*module)->Run(launch, memory)) == "ok");
    std::string text;
    for (const BankUse& use : banks)
      text += Format("{} {} {}; ", use.accesses, use.waves, use.least);
    return text;
  };
  CHECK(waves_at_stride(1) == "1 1 1; 1 4 4; 1 1 1; ");
  CHECK(waves_at_stride(33) == "1 1 1; 1 4 4; 1 1 1; ");
  CHECK(waves_at_stride(2) == "1 2 1; 1 4 4; 1 1 1; ");
  CHECK(waves_at_stride(32) == "1 32 1; 1 4 4; 1 1 1; ");
}

TEST_CASE("modules that cannot run are refused") {
  CHECK(Module::Load("nonsense").status().code() == absl::StatusCode::kInvalidArgument);
  auto with = [](const std::string& declaration, const std::string& body) {
    return Module::Load("target triple = \"nvptx64-nvidia-cuda\"\n" + declaration +
                        "\ndefine ptx_kernel void @k(ptr addrspace(1) %p) {\n" + body +
                        "\n ret void\n}\n")
        .status();
  };
  CHECK(with("", "").ok());
  CHECK(with("declare float @llvm.sin.f32(float)", "%x = call float @llvm.sin.f32(float 0.0)")
            .code() == absl::StatusCode::kUnimplemented);
  CHECK(with("declare void @llvm.nvvm.membar.gl()", "call void @llvm.nvvm.membar.gl()").code() ==
        absl::StatusCode::kUnimplemented);
  CHECK(with("declare void @f()", "call void @f()").code() == absl::StatusCode::kUnimplemented);
  CHECK(with("", "%x = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic").code() ==
        absl::StatusCode::kUnimplemented);
}

TEST_CASE("launches that the hardware refuses are refused") {
  auto module = Module::Load(CaseOf("elementwise").ir);
  REQUIRE(module.ok());
  CHECK((*module)->kernels() == std::vector<std::string>{"elementwise"});
  auto attributes = (*module)->Attributes("elementwise");
  REQUIRE(attributes.ok());
  CHECK(attributes->parameter_bytes == std::vector<size_t>{8, 8, 8, 4});
  CHECK(attributes->max_threads == 64);
  CHECK((*module)->Attributes("other").status().code() == absl::StatusCode::kNotFound);
  Memory memory;
  void* p = nullptr;
  int32_t n = 0;
  const Launch good{.symbol = "elementwise", .block = {64, 1, 1}, .arguments = {&p, &p, &p, &n}};
  CHECK(Text((*module)->Run(good, memory)) == "ok");
  auto refused = [&](auto change) {
    Launch bad = good;
    change(bad);
    return (*module)->Run(bad, memory).code();
  };
  CHECK(refused([](Launch& l) { l.symbol = "other"; }) == absl::StatusCode::kNotFound);
  const auto invalid = absl::StatusCode::kInvalidArgument;
  CHECK(refused([](Launch& l) { l.grid[0] = 0; }) == invalid);
  CHECK(refused([](Launch& l) { l.grid[1] = 65536; }) == invalid);
  CHECK(refused([](Launch& l) { l.block[0] = 0; }) == invalid);
  CHECK(refused([](Launch& l) { l.block[0] = 96; }) == invalid);
  CHECK(refused([](Launch& l) { l.shared_bytes = 228 << 10; }) == invalid);
  CHECK(refused([](Launch& l) { l.arguments.pop_back(); }) == invalid);
  CHECK(refused([&](Launch& l) { l.ranges.push_back({&n, 4}); }) == invalid);
}

TEST_CASE("a launch keeps to its buffers") {
  const Case& c = CaseOf("elementwise");
  auto module = Module::Load(c.ir);
  REQUIRE(module.ok());
  Memory memory;
  auto all = memory.Allocate(4096);
  REQUIRE(all.ok());
  std::memset(*all, 0, 4096);
  char* a = static_cast<char*>(*all);
  char* b = a + 1024;
  char* o = a + 2048;
  int32_t n = 64;
  Launch launch{.symbol = "elementwise", .block = {64, 1, 1}, .arguments = {&a, &b, &o, &n}};
  launch.ranges = {{a, 1024}, {b, 1024}, {o, 1024}};
  CHECK(Text((*module)->Run(launch, memory)) == "ok");
  launch.ranges[1].bytes = 1008;
  const std::string wrong = Text((*module)->Run(launch, memory));
  CHECK(wrong.find("outside the launch's buffers, at 1008 of a buffer of 1008 bytes") !=
        wrong.npos);
  CHECK(wrong.find("thread 63 (warp 1, lane 31)") != wrong.npos);
  CHECK(wrong.find("%vb = load <4 x float>, ptr addrspace(1) %pb, align 16") != wrong.npos);
}

TEST_CASE("the intermediate representation of a PTX text is found again") {
  RegisterDeviceIr("some ptx", "some ir");
  CHECK(*DeviceIrOf("some ptx") == "some ir");
  CHECK(DeviceIrOf("other ptx").status().code() == absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace sinter::emulator
