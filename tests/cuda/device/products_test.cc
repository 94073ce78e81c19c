// Matrix products on tensor cores, on the emulator against the interpreter. Elements are small
// integers, so that sums are exact in every order.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "cuda/device/emulated.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "sinter/testing.h"

namespace sinter::emulator {
namespace {

using kernel::Block;
using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;

Literal SmallIntegers(const Shape& shape, uint64_t seed) {
  Literal l(shape);
  uint64_t state = seed * 2 + 1;
  for (int64_t i = 0; i < shape.element_count(); i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int x = static_cast<int>(state >> 60) % 7 - 3;
    const auto at = static_cast<size_t>(i);
    switch (shape.element_type()) {
      case ElementType::F16:
        l.data<half>()[at] = half(static_cast<float>(x));
        break;
      case ElementType::BF16:
        l.data<bfloat16>()[at] = bfloat16(static_cast<float>(x));
        break;
      case ElementType::S8:
        l.data<int8_t>()[at] = static_cast<int8_t>(x);
        break;
      default:
        l.data<float>()[at] = static_cast<float>(x);
    }
  }
  return l;
}

struct Program {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  std::vector<Literal> expected;
};

Program Make(const std::string& body) {
  auto module = ParseHloText("HloModule m\n\nENTRY main {\n" + body + "}\n", "test");
  INFO(body << MessageOf(module.status()));
  REQUIRE(module.ok());
  Program p;
  p.module = *std::move(module);
  uint64_t seed = 1;
  for (const HloInstruction* i : p.module->entry()->parameters())
    p.arguments.push_back(SmallIntegers(i->shape(), seed++));
  auto expected = Evaluate(*p.module, p.arguments);
  INFO(MessageOf(expected.status()));
  REQUIRE(expected.ok());
  p.expected = expected->shape().is_tuple() ? expected->tuple() : std::vector{*expected};
  return p;
}

absl::Status Check(const Program& p, EmulatedProgram& compiled, uint64_t seed) {
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, compiled.Run(p.arguments, seed));
  RETURN_INTERNAL_IF(leaves.size() != p.expected.size(), "{} results", leaves.size());
  for (size_t i = 0; i < leaves.size(); i++)
    RETURN_IF_ERROR(ExpectClose(leaves[i], p.expected[i], {}));
  return absl::OkStatus();
}

std::string Product(const std::string& type, const std::string& to, const std::string& a,
                    const std::string& b, const std::string& c, const std::string& how) {
  return Format(
      "  a = {}[{}] parameter(0)\n  b = {}[{}] parameter(1)\n  ROOT r = {}[{}] dot(a, b), {}\n",
      type, a, type, b, to, c, how);
}
constexpr const char* kPlain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";

// With `multiprocessors` 1 tiles are as large as the result allows.
void Runs(const std::string& body, const char* target, int multiprocessors = 1, int schedules = 2,
          const char* must_use = "llvm.nvvm.mma.") {
  const Program p = Make(body);
  EmulatedProgram::Options options{.target = target, .tf32 = true};
  options.machine.multiprocessors = multiprocessors;
  auto compiled = EmulatedProgram::Compile(*p.module, options);
  INFO(target << "\n" << body << MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  CHECK((*compiled)->ir().find(must_use) != std::string::npos);
  for (int seed = 0; seed < schedules; seed++) {
    const absl::Status s = Check(p, **compiled, static_cast<uint64_t>(seed) * 100);
    INFO(MessageOf(s));
    REQUIRE(s.ok());
  }
}

struct Types {
  const char *operand, *result;
};
constexpr Types kTypes[] = {{"bf16", "f32"}, {"bf16", "bf16"}, {"f16", "f32"},
                            {"f16", "f16"},  {"f32", "f32"},   {"s8", "s32"}};

TEST_CASE("products of every type, whichever axes are minor") {
  for (const Types& t : kTypes) {
    for (const char* a : {"1", "0"}) {
      for (const char* b : {"1", "0"}) {
        const bool k_first = *a == '0', k_last = *b == '1';
        Runs(Product(t.operand, t.result, k_first ? "160,64" : "64,160",
                     k_last ? "64,160" : "160,64", "64,64",
                     Format("lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}", a, b)),
             "sm_90");
      }
    }
  }
}

TEST_CASE("every tile") {
  // Of large tiles one product is enough.
  Runs(Product("bf16", "f32", "128,128", "128,256", "128,256", kPlain), "sm_90", 1, 1);
  for (int blocks : {1, 2, 4, 8, 16, 32, 64, 128}) {
    Runs(Product("bf16", "f32", "128,96", "96,128", "128,128", kPlain), "sm_80", blocks, 1);
    Runs(Product("f32", "f32", "128,96", "96,128", "128,128", kPlain), "sm_80", blocks, 1);
  }
}

TEST_CASE("ragged products") {
  for (const Types& t : kTypes) {
    Runs(Product(t.operand, t.result, "37,100", "100,50", "37,50", kPlain), "sm_90");
    // Accesses of 16 bytes, but no whole slices or tiles.
    Runs(Product(t.operand, t.result, "40,144", "144,80", "40,80", kPlain), "sm_90");
  }
  Runs(Product("bf16", "f32", "9,17", "17,11", "9,11", kPlain), "sm_90");
}

TEST_CASE("batches of products") {
  Runs(Product("f16", "f32", "3,32,64", "3,64,48", "3,32,48",
               "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
               "rhs_contracting_dims={1}"),
       "sm_90");
  Runs(Product("bf16", "bf16", "2,3,32,64", "2,3,40,64", "2,3,32,40",
               "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
               "rhs_contracting_dims={3}"),
       "sm_90");
}

TEST_CASE("what is fused with a product") {
  // Behind it, and before it: then an operand passes through registers.
  const std::string before =
      "  a = bf16[64,192] parameter(0)\n  b = bf16[192,96] parameter(1)\n"
      "  bias = f32[96] parameter(2)\n";
  const std::string after =
      "  biasb = f32[64,96] broadcast(bias), dimensions={1}\n  d = f32[64,96] add(c, biasb)\n"
      "  zero = f32[] constant(0)\n  zerob = f32[64,96] broadcast(zero), dimensions={}\n"
      "  ROOT r = f32[64,96] maximum(d, zerob)\n";
  const std::string how = Format(", {}\n", kPlain);
  Runs(before + "  c = f32[64,96] dot(a, b)" + how + after, "sm_90");
  Runs(before + "  an = bf16[64,192] negate(a)\n  c = f32[64,96] dot(an, b)" + how + after,
       "sm_90");
  Runs(before + "  bn = bf16[192,96] negate(b)\n  c = f32[64,96] dot(a, bn)" + how + after,
       "sm_90");
  Runs(before +
           "  an = bf16[64,192] negate(a)\n  bn = bf16[192,96] negate(b)\n"
           "  c = f32[64,96] dot(an, bn)" +
           how + after,
       "sm_80");
}

TEST_CASE("GPUs before sm_80 have products of f16 alone, none have those of high precision") {
  Runs(Product("f16", "f32", "40,144", "144,80", "40,80", kPlain), "sm_75", 1, 2,
       "mma.m16n8k8.row.col.f32.f32");
  for (const char* type : {"f16", "bf16", "f32"}) {
    const Program p = Make(Product(type, "f32", "32,64", "64,32", "32,32", kPlain));
    auto compiled = EmulatedProgram::Compile(*p.module, {.target = "sm_70", .tf32 = true});
    REQUIRE(compiled.ok());
    CHECK((*compiled)->ir().find("mma") == std::string::npos);
    CHECK(Check(p, **compiled, 1).ok());
  }
  const Program p = Make(Product("f32", "f32", "32,64", "64,32", "32,32",
                                 std::string(kPlain) + ", operand_precision={highest,highest}"));
  auto compiled = EmulatedProgram::Compile(*p.module, {.target = "sm_90", .tf32 = true});
  REQUIRE(compiled.ok());
  CHECK((*compiled)->ir().find("mma") == std::string::npos);
  CHECK(Check(p, **compiled, 1).ok());
}

TEST_CASE("long products of small results are cut, and added up in order") {
  const Program p = Make(Product("bf16", "f32", "48,2100", "2100,40", "48,40", kPlain));
  auto compiled = EmulatedProgram::Compile(*p.module, {});
  INFO(MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  CHECK((*compiled)->program().codes[0].symbols.size() == 2);
  for (uint64_t seed = 0; seed < 2; seed++) {
    const absl::Status s = Check(p, **compiled, seed);
    INFO(MessageOf(s));
    CHECK(s.ok());
  }
}

// Calls `change` with the n-th operation that `wants` accepts, its block and its place in it.
struct Planter {
  std::function<bool(const Op&)> wants;
  std::function<void(Block&, size_t)> plant;
  int n = 0, seen = 0;

  void operator()(Kernel& k) { Walk(k.top); }
  void Walk(Block& block) {
    for (size_t i = 0; i < block.ops.size(); i++) {
      for (Block& region : block.ops[i].regions) Walk(region);
      if (!wants(block.ops[i]) || seen++ != n) continue;
      plant(block, i);
      return;
    }
  }
};

// Each of the places at which the mistake can be made, one at a time.
void AllAreFound(const Program& p, Planter planter, int at_least) {
  int planted = 0;
  for (planter.n = 0;; planter.n++) {
    planter.seen = 0;
    EmulatedProgram::Options options{.change = std::ref(planter)};
    options.machine.multiprocessors = 1;
    auto compiled = EmulatedProgram::Compile(*p.module, options);
    if (planter.seen <= planter.n) break;
    planted++;
    bool found = !compiled.ok();
    for (uint64_t seed = 0; seed < 3 && !found; seed++) found = !Check(p, **compiled, seed).ok();
    INFO("place " << planter.n);
    CHECK(found);
  }
  CHECK(planted >= at_least);
}

TEST_CASE("mistakes in a pipeline are found") {
  const Program p = Make(Product("bf16", "f32", "64,512", "512,64", "64,64", kPlain));
  Planter waits;
  waits.wants = [](const Op& op) { return op.code == OpCode::kWait; };
  SECTION("no wait, no barrier") {
    waits.plant = [](Block& b, size_t i) { b.ops.erase(b.ops.begin() + static_cast<long>(i)); };
    AllAreFound(p, waits, 1);
  }
  SECTION("a barrier, but no wait") {
    waits.plant = [](Block& b, size_t i) { b.ops[i].code = OpCode::kSync; };
    AllAreFound(p, waits, 1);
  }
  SECTION("one group too few is waited for") {
    waits.plant = [](Block& b, size_t i) { b.ops[i].int_value++; };
    AllAreFound(p, waits, 1);
  }
  SECTION("a group that does not end") {
    Planter commits;
    commits.wants = [](const Op& op) { return op.code == OpCode::kCommit; };
    commits.plant = [](Block& b, size_t i) { b.ops.erase(b.ops.begin() + static_cast<long>(i)); };
    AllAreFound(p, commits, 2);
  }
  SECTION("a slot of the ring off by one") {
    // The slot is the remainder by the stages.
    Planter slots;
    slots.wants = [](const Op& op) { return op.code == OpCode::kRem; };
    slots.plant = [](Block& b, size_t i) { b.ops[i].code = OpCode::kMin; };
    AllAreFound(p, slots, 2);
  }
}

TEST_CASE("operands in the wrong lanes are found") {
  const Program p = Make(Product("bf16", "f32", "64,64", "64,64", "64,64", kPlain));
  Planter planter;
  planter.wants = [](const Op& op) { return op.code == OpCode::kDot; };
  SECTION("the operands' rows are exchanged") {
    planter.plant = [](Block& b, size_t i) {
      // Loads of both operands stand before the product; the left one starts a row later.
      for (size_t j = i; j-- > 0;) {
        Op& load = b.ops[j];
        if (load.code != OpCode::kLoad || load.results[0] != b.ops[i].operands[0]) continue;
        std::swap(load.steps[1], load.steps[2]);
        return;
      }
    };
    AllAreFound(p, planter, 2);
  }
}

}  // namespace
}  // namespace sinter::emulator
