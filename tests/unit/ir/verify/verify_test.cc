#include "ir/verify/verify.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter {
namespace {

Shape F32() { return Shape(ElementType::F32, {2}); }

struct Fixture {
  HloModule m{"m"};
  HloComputation* c = m.AddComputation("main");
  HloInstruction* p = c->AddParameter(0, F32(), "p");
  Fixture() {
    m.set_entry(c);
    c->set_root(p);
  }
  std::string Error() const {
    absl::Status s = VerifyModule(m);
    return s.ok() ? "" : MessageOf(s);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "A sound module") { CHECK(Error() == ""); }

TEST_CASE_METHOD(Fixture, "No entry, no root") {
  c->set_root(nullptr);
  CHECK(Error() == "main: has no root");
  m.set_entry(nullptr);
  CHECK(Error() == "module m has no entry");
}

TEST_CASE_METHOD(Fixture, "A wrong shape names instruction and source") {
  HloInstruction* n =
      c->AddWithShape(HloOpcode::Negate, Shape(ElementType::F32, {3}), {p}, NoAttrs{}, {}, "n");
  n->set_metadata({"op", "model.py", 7});
  CHECK(Error() ==
        "main %n: negate: (C1) the result must be f32[2]; operands f32[2]; result f32[3] "
        "(model.py:7)");
}

TEST_CASE_METHOD(Fixture, "Operands and root of another computation") {
  HloComputation* other = m.AddComputation("other");
  HloInstruction* q = other->AddParameter(0, F32(), "q");
  other->set_root(q);
  HloInstruction* n = c->AddWithShape(HloOpcode::Negate, F32(), {p}, NoAttrs{}, {}, "n");
  n->ReplaceOperand(0, q);
  CHECK(Error() == "main %n: an operand is not of the same computation");
  n->ReplaceOperand(0, p);
  c->set_root(q);
  CHECK(Error() == "main: the root is not its own");
}

TEST_CASE_METHOD(Fixture, "Cycles") {
  HloInstruction* a = c->AddWithShape(HloOpcode::Negate, F32(), {p}, NoAttrs{}, {}, "a");
  HloInstruction* b = c->AddWithShape(HloOpcode::Negate, F32(), {a}, NoAttrs{}, {}, "b");
  a->ReplaceOperand(0, b);
  CHECK(Error().find("depends on itself") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "Recursion of computations") {
  HloComputation* f = m.AddComputation("f");
  HloInstruction* q = f->AddParameter(0, F32(), "q");
  f->set_root(f->AddWithShape(HloOpcode::Call, F32(), {q}, NoAttrs{}, {f}, "self"));
  CHECK(Error() == "f %self: computation f calls itself");
  f->root()->set_called(0, c);
  CHECK(Error() == "f %self: calls the entry");
}

TEST_CASE_METHOD(Fixture, "Parameters") {
  c->AddWithShape(HloOpcode::Parameter, F32(), {}, ParameterAttrs{2}, {}, "r");
  CHECK(Error() == "main: there is no parameter 1");
  c->AddWithShape(HloOpcode::Parameter, F32(), {}, ParameterAttrs{0}, {}, "s");
  CHECK(Error() == "main %p: parameter 0 is defined twice or out of order");
}

TEST_CASE_METHOD(Fixture, "Names are unique in a computation") {
  c->AddParameter(1, F32())->set_name("p");
  CHECK(Error() == "main %p: the name is not unique in the computation");
}

TEST_CASE_METHOD(Fixture, "A constant with a hundred thousand users") {
  HloInstruction* x = p;
  for (int i = 0; i < 100000; ++i) x = c->AddWithShape(HloOpcode::Add, F32(), {x, p});
  c->set_root(x);
  CHECK(Error() == "");
  c->set_root(p);
  CHECK(c->RemoveDead() == 100000);
}

}  // namespace sinter
