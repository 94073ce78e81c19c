// Which axis a tile computes element by element (Plan::unrolled_dim), and what it costs to go
// through the parts of a row.

#include <algorithm>
#include <bit>
#include <bitset>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/plan/pieces.h"
#include "codegen/plan/planner.h"
#include "ir/analysis/op_cost.h"
#include "target/tuning.h"

namespace sinter::plan {

// A short axis whose elements a tile computes one after another: the minor one, where tiles along
// it would hold a few elements, or parts of it that are put together would be masked; or one along
// which parts are concatenated that share what they are computed from, which each as a nest of its
// own would compute again. -1: none.
int Planner::AxisOfSharedParts() const {
  if (!loops_.empty() || LoopsPerElement() || !accesses_.complete) return -1;
  // Borders are narrow, but their parts share no less.
  if (parts_of_whole_ >= 0 && Extent(parts_of_whole_) > 1) return parts_of_whole_;
  for (size_t d = dims_.size(); d-- > 0;) {
    const bool is_minor = d + 1 == dims_.size();
    if (is_minor && d > 0 && dims_[d - 1] >= plan_.lanes && HasNarrowParts())
      return static_cast<int>(d);
    const bool are_elements = static_cast<int64_t>(accesses_.cuts[d].size()) + 1 == dims_[d];
    if (dims_[d] < 2 ||
        dims_[d] > (are_elements ? tuning::kMostSharedElements : tuning::kMostSharedParts))
      continue;
    if (is_minor && (d == 0 || *std::max_element(dims_.begin(), dims_.end() - 1) < plan_.lanes))
      continue;
    // Vectors along it would be empty for the most part.
    if (is_minor && 2 * dims_[d] <= plan_.lanes && dims_[d - 1] >= plan_.lanes &&
        !LooksUpAlong(static_cast<int>(d)) && !IsBestInRuns(static_cast<int>(d)) &&
        IsWorthCodeOfEach(dims_[d]))
      return static_cast<int>(d);
    if (accesses_.cuts[d].empty()) continue;
    if (WorkOfSeveralParts(static_cast<int>(d)) >= tuning::kLeastSharedParts)
      return static_cast<int>(d);
  }
  return -1;
}

// What is read and computed again, for each element, where each of the parts that are concatenated
// along the axis is computed by itself.
double Planner::WorkOfSeveralParts(int axis) const {
  // By instruction, the parts that need it.
  absl::flat_hash_map<const HloInstruction*, std::bitset<tuning::kMostSharedElements>> parts;
  double work = 0;
  for (size_t k = accesses_.order.size(); k-- > 0;) {
    const HloInstruction& i = *accesses_.order[k];
    const auto own = parts[&i];
    const auto times = static_cast<double>(own.count());
    const double cost = i.op() == HloOpcode::Parameter && i.shape().rank() > 0 ? 1 : OpCost(i);
    if (times > 1) work += (times - 1) * cost;
    const bool is_along = i.op() == HloOpcode::Concatenate &&
                          absl::c_any_of(accesses_.of.at(&i), [&](const Access& a) {
                            return Uses({a[static_cast<size_t>(i.dimensions()[0])]}, axis);
                          });
    for (size_t n = 0; n < i.operands().size(); ++n) {
      auto& of_operand = parts[i.operand(n)];
      of_operand |= own;
      if (is_along) of_operand.set(n % of_operand.size());
    }
  }
  return work;
}

// Whether runs of several elements along the axis are looked up and little is computed of them: a
// run is one access, where across runs each element would be one. Processors look up vectors of
// 32 bits.
bool Planner::LooksUpAlong(int axis) const {
  const auto run = static_cast<double>(Extent(axis));
  if (work_ > (tuning::kLookedUpWork + tuning::kLookUpWork / run) * Results()) return false;
  return absl::c_any_of(accesses_.order, [&](const HloInstruction* i) {
    if (i->op() != HloOpcode::Gather) return false;
    const auto& a = i->attrs<GatherAttrs>();
    const Shape& array = i->operand(0)->shape();
    if (BitWidth(array.element_type()) >= 32 && Extent(axis) < tuning::kLookedUpRun) return false;
    const int64_t minor = array.rank() - 1;
    if (minor < 0 || a.offset_dims.empty() || a.slice_sizes.back() < 2 ||
        absl::c_linear_search(a.operand_batching_dims, minor))
      return false;
    return absl::c_any_of(accesses_.of.at(i), [&](const Access& access) {
      const AccessDim& along = access[static_cast<size_t>(a.offset_dims.back())];
      return along.size() == 1 && along[0].axis == axis && along[0].coefficient == 1;
    });
  });
}

// Whether it takes less time to compute the elements along a short minor axis as one vector each,
// which is not full, than as full vectors across them, whose elements are exchanged on the way from
// and to memory, or loaded each by itself, from a line of memory of its own, where they are far
// apart. Not where much is computed; what all elements along the axis share would be for each
// vector by itself.
bool Planner::IsBestInRuns(int axis) const {
  const AccessDim along = {{axis, 1}};
  const int64_t elements = Extent(axis);
  bool has_runs = false, is_narrow = false, is_far = false;
  double own = 0, shared = 0;  // of a run
  for (const HloInstruction* i : accesses_.order) {
    if (!i->shape().is_array()) return false;
    const int64_t width = ByteWidth(i->shape().element_type());
    for (const Access& a : accesses_.of.at(i)) {
      (Uses(a, axis) ? own : shared) += OpCost(*i);
      if (i->op() != HloOpcode::Parameter || !Uses(a, axis)) continue;
      if (a.back() != along) return false;  // runs of which each element is somewhere else
      has_runs = true;
      int64_t bytes = 0, stride = width;
      for (size_t d = a.size(); d-- > 0; stride *= i->shape().dimension(static_cast<int64_t>(d)))
        for (const AxisTerm& t : a[d])
          if (t.axis == axis - 1) bytes += t.coefficient * stride;
      is_far |= std::abs(bytes) >= tuning::kLineBytes;
      is_narrow |= width < 4 && elements < tuning::kLeastNarrowRun;
    }
  }
  if (!has_runs || is_narrow) return false;
  const bool is_whole = std::has_single_bit(static_cast<uint64_t>(elements));
  const double run = static_cast<double>(elements),
               moved = is_whole ? 2 : masked_load_ + masked_store_,
               across = is_far ? tuning::kFarElement : tuning::kExchangedInRun;
  return (moved + own + shared) / run < across + (own + shared / run) / plan_.lanes;
}

// Whether to compute the elements along a short minor axis one after another, in full vectors,
// saves as much as their code costs, where that is long: in a vector along it each is computed
// once.
bool Planner::IsWorthCodeOfEach(int64_t elements) const {
  const double own = work_ / Results(), n = static_cast<double>(elements);
  if (own * n < tuning::kLongCodeOfEach) return true;
  const double saved = own * (1 - n / plan_.lanes);
  return saved * Results() / n > own * n * tuning::kSavedByCodeOfEach;
}

double Planner::PriceOfMaskedParts() const {
  const int64_t n = dims_.back();
  const auto vectors = static_cast<double>((n + plan_.lanes - 1) / plan_.lanes);
  const auto parts = static_cast<double>(accesses_.cuts.back().size() + 1);
  return vectors * (parts * masked_load_ + masked_store_);
}

std::vector<Planner::RowPart> Planner::FindRowParts(int64_t most) const {
  std::vector<RowPart> parts;
  Box box = domain_.empty() ? WholeOf(outputs_[0]->shape()) : domain_;
  for (const Interval& part : Between(accesses_.cuts.back(), box.back())) {
    box.back() = part;
    const Accesses here = FindAccesses(outputs_, box);
    parts.push_back({part.size(), static_cast<int64_t>(here.order.size())});
    most -= parts.back().operations;
    if (!here.complete || most < 0) return {};
  }
  return parts;
}

std::optional<double> Planner::PriceOfParts() const {
  // Masks are for all parts in each vector of a tile.
  const int64_t vectors =
      std::min((dims_.back() + plan_.lanes - 1) / plan_.lanes, tuning::kMaskedVectors);
  const std::vector<RowPart> parts = FindRowParts(std::max(
      tuning::kMostPieceOperations, vectors * static_cast<int64_t>(accesses_.order.size())));
  if (parts.empty()) return std::nullopt;
  return PriceOfEach(parts);
}

double Planner::PriceOfEach(const std::vector<RowPart>& parts) const {
  double price = 0;
  for (const RowPart& part : parts) {
    const auto rest = static_cast<uint64_t>(part.elements % plan_.lanes);
    price += tuning::kRowPiece * static_cast<double>(part.elements / plan_.lanes);
    if (rest > 0)
      price += std::min(masked_load_ + masked_store_, tuning::kRowPiece * std::popcount(rest));
  }
  return price;
}

// Whether the minor axis falls into parts of less than a vector in the mean, and to go through them
// element by element takes less than along the axis: part by part, or by vectors that each part is
// read into, masked, and the others are selected into.
bool Planner::HasNarrowParts() const {
  const int64_t n = dims_.back();
  const auto parts = static_cast<int64_t>(accesses_.cuts.back().size()) + 1;
  if (parts == 1 || n > tuning::kMostNarrowParts || n >= parts * plan_.lanes) return false;
  // Code for each element, of the part that it is in.
  const std::vector<RowPart> all = FindRowParts(tuning::kMostPieceOperations);
  int64_t operations = 0;
  for (const RowPart& part : all) operations += part.elements * part.operations;
  if (all.empty() || operations > tuning::kMostPieceOperations) return false;
  const double along = std::min(PriceOfMaskedParts(), PriceOfEach(all));
  const auto elements = static_cast<double>(n);
  if (n > tuning::kMostSharedParts) return elements * tuning::kFarColumnElement < along;
  if (elements * tuning::kColumnElement < along) return true;
  const double saved = along - elements * tuning::kExchangedElement;
  return saved * Results() / elements > tuning::kSavedByLongCode;
}

}  // namespace sinter::plan
