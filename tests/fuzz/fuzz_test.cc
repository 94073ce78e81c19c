// Random programs on eval and on the compiled CPU. SINTER_FUZZ_SEED=N runs one program by all
// variants, in a process of its own, and reduces it if it fails, SINTER_FUZZ_COUNT=N so many from
// there (or from 1), SINTER_FUZZ_KEEP_GOING=1 past failures, SINTER_FUZZ_PRINT=1 prints every
// program.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "environment.h"
#include "eval/eval.h"
#include "eval/functions.h"
#include "fuzz/check.h"
#include "fuzz/extents.h"
#include "fuzz/generate.h"
#include "fuzz/reduce.h"
#include "ir/ops/op.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "jit/loader.h"
#include "kernels/program_run.h"

namespace sinter::fuzz {
namespace {

std::string Report(const Program& program, uint64_t seed, const Checks& checks) {
  std::string kind = Kind(CheckApart(program, seed, checks).value_or("nothing"));
  auto fails = [&](const Program& p) {
    auto wrong = CheckApart(p, seed, checks);
    return wrong && Kind(*wrong) == kind;
  };
  Program small = fails(program) ? Reduce(program, fails, 400) : program;
  std::string what = CheckApart(small, seed, checks).value_or("nothing, alone");
  return "seed " + std::to_string(seed) + ": " + what.substr(0, 6000) + "\n" + Print(small);
}

// How much is asked of a program: `kQuick` interprets the kernels of a quarter of the programs
// only, which costs most; `kWhole` is every variant.
enum class Depth { kQuick, kUsual, kWhole };

Checks ChecksOf(uint64_t seed, Depth depth) {
  static const std::vector<Variant> variants = AllVariants();
  if (depth == Depth::kWhole) return {.variants = variants, .kernels = true, .two_threads = true};
  const uint64_t round = seed / variants.size();
  return {.variants = {variants[seed % variants.size()]},
          .kernels = depth == Depth::kUsual || round % 4 == 1,
          .two_threads = round % 4 == 0};
}

// Every program by one of the variants, in turn, or by all; `wrong` is told of those that fail.
void RunSeeds(uint64_t first, uint64_t end, Depth depth, bool apart,
              const std::function<void(const std::string&)>& wrong,
              const std::function<void()>& next) {
  Checker checker;
  for (uint64_t seed = first; seed < end; ++seed) {
    const Program program = Generate(seed);
    const Checks checks = ChecksOf(seed, depth);
    INFO("seed " << seed);  // should the process end here
    if (std::getenv("SINTER_FUZZ_PRINT") != nullptr) std::printf("%s\n", Print(program).c_str());
    const auto found =
        apart ? CheckApart(program, seed, checks) : checker.Check(program, seed, checks);
    if (found) wrong(Report(program, seed, checks));
    next();
  }
}

void PrintReport(const std::string& report) {
  std::printf("==== %s\n", report.c_str());
  std::fflush(stdout);
}

// Past failures, in a process that another follows where a program ends it or takes too long.
void RunSeedsToTheEnd(uint64_t first, uint64_t end, Depth depth) {
  constexpr unsigned kSeconds = 600;  // a program that fails is reduced in them
  while (first < end) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int s : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(s, SIG_DFL);
      alarm(kSeconds);
      RunSeeds(first, end, depth, false, PrintReport, [&] {
        alarm(kSeconds);
        if (write(ends[1], ".", 1) != 1) _exit(1);
      });
      _exit(0);
    }
    close(ends[1]);
    char done = 0;
    while (read(ends[0], &done, 1) == 1) ++first;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (first == end) break;
    PrintReport(Report(Generate(first), first, ChecksOf(first, depth)));
    ++first;
  }
}

void RunSeeds(uint64_t first, int64_t count, Depth depth) {
  const uint64_t end = first + static_cast<uint64_t>(count);
  if (std::getenv("SINTER_FUZZ_KEEP_GOING") != nullptr) return RunSeedsToTheEnd(first, end, depth);
  RunSeeds(
      first, end, depth, depth == Depth::kWhole, [](const std::string& r) { FAIL(r); }, [] {});
}

TEST_CASE("random programs give what the interpreter gives") {
  int64_t seed = testing::FromEnvironment("SINTER_FUZZ_SEED", 0),
          count = testing::FromEnvironment("SINTER_FUZZ_COUNT", seed ? 1 : 300);
  RunSeeds(static_cast<uint64_t>(seed ? seed : 1), count,
           seed == 0    ? Depth::kQuick
           : count == 1 ? Depth::kWhole
                        : Depth::kUsual);
}

// Operations that random programs do not have, each with the reason.
const std::map<HloOpcode, std::string>& NotDrawn() {
  using H = HloOpcode;
  static const std::string alone = "has tests of its own (tests/collectives)",
                           devices = "programs of several participants draw it (exchange.cc)",
                           host = "takes a host that reads and writes beside the program",
                           state = "its results depend on what ran before",
                           compiler = "the compiler makes it, programs do not",
                           dynamic = "the programs of dynamic.cc are of dimensions that are open";
  static const std::map<H, std::string> reasons{
      {H::AllGather, devices},
      {H::AllReduce, devices},
      {H::AllToAll, devices},
      {H::CollectiveBroadcast, devices},
      {H::CollectivePermute, devices},
      {H::CollectiveReduce, alone},
      {H::RaggedAllToAll, alone},
      {H::ReduceScatter, devices},
      {H::PartitionId, devices},
      {H::ReplicaId, devices},
      {H::Infeed, host},
      {H::Outfeed, host},
      {H::Recv, host},
      {H::RecvDone, host},
      {H::Send, host},
      {H::SendDone, host},
      {H::Rng, state},
      {H::RngGetAndUpdateState, state},
      {H::Fusion, compiler},
      {H::Windows, compiler},
      {H::AfterAll, host},
      {H::DynamicReshape, dynamic},
      {H::GetDimensionSize, dynamic},
      {H::SetDimensionSize, dynamic},
  };
  return reasons;
}

TEST_CASE("every operation is drawn, but for those that say why not") {
  std::set<HloOpcode> missing;
  for (size_t i = 0; i < kOpCount; ++i) missing.insert(static_cast<HloOpcode>(i));
  for (uint64_t seed = 1; seed <= 20000 && missing.size() > NotDrawn().size(); ++seed) {
    const std::string text = Print(Generate(seed));
    for (auto op = missing.begin(); op != missing.end();) {
      const bool drawn = text.find(" " + std::string(Name(*op)) + "(") != text.npos;
      op = drawn ? missing.erase(op) : std::next(op);
    }
  }
  for (size_t i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<HloOpcode>(i);
    INFO(Name(op) << ": random programs draw it, or NotDrawn() gives the reason");
    CHECK(missing.count(op) == NotDrawn().count(op));
  }
}

// Reduced from random programs that failed, kernel by kernel.
TEST_CASE("rows of windows slide along their own dimension, beside others of one element") {
  auto module = ParseHloText(R"(
HloModule windows

ENTRY main {
  x = f32[2,25,16,12] parameter(0)
  k = f32[2,13,14,12] parameter(1)
  ROOT y = f32[1,3,1,12] convolution(x, k), window={size=13x14 rhs_dilate=2x1}, dim_labels=f01b_i01o->01bf, batch_group_count=12
}
)",
                             "windows.hlo");
  REQUIRE(module.ok());
  std::vector<Literal> arguments;
  for (const HloInstruction* p : (*module)->entry()->parameters()) {
    Literal& l = arguments.emplace_back(p->shape());
    for (size_t i = 0; i < l.data<float>().size(); ++i)
      l.data<float>()[i] = static_cast<float>(i * 7 % 11) - 5;
  }
  const Literal expected = Evaluate(**module, arguments).value();
  auto loader = jit::CreateLoader().value();
  PipelineOptions passes;
  passes.disabled = {"algebraic"};  // which leaves no dimension of one element
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    INFO(isa);
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    auto run = testing::ProgramRun::Compile(**module, *compiler, *loader, passes);
    INFO(run.status().ToString());
    REQUIRE(run.ok());
    CHECK(run->Run(arguments).value()[0] == expected);
  }
}

Literal SmallIntegers(const Shape& shape) {
  Literal numbers(Shape(ElementType::F32, shape.dimensions()));
  for (size_t i = 0; i < numbers.data<float>().size(); ++i)
    numbers.data<float>()[i] = static_cast<float>(i * 7 % 11) - 5;
  return eval::ConvertTo(numbers, shape.element_type());
}

// Of the program's results on small integers: what the interpreter gives.
void CheckOnSmallIntegers(const absl::StatusOr<std::unique_ptr<HloModule>>& module,
                          cpu::Compiler& compiler, program::Loader& loader,
                          const CpuMachine& machine = {}) {
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  std::vector<Literal> arguments;
  for (const HloInstruction* p : (*module)->entry()->parameters())
    arguments.push_back(SmallIntegers(p->shape()));
  auto run = testing::ProgramRun::Compile(**module, compiler, loader, {}, machine);
  INFO(run.status().ToString());
  REQUIRE(run.ok());
  const auto results = run->Run(arguments);
  INFO(results.status().ToString());
  REQUIRE(results.ok());
  CHECK((*results)[0] == Evaluate(**module, arguments).value());
}

TEST_CASE("products of few rows whose right operand no cache holds, and of few columns") {
  struct Case {
    int m, n, k;
    bool is_transposed;           // the right operand
    bool is_left_across = false;  // memory runs along the left operand's rows
  };
  auto loader = jit::CreateLoader().value();
  CpuMachine machine;
  machine.l2_bytes = 4 << 10;
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    for (const auto& [in, out] : std::vector<std::pair<std::string, std::string>>{
             {"f32", "f32"}, {"bf16", "f32"}, {"f64", "f64"}, {"s8", "s32"}, {"s32", "s32"}}) {
      for (const auto& [m, n, k, is_transposed, is_left_across] : {Case{5, 333, 550, false},
                                                                   {13, 96, 1030, false},
                                                                   {13, 40, 300, true},
                                                                   {20, 17, 135, true},
                                                                   {20, 11, 200, true},
                                                                   {33, 50, 70, false, true},
                                                                   {64, 96, 2100, false},
                                                                   {37, 45, 2470, true, true},
                                                                   {70, 40, 4163, true},
                                                                   {48, 32, 4099, false, true}}) {
        const std::string left = is_left_across ? Format("{},{}", k, m) : Format("{},{}", m, k),
                          right = is_transposed ? Format("{},{}", n, k) : Format("{},{}", k, n);
        auto module = ParseHloText(
            Format("HloModule few\nENTRY main {{\nx = {0}[2,{4}] parameter(0)\n"
                   "y = {0}[2,{5}] parameter(1)\nROOT d = {1}[2,{2},{3}] dot(x, y), "
                   "lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{{7}}}, "
                   "rhs_contracting_dims={{{6}}}\n}}\n",
                   in, out, m, n, left, right, is_transposed ? 2 : 1, is_left_across ? 1 : 2),
            "few.hlo");
        INFO(isa << ' ' << in << ' ' << m << ' ' << n << ' ' << k << ' ' << is_left_across);
        CheckOnSmallIntegers(module, *compiler, *loader, machine);
      }
    }
  }
}

TEST_CASE("what is read transposed goes through task buffers") {
  auto loader = jit::CreateLoader().value();
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    for (const std::string type : {"u8", "bf16", "pred", "s16", "f16"}) {
      // The last blocks of rows and of columns are over the ones before.
      for (const auto& [b, m, n] : {std::tuple{2, 70, 2048}, {1, 131, 2048}, {3, 64, 4096}}) {
        const std::string other = type == "pred" ? "or" : "add";
        auto module = ParseHloText(
            Format("HloModule squares\nENTRY main {{\nx = {0}[{1},{2},{3}] parameter(0)\n"
                   "y = {0}[{1},{4},{2}] parameter(1)\n"
                   "s = {0}[{1},{2},{4}] slice(x), slice={{[0:{1}], [0:{2}], [5:{5}]}}\n"
                   "t = {0}[{1},{4},{2}] transpose(s), dimensions={{0,2,1}}\n"
                   "ROOT r = {0}[{1},{4},{2}] {6}(t, y)\n}}\n",
                   type, b, m, n, n - 9, n - 4, other),
            "squares.hlo");
        INFO(isa << ' ' << type << ' ' << b << ' ' << m << ' ' << n);
        CheckOnSmallIntegers(module, *compiler, *loader, CpuMachine());
      }
    }
  }
}

TEST_CASE("long products, whose right operand is packed before blocks of rows are multiplied") {
  auto loader = jit::CreateLoader().value();
  auto compiler =
      cpu::Compiler::Create(cpu::Target::Level(cpu::Target::RunnableLevels().back()).value())
          .value();
  CpuMachine machine;
  machine.dot_bf16 = machine.dot_bytes = true;
  machine.l2_bytes = 256 << 10;
  for (const auto& [in, out, is_transposed] :
       {std::tuple{"bf16", "f32", true}, {"s8", "s32", false}, {"f32", "f32", false}}) {
    auto module =
        ParseHloText(Format("HloModule long\nENTRY main {{\nx = {0}[200,660] parameter(0)\n"
                            "y = {0}[{2}] parameter(1)\nROOT d = {1}[200,515] dot(x, y), "
                            "lhs_contracting_dims={{1}}, rhs_contracting_dims={{{3}}}\n}}\n",
                            in, out, is_transposed ? "515,660" : "660,515", is_transposed ? 1 : 0),
                     "long.hlo");
    INFO(in);
    CheckOnSmallIntegers(module, *compiler, *loader, machine);
  }
}

TEST_CASE("convolutions of words, whose features are vectors of several lengths") {
  auto loader = jit::CreateLoader().value();
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    for (const auto& [in, out] : {std::pair{"bf16", "f32"}, {"s8", "s32"}, {"u8", "s32"}}) {
      for (int features : {3, 16, 24, 32, 48}) {
        for (const char* form : {"b01f_01io->b01f", "bf01_oi01->bf01"}) {
          const bool last = form[1] == '0';
          const std::string n = Format("{}", features);
          auto module = ParseHloText(
              Format("HloModule convolution\nENTRY main {{\nx = {0}[{2}] parameter(0)\n"
                     "w = {0}[{3}] parameter(1)\nROOT c = {1}[{4}] convolution(x, w), "
                     "window={{size=3x3 pad=1_1x1_1 stride=1x2}}, dim_labels={5}\n}}\n",
                     in, out, last ? "2,7,10," + n : "2," + n + ",7,10",
                     last ? "3,3," + n + ",35" : "35," + n + ",3,3", last ? "2,7,5,35" : "2,35,7,5",
                     form),
              "convolution.hlo");
          INFO(isa << ' ' << in << ' ' << features << ' ' << form);
          CheckOnSmallIntegers(module, *compiler, *loader);
        }
      }
    }
  }
}

TEST_CASE("gradients of depthwise filters, sums over few and over many windows") {
  auto loader = jit::CreateLoader().value();
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    for (const auto& [batch, size, features] :
         {std::tuple{2, 10, 16}, {4, 28, 32}, {9, 31, 8}, {1, 100, 12}}) {
      for (int window : {3, 5}) {
        auto module = ParseHloText(
            Format("HloModule gradients\nENTRY main {{\nx = f32[{0},{1},{1},{2}] parameter(0)\n"
                   "y = f32[{0},{1},{1},{2}] parameter(1)\n"
                   "ROOT w = f32[{3},{3},1,{2}] convolution(x, y), "
                   "window={{size={1}x{1} pad={4}_{4}x{4}_{4}}}, dim_labels=f01b_i01o->01bf, "
                   "batch_group_count={2}\n}}\n",
                   batch, size, features, window, window / 2),
            "gradients.hlo");
        INFO(isa << ' ' << batch << ' ' << size << ' ' << features << ' ' << window);
        CheckOnSmallIntegers(module, *compiler, *loader);
      }
    }
  }
}

TEST_CASE("reductions around a short axis, and around one that vectors run along") {
  auto loader = jit::CreateLoader().value();
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    auto compiler = cpu::Compiler::Create(cpu::Target::Level(isa).value()).value();
    for (const char* type : {"f32", "f64", "s32", "bf16"}) {
      for (const auto& dims : {std::array{8, 40, 8, 16}, std::array{5, 7, 3, 33},
                               std::array{4, 9, 16, 5}, std::array{6, 2, 12, 24}}) {
        for (bool keeps_ones : {false, true}) {
          const auto [b, r, g, n] = dims;
          const std::string kept = keeps_ones ? Format("{},1,{},1", b, g) : Format("{},{}", b, g);
          auto module = ParseHloText(
              Format("HloModule groups\nadd {{\na = {0}[] parameter(0)\nb = {0}[] parameter(1)\n"
                     "ROOT r = {0}[] add(a, b)\n}}\nENTRY main {{\n"
                     "x = {0}[{1},{2},{3},{4}] parameter(0)\ny = {0}[{1},{3}] parameter(1)\n"
                     "ys = {0}[{1},{2},{3},{4}] broadcast(y), dimensions={{0,2}}\n"
                     "d = {0}[{1},{2},{3},{4}] subtract(x, ys)\nzero = {0}[] constant(0)\n"
                     "s = {0}[{1},{3}] reduce(d, zero), dimensions={{1,3}}, to_apply=add\n"
                     "k = {0}[{5}] reshape(s)\nROOT o = {0}[{5}] add(k, k)\n}}\n",
                     type, b, r, g, n, kept),
              "groups.hlo");
          INFO(isa << ' ' << type << ' ' << b << ' ' << r << ' ' << g << ' ' << n);
          CheckOnSmallIntegers(module, *compiler, *loader);
        }
      }
    }
  }
}

TEST_CASE("programs that fail are reduced, dimensions too") {
  int reduced = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Program program = Generate(seed);
    // "Fails" where a reduction's operand has an extent above 4.
    auto fails = [](const Program& p) {
      const std::vector<bool> live = Live(p.entry());
      for (size_t i = 0; i < live.size(); ++i) {
        const Node& n = p.entry().nodes[i];
        if (!live[i] || n.op != "reduce") continue;
        for (int64_t d : p.entry().nodes[static_cast<size_t>(n.operands[0])].dims)
          if (d > 4) return true;
      }
      return false;
    };
    if (!fails(program)) continue;
    ++reduced;
    const Program small = Reduce(program, fails);
    INFO("seed " << seed << "\n" << Print(small));
    CHECK(fails(small));
    auto module = ParseHloText(Print(small), "small.hlo");
    REQUIRE(module.ok());
    CHECK(VerifyModule(**module).ok());
    CHECK(Extents(small).size() <= 2);
    CHECK(Extents(small)[0] <= 8);
  }
  CHECK(reduced > 5);
}

TEST_CASE("many random programs give what the interpreter gives", "[.full]") {
  RunSeeds(1000, 20000, Depth::kUsual);
}

}  // namespace
}  // namespace sinter::fuzz
