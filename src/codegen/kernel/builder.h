// Builds kernels: an insertion point, one function an operation, constant folding of index
// arithmetic.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// A tile type of `elem` with the rows and columns of `like`.
inline Type WithElem(Type like, ElementType elem) {
  like.elem = elem;
  return like;
}

// One dimension's index in a load or store. `base` is an index scalar, or a tile of S64 or S32 (a
// gather or scatter).
struct Index {
  Value base = kNone;
  int rows = 0, cols = 0;  // see Step
};

class Builder {
 public:
  explicit Builder(std::string name);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Kernel& kernel() { return kernel_; }
  Kernel Take() { return std::move(kernel_); }
  // By value: what is added next may move the types.
  Type type(Value v) const { return kernel_.type(v); }

  // Parameters, buffers, constants. Constants are shared and stand at the top. Row-major strides
  // where none are given.
  Value AddParam(std::string name, int64_t lo, int64_t hi, int64_t multiple = 1);
  int AddBuffer(std::string name, ElementType elem, absl::Span<const Value> shape,
                Space space = Space::kArgument, absl::Span<const Value> strides = {});
  int AddBuffer(std::string name, ElementType elem, absl::Span<const int64_t> shape,
                Space space = Space::kArgument);
  Value Int(int64_t value);  // of kIndexType
  Value Const(ElementType elem,
              double value);  // scalar; integers and predicates are converted exactly
  Value ConstInt(ElementType elem, int64_t value);  // scalar; U64 by its bits
  // The value of an index constant, or nothing.
  bool IsInt(Value v, int64_t* value) const;

  // Pointwise, any tile; operands broadcast. Index scalars (S64 constants) fold; x+0, x*1 vanish.
  Value Unary(OpCode code, Value a);
  Value Binary(OpCode code, Value a, Value b);
  Value Fma(Value a, Value b, Value c);
  // sum + the dot product of what the words a and b hold; see README.md.
  Value DotAdd(Value a, Value b, Value sum);
  Value Compare(Predicate p, Value a, Value b);
  Value Select(Value mask, Value a, Value b);
  Value Convert(Value a, ElementType elem, bool in_range = false);
  // From now on BF16 and F16 that were rounded from F32 convert back to what they were.
  void AllowExcessPrecision() { excess_precision_ = true; }
  Value Bitcast(Value a, ElementType elem);
  // x * 2^n; see Op::in_range.
  Value Ldexp(Value x, Value n, bool in_range = false);
  Value Add(Value a, Value b) { return Binary(OpCode::kAdd, a, b); }
  Value Sub(Value a, Value b) { return Binary(OpCode::kSub, a, b); }
  Value Mul(Value a, Value b) { return Binary(OpCode::kMul, a, b); }
  Value Div(Value a, Value b) { return Binary(OpCode::kDiv, a, b); }
  Value Rem(Value a, Value b) { return Binary(OpCode::kRem, a, b); }
  Value Min(Value a, Value b) { return Binary(OpCode::kMin, a, b); }
  Value Max(Value a, Value b) { return Binary(OpCode::kMax, a, b); }
  Value And(Value a, Value b) { return Binary(OpCode::kAnd, a, b); }
  Value Or(Value a, Value b) { return Binary(OpCode::kOr, a, b); }

  // Tiles.
  Value Splat(Value scalar, Type type);
  Value Iota(Type type, Axis axis);                           // 0, 1, 2 ... along the axis
  Value Mask(Value base, Value limit, Type type, Axis axis);  // PRED: base + position < limit
  Value Transpose(Value a);
  Value Interleave(Value a, Value b);             // [r x c] twice -> [r x 2c]: a0 b0 a1 b1 ...
  std::pair<Value, Value> Deinterleave(Value x);  // [r x 2c] -> even and odd columns
  // [r x c] of 8 or 16 bits -> words of U32 or S32: so many neighbours in one.
  Value Pack(Value x, ElementType word);
  // a[M x K] by b[K x N], added to sum[M x N]: fragments.h says of which types.
  Value Dot(Value a, Value b, Value sum);
  Value Relayout(Value a, int layout);  // the same tile with another layout
  void Sync();                          // all threads of a block

  // Memory. A tile of `type` (its element is the buffer's); masked-off lanes touch no memory and
  // read as `otherwise` (a scalar or tile of the buffer's element type). If `ahead` is not 0, the
  // elements that many further on in memory are wanted soon.
  Value Load(int buffer, absl::Span<const Index> index, Type type, Value mask = kNone,
             Value otherwise = kNone, int64_t ahead = 0);
  void Store(Value x, int buffer, absl::Span<const Index> index, Value mask = kNone,
             bool non_temporal = false);
  // In flight until a `wait`; see README.md.
  void StoreAsync(Value x, int buffer, absl::Span<const Index> index);
  void Commit();             // ends a group of asynchronous stores
  void Wait(int64_t still);  // for all groups but the last `still`, and for all threads of a block

  // Control flow. A body gets the induction variable (an index scalar) and its carries, and returns
  // the next carries; types of carries do not change.
  using Body = std::function<Values(Value iv, const Values& carries)>;
  Values For(LoopKind kind, Value lo, Value hi, int64_t step, Tail tail, const Values& init,
             const Body& body);
  Values While(const Values& init, const std::function<Value(const Values&)>& condition,
               const std::function<Values(const Values&)>& body);
  Values If(Value condition, const std::function<Values()>& then,
            const std::function<Values()>& otherwise);

  // A copy of `op`, an operation of another kernel without regions, on `operands`; its results are
  // of `types`, the memory that it touches is `buffer`.
  Values Copy(const Op& op, const Values& operands, absl::Span<const Type> types, int buffer);

  // Reduces tiles along an axis by a log-tree with a combiner of pointwise operations on scalars:
  // (a..., b...) -> (r...). Results have extent 1 on the axis.
  using Combiner = std::function<Values(const Values& a, const Values& b)>;
  Values Reduce(const Values& xs, Axis axis, const Combiner& combiner);

  // The nesting depth of the insertion point; 0 is the top of the kernel.
  int depth() const { return static_cast<int>(at_.size()) - 1; }
  // Emits into an enclosing block: what `emit` adds there comes before the operation under
  // construction, so that everything inside may use it (code motion by construction).
  void AtDepth(int depth, const std::function<void()>& emit);

 private:
  Value NewValue(Type type);
  void Emit(Op op);
  Value Emit1(Op op, Type type);
  Value Pooled(Op op, ElementType elem, uint64_t bits);
  Value Simplify(OpCode code, Value a, Value b);
  Type Broadcast(absl::Span<const Value> operands) const;  // rows, cols, layout of the widest
  void Fill(Block& block, const std::function<Values()>& body);

  Kernel kernel_;
  std::vector<Block*> at_;  // the blocks being built, innermost last
  size_t prelude_ = 0;      // operations of the top that are not stages
  std::map<std::pair<ElementType, uint64_t>, Value> constants_;
  std::map<Value, int64_t> int_of_;
  bool excess_precision_ = false;
  std::map<Value, Value> wide_of_;  // of a BF16 or F16 the F32 that it was rounded from
};

// A value with operators, so that a scalar lambda reads as arithmetic on any tile.
struct Expr {
  Builder* b = nullptr;
  Value v = kNone;
  operator Value() const { return v; }
  ElementType elem() const { return b->type(v).elem; }
  Expr c(double x) const {
    return {b, b->Const(elem(), x)};
  }  // a constant of the same element type
  Expr ci(int64_t x) const { return {b, b->ConstInt(elem(), x)}; }
  Expr As(ElementType e) const { return {b, b->Bitcast(v, e)}; }
  Expr To(ElementType e, bool in_range = false) const { return {b, b->Convert(v, e, in_range)}; }
};
inline Expr operator+(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kAdd, a, o)}; }
inline Expr operator-(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kSub, a, o)}; }
inline Expr operator*(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kMul, a, o)}; }
inline Expr operator/(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kDiv, a, o)}; }
inline Expr operator&(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kAnd, a, o)}; }
inline Expr operator|(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kOr, a, o)}; }
inline Expr operator^(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kXor, a, o)}; }
inline Expr operator<<(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kShl, a, o)}; }
inline Expr operator>>(Expr a, Expr o) { return {a.b, a.b->Binary(OpCode::kShr, a, o)}; }
inline Expr operator+(Expr a, double x) { return a + a.c(x); }
inline Expr operator-(Expr a, double x) { return a - a.c(x); }
inline Expr operator*(Expr a, double x) { return a * a.c(x); }
inline Expr operator-(Expr a) { return {a.b, a.b->Unary(OpCode::kNeg, a)}; }
inline Expr Abs(Expr a) { return {a.b, a.b->Unary(OpCode::kAbs, a)}; }
inline Expr Sqrt(Expr a) { return {a.b, a.b->Unary(OpCode::kSqrt, a)}; }
inline Expr RoundEven(Expr a) { return {a.b, a.b->Unary(OpCode::kRoundEven, a)}; }
inline Expr Fma(Expr a, Expr x, Expr y) { return {a.b, a.b->Fma(a, x, y)}; }
inline Expr Fma(Expr a, Expr x, double y) { return Fma(a, x, a.c(y)); }
inline Expr Cmp(Predicate p, Expr a, Expr o) { return {a.b, a.b->Compare(p, a, o)}; }
inline Expr Cmp(Predicate p, Expr a, double x) { return Cmp(p, a, a.c(x)); }
inline Expr Select(Expr mask, Expr a, Expr o) { return {a.b, a.b->Select(mask, a, o)}; }
inline Expr Ldexp(Expr a, Expr n, bool in_range = false) {
  return {a.b, a.b->Ldexp(a, n, in_range)};
}

}  // namespace sinter::kernel
