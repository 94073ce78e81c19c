#include "codegen/kernel/hoist_invariants.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sinter::kernel {
namespace {

// A value that is kept is loaded again in each turn, if there are not enough registers: it must
// have cost so many instructions for each of its vectors (guess: recomputing what takes less is
// hidden behind a turn's own work).
constexpr double kLeastCost = 8;
// A division or square root beside an addition: guess.
constexpr double kDivision = 8;

class Hoister {
 public:
  explicit Hoister(const Kernel& kernel)
      : out_(kernel),
        constants_(kernel.types.size()),
        state_(kernel.types.size()),
        cost_(kernel.types.size()) {
    for (const Op& op : out_.top.ops) {
      if (op.code == OpCode::kConst && kernel.type(op.results[0]) == kIndexType)
        constants_[static_cast<size_t>(op.results[0])] = op.int_value;
    }
    std::set<int> groups;
    for (const Buffer& b : out_.buffers)
      if (b.written && b.alias_group >= 0) groups.insert(b.alias_group);
    for (const Buffer& b : out_.buffers)
      changes_.push_back(b.written || groups.contains(b.alias_group));
  }

  Kernel Run() {
    // What is moved out of a stage stands before all of them.
    std::vector<Op> values, stages;
    for (Op& op : out_.top.ops) {
      if (op.regions.empty()) {
        values.push_back(std::move(op));
        continue;
      }
      std::vector<Op> moved = Visit(op);
      std::move(moved.begin(), moved.end(), std::back_inserter(values));
      stages.push_back(std::move(op));
    }
    std::move(stages.begin(), stages.end(), std::back_inserter(values));
    out_.top.ops = std::move(values);
    return std::move(out_);
  }

 private:
  // Of a value, while the loop is looked at whose body defines it.
  enum class State : uint8_t { kOutside, kVaries, kInvariant, kMoves };
  State& state(Value v) { return state_[static_cast<size_t>(v)]; }
  double& cost(Value v) { return cost_[static_cast<size_t>(v)]; }

  // Moves out of the operation's regions what it can, and returns what is to stand before it.
  std::vector<Op> Visit(Op& op) {
    for (Block& region : op.regions) {
      std::vector<Op> ops;
      for (Op& inner : region.ops) {
        std::vector<Op> moved = inner.regions.empty() ? std::vector<Op>{} : Visit(inner);
        std::move(moved.begin(), moved.end(), std::back_inserter(ops));
        ops.push_back(std::move(inner));
      }
      region.ops = std::move(ops);
    }
    if (op.code == OpCode::kFor) return TakeInvariants(op.regions[0], Runs(op));
    if (op.code == OpCode::kWhile) return TakeInvariants(op.regions[1], false);
    return {};
  }

  // Whether the loop is known to make a turn. A stage without tasks is not run.
  bool Runs(const Op& loop) const {
    if (loop.loop == LoopKind::kPar) return true;
    const auto lo = Constant(loop.operands[0]), hi = Constant(loop.operands[1]);
    return lo && hi && *lo < *hi;
  }
  std::optional<int64_t> Constant(Value v) const { return constants_[static_cast<size_t>(v)]; }

  std::vector<Op> TakeInvariants(Block& body, bool runs) {
    for (Value v : body.args) state(v) = State::kVaries;
    std::map<Value, const Op*> definition_of;
    for (const Op& op : body.ops) {
      const bool invariant = IsPure(op, runs) && UsesOnlyInvariants(op);
      double sum = invariant ? CostOf(op) : 0;
      if (invariant) {
        for (Value v : op.operands)
          if (state(v) == State::kInvariant) sum += cost(v);
      }
      for (Value v : op.results) {
        state(v) = invariant ? State::kInvariant : State::kVaries;
        cost(v) = std::min(sum, 1e9);
        definition_of[v] = &op;
      }
    }
    // Those that the rest of the body reads stay in registers, or are loaded again in each turn.
    std::vector<Value> moving;
    auto keep = [&](Value v) {
      if (state(v) != State::kInvariant) return;
      if (cost(v) < kLeastCost * Vectors(out_.type(v))) return;
      state(v) = State::kMoves;
      moving.push_back(v);
    };
    for (const Op& op : body.ops) {
      if (!op.results.empty() && state(op.results[0]) == State::kInvariant) continue;
      ForEachUse(op, keep);
    }
    for (Value v : body.yield) keep(v);
    while (!moving.empty()) {
      const Op& op = *definition_of.at(moving.back());
      moving.pop_back();
      for (Value v : op.results) state(v) = State::kMoves;
      ForEachUse(op, [&](Value v) {
        if (state(v) != State::kInvariant) return;
        state(v) = State::kMoves;
        moving.push_back(v);
      });
    }
    std::vector<Op> moved, rest;
    for (Op& op : body.ops) {
      const bool moves = !op.results.empty() && state(op.results[0]) == State::kMoves;
      (moves ? moved : rest).push_back(std::move(op));
    }
    body.ops = std::move(rest);
    // To the loops around this one, its values are as those of any other body.
    for (Value v : body.args) state(v) = State::kOutside;
    for (const std::vector<Op>* ops : {&moved, &body.ops})
      for (const Op& op : *ops)
        for (Value v : op.results) state(v) = State::kOutside;
    return moved;
  }

  // Whether it does nothing but give values, which may be done where the body need not come to be.
  bool IsPure(const Op& op, bool runs) const {
    if (op.results.empty()) return false;
    switch (op.code) {
      case OpCode::kConst:
      case OpCode::kIota:
      case OpCode::kSplat:
      case OpCode::kMask:
      case OpCode::kReduce:
      case OpCode::kTranspose:
        return true;
      case OpCode::kLoad:
        return !changes_[static_cast<size_t>(op.buffer)] && IsInBounds(op, runs);
      case OpCode::kFor:
        return op.loop != LoopKind::kPar &&
               std::all_of(op.regions[0].ops.begin(), op.regions[0].ops.end(),
                           [&](const Op& inner) { return IsPure(inner, runs && Runs(op)); });
      default:
        return IsPointwise(op.code);
    }
  }
  bool IsInBounds(const Op& op, bool runs) const {
    return runs || std::all_of(op.operands.begin(), op.operands.end(),
                               [&](Value v) { return Constant(v).has_value(); });
  }

  template <class F>
  static void ForEachUse(const Op& op, const F& f) {
    for (Value v : op.operands) f(v);
    for (const Block& region : op.regions) {
      for (const Op& inner : region.ops) ForEachUse(inner, f);
      for (Value v : region.yield) f(v);
    }
  }
  bool UsesOnlyInvariants(const Op& op) {
    bool only = true;
    ForEachUse(op, [&](Value v) { only &= state(v) != State::kVaries; });
    return only;
  }

  double Vectors(const Type& t) const {
    return static_cast<double>(t.rows) * ((t.cols + out_.lanes - 1) / out_.lanes);
  }
  // In instructions, about.
  double CostOf(const Op& op) const {
    const Type& t = out_.type(op.results[0]);
    double each = 1;
    switch (op.code) {
      case OpCode::kConst:
        return 0;
      case OpCode::kDiv:
      case OpCode::kRem:
      case OpCode::kSqrt:
        each = kDivision;
        break;
      case OpCode::kFor: {
        const auto lo = Constant(op.operands[0]), hi = Constant(op.operands[1]);
        const double turns =
            lo && hi ? static_cast<double>((*hi - *lo + op.int_value - 1) / op.int_value) : 1;
        double body = 1;
        for (const Op& inner : op.regions[0].ops) body += CostOf(inner);
        return std::max(turns, 0.0) * body;
      }
      case OpCode::kReduce:
      case OpCode::kTranspose:
        return Vectors(out_.type(op.operands[0])) + 2;
      default:
        break;
    }
    return each * Vectors(t);
  }

  Kernel out_;
  std::vector<std::optional<int64_t>> constants_;  // of each value
  std::vector<bool> changes_;  // by buffer: it is written, or one that may overlap it
  std::vector<State> state_;   // of each value
  std::vector<double> cost_;   // of what is invariant, with all it is made of
};

}  // namespace

Kernel HoistInvariants(const Kernel& kernel) { return Hoister(kernel).Run(); }

}  // namespace sinter::kernel
