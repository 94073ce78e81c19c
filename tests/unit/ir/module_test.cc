#include "ir/module.h"

#include <catch2/catch.hpp>
#include <set>

namespace sinter {
namespace {

Shape F32() { return Shape(ElementType::F32, {2}); }

}  // namespace

TEST_CASE("Operands and users agree") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32(), "p");
  HloInstruction* sum = *c->Add(HloOpcode::Add, {p, p});
  CHECK(p->users() == std::vector{sum});
  HloInstruction* n = *c->Add(HloOpcode::Negate, {p});
  sum->ReplaceOperand(0, n);
  CHECK(n->users() == std::vector{sum});
  CHECK(p->users().size() == 2);
  sum->ReplaceOperand(1, n);
  CHECK(p->users() == std::vector{n});
  c->set_root(sum);
  HloInstruction* e = *c->Add(HloOpcode::Exp, {n});
  c->ReplaceAllUses(n, e);
  CHECK(sum->operands() == std::vector{e, e});
  CHECK(e->users() == std::vector{sum});
  CHECK(n->users() == std::vector{e});
  CHECK(e->operand(0) == n);
  c->ReplaceAllUses(sum, e);
  CHECK(c->root() == e);
  CHECK(c->RemoveDead() == 1);
  CHECK(e->users().empty());
  CHECK(c->PostOrder() == std::vector{p, n, e});
}

TEST_CASE("Many values are replaced at once, where one reads another too") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  m.set_entry(c);
  HloInstruction* p = c->AddParameter(0, F32());
  HloInstruction* a = *c->Add(HloOpcode::Negate, {p});
  HloInstruction* b = *c->Add(HloOpcode::Exp, {a});
  HloInstruction* sum = *c->Add(HloOpcode::Add, {a, b});
  HloInstruction* both = *c->Add(HloOpcode::Multiply, {b, a});
  HloInstruction* twice = *c->Add(HloOpcode::Multiply, {a, a});
  c->set_root(b);
  HloInstruction* x = *c->Add(HloOpcode::Abs, {p});
  HloInstruction* y = *c->Add(HloOpcode::Sqrt, {x});
  c->ReplaceAllUses({{a, x}, {b, y}});
  CHECK(c->root() == y);
  CHECK(sum->operands() == std::vector{x, y});
  CHECK(both->operands() == std::vector{y, x});
  CHECK(twice->operands() == std::vector{x, x});
  CHECK(a->users().empty());
  CHECK(b->users().empty());
  CHECK(y->users() == std::vector{sum, both});
  // Users before, and those of what was replaced; each is there once.
  CHECK(std::set(x->users().begin(), x->users().end()) == std::set{y, b, sum, both, twice});
  CHECK(x->users().size() == 5);
}

TEST_CASE("What has a side effect is kept, parameters too") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  m.set_entry(c);
  HloInstruction* p = c->AddParameter(0, F32());
  HloInstruction* call =
      c->AddWithShape(HloOpcode::CustomCall, Shape(), {p}, CustomCallAttrs{"print", "", true});
  HloInstruction* dead = *c->Add(HloOpcode::Negate, {p});
  c->set_root(c->AddConstant(Literal::R0(1.0f)));
  CHECK(call->HasSideEffect());
  CHECK(c->RemoveDead() == 1);
  CHECK(c->instructions().size() == 3);
  CHECK(p->users() == std::vector{call});
  (void)dead;
}

TEST_CASE("Remove leaves what is used") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32());
  HloInstruction* n = *c->Add(HloOpcode::Negate, {p});
  HloInstruction* e = *c->Add(HloOpcode::Exp, {n});
  c->set_root(p);
  c->Remove(n);
  c->Remove(p);
  CHECK(c->instructions().size() == 3);
  c->Remove(e);
  c->Remove(n);
  CHECK(c->instructions().size() == 1);
  CHECK(p->users().empty());
}

TEST_CASE("Operands come first, however far apart instructions were added") {
  for (int between : {0, 10, 1000}) {
    HloModule m("m");
    HloComputation *c = m.AddComputation("main"), *other = m.AddComputation("other");
    HloInstruction *p = c->AddParameter(0, F32()), *q = other->AddParameter(0, F32());
    HloInstruction* n = c->AddWithShape(HloOpcode::Negate, F32(), {p});
    for (int i = 0; i < between; ++i) other->AddWithShape(HloOpcode::Negate, F32(), {q});
    HloInstruction* e = c->AddWithShape(HloOpcode::Exp, F32(), {n});
    HloInstruction* sum = c->AddWithShape(HloOpcode::Add, F32(), {e, n});
    c->set_root(sum);
    CHECK(c->PostOrder() == std::vector{p, n, e, sum});
    CHECK(other->AllInOrder().size() == static_cast<size_t>(between) + 1);
  }
}

TEST_CASE("A graph very many instructions deep") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  m.set_entry(c);
  HloInstruction* x = c->AddParameter(0, F32());
  for (int i = 0; i < 300000; ++i) x = c->AddWithShape(HloOpcode::Negate, F32(), {x});
  c->set_root(x);
  CHECK(c->PostOrder().size() == 300001);
  CHECK(c->RemoveDead() == 0);
  std::unique_ptr<HloModule> clone = m.Clone();
  CHECK(clone->entry()->root()->id() == x->id());
  c->set_root(c->parameter(0));
  CHECK(c->RemoveDead() == 300000);
}

TEST_CASE("Computations nested deep") {
  HloModule m("m");
  HloComputation* below = m.AddComputation("c");
  below->set_root(below->AddParameter(0, F32()));
  for (int i = 0; i < 20000; ++i) {
    HloComputation* c = m.AddComputation("c");
    c->set_root(
        c->AddWithShape(HloOpcode::Call, F32(), {c->AddParameter(0, F32())}, NoAttrs{}, {below}));
    below = c;
  }
  m.set_entry(below);
  m.AddComputation("unreached");
  CHECK(m.PostOrder().size() == 20001);
  CHECK(m.PostOrder().back() == below);
  CHECK(m.RemoveUnreachable() == 1);
}

TEST_CASE("Inline copies a body") {
  HloModule m("m");
  HloComputation* callee = m.AddComputation("callee");
  HloInstruction* a = callee->AddParameter(0, F32(), "a");
  HloInstruction* b = callee->AddParameter(1, F32(), "b");
  callee->set_root(*callee->Add(HloOpcode::Subtract, {b, a}));
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32(), "p");
  HloInstruction* q = *c->Add(HloOpcode::Exp, {p});
  HloInstruction* copy = c->Inline(*callee, {p, q});
  CHECK(copy->op() == HloOpcode::Subtract);
  CHECK(copy->operands() == std::vector{q, p});
  CHECK(copy->parent() == c);
  callee->set_root(a);
  CHECK(c->Inline(*callee, {q, p}) == q);
}

TEST_CASE("Names are unique") {
  HloModule m("m");
  CHECK(m.UniqueName("add") == "add");
  CHECK(m.UniqueName("add") == "add.1");
  CHECK(m.UniqueName("add.1") == "add.2");
  CHECK(m.UniqueName("add.7") == "add.7");
  CHECK(m.UniqueName("x.y") == "x.y");
  CHECK(m.UniqueName("x.y") == "x.y.1");
  CHECK(m.AddComputation("add")->name() == "add");
  CHECK(m.AddComputation("add")->name() == "add.1");
}

TEST_CASE("Add refuses what does not fit") {
  HloModule m("m");
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32());
  CHECK(c->Add(HloOpcode::Add, {p}).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(c->Add(HloOpcode::Transpose, {p}).status().code() == absl::StatusCode::kInternal);
  CHECK(c->instructions().size() == 1);
}

}  // namespace sinter
