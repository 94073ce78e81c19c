// Operations that call computations, and C++ functions as computations.
#include "record.h"

namespace sinter {
namespace {

Computation AddF32() {
  Builder b("sum");
  Op x = Parameter(&b, 0, Shape(kF32), "a"), y = Parameter(&b, 1, Shape(kF32), "b");
  Add(x, y);
  return *b.Build();
}

TEST_CASE("reduce") {
  Builder b("t");
  Reduce(Param(b, 0, kF32, {2, 3}), Param(b, 1, kF32, {}), AddF32(), {1});
  CHECK(Body(b) == "ROOT reduce = f32[2] reduce(x, y), dimensions={1}, to_apply=sum");
  ReduceAll(Param(b, 0, kF32, {2, 3}), 0, [](Op x, Op y) { return Max(x, y); });
  CHECK(Body(b) ==
        "constant = f32[] constant(0)\n"
        "ROOT reduce = f32[] reduce(x, constant), dimensions={0,1}, to_apply=reduce_computation");
}

TEST_CASE("a computation is taken into the module once") {
  Builder b("t");
  Computation sum = AddF32();
  Op x = Param(b, 0, kF32, {2, 3});
  Op y = Reduce(Reduce(x, 0, sum, {0}), 0, sum, {0});
  auto c = b.Build(y);
  REQUIRE(c.ok());
  std::string text = c->ToString();
  CHECK(text.find("sum.1") == std::string::npos);
  // And again into the builder's next one.
  Reduce(Param(b, 0, kF32, {2}), 0, sum, {0});
  CHECK(Body(b).find("to_apply=sum") != std::string::npos);
}

TEST_CASE("equal functions of reductions become one computation") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 3});
  auto sum = [](Op p, Op q) { return p + q; };
  Reduce(Reduce(x, 0, sum, {0}) * ReduceAll(x, 1, [](Op p, Op q) { return p * q; }), 0, sum, {0});
  auto c = b.Build();
  REQUIRE(c.ok());
  std::string text = c->ToString();
  CHECK(text.find("reduce_computation.1 {") != std::string::npos);
  CHECK(text.find("reduce_computation.2 {") == std::string::npos);
}

TEST_CASE("reduce several") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2, 3}), i = Param(b, 1, kS32, {2, 3});
  Op f = Param(b, 2, kF32, {}), s = Param(b, 3, kS32, {});
  Reduce(&b, {x, i}, {f, s}, [](Op a, Op j, Op c, Op k) { return std::pair(a + c, j + k); }, {0});
  CHECK(Body(b) ==
        "ROOT reduce = (f32[3], s32[3]) reduce(x, y, z, u), dimensions={0}, "
        "to_apply=reduce_computation");
}

TEST_CASE("scan") {
  Builder b("t");
  auto sum = [](Op x, Op c) { return std::pair(c + x, c + x); };
  Op y = Scan(&b, {Param(b, 0, kF32, {2, 3})}, {Param(b, 1, kF32, {2})}, sum, 1, true, true);
  CHECK(b.GetShape(y)->ToString() == "(f32[2,3], f32[2])");
  CHECK(Body(b) ==
        "ROOT scan = (f32[2,3], f32[2]) scan(x, y), dimensions={1}, num_carries=1, "
        "is_reverse=true, is_associative=true, to_apply=scan_computation");
  Scan(&b, {Param(b, 0, kF32, {3})}, {Param(b, 1, kF32, {})}, AddF32(), 0);
  CHECK(Body(b) == "ROOT scan = f32[] scan(x, y), dimensions={0}, num_carries=1, to_apply=sum");
  Scan(&b, {Param(b, 0, kF32, {3})}, {Param(b, 1, kF32, {})}, sum, 1);
  CHECK(ErrorOf(b) == "scan: an input has no dimension 1; operands f32[3]");
}

TEST_CASE("a composite is a call") {
  Builder b("t");
  CompositeCall(&b, AddF32(), {Param(b, 0, kF32, {}), Param(b, 1, kF32, {})}, "my.add",
                "{n = 1 : i32}", 2);
  CHECK(Body(b) ==
        "ROOT call = f32[] call(x, y), to_apply=sum, is_composite=true, "
        "frontend_attributes={composite.attributes={n = 1 : i32},composite.name=\"my.add\","
        "composite.version=\"2\"}");
  CompositeCall(&b, AddF32(), {Param(b, 0, kF32, {}), Param(b, 1, kF32, {})}, "");
  CHECK(ErrorOf(b) == "call: the composite has no name");
}

TEST_CASE("a custom call with a computation") {
  Builder b("t");
  CustomCallWithComputation(&b, "f", {Param(b, 0, kF32, {2})}, AddF32(), Shape(kF32), "how");
  CHECK(Body(b) ==
        "ROOT custom-call = f32[] custom-call(x), custom_call_target=\"f\", "
        "backend_config=\"how\", called_computations={sum}");
}

TEST_CASE("map") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Param(b, 1, kF32, {2});
  Map(&b, {x, y}, [](Op a, Op c) { return a * c + 1; }, {0});
  CHECK(Body(b) == "ROOT map = f32[2] map(x, y), dimensions={0}, to_apply=map_computation");
}

TEST_CASE("call") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {}), y = Param(b, 1, kF32, {});
  Call(&b, AddF32(), {x, y});
  CHECK(Body(b) == "ROOT call = f32[] call(x, y), to_apply=sum");
}

TEST_CASE("while") {
  Builder b("t");
  SECTION("one value") {
    While([](Op i) { return Lt(i, 10); }, [](Op i) { return i + 1; }, Param(b, 0, kS32, {}));
    CHECK(Body(b) == "ROOT while = s32[] while(x), condition=while_condition, body=while_body");
  }
  SECTION("a tuple, as one op") {
    Op t = Tuple(&b, {Param(b, 0, kS32, {})});
    While([](Op s) { return Lt(GetTupleElement(s, 0), 10); },
          [](Op s) { return Tuple(s.builder(), {GetTupleElement(s, 0) + 1}); }, t);
    CHECK(b.first_error().ok());
  }
  SECTION("a tuple, its elements apart") {
    Op i = Param(b, 0, kS32, {}), x = Param(b, 1, kF32, {4});
    While([](Op n, Op) { return Lt(n, 10); },
          [](Op n, Op v) {
            return std::array{n + 1, v * 2};
          },
          {i, x});
    CHECK(Body(b) ==
          "tuple = (s32[], f32[4]) tuple(x, y)\n"
          "ROOT while = (s32[], f32[4]) while(tuple), condition=while_condition, body=while_body");
  }
  SECTION("any number of values") {
    std::vector<Op> init = {Param(b, 0, kS32, {}), Param(b, 1, kF32, {4})};
    While([](absl::Span<const Op> s) { return Lt(s[0], 10); },
          [](absl::Span<const Op> s) { return std::vector<Op>(s.begin(), s.end()); }, init);
    CHECK(b.first_error().ok());
  }
  SECTION("a body that changes the shape") {
    While([](Op i) { return Lt(i, 10); }, [](Op i) { return Broadcast(i, {2}); },
          Param(b, 0, kS32, {}));
    CHECK(ErrorOf(b) ==
          "while: (C2) the body must be (s32[]) -> s32[], it is (s32[]) -> s32[2]; operands s32[]");
  }
}

TEST_CASE("conditional") {
  Builder b("t");
  auto negate = [](Op x) { return -x; };
  auto keep = [](Op x) { return x; };
  SECTION("predicate") {
    Op p = Param(b, 0, kPred, {}), x = Param(b, 1, kF32, {}), y = Param(b, 2, kF32, {});
    Conditional(p, x, negate, y, keep);
    CHECK(Body(b) ==
          "ROOT conditional = f32[] conditional(x, y, z), true_computation=conditional_branch_0, "
          "false_computation=conditional_branch_1");
  }
  SECTION("index") {
    Op i = Param(b, 0, kS32, {}), x = Param(b, 1, kF32, {});
    Conditional(i, {negate, keep, negate}, {x, x, x});
    CHECK(Body(b) ==
          "ROOT conditional = f32[] conditional(x, y, y, y), "
          "branch_computations={conditional_branch_0, "
          "conditional_branch_1, conditional_branch_2}");
  }
  SECTION("computations by pointer") {
    Builder c("twice");
    Parameter(&c, 0, Shape(kF32), "v") * 2;
    Computation twice = *c.Build();
    Op i = Param(b, 0, kS32, {}), x = Param(b, 1, kF32, {});
    Conditional(i, {&twice, &twice}, {x, x});
    CHECK(Body(b) ==
          "ROOT conditional = f32[] conditional(x, y, y), branch_computations={twice, twice}");
  }
  SECTION("an index where a predicate is wanted") {
    Op i = Param(b, 0, kS32, {});
    Conditional(i, i, negate, i, keep);
    CHECK(ErrorOf(b) == "conditional: the predicate must be pred[]; operands s32[], s32[], s32[]");
  }
  SECTION("too few operands") {
    Op i = Param(b, 0, kS32, {});
    Conditional(i, {negate, keep}, {i});
    CHECK(ErrorOf(b) ==
          "conditional: 2 branches need an operand each, got 1; operands s32[], s32[]");
  }
}

TEST_CASE("functions that do not fit") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2});
  SECTION("number of ops") {
    Reduce(x, 0, [](Op a) { return a; }, {0});
    CHECK(ErrorOf(b) == "reduce: computation: the function must take 2 ops");
  }
  SECTION("values of the caller") {
    Reduce(x, 0, [x](Op a, Op c) { return a + c + x; }, {0});
    CHECK(ErrorOf(b) ==
          "add: an operand belongs to the builder \"t\"; values of another computation must be "
          "passed as operands");
  }
  SECTION("result of the caller") {
    Reduce(x, 0, [x](Op, Op) { return x; }, {0});
    CHECK(ErrorOf(b) ==
          "reduce: computation: the result: an operand belongs to the builder \"t\"; values of "
          "another computation "
          "must be passed as operands");
  }
  SECTION("values leaked") {
    Op leak;
    Reduce(x, 0, [&](Op a, Op c) { return leak = a + c; }, {0});
    x + leak;
    CHECK(ErrorOf(b) ==
          "add: an operand belongs to the builder \"reduce_computation\"; values of another "
          "computation must be passed "
          "as operands");
  }
  SECTION("null computation") {
    Reduce(x, 0, Computation(), {0});
    CHECK(ErrorOf(b) == "reduce: computation: the computation to call is null");
  }
}

TEST_CASE("functions within functions") {
  Builder b("t");
  Op n = Param(b, 0, kS32, {});
  While([](Op i) { return Lt(i, 10); },
        [](Op i) { return While([](Op j) { return Lt(j, 5); }, [](Op j) { return j + 1; }, i); },
        n);
  auto c = b.Build();
  REQUIRE(c.ok());
  CHECK(c->ToString().find("while_body.1") != std::string::npos);
}

}  // namespace
}  // namespace sinter
