#include "codegen/kernel/assign_layouts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/kernel/fragments.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/text.h"

namespace sinter::kernel {
namespace {

int PowerOfTwoIn(int n) { return n & -n; }

// Values that share a layout, all of the same extents.
struct Class {
  int rows = 1, cols = 1;
  int widest = 1;           // bytes of an element, of any value
  int moved = 0;            // bytes of the widest element that is loaded or stored
  bool transposed = false;  // an operand or result of a transpose
  bool halves = false;      // an operand of an interleave, or a result of its inverse
  bool reduces_rows = false;
  bool outer = false;  // products of a column and a row
  Layout fragment;     // of a matrix product that it is an operand of, if any
  int layout = 0;
};

class Assigner {
 public:
  Assigner(Kernel& kernel, const GpuShape& shape)
      : k_(kernel), shape_(shape), class_of_(kernel.types.size()) {
    for (size_t v = 0; v < class_of_.size(); ++v) class_of_[v] = static_cast<Value>(v);
  }

  void Run() {
    Visit(k_.top);
    Summarise(k_.top);
    Choose();
    for (size_t v = 0; v < class_of_.size(); ++v) {
      Type& t = k_.types[v];
      if (!t.is_scalar()) t.layout = ClassOf(static_cast<Value>(v)).layout;
    }
    Rewrite(k_.top);
    Place(k_.top);
  }

 private:
  const Type& type(Value v) const { return k_.type(v); }
  static bool SameExtents(const Type& a, const Type& b) {
    return a.rows == b.rows && a.cols == b.cols;
  }

  // --- classes

  Value Find(Value v) {
    while (class_of_[static_cast<size_t>(v)] != v) {
      Value& up = class_of_[static_cast<size_t>(v)];
      up = class_of_[static_cast<size_t>(up)];
      v = up;
    }
    return v;
  }
  // The earlier value leads, so that classes are numbered as the program stands.
  void Unite(Value a, Value b) {
    if (type(a).is_scalar()) return;
    a = Find(a);
    b = Find(b);
    if (a != b) class_of_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }
  Class& ClassOf(Value v) { return classes_[Find(v)]; }

  // `v` is used in a tile like `tile`: the same one, or broadcast to it.
  void Use(Value v, Value tile) {
    if (SameExtents(type(v), type(tile))) {
      Unite(v, tile);
    } else if (!type(v).is_scalar()) {
      broadcasts_.push_back({v, tile});
    }
  }
  void Visit(const Block& block) {
    for (const Op& op : block.ops) Visit(op);
  }
  void Visit(const Op& op) {
    auto carry = [&](const Values& values, size_t first) {
      for (size_t i = 0; i < op.results.size(); ++i) Unite(values[first + i], op.results[i]);
    };
    switch (op.code) {
      case OpCode::kReduce:
        for (Value v : op.operands) Unite(v, op.operands[0]);
        for (Value v : op.results) {
          if (!type(v).is_scalar()) broadcasts_.push_back({v, op.operands[0]});
        }
        return;  // combiners are scalar
      case OpCode::kTranspose:
      case OpCode::kRelayout:
      case OpCode::kSync:
        return;
      case OpCode::kDot:
        return Unite(op.operands[2], op.results[0]);
      case OpCode::kInterleave:
        Unite(op.operands[0], op.operands[1]);
        halves_.push_back({op.operands[0], op.results[0]});
        return;
      case OpCode::kDeinterleave:
        Unite(op.results[0], op.results[1]);
        halves_.push_back({op.results[0], op.operands[0]});
        return;
      case OpCode::kStore:
        for (Value v : op.operands) Use(v, op.operands[0]);
        return;
      case OpCode::kFor:
        carry(op.operands, 2);
        carry(op.regions[0].args, 1);
        carry(op.regions[0].yield, 0);
        break;
      case OpCode::kWhile:
        carry(op.operands, 0);
        carry(op.regions[0].args, 0);
        carry(op.regions[1].args, 0);
        carry(op.regions[1].yield, 0);
        break;
      case OpCode::kIf:
        for (const Block& region : op.regions) carry(region.yield, 0);
        break;
      default:
        for (Value v : op.operands) Use(v, op.results[0]);
    }
    for (const Block& region : op.regions) Visit(region);
  }

  // --- what classes are used for

  void Summarise(const Block& top) {
    for (size_t v = 0; v < class_of_.size(); ++v) {
      const Type& t = type(static_cast<Value>(v));
      if (t.is_scalar()) continue;
      Class& c = ClassOf(static_cast<Value>(v));
      c.rows = t.rows;
      c.cols = t.cols;
      c.widest = std::max(c.widest, ByteWidth(t.elem));
    }
    for (const auto& [half, whole] : halves_) {
      if (!type(half).is_scalar()) ClassOf(half).halves = true;
    }
    Uses(top);
  }
  void Uses(const Block& block) {
    for (const Op& op : block.ops) {
      for (const Block& region : op.regions) Uses(region);
      auto tile = [&](Value v) -> Class* { return type(v).is_scalar() ? nullptr : &ClassOf(v); };
      auto moves = [&](Value v) {
        if (Class* c = tile(v)) c->moved = std::max(c->moved, ByteWidth(type(v).elem));
      };
      auto turns = [&](Value v) {
        if (Class* c = tile(v)) c->transposed = true;
      };
      switch (op.code) {
        case OpCode::kLoad:
          moves(op.results[0]);
          break;
        case OpCode::kStore:
          moves(op.operands[0]);
          break;
        case OpCode::kTranspose:
          turns(op.operands[0]);
          turns(op.results[0]);
          break;
        case OpCode::kReduce:
          if (Class* c = tile(op.operands[0]); c != nullptr && op.axis == Axis::kRows)
            c->reduces_rows = true;
          break;
        case OpCode::kDot: {
          // What one product adds up may be an operand of another: sums come first.
          const Fragments f = FragmentsOf(op);
          ClassOf(op.results[0]).fragment = f.sum;
          for (size_t i = 0; i < 2; ++i) {
            Layout& own = ClassOf(op.operands[i]).fragment;
            if (own == Layout{}) own = i == 0 ? f.left : f.right;
          }
          break;
        }
        case OpCode::kFma:
        case OpCode::kMul:
          if (IsOuter(op)) ClassOf(op.results[0]).outer = true;
          break;
        default:
          break;
      }
    }
  }
  // The extents have fragments: AssignLayouts has looked.
  Fragments FragmentsOf(const Op& op) const {
    const Type &a = type(op.operands[0]), &sum = type(op.results[0]);
    return *kernel::FragmentsOf(sum.rows, sum.cols, a.cols, a.elem, shape_.warps);
  }
  bool IsOuter(const Op& op) const {
    if (type(op.results[0]).elem == kIndexType.elem) return false;  // addresses
    const Type &a = type(op.operands[0]), &b = type(op.operands[1]);
    auto column = [](const Type& t) { return t.rows > 1 && t.cols == 1; };
    auto row = [](const Type& t) { return t.rows == 1 && t.cols > 1; };
    return (column(a) && row(b)) || (row(a) && column(b));
  }

  // --- layouts

  void Choose() {
    std::map<Value, Value> whole_of;  // a whole to a half
    for (const auto& [half, whole] : halves_) whole_of.try_emplace(Find(whole), half);
    auto thin = [](const Class& c) { return c.rows == 1 || c.cols == 1; };
    for (auto& [leader, c] : classes_) {
      if (!thin(c) && !whole_of.contains(leader)) c.layout = AddLayout(k_, LayoutFor(c));
    }
    // A single row or column follows the tile that it belongs to; chains of them (a row of row
    // sums) follow in as many steps.
    for (bool again = true; again;) {
      again = false;
      for (const auto& [narrow, wide] : broadcasts_) {
        Class &a = ClassOf(narrow), &b = ClassOf(wide);
        if (a.layout != 0 || b.layout == 0 || whole_of.contains(Find(narrow))) continue;
        a.layout = b.layout;
        again = true;
      }
    }
    for (auto& [leader, c] : classes_) {
      if (c.layout == 0 && !whole_of.contains(leader)) c.layout = AddLayout(k_, LayoutFor(c));
    }
    for (const auto& [whole, half] : whole_of) {
      classes_[whole].layout = AddLayout(k_, DoubledOf(half));
    }
  }
  // The layout of what has twice the columns of a value.
  Layout DoubledOf(Value half) {
    Type t = type(half);
    t.layout = t.is_scalar() ? 0 : ClassOf(half).layout;
    return Doubled(LayoutOf(k_, t));
  }

  Layout LayoutFor(const Class& c) const {
    if (!(c.fragment == Layout{})) return c.fragment;
    int vector = std::max(1, shape_.access_bytes / (c.moved > 0 ? c.moved : c.widest));
    if (c.halves) vector = std::max(1, vector / 2);
    if (c.transposed) vector = 1;
    const bool powers = PowerOfTwoIn(c.rows) == c.rows && PowerOfTwoIn(c.cols) == c.cols;
    const int64_t held = int64_t{c.rows} * c.cols / (int64_t{kWarpLanes} * shape_.warps);
    if (c.outer && powers && held >= 4) return Square(c, static_cast<int>(held), vector);
    return Stripes(c, vector);
  }

  // Columns first along the lanes.
  Layout Stripes(const Class& c, int vector) const {
    const int threads = kWarpLanes * shape_.warps;
    const int in_cols = PowerOfTwoIn(c.cols), in_rows = PowerOfTwoIn(c.rows);
    vector = std::min(static_cast<int>(std::bit_floor(static_cast<unsigned>(vector))), in_cols);
    while (vector > 1 && int64_t{c.rows} * c.cols / vector < threads) vector /= 2;
    const int col_lanes = std::min(kWarpLanes, in_cols / vector);
    const int row_lanes = std::min(kWarpLanes / col_lanes, in_rows);
    int row_warps = 1, col_warps = 1;
    auto rows = [&] { row_warps = std::min(shape_.warps / col_warps, in_rows / row_lanes); };
    auto cols = [&] {
      col_warps = std::min(shape_.warps / row_warps, in_cols / (col_lanes * vector));
    };
    if (c.reduces_rows) {
      cols();
      rows();
    } else {
      rows();
      cols();
    }
    return Factors(c, {row_warps, row_lanes, 1}, {col_warps, col_lanes, vector});
  }

  // Each thread holds rows x columns of registers, as square as it goes: the fewest operands a
  // product. Four neighbours are one access.
  Layout Square(const Class& c, int held, int vector) const {
    int reg_cols = 1;
    while (reg_cols * reg_cols < held) reg_cols *= 2;
    reg_cols = std::min(reg_cols, c.cols);
    const int reg_rows = std::min(held / reg_cols, c.rows);
    int col_lanes = std::min(8, c.cols / reg_cols);
    const int row_lanes = std::min(kWarpLanes / col_lanes, c.rows / reg_rows);
    col_lanes = std::min(kWarpLanes / row_lanes, c.cols / reg_cols);
    const int col_warps = std::min(shape_.warps, c.cols / (reg_cols * col_lanes));
    const int row_warps = std::min(shape_.warps / col_warps, c.rows / (reg_rows * row_lanes));
    return Factors(c, {row_warps, row_lanes, std::min(4, reg_rows)},
                   {col_warps, col_lanes, std::min({4, vector, reg_cols})});
  }

  struct Split {
    int warps, lanes, inner;
  };
  static Layout Factors(const Class& c, const Split& r, const Split& s) {
    auto axis = [](int extent, const Split& x, int warp_stride, int lane_stride) {
      return std::vector<Factor>{{HardwareDim::kReg, extent / (x.warps * x.lanes * x.inner), 1},
                                 {HardwareDim::kWarp, x.warps, warp_stride},
                                 {HardwareDim::kLane, x.lanes, lane_stride},
                                 {HardwareDim::kReg, x.inner, 1}};
    };
    return {{axis(c.rows, r, s.warps, s.lanes), axis(c.cols, s, 1, 1)}};
  }

  // --- relayouts

  // The value of `v` in another layout; it is made where `v` is, so that no loop makes it again.
  Value In(Value v, int layout) {
    if (type(v).is_scalar() || type(v).layout == layout) return v;
    auto [it, fresh] = copies_.try_emplace({v, layout}, kNone);
    if (fresh) it->second = NewLike(v, layout);
    return it->second;
  }
  Value NewLike(Value v, int layout) {
    Type t = type(v);
    t.layout = layout;
    k_.types.push_back(t);
    return static_cast<Value>(k_.types.size()) - 1;
  }
  void Rewrite(Block& block) {
    for (Op& op : block.ops) {
      for (Block& region : op.regions) {
        if (op.code != OpCode::kReduce) Rewrite(region);
      }
      Rewrite(op);
    }
  }
  void Rewrite(Op& op) {
    auto result = [&](size_t i, int layout) {
      Value& v = op.results[i];
      if (type(v).is_scalar() || type(v).layout == layout) return;
      const Value made = NewLike(v, layout);
      moved_.push_back({made, v});
      v = made;
    };
    switch (op.code) {
      case OpCode::kReduce:
        for (size_t i = 0; i < op.results.size(); ++i) result(i, type(op.operands[0]).layout);
        return;
      case OpCode::kInterleave:
        if (LayoutOf(k_, type(op.results[0])) != DoubledOf(op.operands[0]))
          result(0, AddLayout(k_, DoubledOf(op.operands[0])));
        return;
      case OpCode::kDeinterleave:
        if (LayoutOf(k_, type(op.operands[0])) != DoubledOf(op.results[0]))
          op.operands[0] = In(op.operands[0], AddLayout(k_, DoubledOf(op.results[0])));
        return;
      case OpCode::kStore:
        for (Value& v : op.operands) v = In(v, type(op.operands[0]).layout);
        return;
      case OpCode::kDot: {
        const Fragments f = FragmentsOf(op);
        const Layout* layouts[] = {&f.left, &f.right, &f.sum};
        for (size_t i = 0; i < 3; ++i)
          op.operands[i] = In(op.operands[i], AddLayout(k_, *layouts[i]));
        return result(0, AddLayout(k_, f.sum));
      }
      case OpCode::kTranspose:
      case OpCode::kFor:
      case OpCode::kWhile:
      case OpCode::kIf:
      case OpCode::kSync:
        return;
      default:
        for (Value& v : op.operands) v = In(v, type(op.results[0]).layout);
    }
  }

  // Puts the values in other layouts behind their definitions. What costs nothing to make is made
  // again instead of moved.
  void Place(Block& block) {
    std::map<Value, std::vector<std::pair<Value, int>>> wanted;
    for (const auto& [key, made] : copies_) wanted[key.first].push_back({made, key.second});
    std::map<Value, Value> moved(moved_.begin(), moved_.end());
    Place(block, wanted, moved);
  }
  using Wanted = std::map<Value, std::vector<std::pair<Value, int>>>;
  void Place(Block& block, const Wanted& wanted, const std::map<Value, Value>& moved) {
    std::vector<Op> ops;
    auto copies = [&](Value v, const Op* from) {
      auto it = wanted.find(v);
      if (it == wanted.end()) return;
      for (const auto& [made, layout] : it->second) {
        const bool again =
            from != nullptr && (from->code == OpCode::kIota || from->code == OpCode::kMask ||
                                from->code == OpCode::kSplat);
        Op op{.code = OpCode::kRelayout, .operands = {v}};
        if (again) op = *from;
        op.results = {made};
        ops.push_back(std::move(op));
      }
    };
    for (Value v : block.args) copies(v, nullptr);
    for (Op& op : block.ops) {
      if (op.code != OpCode::kReduce) {
        for (Block& region : op.regions) Place(region, wanted, moved);
      }
      ops.push_back(std::move(op));
      const Op made = ops.back().regions.empty() ? ops.back() : Op{};
      const Values results = ops.back().results;
      for (Value v : results) {
        if (auto it = moved.find(v); it != moved.end()) {
          ops.push_back({.code = OpCode::kRelayout, .operands = {v}, .results = {it->second}});
          copies(it->second, nullptr);
        } else {
          copies(v, &made);
        }
      }
    }
    block.ops = std::move(ops);
  }

  Kernel& k_;
  const GpuShape& shape_;
  std::vector<Value> class_of_;  // union-find
  std::map<Value, Class> classes_;
  std::vector<std::pair<Value, Value>> broadcasts_;  // a row or column, and the tile it belongs to
  std::vector<std::pair<Value, Value>> halves_;      // a half and its whole
  std::map<std::pair<Value, int>, Value> copies_;    // of a value, in a layout
  std::vector<std::pair<Value, Value>> moved_;       // what an operation gives, and what it is for
};

// The first product whose extents have no fragments, or null.
const Op* WithoutFragments(const Kernel& kernel, const Block& block, int warps) {
  for (const Op& op : block.ops) {
    if (op.code == OpCode::kDot) {
      const Type &a = kernel.type(op.operands[0]), &sum = kernel.type(op.results[0]);
      if (!FragmentsOf(sum.rows, sum.cols, a.cols, a.elem, warps)) return &op;
    }
    for (const Block& region : op.regions) {
      if (const Op* found = WithoutFragments(kernel, region, warps)) return found;
    }
  }
  return nullptr;
}

}  // namespace

absl::Status AssignLayouts(Kernel& kernel, const GpuShape& shape) {
  if (shape.warps < 1 || shape.warps > kMaxWarps ||
      !std::has_single_bit(static_cast<unsigned>(shape.warps)) || shape.access_bytes < 1) {
    return InvalidArgument("a block of {} warps with accesses of {} bytes", shape.warps,
                           shape.access_bytes);
  }
  RETURN_INTERNAL_IF(kernel.warps != 0 || kernel.layouts.size() != 1,
                     "kernel {} has layouts already", kernel.name);
  if (const Op* dot = WithoutFragments(kernel, kernel.top, shape.warps))
    return Internal("kernel {}: {} has no fragments", kernel.name, Print(kernel, *dot));
  kernel.warps = shape.warps;
  Assigner(kernel, shape).Run();
  return absl::OkStatus();
}

}  // namespace sinter::kernel
