#include "sinter/literal.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "types/literal_text.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

std::string LiteralRoundTrip(const std::string& text) {
  absl::StatusOr<Literal> l = ParseLiteral(text);
  return l.ok() ? l->ToString() : "error: " + std::string(l.status().message());
}

// xorshift64
uint64_t Next(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

}  // namespace

TEST_CASE("Literals print as they are read") {
  for (const char* text :
       {"f32[] 1.5", "f32[2,2] {{1, 2.5}, {nan, -inf}}", "pred[2] {true, false}",
        "c64[2] {(1, 2), (-nan, inf)}", "s4[2] {7, -8}", "u64[] 18446744073709551615",
        "s64[] -9223372036854775808", "f32[0] {}", "f32[] -0",
        "(f32[], (s32[2], pred[])) (1, ({2, 3}, true))", "f16[2] {0.1, 65504}",
        "f8e4m3fn[2] {448, nan}", "f32[2] {nan(0x1), -nan(0x7fffff)}", "f64[] 1e-320",
        "bf16[] 3.39e+38", "()  ()"}) {
    std::string expected = text == std::string("()  ()") ? "() ()" : text;
    CHECK(LiteralRoundTrip(text) == expected);
  }
  CHECK(LiteralRoundTrip("f32[2,0] { {}, {} }") == "f32[2,0] {{}, {}}");
  CHECK(LiteralRoundTrip("s32[3] { 0x10, -0x1, true } // comment") == "s32[3] {16, -1, 1}");
  CHECK(LiteralRoundTrip("pred[2] {1,0}") == "pred[2] {true, false}");
  CHECK(LiteralRoundTrip("f32[2] {1e-400, 1000000e-4000000000000000}") == "f32[2] {0, 0}");
  CHECK(LiteralRoundTrip("f32[2] {1, 1e400}") ==
        "error: literal, column 12: '1e400' is out of range for f32");
  CHECK(LiteralRoundTrip("f32[2] {+1, .5}") == "f32[2] {1, 0.5}");
}

TEST_CASE("What is no literal is refused") {
  for (const char* text : {"f32[2] {1}",
                           "f32[2] {1, 2, 3}",
                           "f32[2] 1",
                           "f32[] {1}",
                           "s32[] 1.5",
                           "s32[] 1e3",
                           "u8[] -1",
                           "u8[] 256",
                           "s2[] 2",
                           "pred[] maybe",
                           "f32[1000] {...}",
                           "token[] {}",
                           "f32[] 1 2",
                           "f32[4000000000] {1, 2}",
                           "c64[] (1)",
                           "f32[] nan(0x800000)",
                           "f32[2,2] {1, 2, 3, 4}",
                           "f32[] -",
                           "f32[] e",
                           "f32[0] {",
                           "f32[0] }",
                           "(f32[]) 1"}) {
    INFO(text);
    CHECK(!ParseLiteral(text).ok());
  }
}

TEST_CASE("Floats read back to the same bits") {
  uint64_t state = 88172645463325252;
  Literal f32(Shape(ElementType::F32, {20000})), f64(Shape(ElementType::F64, {20000}));
  for (auto& x : f32.data<uint32_t>()) x = static_cast<uint32_t>(Next(state));
  for (auto& x : f64.data<uint64_t>()) x = Next(state);
  for (Literal* l : {&f32, &f64}) {
    std::string text;
    AppendLiteralValue(*l, INT64_MAX, text);
    TextCursor c(text);
    absl::StatusOr<Literal> back = ParseLiteralValue(c, l->shape());
    REQUIRE(back.ok());
    CHECK((*back == *l));
  }
}

TEST_CASE("Every small float reads back to the same bits") {
  for (int i = 0; i < kElementTypeCount; ++i) {
    auto t = static_cast<ElementType>(i);
    std::optional<FloatFormat> f = FormatOf(t);
    if (!f || f->bits() > 16) continue;
    CHECK(f->bits() == BitWidth(t));
    int64_t n = int64_t{1} << f->bits();
    Literal l(Shape(t, {n}));
    for (int64_t b = 0; b < n; ++b) {
      if (ByteWidth(t) == 2)
        l.data<uint16_t>()[static_cast<size_t>(b)] = static_cast<uint16_t>(b);
      else
        l.data<uint8_t>()[static_cast<size_t>(b)] = static_cast<uint8_t>(b);
    }
    std::string text;
    AppendLiteralValue(l, INT64_MAX, text);
    TextCursor c(text);
    absl::StatusOr<Literal> back = ParseLiteralValue(c, l.shape());
    REQUIRE(back.ok());
    INFO(Name(t));
    CHECK((*back == l));
  }
}

TEST_CASE("Small floats agree with half and bfloat16") {
  FloatFormat f16 = *FormatOf(ElementType::F16), bf16 = *FormatOf(ElementType::BF16);
  uint64_t state = 7;
  for (int i = 0; i < 100000; ++i) {
    auto x = std::bit_cast<float>(static_cast<uint32_t>(Next(state)));
    if (std::isnan(x)) continue;
    REQUIRE(EncodeFloat(f16, double{x}) == half(x).bits);
    REQUIRE(EncodeFloat(bf16, double{x}) == bfloat16(x).bits);
  }
}

TEST_CASE("Conversions to small floats past the largest number") {
  double inf = std::numeric_limits<double>::infinity();
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E5M2), 1e9) == 0x7c);
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E4M3FN), 464) == 0x7e);  // ties to even
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E4M3FN), 465) == 0x7f);
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E4M3FNUZ), -inf) == 0x80);
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E4M3FNUZ), -0.0) == 0);
  CHECK(EncodeFloat(*FormatOf(ElementType::F4E2M1FN), -100) == 0xf);
  CHECK(EncodeFloat(*FormatOf(ElementType::F8E8M0FNU), 4) == 129);
  CHECK(DecodeFloat(*FormatOf(ElementType::F8E8M0FNU), 0) == 0x1p-127);
}

TEST_CASE("Literals of C++ values") {
  Literal r2 = Literal::R2<int32_t>({{1, 2}, {3, 4}});
  CHECK(r2.ToString() == "s32[2,2] {{1, 2}, {3, 4}}");
  CHECK(r2.GetAsDouble(2) == 3);
  CHECK(Literal::R0(true).ToString() == "pred[] true");
  CHECK(Literal::R0(half(0.5f)).ElementToString(0) == "0.5");
  CHECK(r2.Reshape({4})->ToString() == "s32[4] {1, 2, 3, 4}");
  CHECK(!r2.Reshape({3}).ok());
  CHECK(!Literal::FromSpan<float>({2, 2}, {1, 2, 3}).ok());
  CHECK(Literal::R1<float>({0.0f}) != Literal::R1<float>({-0.0f}));
}

TEST_CASE("Long literals are abridged") {
  Literal l(Shape(ElementType::S32, {100, 100}));
  CHECK(l.ToString(16) ==
        "s32[100,100] {{0, 0, ..., 0, 0}, {0, 0, ..., 0, 0}, ..., {0, 0, ..., 0, 0}, {0, 0, ..., "
        "0, 0}}");
}

}  // namespace sinter
