// The first error sticks, with the line of the program.
#include <source_location>

#include "record.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/math.h"

namespace sinter {
namespace {

// The place of the statement on the next line, as errors begin.
std::string Below(std::source_location where = std::source_location::current()) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line() + 1) + ": ";
}

TEST_CASE("the first error is kept, what follows does nothing") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Param(b, 1, kF32, {3});
  std::string first = Below();
  Op bad = x + y;
  first +=
      "add: dimension 0 of size 2 does not go with dimension 0 of size 3; operands f32[2], f32[3]";
  CHECK(!bad.valid());
  CHECK(bad.builder() == &b);
  Op worse = Dot(bad, 1) * 2 + Exp(bad);
  CHECK(!worse.valid());
  Op z = Transpose(y, {5});
  CHECK(!z.valid());
  CHECK(std::string(b.first_error().message()) == first);
  auto built = b.Build(x);
  REQUIRE(!built.ok());
  CHECK(built.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(std::string(built.status().message()) == first);
  CHECK(!b.GetShape(x).ok());
}

TEST_CASE("lines of calls, operators, numbers and helpers") {
  auto fails = [](auto record) {
    Builder b("t");
    record(b);
    return std::string(b.first_error().message());
  };
  std::string line;
  std::string error = fails([&](Builder& b) {
    Op x = Param(b, 0, kS32, {2});
    line = Below();
    Exp(x);
  });
  CHECK(error == line +
                     "exponential: operand 0 has element type s32, allowed are floats, complex "
                     "numbers; operands s32[2]");
  error = fails([&](Builder& b) {
    Op x = Param(b, 0, kS32, {2});
    line = Below();
    0.5 + x;
  });
  CHECK(error == line + "add: the number 0.5 is no s32");
  error = fails([&](Builder& b) {
    line = Below();
    Parameter(&b, -1, Shape(kF32), "x");
  });
  CHECK(error == line + "parameter: the number -1 is not within 0 and 1048575");
  error = fails([&](Builder& b) {
    Op x = Param(b, 0, kS32, {2});
    line = Below();
    Lgamma(x);
  });
  CHECK(error == line + "lgamma: the operand must be of a float type; operands s32[2]");
  error = fails([&](Builder& b) {
    Op x = Param(b, 0, kF32, {2});
    Reduce(x, 0,
           [&](Op a, Op c) {
             line = Below();
             return Not(a) & c;
           },
           {0});
  });
  CHECK(error == line +
                     "not: operand 0 has element type f32, allowed are predicates, signed "
                     "integers, unsigned integers; operands f32[]");
}

TEST_CASE("ops that stand for nothing") {
  Builder b("t"), other("other");
  Op x = Param(b, 0, kF32, {});
  SECTION("made by nobody") {
    Op none = Exp(Op());
    CHECK(none.IsUninitialized());
    CHECK(Max(1, 2).IsUninitialized());
    CHECK(!none.shape().ok());
    x + none;
    CHECK(ErrorOf(b) == "add: an operand is an op that no builder made");
  }
  SECTION("another builder's") {
    x + Param(other, 0, kF32, {});
    CHECK(ErrorOf(b) ==
          "add: an operand belongs to the builder \"other\"; values of another computation must be "
          "passed as operands");
    CHECK(other.first_error().ok());
  }
  SECTION("of a computation built already") {
    REQUIRE(b.Build().ok());
    Param(b, 0, kF32, {}) + x;
    CHECK(ErrorOf(b) == "add: an operand belongs to a computation that \"t\" has built already");
  }
  SECTION("as the result") {
    CHECK(std::string(b.Build(Op()).status().message()) ==
          "the result of \"t\": an operand is an op that no builder made");
  }
}

TEST_CASE("a builder that recorded nothing") {
  Builder b("t");
  CHECK(ErrorOf(b) == "the builder \"t\" has recorded nothing to build");
}

TEST_CASE("a builder is good for another computation") {
  Builder b("t");
  Param(b, 0, kF32, {}) + 1;
  std::string first = Body(b);
  Param(b, 0, kF32, {}) + 1;
  CHECK(Body(b) == first);
}

TEST_CASE("errors reported by the program") {
  Builder b("t");
  Op none = b.ReportError(absl::UnimplementedError("mine"));
  CHECK(!none.valid());
  CHECK(b.Build().status() == absl::UnimplementedError("mine"));
  Builder c("t");
  Op x = Param(c, 0, kF32, {});
  CHECK(c.ReportErrorOrReturn([&]() -> absl::StatusOr<Op> { return x; }).IsIdenticalTo(x));
  CHECK(!c.ReportErrorOrReturn(absl::InvalidArgumentError("no")).valid());
  CHECK(ErrorOf(c) == "no");
}

TEST_CASE("sub-builders tell their parents") {
  Builder b("t");
  auto sub = b.CreateSubBuilder("sub");
  Exp(Parameter(sub.get(), 0, Shape(kS32), "x"));
  CHECK(sub->BuildAndNoteError().IsNull());
  CHECK(ErrorOf(b).starts_with("exponential: operand 0"));
}

TEST_CASE("the order of root and last operation") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {});
  Op y = x + 1;
  x * 2;
  auto c = b.Build(y);
  REQUIRE(c.ok());
  CHECK(c->ToString().find("ROOT add") != std::string::npos);
}

TEST_CASE("metadata") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {});
  {
    ScopedOpMetadata scope(&b, {.op_name = "layer", .source_file = "model.py", .source_line = 7});
    Exp(x);
  }
  b.SetOneShotOpMetadata({.op_name = "once"});
  Exp(x);
  std::string line = "source_line=" + std::to_string(std::source_location::current().line() - 1);
  Exp(x);
  auto c = b.Build();
  REQUIRE(c.ok());
  std::string text = c->ToString(true);
  CHECK(text.find("metadata={op_name=\"layer\" source_file=\"model.py\" source_line=7}") !=
        std::string::npos);
  CHECK(text.find("op_name=\"once\"") != std::string::npos);
  CHECK(text.find(line) != std::string::npos);
}

TEST_CASE("without a builder nothing is recorded") {
  Builder* none = nullptr;
  CHECK(Parameter(none, 0, Shape(kF32, {2}), "x").IsUninitialized());
  CHECK(ConstantR0<float>(none, 1).IsUninitialized());
  CHECK(Iota(none, kF32, 4).IsUninitialized());
  CHECK(Tuple(none, {}).IsUninitialized());
  CHECK(Exp(Op()).IsUninitialized());
  CHECK(ArgMax(Op(), kF32, 0).IsUninitialized());
  CHECK(CreateScalarAddComputation(kF32, none).IsNull());
  ScopedOpMetadata scope(none, OpMetadata{});
  // The next builder that sees such an op says so.
  Builder b("t");
  Add(Param(b, 0, kF32, {2}), Op());
  CHECK(std::string(b.Build().status().message()).find("no builder made") != std::string::npos);
}

TEST_CASE("constants of the program") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {}), one = ConstantR0<float>(&b, 1);
  CHECK(*b.IsConstant(one + one));
  CHECK(!*b.IsConstant(one + x));
}

TEST_CASE("a long chain is linear and does not recurse") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {});
  Op one = ConstantR0<float>(&b, 1);
  for (int i = 0; i < 200000; ++i) x = x + one;
  auto c = b.Build();
  REQUIRE(c.ok());
  CHECK(c->GetProgramShape()->ToString() == "(x: f32[]) -> f32[]");
}

}  // namespace
}  // namespace sinter
