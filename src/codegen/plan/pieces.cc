#include "codegen/plan/pieces.h"
#include "target/tuning.h"

#include <algorithm>

namespace sinter::plan {
namespace {

using Intervals = std::vector<Interval>;

// Whether vectors along the axis are whole but for a few: parts shorter than a vector run element
// by element.
bool FillsVectors(const Intervals& parts, int64_t extent, int lanes) {
  int64_t narrow = 0;
  for (const Interval& p : parts) narrow += p.size() < lanes ? p.size() : 0;
  return narrow * 8 <= extent;
}

// One interval of each axis, in every combination.
std::vector<Box> BoxesOf(const std::vector<Intervals>& parts) {
  std::vector<Box> all{{}};
  for (const Intervals& axis : parts) {
    std::vector<Box> longer;
    for (const Box& box : all) {
      for (const Interval& part : axis) {
        longer.push_back(box);
        longer.back().push_back(part);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Box LargestOf(const std::vector<Intervals>& parts) {
  auto size = [](const Interval& a, const Interval& b) { return a.size() < b.size(); };
  Box box;
  for (const Intervals& axis : parts)
    box.push_back(*std::max_element(axis.begin(), axis.end(), size));
  return box;
}

// A box and slabs around it, at most two an axis, which decide for each element what their own axis
// leaves open.
std::vector<Box> Around(const Box& inner, const std::vector<int64_t>& dims) {
  std::vector<Box> all;
  Box rest;
  for (int64_t n : dims) rest.push_back({0, n});
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const Interval& side : {Interval{0, inner[d].lo}, Interval{inner[d].hi, dims[d]}}) {
      if (side.empty()) continue;
      all.push_back(rest);
      all.back()[d] = side;
    }
    rest[d] = inner[d];
  }
  all.push_back(inner);
  return all;
}

}  // namespace

std::vector<Interval> Between(const std::vector<int64_t>& cuts, int64_t extent) {
  std::vector<Interval> all;
  int64_t lo = 0;
  for (int64_t cut : cuts) {
    all.push_back({lo, cut});
    lo = cut;
  }
  all.push_back({lo, extent});
  return all;
}

std::vector<Box> ChoosePieces(const std::vector<std::vector<int64_t>>& cuts,
                              const std::vector<int64_t>& dims, int64_t operations, int lanes,
                              const std::function<bool(const Box&)>& is_decided) {
  std::vector<Intervals> parts;
  int64_t elements = 1, boxes = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    parts.push_back(Between(cuts[d], dims[d]));
    if (d + 1 == dims.size() && !FillsVectors(parts[d], dims[d], lanes)) parts[d] = {{0, dims[d]}};
    elements *= dims[d];
    boxes = std::min(boxes * static_cast<int64_t>(parts[d].size()), tuning::kMostPieceOperations);
  }
  if (boxes == 1 || elements < boxes * tuning::kElementsAPiece) return {};
  const Box inner = LargestOf(parts);
  std::vector<Box> around = Around(inner, dims);
  const auto slabs = static_cast<int64_t>(around.size());
  if (slabs < boxes && std::all_of(around.begin(), around.end(), is_decided)) return around;
  const bool is_border = 8 * (elements - ElementsIn(inner)) <= elements && slabs < boxes;
  if (!is_border && boxes * operations <= tuning::kMostPieceOperations) return BoxesOf(parts);
  if (2 * ElementsIn(inner) < elements || slabs * operations > 2 * tuning::kMostPieceOperations)
    return {};
  return around;
}

}  // namespace sinter::plan
