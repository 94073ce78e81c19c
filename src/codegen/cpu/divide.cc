// Division of tiles by a number that a loop leaves alone.
#include <algorithm>
#include <cmath>

#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using codegen::Expr;
using kernel::Op;
using kernel::OpCode;
using llvm::Value;

namespace {

// For |s| within 2^-s to 2^s and |x| within 2^-x to 2^x nothing in ByInverse is denormal, infinite,
// or loses digits.
struct Range {
  int s, x;
};
Range RangeOf(bool wide) { return wide ? Range{100, 900} : Range{25, 100}; }

// x / s, with x and s in range or x = +0, and inverse = 1/s rounded once: q = x / s to about an ulp
// leaves a rest that is exact, and one step with it rounds as division does (P. Markstein,
// Computation of elementary functions on the IBM RISC System/6000 processor, 1990).
Expr ByInverse(llvm::IRBuilder<>& b, Expr x, Value* s, Value* inverse) {
  auto fma = [&](Value* p, Value* q, Value* r) {
    return x.With(b.CreateIntrinsic(llvm::Intrinsic::fma, {x.type()}, {p, q, r}));
  };
  Expr q = x * x.With(inverse);
  return fma(fma(b.CreateFNeg(q), s, x), inverse, q);
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

// Whether a number is a converted integer of at most 32 bits, so 0 or of a size from 1 to 2^32.
bool IsInteger32(const Value* x) {
  if (!llvm::isa<llvm::SIToFPInst>(x) && !llvm::isa<llvm::UIToFPInst>(x)) return false;
  return llvm::cast<llvm::Instruction>(x)->getOperand(0)->getType()->getScalarSizeInBits() <= 32;
}

}  // namespace

// Three multiplications where all lanes are in the range for that, else a division: on AVX-512 3.5
// cycles a vector with the test, against 16.
bool Tiles::EmitDivide(const Op& op) {
  if (!target_.fma) return false;
  const kernel::Type& t = type(op.results[0]);
  const bool wide = t.elem == ElementType::F64;
  if ((!wide && t.elem != ElementType::F32) || t.cols < 8 || !type(op.operands[1]).is_scalar())
    return false;
  Value* divisor = Scalar(op.operands[1]);
  const int depth = Depth(divisor);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(divisor)) {
    // Of integers every lane is in range, whatever the loop.
    const double size = std::abs(wide ? number->getValueAPF().convertToDouble()
                                      : number->getValueAPF().convertToFloat());
    const int limit = RangeOf(wide).s;
    if (!(size >= std::ldexp(1, -limit) && size <= std::ldexp(1, limit))) return false;
    Parts out;
    for (int part = 0; part < Count(t); part++) {
      Expr x{&b_, Part(op.operands[0], part, t)};
      if (!IsInteger32(x)) return false;
      Value* inverse = b_.CreateFDiv(llvm::ConstantFP::get(divisor->getType(), 1.0), divisor);
      out.push_back(ByInverse(b_, x, Splat(divisor, x.width()), Splat(inverse, x.width())));
    }
    Bind(op.results[0], std::move(out));
    return true;
  }
  // Of a loop inside of a task: in a body without one, equal quotients are one division (a softmax
  // of rows of 60 at a temperature takes 14 % longer by inverses).
  if (std::max(depth, 1) >= Depth() || llvm::isa<llvm::Constant>(divisor)) return false;

  Value* inverse = nullptr;
  Value* outside = AtDepth(depth, [&]() -> Value* {
    Expr s{&b_, divisor};
    Expr size = FAbs(s);
    const int limit = RangeOf(wide).s;
    inverse = b_.CreateFDiv(s.C(1), s);
    return b_.CreateNot(
        b_.CreateAnd(Ge(size, s.F(std::ldexp(1, -limit))), Ge(s.F(std::ldexp(1, limit)), size)));
  });

  std::vector<Expr> x;
  llvm::SmallVector<Value*, 8> masks;
  for (int part = 0; part < Count(t); part++) {
    x.push_back({&b_, Part(op.operands[0], part, t)});
    masks.push_back(OutOfRange(b_, x.back()));
  }
  InTwoWays(
      op, b_.CreateOr(outside, AnyLane(masks)), "quotients",
      [&](size_t k) {
        return ByInverse(b_, x[k], Splat(divisor, x[k].width()), Splat(inverse, x[k].width()));
      },
      [&](size_t k) { return b_.CreateFDiv(x[k], Splat(divisor, x[k].width())); });
  return true;
}

}  // namespace sinter::cpu
