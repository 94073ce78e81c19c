// Numbers times powers of two whose products may be denormal.
#include "absl/base/casts.h"
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
  int shift;     // the smallest denormal is 2^-shift
  double magic;  // what `in_range` exponents were rounded by
};
Denormals Of(Expr x, bool avx512) {
  // Numbers below 1 make a denormal of the smallest normal power: units up to 2^24, of F64 2^53.
  // Without AVX-512 those of F64 must stay below 2^52.
  if (x.bits() == 32) return {-125, 149, 0x1.8p23};
  return {avx512 ? -1021 : -1022, 1074, 0x1.8p52};
}

// Exponents as they come: as the sums that rounded them, from which AVX-512 takes them as floats,
// or as integers.
struct Exponents {
  Expr n;
  RoundingSum from;

  // The lanes below d.least; of those that are NaN any.
  Value* Low(Expr x, const Denormals& d) const {
    if (from.sum == nullptr) return Lt(n, n.C(d.least));
    return Lt(x.With(from.sum), x.F(d.magic + static_cast<double>(from.less) + d.least));
  }
  // The lanes, of x in [1/4, 2), whose products may be denormal or infinite; of sums those that are
  // NaN, whose bits are far from those of any exponent.
  Value* Unusual(Expr x, const Denormals& d) const {
    const bool wide = x.bits() == 64;
    const int64_t lowest = wide ? -1019 : -123, highest = wide ? 1023 : 127,
                  least = wide ? INT64_MIN : INT32_MIN;
    const int64_t magic = wide ? absl::bit_cast<int64_t>(d.magic)
                               : absl::bit_cast<int32_t>(static_cast<float>(d.magic));
    const int64_t zero = lowest + (from.sum == nullptr ? 0 : from.less + magic);
    Expr integer = from.sum == nullptr ? n : x.With(from.sum).AsInt();
    // Without a sign, as it passes the least integer.
    const auto back =
        static_cast<int64_t>(static_cast<uint64_t>(least) - static_cast<uint64_t>(zero));
    Expr from_least = integer + integer.C(back);
    return Gt(from_least, integer.C(least + highest - lowest));
  }
  // Of the others the product. What a sum has above the integer does not stay.
  Expr Product(Expr x) const {
    const bool wide = x.bits() == 64;
    const int mantissa = wide ? 52 : 23;
    if (from.sum == nullptr) return x * ((n + (wide ? 1023 : 127)) << mantissa).AsFloat();
    return (x.AsInt() + ((x.With(from.sum).AsInt() - from.less) << mantissa)).AsFloat();
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
// comparison a vector and a branch a tile. Without AVX-512 other tiles are sums of exponents, by
// operations that no processor has too few units for, as they have for products.
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
    masks.push_back(target_.avx512 ? exponents.Low(x, d) : exponents.Unusual(x, d));
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
        return target_.avx512 ? scale(x, exponents.n) : exponents.Product(x);
      },
      [&](size_t k) {
        const auto& [x, exponents] = parts[k];
        const Denormals d = Of(x, target_.avx512);
        Value* low = exponents.Low(x, d);
        Expr y = scale(x, exponents.Raised(x, low, d));
        Expr bits = ToInteger(b_, y, target_.avx512).AsFloat();
        return Select(x.With(b_.CreateAnd(low, b_.CreateFCmpORD(x, x))), bits, y);
      });
  return true;
}

}  // namespace sinter::cpu
