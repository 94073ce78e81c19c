#include "codegen/plan/planner.h"

#include <algorithm>
#include <set>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "codegen/plan/pieces.h"
#include "ir/analysis/op_cost.h"
#include "ir/results.h"
#include "target/tuning.h"

namespace sinter::plan {

Planner::Planner(const HloComputation& region, Box domain)
    : region_(region),
      outputs_(Outputs(region)),
      accesses_(FindAccesses(outputs_, domain.empty() ? WholeOf(outputs_[0]->shape()) : domain)),
      domain_(std::move(domain)) {
  plan_.domain = domain_;
}

absl::Status Planner::Look() {
  const Shape& shape = outputs_[0]->shape();
  for (const HloInstruction* o : outputs_) {
    RETURN_INTERNAL_IF(o->shape().dimensions() != shape.dimensions(),
                       "outputs of a region differ in dimensions: {} and {}", o->shape().ToString(),
                       shape.ToString());
  }
  dims_ = shape.dimensions();
  for (size_t d = 0; d < domain_.size(); ++d) dims_[d] = domain_[d].size();
  Measure();
  return absl::OkStatus();
}

// --- measures

double Planner::Count(const Access& a) const {  // elements of the loops around an access
  std::vector<int> axes;
  for (const AccessDim& d : a) {
    for (const AxisTerm& t : d) axes.push_back(t.axis);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  double n = 1;
  for (int axis : axes) n *= static_cast<double>(Extent(axis));
  return n;
}

int64_t Planner::Extent(int axis) const {
  return axis >= kInner ? accesses_.inner_extents[static_cast<size_t>(axis - kInner)]
                        : dims_[static_cast<size_t>(axis)];
}

const HloInstruction* Planner::Scan() const {
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() == HloOpcode::ReduceWindow) return i;
  }
  return nullptr;
}

void Planner::Measure() {
  for (const HloInstruction* i : accesses_.order) {
    const auto& accesses = accesses_.of.at(i);
    if (OpensLoops(i)) loops_.push_back(i);
    for (const Access& a : accesses) {
      const double n = Count(a);
      work_ += OpCost(*i) * n;
      if (i->op() == HloOpcode::Dot) {
        double k = 1;
        for (int64_t d : i->attrs<DotAttrs>().lhs_contracting_dims)
          k *= static_cast<double>(i->operand(0)->shape().dimension(d));
        work_ += 2 * n * k;
        product_work_ += 2 * n * k;
      }
      if (i->op() == HloOpcode::Reduce)
        work_ += static_cast<double>(i->operand(0)->shape().element_count());
    }
    if (i->op() == HloOpcode::Parameter) bytes_ += BytesRead(*i);
    chain_ = std::max(chain_, OpCost(*i));
    body_ += OpCost(*i);
  }
  for (const HloInstruction* o : outputs_)
    bytes_ += Results() * static_cast<double>(ByteWidth(o->shape().element_type()));
}

double Planner::Results() const {
  double n = 1;
  for (int64_t d : dims_) n *= static_cast<double>(d);
  return n;
}

// What is read of a parameter, at most once each; of a window at a place that is known at run time
// only, what the window holds.
double Planner::BytesRead(const HloInstruction& parameter) const {
  const auto& accesses = accesses_.of.at(&parameter);
  const auto& offsets = accesses_.offsets.at(&parameter);
  const auto whole = static_cast<double>(parameter.shape().element_count());
  double elements = 0;
  for (size_t k = 0; k < accesses.size(); ++k) {
    double n = Count(accesses[k]);
    // Of what is at a place that each element may say, as many as there are elements.
    for (size_t d = 0; d < accesses[k].size(); ++d) {
      if (!accesses[k][d].empty() || offsets[k][d]) continue;
      for (const HloInstruction* user : parameter.users()) {
        const auto found = accesses_.of.find(user);
        if (found == accesses_.of.end()) continue;
        for (const Access& a : found->second) n = std::max(n, Count(a));
      }
      break;
    }
    elements += n;
  }
  return std::min(elements, whole) *
         static_cast<double>(ByteWidth(parameter.shape().element_type()));
}

// --- axes

void Planner::ChooseAxes(int least_columns, bool keep_columns) {
  const int rank = static_cast<int>(dims_.size());
  std::vector<bool> task(dims_.size(), loops_.empty());
  for (const HloInstruction* i : loops_) {
    for (const Access& a : accesses_.of.at(i)) {
      for (const AccessDim& d : a) {
        for (const AxisTerm& t : d) {
          if (t.axis < kInner) task[static_cast<size_t>(t.axis)] = true;
        }
      }
    }
  }
  loops_use_all_axes_ = !loops_.empty();
  for (bool t : task) loops_use_all_axes_ &= t;
  plan_.col_dim = rank - 1;
  if (rank > 0 && !loops_.empty() && loops_use_all_axes_ && !keep_columns &&
      ColumnsAreInner(least_columns))
    plan_.col_dim = -1;
  if (shares_rows_) plan_.unrolled_dim = AxisOfSharedParts();
  if (plan_.unrolled_dim >= 0 && plan_.unrolled_dim == plan_.col_dim) {
    const auto longest = std::max_element(dims_.begin(), dims_.end() - 1);
    plan_.col_dim = dims_[dims_.size() - 2] >= plan_.lanes
                        ? static_cast<int>(dims_.size()) - 2
                        : static_cast<int>(longest - dims_.begin());
  }
  for (int d = 0; d < rank; ++d) {
    if (d == plan_.col_dim || d == plan_.unrolled_dim) continue;
    (task[static_cast<size_t>(d)] ? plan_.task_dims : plan_.loop_dims).push_back(d);
  }
  if (plan_.unrolled_dim < 0) ChooseRows();
}

bool Planner::LoopsPerElement() const {
  return std::any_of(accesses_.order.begin(), accesses_.order.end(), [](const HloInstruction* i) {
    return i->op() == HloOpcode::While ||
           (i->op() == HloOpcode::Power && IsInteger(i->shape().element_type()));
  });
}

bool Planner::ColumnsAreInner(int least_columns) const {
  const int last = static_cast<int>(dims_.size()) - 1;
  double inner = 0, outer = 0;
  for (const HloInstruction* i : accesses_.order) {
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses_.of.at(i)) {
      if (a.empty() || a.back().empty()) continue;
      const AxisTerm& minor = a.back()[0];
      if (minor.axis >= kInner && Extent(minor.axis) * 2 >= least_columns) {
        // What all columns share is read once for a vector of them.
        const bool is_shared = dims_.back() >= plan_.lanes && !Uses(a, last);
        inner += is_shared ? 0 : Count(a);
      } else if (minor.axis < kInner) {
        outer += Count(a);
      }
    }
  }
  if (inner == 0 && outer == 0) return !dims_.empty() && dims_.back() < least_columns;
  return inner > outer || dims_.back() == 1;
}

size_t Planner::Accumulators() const {
  // A complex accumulator is two tiles, its parts.
  auto tiles = [](const HloInstruction* i) -> size_t {
    const bool many = i->shape().is_tuple();
    size_t n = 0;
    for (size_t k = 0, end = many ? i->shape().tuple_shapes().size() : 1; k < end; ++k) {
      const Shape& result = many ? i->shape().tuple_shapes()[k] : i->shape();
      n += IsComplex(result.element_type()) ? 2 : 1;
    }
    return n;
  };
  size_t most = 1;
  for (const HloInstruction* i : loops_) {
    size_t n = 0;
    auto group = plan_.together.find(i);
    if (group != plan_.together.end()) {
      for (const HloInstruction* m : group->second) n += tiles(m);
    } else {
      n = tiles(i);
    }
    most = std::max(most, n);
  }
  return most;
}

// --- reductions

void Planner::ChooseReducedParts() {
  // The axis of the last dimension that is reduced; -1 where it may be one of several, as the
  // operand is read by other reductions as well.
  auto axis_of = [&](const HloInstruction& reduce) {
    const auto d = *absl::c_max_element(reduce.dimensions());
    const AccessDim* only = nullptr;
    for (const Access& a : accesses_.of.at(reduce.operand(0))) {
      const AccessDim& along = a[static_cast<size_t>(d)];
      if (only != nullptr && along != *only) return -1;
      only = &along;
    }
    if (only == nullptr || only->size() != 1 || (*only)[0].axis < kInner) return -1;
    const int axis = (*only)[0].axis - kInner;
    const int64_t extent = accesses_.inner_extents[static_cast<size_t>(axis)];
    return extent == reduce.operand(0)->shape().dimension(d) ? axis : -1;
  };
  if (!accesses_.complete) return;
  for (const HloInstruction* i : loops_) {
    if (i->op() != HloOpcode::Reduce || i->dimensions().empty()) continue;
    const auto group = plan_.together.find(i);
    std::vector<const HloInstruction*> members{i};
    if (group != plan_.together.end()) members = group->second;
    std::set<int64_t> cuts;
    int64_t extent = 0;
    for (const HloInstruction* m : members) {
      const int axis = axis_of(*m);
      if (axis < 0) continue;
      const auto& own = accesses_.inner_cuts[static_cast<size_t>(axis)];
      cuts.insert(own.begin(), own.end());
      extent = accesses_.inner_extents[static_cast<size_t>(axis)];
    }
    const auto parts = static_cast<int64_t>(cuts.size()) + 1;
    if (parts == 1 || parts * plan_.reduce_cols > extent ||
        static_cast<double>(parts) * body_ > tuning::kMostReducedCode)
      continue;
    plan_.reduced_parts[i] = Between({cuts.begin(), cuts.end()}, {0, extent});
  }
}

void Planner::ChooseTogether() {
  constexpr size_t kMostTogether = 8;
  absl::flat_hash_map<const HloInstruction*, int> level;
  for (const HloInstruction* i : accesses_.order) {
    int l = 0;
    for (const HloInstruction* o : i->operands()) {
      auto it = level.find(o);
      if (it != level.end()) l = std::max(l, it->second);
    }
    level[i] = l + (OpensLoops(i) ? 1 : 0);
  }
  for (size_t a = 0; a < loops_.size(); ++a) {
    const HloInstruction* first = loops_[a];
    if (first->op() != HloOpcode::Reduce || plan_.together.contains(first)) continue;
    std::vector<const HloInstruction*> group{first};
    for (size_t b = a + 1; b < loops_.size() && group.size() < kMostTogether; ++b) {
      const HloInstruction* other = loops_[b];
      if (other->op() != HloOpcode::Reduce || level[other] != level[first] ||
          plan_.together.contains(other))
        continue;
      if (other->operand(0)->shape().dimensions() != first->operand(0)->shape().dimensions())
        continue;
      if (other->dimensions() != first->dimensions() ||
          accesses_.of.at(other) != accesses_.of.at(first))
        continue;
      group.push_back(other);
    }
    if (group.size() < 2) continue;
    for (const HloInstruction* m : group) plan_.together[m] = group;
  }
}

// --- places

bool Planner::FixedInTask(int axis) const {
  if (std::find(plan_.task_dims.begin(), plan_.task_dims.end(), axis) == plan_.task_dims.end())
    return false;
  if (axis == plan_.row_dim) return plan_.row_block == plan_.tile_rows;
  if (axis == plan_.col_dim) return plan_.col_block == plan_.tile_cols;
  return true;
}

std::optional<IndexMap> Planner::PlaceInTask(const HloInstruction& i) const {
  const auto found = accesses_.of.find(&i);
  if (found == accesses_.of.end() || found->second.size() != 1) return std::nullopt;
  const Access& access = found->second[0];
  const Offsets& offsets = accesses_.offsets.at(&i)[0];
  const Shape& s = ResultShape(i);
  IndexMap map;
  for (size_t d = 0; d < access.size(); ++d) {
    const AccessDim& terms = access[d];
    const int64_t n = s.dimension(static_cast<int64_t>(d));
    IndexExpr e;
    if (terms.empty()) {
      if (n != 1) return std::nullopt;
    } else {
      const AxisTerm& t = terms[0];
      if (terms.size() != 1 || t.coefficient != 1 || t.axis >= kInner || !FixedInTask(t.axis) ||
          !offsets[d])
        return std::nullopt;
      // All of the domain's coordinates are the value's.
      const auto axis = static_cast<size_t>(t.axis);
      const int64_t lo = *offsets[d] + (domain_.empty() ? 0 : domain_[axis].lo);
      if (lo < 0 || lo + Extent(t.axis) > n) return std::nullopt;
      e.terms.push_back({t.axis, 1});
      e.offset = *offsets[d];
    }
    map.push_back(std::move(e));
  }
  return map;
}

std::vector<std::pair<const HloInstruction*, IndexMap>> Planner::LoopsInTask() const {
  std::vector<std::pair<const HloInstruction*, IndexMap>> loops;
  for (const HloInstruction* i : loops_)
    if (std::optional<IndexMap> map = PlaceInTask(*i)) loops.emplace_back(i, *std::move(map));
  return loops;
}

void Planner::ChooseFirst() {
  if (!loops_use_all_axes_) plan_.first = LoopsInTask();
}

// Whether a value is of a loop's elements, each of them another one.
static bool RunsInLoop(const std::vector<Access>& accesses) {
  for (const Access& a : accesses)
    for (const AccessDim& d : a)
      for (const AxisTerm& t : d)
        if (t.axis >= kInner) return true;
  return false;
}

void Planner::ChooseCached(int64_t room, int64_t pad) {
  if (loops_.empty()) return;
  // Where each result has loops of its own, what these read more than once, of a task's one tile.
  const bool of_loops = loops_use_all_axes_ && caches_tiles_ && loops_.size() > 1;
  auto first = of_loops ? LoopsInTask() : plan_.first;
  if (first.size() != loops_.size()) return;
  absl::flat_hash_map<const HloInstruction*, int> uses;
  auto mark = [&](const std::vector<const HloInstruction*>& roots) {
    absl::flat_hash_set<const HloInstruction*> seen;
    std::vector<const HloInstruction*> stack = roots;
    while (!stack.empty()) {
      const HloInstruction* i = stack.back();
      stack.pop_back();
      if (OpensLoops(i) || !seen.insert(i).second) continue;
      ++uses[i];
      for (const HloInstruction* o : i->operands()) stack.push_back(o);
    }
  };
  mark(outputs_);
  absl::flat_hash_set<const HloInstruction*> grouped;
  for (const HloInstruction* i : loops_) {
    if (grouped.contains(i)) continue;
    std::vector<const HloInstruction*> roots;
    auto group = plan_.together.find(i);
    std::vector<const HloInstruction*> members =
        group == plan_.together.end() ? std::vector<const HloInstruction*>{i} : group->second;
    for (const HloInstruction* m : members) {
      grouped.insert(m);
      for (const HloInstruction* o : m->operands()) roots.push_back(o);
    }
    mark(roots);
  }
  // From the outputs down: the value nearest to its uses is cached, and what only feeds it is
  // computed once anyway.
  absl::flat_hash_map<const HloInstruction*, double> cost;
  int64_t bytes = 0;
  for (const HloInstruction* i : accesses_.order) {
    double c = OpCost(*i);
    if (OpensLoops(i)) {
      cost[i] = 0;
      continue;
    }
    for (const HloInstruction* o : i->operands()) c += cost.contains(o) ? cost[o] : 0;
    // What a loop does not change is computed before it.
    cost[i] = of_loops && !RunsInLoop(accesses_.of.at(i)) ? 0 : c;
  }
  for (size_t k = accesses_.order.size(); k-- > 0;) {
    const HloInstruction* i = accesses_.order[k];
    if (i->op() == HloOpcode::Parameter || !i->shape().is_array() || uses[i] < 2 ||
        cost[i] < tuning::kWorthCaching)
      continue;
    if (!of_loops && i->shape().dimensions() != outputs_[0]->shape().dimensions()) continue;
    bool only_for_cached = !i->users().empty();
    for (const HloInstruction* u : i->users()) {
      only_for_cached &=
          plan_.cached.contains(u) || hidden_.contains(u) || !accesses_.of.contains(u);
    }
    if (only_for_cached) {
      hidden_.insert(i);
      continue;
    }
    int64_t row = ByteWidth(i->shape().element_type());
    if (of_loops) {
      const std::optional<int64_t> elements = ElementsInTask(*i);
      if (!elements) continue;
      row *= *elements;
    } else {
      for (int d : plan_.loop_dims) row *= Extent(d);
      if (plan_.col_dim >= 0)
        row *=
            caches_tiles_ && FixedInTask(plan_.col_dim) ? plan_.tile_cols : Extent(plan_.col_dim);
    }
    row += pad * ByteWidth(i->shape().element_type());
    if (bytes + row > room) continue;
    bytes += row;
    plan_.cached.insert(i);
  }
  if (!plan_.cached.empty()) plan_.first = std::move(first);
}

// How many elements of a value that loops of a task's one tile go through are the task's; nothing
// where tasks have several tiles, loops read different elements, or vectors are not along memory.
std::optional<int64_t> Planner::ElementsInTask(const HloInstruction& i) const {
  int64_t elements = 1;
  bool has_loop = false;
  const auto& accesses = accesses_.of.at(&i);
  for (int64_t d = 0; d < i.shape().rank(); ++d) {
    const AccessDim& first = accesses[0][static_cast<size_t>(d)];
    if (first.size() > 1 || (!first.empty() && first[0].coefficient != 1)) return std::nullopt;
    const bool is_loop = !first.empty() && first[0].axis >= kInner;
    for (const Access& a : accesses) {
      const AccessDim& own = a[static_cast<size_t>(d)];
      if (is_loop ? own.size() != 1 || own[0].axis < kInner || own[0].coefficient != 1
                  : own != first)
        return std::nullopt;
    }
    if (first.empty()) continue;
    const int axis = first[0].axis;
    if (is_loop) {
      elements *= i.shape().dimension(d);
      has_loop = true;
    } else if (!FixedInTask(axis) || (axis == plan_.col_dim && d + 1 < i.shape().rank())) {
      return std::nullopt;
    } else if (axis == plan_.col_dim || axis == plan_.row_dim) {
      elements *= axis == plan_.col_dim ? plan_.tile_cols : plan_.tile_rows;
    }
  }
  if (!has_loop) return std::nullopt;
  return elements;
}

void Planner::ChooseInPlace() {
  plan_.in_place.assign(region_.parameters().size(), false);
  if (!loops_.empty() || transposed_ || outputs_.size() != 1 || !domain_.empty() ||
      !accesses_.complete || LoopsPerElement() || Window(region_) || ScatterOf(region_))
    return;
  for (const HloInstruction* p : region_.parameters()) {
    auto accesses = accesses_.of.find(p);
    if (accesses == accesses_.of.end() || accesses->second.size() != 1 ||
        p->shape().dimensions() != dims_ ||
        p->shape().byte_size() != outputs_[0]->shape().byte_size())
      continue;
    // Each element is read where the same one of the output is computed, and nowhere else.
    const Access& access = accesses->second[0];
    const auto& offsets = accesses_.offsets.at(p)[0];
    bool identity = true;
    for (size_t d = 0; d < dims_.size(); ++d) {
      identity &= access[d].size() == 1 && access[d][0] == AxisTerm{static_cast<int>(d), 1} &&
                  offsets[d] == 0;
    }
    plan_.in_place[static_cast<size_t>(p->attrs<ParameterAttrs>().number)] = identity;
  }
}

int64_t PowerOfTwoAtLeast(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

bool OpensLoops(const HloInstruction* i) {
  return i->op() == HloOpcode::Reduce || i->op() == HloOpcode::Dot;
}

const HloInstruction* Window(const HloComputation& region) {
  const HloInstruction* root = region.root();
  if (root->op() != HloOpcode::DynamicUpdateSlice) return nullptr;
  if (root->operand(0)->op() != HloOpcode::Parameter) return nullptr;
  return root->operand(1)->shape().element_count() > 0 ? root : nullptr;
}

const HloInstruction* ScatterOf(const HloComputation& region) {
  const HloInstruction* i = region.root();
  if (i->op() == HloOpcode::Tuple && !i->operands().empty()) i = i->operand(0);
  if (i->op() == HloOpcode::GetTupleElement) i = i->operand(0);
  return i->op() == HloOpcode::Scatter ? i : nullptr;
}

std::vector<const HloInstruction*> Outputs(const HloComputation& region) {
  const HloInstruction* root = region.root();
  if (Window(region)) return {root->operand(1)};
  if (const HloInstruction* s = ScatterOf(region)) {
    const auto updates = static_cast<ptrdiff_t>(s->operands().size() / 2 + 1);
    return {s->operands().begin() + updates, s->operands().end()};
  }
  if (root->op() != HloOpcode::Tuple) return {root};
  return {root->operands().begin(), root->operands().end()};
}

}  // namespace sinter::plan
