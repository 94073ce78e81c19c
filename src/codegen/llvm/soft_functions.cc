#include "codegen/llvm/soft_functions.h"

#include "base/text.h"

namespace sinter::codegen {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::PHINode;

// --- fused multiply-add --------------------------------------------------------------------------

// The product of two f32 is exact in f64. Their sum with z, rounded to odd, may be rounded once
// more to f32.
Expr Fma32(IRBuilder<>&, llvm::ArrayRef<Expr> a) {
  Expr p = a[0].FExt() * a[1].FExt(), z = a[2].FExt();
  Expr s = p + z;
  // Knuth's two-sum: the error of s. NaN where s is not finite, which the comparisons below take
  // for none.
  Expr t = s - p;
  Expr error = (p - (s - t)) + (z - t);
  Expr bits = s.AsInt(), zero = error.C(0);
  Expr inexact = s.With(s.b->CreateFCmpONE(error, zero));
  Expr away = Eq(Lt(error, zero), Lt(s, zero));  // the exact sum is larger in magnitude
  Expr adjust = inexact & Eq(bits & 1, bits.C(0));
  Expr odd = bits + Select(away, bits.C(1), bits.C(-1));
  return Select(adjust, odd, bits).AsFloat().FTrunc();
}

// x = m 2^(e - 1075) with m below 2^53 and e at least 1.
struct FloatParts {
  Expr m, e;
};
FloatParts Split64(Expr x) {
  Expr bits = x.AsInt() & 0x7fffffffffffffff;
  Expr e = bits >> 52, fraction = bits & 0xfffffffffffff;
  Expr denormal = Eq(e, e.C(0));
  return {Select(denormal, fraction, fraction | 0x10000000000000), Select(denormal, e.C(1), e)};
}

// Shifts right, at most 127; what falls off sets the lowest bit, so that a later rounding knows of
// it.
Expr ShiftSticky(Expr m, Expr distance) {
  Expr n = SClamp(distance, 0, 127).Zext(128);
  Expr out = m >> n;
  return out | Ne(out << n, m).Zext(128);
}

Expr Fma64(IRBuilder<>& b, llvm::ArrayRef<Expr> a) {
  Expr x = a[0], y = a[1], z = a[2];
  // Zeros, infinities and NaN: the plain operations are exact with them, except that a product that
  // underflows must not meet a zero, nor one that overflows an infinity, of the other sign.
  Expr product = x * y;
  Expr zero = x.C(0);
  Expr infinite = x.With(llvm::ConstantFP::getInfinity(x.type()));
  auto finite = [&](Expr v) { return Lt(FAbs(v), infinite); };
  Expr finite_product = finite(x) & finite(y);
  Expr sum = Select(finite_product & ~finite(z), z, product + z);
  Expr proper = finite_product & finite(z) & Ne(x, zero) & Ne(y, zero);
  Expr z_is_zero = Eq(z, zero);

  // 128-bit integers: the product has 106 bits, kept 20 above the bottom, so that whenever bits of
  // either term are shifted out, the other term is too large for them to be more than a
  // tie-breaker.
  auto normal = [&](FloatParts p) {  // the highest bit at 52
    Expr up = x.With(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, p.m, b.getFalse())) - 11;
    return FloatParts{p.m << up, p.e - up};
  };
  FloatParts px = normal(Split64(x)), py = normal(Split64(y)), pz = normal(Split64(z));
  Expr p = (px.m.Zext(128) * py.m.Zext(128)) << 20;
  Expr ep = px.e + py.e - (2 * 1075 + 20);  // exponents of the lowest bit
  Expr ez = pz.e - 1075;
  Expr d = ez - ep;
  Expr up = SClamp(d, 0, 73).Zext(128);
  Expr mz = ShiftSticky(pz.m.Zext(128) << up, d.C(0) - d);
  Expr mp = ShiftSticky(p, d - 73);
  Expr e = ep + SMax(d - 73, d.C(0));

  Expr sign_p = (x.AsInt() ^ y.AsInt()) >> 63, sign_z = z.AsInt() >> 63;
  Expr same = Eq(sign_p, sign_z);
  Expr difference = mp - mz;
  Expr negative = Lt(difference, difference.C(0));
  Expr m = Select(same, mp + mz, Select(negative, difference.C(0) - difference, difference));
  Expr sign = Select(same, sign_p, Select(negative, sign_z, sign_p));

  // Highest bit to 127; denormal results are shifted back to where their last bit is.
  Expr lead = m.With(b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, m, b.getFalse()));
  m = m << (lead & 127);
  Expr biased = e - lead.Zext(64) + (127 + 1023);
  m = ShiftSticky(m, biased.C(1) - biased);
  Expr high = (m >> 75).Zext(64);
  Expr rest = m & m.With(b.CreateSub(m.C(1) << 75, m.C(1)));
  Expr half = m.C(1) << 74;
  Expr round_up = Gt(rest, half) | (Eq(rest, half) & Eq(high & 1, high.C(1)));
  high = high + round_up.Zext(64);
  // The leading bit of `high` adds one to the exponent; a carry out of it, one more.
  Expr bits = ((SMax(biased, biased.C(1)) - 1) << 52) + high;
  Expr largest = bits.U(0x7ff0000000000000);
  bits = Select(Gt(biased, biased.C(2046)), largest, bits);
  bits = Select(Eq(difference, difference.C(0)) & ~same, bits.C(0), bits | (sign << 63));
  return Select(proper, Select(z_is_zero, product, bits.AsFloat()), sum);
}

// --- remainder -----------------------------------------------------------------------------------

// Long division of the significands, `chunk` bits a step. The result is m 2^(e of y).
Expr FmodBits(IRBuilder<>& b, Expr mx, Expr my, Expr steps, int chunk) {
  llvm::Function* f = b.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = b.getContext();
  Expr first = mx.With(b.CreateURem(mx, my));
  auto* before = b.GetInsertBlock();
  auto* loop = BasicBlock::Create(context, "loop", f);
  auto* done = BasicBlock::Create(context, "done", f);
  b.CreateCondBr(Gt(steps, steps.C(0)), loop, done);
  b.SetInsertPoint(loop);
  PHINode* r = b.CreatePHI(mx.type(), 2);
  PHINode* n = b.CreatePHI(mx.type(), 2);
  Expr left = mx.With(n);
  Expr by = SMin(left, left.C(chunk));
  Expr next = mx.With(b.CreateURem(mx.With(r) << by, my));
  Expr rest = left - by;
  r->addIncoming(first, before);
  r->addIncoming(next, loop);
  n->addIncoming(steps, before);
  n->addIncoming(rest, loop);
  b.CreateCondBr(Gt(rest, rest.C(0)), loop, done);
  b.SetInsertPoint(done);
  PHINode* out = b.CreatePHI(mx.type(), 2);
  out->addIncoming(first, before);
  out->addIncoming(next, loop);
  return mx.With(out);
}

// What is finite of the operands, as far as fmod asks: elsewhere its result is x or NaN.
Expr IsProperFmod(Expr x, Expr y) {
  return Lt(FAbs(x), x.With(llvm::ConstantFP::getInfinity(x.type()))) & Ne(y, y.C(0)) & ~IsNan(y);
}
// C's fmod, where `value` is |x| mod |y| of proper operands with |x| no less than |y|.
Expr FmodOf(Expr x, Expr y, Expr value) {
  IRBuilder<>& b = *x.b;
  value = x.With(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x));
  value = Select(Lt(FAbs(x), FAbs(y)), x, value);
  Expr product = x * y;
  Expr nan = x.With(b.CreateFDiv(product, product));  // 0/0 or inf/inf or NaN; and inf * 0
  return Select(IsProperFmod(x, y), value,
                Select(IsNan(nan), nan, x.With(llvm::ConstantFP::getNaN(x.type()))));
}

// |x| mod |y| of f64. Where y is 0 or a special value the result does not matter, but no division
// may trap.
Expr Fmod64(IRBuilder<>& b, llvm::ArrayRef<Expr> a) {
  Expr x = a[0], y = a[1];
  FloatParts px = Split64(x), py = Split64(y);
  Expr my = Select(Eq(py.m, py.m.C(0)), py.m.C(1), py.m);
  Expr r = FmodBits(b, px.m, my, px.e - py.e, 11);
  // r 2^(e - 1075) in two factors, so that neither the scale nor the first product leaves the
  // normal range.
  Expr e = py.e - 1075;
  Expr half = Sar(e, 1);
  auto power = [](Expr n) { return ((n + 1023) << 52).AsFloat(); };
  Expr value = x.With(b.CreateUIToFP(r, x.type())) * power(half) * power(e - half);
  return FmodOf(x, y, value);
}

// The remainder of two f32, given as f64, which holds every value here exactly as long as the
// quotient has no more than 29 bits: `fits` says where it has. The division may have rounded a
// quotient up to the next whole number.
Expr FmodOfQuotient(IRBuilder<>& b, Expr x, Expr y, Expr* fits) {
  Expr q = x / y;
  *fits = Lt(FAbs(q), q.C(int64_t{1} << 29));
  Expr r = x - q.With(b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, q)) * y;
  Expr beyond = Lt(r * x, r.C(0));
  Expr back = r + y.With(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, y, x));
  return Select(beyond, back, r);
}

}  // namespace

llvm::Value* SoftFunctions::Call(IRBuilder<>& b, const std::string& name,
                                 llvm::ArrayRef<llvm::Value*> args, const Body& body) {
  llvm::Type* type = args[0]->getType();
  llvm::Function* f = module_.getFunction(name);
  if (f == nullptr) {
    llvm::SmallVector<llvm::Type*, 3> types(args.size(), type);
    f = llvm::Function::Create(llvm::FunctionType::get(type, types, false),
                               llvm::Function::InternalLinkage, name, module_);
    prepare_(*f);
    f->setDoesNotAccessMemory();
    f->setWillReturn();
    IRBuilder<> inner(BasicBlock::Create(module_.getContext(), "entry", f));
    llvm::SmallVector<Expr, 3> x;
    for (llvm::Argument& arg : f->args()) x.push_back({&inner, &arg});
    Expr result = body(inner, x);
    inner.CreateRet(result);
  }
  return b.CreateCall(f, args);
}

llvm::Value* SoftFunctions::CallLanes(IRBuilder<>& b, const std::string& name,
                                      llvm::ArrayRef<llvm::Value*> args, const Body& scalar) {
  const int width = WidthOf(args[0]->getType());
  if (width == 1) return Call(b, name, args, scalar);
  return Call(
      b, Format("{}.{}", name, width), args, [&](IRBuilder<>& inner, llvm::ArrayRef<Expr> x) {
        auto* before = inner.GetInsertBlock();
        auto* loop = BasicBlock::Create(inner.getContext(), "lane", before->getParent());
        auto* done = BasicBlock::Create(inner.getContext(), "done", before->getParent());
        inner.CreateBr(loop);
        inner.SetInsertPoint(loop);
        PHINode* lane = inner.CreatePHI(inner.getInt64Ty(), 2);
        PHINode* sofar = inner.CreatePHI(x[0].type(), 2);
        llvm::SmallVector<llvm::Value*, 3> one;
        for (Expr v : x) one.push_back(inner.CreateExtractElement(v, lane));
        llvm::Value* y = Call(inner, name, one, scalar);
        llvm::Value* all = inner.CreateInsertElement(sofar, y, lane);
        llvm::Value* next = inner.CreateAdd(lane, inner.getInt64(1));
        lane->addIncoming(inner.getInt64(0), before);
        lane->addIncoming(next, loop);
        sofar->addIncoming(llvm::PoisonValue::get(x[0].type()), before);
        sofar->addIncoming(all, loop);
        llvm::Value* more = inner.CreateICmpULT(next, inner.getInt64(static_cast<uint64_t>(width)));
        inner.CreateCondBr(more, loop, done);
        inner.SetInsertPoint(done);
        return Expr{&inner, all};
      });
}

llvm::Value* SoftFunctions::Fma(IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  const int width = WidthOf(x->getType());
  if (x->getType()->getScalarType()->isFloatTy())
    return Call(b, Format("sinter.fma.f32.{}", width), {x, y, z}, Fma32);
  return CallLanes(b, "sinter.fma.f64", {x, y, z}, Fma64);
}

llvm::Value* SoftFunctions::Fmod(IRBuilder<>& b, llvm::Value* x, llvm::Value* y) {
  if (!x->getType()->getScalarType()->isFloatTy())
    return CallLanes(b, "sinter.fmod.f64", {x, y}, Fmod64);
  // f64 holds both, and the remainder of two f32 is a multiple of an f32's last place: exact in
  // both types. A division is enough unless a quotient is large: then each lane divides its bits.
  auto body = [this](IRBuilder<>& inner, llvm::ArrayRef<Expr> args) {
    Expr wide = args[0].FExt(), by = args[1].FExt(), fits;
    Expr quick = FmodOf(wide, by, FmodOfQuotient(inner, wide, by, &fits));
    Expr is_large = IsProperFmod(wide, by) & ~fits & ~Lt(FAbs(wide), FAbs(by));
    llvm::Value* any = wide.width() == 1 ? is_large.v : inner.CreateOrReduce(is_large);
    auto* before = inner.GetInsertBlock();
    auto* large = BasicBlock::Create(inner.getContext(), "large", before->getParent());
    auto* done = BasicBlock::Create(inner.getContext(), "done", before->getParent());
    inner.CreateCondBr(any, large, done);
    inner.SetInsertPoint(large);
    llvm::Value* slow = CallLanes(inner, "sinter.fmod.f64", {wide.v, by.v}, Fmod64);
    inner.CreateBr(done);
    inner.SetInsertPoint(done);
    PHINode* r = inner.CreatePHI(wide.type(), 2);
    r->addIncoming(quick, before);
    r->addIncoming(slow, large);
    return wide.With(r).FTrunc();
  };
  return Call(b, Format("sinter.fmod.f32.{}", WidthOf(x->getType())), {x, y}, body);
}

}  // namespace sinter::codegen
