// Pointwise operations of the interpreter. The room is compiled without contraction of a * b + c:
// each operation rounds.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "codegen/kernel/scalar.h"
#include "codegen/kernel/tile.h"

namespace sinter::kernel {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

template <class T>
constexpr int kBits = static_cast<int>(sizeof(T)) * 8;

template <class T>
T FloatMin(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T FloatMax(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
// By their bits, as C++ leaves the sign of a NaN open.
template <class T>
T FlipSign(T x) {
  using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<U>(x) ^ (U{1} << (kBits<T> - 1)));
}
template <class T>
T ClearSign(T x) {
  using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<U>(x) & ~(U{1} << (kBits<T> - 1)));
}
template <class T>
T MulHi(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> kBits<T>);
}
template <class T>
T Shl(T a, T b) {
  using U = std::make_unsigned_t<T>;
  if (static_cast<U>(b) >= kBits<T>) return 0;
  return static_cast<T>(static_cast<uint64_t>(a) << static_cast<U>(b));
}
template <class T>
T Shr(T a, T b) {
  using U = std::make_unsigned_t<T>;
  if (static_cast<U>(b) >= kBits<T>)
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> static_cast<U>(b));
}
template <class T, class N>
T Ldexp(T x, N n) {
  return std::ldexp(x, static_cast<int>(std::clamp<N>(n, -2100, 2100)));
}

template <class T>
void Integers(OpCode code, const Tile& out, const Tile* in) {
  using U = std::make_unsigned_t<T>;
  auto unary = [&](auto f) { Map<T, T>(out, in, [f](T x) { return static_cast<T>(f(x)); }); };
  auto binary = [&](auto f) {
    Map<T, T, T>(out, in, [f](T a, T b) { return static_cast<T>(f(a, b)); });
  };
  switch (code) {
    case OpCode::kAdd:
      return binary(WrapAdd<T>);
    case OpCode::kSub:
      return binary(WrapSub<T>);
    case OpCode::kMul:
      return binary(WrapMul<T>);
    case OpCode::kMulHi:
      return binary(MulHi<T>);
    case OpCode::kDiv:
      return binary(WrapDiv<T>);
    case OpCode::kRem:
      return binary(WrapRem<T>);
    case OpCode::kMin:
      return binary([](T a, T b) { return std::min(a, b); });
    case OpCode::kMax:
      return binary([](T a, T b) { return std::max(a, b); });
    case OpCode::kAnd:
      return binary([](T a, T b) { return a & b; });
    case OpCode::kOr:
      return binary([](T a, T b) { return a | b; });
    case OpCode::kXor:
      return binary([](T a, T b) { return a ^ b; });
    case OpCode::kShl:
      return binary(Shl<T>);
    case OpCode::kShr:
      return binary(Shr<T>);
    case OpCode::kNeg:
      return unary([](T x) { return WrapSub(T{0}, x); });
    case OpCode::kAbs:
      return unary([](T x) { return x < T{0} ? WrapSub(T{0}, x) : x; });
    case OpCode::kPopcnt:
      return unary([](T x) { return std::popcount(static_cast<U>(x)); });
    case OpCode::kClz:
      return unary([](T x) { return std::countl_zero(static_cast<U>(x)); });
    default:
      return;
  }
}

template <class T>
void Floats(OpCode code, const Tile& out, const Tile* in) {
  auto unary = [&](auto f) { Map<T, T>(out, in, f); };
  auto binary = [&](auto f) { Map<T, T, T>(out, in, f); };
  switch (code) {
    case OpCode::kAdd:
      return binary([](T a, T b) { return a + b; });
    case OpCode::kSub:
      return binary([](T a, T b) { return a - b; });
    case OpCode::kMul:
      return binary([](T a, T b) { return a * b; });
    case OpCode::kDiv:
      return binary([](T a, T b) { return a / b; });
    case OpCode::kRem:
      return binary([](T a, T b) { return std::fmod(a, b); });
    case OpCode::kMin:
      return binary(FloatMin<T>);
    case OpCode::kMax:
      return binary(FloatMax<T>);
    case OpCode::kFma:
      return Map<T, T, T, T>(out, in, [](T a, T b, T c) { return std::fma(a, b, c); });
    case OpCode::kNeg:
      return unary(FlipSign<T>);
    case OpCode::kAbs:
      return unary(ClearSign<T>);
    case OpCode::kSqrt:
      return unary([](T x) { return std::sqrt(x); });
    case OpCode::kFloor:
      return unary([](T x) { return std::floor(x); });
    case OpCode::kCeil:
      return unary([](T x) { return std::ceil(x); });
    case OpCode::kTrunc:
      return unary([](T x) { return std::trunc(x); });
    case OpCode::kRoundEven:
      return unary([](T x) { return std::nearbyint(x); });
    case OpCode::kLdexp: {
      using N = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
      return Map<T, T, N>(out, in, Ldexp<T, N>);
    }
    default:
      return;
  }
}

void Predicates(OpCode code, const Tile& out, const Tile* in) {
  auto binary = [&](auto f) { Map<uint8_t, uint8_t, uint8_t>(out, in, f); };
  switch (code) {
    case OpCode::kAnd:
      return binary([](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); });
    case OpCode::kOr:
      return binary([](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
    case OpCode::kXor:
      return binary([](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a ^ b); });
    default:
      return;
  }
}

void Compare(Predicate p, const Tile& out, const Tile* in) {
  auto compare = [&]<class T>(std::type_identity<T>) {
    Map<uint8_t, T, T>(out, in, [p](T a, T b) { return static_cast<uint8_t>(Holds(p, a, b)); });
  };
  in[0].elem == ElementType::PRED ? compare(std::type_identity<uint8_t>{})
                                  : WithNumber(in[0].elem, compare);
}

void DotAdd(const Tile& out, const Tile* in) {
  auto add = [](auto a, auto b, auto sum) { return kernel::DotAdd(a, b, sum); };
  if (IsFloat(out.elem)) return Map<float, uint32_t, uint32_t, float>(out, in, add);
  if (in[0].elem == ElementType::S32) return Map<int32_t, int32_t, int32_t, int32_t>(out, in, add);
  Map<int32_t, uint32_t, int32_t, int32_t>(out, in, add);
}

}  // namespace

void EvaluatePointwise(const Op& op, const Tile& out, const Tile* in) {
  switch (op.code) {
    case OpCode::kCvt:
      return EvaluateConvert(out, in[0]);
    case OpCode::kBitcast:
      return CopyTile(out, in[0]);
    case OpCode::kCmp:
      return Compare(op.predicate, out, in);
    case OpCode::kDotAdd:
      return DotAdd(out, in);
    case OpCode::kSelect:
      return WithBits(out.elem, [&]<class T>(std::type_identity<T>) {
        Map<T, uint8_t, T, T>(out, in, [](uint8_t m, T a, T b) { return m ? a : b; });
      });
    default:
      break;
  }
  if (out.elem == ElementType::PRED) return Predicates(op.code, out, in);
  if (IsFloat(out.elem)) {
    return WithFloat(out.elem,
                     [&]<class T>(std::type_identity<T>) { Floats<T>(op.code, out, in); });
  }
  WithInteger(out.elem, [&]<class T>(std::type_identity<T>) { Integers<T>(op.code, out, in); });
}

}  // namespace sinter::kernel
