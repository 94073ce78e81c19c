// The programs of tests/cuda/programs, made small: right under many schedules; and mistakes planted
// in their kernels are found.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/status.h"
#include "cuda/device/emulated.h"
#include "cuda/emulator/emulator.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "sinter/testing.h"

namespace sinter::emulator {
namespace {

using kernel::Block;
using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;

// Extents that no tile divides, but for one that most do; equal ones stay equal.
std::string MadeSmall(const std::string& text) {
  static const std::map<std::string, std::string> small = {
      {"4096", "9"}, {"1024", "264"}, {"16777216", "2100"}, {"4194304", "1030"},
      {"512", "40"}, {"8192", "72"},  {"128", "24"}};
  static const std::regex dims("\\[([0-9,]+)\\]"), number("[0-9]+");
  auto replace = [](const std::string& s, const std::regex& what, auto with) {
    std::string out;
    auto at = s.cbegin();
    for (std::sregex_iterator m(s.begin(), s.end(), what), end; m != end; ++m) {
      out.append(at, (*m)[0].first);
      out += with((*m)[0].str());
      at = (*m)[0].second;
    }
    out.append(at, s.cend());
    return out;
  };
  return replace(text, dims, [&](const std::string& list) {
    return replace(list, number,
                   [&](const std::string& n) { return small.contains(n) ? small.at(n) : n; });
  });
}

struct Program {
  std::string name;
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  Literal expected;
};

// Values between 1/4 and 2, so that divisions and logarithms are harmless, `with_large` now and
// then one so large that trigonometric functions take their slow path (and sums hide much); three
// of four predicates are true.
Literal Values(const Shape& shape, uint64_t seed, bool with_large) {
  Literal l(shape);
  uint64_t state = seed * 2 + 1;
  for (int64_t i = 0; i < shape.element_count(); i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    float x = 0.25F + 1.75F * static_cast<float>(state >> 40) / static_cast<float>(1 << 24);
    if (with_large && i % 211 == 5) x *= 1e5F;
    const auto at = static_cast<size_t>(i);
    if (shape.element_type() == ElementType::F32) l.data<float>()[at] = x;
    if (shape.element_type() == ElementType::PRED) l.data<bool>()[at] = (state >> 60) % 4 != 0;
    if (shape.element_type() == ElementType::BF16) l.data<bfloat16>()[at] = bfloat16(x);
  }
  return l;
}

std::vector<Program> Programs(bool with_large) {
  std::vector<Program> all;
  std::set<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(SINTER_PROGRAMS_FOLDER))
    files.insert(file.path());
  for (const auto& file : files) {
    if (file.extension() != ".hlo") continue;
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    auto module = ParseHloText(MadeSmall(text.str()), file.filename().string());
    INFO(file.string() << MessageOf(module.status()));
    REQUIRE(module.ok());
    Program p;
    p.name = file.stem().string();
    p.module = *std::move(module);
    uint64_t seed = 1;
    for (const HloInstruction* i : p.module->entry()->parameters())
      p.arguments.push_back(Values(i->shape(), seed++, with_large));
    auto expected = Evaluate(*p.module, p.arguments);
    INFO(MessageOf(expected.status()));
    REQUIRE(expected.ok());
    p.expected = *std::move(expected);
    all.push_back(std::move(p));
  }
  REQUIRE(all.size() >= 12);
  return all;
}

absl::Status Check(const Program& p, EmulatedProgram& compiled, uint64_t seed) {
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, compiled.Run(p.arguments, seed));
  std::vector<Literal> expected =
      p.expected.shape().is_tuple() ? p.expected.tuple() : std::vector{p.expected};
  RETURN_INTERNAL_IF(leaves.size() != expected.size(), "{} results", leaves.size());
  for (size_t i = 0; i < leaves.size(); i++) {
    const bool narrow = leaves[i].shape().element_type() == ElementType::BF16;
    RETURN_IF_ERROR(ExpectClose(leaves[i], expected[i],
                                {.rtol = narrow ? 2e-2 : 1e-5, .atol = narrow ? 1e-3 : 1e-5}));
  }
  return absl::OkStatus();
}

TEST_CASE("programs are right under every schedule, for every kind of GPU") {
  for (const Program& p : Programs(true)) {
    for (const char* target : {"sm_75", "sm_90"}) {
      INFO(p.name << " on " << target);
      auto compiled = EmulatedProgram::Compile(*p.module, {.target = target});
      INFO(MessageOf(compiled.status()));
      REQUIRE(compiled.ok());
      for (uint64_t seed = 0; seed < 10; seed++) {
        const absl::Status s = Check(p, **compiled, seed * 100);
        INFO(MessageOf(s));
        REQUIRE(s.ok());
      }
    }
  }
}

// Visits the operations of kernels in order, over all kernels of a program; `plant` is called with
// the one that `wants` accepts for the n-th time.
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

struct Count {
  int planted = 0, found = 0;
  std::string missed;
};

// Plants the mistake at each place, one at a time.
Count PlantEverywhere(const std::vector<Program>& programs, Planter planter) {
  Count count;
  for (const Program& p : programs) {
    for (planter.n = 0;; planter.n++) {
      planter.seen = 0;
      auto compiled = EmulatedProgram::Compile(*p.module, {.change = std::ref(planter)});
      if (planter.seen <= planter.n) break;
      count.planted++;
      bool found = !compiled.ok();
      for (uint64_t seed = 0; seed < 3 && !found; seed++) found = !Check(p, **compiled, seed).ok();
      count.found += found;
      if (!found) count.missed += Format("{} at {}\n", p.name, planter.n);
    }
  }
  return count;
}

TEST_CASE("barriers that are dropped are missed") {
  Planter planter;
  planter.wants = [](const Op& op) { return op.code == OpCode::kSync; };
  planter.plant = [](Block& block, size_t i) {
    block.ops.erase(block.ops.begin() + static_cast<long>(i));
  };
  const Count count = PlantEverywhere(Programs(true), planter);
  INFO(count.found << " of " << count.planted << "\n" << count.missed);
  CHECK(count.planted > 0);
  CHECK(count.found == count.planted);
}

TEST_CASE("masks that let nothing through are noticed") {
  Planter planter;
  planter.wants = [](const Op& op) { return op.code == OpCode::kMask; };
  // The base is also the limit: nothing is left.
  planter.plant = [](Block& block, size_t i) {
    block.ops[i].operands[1] = block.ops[i].operands[0];
  };
  const Count count = PlantEverywhere(Programs(false), planter);
  INFO(count.found << " of " << count.planted << "\n" << count.missed);
  CHECK(count.planted > 0);
  CHECK(count.found == count.planted);
}

}  // namespace
}  // namespace sinter::emulator
