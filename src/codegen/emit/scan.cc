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

// What loops over blocks of running sums carry: the sums of the blocks before, then with what the
// next block begins, which is what rounding has left of them.
Values CarriesOfBlocks(kernel::Builder& b, const Values& initial) {
  Values carries = initial;
  for (Value v : initial) {
    const Type tile = b.type(v);
    carries.push_back(b.Splat(b.Const(tile.elem, -0.0), tile));
  }
  return carries;
}
Values AfterBlock(kernel::Builder& b, const Values& before, const Values& block) {
  Values next;
  for (size_t k = 0; k < before.size(); ++k) next.push_back(b.Add(before[k], block[k]));
  for (size_t k = 0; k < before.size(); ++k)
    next.push_back(ErrorOfSum(b, before[k], block[k], next[k]));
  return next;
}

}  // namespace

Values Region::InitialOfScan(int width) {
  const HloInstruction* scan = plan_->scan;
  Values initial;
  for (size_t k = 0; k < Results(*scan); ++k) {
    const HloInstruction* value = scan->operand(Results(*scan) + k);
    const ElementType type = AccumulatorOf(*scan, k);
    const Parts x = EmitConvert(b_, Eval(value, {}, Frame{}), value->shape().element_type(), type);
    for (Value part : {x.re, x.im}) {
      if (part != kernel::kNone) initial.push_back(Widen(part, Type{RealPart(type), 1, width}));
    }
  }
  return initial;
}

// Running sums of floats go in blocks of kSumBlock elements: a result is the sum of the blocks
// before plus that of the elements of its own block so far. The latter begins with what rounding
// has left of the former, so that only sums of short blocks have errors, and results of elements
// that are not negative never decrease.
void Region::ScanLoop(const Frame& frame,
                      const std::function<Values(Value, const ScanState&)>& element) {
  const HloInstruction* scan = plan_->scan;
  const int64_t n = scan->operand(0)->shape().dimension(plan_->scan_dim);
  const Values initial = InitialOfScan(frame.cols);
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
  const Values start = CarriesOfBlocks(b_, initial);
  Loop(kernel::LoopKind::kSeq, Int(0), Int(n), kSumBlock,
       n % kSumBlock == 0 ? Tail::kExact : Tail::kMasked, start,
       [&](Value lo, const Values& carries) {
         const auto middle = carries.begin() + static_cast<ptrdiff_t>(parts);
         const Values before(carries.begin(), middle);
         Value hi = IndexAdd(lo, Int(kSumBlock));
         if (n % kSumBlock != 0) hi = IndexOp(OpCode::kMin, hi, Int(n));
         const Values block = turns(lo, hi, Values(middle, carries.end()), before);
         return AfterBlock(b_, before, block);
       });
}

// Backwards the element comes before what has been accumulated, as it does in its window.
Values Region::Accumulate(const Values& carries, std::vector<Parts> elements) {
  const HloInstruction* scan = plan_->scan;
  std::vector<Parts> sums = PartsOf(*scan, carries);
  if (plan_->scan_backwards) std::swap(sums, elements);
  sums.insert(sums.end(), elements.begin(), elements.end());
  auto y = EvalScalarComputation(b_, *scan->called(0), sums, true);
  if (!y.ok()) {
    Fail(y.status(), ElementType::F32);
    return carries;
  }
  Values next;
  for (const Parts& part : *y) {
    for (Value v : {part.re, part.im}) {
      if (v != kernel::kNone) next.push_back(Widen(v, b_.type(carries[next.size()])));
    }
  }
  return next;
}

void Region::BindScan(const Coords& at, const Frame& frame, const Values& totals) {
  const HloInstruction* scan = plan_->scan;
  const std::vector<Parts> results = PartsOf(*scan, totals);
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape& to = results.size() == 1 ? scan->shape() : scan->shape().tuple_shapes()[k];
    Bind(scan, at, frame, EmitConvert(b_, results[k], AccumulatorOf(*scan, k), to.element_type()),
         static_cast<int64_t>(k));
  }
}

Values Region::ScanStep(const Coords& at, const Frame& frame, const ScanState& state) {
  const HloInstruction* scan = plan_->scan;
  std::vector<Parts> elements;
  for (size_t k = 0; k < Results(*scan); ++k) {
    elements.push_back(EmitConvert(b_, Eval(scan->operand(k), at, frame),
                                   scan->operand(k)->shape().element_type(),
                                   AccumulatorOf(*scan, k)));
  }
  const Values next = Accumulate(state.carries, std::move(elements));
  Values totals = next;
  for (size_t k = 0; k < state.before.size(); ++k) totals[k] = b_.Add(state.before[k], next[k]);
  BindScan(at, frame, totals);
  return next;
}

Values Region::ElementsOfScan(const Coords& at, const Frame& frame) {
  const HloInstruction* scan = plan_->scan;
  Values elements;
  for (size_t k = 0; k < Results(*scan); ++k) {
    const ElementType type = AccumulatorOf(*scan, k);
    const Parts x = EmitConvert(b_, Eval(scan->operand(k), at, frame),
                                scan->operand(k)->shape().element_type(), type);
    for (Value part : {x.re, x.im}) {
      if (part != kernel::kNone)
        elements.push_back(Widen(part, Type{RealPart(type), frame.rows, frame.cols}));
    }
  }
  return elements;
}

Values Region::ElementsByRow(const Coords& at, const Frame& frame) {
  std::vector<int> buffers;
  const auto d = static_cast<size_t>(plan_->row_dim);
  const int step = plan_->scan_step;
  Loop(kernel::LoopKind::kSeq, Int(0), Int(frame.rows), step, Tail::kExact, {},
       [&](Value row, const Values&) {
         Coords there = at;
         there[d].base = IndexAdd(at[d].base, row);
         if (step == 1) there[d].rows = 0;
         Frame some = frame;
         some.rows = step;
         if (frame.row_bound.any())
           some.row_bound = Bound{IndexAdd(frame.row_bound.base, row), frame.row_bound.limit};
         const Values elements = ElementsOfScan(there, some);
         for (size_t k = 0; k < elements.size(); ++k) {
           if (k == buffers.size())
             buffers.push_back(b_.AddBuffer(Format("r{}", k), b_.type(elements[k]).elem,
                                            Dims{frame.rows, frame.cols}, kernel::Space::kTask));
           b_.Store(elements[k], buffers[k],
                    {kernel::Index{row, step > 1 ? 1 : 0, 0}, kernel::Index{Int(0), 0, 1}});
         }
         return Values{};
       });
  Values tiles;
  for (int buffer : buffers) {
    const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
    tiles.push_back(b_.Load(buffer, {kernel::Index{Int(0), 1, 0}, kernel::Index{Int(0), 0, 1}},
                            Type{elem, frame.rows, frame.cols}));
  }
  return tiles;
}

void Region::ScanRows(const Coords& at, const Frame& frame,
                      const std::function<void(const Coords&, const Frame&)>& store) {
  const HloInstruction* scan = plan_->scan;
  const auto along = static_cast<size_t>(plan_->scan_dim);
  const int64_t n = scan->operand(0)->shape().dimension(plan_->scan_dim);
  const int rows = plan_->tile_rows, cols = plan_->tile_cols;
  const Values initial = InitialOfScan(rows);
  std::vector<int> buffers;  // one for each part: elements, then what is accumulated
  for (Value v : initial) {
    buffers.push_back(b_.AddBuffer(Format("b{}", buffers.size()), b_.type(v).elem,
                                   Dims{kSumBlock + cols, rows}, kernel::Space::kTask));
  }
  // The tiles of a block that begins at `lo` in memory, each with its rows transposed in the
  // buffers.
  auto tiles = [&](Value lo, Value hi,
                   const std::function<void(const Coords&, const Frame&, Value row)>& body) {
    Loop(kernel::LoopKind::kSeq, lo, hi, cols, n % cols == 0 ? Tail::kExact : Tail::kMasked, {},
         [&](Value iv, const Values&) {
           Frame tile = frame;
           tile.cols = cols;
           tile.cols_depth = b_.depth();
           if (n % cols != 0) tile.col_bound = Bound{iv, hi};
           Coords there = at;
           there[along] = Coord{iv, 0, 1, {0, n}};
           body(there, tile, IndexOp(OpCode::kSub, iv, lo));
           return Values{};
         });
  };
  // One row is the buffer as it is.
  auto at_row = [&](Value row, const Type& type) -> std::vector<kernel::Index> {
    if (rows == 1) return {{row, 0, type.cols > 1 ? 1 : 0}, {Int(0)}};
    return {{row, type.rows > 1 ? 1 : 0, 0}, {Int(0), 0, 1}};
  };
  auto tile_of = [&](ElementType elem) {
    return rows == 1 ? Type{elem, 1, cols} : Type{elem, cols, rows};
  };
  auto turned = [&](Value v) { return rows == 1 ? v : b_.Transpose(v); };
  auto element = [&](size_t k, Value row, const Type& type) {
    return b_.Load(buffers[k], at_row(row, type), type);
  };
  auto keep = [&](size_t k, Value row, Value v) {
    b_.Store(v, buffers[k], at_row(row, b_.type(v)));
  };
  const bool sums = n > kSumBlock && OnlySumsFloats(*scan);
  const size_t parts = initial.size();
  const Values start = sums ? CarriesOfBlocks(b_, initial) : initial;
  auto block = [&](Value first, const Values& carries) {
    // Of `length` elements from `first`, counted in the direction of the scan; from lo in memory.
    Value end = IndexAdd(first, Int(kSumBlock));
    if (n % kSumBlock != 0) end = IndexOp(OpCode::kMin, end, Int(n));
    const bool back = plan_->scan_backwards;
    const Value lo = back ? IndexOp(OpCode::kSub, Int(n), end) : first,
                hi = back ? IndexOp(OpCode::kSub, Int(n), first) : end,
                length = IndexOp(OpCode::kSub, end, first);
    tiles(lo, hi, [&](const Coords& there, const Frame& tile, Value row) {
      const Values elements =
          plan_->scan_step > 0 ? ElementsByRow(there, tile) : ElementsOfScan(there, tile);
      for (size_t k = 0; k < parts; ++k) keep(k, row, turned(elements[k]));
    });
    const auto middle = carries.begin() + static_cast<ptrdiff_t>(parts);
    const Values before = sums ? Values(carries.begin(), middle) : Values{};
    const Values last =
        Loop(kernel::LoopKind::kSeq, Int(0), length, 1, Tail::kExact,
             sums ? Values(middle, carries.end()) : carries, [&](Value iv, const Values& c) {
               const Value row = back ? IndexOp(OpCode::kSub, IndexAdd(length, Int(-1)), iv) : iv;
               Values elements;
               for (size_t k = 0; k < parts; ++k)
                 elements.push_back(element(k, row, b_.type(c[k])));
               const Values next = Accumulate(c, PartsOf(*scan, elements));
               for (size_t k = 0; k < parts; ++k)
                 keep(k, row, before.empty() ? next[k] : b_.Add(before[k], next[k]));
               return next;
             });
    tiles(lo, hi, [&](const Coords& there, const Frame& tile, Value row) {
      Values totals;
      for (size_t k = 0; k < parts; ++k)
        totals.push_back(turned(element(k, row, tile_of(b_.type(initial[k]).elem))));
      BindScan(there, tile, totals);
      store(there, tile);
    });
    return sums ? AfterBlock(b_, before, last) : last;
  };
  Loop(kernel::LoopKind::kSeq, Int(0), Int(n), kSumBlock,
       n % kSumBlock == 0 ? Tail::kExact : Tail::kMasked, start, block);
}

}  // namespace sinter::emit
