#include "passes/fusion/fusion.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/own_window.h"
#include "ir/analysis/product_chain.h"
#include "ir/analysis/scalar_computation.h"
#include "passes/fusion/groups.h"
#include "passes/fusion/kinds.h"
#include "passes/fusion/loops.h"
#include "passes/fusion/parts.h"
#include "passes/fusion/region_graph.h"
#include "target/tuning.h"

namespace sinter {
namespace fusion {
namespace {

class Fuser {
 public:
  Fuser(HloComputation& computation, const FusionOptions& options, FusionLog* log)
      : computation_(computation), options_(options), log_(log) {}

  bool Run() {
    std::vector<HloInstruction*> order = computation_.PostOrder();
    for (size_t k = 0; k < order.size(); ++k) {
      position_[order[k]] = 2 * k;
      if (order[k]->op() != HloOpcode::DynamicUpdateSlice) continue;
      const auto before = updated_.find(order[k]->operand(0));
      updated_[order[k]] = before == updated_.end() ? order[k]->operand(0) : before->second;
    }
    several_act_ = absl::c_count_if(order, [](auto* i) { return i->HasSideEffect(); }) > 1;
    for (size_t k = order.size(); k-- > 0;) {
      Place(order[k]);
      graph_.Placed(order[k]);
    }
    std::erase(groups_, nullptr);
    for (size_t k = groups_.size(); k-- > 0;) Build(*groups_[k]);
    computation_.ReplaceAllUses(replaced_);
    if (!groups_.empty()) computation_.RemoveDead();
    return !groups_.empty();
  }

 private:
  Group* NewGroup(std::vector<HloInstruction*> outputs) {
    return NewGroup(outputs, outputs[0]->shape().dimensions());
  }
  // A region over these dimensions, at which all outputs are computed.
  Group* NewGroup(std::vector<HloInstruction*> outputs, std::vector<int64_t> dims) {
    groups_.push_back(std::make_unique<Group>());
    Group* g = groups_.back().get();
    g->id = static_cast<int>(groups_.size());
    g->outputs = std::move(outputs);
    g->dims = std::move(dims);
    Access identity;
    for (size_t d = 0; d < g->dims.size(); ++d) identity.push_back({{static_cast<int>(d), 1}});
    for (HloInstruction* o : g->outputs) Insert(g, o, {identity});
    graph_.Raise(g);
    return g;
  }
  void Insert(Group* g, HloInstruction* i, Accesses accesses) {
    if (i->op() == HloOpcode::Dot && options_.target.chains_products() && g->loops.empty() &&
        g->bases.empty() && !g->scatters()) {
      if (auto chain = ProductChainOf(*i)) g->chain = std::move(chain->members);
    }
    if (IsLoop(*i)) {
      g->loops.push_back(i);
      g->loop_axes.clear();
      for (const AxisSet& d : accesses[0]) {
        for (const auto& [axis, c] : d) g->loop_axes.insert(axis);
      }
    }
    g->elements_loop |= i->op() == HloOpcode::While && !g->dims.empty();
    g->cost += OpCost(*i);
    g->repeats.emplace(i, Repeats(*i, *g));
    if (const double n = LookUps(*i, *g); n > 0) g->look_ups.emplace(i, n);
    Places places = PlacesIn(*i, *g);
    if (absl::c_linear_search(g->outputs, i)) places.emplace(0, 1);
    if (const double again = ComputedAgain(*i, places, *g, OpCost(*i)); again > 0)
      g->computed_again.insert_or_assign(i, again);
    g->places.insert_or_assign(i, std::move(places));
    if (g->accesses.emplace(i, std::move(accesses)).second) {
      g->members.push_back(i);
      g->depth[i] = DepthIn(*i, *g);
    }
    g->reads.erase(i);
    for (const HloInstruction* o : i->operands())
      if (!g->contains(o) && o->op() != HloOpcode::Constant) g->reads.insert(o);
    graph_.Add(i, g);
  }

  void Place(HloInstruction* i) {
    MergeReadersOf(i);
    if (i->op() == HloOpcode::GetTupleElement && GivesTuple(*i->operand(0)) &&
        (i->operand(0)->op() != HloOpcode::While || IsComputing(*i->operand(0))))
      return;
    if (i->op() == HloOpcode::Constant && i->shape().is_scalar()) {
      for (Group* g : graph_.ConsumersOf(i).groups) TryJoin(g, i);
      return;
    }
    if (i->op() == HloOpcode::Tuple) {  // the state of a loop that runs inside a kernel
      for (const HloInstruction* u : i->users()) {
        if (u->op() != HloOpcode::While || !IsComputing(*u) || i->users().size() != 1 ||
            i == computation_.root())
          return;
      }
      if (!i->users().empty() && graph_.contains(i->users()[0])) {
        Group* g = graph_.GroupsOf(i->users()[0])[0];
        Insert(g, i, Accesses(g->accesses[i->users()[0]]));
      }
      return;
    }
    if (i->op() == HloOpcode::Scatter) {
      PlaceScatter(i);
      return;
    }
    if (!IsComputing(*i)) return;
    if (IsView(*i)) {
      // What a region writes over is read in it, each element before it is written: in memory of
      // its own it would be an array that lives on.
      for (Group* g : graph_.ConsumersOf(i).groups)
        if (absl::c_linear_search(g->bases, i->operand(0))) TryJoin(g, i);
      return;
    }
    if (GivesTuple(*i)) {
      PlaceTuple(i);
      return;
    }
    Consumers consumers = graph_.ConsumersOf(i);
    if (consumers.groups.size() == 1 && !consumers.outside && TryJoin(consumers.groups[0], i))
      return;
    if (!consumers.groups.empty() && IsLittleCode(*i, consumers.groups) &&
        (IsCheap(*i) || PaysToRepeat(*i, consumers))) {
      bool all = !consumers.outside;
      for (Group* g : consumers.groups) {
        const bool joins = TryJoin(g, i);
        if (joins && OpCost(*i) > 0) ++g->repeated;
        all &= joins;
      }
      if (all) return;
      if (i->op() == HloOpcode::Reshape) {
        graph_.AddView(i);
        return;
      }
      // Regions that have a copy use it; the others read the value from memory.
      NewGroup({i});
      return;
    }
    if (i->op() == HloOpcode::Reshape) return;  // a view
    if (WritesWindow(*i)) {
      for (Group* g : consumers.groups) Refuse(i, g, {FusionReason::kWindow});
      Group* g = NewGroup({i}, i->operand(1)->shape().dimensions());
      g->bases.push_back(i->operand(0));
      // An update that is computed from other elements of the array is complete before it is
      // written; that is one region, which ends there.
      g->closed = ReadsOfOwnArray(*i, IsComputing) == OwnReads::kOther;
      return;
    }
    for (Group* g : consumers.groups) {
      if (!TryOutput(g, i)) continue;
      for (Group* other : consumers.groups)
        if (other != g) Refuse(i, other, {FusionReason::kElsewhere});
      return;
    }
    NewGroup({i});
  }

  // A dynamic-update-slice over a value in memory: only its window is computed.
  bool WritesWindow(const HloInstruction& i) const {
    if (i.op() != HloOpcode::DynamicUpdateSlice || i.operand(1)->shape().element_count() == 0)
      return false;
    const HloInstruction& array = *updated_.at(&i);
    return !IsComputing(array) || IsView(array) || ChangesFewInPlace(i);
  }

  // Whether each of several regions had better compute the value than read it from memory.
  bool PaysToRepeat(const HloInstruction& i, const Consumers& consumers) {
    double behind = 0;
    for (const HloInstruction* user : i.users())
      if (const auto known = repeated_.find(user); known != repeated_.end())
        behind = std::max(behind, known->second);
    if (consumers.outside || !IsWorthRepeating(i, consumers.groups, behind, options_.target))
      return false;
    repeated_[&i] = behind + OpCost(i);
    return true;
  }

  // Notes why `i`, which `g` reads, is not in it. The first reason stays: what is tried next is
  // only for want of it.
  void Refuse(const HloInstruction* i, const Group* g, const FusionDecision& decision) {
    if (log_ != nullptr) refusals_.try_emplace({i, g}, decision);
  }

  bool TryJoin(Group* g, HloInstruction* i) {
    Accesses accesses = AccessesIn(*i, *g);
    if (ReadsWhatIsOverwritten(*i, accesses, *g) || ReadsTooLate(*i, g)) {
      Refuse(i, g, {FusionReason::kOverwritten});
      return false;
    }
    if (const FusionDecision d = CanJoin(*i, accesses, *g, options_); !d.joins()) {
      Refuse(i, g, d);
      return false;
    }
    Insert(g, i, std::move(accesses));
    return true;
  }

  // Whether the region may have written what the instruction reads. A window's own elements it
  // reads each before it writes it.
  static bool ReadsWhatIsOverwritten(const HloInstruction& i, const Accesses& accesses,
                                     const Group& g) {
    for (const HloInstruction* base : g.bases) {
      if (base == &i) return true;
      if (!absl::c_linear_search(i.operands(), base)) continue;
      const bool is_window = !g.scatters() && IsOwnWindow(i, *g.outputs[0]) &&
                             accesses.size() == 1 && IsInPlace(accesses[0], g.dims) &&
                             PlacesIn(i, g) == PlacesIn(*g.outputs[0]->operand(1), g);
      if (!is_window) return true;
    }
    return false;
  }

  // Whether the instruction takes a few elements of an array that another region changes in place,
  // and the group may have to wait for that: it needs what that gives, or changes an array itself,
  // of which the other may read. Then the array would be copied to keep those elements.
  bool ReadsTooLate(const HloInstruction& i, const Group* g) {
    if (!TakesFewOf(i)) return false;
    for (const HloInstruction* u : i.operand(0)->users()) {
      if ((u->op() != HloOpcode::DynamicUpdateSlice && u->op() != HloOpcode::Scatter) ||
          u->operand(0) != i.operand(0) || g->accesses.contains(u))
        continue;
      if (!g->bases.empty() || g->scatters() || graph_.Needs(g, u)) return true;
    }
    return false;
  }

  // One more output of a region that computes it anyway, at the same coordinates.
  bool TryOutput(Group* g, HloInstruction* i) {
    Accesses accesses;
    FusionDecision decision = CanBeOutput(*i, *g, accesses);
    if (decision.joins()) {
      Insert(g, i, std::move(accesses));
      g->outputs.push_back(i);
      graph_.Raise(g);
      return true;
    }
    decision.also_elsewhere = true;
    Refuse(i, g, decision);
    return false;
  }
  FusionDecision CanBeOutput(const HloInstruction& i, Group& g, Accesses& accesses) {
    if (i.shape().dimensions() != g.dims) return {FusionReason::kOtherDimensions};
    if (g.outputs.size() >= tuning::kMostOutputs) return {FusionReason::kManyOutputs};
    if (!g.bases.empty()) return {FusionReason::kWindow};
    if (i.op() == HloOpcode::Dot) return {FusionReason::kProductAxes};
    accesses = AccessesIn(i, g);
    if (accesses.size() != 1 || !IsIdentity(accesses[0], g.dims.size()))
      return {FusionReason::kOtherElement};
    if (const FusionDecision d = CanJoin(i, accesses, g, options_); !d.joins()) return d;
    if (const auto d = CanComputeOutputAgain(i, PlacesIn(i, g), g, options_.target); !d.joins())
      return d;
    for (const HloInstruction* l : g.loops) {
      if (l->op() == HloOpcode::Dot) return {FusionReason::kProductAxes};
    }
    return {graph_.ReachesThroughOthers(&i, &g) ? FusionReason::kCycle : FusionReason::kJoins};
  }

  // Regions that read the same value and run over it alike become one, before it is placed.
  void MergeReadersOf(const HloInstruction* i) {
    constexpr size_t kMost = 16;
    if (!i->shape().is_array() || i->shape().is_scalar()) return;
    // A send that waited for a receive that it does not need might wait for its own answer.
    if (several_act_) return;
    std::vector<Group*> readers = graph_.ConsumersOf(i).groups;
    if (readers.size() > kMost) return;
    for (size_t a = 0; a < readers.size(); ++a) {
      for (size_t b = readers.size(); b-- > a + 1;) {
        if (!AreSiblings(*readers[a], *readers[b], *i, options_) ||
            graph_.DependsOn(readers[a], readers[b]) || graph_.DependsOn(readers[b], readers[a]))
          continue;
        Absorb(readers[a], readers[b]);
        readers.erase(readers.begin() + static_cast<ptrdiff_t>(b));
      }
    }
  }
  void Absorb(Group* g, Group* other) {
    Merge(*g, *other);
    graph_.Absorb(g, other);
    std::vector<std::pair<const HloInstruction*, FusionDecision>> moved;
    absl::erase_if(refusals_, [&](const auto& refusal) {
      if (refusal.first.second != other) return false;
      moved.emplace_back(refusal.first.first, refusal.second);
      return true;
    });
    for (auto& [i, decision] : moved) Refuse(i, g, decision);
    groups_[static_cast<size_t>(other->id) - 1] = nullptr;
  }

  // Reductions of several results and loops over scalars: one region with an output for each result
  // that is read, unless all consumers are one region that can take it.
  void PlaceTuple(HloInstruction* i) {
    std::vector<HloInstruction*> elements = i->users();
    std::sort(elements.begin(), elements.end(), [](HloInstruction* a, HloInstruction* b) {
      return a->attrs<TupleElementAttrs>().index < b->attrs<TupleElementAttrs>().index;
    });
    if (i == computation_.root() || elements.empty()) return;
    if (i->op() == HloOpcode::Reduce) {
      Consumers all;
      for (HloInstruction* e : elements) {
        Consumers r = graph_.ConsumersOf(e);
        all.outside |= r.outside;
        for (Group* g : r.groups) {
          if (std::find(all.groups.begin(), all.groups.end(), g) == all.groups.end())
            all.groups.push_back(g);
        }
      }
      if (!all.outside && all.groups.size() == 1) {
        Group* g = all.groups[0];
        Accesses accesses;
        for (HloInstruction* e : elements) {
          for (Access& r : AccessesIn(*e, *g)) {
            if (std::find(accesses.begin(), accesses.end(), r) == accesses.end())
              accesses.push_back(std::move(r));
          }
        }
        const FusionDecision decision = CanJoin(*i, accesses, *g, options_);
        if (decision.joins()) {
          for (HloInstruction* e : elements) Insert(g, e, accesses);
          Insert(g, i, std::move(accesses));
          return;
        }
        for (const HloInstruction* e : elements) Refuse(e, g, decision);
      }
    }
    for (const HloInstruction* e : elements) {
      for (const Group* g : graph_.ConsumersOf(e).groups) Refuse(e, g, {FusionReason::kTuple});
    }
    Group* g = NewGroup(elements);
    Accesses accesses = g->accesses[elements[0]];
    Insert(g, i, std::move(accesses));
  }

  // A region over the updates, with an output for each result, even for those that nothing reads:
  // the computation may need all.
  void PlaceScatter(HloInstruction* i) {
    if (!IsScalarComputation(*i->called(0))) return;
    if (i == computation_.root() && i->shape().is_tuple()) return;
    const size_t n = i->operands().size() / 2;
    std::vector<HloInstruction*> outputs{i};
    if (i->shape().is_tuple()) {
      outputs.assign(n, nullptr);
      const std::vector<HloInstruction*> users = i->users();
      for (HloInstruction* u : users) {
        if (u->op() != HloOpcode::GetTupleElement) return;
        HloInstruction*& first = outputs[static_cast<size_t>(u->attrs<TupleElementAttrs>().index)];
        if (first) {
          computation_.ReplaceAllUses(u, first);
        } else {
          first = u;
        }
      }
      for (size_t k = 0; k < n; ++k) {
        if (outputs[k]) continue;
        outputs[k] =
            computation_.AddWithShape(HloOpcode::GetTupleElement, i->shape().tuple_shapes()[k], {i},
                                      TupleElementAttrs{static_cast<int64_t>(k)});
        position_[outputs[k]] = position_[i] + 1;
      }
    }
    for (const HloInstruction* o : outputs) {
      for (const Group* g : graph_.ConsumersOf(o).groups) Refuse(o, g, {FusionReason::kWindow});
    }
    Group* g = NewGroup(outputs, i->operand(n + 1)->shape().dimensions());
    if (i->shape().is_tuple()) {
      Accesses accesses = g->accesses[outputs[0]];
      Insert(g, i, std::move(accesses));
    }
    for (size_t k = 0; k < n; ++k) g->bases.push_back(i->operand(k));
  }

  // --- construction

  void Build(const Group& g) {
    std::vector<HloInstruction*> members = g.members;
    std::sort(members.begin(), members.end(),
              [&](HloInstruction* a, HloInstruction* b) { return position_[a] < position_[b]; });
    HloComputation* body = computation_.module()->AddComputation("fused_computation");
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copy;
    std::vector<HloInstruction*> arguments;
    std::vector<FusionDecision> decisions;  // by argument
    // A value that has a region of its own and a copy in this one is read from the copy.
    auto get = [&](HloInstruction* o) {
      HloInstruction*& c = copy[o];
      if (!c) {
        c = body->AddParameter(static_cast<int64_t>(arguments.size()), o->shape());
        arguments.push_back(Current(o));
        if (log_ != nullptr) decisions.push_back(DecisionOn(o, g));
      }
      return c;
    };
    for (HloInstruction* m : members) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* o : m->operands()) operands.push_back(get(o));
      HloInstruction* c =
          body->AddWithShape(m->op(), m->shape(), operands, m->attributes(), m->called());
      c->set_metadata(m->metadata());
      copy[m] = c;
    }
    std::vector<HloInstruction*> roots;
    std::vector<Shape> shapes;
    for (HloInstruction* o : g.outputs) {
      roots.push_back(copy[o]);
      shapes.push_back(o->shape());
    }
    const bool several = roots.size() > 1;
    if (several) {
      body->set_root(body->AddWithShape(HloOpcode::Tuple, Shape::Tuple(shapes), roots));
    } else {
      body->set_root(roots[0]);
    }
    FusionAttrs attrs;
    attrs.label = g.scatters()                                  ? "scatter"
                  : g.loops.empty()                             ? "loop"
                  : g.loops[0]->op() == HloOpcode::Dot          ? "dot"
                  : g.loops[0]->op() == HloOpcode::ReduceWindow ? "scan"
                                                                : "reduce";
    HloInstruction* fusion = computation_.AddWithShape(
        HloOpcode::Fusion, several ? Shape::Tuple(shapes) : shapes[0], arguments, attrs, {body});
    fusion->set_metadata(g.outputs[0]->metadata());
    for (size_t k = 0; k < decisions.size(); ++k) log_->decisions[{fusion, k}] = decisions[k];
    for (size_t k = 0; k < g.outputs.size(); ++k) {
      HloInstruction* result = fusion;
      if (several) {
        result = computation_.AddWithShape(HloOpcode::GetTupleElement, shapes[k], {fusion},
                                           TupleElementAttrs{static_cast<int64_t>(k)});
      }
      replaced_[g.outputs[k]] = result;
    }
  }
  // Why `g` reads `o`.
  FusionDecision DecisionOn(const HloInstruction* o, const Group& g) const {
    auto refusal = refusals_.find({o, &g});
    if (refusal != refusals_.end()) return refusal->second;
    return {FusionReason::kView};
  }
  HloInstruction* Current(HloInstruction* i) {
    auto it = replaced_.find(i);
    return it == replaced_.end() ? i : it->second;
  }

  HloComputation& computation_;
  const FusionOptions& options_;
  FusionLog* const log_;
  bool several_act_ = false;  // more than one instruction has a side effect
  absl::flat_hash_map<std::pair<const HloInstruction*, const Group*>, FusionDecision> refusals_;
  absl::flat_hash_map<const HloInstruction*, size_t> position_;
  // What each dynamic-update-slice, through others, begins with: chains of them may be long.
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> updated_;
  std::vector<std::unique_ptr<Group>> groups_;  // null: part of another
  RegionGraph graph_;
  // Of values that several regions compute, what of them and behind them is repeated, in OpCost.
  absl::flat_hash_map<const HloInstruction*, double> repeated_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> replaced_;
};

}  // namespace
}  // namespace fusion

namespace {

// Control flow whose computations are steps of the program; those of all else run inside kernels.
bool RunsAsSteps(const HloInstruction& i) {
  if (i.op() == HloOpcode::Conditional) return true;
  return i.op() == HloOpcode::While && !IsScalarLoop(i) && !IsElementwiseLoop(i);
}

absl::flat_hash_set<const HloComputation*> RunInsideKernels(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> inside;
  for (const HloComputation* c : module.PostOrder()) {
    for (const auto& i : c->instructions()) {
      if (!RunsAsSteps(*i)) inside.insert(i->called().begin(), i->called().end());
    }
  }
  return inside;
}

HloComputation* CopyOf(const HloComputation& computation) {
  HloComputation* copy = computation.module()->AddComputation(computation.name());
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* p : computation.parameters()) {
    const auto number = static_cast<int64_t>(parameters.size());
    parameters.push_back(copy->AddParameter(number, p->shape()));
  }
  copy->set_root(copy->Inline(computation, parameters));
  return copy;
}

}  // namespace

std::unique_ptr<Pass> MakeFusionPass(const FusionOptions& options, FusionLog* log) {
  return MakePass("fusion", [options, log](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    // Fusions are made in computations that run as steps: the entry, and what control flow over
    // arrays calls. Where kernels run one of these too, the steps get a copy.
    const absl::flat_hash_set<const HloComputation*> inside = RunInsideKernels(module);
    absl::flat_hash_map<const HloComputation*, HloComputation*> copies;
    std::vector<HloComputation*> run{module.entry()};
    for (size_t k = 0; k < run.size(); ++k) {
      for (const auto& i : run[k]->instructions()) {
        if (!RunsAsSteps(*i)) continue;
        for (size_t n = 0; n < i->called().size(); ++n) {
          if (inside.contains(i->called(n))) {
            HloComputation*& copy = copies[i->called(n)];
            if (copy == nullptr) copy = CopyOf(*i->called(n));
            i->set_called(n, copy);
          }
          HloComputation* c = i->called(n);
          if (std::find(run.begin(), run.end(), c) == run.end()) run.push_back(c);
        }
      }
    }
    for (HloComputation* c : run) changed |= fusion::Fuser(*c, options, log).Run();
    return changed;
  });
}

}  // namespace sinter
