// Tests of the test: mistakes planted in correct kernels are found, and called what they are.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "cuda/emulator/kernels.h"

namespace sinter::emulator {
namespace {

struct Mistake {
  const char* what;
  const char* kernel;
  const char* from;   // this text of the kernel, which stands once, ...
  const char* to;     // ... becomes this
  const char* found;  // part of the message
};

const Mistake kMistakes[] = {
    {"a barrier dropped", "row_sum",
     "meet:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
     "meet:", "race: reads shared memory|which nobody in this block wrote"},
    {"a barrier dropped from a loop", "rounds",
     "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; before writing", "",
     "race: writes shared memory|race: reads shared memory"},
    {"the first barrier of a loop dropped", "rounds",
     "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  %own", "%own",
     "race: writes|race: reads shared memory|which nobody in this block wrote"},
    {"a barrier dropped between the halves of a transpose", "transpose",
     "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "",
     "race: reads shared memory|which nobody in this block wrote"},
    {"a barrier on one side of a branch", "elementwise", "body:\n",
     "body:\n call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n", "divergence: "},
    {"two barriers on two sides of a branch", "row_sum", "put:\n",
     "put:\n call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n",
     "divergence: the barrier at which"},
    {"a shuffle in part of a warp", "row_sum", "put:\n",
     "put:\n %bad = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 1, i32 31)\n",
     "divergence: "},
    {"a wrong lane", "row_sum", "(float %s3, i32 2)", "(float %s3, i32 1)", "wrong value"},
    {"a mask without the lane that is read", "row_sum", "(i32 -1, i32 %i, i32 %distance, i32 31)",
     "(i32 65535, i32 %i, i32 %distance, i32 31)", "is not in the mask 0xffff"},
    {"a segment of half a warp", "row_sum", "i32 %distance, i32 31)", "i32 %distance, i32 15)",
     "wrong value"},
    {"one row too many", "row_sum", "%base = mul i32 %row, 128",
     "%base0 = add i32 %row, 1\n %base = mul i32 %base0, 128", "of an allocation of 2560 bytes"},
    {"off by one tile", "transpose", "%i0 = mul i32 %bi, 32",
     "%bi1 = add i32 %bi, 1\n %i0 = mul i32 %bi1, 32",
     "outside global memory|race: writes global memory|race: reads global memory"},
    {"a mask that lets one vector too many through", "elementwise", "icmp ult i32 %i, %n",
     "icmp ule i32 %i, %n", "outside global memory, at 2560 of an allocation of 2560"},
    {"no mask", "elementwise", "br i1 %ok, label %body, label %end", "br label %body",
     "outside global memory"},
    {"a vector at a scalar's address", "elementwise", "%pb = getelementptr <4 x float>",
     "%pb = getelementptr float", "no multiple of 16"},
    {"a wider access than the address allows", "row_sum",
     "load float, ptr addrspace(1) %p, align 4", "load float, ptr addrspace(1) %p, align 8",
     "no multiple of 8"},
    {"blocks that write one element", "row_sum",
     "getelementptr float, ptr addrspace(1) %o, i32 %row",
     "getelementptr float, ptr addrspace(1) %o, i32 0",
     "race: writes global memory at 0 of an allocation of 20 "
     "bytes, which another block wrote"},
    {"blocks that read what another writes", "rounds", "%b = mul i32 %c, 64", "%b = mul i32 %c, 32",
     "which another block"},
    {"threads that all store a copy", "row_sum", "%one = icmp eq i32 %t, 0",
     "%one = icmp eq i32 %lane, 0", "race: writes global memory"},
    {"shared memory that nobody wrote", "row_sum", "%first = icmp eq i32 %lane, 0",
     "%first = icmp eq i32 %t, 0", "which nobody in this block wrote"},
    {"more shared memory than was asked for", "rounds", "float, ptr addrspace(3) @shared, i32 %t",
     "<2 x float>, ptr addrspace(3) @shared, i32 %t", "of 256 bytes"},
    {"a constant's bounds", "rounds",
     "%wp = getelementptr [4 x float], ptr addrspace(4) @weights, i32 0, i32 %k",
     "%wp = getelementptr [4 x float], ptr addrspace(4) @weights, i32 %t, i32 %k",
     "outside the module's constants"},
    {"read-only loads of what is written", "rounds", "load float, ptr addrspace(1) %p, align 4",
     "load float, ptr addrspace(1) %p, align 4, !invariant.load !{}",
     "reads as memory that nobody writes"},
    {"a loop without end", "rounds", "icmp ult i32 %k1, 3", "icmp ult i32 0, 3",
     "has not ended after|outside the module's constants"},
    {"a copy that nobody waits for", "product", "call void @llvm.nvvm.cp.async.wait.group(i32 0)",
     "", "a copy is in flight"},
    {"one group too few waited for", "product", "wait.group(i32 0)\n", "wait.group(i32 1)\n",
     "a copy is in flight"},
    {"no barrier after the wait", "product",
     "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", "",
     "race: reads shared memory|which nobody in this block wrote"},
    {"the wrong half of a fragment", "product", "i32 %b0,i32 %b1,", "i32 %b1,i32 %b0,",
     "wrong value"},
    {"a matrix row at a wrong address", "product", "%offb = add i32 %offb0, 512",
     "%offb = add i32 %offb0, 528", "outside shared memory"},
};

std::string Replaced(const std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != text.npos);
  REQUIRE(text.find(from, at + 1) == text.npos);
  return text.substr(0, at) + to + text.substr(at + from.size());
}

bool Mentions(const std::string& message, std::string parts) {
  while (true) {
    const size_t bar = parts.find('|');
    if (message.find(parts.substr(0, bar)) != message.npos) return true;
    if (bar == parts.npos) return false;
    parts.erase(0, bar + 1);
  }
}

TEST_CASE("planted mistakes are found under every schedule") {
  for (const Mistake& m : kMistakes) {
    const Case& c = CaseOf(m.kernel);
    std::string ir = Replaced(c.ir, m.from, m.to);
    if (ir.find("declare void @llvm.nvvm.barrier") == ir.npos)
      ir += "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n";
    auto module = Module::Load(ir);
    INFO(m.what << " in " << m.kernel);
    REQUIRE(module.ok());
    for (uint64_t seed = 0; seed < 10; seed++) {
      const absl::Status s = RunCase(c, **module, seed);
      INFO("seed " << seed);
      INFO(MessageOf(s));
      REQUIRE(s.code() == absl::StatusCode::kInternal);
      CHECK(Mentions(MessageOf(s), m.found));
    }
  }
}

}  // namespace
}  // namespace sinter::emulator
