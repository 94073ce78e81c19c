#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/analysis/scalar_computation.h"
#include "ir/results.h"
#include "pass/inline_elementwise.h"
#include "pass/product_terms.h"
#include "passes/simplify/bands.h"
#include "passes/simplify/known_value.h"
#include "passes/simplify/predicates.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"
#include "passes/simplify/stacks.h"

namespace sinter {
namespace {

bool IsIota(const Dims& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// Each rule returns what the instruction may be replaced by, or null.

HloInstruction* Arithmetic(HloComputation& c, HloInstruction* i) {
  const ElementType t = i->shape().element_type();
  const bool exact = IsInteger(t);
  HloInstruction *a = i->operand(0), *b = i->operand(1);
  switch (i->op()) {
    case HloOpcode::Add:  // x + 0 = x for integers; x + -0 = x for floats
      if (exact ? IsSplat(b, 0) : IsFloat(t) && IsSplat(b, -0.0)) return a;
      if (exact ? IsSplat(a, 0) : IsFloat(t) && IsSplat(a, -0.0)) return b;
      return nullptr;
    case HloOpcode::Subtract:  // x - 0 = x; x - x = 0 for integers
      if (exact && a == b) return AddSplat(c, i->shape(), *Literal::R0(0).Convert(t));
      return IsSplat(b, 0) ? a : nullptr;
    case HloOpcode::Multiply:  // x * 1 = x, of predicates true; x * 0 = 0 for integers
      if (IsSplat(b, 1) || (exact && IsSplat(a, 0))) return a;
      return IsSplat(a, 1) || (exact && IsSplat(b, 0)) ? b : nullptr;
    case HloOpcode::Divide: {
      if (IsSplat(b, 1)) return a;  // x / 1 = x
      // x / 2^k = x * 2^-k where both powers are normal numbers: the same rounding
      auto s = SplatOf(b);
      int exponent = 0;
      if (!s || (t != ElementType::F32 && t != ElementType::F64) ||
          std::frexp(std::abs(*s), &exponent) != 0.5)
        return nullptr;
      if (std::abs(exponent) > (t == ElementType::F32 ? 120 : 1000)) return nullptr;
      HloInstruction* inverse = AddSplat(
          c, b->shape(),
          t == ElementType::F32 ? Literal::R0(static_cast<float>(1 / *s)) : Literal::R0(1 / *s));
      return c.AddWithShape(HloOpcode::Multiply, i->shape(), {a, inverse});
    }
    case HloOpcode::And:  // x & x = x, x & 0 = 0
      if (a == b || IsSplat(a, 0)) return a;
      return IsSplat(b, 0) ? b : nullptr;
    case HloOpcode::Or:  // x | x = x, x | 0 = x
      if (a == b || IsSplat(b, 0)) return a;
      return IsSplat(a, 0) ? b : nullptr;
    case HloOpcode::Xor:  // x ^ 0 = x
      if (IsSplat(b, 0)) return a;
      return IsSplat(a, 0) ? b : nullptr;
    case HloOpcode::Maximum:  // max(x, x) = x; of floats max(x, -inf) = x, NaN too
    case HloOpcode::Minimum: {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      const double neutral = i->op() == HloOpcode::Maximum ? -kInfinity : kInfinity;
      if (a == b || (IsFloat(t) && IsSplat(b, neutral))) return a;
      return IsFloat(t) && IsSplat(a, neutral) ? b : nullptr;
    }
    default:
      return nullptr;
  }
}

HloInstruction* Elementwise(HloComputation& c, HloInstruction* i) {
  HloInstruction* a = i->operand(0);
  switch (i->op()) {
    case HloOpcode::Copy:  // layouts are row-major throughout
      return a;
    case HloOpcode::Convert:  // to its own type
      return i->shape().element_type() == a->shape().element_type() ? a : nullptr;
    case HloOpcode::Negate:  // twice
    case HloOpcode::Not:
      return a->op() == i->op() ? a->operand(0) : nullptr;
    case HloOpcode::Abs:  // of unsigned integers, or twice
      return IsUnsigned(i->shape().element_type()) ||
                     (a->op() == HloOpcode::Abs && a->shape() == i->shape())
                 ? a
                 : nullptr;
    case HloOpcode::Real:
      if (!IsComplex(a->shape().element_type())) return a;
      return a->op() == HloOpcode::Complex ? a->operand(0) : nullptr;
    case HloOpcode::Imag:
      return a->op() == HloOpcode::Complex ? a->operand(1) : nullptr;
    case HloOpcode::Select: {
      if (i->operand(1) == i->operand(2)) return i->operand(1);
      auto p = SplatOf(a);
      return p ? i->operand(*p != 0 ? 1 : 2) : nullptr;
    }
    default:
      return i->operands().size() == 2 ? Arithmetic(c, i) : nullptr;
  }
}

// The elementwise operation on what its operands, each a broadcast or reshape, are made of: arrays
// of dimensions `sizes`, and scalars, which are broadcast to them.
HloInstruction* OfWhatOperandsMove(HloComputation& c, HloInstruction* i, const Dims& sizes) {
  std::vector<HloInstruction*> operands;
  for (HloInstruction* o : i->operands()) {
    HloInstruction* x = o->operand(0);
    if (x->shape().dimensions() != sizes)
      x = c.AddWithShape(HloOpcode::Broadcast, Shape(x->shape().element_type(), sizes), {x},
                         DimensionsAttrs{});
    operands.push_back(x);
  }
  HloInstruction* once = c.AddWithShape(i->op(), Shape(i->shape().element_type(), sizes), operands,
                                        i->attributes(), i->called());
  once->set_metadata(i->metadata());
  return once;
}

// f(broadcast(x), broadcast(y)) = broadcast(f(x, y)), of arrays that repeat elements in the same
// way, or scalars: each is computed once.
HloInstruction* OfBroadcasts(HloComputation& c, HloInstruction* i) {
  const HloInstruction* repeated = nullptr;  // of these, one that is no scalar
  for (const HloInstruction* o : i->operands()) {
    if (o->op() != HloOpcode::Broadcast || o->shape().dimensions() != i->shape().dimensions())
      return nullptr;
    if (o->operand(0)->shape().is_scalar()) continue;
    if (repeated == nullptr) repeated = o;
    if (o->dimensions() != repeated->dimensions() ||
        o->operand(0)->shape().dimensions() != repeated->operand(0)->shape().dimensions())
      return nullptr;
  }
  const Dims sizes = repeated == nullptr ? Dims{} : repeated->operand(0)->shape().dimensions();
  if (i->operands().empty() ||
      Shape(i->shape().element_type(), sizes).element_count() == i->shape().element_count())
    return nullptr;
  return c.AddWithShape(HloOpcode::Broadcast, i->shape(), {OfWhatOperandsMove(c, i, sizes)},
                        DimensionsAttrs{repeated == nullptr ? Dims{} : repeated->dimensions()});
}

// How many dimensions of `from`, one after another, each of `to` is the product of; nothing where
// some are not such products.
std::optional<Dims> MergedDims(const Dims& from, const Dims& to) {
  Dims counts;
  size_t d = 0;
  for (int64_t n : to) {
    const size_t first = d;
    int64_t product = 1;
    while (d < from.size() && (product < n || from[d] == 1)) product *= from[d++];
    if (product != n) return std::nullopt;
    counts.push_back(static_cast<int64_t>(d - first));
  }
  if (d != from.size()) return std::nullopt;
  return counts;
}

// f(reshape(broadcast(x))) = reshape(f(broadcast(x))), where dimensions are merged: of what is
// repeated along a dimension, each element is computed once, and the reshape goes on towards
// memory.
HloInstruction* OfRepeated(HloComputation& c, HloInstruction* i) {
  const HloInstruction* repeated = nullptr;
  for (const HloInstruction* o : i->operands()) {
    if (o->op() == HloOpcode::Broadcast && o->operand(0)->shape().is_scalar()) continue;
    if (o->op() != HloOpcode::Reshape || o->operand(0)->op() != HloOpcode::Broadcast ||
        absl::c_any_of(o->users(), [&](const HloInstruction* u) { return u != i; }))
      return nullptr;
    if (repeated == nullptr) repeated = o->operand(0);
    if (o->operand(0)->shape().dimensions() != repeated->shape().dimensions()) return nullptr;
  }
  if (repeated == nullptr) return nullptr;
  const Dims& sizes = repeated->shape().dimensions();
  if (!MergedDims(sizes, i->shape().dimensions())) return nullptr;
  return AddReshape(c, OfWhatOperandsMove(c, i, sizes), i->shape().dimensions());
}

HloInstruction* Broadcast(HloComputation& c, HloInstruction* i) {
  HloInstruction* a = i->operand(0);
  const Dims& dims = i->dimensions();
  if (a->shape().dimensions() == i->shape().dimensions() && IsIota(dims)) return a;
  // A broadcast of a broadcast is one broadcast, if the second one has all dimensions that the
  // first one expands.
  if (a->op() == HloOpcode::Broadcast) {
    Dims through;
    for (int64_t d : a->dimensions()) through.push_back(dims[static_cast<size_t>(d)]);
    const Shape& from = a->operand(0)->shape();
    for (int64_t d = 0; d < from.rank(); ++d) {
      const int64_t to = i->shape().dimension(through[static_cast<size_t>(d)]);
      if (from.dimension(d) != to && from.dimension(d) != 1) return nullptr;
    }
    return c.AddWithShape(HloOpcode::Broadcast, i->shape(), {a->operand(0)},
                          DimensionsAttrs{through});
  }
  return nullptr;
}

HloInstruction* Slice(HloInstruction* i) {
  const auto& s = i->attrs<SliceAttrs>();
  return s.starts == Dims(s.starts.size(), 0) &&
                 i->shape().dimensions() == i->operand(0)->shape().dimensions()
             ? i->operand(0)
             : nullptr;
}

HloInstruction* Pad(HloInstruction* i) {
  const auto& p = i->attrs<PadAttrs>();
  auto none = [](const Dims& d) {
    return std::all_of(d.begin(), d.end(), [](int64_t x) { return x == 0; });
  };
  return none(p.low) && none(p.high) && none(p.interior) ? i->operand(0) : nullptr;
}

HloInstruction* Transpose(HloComputation& c, HloInstruction* i) {
  HloInstruction* a = i->operand(0);
  if (IsIota(i->dimensions())) return a;
  if (a->op() != HloOpcode::Transpose) return nullptr;
  Dims both;
  for (int64_t d : i->dimensions()) both.push_back(a->dimensions()[static_cast<size_t>(d)]);
  return c.AddWithShape(HloOpcode::Transpose, i->shape(), {a->operand(0)}, DimensionsAttrs{both});
}

// A product that adds nothing up is one of elements, plus the zero that its sum begins with, which
// makes a negative zero a positive one.
HloInstruction* OuterProduct(HloComputation& c, HloInstruction* i) {
  const auto& a = i->attrs<DotAttrs>();
  const ElementType type = i->shape().element_type();
  if (IsPredicate(type) || i->shape().element_count() == 0) return nullptr;
  for (int64_t d : a.lhs_contracting_dims)
    if (i->operand(0)->shape().dimension(d) != 1) return nullptr;
  Graph g(c, *i);
  HloInstruction* product = ProductTerms(g, *i, TermsOfResult(*i));
  if (product == nullptr) return nullptr;
  const ElementType wide = product->shape().element_type();
  if (!IsInteger(wide))
    product =
        g.Add(HloOpcode::Add, {product, g.Splat(g.Zero(wide), product->shape().dimensions())});
  product = g.Convert(product, type);
  return g.status().ok() ? product : nullptr;
}

// A product reads the operand of a transpose itself, by other dimensions, where the free ones keep
// their order, which is that of the result's. Beside windows, which are not packed, the transpose
// is what brings columns together (expand::Convolution).
HloInstruction* Dot(HloComputation& c, HloInstruction* i) {
  for (const HloInstruction* x : i->operands())
    if (x->op() == HloOpcode::Windows) return nullptr;
  if (HloInstruction* product = OuterProduct(c, i)) return product;
  DotAttrs a = i->attrs<DotAttrs>();
  Dims *batch[] = {&a.lhs_batch_dims, &a.rhs_batch_dims},
       *contracted[] = {&a.lhs_contracting_dims, &a.rhs_contracting_dims};
  HloInstruction* x[] = {i->operand(0), i->operand(1)};
  bool changed = false;
  for (size_t k = 0; k < 2; ++k) {
    if (x[k]->op() != HloOpcode::Transpose) continue;
    const Dims& from = x[k]->dimensions();
    int64_t last = -1;
    bool keeps_order = true;
    for (int64_t d = 0; d < x[k]->shape().rank(); ++d) {
      if (absl::c_linear_search(*batch[k], d) || absl::c_linear_search(*contracted[k], d)) continue;
      keeps_order &= from[static_cast<size_t>(d)] > last;
      last = from[static_cast<size_t>(d)];
    }
    if (!keeps_order) continue;
    for (Dims* dims : {batch[k], contracted[k]})
      for (int64_t& d : *dims) d = from[static_cast<size_t>(d)];
    x[k] = x[k]->operand(0);
    changed = true;
  }
  if (!changed) return nullptr;
  return c.AddWithShape(HloOpcode::Dot, i->shape(), {x[0], x[1]}, std::move(a));
}

// A broadcast of a broadcast between which dimensions are merged, and are cut in another way after
// both, is one broadcast with the dimensions as they were: what repeats elements along several
// axes.
HloInstruction* ReshapeOfRepeated(HloComputation& c, HloInstruction* i) {
  HloInstruction* outer = i->operand(0);
  if (outer->op() != HloOpcode::Broadcast || outer->users().size() != 1) return nullptr;
  HloInstruction* merged = outer->operand(0);
  if (merged->op() != HloOpcode::Reshape || merged->operand(0)->op() != HloOpcode::Broadcast)
    return nullptr;
  HloInstruction* inner = merged->operand(0);
  const std::optional<Dims> counts =
      MergedDims(inner->shape().dimensions(), merged->shape().dimensions());
  if (!counts || !absl::c_is_sorted(outer->dimensions())) return nullptr;
  Dims sizes, dims;
  size_t r = 0, from = 0;
  for (int64_t d = 0; d < outer->shape().rank(); ++d) {
    if (r == counts->size() || outer->dimensions()[r] != d) {
      sizes.push_back(outer->shape().dimension(d));
      continue;
    }
    if (merged->shape().dimension(static_cast<int64_t>(r)) != outer->shape().dimension(d))
      return nullptr;
    for (int64_t k = 0; k < (*counts)[r]; ++k) {
      dims.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(inner->shape().dimension(static_cast<int64_t>(from++)));
    }
    ++r;
  }
  HloInstruction* both =
      c.AddWithShape(HloOpcode::Broadcast, Shape(i->shape().element_type(), sizes), {inner},
                     DimensionsAttrs{dims});
  return c.AddWithShape(HloOpcode::Reshape, i->shape(), {both});
}

// A transposed array without some dimensions of one element: the array without them, transposed, or
// as it is. What reads it sees the transpose then.
HloInstruction* ReshapeOfTransposed(HloComputation& c, HloInstruction* i) {
  HloInstruction* transposed = i->operand(0);
  if (transposed->op() != HloOpcode::Transpose) return nullptr;
  const Dims &dims = transposed->shape().dimensions(), &to = i->shape().dimensions(),
             &order = transposed->dimensions();
  HloInstruction* x = transposed->operand(0);
  Dims left;  // of x's dimensions, in the order of the result's
  size_t k = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (k < to.size() && dims[d] == to[k]) {
      left.push_back(order[d]);
      ++k;
    } else if (dims[d] != 1) {
      return nullptr;
    }
  }
  if (k < to.size() || left.size() == dims.size()) return nullptr;
  Dims sorted = left, sizes, place;
  absl::c_sort(sorted);
  for (int64_t d : sorted) sizes.push_back(x->shape().dimension(d));
  for (int64_t d : left) place.push_back(absl::c_lower_bound(sorted, d) - sorted.begin());
  HloInstruction* without = AddReshape(c, x, sizes);
  if (absl::c_is_sorted(place)) return without;
  return c.AddWithShape(HloOpcode::Transpose, i->shape(), {without}, DimensionsAttrs{place});
}

HloInstruction* Reshape(HloComputation& c, HloInstruction* i) {
  HloInstruction* a = i->operand(0);
  if (a->shape().dimensions() == i->shape().dimensions()) return a;
  if (a->op() == HloOpcode::Reshape)
    return c.AddWithShape(HloOpcode::Reshape, i->shape(), {a->operand(0)});
  if (a->op() == HloOpcode::Broadcast && a->operand(0)->shape().is_scalar()) {
    return c.AddWithShape(HloOpcode::Broadcast, i->shape(), {a->operand(0)}, DimensionsAttrs{});
  }
  if (HloInstruction* without = ReshapeOfTransposed(c, i)) return without;
  return ReshapeOfRepeated(c, i);
}

// Without what is empty; and stacks of single elements in one step, for which jnp.stack takes 16
// operands at a time, unless they are so many that a kernel would have too many parts.
HloInstruction* Concatenate(HloComputation& c, HloInstruction* i) {
  constexpr size_t kMost = 64;
  const int64_t axis = i->dimensions()[0];
  std::vector<HloInstruction*> full, parts;
  for (HloInstruction* o : i->operands()) {
    if (o->shape().dimension(axis) == 0) continue;
    full.push_back(o);
    const bool is_step = o->op() == HloOpcode::Concatenate && o->dimensions()[0] == axis &&
                         std::ssize(o->operands()) == o->shape().dimension(axis) &&
                         o->users().size() == 1 && o != c.root();
    if (!is_step) {
      parts.push_back(o);
    } else {
      parts.insert(parts.end(), o->operands().begin(), o->operands().end());
    }
  }
  if (parts.size() <= kMost) full = std::move(parts);
  if (full.size() == 1) return full[0];
  if (full.empty() || full == i->operands()) return nullptr;
  return c.AddWithShape(HloOpcode::Concatenate, i->shape(), full, i->attributes());
}

// A constant whose elements are all equal is the broadcast of a scalar.
HloInstruction* Constant(HloComputation& c, HloInstruction* i) {
  const Literal& l = i->literal();
  const int64_t n = l.shape().element_count();
  if (!i->shape().is_array() || i->shape().is_scalar() || n < 2) return nullptr;
  const size_t bytes = static_cast<size_t>(ByteWidth(i->shape().element_type()));
  const char* data = static_cast<const char*>(l.untyped_data());
  if (!std::equal(data, data + static_cast<size_t>(n - 1) * bytes, data + bytes)) return nullptr;
  Literal scalar{Shape(i->shape().element_type())};
  std::copy_n(data, bytes, static_cast<char*>(scalar.untyped_data()));
  return AddSplat(c, i->shape(), std::move(scalar));
}

// A reduction of single elements applies the reducer to the initial values and each of them.
HloInstruction* Reduce(HloComputation& c, HloInstruction* i) {
  const Shape& from = i->operand(0)->shape();
  if (i->dimensions().empty() || from.element_count() == 0 || !IsScalarComputation(*i->called(0)) ||
      absl::c_any_of(i->dimensions(), [&](int64_t d) { return from.dimension(d) != 1; }))
    return nullptr;
  const Dims& dims = ResultShape(*i).dimensions();
  const size_t n = i->operands().size() / 2;
  std::vector<HloInstruction*> arguments = InitialValues(c, *i);
  for (size_t k = 0; k < n; ++k) arguments.push_back(AddReshape(c, i->operand(k), dims));
  const std::vector<HloInstruction*> results =
      InlineElementwiseResults(c, *i->called(0), arguments, dims);
  return i->shape().is_tuple() ? c.AddWithShape(HloOpcode::Tuple, i->shape(), results) : results[0];
}

HloInstruction* SimplifyAlgebraic(HloComputation& c, HloInstruction* i) {
  if (IsElementwise(i->op())) {
    if (HloInstruction* simpler = Elementwise(c, i)) return simpler;
    if (HloInstruction* simpler = SimplifyPredicates(c, i)) return simpler;
    if (i->op() == HloOpcode::Select) {
      if (HloInstruction* simpler = SimplifyBands(c, i)) return simpler;
    }
    if (HloInstruction* simpler = SimplifyOfStacks(c, i)) return simpler;
    if (HloInstruction* repeated = OfRepeated(c, i)) return repeated;
    return OfBroadcasts(c, i);
  }
  switch (i->op()) {
    case HloOpcode::Constant:
      return Constant(c, i);
    case HloOpcode::Broadcast:
      return Broadcast(c, i);
    case HloOpcode::Slice:
      return Slice(i);
    case HloOpcode::Pad:
      return Pad(i);
    case HloOpcode::Transpose:
      return Transpose(c, i);
    case HloOpcode::Dot:
      return Dot(c, i);
    case HloOpcode::Reshape:
      return Reshape(c, i);
    case HloOpcode::Reduce:
      if (HloInstruction* simpler = Reduce(c, i)) return simpler;
      return SimplifyReduceOfStack(c, i);
    case HloOpcode::Concatenate:
      return Concatenate(c, i);
    case HloOpcode::GetTupleElement:
      return i->operand(0)->op() == HloOpcode::Tuple
                 ? i->operand(0)->operand(static_cast<size_t>(i->attrs<TupleElementAttrs>().index))
                 : nullptr;
    case HloOpcode::DynamicSlice:
      return i->shape().dimensions() == i->operand(0)->shape().dimensions() ? i->operand(0)
                                                                            : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<Pass> MakeAlgebraicPass() { return MakeRulesPass("algebraic", SimplifyAlgebraic); }

}  // namespace sinter
