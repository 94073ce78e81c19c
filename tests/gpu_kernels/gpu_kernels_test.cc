// Kernels planned for a GPU against eval: the modules of tests/ops, random programs, and shapes
// that reach each schedule. SINTER_FUZZ_SEED and SINTER_FUZZ_COUNT choose the random programs.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "base/status.h"
#include "codegen/kernel/text.h"
#include "environment.h"
#include "eval/eval.h"
#include "eval/functions.h"
#include "fuzz/generate.h"
#include "gpu_kernels/gpu_program.h"
#include "ir/text/parser.h"
#include "ops/has_code.h"
#include "ops/module_file.h"
#include "sinter/testing.h"
#include "tools/check.h"
#include "tools/load.h"

namespace sinter {
namespace {

using testing::GpuProgram;

// Constants are not folded: nothing would be left to run.
absl::Status RunChecks(const HloModule& module, size_t* kernels) {
  ASSIGN_OR_RETURN(tools::CheckedProgram checked, tools::ExtractChecks(module));
  ASSIGN_OR_RETURN(auto program, GpuProgram::Make(checked.module->Clone(), {.simplify = false}));
  *kernels += program->units().size();
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, program->Run({}));
  return tools::RunChecks(checked, leaves, false);
}

TEST_CASE("the modules of tests/ops") {
  size_t modules = 0, kernels = 0;
  for (const std::string& path : testing::ListModuleFiles(SINTER_OPS_FOLDER)) {
    for (const auto& text : testing::ReadModules(path)) {
      auto module = ParseHloText(text.text, "test");
      REQUIRE(module.ok());
      if (!testing::HasCodeWithoutSorts(**module) || testing::HasTransfers(**module)) continue;
      INFO(path << ":" << text.line);
      ++modules;
      absl::Status status = RunChecks(**module, &kernels);
      CHECK((status.ok() ? "ok" : MessageOf(status)) == "ok");
    }
  }
  CHECK(modules > 300);
  CHECK(kernels >= modules);
}

absl::Status RunSeed(uint64_t seed, std::string* text) {
  // Scatters and sorts are loops of many turns: in some programs, of few elements.
  fuzz::Program program =
      seed % 5 == 1
          ? fuzz::Generate(seed, {.max_elements = 1000, .large = false, .most_moved = 150})
          : fuzz::Generate(seed, {.max_elements = 4000, .most_moved = 0});
  *text = fuzz::Print(program);
  ASSIGN_OR_RETURN(auto module, ParseHloText(*text, "fuzz.hlo"));
  std::vector<Literal> arguments = fuzz::Arguments(program, seed);
  ASSIGN_OR_RETURN(Literal expected, Evaluate(*module, arguments));
  ASSIGN_OR_RETURN(auto gpu, GpuProgram::Make(std::move(module), {.simplify = seed % 4 != 0}));
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, gpu->Run(fuzz::LeavesOf(arguments)));
  return Compare(program, fuzz::FromLeaves(expected.shape(), std::move(leaves)), expected);
}

TEST_CASE("random programs") {
  const int64_t first = testing::FromEnvironment("SINTER_FUZZ_SEED", 1),
                count = testing::FromEnvironment("SINTER_FUZZ_COUNT", 300);
  for (int64_t seed = first; seed < first + count; ++seed) {
    std::string text;
    absl::Status status = RunSeed(static_cast<uint64_t>(seed), &text);
    INFO("seed " << seed << "\n" << text);
    CHECK((status.ok() ? "ok" : MessageOf(status)) == "ok");
  }
}

// --- shapes

struct Shaped {
  std::string name, text;
};

// Modules that reach each schedule, with extents that whole tiles do not cover.
std::vector<Shaped> ShapedModules() {
  const std::string add =
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n";
  const std::string max =
      "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, "
      "b)\n}\n";
  std::vector<Shaped> all;
  auto entry = [&](const std::string& name, const std::string& body) {
    all.push_back({name, "HloModule " + name + "\n" + add + max + "ENTRY main {\n" + body + "}\n"});
  };
  auto softmax = [&](const std::string& shape, int64_t axis, const std::string& kept,
                     const std::string& kept_dims) {
    entry(
        Format("softmax_{}", all.size()),
        Format("  x = f32[{0}] parameter(0)\n  low = f32[] constant(-inf)\n"
               "  zero = f32[] constant(0)\n"
               "  m = f32[{1}] reduce(x, low), dimensions={{{2}}}, to_apply=max\n"
               "  mb = f32[{0}] broadcast(m), dimensions={{{3}}}\n  d = f32[{0}] subtract(x, mb)\n"
               "  e = f32[{0}] exponential(d)\n"
               "  s = f32[{1}] reduce(e, zero), dimensions={{{2}}}, to_apply=add\n"
               "  sb = f32[{0}] broadcast(s), dimensions={{{3}}}\n"
               "  ROOT r = f32[{0}] divide(e, sb)\n",
               shape, kept, axis, kept_dims));
  };
  for (const char* shape : {"70001", "3,1000", "37,7", "5,3,3,3", "1,1", "129,1"}) {
    entry(
        Format("chain_{}", all.size()),
        Format(
            "  x = f32[{0}] parameter(0)\n  y = f32[{0}] tanh(x)\n  ROOT r = f32[{0}] add(y, x)\n",
            shape));
  }
  softmax("5,1000", 1, "5", "0");
  softmax("70,33", 1, "70", "0");
  softmax("2,5000", 1, "2", "0");
  softmax("2,40000", 1, "2", "0");
  softmax("100,130", 0, "130", "1");
  softmax("9,5", 1, "9", "0");
  auto sum = [&](const std::string& shape, const std::string& kept, const std::string& dims) {
    entry(Format("sum_{}", all.size()),
          Format("  x = f32[{}] parameter(0)\n  zero = f32[] constant(0)\n"
                 "  ROOT r = f32[{}] reduce(x, zero), dimensions={{{}}}, to_apply=add\n",
                 shape, kept, dims));
  };
  sum("100000", "", "0");
  sum("33,1000", "33", "1");
  sum("300,20", "300", "1");
  sum("1000,33", "33", "0");
  sum("5000,3", "", "0,1");
  sum("9,7,31,17", "7", "0,2,3");
  sum("9,7,31,17", "9,31", "1,3");
  sum("40,50,60", "40,60", "1");
  entry("normal",
        "  x = f32[6,40,50] parameter(0)\n  zero = f32[] constant(0)\n  w = f32[50] parameter(1)\n"
        "  s = f32[6] reduce(x, zero), dimensions={1,2}, to_apply=add\n"
        "  sq = f32[6,40,50] multiply(x, x)\n"
        "  q = f32[6] reduce(sq, zero), dimensions={1,2}, to_apply=add\n"
        "  sb = f32[6,40,50] broadcast(s), dimensions={0}\n"
        "  qb = f32[6,40,50] broadcast(q), dimensions={0}\n"
        "  wb = f32[6,40,50] broadcast(w), dimensions={2}\n  d = f32[6,40,50] subtract(x, sb)\n"
        "  t = f32[6,40,50] multiply(d, wb)\n  ROOT r = f32[6,40,50] divide(t, qb)\n");
  entry("turn",
        "  x = f32[100,70] parameter(0)\n  y = f32[70,100] parameter(1)\n"
        "  t = f32[70,100] transpose(x), dimensions={1,0}\n  ROOT r = f32[70,100] add(t, y)\n");
  entry(
      "turn_u8",
      "  x = u8[3,40,70] parameter(0)\n  ROOT r = u8[3,70,40] transpose(x), dimensions={0,2,1}\n");
  for (const char* sides : {"lhs_contracting_dims={1}, rhs_contracting_dims={0} 37,50 50,41",
                            "lhs_contracting_dims={0}, rhs_contracting_dims={0} 50,37 50,41",
                            "lhs_contracting_dims={1}, rhs_contracting_dims={1} 130,64 200,64",
                            "lhs_contracting_dims={0}, rhs_contracting_dims={1} 33,300 260,33"}) {
    std::string text = sides;
    const size_t second = text.rfind(' '), first = text.rfind(' ', second - 1);
    const std::string attrs = text.substr(0, first), l = text.substr(first + 1, second - first - 1),
                      r = text.substr(second + 1);
    auto free = [](const std::string& dims, bool minor) {
      const size_t comma = dims.find(',');
      return minor ? dims.substr(comma + 1) : dims.substr(0, comma);
    };
    const std::string m = free(l, attrs.find("lhs_contracting_dims={0}") != attrs.npos),
                      n = free(r, attrs.find("rhs_contracting_dims={0}") != attrs.npos);
    for (const char* type : {"f32", "f64", "s32", "u8", "bf16", "c64", "c128"}) {
      entry(Format("product_{}", all.size()),
            Format("  x = {0}[{1}] parameter(0)\n  y = {0}[{2}] parameter(1)\n  b = {0}[{4}] "
                   "parameter(2)\n"
                   "  d = {0}[{3},{4}] dot(x, y), {5}\n"
                   "  bb = {0}[{3},{4}] broadcast(b), dimensions={{1}}\n"
                   "  ROOT r = {0}[{3},{4}] add(d, bb)\n",
                   type, l, r, m, n, attrs));
    }
  }
  entry("batched",
        "  x = f32[3,20,30] parameter(0)\n  y = f32[3,30,25] parameter(1)\n"
        "  ROOT d = f32[3,20,25] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n");
  entry("matrix_vector",
        "  x = f32[50,700] parameter(0)\n  y = f32[700] parameter(1)\n"
        "  ROOT d = f32[50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  entry("complex",
        "  x = c64[3,50] parameter(0)\n  e = c64[3,50] negate(x)\n"
        "  ROOT r = c64[3,50] multiply(e, x)\n");
  entry("pad_turn",
        "  x = f32[30,40] parameter(0)\n  z = f32[] constant(1)\n"
        "  p = f32[41,52] pad(x, z), padding=3_8x7_5\n"
        "  t = f32[52,41] transpose(p), dimensions={1,0}\n  ROOT r = f32[52,41] negate(t)\n");
  // Arrays whose elements iterate independently, as often as a scalar says.
  for (const char* type : {"f32", "c64", "f64", "u8"}) {
    all.push_back(
        {Format("elements_loop_{}", type),
         Format("HloModule elements_loop\n"
                "more {{\n  s = (s32[], {0}[6,37], {0}[6,37], s32[]) parameter(0)\n"
                "  i = s32[] get-tuple-element(s), index=0\n"
                "  n = s32[] get-tuple-element(s), index=3\n"
                "  ROOT m = pred[] compare(i, n), direction=LT\n}}\n"
                "step {{\n  s = (s32[], {0}[6,37], {0}[6,37], s32[]) parameter(0)\n"
                "  i = s32[] get-tuple-element(s), index=0\n"
                "  a = {0}[6,37] get-tuple-element(s), index=1\n"
                "  b = {0}[6,37] get-tuple-element(s), index=2\n"
                "  n = s32[] get-tuple-element(s), index=3\n"
                "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
                "  f = {0}[] convert(i)\n  fb = {0}[6,37] broadcast(f), dimensions={{}}\n"
                "  c = {0}[6,37] add(a, fb)\n  d = {0}[6,37] subtract(c, b)\n"
                "  ROOT r = (s32[], {0}[6,37], {0}[6,37], s32[]) tuple(next, d, b, n)\n}}\n"
                "ENTRY main {{\n  x = {0}[6,37] parameter(0)\n  y = {0}[37] parameter(1)\n"
                "  n = s32[] parameter(2)\n  e = s32[] constant(7)\n  k = s32[] add(n, e)\n"
                "  zero = s32[] constant(0)\n"
                "  yb = {0}[6,37] broadcast(y), dimensions={{1}}\n  z = {0}[6,37] add(x, yb)\n"
                "  init = (s32[], {0}[6,37], {0}[6,37], s32[]) tuple(zero, z, yb, k)\n"
                "  loop = (s32[], {0}[6,37], {0}[6,37], s32[]) while(init), condition=more, "
                "body=step\n"
                "  ROOT r = {0}[6,37] get-tuple-element(loop), index=1\n}}\n",
                type)});
  }
  return all;
}

// Small integers: sums and products of them are exact, whatever their order.
std::vector<Literal> SmallIntegers(const HloModule& module) {
  std::vector<Literal> arguments;
  uint32_t state = 1;
  for (const HloInstruction* p : module.entry()->parameters()) {
    Literal l(Shape(ElementType::F32, p->shape().dimensions()));
    for (float& x : l.data<float>()) {
      state = state * 1664525u + 1013904223u;
      x = static_cast<float>(static_cast<int>(state >> 24) % 7 - 3);
    }
    arguments.push_back(eval::ConvertTo(l, p->shape().element_type()));
  }
  return arguments;
}

TEST_CASE("shapes that reach each schedule") {
  for (const Shaped& shaped : ShapedModules()) {
    INFO(shaped.text);
    auto run = [&]() -> absl::Status {
      ASSIGN_OR_RETURN(auto module, ParseHloText(shaped.text, "shaped.hlo"));
      std::vector<Literal> arguments = SmallIntegers(*module);
      ASSIGN_OR_RETURN(Literal expected, Evaluate(*module, arguments));
      ASSIGN_OR_RETURN(auto gpu, GpuProgram::Make(std::move(module)));
      if (std::getenv("SINTER_PRINT_KERNELS") != nullptr) {
        for (const auto& unit : gpu->units())
          std::printf("---- %s\n%s", shaped.name.c_str(), kernel::Print(unit.kernel).c_str());
      }
      // Loops whose elements iterate independently are no steps of the host.
      if (shaped.name.starts_with("elements_loop")) CHECK(gpu->units().size() == 1);
      ASSIGN_OR_RETURN(std::vector<Literal> actual, gpu->Run(arguments));
      // eval adds one element after another, which is the worse sum.
      const bool sums = shaped.name.starts_with("softmax");
      return ExpectClose(actual[0], expected, {.max_ulp = 8, .rtol = sums ? 2e-4 : 0, .atol = 0});
    };
    absl::Status status = run();
    CHECK((status.ok() ? "ok" : MessageOf(status)) == "ok");
  }
}

}  // namespace
}  // namespace sinter
