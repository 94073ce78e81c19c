// What tests/ops cannot say: arguments, errors, limits, sharing, speed.
#include "eval/eval.h"

#include <catch2/catch.hpp>
#include <ctime>

#include "base/status.h"

namespace sinter {
namespace {

using Operands = std::vector<Instruction*>;

Instruction* Add(Computation* c, Op op, const Operands& operands, Attributes attrs = NoAttrs{},
                 std::vector<Computation*> called = {}, const Shape* declared = nullptr) {
  auto i = c->Add(op, operands, std::move(attrs), called, declared);
  INFO((i.ok() ? "" : MessageOf(i.status())));
  REQUIRE(i.ok());
  return *i;
}

Instruction* Constant(Computation* c, Literal value) { return c->AddConstant(std::move(value)); }

Instruction* Element(Computation* c, Instruction* tuple, int64_t index) {
  return Add(c, Op::GetTupleElement, {tuple}, TupleElementAttrs{index});
}

// Of the processor, so that a busy machine does not count.
double Seconds(const std::function<void()>& body) {
  std::clock_t start = std::clock();
  body();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Computation* Entry(Module& m) {
  Computation* c = m.AddComputation("main");
  m.set_entry(c);
  return c;
}

// sum + x, on scalars
Computation* Adder(Module& m, ElementType t) {
  Computation* c = m.AddComputation("add");
  Instruction* a = c->AddParameter(0, Shape(t));
  Instruction* b = c->AddParameter(1, Shape(t));
  c->set_root(Add(c, Op::Add, {a, b}));
  return c;
}

TEST_CASE("arguments must fit the parameters") {
  Module m("m");
  Computation* c = Entry(m);
  Instruction* x = c->AddParameter(0, Shape(ElementType::F32, {2}));
  c->set_root(Add(c, Op::Negate, {x}));
  auto y = Evaluate(m, {Literal::R1<float>({1, -2})});
  REQUIRE(y.ok());
  CHECK(*y == Literal::R1<float>({-1, 2}));
  CHECK(MessageOf(Evaluate(m, {}).status()) ==
        "computation 'main' takes 1 arguments, 0 were given");
  CHECK(MessageOf(Evaluate(m, {Literal::R1<float>({1})}).status()) ==
        "argument 0 of computation 'main' must be f32[2], not f32[1]");
  CHECK(Evaluate(Module("empty"), {}).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("arguments and constants are not changed in place") {
  Module m("m");
  Computation* c = Entry(m);
  Instruction* x = c->AddParameter(0, Shape(ElementType::S32, {3}));
  Instruction* u = Constant(c, Literal::R1<int32_t>({9}));
  Instruction* i = Constant(c, Literal::R0<int32_t>(1));
  Instruction* k = Constant(c, Literal::R1<int32_t>({1, 2, 3}));
  Instruction* a = Add(c, Op::DynamicUpdateSlice, {x, u, i});
  Instruction* b = Add(c, Op::DynamicUpdateSlice, {k, u, i});
  c->set_root(Add(c, Op::Tuple, {a, b}));
  Literal argument = Literal::R1<int32_t>({4, 5, 6});
  for (int run = 0; run < 2; ++run) {
    auto y = Evaluate(m, {argument});
    REQUIRE(y.ok());
    CHECK(y->tuple()[0] == Literal::R1<int32_t>({4, 9, 6}));
    CHECK(y->tuple()[1] == Literal::R1<int32_t>({1, 9, 3}));
  }
  CHECK(argument == Literal::R1<int32_t>({4, 5, 6}));
  CHECK(k->literal() == Literal::R1<int32_t>({1, 2, 3}));
}

TEST_CASE("custom calls go to the handler") {
  Module m("m");
  Computation* c = Entry(m);
  Shape shape(ElementType::F32, {});
  Instruction* x = Constant(c, Literal::R0(2.0f));
  c->set_root(Add(c, Op::CustomCall, {x}, CustomCallAttrs{"halve", "", false}, {}, &shape));
  auto absent = Evaluate(m, {});
  CHECK(absent.status().code() == absl::StatusCode::kUnimplemented);
  CHECK(MessageOf(absent.status()).find("halve") != std::string::npos);

  EvalOptions options;
  options.custom_call = [](const Instruction&, absl::Span<const Literal> operands) {
    return absl::StatusOr<Literal>(Literal::R0(operands[0].data<float>()[0] / 2));
  };
  auto y = Evaluate(m, {}, options);
  REQUIRE(y.ok());
  CHECK(*y == Literal::R0(1.0f));

  options.custom_call = [](const Instruction&, absl::Span<const Literal>) {
    return absl::StatusOr<Literal>(Literal::R0(1));
  };
  CHECK(Evaluate(m, {}, options).status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("limits") {
  Module m("m");
  Computation* cond = m.AddComputation("cond");
  cond->AddParameter(0, Shape(ElementType::S32));
  cond->set_root(Constant(cond, Literal::R0(true)));
  Computation* body = m.AddComputation("body");
  Instruction* s = body->AddParameter(0, Shape(ElementType::S32));
  body->set_root(Add(body, Op::Negate, {s}));
  Computation* c = Entry(m);
  Instruction* zero = Constant(c, Literal::R0<int32_t>(0));
  c->set_root(Add(c, Op::While, {zero}, NoAttrs{}, {cond, body}));
  EvalOptions options;
  options.max_instructions = 1000;
  CHECK(Evaluate(m, {}, options).status().code() == absl::StatusCode::kResourceExhausted);

  Module large("large");
  Computation* e = Entry(large);
  Shape shape(ElementType::F32, {int64_t{1} << 40});
  Instruction* one = Constant(e, Literal::R0(1.0f));
  e->set_root(Add(e, Op::Broadcast, {one}, DimensionsAttrs{}, {}, &shape));
  CHECK(Evaluate(large, {}).status().code() == absl::StatusCode::kResourceExhausted);

  Module deep("deep");
  Computation* callee = deep.AddComputation("f");
  callee->set_root(Constant(callee, Literal::R0(1.0f)));
  for (int i = 0; i < 5000; ++i) {
    Computation* caller = deep.AddComputation("f");
    caller->set_root(Add(caller, Op::Call, {}, NoAttrs{}, {callee}));
    callee = caller;
  }
  deep.set_entry(callee);
  CHECK(Evaluate(deep, {}).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("dynamic shapes are not evaluated") {
  Module m("m");
  Computation* c = Entry(m);
  Shape shape(ElementType::F32, {4});
  shape.set_dynamic(0, true);
  Instruction* x = c->AddParameter(0, shape);
  c->set_root(x);
  EvalOptions options;
  CHECK_FALSE(Evaluate(m, {Literal::R1<float>({1, 2, 3, 4})}, options).ok());
}

TEST_CASE("a long chain needs no stack") {
  Module m("m");
  Computation* c = Entry(m);
  Instruction* x = c->AddParameter(0, Shape(ElementType::F32));
  Instruction* one = Constant(c, Literal::R0(1.0f));
  for (int i = 0; i < 200000; ++i) x = Add(c, Op::Add, {x, one});
  c->set_root(x);
  auto y = Evaluate(m, {Literal::R0(0.0f)});
  REQUIRE(y.ok());
  CHECK(*y == Literal::R0(200000.0f));
}

TEST_CASE("one instruction for constant folding") {
  Module m("m");
  Computation* c = Entry(m);
  Instruction* x = c->AddParameter(0, Shape(ElementType::F32, {2}));
  Instruction* y = Add(c, Op::Multiply, {x, x});
  c->set_root(y);
  Literal a = Literal::R1<float>({2, 3}), b = Literal::R1<float>({5, 7});
  auto z = EvaluateInstruction(*y, {&a, &b});
  REQUIRE(z.ok());
  CHECK(*z == Literal::R1<float>({10, 21}));
  CHECK_FALSE(EvaluateInstruction(*y, {&a}).ok());
}

TEST_CASE("rounding is to the declared type, once") {
  Module m("m");
  Computation* c = Entry(m);
  Shape bf16(ElementType::BF16, {});
  // 2^25 + 2^17 + 1 lies above the tie of two neighbours in bf16; rounding to f32 first would reach
  // it.
  Instruction* x = Constant(c, Literal::R0<int32_t>((1 << 25) + (1 << 17) + 1));
  c->set_root(Add(c, Op::Convert, {x}, NoAttrs{}, {}, &bf16));
  auto y = Evaluate(m, {});
  REQUIRE(y.ok());
  CHECK(y->GetAsDouble(0) == (1 << 25) + (1 << 18));
}

// A million iterations of a loop over two scalars, and elementwise operations on a million
// elements: seconds, not minutes. The bounds are loose, for machines under load and builds with
// sanitizers.
TEST_CASE("speed", "[speed]") {
  Module m("m");
  Shape state = Shape::Tuple({Shape(ElementType::S32), Shape(ElementType::F32)});
  Computation* cond = m.AddComputation("cond");
  Instruction* s = cond->AddParameter(0, state);
  Instruction* limit = Constant(cond, Literal::R0<int32_t>(1000000));
  cond->set_root(Add(cond, Op::Compare, {Element(cond, s, 0), limit},
                     CompareAttrs{ComparisonDirection::kLt, ComparisonType::kDefault}));
  Computation* body = m.AddComputation("body");
  s = body->AddParameter(0, state);
  Instruction* i = Add(body, Op::Add, {Element(body, s, 0), Constant(body, Literal::R0(1))});
  Instruction* half = Constant(body, Literal::R0(0.5f));
  Instruction* x = Add(body, Op::Add, {Element(body, s, 1), half});
  body->set_root(Add(body, Op::Tuple, {i, x}));
  Computation* c = Entry(m);
  Instruction* zero = Constant(c, Literal::R0<int32_t>(0));
  Instruction* start = Add(c, Op::Tuple, {zero, Constant(c, Literal::R0(0.0f))});
  c->set_root(Add(c, Op::While, {start}, NoAttrs{}, {cond, body}));
  double loop = Seconds([&] {
    auto y = Evaluate(m, {});
    REQUIRE(y.ok());
    CHECK(y->tuple()[1] == Literal::R0(500000.0f));
  });

  Module wide("wide");
  Computation* adder = Adder(wide, ElementType::F32);
  Computation* e = Entry(wide);
  Instruction* p = e->AddParameter(0, Shape(ElementType::F32, {1000, 1000}));
  Instruction* y = Add(e, Op::Exp, {Add(e, Op::Multiply, {p, p})});
  Instruction* nothing = Constant(e, Literal::R0(0.0f));
  e->set_root(Add(e, Op::Reduce, {y, nothing}, DimensionsAttrs{{0}}, {adder}));
  Literal argument(Shape(ElementType::F32, {1000, 1000}));
  double elements = Seconds([&] {
    auto z = Evaluate(wide, {argument});
    REQUIRE(z.ok());
    CHECK(z->data<float>()[0] == 1000.0f);
  });
  INFO("million iterations: " << loop << " s; million elements, exp and reduce: " << elements
                              << " s");
  CHECK(loop < 30);
  CHECK(elements < 10);
}

}  // namespace
}  // namespace sinter
