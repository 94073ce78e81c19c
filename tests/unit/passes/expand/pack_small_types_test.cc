#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "passes/expand/small_types.h"
#include "types/packing.h"

namespace sinter {
namespace {

using E = ElementType;

constexpr E kTypes[] = {E::S2, E::S4, E::U2, E::U4, E::F4E2M1FN};

std::unique_ptr<HloModule> Parsed(const std::string& text) {
  INFO(text);
  auto module = ParseHloText(text, "t.hlo");
  REQUIRE(MessageOf(module.status()) == MessageOf(absl::OkStatus()));
  return *std::move(module);
}

void PackAndStore(HloModule& module) {
  REQUIRE(MakeWidenSmallTypesPass()->Run(module).ok());
  auto packed = MakePackSmallTypesPass()->Run(module);
  REQUIRE(packed.ok());
  CHECK(*packed);
  INFO(Print(module));
  REQUIRE(MessageOf(VerifyModule(module)) == MessageOf(absl::OkStatus()));
  CHECK_FALSE(*MakePackSmallTypesPass()->Run(module));
  REQUIRE(MakeStoreSmallTypesPass()->Run(module).ok());
  REQUIRE(MessageOf(VerifyModule(module)) == MessageOf(absl::OkStatus()));
}

Literal InBuffer(const Literal& x) {
  if (x.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& e : x.tuple()) elements.push_back(InBuffer(e));
    return Literal::Tuple(std::move(elements));
  }
  Literal bytes(ElementsPerByte(x.shape().element_type()) > 1
                    ? Shape(E::U8, {x.shape().packed_byte_size()})
                    : x.shape());
  ToBuffer(x, bytes.untyped_data());
  return bytes;
}

// The module gives the same as before the passes, in buffers' bytes.
void CheckPacked(const std::string& text, const std::vector<Literal>& arguments) {
  auto module = Parsed(text);
  INFO(text);
  auto expected = Evaluate(*module, arguments);
  REQUIRE(MessageOf(expected.status()) == MessageOf(absl::OkStatus()));
  PackAndStore(*module);
  std::vector<Literal> bytes;
  for (const Literal& x : arguments) bytes.push_back(InBuffer(x));
  auto result = Evaluate(*module, bytes);
  REQUIRE(MessageOf(result.status()) == MessageOf(absl::OkStatus()));
  CHECK(*result == InBuffer(*expected));
}

Literal Values(const Shape& shape) {
  Literal x(shape);
  const E type = shape.element_type();
  const int mask = 0xff >> (8 - BitWidth(type)), sign = IsSigned(type) ? (mask + 1) / 2 : 0;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const int value = static_cast<int>(i * 5 + 3) & mask;
    x.data<uint8_t>()[static_cast<size_t>(i)] = static_cast<uint8_t>((value ^ sign) - sign);
  }
  return x;
}

bool Holds(const HloModule& module, HloOpcode op) {
  const auto& all = module.entry()->instructions();
  return std::any_of(all.begin(), all.end(), [&](const auto& i) { return i->op() == op; });
}

TEST_CASE("Parameters and results are packed, whatever their extents") {
  for (E type : kTypes) {
    for (const Dims& dims :
         {Dims{}, Dims{1}, Dims{2}, Dims{3}, Dims{4}, Dims{7}, Dims{9}, Dims{3, 5}, Dims{2, 4},
          Dims{3, 2, 2}, Dims{0}, Dims{4, 0}, Dims{1, 1, 6}, Dims{5, 8}}) {
      const Shape shape(type, dims);
      CheckPacked(Format("HloModule m\n\nENTRY main {{\n  p = {0} parameter(0)\n"
                         "  n = {0} negate(p)\n  ROOT r = {0} subtract(n, p)\n}}\n",
                         shape.ToString()),
                  {Values(shape)});
    }
  }
}

TEST_CASE("Elements of tuples are packed one by one") {
  const Shape s4(E::S4, {3}), f32(E::F32, {2}), u2(E::U2, {2, 3});
  Literal floats = Literal::R1<float>({1, 2});
  const Literal x = Literal::Tuple({Values(s4), Literal::Tuple({floats, Values(u2)})});
  CheckPacked(R"(HloModule m

ENTRY main {
  p = (s4[3], (f32[2], u2[2,3])) parameter(0)
  a = s4[3] get-tuple-element(p), index=0
  t = (f32[2], u2[2,3]) get-tuple-element(p), index=1
  b = u2[2,3] get-tuple-element(t), index=1
  c = s4[3] multiply(a, a)
  d = u2[2,3] add(b, b)
  ROOT r = (u2[2,3], (s4[3], s4[3]), (s4[3], (f32[2], u2[2,3]))) tuple(d, (s4[3], s4[3]) tuple(c, a), p)
})",
              {x});
}

TEST_CASE("What is only handed on stays as it came") {
  auto module = Parsed(R"(HloModule m

ENTRY main {
  p = s4[3] parameter(0)
  q = (u2[5], f32[2]) parameter(1)
  a = u2[5] get-tuple-element(q), index=0
  ROOT r = (u2[5], s4[3], (u2[5], f32[2])) tuple(a, p, q)
})");
  PackAndStore(*module);
  module->entry()->RemoveDead();
  INFO(Print(*module));
  CHECK_FALSE(Holds(*module, HloOpcode::Broadcast));
  CHECK_FALSE(Holds(*module, HloOpcode::Pad));
  CHECK(module->entry()->root()->shape() == *Shape::Parse("(u8[2], u8[2], (u8[2], f32[2]))"));
}

TEST_CASE("Custom calls say what their bytes are") {
  auto module = Parsed(R"(HloModule m

ENTRY main {
  p = s4[3] parameter(0)
  q = f8e5m2[2] parameter(1)
  ROOT r = (u2[5], f32[2]) custom-call((s4[3], f8e5m2[2]) tuple(p, q), q), custom_call_target="f"
})");
  PackAndStore(*module);
  module->entry()->RemoveDead();
  const std::string text = Print(*module);
  INFO(text);
  CHECK(text.find("stated_shapes={s4[3], f8e5m2[2], f8e5m2[2], u2[5], f32[2]}") !=
        std::string::npos);
  // Operands and results have not been unpacked.
  CHECK_FALSE(Holds(*module, HloOpcode::Broadcast));
  auto again = Parsed(text);
  CHECK(Print(*again) == text);
  CHECK(VerifyModule(*again).ok());
}

TEST_CASE("Shapes that a custom call states must fit its arrays") {
  auto error = [](const std::string& stated) {
    auto module = ParseHloText(
        "HloModule m\n\nENTRY main {\n  p = u8[2] parameter(0)\n  ROOT r = "
        "f32[] custom-call(p), custom_call_target=\"f\", stated_shapes=" +
            stated + "\n}\n",
        "t.hlo");
    CHECK(module.status().code() == absl::StatusCode::kInvalidArgument);
    return MessageOf(module.status());
  };
  CHECK_THAT(error("{s4[3]}"), Catch::Contains("states 1 shapes for 2 arrays"));
  CHECK_THAT(error("{s4[5], f32[]}"), Catch::Contains("states s4[5] for u8[2], of another size"));
}

TEST_CASE("An alias is of buffers of one size") {
  auto parse = [](const std::string& result) {
    return ParseHloText(
        "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n\n"
        "ENTRY main {\n  p = s4[3] parameter(0)\n  ROOT r = " +
            result + " convert(p)\n}\n",
        "t.hlo");
  };
  // Of the bytes of buffers, not those of literals.
  CHECK(VerifyModule(**parse("s8[3]")).code() == absl::StatusCode::kInvalidArgument);
  auto module = *parse("u4[3]");
  REQUIRE(VerifyModule(*module).ok());
  PackAndStore(*module);
}

}  // namespace
}  // namespace sinter
