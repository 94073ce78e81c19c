// Division of tiles by a number that a loop leaves alone.
#include <cmath>

#include "codegen/cpu/tiles.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::cpu {

using codegen::Expr;
using kernel::Op;
using kernel::OpCode;
using llvm::Value;

namespace {

// What is known of a divisor before the loop that divides by it.
struct Divisor {
  Value* s = nullptr;
  Value* inverse = nullptr;               // 1/s, rounded once
  Value *high = nullptr, *low = nullptr;  // in F64, see ByWiderInverse
};

// For |s| within 2^-s to 2^s and |x| within 2^-x to 2^x nothing in ByInverse is denormal, infinite,
// or loses digits.
struct Range {
  int s, x;
};
Range RangeOf(bool wide) { return wide ? Range{100, 900} : Range{25, 100}; }

// x / s, with x and s in range or x = +0: q = x / s to about an ulp leaves a rest that is exact,
// and one step with it rounds as division does, since 1/s was rounded only once (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000", 1990, theorem 5.3).
Expr ByInverse(llvm::IRBuilder<>& b, Expr x, const Divisor& d) {
  auto fma = [&](Value* p, Value* q, Value* r) {
    return x.With(b.CreateIntrinsic(llvm::Intrinsic::fma, {x.type()}, {p, q, r}));
  };
  Expr q = x * x.With(d.inverse);
  return fma(fma(b.CreateFNeg(q), d.s, x), d.inverse, q);
}

// The lanes that ByInverse must not take.
Value* OutOfRange(llvm::IRBuilder<>& b, Expr x) {
  const bool wide = x.bits() == 64;
  const int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127, limit = RangeOf(wide).x;
  // Without its sign, at the top of the word.
  auto word = [&](int exponent) {
    return static_cast<uint64_t>(bias + exponent) << (mantissa + 1);
  };
  Expr bits = x.AsInt();
  Expr above = (bits << 1) - bits.U(word(-limit));
  return b.CreateAnd(b.CreateICmpUGT(above, bits.U(word(limit) - word(-limit))),
                     b.CreateICmpNE(bits, bits.C(0)));
}

// x / s in F32 by multiplication in F64, rounded as division rounds, for all x and s. With high +
// low = 1/s up to 2^-104 of it, fma(x, high, x * low) is x/s rounded to F64 once more: exactly x/s
// where that has few digits, as the ties of denormal results have, and else on the same side of all
// ties of F32 as x/s is, which keeps away from them by 2^-49 of itself. 512-bit division takes 16
// cycles, this 6.5; without AVX-512 there is nothing to gain.
Expr ByWiderInverse(llvm::IRBuilder<>& b, Expr x, const Divisor& d) {
  x = x.FExt();
  Expr p = x * x.With(d.low);
  return x.With(b.CreateIntrinsic(llvm::Intrinsic::fma, {x.type()}, {x, d.high, p})).FTrunc();
}

void PrepareWiderInverse(llvm::IRBuilder<>& b, Divisor& d) {
  Expr s = Expr{&b, d.s}.FExt();
  Expr inverse = s.With(b.CreateFDiv(s.C(1), s));
  // Towards zero by a unit, so that the rest is never zero and has the sign of s: infinite x meet
  // no contrary infinities. For s zero, infinite or NaN 1/s twice gives all that x/s is.
  Expr toward = (inverse.AsInt() - 1).AsFloat();
  Expr rest = s.With(
      b.CreateIntrinsic(llvm::Intrinsic::fma, {s.type()}, {b.CreateFNeg(toward), s, s.C(1)}));
  Expr size = FAbs(s);
  Value* plain = b.CreateAnd(Gt(size, s.C(0)), Lt(size, s.F(HUGE_VAL)));
  d.high = b.CreateSelect(plain, toward, inverse);
  d.low = b.CreateSelect(plain, b.CreateFDiv(rest, s), inverse);
}

}  // namespace

// Three multiplications where all lanes are in the range for that, which is tested at half the cost
// of a division; else, in F32 on AVX-512, two in F64.
bool Tiles::EmitOwnPointwise(const Op& op) {
  if (op.code != OpCode::kDiv || !target_.fma) return false;
  const kernel::Type& t = type(op.results[0]);
  const bool wide = t.elem == ElementType::F64;
  if ((!wide && t.elem != ElementType::F32) || t.cols < 8 || !type(op.operands[1]).is_scalar())
    return false;
  Divisor d{.s = Scalar(op.operands[1])};
  const int depth = Depth(d.s);
  if (depth >= Depth() || llvm::isa<llvm::Constant>(d.s)) return false;

  const bool wider = !wide && target_.avx512;
  Value* outside = AtDepth(depth, [&]() -> Value* {
    Expr s{&b_, d.s};
    Expr size = FAbs(s);
    const int limit = RangeOf(wide).s;
    d.inverse = b_.CreateFDiv(s.C(1), s);
    if (wider) PrepareWiderInverse(b_, d);
    return b_.CreateNot(
        b_.CreateAnd(Ge(size, s.F(std::ldexp(1, -limit))), Ge(s.F(std::ldexp(1, limit)), size)));
  });
  auto at_width = [&](int width) {
    auto splat = [&](Value* v) { return v == nullptr ? v : Splat(v, width); };
    return Divisor{splat(d.s), splat(d.inverse), splat(d.high), splat(d.low)};
  };

  std::vector<Expr> x;
  Value* lanes = nullptr;
  auto any = [&](Value* mask) {
    auto width = static_cast<unsigned>(codegen::WidthOf(mask->getType()));
    Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(width));
    outside = b_.CreateOr(outside, b_.CreateIsNotNull(bits));
  };
  for (int part = 0; part < Count(t); part++) {
    x.push_back({&b_, Part(op.operands[0], part, t)});
    Value* mask = OutOfRange(b_, x.back());
    if (lanes != nullptr && lanes->getType() == mask->getType()) {
      lanes = b_.CreateOr(lanes, mask);
    } else {
      if (lanes != nullptr) any(lanes);
      lanes = mask;
    }
  }
  any(lanes);

  llvm::BasicBlock *multiply = NewBlock("multiply"), *divide = NewBlock("divide"),
                   *done = NewBlock("quotients");
  b_.CreateCondBr(outside, divide, multiply,
                  llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
  std::vector<Value*> fast, slow;
  b_.SetInsertPoint(multiply);
  for (Expr e : x) fast.push_back(ByInverse(b_, e, at_width(e.width())));
  b_.CreateBr(done);
  b_.SetInsertPoint(divide);
  for (Expr e : x) {
    const Divisor wide_d = at_width(e.width());
    slow.push_back(wider ? ByWiderInverse(b_, e, wide_d).v : b_.CreateFDiv(e, wide_d.s));
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  Parts out;
  for (size_t k = 0; k < x.size(); k++) {
    llvm::PHINode* phi = b_.CreatePHI(x[k].type(), 2);
    phi->addIncoming(fast[k], multiply);
    phi->addIncoming(slow[k], divide);
    out.push_back(phi);
  }
  Bind(op.results[0], std::move(out));
  return true;
}

}  // namespace sinter::cpu
