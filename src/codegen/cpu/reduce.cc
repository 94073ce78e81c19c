// Tiles that are computed from positions (mask, iota), and reductions.
#include <algorithm>
#include <bit>

#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using codegen::Expr;
using kernel::Axis;
using kernel::Op;
using llvm::Value;

void Tiles::EmitMask(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  const bool along_rows = op.axis == Axis::kRows;
  const int extent = along_rows ? t.rows : t.cols;
  Parts out;
  if (facts_.AlwaysBelow(op.operands[0], extent, op.operands[1])) {
    for (int i = 0; i < Count(t); i++)
      out.push_back(llvm::Constant::getAllOnesValue(Register(ElementType::PRED, Width(t, i))));
    return Bind(op.results[0], std::move(out));
  }
  // In the last step of a peeled loop the position is a constant of the code alone.
  const auto base = ConstantOf(Scalar(op.operands[0])), limit = ConstantOf(Scalar(op.operands[1]));
  if (base && limit && !along_rows) {
    const int64_t set = std::clamp<int64_t>(*limit - *base, 0, extent);
    for (int i = 0; i < Count(t); i++) {
      llvm::SmallVector<llvm::Constant*, 64> lanes;
      const int first = i % Chunks(t) * lanes_;
      for (int lane = 0; lane < Width(t, i); lane++)
        lanes.push_back(b_.getInt1(first + lane < set));
      out.push_back(lanes.size() == 1 ? lanes[0] : llvm::ConstantVector::get(lanes));
    }
    return Bind(op.results[0], std::move(out));
  }
  // Positions below the limit, cut to what 32 bits hold: 0 .. extent.
  Expr count{&b_, b_.CreateSub(Scalar(op.operands[1]), Scalar(op.operands[0]))};
  count = SClamp(count, 0, extent).Zext(32);
  for (int row = 0; row < t.rows; row++) {
    if (along_rows) {
      Value* set = Lt(count.C(row), count);
      for (int chunk = 0; chunk < Chunks(t); chunk++)
        out.push_back(Splat(set, ChunkWidth(t, chunk)));
      continue;
    }
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      if (row > 0) {
        out.push_back(out[static_cast<size_t>(chunk)]);
        continue;
      }
      const int width = ChunkWidth(t, chunk);
      if (facts_.AlwaysBelow(op.operands[0], chunk * lanes_ + width, op.operands[1])) {
        out.push_back(llvm::Constant::getAllOnesValue(Register(ElementType::PRED, width)));
        continue;
      }
      llvm::SmallVector<uint32_t, 64> positions;
      for (int lane = 0; lane < width; lane++)
        positions.push_back(static_cast<uint32_t>(chunk * lanes_ + lane));
      Value* position = width == 1 ? static_cast<Value*>(b_.getInt32(positions[0]))
                                   : llvm::ConstantDataVector::get(b_.getContext(), positions);
      out.push_back(b_.CreateICmpSLT(position, Splat(count, width)));
    }
  }
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitIota(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  llvm::Type* scalar = Register(t.elem);
  auto number = [&](int n) -> llvm::Constant* {
    if (scalar->isFloatingPointTy()) return llvm::ConstantFP::get(scalar, n);
    return llvm::ConstantInt::get(
        b_.getContext(),
        llvm::APInt(64, static_cast<uint64_t>(n)).trunc(scalar->getIntegerBitWidth()));
  };
  Parts out;
  for (int row = 0; row < t.rows; row++) {
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      std::vector<llvm::Constant*> lanes;
      for (int lane = 0; lane < ChunkWidth(t, chunk); lane++)
        lanes.push_back(number(op.axis == Axis::kRows ? row : chunk * lanes_ + lane));
      out.push_back(lanes.size() == 1 ? lanes[0] : llvm::ConstantVector::get(lanes));
    }
  }
  Bind(op.results[0], std::move(out));
}

// Halving: of n elements, those from h = the largest power of two below n on are combined into the
// first n - h; then n is h. The order does not depend on the width of vectors.
void Tiles::EmitReduce(const Op& op) {
  if (ReduceToAny(op)) return;
  std::vector<Parts> results(op.results.size());
  if (op.axis == Axis::kRows) {
    ReduceRows(op, results);
  } else {
    ReduceCols(op, results);
  }
  for (size_t i = 0; i < results.size(); i++) Bind(op.results[i], std::move(results[i]));
}

namespace {
// The largest power of two below n, for n > 1.
int HalfOf(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)) / 2); }
codegen::Parts Both(const codegen::Parts& a, const codegen::Parts& b) {
  codegen::Parts all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
}  // namespace

// Whether any element of a row of predicates is set: the vectors' bits against zero, instead of a
// tree.
bool Tiles::ReduceToAny(const Op& op) {
  const kernel::Block& combiner = op.regions[0];
  const kernel::Type& shape = type(op.operands[0]);
  if (op.axis != Axis::kCols || op.operands.size() != 1 || !IsPredicate(shape.elem) ||
      combiner.ops.size() != 1 || combiner.ops[0].code != kernel::OpCode::kOr ||
      combiner.ops[0].operands != combiner.args || combiner.yield != combiner.ops[0].results)
    return false;
  Parts out;
  for (int row = 0; row < shape.rows; row++) {
    Value *any = nullptr, *vectors = nullptr;
    auto add = [&](Value*& sum, Value* x) { sum = sum == nullptr ? x : b_.CreateOr(sum, x); };
    for (int chunk = 0; chunk < Chunks(shape); chunk++) {
      Value* x = PartAt(op.operands[0], row, chunk, shape);
      if (ChunkWidth(shape, chunk) == ChunkWidth(shape, 0)) {
        add(vectors, x);
      } else {
        add(any, x->getType()->isVectorTy() ? b_.CreateOrReduce(x) : x);
      }
    }
    const int width = codegen::WidthOf(vectors->getType());
    if (width > 1) {
      vectors = b_.CreateBitCast(vectors, b_.getIntNTy(static_cast<unsigned>(width)));
      vectors = b_.CreateICmpNE(vectors, llvm::Constant::getNullValue(vectors->getType()));
    }
    add(any, vectors);
    out.push_back(any);
  }
  Bind(op.results[0], std::move(out));
  return true;
}

void Tiles::ReduceRows(const Op& op, std::vector<Parts>& results) {
  const kernel::Type& shape = type(op.operands[0]);
  for (int chunk = 0; chunk < Chunks(shape); chunk++) {
    std::vector<Parts> rows;
    for (int row = 0; row < shape.rows; row++) {
      Parts p;
      for (kernel::Value v : op.operands) p.push_back(PartAt(v, row, chunk, shape));
      rows.push_back(std::move(p));
    }
    while (rows.size() > 1) {
      const auto half = static_cast<size_t>(HalfOf(static_cast<int>(rows.size())));
      for (size_t i = half; i < rows.size(); i++)
        rows[i - half] = Combine(op.regions[0], Both(rows[i - half], rows[i]));
      rows.resize(half);
    }
    for (size_t i = 0; i < results.size(); i++) results[i].push_back(rows[0][i]);
  }
}

void Tiles::ReduceCols(const Op& op, std::vector<Parts>& results) {
  const kernel::Type& shape = type(op.operands[0]);
  for (int row = 0; row < shape.rows; row++) {
    std::vector<Parts> chunks;
    for (int chunk = 0; chunk < Chunks(shape); chunk++) {
      Parts p;
      for (kernel::Value v : op.operands) p.push_back(PartAt(v, row, chunk, shape));
      chunks.push_back(std::move(p));
    }
    const Parts y = ReduceRow(op, std::move(chunks), shape.cols);
    for (size_t i = 0; i < results.size(); i++) results[i].push_back(y[i]);
  }
}

codegen::Parts Tiles::ReduceRow(const Op& op, std::vector<Parts> chunks, int cols) {
  // Of `b`, only the first `count` lanes exist; the others keep `a`.
  auto combine = [&](const Parts& a, Parts b, int count) {
    const int width = codegen::WidthOf(a[0]->getType());
    if (count == width) return Combine(op.regions[0], Both(a, b));
    // Lanes that do not exist repeat the first one: no combiner may meet a value that is not one.
    llvm::SmallVector<int, 64> repeat, blend;
    for (int i = 0; i < width; i++) {
      repeat.push_back(i < count ? i : 0);
      blend.push_back(i < count ? i : width + i);
    }
    for (Value*& v : b) {
      v = v->getType()->isVectorTy() ? b_.CreateShuffleVector(v, repeat) : Splat(v, width);
    }
    Parts y = Combine(op.regions[0], Both(a, b));
    for (size_t i = 0; i < y.size(); i++) y[i] = b_.CreateShuffleVector(y[i], a[i], blend);
    return y;
  };
  int n = cols;
  for (; n > lanes_; n = HalfOf(n)) {
    const int half = HalfOf(n) / lanes_;  // in chunks
    for (int i = half; i < static_cast<int>(chunks.size()); i++) {
      auto& low = chunks[static_cast<size_t>(i - half)];
      low = combine(low, chunks[static_cast<size_t>(i)], std::min(lanes_, n - i * lanes_));
    }
    chunks.resize(static_cast<size_t>(half));
  }
  Parts y = chunks[0];
  for (; n > 1; n = HalfOf(n)) {
    const int half = HalfOf(n);
    Parts low, high;
    for (Value* v : y) {
      if (half == 1) {
        low.push_back(b_.CreateExtractElement(v, uint64_t{0}));
        high.push_back(b_.CreateExtractElement(v, uint64_t{1}));
        continue;
      }
      llvm::SmallVector<int, 64> first, second;
      for (int i = 0; i < half; i++) first.push_back(i);
      for (int i = half; i < n; i++) second.push_back(i);
      low.push_back(b_.CreateShuffleVector(v, first));
      high.push_back(second.size() == 1 ? b_.CreateExtractElement(v, static_cast<uint64_t>(half))
                                        : b_.CreateShuffleVector(v, second));
    }
    y = combine(low, high, n - half);
  }
  return y;
}

}  // namespace sinter::cpu
