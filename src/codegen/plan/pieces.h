// The parts of a region's outputs that are computed by nests of their own: between the places where
// one operand of a concatenate or pad ends and another begins, there is nothing to decide.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/interval.h"

namespace sinter::plan {

// What a nest over a box has to decide: places inside of the box, of each dimension, ascending; and
// the size of its code.
struct Seams {
  std::vector<std::vector<int64_t>> cuts;
  int64_t operations = 0;
};
// Nothing where that is not known.
using SeamsOf = std::function<std::optional<Seams>(const Box&)>;

// Boxes that make up an array of dimensions `dims`, which has the seams `whole`, and a part of it
// those that `look` says; none where one nest, which decides for each element, is better. `lanes`
// are the elements of a vector, which runs along the last dimension.
std::vector<Box> ChoosePieces(const Seams& whole, const std::vector<int64_t>& dims, int lanes,
                              const SeamsOf& look);

// Which of these boxes, that make up an array, are better computed by one nest, which decides for
// each element which of them it is in, than each by code of its own: small ones, that differ only
// in dimensions of `may_differ`.
std::vector<std::vector<Box>> JoinSmall(std::vector<Box> boxes, const std::vector<bool>& may_differ,
                                        int lanes, const SeamsOf& look);
// What the outputs fall into, each with a nest of its own: boxes, of one or of several that the
// same nest computes, and the parts of its rows, if these are computed one after another.
struct Piece {
  std::vector<Box> boxes;
  std::vector<Interval> columns;
};
// Where tasks compute reductions before their loops that all pieces need: pieces that differ in
// columns along rows alone become one of parts of rows, and all that differ in one loop of the
// plan's tasks, or in such columns, become parts of this loop.
void JoinAlongLoop(std::vector<Piece>& pieces, Plan& plan);

// The least box that holds them all.
Box HullOf(const std::vector<Box>& boxes);

// The parts of a dimension between cuts inside it.
std::vector<Interval> Between(const std::vector<int64_t>& cuts, const Interval& domain);

}  // namespace sinter::plan
