// The semantics of every pointwise operation at its edges, as README.md states them.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/scalar.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

template <class T>
constexpr ElementType kElem = ElementType::TOKEN;
template <>
constexpr ElementType kElem<bool> = ElementType::PRED;
template <>
constexpr ElementType kElem<int8_t> = ElementType::S8;
template <>
constexpr ElementType kElem<int16_t> = ElementType::S16;
template <>
constexpr ElementType kElem<int32_t> = ElementType::S32;
template <>
constexpr ElementType kElem<int64_t> = ElementType::S64;
template <>
constexpr ElementType kElem<uint8_t> = ElementType::U8;
template <>
constexpr ElementType kElem<uint16_t> = ElementType::U16;
template <>
constexpr ElementType kElem<uint32_t> = ElementType::U32;
template <>
constexpr ElementType kElem<uint64_t> = ElementType::U64;
template <>
constexpr ElementType kElem<half> = ElementType::F16;
template <>
constexpr ElementType kElem<bfloat16> = ElementType::BF16;
template <>
constexpr ElementType kElem<float> = ElementType::F32;
template <>
constexpr ElementType kElem<double> = ElementType::F64;

// f applied to scalars that are loaded from memory, so that nothing folds.
template <class Out, class... In>
Out Apply(const std::function<Value(Builder&, const Values&)>& f, In... in) {
  Builder b("apply");
  const std::vector<int64_t> one{1};
  for (ElementType e : {kElem<In>...}) b.AddBuffer("in", e, one);
  int out = b.AddBuffer("out", kElem<Out>, one);
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Values loaded;
    for (int i = 0; i < out; ++i) {
      loaded.push_back(b.Load(i, {{b.Int(0)}}, {b.kernel().buffers[static_cast<size_t>(i)].elem}));
    }
    b.Store(f(b, loaded), out, {{b.Int(0)}});
    return Values{};
  });
  Out result{};
  std::vector<void*> buffers{&in..., &result};
  absl::Status status = Interpret(b.kernel(), buffers, {});
  INFO(status.ToString());
  REQUIRE(status.ok());
  return result;
}
template <class T>
T Binary(OpCode code, T a, std::type_identity_t<T> b) {
  return Apply<T>([code](Builder& k, const Values& v) { return k.Binary(code, v[0], v[1]); }, a, b);
}
template <class T>
T Unary(OpCode code, T a) {
  return Apply<T>([code](Builder& k, const Values& v) { return k.Unary(code, v[0]); }, a);
}
template <class To, class From>
To Convert(From x) {
  return Apply<To>([](Builder& k, const Values& v) { return k.Convert(v[0], kElem<To>); }, x);
}
uint32_t Bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t Bits(double x) { return std::bit_cast<uint64_t>(x); }

const float kInf = std::numeric_limits<float>::infinity(),
            kNan = std::numeric_limits<float>::quiet_NaN();

TEMPLATE_TEST_CASE("signed integers", "", int8_t, int16_t, int32_t, int64_t) {
  using T = TestType;
  const T lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max();
  const int bits = sizeof(T) * 8;
  CHECK(Binary<T>(OpCode::kAdd, hi, 1) == lo);
  CHECK(Binary<T>(OpCode::kSub, lo, 1) == hi);
  CHECK(Binary<T>(OpCode::kMul, lo, -1) == lo);
  CHECK(Binary<T>(OpCode::kMul, hi, hi) == 1);
  CHECK(Binary<T>(OpCode::kMulHi, lo, lo) == T(T{1} << (bits - 2)));
  CHECK(Binary<T>(OpCode::kMulHi, -1, 1) == -1);
  CHECK(Binary<T>(OpCode::kDiv, 7, 0) == -1);
  CHECK(Binary<T>(OpCode::kRem, 7, 0) == 7);
  CHECK(Binary<T>(OpCode::kDiv, lo, -1) == lo);
  CHECK(Binary<T>(OpCode::kRem, lo, -1) == 0);
  CHECK(Binary<T>(OpCode::kDiv, -7, 2) == -3);
  CHECK(Binary<T>(OpCode::kRem, -7, 2) == -1);
  CHECK(Binary<T>(OpCode::kMin, -1, 1) == -1);
  CHECK(Binary<T>(OpCode::kMax, -1, 1) == 1);
  CHECK(Binary<T>(OpCode::kShl, 1, T(bits - 1)) == lo);
  CHECK(Binary<T>(OpCode::kShl, 1, T(bits)) == 0);
  CHECK(Binary<T>(OpCode::kShl, 1, -1) == 0);
  CHECK(Binary<T>(OpCode::kShr, lo, T(bits - 1)) == -1);
  CHECK(Binary<T>(OpCode::kShr, lo, T(bits)) == -1);
  CHECK(Binary<T>(OpCode::kShr, hi, T(bits)) == 0);
  CHECK(Binary<T>(OpCode::kShr, lo, -1) == -1);
  CHECK(Binary<T>(OpCode::kAnd, -2, 7) == 6);
  CHECK(Binary<T>(OpCode::kOr, 4, 1) == 5);
  CHECK(Binary<T>(OpCode::kXor, -1, 7) == -8);
  CHECK(Unary<T>(OpCode::kNeg, lo) == lo);
  CHECK(Unary<T>(OpCode::kAbs, lo) == lo);
  CHECK(Unary<T>(OpCode::kAbs, -5) == 5);
  CHECK(Unary<T>(OpCode::kPopcnt, -1) == bits);
  CHECK(Unary<T>(OpCode::kClz, 0) == bits);
  CHECK(Unary<T>(OpCode::kClz, 1) == bits - 1);
  CHECK(Unary<T>(OpCode::kClz, -1) == 0);
  auto less = [](Builder& k, const Values& v) { return k.Compare(Predicate::kLt, v[0], v[1]); };
  CHECK(Apply<bool>(less, T{-1}, T{1}));
}

TEMPLATE_TEST_CASE("unsigned integers", "", uint8_t, uint16_t, uint32_t, uint64_t) {
  using T = TestType;
  const T hi = std::numeric_limits<T>::max();
  const int bits = sizeof(T) * 8;
  CHECK(Binary<T>(OpCode::kAdd, hi, 1) == 0);
  CHECK(Binary<T>(OpCode::kSub, 0, 1) == hi);
  CHECK(Binary<T>(OpCode::kMul, hi, hi) == 1);
  CHECK(Binary<T>(OpCode::kMulHi, hi, hi) == T(hi - 1));
  CHECK(Binary<T>(OpCode::kDiv, 7, 0) == hi);
  CHECK(Binary<T>(OpCode::kRem, 7, 0) == 7);
  CHECK(Binary<T>(OpCode::kDiv, hi, hi) == 1);
  CHECK(Binary<T>(OpCode::kRem, hi, hi) == 0);
  CHECK(Binary<T>(OpCode::kMin, hi, 1) == 1);
  CHECK(Binary<T>(OpCode::kMax, hi, 1) == hi);
  CHECK(Binary<T>(OpCode::kShl, 1, T(bits)) == 0);
  CHECK(Binary<T>(OpCode::kShr, hi, T(bits - 1)) == 1);
  CHECK(Binary<T>(OpCode::kShr, hi, T(bits)) == 0);
  CHECK(Unary<T>(OpCode::kNeg, 1) == hi);
  CHECK(Unary<T>(OpCode::kAbs, hi) == hi);
  CHECK(Unary<T>(OpCode::kPopcnt, hi) == bits);
  CHECK(Unary<T>(OpCode::kClz, 1) == bits - 1);
  auto less = [](Builder& k, const Values& v) { return k.Compare(Predicate::kLt, v[0], v[1]); };
  CHECK_FALSE(Apply<bool>(less, hi, T{1}));
}

TEMPLATE_TEST_CASE("floats", "", float, double) {
  using T = TestType;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
  const T ulp = std::numeric_limits<T>::epsilon();
  for (OpCode code : {OpCode::kMin, OpCode::kMax}) {
    CHECK(std::isnan(Binary<T>(code, nan, 1)));
    CHECK(std::isnan(Binary<T>(code, -inf, nan)));
  }
  CHECK(std::signbit(Binary<T>(OpCode::kMin, 0, -0.0)));
  CHECK(std::signbit(Binary<T>(OpCode::kMin, -0.0, 0)));
  CHECK_FALSE(std::signbit(Binary<T>(OpCode::kMax, 0, -0.0)));
  CHECK_FALSE(std::signbit(Binary<T>(OpCode::kMax, -0.0, 0)));
  CHECK(Binary<T>(OpCode::kMax, -inf, 3) == 3);
  CHECK(Binary<T>(OpCode::kDiv, 1, 0) == inf);
  CHECK(std::isnan(Binary<T>(OpCode::kDiv, 0, 0)));
  CHECK(Binary<T>(OpCode::kRem, 5.5, -2) == 1.5);
  CHECK(std::signbit(Binary<T>(OpCode::kRem, -4, 2)));
  CHECK(std::isnan(Binary<T>(OpCode::kRem, 1, 0)));
  CHECK(Binary<T>(OpCode::kRem, 1, inf) == 1);
  CHECK(Binary<T>(OpCode::kRem, huge, 3) == std::fmod(huge, T{3}));
  // One rounding: (1 + ulp)^2 - (1 + 2 ulp) is ulp^2.
  auto fma = [](Builder& k, const Values& v) { return k.Fma(v[0], v[1], v[2]); };
  auto apart = [](Builder& k, const Values& v) { return k.Add(k.Mul(v[0], v[1]), v[2]); };
  CHECK(Apply<T>(fma, 1 + ulp, 1 + ulp, -(1 + 2 * ulp)) == ulp * ulp);
  CHECK(Apply<T>(apart, 1 + ulp, 1 + ulp, -(1 + 2 * ulp)) == 0);
  CHECK(Bits(Unary<T>(OpCode::kNeg, nan)) == (Bits(nan) ^ Bits(T{-0.0})));
  CHECK(Bits(Unary<T>(OpCode::kAbs, -nan)) == (Bits(nan) & ~Bits(T{-0.0})));
  CHECK(Bits(Unary<T>(OpCode::kNeg, T{0})) == Bits(T{-0.0}));
  CHECK(Unary<T>(OpCode::kSqrt, T{2}) == std::sqrt(T{2}));
  CHECK(std::isnan(Unary<T>(OpCode::kSqrt, T{-1})));
  CHECK(std::signbit(Unary<T>(OpCode::kSqrt, T{-0.0})));
  CHECK(Unary<T>(OpCode::kFloor, T{-1.5}) == -2);
  CHECK(Unary<T>(OpCode::kCeil, T{-1.5}) == -1);
  CHECK(Unary<T>(OpCode::kTrunc, T{-1.5}) == -1);
  CHECK(Unary<T>(OpCode::kRoundEven, T{0.5}) == 0);
  CHECK(Unary<T>(OpCode::kRoundEven, T{1.5}) == 2);
  CHECK(Unary<T>(OpCode::kRoundEven, T{2.5}) == 2);
  CHECK(std::signbit(Unary<T>(OpCode::kRoundEven, T{-0.25})));
  CHECK(Unary<T>(OpCode::kFloor, tiny) == 0);
  // Denormals are numbers.
  CHECK(Binary<T>(OpCode::kAdd, tiny, tiny) == 2 * tiny);
}

TEST_CASE("dotadd of pairs of bf16: the upper ones first, denormals flushed") {
  auto word = [](float low, float high) {
    return uint32_t{bfloat16(low).bits} | uint32_t{bfloat16(high).bits} << 16;
  };
  auto dot = [](uint32_t a, uint32_t b, float sum) {
    return Apply<float>([](Builder& k, const Values& v) { return k.DotAdd(v[0], v[1], v[2]); }, a,
                        b, sum);
  };
  CHECK(dot(word(2, 3), word(5, 7), 1) == 32);
  // 2^24 takes 1 twice, and each time rounds it away; the other way round 2 is added at once.
  CHECK(dot(word(1, 1), word(1, 1), 0x1p24F) == 0x1p24F);
  CHECK(dot(word(1, 0x1p12F), word(1, 0x1p12F), 1) == 0x1p24F);
  CHECK(dot(word(0x1p12F, 1), word(0x1p12F, 1), 1) == 0x1p24F + 2);
  // One rounding each.
  CHECK(dot(word(0, 1.0078125F), word(0, 1.0078125F), -0x1.04p0F) == 0x1p-14F);
  CHECK(dot(word(0, 0x1p-130F), word(0, 0x1p127F), 1) == 1);
  CHECK(dot(word(0, 0), word(0, 0), 0x1p-130F) == 0);
  CHECK(dot(word(0, 0x1p-64F), word(0, 0x1p-64F), 0) == 0);
  CHECK(std::signbit(dot(word(-0.0F, -0x1p-64F), word(0, 0x1p-64F), -0.0F)));
  CHECK(dot(word(0, 0x1p-63F), word(0, 0x1p-63F), 0) == 0x1p-126F);
  CHECK(std::isnan(dot(word(kInf, 0), word(0, 0), 1)));
}

TEST_CASE("dotadd of bytes, unsigned by signed") {
  auto dot = [](uint32_t a, int32_t b, int32_t sum) {
    return Apply<int32_t>([](Builder& k, const Values& v) { return k.DotAdd(v[0], v[1], v[2]); }, a,
                          b, sum);
  };
  CHECK(dot(0x04030201, 0x08070605, 100) == 100 + 5 + 12 + 21 + 32);
  CHECK(dot(0xffffffff, INT32_C(-2139062144), 0) == -4 * 255 * 128);
  CHECK(dot(0xff, 0x7f, INT32_MAX) == INT32_MIN + 255 * 127 - 1);  // no saturation
}

TEST_CASE("dotadd of pairs of s16") {
  auto dot = [](int32_t a, int32_t b, int32_t sum) {
    return Apply<int32_t>([](Builder& k, const Values& v) { return k.DotAdd(v[0], v[1], v[2]); }, a,
                          b, sum);
  };
  CHECK(dot(0x00020003, 0x00050007, 100) == 100 + 10 + 21);
  CHECK(dot(-1, 0x00010002, 0) == -3);
  CHECK(dot(INT32_C(-2147450880), INT32_C(-2147450880), 0) == INT32_MIN);  // wraps
}

TEST_CASE("ldexp rounds once and saturates its exponent") {
  auto f = [](float x, int32_t n) {
    return Apply<float>(
        [](Builder& k, const Values& v) { return k.Binary(OpCode::kLdexp, v[0], v[1]); }, x, n);
  };
  auto d = [](double x, int64_t n) {
    return Apply<double>(
        [](Builder& k, const Values& v) { return k.Binary(OpCode::kLdexp, v[0], v[1]); }, x, n);
  };
  CHECK(f(1.5F, 10) == 1536);
  CHECK(f(1, -149) == 0x1p-149F);
  CHECK(f(1, -150) == 0);             // half of the least denormal: to even
  CHECK(f(1.5F, -150) == 0x1p-149F);  // above half
  CHECK(f(1.5F, -149) == 0x1p-148F);  // halfway: to even
  // Rounded in two steps this would go down.
  CHECK(f(0x1.000002p0F, -150) == 0x1p-149F);
  CHECK(f(0x1p-149F, 276) == 0x1p127F);
  CHECK(f(1, 128) == kInf);
  CHECK(f(1, INT32_MAX) == kInf);
  CHECK(f(1, INT32_MIN) == 0);
  CHECK(f(-1, INT32_MIN) == 0);
  CHECK(std::signbit(f(-1, INT32_MIN)));
  CHECK(std::isnan(f(kNan, 3)));
  CHECK(f(kInf, -2000) == kInf);
  CHECK(d(1, -1074) == 0x1p-1074);
  CHECK(d(0x1p-1074, 2097) == 0x1p1023);
  CHECK(d(1, INT64_MIN) == 0);
  CHECK(d(1, INT64_MAX) == std::numeric_limits<double>::infinity());
}

TEST_CASE("comparisons with NaN and of predicates") {
  auto compare = [](Predicate p, auto a, auto b) {
    return Apply<bool>([p](Builder& k, const Values& v) { return k.Compare(p, v[0], v[1]); }, a, b);
  };
  for (Predicate p :
       {Predicate::kLt, Predicate::kLe, Predicate::kGt, Predicate::kGe, Predicate::kEq}) {
    CHECK_FALSE(compare(p, kNan, 1.0F));
    CHECK_FALSE(compare(p, kNan, kNan));
  }
  CHECK(compare(Predicate::kNe, kNan, kNan));
  CHECK(compare(Predicate::kNe, 1.0, 2.0));
  CHECK(compare(Predicate::kEq, 0.0, -0.0));
  CHECK(compare(Predicate::kLe, 2, 2));
  CHECK(compare(Predicate::kGe, 2, 2));
  CHECK_FALSE(compare(Predicate::kGt, 2, 2));
  CHECK(compare(Predicate::kLt, false, true));
}

TEST_CASE("predicates are logical") {
  for (bool a : {false, true}) {
    for (bool b : {false, true}) {
      CHECK(Binary<bool>(OpCode::kAnd, a, b) == (a && b));
      CHECK(Binary<bool>(OpCode::kOr, a, b) == (a || b));
      CHECK(Binary<bool>(OpCode::kXor, a, b) == (a != b));
    }
  }
}

TEST_CASE("select takes the bits") {
  auto select = [](Builder& k, const Values& v) { return k.Select(v[0], v[1], v[2]); };
  CHECK(Bits(Apply<float>(select, true, kNan, 1.0F)) == Bits(kNan));
  CHECK(Apply<half>(select, false, half(1), half(2)) == half(2));
  CHECK(Apply<bool>(select, true, true, false));
}

TEST_CASE("floats to integers truncate and saturate") {
  CHECK(Convert<int32_t>(-1.9F) == -1);
  CHECK(Convert<int32_t>(kNan) == 0);
  CHECK(Convert<int32_t>(kInf) == INT32_MAX);
  CHECK(Convert<int32_t>(-kInf) == INT32_MIN);
  CHECK(Convert<int32_t>(0x1p31F) == INT32_MAX);
  CHECK(Convert<int32_t>(-0x1p31F) == INT32_MIN);
  CHECK(Convert<int32_t>(2147483647.5) == INT32_MAX);
  CHECK(Convert<int32_t>(-2147483648.9) == INT32_MIN);
  CHECK(Convert<int8_t>(127.9F) == 127);
  CHECK(Convert<int8_t>(128.0F) == 127);
  CHECK(Convert<int8_t>(-128.9F) == -128);
  CHECK(Convert<int8_t>(-129.0F) == -128);
  CHECK(Convert<uint8_t>(255.9F) == 255);
  CHECK(Convert<uint8_t>(256.0F) == 255);
  CHECK(Convert<uint8_t>(-0.9F) == 0);
  CHECK(Convert<uint8_t>(-1.0F) == 0);
  CHECK(Convert<int64_t>(0x1p63) == INT64_MAX);
  CHECK(Convert<int64_t>(-0x1p63) == INT64_MIN);
  CHECK(Convert<uint64_t>(0x1p64) == UINT64_MAX);
  CHECK(Convert<uint64_t>(0x1p63) == uint64_t{1} << 63);
  CHECK(Convert<uint64_t>(-5.0F) == 0);
  CHECK(Convert<int16_t>(half(-300.5F)) == -300);
  CHECK(Convert<uint32_t>(bfloat16(3e38F)) == UINT32_MAX);
}

TEST_CASE("integers wrap or extend") {
  CHECK(Convert<int64_t>(int8_t{-1}) == -1);
  CHECK(Convert<int64_t>(uint8_t{255}) == 255);
  CHECK(Convert<uint64_t>(int8_t{-1}) == UINT64_MAX);
  CHECK(Convert<int8_t>(int32_t{384}) == -128);
  CHECK(Convert<uint16_t>(int64_t{-2}) == 65534);
  CHECK(Convert<float>(uint64_t{UINT64_MAX}) == 0x1p64F);
  CHECK(Convert<double>(int64_t{INT64_MAX}) == 0x1p63);
  CHECK(Convert<float>(int32_t{16777217}) == 16777216);
  CHECK(Convert<half>(int32_t{65519}) == half(65504.0F));
  CHECK(Convert<half>(int32_t{65520}) == half(kInf));
  CHECK(Convert<bfloat16>(int32_t{257}) == bfloat16(256.0F));
}

TEST_CASE("predicates and numbers") {
  CHECK(Convert<bool>(0.5F));
  CHECK(Convert<bool>(kNan));
  CHECK_FALSE(Convert<bool>(-0.0F));
  CHECK(Convert<bool>(int32_t{256}));
  CHECK(Convert<bool>(half::FromBits(1)));
  CHECK(Convert<float>(true) == 1);
  CHECK(Convert<int8_t>(true) == 1);
  CHECK(Convert<bfloat16>(true) == bfloat16(1.0F));
}

TEST_CASE("narrow floats round once, to even") {
  CHECK(Convert<half>(1.0F + 0x1p-11F) == half::FromBits(0x3c00));             // halfway, to even
  CHECK(Convert<half>(1.0F + 0x1p-11F + 0x1p-20F) == half::FromBits(0x3c01));  // above
  CHECK(Convert<half>(1.0F + 3 * 0x1p-11F) == half::FromBits(0x3c02));
  // By way of F32 this would become halfway and go down.
  CHECK(Convert<half>(1.0 + 0x1p-11 + 0x1p-40) == half::FromBits(0x3c01));
  CHECK(Convert<half>(-(1.0 + 0x1p-11 + 0x1p-40)) == half::FromBits(0xbc01));
  CHECK(Convert<bfloat16>(1.0 + 0x1p-8 + 0x1p-40) == bfloat16::FromBits(0x3f81));
  CHECK(Convert<bfloat16>(1.0 + 0x1p-8) == bfloat16::FromBits(0x3f80));
  CHECK(Convert<half>(65519.99F) == half::FromBits(0x7bff));
  CHECK(Convert<half>(65520.0F) == half::FromBits(0x7c00));
  CHECK(Convert<half>(1e300) == half::FromBits(0x7c00));
  CHECK(Convert<half>(0x1p-24F) == half::FromBits(1));
  CHECK(Convert<half>(0x1p-25F) == half::FromBits(0));
  CHECK(Convert<half>(0x1.8p-25F) == half::FromBits(1));
  CHECK(Convert<half>(0x1p-25 + 0x1p-70) == half::FromBits(1));
  CHECK(Convert<half>(-1e-300) == half::FromBits(0x8000));
  CHECK(Convert<bfloat16>(3.4e38F) == bfloat16::FromBits(0x7f80));
  CHECK(Convert<bfloat16>(1e300) == bfloat16::FromBits(0x7f80));
  CHECK(Convert<float>(half::FromBits(1)) == 0x1p-24F);
  CHECK(Convert<double>(half::FromBits(0xfc00)) == -std::numeric_limits<double>::infinity());
  CHECK(Convert<float>(1.0 + 0x1p-24) == 1);
  CHECK(std::isnan(Convert<float>(half::FromBits(0x7e01))));
  CHECK((Convert<half>(kNan).bits & 0x7fff) > 0x7c00);
  CHECK((Convert<bfloat16>(double{kNan}).bits & 0x7fff) > 0x7f80);
  CHECK(Convert<bfloat16>(half::FromBits(1)) == bfloat16(0x1p-24F));
  CHECK(Convert<half>(bfloat16(1e38F)) == half::FromBits(0x7c00));
}

TEST_CASE("all halves survive a trip through wider floats") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    half h = half::FromBits(static_cast<uint16_t>(bits));
    if (std::isnan(static_cast<float>(h))) continue;
    if (HalfBits(static_cast<float>(h)) != bits) FAIL(bits);
    bfloat16 b = bfloat16::FromBits(static_cast<uint16_t>(bits));
    if (!std::isnan(static_cast<float>(b)) && Bfloat16Bits(static_cast<float>(b)) != bits)
      FAIL(bits);
  }
}

TEST_CASE("bitcasts keep bits") {
  auto to = [](ElementType e) {
    return [e](Builder& k, const Values& v) { return k.Bitcast(v[0], e); };
  };
  CHECK(Apply<uint32_t>(to(ElementType::U32), 1.0F) == 0x3f800000);
  CHECK(Apply<double>(to(ElementType::F64), uint64_t{0x7ff8000000000001}) != 0.0);
  CHECK(Apply<uint16_t>(to(ElementType::U16), bfloat16(1.0F)) == 0x3f80);
  CHECK(Apply<half>(to(ElementType::F16), int16_t{-1}).bits == 0xffff);
}

TEST_CASE("operands broadcast along rows and columns") {
  Builder b("broadcast");
  const std::vector<int64_t> shape{3, 5};
  int x = b.AddBuffer("x", ElementType::F32, shape), o = b.AddBuffer("o", ElementType::F32, shape);
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value z, const Values&) {
    Value zero = b.Int(0);
    Value column = b.Load(x, {{zero, 1, 0}, {b.Int(2)}}, samples::F32Tile(3, 1));
    Value row = b.Load(x, {{b.Int(1)}, {zero, 0, 1}}, samples::F32Tile(1, 5));
    Value whole = b.Load(x, {{zero, 1, 0}, {zero, 0, 1}}, samples::F32Tile(3, 5));
    b.Store(b.Fma(b.Sub(column, row), b.Const(ElementType::F32, 2), whole), o,
            {{z, 1, 0}, {zero, 0, 1}});
    return Values{};
  });
  std::vector<float> in(15), out(15);
  for (size_t i = 0; i < 15; ++i) in[i] = static_cast<float>(i * i);
  std::vector<void*> buffers{in.data(), out.data()};
  REQUIRE(Interpret(b.kernel(), buffers, {}).ToString() == "OK");
  for (size_t r = 0; r < 3; ++r) {
    for (size_t c = 0; c < 5; ++c)
      CHECK(out[r * 5 + c] == (in[r * 5 + 2] - in[5 + c]) * 2 + in[r * 5 + c]);
  }
}

}  // namespace
}  // namespace sinter::kernel
