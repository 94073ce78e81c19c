// Random graphs of pointwise operations over all types.
#pragma once

#include <random>
#include <vector>

#include "codegen/kernel/builder.h"

namespace sinter::cpu::testing {

inline const std::vector<ElementType> kTypes = {
    ElementType::PRED, ElementType::S8,  ElementType::S16, ElementType::S32, ElementType::S64,
    ElementType::U8,   ElementType::U16, ElementType::U32, ElementType::U64, ElementType::F16,
    ElementType::BF16, ElementType::F32, ElementType::F64};

inline bool Computes(ElementType e) {
  return IsInteger(e) || e == ElementType::F32 || e == ElementType::F64;
}

// `seed` decides everything, so that a second call builds the same graph.
inline kernel::Values RandomGraph(kernel::Builder& b, const kernel::Values& inputs, uint64_t seed,
                                  int operations) {
  using kernel::OpCode;
  using kernel::Predicate;
  using kernel::Value;
  using kernel::Values;
  std::mt19937_64 random(seed);
  Values pool = inputs;
  auto any = [&] { return pool[random() % pool.size()]; };
  auto elem = [&](Value v) { return b.type(v).elem; };
  // A value of a type: one that is there, or a conversion of one.
  auto of = [&](ElementType e) {
    for (int i = 0; i < 8; i++)
      if (Value v = any(); elem(v) == e) return v;
    if (random() % 3 == 0 && IsInteger(e))
      return b.ConstInt(e, static_cast<int64_t>(random() % 100));
    return b.Convert(any(), e);
  };
  const OpCode integer[] = {OpCode::kAdd, OpCode::kSub, OpCode::kMul, OpCode::kMulHi, OpCode::kDiv,
                            OpCode::kRem, OpCode::kMin, OpCode::kMax, OpCode::kAnd,   OpCode::kOr,
                            OpCode::kXor, OpCode::kShl, OpCode::kShr};
  const OpCode floating[] = {OpCode::kAdd, OpCode::kSub, OpCode::kMul, OpCode::kDiv,
                             OpCode::kMin, OpCode::kMax, OpCode::kRem};
  const OpCode one_integer[] = {OpCode::kNeg, OpCode::kAbs, OpCode::kPopcnt, OpCode::kClz};
  const OpCode one_float[] = {OpCode::kNeg,  OpCode::kAbs,   OpCode::kSqrt,     OpCode::kFloor,
                              OpCode::kCeil, OpCode::kTrunc, OpCode::kRoundEven};
  for (int i = 0; i < operations; i++) {
    const ElementType e = kTypes[random() % kTypes.size()];
    const Value x = of(e);
    Value y = kernel::kNone;
    switch (random() % 8) {
      case 0:
        y = b.Convert(x, kTypes[random() % kTypes.size()]);
        break;
      case 1:
        if (Computes(e) || IsPredicate(e))
          y = b.Compare(static_cast<Predicate>(random() % 6), x, of(e));
        break;
      case 2:
        y = b.Select(of(ElementType::PRED), x, of(e));
        break;
      case 3:
        if (IsInteger(e)) y = b.Unary(one_integer[random() % 4], x);
        if (e == ElementType::F32 || e == ElementType::F64) y = b.Unary(one_float[random() % 7], x);
        break;
      case 4:
        if (e == ElementType::F32 || e == ElementType::F64) y = b.Fma(x, of(e), of(e));
        break;
      case 5:
        if (e == ElementType::F32) y = b.Binary(OpCode::kLdexp, x, of(ElementType::S32));
        if (e == ElementType::F64) y = b.Binary(OpCode::kLdexp, x, of(ElementType::S64));
        break;
      default:
        if (IsInteger(e)) y = b.Binary(integer[random() % 13], x, of(e));
        if (IsPredicate(e)) y = b.Binary(integer[8 + random() % 3], x, of(e));
        if (e == ElementType::F32 || e == ElementType::F64)
          y = b.Binary(floating[random() % 7], x, of(e));
    }
    if (y != kernel::kNone) pool.push_back(y);
  }
  Values results;
  for (size_t i = inputs.size(); i < pool.size(); i++)
    if (b.type(pool[i]).cols == b.type(inputs[0]).cols) results.push_back(pool[i]);
  return results;
}

}  // namespace sinter::cpu::testing
