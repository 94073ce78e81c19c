#include <catch2/catch.hpp>

#include "ir/analysis/equality.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/order.h"
#include "ir/text/parser.h"
#include "target/tuning.h"

namespace sinter {
namespace {

Shape F32(std::vector<int64_t> dims) { return Shape(ElementType::F32, std::move(dims)); }

// exp(p) - p, its names and the order of its constants as asked.
std::unique_ptr<HloModule> Make(const std::string& prefix, float k,
                                HloOpcode op = HloOpcode::Subtract) {
  auto m = std::make_unique<HloModule>(prefix);
  HloComputation* c = m->AddComputation(prefix + "main");
  m->set_entry(c);
  HloInstruction* p = c->AddParameter(0, F32({2}), prefix + "p");
  HloInstruction* e = *c->Add(HloOpcode::Exp, {p}, NoAttrs{}, {}, nullptr, prefix + "e");
  HloInstruction* v = c->AddConstant(Literal::R1<float>({k, k}), prefix + "k");
  e->set_metadata({prefix, prefix, 1});
  c->set_root(*c->Add(op, {*c->Add(HloOpcode::Add, {e, v}), p}));
  return m;
}

}  // namespace

TEST_CASE("Shardings have a fingerprint of their own") {
  auto with = [](const char* sharding) {
    auto module = Make("a", 1);
    module->entry()->parameter(0)->set_annotations({{"sharding", sharding}});
    return module;
  };
  auto one = with("{devices=[2]<=[2]}"), other = with("{replicated}");
  CHECK(ModuleFingerprint(*one) == ModuleFingerprint(*other));
  CHECK(ShardingFingerprint(*one) != ShardingFingerprint(*other));
  CHECK(ShardingFingerprint(*one) == ShardingFingerprint(*with("{devices=[2]<=[2]}")));
  CHECK(ShardingFingerprint(*one) != ShardingFingerprint(*Make("a", 1)));
}

TEST_CASE("Fingerprints see what is computed and not its names") {
  Hash128 f = ModuleFingerprint(*Make("a", 1));
  CHECK(f == ModuleFingerprint(*Make("b", 1)));
  CHECK(f == ModuleFingerprint(*Make("a", 1)->Clone()));
  CHECK(f != ModuleFingerprint(*Make("a", 2)));
  CHECK(f != ModuleFingerprint(*Make("a", 1, HloOpcode::Divide)));
  auto aliased = Make("a", 1);
  aliased->aliases().push_back({{}, 0, {}, false});
  CHECK(f != ModuleFingerprint(*aliased));
}

TEST_CASE("Fingerprints see operand order, sharing and called computations") {
  auto make = [](int kind) {
    HloModule m("m");
    HloComputation* f = m.AddComputation("f");
    f->set_root(
        *f->Add(kind == 3 ? HloOpcode::Exp : HloOpcode::Negate, {f->AddParameter(0, F32({2}))}));
    HloComputation* c = m.AddComputation("main");
    m.set_entry(c);
    HloInstruction *p = c->AddParameter(0, F32({2})), *q = c->AddParameter(1, F32({2}));
    HloInstruction* call = *c->Add(HloOpcode::Call, {p}, NoAttrs{}, {f});
    HloInstruction* other = kind == 2 ? *c->Add(HloOpcode::Call, {p}, NoAttrs{}, {f}) : q;
    c->set_root(kind == 1 ? *c->Add(HloOpcode::Subtract, {other, call})
                          : *c->Add(HloOpcode::Subtract, {call, other}));
    return ModuleFingerprint(m);
  };
  CHECK(make(0) == make(0));
  CHECK(make(0) != make(1));
  CHECK(make(0) != make(2));
  CHECK(make(0) != make(3));
}

TEST_CASE("Instructions are the same where nothing but names differ") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32({2, 2}));
  HloInstruction* a = *c->Add(HloOpcode::Transpose, {p}, DimensionsAttrs{{1, 0}});
  HloInstruction* b = *c->Add(HloOpcode::Transpose, {p}, DimensionsAttrs{{1, 0}});
  HloInstruction* d = *c->Add(HloOpcode::Transpose, {p}, DimensionsAttrs{{0, 1}});
  CHECK(SameInstruction(*a, *b));
  CHECK(HashOf(*a) == HashOf(*b));
  CHECK(!SameInstruction(*a, *d));
  CHECK(HashOf(*a) != HashOf(*d));
}

TEST_CASE("Positions are those of the order of evaluation") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  HloInstruction *a = c->AddParameter(0, F32({2, 3})), *b = c->AddParameter(1, F32({3, 4}));
  HloInstruction* dot = *c->Add(HloOpcode::Dot, {a, b}, DotAttrs{{}, {}, {1}, {0}});
  HloInstruction* e = *c->Add(HloOpcode::Exp, {dot});
  c->set_root(e);
  CHECK(PostOrder(m).empty());
  m.set_entry(c);
  CHECK(PostOrder(m).size() == 4);
  Positions at(*c);
  CHECK(at[a] < at[dot]);
  CHECK(at[dot] < at[e]);
}

TEST_CASE("OpCost is what the row states for the kind of element, by its width") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  int64_t parameters = 0;
  auto cost = [&](HloOpcode op, ElementType t) {
    HloInstruction* x = c->AddParameter(parameters++, Shape(t, {2}));
    std::vector<HloInstruction*> operands(static_cast<size_t>(Info(op).arity), x);
    return OpCost(**c->Add(op, operands));
  };
  CHECK(cost(HloOpcode::Copy, ElementType::F32) == 0);
  CHECK(cost(HloOpcode::Add, ElementType::F64) == 1);
  CHECK(cost(HloOpcode::Add, ElementType::C64) == 4);
  CHECK(cost(HloOpcode::Exp, ElementType::F32) == 14);
  CHECK(cost(HloOpcode::Exp, ElementType::F64) == 28);
  CHECK(cost(HloOpcode::Divide, ElementType::F32) == 8);
  CHECK(cost(HloOpcode::Divide, ElementType::S32) == 20);
  CHECK(cost(HloOpcode::Divide, ElementType::S64) == 40);
}

TEST_CASE("OpCost of a loop of an element is that of its turns") {
  auto cost = [](const std::string& end) {
    const auto module = ParseHloText(R"(HloModule m
test {
  s = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=2
  end = s32[] )" + end + R"(
  ROOT r = pred[] compare(i, end), direction=LT
}
turn {
  s = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  n = s32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  e = f32[8] exponential(x)
  y = f32[8] subtract(e, x)
  ROOT r = (s32[], f32[8], s32[]) tuple(next, y, n)
}
ENTRY main {
  x = f32[8] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  t = (s32[], f32[8], s32[]) tuple(zero, x, n)
  loop = (s32[], f32[8], s32[]) while(t), condition=test, body=turn
  ROOT r = f32[8] get-tuple-element(loop), index=1
}
)",
                                     "t");
    REQUIRE(module.ok());
    return OpCost(*(*module)->entry()->root()->operand(0));
  };
  CHECK(cost("constant(30)") == 30 * 15);
  CHECK(cost("constant(3)") == 3 * 15);
  CHECK(cost("add(n, n)") == tuning::kUnknownTurns * 15);
}

}  // namespace sinter
