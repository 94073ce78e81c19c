#include "codegen/plan/row_groups.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/plan/planner.h"
#include "ir/analysis/op_cost.h"
#include "ir/results.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

// The elements that a reduction reduces to one.
int64_t ReducedElements(const HloInstruction& reduce) {
  int64_t n = 1;
  for (int64_t d : reduce.dimensions()) n *= reduce.operand(0)->shape().dimension(d);
  return n;
}

// Complex accumulators are two tiles, and predicates masks.
bool HasAccumulatorsInLanes(const HloInstruction& reduce) {
  for (size_t k = 0; k < reduce.operands().size() / 2; ++k) {
    const ElementType type = ResultShape(reduce, k).element_type();
    if (IsComplex(type) || type == ElementType::PRED) return false;
  }
  return true;
}

class RowGrouper {
 public:
  RowGrouper(const Accesses& accesses, const std::vector<const HloInstruction*>& loops,
             const std::vector<int64_t>& dims, PlaceInTask place, Plan& plan)
      : accesses_(accesses), loops_(loops), dims_(dims), place_(place), plan_(plan) {}

  void Choose() {
    if (loops_.empty() || plan_.nest != Nest::kLoop || !plan_.split.empty() || plan_.row_dim >= 0 ||
        plan_.unrolled_dim >= 0 || plan_.slide_dim >= 0 || plan_.parts_dim >= 0 ||
        !plan_.boxes.empty() || !plan_.domain.empty() || !plan_.reduced_parts.empty() ||
        plan_.task_dims.empty() || !accesses_.complete)
      return;
    group_ = plan_.task_dims.back();
    const int minor = static_cast<int>(dims_.size()) - 1;
    if (group_ == plan_.col_dim || (plan_.col_dim < 0 && group_ != minor)) return;
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Reduce || !HasAccumulatorsInLanes(*i) ||
          ReducedElements(*i) > tuning::kMostOfGroupedRow * plan_.lanes || !PlaceOf(*i))
        return;
    }
    const int64_t n = dims_[static_cast<size_t>(group_)];
    const int rows = n < 2 * plan_.lanes ? static_cast<int>(PowerOfTwoAtLeast(n)) : plan_.lanes;
    int64_t tasks = (n + rows - 1) / rows;
    for (int d : plan_.task_dims)
      if (d != group_) tasks *= dims_[static_cast<size_t>(d)];
    if (n < tuning::kFewestGroupedRows || tasks * rows < tuning::kFewestRowsOfSeveral ||
        (tasks < 16 && plan_.nanoseconds > tuning::kFewTasks))
      return;
    auto values = Values();
    if (!IsWorth(values)) return;
    if (tasks * rows < tuning::kFewestRowsInAll && values.size() < 2) return;
    plan_.group_dim = group_;
    plan_.group_rows = rows;
    plan_.grouped = std::move(values);
    plan_.reduce_cols = plan_.lanes;
    plan_.finish_dim = -1;
    plan_.finished.clear();
    plan_.first.clear();
  }

 private:
  // Where a value of rows is: one that a task's row has one of. Nothing where it is no such value.
  std::optional<IndexMap> PlaceOf(const HloInstruction& i) const {
    std::optional<IndexMap> map = place_(i);
    auto uses = [&](int dim) {
      return absl::c_any_of(*map, [&](const IndexExpr& e) {
        return !e.terms.empty() && e.terms[0].dimension == dim;
      });
    };
    if (!map || uses(plan_.col_dim) || !uses(group_)) return std::nullopt;
    return map;
  }

  // Sums of lanes take a few instructions, and what little is computed of them waits for nothing.
  // What is not a sum takes some for each step, and what comes after each other waits.
  bool IsWorth(const std::vector<std::pair<const HloInstruction*, IndexMap>>& values) const {
    const auto reductions =
        absl::c_count_if(values, [](const auto& v) { return v.first->op() == HloOpcode::Reduce; });
    return reductions > 1 || values.size() > 1 || absl::c_any_of(loops_, [](const auto* i) {
             const HloOpcode op = i->called(0)->root()->op();
             return op != HloOpcode::Add && op != HloOpcode::Multiply;
           });
  }

  // Reductions, one of those that share a loop, and what is computed of their results for each row
  // and read by other things than such.
  std::vector<std::pair<const HloInstruction*, IndexMap>> Values() const {
    std::vector<std::pair<const HloInstruction*, IndexMap>> values;
    absl::flat_hash_set<const HloInstruction*> done;
    absl::flat_hash_map<const HloInstruction*, double> after;  // of values of rows, what they cost
    auto is_of_rows = [&](const HloInstruction* i) {
      return IsElementwise(i->op()) && i->shape().is_array() && PlaceOf(*i).has_value();
    };
    for (const HloInstruction* i : accesses_.order) {
      if (i->op() == HloOpcode::Reduce) {
        after[i] = 0;
        if (!done.insert(i).second) continue;
        values.emplace_back(i, *PlaceOf(*i));
        if (const auto group = plan_.together.find(i); group != plan_.together.end())
          done.insert(group->second.begin(), group->second.end());
        continue;
      }
      double cost = 0;
      bool depends = false;
      for (const HloInstruction* o : i->operands()) {
        const auto known = after.find(o);
        depends |= known != after.end();
        if (known != after.end()) cost += known->second;
      }
      if (!depends) continue;
      const bool is_moved = !IsElementwise(i->op());
      if (is_moved ? !PlaceOf(*i).has_value() : !is_of_rows(i)) continue;
      if (!is_moved) cost += OpCost(*i);
      after[i] = cost;
      const bool is_read = absl::c_any_of(i->users(), [&](const HloInstruction* u) {
        return accesses_.of.contains(u) && !is_of_rows(u);
      });
      if (is_moved || !is_read || cost < tuning::kWorthCaching ||
          i->shape().element_type() == ElementType::PRED || IsComplex(i->shape().element_type()))
        continue;
      after[i] = 0;
      values.emplace_back(i, *PlaceOf(*i));
    }
    return values;
  }

  const Accesses& accesses_;
  const std::vector<const HloInstruction*>& loops_;
  const std::vector<int64_t>& dims_;
  const PlaceInTask place_;
  Plan& plan_;
  int group_ = -1;
};

}  // namespace

void PlanRowGroups(const Accesses& accesses, const std::vector<const HloInstruction*>& loops,
                   const std::vector<int64_t>& dims, PlaceInTask place, Plan& plan) {
  RowGrouper(accesses, loops, dims, place, plan).Choose();
}

}  // namespace sinter::plan
