// The CPU's tests of single operations (tests/unit/codegen/cpu), which compare machine code with
// the kernel interpreter, compare device code on the emulator instead: each kernel with layouts
// drawn at random.
#include <catch2/catch.hpp>
#include <map>

#include "base/status.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "cuda/kernels/differential.h"
#include "cuda/kernels/random_layouts.h"
#include "unit/codegen/cpu/differential.h"

namespace sinter::emulator {
namespace {

struct WithLayouts {
  kernel::Kernel kernel;
  std::unique_ptr<CompiledKernel> code;
};

// Sums and products of floats depend on the order, and that on layouts.
bool Reorders(const kernel::Kernel& kernel) {
  bool found = false;
  kernel::Kernel copy = kernel;
  ForEachOp(copy.top, [&](kernel::Block& block, size_t i) {
    const kernel::Op& op = block.ops[i];
    found |= op.code == kernel::OpCode::kReduce && IsFloat(copy.type(op.results[0]).elem);
  });
  return found;
}

// Layouts that fit, of the first seeds that give some. Those of the last kernel are cached.
const std::vector<WithLayouts>& CodeOf(const kernel::Kernel& original) {
  static std::string last;
  static std::vector<WithLayouts> cached;
  const std::string text = kernel::Print(original);
  if (text == last) return cached;
  last.clear();
  cached.clear();
  cached.reserve(2);
  for (uint64_t seed = 0; seed < 20 && cached.size() < 2; seed++) {
    std::mt19937_64 random(seed ^ std::hash<std::string>()(text));
    kernel::Kernel k = original;
    INFO(text);
    REQUIRE(AssignRandomLayouts(k, 1 << random() % 4, random));
    SyncEverywhere(k);
    const absl::Status s = kernel::Verify(k, {.bounds = false});
    if (!s.ok() && MessageOf(s).find("the carries need") != std::string::npos) continue;
    INFO(kernel::Print(k) << MessageOf(s));
    REQUIRE(s.ok());
    cached.push_back({std::move(k), nullptr});
    auto code = CompiledKernel::Compile(cached.back().kernel);
    INFO(MessageOf(code.status()));
    REQUIRE(code.ok());
    cached.back().code = std::move(code).value();
  }
  REQUIRE(!cached.empty());
  last = text;
  return cached;
}

void Run(const cpu::testing::Job& job) {
  for (const WithLayouts& w : CodeOf(*job.kernel)) {
    const absl::Status s =
        w.code->Check({job.buffers, job.params}, 1, Reorders(w.kernel) ? 1e-5 : 0);
    INFO(MessageOf(s) << "\n" << kernel::Print(w.kernel) << w.code->ir());
    REQUIRE(s.ok());
  }
}

const bool kInstalled = [] {
  cpu::testing::other_target = &Run;
  return true;
}();

}  // namespace
}  // namespace sinter::emulator
