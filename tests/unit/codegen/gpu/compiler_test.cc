#include "codegen/gpu/compiler.h"

#include <catch2/catch.hpp>

#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "leaks.h"
#include "unit/codegen/gpu/kernels.h"

namespace sinter::gpu {
namespace {

struct Code {
  Compiled compiled;
  std::string ptx, llvm_ir;

  // How often `text` stands in the PTX.
  int Count(std::string_view text) const {
    int count = 0;
    for (size_t at = ptx.find(text); at != ptx.npos; at = ptx.find(text, at + 1)) count++;
    return count;
  }
};

Code CompileText(const char* text, std::string_view gpu = "sm_90") {
  auto kernel = kernel::Parse(text);
  if (!kernel.ok()) FAIL(kernel.status().ToString());
  if (absl::Status s = kernel::Verify(*kernel); !s.ok()) FAIL(s.ToString());
  auto compiler = Compiler::Create(Target::Parse(gpu).value()).value();
  Artifacts artifacts;
  auto compiled = compiler->Compile({&*kernel}, "test", &artifacts);
  if (!compiled.ok()) FAIL(compiled.status().ToString());
  Code code{std::move(compiled).value(), artifacts.assembly, artifacts.llvm_ir};
  CHECK(std::string(code.compiled.code.object.begin(), code.compiled.code.object.end()) ==
        code.ptx);
  return code;
}

TEST_CASE("what LLVM would end the process for is a status") {
  const sinter::testing::MayLeak what_llvm_worked_on;
  Target target = Target::Parse("sm_90").value();
  target.ptx = 32;  // which does not know that GPU
  const auto kernel = kernel::Parse(testing::kTranspose).value();
  for (int i = 0; i < 2; i++) {
    auto compiler = Compiler::Create(target);
    const absl::Status s =
        compiler.ok() ? (*compiler)->Compile({&kernel}, "k").status() : compiler.status();
    CHECK(s.code() == absl::StatusCode::kInternal);
    CHECK_THAT(s.ToString(), Catch::Matchers::Contains("PTX version"));
  }
  CompileText(testing::kTranspose);  // others go on
}

TEST_CASE("a row in registers is read once, by wide loads") {
  const Code code = CompileText(testing::kNormalizeRows);
  INFO(code.ptx);
  CHECK(code.compiled.code.target == "sm_90");
  CHECK(code.compiled.code.symbols == std::vector<std::string>{"test_0_0"});
  const KernelInfo& info = code.compiled.kernels[0];
  CHECK(info.threads == 128);
  CHECK(info.task_bytes == 16);
  CHECK(info.stages[0].tasks == 4096);
  CHECK(code.Count("ld.global.nc.v4") == 2);
  CHECK(code.Count("ld.global") == 2);
  CHECK(code.Count("st.global.v4") == 2);
  CHECK(code.Count("shfl.sync.bfly") == 5);
  CHECK(code.Count("barrier.sync") + code.Count("bar.sync") == 1);
  CHECK(code.Count(".maxntid 128") == 1);
}

TEST_CASE("a transpose goes through padded shared memory") {
  const Code code = CompileText(testing::kTranspose);
  INFO(code.ptx);
  CHECK(code.compiled.kernels[0].task_bytes == 32 * 33 * 4);
  CHECK(code.Count("ld.global.nc") == 8);
  CHECK(code.Count("st.shared") == 8);
  CHECK(code.Count("ld.shared") == 8);
  CHECK(code.Count("st.global") == 8);
}

TEST_CASE("neighbours that share a mask stay one access") {
  const Code code = CompileText(testing::kScaleMasked);
  INFO(code.ptx);
  CHECK(code.Count("ld.global.nc.v4") == 1);
  CHECK(code.Count("st.global.v4") == 1);
}

}  // namespace
}  // namespace sinter::gpu
