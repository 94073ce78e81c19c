#include "ir/module.h"  // before what names ops shortly

#include "sinter/custom_call.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "eval/eval.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

const Shape kFive(ElementType::F32, {5});

void DoubleAndNegate(void* out, const void** in) {
  auto* results = static_cast<float**>(out);
  for (int i = 0; i < 5; ++i) {
    float x = static_cast<const float*>(in[0])[i];
    results[0][i] = 2 * x;
    results[1][i] = -x;
  }
}
SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.double_and_negate", DoubleAndNegate, "Host");

absl::Status AddN(CustomCallBuffer<const float> x, CustomCallBuffer<float> y, int64_t n) {
  if (n < 0) return InvalidArgument("n is {}", n);
  for (int64_t i = 0; i < x.size(); ++i) y.data[i] = x.data[i] + static_cast<float>(n);
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL(
    "test.add_n", "Host",
    BindCustomCall().Operand<float>().Result<float>().Attribute<int64_t>("n").To(AddN));

// Adds the position in memory, 0, 1, 2, ...
absl::Status Count(CustomCallBuffer<const float> x, CustomCallBuffer<float> y) {
  for (int64_t i = 0; i < x.size(); ++i) y.data[i] = x.data[i] + static_cast<float>(i);
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL("test.count", "Host",
                                  BindCustomCall().Operand<float>().Result<float>().To(Count));

// Twice the position in memory, in both results.
absl::Status CountTwice(CustomCallBuffer<const float>, CustomCallBuffer<float> y,
                        CustomCallBuffer<float> z) {
  for (int64_t i = 0; i < y.size(); ++i) y.data[i] = z.data[i] = static_cast<float>(2 * i);
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL(
    "test.count_twice", "Host",
    BindCustomCall().Operand<float>().Result<float>().Result<float>().To(CountTwice));

Literal Input() { return Literal::R1<float>({1, 2, 3, 4, 5}); }

void RequireOnBoth(const Computation& c, const Literal& expected) {
  auto client = *Client::Cpu();
  auto executable = client->Compile(c);
  CAPTURE(MessageOf(executable.status()));
  REQUIRE(executable.ok());
  REQUIRE(*executable->Evaluate({Input()}) == expected);
  auto interpreted = Evaluate(*c.module(), {Input()});
  CAPTURE(MessageOf(interpreted.status()));
  REQUIRE(interpreted.ok());
  REQUIRE(*interpreted == expected);
}

TEST_CASE("custom calls between kernels") {
  Builder b("calls");
  Op x = Parameter(&b, 0, kFive, "x");
  Op both = CustomCall(&b, "test.double_and_negate", {x + 1}, Shape::Tuple({kFive, kFive}));
  Op n = CustomCallWithLayout(&b, "test.add_n", {GetTupleElement(both, 1)}, kFive, {kFive},
                              "{n = 10}");
  auto c = b.Build(GetTupleElement(both, 0) * n);
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  // 2 (x + 1) (10 - (x + 1))
  RequireOnBoth(*c, Literal::R1<float>({32, 42, 48, 50, 48}));
}

TEST_CASE("custom calls in a loop, whose state shares storage") {
  auto c = LoadStablehlo(R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<5xf32>
   cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %a = stablehlo.custom_call @test.add_n(%v) {backend_config = "{n = 2}"}
        : (tensor<5xf32>) -> tensor<5xf32>
    %b = stablehlo.multiply %a, %v : tensor<5xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<5xf32>
  }
  return %r#1 : tensor<5xf32>
})");
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  std::vector<float> expected = {1, 2, 3, 4, 5};
  for (int i = 0; i < 3; ++i)
    for (float& v : expected) v *= v + 2;
  RequireOnBoth(*c, *Literal::FromSpan<float>({5}, expected));
}

TEST_CASE("custom calls of StableHLO") {
  auto c = LoadStablehlo(R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "test.add_n", api_version = 4 : i32,
      backend_config = {n = 3 : i64}} : (tensor<5xf32>) -> tensor<5xf32>
  %1 = stablehlo.custom_call @test.add_n(%0) {mhlo.backend_config = {n = 4 : i64}}
      : (tensor<5xf32>) -> tensor<5xf32>
  %2 = stablehlo.custom_call @test.add_n(%1) {backend_config = "{n = 100}"}
      : (tensor<5xf32>) -> tensor<5xf32>
  return %2 : tensor<5xf32>
})");
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  RequireOnBoth(*c, Literal::R1<float>({108, 109, 110, 111, 112}));
}

TEST_CASE("JAX's calls of LAPACK, whose matrices are column-major") {
  // The solution of a lower triangular system with two right-hand sides.
  auto c = LoadStablehlo(R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %a = stablehlo.constant dense<[[2.0, 9.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.slice %x [0:4] : (tensor<5xf32>) -> tensor<4xf32>
  %b = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {backend_config = "",
      mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8,
      uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>,
      dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x2xf32>) -> tensor<4xf32>
  %3 = stablehlo.slice %x [4:5] : (tensor<5xf32>) -> tensor<1xf32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %4 : tensor<5xf32>
})");
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  // x = {1, 2, 3, 4, 5}: rows (1, 2) / 2 and ((3, 4) - (0.5, 1)) / 4
  RequireOnBoth(*c, Literal::R1<float>({0.5f, 1, 0.625f, 0.75f, 5}));
}

// The bytes of s4[5] become those of u2[9], and f4e2m1fn[3] loses its signs.
absl::Status Repack(const CustomCallFrame& frame) {
  const Shape four(ElementType::S4, {5}), two(ElementType::U2, {9}), f4(ElementType::F4E2M1FN, {3});
  if (*frame.operands[0].shape != four || *frame.operands[1].shape != f4 ||
      *frame.results[0].shape != two || *frame.results[1].shape != f4) {
    return InvalidArgument("told of other shapes");
  }
  auto in = [&](size_t i) { return static_cast<const uint8_t*>(frame.operands[i].data); };
  auto out = [&](size_t i) { return static_cast<uint8_t*>(frame.results[i].data); };
  std::copy_n(in(0), 3, out(0));
  for (int i = 0; i < 2; ++i) out(1)[i] = in(1)[i] & 0x77;
  return absl::OkStatus();
}
SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.repack", CustomCallFunction(Repack), "Host");

TEST_CASE("elements of 2 and 4 bits are packed for custom calls") {
  const Shape four(ElementType::S4, {5}), two(ElementType::U2, {9}), f4(ElementType::F4E2M1FN, {3});
  Builder b("small");
  Op x = Parameter(&b, 0, kFive, "x");
  Op both = CustomCall(&b, "test.repack",
                       {ConvertElementType(x * 3 - 8, ElementType::S4),
                        ConvertElementType(Slice(x, {0}, {3}, {1}) - 2, ElementType::F4E2M1FN)},
                       Shape::Tuple({two, f4}));
  // Into the next one as they come, and out of it into kernels.
  Op pairs = ConvertElementType(GetTupleElement(both, 0), ElementType::F32);
  Op floats = ConvertElementType(GetTupleElement(both, 1), ElementType::F32);
  auto c = b.Build(Slice(pairs, {4}, {9}, {1}) +
                   Pad(floats, ConstantR0<float>(&b, 0), MakeEdgePaddingConfig({{1, 1}})) * 10);
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  // -5 -2 1 4 7: eb 41 07, whose pairs from the fifth are 1 0 0 1 3; 1 0 1 without signs.
  RequireOnBoth(*c, Literal::R1<float>({1, 10, 0, 11, 3}));
}

absl::Status CopyByte(CustomCallBuffer<const uint8_t>, CustomCallBuffer<uint8_t>) {
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL(
    "test.copy_byte", "Host", BindCustomCall().Operand<uint8_t>().Result<uint8_t>().To(CopyByte));

TEST_CASE("packed elements are no bytes to a typed target") {
  Builder b("typed");
  const Shape pair(ElementType::U4, {5});
  auto c = *b.Build(CustomCall(&b, "test.copy_byte", {Parameter(&b, 0, pair, "x")}, pair));
  auto e = *(*Client::Cpu())->Compile(c);
  absl::Status s = e.Evaluate({Literal(pair)}).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(Evaluate(*c.module(), {Literal(pair)}).status() == s);
}

TEST_CASE("a target's status is the caller's of Execute") {
  Builder b("fails");
  Op x = Parameter(&b, 0, kFive, "x");
  auto c = *b.Build(CustomCall(&b, "test.add_n", {x}, kFive, "{n = -4}"));
  auto client = *Client::Cpu();
  Executable e = *client->Compile(c);
  absl::Status s = e.Evaluate({Input()}).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(s) == "custom call to \"test.add_n\": n is -4");
  auto later = e.ExecuteAsync({*client->BufferFromLiteral(Input())});
  REQUIRE(later.ok());
  REQUIRE((*later)[0].Await() == s);
  REQUIRE(Evaluate(*c.module(), {Input()}).status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a target that there is not is an error of compilation") {
  Builder b("unknown");
  auto c = *b.Build(CustomCall(&b, "test.nowhere", {Parameter(&b, 0, kFive, "x")}, kFive));
  auto client = *Client::Cpu();
  absl::Status s = client->Compile(c).status();
  REQUIRE(s.code() == absl::StatusCode::kUnimplemented);
  REQUIRE(MessageOf(s) == "custom call to \"test.nowhere\": no such target is registered for Host");
}

// As JAX exports programs for several platforms.
TEST_CASE("a target that there is not is an error of the runs that take its branch") {
  auto c = LoadStablehlo(R"(
    func.func @main(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %x: tensor<5xf32>)
        -> tensor<5xf32> {
      %0 = "stablehlo.case"(%p) ({
        %1 = stablehlo.negate %x : tensor<5xf32>
        stablehlo.return %1 : tensor<5xf32>
      }, {
        %c = stablehlo.constant dense<0> : tensor<i32>
        %2:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<5xf32>
        cond {
          %3 = stablehlo.compare LT, %i, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %3 : tensor<i1>
        } do {
          %4 = stablehlo.custom_call @test.nowhere(%y) : (tensor<5xf32>) -> tensor<5xf32>
          stablehlo.return %p, %4 : tensor<i32>, tensor<5xf32>
        }
        stablehlo.return %2#1 : tensor<5xf32>
      }) : (tensor<i32>) -> tensor<5xf32>
      return %0 : tensor<5xf32>
    })");
  REQUIRE(c.ok());
  const Literal x = Literal::R1<float>({1, 2, 3, 4, 5}),
                y = Literal::R1<float>({-1, -2, -3, -4, -5});
  auto e = (*Client::Cpu())->Compile(*c);
  REQUIRE(e.ok());
  for (int i = 0; i < 2; ++i) {  // a run that fails leaves the next one be
    REQUIRE(*e->Evaluate({Literal::R0<int32_t>(0), x}) == y);
    absl::Status s = e->Evaluate({Literal::R0<int32_t>(1), x}).status();
    REQUIRE(s.code() == absl::StatusCode::kUnimplemented);
    REQUIRE(MessageOf(s) ==
            "custom call to \"test.nowhere\": no such target is registered for Host");
  }
  REQUIRE(*Evaluate(*c->module(), {Literal::R0<int32_t>(0), x}) == y);
}

// Registered twice: the second is an error that nobody was told of.
void Twice(void*, const void**) {}
SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.twice", Twice, "Host");
SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.twice", Twice, "Host");

TEST_CASE("a target whose registration failed") {
  Builder b("twice");
  auto c = *b.Build(CustomCall(&b, "test.twice", {Parameter(&b, 0, kFive, "x")}, kFive));
  absl::Status s = (*Client::Cpu())->Compile(c).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(s).find("custom call \"test.twice\" is registered for Host already") !=
          std::string::npos);
}

TEST_CASE("a client's own targets") {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry
              ->Register("test.nowhere", "Host",
                         BindCustomCall().Operand<float>().Result<float>().To(
                             [](CustomCallBuffer<const float> x, CustomCallBuffer<float> y) {
                               return AddN(x, y, 7);
                             }))
              .ok());
  CpuOptions options;
  options.custom_calls = registry;
  auto client = *Client::Cpu(options);
  Builder b("own");
  auto c = *b.Build(CustomCall(&b, "test.nowhere", {Parameter(&b, 0, kFive, "x")}, kFive));
  REQUIRE(*client->Compile(c)->Evaluate({Input()}) == Literal::R1<float>({8, 9, 10, 11, 12}));
  // The process's are not seen then.
  Builder other("other");
  auto d = *other.Build(
      CustomCall(&other, "test.add_n", {Parameter(&other, 0, kFive, "x")}, kFive, "{n = 1}"));
  REQUIRE(client->Compile(d).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("targets that rely on layouts") {
  // The target sees memory: its operand's columns one after the other, and so gives its result.
  const Shape matrix(ElementType::F32, {2, 3}), other(ElementType::F32, {3, 2});
  Shape columns = matrix, other_columns = other;
  columns.set_minor_to_major({0, 1});
  other_columns.set_minor_to_major({0, 1});
  const Literal x = Literal::R2<float>({{0, 1, 2}, {3, 4, 5}});
  auto run = [&](const Shape& taken, const Shape& given) {
    Builder b("layout");
    auto c = b.Build(
        CustomCallWithLayout(&b, "test.count", {Parameter(&b, 0, matrix, "x")}, given, {taken}));
    CAPTURE(MessageOf(c.status()));
    REQUIRE(c.ok());
    Literal onto = *Evaluate(*c->module(), {x});
    REQUIRE(*(*Client::Cpu())->Compile(*c)->Evaluate({x}) == onto);
    return onto;
  };
  REQUIRE(run(matrix, matrix) == Literal::R2<float>({{0, 2, 4}, {6, 8, 10}}));
  REQUIRE(run(columns, columns) == Literal::R2<float>({{0, 3, 6}, {4, 7, 10}}));
  REQUIRE(run(matrix, other_columns) == Literal::R2<float>({{0, 6}, {2, 8}, {4, 10}}));
  REQUIRE(run(columns, matrix) == Literal::R2<float>({{0, 4, 3}, {7, 6, 10}}));
  Shape pair = Shape::Tuple({columns, other});
  Builder b("tuple");
  Op both = CustomCall(&b, "test.count_twice", {Parameter(&b, 0, matrix, "x")}, pair);
  Computation c = *b.Build(both);
  const Literal expected = Literal::Tuple(
      {Literal::R2<float>({{0, 4, 8}, {2, 6, 10}}), Literal::R2<float>({{0, 2}, {4, 6}, {8, 10}})});
  REQUIRE(*Evaluate(*c.module(), {x}) == expected);
  REQUIRE(*(*Client::Cpu())->Compile(c)->Evaluate({x}) == expected);

  Builder wrong("wrong");
  CustomCallWithLayout(&wrong, "f", {Parameter(&wrong, 0, matrix, "x")}, matrix, {other});
  REQUIRE(MessageOf(wrong.Build().status()).find("operand 0 is not f32[3,2]") != std::string::npos);
}

// The first element of x and the second of y are increased, in place.
absl::Status IncreaseInPlace(const CustomCallFrame& frame) {
  for (size_t k = 0; k < 2; ++k) {
    if (frame.operands[k].data != frame.results[1 - k].data)
      return FailedPrecondition("operand {} is not in the memory of result {}", k, 1 - k);
    static_cast<float*>(frame.results[1 - k].data)[k] += 1;
  }
  return absl::OkStatus();
}

TEST_CASE("Results are computed in the memory of operands that they are aliases of") {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry->Register("increase", "Host", &IncreaseInPlace).ok());
  CpuOptions options;
  options.threads = 1;
  options.custom_calls = registry;
  // x is needed afterwards; y is not, but it is the caller's; z could be changed in place.
  const auto computation = LoadHlo(R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[2] parameter(1)
  first = (f32[2], f32[3]) custom-call(x, y), custom_call_target="increase",
      output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})}
  u = f32[2] get-tuple-element(first), index=0
  z = f32[3] get-tuple-element(first), index=1
  second = (f32[2], f32[3]) custom-call(z, u), custom_call_target="increase",
      output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})}
  v = f32[2] get-tuple-element(second), index=0
  w = f32[3] get-tuple-element(second), index=1
  ROOT t = (f32[3], f32[3], f32[2], f32[3]) tuple(x, z, v, w)
})",
                                   "m.hlo");
  REQUIRE(MessageOf(computation.status()) == "");
  for (const auto& client : {*Client::Cpu(options), *Client::Interpreter(options)}) {
    const auto f = client->Compile(*computation);
    REQUIRE(MessageOf(f.status()) == "");
    const Literal x = Literal::R1<float>({1, 2, 3}), y = Literal::R1<float>({10, 20});
    for (int run = 0; run < 2; ++run) {
      const auto result = f->Evaluate({x, y});
      REQUIRE(MessageOf(result.status()) == "");
      CHECK(result->ToString() ==
            "(f32[3], f32[3], f32[2], f32[3]) ({1, 2, 3}, {2, 2, 3}, {10, 22}, {3, 2, 3})");
    }
  }
}

}  // namespace
}  // namespace sinter
