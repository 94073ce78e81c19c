// Moves of elements between lanes.
#include <algorithm>

#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using codegen::WidthOf;
using kernel::Op;
using llvm::Value;

Value* Tiles::Resize(Value* v, int width) {
  const int own = WidthOf(v->getType());
  if (own == width) return v;
  if (own == 1) {
    auto* poison = llvm::PoisonValue::get(codegen::Widen(v->getType(), width));
    return b_.CreateInsertElement(poison, v, uint64_t{0});
  }
  if (width == 1) return b_.CreateExtractElement(v, uint64_t{0});
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < width; i++) mask.push_back(i < own ? i : -1);
  return b_.CreateShuffleVector(v, mask);
}

Tiles::Lane Tiles::LaneOf(kernel::Value v, int row, int col) {
  const kernel::Type& own = type(v);
  const int chunk = own.cols == 1 ? 0 : col / lanes_;
  const int at = (own.rows == 1 ? 0 : row) * Chunks(own) + chunk;
  return {parts(v)[static_cast<size_t>(at)], own.cols == 1 ? 0 : col - chunk * lanes_};
}

// A vector of the given lanes by shuffles of two sources each.
Value* Tiles::Shuffle(const std::vector<Lane>& lanes, llvm::Type* elem) {
  const auto width = static_cast<int>(lanes.size());
  std::vector<Value*> sources;
  int widest = 1;
  for (const Lane& lane : lanes) {
    if (lane.from == nullptr) continue;
    if (std::find(sources.begin(), sources.end(), lane.from) == sources.end())
      sources.push_back(lane.from);
    widest = std::max(widest, WidthOf(lane.from->getType()));
  }
  if (sources.empty()) return llvm::PoisonValue::get(codegen::Widen(elem, width));
  if (width == 1) {
    if (!lanes[0].from->getType()->isVectorTy()) return lanes[0].from;
    return b_.CreateExtractElement(lanes[0].from, static_cast<uint64_t>(lanes[0].index));
  }
  if (widest == 1) {  // of scalars
    if (sources.size() == 1) return Splat(sources[0], width);
    Value* out = llvm::PoisonValue::get(codegen::Widen(elem, width));
    for (int i = 0; i < width; i++) {
      Value* from = lanes[static_cast<size_t>(i)].from;
      if (from != nullptr) out = b_.CreateInsertElement(out, from, static_cast<uint64_t>(i));
    }
    return out;
  }
  struct Partial {
    Value* value;
    std::vector<bool> has;
  };
  std::vector<Partial> partial;
  for (size_t s = 0; s < sources.size(); s += 2) {
    Value* pair[2] = {sources[s], s + 1 < sources.size() ? sources[s + 1] : nullptr};
    llvm::SmallVector<int, 64> mask;
    Partial p{nullptr, {}};
    bool identity = width == WidthOf(pair[0]->getType());
    for (int i = 0; i < width; i++) {
      const Lane& lane = lanes[static_cast<size_t>(i)];
      const bool first = lane.from != nullptr && lane.from == pair[0];
      const bool second = lane.from != nullptr && lane.from == pair[1];
      mask.push_back(first ? lane.index : second ? widest + lane.index : -1);
      p.has.push_back(first || second);
      identity &= !second && (!first || lane.index == i);
    }
    if (identity) {
      p.value = pair[0];
    } else {
      Value* a = Resize(pair[0], widest);
      p.value = pair[1] != nullptr ? b_.CreateShuffleVector(a, Resize(pair[1], widest), mask)
                                   : b_.CreateShuffleVector(a, mask);
    }
    partial.push_back(std::move(p));
  }
  while (partial.size() > 1) {
    std::vector<Partial> next;
    for (size_t s = 0; s < partial.size(); s += 2) {
      if (s + 1 == partial.size()) {
        next.push_back(std::move(partial[s]));
        break;
      }
      Partial &a = partial[s], &c = partial[s + 1];
      llvm::SmallVector<int, 64> mask;
      for (int i = 0; i < width; i++) {
        const auto lane = static_cast<size_t>(i);
        mask.push_back(a.has[lane] ? i : c.has[lane] ? width + i : -1);
        a.has[lane] = a.has[lane] || c.has[lane];
      }
      next.push_back({b_.CreateShuffleVector(a.value, c.value, mask), std::move(a.has)});
    }
    partial = std::move(next);
  }
  return partial[0].value;
}

void Tiles::EmitInterleave(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  Parts out;
  for (int row = 0; row < t.rows; row++) {
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      std::vector<Lane> lanes;
      for (int i = 0; i < ChunkWidth(t, chunk); i++) {
        const int col = chunk * lanes_ + i;
        lanes.push_back(LaneOf(op.operands[static_cast<size_t>(col % 2)], row, col / 2));
      }
      out.push_back(Shuffle(lanes, Register(t.elem)));
    }
  }
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitDeinterleave(const Op& op) {
  for (size_t which = 0; which < 2; which++) {
    const kernel::Type& t = type(op.results[which]);
    Parts out;
    for (int row = 0; row < t.rows; row++) {
      for (int chunk = 0; chunk < Chunks(t); chunk++) {
        std::vector<Lane> lanes;
        for (int i = 0; i < ChunkWidth(t, chunk); i++) {
          const int col = chunk * lanes_ + i;
          lanes.push_back(LaneOf(op.operands[0], row, 2 * col + static_cast<int>(which)));
        }
        out.push_back(Shuffle(lanes, Register(t.elem)));
      }
    }
    Bind(op.results[which], std::move(out));
  }
}

// Chunks of words are the same bits as the chunks of their elements side by side.
void Tiles::EmitPack(const Op& op) {
  const kernel::Type &t = type(op.results[0]), &from = type(op.operands[0]);
  const int elements = from.cols / t.cols;
  Parts out;
  for (int row = 0; row < t.rows; row++) {
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      std::vector<Lane> lanes;
      for (int i = 0; i < ChunkWidth(t, chunk) * elements; i++)
        lanes.push_back(LaneOf(op.operands[0], row, chunk * lanes_ * elements + i));
      out.push_back(b_.CreateBitCast(Shuffle(lanes, Register(from.elem)),
                                     Register(t.elem, ChunkWidth(t, chunk))));
    }
  }
  Bind(op.results[0], std::move(out));
}

}  // namespace sinter::cpu
