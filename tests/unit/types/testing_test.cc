#include "sinter/testing.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/status.h"

namespace sinter {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
uint64_t Ulp(T a, T b) {
  return UlpDistance(Literal::R0(a), Literal::R0(b), 0);
}

TEST_CASE("UlpDistance counts numbers between") {
  CHECK(Ulp(1.0f, 1.0f) == 0);
  CHECK(Ulp(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(Ulp(0.0f, -0.0f) == 0);
  CHECK(Ulp(-1e-45f, 1e-45f) == 2);
  CHECK(Ulp(kNan, -kNan) == 0);
  CHECK(Ulp(kNan, 1.0f) == UINT64_MAX);
  CHECK(Ulp(kInf, kInf) == 0);
  CHECK(Ulp(kInf, std::numeric_limits<float>::max()) == UINT64_MAX);
  CHECK(Ulp(kInf, -kInf) == UINT64_MAX);
  CHECK(Ulp(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()) ==
        2 * 0x7fefffffffffffffull);
  CHECK(Ulp(half(1.0f), half::FromBits(0x3c02)) == 2);
  CHECK(Ulp(bfloat16(-1.0f), bfloat16::FromBits(0xbf7f)) == 1);
  CHECK(Ulp(std::complex<float>(1, 2), std::complex<float>(1, std::nextafter(2.0f, 3.0f))) == 1);
  CHECK(Ulp<int8_t>(-128, 127) == 255);
  CHECK(Ulp<uint64_t>(0, UINT64_MAX) == UINT64_MAX);
  CHECK(Ulp<int64_t>(-1, 1) == 2);
  CHECK(Ulp(true, false) == 1);
}

TEST_CASE("UlpDistance of eight-bit floats") {
  Literal a(Shape(ElementType::F8E4M3FN, {2})), b = a;
  a.data<uint8_t>()[0] = 0x38;  // 1
  b.data<uint8_t>()[0] = 0x3a;  // 1.25
  a.data<uint8_t>()[1] = 0x81;  // minus the least denormal
  b.data<uint8_t>()[1] = 0x01;
  CHECK(UlpDistance(a, b, 0) == 2);
  CHECK(UlpDistance(a, b, 1) == 2);
}

TEST_CASE("ExpectEqual is bit for bit but for NaN") {
  CHECK(ExpectEqual(Literal::R1<float>({1, kNan}), Literal::R1<float>({1, -kNan})).ok());
  CHECK_FALSE(ExpectEqual(Literal::R0(0.0f), Literal::R0(-0.0f)).ok());
  CHECK(ExpectEqual(Literal::R1<int32_t>({}), Literal::R1<int32_t>({})).ok());
  absl::Status shapes = ExpectEqual(Literal::R1<float>({1}), Literal::R0(1.0f));
  CHECK(shapes.code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(ExpectEqual(Literal::R0(1.0f), Literal::R0(1.0)).ok());
}

TEST_CASE("messages name the worst element") {
  auto a = *Literal::FromSpan<float>({2, 2}, {1, 2, 3, 1.5f});
  auto b = *Literal::FromSpan<float>({2, 2}, {1, 2.0000002f, 3, 1.25f});
  absl::Status s = ExpectClose(a, b, {.max_ulp = 0});
  CHECK(s.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(MessageOf(s) ==
        "2 of 4 elements of f32[2,2] differ; the worst is at [1,1]: 1.5, expected 1.25 "
        "(2097152 ulp, relative 0.2)");
  CHECK(MessageOf(ExpectEqual(Literal::R1<int32_t>({1, 5}), Literal::R1<int32_t>({1, 7}))) ==
        "1 of 2 elements of s32[2] differ; the worst is at [1]: 5, expected 7 (apart 2, relative "
        "0.286)");
  Literal tuple_a = Literal::Tuple({Literal::R0(1.0f), Literal::R0(2.0f)});
  Literal tuple_b = Literal::Tuple({Literal::R0(1.0f), Literal::R0(kNan)});
  CHECK(MessageOf(ExpectClose(tuple_a, tuple_b)) ==
        "1 of 1 elements of f32[] at element 1 differ; the worst is at []: 2, expected nan (not "
        "comparable)");
}

TEST_CASE("ExpectClose takes any bound that holds") {
  Literal a = Literal::R1<float>({1.0f, 100.0f}), b = Literal::R1<float>({1.01f, 101.0f});
  CHECK_FALSE(ExpectClose(a, b).ok());
  CHECK(ExpectClose(a, b, {.rtol = 0.011}).ok());
  CHECK_FALSE(ExpectClose(a, b, {.atol = 0.5}).ok());
  CHECK(ExpectClose(a, b, {.atol = 1}).ok());
  CHECK(ExpectClose(a, b, {.relative_to_largest = 0.01}).ok());
  // Bounds of differences say nothing about infinities and NaNs.
  CHECK_FALSE(ExpectClose(Literal::R0(kInf), Literal::R0(1.0f), {.atol = 1e30}).ok());
  CHECK_FALSE(ExpectClose(Literal::R0(1.0f), Literal::R0(kInf), {.rtol = 1}).ok());
  CHECK_FALSE(ExpectClose(Literal::R0(kNan), Literal::R0(1.0f), {.atol = 1e30}).ok());
  CHECK(ExpectClose(Literal::R0(kNan), Literal::R0(kNan)).ok());
  // Complex numbers by their moduli.
  Literal z = Literal::R0(std::complex<float>(1e-9f, 1)),
          w = Literal::R0(std::complex<float>(0, 1));
  CHECK_FALSE(ExpectClose(z, w).ok());
  CHECK(ExpectClose(z, w, {.rtol = 1e-8}).ok());
  CHECK_FALSE(ExpectClose(Literal::R0(1), Literal::R0(2), {.max_ulp = 5}).ok());
}

TEST_CASE("the rules of checks") {
  auto check = [](const char* target, const char* options, float a, float b,
                  CheckRules rules = {}) {
    return RunCheck(target, options, {Literal::R0(a), Literal::R0(b)}, rules).ok();
  };
  float eps = std::numeric_limits<float>::epsilon();
  CHECK(check("check.expect_close", "", 1, 1 + 3 * eps));
  CHECK_FALSE(check("check.expect_close", "", 1, 1 + 4 * eps));
  CHECK(check("check.expect_close", "max_ulp_difference = 4", 1, 1 + 4 * eps));
  CHECK(check("check.expect_close", "{max_ulp_difference = 4 : i64}", 1, 1 + 4 * eps));
  CHECK(check("check.expect_close", R"({"max_ulp_difference": 4})", 1, 1 + 4 * eps));
  CHECK(check("check.expect_close", "", 1, 1 + 7 * eps, {.strict = false}));
  CHECK_FALSE(check("check.expect_close", "", 1, 1 + 10 * eps, {.strict = false}));
  CHECK_FALSE(check("check.expect_eq", "", 1, 1 + eps, {.strict = false, .reorders = true}));
  CHECK(check("check.expect_almost_eq", "", 1, 1.0009f));
  CHECK_FALSE(check("check.expect_almost_eq", "", 1, 1.002f));
  CHECK_FALSE(check("check.expect_almost_eq", "tolerance = 1e-4", 1, 1.0009f));
  CHECK(check("check.expect_almost_eq", "tolerance = 0.5", 1, 1 + 3 * eps, {.by_ulp = true}));
  CHECK_FALSE(check("check.expect_almost_eq", "tolerance = 0.5", 1, 1 + 4 * eps, {.by_ulp = true}));

  // Of complex numbers each part by itself.
  using C = std::complex<float>;
  CHECK(RunCheck("check.expect_almost_eq", "",
                 {Literal::R0(C(1, 2)), Literal::R0(C(1.0009f, 2.0009f))})
            .ok());

  Literal a = Literal::R1<float>({1e-7f, 1}), b = Literal::R1<float>({0, 1});
  CHECK_FALSE(RunCheck("check.expect_close", "", {a, b}, {.strict = false}).ok());
  CHECK(RunCheck("check.expect_close", "", {a, b}, {.strict = false, .reorders = true}).ok());
  CHECK(RunCheck("check.other", "", {a, b}).code() == absl::StatusCode::kInvalidArgument);
  CHECK(RunCheck("check.expect_eq", "", {a}).code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(IsCheck("check.other"));
}

}  // namespace
}  // namespace sinter
