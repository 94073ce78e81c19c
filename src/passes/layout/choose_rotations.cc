#include "passes/layout/choose_rotations.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "pass/carries.h"
#include "passes/layout/short_dimensions.h"
#include "target/tuning.h"

namespace sinter::layout {
namespace {

class Chooser {
 public:
  explicit Chooser(const HloModule& module) : module_(module) {}

  Rotations Run() {
    FindLoops();
    const std::vector<HloComputation*> order = module_.PostOrder();
    Weigh(order);
    bool any = false;
    for (const HloComputation* c : order) {
      if (!weight_.contains(c)) continue;  // of elements, or of nothing that runs
      for (const HloInstruction* i : c->PostOrder()) any |= Gains(*i);
    }
    if (!any) return {};
    for (const HloComputation* c : order) {
      if (!weight_.contains(c)) continue;
      for (const HloInstruction* i : c->PostOrder()) Join(*i);
    }
    Rotations out;
    for (const auto& [i, node] : nodes_) {
      if (Pays(node)) out.of[i] = ShortDimensions(i->shape());
    }
    for (const Loop& loop : loops_) {
      std::vector<int> state;
      bool some = false;
      for (size_t k = 0; k < loop.loop->shape().tuple_shapes().size(); ++k) {
        const int node = ElementNode(loop.loop, k);
        const bool pays = node >= 0 && Pays(node);
        state.push_back(pays ? ShortDimensions(loop.loop->shape().tuple_shapes()[k]) : 0);
        some |= pays;
      }
      if (some) {
        out.states[loop.loop] = std::move(state);
        out.loops.push_back(loop);
      }
    }
    return out;
  }

 private:
  struct Group {
    int parent = 0;
    double gain = 0, cost = 0;
  };

  int NewGroup() {
    groups_.push_back({static_cast<int>(groups_.size())});
    return groups_.back().parent;
  }
  int Find(int g) {
    while (groups_[static_cast<size_t>(g)].parent != g) g = groups_[static_cast<size_t>(g)].parent;
    return g;
  }
  Group& At(int g) { return groups_[static_cast<size_t>(Find(g))]; }
  void Unite(int a, int b) {
    a = Find(a), b = Find(b);
    if (a == b) return;
    Group &x = groups_[static_cast<size_t>(a)], &y = groups_[static_cast<size_t>(b)];
    x.gain += y.gain;
    x.cost += y.cost;
    y.parent = a;
  }
  bool Pays(int g) { return At(g).gain > At(g).cost; }

  // --- loops

  void FindLoops() {
    const Callers callers = CountCallers(module_);
    for (const auto& c : module_.computations()) {
      for (const auto& i : c->instructions()) {
        if (!CarriesElements(*i, callers)) continue;
        HloInstruction *init = i->operand(0), *next = i->called(1)->root();
        if (init->op() != HloOpcode::Tuple || init->users().size() != 1 ||
            init == init->parent()->root() || !IsTakenApart(i.get()))
          continue;
        loops_.push_back({i.get(), init, next});
        tuples_.insert(init);
        tuples_.insert(next);
        state_[i.get()] = state_[i->called(0)->parameter(0)] = state_[i->called(1)->parameter(0)] =
            i.get();
        next_of_[next] = i.get();
        init_of_[init] = i.get();
      }
    }
  }

  // How often each computation runs; of those that are run on whole arrays.
  void Weigh(const std::vector<HloComputation*>& order) {
    for (size_t k = order.size(); k-- > 0;) {
      const HloComputation* c = order[k];
      if (c == module_.entry()) weight_[c] = 1;
      const auto own = weight_.find(c);
      if (own == weight_.end()) continue;
      const double weight = own->second;
      for (const auto& i : c->instructions()) {
        if (i->op() != HloOpcode::While && i->op() != HloOpcode::Conditional) continue;
        for (const HloComputation* called : i->called()) {
          double& w = weight_[called];
          w = std::max(w, i->op() == HloOpcode::While ? weight * tuning::kLoopTurns : weight);
        }
      }
    }
  }

  // --- groups

  // The group of an array that the operation gives rotated, if it can; else -1.
  int NodeOf(const HloInstruction* i) {
    if (ShortDimensions(i->shape()) == 0) return -1;
    if (i->op() == HloOpcode::GetTupleElement) {
      const auto state = state_.find(i->operand(0));
      if (state == state_.end()) return -1;
      const int node =
          ElementNode(state->second, static_cast<size_t>(i->attrs<TupleElementAttrs>().index));
      if (node >= 0) nodes_[i] = node;
      return node;
    }
    if (!GivesRotated(*i)) return -1;
    auto [it, is_new] = nodes_.try_emplace(i, 0);
    if (is_new) it->second = NewGroup();
    return it->second;
  }
  int ElementNode(const HloInstruction* loop, size_t k) {
    if (ShortDimensions(loop->shape().tuple_shapes()[k]) == 0) return -1;
    auto [it, is_new] = elements_.try_emplace({loop, k}, 0);
    if (is_new) it->second = NewGroup();
    return it->second;
  }

  void Join(const HloInstruction& i) {
    const double weight = weight_.at(i.parent());
    const int own = NodeOf(&i);
    if (tuples_.contains(&i)) {
      const auto body = next_of_.find(&i);
      const HloInstruction* loop = body != next_of_.end() ? body->second : init_of_.at(&i);
      for (size_t k = 0; k < i.operands().size(); ++k) {
        const int element = ElementNode(loop, k), value = NodeOf(i.operand(k));
        if (element >= 0 && value >= 0) {
          Unite(element, value);
        } else if (element >= 0) {
          At(element).cost += Transposing(*i.operand(k), weight);
        }
      }
      return;
    }
    for (size_t k = 0; k < i.operands().size(); ++k) {
      const HloInstruction* o = i.operand(k);
      const int from = NodeOf(o);
      const bool takes = TakesRotated(i, k);
      if (from >= 0 && takes && own >= 0) {
        Unite(from, own);
      } else if (from >= 0 && !takes) {
        At(from).cost += Transposing(*o, weight);
      } else if (from < 0 && own >= 0 && ShortDimensions(o->shape()) > 0 &&
                 i.op() != HloOpcode::Dot) {  // a product takes factors of either order
        At(own).cost += Transposing(*o, weight);
      }
    }
    if (own >= 0 && &i == i.parent()->root()) At(own).cost += Transposing(i, weight);
    if (!Gains(i)) return;
    const int group = own >= 0 ? own : i.operands().empty() ? -1 : NodeOf(i.operand(0));
    if (group < 0) return;
    At(group).gain += WalkedElements(i) * weight * tuning::kShortRowElement;
  }

  // Whether it takes less on rotated arrays: outside of loops, rows may stay short.
  bool Gains(const HloInstruction& i) const {
    return WorksOnShortDimensions(i) || (weight_.at(i.parent()) > 1 && WorksAlongShortRows(i));
  }

  // Whether short rows are what the operation has vectors for, of which they fill a half at most:
  // of results of a product, of a row that all others are joined with, of sums of all rows.
  static bool WorksAlongShortRows(const HloInstruction& i) {
    constexpr int64_t kHalfVector = 8;
    auto is_short_row = [](const Shape& s, int64_t d) {
      return ShortDimensions(s) == 1 && d + 1 == s.rank() && s.dimension(d) <= kHalfVector;
    };
    switch (i.op()) {
      case HloOpcode::Dot:
        return is_short_row(i.shape(), i.shape().rank() - 1);
      case HloOpcode::Broadcast:
        return absl::c_any_of(i.dimensions(),
                              [&](int64_t d) { return is_short_row(i.shape(), d); });
      case HloOpcode::Reduce: {
        const Shape& from = i.operand(0)->shape();
        return is_short_row(from, from.rank() - 1) &&
               !absl::c_linear_search(i.dimensions(), from.rank() - 1);
      }
      default:
        return false;
    }
  }

  // Elements that a kernel walks along: whole rows of those that it takes or writes some of.
  static double WalkedElements(const HloInstruction& i) {
    const auto own = static_cast<double>(i.shape().element_count());
    if (i.operands().empty() || !i.operand(0)->shape().is_array()) return own;
    const Shape& from = i.operand(0)->shape();
    if (i.op() != HloOpcode::DynamicSlice && i.op() != HloOpcode::DynamicUpdateSlice)
      return std::max(own, static_cast<double>(from.element_count()));
    const Shape& part = i.op() == HloOpcode::DynamicSlice ? i.shape() : i.operand(1)->shape();
    auto elements = static_cast<double>(part.element_count());
    for (int64_t d = from.rank() - ShortDimensions(from); d < from.rank(); ++d)
      if (part.dimension(d) > 0)
        elements *= static_cast<double>(from.dimension(d)) / static_cast<double>(part.dimension(d));
    return elements;
  }

  static double Transposing(const HloInstruction& i, double weight) {
    // What is one value everywhere, or a few to begin with, is the same rotated.
    if (i.op() == HloOpcode::Broadcast && i.operand(0)->shape().rank() == 0) return 0;
    const Shape& s = i.shape();
    const int k = ShortDimensions(s);
    int64_t together = 1;
    for (int64_t d = s.rank() - k; d < s.rank(); ++d) together *= s.dimension(d);
    if (together == 1) return 0;
    return static_cast<double>(s.element_count()) * weight * tuning::kTransposedElement;
  }

  const HloModule& module_;
  std::vector<Loop> loops_;
  absl::flat_hash_set<const HloInstruction*> tuples_;  // of states
  // By what gives a state: the loop; by the tuples around it.
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> state_, next_of_, init_of_;
  absl::flat_hash_map<const HloComputation*, double> weight_;
  std::vector<Group> groups_;
  absl::flat_hash_map<const HloInstruction*, int> nodes_;
  absl::flat_hash_map<std::pair<const HloInstruction*, size_t>, int> elements_;
};

}  // namespace

Rotations ChooseRotations(const HloModule& module) { return Chooser(module).Run(); }

bool TakesRotatedFactor(const HloInstruction& dot, size_t operand, const Shape& s) {
  const auto& a = dot.attrs<DotAttrs>();
  const Dims& contracting = operand == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  return ShortDimensions(s) == 1 && a.lhs_batch_dims.empty() && contracting.size() == 1 &&
         (contracting[0] == s.rank() - 1 || s.rank() == 2);
}

bool TakesRotated(const HloInstruction& i, size_t operand) {
  const HloInstruction& o = *i.operand(operand);
  const int k = ShortDimensions(o.shape());
  if (k == 0) return false;
  switch (i.op()) {
    case HloOpcode::Broadcast:
    case HloOpcode::Transpose:
      return true;
    case HloOpcode::Reshape:
      return ReshapesApart(o.shape(), k, i.shape(), ShortDimensions(i.shape()));
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
      return true;
    case HloOpcode::Concatenate:
    case HloOpcode::Pad:
      return ShortDimensions(i.shape()) == k;
    case HloOpcode::DynamicSlice:
      return operand == 0;
    case HloOpcode::DynamicUpdateSlice:
      return operand == 0 || (operand == 1 && ShortDimensions(i.shape()) == k);
    case HloOpcode::Reduce:
      return operand == 0 && i.operands().size() == 2;
    case HloOpcode::Dot:
      return TakesRotatedFactor(i, operand, o.shape());
    default:
      return IsElementwise(i.op());
  }
}

bool GivesRotated(const HloInstruction& i) {
  const int k = ShortDimensions(i.shape());
  if (k == 0) return false;
  auto same = [&](size_t o) { return ShortDimensions(i.operand(o)->shape()) == k; };
  switch (i.op()) {
    case HloOpcode::Broadcast:
    case HloOpcode::Transpose:
    case HloOpcode::Iota:
      return true;
    case HloOpcode::Reshape:
      return ReshapesApart(i.operand(0)->shape(), ShortDimensions(i.operand(0)->shape()), i.shape(),
                           k);
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
    case HloOpcode::Pad:
    case HloOpcode::DynamicSlice:
    case HloOpcode::DynamicUpdateSlice:
      return same(0);
    case HloOpcode::Concatenate: {
      // A few rows among many are soon transposed.
      auto few = [&](size_t o) {
        const Shape& part = i.operand(o)->shape();
        if (ShortDimensions(part) != 0) return false;
        for (int64_t d = part.rank() - k; d < part.rank(); ++d)
          if (part.dimension(d) != i.shape().dimension(d)) return false;
        return true;
      };
      for (size_t o = 0; o < i.operands().size(); ++o)
        if (!same(o) && !few(o)) return false;
      return true;
    }
    case HloOpcode::Reduce: {
      if (i.operands().size() != 2) return false;
      const Shape& from = i.operand(0)->shape();
      const int all = ShortDimensions(from);
      const auto reduced =
          absl::c_count_if(i.dimensions(), [&](int64_t d) { return d >= from.rank() - all; });
      return all - static_cast<int>(reduced) == k;
    }
    // The factors change places.
    case HloOpcode::Dot:
      return k == 1 && TakesRotatedFactor(i, 0, i.operand(0)->shape()) &&
             i.operand(1)->shape().rank() == 2 &&
             i.attrs<DotAttrs>().lhs_contracting_dims[0] == i.operand(0)->shape().rank() - 1;
    default:
      return IsElementwise(i.op());
  }
}

}  // namespace sinter::layout
