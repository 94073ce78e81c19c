#include "passes/expand/small_types.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "types/small_floats.h"

namespace sinter {
namespace {

using E = ElementType;

constexpr E kFloats[] = {E::F4E2M1FN,   E::F6E2M3FN,  E::F6E3M2FN,     E::F8E3M4,
                         E::F8E4M3,     E::F8E4M3FN,  E::F8E4M3FNUZ,   E::F8E5M2,
                         E::F8E5M2FNUZ, E::F8E8M0FNU, E::F8E4M3B11FNUZ};
constexpr E kIntegers[] = {E::S2, E::S4, E::U2, E::U4};

void WidenAndStore(HloModule& module) {
  REQUIRE(MakeWidenSmallTypesPass()->Run(module).ok());
  INFO("widened");
  REQUIRE(MessageOf(VerifyModule(module)) == MessageOf(absl::OkStatus()));
  auto stored = MakeStoreSmallTypesPass()->Run(module);
  REQUIRE(stored.ok());
  CHECK(*stored);
  REQUIRE(MessageOf(VerifyModule(module)) == MessageOf(absl::OkStatus()));
  CHECK_FALSE(*MakeWidenSmallTypesPass()->Run(module));
  CHECK_FALSE(*MakeStoreSmallTypesPass()->Run(module));
}

// The same bytes under the shape that a parameter has.
Literal Under(const Literal& x, const Shape& shape) {
  Literal y(shape);
  REQUIRE(y.byte_size() == x.byte_size());
  std::memcpy(y.untyped_data(), x.untyped_data(), static_cast<size_t>(x.byte_size()));
  return y;
}

// Runs `text` as it stands and after the passes; both must give the same bytes. NaNs of types with
// several may differ in their bits.
void CheckSameBytes(const std::string& text, const std::vector<Literal>& arguments) {
  INFO(text);
  auto module = ParseHloText(text, "t.hlo");
  REQUIRE(module.ok());
  auto expected = Evaluate(**module, arguments);
  REQUIRE(MessageOf(expected.status()) == MessageOf(absl::OkStatus()));
  WidenAndStore(**module);
  std::vector<Literal> bytes;
  for (size_t i = 0; i < arguments.size(); ++i)
    bytes.push_back(Under(arguments[i], (*module)->entry()->parameter(i)->shape()));
  auto result = Evaluate(**module, bytes);
  REQUIRE(MessageOf(result.status()) == MessageOf(absl::OkStatus()));
  const Literal got = Under(*result, expected->shape());
  if (got == *expected) return;
  int differ = 0;
  for (int64_t i = 0; i < got.shape().element_count(); ++i) {
    const std::string a = got.ElementToString(i), b = expected->ElementToString(i);
    const bool nans = a.find("nan") != std::string::npos && b.find("nan") != std::string::npos;
    if (a == b || nans || ++differ > 3) continue;
    UNSCOPED_INFO("element " << i << ": " << a << ", expected " << b);
  }
  CHECK(differ == 0);
}

std::string Converts(E from, E to, int64_t count) {
  return Format(
      "HloModule m\n\nENTRY main {{\n  p = {}[{}] parameter(0)\n  ROOT r = {}[{}] convert(p)\n}}\n",
      Name(from), count, Name(to), count);
}

Literal AllPatterns(E type) {
  const int64_t count = int64_t{1} << BitWidth(type);
  Literal x(Shape(type, {count}));
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = i;
    if (IsSigned(type) && i >= count / 2) value -= count;
    x.data<uint8_t>()[static_cast<size_t>(i)] = static_cast<uint8_t>(value);
  }
  return x;
}

template <class T>
Literal Vector(const std::vector<T>& values) {
  return Literal::R1<T>(absl::Span<const T>(values));
}

// Every number of the format, what lies in the middle between neighbours, and what lies just
// beside all of these.
template <class T>
std::vector<T> NearTies(E type) {
  const FloatFormat format = *FormatOf(type);
  std::vector<double> numbers;
  for (uint32_t bits = 0; bits < 1U << format.bits(); ++bits) {
    const double x = DecodeFloat(format, bits);
    if (std::isfinite(x)) numbers.push_back(x);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<T> all;
  auto add = [&](double x) {
    const T y = static_cast<T>(x);
    for (T z : {y, std::nextafter(y, std::numeric_limits<T>::infinity()),
                std::nextafter(y, -std::numeric_limits<T>::infinity())})
      all.push_back(z);
  };
  for (size_t i = 0; i < numbers.size(); ++i) {
    add(numbers[i]);
    if (i > 0) add((numbers[i - 1] + numbers[i]) / 2);
  }
  // Past the largest and below the smallest.
  const double largest = numbers.back();
  for (double x : {largest * 1.0625, largest * 1.125, largest * 1.25, largest * 1.5, largest * 2.0})
    add(x), add(-x);
  for (double x = 1; x > 0 && x > static_cast<double>(std::numeric_limits<T>::min()); x /= 4)
    add(x), add(-x), add(1.5 * x);
  for (T x : {T{0}, -T{0}, std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(),
              std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
              std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()})
    all.push_back(x);
  return all;
}

TEST_CASE("Every pattern of a small type converts as the interpreter says") {
  const E others[] = {E::PRED,      E::S4,       E::U4,  E::S8,   E::U8,  E::S32, E::U64, E::F8E5M2,
                      E::F8E8M0FNU, E::F4E2M1FN, E::F16, E::BF16, E::F32, E::F64, E::C64};
  for (E from : kFloats) {
    for (E to : others)
      CheckSameBytes(Converts(from, to, 1 << BitWidth(from)), {AllPatterns(from)});
  }
  for (E from : kIntegers) {
    for (E to : others)
      CheckSameBytes(Converts(from, to, 1 << BitWidth(from)), {AllPatterns(from)});
    for (E to : kIntegers)
      CheckSameBytes(Converts(from, to, 1 << BitWidth(from)), {AllPatterns(from)});
  }
}

TEST_CASE("Floats round to small types as the interpreter says") {
  Literal halves(Shape(E::F16, {1 << 16})), brain(Shape(E::BF16, {1 << 16}));
  for (size_t i = 0; i < 1 << 16; ++i)
    halves.data<uint16_t>()[i] = brain.data<uint16_t>()[i] = static_cast<uint16_t>(i);
  std::mt19937 random(1);
  std::vector<float> any(1 << 14);
  for (float& x : any) x = std::bit_cast<float>(static_cast<uint32_t>(random()));
  for (E to : kFloats) {
    CheckSameBytes(Converts(E::F16, to, 1 << 16), {halves});
    CheckSameBytes(Converts(E::BF16, to, 1 << 16), {brain});
    CheckSameBytes(Converts(E::F32, to, 1 << 14), {Vector(any)});
    const auto floats = NearTies<float>(to);
    CheckSameBytes(Converts(E::F32, to, static_cast<int64_t>(floats.size())), {Vector(floats)});
    const auto doubles = NearTies<double>(to);
    CheckSameBytes(Converts(E::F64, to, static_cast<int64_t>(doubles.size())), {Vector(doubles)});
  }
  for (E to : kIntegers) {
    CheckSameBytes(Converts(E::F16, to, 1 << 16), {halves});
    CheckSameBytes(Converts(E::F32, to, 1 << 14), {Vector(any)});
  }
}

TEST_CASE("Integers round to small floats as the interpreter says") {
  std::vector<uint64_t> wide{0, 1, 2, 3, 5, 6, 7, 240, 248, 249, 464, 480, 57344, 61439, 61440};
  for (int n = 2; n < 64; ++n) {
    const uint64_t power = uint64_t{1} << n, tie = power + power / 2;
    for (uint64_t x : {power, tie, tie - 1, tie + 1, power - 1, power + 1}) wide.push_back(x);
  }
  wide.push_back(~uint64_t{0});
  std::vector<int64_t> wide_signed;
  std::vector<int32_t> narrow;
  std::vector<uint32_t> narrow_unsigned;
  for (uint64_t x : wide) {
    wide_signed.push_back(static_cast<int64_t>(x));
    wide_signed.push_back(static_cast<int64_t>(-x));
    narrow.push_back(static_cast<int32_t>(x));
    narrow_unsigned.push_back(static_cast<uint32_t>(x));
  }
  auto check = [](E from, E to, const Literal& x) {
    CheckSameBytes(Converts(from, to, x.shape().element_count()), {x});
  };
  for (E to : kFloats) {
    check(E::U64, to, Vector(wide));
    check(E::S64, to, Vector(wide_signed));
    check(E::S32, to, Vector(narrow));
    check(E::U32, to, Vector(narrow_unsigned));
  }
}

TEST_CASE("Arithmetic on small integers keeps their width") {
  const char* binary[] = {"add",
                          "subtract",
                          "multiply",
                          "divide",
                          "remainder",
                          "and",
                          "xor",
                          "maximum",
                          "power",
                          "shift-left",
                          "shift-right-arithmetic",
                          "shift-right-logical",
                          "mulhi"};
  const char* unary[] = {"negate", "not", "popcnt", "count-leading-zeros", "sign"};
  for (E t : kIntegers) {
    const int64_t n = int64_t{1} << BitWidth(t);
    for (const char* op : binary) {
      CheckSameBytes(Format("HloModule m\n\nENTRY main {{\n  p = {0}[{1}] parameter(0)\n"
                            "  x = {0}[{1},{1}] broadcast(p), dimensions={{0}}\n"
                            "  y = {0}[{1},{1}] broadcast(p), dimensions={{1}}\n"
                            "  ROOT r = {0}[{1},{1}] {2}(x, y)\n}}\n",
                            Name(t), n, op),
                     {AllPatterns(t)});
    }
    for (const char* op : unary) {
      CheckSameBytes(Format("HloModule m\n\nENTRY main {{\n  p = {0}[{1}] parameter(0)\n"
                            "  ROOT r = {0}[{1}] {2}(p)\n}}\n",
                            Name(t), n, op),
                     {AllPatterns(t)});
    }
  }
}

TEST_CASE("Bits of small types lie one after the other, the first lowest") {
  const struct {
    const char *from, *to;
  } cases[] = {{"s4[8,2]", "u8[8]"},       {"u4[4,4]", "s16[4]"},         {"s2[4,4]", "s8[4]"},
               {"u2[8,2]", "u4[8]"},       {"u2[2,8]", "s16[2]"},         {"u2[1,16]", "f32[1]"},
               {"f8e5m2[16]", "s8[16]"},   {"f8e4m3fn[4,4]", "u32[4]"},   {"s4[16]", "u4[16]"},
               {"f4e2m1fn[16]", "s4[16]"}, {"f4e2m1fn[8,2]", "f8e5m2[8]"}};
  for (const auto& c : cases) {
    for (bool back : {false, true}) {
      const std::string from = back ? c.to : c.from, to = back ? c.from : c.to;
      const Shape shape = *Shape::Parse(from);
      Literal x(shape);
      for (int64_t i = 0; i < x.byte_size(); ++i) {
        const auto byte = static_cast<uint32_t>(37 * i + 11);
        const int unused =
            BitWidth(shape.element_type()) < 8 ? 8 - BitWidth(shape.element_type()) : 0;
        const auto up = static_cast<uint8_t>(byte << unused);
        x.data<uint8_t>().data()[i] = IsSigned(shape.element_type())
                                          ? static_cast<uint8_t>(static_cast<int8_t>(up) >> unused)
                                          : static_cast<uint8_t>(up >> unused);
      }
      CheckSameBytes(Format("HloModule m\n\nENTRY main {{\n  p = {} parameter(0)\n"
                            "  ROOT r = {} bitcast-convert(p)\n}}\n",
                            from, to),
                     {x});
    }
  }
}

TEST_CASE("Sums of small floats round once") {
  // 32 times 1/16 is 2, which steps of f8e5m2 would not reach.
  auto module = ParseHloText(
      "HloModule m\n\nadd {\n  a = f8e5m2[] parameter(0)\n  b = f8e5m2[] parameter(1)\n"
      "  ROOT s = f8e5m2[] add(a, b)\n}\n\nENTRY main {\n  p = f8e5m2[32] parameter(0)\n"
      "  z = f8e5m2[] constant(1)\n  ROOT r = f8e5m2[] reduce(p, z), dimensions={0}, "
      "to_apply=add\n}\n",
      "t.hlo");
  REQUIRE(module.ok());
  WidenAndStore(**module);
  Literal x(Shape(E::U8, {32}));
  for (uint8_t& b : x.data<uint8_t>())
    b = static_cast<uint8_t>(EncodeFloat(*FormatOf(E::F8E5M2), 0.0625));
  auto sum = Evaluate(**module, {x});
  REQUIRE(sum.ok());
  CHECK(DecodeFloat(*FormatOf(E::F8E5M2), sum->data<uint8_t>()[0]) == 3.0);
}

}  // namespace
}  // namespace sinter
