#include "codegen/plan/cpu_split.h"

#include <algorithm>
#include <cstdlib>

namespace sinter::plan {

void SplitPlanner::ChooseSplit() {
  if (!LoopsAreSplitAlike() || (!loops_use_all_axes_ && !dims_.empty())) return;
  const HloInstruction* reduce = loops_[0];
  const bool is_product = reduce->op() == HloOpcode::Dot;
  const double results = Results();
  const bool columns = plan_.col_dim >= 0;
  const SplitAxis axis = LongestReduced(*reduce);
  const bool sweeps = columns && SweepsRows(*reduce, axis);
  if (is_product && columns && !sweeps) return;
  const auto together = plan_.together.find(reduce);
  const bool is_one_loop = loops_.size() == 1 || (together != plan_.together.end() &&
                                                  together->second.size() == loops_.size());
  if (columns && !is_one_loop) return;
  if (columns && bytes_ <= static_cast<double>(tuning::kReductionCache) / 2) {
    // What is read stays in the caches, whichever way it is walked: narrower tiles are tasks too.
    int narrow = plan_.tile_cols;
    while (results / narrow < tuning::kFewestUncut && narrow % 2 == 0 && narrow / 2 >= plan_.lanes)
      narrow /= 2;
    if (results / narrow >= tuning::kFewestUncut) {
      plan_.tile_cols = narrow;
      return;
    }
  }
  const double tasks = columns ? results / plan_.tile_cols : results;
  const double rows = sweeps ? results / static_cast<double>(Extent(plan_.col_dim)) : 1;
  if ((tasks >= tuning::kFewestUncut && !sweeps) || axis.elements < rows * tuning::kLongReduction ||
      results * 64 > axis.elements)
    return;
  const double per_index = axis.elements / rows / static_cast<double>(axis.extent);
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(tuning::kLongReduction / per_index));
  if (axis.extent < 2 * chunk) chunk = (axis.extent + 7) / 8;
  // Whole tiles, where these run along the axis.
  if (axis.is_minor) chunk = std::clamp<int64_t>(plan_.reduce_cols, chunk, axis.extent);
  if (sweeps) {
    constexpr int64_t kMostRows = 128;  // that an accumulator adds up
    plan_.split_sweep = 8;
    plan_.tile_cols = std::min(plan_.tile_cols, 4 * plan_.lanes);
    plan_.split_panel = static_cast<int64_t>(tuning::kSweptAccumulators / rows /
                                             static_cast<double>(Accumulators())) /
                        plan_.tile_cols * plan_.tile_cols;
    chunk = std::min(chunk, axis.extent / tuning::kFewestChunks) / plan_.split_sweep *
            plan_.split_sweep;
    chunk = std::clamp(chunk, tuning::kFewestSweptRows, kMostRows);
  }
  plan_.nest = Nest::kSplit;
  plan_.split.push_back({reduce, axis.dim, chunk});
  // The others in about as many chunks, which begin at about the same part of each: what one of
  // them reads is in the caches for the others of its task.
  const int64_t chunks = (axis.extent + chunk - 1) / chunk;
  auto beside = [&](int64_t extent, int64_t n) {
    return std::abs((extent + n - 1) / n - chunks);  // tasks that do not have all of them
  };
  for (size_t k = 1; k < loops_.size(); ++k) {
    const SplitAxis own = LongestReduced(*loops_[k]);
    int64_t n = own.extent == axis.extent ? chunk : (own.extent + chunks - 1) / chunks;
    if (n > 1 && beside(own.extent, n - 1) < beside(own.extent, n)) --n;
    if (own.is_minor) n = std::max<int64_t>(plan_.reduce_cols, n);
    plan_.split.push_back({loops_[k], own.dim, n});
  }
}

bool SplitPlanner::LoopsAreSplitAlike() const {
  if (loops_.size() < 2) return loops_.size() == 1;
  absl::flat_hash_set<const HloInstruction*> reduced;  // and what depends on it
  for (const HloInstruction* i : accesses_.order) {
    bool depends = false;
    for (const HloInstruction* o : i->operands()) depends |= reduced.contains(o);
    if (OpensLoops(i) && (depends || !IsReducedAs(*i, *loops_[0]))) return false;
    if (depends || OpensLoops(i)) reduced.insert(i);
  }
  return true;
}

bool SplitPlanner::IsReducedAs(const HloInstruction& reduce, const HloInstruction& other) const {
  if (reduce.op() != HloOpcode::Reduce || other.op() != HloOpcode::Reduce ||
      accesses_.of.at(&reduce) != accesses_.of.at(&other))
    return false;
  const int64_t n = reduce.operand(0)->shape().element_count(),
                m = other.operand(0)->shape().element_count();
  return !reduce.dimensions().empty() &&
         std::max(n, m) - std::min(n, m) <= std::min(n, m) / tuning::kAlikeExtents;
}

bool SplitPlanner::SweepsRows(const HloInstruction& reduce, const SplitAxis& axis) const {
  const bool shares = reduce.op() == HloOpcode::Dot && Accumulators() == 1 &&
                      reduce.attrs<DotAttrs>().lhs_batch_dims.empty();
  const int64_t columns = Extent(plan_.col_dim), most_rows = shares ? 4 : 1;
  const auto accumulators = Results() * static_cast<double>(Accumulators());
  return axis.is_only && !axis.is_minor && columns >= tuning::kSweptRow &&
         Results() <= static_cast<double>(columns * most_rows) &&
         axis.extent >= tuning::kFewestChunks * tuning::kFewestSweptRows &&
         accumulators * 8 <= static_cast<double>(tuning::kReductionCache) / 2;
}

SplitPlanner::SplitAxis SplitPlanner::LongestReduced(const HloInstruction& reduce) const {
  SplitAxis axis;
  auto add = [&](int64_t dim, int64_t extent) {
    axis.is_only = axis.dim < 0;
    if (axis.dim < 0 || extent > axis.extent)
      axis.dim = static_cast<int>(dim), axis.extent = extent;
  };
  if (reduce.op() == HloOpcode::Dot) {
    const Shape& left = reduce.operand(0)->shape();
    int64_t dim = reduce.shape().rank();
    axis.elements = static_cast<double>(reduce.shape().element_count());
    for (int64_t d : reduce.attrs<DotAttrs>().lhs_contracting_dims) {
      add(dim++, left.dimension(d));
      axis.elements *= static_cast<double>(left.dimension(d));
    }
    axis.is_minor = plan_.col_dim < 0;
  } else {
    const Shape& from = reduce.operand(0)->shape();
    for (int64_t d : reduce.dimensions()) add(d, from.dimension(d));
    axis.elements = static_cast<double>(from.element_count());
    axis.is_minor = axis.dim == from.rank() - 1;
  }
  return axis;
}

}  // namespace sinter::plan
