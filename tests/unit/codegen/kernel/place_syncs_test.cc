#include "codegen/kernel/place_syncs.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/status.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/races.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

// Two warps. #1 has no copies; #2 is the same elements in other threads; #3 leaves the warps free,
// so that both hold copies; #4 is #1 with two elements a thread.
constexpr std::string_view kSyncsHead =
    "kernel k lanes 32 warps 2 {\n"
    "  layout #1 rows [] cols [warp 2, lane 32]\n  layout #2 rows [] cols [lane 32, warp 2]\n"
    "  layout #3 rows [] cols [reg 2, lane 32]\n  layout #4 rows [] cols [warp 2, lane 32, reg 2]\n"
    "  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c2:s64 = const 2\n  %c3:s64 = const 3\n"
    "  %c64:s64 = const 64\n  %c65:s64 = const 65\n  %c256:s64 = const 256\n  %c512:s64 = const "
    "512\n"
    "  %zero:f32 = const 0\n"
    "  buffer @t f32 task [%c512] [%c1] written\n  buffer @u f32 task [%c512] [%c1] written\n"
    "  buffer @q f32 task [%c64, %c64] [%c64, %c1] written\n"
    "  buffer @o f32 argument [%c512] [%c1] written\n"
    "  buffer @before f32 argument [%c2, %c512] [%c512, %c1] alias 0\n"
    "  buffer @after f32 argument [%c2, %c512] [%c512, %c1] written alias 0\n"
    "  for.par.exact 1 %c0, %c2 { (%i:s64)\n  %x:f32[1x64 #1] = splat %zero\n"
    "  %y:f32[1x64 #2] = splat %zero\n  %z:f32[1x64 #3] = splat %zero\n";

Kernel Parsed(std::string_view body) {
  auto k = Parse(std::string(kSyncsHead) + std::string(body) + "\n  yield\n  }\n}\n");
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  INFO(Verify(*k).ToString());
  REQUIRE(Verify(*k).ok());
  return *k;
}
int Syncs(const Block& block) {
  int n = 0;
  for (const Op& op : block.ops) {
    n += op.code == OpCode::kSync;
    for (const Block& region : op.regions) n += Syncs(region);
  }
  return n;
}
// Removes the `number`th barrier.
bool Remove(Block& block, int& number) {
  for (size_t i = 0; i < block.ops.size(); ++i) {
    if (block.ops[i].code == OpCode::kSync && number-- == 0) {
      block.ops.erase(block.ops.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
    for (Block& region : block.ops[i].regions) {
      if (Remove(region, number)) return true;
    }
  }
  return false;
}
std::string Race(const Kernel& k) {
  std::vector<void*> buffers;
  std::vector<std::vector<float>> memory;
  for (const Buffer& b : k.buffers) {
    if (b.space == Space::kTask) continue;
    memory.emplace_back(1 << 14);
    buffers.push_back(memory.back().data());
  }
  RaceChecker races(k);
  absl::Status status = Interpret(k, buffers, {}, &races);
  return status.ok() ? races.race() : status.ToString();
}

// Places barriers, shows that they are enough and (by execution) that none may be left out, and
// returns where they stand: the operations of the stage in order, regions in brackets.
std::string Places(const Block& block) {
  std::string s;
  for (const Op& op : block.ops) {
    switch (op.code) {
      case OpCode::kSync:
        s += "|";
        break;
      case OpCode::kLoad:
        s += "L";
        break;
      case OpCode::kStore:
        s += "S";
        break;
      default:
        for (const Block& region : op.regions) s += "(" + Places(region) + ")";
    }
  }
  return s;
}
std::string Placed(std::string_view body) {
  Kernel k = Parsed(body);
  if (absl::Status s = PlaceSyncs(k); !s.ok()) return s.ToString();
  if (std::string race = Race(k); !race.empty()) return race;
  for (int i = 0; i < Syncs(k.top); ++i) {
    Kernel without = k;
    int number = i;
    REQUIRE(Remove(without.top, number));
    if (Race(without).empty()) return Format("barrier {} is not needed", i);
  }
  return Places(k.top.ops.back().regions[0]);
}

TEST_CASE("writes that other threads read") {
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32[1x64 #2] = load @t[%c0+c]") == "S|L");
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32 = load @t[%c0]") == "S|L");
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32[1x64 #1] = load @t[%c1+c]") == "S|L");
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32[1x128 #4] = load @t[%c0+c]") == "S|L");
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32[1x64 #2] = load @u[%c0+c]") == "SL");
}

TEST_CASE("reads and writes before writes") {
  CHECK(Placed("%v:f32[1x64 #2] = load @t[%c0+c]\n store %x, @t[%c0+c]") == "L|S");
  CHECK(Placed("store %x, @t[%c0+c]\n store %y, @t[%c0+c]") == "S|S");
  CHECK(Placed("store %zero, @t[%c1]\n store %x, @t[%c0+c]") == "S|S");
  CHECK(Placed("%v:f32[1x64 #2] = load @t[%c0+c]\n %w:f32 = load @t[%c0]") == "LL");
}

TEST_CASE("accesses in the same layout stay in their thread") {
  CHECK(Placed("store %x, @t[%c0+c]\n %v:f32[1x64 #1] = load @t[%c0+c]\n store %v, @t[%c0+c]") ==
        "SLS");
  CHECK(Placed("store %x, @t[%c64+c]\n %v:f32[1x64 #1] = load @t[%c0+c]") == "SL");
  // Copies read what copy 0 wrote, and write over what copies still read.
  CHECK(Placed("store %z, @t[%c0+c]\n %v:f32[1x64 #3] = load @t[%c0+c]") == "S|L");
  CHECK(Placed("%v:f32[1x64 #3] = load @t[%c0+c]\n store %z, @t[%c0+c]") == "L|S");
  CHECK(Placed("store %z, @t[%c0+c]\n store %z, @t[%c0+c]") == "SS");
  // Loops over whole tiles.
  CHECK(Placed("for.seq.exact 64 %c0, %c512 { (%j:s64)\n store %x, @t[%j+c]\n yield\n }\n"
               " for.seq.exact 64 %c0, %c512 { (%j2:s64)\n %v:f32[1x64 #1] = load @t[%j2+c]\n"
               " yield\n }") == "(S)(L)");
  // Over tiles at odd places.
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n store %x, @t[%j+c]\n yield\n }") == "(|S)");
}

TEST_CASE("an output that takes over an operand's storage") {
  CHECK(Placed("%v:f32 = load @before[%i, %c0]\n store %v, @after[%i, %c0]") == "L|S");
  CHECK(Placed("%v:f32[1x64 #1] = load @before[%i, %c0+c]\n store %v, @after[%i, %c0+c]") == "LS");
  CHECK(Placed("%v:f32[1x64 #3] = load @before[%i, %c0+c]\n store %v, @after[%i, %c0+c]") == "L|S");
  CHECK(Placed("%v:f32[1x64 #1] = load @before[%i, %c0+c]\n %w:f32[1x64 #2] = relayout %v\n"
               " store %w, @after[%i, %c0+c]") == "L|S");
  CHECK(Placed("%v:f32 = load @before[%i, %c0]\n store %v, @o[%i]") == "LS");
}

TEST_CASE("rows and columns") {
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n store %x, @q[%j, %c0+c]\n"
               " %v:f32[1x64 #1] = load @q[%j, %c0+c]\n yield\n }") == "(SL)");
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n store %x, @q[%j, %c0+c]\n"
               " %v:f32[1x64 #1] = load @q[%c0+c, %c1]\n yield\n }") == "(|S|L)");
}

TEST_CASE("iterations follow one another") {
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n store %x, @t[%c0+c]\n"
               " %v:f32[1x64 #2] = load @t[%c0+c]\n yield\n }") == "(|S|L)");
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n %v:f32[1x64 #2] = load @t[%c0+c]\n"
               " store %x, @u[%c0+c]\n yield\n }") == "(LS)");
}

TEST_CASE("what is pending outside is waited for outside") {
  CHECK(Placed("store %x, @t[%c0+c]\n for.seq.exact 1 %c0, %c3 { (%j:s64)\n"
               " %v:f32[1x64 #2] = load @t[%c0+c]\n yield\n }") == "S|(L)");
  // The iterations' own barrier serves the first one too.
  CHECK(Placed("%w:f32[1x64 #2] = load @t[%c0+c]\n for.seq.exact 1 %c0, %c3 { (%j:s64)\n"
               " store %x, @t[%c0+c]\n %v:f32[1x64 #2] = load @t[%c0+c]\n yield\n }") == "L(|S|L)");
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n store %x, @t[%c0+c]\n yield\n }\n"
               " %v:f32[1x64 #2] = load @t[%c0+c]") == "(S)|L");
  CHECK(Placed("for.seq.exact 1 %c0, %c3 { (%j:s64)\n"
               " for.seq.exact 64 %c0, %c512 { (%k:s64)\n store %x, @t[%k+c]\n yield\n }\n"
               " for.seq.exact 64 %c0, %c512 { (%k2:s64)\n %v:f32[1x64 #2] = load @t[%k2+c]\n "
               "yield\n }\n"
               " yield\n }") == "(|(S)|(L))");
}

TEST_CASE("branches") {
  CHECK(
      Placed("%p:pred = cmp.eq %i, %c0\n if %p {\n store %x, @t[%c0+c]\n yield\n } {\n yield\n }\n"
             " %v:f32[1x64 #2] = load @t[%c0+c]") == "(S)()|L");
  CHECK(Placed("%p:pred = cmp.eq %i, %c0\n store %x, @t[%c0+c]\n if %p {\n"
               " %v:f32[1x64 #2] = load @t[%c0+c]\n yield\n } {\n yield\n }") == "S(|L)()");
}

TEST_CASE("loops that test first") {
  CHECK(Placed(
            "%e:s64 = while %c0 { (%a:s64)\n %f:f32 = load @t[%c0]\n %p:pred = cmp.lt %a, %c3\n"
            " yield %p\n } { (%b:s64)\n %g:s64 = add %b, %c1\n store %x, @t[%c0+c]\n yield %g\n }\n"
            " %v:f32[1x64 #2] = load @t[%c0+c]") == "(|L)(|S)L");
}

TEST_CASE("a kernel without layouts has no threads") {
  Kernel k;
  CHECK_THAT(PlaceSyncs(k).ToString(), Contains("has no layouts"));
}

// Programs of nested loops and branches around random accesses: after PlaceSyncs none races. That
// the check can fail is seen from the same programs without barriers.
struct RandomProgram {
  explicit RandomProgram(unsigned seed) : rng(seed), b("random") {
    Kernel& k = b.kernel();
    k.warps = 2;
    auto lane = [](int n, int s = 1) { return Factor{HardwareDim::kLane, n, s}; };
    auto warp = [](int n) { return Factor{HardwareDim::kWarp, n, 1}; };
    auto reg = [](int n) { return Factor{HardwareDim::kReg, n, 1}; };
    for (const std::vector<Factor>& cols : {std::vector<Factor>{warp(2), lane(32)},
                                            {lane(32), warp(2)},
                                            {reg(2), lane(32)},
                                            {lane(16, 2), warp(2), lane(2)},
                                            {warp(2), lane(16), reg(2)}})
      AddLayout(k, {{{}, cols}});
    for (int& buffer : buffers)
      buffer = b.AddBuffer("t", ElementType::F32, std::vector<int64_t>{512}, Space::kTask);
    b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      Fill(0, {i});
      return Values{};
    });
  }
  int Next(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }
  void Fill(int depth, std::vector<Value> variables) {
    for (int n = 1 + Next(4); n > 0; --n) {
      const int what = Next(depth < 3 ? 8 : 6);
      if (what == 6) {
        const int64_t step = Next(2) ? 64 : 1 + Next(3);
        b.For(LoopKind::kSeq, b.Int(0), b.Int(step * Next(4)), step, Tail::kExact, {},
              [&](Value j, const Values&) {
                std::vector<Value> inner = variables;
                inner.push_back(j);
                Fill(depth + 1, inner);
                return Values{};
              });
      } else if (what == 7) {
        const Value v = variables[static_cast<size_t>(Next(static_cast<int>(variables.size())))];
        b.If(
            b.Compare(Predicate::kLt, v, b.Int(1)),
            [&] {
              Fill(depth + 1, variables);
              return Values{};
            },
            [&] {
              if (Next(2)) Fill(depth + 1, variables);
              return Values{};
            });
      } else {
        Touch(variables);
      }
    }
  }
  void Touch(const std::vector<Value>& variables) {
    static constexpr int64_t kAt[] = {0, 0, 0, 64, 128, 1, 32};
    Value at = b.Int(kAt[Next(7)]);
    if (Next(2))
      at = b.Add(at, variables[static_cast<size_t>(Next(static_cast<int>(variables.size())))]);
    const int buffer = buffers[Next(2)];
    Type tile{ElementType::F32, 1, 64, 1 + Next(5)};
    if (tile.layout == 5 && Next(2)) tile.layout = 1;
    const bool scalar = Next(8) == 0;
    if (scalar) tile = {ElementType::F32};
    const Index index{at, 0, scalar ? 0 : 1};
    if (Next(2)) {
      b.Store(b.Splat(b.Const(ElementType::F32, 1), tile), buffer, {index});
    } else {
      b.Load(buffer, {index}, tile);
    }
  }
  std::mt19937 rng;
  Builder b;
  int buffers[2];
};

TEST_CASE("random programs do not race") {
  int raced = 0, barriers = 0;
  constexpr unsigned kPrograms = 1500;
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    Kernel k = RandomProgram(seed).b.Take();
    INFO("seed " << seed << "\n" << Print(k));
    for (Buffer& b : k.buffers) b.written = true;
    REQUIRE(Verify(k, {.bounds = false}).ToString() == "OK");
    raced += !Race(k).empty();
    REQUIRE(PlaceSyncs(k).ok());
    barriers += Syncs(k.top);
    CHECK(Race(k) == "");
  }
  CHECK(raced > static_cast<int>(kPrograms) / 3);
  CHECK(barriers > static_cast<int>(kPrograms));
}

}  // namespace
}  // namespace sinter::kernel
