#include "codegen/kernel/hash.h"

#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

struct Choices {
  std::string name = "k", param = "n", buffer = "x";
  double factor = 2;
  int64_t step = 16;
  Tail tail = Tail::kExact;
  bool non_temporal = false;
  int64_t ahead = 0;
  int unused_values = 0;
  int64_t hi = 1024, multiple = 16;
  ElementType elem = ElementType::F32;
  Predicate predicate = Predicate::kLt;
  int alias = -1, lanes = 16, offset = 1;
};
Kernel Make(const Choices& c) {
  Builder b(c.name);
  b.kernel().lanes = c.lanes;
  for (int i = 0; i < c.unused_values; ++i) b.kernel().types.push_back({});  // defined nowhere
  Value n = b.AddParam(c.param, 16, c.hi, c.multiple);
  int x = b.AddBuffer(c.buffer, c.elem, Values{n});
  b.kernel().buffers[0].alias_group = c.alias;
  b.For(LoopKind::kPar, b.Int(0), n, c.step, c.tail, {}, [&](Value i, const Values&) {
    Expr v{&b, b.Load(x, {{i, 0, c.offset}}, {c.elem, 1, 16}, kNone, kNone, c.ahead)};
    v = Select(Cmp(c.predicate, v, 0), v, v * c.factor);
    b.Store(v, x, {{i, 0, c.offset}}, kNone, c.non_temporal);
    return Values{};
  });
  return b.Take();
}

TEST_CASE("names and numbers of values do not enter the hash") {
  const KernelHash plain = Hash(Make({}));
  CHECK(Hash(Make({.name = "other"})) == plain);
  CHECK(Hash(Make({.param = "m"})) == plain);
  CHECK(Hash(Make({.buffer = "y"})) == plain);
  CHECK(Hash(Make({.unused_values = 3})) == plain);
  CHECK(Hash(Make({.alias = 4})) == Hash(Make({.alias = 7})));
}

TEST_CASE("everything else enters the hash") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Choices> all = {
      {},
      {.factor = 3},
      {.factor = 0.0},
      {.factor = -0.0},
      {.factor = nan},
      {.factor = -nan},
      {.step = 8},
      {.tail = Tail::kPeel},
      {.non_temporal = true},
      {.ahead = 64},
      {.hi = 2048},
      {.multiple = 32},
      {.elem = ElementType::F64},
      {.predicate = Predicate::kGe},
      {.alias = 0},
      {.lanes = 8},
      {.offset = -1},
  };
  std::set<KernelHash> hashes;
  for (const Choices& c : all) hashes.insert(Hash(Make(c)));
  // A comparison with 0 and a factor of 0 share their constant.
  CHECK(hashes.size() == all.size());
}

TEST_CASE("samples differ") {
  std::set<KernelHash> hashes;
  for (const Kernel& k : samples::All()) hashes.insert(Hash(k));
  CHECK(hashes.size() == samples::All().size());
}

TEST_CASE("the data of constants enters the hash") {
  CHECK(!(Hash(samples::Gather({1, 2})) == Hash(samples::Gather({1, 3}))));
  CHECK(Hash(samples::Gather({1, 2})) == Hash(samples::Gather({1, 2})));
}

TEST_CASE("loops that differ in their buffers alone are equal, if they use nothing else") {
  Builder b("k");
  const std::vector<int64_t> shape{64};
  const int buffers[] = {b.AddBuffer("x", ElementType::F32, shape),
                         b.AddBuffer("y", ElementType::F32, shape),
                         b.AddBuffer("z", ElementType::F64, shape)};
  auto loop = [&](int from, int to, double factor, Value extra) {
    b.For(LoopKind::kSeq, b.Int(0), b.Int(64), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      const ElementType elem = b.kernel().buffers[static_cast<size_t>(from)].elem;
      Expr v{&b, b.Load(from, {{i}}, {elem})};
      v = v * factor;
      b.Store(extra == kNone ? Value{v} : b.Add(v, extra), to, {{i}});
      return Values{};
    });
  };
  Value extra = kNone;
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    loop(buffers[0], buffers[1], 2, kNone);
    loop(buffers[1], buffers[0], 2, kNone);
    loop(buffers[1], buffers[1], 2, kNone);
    loop(buffers[0], buffers[1], 3, kNone);
    loop(buffers[2], buffers[2], 2, kNone);
    extra = b.Load(buffers[0], {{b.Int(0)}}, {ElementType::F32});
    loop(buffers[0], buffers[1], 2, extra);
    return Values{};
  });
  const Kernel k = b.Take();
  std::vector<std::optional<KernelHash>> hashes;
  std::vector<std::vector<int>> used;
  for (const Op& stage : k.top.ops) {
    if (!IsStage(stage)) continue;
    for (const Op& op : stage.regions[0].ops) {
      if (op.code != OpCode::kFor) continue;
      used.emplace_back();
      hashes.push_back(HashOfClosed(k, op, used.back()));
    }
  }
  REQUIRE(hashes.size() == 6);
  CHECK(hashes[0] == hashes[1]);
  CHECK(used[0] == std::vector<int>{buffers[0], buffers[1]});
  CHECK(used[1] == std::vector<int>{buffers[1], buffers[0]});
  for (const size_t other : {2u, 3u, 4u}) CHECK_FALSE(hashes[0] == hashes[other]);
  CHECK_FALSE(hashes[5].has_value());
}

}  // namespace
}  // namespace sinter::kernel
