#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

using Catch::Matchers::Contains;

// x over n rows, and the sum of x and y.
constexpr std::string_view kOpen = R"(module @open {
  func.func @main(%n: tensor<i64>, %x: tensor<?x3xf32>, %y: tensor<?x3xf32> {tf.aliasing_output = 1 : i32})
      -> (tensor<?xf32>, tensor<?x3xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %one, %0, dims = [] : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
    %2 = stablehlo.add %x, %y : tensor<?x3xf32>
    return %1, %2 : tensor<?xf32>, tensor<?x3xf32>
  }
}
)";
constexpr std::string_view kHloProgram =
    "HloModule h, input_output_alias={ {}: (1, {}, may-alias) }\n"
    "ENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  ROOT c = f32[2] add(a, "
    "b)\n}\n";

Shape Floats(std::vector<int64_t> dimensions) {
  return Shape(ElementType::F32, std::move(dimensions));
}

TEST_CASE("a program tells what it takes before its shapes are known") {
  auto p = LoadProgram(kOpen);
  REQUIRE(p.ok());
  CHECK(p->name() == "open");
  REQUIRE(p->arguments().size() == 3);
  CHECK(p->arguments()[0].name == "n");
  CHECK(p->arguments()[0].shape == Shape(ElementType::S64));
  CHECK(p->arguments()[1].dimensions == std::vector<std::string>{"?", "3"});
  CHECK(p->arguments()[1].shape.dimension(0) == Shape::kUnbounded);
  CHECK_FALSE(p->arguments()[1].donated);
  CHECK(p->arguments()[2].donated);
  REQUIRE(p->results().size() == 2);
  CHECK(p->results()[1].dimensions == std::vector<std::string>{"?", "3"});
}

TEST_CASE("a program for shapes and a bound size") {
  Program p = LoadProgram(kOpen, {.name = "open.mlir"}).value();
  const Program unbound = p;
  REQUIRE(p.Bind(0, Literal::R0<int64_t>(4)).ok());
  auto c = p.Specialize({Floats({2, 3}), Floats({2, 3})});
  INFO(MessageOf(c.status()));
  REQUIRE(c.ok());
  const ProgramShape shape = c->GetProgramShape().value();
  CHECK(shape.parameters.size() == 2);
  CHECK(shape.result == Shape::Tuple({Floats({4}), Floats({2, 3})}));
  CHECK_THAT(c->ToHlo(), Contains("input_output_alias={ {1}: (1, {}, may-alias) }"));
  CHECK_THAT(c->ToStablehlo().value(), Contains("tensor<2x3xf32>"));
  // Bound again, and for other shapes.
  REQUIRE(p.Bind(0, Literal::R0<int64_t>(1)).ok());
  c = p.Specialize({Floats({5, 3}), Floats({5, 3})});
  REQUIRE(c.ok());
  CHECK(c->GetProgramShape()->result == Shape::Tuple({Floats({1}), Floats({5, 3})}));
  // Copies have values of their own.
  CHECK_FALSE(unbound.Specialize({Floats({2, 3}), Floats({2, 3})}).ok());
}

TEST_CASE("errors name the argument and the dimension") {
  Program p = LoadProgram(kOpen, {.name = "open.mlir"}).value();
  auto bind = [&](int64_t i, Literal value) { return MessageOf(p.Bind(i, std::move(value))); };
  CHECK(bind(0, Literal::R0<int32_t>(4)) == "open.mlir: argument 0 (n) is s32[], it takes s64[]");
  CHECK(bind(3, Literal::R0<int64_t>(4)) == "open.mlir: there is no argument 3, it takes 3");
  CHECK(bind(-1, Literal::R0<int64_t>(4)) == "open.mlir: there is no argument -1, it takes 3");
  CHECK(bind(0, Literal::R0<int64_t>(4)).empty());
  auto message = [&](const std::vector<Shape>& shapes) {
    const absl::Status s = p.Specialize(shapes).status();
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    return std::string(MessageOf(s));
  };
  CHECK(message({}) == "open.mlir: argument 1 (x) is f32[?, 3], its shape must be given");
  CHECK(message({Floats({2, 3}), Floats({2, 4})}) ==
        "open.mlir: dimension 1 of argument 2 (y) is 4, it must be 3");
  CHECK(message({Floats({2, 3}), Floats({2})}) ==
        "open.mlir: argument 2 (y) is f32[2], it takes f32[?, 3]");
  CHECK(message({Floats({2, 3})}) ==
        "open.mlir: it takes 2 arguments that are not bound, 1 shapes are given");
  CHECK_FALSE(p.Specialize({Floats({2, 3}), Floats({3, 3})}).ok());
}

TEST_CASE("programs of HLO text have their shapes") {
  Program p = LoadProgram(kHloProgram).value();
  REQUIRE(p.arguments().size() == 2);
  CHECK(p.arguments()[0].name == "a");
  CHECK_FALSE(p.arguments()[0].donated);
  CHECK(p.arguments()[1].donated);
  CHECK(p.Specialize().ok());
  CHECK(p.Specialize({Floats({2}), Floats({2})}).ok());
  CHECK(MessageOf(p.Specialize({Floats({2}), Floats({3})}).status()) ==
        "program: dimension 0 of argument 1 (b) is 3, it must be 2");
  CHECK(p.Bind(0, Literal::R1<float>({1, 2})).code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("no program") {
  Program none;
  CHECK(none.arguments().empty());
  CHECK(none.name().empty());
  CHECK(none.Specialize().status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(none.Bind(0, Literal::R0<int64_t>(1)).code() == absl::StatusCode::kInvalidArgument);
  CHECK(Computation().ToStablehlo().status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Computation().ToHlo().empty());
  CHECK_FALSE(LoadProgram("hello").ok());
  CHECK(LoadProgram(kOpen, {.entry = "other"}).status().code() ==
        absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sinter
