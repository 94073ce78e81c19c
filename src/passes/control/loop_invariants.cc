#include "passes/control/loop_invariants.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/carries.h"
#include "target/tuning.h"

namespace sinter {
namespace {

using Instructions = std::vector<HloInstruction*>;

constexpr size_t kMostOrigins = 256;  // operations that are looked at for one invariant

// Operations that give the same wherever they are computed, and do nothing else. What is computed
// before a loop is also where the loop takes no turn: nothing that may fail, as functions of the
// host's.
bool MayMove(const HloInstruction& i) {
  if (i.HasSideEffect()) return false;
  switch (Info(i.op()).kind) {
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kContraction:
    case OpKind::kReduction:
      return true;
    default:
      break;
  }
  switch (i.op()) {
    case HloOpcode::Constant:
    case HloOpcode::Iota:
    case HloOpcode::GetTupleElement:
    case HloOpcode::Scatter:
    case HloOpcode::Sort:
    case HloOpcode::TopK:
    case HloOpcode::Fft:
    case HloOpcode::RngBitGenerator:
    case HloOpcode::Cholesky:
    case HloOpcode::TriangularSolve:
      return true;
    default:
      return false;
  }
}

double Elements(const Shape& shape) {
  if (!shape.is_tuple()) return static_cast<double>(shape.element_count());
  double n = 0;
  for (const Shape& element : shape.tuple_shapes())
    n += static_cast<double>(element.element_count());
  return n;
}

double StepsOfHalving(int64_t n) { return std::log2(static_cast<double>(n) + 1); }

// Simple operations, of which some operations take as many for each element as their lines are
// long, or the logarithm of that.
double WorkOf(const HloInstruction& i) {
  switch (i.op()) {
    case HloOpcode::GetTupleElement:
      return 0;
    case HloOpcode::Reduce:
      return static_cast<double>(i.operand(0)->shape().element_count());
    case HloOpcode::Dot:
      return 2 * static_cast<double>(ExtentsOf(i).k) * Elements(i.shape());
    case HloOpcode::ReduceWindow: {
      double places = 1;
      for (const WindowDimension& d : i.attrs<WindowAttrs>().window)
        places *= static_cast<double>(d.size);
      return places * Elements(i.shape());
    }
    case HloOpcode::Sort: {
      const Shape& keys = i.operand(0)->shape();
      return Elements(i.shape()) *
             StepsOfHalving(keys.dimension(i.attrs<SortAttrs>().dimensions[0]));
    }
    case HloOpcode::TopK:
      return static_cast<double>(i.operand(0)->shape().element_count());
    case HloOpcode::Fft: {
      double steps = 0;
      for (int64_t n : i.attrs<FftAttrs>().fft_length) steps += StepsOfHalving(n);
      return 5 * Elements(i.shape()) * steps;  // of complex numbers
    }
    case HloOpcode::Cholesky:
    case HloOpcode::TriangularSolve: {
      const Shape& matrices = i.operand(0)->shape();
      return Elements(i.shape()) * static_cast<double>(matrices.dimension(matrices.rank() - 1));
    }
    default:
      return OpCost(i) * Elements(i.shape());
  }
}

class LoopInvariants {
 public:
  // `loop` carries a tuple through computations of its own.
  LoopInvariants(HloComputation& around, HloInstruction& loop)
      : around_(around), loop_(loop), body_(*loop.called(1)), state_(*body_.parameter(0)) {}

  bool Hoist() {
    FindInvariants();
    const Instructions chosen = Choose(Frontier());
    if (chosen.empty()) return false;
    Move(chosen);
    return true;
  }

 private:
  bool IsInvariant(const HloInstruction* i) const { return invariants_.contains(i); }
  // An element of the state, which is there before the loop as it is in each turn.
  bool IsElement(const HloInstruction* i) const {
    return i->op() == HloOpcode::GetTupleElement && i->operand(0) == &state_;
  }

  void FindInvariants() {
    for (HloInstruction* i : body_.PostOrder()) {
      if (IsElement(i)) {
        if (i->shape().is_array() && IsPassedOn(loop_, IndexOf(i))) invariants_.insert(i);
      } else if (MayMove(*i) && absl::c_all_of(i->operands(), [&](const HloInstruction* o) {
                   return IsInvariant(o);
                 })) {
        invariants_.insert(i);
      }
    }
  }

  // Invariants that the rest of the body uses.
  Instructions Frontier() const {
    Instructions used;
    for (HloInstruction* i : body_.PostOrder()) {
      if (!IsInvariant(i) || IsElement(i)) continue;
      if (absl::c_any_of(i->users(), [&](const HloInstruction* u) { return !IsInvariant(u); }))
        used.push_back(i);
    }
    return used;
  }

  // What an invariant is made of: the work of all operations, and the bytes of the arrays. Of very
  // many operations, some.
  struct Origin {
    double work = 0, bytes = 0;
  };
  Origin OriginOf(const HloInstruction* i) const {
    Origin origin;
    absl::flat_hash_set<const HloInstruction*> seen{i};
    std::vector<const HloInstruction*> todo{i};
    while (!todo.empty() && seen.size() <= kMostOrigins) {
      const HloInstruction* x = todo.back();
      todo.pop_back();
      if (IsElement(x)) {
        origin.bytes += static_cast<double>(x->shape().byte_size());
        continue;
      }
      origin.work += WorkOf(*x);
      for (const HloInstruction* o : x->operands())
        if (seen.insert(o).second) todo.push_back(o);
    }
    return origin;
  }

  // Of these and what they are made of, what is worth it. An operation that only moves elements
  // costs nothing where it is: what it moves may be worth it.
  Instructions Choose(const Instructions& frontier) const {
    Instructions chosen, todo(frontier.rbegin(), frontier.rend());
    absl::flat_hash_set<const HloInstruction*> looked_at;
    while (!todo.empty() && chosen.size() < tuning::kMostHoisted) {
      HloInstruction* i = todo.back();
      todo.pop_back();
      if (IsElement(i) || !i->shape().is_array() || !looked_at.insert(i).second) continue;
      const Origin origin = OriginOf(i);
      if (origin.work < tuning::kLeastHoisted) continue;
      const auto elements = static_cast<double>(i->shape().element_count());
      // One of several results is not to be had without the others.
      const bool moves = WorkOf(*i) == 0 && i->op() != HloOpcode::GetTupleElement;
      const bool grows = static_cast<double>(i->shape().byte_size()) > origin.bytes;
      if (!moves && (!grows || origin.work >= tuning::kWorthCaching * elements)) {
        chosen.push_back(i);
      } else {
        todo.insert(todo.end(), i->operands().rbegin(), i->operands().rend());
      }
    }
    return chosen;
  }

  void Move(const Instructions& chosen) {
    // Operands before users.
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> outside;
    absl::flat_hash_set<const HloInstruction*> needed;
    std::vector<const HloInstruction*> todo(chosen.begin(), chosen.end());
    while (!todo.empty()) {
      const HloInstruction* i = todo.back();
      todo.pop_back();
      if (!needed.insert(i).second || IsElement(i)) continue;
      todo.insert(todo.end(), i->operands().begin(), i->operands().end());
    }
    for (HloInstruction* i : body_.PostOrder()) {
      if (!needed.contains(i)) continue;
      if (IsElement(i)) {
        outside[i] = InitialElement(loop_, IndexOf(i));
        continue;
      }
      Instructions operands;
      for (const HloInstruction* o : i->operands()) operands.push_back(outside.at(o));
      HloInstruction* copy =
          around_.AddWithShape(i->op(), i->shape(), operands, i->attributes(), i->called());
      copy->set_metadata(i->metadata());
      outside[i] = copy;
    }
    Instructions initial;
    for (const HloInstruction* i : chosen) initial.push_back(outside.at(i));
    const Instructions elements = CarryMore(loop_, initial);
    // The loop may go on with one, too.
    for (size_t k = 0; k < chosen.size(); ++k) body_.ReplaceAllUses(chosen[k], elements[k]);
    body_.RemoveDead();
  }

  HloComputation& around_;
  HloInstruction& loop_;
  HloComputation& body_;
  HloInstruction& state_;
  absl::flat_hash_set<const HloInstruction*> invariants_;
};

}  // namespace

std::unique_ptr<Pass> MakeLoopInvariantsPass() {
  return MakePass("loop-invariants", [](HloModule& module) -> absl::StatusOr<bool> {
    const Callers callers = CountCallers(module);
    bool changed = false;
    // Inner loops first: what leaves them may leave the outer ones too.
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder()) {
        if (CarriesElements(*i, callers) && !IsScalarLoop(*i) && !IsElementwiseLoop(*i))
          own |= LoopInvariants(*c, *i).Hoist();
      }
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
