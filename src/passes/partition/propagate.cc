#include "passes/partition/propagate.h"

#include <algorithm>
#include <set>

#include "base/status.h"

namespace sinter::partition {
namespace {

bool IsPrefix(const Axes& prefix, const Axes& of) {
  return prefix.size() <= of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

// What waits until elementwise operations and data movement agree.
bool IsLate(HloOpcode op) {
  switch (op) {
    case HloOpcode::Reduce:
    case HloOpcode::Dot:
    case HloOpcode::Convolution:
    case HloOpcode::Gather:
    case HloOpcode::Scatter:
    case HloOpcode::Sort:
    case HloOpcode::TopK:
    case HloOpcode::ReduceWindow:
    case HloOpcode::SelectAndScatter:
    case HloOpcode::Slice:
    case HloOpcode::Pad:
    case HloOpcode::Concatenate:
    case HloOpcode::CustomCall:
      return true;
    default:
      return false;
  }
}

struct Leaf {
  ValueSharding* sharding;
  const Shape* shape;
  AxisSet manual;
};

class Propagator {
 public:
  Propagator(absl::Span<HloComputation* const> computations, const Statements& statements,
             Mesh mesh, const PropagationOptions& options)
      : computations_(computations),
        statements_(statements),
        options_(options),
        out_{std::move(mesh), {}, {}, {}, {}} {}

  absl::StatusOr<Shardings> Run() {
    for (HloComputation* c : computations_) orders_.push_back(c->PostOrder());
    MarkManual();
    for (const auto& order : orders_) {
      for (const HloInstruction* i : order) {
        std::vector<ValueSharding>& leaves = out_.values[i];
        for (const Shape& leaf : LeavesOf(i->shape())) {
          leaves.push_back(Open(leaf));
          shapes_[i].push_back(leaf);
        }
        if (HasRule(*i)) rules_.emplace(i, RuleOf(*i));
      }
    }
    RETURN_IF_ERROR(MakeBorders());
    std::set<int64_t> priorities{0};
    for (const auto& [i, leaves] : statements_.values) {
      for (const auto& leaf : leaves) {
        if (leaf) priorities.insert(leaf->priorities.begin(), leaf->priorities.end());
      }
    }
    for (int64_t p : priorities) {
      State(p);
      for (bool late : {false, true}) {
        for (bool changed = true; changed;) {
          changed = false;
          for (size_t c = 0; c < orders_.size(); ++c) {
            for (HloInstruction* i : orders_[c]) changed |= Visit(*i, late);
            if (c == 0) changed |= VisitResults();
          }
          for (size_t c = orders_.size(); c-- > 0;) {
            if (c == 0) changed |= VisitResults();
            for (size_t k = orders_[c].size(); k-- > 0;) changed |= Visit(*orders_[c][k], late);
          }
          changed |= VisitGroups();
        }
      }
    }
    MakeEntryEven();
    for (const ValueSharding& s : out_.results) RETURN_IF_ERROR(CheckForeign(s));
    for (const HloInstruction* p : computations_[0]->parameters()) {
      for (const ValueSharding& s : out_.values.at(p)) RETURN_IF_ERROR(CheckForeign(s));
    }
    return std::move(out_);
  }

 private:
  ValueSharding Open(const Shape& shape) const {
    ValueSharding s;
    s.dims.resize(static_cast<size_t>(shape.rank()));
    s.closed.assign(s.dims.size(), !shape.is_static());
    return s;
  }

  static bool HasRule(const HloInstruction& i) {
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Tuple:
      case HloOpcode::GetTupleElement:
      case HloOpcode::While:
      case HloOpcode::Conditional:
      case HloOpcode::Call:
      case HloOpcode::OptimizationBarrier:
        return false;
      case HloOpcode::CustomCall:
        return !RuleOf(i).factors.empty();
      default:
        return true;
    }
  }

  // Callers come before those they call, so one round knows all.
  void MarkManual() {
    for (size_t c = 0; c < computations_.size(); ++c) {
      for (const HloInstruction* i : orders_[c]) {
        AxisSet set = out_.ManualOf(i);
        for (const HloInstruction* x : i->operands()) set |= out_.ManualOf(x);
        auto border = statements_.borders.find(i);
        if (border != statements_.borders.end()) {
          const AxisSet axes = ManualAxesOf(out_.mesh, border->second);
          set = border->second.into_manual ? set | axes : set & ~axes;
        }
        if (set == 0) continue;
        out_.manual[i] = set;
        if (i->op() != HloOpcode::While && i->op() != HloOpcode::Conditional &&
            i->op() != HloOpcode::Call)
          continue;
        for (const HloComputation* called : i->called()) {
          for (const HloInstruction* p : called->parameters()) out_.manual[p] |= set;
        }
      }
    }
  }

  absl::Status MakeBorders() {
    for (const auto& [i, border] : statements_.borders) {
      const Shape& whole = border.into_manual ? i->operand(0)->shape() : i->shape();
      auto dims = out_.mesh.Express(border.sharding, static_cast<size_t>(whole.rank()));
      if (!dims)
        return Unimplemented(
            "'{}': sharding {}, of a manual part, over other devices than those "
            "of the program's mesh",
            i->name(), ToText(border.sharding));
      RETURN_IF_ERROR(ManualPrefixes(out_.mesh, *i, *dims).status());
      ValueSharding s = Open(whole);
      s.dims = *std::move(dims);
      s.partial = PartialOf(out_.mesh, border.sharding);
      for (size_t d = 0; d < s.closed.size(); ++d) s.closed[d] = !border.sharding.IsOpen(d);
      if (!border.into_manual) out_.values[i] = {s};
      out_.borders[i] = std::move(s);
    }
    return absl::OkStatus();
  }

  static bool Allowed(const std::vector<bool>& allowed, size_t leaf) {
    if (allowed.size() == 1) return allowed[0];
    return leaf < allowed.size() && allowed[leaf];
  }

  // What its callers see must be said; elsewhere other shardings do.
  static absl::Status CheckForeign(const ValueSharding& s) {
    if (s.foreign == nullptr) return absl::OkStatus();
    const auto& groups = s.foreign->subgroups;
    if (std::find(groups.begin(), groups.end(), Sharding::Subgroup::kUnreduced) == groups.end())
      return absl::OkStatus();
    return Unimplemented(
        "sharding {}: values that are not reduced yet, over other devices than those of the "
        "program's mesh",
        ToText(*s.foreign));
  }

  // Dimensions of that priority get what is stated.
  void Apply(const Sharding& stated, const Shape& shape, int64_t priority, bool fixed,
             AxisSet manual, ValueSharding& s) {
    const auto axes = out_.mesh.Express(stated, static_cast<size_t>(shape.rank()));
    if (!axes) {
      if (!fixed) return;
      s.foreign = &stated;
      std::fill(s.closed.begin(), s.closed.end(), true);
      return;
    }
    s.partial = PartialOf(out_.mesh, stated);
    s.partial.axes &= ~manual;
    if (s.partial.axes == 0) s.partial = {};
    for (size_t d = 0; d < axes->size(); ++d) {
      if (stated.Priority(d) != priority) continue;
      Axes mine;
      for (int64_t a : (*axes)[d]) {
        if ((manual >> a & 1) == 0) mine.push_back(a);
      }
      const AxisSet others = SetOf(s.dims) & ~SetOf(s.dims[d]);
      if ((SetOf(mine) & others) != 0) continue;
      if (fixed || IsPrefix(s.dims[d], mine)) s.dims[d] = std::move(mine);
      s.closed[d] = fixed || !stated.IsOpen(d);
    }
  }

  void State(int64_t priority) {
    for (size_t c = 0; c < orders_.size(); ++c) {
      size_t leaf = 0;
      for (const HloInstruction* i : orders_[c]) {
        if (statements_.borders.count(i) != 0) continue;
        std::vector<ValueSharding>& values = out_.values[i];
        const bool is_parameter = c == 0 && i->op() == HloOpcode::Parameter;
        auto stated = statements_.values.find(i);
        for (size_t k = 0; k < values.size(); ++k) {
          if (stated != statements_.values.end() && stated->second[k]) {
            Apply(*stated->second[k], shapes_[i][k], priority, is_parameter, out_.ManualOf(i),
                  values[k]);
          } else if (is_parameter) {
            leaf = FirstLeafOfParameter(*i) + k;
            if (!Allowed(options_.to_parameters, leaf))
              std::fill(values[k].closed.begin(), values[k].closed.end(), true);
          }
        }
      }
    }
    const HloInstruction* root = computations_[0]->root();
    const std::vector<Shape>& shapes = shapes_[root];
    for (size_t k = 0; k < shapes.size(); ++k) {
      if (out_.results.size() == k) out_.results.push_back(Open(shapes[k]));
      ValueSharding& s = out_.results[k];
      if (statements_.results[k]) {
        Apply(*statements_.results[k], shapes[k], priority, true, 0, s);
        for (size_t d = 0; d < s.closed.size(); ++d) {
          if (s.foreign == nullptr && statements_.results[k]->IsOpen(d)) s.closed[d] = false;
        }
      } else if (!Allowed(options_.to_results, k)) {
        std::fill(s.closed.begin(), s.closed.end(), true);
      }
    }
  }

  // Callers know arrays by their parts, which are alike: where it is for us to choose, a dimension
  // of the entry's arguments and results is cut by the axes that divide it, not filled up.
  void MakeEntryEven() {
    auto make_even = [&](ValueSharding& s, const Shape& shape,
                         const std::optional<Sharding>& stated) {
      for (size_t d = 0; d < s.dims.size(); ++d) {
        if (stated && !stated->IsOpen(d)) continue;
        while (shape.dimensions()[d] % out_.mesh.Parts(s.dims[d]) != 0) s.dims[d].pop_back();
      }
    };
    for (const HloInstruction* p : computations_[0]->parameters()) {
      std::vector<ValueSharding>& values = out_.values.at(p);
      const auto stated = statements_.values.find(p);
      for (size_t k = 0; k < values.size(); ++k) {
        make_even(values[k], shapes_[p][k],
                  stated == statements_.values.end() ? std::nullopt : stated->second[k]);
      }
    }
    const std::vector<Shape>& shapes = shapes_[computations_[0]->root()];
    for (size_t k = 0; k < out_.results.size(); ++k) {
      make_even(out_.results[k], shapes[k],
                statements_.results_are_of_value ? std::nullopt : statements_.results[k]);
    }
  }

  size_t FirstLeafOfParameter(const HloInstruction& p) const {
    size_t leaf = 0;
    for (const HloInstruction* other : computations_[0]->parameters()) {
      if (other == &p) break;
      leaf += LeafCount(other->shape());
    }
    return leaf;
  }

  // Cuts the dimension further, where it may be.
  bool Extend(const Leaf& leaf, size_t d, const Axes& axes) {
    ValueSharding& s = *leaf.sharding;
    if (s.closed[d] || axes.size() <= s.dims[d].size() || !IsPrefix(s.dims[d], axes)) return false;
    AxisSet taken = SetOf(s.dims) | leaf.manual | s.partial.axes;
    Axes mine = s.dims[d];
    for (size_t k = mine.size(); k < axes.size(); ++k) {
      if ((taken >> axes[k] & 1) != 0) break;
      taken |= AxisSet{1} << axes[k];
      mine.push_back(axes[k]);
    }
    if (mine.size() == s.dims[d].size()) return false;
    s.dims[d] = std::move(mine);
    return true;
  }

  bool Unify(std::vector<Leaf> leaves) {
    bool changed = false;
    for (size_t d = 0; d < leaves[0].sharding->dims.size(); ++d) {
      Axes longest;
      for (const Leaf& leaf : leaves) {
        const Axes& axes = leaf.sharding->dims[d];
        if (axes.size() > longest.size() && IsPrefix(longest, axes)) longest = axes;
      }
      for (const Leaf& leaf : leaves) changed |= Extend(leaf, d, longest);
    }
    return changed;
  }

  Leaf LeafOf(const HloInstruction* i, size_t k) {
    return {&out_.values.at(i)[k], &shapes_.at(i)[k], out_.ManualOf(i)};
  }

  // Leaf k of each, from where theirs begin.
  bool UnifyAll(const std::vector<std::pair<const HloInstruction*, size_t>>& values, size_t count) {
    bool changed = false;
    for (size_t k = 0; k < count; ++k) {
      std::vector<Leaf> leaves;
      for (const auto& [i, first] : values) leaves.push_back(LeafOf(i, first + k));
      changed |= Unify(std::move(leaves));
    }
    return changed;
  }

  bool VisitResults() {
    const HloInstruction* root = computations_[0]->root();
    bool changed = false;
    for (size_t k = 0; k < out_.results.size(); ++k) {
      Leaf result{&out_.results[k], &shapes_.at(root)[k], 0};
      changed |= Unify({LeafOf(root, k), result});
    }
    return changed;
  }

  bool VisitGroups() {
    bool changed = false;
    for (const auto& [id, members] : statements_.groups) {
      std::vector<std::pair<const HloInstruction*, size_t>> values;
      for (const HloInstruction* i : members) {
        if (out_.values.count(i) != 0 && i->shape().rank() == members[0]->shape().rank())
          values.emplace_back(i, 0);
      }
      if (values.size() > 1) changed |= UnifyAll(values, 1);
    }
    return changed;
  }

  bool Visit(HloInstruction& i, bool late) {
    switch (i.op()) {
      case HloOpcode::Parameter:
        return false;
      case HloOpcode::Tuple: {
        bool changed = false;
        for (size_t k = 0; k < i.operands().size(); ++k) {
          changed |=
              UnifyAll({{i.operand(k), 0}, {&i, FirstLeaf(i.shape(), static_cast<int64_t>(k))}},
                       LeafCount(i.operand(k)->shape()));
        }
        return changed;
      }
      case HloOpcode::GetTupleElement:
        return UnifyAll(
            {{i.operand(0), FirstLeaf(i.operand(0)->shape(), i.attrs<TupleElementAttrs>().index)},
             {&i, 0}},
            LeafCount(i.shape()));
      case HloOpcode::OptimizationBarrier:
        return UnifyAll({{i.operand(0), 0}, {&i, 0}}, LeafCount(i.shape()));
      case HloOpcode::While:
        return UnifyAll({{i.operand(0), 0},
                         {&i, 0},
                         {i.called(0)->parameter(0), 0},
                         {i.called(1)->parameter(0), 0},
                         {i.called(1)->root(), 0}},
                        LeafCount(i.shape()));
      case HloOpcode::Conditional: {
        bool changed = false;
        for (size_t b = 0; b < i.called().size(); ++b) {
          changed |= UnifyAll({{i.operand(b + 1), 0}, {i.called(b)->parameter(0), 0}},
                              LeafCount(i.operand(b + 1)->shape()));
          changed |= UnifyAll({{&i, 0}, {i.called(b)->root(), 0}}, LeafCount(i.shape()));
        }
        return changed;
      }
      case HloOpcode::Call: {
        bool changed = UnifyAll({{&i, 0}, {i.called(0)->root(), 0}}, LeafCount(i.shape()));
        for (size_t k = 0; k < i.operands().size(); ++k) {
          changed |= UnifyAll({{i.operand(k), 0}, {i.called(0)->parameter(k), 0}},
                              LeafCount(i.operand(k)->shape()));
        }
        return changed;
      }
      default:
        break;
    }
    if (statements_.borders.count(&i) != 0) return VisitBorder(i);
    auto rule = rules_.find(&i);
    if (rule == rules_.end() || (IsLate(i.op()) && !late)) return false;
    return VisitRule(i, rule->second);
  }

  // The whole array is cut by the manual part's axes first.
  bool VisitBorder(HloInstruction& i) {
    const bool into = statements_.borders.at(&i).into_manual;
    ValueSharding& whole = into ? out_.borders.at(&i) : out_.values.at(&i)[0];
    const HloInstruction* outside = into ? i.operand(0) : &i;
    const HloInstruction* inside = into ? &i : i.operand(0);
    const Leaf whole_leaf{&whole, &outside->shape(), out_.ManualOf(outside)};
    bool changed = false;
    if (into) changed |= Unify({LeafOf(outside, 0), whole_leaf});
    const auto prefixes = ManualPrefixes(out_.mesh, i, whole.dims);
    if (!prefixes.ok()) return changed;
    const Leaf part = LeafOf(inside, 0);
    for (size_t d = 0; d < whole.dims.size(); ++d) {
      const auto prefix = whole.dims[d].begin() + static_cast<int64_t>((*prefixes)[d]);
      changed |= Extend(part, d, Axes(prefix, whole.dims[d].end()));
      Axes further(whole.dims[d].begin(), prefix);
      further.insert(further.end(), part.sharding->dims[d].begin(), part.sharding->dims[d].end());
      changed |= Extend(whole_leaf, d, further);
    }
    return changed;
  }

  bool VisitRule(HloInstruction& i, const Rule& rule) {
    std::pair<bool, bool> spreads{true, true};
    auto barrier = statements_.barriers.find(&i);
    if (barrier != statements_.barriers.end()) spreads = barrier->second;
    std::vector<Axes> of_factors(rule.factors.size());
    auto read = [&](const HloInstruction* x, size_t k, const std::vector<Dims>& along) {
      const ValueSharding& s = out_.values.at(x)[k];
      for (size_t d = 0; d < along.size(); ++d) {
        if (along[d].empty() || s.dims[d].empty()) continue;
        std::vector<Axes> mine(rule.factors.size());
        rule.AddAxes(out_.mesh, along[d], s.dims[d], mine);
        for (int64_t f : along[d]) {
          Axes& known = of_factors[static_cast<size_t>(f)];
          Axes& more = mine[static_cast<size_t>(f)];
          if (rule.factors[static_cast<size_t>(f)].kind != FactorKind::kLookup &&
              more.size() > known.size() && IsPrefix(known, more))
            known = std::move(more);
        }
      }
    };
    if (spreads.second) {
      for (size_t k = 0; k < rule.results.size(); ++k) read(&i, k, rule.results[k]);
    }
    if (spreads.first) {
      for (size_t k = 0; k < rule.operands.size(); ++k) read(i.operand(k), 0, rule.operands[k]);
    }
    bool changed = false;
    auto write = [&](const HloInstruction* x, size_t k, const std::vector<Dims>& along) {
      const Leaf leaf = LeafOf(x, k);
      for (size_t d = 0; d < along.size(); ++d) {
        if (along[d].empty()) continue;
        Axes axes = rule.AxesAlong(out_.mesh, along[d], of_factors);
        const int64_t size = leaf.shape->dimension(static_cast<int64_t>(d));
        const bool shifts =
            rule.factors[static_cast<size_t>(along[d][0])].kind == FactorKind::kShift;
        while (shifts && !axes.empty() && size % out_.mesh.Parts(axes) != 0) axes.pop_back();
        changed |= Extend(leaf, d, axes);
      }
    };
    if (spreads.first) {
      for (size_t k = 0; k < rule.results.size(); ++k) write(&i, k, rule.results[k]);
    }
    if (spreads.second) {
      for (size_t k = 0; k < rule.operands.size(); ++k) write(i.operand(k), 0, rule.operands[k]);
    }
    return changed;
  }

  absl::Span<HloComputation* const> computations_;
  const Statements& statements_;
  const PropagationOptions& options_;
  Shardings out_;
  std::vector<std::vector<HloInstruction*>> orders_;
  absl::flat_hash_map<const HloInstruction*, std::vector<Shape>> shapes_;
  absl::flat_hash_map<const HloInstruction*, Rule> rules_;
};

}  // namespace

absl::StatusOr<Shardings> Propagate(absl::Span<HloComputation* const> computations,
                                    const Statements& statements, Mesh mesh,
                                    const PropagationOptions& options) {
  return Propagator(computations, statements, std::move(mesh), options).Run();
}

Partial PartialOf(const Mesh& mesh, const Sharding& stated) {
  Partial partial{mesh.UnreducedAxes(stated)};
  if (partial.axes == 0) return partial;
  if (stated.reduction == Sharding::Reduction::kMax) partial.op = HloOpcode::Maximum;
  if (stated.reduction == Sharding::Reduction::kMin) partial.op = HloOpcode::Minimum;
  return partial;
}

AxisSet ManualAxesOf(const Mesh& mesh, const Border& border) {
  if (border.manual_all) return mesh.all();
  const auto& groups = border.manual.subgroups;
  if (std::find(groups.begin(), groups.end(), Sharding::Subgroup::kManual) != groups.end())
    return mesh.ManualAxes(border.manual);
  const auto axes = mesh.Express(border.manual, border.manual.rank());
  return axes ? SetOf(*axes) : 0;
}

absl::StatusOr<std::vector<size_t>> ManualPrefixes(const Mesh& mesh, const HloInstruction& border,
                                                   const AxesOfDims& whole) {
  const Shape &a = border.operand(0)->shape(), &b = border.shape();
  std::vector<size_t> prefixes;
  for (int64_t d = 0; d < a.rank(); ++d) {
    const int64_t large = std::max(a.dimension(d), b.dimension(d)),
                  small = std::min(a.dimension(d), b.dimension(d));
    const Axes& axes = whole[static_cast<size_t>(d)];
    int64_t parts = 1;
    size_t n = 0;
    while (n < axes.size() && small * parts < large) parts *= mesh.size(axes[n++]);
    if (small * parts != large)
      return InvalidArgument("'{}': no axes cut dimension {} of {} elements into {}", border.name(),
                             d, large, small);
    prefixes.push_back(n);
  }
  return prefixes;
}

}  // namespace sinter::partition
