// Scans: cumulative reduce-windows, whose accumulators a loop carries.
#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/reducer.h"
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"
#include "codegen/emit/sum_blocks.h"

namespace sinter::emit {

using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

namespace {

size_t Results(const HloInstruction& scan) { return scan.operands().size() / 2; }

// The accumulators of a scan as values of their types, from the parts in order.
std::vector<Parts> PartsOf(const HloInstruction& scan, const Values& values) {
  std::vector<Parts> parts;
  size_t next = 0;
  for (size_t k = 0; k < Results(scan); ++k) {
    Parts p{values[next++]};
    if (IsComplex(AccumulatorOf(scan, k))) p.im = values[next++];
    parts.push_back(p);
  }
  return parts;
}

bool OnlySumsFloats(const HloInstruction& scan) {
  for (size_t k = 0; k < Results(scan); ++k) {
    if (!SumsFloats(scan, k)) return false;
  }
  return true;
}

// What rounding left of x + y, whose sum is given (Knuth's TwoSum); nothing where it is not finite.
Value ErrorOfSum(kernel::Builder& b, Value x, Value y, Value sum) {
  const kernel::Expr ex{&b, x}, ey{&b, y}, es{&b, sum};
  const kernel::Expr part = es - ex;
  const kernel::Expr error = (ex - (es - part)) + (ey - part);
  return Select(Cmp(kernel::Predicate::kEq, error, error), error, error.c(-0.0));
}

}  // namespace

// Running sums of floats go in blocks of kSumBlock elements: a result is the sum of the blocks
// before plus that of the elements of its own block so far. The latter begins with what rounding
// has left of the former, so that only sums of short blocks have errors, and results of elements
// that are not negative never decrease.
void Region::ScanLoop(const Frame& frame,
                      const std::function<Values(Value, const ScanState&)>& element) {
  const HloInstruction* scan = plan_->scan;
  const int64_t n = scan->operand(0)->shape().dimension(plan_->scan_dim);
  Values initial;
  for (size_t k = 0; k < Results(*scan); ++k) {
    const HloInstruction* value = scan->operand(Results(*scan) + k);
    const ElementType type = AccumulatorOf(*scan, k);
    Parts x = EmitConvert(b_, Eval(value, {}, Frame{}), value->shape().element_type(), type);
    for (Value part : {x.re, x.im}) {
      if (part != kernel::kNone)
        initial.push_back(Widen(part, Type{RealPart(type), 1, frame.cols}));
    }
  }
  auto turns = [&](Value lo, Value hi, const Values& start, const Values& before) {
    return Loop(kernel::LoopKind::kSeq, lo, hi, 1, Tail::kExact, start,
                [&](Value iv, const Values& carries) {
                  Value index = plan_->scan_backwards ? IndexOp(OpCode::kSub, Int(n - 1), iv) : iv;
                  return element(index, {carries, before});
                });
  };
  if (n <= kSumBlock || !OnlySumsFloats(*scan)) {
    turns(Int(0), Int(n), initial, {});
    return;
  }
  const size_t parts = initial.size();
  Values start = initial;
  for (Value v : initial) {
    const Type tile = b_.type(v);
    start.push_back(b_.Splat(b_.Const(tile.elem, -0.0), tile));
  }
  Loop(kernel::LoopKind::kSeq, Int(0), Int(n), kSumBlock,
       n % kSumBlock == 0 ? Tail::kExact : Tail::kMasked, start,
       [&](Value lo, const Values& carries) {
         const auto middle = carries.begin() + static_cast<ptrdiff_t>(parts);
         const Values before(carries.begin(), middle);
         Value hi = IndexAdd(lo, Int(kSumBlock));
         if (n % kSumBlock != 0) hi = IndexOp(OpCode::kMin, hi, Int(n));
         const Values block = turns(lo, hi, Values(middle, carries.end()), before);
         Values next;
         for (size_t k = 0; k < parts; ++k) next.push_back(b_.Add(before[k], block[k]));
         for (size_t k = 0; k < parts; ++k)
           next.push_back(ErrorOfSum(b_, before[k], block[k], next[k]));
         return next;
       });
}

// Backwards the element comes before what has been accumulated, as it does in its window.
Values Region::ScanStep(const Coords& at, const Frame& frame, const ScanState& state) {
  const HloInstruction* scan = plan_->scan;
  std::vector<Parts> sums = PartsOf(*scan, state.carries), elements;
  for (size_t k = 0; k < Results(*scan); ++k) {
    elements.push_back(EmitConvert(b_, Eval(scan->operand(k), at, frame),
                                   scan->operand(k)->shape().element_type(),
                                   AccumulatorOf(*scan, k)));
  }
  if (plan_->scan_backwards) std::swap(sums, elements);
  sums.insert(sums.end(), elements.begin(), elements.end());
  auto y = EvalScalarComputation(b_, *scan->called(0), sums, true);
  if (!y.ok()) {
    Fail(y.status(), ElementType::F32);
    return state.carries;
  }
  Values next;
  for (const Parts& part : *y) {
    for (Value v : {part.re, part.im}) {
      if (v != kernel::kNone) next.push_back(Widen(v, b_.type(state.carries[next.size()])));
    }
  }
  Values total = next;
  for (size_t k = 0; k < state.before.size(); ++k) total[k] = b_.Add(state.before[k], next[k]);
  const std::vector<Parts> results = PartsOf(*scan, total);
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape& to = results.size() == 1 ? scan->shape() : scan->shape().tuple_shapes()[k];
    Bind(scan, at, frame, EmitConvert(b_, results[k], AccumulatorOf(*scan, k), to.element_type()),
         static_cast<int64_t>(k));
  }
  return next;
}

}  // namespace sinter::emit
