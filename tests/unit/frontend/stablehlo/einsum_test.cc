#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

// The operation on s32 constants of these types, whose elements are 1, 2, 3, ...
std::string RunEinsum(const std::string& config, const std::vector<std::string>& types,
                      const std::string& result) {
  std::string text = "func.func @main() -> tensor<" + result + "> {\n", names, list;
  for (size_t n = 0; n < types.size(); ++n) {
    const std::string name = "%" + std::to_string(n), type = "tensor<" + types[n] + ">";
    const std::string flat = name + "f";
    int64_t count = 1;
    for (char c : types[n].substr(0, types[n].find("xi"))) {
      if (c != 'x') count *= c - '0';
    }
    const std::string of = "tensor<" + std::to_string(count) + "xi32>";
    text += "  " + flat + " = stablehlo.iota dim = 0 : " + of + "\n  " + name +
            "o = stablehlo.constant dense<1> : " + of + "\n  " + name + "s = stablehlo.add " +
            flat + ", " + name + "o : " + of + "\n  " + name + "r = stablehlo.reshape " + name +
            "s : (" + of + ") -> tensor<" + types[n].substr(0, types[n].rfind('i')) + "i32>\n  " +
            name + " = stablehlo.convert " + name + "r : (tensor<" +
            types[n].substr(0, types[n].rfind('i')) + "i32>) -> " + type + "\n";
    names += (n ? ", " : "") + name;
    list += (n ? ", " : "") + type;
  }
  text += std::string("  %r = stablehlo.") + (types.size() == 1 ? "unary_einsum " : "einsum ") +
          names + ", config = \"" + config + "\" : (" + list + ") -> tensor<" + result +
          ">\n  return %r : tensor<" + result + ">\n}";
  INFO(text);
  auto value = Evaluate(*Parse(text), {});
  INFO(MessageOf(value.status()));
  REQUIRE(value.ok());
  return value->ToString();
}

TEST_CASE("einsum") {
  CHECK(RunEinsum("ab,bc->ac", {"2x2xi32", "2x2xi32"}, "2x2xi32") ==
        "s32[2,2] {{7, 10}, {15, 22}}");
  CHECK(RunEinsum("ab,bc->ca", {"2x2xi32", "2x2xi32"}, "2x2xi32") ==
        "s32[2,2] {{7, 15}, {10, 22}}");
  CHECK(RunEinsum("a,b->ab", {"2xi32", "3xi32"}, "2x3xi32") == "s32[2,3] {{1, 2, 3}, {2, 4, 6}}");
  CHECK(RunEinsum("ab,ab->", {"2x2xi32", "2x2xi32"}, "i32") == "s32[] 30");
  CHECK(RunEinsum("ba,ba->ab", {"2x2xi32", "2x2xi32"}, "2x2xi32") == "s32[2,2] {{1, 9}, {4, 16}}");
  // What is in one operand only is summed first.
  CHECK(RunEinsum("ab,c->c", {"2x2xi32", "2xi32"}, "2xi32") == "s32[2] {10, 20}");
  // As the result's type, which holds more: 100 + 100 of i8.
  CHECK(RunEinsum("a,b->b", {"9xi8", "2xi8"}, "2xi16") == "s16[2] {45, 90}");
  // Diagonals.
  CHECK(RunEinsum("aa,b->ab", {"2x2xi32", "2xi32"}, "2x2xi32") == "s32[2,2] {{1, 2}, {4, 8}}");
  // The dimensions that are not named, of which those of size 1 fit any.
  CHECK(RunEinsum("...ab,...bc->...ac", {"2x1x2xi32", "2x2x1xi32"}, "2x1x1xi32") ==
        "s32[2,1,1] {{{5}}, {{25}}}");
  CHECK(RunEinsum("...a,...a->...", {"3x2xi32", "1x2xi32"}, "3xi32") == "s32[3] {5, 11, 17}");
  CHECK(RunEinsum("...a,a->...", {"2x2xi32", "2xi32"}, "2xi32") == "s32[2] {5, 11}");
}

TEST_CASE("unary_einsum") {
  CHECK(RunEinsum("ab->a", {"2x3xi32"}, "2xi32") == "s32[2] {6, 15}");
  CHECK(RunEinsum("ab->ba", {"2x3xi32"}, "3x2xi32") == "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}");
  CHECK(RunEinsum("aa->a", {"2x2xi32"}, "2xi32") == "s32[2] {1, 4}");
  CHECK(RunEinsum("aa->", {"2x2xi32"}, "i32") == "s32[] 5");
  CHECK(RunEinsum("...a->...", {"2x3xi32"}, "2xi32") == "s32[2] {6, 15}");
}

std::string ErrorOf(const std::string& config, const std::string& types) {
  return FirstLine(
      Error("func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {\n"
            "  %r = stablehlo.einsum %a, %b, config = \"" +
            config + "\" : " + types + "\n  return\n}"));
}

TEST_CASE("Configurations that say nothing") {
  const std::string types = "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>";
  const std::string at = "t.mlir:2:8: stablehlo.einsum: ";
  CHECK(ErrorOf("ab,bc", types) == at + "einsum_config \"ab,bc\" must be LHS,RHS->RESULT");
  CHECK(ErrorOf("ab->ac", types) == at + "einsum_config \"ab->ac\" must be LHS,RHS->RESULT");
  CHECK(ErrorOf("a,bc->ac", types) ==
        at + "'a' does not name the dimensions of an operand of rank 2");
  CHECK(ErrorOf("...abc,bc->ac", types) ==
        at + "'...abc' does not name the dimensions of an operand of rank 2");
  CHECK(ErrorOf("a1,bc->ac", types) == at + "'1' in einsum_config is no letter");
  CHECK(ErrorOf("ab,bc->ad", types) ==
        at + "\"ad\" must name dimensions of the operands, each once");
  CHECK(ErrorOf("ab,bc->aa", types) ==
        at + "\"aa\" must name dimensions of the operands, each once");
  CHECK(ErrorOf("aa,bc->ac", types) ==
        at + "dimensions 0 and 1 of an operand have one name and two sizes");
  CHECK(ErrorOf("ab,bc->ca", "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>") ==
        at + "the result is tensor<2x2xf32>, not tensor<2x3xf32>");
}

TEST_CASE("A general product of integers by floats is one of floats") {
  auto m = Parse(R"(
    func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
      %a = stablehlo.constant dense<[[0.5, 1.0], [2.0, -1.0]]> : tensor<2x2xbf16>
      %n = stablehlo.constant dense<[3, 5]> : tensor<2xi32>
      %0 = stablehlo.dot_general %a, %n, contracting_dims = [1] x [0]
          : (tensor<2x2xbf16>, tensor<2xi32>) -> tensor<2xf32>
      %1 = stablehlo.dot_general %n, %a, contracting_dims = [0] x [0]
          : (tensor<2xi32>, tensor<2x2xbf16>) -> tensor<2xf32>
      return %0, %1 : tensor<2xf32>, tensor<2xf32>
    })");
  auto value = Evaluate(*m, {});
  INFO(MessageOf(value.status()));
  REQUIRE(value.ok());
  CHECK(value->ToString() == "(f32[2], f32[2]) ({6.5, 1}, {11.5, -2})");
}

}  // namespace
}  // namespace sinter
