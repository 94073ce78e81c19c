#include "frontend/stablehlo/size_ranges.h"

#include <algorithm>
#include <cmath>

namespace sinter::stablehlo {
namespace {

constexpr int kDeepest = 64;
constexpr int64_t kMostElements = 64;
// Sizes are of 32 bits. Products of two numbers this large fit 64 bits, and so do sums of
// kMostTerms products of kLargestPart.
constexpr int64_t kLargest = int64_t{1} << 31, kLargestPart = int64_t{1} << 48;
constexpr size_t kMostTerms = 64;

bool IsLarge(int64_t x) { return x < -kLargest || x > kLargest; }

bool IsCount(const Shape& s) {
  return s.is_array() && s.is_static() && s.element_count() <= kMostElements &&
         (IsInteger(s.element_type()) || IsPredicate(s.element_type()));
}

bool Holds(ElementType type, const SizeRange& r) {
  if (IsLarge(r.least) || IsLarge(r.most)) return false;
  if (IsPredicate(type)) return r.least >= 0 && r.most <= 1;
  const int bits = BitWidth(type);
  const bool is_signed = IsSigned(type);
  const int64_t limit = int64_t{1} << std::min(is_signed ? bits - 1 : bits, 62);
  return r.least >= (is_signed ? -limit : 0) && r.most < limit;
}

SizeRange Hull(std::initializer_list<int64_t> corners) {
  return {std::min(corners), std::max(corners)};
}

}  // namespace

SizeRanges::Number SizeRanges::Opaque(const HloInstruction& i, int64_t place, SizeRange range) {
  if (range.least == range.most) return Constant(range.least);
  Number n;
  n.range = range;
  n.terms[{&i, place}] = {1, range};
  return n;
}

std::optional<SizeRanges::Number> SizeRanges::Scaled(const Number& a, int64_t factor) {
  if (IsLarge(factor)) return std::nullopt;
  Number n;
  n.range = Hull({a.range.least * factor, a.range.most * factor});
  n.constant = a.constant * factor;
  if (IsLarge(n.constant)) return std::nullopt;
  for (const auto& [unknown, term] : a.terms) {
    if (factor == 0) break;
    const int64_t scaled = term.factor * factor;
    if (IsLarge(scaled)) return std::nullopt;
    n.terms[unknown] = {scaled, term.range};
  }
  return n;
}

// a + factor * b.
std::optional<SizeRanges::Number> SizeRanges::Sum(const Number& a, const Number& b,
                                                  int64_t factor) {
  std::optional<Number> n = Scaled(b, factor);
  if (!n) return std::nullopt;
  n->constant += a.constant;
  if (IsLarge(n->constant)) return std::nullopt;
  const SizeRange range{a.range.least + n->range.least, a.range.most + n->range.most};
  for (const auto& [unknown, term] : a.terms) {
    Term& sum = n->terms[unknown];
    sum = {sum.factor + term.factor, term.range};
    if (IsLarge(sum.factor)) return std::nullopt;
    if (sum.factor == 0) n->terms.erase(unknown);
  }
  n->range = range;
  if (n->terms.size() > kMostTerms) return n;
  // Both the operands' ranges and the sum bound it.
  SizeRange exact{n->constant, n->constant};
  for (const auto& [unknown, term] : n->terms) {
    const SizeRange part = Hull({term.factor * term.range.least, term.factor * term.range.most});
    if (part.least < -kLargestPart || part.most > kLargestPart) return n;
    exact = {exact.least + part.least, exact.most + part.most};
  }
  n->range = {std::max(range.least, exact.least), std::min(range.most, exact.most)};
  return n;
}

// One element of an elementwise operation.
std::optional<SizeRanges::Number> SizeRanges::Combined(const HloInstruction& i, int64_t element,
                                                       absl::Span<const Number* const> x) {
  const SizeRange &a = x[0]->range, &b = x[x.size() > 1 ? 1 : 0]->range;
  auto opaque = [&](SizeRange r) { return Opaque(i, -1 - element, r); };
  switch (i.op()) {
    case HloOpcode::Add:
      return Sum(*x[0], *x[1], 1);
    case HloOpcode::Subtract:
      return Sum(*x[0], *x[1], -1);
    case HloOpcode::Negate:
      return Scaled(*x[0], -1);
    case HloOpcode::Convert:
    case HloOpcode::Copy:
      return *x[0];
    case HloOpcode::Multiply:
      if (a.least == a.most) return Scaled(*x[1], a.least);
      if (b.least == b.most) return Scaled(*x[0], b.least);
      return opaque(Hull({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most}));
    case HloOpcode::Divide:  // towards zero; what dividing by zero gives is no size
      if (b.least == 1 && b.most == 1) return *x[0];
      if (b.least <= 0) return std::nullopt;
      return opaque(Hull({a.least / b.least, a.least / b.most, a.most / b.least, a.most / b.most}));
    case HloOpcode::Remainder: {
      if (b.least <= 0) return std::nullopt;
      const int64_t most = b.most - 1;
      return opaque({std::max(std::min<int64_t>(a.least, 0), -most),
                     std::min(std::max<int64_t>(a.most, 0), most)});
    }
    case HloOpcode::Minimum:
      if (a.most <= b.least) return *x[0];
      if (b.most <= a.least) return *x[1];
      return opaque({std::min(a.least, b.least), std::min(a.most, b.most)});
    case HloOpcode::Maximum:
      if (a.least >= b.most) return *x[0];
      if (b.least >= a.most) return *x[1];
      return opaque({std::max(a.least, b.least), std::max(a.most, b.most)});
    case HloOpcode::Abs:
      if (a.least >= 0) return *x[0];
      return opaque({a.most < 0 ? -a.most : 0, std::max(-a.least, a.most)});
    case HloOpcode::Sign:
      return opaque({a.least > 0    ? 1
                     : a.least == 0 ? 0
                                    : -1,
                     a.most > 0    ? 1
                     : a.most == 0 ? 0
                                   : -1});
    case HloOpcode::Select: {
      const SizeRange& c = x[2]->range;
      if (a.least == a.most) return a.least != 0 ? *x[1] : *x[2];
      return opaque({std::min(b.least, c.least), std::max(b.most, c.most)});
    }
    case HloOpcode::Clamp: {
      const SizeRange& c = x[2]->range;
      return opaque({std::min(std::max(b.least, a.least), c.least),
                     std::min(std::max(b.most, a.most), c.most)});
    }
    case HloOpcode::Compare:
    case HloOpcode::And:
    case HloOpcode::Or:
    case HloOpcode::Xor:
    case HloOpcode::Not:
      if (!IsPredicate(i.shape().element_type())) return std::nullopt;
      return opaque({0, 1});
    default:
      return std::nullopt;
  }
}

// Operations that only move elements of vectors.
SizeRanges::Numbers SizeRanges::Moved(const HloInstruction& i, int depth) {
  if (i.op() == HloOpcode::Concatenate) {
    std::vector<Number> all;
    for (const HloInstruction* part : i.operands()) {
      if (part->shape().rank() != 1) return std::nullopt;
      const Numbers& x = Elements(*part, depth);
      if (!x) return std::nullopt;
      all.insert(all.end(), x->begin(), x->end());
    }
    return all;
  }
  const Numbers& x = Elements(*i.operand(0), depth);
  if (!x) return std::nullopt;
  switch (i.op()) {
    case HloOpcode::Reshape:
      return x;
    case HloOpcode::Broadcast:
      if (x->size() != 1) return std::nullopt;
      return std::vector<Number>(static_cast<size_t>(i.shape().element_count()), (*x)[0]);
    case HloOpcode::Slice: {
      const auto& a = i.attrs<SliceAttrs>();
      if (a.starts.size() != 1) return std::nullopt;
      std::vector<Number> part;
      for (int64_t k = a.starts[0]; k < a.limits[0]; k += a.strides[0])
        part.push_back((*x)[static_cast<size_t>(k)]);
      return part;
    }
    default:
      return std::nullopt;
  }
}

// The result of a function for these operands: its parameters differ at each call.
SizeRanges::Numbers SizeRanges::Called(const HloInstruction& i, int64_t result, int depth) {
  const HloComputation& callee = *i.called(0);
  SizeRanges inside;
  for (size_t k = 0; k < callee.parameters().size(); ++k) {
    const HloInstruction* operand = i.operand(k);
    inside.known_[callee.parameters()[k]] =
        IsCount(operand->shape()) ? Elements(*operand, depth) : std::nullopt;
  }
  const HloInstruction* root = callee.root();
  if (result >= 0) {
    if (root->op() != HloOpcode::Tuple) return std::nullopt;
    root = root->operand(static_cast<size_t>(result));
  }
  const Numbers& inner = inside.Elements(*root, depth);
  if (!inner) return std::nullopt;
  // Unknown numbers inside belong to this call alone.
  std::vector<Number> all;
  for (const Number& n : *inner) {
    const auto place =
        static_cast<int64_t>(all.size()) + std::max<int64_t>(result, 0) * kMostElements;
    all.push_back(Opaque(i, -1 - place, n.range));
  }
  return all;
}

SizeRanges::Numbers SizeRanges::Computed(const HloInstruction& i, int depth) {
  if (depth == kDeepest || !IsCount(i.shape())) return std::nullopt;
  switch (i.op()) {
    case HloOpcode::Constant: {
      std::vector<Number> all;
      for (int64_t k = 0; k < i.shape().element_count(); ++k) {
        const double value = i.literal().GetAsDouble(k);
        if (std::abs(value) > static_cast<double>(kLargest)) return std::nullopt;
        all.push_back(Constant(static_cast<int64_t>(value)));
      }
      return all;
    }
    case HloOpcode::GetDimensionSize: {
      const int64_t d = i.dimensions()[0];
      const Shape& shape = i.operand(0)->shape();
      const int64_t bound = shape.dimension(d);
      if (IsLarge(bound)) return std::nullopt;
      if (!shape.is_dynamic(d)) return {{Constant(bound)}};
      return {{Opaque(*i.operand(0), d, {0, bound})}};
    }
    case HloOpcode::Concatenate:
    case HloOpcode::Reshape:
    case HloOpcode::Broadcast:
    case HloOpcode::Slice:
      return Moved(i, depth + 1);
    case HloOpcode::Call:
      return Called(i, -1, depth + 1);
    case HloOpcode::GetTupleElement:
      if (i.operand(0)->op() != HloOpcode::Call) return std::nullopt;
      return Called(*i.operand(0), i.attrs<TupleElementAttrs>().index, depth + 1);
    default:
      break;
  }
  if (!IsElementwise(i.op()) || i.operands().empty()) return std::nullopt;
  // What is compared may be anything.
  const bool any = i.op() == HloOpcode::Compare;
  std::vector<std::vector<Number>> x;
  for (const HloInstruction* o : i.operands()) {
    if (any) {
      x.push_back({Constant(0)});
      continue;
    }
    const Numbers& numbers = Elements(*o, depth + 1);
    if (!numbers || numbers->empty()) return std::nullopt;
    x.push_back(*numbers);
  }
  std::vector<Number> all;
  for (int64_t k = 0; k < i.shape().element_count(); ++k) {
    std::vector<const Number*> each;
    for (const auto& numbers : x)
      each.push_back(&numbers[numbers.size() == 1 ? 0 : static_cast<size_t>(k)]);
    std::optional<Number> n = Combined(i, k, each);
    if (!n || !Holds(i.shape().element_type(), n->range)) return std::nullopt;
    all.push_back(*std::move(n));
  }
  return all;
}

const SizeRanges::Numbers& SizeRanges::Elements(const HloInstruction& i, int depth) {
  auto it = known_.find(&i);
  if (it == known_.end()) {
    Numbers numbers = Computed(i, depth);
    // The table may have moved.
    it = known_.insert_or_assign(&i, std::move(numbers)).first;
  }
  return it->second;
}

std::optional<SizeRange> SizeRanges::Of(const HloInstruction& scalar) {
  const Numbers& x = Elements(scalar, 0);
  if (!x || x->size() != 1) return std::nullopt;
  return (*x)[0].range;
}

void SizeRanges::SetSame(const HloInstruction& inner, const HloInstruction& outer) {
  if (!IsCount(outer.shape())) return;
  Numbers numbers = Elements(outer, 0);
  if (numbers) known_[&inner] = std::move(numbers);
}

}  // namespace sinter::stablehlo
