// What tests/ops cannot say: arguments, errors, limits, sharing, speed.
#include "eval/eval.h"

#include <catch2/catch.hpp>
#include <complex>

#include "base/status.h"

namespace sinter {
namespace {

using Operands = std::vector<HloInstruction*>;

HloInstruction* Add(HloComputation* c, HloOpcode op, const Operands& operands,
                    Attributes attrs = NoAttrs{}, std::vector<HloComputation*> called = {},
                    const Shape* declared = nullptr) {
  auto i = c->Add(op, operands, std::move(attrs), called, declared);
  INFO((i.ok() ? "" : MessageOf(i.status())));
  REQUIRE(i.ok());
  return *i;
}

HloInstruction* Constant(HloComputation* c, Literal value) {
  return c->AddConstant(std::move(value));
}

HloInstruction* Element(HloComputation* c, HloInstruction* tuple, int64_t index) {
  return Add(c, HloOpcode::GetTupleElement, {tuple}, TupleElementAttrs{index});
}

HloComputation* Entry(HloModule& m) {
  HloComputation* c = m.AddComputation("main");
  m.set_entry(c);
  return c;
}

// sum + x, on scalars
HloComputation* Adder(HloModule& m, ElementType t) {
  HloComputation* c = m.AddComputation("add");
  HloInstruction* a = c->AddParameter(0, Shape(t));
  HloInstruction* b = c->AddParameter(1, Shape(t));
  c->set_root(Add(c, HloOpcode::Add, {a, b}));
  return c;
}

// By mpmath with 400 bits.
TEST_CASE("The logistic function of complex numbers near its poles") {
  using C = std::complex<double>;
  const double pi = 3.141592653589793;
  const std::vector<C> x{{-1.5360177127965443e-15, -9.42477796076938},
                         {0, pi},
                         {1e-9, pi},
                         {-0x1p-40, -15.707963267948966},
                         {1.5, -2}};
  const std::vector<C> expected{{-615804025598170.0, -147291744600619.47},
                                {0.5, 8165619676597685.0},
                                {1000000000.499985, 122.46467991473347},
                                {-1099511129395.0533, -740253232.1608493},
                                {1.0498425829702442, -0.234807340416369}};
  HloModule m("m");
  HloComputation* c = Entry(m);
  HloInstruction* p = c->AddParameter(0, Shape(ElementType::C128, {5}));
  c->set_root(Add(c, HloOpcode::Logistic, {p}));
  auto y = Evaluate(m, {Literal::R1<C>(absl::MakeConstSpan(x))});
  REQUIRE(y.ok());
  for (size_t i = 0; i < x.size(); ++i) {
    INFO(i);
    CHECK(std::abs(y->data<C>()[i] - expected[i]) <= 0x1p-52 * std::abs(expected[i]));
  }
}

TEST_CASE("arguments must fit the parameters") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  HloInstruction* x = c->AddParameter(0, Shape(ElementType::F32, {2}));
  c->set_root(Add(c, HloOpcode::Negate, {x}));
  auto y = Evaluate(m, {Literal::R1<float>({1, -2})});
  REQUIRE(y.ok());
  CHECK(*y == Literal::R1<float>({-1, 2}));
  CHECK(MessageOf(Evaluate(m, {}).status()) ==
        "computation 'main' takes 1 arguments, 0 were given");
  CHECK(MessageOf(Evaluate(m, {Literal::R1<float>({1})}).status()) ==
        "argument 0 of computation 'main' must be f32[2], not f32[1]");
  CHECK(Evaluate(HloModule("empty"), {}).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("arguments and constants are not changed in place") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  HloInstruction* x = c->AddParameter(0, Shape(ElementType::S32, {3}));
  HloInstruction* u = Constant(c, Literal::R1<int32_t>({9}));
  HloInstruction* i = Constant(c, Literal::R0<int32_t>(1));
  HloInstruction* k = Constant(c, Literal::R1<int32_t>({1, 2, 3}));
  HloInstruction* a = Add(c, HloOpcode::DynamicUpdateSlice, {x, u, i});
  HloInstruction* b = Add(c, HloOpcode::DynamicUpdateSlice, {k, u, i});
  c->set_root(Add(c, HloOpcode::Tuple, {a, b}));
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
  HloModule m("m");
  HloComputation* c = Entry(m);
  Shape shape(ElementType::F32, {});
  HloInstruction* x = Constant(c, Literal::R0(2.0f));
  c->set_root(Add(c, HloOpcode::CustomCall, {x}, CustomCallAttrs{"halve", "", false}, {}, &shape));
  auto absent = Evaluate(m, {});
  CHECK(absent.status().code() == absl::StatusCode::kUnimplemented);
  CHECK(MessageOf(absent.status()).find("halve") != std::string::npos);

  EvalOptions options;
  options.custom_call = [](const HloInstruction&, absl::Span<const Literal> operands) {
    return absl::StatusOr<Literal>(Literal::R0(operands[0].data<float>()[0] / 2));
  };
  auto y = Evaluate(m, {}, options);
  REQUIRE(y.ok());
  CHECK(*y == Literal::R0(1.0f));

  options.custom_call = [](const HloInstruction&, absl::Span<const Literal>) {
    return absl::StatusOr<Literal>(Literal::R0(1));
  };
  CHECK(Evaluate(m, {}, options).status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("limits") {
  HloModule m("m");
  HloComputation* cond = m.AddComputation("cond");
  cond->AddParameter(0, Shape(ElementType::S32));
  cond->set_root(Constant(cond, Literal::R0(true)));
  HloComputation* body = m.AddComputation("body");
  HloInstruction* s = body->AddParameter(0, Shape(ElementType::S32));
  body->set_root(Add(body, HloOpcode::Negate, {s}));
  HloComputation* c = Entry(m);
  HloInstruction* zero = Constant(c, Literal::R0<int32_t>(0));
  c->set_root(Add(c, HloOpcode::While, {zero}, NoAttrs{}, {cond, body}));
  EvalOptions options;
  options.max_instructions = 1000;
  CHECK(Evaluate(m, {}, options).status().code() == absl::StatusCode::kResourceExhausted);

  HloModule large("large");
  HloComputation* e = Entry(large);
  Shape shape(ElementType::F32, {int64_t{1} << 40});
  HloInstruction* one = Constant(e, Literal::R0(1.0f));
  e->set_root(Add(e, HloOpcode::Broadcast, {one}, DimensionsAttrs{}, {}, &shape));
  CHECK(Evaluate(large, {}).status().code() == absl::StatusCode::kResourceExhausted);

  HloModule deep("deep");
  HloComputation* callee = deep.AddComputation("f");
  callee->set_root(Constant(callee, Literal::R0(1.0f)));
  for (int i = 0; i < 5000; ++i) {
    HloComputation* caller = deep.AddComputation("f");
    caller->set_root(Add(caller, HloOpcode::Call, {}, NoAttrs{}, {callee}));
    callee = caller;
  }
  deep.set_entry(callee);
  CHECK(Evaluate(deep, {}).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("arrays of dynamic dimensions have the sizes that they have") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  Shape shape(ElementType::F32, {4});
  shape.set_dynamic(0, true);
  HloInstruction* x = c->AddParameter(0, shape);
  HloInstruction* y = Add(c, HloOpcode::Add, {x, x});
  HloInstruction* n = c->AddParameter(1, Shape(ElementType::S32));
  c->set_root(Add(c, HloOpcode::SetDimensionSize, {y, n}, DimensionsAttrs{{0}}));
  CHECK(c->root()->shape() == shape);
  auto value = [&](std::initializer_list<float> elements, int32_t size) {
    return Evaluate(m, {Literal::R1<float>(elements), Literal::R0(size)});
  };
  CHECK(value({1, 2, 3}, 2)->ToString() == "f32[2] {2, 4}");
  CHECK(value({1}, 3)->ToString() == "f32[3] {2, 0, 0}");
  CHECK(MessageOf(value({1}, 5).status()) ==
        "evaluating set-dimension-size 'set-dimension-size': the size of dimension 0 of f32[<=4] "
        "cannot be 5");
  CHECK_FALSE(value({1}, -1).ok());
  CHECK(MessageOf(value({1, 2, 3, 4, 5}, 1).status()) ==
        "argument 0 of computation 'main' must be f32[<=4], not f32[5]");
}

TEST_CASE("sizes of a reshape count the elements that there are") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  Shape shape(ElementType::F32, {4}), square(ElementType::F32, {2, 2});
  shape.set_dynamic(0, true);
  square.set_dynamic(0, true);
  HloInstruction* x = c->AddParameter(0, shape);
  HloInstruction* n = c->AddParameter(1, Shape(ElementType::S32));
  HloInstruction* two = Constant(c, Literal::R0<int32_t>(2));
  auto reshape = c->Add(HloOpcode::DynamicReshape, {x, n, two}, NoAttrs{}, {}, &square);
  REQUIRE(reshape.ok());
  c->set_root(*reshape);
  CHECK(Evaluate(m, {Literal::R1<float>({1, 2}), Literal::R0(1)})->ToString() ==
        "f32[1,2] {{1, 2}}");
  CHECK(MessageOf(Evaluate(m, {Literal::R1<float>({1, 2, 3}), Literal::R0(1)}).status()) ==
        "evaluating dynamic-reshape 'dynamic-reshape': (C2) sizes {1,2} are of 2 elements, f32[3] "
        "has 3");
}

TEST_CASE("dimensions without a bound are not evaluated") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  c->set_root(c->AddParameter(0, *Shape::Parse("f32[?]")));
  CHECK(Evaluate(m, {Literal::R1<float>({1})}).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("a long chain needs no stack") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  HloInstruction* x = c->AddParameter(0, Shape(ElementType::F32));
  HloInstruction* one = Constant(c, Literal::R0(1.0f));
  for (int i = 0; i < 200000; ++i) x = Add(c, HloOpcode::Add, {x, one});
  c->set_root(x);
  auto y = Evaluate(m, {Literal::R0(0.0f)});
  REQUIRE(y.ok());
  CHECK(*y == Literal::R0(200000.0f));
}

TEST_CASE("one instruction for constant folding") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  HloInstruction* x = c->AddParameter(0, Shape(ElementType::F32, {2}));
  HloInstruction* y = Add(c, HloOpcode::Multiply, {x, x});
  c->set_root(y);
  Literal a = Literal::R1<float>({2, 3}), b = Literal::R1<float>({5, 7});
  auto z = EvaluateInstruction(*y, {&a, &b});
  REQUIRE(z.ok());
  CHECK(*z == Literal::R1<float>({10, 21}));
  CHECK_FALSE(EvaluateInstruction(*y, {&a}).ok());
}

TEST_CASE("rounding is to the declared type, once") {
  HloModule m("m");
  HloComputation* c = Entry(m);
  Shape bf16(ElementType::BF16, {});
  // 2^25 + 2^17 + 1 lies above the tie of two neighbours in bf16; rounding to f32 first would reach
  // it.
  HloInstruction* x = Constant(c, Literal::R0<int32_t>((1 << 25) + (1 << 17) + 1));
  c->set_root(Add(c, HloOpcode::Convert, {x}, NoAttrs{}, {}, &bf16));
  auto y = Evaluate(m, {});
  REQUIRE(y.ok());
  CHECK(y->GetAsDouble(0) == (1 << 25) + (1 << 18));
}

// Nothing may grow with the iterations of a loop: the limit on the test's time would be exceeded.
TEST_CASE("a long loop over scalars, and a million elements") {
  HloModule m("m");
  Shape state = Shape::Tuple({Shape(ElementType::S32), Shape(ElementType::F32)});
  HloComputation* cond = m.AddComputation("cond");
  HloInstruction* s = cond->AddParameter(0, state);
  HloInstruction* limit = Constant(cond, Literal::R0<int32_t>(100000));
  cond->set_root(Add(cond, HloOpcode::Compare, {Element(cond, s, 0), limit},
                     CompareAttrs{ComparisonDirection::kLt, ComparisonType::kDefault}));
  HloComputation* body = m.AddComputation("body");
  s = body->AddParameter(0, state);
  HloInstruction* i =
      Add(body, HloOpcode::Add, {Element(body, s, 0), Constant(body, Literal::R0(1))});
  HloInstruction* half = Constant(body, Literal::R0(0.5f));
  HloInstruction* x = Add(body, HloOpcode::Add, {Element(body, s, 1), half});
  body->set_root(Add(body, HloOpcode::Tuple, {i, x}));
  HloComputation* c = Entry(m);
  HloInstruction* zero = Constant(c, Literal::R0<int32_t>(0));
  HloInstruction* start = Add(c, HloOpcode::Tuple, {zero, Constant(c, Literal::R0(0.0f))});
  c->set_root(Add(c, HloOpcode::While, {start}, NoAttrs{}, {cond, body}));
  auto state_after = Evaluate(m, {});
  REQUIRE(state_after.ok());
  CHECK(state_after->tuple()[1] == Literal::R0(50000.0f));

  HloModule wide("wide");
  HloComputation* adder = Adder(wide, ElementType::F32);
  HloComputation* e = Entry(wide);
  HloInstruction* p = e->AddParameter(0, Shape(ElementType::F32, {1000, 1000}));
  HloInstruction* y = Add(e, HloOpcode::Exp, {Add(e, HloOpcode::Multiply, {p, p})});
  HloInstruction* nothing = Constant(e, Literal::R0(0.0f));
  e->set_root(Add(e, HloOpcode::Reduce, {y, nothing}, DimensionsAttrs{{0}}, {adder}));
  Literal argument(Shape(ElementType::F32, {1000, 1000}));
  auto z = Evaluate(wide, {argument});
  REQUIRE(z.ok());
  CHECK(z->data<float>()[0] == 1000.0f);
}

}  // namespace
}  // namespace sinter
