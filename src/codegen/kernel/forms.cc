#include "codegen/kernel/forms.h"

#include <algorithm>
#include <numeric>

namespace sinter::kernel {

Forms::Forms(const Kernel& kernel, Prover& prover)
    : k_(&kernel), prover_(&prover), defs_(kernel.types.size()), forms_(kernel.types.size()) {
  for (const Param& p : k_->params) {
    SetAtom(p.value, {.range = {p.lo, std::min(p.hi, kUnbounded)}, .multiple = p.multiple});
  }
}

void Forms::Define(const Op& op) {
  for (Value v : op.results) defs_[static_cast<size_t>(v)] = &op;
}

Affine Forms::Index(const Op& op, size_t from, size_t d) {
  return Form(op.operands[from + d]) + row_.Times(op.steps[d].rows) + col_.Times(op.steps[d].cols);
}

// Divisions go too: that their operands are not negative may follow from the conditions.
void Forms::Leave(Scope scope) {
  prover_->Pop(scope.facts);
  divisions_.erase(divisions_.begin() + static_cast<ptrdiff_t>(scope.divisions), divisions_.end());
}

void Forms::EnterTile(const Type& type) {
  row_ = type.rows == 1 ? Affine(0) : NewAtom({.range = {0, type.rows - 1}});
  col_ = type.cols == 1 ? Affine(0) : NewAtom({.range = {0, type.cols - 1}});
}
void Forms::LeaveTile() {
  ForgetTiles();
  row_ = col_ = Affine(0);
}

// The form of an S64 value; of a tile, that of its element at (row_, col_), the position in the
// access at hand.
Affine Forms::Form(Value v) {
  if (Known(v)) return *Known(v);
  Affine form = Derive(v);
  // A tile's form speaks of the position, which is another at the next access.
  if (!k_->type(v).is_scalar()) tiles_.push_back(v);
  Known(v) = form;
  return form;
}

Affine Forms::Derive(Value v) {
  const Op* op = Def(v);
  if (op == nullptr || k_->type(v).elem != kIndexType.elem) return NewAtom({});
  auto arg = [&](size_t i) { return Form(op->operands[i]); };
  switch (op->code) {
    case OpCode::kConst:
      return op->int_value;
    case OpCode::kAdd:
      return arg(0) + arg(1);
    case OpCode::kSub:
      return arg(0) - arg(1);
    case OpCode::kNeg:
      return arg(0).Times(-1);
    case OpCode::kMul:
      return Product(arg(0), arg(1));
    case OpCode::kDiv:
      return Quotient(arg(0), arg(1)).first;
    case OpCode::kRem:
      return Quotient(arg(0), arg(1)).second;
    case OpCode::kMin:
      return Extremum(arg(0), arg(1), 1);
    case OpCode::kMax:
      return Extremum(arg(0), arg(1), -1);
    case OpCode::kSelect:
      return OneOf({arg(1), arg(2)});
    case OpCode::kSplat:
    case OpCode::kRelayout:
      return arg(0);
    case OpCode::kIota:
      return Position(k_->type(v), op->axis);
    case OpCode::kCvt:
      return Converted(op->operands[0]);
    case OpCode::kIf:
      return OneOfYields(*op, v);
    default:
      return NewAtom({});
  }
}

Affine Forms::Position(const Type& type, Axis axis) const {
  if ((axis == Axis::kRows ? type.rows : type.cols) == 1) return 0;
  return axis == Axis::kRows ? row_ : col_;
}

Affine Forms::Converted(Value from) {
  if (k_->type(from).elem == kIndexType.elem) return Form(from);
  return NewAtom({.range = NarrowRange(from, /*depth=*/0)});
}

// Of an integer that is narrower than an index: its type's, as sums may have wrapped, but for what
// clamps leave of that.
Range Forms::NarrowRange(Value v, int depth) const {
  constexpr int kMostDepth = 6;  // of clamps and choices inside each other
  const ElementType elem = k_->type(v).elem;
  if (elem == ElementType::PRED) return {0, 1};
  if (!IsInteger(elem) || BitWidth(elem) > 32) return {};
  const int64_t half = int64_t{1} << (BitWidth(elem) - 1);
  const Range all = IsSigned(elem) ? Range{-half, half - 1} : Range{0, 2 * half - 1};
  const Op* op = Def(v);
  if (op == nullptr || depth > kMostDepth) return all;
  auto arg = [&](size_t i) { return NarrowRange(op->operands[i], depth + 1); };
  switch (op->code) {
    case OpCode::kConst:
      if (op->int_value < all.lo || op->int_value > all.hi) return all;
      return {op->int_value, op->int_value};
    case OpCode::kMin: {
      const Range a = arg(0), b = arg(1);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    case OpCode::kMax: {
      const Range a = arg(0), b = arg(1);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case OpCode::kSelect: {
      const Range a = arg(1), b = arg(2);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case OpCode::kSplat:
    case OpCode::kRelayout:
      return arg(0);
    default:
      return all;
  }
}

Affine Forms::OneOf(std::vector<Affine> cases) {
  Atom atom;
  atom.range = {kUnbounded, -kUnbounded};
  atom.multiple = 0;
  for (const Affine& c : cases) {
    Range r = prover_->RangeOf(c);
    atom.range = {std::min(atom.range.lo, r.lo), std::max(atom.range.hi, r.hi)};
    atom.multiple = std::gcd(atom.multiple, prover_->MultipleOf(c));
  }
  if (atom.multiple == 0) atom.multiple = 1;
  atom.cases = std::move(cases);
  return NewAtom(std::move(atom));
}

Affine Forms::OneOfYields(const Op& op, Value result) {
  std::vector<Affine> cases;
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (op.results[i] != result) continue;
    for (const Block& region : op.regions) cases.push_back(Form(region.yield[i]));
  }
  return OneOf(std::move(cases));
}

// The smaller (sign 1) or greater (sign -1) of two forms.
Affine Forms::Extremum(const Affine& a, const Affine& b, int sign) {
  Affine m = OneOf({a, b});
  if (!a.valid() || !b.valid()) return m;
  Atom& atom = prover_->atom(m.terms()[0].first);
  Range ra = prover_->RangeOf(a), rb = prover_->RangeOf(b);
  if (sign > 0) {
    atom.range.hi = std::min(ra.hi, rb.hi);
  } else {
    atom.range.lo = std::max(ra.lo, rb.lo);
  }
  atom.facts = {(a - m).Times(sign), (b - m).Times(sign)};
  return m;
}

// Products of two that vary are atoms, one for each pair.
Affine Forms::Product(const Affine& a, const Affine& b) {
  if (a.is_constant()) return b.Times(a.constant());
  if (b.is_constant()) return a.Times(b.constant());
  if (!a.valid() || !b.valid()) return NewAtom({});
  for (const auto& [x, y, product] : products_) {
    if ((x == a && y == b) || (x == b && y == a)) return product;
  }
  Range ra = prover_->RangeOf(a), rb = prover_->RangeOf(b);
  Atom atom;
  atom.range = {kUnbounded, -kUnbounded};
  for (int64_t x : {ra.lo, ra.hi}) {
    for (int64_t y : {rb.lo, rb.hi}) {
      __int128 p = std::clamp<__int128>(static_cast<__int128>(x) * y, -kUnbounded, kUnbounded);
      atom.range.lo = std::min(atom.range.lo, static_cast<int64_t>(p));
      atom.range.hi = std::max(atom.range.hi, static_cast<int64_t>(p));
    }
  }
  if (__builtin_mul_overflow(prover_->MultipleOf(a), prover_->MultipleOf(b), &atom.multiple))
    atom.multiple = 1;
  Affine product = NewAtom(std::move(atom));
  products_.push_back({a, b, product});
  return product;
}

// a / b and a % b. Both come from one atom q with b q <= a < b (q + 1), so that q and a - b q,
// used as the indices of two dimensions, are seen to belong together.
std::pair<Affine, Affine> Forms::Quotient(const Affine& a, const Affine& b) {
  for (const Division& d : divisions_) {
    if (d.a == a && d.b == b) return {d.quotient, d.remainder};
  }
  Range range = prover_->RangeOf(a);
  if (!prover_->NotNegative(a) || !prover_->NotNegative(b - Affine(1))) {
    // Neither is further from 0 than a, but that 0 / 0 is -1; a remainder is nearer to 0 than a
    // constant divisor.
    int64_t far = std::max({std::abs(range.lo), std::abs(range.hi), int64_t{1}});
    int64_t near =
        b.is_constant() && b.constant() != 0 ? std::min(far, std::abs(b.constant()) - 1) : far;
    return {NewAtom({.range = {-far, far}}), NewAtom({.range = {-near, near}})};
  }
  divisions_.push_back(Divide(a, b));
  return {divisions_.back().quotient, divisions_.back().remainder};
}

// Of a >= 0 by b > 0.
Forms::Division Forms::Divide(const Affine& a, const Affine& b) {
  Range range = prover_->RangeOf(a), by = prover_->RangeOf(b);
  if (!b.is_constant()) {
    Affine q =
        NewAtom({.range = {0, range.hi >= kUnbounded ? kUnbounded
                                                     : range.hi / std::max<int64_t>(by.lo, 1)}});
    prover_->atom(q.terms()[0].first).facts = {a - q};
    Affine r =
        NewAtom({.range = {0, std::min(range.hi, by.hi >= kUnbounded ? kUnbounded : by.hi - 1)}});
    prover_->atom(r.terms()[0].first).facts = {b - r - Affine(1), a - r};
    return {a, b, q, r};
  }
  const int64_t c = b.constant();
  // What c divides leaves the rest: (c x + y) / c is x if 0 <= y < c.
  int64_t whole = a.constant() / c - (a.constant() % c < 0);
  Affine x(whole), y(a.constant() - whole * c);
  for (const auto& [atom, k] : a.terms()) {
    (k % c == 0 ? x : y) =
        (k % c == 0 ? x : y) + Affine::OfAtom(atom).Times(k % c == 0 ? k / c : k);
  }
  if (prover_->NotNegative(y) && prover_->NotNegative(Affine(c - 1) - y)) return {a, b, x, y};
  Affine q = NewAtom({.range = {std::max<int64_t>(range.lo, 0) / c,
                                range.hi >= kUnbounded ? kUnbounded : range.hi / c}});
  // What divides both, but for the constant, leaves of the remainder what it leaves of that.
  const Affine constant(a.constant());
  const int64_t step = std::gcd(prover_->MultipleOf(a - constant), c),
                least = a.constant() % step + (a.constant() % step < 0 ? step : 0);
  prover_->atom(q.terms()[0].first).facts = {a - q.Times(c) - Affine(least),
                                             q.Times(c) - a + Affine(c - step + least)};
  return {a, b, q, a - q.Times(c)};
}

// Makes known what follows from `condition` being `truth`, at the position in the access at hand.
void Forms::Assume(Value condition, bool truth) {
  const Op* op = Def(condition);
  if (op == nullptr) return;
  auto arg = [&](size_t i) { return op->operands[i]; };
  switch (op->code) {
    case OpCode::kAnd:
    case OpCode::kOr:
      if ((op->code == OpCode::kAnd) != truth) return;
      Assume(arg(0), truth);
      return Assume(arg(1), truth);
    case OpCode::kXor:
      for (size_t i = 0; i < 2; ++i) {
        const Op* flag = Def(arg(i));
        if (flag != nullptr && flag->code == OpCode::kConst)
          Assume(arg(1 - i), truth != (flag->int_value != 0));
      }
      return;
    case OpCode::kConst:  // what such a condition guards never runs
      if ((op->int_value != 0) != truth) prover_->Push(Affine(-1));
      return;
    case OpCode::kSplat:
    case OpCode::kRelayout:
      return Assume(arg(0), truth);
    case OpCode::kSelect:  // how a mask is widened
      if (arg(1) == arg(2)) Assume(arg(1), truth);
      return;
    case OpCode::kTranspose:
      ExchangeAxes();
      Assume(arg(0), truth);
      return ExchangeAxes();
    case OpCode::kMask: {
      Affine left = Form(arg(1)) - Form(arg(0)) - Position(k_->type(condition), op->axis);
      return prover_->Push(truth ? left - Affine(1) : left.Times(-1));
    }
    case OpCode::kCmp:
      if (k_->type(arg(0)).elem == kIndexType.elem)
        AssumeOrder(op->predicate, Form(arg(0)), Form(arg(1)), truth);
      return;
    default:
      return;
  }
}

void Forms::ExchangeAxes() {
  std::swap(row_, col_);
  ForgetTiles();
}

void Forms::ForgetTiles() {
  for (Value v : tiles_) Known(v).reset();
  tiles_.clear();
}

void Forms::AssumeOrder(Predicate p, const Affine& a, const Affine& b, bool truth) {
  switch (p) {
    case Predicate::kLt:
      return prover_->Push(truth ? b - a - Affine(1) : a - b);
    case Predicate::kLe:
      return prover_->Push(truth ? b - a : a - b - Affine(1));
    case Predicate::kGt:
      return AssumeOrder(Predicate::kLt, b, a, truth);
    case Predicate::kGe:
      return AssumeOrder(Predicate::kLe, b, a, truth);
    case Predicate::kEq:
    case Predicate::kNe:
      if ((p == Predicate::kEq) != truth) return;
      prover_->Push(a - b);
      return prover_->Push(b - a);
  }
}

// By how much a body changes a carry, where it adds a constant to it.
std::optional<int64_t> Forms::Increment(const Block& body, Value carry, Value next) const {
  if (next == carry) return 0;
  for (const Op& op : body.ops) {
    if (op.code != OpCode::kAdd || op.results[0] != next) continue;
    for (size_t i = 0; i < 2; ++i) {
      const Op* other = Def(op.operands[1 - i]);
      if (op.operands[i] == carry && other != nullptr && other->code == OpCode::kConst)
        return other->int_value;
    }
  }
  return std::nullopt;
}

// A carry that only grows is at least its first value, one that only shrinks at most that.
void Forms::SetCarry(Value carry, const Affine& first, std::optional<int64_t> increment) {
  if (increment == 0) {
    Known(carry) = first;
    return;
  }
  SetAtom(carry, {});
  if (!increment || !first.valid()) return;
  Atom& atom = prover_->atom(Known(carry)->terms()[0].first);
  Range range = prover_->RangeOf(first);
  (*increment > 0 ? atom.range.lo : atom.range.hi) = *increment > 0 ? range.lo : range.hi;
  atom.facts.push_back((*Known(carry) - first).Times(*increment > 0 ? 1 : -1));
}

int64_t Forms::EnterFor(const Op& op) {
  const Block& body = op.regions[0];
  const Affine lo = Form(op.operands[0]), hi = Form(op.operands[1]);
  const int64_t step = op.int_value, multiple = prover_->MultipleOf(hi - lo);
  const bool divides = multiple % step == 0;  // 0 is a multiple of all
  const Affine last = hi - Affine(divides ? step : 1);
  Range range{prover_->RangeOf(lo).lo, prover_->RangeOf(last).hi};
  // The last value is a whole number of steps from the first.
  const int64_t most = prover_->RangeOf(hi).hi;
  constexpr int64_t kFar = int64_t{1} << 61;
  if (lo.is_constant() && lo.constant() > -kFar && most < kFar && most > lo.constant())
    range.hi = std::min(range.hi, lo.constant() + (most - 1 - lo.constant()) / step * step);
  SetAtom(body.args[0], {.range = range, .multiple = std::gcd(prover_->MultipleOf(lo), step)});
  const Affine iv = *Known(body.args[0]);
  prover_->atom(iv.terms()[0].first).facts = {iv - lo, last - iv};
  for (size_t i = 0; i + 1 < body.args.size(); ++i) {
    Value carry = body.args[i + 1];
    if (!(k_->type(carry) == kIndexType)) continue;
    std::optional<int64_t> increment = Increment(body, carry, body.yield[i]);
    Affine first = Form(op.operands[i + 2]);
    if (increment && *increment % step == 0) {
      Known(carry) = first + (iv - lo).Times(*increment / step);
    } else {
      SetCarry(carry, first, increment);
    }
  }
  return multiple;
}

// The body runs with the values for which the condition held, so both regions' arguments share
// their atoms.
void Forms::EnterWhile(const Op& op) {
  const Block &test = op.regions[0], &body = op.regions[1];
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (!(k_->type(op.operands[i]) == kIndexType)) continue;
    SetCarry(test.args[i], Form(op.operands[i]), Increment(body, body.args[i], body.yield[i]));
    Known(body.args[i]) = Known(test.args[i]);
  }
}

}  // namespace sinter::kernel
