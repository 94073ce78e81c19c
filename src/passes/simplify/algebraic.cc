#include <algorithm>
#include <cmath>
#include <optional>

#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// The value that every element of a constant, or of a broadcast of a scalar constant, has. Not for
// complex numbers.
std::optional<double> SplatOf(const Instruction* i) {
  if (i->op() == Op::Broadcast && i->operand(0)->shape().is_scalar()) i = i->operand(0);
  if (i->op() != Op::Constant || !i->shape().is_scalar() || IsComplex(i->shape().element_type()))
    return std::nullopt;
  return i->literal().GetAsDouble(0);
}
bool IsSplat(const Instruction* i, double value) {
  auto s = SplatOf(i);
  return s && *s == value && std::signbit(*s) == std::signbit(value);
}

bool IsIota(const Dims& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// Each rule returns what the instruction may be replaced by, or null.

Instruction* Arithmetic(Computation& c, Instruction* i) {
  const ElementType t = i->shape().element_type();
  const bool exact = IsInteger(t);
  Instruction *a = i->operand(0), *b = i->operand(1);
  switch (i->op()) {
    case Op::Add:  // x + 0 = x for integers; x + -0 = x for floats
      if (exact ? IsSplat(b, 0) : IsFloat(t) && IsSplat(b, -0.0)) return a;
      if (exact ? IsSplat(a, 0) : IsFloat(t) && IsSplat(a, -0.0)) return b;
      return nullptr;
    case Op::Subtract:  // x - 0 = x
      return IsSplat(b, 0) ? a : nullptr;
    case Op::Multiply:  // x * 1 = x; of predicates true
      if (IsSplat(b, 1)) return a;
      return IsSplat(a, 1) ? b : nullptr;
    case Op::Divide: {
      if (IsSplat(b, 1)) return a;  // x / 1 = x
      // x / 2^k = x * 2^-k where both powers are normal numbers: the same rounding
      auto s = SplatOf(b);
      int exponent = 0;
      if (!s || (t != ElementType::F32 && t != ElementType::F64) ||
          std::frexp(std::abs(*s), &exponent) != 0.5)
        return nullptr;
      if (std::abs(exponent) > (t == ElementType::F32 ? 120 : 1000)) return nullptr;
      Instruction* inverse = c.AddConstant(
          t == ElementType::F32 ? Literal::R0(static_cast<float>(1 / *s)) : Literal::R0(1 / *s));
      if (!i->shape().is_scalar())
        inverse = c.AddWithShape(Op::Broadcast, b->shape(), {inverse}, DimensionsAttrs{});
      return c.AddWithShape(Op::Multiply, i->shape(), {a, inverse});
    }
    case Op::And:  // x & x = x, x & ~0 = x
      if (a == b) return a;
      if (t == ElementType::PRED && IsSplat(b, 1)) return a;
      return t == ElementType::PRED && IsSplat(a, 1) ? b : nullptr;
    case Op::Or:  // x | x = x, x | 0 = x
      if (a == b || IsSplat(b, 0)) return a;
      return IsSplat(a, 0) ? b : nullptr;
    case Op::Xor:  // x ^ 0 = x
      if (IsSplat(b, 0)) return a;
      return IsSplat(a, 0) ? b : nullptr;
    case Op::Maximum:  // max(x, x) = x
    case Op::Minimum:
      return a == b ? a : nullptr;
    default:
      return nullptr;
  }
}

Instruction* Elementwise(Computation& c, Instruction* i) {
  Instruction* a = i->operand(0);
  switch (i->op()) {
    case Op::Copy:  // layouts are row-major throughout
      return a;
    case Op::Convert:  // to its own type
      return i->shape().element_type() == a->shape().element_type() ? a : nullptr;
    case Op::Negate:
    case Op::Not:  // twice
      return a->op() == i->op() ? a->operand(0) : nullptr;
    case Op::Abs:  // of unsigned integers, or twice
      return IsUnsigned(i->shape().element_type()) ||
                     (a->op() == Op::Abs && a->shape() == i->shape())
                 ? a
                 : nullptr;
    case Op::Real:
      if (!IsComplex(a->shape().element_type())) return a;
      return a->op() == Op::Complex ? a->operand(0) : nullptr;
    case Op::Imag:
      return a->op() == Op::Complex ? a->operand(1) : nullptr;
    case Op::Select: {
      if (i->operand(1) == i->operand(2)) return i->operand(1);
      auto p = SplatOf(a);
      return p ? i->operand(*p != 0 ? 1 : 2) : nullptr;
    }
    default:
      return i->operands().size() == 2 ? Arithmetic(c, i) : nullptr;
  }
}

Instruction* Broadcast(Computation& c, Instruction* i) {
  Instruction* a = i->operand(0);
  const Dims& dims = i->dimensions();
  if (a->shape().dimensions() == i->shape().dimensions() && IsIota(dims)) return a;
  if (a->op() == Op::Broadcast) {  // of a broadcast: one, if the first stretches nothing that the
                                   // second does not see
    Dims through;
    for (int64_t d : a->dimensions()) through.push_back(dims[static_cast<size_t>(d)]);
    const Shape& from = a->operand(0)->shape();
    for (int64_t d = 0; d < from.rank(); ++d) {
      const int64_t to = i->shape().dimension(through[static_cast<size_t>(d)]);
      if (from.dimension(d) != to && from.dimension(d) != 1) return nullptr;
    }
    return c.AddWithShape(Op::Broadcast, i->shape(), {a->operand(0)}, DimensionsAttrs{through});
  }
  return nullptr;
}

Instruction* Slice(Instruction* i) {
  const auto& s = i->attrs<SliceAttrs>();
  return s.starts == Dims(s.starts.size(), 0) &&
                 i->shape().dimensions() == i->operand(0)->shape().dimensions()
             ? i->operand(0)
             : nullptr;
}

Instruction* Pad(Instruction* i) {
  const auto& p = i->attrs<PadAttrs>();
  auto none = [](const Dims& d) {
    return std::all_of(d.begin(), d.end(), [](int64_t x) { return x == 0; });
  };
  return none(p.low) && none(p.high) && none(p.interior) ? i->operand(0) : nullptr;
}

Instruction* Transpose(Computation& c, Instruction* i) {
  Instruction* a = i->operand(0);
  if (IsIota(i->dimensions())) return a;
  if (a->op() != Op::Transpose) return nullptr;
  Dims both;
  for (int64_t d : i->dimensions()) both.push_back(a->dimensions()[static_cast<size_t>(d)]);
  return c.AddWithShape(Op::Transpose, i->shape(), {a->operand(0)}, DimensionsAttrs{both});
}

Instruction* Reshape(Computation& c, Instruction* i) {
  Instruction* a = i->operand(0);
  if (a->shape().dimensions() == i->shape().dimensions()) return a;
  if (a->op() == Op::Reshape) return c.AddWithShape(Op::Reshape, i->shape(), {a->operand(0)});
  if (a->op() == Op::Broadcast && a->operand(0)->shape().is_scalar()) {
    return c.AddWithShape(Op::Broadcast, i->shape(), {a->operand(0)}, DimensionsAttrs{});
  }
  return nullptr;
}

Instruction* Concatenate(Computation& c, Instruction* i) {
  const int64_t axis = i->dimensions()[0];
  std::vector<Instruction*> full;
  for (Instruction* o : i->operands()) {
    if (o->shape().dimension(axis) != 0) full.push_back(o);
  }
  if (full.size() == 1) return full[0];
  if (full.empty() || full.size() == i->operands().size()) return nullptr;
  return c.AddWithShape(Op::Concatenate, i->shape(), full, i->attributes());
}

// A constant whose elements are all equal is the broadcast of a scalar.
Instruction* Constant(Computation& c, Instruction* i) {
  const Literal& l = i->literal();
  const int64_t n = l.shape().element_count();
  if (!i->shape().is_array() || i->shape().is_scalar() || n < 2) return nullptr;
  const size_t bytes = static_cast<size_t>(ByteWidth(i->shape().element_type()));
  const char* data = static_cast<const char*>(l.untyped_data());
  if (!std::equal(data, data + static_cast<size_t>(n - 1) * bytes, data + bytes)) return nullptr;
  Literal scalar{Shape(i->shape().element_type())};
  std::copy_n(data, bytes, static_cast<char*>(scalar.untyped_data()));
  return c.AddWithShape(Op::Broadcast, i->shape(), {c.AddConstant(std::move(scalar))},
                        DimensionsAttrs{});
}

Instruction* Simplify(Computation& c, Instruction* i) {
  if (IsElementwise(i->op())) return Elementwise(c, i);
  switch (i->op()) {
    case Op::Constant:
      return Constant(c, i);
    case Op::Broadcast:
      return Broadcast(c, i);
    case Op::Slice:
      return Slice(i);
    case Op::Pad:
      return Pad(i);
    case Op::Transpose:
      return Transpose(c, i);
    case Op::Reshape:
      return Reshape(c, i);
    case Op::Concatenate:
      return Concatenate(c, i);
    case Op::GetTupleElement:
      return i->operand(0)->op() == Op::Tuple
                 ? i->operand(0)->operand(static_cast<size_t>(i->attrs<TupleElementAttrs>().index))
                 : nullptr;
    case Op::DynamicSlice:
      return i->shape().dimensions() == i->operand(0)->shape().dimensions() ? i->operand(0)
                                                                            : nullptr;
    default:
      return nullptr;
  }
}

bool SimplifyIn(Computation& c) {
  bool changed = false;
  for (Instruction* i : c.PostOrder()) {
    if (i->users().empty() && i != c.root()) continue;
    Instruction* with = Simplify(c, i);
    if (with == nullptr || with == i || with->shape().dimensions() != i->shape().dimensions() ||
        with->shape().element_type() != i->shape().element_type()) {
      continue;
    }
    c.ReplaceAllUses(i, with);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeAlgebraicPass() {
  return MakePass("algebraic", [](Module& module) -> absl::StatusOr<bool> {
    bool changed = false;
    // One rule's result may be another's beginning. Rules only go down, so that this ends.
    for (Computation* c : module.PostOrder()) {
      while (SimplifyIn(*c)) changed = true;
    }
    return changed;
  });
}

}  // namespace sinter
