#include "passes/fusion/groups.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/scatter_updates.h"
#include "ir/results.h"
#include "passes/fusion/loops.h"
#include "passes/fusion/parts.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::fusion {
namespace {

// Accesses of what is computed for each of them, and of what is moved only.
constexpr size_t kMaxAccesses = 8, kMaxMoves = 16;
// Chains of slices, pads and concatenations, as of scans by halves, would double the places with
// each link.
constexpr size_t kMaxPlaces = 16;

void AddAccess(Accesses& all, Access access) {
  if (std::find(all.begin(), all.end(), access) == all.end()) all.push_back(std::move(access));
}

Access ReduceAccess(const HloInstruction& reduce, size_t k, const Access& access, int first_inner) {
  if (k >= reduce.operands().size() / 2) return {};
  Access full;
  size_t kept = 0;
  for (int64_t d = 0; d < reduce.operand(0)->shape().rank(); ++d) {
    if (std::find(reduce.dimensions().begin(), reduce.dimensions().end(), d) !=
        reduce.dimensions().end()) {
      full.push_back({{first_inner++, 1}});
    } else {
      full.push_back(access[kept++]);
    }
  }
  return full;
}

Access DotAccess(const HloInstruction& dot, size_t side, const Access& access, int first_inner) {
  const auto& a = dot.attrs<DotAttrs>();
  const Dims& batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
  const Dims& contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  const Shape& s = dot.operand(side)->shape();
  size_t free = batch.size();
  if (side == 1)
    free += static_cast<size_t>(dot.operand(0)->shape().rank()) - batch.size() - contracting.size();
  Access c(static_cast<size_t>(s.rank()));
  for (int64_t d = 0; d < s.rank(); ++d) {
    auto b = std::find(batch.begin(), batch.end(), d);
    auto k = std::find(contracting.begin(), contracting.end(), d);
    if (b != batch.end()) {
      c[static_cast<size_t>(d)] = access[static_cast<size_t>(b - batch.begin())];
    } else if (k != contracting.end()) {
      c[static_cast<size_t>(d)] = {{first_inner + static_cast<int>(k - contracting.begin()), 1}};
    } else {
      c[static_cast<size_t>(d)] = access[free++];
    }
  }
  return c;
}

// Where elements are put apart, one of the operand follows the axes, but as no sum of theirs: with
// a coefficient of 0.
Access PadAccess(const HloInstruction& pad, Access access) {
  const auto& interior = pad.attrs<PadAttrs>().interior;
  for (size_t d = 0; d < access.size(); ++d) {
    if (interior[d] == 0) continue;
    for (auto& [axis, coefficient] : access[d]) coefficient = 0;
  }
  return access;
}

template <class Test>
bool AnyAxis(const Access& access, const Test& test) {
  return absl::c_any_of(access, [&](const AxisSet& terms) {
    return absl::c_any_of(terms, [&](const auto& term) { return test(term.first); });
  });
}

// Whether it depends on a dimension that is reduced.
bool IsInner(const Access& access) {
  return AnyAxis(access, [](int axis) { return axis >= kInner; });
}

// The product of times(axis) over the axes of the outputs that the access does not follow.
template <class Times>
double ProductOfOthers(const Access& access, const Group& group, const Times& times) {
  double product = 1;
  for (size_t axis = 0; axis < group.dims.size(); ++axis) {
    if (!AnyAxis(access, [&](int a) { return a == static_cast<int>(axis); }))
      product *= static_cast<double>(times(axis));
  }
  return product;
}

// How often the group has one of the elements that are read at these axes: once for each element of
// the others. A tile of rows, the last axis but one, shares what depends on its columns (operands
// of a product that is not packed).
double RepeatsAlong(const Access& access, const Group& group, int64_t tile_rows = 1) {
  return ProductOfOthers(access, group, [&](size_t axis) {
    const int64_t n = group.dims[axis];
    const bool is_in_tile = axis + 2 == group.dims.size();
    return is_in_tile ? (n + tile_rows - 1) / tile_rows : n;
  });
}

// How often reductions compute one of the elements that are read at these axes: for each of their
// results along the other axes, but for short ones, which are in one tile.
double RepeatsOfResults(const Access& access, const Group& group) {
  return ProductOfOthers(access, group, [&](size_t axis) -> int64_t {
    const int64_t n = group.dims[axis];
    const bool is_of_results = group.loop_axes.contains(static_cast<int>(axis));
    return is_of_results && n > tuning::kMostSharedRows ? n : 1;
  });
}

// Whether elements are moved and nothing is computed, but for tests of borders that the pieces of a
// plan have not.
bool IsMove(const HloInstruction& i) {
  if (i.op() == HloOpcode::Pad)
    return absl::c_all_of(i.attrs<PadAttrs>().interior, [](int64_t n) { return n == 0; });
  return OpCost(i) == 0;
}

// Whether an operand repeats what a reduction comes to.
bool IsNormalized(const HloInstruction& i) {
  return IsElementwise(i.op()) && absl::c_any_of(i.operands(), [](const HloInstruction* o) {
           if (o->op() != HloOpcode::Broadcast) return false;
           for (o = o->operand(0); (IsElementwise(o->op()) || o->op() == HloOpcode::Reshape) &&
                                   !o->operands().empty();)
             o = o->operand(o->operands().size() - 1);
           return o->op() == HloOpcode::Reduce;
         });
}

const HloInstruction& ScatterOf(const Group& group) {
  const HloInstruction* output = group.outputs[0];
  return *(output->op() == HloOpcode::GetTupleElement ? output->operand(0) : output);
}

// Elements that one by one take as long as one element of a scatter's updates: those of a vector,
// where no window runs along one and index vectors do not either; and those of other threads, where
// one has all updates.
double ScatterLanes(const Group& group, const TargetInfo& target) {
  const HloInstruction& scatter = ScatterOf(group);
  const CpuMachine* cpu = target.cpu();
  if (VectorDimension(scatter) >= 0)
    return SharesUpdates(scatter) || cpu == nullptr ? 1 : cpu->threads;
  const Dims& windows = scatter.attrs<ScatterAttrs>().update_window_dims;
  const auto minor = static_cast<int64_t>(group.dims.size()) - 1;
  const bool has_columns = absl::c_linear_search(windows, minor) && group.dims.back() > 1;
  return has_columns ? 1 : LanesOf(target);
}

// Whether a row of the result is in as many rows of the operand.
bool CrossesRows(const HloInstruction& i) {
  return i.op() == HloOpcode::Transpose && !i.dimensions().empty() &&
         i.dimensions().back() != i.shape().rank() - 1;
}

// Whether a row of the region is a column of the array that a slice is of.
bool IsColumn(const HloInstruction& i, const Accesses& accesses, const Group& group) {
  if (i.op() != HloOpcode::Slice || group.dims.empty() || i.shape().rank() < 2 ||
      i.shape().dimensions().back() != 1 || i.operand(0)->shape().dimensions().back() == 1)
    return false;
  const int minor = static_cast<int>(group.dims.size()) - 1;
  return absl::c_any_of(accesses, [&](Access a) {
    a.pop_back();  // what the minor axis follows is another dimension
    return AnyAxis(a, [&](int axis) { return axis == minor; });
  });
}

// Whether vectors of the region run across what a slice takes by steps along its rows. Squares of
// neighbours are transposed in registers; others are put together lane by lane.
bool StepsAcross(const HloInstruction& i, const Accesses& accesses, const Group& group) {
  if (i.op() != HloOpcode::Slice || i.shape().rank() < 2 || group.dims.empty() ||
      !group.loops.empty() || i.attrs<SliceAttrs>().strides.back() == 1)
    return false;
  const int minor = static_cast<int>(group.dims.size()) - 1;
  auto is_minor = [&](int axis) { return axis == minor; };
  return absl::c_any_of(accesses, [&](const Access& a) {
    return AnyAxis(a, is_minor) && !AnyAxis({a.back()}, is_minor);
  });
}

// Whether a transpose makes of what memory runs along in its operand a batch of the product.
bool MovesRowsToBatch(const HloInstruction& i, const Accesses& accesses,
                      const HloInstruction& dot) {
  if (!CrossesRows(i)) return false;
  const auto minor = absl::c_find(i.dimensions(), i.shape().rank() - 1) - i.dimensions().begin();
  const auto batch = static_cast<int>(dot.attrs<DotAttrs>().lhs_batch_dims.size());
  return absl::c_any_of(accesses, [&](const Access& a) {
    const AxisSet& axes = a[static_cast<size_t>(minor)];
    return axes.size() == 1 && axes[0].first < batch;
  });
}

bool HasProduct(const Group& group) {
  return absl::c_any_of(group.loops, [](auto* l) { return l->op() == HloOpcode::Dot; });
}

bool IsAxis(const AxisSet& followed, size_t d) {
  return followed.size() == 1 && followed[0] == std::pair<int, int64_t>(static_cast<int>(d), 1);
}

// How many arrays the group would read if it computed `producer`, which it reads.
size_t ReadsWith(const HloInstruction& producer, const Group& group) {
  size_t reads = group.reads.size() - group.reads.count(&producer);
  for (const HloInstruction* o : producer.operands()) {
    if (o->op() != HloOpcode::Constant && !group.contains(o) && !group.reads.contains(o)) ++reads;
  }
  return reads;
}

}  // namespace

bool IsIdentity(const Access& access, size_t rank) {
  if (access.size() != rank) return false;
  for (size_t d = 0; d < rank; ++d)
    if (!IsAxis(access[d], d)) return false;
  return true;
}

bool IsInPlace(const Access& access, absl::Span<const int64_t> dims) {
  if (access.size() != dims.size()) return false;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1 && !IsAxis(access[d], d)) return false;
  return true;
}

Accesses OperandAccesses(const HloInstruction& user, size_t k, const Accesses& accesses,
                         Group& group) {
  Accesses all;
  const HloInstruction& o = *user.operand(k);
  const int first_inner = group.next_inner;
  if (IsLoop(user)) group.next_inner += 8;
  for (const Access& access : accesses) {
    if (user.op() == HloOpcode::GetTupleElement) {
      AddAccess(all, access);
      continue;
    }
    if (user.op() == HloOpcode::Reduce) {
      AddAccess(all, ReduceAccess(user, k, access, first_inner));
      continue;
    }
    if (user.op() == HloOpcode::Dot) {
      AddAccess(all, DotAccess(user, k, access, first_inner));
      continue;
    }
    if (user.op() == HloOpcode::While || user.op() == HloOpcode::Tuple) {
      // The state of a loop: of arrays each element by itself.
      const bool same =
          o.shape().is_tuple() || o.shape().rank() == static_cast<int64_t>(access.size());
      AddAccess(all, same ? access : Access());
      continue;
    }
    if (user.op() == HloOpcode::Pad && k == 0) {
      AddAccess(all, PadAccess(user, access));
      continue;
    }
    auto map = OperandIndexMap(user, k);
    if (!map) {
      AddAccess(all, Access(static_cast<size_t>(o.shape().is_array() ? o.shape().rank() : 0)));
      continue;
    }
    Access next;
    for (const IndexExpr& e : *map) {
      AxisSet axes;
      for (const IndexTerm& t : e.terms) {
        for (const auto& [axis, c] : access[static_cast<size_t>(t.dimension)])
          axes.push_back({axis, c * t.coefficient});
      }
      next.push_back(std::move(axes));
    }
    AddAccess(all, std::move(next));
  }
  return all;
}

Accesses AccessesIn(const HloInstruction& producer, Group& group) {
  Accesses all;
  // Maps with an offset read other elements than maps without: they count as accesses of their own.
  size_t shifted = 0;
  for (const HloInstruction* u : UsersIn(producer, group)) {
    const Accesses of_user = group.accesses.at(u);
    for (size_t k = 0; k < u->operands().size(); ++k) {
      if (u->operand(k) != &producer) continue;
      if (Shifts(u->op(), k)) ++shifted;
      for (Access& r : OperandAccesses(*u, k, of_user, group)) AddAccess(all, std::move(r));
    }
  }
  // Several users of which one shifts: at least two distinct accesses, even if their axes are the
  // same.
  if (shifted > 0 && shifted + all.size() > 2) {
    for (size_t extra = 1; extra < shifted; ++extra) all.push_back(all.front());
  }
  return all;
}

bool IsLittleCode(const HloInstruction& i, absl::Span<Group* const> readers) {
  return OpCost(i) == 0 || absl::c_all_of(readers, [](const Group* g) {
           return g->repeated < tuning::kMostRepeatedMembers;
         });
}

int DepthIn(const HloInstruction& producer, const Group& group) {
  int depth = 0;
  for (const HloInstruction* user : UsersIn(producer, group))
    depth = std::max(depth, group.depth.at(user));
  return depth + 1;
}

FusionDecision CanJoin(const HloInstruction& p, const Accesses& accesses, const Group& group,
                       const FusionOptions& options) {
  using Reason = FusionReason;
  if (group.closed && p.op() != HloOpcode::Constant) return {Reason::kTakesNoProducers};
  if (accesses.empty()) return {Reason::kNoRegion};
  if (group.chain.contains(&p)) return {};
  const size_t shared = SharedElements(group);
  if (accesses.size() > (IsMove(p) ? std::max(kMaxMoves, shared) : kMaxAccesses))
    return {Reason::kManyAccesses};
  if (DepthIn(p, group) > options.max_depth) return {Reason::kLarge};
  // Windows and slices of a value in memory are not worth more memory, however large the region;
  // where a loop in it begins to count tells how long it is.
  if (p.op() != HloOpcode::Constant && p.op() != HloOpcode::Windows && p.op() != HloOpcode::Slice &&
      p.op() != HloOpcode::Reshape &&
      (static_cast<int>(group.members.size()) >= options.max_instructions ||
       group.cost + OpCost(p) > options.max_cost))
    return {Reason::kLarge};
  if (const size_t reads = ReadsWith(p, group);
      reads > options.max_arrays && reads > group.reads.size())
    return {Reason::kManyArrays};
  const Places places = PlacesIn(p, group);
  if (places.size() > std::max(kMaxPlaces, shared)) return {Reason::kManyPlaces};
  const double own = static_cast<double>(ResultShape(p).element_count());
  if (const double repeats = Repeats(p, group); repeats > 1) {
    // The rows of a product are elements that all lanes of a vector share.
    const bool is_of_rows = HasProduct(group) && !absl::c_any_of(accesses, [&](const Access& a) {
                              return AnyAxis(a, [&](int axis) {
                                return axis + 1 == static_cast<int>(group.dims.size());
                              });
                            });
    const double lanes = is_of_rows ? LanesOf(options.target) : 1;
    const auto decision =
        CompareWithMemory(p, Reason::kRepeated, own * repeats * lanes, options.target);
    if (!decision.joins()) return decision;
  }
  if (const auto d = CanLookUp(p, accesses, group, options.target); !d.joins()) return d;
  // A loop that elements run by themselves carries as many registers as fit: what comes before it
  // is elementwise, or looked up element by element.
  if (group.elements_loop && !IsElementwise(p.op()) && p.op() != HloOpcode::Broadcast &&
      p.op() != HloOpcode::Gather && p.op() != HloOpcode::Iota && p.op() != HloOpcode::Constant)
    return {Reason::kLoopByElements};
  if (group.scatters() && IsLoop(p)) return {Reason::kScatter};
  // Each element would be loaded from a line of memory of its own.
  if (group.scatters() && CrossesRows(p) && p.shape().byte_size() > tuning::kScatteredAcross)
    return {Reason::kScatter};
  // A product is computed tile by tile where the outputs are; a reduction runs again at each place.
  if (p.op() == HloOpcode::Dot && places != Places{{0, 1}}) return {Reason::kOtherElement};
  if (const double times = SumOfParts(places); p.op() == HloOpcode::Reduce && times > 1) {
    const double terms =
        static_cast<double>(p.operand(0)->shape().element_count()) / std::max(1., own);
    const auto decision =
        CompareWithMemory(p, Reason::kComputedOften, own * times, options.target, terms);
    if (!decision.joins()) return decision;
  }
  if (IsLoop(p)) return CanJoinLoop(p, accesses, group, options.target);
  switch (p.op()) {
    case HloOpcode::Constant:
      return {p.shape().is_scalar() ? Reason::kJoins : Reason::kNoRegion};
    case HloOpcode::Iota:
    case HloOpcode::OptimizationBarrier:
      return {p.op() == HloOpcode::Iota ? Reason::kJoins : Reason::kNoRegion};
    case HloOpcode::BitcastConvert:
      if (IsByteView(p)) return {Reason::kView};
      break;
    case HloOpcode::Reshape:
      if (!OperandIndexMap(p, 0)) return {Reason::kReshape};
      if (IsView(p)) return {Reason::kView};
      break;
    case HloOpcode::Slice:
      if (IsView(p) && !absl::c_linear_search(group.bases, p.operand(0))) return {Reason::kView};
      break;
    case HloOpcode::Broadcast:
    case HloOpcode::Transpose:
    case HloOpcode::Reverse:
    case HloOpcode::Windows:
    case HloOpcode::DynamicSlice:
    case HloOpcode::DynamicUpdateSlice:
    case HloOpcode::Gather:
      break;
    case HloOpcode::Concatenate:
    case HloOpcode::Pad:
      if (const auto d =
              CanReadParts(p, accesses, places, group, HasProduct(group), options.target);
          !d.joins())
        return d;
      break;
    default:
      if (!IsElementwise(p.op())) return {Reason::kNoRegion};
  }
  double cost = OpCost(p);
  // A scatter walks its updates one window after another, most often element by element: all that
  // it computes there is to take less than a kernel that has vectors.
  if (group.scatters() && cost > 0) {
    if (cost >= tuning::kWorthCaching && VectorDimension(ScatterOf(group)) < 0)
      return {Reason::kScatter};
    const auto decision =
        CompareWithMemory(p, Reason::kScatter, own * ScatterLanes(group, options.target),
                          options.target, group.cost + cost);
    if (!decision.joins()) return decision;
  }
  // The operands of a product are read once for each row or column of the result (each band, where
  // they are packed).
  for (const HloInstruction* l : group.loops) {
    if (l->op() != HloOpcode::Dot) continue;
    const CpuMachine* cpu = options.target.cpu();
    const bool is_packed =
        IsWorthPacking(*l, cpu) && (cpu == nullptr || !HasUnpackedWindows(*l, *cpu));
    double repeats = 0;
    for (const Access& r : accesses) {
      if (IsInner(r)) repeats = std::max(repeats, RepeatsAlong(r, group, tuning::kProductTileRows));
    }
    if (repeats == 0) continue;
    // Windows, and what they are multiplied by, are packed only if the latter is larger than a
    // cache.
    const bool has_windows = absl::c_any_of(
        l->operands(), [](const HloInstruction* o) { return o->op() == HloOpcode::Windows; });
    // So is what was turned so that vectors find it in one place
    // (passes/layout/unpacked_products.h).
    const ProductExtents e = ExtentsOf(*l);
    const bool is_right = l->operand(1) == &p;
    // The left one is read number by number, but where sums run along vectors.
    const bool is_turned = !is_packed && (is_right ? e.m : e.n) >= tuning::kRowsOfVector &&
                           (is_right || IsReadAcross(l->operand(1)->shape(), {},
                                                     l->attrs<DotAttrs>().rhs_contracting_dims));
    if ((has_windows || is_turned) && CrossesRows(p)) {
      const auto decision =
          CompareWithMemory(p, Reason::kPrologue, own * repeats, options.target,
                            is_turned ? tuning::kElementsOfLine : tuning::kMoveAcrossRows);
      if (!decision.joins()) return decision;
    }
    // Each product of a batch would read as much memory as all of them need.
    if ((is_packed || is_turned) && MovesRowsToBatch(p, accesses, *l)) {
      const auto decision = CompareWithMemory(p, Reason::kPrologue, tuning::kElementsOfLine * own,
                                              options.target, tuning::kMoveAcrossRows);
      if (!decision.joins()) return decision;
    }
    // Nobody knows yet how many bands there are. What a row is divided by would be a kernel of its
    // own, beside what it is reduced from.
    if (is_packed && (cost >= tuning::kWorthCaching || IsNormalized(p))) return {Reason::kPrologue};
    if (!is_packed) {
      const auto decision = CompareWithMemory(p, Reason::kPrologue, own * repeats, options.target);
      if (!decision.joins()) return decision;
      if (const auto d = CanComputeRows(p, *l, own * repeats, options.target); !d.joins()) return d;
    }
  }
  // Rows that are crossed again and again are moved once; those of products have had their say.
  if ((CrossesRows(p) || IsColumn(p, accesses, group)) && !HasProduct(group)) {
    double repeats = 1;
    for (const Access& r : accesses) repeats = std::max(repeats, RepeatsAlong(r, group));
    if (repeats > 1) {
      const auto decision = CompareWithMemory(p, Reason::kComputedOften, own * repeats,
                                              options.target, tuning::kMoveAcrossRows);
      if (!decision.joins()) return decision;
    }
  }
  if (options.target.cpu() != nullptr && StepsAcross(p, accesses, group)) {
    const double lanes = own * static_cast<double>(places.size()) * tuning::kGatheredElement,
                 fused = PriceOf(options.target, lanes, 0),
                 apart = PriceOfKernel(options.target, own,
                                       static_cast<double>(p.shape().byte_size()), fused);
    const auto decision = ChooseCheaper(Reason::kMasked, fused, apart);
    if (!decision.joins()) return decision;
  }
  if (IsMove(p)) return {};
  if (const auto d = CanComputeAgain(p, accesses, places, group, options.target); !d.joins())
    return d;
  // Where it is computed more often than it has elements, so is all that it alone is made of.
  // Below, a value at one place of the outputs is priced by its last operation alone: with all of
  // it ten of 64 random programs took 1.1 to 1.6 times as long, for 1.02 times in the mean.
  const bool is_repeated = absl::c_any_of(accesses, [&](const Access& a) {
    return IsInner(a) ? !HasProduct(group) && RepeatsOfResults(a, group) > 2
                      : TurnsOf(a, group) > 2 * own;
  });
  if (is_repeated) cost = OwnCost(p);
  if (cost < tuning::kWorthCaching)
    return {accesses.size() > 4 ? Reason::kManyAccesses : Reason::kJoins};
  // Worth caching: computed once for each of its own elements, and again at each other place.
  const double more_often = std::max(SumOfParts(places) - 1, 0.);
  if (accesses.size() > 1 && group.loops.empty()) {
    Accesses unique;
    for (const Access& r : accesses) AddAccess(unique, r);
    double computed = 0, most = 0;
    for (const Access& r : unique) {
      computed += TurnsOf(r, group);
      most = std::max(most, ElementsAt(r, group));
    }
    return CompareWithMemory(p, Reason::kComputedOften, computed + more_often * most,
                             options.target, cost);
  }
  for (const Access& r : accesses) {
    if (IsInner(r)) {
      // Products have said what they repeat.
      if (HasProduct(group)) continue;
      const auto decision = CompareWithMemory(
          p, Reason::kComputedOften, own * RepeatsOfResults(r, group), options.target, cost);
      if (!decision.joins()) return decision;
      continue;
    }
    const auto decision =
        CompareWithMemory(p, Reason::kComputedOften,
                          TurnsOf(r, group) + more_often * ElementsAt(r, group), options.target);
    if (!decision.joins()) return decision;
  }
  return {};
}

}  // namespace sinter::fusion
