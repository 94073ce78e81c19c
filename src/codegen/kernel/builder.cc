#include "codegen/kernel/builder.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "codegen/kernel/scalar.h"

namespace sinter::kernel {
namespace {

std::optional<int64_t> FoldInts(OpCode code, int64_t a, int64_t b) {
  switch (code) {
    case OpCode::kAdd:
      return WrapAdd(a, b);
    case OpCode::kSub:
      return WrapSub(a, b);
    case OpCode::kMul:
      return WrapMul(a, b);
    case OpCode::kDiv:
      return WrapDiv(a, b);
    case OpCode::kRem:
      return WrapRem(a, b);
    case OpCode::kMin:
      return std::min(a, b);
    case OpCode::kMax:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

Type Normal(Type t) {
  if (t.is_scalar()) t.layout = 0;
  return t;
}

}  // namespace

Builder::Builder(std::string name) {
  kernel_.name = std::move(name);
  at_.push_back(&kernel_.top);
}

// --- insertion

Value Builder::NewValue(Type type) {
  kernel_.types.push_back(Normal(type));
  return static_cast<Value>(kernel_.types.size()) - 1;
}

// Blocks under construction are locals of the functions that open them and are moved into their
// operation when they are complete, so that the pointers in `at_` stay valid while the vectors of
// operations around them grow. At the top, what is not a stage goes before the first stage: all
// stages may use it, and so may buffers.
void Builder::Emit(Op op) {
  std::vector<Op>& ops = at_.back()->ops;
  if (at_.back() == &kernel_.top && op.code != OpCode::kFor) {
    ops.insert(ops.begin() + static_cast<ptrdiff_t>(prelude_++), std::move(op));
  } else {
    ops.push_back(std::move(op));
  }
}

Value Builder::Emit1(Op op, Type type) {
  Value v = NewValue(type);
  op.results = {v};
  Emit(std::move(op));
  return v;
}

void Builder::Fill(Block& block, const std::function<Values()>& body) {
  at_.push_back(&block);
  block.yield = body();
  at_.pop_back();
}

Type Builder::Broadcast(absl::Span<const Value> operands) const {
  Type t = type(operands[0]);
  for (Value v : operands.subspan(1)) {
    const Type& u = type(v);
    t.rows = std::max(t.rows, u.rows);
    t.cols = std::max(t.cols, u.cols);
    t.layout = std::max(t.layout, u.layout);
  }
  return t;
}

// --- parameters, buffers, constants

Value Builder::AddParam(std::string name, int64_t lo, int64_t hi, int64_t multiple) {
  Value v = NewValue(kIndexType);
  kernel_.params.push_back({std::move(name), v, lo, hi, multiple});
  return v;
}

int Builder::AddBuffer(std::string name, ElementType elem, absl::Span<const Value> shape,
                       Space space, absl::Span<const Value> strides) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.elem = elem;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.strides.assign(strides.begin(), strides.end());
  buffer.space = space;
  if (strides.empty() && !shape.empty()) {
    at_.push_back(
        &kernel_
             .top);  // strides of a parameter's extent are arithmetic of the top, wherever we are
    buffer.strides.resize(shape.size());
    Value stride = Int(1);
    for (size_t d = shape.size(); d-- > 0;) {
      buffer.strides[d] = stride;
      if (d > 0) stride = Mul(shape[d], stride);
    }
    at_.pop_back();
  }
  kernel_.buffers.push_back(std::move(buffer));
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

int Builder::AddBuffer(std::string name, ElementType elem, absl::Span<const int64_t> shape,
                       Space space) {
  Values dims;
  for (int64_t extent : shape) dims.push_back(Int(extent));
  return AddBuffer(std::move(name), elem, absl::Span<const Value>(dims), space);
}

// Scalar constants of one kernel are shared and stand before all else, so that any block may use
// them.
Value Builder::Pooled(Op op, ElementType elem, uint64_t bits) {
  auto [it, inserted] = constants_.try_emplace({elem, bits}, kNone);
  if (!inserted) return it->second;
  Value v = NewValue({elem});
  it->second = v;
  op.code = OpCode::kConst;
  op.results = {v};
  std::vector<Op>& ops = kernel_.top.ops;
  ops.insert(ops.begin() + static_cast<ptrdiff_t>(constants_.size()) - 1, std::move(op));
  ++prelude_;
  return v;
}

Value Builder::Int(int64_t value) { return ConstInt(kIndexType.elem, value); }

Value Builder::Const(ElementType elem, double value) {
  if (!IsFloat(elem)) {
    bool wide = IsUnsigned(elem) && value >= 0x1p63;
    return ConstInt(elem, wide ? static_cast<int64_t>(SaturatingCast<uint64_t>(value))
                               : SaturatingCast<int64_t>(value));
  }
  Op op;
  op.float_value = RoundToType(elem, value);
  uint64_t bits = std::bit_cast<uint64_t>(op.float_value);
  return Pooled(std::move(op), elem, bits);
}

Value Builder::ConstInt(ElementType elem, int64_t value) {
  if (IsFloat(elem)) return Const(elem, static_cast<double>(value));
  Op op;
  op.int_value = WrapToType(elem, value);
  int64_t wrapped = op.int_value;
  Value v = Pooled(std::move(op), elem, static_cast<uint64_t>(wrapped));
  if (elem == kIndexType.elem) int_of_[v] = wrapped;
  return v;
}

bool Builder::IsInt(Value v, int64_t* value) const {
  auto it = int_of_.find(v);
  if (it == int_of_.end()) return false;
  if (value != nullptr) *value = it->second;
  return true;
}

// --- pointwise

Value Builder::Unary(OpCode code, Value a) {
  return Emit1({.code = code, .operands = {a}}, type(a));
}

// The value of an index operation that needs no instruction, or kNone.
Value Builder::Simplify(OpCode code, Value a, Value b) {
  if (type(a).elem != kIndexType.elem || type(b).elem != kIndexType.elem) return kNone;
  int64_t x = 0, y = 0;
  const bool known_a = IsInt(a, &x), known_b = IsInt(b, &y);
  if (known_a && known_b) {
    std::optional<int64_t> folded = FoldInts(code, x, y);
    return folded ? Int(*folded) : kNone;
  }
  const bool b_scalar = type(b).is_scalar(), a_scalar = type(a).is_scalar();
  switch (code) {
    case OpCode::kAdd:
      if (known_a && x == 0) return b;
      if (known_b && y == 0) return a;
      break;
    case OpCode::kSub:
      if (known_b && y == 0) return a;
      if (a == b && a_scalar) return Int(0);
      break;
    case OpCode::kMul:
      if (known_a && x == 1) return b;
      if (known_b && y == 1) return a;
      if ((known_a && x == 0 && b_scalar) || (known_b && y == 0 && a_scalar)) return Int(0);
      break;
    case OpCode::kDiv:
      if (known_b && y == 1) return a;
      break;
    case OpCode::kRem:
      if (known_b && y == 1 && a_scalar) return Int(0);
      break;
    case OpCode::kMin:
    case OpCode::kMax:
      if (a == b) return a;
      break;
    default:
      break;
  }
  return kNone;
}

Value Builder::Binary(OpCode code, Value a, Value b) {
  if (Value v = Simplify(code, a, b); v != kNone) return v;
  return Emit1({.code = code, .operands = {a, b}}, Broadcast({a, b}));
}

Value Builder::Fma(Value a, Value b, Value c) {
  return Emit1({.code = OpCode::kFma, .operands = {a, b, c}}, Broadcast({a, b, c}));
}

Value Builder::DotAdd(Value a, Value b, Value sum) {
  return Emit1({.code = OpCode::kDotAdd, .operands = {a, b, sum}},
               WithElem(Broadcast({a, b, sum}), type(sum).elem));
}

Value Builder::Compare(Predicate p, Value a, Value b) {
  int64_t x = 0, y = 0;
  if (IsInt(a, &x) && IsInt(b, &y)) return ConstInt(ElementType::PRED, Holds(p, x, y));
  return Emit1({.code = OpCode::kCmp, .operands = {a, b}, .predicate = p},
               WithElem(Broadcast({a, b}), ElementType::PRED));
}

Value Builder::Select(Value mask, Value a, Value b) {
  const Type result = WithElem(Broadcast({mask, a, b}), type(a).elem);
  for (const bool known : {false, true}) {
    const auto constant = constants_.find({ElementType::PRED, known});
    const Value chosen = known ? a : b;
    if (constant != constants_.end() && constant->second == mask && type(chosen) == result)
      return chosen;
  }
  return Emit1({.code = OpCode::kSelect, .operands = {mask, a, b}}, result);
}

Value Builder::Convert(Value a, ElementType elem, bool in_range) {
  if (type(a).elem == elem) return a;
  if (int64_t x = 0; IsInt(a, &x) && !IsFloat(elem)) return ConstInt(elem, x);
  // Between integers nothing can be out of range; the attribute is only of floats, so that equal
  // kernels look equal.
  in_range = in_range && IsFloat(type(a).elem) && IsInteger(elem);
  if (elem == ElementType::F32 && excess_precision_) {
    if (auto wide = wide_of_.find(a); wide != wide_of_.end()) return wide->second;
  }
  Value result =
      Emit1({.code = OpCode::kCvt, .operands = {a}, .in_range = in_range}, WithElem(type(a), elem));
  if (type(a).elem == ElementType::F32 && (elem == ElementType::BF16 || elem == ElementType::F16))
    wide_of_[result] = a;
  return result;
}

Value Builder::Bitcast(Value a, ElementType elem) {
  if (type(a).elem == elem) return a;
  return Emit1({.code = OpCode::kBitcast, .operands = {a}}, WithElem(type(a), elem));
}

Value Builder::Ldexp(Value x, Value n, bool in_range) {
  return Emit1({.code = OpCode::kLdexp, .operands = {x, n}, .in_range = in_range},
               WithElem(Broadcast({x, n}), type(x).elem));
}

// --- tiles

Value Builder::Splat(Value scalar, Type type) {
  if (type.is_scalar()) return scalar;
  return Emit1({.code = OpCode::kSplat, .operands = {scalar}},
               WithElem(type, this->type(scalar).elem));
}

Value Builder::Iota(Type type, Axis axis) {
  return Emit1({.code = OpCode::kIota, .axis = axis}, type);
}

Value Builder::Mask(Value base, Value limit, Type type, Axis axis) {
  return Emit1({.code = OpCode::kMask, .operands = {base, limit}, .axis = axis},
               WithElem(type, ElementType::PRED));
}

Value Builder::Transpose(Value a) {
  Type t = type(a);
  std::swap(t.rows, t.cols);
  return Emit1({.code = OpCode::kTranspose, .operands = {a}}, t);
}

Value Builder::Pack(Value x, ElementType word) {
  Type t = WithElem(type(x), word);
  t.cols = t.cols * BitWidth(type(x).elem) / BitWidth(word);
  return Emit1({.code = OpCode::kPack, .operands = {x}}, t);
}

Value Builder::Interleave(Value a, Value b) {
  Type t = Broadcast({a, b});
  t.cols *= 2;
  return Emit1({.code = OpCode::kInterleave, .operands = {a, b}}, t);
}

std::pair<Value, Value> Builder::Deinterleave(Value x) {
  Type t = type(x);
  t.cols /= 2;
  Value even = NewValue(t), odd = NewValue(t);
  Emit({.code = OpCode::kDeinterleave, .operands = {x}, .results = {even, odd}});
  return {even, odd};
}

Value Builder::Dot(Value a, Value b, Value sum) {
  return Emit1({.code = OpCode::kDot, .operands = {a, b, sum}}, type(sum));
}

Value Builder::Relayout(Value a, int layout) {
  Type t = type(a);
  if (t.is_scalar() || t.layout == layout) return a;
  t.layout = layout;
  return Emit1({.code = OpCode::kRelayout, .operands = {a}}, t);
}

void Builder::Sync() { Emit({.code = OpCode::kSync}); }

// --- memory

Value Builder::Load(int buffer, absl::Span<const Index> index, Type type, Value mask,
                    Value otherwise, int64_t ahead) {
  Op op{.code = OpCode::kLoad, .int_value = ahead, .buffer = buffer};
  for (const Index& i : index) {
    op.operands.push_back(i.base);
    op.steps.push_back({i.rows, i.cols});
  }
  type.elem = kernel_.buffers[static_cast<size_t>(buffer)].elem;
  if (mask != kNone) {
    op.masked = true;
    op.operands.push_back(mask);
    op.operands.push_back(otherwise != kNone ? otherwise : ConstInt(type.elem, 0));
  }
  return Emit1(std::move(op), type);
}

void Builder::Store(Value x, int buffer, absl::Span<const Index> index, Value mask,
                    bool non_temporal) {
  Op op{.code = OpCode::kStore, .operands = {x}, .buffer = buffer, .non_temporal = non_temporal};
  for (const Index& i : index) {
    op.operands.push_back(i.base);
    op.steps.push_back({i.rows, i.cols});
  }
  if (mask != kNone) {
    op.masked = true;
    op.operands.push_back(mask);
  }
  kernel_.buffers[static_cast<size_t>(buffer)].written = true;
  Emit(std::move(op));
}

void Builder::StoreAsync(Value x, int buffer, absl::Span<const Index> index) {
  Store(x, buffer, index);
  at_.back()->ops.back().async = true;
}

void Builder::Commit() { Emit({.code = OpCode::kCommit}); }

void Builder::Wait(int64_t still) { Emit({.code = OpCode::kWait, .int_value = still}); }

Values Builder::Copy(const Op& op, const Values& operands, absl::Span<const Type> types,
                     int buffer) {
  Op copy = op;
  copy.operands = operands;
  copy.buffer = buffer;
  copy.results.clear();
  for (const Type& t : types) copy.results.push_back(NewValue(t));
  if (op.code == OpCode::kStore) kernel_.buffers[static_cast<size_t>(buffer)].written = true;
  Values results = copy.results;
  Emit(std::move(copy));
  return results;
}

// --- control flow

Values Builder::For(LoopKind kind, Value lo, Value hi, int64_t step, Tail tail, const Values& init,
                    const Body& body) {
  Op op{.code = OpCode::kFor, .operands = {lo, hi}, .int_value = step, .loop = kind, .tail = tail};
  Block block;
  Values carries;
  block.args.push_back(NewValue(kIndexType));
  for (Value v : init) {
    op.operands.push_back(v);
    carries.push_back(NewValue(type(v)));
    block.args.push_back(carries.back());
  }
  Fill(block, [&] { return body(block.args[0], carries); });
  op.regions.push_back(std::move(block));
  for (Value v : init) op.results.push_back(NewValue(type(v)));
  Values results = op.results;
  Emit(std::move(op));
  return results;
}

Values Builder::While(const Values& init, const std::function<Value(const Values&)>& condition,
                      const std::function<Values(const Values&)>& body) {
  Op op{.code = OpCode::kWhile, .operands = init};
  Block test, step;
  for (Value v : init) test.args.push_back(NewValue(type(v)));
  Fill(test, [&] { return Values{condition(test.args)}; });
  for (Value v : init) step.args.push_back(NewValue(type(v)));
  Fill(step, [&] { return body(step.args); });
  op.regions.push_back(std::move(test));
  op.regions.push_back(std::move(step));
  for (Value v : init) op.results.push_back(NewValue(type(v)));
  Values results = op.results;
  Emit(std::move(op));
  return results;
}

Values Builder::If(Value condition, const std::function<Values()>& then,
                   const std::function<Values()>& otherwise) {
  Op op{.code = OpCode::kIf, .operands = {condition}};
  Block taken, other;
  Fill(taken, then);
  Fill(other, otherwise);
  for (Value v : taken.yield) op.results.push_back(NewValue(type(v)));
  op.regions.push_back(std::move(taken));
  op.regions.push_back(std::move(other));
  Values results = op.results;
  Emit(std::move(op));
  return results;
}

Values Builder::Reduce(const Values& xs, Axis axis, const Combiner& combiner) {
  Op op{.code = OpCode::kReduce, .operands = xs, .axis = axis};
  Block block;
  Values a, b;
  for (Value x : xs) a.push_back(NewValue({type(x).elem}));
  for (Value x : xs) b.push_back(NewValue({type(x).elem}));
  block.args = a;
  block.args.insert(block.args.end(), b.begin(), b.end());
  Fill(block, [&] { return combiner(a, b); });
  op.regions.push_back(std::move(block));
  for (Value x : xs) {
    Type t = type(x);
    (axis == Axis::kRows ? t.rows : t.cols) = 1;
    op.results.push_back(NewValue(t));
  }
  Values results = op.results;
  Emit(std::move(op));
  return results;
}

void Builder::AtDepth(int depth, const std::function<void()>& emit) {
  const auto first = at_.begin() + depth + 1;
  std::vector<Block*> inner(first, at_.end());
  at_.erase(first, at_.end());
  emit();
  at_.insert(at_.end(), inner.begin(), inner.end());
}

}  // namespace sinter::kernel
