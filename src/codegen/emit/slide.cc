// Reductions over windows, of several rows of results side by side: each row of what has windows is
// read once for all rows of results that meet it.
#include <algorithm>

#include "codegen/emit/elementwise.h"
#include "codegen/emit/region.h"
#include "codegen/emit/sum_blocks.h"
#include "ir/results.h"

namespace sinter::emit {

using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// Where the rows of results are r and positions in the window k, the loop is over r + k. Its first
// and last turns, in which only some of the rows take part, are written out.
std::vector<std::vector<Parts>> Region::SlideLoops(const ReduceSpec& spec, const Coords& kept,
                                                   size_t row, const Frame& frame) {
  const auto slide = static_cast<size_t>(plan_->slide_dim);
  const auto rows = static_cast<int64_t>(slide_rows_.size());
  const int64_t size = spec.dims[slide];
  std::vector<bool> is_reduced(spec.dims.size(), false);
  std::vector<int64_t> order;
  for (int64_t d : spec.reduced) {
    is_reduced[static_cast<size_t>(d)] = true;
    if (static_cast<size_t>(d) != slide) order.push_back(d);
  }
  std::sort(order.begin(), order.end());
  std::vector<Coords> full(static_cast<size_t>(rows), Coords(spec.dims.size()));
  for (size_t r = 0; r < full.size(); ++r) {
    Coords own = kept;
    own[row].base = slide_rows_[r];
    for (size_t d = 0, k = 0; d < spec.dims.size(); ++d)
      full[r][d] = is_reduced[d] ? Coord{Int(0), 0, 0, {0, spec.dims[d]}} : own[k++];
  }
  std::vector<Parts> start = spec.init;
  for (size_t k = 0; k < start.size(); ++k) {
    const Type type{RealPart(spec.types[k]), 1, frame.cols};
    start[k].re = Widen(start[k].re, type);
    if (start[k].complex()) start[k].im = Widen(start[k].im, type);
  }
  const Values neutral = Flatten(start);
  const size_t each = neutral.size();
  auto repeated = [&](int64_t n) {
    Values all;
    for (int64_t r = 0; r < n; ++r) all.insert(all.end(), neutral.begin(), neutral.end());
    return all;
  };
  auto part = [&](const Values& all, size_t r) {
    const auto at = all.begin() + static_cast<ptrdiff_t>(r * each);
    return Unflatten(Values(at, at + static_cast<ptrdiff_t>(each)), spec.types);
  };
  auto combine = [&](const Values& a, const Values& b) {
    Values all;
    for (size_t r = 0; r * each < a.size(); ++r)
      for (Value v : Flatten(spec.combine(part(a, r), part(b, r)))) all.push_back(v);
    return all;
  };
  std::vector<int64_t> steps{size};
  for (int64_t d : order) steps.push_back(spec.dims[static_cast<size_t>(d)]);
  const std::vector<std::vector<int64_t>> blocks =
      spec.sums && spec.any_order ? CutIntoBlocks(steps)
                                  : std::vector<std::vector<int64_t>>(steps.size());
  // The loops inside of one over r + k, for rows [first, last).
  std::function<Values(size_t, size_t, size_t, const Values&)> inner =
      [&](size_t k, size_t first, size_t last, const Values& carries) -> Values {
    if (k < order.size()) {
      const auto d = static_cast<size_t>(order[k]);
      return LoopInBlocks(blocks[k + 1], Int(0), Int(spec.dims[d]), spec.dims[d], 1, Tail::kExact,
                          carries, repeated(static_cast<int64_t>(last - first)), combine,
                          [&](Value iv, Value, const Values& c) {
                            for (size_t r = first; r < last; ++r)
                              full[r][d] = Coord{iv, 0, 0, {0, spec.dims[d]}};
                            return inner(k + 1, first, last, c);
                          });
    }
    Values next;
    for (size_t r = first; r < last; ++r) {
      const std::vector<Parts> acc = part(carries, r - first);
      for (Value v : Flatten(spec.Take(acc, spec.load(full[r], frame)))) next.push_back(v);
    }
    return next;
  };
  // `at`: r + k.
  auto turn = [&](Value at, int64_t first, int64_t last, const Values& carries) {
    const Value read = IndexAdd(slide_rows_[0], at);
    for (int64_t r = first; r < last; ++r) {
      const Value k = IndexOp(OpCode::kSub, at, Int(r));
      full[static_cast<size_t>(r)][slide] = Coord{k, 0, 0, {0, size}};
      index_ops_[{OpCode::kAdd, slide_rows_[static_cast<size_t>(r)], k}] = read;
    }
    return inner(0, static_cast<size_t>(first), static_cast<size_t>(last), carries);
  };
  Values all = repeated(rows);
  auto border = [&](int64_t at, int64_t first, int64_t last) {
    const auto lo = all.begin() + static_cast<ptrdiff_t>(first) * static_cast<ptrdiff_t>(each),
               hi = all.begin() + static_cast<ptrdiff_t>(last) * static_cast<ptrdiff_t>(each);
    const Values next = turn(Int(at), first, last, Values(lo, hi));
    std::copy(next.begin(), next.end(), lo);
  };
  for (int64_t at = 0; at + 1 < rows; ++at) border(at, 0, at + 1);
  all = LoopInBlocks(blocks[0], Int(rows - 1), Int(size), size - rows + 1, 1, Tail::kExact, all,
                     repeated(rows), combine,
                     [&](Value at, Value, const Values& c) { return turn(at, 0, rows, c); });
  for (int64_t at = size; at < size + rows - 1; ++at) border(at, at - size + 1, rows);
  std::vector<std::vector<Parts>> results;
  for (size_t r = 0; r < full.size(); ++r) results.push_back(part(all, r));
  return results;
}

std::optional<std::vector<Parts>> Region::EvalSliding(const HloInstruction* node, const Coords& at,
                                                      const Frame& frame) {
  if (plan_->slide_dim < 0) return std::nullopt;
  // Which of the coordinates is the row's: those of dimensions of one element are 0, as the first
  // row of a nest without tasks is.
  const Dims& dims = ResultShape(*node).dimensions();
  const int64_t extent = outputs()[0]->shape().dimension(plan_->row_dim);
  auto is_row = [&](size_t d) {
    return dims[d] == extent && at[d].rows == 0 && at[d].cols == 0 &&
           std::find(slide_rows_.begin(), slide_rows_.end(), at[d].base) != slide_rows_.end();
  };
  size_t row = 0;
  while (!is_row(row)) ++row;
  const bool is_product = node->op() == HloOpcode::Dot;
  const ReduceSpec spec = SpecHere(node);
  const std::vector<std::vector<Parts>> all = SlideLoops(spec, at, row, frame);
  std::vector<Parts> mine;
  for (size_t r = 0; r < all.size(); ++r) {
    Coords own = at;
    own[row].base = slide_rows_[r];
    const std::vector<Parts> results =
        is_product ? std::vector<Parts>{EmitConvert(b_, all[r][0], spec.types[0],
                                                    node->shape().element_type())}
                   : FinishReduce(node, all[r]);
    for (size_t k = 0; k < results.size(); ++k)
      Bind(node, own, frame, results[k], static_cast<int64_t>(k));
    if (own == at) mine = results;
  }
  return mine;
}

}  // namespace sinter::emit
