// Values that several groups read. The groups become one where they run over it alike: of means and
// squares of the same array, of losses and gradients, each would read all of it again. Else each of
// them may compute the value for itself.
#include <algorithm>
#include <set>

#include "absl/algorithm/container.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/op_cost.h"
#include "ir/results.h"
#include "passes/fusion/groups.h"
#include "passes/fusion/kinds.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::fusion {
namespace {

// Whether a group is one loop of its own, of which nothing depends on what memory holds when it
// runs, and whose results may be more.
bool IsPlain(const Group& g) {
  return g.bases.empty() && !g.closed && !g.scatters() && !g.elements_loop && g.chain.empty();
}

// Reductions of one result whose elements are taken in any order, so that sums stay in blocks.
bool ReducesByOneOperation(const HloInstruction& i) {
  if (i.op() != HloOpcode::Reduce || i.shape().is_tuple()) return false;
  const HloInstruction* root = i.called(0)->root();
  return root->operands().size() == 2 &&
         absl::c_all_of(root->operands(), [](auto* o) { return o->op() == HloOpcode::Parameter; });
}

// Whether they run over the same axes, of about the same extents: of differences along one axis
// or another a row is missing.
bool RunAlike(const HloInstruction& a, const HloInstruction& b) {
  const Shape &x = a.operand(0)->shape(), &y = b.operand(0)->shape();
  if (x.rank() != y.rank() || a.dimensions() != b.dimensions()) return false;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t least = std::min(x.dimension(d), y.dimension(d)),
                  most = std::max(x.dimension(d), y.dimension(d));
    if (least != most && (most - least) * tuning::kAlikeExtents > most) return false;
  }
  return true;
}

// Whether the group reads each element of the value where it computes the same element of its
// outputs, and nowhere else.
bool ReadsInPlace(const HloInstruction& value, const Group& g) {
  Group numbers = g;  // of which the axes of accesses are taken
  const Accesses accesses = AccessesIn(value, numbers);
  return accesses.size() == 1 && IsIdentity(accesses[0], g.dims.size()) &&
         PlacesIn(value, g) == Places{{0, 1}};
}

// Axes of the outputs along which the plan is cut, as what members read changes from one part of a
// concatenate or pad to the next.
std::set<int> CutAxes(const Group& g) {
  std::set<int> axes;
  auto add = [&](const HloInstruction* i, size_t d) {
    for (const Access& access : g.accesses.at(i))
      for (const auto& [axis, coefficient] : access[d]) axes.insert(axis);
  };
  for (const HloInstruction* i : g.members) {
    if (i->op() == HloOpcode::Concatenate) add(i, static_cast<size_t>(i->dimensions()[0]));
    if (i->op() != HloOpcode::Pad) continue;
    const auto& pad = i->attrs<PadAttrs>();
    for (size_t d = 0; d < pad.low.size(); ++d)
      if (pad.low[d] != 0 || pad.high[d] != 0 || pad.interior[d] != 0) add(i, d);
  }
  return axes;
}

// Whether each element is computed from one of each operand, if from any.
bool IsByElement(const HloInstruction& i) {
  return IsElementwise(i.op()) || i.op() == HloOpcode::Broadcast || i.op() == HloOpcode::Constant ||
         i.op() == HloOpcode::Iota || i.op() == HloOpcode::Reshape;
}

// Whether a group computes elements from others at constant distances, and nothing else.
bool IsStencil(const Group& g) {
  return absl::c_all_of(g.members, [](const HloInstruction* i) {
    return IsByElement(*i) ||
           (MovesElements(i->op()) && (i->op() != HloOpcode::Slice || HasUnitStrides(*i)));
  });
}

// Whether a value that a group reads is an array, and not computed from a few numbers.
bool IsArray(const HloInstruction* i) {
  return i->op() != HloOpcode::Broadcast && i->op() != HloOpcode::Iota && !i->shape().is_scalar();
}

// Whether half of the bytes that the one reads, or the other, both read, and a plan is cut for
// either alike: steps of several fields (Gray and Scott's reaction, shallow water).
bool ReadAlike(const Group& a, const Group& b) {
  if (!IsStencil(a) || !IsStencil(b)) return false;
  int64_t of_a = 0, of_b = 0, of_both = 0;
  for (const HloInstruction* i : a.reads) {
    if (!IsArray(i)) continue;
    of_a += i->shape().byte_size();
    if (b.reads.contains(i)) of_both += i->shape().byte_size();
  }
  for (const HloInstruction* i : b.reads) of_b += IsArray(i) ? i->shape().byte_size() : 0;
  return 2 * of_both >= std::min(of_a, of_b) && CutAxes(a) == CutAxes(b);
}

}  // namespace

bool AreSiblings(const Group& a, const Group& b, const HloInstruction& value,
                 const FusionOptions& options) {
  if (!options.target.joins_siblings() || a.dims != b.dims || !IsPlain(a) || !IsPlain(b) ||
      a.outputs.size() + b.outputs.size() > tuning::kMostOutputs ||
      static_cast<int>(a.members.size() + b.members.size()) > options.max_instructions ||
      a.cost + b.cost > options.max_cost || a.reads.size() + b.reads.size() > options.max_arrays ||
      a.loops.empty() != b.loops.empty())
    return false;
  if (a.loops.empty()) {
    // Parts of other arrays may be read beside.
    auto is_by_element = [](const HloInstruction* i) {
      return IsByElement(*i) || i->op() == HloOpcode::DynamicSlice;
    };
    const bool are_by_element =
        absl::c_all_of(a.members, is_by_element) && absl::c_all_of(b.members, is_by_element);
    return are_by_element ? ReadsInPlace(value, a) && ReadsInPlace(value, b)
                          : IsArray(&value) && ReadAlike(a, b);
  }
  // The reductions read most of their elements from the value, or from what is made of it.
  const Shape& shape = ResultShape(value);
  for (const Group* g : {&a, &b}) {
    for (const HloInstruction* l : g->loops) {
      if (!ReducesByOneOperation(*l) || !RunAlike(*l, *a.loops[0]) ||
          g->accesses.at(l) != a.accesses.at(a.loops[0]) ||
          2 * shape.element_count() < l->operand(0)->shape().element_count())
        return false;
    }
  }
  return true;
}

// What both say of a member, where the other says anything.
template <class Numbers>
static void TakeMost(const HloInstruction* member, Numbers& own, const Numbers& other) {
  const auto of_other = other.find(member);
  if (of_other == other.end()) return;
  auto& most = own[member];
  most = std::max(most, of_other->second);
}

void Merge(Group& a, const Group& b) {
  absl::c_copy(b.outputs, std::back_inserter(a.outputs));
  for (HloInstruction* m : b.members) {
    if (!a.contains(m)) a.members.push_back(m);
    auto [known, is_new] = a.accesses.emplace(m, b.accesses.at(m));
    for (const Access& access : b.accesses.at(m))
      if (!is_new && !absl::c_linear_search(known->second, access)) known->second.push_back(access);
    TakeMost(m, a.repeats, b.repeats);
    TakeMost(m, a.look_ups, b.look_ups);
    TakeMost(m, a.computed_again, b.computed_again);
    const Places& places = b.places.at(m);
    a.places[m].insert(places.begin(), places.end());
    TakeMost(m, a.depth, b.depth);
  }
  a.reads.insert(b.reads.begin(), b.reads.end());
  absl::erase_if(a.reads, [&](const HloInstruction* i) { return a.contains(i); });
  for (HloInstruction* l : b.loops)
    if (!absl::c_linear_search(a.loops, l)) a.loops.push_back(l);
  a.cost += b.cost;
  a.repeated += b.repeated;
  a.next_inner = std::max(a.next_inner, b.next_inner);
}

// Whether most of an array that is in memory in any case is read in its order.
static bool IsPartInMemory(const HloInstruction& i) {
  if (i.op() != HloOpcode::Slice || !HasUnitStrides(i) ||
      2 * i.shape().element_count() < i.operand(0)->shape().element_count())
    return false;
  const HloInstruction& array = *i.operand(0);
  return !IsComputing(array) || array.users().size() > 1;
}

// Arrays as large as the value, which are read for it where what it alone is made of is computed
// with it; up to a number that says enough.
static absl::flat_hash_set<const HloInstruction*> ArraysBehind(const HloInstruction& i) {
  constexpr size_t kEnough = 16;
  absl::flat_hash_set<const HloInstruction*> arrays;
  std::vector<const HloInstruction*> stack{&i};
  while (!stack.empty() && arrays.size() < kEnough) {
    const HloInstruction* x = stack.back();
    stack.pop_back();
    for (const HloInstruction* o : x->operands()) {
      const bool is_small = o->op() == HloOpcode::Broadcast || o->op() == HloOpcode::Iota ||
                            o->op() == HloOpcode::Constant || o->shape().is_scalar();
      if (is_small) continue;
      if (IsElementwise(o->op()) && o->users().size() == 1) {
        stack.push_back(o);
      } else {
        arrays.insert(o);
      }
    }
  }
  return arrays;
}

bool IsWorthRepeating(const HloInstruction& i, absl::Span<Group* const> readers, double behind,
                      const TargetInfo& target) {
  if (readers.size() > 1 && IsPartInMemory(i)) return true;
  if (readers.size() < 2 || !IsElementwise(i.op()) || !i.shape().is_array()) return false;
  // What reads parts of it in steps, or shifted, would read so what it is made of.
  const bool is_cut = absl::c_any_of(i.users(), [](const HloInstruction* user) {
    return user->op() == HloOpcode::Slice || user->op() == HloOpcode::Concatenate ||
           user->op() == HloOpcode::Pad || user->op() == HloOpcode::Reverse;
  });
  if (is_cut) return false;
  // Either way something is read: the value is written and each reader reads it, and what it is
  // made of is read once; or each reader reads all of that which it does not read for something
  // else.
  const auto arrays = ArraysBehind(i);
  size_t again = 0;
  for (const HloInstruction* array : arrays) {
    for (const Group* g : readers) {
      const bool reads = absl::c_any_of(array->users(), [&](const HloInstruction* user) {
        return g->contains(user) && user != &i;
      });
      again += reads ? 0 : 1;
    }
  }
  if (again >= readers.size() + std::max<size_t>(1, arrays.size()) + 1) return false;
  const auto n = static_cast<double>(i.shape().element_count());
  const double repeated = (behind + OpCost(i)) * n * static_cast<double>(readers.size() - 1);
  return PriceOf(target, repeated, 0) <=
         PriceOfKernel(target, 0, static_cast<double>(i.shape().byte_size()), 0);
}

}  // namespace sinter::fusion
