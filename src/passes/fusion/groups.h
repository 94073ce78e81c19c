// The regions that fusion forms, while it forms them.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "passes/fusion/decision.h"
#include "passes/fusion/fusion.h"
#include "passes/fusion/kinds.h"
#include "passes/fusion/places.h"

namespace sinter::fusion {

// How the outputs of a region access one of its nodes: for each dimension of the node the region's
// axes that it follows, with a coefficient of 0 where its coordinate is no sum of theirs. Axes
// below kInner are dimensions of the outputs, others were opened by a reduction or product.
inline constexpr int kInner = 64;
using AxisSet = absl::InlinedVector<std::pair<int, int64_t>, 1>;  // axis, coefficient
using Access = std::vector<AxisSet>;
using Accesses = std::vector<Access>;

struct Group {
  int id = 0;
  std::vector<HloInstruction*> outputs;
  std::vector<HloInstruction*> members;                           // users before producers
  absl::flat_hash_map<const HloInstruction*, Accesses> accesses;  // of each member
  std::vector<int64_t> dims;                                      // of the outputs
  std::vector<HloInstruction*> loops;  // reductions and products among the members
  absl::flat_hash_set<int> loop_axes;  // output axes that the reductions keep
  bool closed = false;                 // takes no producers but scalar constants
  bool elements_loop = false;          // a loop over arrays that each element runs by itself
  // Of a dynamic-update-slice or scatter that writes only its windows: for each output the operand
  // that it writes over, so that the result can take over its storage: nothing else of it is read
  // in the region than a window's own elements. Else empty.
  std::vector<const HloInstruction*> bases;
  // How often an element of a member is read, where windows that overlap read it.
  absl::flat_hash_map<const HloInstruction*, double> repeats;
  // How many elements of a member are computed for what is looked up (LookUps).
  absl::flat_hash_map<const HloInstruction*, double> look_ups;
  // Of each member the coordinates at which the region computes it. Accesses know no offsets.
  absl::flat_hash_map<const HloInstruction*, Places> places;
  // What an element of the outputs costs more than if each member were computed at one place, along
  // the way from the outputs to this member, where it does (ComputedAgain).
  absl::flat_hash_map<const HloInstruction*, double> computed_again;
  // Of each member how many instructions, itself included, stand between the outputs and it: code
  // is emitted by going down such a chain.
  absl::flat_hash_map<const HloInstruction*, int> depth;
  // Where the region's product is the second of a ProductChain, what leads to it from the first.
  absl::flat_hash_set<const HloInstruction*> chain;
  double cost = 0;
  // Members that other regions compute too.
  int repeated = 0;
  // What members read and the group does not compute.
  absl::flat_hash_set<const HloInstruction*> reads;
  // The last search for readers that came by: each region counts once.
  int64_t found_by = 0;
  int level = 0;  // RegionGraph
  int next_inner = kInner;
  bool scatters() const {
    return outputs[0]->op() == HloOpcode::Scatter ||
           (outputs[0]->op() == HloOpcode::GetTupleElement &&
            outputs[0]->operand(0)->op() == HloOpcode::Scatter);
  }
  bool contains(const HloInstruction* i) const { return accesses.contains(i); }
};

// The accesses to operand `k` of `user` that follow from `accesses` to `user`, without duplicates.
// `group` numbers the axes that the user opens.
Accesses OperandAccesses(const HloInstruction& user, size_t k, const Accesses& accesses,
                         Group& group);

// The accesses to `producer` from all its users in the group.
Accesses AccessesIn(const HloInstruction& producer, Group& group);

// How often the group would read each element of `producer`, at least 1: windows that overlap read
// elements several times, and what is computed where they read is computed as often; so is a part
// of a concatenate or pad, where vectors compute all parts and choose.
double Repeats(const HloInstruction& producer, const Group& group);

// The users of the value that are members: one by one, or where it has very many, as constants may
// have, by what the members use.
std::vector<const HloInstruction*> UsersIn(const HloInstruction& value, const Group& group);

// At which coordinates the group would compute `producer` for its users.
Places PlacesIn(const HloInstruction& producer, const Group& group);

// Of how many single elements, side by side along a short axis, the region's only output is put
// together (rows of small matrices whose elements are arrays of their own); else 1. What several of
// them are computed from is computed once for all of them: a plan writes that axis out.
size_t SharedElements(const Group& group);

// What it would cost to compute `producer`, at `cost` an element, and what is computed of it, at
// all places but one, in OpCost for each element of the outputs.
double ComputedAgain(const HloInstruction& producer, const Places& places, const Group& group,
                     double cost);

// Whether a value, what it alone is computed from, and what is computed of it may be computed at
// all `places` rather than be read from memory.
FusionDecision CanComputeAgain(const HloInstruction& producer, const Accesses& accesses,
                               const Places& places, const Group& group, const TargetInfo& target);
// Whether the group may compute an output at `places` beside those where it is put into memory,
// rather than read it there.
FusionDecision CanComputeOutputAgain(const HloInstruction& output, Places places,
                                     const Group& group, const TargetInfo& target);

// Elements of the outputs' axes that the access follows.
double ElementsAt(const Access& access, const Group& group);
// How often loops over the outputs, outermost first, compute what is at these coordinates: in the
// innermost loop of them, thus again in each turn of those around it, and outside of those within.
double TurnsOf(const Access& access, const Group& group);

// Its depth as a member, by its users in the group.
int DepthIn(const HloInstruction& producer, const Group& group);

// Whether `producer`, all or some of whose users are members, can be computed inside the region,
// and else why not.
FusionDecision CanJoin(const HloInstruction& producer, const Accesses& accesses, const Group& group,
                       const FusionOptions& options);

// Whether two groups that read `value` are one nest of loops: its elements are then read once. That
// neither needs what the other computes is the caller's to know.
bool AreSiblings(const Group& a, const Group& b, const HloInstruction& value,
                 const FusionOptions& options);

// `b` becomes part of `a`.
void Merge(Group& a, const Group& b);

// Whether one more copy of its code is little beside what it stands for. Regions that each repeated
// all that is before them, as of a chain of indices, would be code of the square of the program's
// length.
bool IsLittleCode(const HloInstruction& instruction, absl::Span<Group* const> readers);

// Whether `readers` regions had better compute the value each than read it from memory, where one
// of them would have to put it: what it is computed from is no more to read, and little to compute,
// as is what they repeat `behind` it, in OpCost.
bool IsWorthRepeating(const HloInstruction& instruction, absl::Span<Group* const> readers,
                      double behind, const TargetInfo& target);

// Whether each dimension follows the output axis of its own number.
bool IsIdentity(const Access& access, size_t rank);
// The same but for dimensions of one element.
bool IsInPlace(const Access& access, absl::Span<const int64_t> dims);

}  // namespace sinter::fusion
