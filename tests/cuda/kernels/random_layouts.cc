#include "cuda/kernels/random_layouts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "codegen/kernel/layout.h"

namespace sinter::emulator {
namespace {

using kernel::Block;
using kernel::Factor;
using kernel::HardwareDim;
using kernel::Kernel;
using kernel::Layout;
using kernel::Op;
using kernel::OpCode;
using kernel::Value;

// Values that share a layout.
class Classes {
 public:
  explicit Classes(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t Of(size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void Join(Value a, Value b) { parent_[Of(static_cast<size_t>(a))] = Of(static_cast<size_t>(b)); }

 private:
  std::vector<size_t> parent_;
};

class Assigner {
 public:
  Assigner(Kernel& kernel, int warps, std::mt19937_64& random)
      : kernel_(kernel), warps_(warps), random_(random), classes_(kernel.types.size()) {}

  bool Run() {
    Walk(kernel_.top);
    JoinHalves();
    kernel_.warps = warps_;
    struct Extents {
      int rows = 1, cols = 1;
    };
    std::map<size_t, Extents> extents;
    for (size_t v = 0; v < kernel_.types.size(); v++) {
      Extents& e = extents[classes_.Of(v)];
      e.rows = std::max(e.rows, kernel_.types[v].rows);
      e.cols = std::max(e.cols, kernel_.types[v].cols);
    }
    std::map<size_t, Layout> layouts;
    for (Value v : scattered_) {
      const size_t c = classes_.Of(static_cast<size_t>(v));
      layouts[c] = {
          {{{HardwareDim::kReg, extents[c].rows, 1}}, {{HardwareDim::kReg, extents[c].cols, 1}}}};
      halves_.erase(c);
    }
    for (size_t c = 0; c < kernel_.types.size(); c++) {
      if (classes_.Of(c) == c && !layouts.contains(c) && !halves_.contains(c))
        layouts[c] = RandomLayout(extents[c].rows, extents[c].cols);
    }
    for (auto [whole, half] : halves_) {
      // The half of a whole is no whole itself.
      if (halves_.contains(half)) return false;
      layouts[whole] = kernel::Canonical(kernel::Doubled(layouts[half]));
    }
    for (size_t v = 0; v < kernel_.types.size(); v++) {
      kernel::Type& t = kernel_.types[v];
      if (t.is_scalar()) continue;
      const Extents e = extents[classes_.Of(v)];
      if ((t.rows != 1 && t.rows != e.rows) || (t.cols != 1 && t.cols != e.cols)) return false;
      t.layout = kernel::AddLayout(kernel_, layouts[classes_.Of(v)]);
    }
    return true;
  }

 private:
  bool IsTile(Value v) const { return !kernel_.type(v).is_scalar(); }
  template <class List>
  void JoinTiles(const List& list, Value& first) {
    for (Value v : list) {
      if (!IsTile(v)) continue;
      if (first != kernel::kNone) classes_.Join(v, first);
      first = v;
    }
  }
  // Carries: the k-th of each list is one value.
  void JoinCarries(const kernel::Values& a, size_t skip, const kernel::Values& b) {
    for (size_t i = 0; i < b.size() && i + skip < a.size(); i++) {
      if (IsTile(b[i])) classes_.Join(a[i + skip], b[i]);
    }
  }

  void Walk(const Block& block) {
    for (const Op& op : block.ops) {
      for (const Block& region : op.regions) {
        if (op.code != OpCode::kReduce) Walk(region);
      }
      Value first = kernel::kNone;
      switch (op.code) {
        case OpCode::kInterleave:
          JoinTiles(op.operands, first);
          doubled_.emplace_back(op.operands[0], op.results[0]);
          break;
        case OpCode::kDeinterleave:
          JoinTiles(op.results, first);
          doubled_.emplace_back(op.results[0], op.operands[0]);
          break;
        case OpCode::kStore:
          for (size_t d = 1; d < op.operands.size() - (op.masked ? 1 : 0); d++) {
            if (IsTile(op.operands[d])) scattered_.push_back(op.operands[d]);
          }
          JoinTiles(op.operands, first);
          break;
        case OpCode::kRelayout:
        case OpCode::kTranspose:
        case OpCode::kSync:
          break;
        case OpCode::kFor:
          JoinCarries(op.operands, 2, op.results);
          JoinCarries(op.regions[0].args, 1, op.results);
          JoinCarries(op.regions[0].yield, 0, op.results);
          break;
        case OpCode::kWhile:
          JoinCarries(op.operands, 0, op.results);
          JoinCarries(op.regions[0].args, 0, op.results);
          JoinCarries(op.regions[1].args, 0, op.results);
          JoinCarries(op.regions[1].yield, 0, op.results);
          break;
        case OpCode::kIf:
          for (const Block& region : op.regions) JoinCarries(region.yield, 0, op.results);
          break;
        default:
          JoinTiles(op.operands, first);
          JoinTiles(op.results, first);
      }
    }
  }

  // The halves of one whole have the same layout.
  void JoinHalves() {
    for (bool again = true; again;) {
      again = false;
      halves_.clear();
      for (auto [half, whole] : doubled_) {
        const size_t h = classes_.Of(static_cast<size_t>(half)),
                     w = classes_.Of(static_cast<size_t>(whole));
        auto [known, is_new] = halves_.try_emplace(w, h);
        if (is_new || known->second == h) continue;
        classes_.Join(half, static_cast<Value>(known->second));
        again = true;
      }
    }
  }

  int Draw(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }

  Layout RandomLayout(int rows, int cols) {
    // Bits of lanes and warps that nobody has taken.
    std::vector<std::pair<HardwareDim, int>> bits;
    for (int b = 0; b < 5; b++) bits.emplace_back(HardwareDim::kLane, b);
    for (int b = 0; 1 << b < warps_; b++) bits.emplace_back(HardwareDim::kWarp, b);
    std::shuffle(bits.begin(), bits.end(), random_);
    // Mostly neighbours in order, as plans have it.
    if (Draw(3) != 0) std::sort(bits.begin(), bits.end());
    // Some of them hold copies.
    if (Draw(3) == 0) bits.resize(static_cast<size_t>(Draw(static_cast<int>(bits.size()) + 1)));
    int left[2] = {rows, cols};
    Layout layout;
    while (!bits.empty()) {
      const int axis = Draw(2);
      auto [dim, bit] = bits.back();
      bits.pop_back();
      if (left[axis] % 2 != 0) continue;
      left[axis] /= 2;
      layout.axes[axis].push_back({dim, 2, 1 << bit});
    }
    for (int axis = 0; axis < 2; axis++) {
      auto& factors = layout.axes[axis];
      if (Draw(2) == 0) std::shuffle(factors.begin(), factors.end(), random_);
      // Registers inside, outside, or on both sides.
      int inner = Draw(3) == 0 ? 1 : left[axis];
      for (int width : {4, 8, 2}) {
        if (Draw(2) == 0 && left[axis] % width == 0) inner = width;
      }
      if (left[axis] % inner != 0) inner = left[axis];
      factors.insert(factors.begin(), Factor{HardwareDim::kReg, left[axis] / inner, 1});
      factors.push_back(Factor{HardwareDim::kReg, inner, 1});
    }
    return kernel::Canonical(layout);
  }

  Kernel& kernel_;
  const int warps_;
  std::mt19937_64& random_;
  Classes classes_;
  std::vector<std::pair<Value, Value>> doubled_;  // half, whole
  std::vector<Value> scattered_;                  // index tiles of stores
  std::map<size_t, size_t> halves_;               // class of a whole to that of its halves
};

}  // namespace

bool AssignRandomLayouts(Kernel& kernel, int warps, std::mt19937_64& random) {
  return Assigner(kernel, warps, random).Run();
}

void ForEachOp(Block& block, const std::function<void(Block&, size_t)>& f) {
  for (size_t i = 0; i < block.ops.size(); i++) {
    const OpCode code = block.ops[i].code;
    f(block, i);
    if (i >= block.ops.size() || block.ops[i].code != code) continue;
    for (Block& region : block.ops[i].regions) ForEachOp(region, f);
  }
}

void SyncEverywhere(Kernel& kernel) {
  // By the first buffer of an alias group.
  auto memory = [&](int buffer) {
    const int group = kernel.buffers[static_cast<size_t>(buffer)].alias_group;
    for (int b = 0; group >= 0 && b < buffer; b++) {
      if (kernel.buffers[static_cast<size_t>(b)].alias_group == group)
        return static_cast<size_t>(b);
    }
    return static_cast<size_t>(buffer);
  };
  std::vector<int> loads(kernel.buffers.size()), stores(kernel.buffers.size());
  ForEachOp(kernel.top, [&](Block& block, size_t i) {
    const Op& op = block.ops[i];
    if (op.code == OpCode::kLoad) loads[memory(op.buffer)]++;
    if (op.code == OpCode::kStore) stores[memory(op.buffer)]++;
  });
  auto conflicts = [&](int buffer) {
    const size_t m = memory(buffer);
    return stores[m] > 1 || (stores[m] == 1 && loads[m] > 0);
  };
  std::function<void(Block&)> walk = [&](Block& block) {
    std::vector<Op> ops;
    for (Op& op : block.ops) {
      for (Block& region : op.regions) walk(region);
      if (op.buffer >= 0 && conflicts(op.buffer)) {
        Op sync;
        sync.code = OpCode::kSync;
        ops.push_back(sync);
      }
      ops.push_back(std::move(op));
    }
    block.ops = std::move(ops);
  };
  walk(kernel.top);
}

}  // namespace sinter::emulator
