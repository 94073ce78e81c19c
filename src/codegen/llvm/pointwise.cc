#include "codegen/llvm/pointwise.h"

#include <limits>

#include "base/status.h"

namespace sinter::codegen {
namespace {

using kernel::OpCode;
using kernel::Predicate;
using llvm::Intrinsic::ID;

bool IsAllOnes(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  return c != nullptr && c->isAllOnesValue();
}

// The number that every lane of a constant holds, or null.
const llvm::ConstantFP* SplatFloat(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c == nullptr) return nullptr;
  if (c->getType()->isVectorTy()) c = c->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
}
const llvm::ConstantInt* SplatInt(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c == nullptr) return nullptr;
  if (c->getType()->isVectorTy()) c = c->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantInt>(c);
}

}  // namespace

llvm::Value* Pointwise::Fail(const kernel::Op& op, ElementType in, ElementType out, int width) {
  if (status_.ok()) {
    status_ = Internal("operation {} is not defined from {} to {}", kernel::Name(op.code), Name(in),
                       Name(out));
  }
  return llvm::PoisonValue::get(Widen(RegisterType(b_.getContext(), out), width));
}

llvm::Value* Pointwise::Emit(const kernel::Op& op, ElementType in, ElementType out,
                             llvm::ArrayRef<llvm::Value*> x) {
  switch (op.code) {
    case OpCode::kSelect:
      return b_.CreateSelect(x[0], x[1], x[2]);
    case OpCode::kCvt:
      return Convert(X(x[0]), in, out, op.in_range);
    case OpCode::kBitcast: {
      Expr a = X(x[0]);
      if (BitWidth(in) != BitWidth(out)) break;
      if (IsPredicate(in)) return in == out ? a : a.Zext(8);
      if (IsPredicate(out)) return Ne(a, a.C(0));
      return b_.CreateBitCast(a, Widen(RegisterType(b_.getContext(), out), a.width()));
    }
    case OpCode::kCmp:
      if (IsNarrowFloat(in)) break;
      return Compare(op.predicate, in, X(x[0]), X(x[1]));
    case OpCode::kDotAdd:
      return in == ElementType::S32 ? DotAddPairs(X(x[0]), X(x[1]), X(x[2]))
                                    : DotAdd(X(x[0]), X(x[1]), X(x[2]));
    default: {
      llvm::Value* v = IsArithmeticFloat(in) ? EmitFloat(op, x)
                       : IsNarrowFloat(in)   ? nullptr
                                             : EmitInteger(op, in, x);
      if (v != nullptr) return v;
    }
  }
  return Fail(op, in, out, WidthOf(x[0]->getType()));
}

llvm::Value* Pointwise::EmitFloat(const kernel::Op& op, llvm::ArrayRef<llvm::Value*> x) {
  Expr a = X(x[0]);
  auto unary = [&](ID id) { return b_.CreateUnaryIntrinsic(id, a); };
  switch (op.code) {
    case OpCode::kAdd:
      return a + X(x[1]);
    case OpCode::kSub:
      return a - X(x[1]);
    case OpCode::kMul:
      return a * X(x[1]);
    case OpCode::kDiv:
      return b_.CreateFDiv(a, x[1]);
    case OpCode::kRem:
      return soft_.Fmod(b_, a, x[1]);
    case OpCode::kMin:
      return FloatMinMax(a, X(x[1]), false);
    case OpCode::kMax:
      return FloatMinMax(a, X(x[1]), true);
    case OpCode::kFma:
      return Fma(a, X(x[1]), X(x[2]));
    case OpCode::kNeg:
      return b_.CreateFNeg(a);
    case OpCode::kAbs:
      return FAbs(a);
    case OpCode::kSqrt:
      return unary(llvm::Intrinsic::sqrt);
    case OpCode::kFloor:
      return unary(llvm::Intrinsic::floor);
    case OpCode::kCeil:
      return unary(llvm::Intrinsic::ceil);
    case OpCode::kTrunc:
      return unary(llvm::Intrinsic::trunc);
    case OpCode::kRoundEven:
      return unary(llvm::Intrinsic::roundeven);
    case OpCode::kLdexp:
      return op.in_range ? LdexpInRange(a, X(x[1])) : Ldexp(a, X(x[1]));
    default:
      return nullptr;
  }
}

llvm::Value* Pointwise::EmitInteger(const kernel::Op& op, ElementType elem,
                                    llvm::ArrayRef<llvm::Value*> x) {
  const bool is_signed = IsSigned(elem);
  Expr a = X(x[0]);
  switch (op.code) {
    case OpCode::kAdd:
      return a + X(x[1]);
    case OpCode::kSub:
      return a - X(x[1]);
    case OpCode::kMul:
      return a * X(x[1]);
    case OpCode::kMulHi:
      return MulHi(a, X(x[1]), is_signed);
    case OpCode::kDiv:
      return Divide(a, X(x[1]), is_signed, false);
    case OpCode::kRem:
      return Divide(a, X(x[1]), is_signed, true);
    case OpCode::kMin:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a,
                                      x[1]);
    case OpCode::kMax:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a,
                                      x[1]);
    case OpCode::kAnd:
      // Masks that are known to be all true are frequent, and fold only if nothing is emitted here.
      if (IsAllOnes(x[0])) return x[1];
      if (IsAllOnes(x[1])) return x[0];
      return a & X(x[1]);
    case OpCode::kOr:
      return a | X(x[1]);
    case OpCode::kXor:
      return a ^ X(x[1]);
    case OpCode::kShl:
      return Shift(a, X(x[1]), true, is_signed);
    case OpCode::kShr:
      return Shift(a, X(x[1]), false, is_signed);
    case OpCode::kNeg:
      return b_.CreateNeg(a);
    case OpCode::kAbs:
      if (!is_signed) return a;
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, b_.getFalse());
    case OpCode::kPopcnt:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
    case OpCode::kClz:
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b_.getFalse());
    default:
      return nullptr;
  }
}

Expr Pointwise::Compare(Predicate p, ElementType elem, Expr a, Expr c) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kFloat[] = {P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT,
                                 P::FCMP_OGE, P::FCMP_OEQ, P::FCMP_UNE};
  static constexpr P kSigned[] = {P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT,
                                  P::ICMP_SGE, P::ICMP_EQ,  P::ICMP_NE};
  static constexpr P kUnsigned[] = {P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT,
                                    P::ICMP_UGE, P::ICMP_EQ,  P::ICMP_NE};
  const auto i = static_cast<size_t>(p);
  if (a.is_float()) return X(b_.CreateFCmp(kFloat[i], a, c));
  return X(b_.CreateICmp(IsSigned(elem) ? kSigned[i] : kUnsigned[i], a, c));
}

// `select (a > c), a, c` is one instruction on x86 (the second operand where they are unordered or
// equal), and so is its mirror. Taken both ways they differ only where an operand is NaN or the
// operands are zeros of both signs.
Expr Pointwise::FloatMinMax(Expr a, Expr c, bool is_max) {
  auto pick = [&](Expr x, Expr y) { return Select(is_max ? Gt(x, y) : Lt(x, y), x, y); };
  if (SplatFloat(a) != nullptr) std::swap(a, c);
  if (const llvm::ConstantFP* k = SplatFloat(c); k != nullptr && !k->isNaN()) {
    // pick(c, a) is `a` where a is NaN or equal to c: right unless a is the zero that loses.
    if (!k->isZero() || k->isNegative() == is_max) return pick(c, a);
    if (is_max) return pick(c, a) + c;  // -0 + +0 = +0
  }
  Expr x = pick(a, c).AsInt(), y = pick(c, a).AsInt();
  // Zeros: the sign bit of either. NaN: one of the two is that NaN, and or keeps it one.
  if (!is_max) return (x | y).AsFloat();
  // d is 0 where both agree; for zeros of both signs -0 - -0 = +0; a NaN stays one under or and
  // minus.
  Expr d = x ^ y;
  return (x | y).AsFloat() - d.AsFloat();
}

Expr Pointwise::Fma(Expr a, Expr m, Expr c) {
  if (!can_.fma) return X(soft_.Fma(b_, a, m, c));
  return X(b_.CreateIntrinsic(llvm::Intrinsic::fma, {a.type()}, {a, m, c}));
}

Expr Pointwise::DotAdd(Expr a, Expr m, Expr sum) {
  if (!sum.is_float()) {
    for (int at = 0; at < 32; at += 8) sum = sum + ((a >> at) & 0xff) * Sar(m << (24 - at), 24);
    return sum;
  }
  auto flushed = [](Expr x) {
    return Select(Lt(FAbs(x), x.F(0x1p-126)), (x.AsInt() & 0x80000000).AsFloat(), x);
  };
  for (int half : {0, 16}) {
    auto number = [&](Expr x) { return flushed(((x << half) & 0xffff0000).AsFloat()); };
    sum = flushed(Fma(number(a), number(m), flushed(sum)));
  }
  return sum;
}

Expr Pointwise::DotAddPairs(Expr a, Expr m, Expr sum) {
  return sum + Sar(a << 16, 16) * Sar(m << 16, 16) + Sar(a, 16) * Sar(m, 16);
}

Expr Pointwise::Ldexp(Expr x, Expr n) {
  if (x.bits() == 32) {
    // f64 holds every f32 times 2^+-300, so that the one rounding is the conversion back.
    Expr exponent = SClamp(n, -300, 300).Sext(64) + 1023;
    return (x.FExt() * (exponent << 52).AsFloat()).FTrunc();
  }
  // Three factors. The first ones stop short of where the last has to round: a product that became
  // denormal before it is so small that the result is 0 whichever way it was rounded.
  n = SClamp(n, -2100, 2100);
  auto power = [](Expr e) { return ((e + 1023) << 52).AsFloat(); };
  for (int i = 0; i < 2; i++) {
    Expr step = Select(Lt(n, n.C(-1022)), n.C(-969), SMin(n, n.C(1023)));
    x = x * power(step);
    n = n - step;
  }
  return x * power(SMax(n, n.C(-1022)));
}

// Two factors of about half the exponent: the first product is a normal number, so exact.
Expr Pointwise::LdexpInRange(Expr x, Expr n) {
  const bool wide = x.bits() == 64;
  auto power = [&](Expr e) { return ((e + (wide ? 1023 : 127)) << (wide ? 52 : 23)).AsFloat(); };
  Expr half = Sar(n, 1);
  return x * power(half) * power(n - half);
}

Expr Pointwise::Shift(Expr a, Expr n, bool left, bool is_signed) {
  const int bits = static_cast<int>(a.bits());
  const llvm::ConstantInt* k = SplatInt(n);
  const bool inside = k != nullptr && k->getValue().ult(static_cast<uint64_t>(bits));
  if (!left && is_signed) {
    if (!inside) n = UMin(n, n.C(bits - 1));
    return X(b_.CreateAShr(a, n));
  }
  auto shift = [&](Expr by) { return left ? a << by : a >> by; };
  if (inside) return shift(n);
  if (k != nullptr) return a.C(0);
  // A shift by too much is poison, but select drops it.
  return Select(ULt(n, n.C(bits)), shift(n), a.C(0));
}

Expr Pointwise::MulHi(Expr a, Expr c, bool is_signed) {
  const unsigned bits = a.bits();
  auto extend = [&](Expr x, unsigned n) { return is_signed ? x.Sext(n) : x.Zext(n); };
  if (bits < 64 || a.width() == 1) {
    Expr wide = extend(a, 2 * bits) * extend(c, 2 * bits);
    return (wide >> static_cast<int>(bits)).Zext(bits);
  }
  // Vectors of 128 bits would be taken apart: four products of halves instead.
  constexpr uint64_t kLow = 0xffffffff;
  Expr a0 = a & kLow, a1 = a >> 32, c0 = c & kLow, c1 = c >> 32;
  Expr cross = a1 * c0 + ((a0 * c0) >> 32);
  Expr high = a1 * c1 + (cross >> 32) + ((a0 * c1 + (cross & kLow)) >> 32);
  if (!is_signed) return high;
  // (a - 2^64 [a < 0]) (c - 2^64 [c < 0]) modulo 2^128.
  return high - (Sar(a, 63) & c) - (Sar(c, 63) & a);
}

// x/0 = -1, x%0 = x, MIN/-1 = MIN, MIN%-1 = 0.
Expr Pointwise::Divide(Expr a, Expr c, bool is_signed, bool remainder) {
  const unsigned bits = a.bits();
  if (bits == 1) return remainder ? a & ~c : a | ~c;  // x/0 = all ones, x/1 = x; x%0 = x, x%1 = 0
  auto divide = [&](Expr x, Expr y) {
    return X(is_signed ? (remainder ? b_.CreateSRem(x, y) : b_.CreateSDiv(x, y))
                       : (remainder ? b_.CreateURem(x, y) : b_.CreateUDiv(x, y)));
  };
  const llvm::ConstantInt* k = SplatInt(c);
  if (k != nullptr && !k->isZero() && !(is_signed && k->isMinusOne())) return divide(a, c);
  Expr zero = Eq(c, c.C(0)), safe = c;
  if (a.width() > 1 && bits <= 32) {
    // Vectors divide as floats: the quotient, rounded, is within 1/c of the integer below it only
    // if it is exact. All instruction sets lack vector division of integers, and lane by lane costs
    // ten times as much.
    const bool wide = bits == 32;
    safe = Select(zero, c.C(1), c);
    Expr extended_a = a, extended_c = safe;
    if (!wide) {
      extended_a = is_signed ? a.Sext(32) : a.Zext(32);
      extended_c = is_signed ? safe.Sext(32) : safe.Zext(32);
    }
    llvm::Type* to = extended_a.FloatType(wide ? 64 : 32);
    const bool as_signed = is_signed || !wide;
    auto to_float = [&](Expr x) {
      return as_signed ? b_.CreateSIToFP(x, to) : b_.CreateUIToFP(x, to);
    };
    Expr q = X(b_.CreateFDiv(to_float(extended_a), to_float(extended_c)));
    if (wide && is_signed) {
      // MIN / -1 = 2^31 does not fit: bring it back before the conversion.
      q = Select(Lt(q, q.F(2147483648.0)), q, q.F(-2147483648.0));
    }
    q = X(as_signed ? b_.CreateFPToSI(q, q.IntType(32)) : b_.CreateFPToUI(q, q.IntType(32)));
    q = q.Zext(bits);
    // x % 0 = x: the quotient that belongs to it is 0; else x - q c, which wraps as it should.
    if (remainder) return a - q * c;
    return Select(zero, a.C(-1), q);
  }
  if (!is_signed) {
    safe = Select(zero, c.C(1), c);
    Expr q = divide(a, safe);
    return remainder ? Select(zero, a, q) : Select(zero, a.C(-1), q);
  }
  Expr special = ULt(c + 1, c.C(2));  // 0 or -1
  safe = Select(special, c.C(1), c);
  Expr q = divide(a, safe);
  if (remainder) return Select(special, Select(zero, a, a.C(0)), q);
  return Select(special, Select(zero, a.C(-1), a.C(0) - a), q);
}

}  // namespace sinter::codegen
