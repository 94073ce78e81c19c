// Transposes in registers: blocks of n x n, n the elements of a native vector, by levels of
// two-source shuffles.
#include <algorithm>
#include <bit>

#include "base/status.h"
#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using kernel::Op;
using llvm::Value;

namespace {

// The levels of a transpose of n x n: each takes pairs of vectors (i, i + step) to (low, high) by
// one shuffle each that the instruction set has as one instruction: first unpacks within 128 bits,
// then moves of whole 128-bit lanes.
struct ShuffleLevel {
  int step;
  llvm::SmallVector<int, 64> low, high;  // shuffle masks over the two vectors
};

std::vector<ShuffleLevel> LevelsOf(int n, int elem_bits) {
  const int lane = std::min(n, 128 / elem_bits);  // elements of a 128-bit lane
  std::vector<ShuffleLevel> levels;
  for (int step = 1; step < n; step *= 2) {
    ShuffleLevel level{step, {}, {}};
    for (int e = 0; e < n; e++) {
      if (step < lane) {
        // Runs of `step` elements, alternately of either vector, from the low or high half of the
        // 128 bits.
        const int in_lane = e % lane, run = in_lane / step;
        const int at = e - in_lane + run / 2 * step + in_lane % step + (run % 2) * n;
        level.low.push_back(at);
        level.high.push_back(at + lane / 2);
      } else {
        // The even, or the odd, 128-bit lanes of the first vector, then of the second.
        const int at = e / lane * 2 * lane;  // 0, 2, 4 ... of both vectors in a row
        level.low.push_back(at + e % lane);
        level.high.push_back(at + lane + e % lane);
      }
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

// Which column ends up in which vector, by playing the levels with numbers. Empty if they do not
// transpose.
std::vector<int> Order(int n, const std::vector<ShuffleLevel>& levels) {
  const auto size = static_cast<size_t>(n);
  std::vector<std::vector<int>> x(size);  // row * n + column
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[static_cast<size_t>(i)].push_back(i * n + j);
  for (const ShuffleLevel& level : levels) {
    auto y = x;
    for (size_t i = 0; i < size; i++) {
      if (i & static_cast<size_t>(level.step)) continue;
      const auto &a = x[i], &b = x[i + static_cast<size_t>(level.step)];
      auto pick = [&](int m) {
        return static_cast<size_t>(m) < size ? a[static_cast<size_t>(m)]
                                             : b[static_cast<size_t>(m) - size];
      };
      for (size_t e = 0; e < size; e++) {
        y[i][e] = pick(level.low[e]);
        y[i + static_cast<size_t>(level.step)][e] = pick(level.high[e]);
      }
    }
    x = std::move(y);
  }
  std::vector<int> vector_of(size, -1);
  for (size_t i = 0; i < size; i++) {
    const int column = x[i][0];
    for (size_t e = 0; e < size; e++)
      if (x[i][e] != static_cast<int>(e) * n + column || column >= n) return {};
    vector_of[static_cast<size_t>(column)] = static_cast<int>(i);
  }
  return vector_of;
}

}  // namespace

std::vector<Value*> Tiles::TransposeBlock(std::vector<Value*> x, llvm::Type* elem) {
  const auto n = static_cast<int>(x.size());
  const auto bits = static_cast<int>(elem->getScalarSizeInBits());
  const std::vector<ShuffleLevel> levels = LevelsOf(n, bits);
  const std::vector<int> vector_of = Order(n, levels);
  if (vector_of.empty()) {
    Fail(Internal("kernel {}: no transpose of {} x {} elements of {} bits", kernel_.name, n, n,
                  bits));
    return x;
  }
  // Without a fence between levels, combining their shuffles costs LLVM time quadratic in their
  // number. It takes floats.
  llvm::Type* fenced =
      n * bits % 64 == 0 && n >= 4 ? codegen::Widen(b_.getFloatTy(), n * bits / 32) : nullptr;
  for (const ShuffleLevel& level : levels) {
    for (size_t i = 0; i < x.size(); i++) {
      const auto step = static_cast<size_t>(level.step);
      if (i & step) continue;
      Value *a = x[i], *c = x[i + step];
      x[i] = b_.CreateShuffleVector(a, c, level.low);
      x[i + step] = b_.CreateShuffleVector(a, c, level.high);
    }
    if (fenced == nullptr) continue;
    for (Value*& v : x) {
      if (llvm::isa<llvm::Constant>(v)) continue;
      Value* f = b_.CreateBitCast(v, fenced);
      f = b_.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {fenced}, {f});
      v = b_.CreateBitCast(f, v->getType());
    }
  }
  std::vector<Value*> out;
  for (int i : vector_of) out.push_back(x[static_cast<size_t>(i)]);
  return out;
}

void Tiles::EmitTranspose(const Op& op) {
  const kernel::Value source = op.operands[0];
  const kernel::Type &from = type(source), &to = type(op.results[0]);
  llvm::Type* elem = Register(from.elem);
  Parts out;
  if (from.rows == 1 || from.cols == 1) {
    for (int row = 0; row < to.rows; row++) {
      for (int chunk = 0; chunk < Chunks(to); chunk++) {
        std::vector<Lane> lanes;
        for (int i = 0; i < ChunkWidth(to, chunk); i++)
          lanes.push_back(LaneOf(source, chunk * lanes_ + i, row));
        out.push_back(Shuffle(lanes, elem));
      }
    }
    return Bind(op.results[0], std::move(out));
  }
  // Predicates move as bytes.
  llvm::Type* moved = elem->isIntegerTy(1) ? b_.getInt8Ty() : elem;
  const int bytes = static_cast<int>(moved->getScalarSizeInBits()) / 8;
  const auto longest = static_cast<unsigned>(std::max(from.rows, from.cols));
  const int n = std::min({target_.Lanes(bytes), lanes_, static_cast<int>(std::bit_ceil(longest))});
  const int blocks = (from.rows + n - 1) / n;
  // columns[c * blocks + b]: rows b * n ... of column c.
  std::vector<Value*> columns(static_cast<size_t>((from.cols + n - 1) / n * n * blocks));
  for (int top = 0; top < from.rows; top += n) {
    for (int left = 0; left < from.cols; left += n) {
      std::vector<Value*> x;
      for (int i = 0; i < n; i++) {
        std::vector<Lane> lanes;
        for (int j = 0; j < n; j++) {
          const bool inside = top + i < from.rows && left + j < from.cols;
          lanes.push_back(inside ? LaneOf(source, top + i, left + j) : Lane{nullptr, 0});
        }
        Value* v = Shuffle(lanes, elem);
        x.push_back(moved == elem ? v : b_.CreateZExt(v, codegen::Widen(moved, n)));
      }
      x = TransposeBlock(std::move(x), moved);
      for (int j = 0; j < n; j++)
        columns[static_cast<size_t>((left + j) * blocks + top / n)] = x[static_cast<size_t>(j)];
    }
  }
  for (int row = 0; row < to.rows; row++) {
    for (int chunk = 0; chunk < Chunks(to); chunk++) {
      std::vector<Lane> lanes;
      for (int i = 0; i < ChunkWidth(to, chunk); i++) {
        const int at = chunk * lanes_ + i;
        lanes.push_back({columns[static_cast<size_t>(row * blocks + at / n)], at % n});
      }
      Value* v = Shuffle(lanes, moved);
      out.push_back(moved == elem ? v
                                  : b_.CreateTrunc(v, codegen::Widen(elem, ChunkWidth(to, chunk))));
    }
  }
  Bind(op.results[0], std::move(out));
}

}  // namespace sinter::cpu
