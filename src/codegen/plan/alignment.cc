#include "codegen/plan/alignment.h"

#include <iterator>

#include "target/tuning.h"

namespace sinter::plan {
namespace {

int64_t NextVector(int64_t column, int lanes) { return (column + lanes - 1) / lanes * lanes; }

// Where a part is cut; where it begins if it is not.
int64_t CutOf(const Interval& part, int lanes) {
  const int64_t next = NextVector(part.lo, lanes);
  return IsWorthAligning({next, part.hi}, lanes) ? next : part.lo;
}

}  // namespace

bool HasAlignedRows(const Shape& output, int lanes) {
  const int64_t row = output.dimensions().back();
  return row % lanes == 0 || output.element_count() == row;
}

bool IsWorthAligning(const Interval& part, int lanes) {
  return part.size() >= tuning::kAlignedVectors * lanes;
}

std::vector<Interval> AlignedParts(const std::vector<Interval>& parts, int lanes, bool overlap) {
  std::vector<Interval> aligned;
  for (const Interval& part : parts) {
    const int64_t cut = CutOf(part, lanes);
    if (cut > part.lo) aligned.push_back({part.lo, overlap ? part.lo + lanes : cut});
    aligned.push_back({cut, part.hi});
  }
  return aligned;
}

std::vector<Box> AlignedBoxes(std::vector<Box> boxes, int lanes) {
  std::vector<Box> aligned;
  for (Box& box : boxes) {
    Box first = box;
    first.back().hi = box.back().lo = CutOf(box.back(), lanes);
    if (!first.back().empty()) aligned.push_back(std::move(first));
  }
  aligned.insert(aligned.end(), std::make_move_iterator(boxes.begin()),
                 std::make_move_iterator(boxes.end()));
  return aligned;
}

}  // namespace sinter::plan
