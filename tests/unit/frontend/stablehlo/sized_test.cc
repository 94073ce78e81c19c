// Operations whose sizes are arguments, and the custom calls that frameworks make of such sizes.
#include "eval/eval.h"
#include "helpers.h"

namespace sinter {
namespace {

std::string VerifiedResult(const std::string& text, std::vector<Literal> arguments) {
  auto module = Parse(text);
  absl::Status verified = VerifyModule(*module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  auto result = Evaluate(*module, arguments);
  INFO(MessageOf(result.status()));
  REQUIRE(result.ok());
  return result->ToString();
}

Literal Sizes(std::vector<int32_t> sizes) {
  return Literal::R1<int32_t>(absl::MakeConstSpan(sizes));
}

TEST_CASE("Slices of a size that is an argument are gathered") {
  const std::string text =
      "func.func @main(%x: tensor<5x2xf32>, %i: tensor<2x1xi32>, %s: tensor<2xi32>) -> "
      "tensor<2x?x2xf32, #stablehlo.bounds<?, 3, ?>> {\n"
      "  %r = \"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = "
      "#stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}> : "
      "(tensor<5x2xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?x2xf32, "
      "#stablehlo.bounds<?, 3, ?>>\n"
      "  return %r : tensor<2x?x2xf32, #stablehlo.bounds<?, 3, ?>>\n}";
  const Literal x = Literal::R2<float>({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}});
  const Literal i = Literal::R2<int32_t>({{1}, {4}});
  // What would end behind the array begins earlier, by what the size really is.
  CHECK(VerifiedResult(text, {x, i, Sizes({1, 2})}) == "f32[2,1,2] {{{3, 4}}, {{9, 10}}}");
  CHECK(VerifiedResult(text, {x, i, Sizes({2, 2})}) ==
        "f32[2,2,2] {{{3, 4}, {5, 6}}, {{7, 8}, {9, 10}}}");
  CHECK(VerifiedResult(text, {x, i, Sizes({3, 2})}) ==
        "f32[2,3,2] {{{3, 4}, {5, 6}, {7, 8}}, {{5, 6}, {7, 8}, {9, 10}}}");
}

TEST_CASE("Functions of the chlo dialect of arrays whose size is an argument") {
  const std::string type = "tensor<?xf32, #stablehlo.bounds<3>>";
  const std::string text = "func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> " + type +
                           " {\n  %s = stablehlo.set_dimension_size %x, %n, dim = 0 : "
                           "(tensor<3xf32>, tensor<i32>) -> " +
                           type + "\n  %0 = chlo.erf_inv %s : " + type + " -> " + type +
                           "\n  %1 = chlo.next_after %s, %0 : " + type + ", " + type + " -> " +
                           type + "\n  return %0 : " + type + "\n}";
  const Literal x = Literal::R1<float>({0, 0, 0});
  CHECK(VerifiedResult(text, {x, Literal::R0<int32_t>(2)}) == "f32[2] {0, 0}");
  CHECK(VerifiedResult(text, {x, Literal::R0<int32_t>(3)}) == "f32[3] {0, 0, 0}");
}

TEST_CASE("Convolutions whose padding is an argument") {
  const std::string result = "tensor<1x?x1xf32, #stablehlo.bounds<?, 6, ?>>";
  const std::string text =
      "func.func @main(%x: tensor<1x3x1xf32>, %k: tensor<2x1x1xf32>, %p: tensor<1x2xi32>) -> " +
      result +
      " {\n  %r = \"stablehlo.dynamic_conv\"(%x, %k, %p) <{batch_group_count = 1 : i64, "
      "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = "
      "1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi32>) -> " +
      result + "\n  return %r : " + result + "\n}";
  Literal x(Shape(ElementType::F32, {1, 3, 1})), k(Shape(ElementType::F32, {2, 1, 1}));
  for (size_t n = 0; n < 3; ++n) x.data<float>()[n] = static_cast<float>(n + 1);
  k.data<float>()[0] = 1;
  k.data<float>()[1] = 10;
  CHECK(VerifiedResult(text, {x, k, Literal::R2<int32_t>({{0, 0}})}) ==
        "f32[1,2,1] {{{21}, {32}}}");
  CHECK(VerifiedResult(text, {x, k, Literal::R2<int32_t>({{1, 2}})}) ==
        "f32[1,5,1] {{{10}, {21}, {32}, {3}, {0}}}");
  CHECK(VerifiedResult(text, {x, k, Literal::R2<int32_t>({{-1, 1}})}) ==
        "f32[1,2,1] {{{32}, {3}}}");
}

TEST_CASE("One element is repeated where sizes are known only when the program runs") {
  const std::string bounded = "tensor<?xf32, #stablehlo.bounds<3>>";
  const std::string result = "tensor<?xf32, #stablehlo.bounds<5>>";
  const std::string text = "func.func @main(%x: " + bounded + ", %s: tensor<1xi32>) -> " + result +
                           " {\n  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (" +
                           bounded + ", tensor<1xi32>) -> " + result + "\n  return %r : " + result +
                           "\n}";
  CHECK(VerifiedResult(text, {Literal::R1<float>({7}), Sizes({4})}) == "f32[4] {7, 7, 7, 7}");
  CHECK(VerifiedResult(text, {Literal::R1<float>({7, 8, 9}), Sizes({3})}) == "f32[3] {7, 8, 9}");
}

TEST_CASE("Arrays without elements are padded and sliced") {
  CHECK(VerifiedResult(
            "func.func @main(%x: tensor<0xf32>, %s: tensor<1xi32>) -> tensor<?xf32, "
            "#stablehlo.bounds<4>> {\n  %z = stablehlo.constant dense<9.0> : tensor<f32>\n"
            "  %o = stablehlo.constant dense<0> : tensor<1xi32>\n"
            "  %r = stablehlo.dynamic_pad %x, %z, %s, %o, %o : (tensor<0xf32>, tensor<f32>, "
            "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32, "
            "#stablehlo.bounds<4>>\n  return %r : tensor<?xf32, #stablehlo.bounds<4>>\n}",
            {Literal(Shape(ElementType::F32, {0})), Sizes({2})}) == "f32[2] {9, 9}");
}

TEST_CASE("Slices of constant sizes may begin anywhere") {
  StablehloArgument x;
  x.sizes = {{4}};
  auto module = ParseStablehlo(
      "func.func @main(%x: tensor<?xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {\n"
      "  %o = stablehlo.constant dense<1> : tensor<1xi32>\n"
      "  %c = stablehlo.constant dense<2> : tensor<1xi32>\n"
      "  %l = stablehlo.add %s, %c : tensor<1xi32>\n"
      "  %r = stablehlo.real_dynamic_slice %x, %s, %l, %o : (tensor<?xf32>, tensor<1xi32>, "
      "tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n  return %r : tensor<?xf32>\n}",
      "t.mlir", {.arguments = {x}});
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  auto result = Evaluate(**module, {Literal::R1<float>({1, 2, 3, 4}), Sizes({1})});
  REQUIRE(result.ok());
  CHECK(result->ToString() == "f32[2] {2, 3}");
}

TEST_CASE("Random numbers of a size that is an argument") {
  const std::string result = "tensor<?xf32, #stablehlo.bounds<8>>";
  auto module =
      Parse("func.func @main(%s: tensor<1xi32>) -> " + result +
            " {\n  %a = stablehlo.constant dense<0.0> : tensor<f32>\n  %b = stablehlo.constant "
            "dense<1.0> : tensor<f32>\n  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : "
            "(tensor<f32>, tensor<f32>, tensor<1xi32>) -> " +
            result + "\n  return %r : " + result + "\n}");
  auto numbers = Evaluate(*module, {Sizes({5})});
  REQUIRE(numbers.ok());
  CHECK(numbers->shape().ToString() == "f32[5]");
}

TEST_CASE("Random bits of a size that is an argument are the first ones of the bound's") {
  auto program = [](const std::string& sizes, const std::string& type) {
    return "func.func @main(%s: tensor<1xi32>) -> " + type +
           " {\n  %c = stablehlo.constant dense<8> : tensor<1xi32>\n"
           "  %k = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n"
           "  %m = stablehlo.minimum %s, %c : tensor<1xi32>\n"
           "  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%k, " +
           sizes +
           ") {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, "
           "tensor<1xi32>) -> (tensor<2xui64>, " +
           type + ")\n  return %r#1 : " + type + "\n}";
  };
  auto run = [](const std::string& text) {
    auto module = Parse(text);
    auto result = Evaluate(*module, {Sizes({5})});
    INFO(MessageOf(result.status()));
    REQUIRE(result.ok());
    return *std::move(result);
  };
  const Literal all = run(program("%c", "tensor<8xui32>"));
  const Literal some = run(program("%s", "tensor<?xui32, #stablehlo.bounds<8>>"));
  REQUIRE(some.shape().ToString() == "u32[5]");
  for (size_t k = 0; k < 5; ++k) CHECK(some.data<uint32_t>()[k] == all.data<uint32_t>()[k]);
}

TEST_CASE("Groups of dynamic batches and features, with padding that is an argument") {
  // Two groups each, of a batch or of features that are an argument's rows.
  auto program = [](bool batch, bool padded, int64_t rows) {
    const std::string x = batch ? "tensor<?x3x2xf32>" : "tensor<1x3x?xf32>",
                      k = batch ? "tensor<2x2x4xf32>" : "tensor<2x?x4xf32>",
                      r = batch ? "tensor<?x?x4xf32>" : "tensor<1x?x4xf32>",
                      bounds = batch ? "<3, 6, ?>" : "<?, 6, ?>";
    const std::string type =
        padded ? r.substr(0, r.size() - 1) + ", #stablehlo.bounds" + bounds + ">" : r;
    std::string text =
        "func.func @main(%x: " + x + ", %k: " + k + ", %p: tensor<1x2xi32>) -> " + type + " {\n";
    text += padded ? "" : "  %c = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>\n";
    text += "  %r = \"stablehlo.dynamic_conv\"(%x, %k, " + std::string(padded ? "%p" : "%c") +
            ") <{batch_group_count = " + (batch ? "2" : "1") +
            " : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
            "feature_group_count = " +
            (batch ? "1" : "2") + " : i64}> : (" + x + ", " + k + ", tensor<1x2xi32>) -> " + type +
            "\n  return %r : " + type + "\n}";
    std::vector<StablehloArgument> arguments(2);
    Shape xs(ElementType::F32, batch ? Dims{rows, 3, 2} : Dims{1, 3, rows});
    Shape ks(ElementType::F32, batch ? Dims{2, 2, 4} : Dims{2, rows / 2, 4});
    if (padded) {
      xs.set_dynamic(batch ? 0 : 2, true);
      if (!batch) ks.set_dynamic(1, true);
    }
    arguments[0].shape = xs;
    arguments[1].shape = ks;
    auto module = ParseStablehlo(text, "t.mlir", {.arguments = arguments});
    INFO(text << "\n" << MessageOf(module.status()));
    REQUIRE(module.ok());
    return std::move(*module);
  };
  for (bool batch : {true, false}) {
    const auto dynamic = program(batch, true, 6);
    for (int64_t rows : {0, 2, 4, 6}) {
      INFO((batch ? "batch of " : "features: ") << rows);
      std::vector<Literal> arguments;
      arguments.emplace_back(Shape(ElementType::F32, batch ? Dims{rows, 3, 2} : Dims{1, 3, rows}));
      arguments.emplace_back(Shape(ElementType::F32, batch ? Dims{2, 2, 4} : Dims{2, rows / 2, 4}));
      for (Literal& a : arguments) {
        float next = 1;
        for (float& v : a.data<float>()) v = next++;
      }
      arguments.push_back(Literal::R2<int32_t>({{1, 2}}));
      auto expected = Evaluate(*program(batch, false, rows), arguments);
      INFO(MessageOf(expected.status()));
      REQUIRE(expected.ok());
      auto actual = Evaluate(*dynamic, arguments);
      INFO(MessageOf(actual.status()));
      REQUIRE(actual.ok());
      CHECK(actual->ToString() == expected->ToString());
    }
  }
}

std::string Asserting(const std::string& size) {
  return "func.func @main(%x: tensor<?x" + size +
         "xf32>) -> tensor<i32> {\n"
         "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x" +
         size +
         "xf32>) -> tensor<i32>\n"
         "  %c = stablehlo.constant dense<2> : tensor<i32>\n"
         "  %p = stablehlo.compare GE, %n, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "  stablehlo.custom_call @shape_assertion(%p, %n, %c) {api_version = 2 : i32, "
         "error_message = \"has {0} rows of {2}, needs {1}\", has_side_effect = true} : "
         "(tensor<i1>, "
         "tensor<i32>, tensor<i32>) -> ()\n  return %n : tensor<i32>\n}";
}

TEST_CASE("Assertions about shapes hold, or refuse the program") {
  auto parse = [](std::vector<int64_t> sizes) {
    StablehloArgument x;
    x.sizes = std::move(sizes);
    return ParseStablehlo(Asserting("3"), "t.mlir", {.arguments = {x}});
  };
  auto holds = parse({2, 3});
  INFO(MessageOf(holds.status()));
  REQUIRE(holds.ok());
  for (const auto& i : (*holds)->entry()->instructions()) CHECK(i->op() != HloOpcode::CustomCall);
  auto fails = parse({1, 3});
  CHECK(fails.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(FirstLine(MessageOf(fails.status())) ==
        "t.mlir:5:3: stablehlo.custom_call: has 1 rows of {2}, needs 2");
  Shape bounded(ElementType::F32, {5, 3});
  bounded.set_dynamic(0, true);
  auto open = ParseStablehlo(Asserting("3"), "t.mlir", {.arguments = {{.shape = bounded}}});
  INFO(MessageOf(open.status()));
  REQUIRE(open.ok());
  CHECK(Evaluate(**open, {Literal(Shape(ElementType::F32, {2, 3}))})->ToString() == "s32[] 2");
  const absl::Status refused =
      Evaluate(**open, {Literal(Shape(ElementType::F32, {1, 3}))}).status();
  CHECK(refused.code() == absl::StatusCode::kInvalidArgument);
  CHECK(MessageOf(refused).find("has 1 rows of {2}, needs 2") != std::string::npos);
}

TEST_CASE("Sizes may be what a function gives beside others") {
  StablehloArgument x;
  x.sizes = {{7}};
  auto module = ParseStablehlo(
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
      "  %c = stablehlo.constant dense<2> : tensor<i32>\n"
      "  %q:2 = call @divmod(%n, %c) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)\n"
      "  %s = stablehlo.reshape %q#0 : (tensor<i32>) -> tensor<1xi32>\n"
      "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n"
      "  return %r : tensor<?xi32>\n}\n"
      "func.func private @divmod(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) "
      "{\n  %0 = stablehlo.divide %a, %b : tensor<i32>\n  %1 = stablehlo.remainder %a, %b : "
      "tensor<i32>\n  return %0, %1 : tensor<i32>, tensor<i32>\n}",
      "t.mlir", {.arguments = {x}});
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  CHECK((*module)->entry()->root()->shape().ToString() == "s32[3]");
}

TEST_CASE("Functions that call the host are not evaluated to find sizes") {
  StablehloArgument x;
  x.sizes = {{7}};
  auto module = ParseStablehlo(
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
      "  %m = call @outside(%n) : (tensor<i32>) -> tensor<i32>\n"
      "  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
      "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n"
      "  return %r : tensor<?xi32>\n}\n"
      "func.func private @outside(%a: tensor<i32>) -> tensor<i32> {\n"
      "  %0 = stablehlo.custom_call @target(%a) : (tensor<i32>) -> tensor<i32>\n"
      "  return %0 : tensor<i32>\n}",
      "t.mlir", {.arguments = {x}});
  CHECK(module.status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("Custom calls with sizes as operands") {
  SECTION("the greatest elements") {
    CHECK(VerifiedResult(
              "func.func @main(%x: tensor<3xf32>) -> tensor<?xf32> {\n"
              "  %k = stablehlo.constant dense<2> : tensor<i32>\n"
              "  %r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<3xf32>, "
              "tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)\n  return %r#0 : tensor<?xf32>\n}",
              {Literal::R1<float>({1, 3, 2})}) == "f32[2] {3, 2}");
  }
  SECTION("windows") {
    CHECK(VerifiedResult(
              "func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
              "  %0 = stablehlo.add %a, %b : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
              "func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {\n"
              "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "  %w = stablehlo.constant dense<2> : tensor<1xi32>\n"
              "  %o = stablehlo.constant dense<1> : tensor<1xi32>\n"
              "  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>\n"
              "  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %w, %o, %o, "
              "%o, %p) {called_computations = [@add]} : (tensor<4xf32>, tensor<f32>, "
              "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> "
              "tensor<?xf32>\n  return %r : tensor<?xf32>\n}",
              {Literal::R1<float>({1, 2, 3, 4})}) == "f32[4] {1, 3, 5, 7}");
  }
  SECTION("random bits") {
    auto module = Parse(
        "func.func @main(%k: tensor<2xui64>) -> tensor<?xui32> {\n"
        "  %s = stablehlo.constant dense<5> : tensor<1xi32>\n"
        "  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%k, %s) "
        "{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) "
        "-> (tensor<2xui64>, tensor<?xui32>)\n  return %r#1 : tensor<?xui32>\n}");
    CHECK(module->entry()->root()->shape().ToString() == "u32[5]");
  }
  SECTION("the sizes of results") {
    auto module = Parse(
        "func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {\n"
        "  %s = stablehlo.constant dense<3> : tensor<1xi32>\n"
        "  %r = stablehlo.custom_call @target(%x, %s) {indices_of_shape_operands = dense<1> : "
        "tensor<1xi64>, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : "
        "tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>, "
        "tensor<1xi32>) -> tensor<?xf32>\n  return %r : tensor<?xf32>\n}");
    const HloInstruction* call = module->entry()->root();
    CHECK(call->shape().ToString() == "f32[3]");
    CHECK(call->operands().size() == 1);
  }
}

}  // namespace
}  // namespace sinter
