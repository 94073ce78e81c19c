// Bounds that types do not state: results of what has bounded operands, whose sizes are those that
// the same program has when it is imported for arguments of given sizes.
#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

constexpr int64_t kMostRows = 6;

std::unique_ptr<HloModule> ImportFor(const std::string& text, const Shape& x) {
  auto module = ParseStablehlo(text, "t.mlir", {.arguments = {{.shape = x}}});
  INFO(text << "\n" << MessageOf(module.status()));
  REQUIRE(module.ok());
  absl::Status verified = VerifyModule(**module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  return std::move(*module);
}

// A program that is given %x, tensor<?x3xf32>, and %u, the same negated.
std::string BoundedProgram(const std::string& body, const std::string& result,
                           const std::string& functions = "") {
  return "func.func @main(%x: tensor<?x3xf32>) -> " + result +
         " {\n  %u = stablehlo.negate %x : tensor<?x3xf32>\n"
         "  %n = stablehlo.get_dimension_size %u, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>\n"
         "  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
         "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %c0 = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %c1 = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %c2 = stablehlo.constant dense<2> : tensor<i32>\n"
         "  %c3 = stablehlo.constant dense<3> : tensor<1xi32>\n" +
         body + "\n  return %r : " + result + "\n}\n" + functions;
}

// The program with a bounded argument has a result of these bounds, and for every size gives what
// it gives when it is imported for that size.
void CheckBounds(const std::string& text, const std::string& bounds) {
  Shape bounded(ElementType::F32, {kMostRows, 3});
  bounded.set_dynamic(0, true);
  const auto dynamic = ImportFor(text, bounded);
  INFO(text);
  CHECK(dynamic->entry()->root()->shape().ToString() == bounds);
  for (int64_t n = 0; n <= kMostRows; ++n) {
    INFO("of " << n << " rows");
    Literal x(Shape(ElementType::F32, {n, 3}));
    for (int64_t k = 0; k < 3 * n; ++k)
      x.data<float>()[static_cast<size_t>(k)] = static_cast<float>(k + 1);
    auto expected = Evaluate(*ImportFor(text, x.shape()), {x});
    INFO(MessageOf(expected.status()));
    REQUIRE(expected.ok());
    auto actual = Evaluate(*dynamic, {x});
    INFO(MessageOf(actual.status()));
    REQUIRE(actual.ok());
    CHECK(actual->ToString() == expected->ToString());
  }
}

// Of one operation that is written "operation" : (types) -> result.
void Check(const std::string& operation, const std::string& types, const std::string& result,
           const std::string& bounds) {
  CheckBounds(BoundedProgram("  %r = " + operation + " : (" + types + ") -> " + result, result),
              bounds);
}

const std::string kX = "tensor<?x3xf32>";

TEST_CASE("Results have the bounds of their operands") {
  Check("stablehlo.abs %u", kX, kX, "f32[<=6,3]");
  Check("stablehlo.subtract %u, %x", kX + ", " + kX, kX, "f32[<=6,3]");
  Check("stablehlo.broadcast %u, sizes = [2]", kX, "tensor<2x?x3xf32>", "f32[2,<=6,3]");
  Check("stablehlo.broadcast_in_dim %u, dims = [2, 1]", kX, "tensor<2x3x?xf32>", "f32[2,3,<=6]");
  Check("stablehlo.bitcast_convert %u", kX, "tensor<?x3xi32>", "s32[<=6,3]");
  Check("stablehlo.bitcast_convert %u", kX, "tensor<?x3x2xi16>", "s16[<=6,3,2]");
  Check("stablehlo.reshape %u", kX, "tensor<?xf32>", "f32[<=18]");
  Check("stablehlo.reshape %u", kX, "tensor<1x?x3xf32>", "f32[1,<=6,3]");
  Check("stablehlo.concatenate %u, %x, dim = 0", kX + ", " + kX, kX, "f32[<=12,3]");
  Check("stablehlo.concatenate %u, %x, dim = 1", kX + ", " + kX, "tensor<?x6xf32>", "f32[<=6,6]");
  Check("stablehlo.pad %u, %zero, low = [1, 0], high = [2, 0], interior = [0, 0]",
        kX + ", tensor<f32>", kX, "f32[<=9,3]");
  Check("stablehlo.transpose %u, dims = [1, 0]", kX, "tensor<3x?xf32>", "f32[3,<=6]");
  Check("stablehlo.dot_general %u, %x, contracting_dims = [1] x [1]", kX + ", " + kX,
        "tensor<?x?xf32>", "f32[<=6,<=6]");
  Check("stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [1]",
        kX + ", tensor<f32>", "tensor<?xf32>", "f32[<=6]");
  Check("\"chlo.constant_like\"(%u) {value = 2.0 : f32}", kX, kX, "f32[<=6,3]");
  Check("stablehlo.custom_call @Sharding(%u)", kX, kX, "f32[<=6,3]");
  CheckBounds(BoundedProgram("  %r = chlo.erf_inv %u : tensor<?x3xf32> -> tensor<?x3xf32>", kX),
              "f32[<=6,3]");
}

TEST_CASE("Sizes that are computed are at most what their operands allow") {
  auto sized = [](const std::string& size, const std::string& bounds) {
    CheckBounds(
        BoundedProgram(size + "  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
                              "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> "
                              "tensor<?xf32>",
                       "tensor<?xf32>"),
        bounds);
  };
  const std::string i32 = " : tensor<i32>\n";
  sized("  %m = stablehlo.add %n, %c2" + i32, "f32[<=8]");
  sized("  %m = stablehlo.multiply %n, %n" + i32, "f32[<=36]");
  sized("  %m = stablehlo.divide %n, %c2" + i32, "f32[<=3]");
  sized("  %m = stablehlo.remainder %n, %c2" + i32, "f32[<=1]");
  sized("  %m = stablehlo.minimum %n, %c2" + i32, "f32[<=2]");
  sized("  %m = stablehlo.maximum %n, %c2" + i32, "f32[<=6]");
  sized("  %m = stablehlo.clamp %c1, %n, %c2" + i32, "f32[<=2]");
  sized(
      "  %p = stablehlo.compare LT, %n, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  %m = stablehlo.select %p, %c2, %n : tensor<i1>, tensor<i32>\n",
      "f32[<=6]");
  // Twice less once is once, and what is left is constant.
  sized("  %t = stablehlo.multiply %n, %c2" + i32 + "  %m = stablehlo.subtract %t, %n" + i32,
        "f32[<=6]");
  sized("  %t = stablehlo.add %n, %c2" + i32 + "  %m = stablehlo.subtract %t, %n" + i32, "f32[2]");
  sized(
      "  %w = stablehlo.convert %n : (tensor<i32>) -> tensor<i64>\n"
      "  %d = stablehlo.add %w, %w : tensor<i64>\n"
      "  %m = stablehlo.convert %d : (tensor<i64>) -> tensor<i32>\n",
      "f32[<=12]");
}

TEST_CASE("Results of computed sizes have bounds") {
  const std::string size =
      "  %s = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, "
      "tensor<1xi32>) -> tensor<2xi32>\n"
      "  %o = stablehlo.constant dense<1> : tensor<2xi32>\n"
      "  %z = stablehlo.constant dense<0> : tensor<2xi32>\n";
  const std::string vector = "tensor<2xi32>";
  auto check = [&](const std::string& op, const std::string& types, const std::string& result,
                   const std::string& bounds) {
    CheckBounds(BoundedProgram(size + "  %r = " + op + " : (" + types + ") -> " + result, result),
                bounds);
  };
  check("stablehlo.dynamic_broadcast_in_dim %zero, %s, dims = []", "tensor<f32>, " + vector, kX,
        "f32[<=6,3]");
  check("stablehlo.dynamic_broadcast_in_dim %u, %s, dims = [0, 1]", kX + ", " + vector, kX,
        "f32[<=6,3]");
  check("stablehlo.dynamic_reshape %u, %s", kX + ", " + vector, kX, "f32[<=6,3]");
  check("stablehlo.dynamic_pad %u, %zero, %o, %z, %z",
        kX + ", tensor<f32>, " + vector + ", " + vector + ", " + vector, "tensor<?x4xf32>",
        "f32[<=7,4]");
  check("stablehlo.dynamic_pad %u, %zero, %s, %z, %z",
        kX + ", tensor<f32>, " + vector + ", " + vector + ", " + vector, "tensor<?x6xf32>",
        "f32[<=12,6]");
  check("stablehlo.real_dynamic_slice %u, %z, %s, %o",
        kX + ", " + vector + ", " + vector + ", " + vector, kX, "f32[<=6,3]");
  CheckBounds(
      BoundedProgram(
          "  %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>\n"
          "  %o = stablehlo.constant dense<1> : tensor<1xi32>\n"
          "  %s = stablehlo.concatenate %n1, %o, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
          "tensor<2xi32>\n"
          "  %r = \"stablehlo.dynamic_gather\"(%u, %i, %s) <{dimension_numbers = "
          "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = "
          "[1], index_vector_dim = 1>}> : (tensor<?x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> "
          "tensor<2x?xf32>",
          "tensor<2x?xf32>"),
      "f32[2,<=6]");
}

// A vector of n elements with a bound of 36, and %s, of the same n elements but a bound of 6.
const std::string kLoose =
    "  %k = stablehlo.multiply %n, %n : tensor<i32>\n"
    "  %g = stablehlo.maximum %n, %c1 : tensor<i32>\n"
    "  %m = stablehlo.divide %k, %g : tensor<i32>\n"
    "  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
    "  %loose = stablehlo.dynamic_iota %m1, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
    "  %s = stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [1] : "
    "(tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>\n";

TEST_CASE("Where bounds differ, the least is all that there is") {
  const std::string vector = "tensor<?xf32>";
  CheckBounds(BoundedProgram(kLoose + "  %r = stablehlo.add %loose, %s : tensor<?xf32>", vector),
              "f32[<=6]");
  CheckBounds(BoundedProgram(kLoose + "  %p = stablehlo.compare LT, %loose, %s : (tensor<?xf32>, "
                                      "tensor<?xf32>) -> tensor<?xi1>\n"
                                      "  %r = stablehlo.select %p, %s, %loose : tensor<?xi1>, "
                                      "tensor<?xf32>",
                             vector),
              "f32[<=6]");
  CheckBounds(
      BoundedProgram(kLoose + "  %a = stablehlo.reshape %loose : (tensor<?xf32>) -> "
                              "tensor<?x1xf32>\n"
                              "  %r = stablehlo.concatenate %u, %a, dim = 1 : (tensor<?x3xf32>, "
                              "tensor<?x1xf32>) -> tensor<?x4xf32>",
                     "tensor<?x4xf32>"),
      "f32[<=6,4]");
}

TEST_CASE("Branches and loops have bounds that hold for all ways") {
  // The shorter is in front: what it lacks is not there.
  const std::string branches =
      "  %p = stablehlo.compare LT, %n, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  %r = \"stablehlo.if\"(%p) ({\n"
      "    stablehlo.return %u : tensor<?x3xf32>\n  }, {\n"
      "    %a = stablehlo.concatenate %u, %x, dim = 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> "
      "tensor<?x3xf32>\n    stablehlo.return %a : tensor<?x3xf32>\n"
      "  }) : (tensor<i1>) -> tensor<?x3xf32>";
  CheckBounds(BoundedProgram(branches, kX), "f32[<=12,3]");
  const std::string sizes_inside =
      "  %r = \"stablehlo.case\"(%n) ({\n"
      "    %a = stablehlo.add %n1, %n1 : tensor<1xi32>\n"
      "    %b = stablehlo.dynamic_broadcast_in_dim %zero, %a, dims = [] : (tensor<f32>, "
      "tensor<1xi32>) -> tensor<?xf32>\n"
      "    stablehlo.return %b : tensor<?xf32>\n  }, {\n"
      "    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "    %s = stablehlo.constant dense<2> : tensor<1xi32>\n"
      "    %b = stablehlo.dynamic_reshape %a, %s : (tensor<2xf32>, tensor<1xi32>) -> "
      "tensor<?xf32>\n    stablehlo.return %b : tensor<?xf32>\n"
      "  }) : (tensor<i32>) -> tensor<?xf32>";
  CheckBounds(BoundedProgram(sizes_inside, "tensor<?xf32>"), "f32[<=12]");
  auto loop = [](const std::string& initial, const std::string& body) {
    return BoundedProgram(
        initial +
            "  %w:3 = stablehlo.while(%i = %c0, %a = %first, %b = %u) : tensor<i32>, "
            "tensor<?x3xf32>, tensor<?x3xf32>\n   cond {\n"
            "    %p = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> "
            "tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  } do {\n"
            "    %j = stablehlo.add %i, %c1 : tensor<i32>\n" +
            body + "  }\n  %r = stablehlo.negate %w#1 : tensor<?x3xf32>",
        kX);
  };
  const std::string smaller =
      "  %two = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
      "  %first = \"stablehlo.negate\"(%two) : (tensor<2x3xf32>) -> tensor<?x3xf32>\n";
  const std::string exchange =
      "    stablehlo.return %j, %b, %a : tensor<i32>, tensor<?x3xf32>, tensor<?x3xf32>\n";
  Shape bounded(ElementType::F32, {kMostRows, 3});
  bounded.set_dynamic(0, true);
  // Sizes alternate, so that only with bounds they can be one value: compared with what is right.
  auto program = ImportFor(loop(smaller, exchange), bounded);
  CHECK(program->entry()->root()->shape().ToString() == "f32[<=6,3]");
  auto result = Evaluate(*program, {Literal(Shape(ElementType::F32, {5, 3}))});
  REQUIRE(result.ok());
  CHECK(result->shape().ToString() == "f32[2,3]");
  // At most one row, of which there may be none.
  std::string few = loop(
      "  %q = stablehlo.constant dense<4> : tensor<1xi32>\n"
      "  %rows = stablehlo.divide %n1, %q : tensor<1xi32>\n"
      "  %from = stablehlo.constant dense<0> : tensor<2xi32>\n"
      "  %by = stablehlo.constant dense<1> : tensor<2xi32>\n"
      "  %to = stablehlo.concatenate %rows, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
      "tensor<2xi32>\n"
      "  %first = stablehlo.real_dynamic_slice %u, %from, %to, %by : (tensor<?x3xf32>, "
      "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>\n",
      exchange);
  few.replace(few.find("stablehlo.negate %w#1 :"), 23, "stablehlo.multiply %w#1, %first :");
  CheckBounds(few, "f32[<=1,3]");
  CheckBounds(loop("  %first = stablehlo.abs %u : tensor<?x3xf32>\n",
                   "    %s = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, "
                   "tensor<1xi32>) -> tensor<2xi32>\n"
                   "    %d = stablehlo.dynamic_broadcast_in_dim %zero, %s, dims = [] : "
                   "(tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>\n"
                   "    %e = stablehlo.add %a, %d : tensor<?x3xf32>\n"
                   "    stablehlo.return %j, %e, %b : tensor<i32>, tensor<?x3xf32>, "
                   "tensor<?x3xf32>\n"),
              "f32[<=6,3]");
  auto grows = ParseStablehlo(loop("  %first = stablehlo.abs %u : tensor<?x3xf32>\n",
                                   "    %e = stablehlo.concatenate %a, %b, dim = 0 : "
                                   "(tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
                                   "    stablehlo.return %j, %e, %b : tensor<i32>, "
                                   "tensor<?x3xf32>, tensor<?x3xf32>\n"),
                              "t.mlir", {.arguments = {{.shape = bounded}}});
  REQUIRE(grows.status().code() == absl::StatusCode::kUnimplemented);
  CHECK(FirstLine(MessageOf(grows.status())).find("whose bounds grow") != std::string::npos);
}

TEST_CASE("Collectives of one participant have the bounds of their operands") {
  const std::string one = "replica_groups = dense<0> : tensor<1x1xi64>";
  const std::string add =
      "({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : "
      "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  })";
  auto check = [&](const std::string& op) { Check(op, kX, kX, "f32[<=6,3]"); };
  check("\"stablehlo.all_gather\"(%u) <{all_gather_dim = 0 : i64, " + one + "}>");
  check(
      "\"stablehlo.all_gather\"(%u) <{all_gather_dim = 1 : i64, replica_groups = dense<> : "
      "tensor<0x0xi64>}>");
  check("\"stablehlo.all_reduce\"(%u) <{" + one + "}> " + add);
  check("\"stablehlo.reduce_scatter\"(%u) <{scatter_dimension = 0 : i64, " + one + "}> " + add);
  check(
      "\"stablehlo.all_to_all\"(%u) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
      "split_count = 1 : i64, " +
      one + "}>");
  check("\"stablehlo.collective_broadcast\"(%u) <{" + one + "}>");
  check(
      "\"stablehlo.collective_permute\"(%u) <{source_target_pairs = dense<0> : "
      "tensor<1x2xi64>}>");
  check(
      "\"stablehlo.collective_permute\"(%u) <{source_target_pairs = dense<> : "
      "tensor<0x2xi64>}>");
}

TEST_CASE("Loops in loops, functions, and sizes that they are given") {
  const std::string nested =
      "  %w:2 = stablehlo.while(%i = %c0, %a = %u) : tensor<i32>, tensor<?x3xf32>\n   cond {\n"
      "    %p = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %p : tensor<i1>\n  } do {\n"
      "    %j = stablehlo.add %i, %c1 : tensor<i32>\n"
      "    %v:3 = stablehlo.while(%k = %c0, %b = %a, %m = %n) : tensor<i32>, tensor<?x3xf32>, "
      "tensor<i32>\n     cond {\n"
      "      %p = stablehlo.compare LT, %k, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      stablehlo.return %p : tensor<i1>\n    } do {\n"
      "      %l = stablehlo.add %k, %c1 : tensor<i32>\n"
      "      %c = func.call @ones(%m, %b) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
      "      stablehlo.return %l, %c, %m : tensor<i32>, tensor<?x3xf32>, tensor<i32>\n    }\n"
      "    stablehlo.return %j, %v#1 : tensor<i32>, tensor<?x3xf32>\n  }\n"
      "  %r = stablehlo.negate %w#1 : tensor<?x3xf32>";
  const std::string function =
      "func.func private @ones(%m: tensor<i32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
      "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "  %d = func.call @twice_less_once(%m) : (tensor<i32>) -> tensor<i32>\n"
      "  %m1 = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>\n"
      "  %c3 = stablehlo.constant dense<3> : tensor<1xi32>\n"
      "  %s = stablehlo.concatenate %m1, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
      "tensor<2xi32>\n"
      "  %o = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, "
      "tensor<2xi32>) -> tensor<?x3xf32>\n"
      "  %r = stablehlo.add %b, %o : tensor<?x3xf32>\n  return %r : tensor<?x3xf32>\n}\n"
      "func.func private @twice_less_once(%m: tensor<i32>) -> tensor<i32> {\n"
      "  %t = stablehlo.add %m, %m : tensor<i32>\n"
      "  %r = stablehlo.subtract %t, %m : tensor<i32>\n  return %r : tensor<i32>\n}\n";
  CheckBounds(BoundedProgram(nested, kX, function), "f32[<=6,3]");
}

}  // namespace
}  // namespace sinter
