// The first stage of reductions and products that are cut along a reduced axis: chunks of it are
// tasks, which leave what they come to in scratch buffers.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "codegen/emit/region.h"
#include "ir/results.h"

namespace sinter::emit {

using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

namespace {

// How a loop over the columns of an axis ends, of which `rest` are no tile.
Tail TailOf(const plan::Plan& plan, int64_t rest) {
  return rest == 0 ? Tail::kExact : plan.masks_lanes ? Tail::kPeel : Tail::kMasked;
}

}  // namespace

// Reductions that share a loop, and the partial results of all of them.
struct Region::SplitGroup {
  std::vector<const HloInstruction*> members;
  ReduceSpec spec;
  Partial partial;
  int64_t chunk = 0;

  // Of a dimension of the results: columns run along the minor one if the minor dimension of the
  // operand is kept.
  int64_t StepOf(int64_t d, int tile_cols) const {
    const Shape& result = ResultShape(*members[0]);
    const bool minor_reduced =
        members[0]->op() == HloOpcode::Reduce &&
        absl::c_linear_search(spec.reduced, static_cast<int64_t>(spec.dims.size()) - 1);
    const bool vector = d + 1 == result.rank() && !minor_reduced && result.dimension(d) > 1;
    return vector ? std::min<int64_t>(tile_cols, plan::PowerOfTwoAtLeast(result.dimension(d))) : 1;
  }
};

std::vector<Region::SplitGroup> Region::SplitGroups() {
  std::vector<SplitGroup> groups;
  absl::flat_hash_set<const HloInstruction*> seen;
  int64_t chunks = 0;
  for (const plan::Split& split : plan_->split) {
    if (seen.contains(split.loop)) continue;
    SplitGroup g{MembersWith(split.loop), {}, {}, split.chunk};
    seen.insert(g.members.begin(), g.members.end());
    g.spec = SpecOfAll(g.members);
    g.spec.split_dim = split.dim;
    const int64_t n = g.spec.dims[static_cast<size_t>(split.dim)];
    chunks = std::max(chunks, (n + split.chunk - 1) / split.chunk);
    groups.push_back(std::move(g));
  }
  std::vector<int64_t> dims{chunks};
  absl::c_copy(ResultShape(*plan_->split[0].loop).dimensions(), std::back_inserter(dims));
  int number = 0;
  for (SplitGroup& g : groups) {
    auto type = g.spec.types.begin();
    for (const HloInstruction* member : g.members) {
      const size_t results = member->op() == HloOpcode::Reduce ? member->operands().size() / 2 : 1;
      Partial own{{}, chunks};
      for (size_t k = 0; k < results; ++k, ++type) {
        for (int p = 0; p < PartCount(*type); ++p) {
          own.buffers.push_back(b_.AddBuffer(Format("s{}", number++), RealPart(*type), dims,
                                             kernel::Space::kScratch));
        }
      }
      absl::c_copy(own.buffers, std::back_inserter(g.partial.buffers));
      partials_[member] = std::move(own);
    }
    g.partial.chunks = chunks;
  }
  return groups;
}

// Of the groups one after another, a chunk of each: what they all read is still in the caches.
void Region::EmitPartials() {
  std::vector<SplitGroup> groups = SplitGroups();
  const int64_t chunks = groups[0].partial.chunks;
  const HloInstruction* first = plan_->split[0].loop;
  const Shape& result = ResultShape(*first);
  auto step_of = [&](int64_t d) { return groups[0].StepOf(d, plan_->tile_cols); };
  int64_t tiles = 1;  // of the results, each a task or, on few threads, one after another
  if (plan_->split_tiles_are_tasks) {
    for (int64_t d = 0; d < result.rank(); ++d)
      tiles *= (result.dimension(d) + step_of(d) - 1) / step_of(d);
  }
  Loop(kernel::LoopKind::kPar, Int(0), Int(chunks * tiles), 1, kernel::Tail::kExact, {},
       [&](Value task, const Values&) {
         const Value t = IndexOp(OpCode::kDiv, task, Int(tiles));
         std::vector<Value> tile_at(static_cast<size_t>(result.rank()));
         if (plan_->split_tiles_are_tasks) {
           Value rest = IndexOp(OpCode::kRem, task, Int(tiles));
           for (int64_t d = result.rank(); d-- > 0;) {
             const int64_t step = step_of(d), blocks = (result.dimension(d) + step - 1) / step;
             const Value index = d == 0 ? rest : IndexOp(OpCode::kRem, rest, Int(blocks));
             rest = IndexOp(OpCode::kDiv, rest, Int(blocks));
             tile_at[static_cast<size_t>(d)] = IndexOp(OpCode::kMul, index, Int(step));
           }
         }
         for (SplitGroup& g : groups) EmitChunk(g, t, tile_at);
         return Values{};
       });
}

// Chunk `t` of reductions that share a loop, whose results have the dimensions of `tile_at`.
void Region::EmitChunk(SplitGroup& group, Value t, const std::vector<Value>& tile_at) {
  ReduceSpec& spec = group.spec;
  const Shape& result = ResultShape(*group.members[0]);
  const int64_t chunk = group.chunk, chunks = group.partial.chunks,
                n = spec.dims[static_cast<size_t>(spec.split_dim)];
  spec.split_extent = chunk;
  spec.split_exact =
      n % chunk == 0 && chunk % std::max(plan_->reduce_cols, plan_->reduce_rows) == 0;
  spec.split_lo = IndexOp(OpCode::kMul, t, Int(chunk));
  spec.split_hi = IndexAdd(spec.split_lo, Int(chunk));
  if (n % chunk != 0) spec.split_hi = IndexOp(OpCode::kMin, spec.split_hi, Int(n));
  // Another one may be longer: of this one the last chunk is empty then.
  if (n <= (chunks - 1) * chunk) {
    spec.split_exact = false;
    spec.split_lo = IndexOp(OpCode::kMin, spec.split_lo, Int(n));
    spec.split_hi = IndexOp(OpCode::kMin, spec.split_hi, Int(n));
  }
  if (plan_->split_sweep > 1) return SweepPartials(spec, group.partial, t);
  Coords kept;
  auto store = [&](const Frame& frame) {
    const std::vector<Parts> sums = ReduceLoops(spec, kept, frame);
    Coords at{Coord{t}};
    at.insert(at.end(), kept.begin(), kept.end());
    StorePartials(group.partial, at, frame.cols, sums,
                  MaskOf(frame, Type{ElementType::PRED, 1, frame.cols}));
  };
  std::function<void(int64_t)> each = [&](int64_t d) {
    if (d == result.rank()) return store(Frame{});
    const int64_t extent = result.dimension(d), step = group.StepOf(d, plan_->tile_cols);
    auto body = [&](Value at) {
      kept.push_back(Coord{at, 0, step > 1 ? 1 : 0, {0, extent}});
      if (step > 1) {
        Frame frame;
        frame.cols = static_cast<int>(step);
        frame.cols_depth = b_.depth();
        if (extent % step != 0) frame.col_bound = Bound{at, Int(extent)};
        store(frame);
      } else {
        each(d + 1);
      }
      kept.pop_back();
    };
    if (plan_->split_tiles_are_tasks) return body(tile_at[static_cast<size_t>(d)]);
    Loop(kernel::LoopKind::kSeq, Int(0), Int(extent), step, TailOf(*plan_, extent % step), {},
         [&](Value iv, const Values&) {
           body(iv);
           return Values{};
         });
  };
  each(0);
}

std::vector<Parts> Region::LoadPartials(const Partial& partial,
                                        const std::vector<ElementType>& types, const Coords& at,
                                        const Frame& frame) {
  Values v;
  for (int buffer : partial.buffers) v.push_back(LoadReal(buffer, at, frame, 1, 0));
  return Unflatten(v, types);
}

void Region::StorePartials(const Partial& partial, const Coords& at, int cols,
                           const std::vector<Parts>& sums, Value mask) {
  std::vector<kernel::Index> index;
  for (const Coord& c : at) index.push_back({c.base, c.rows, c.cols});
  const Values v = Flatten(sums);
  for (size_t k = 0; k < v.size(); ++k) {
    const Type tile{b_.type(v[k]).elem, 1, cols};
    b_.Store(Widen(v[k], tile), partial.buffers[k], index, mask);
  }
}

// A chunk's results are one row of accumulators in memory, or a few. Several rows of what is
// reduced at a time are read from end to end and added to them. Accumulators in registers would be
// a few columns of every row, of which memory gives two thirds in the same time.
void Region::SweepPartials(const ReduceSpec& spec, const Partial& partial, Value chunk) {
  const auto reduced = static_cast<size_t>(spec.reduced[0]);
  size_t columns = spec.dims.size() - 1;
  if (columns == reduced) --columns;
  const int64_t extent = spec.dims[columns], width = plan_->tile_cols;
  int64_t rows = 1;
  for (size_t d = 0; d < spec.dims.size(); ++d)
    if (d != reduced && d != columns) rows *= spec.dims[d];
  // Where the accumulators of a tile's columns are, row by row, and the elements that they take,
  // but for the reduced axis.
  struct Tile {
    Frame frame;
    std::vector<Coords> elements, accumulators;
  };
  using Sums = std::vector<std::vector<Parts>>;  // a row each
  Value panel_lo = Int(0), panel_hi = Int(extent);
  auto update = [&](const std::function<Sums(const Tile&)>& body) {
    Loop(kernel::LoopKind::kSeq, panel_lo, panel_hi, width, TailOf(*plan_, extent % width), {},
         [&](Value c, const Values&) {
           Tile t;
           t.frame.cols = static_cast<int>(width);
           t.frame.cols_depth = b_.depth();
           if (extent % width != 0) t.frame.col_bound = Bound{c, Int(extent)};
           for (int64_t row = 0; row < rows; ++row) {
             Coords element(spec.dims.size(), Coord{Int(0)}), accumulator{Coord{chunk}};
             element[columns] = Coord{c, 0, 1, {0, extent}};
             int64_t rest = row;
             for (size_t d = element.size(); d-- > 0;) {
               if (d == reduced || d == columns) continue;
               element[d] = Coord{Int(rest % spec.dims[d])};
               rest /= spec.dims[d];
             }
             for (size_t d = 0; d < element.size(); ++d)
               if (d != reduced) accumulator.push_back(element[d]);
             t.elements.push_back(std::move(element));
             t.accumulators.push_back(std::move(accumulator));
           }
           const Value mask = MaskOf(t.frame, Type{ElementType::PRED, 1, t.frame.cols});
           const Sums sums = body(t);
           for (size_t row = 0; row < sums.size(); ++row)
             StorePartials(partial, t.accumulators[row], t.frame.cols, sums[row], mask);
           return Values{};
         });
  };
  auto add = [&](Value first, int count) {
    update([&](const Tile& t) {
      Sums sums;
      for (const Coords& at : t.accumulators)
        sums.push_back(LoadPartials(partial, spec.types, at, t.frame));
      for (int k = 0; k < count; ++k) {
        const Value index = IndexAdd(first, Int(k));
        for (size_t row = 0; row < sums.size(); ++row) {
          Coords at = t.elements[row];
          at[reduced] = Coord{index, 0, 0, {0, spec.dims[reduced]}};
          sums[row] = spec.Take(sums[row], spec.load(at, t.frame));
        }
      }
      return sums;
    });
  };
  const int side_by_side = plan_->split_sweep;
  const Value length = IndexOp(OpCode::kSub, spec.split_hi, spec.split_lo),
              left = IndexOp(OpCode::kRem, length, Int(side_by_side)),
              whole = IndexOp(OpCode::kSub, spec.split_hi, left);
  auto sweep = [&] {
    update([&](const Tile& t) { return Sums(t.elements.size(), spec.init); });
    Loop(kernel::LoopKind::kSeq, spec.split_lo, whole, side_by_side, Tail::kExact, {},
         [&](Value k, const Values&) {
           add(k, side_by_side);
           return Values{};
         });
    if (spec.dims[reduced] % side_by_side == 0) return;
    Loop(kernel::LoopKind::kSeq, whole, spec.split_hi, 1, Tail::kExact, {},
         [&](Value k, const Values&) {
           add(k, 1);
           return Values{};
         });
  };
  const int64_t panel = plan_->split_panel;
  if (panel >= extent) return sweep();
  Loop(kernel::LoopKind::kSeq, Int(0), Int(extent), panel,
       extent % panel != 0 ? Tail::kMasked : Tail::kExact, {}, [&](Value lo, const Values&) {
         panel_lo = lo;
         panel_hi = IndexAdd(lo, Int(panel));
         if (extent % panel != 0) panel_hi = IndexOp(OpCode::kMin, panel_hi, Int(extent));
         sweep();
         return Values{};
       });
}

}  // namespace sinter::emit
