// Dynamic dimensions through the public interface, against the interpreter.
#include <catch2/catch.hpp>
#include <random>

#include "base/status.h"
#include "dynamic_programs.h"
#include "eval/eval.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/jit.h"
#include "sinter/ops.h"
#include "sinter/testing.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

Computation FromHlo(const std::string& text) {
  auto c = LoadHlo(text, "t.hlo");
  INFO(text);
  INFO(MessageOf(c.status()));
  REQUIRE(c.ok());
  return *c;
}

Literal IotaArray(std::vector<int64_t> sizes, float first = 1) {
  Literal x(Shape(ElementType::F32, std::move(sizes)));
  for (float& v : x.data<float>()) v = first++;
  return x;
}

// Every size up to the bound of the first parameter's first dimension.
void CheckAgainstInterpreter(Client& client, const std::string& text, int64_t bound,
                             int64_t inner) {
  const Computation c = FromHlo(text);
  auto compiled = client.Compile(c);
  INFO(text);
  INFO(MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  for (int64_t n = 0; n <= bound; ++n) {
    INFO("size " << n);
    std::vector<int64_t> sizes{n};
    if (inner > 0) sizes.push_back(inner);
    const Literal x = IotaArray(sizes);
    auto expected = Evaluate(*c.module(), {x});
    INFO(MessageOf(expected.status()));
    REQUIRE(expected.ok());
    auto actual = compiled->Evaluate({x});
    INFO(MessageOf(actual.status()));
    REQUIRE(actual.ok());
    CHECK(MessageOf(ExpectClose(*actual, *expected)) == MessageOf(absl::OkStatus()));
  }
}

TEST_CASE("compiled programs take and give arrays of their real sizes") {
  auto client = MakeClient(1);
  const std::string add =
      "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
      "direction=GT\n}\n";
  auto check = [&](const std::string& body) {
    CheckAgainstInterpreter(*client,
                            "HloModule m\n" + add + "ENTRY main {\n x = f32[<=5,3] parameter(0)\n" +
                                " z = f32[] constant(0)\n" + body + "\n}\n",
                            5, 3);
  };
  check("ROOT y = f32[<=5,3] add(x, x)");
  check("ROOT y = f32[3] reduce(x, z), dimensions={0}, to_apply=add");
  check("ROOT y = f32[<=10,3] concatenate(x, x), dimensions={0}");
  check("ROOT y = f32[<=5,3] reverse(x), dimensions={0,1}");
  check("ROOT y = f32[<=5,3] sort(x), dimensions={0}, to_apply=less");
  check("t = f32[3,<=5] transpose(x), dimensions={1,0}\n ROOT y = f32[<=15] reshape(t)");
  check("ROOT y = f32[3,3] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  check("ROOT y = f32[<=5,<=5] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  check("ROOT y = f32[<=5,3] reduce-window(x, z), window={size=5x1 pad=4_0x0_0}, to_apply=add");
  check(
      "n = s32[] get-dimension-size(x), dimensions={0}\n"
      "ROOT y = (f32[<=5,3], s32[]) tuple(x, n)");
}

TEST_CASE("collectives of one participant keep sizes") {
  auto client = MakeClient(1);
  auto check = [&](const std::string& body) {
    const std::string text =
        "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
        "add(a, b)\n}\nENTRY main {\n x = f32[<=5,3] parameter(0)\n y = f32[<=5,3] negate(x)\n" +
        body + "\n}\n";
    CheckAgainstInterpreter(*client, text, 5, 3);
    // The result has as many rows as there are.
    auto value = Evaluate(*FromHlo(text).module(), {IotaArray({2, 3})});
    INFO(body);
    REQUIRE(value.ok());
    const Literal& first = value->shape().is_tuple() ? value->tuple()[0] : *value;
    CHECK(first.shape().dimension(0) == 2);
  };
  check("ROOT r = f32[<=5,3] all-reduce(x), replica_groups={}, to_apply=add");
  check("ROOT r = (f32[<=5,3], f32[<=5,3]) all-reduce(x, y), replica_groups={}, to_apply=add");
  check("ROOT r = f32[<=5,3] all-gather(x), replica_groups={{0}}, dimensions={0}");
  check("ROOT r = f32[<=5,3] all-gather(x), replica_groups={}, dimensions={1}");
  check("ROOT r = (f32[<=5,3], f32[<=5,3]) all-gather(x, y), replica_groups={{0}}, dimensions={0}");
  check(
      "ROOT r = f32[<=5,3] reduce-scatter(x), replica_groups={{0}}, dimensions={0}, to_apply=add");
  check("ROOT r = f32[<=5,3] all-to-all(x), replica_groups={{0}}, dimensions={0}");
  check("ROOT r = (f32[<=5,3]) all-to-all(x), replica_groups={{0}}");
  check("ROOT r = f32[<=5,3] collective-broadcast(x), replica_groups={{0}}");
  check("ROOT r = f32[<=5,3] collective-permute(x), source_target_pairs={{0,0}}");
  check("ROOT r = f32[<=5,3] collective-permute(x), source_target_pairs={}");
  // Of several participants one has no more than its own.
  const Computation several = FromHlo(
      "HloModule m, replica_count=2\nENTRY main {\n x = f32[<=5,3] parameter(0)\n "
      "ROOT r = f32[<=10,3] all-gather(x), replica_groups={{0,1}}, dimensions={0}\n}\n");
  CHECK(Evaluate(*several.module(), {IotaArray({2, 3})}).status().code() ==
        absl::StatusCode::kUnimplemented);
  CHECK(client->Compile(several).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("random programs give what the interpreter gives") {
  auto client = MakeClient(1);
  std::mt19937 random(5);
  for (int program = 0; program < 12; ++program)
    CheckAgainstInterpreter(*client, testing::RandomDynamicProgram(random), 6, 3);
}

TEST_CASE("buffers say their real shapes") {
  auto client = MakeClient(1);
  Builder b("prefix");
  Shape shape(ElementType::F32, {6});
  shape.set_dynamic(0, true);
  Op x = Parameter(&b, 0, shape, "x"), n = Parameter(&b, 1, Shape(ElementType::S32), "n");
  auto computation = b.Build(SetDimensionSize(Neg(x), Min(n, GetDimensionSize(x, 0)), 0));
  REQUIRE(computation.ok());
  auto f = client->Compile(*computation);
  INFO(MessageOf(f.status()));
  REQUIRE(f.ok());
  CHECK(f->flat_parameter_shapes().size() == 2);
  CHECK(f->flat_parameter_shapes()[0].ToString() == "f32[<=6]");
  CHECK(f->result_shape().ToString() == "f32[<=6]");
  CHECK(f->flat_result_shapes().size() == 1);
  Buffer four = *client->BufferFromLiteral(IotaArray({4})),
         two = *client->BufferFromLiteral(Literal::R0<int32_t>(2)),
         ten = *client->BufferFromLiteral(Literal::R0<int32_t>(10));
  auto r = f->Execute({four, two});
  INFO(MessageOf(r.status()));
  REQUIRE(r.ok());
  REQUIRE(r->size() == 1);
  CHECK((*r)[0].shape().ToString() == "f32[2]");
  CHECK((*(*r)[0].ToLiteral()).ToString() == "f32[2] {-1, -2}");
  CHECK((*f->ExecuteAsync({four, ten}))[0].shape().ToString() == "f32[4]");
  SECTION("wrong arguments") {
    Buffer seven = *client->BufferFromLiteral(IotaArray({7}));
    auto wrong = f->Execute({seven, two});
    CHECK(wrong.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(MessageOf(wrong.status()) == "prefix: argument 0: expected f32[<=6], given f32[7]");
    CHECK(MessageOf(f->Execute({four}).status()) ==
          "prefix: 2 arguments are expected, 1 are given");
  }
  SECTION("donation") {
    REQUIRE(f->Execute({four, two}, {.donate = {0}}).ok());
    CHECK(four.IsDeleted());
  }
}

TEST_CASE("a traced function may make dimensions dynamic") {
  auto client = MakeClient(1);
  Jit prefix([](Builder&, absl::Span<const Op> in) { return SetDimensionSize(in[0], in[1], 0); });
  Buffer x = *client->BufferFromLiteral(IotaArray({3})),
         n = *client->BufferFromLiteral(Literal::R0<int32_t>(1));
  auto r = prefix(client, {x, n});
  INFO(MessageOf(r.status()));
  REQUIRE(r.ok());
  CHECK((*(*r)[0].ToLiteral()).ToString() == "f32[1] {1}");
}

TEST_CASE("StableHLO is imported for shapes of arguments") {
  auto client = MakeClient(1);
  const std::string text =
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %y = stablehlo.add %x, %x : tensor<?xf32>\n  return %y : tensor<?xf32>\n}";
  CHECK(LoadStablehlo(text).status().code() == absl::StatusCode::kUnimplemented);
  auto c = LoadStablehlo(text, "t.mlir", {Shape(ElementType::F32, {3})});
  REQUIRE(c.ok());
  auto f = client->Compile(*c);
  REQUIRE(f.ok());
  CHECK(f->Evaluate({IotaArray({3})})->ToString() == "f32[3] {2, 4, 6}");
  CHECK(LoadStablehlo(text, "t.mlir", {Shape(ElementType::S32, {3})}).status().code() ==
        absl::StatusCode::kInvalidArgument);
}

// Rows in front stay where they are, others move; narrow types share bytes.
TEST_CASE("Arrays of all sizes cross the boundary") {
  auto client = MakeClient(1);
  for (const char* type : {"f32", "pred", "s4", "c128"}) {
    for (const char* dims : {"<=4,3", "1,<=4,3", "3,<=4", "<=3,2,<=4"}) {
      const Computation c =
          FromHlo(Format("HloModule m\nENTRY main {{\n  x = {0}[{1}] parameter(0)\n"
                         "  ROOT y = {0}[{1}] copy(x)\n}}\n",
                         type, dims));
      auto f = client->Compile(c);
      INFO(type << "[" << dims << "] " << MessageOf(f.status()));
      REQUIRE(f.ok());
      const Shape declared = f->flat_parameter_shapes()[0];
      for (int64_t n = 0; n <= 4; ++n) {
        std::vector<int64_t> sizes = declared.dimensions();
        for (int64_t d = 0; d < declared.rank(); ++d) {
          int64_t& size = sizes[static_cast<size_t>(d)];
          if (declared.is_dynamic(d)) size = std::min(size, n);
        }
        Literal x(Shape(declared.element_type(), sizes));
        auto* bytes = static_cast<uint8_t*>(x.untyped_data());
        for (int64_t k = 0; k < x.byte_size(); ++k) bytes[k] = static_cast<uint8_t>(k % 2);
        auto y = f->Execute({*client->BufferFromLiteral(x)});
        INFO(MessageOf(y.status()));
        REQUIRE(y.ok());
        // The result is the caller's, whatever runs next.
        REQUIRE(f->Execute({*client->BufferFromLiteral(Literal(x.shape()))}).ok());
        auto got = (*y)[0].ToLiteral();
        REQUIRE(got.ok());
        CHECK(MessageOf(ExpectEqual(*got, x)) == MessageOf(absl::OkStatus()));
        // What came out goes in again, given away.
        auto again = f->Execute({(*y)[0]}, {.donate = {0}});
        INFO(MessageOf(again.status()));
        REQUIRE(again.ok());
        CHECK(MessageOf(ExpectEqual(*(*again)[0].ToLiteral(), x)) == MessageOf(absl::OkStatus()));
      }
    }
  }
}

TEST_CASE("Sizes that StableHLO takes as operands") {
  auto client = MakeClient(1);
  auto check = [&](const std::string& arguments, const std::string& result, const std::string& op,
                   std::vector<Literal> values) {
    auto c = LoadStablehlo("func.func @main(" + arguments + ") -> " + result + " {\n  %r = " + op +
                           " -> " + result + "\n  return %r : " + result + "\n}");
    INFO(op << "\n" << MessageOf(c.status()));
    REQUIRE(c.ok());
    auto f = client->Compile(*c);
    INFO(MessageOf(f.status()));
    REQUIRE(f.ok());
    auto expected = Evaluate(*c->module(), values);
    INFO(MessageOf(expected.status()));
    REQUIRE(expected.ok());
    auto actual = f->Evaluate(values);
    INFO(MessageOf(actual.status()));
    REQUIRE(actual.ok());
    CHECK(MessageOf(ExpectClose(*actual, *expected)) == MessageOf(absl::OkStatus()));
  };
  const Literal starts = Literal::R2<int32_t>({{1}, {4}});
  for (int32_t n = 0; n <= 3; ++n) {
    check("%x: tensor<5x2xf32>, %i: tensor<2x1xi32>, %s: tensor<2xi32>",
          "tensor<2x?x2xf32, #stablehlo.bounds<?, 3, ?>>",
          "\"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<"
          "offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}> : "
          "(tensor<5x2xf32>, tensor<2x1xi32>, tensor<2xi32>)",
          {IotaArray({5, 2}), starts, Literal::R1<int32_t>({n, 2})});
    check("%x: tensor<1x3x1xf32>, %k: tensor<2x1x1xf32>, %p: tensor<1x2xi32>",
          "tensor<1x?x1xf32, #stablehlo.bounds<?, 6, ?>>",
          "\"stablehlo.dynamic_conv\"(%x, %k, %p) <{batch_group_count = 1 : i64, "
          "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
          "feature_group_count = 1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, "
          "tensor<1x2xi32>)",
          {IotaArray({1, 3, 1}), IotaArray({2, 1, 1}), Literal::R2<int32_t>({{n, n - 2}})});
    check("%x: tensor<?xf32, #stablehlo.bounds<3>>, %s: tensor<2xi32>",
          "tensor<2x?xf32, #stablehlo.bounds<?, 5>>",
          "stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32, "
          "#stablehlo.bounds<3>>, tensor<2xi32>)",
          {IotaArray({1}), Literal::R1<int32_t>({2, n + 2})});
  }
}

TEST_CASE("Transforms of lengths that are not known are refused by name") {
  auto client = MakeClient(1);
  const Computation c = FromHlo(
      "HloModule m\nENTRY main {\n x = c64[2,<=4] parameter(0)\n"
      " ROOT y = c64[2,4] fft(x), fft_type=FFT, fft_length={4}\n}\n");
  const std::string why =
      "fft_length={4} is static, and dimension 1 of c64[2,<=4], which it transforms, has a size "
      "that is known only when the program runs";
  const absl::Status compiled = client->Compile(c).status();
  CHECK(compiled.code() == absl::StatusCode::kUnimplemented);
  CHECK(MessageOf(compiled).find(why) != std::string::npos);
  const absl::Status evaluated =
      Evaluate(*c.module(), {Literal(Shape(ElementType::C64, {2, 3}))}).status();
  CHECK(evaluated.code() == absl::StatusCode::kUnimplemented);
  CHECK(MessageOf(evaluated).find(why) != std::string::npos);
}

TEST_CASE("Random numbers are generated for bounds, and then are as many as the size says") {
  auto client = MakeClient(1);
  const std::string text =
      "HloModule m\nENTRY main {\n x = f32[<=5,3] parameter(0)\n s = u64[2] constant({1, 2})\n"
      " r = (u64[2], u32[<=5,3]) rng-bit-generator(s), algorithm=rng_three_fry\n"
      " a = u32[<=5,3] get-tuple-element(r), index=1\n"
      " n = s32[] get-dimension-size(x), dimensions={0}\n"
      " ROOT y = u32[<=5,3] set-dimension-size(a, n), dimensions={0}\n}\n";
  CheckAgainstInterpreter(*client, text, 5, 3);
  auto some = Evaluate(*FromHlo(text).module(), {IotaArray({2, 3})}),
       all = Evaluate(*FromHlo(text).module(), {IotaArray({5, 3})});
  REQUIRE(some.ok());
  REQUIRE(all.ok());
  REQUIRE(some->shape().ToString() == "u32[2,3]");
  for (size_t k = 0; k < 6; ++k) CHECK(some->data<uint32_t>()[k] == all->data<uint32_t>()[k]);
}

TEST_CASE("Assertions about sizes are checked when the program runs") {
  auto client = MakeClient(1);
  Shape bounded(ElementType::F32, {5});
  bounded.set_dynamic(0, true);
  auto c = LoadStablehlo(
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
      "  %c = stablehlo.constant dense<2> : tensor<i32>\n"
      "  %p = stablehlo.compare GE, %n, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = \"only {0}\", "
      "has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()\n"
      "  %y = stablehlo.negate %x : tensor<?xf32>\n  return %y : tensor<?xf32>\n}",
      "t.mlir", {bounded});
  INFO(MessageOf(c.status()));
  REQUIRE(c.ok());
  auto f = client->Compile(*c);
  INFO(MessageOf(f.status()));
  REQUIRE(f.ok());
  CHECK(f->Evaluate({IotaArray({2})})->ToString() == "f32[2] {-1, -2}");
  const absl::Status refused = f->Evaluate({IotaArray({1})}).status();
  CHECK(refused.code() == absl::StatusCode::kInvalidArgument);
  CHECK(MessageOf(refused).find("only 1") != std::string::npos);
}

}  // namespace
}  // namespace sinter
