#include "codegen/plan/task_order.h"

#include <algorithm>
#include <cstdlib>

#include "absl/algorithm/container.h"

namespace sinter::plan {
namespace {

// Another order has to save this part of the traffic: what is counted are whole tiles, and a cache
// of one size.
constexpr double kWorthReordering = 0.75;

class Traffic {
 public:
  Traffic(const Accesses& accesses, absl::Span<const int64_t> dims, int64_t cache_bytes,
          const Plan& plan)
      : accesses_(accesses),
        dims_(dims),
        cache_bytes_(static_cast<double>(cache_bytes)),
        in_task_(dims.begin(), dims.end()) {
    for (int d : plan.task_dims) {
      const int64_t block = d == plan.row_dim   ? plan.row_block
                            : d == plan.col_dim ? plan.col_block
                                                : 1;
      in_task_[static_cast<size_t>(d)] = std::max<int64_t>(1, block);
    }
    for (const HloInstruction* i : accesses.order)
      if (i->op() == HloOpcode::Parameter) operands_.push_back(i);
  }

  const std::vector<const HloInstruction*>& operands() const { return operands_; }
  bool Uses(const HloInstruction* operand, int axis) const {
    return absl::c_any_of(accesses_.of.at(operand),
                          [&](const Access& a) { return sinter::Uses(a, axis); });
  }

  // Bytes that come into the cache if tasks run in this order.
  double Of(absl::Span<const int> order) const {
    std::vector<int64_t> ranges = in_task_;
    double held = All(ranges);
    const bool task_fits = held <= cache_bytes_;
    // The inner axes over which everything stays.
    size_t outer = order.size();
    while (task_fits && outer > 0) {
      std::vector<int64_t> more = ranges;
      const auto axis = static_cast<size_t>(order[outer - 1]);
      more[axis] = dims_[axis];
      if (All(more) > cache_bytes_) break;
      ranges = std::move(more);
      --outer;
    }
    double bytes = 0;
    for (const HloInstruction* i : operands_) {
      double of_operand = Bytes(i, ranges);
      bool stays = task_fits;  // over the loops around, as long as they read no more of it
      for (size_t k = outer; k-- > 0;) {
        const auto axis = static_cast<size_t>(order[k]);
        stays = stays && !Uses(i, order[k]);
        if (!stays)
          of_operand *= static_cast<double>((dims_[axis] + in_task_[axis] - 1) / in_task_[axis]);
      }
      bytes += of_operand;
    }
    return bytes;
  }

  double All(absl::Span<const int64_t> ranges) const {
    double bytes = 0;
    for (const HloInstruction* i : operands_) bytes += Bytes(i, ranges);
    return bytes;
  }

 private:
  // What tasks read of an operand that together have `ranges` of the outputs' axes.
  double Bytes(const HloInstruction* operand, absl::Span<const int64_t> ranges) const {
    double elements = 0;
    for (const Access& access : accesses_.of.at(operand)) {
      double here = 1;
      for (size_t d = 0; d < access.size(); ++d) {
        int64_t span = 1;
        for (const AxisTerm& t : access[d]) {
          const int64_t range = t.axis >= kInner
                                    ? accesses_.inner_extents[static_cast<size_t>(t.axis - kInner)]
                                    : ranges[static_cast<size_t>(t.axis)];
          span += std::abs(t.coefficient) * (range - 1);
        }
        here *=
            static_cast<double>(std::min(span, operand->shape().dimension(static_cast<int>(d))));
      }
      elements += here;
    }
    return std::min(elements, static_cast<double>(operand->shape().element_count())) *
           static_cast<double>(ByteWidth(operand->shape().element_type()));
  }

  const Accesses& accesses_;
  const absl::Span<const int64_t> dims_;
  const double cache_bytes_;
  std::vector<int64_t> in_task_;  // elements of each axis that a task has
  std::vector<const HloInstruction*> operands_;
};

}  // namespace

void OrderTasks(const Accesses& accesses, absl::Span<const int64_t> dims, int64_t cache_bytes,
                Plan& plan) {
  if (plan.task_dims.size() < 2) return;
  const Traffic traffic(accesses, dims, cache_bytes, plan);
  if (traffic.All(dims) <= static_cast<double>(cache_bytes)) return;
  std::vector<int> best = plan.task_dims;
  double least = kWorthReordering * traffic.Of(best);
  for (const HloInstruction* i : traffic.operands()) {
    std::vector<int> order = plan.task_dims;
    std::stable_partition(order.begin(), order.end(), [&](int d) { return traffic.Uses(i, d); });
    const double bytes = traffic.Of(order);
    if (bytes >= least) continue;
    least = bytes;
    best = std::move(order);
  }
  plan.task_dims = std::move(best);
}

}  // namespace sinter::plan
