#include "sinter/float_types.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "sinter/literal.h"
#include "types/small_floats.h"

namespace foreign {

// Laid out as binary16, and as bfloat16; only std::numeric_limits says which.
struct Half {
  uint16_t bits;
  operator float() const { return sinter::half::ToFloat(bits); }
};
struct Brain {
  uint16_t bits;
};
// Nothing says what it is.
struct Octet {
  uint8_t bits;
};

}  // namespace foreign

template <>
class std::numeric_limits<foreign::Half> {
 public:
  static constexpr bool is_specialized = true, is_integer = false;
  static constexpr int digits = 11, max_exponent = 16;
};
template <>
class std::numeric_limits<foreign::Brain> {
 public:
  static constexpr bool is_specialized = true, is_integer = false;
  static constexpr int digits = 8, max_exponent = 128;
};
template <>
inline constexpr std::optional<sinter::ElementType> sinter::kForeignElementType<foreign::Octet> =
    sinter::ElementType::F8E5M2;

namespace sinter {
namespace {

// The number nearest to `exact` by the library's own encoder.
template <class T>
uint16_t Nearest(double exact) {
  return static_cast<uint16_t>(EncodeFloat(*FormatOf(kElementTypeOf<T>), exact));
}

template <class T>
void CheckArithmetic() {
  const std::vector<T> values = {T(0),    T(1),      T(-1.5), T(3),       T(0.1),   T(1e-3),
                                 T(1000), T(1.0e4f), T(7),    T(0x1p-14), T(-0.3f), T(40)};
  for (T a : values) {
    for (T b : values) {
      const double x = a, y = b;
      CHECK((a + b).bits == Nearest<T>(x + y));
      CHECK((a - b).bits == Nearest<T>(x - y));
      CHECK((a * b).bits == Nearest<T>(x * y));
      if (y != 0) CHECK((a / b).bits == Nearest<T>(x / y));
      CHECK((a < b) == (x < y));
      CHECK((a <= b) == (x <= y));
      CHECK((a == b) == (x == y));
      CHECK((a != b) == (x != y));
      T c = a;
      c += b;
      CHECK(c.bits == (a + b).bits);
    }
    CHECK((-a).bits == Nearest<T>(-static_cast<double>(a)));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("16-bit floats: arithmetic is rounded once", "", half, bfloat16) {
  CheckArithmetic<TestType>();
}

TEMPLATE_TEST_CASE("16-bit floats: comparisons are of numbers", "", half, bfloat16) {
  const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
  CHECK(TestType(0.0f) == TestType(-0.0f));
  CHECK_FALSE(nan == nan);
  CHECK(nan != nan);
  CHECK_FALSE(nan < TestType(1));
  CHECK(TestType(2) > TestType(1));
  CHECK(std::max(TestType(2), TestType(3)) == TestType(3));
}

TEMPLATE_TEST_CASE("16-bit floats: conversions round once", "", half, bfloat16) {
  constexpr int digits = std::numeric_limits<TestType>::digits;
  // Just above a tie, by less than a float or a double can say: rounding twice would go down.
  const double tie = 1 + std::ldexp(1.0, -digits);
  CHECK(TestType(tie).bits == TestType(1).bits);
  CHECK(TestType(std::nextafter(tie, 2)).bits ==
        Nearest<TestType>(1 + std::ldexp(1.0, 1 - digits)));
  CHECK(TestType(std::nextafter(-tie, -2)).bits ==
        Nearest<TestType>(-1 - std::ldexp(1.0, 1 - digits)));
  CHECK(TestType(7).bits == Nearest<TestType>(7));
  CHECK(TestType(int8_t{-3}).bits == Nearest<TestType>(-3));
  CHECK(TestType(true).bits == Nearest<TestType>(1));
  CHECK(static_cast<int>(TestType(-2.5f)) == -2);
  CHECK(static_cast<double>(TestType(0.25)) == 0.25);
  CHECK(std::isnan(TestType(std::numeric_limits<double>::quiet_NaN())));
  CHECK(TestType(1e300) == std::numeric_limits<TestType>::infinity());
}

TEST_CASE("16-bit floats: integers and each other") {
  // 2^62 + 2^54 is halfway between two numbers of bfloat16; one more is past it.
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);
  CHECK(static_cast<float>(bfloat16(tie)) == 0x1p62f);
  CHECK(static_cast<float>(bfloat16(tie + 1)) == 0x1p62f + 0x1p55f);
  CHECK(static_cast<float>(bfloat16(-tie - 1)) == -0x1p62f - 0x1p55f);
  CHECK(static_cast<float>(bfloat16(std::numeric_limits<int64_t>::min())) == -0x1p63f);
  CHECK(static_cast<float>(half(uint64_t{2049})) == 2048);
  CHECK(static_cast<float>(half(uint64_t{2051})) == 2052);
  CHECK(bfloat16(half(1.5f)).bits == bfloat16(1.5f).bits);
  CHECK(half(bfloat16(1.5f)).bits == half(1.5f).bits);
}

TEST_CASE("16-bit floats: limits") {
  using L = std::numeric_limits<half>;
  CHECK(static_cast<float>(L::max()) == 65504);
  CHECK(static_cast<float>(L::lowest()) == -65504);
  CHECK(static_cast<float>(L::min()) == 0x1p-14f);
  CHECK(static_cast<float>(L::epsilon()) == 0x1p-10f);
  CHECK(static_cast<float>(L::denorm_min()) == 0x1p-24f);
  using B = std::numeric_limits<bfloat16>;
  CHECK(static_cast<float>(B::epsilon()) == 0x1p-7f);
  CHECK(static_cast<float>(B::min()) == 0x1p-126f);
  CHECK(std::isinf(B::infinity()));
}

TEST_CASE("16-bit floats of others are known by their limits") {
  STATIC_REQUIRE(kElementTypeOf<foreign::Half> == ElementType::F16);
  STATIC_REQUIRE(kElementTypeOf<foreign::Brain> == ElementType::BF16);
  STATIC_REQUIRE(kElementTypeOf<foreign::Octet> == ElementType::F8E5M2);
  STATIC_REQUIRE(kElementTypeOf<half> == ElementType::F16);
  STATIC_REQUIRE(kElementTypeOf<bfloat16> == ElementType::BF16);
  STATIC_REQUIRE(kElementTypeOf<uint16_t> == ElementType::U16);
  const std::vector<foreign::Half> values = {{0x3c00}, {0xc000}};
  Literal l = Literal::R1<foreign::Half>(values);
  CHECK(l.ToString() == "f16[2] {1, -2}");
  CHECK(half(values[1]).bits == 0xc000);
  CHECK(l.Get<foreign::Half>({1}).bits == 0xc000);
}

}  // namespace sinter
