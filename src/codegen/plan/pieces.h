// The parts of a region's outputs that are computed by nests of their own: between the places where
// one operand of a concatenate or pad ends and another begins, there is nothing to decide.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/analysis/interval.h"

namespace sinter::plan {

// Boxes that make up an array of dimensions `dims`, cut at `cuts` (of each dimension, ascending,
// inside it); none where one nest, which decides for each element, is better. `operations` is the
// size of the region, whose code each box repeats, `lanes` the elements of a vector, which runs
// along the last dimension. `is_decided`: whether nothing is left to decide in a box, though it is
// not one of those between all cuts.
std::vector<Box> ChoosePieces(const std::vector<std::vector<int64_t>>& cuts,
                              const std::vector<int64_t>& dims, int64_t operations, int lanes,
                              const std::function<bool(const Box&)>& is_decided);

// The parts of a dimension between cuts inside it.
std::vector<Interval> Between(const std::vector<int64_t>& cuts, int64_t extent);

}  // namespace sinter::plan
