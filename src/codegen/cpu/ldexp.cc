// Numbers times powers of two whose products may be denormal.
#include "codegen/cpu/pointwise_x86.h"
#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using codegen::Expr;
using kernel::Op;
using llvm::Value;

namespace {

// How products of a type that may be denormal are told and made.
struct Denormals {
  int least;     // of exponents whose products are normal
  int usual;     // of those that the usual way takes
  int shift;     // the smallest denormal is 2^-shift
  double magic;  // what `in_range` exponents were rounded by
};
Denormals Of(Expr x, bool avx512) {
  // Numbers below 1 make a denormal of the smallest normal power: units up to 2^24, of F64 2^53.
  // Without AVX-512 those of F64 must stay below 2^52; and half of a usual product is normal, of
  // 1/4 too.
  if (x.bits() == 32) return {-125, avx512 ? -125 : -123, 149, 0x1.8p23};
  return avx512 ? Denormals{-1021, -1021, 1074, 0x1.8p52} : Denormals{-1022, -1019, 1074, 0x1.8p52};
}

// Exponents as they come: as the sums that rounded them, from which AVX-512 takes them as floats,
// or as integers.
struct Exponents {
  Expr n;
  RoundingSum from;

  // The lanes below `least`; of those that are NaN any.
  Value* Low(Expr x, const Denormals& d, int least) const {
    if (from.sum == nullptr) return Lt(n, n.C(least));
    return Lt(x.With(from.sum), x.F(d.magic + static_cast<double>(from.less) + least));
  }
  // 2^(n - 1), a normal number. A sum's bits above the integer do not stay.
  Expr HalfPower(Expr x) const {
    const bool wide = x.bits() == 64;
    const int mantissa = wide ? 52 : 23;
    const int64_t bias = (wide ? 1022 : 126) - from.less;
    Expr integer = from.sum == nullptr ? n : x.With(from.sum).AsInt();
    return ((integer << mantissa) + (bias << mantissa)).AsFloat();
  }
  // More by d.shift in the lanes of `low`. Where there is a sum, nothing uses the integers.
  Expr Raised(Expr x, Value* low, const Denormals& d) const {
    if (from.sum == nullptr) return n + Select(n.With(low), n.C(d.shift), n.C(0));
    Expr sum = x.With(from.sum);
    Expr integer = Select(x.With(low), sum + x.F(d.shift), sum).AsInt() - x.F(d.magic).AsInt();
    return from.less == 0 ? integer : integer - integer.C(from.less);
  }
};

// A float that is whole and not negative, at most 2^(mantissa bits), as an integer of its width.
Expr ToInteger(llvm::IRBuilder<>& b, Expr x, bool avx512) {
  if (x.bits() == 32 || avx512)
    return x.With(b.CreateIntrinsic(llvm::Intrinsic::lrint, {x.AsInt().type(), x.type()}, {x.v}));
  // Processors before AVX-512 convert no integers of 64 bits: those are the sum's low bits.
  return (x + x.F(0x1p52)).AsInt() - int64_t{0x4330000000000000};
}

}  // namespace

// Intel's processors take a hundred cycles for a vector with a result that is denormal, of a
// multiplication as of a scaling, and of a mask that sets logits to -1e9 most results are. Tiles
// that have one are computed as whole numbers of the smallest denormal, whose bits are that number:
// a megabyte of exponentials, a third of them denormal, takes a quarter of the time. The test is a
// comparison a vector and a branch a tile. Without AVX-512 other tiles are products of one power,
// of half the one asked for, since that may be 2^128: half the operations of two factors.
bool Tiles::EmitLdexp(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  if (!op.in_range || t.is_scalar()) return false;
  struct Operands {
    Expr x;
    Exponents exponents;
  };
  std::vector<Operands> parts;
  llvm::SmallVector<Value*, 8> masks;
  for (int part = 0; part < Count(t); part++) {
    Expr x{&b_, Part(op.operands[0], part, t)}, n{&b_, Part(op.operands[1], part, t)};
    Exponents exponents{n, FindRoundingSum(n, x.type())};
    const Denormals d = Of(x, target_.avx512);
    masks.push_back(exponents.Low(x, d, d.usual));
    parts.push_back({x, exponents});
  }
  auto scale = [&](Expr x, Expr n) {
    Value* const operands[] = {x, n};
    return x.With(pointwise_.Emit(op, t.elem, t.elem, operands));
  };
  InTwoWays(
      op, AnyLane(masks), "scaled",
      [&](size_t k) -> Value* {
        const auto& [x, exponents] = parts[k];
        if (target_.avx512) return scale(x, exponents.n);
        Expr half = x * exponents.HalfPower(x);
        return half + half;
      },
      [&](size_t k) {
        const auto& [x, exponents] = parts[k];
        const Denormals d = Of(x, target_.avx512);
        Value* low = exponents.Low(x, d, d.least);
        Expr y = scale(x, exponents.Raised(x, low, d));
        Expr bits = ToInteger(b_, y, target_.avx512).AsFloat();
        return Select(x.With(b_.CreateAnd(low, b_.CreateFCmpORD(x, x))), bits, y);
      });
  return true;
}

}  // namespace sinter::cpu
