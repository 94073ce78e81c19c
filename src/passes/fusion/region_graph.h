// Which regions compute and read each value, while they are formed from users to producers, and
// what each of them needs from the others.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/fusion/groups.h"

namespace sinter::fusion {

// The groups that read a value, and whether anything else does.
struct Consumers {
  std::vector<Group*> groups;
  bool outside = false;
};

class RegionGraph {
 public:
  // `group` computes the instruction, whose users all have their places.
  void Add(const HloInstruction* i, Group* group);
  // Some readers look through the reshape at memory, others have it in their groups.
  void AddView(const HloInstruction* reshape) { views_.insert(reshape); }
  // The instruction has its place: in the groups that it was added to, or in none.
  void Placed(const HloInstruction* i);
  // The group gives further outputs than when it was last raised.
  void Raise(Group* group);
  // `other`, which has been merged into `group`, is gone.
  void Absorb(Group* group, const Group* other);

  bool contains(const HloInstruction* i) const { return in_.contains(i); }
  // Those that compute it.
  const std::vector<Group*>& GroupsOf(const HloInstruction* i) const { return in_.at(i); }
  Consumers ConsumersOf(const HloInstruction* i);

  // Whether `target` needs, by way of something outside it, a value computed from `i`. Where that
  // takes long to tell, true.
  bool ReachesThroughOthers(const HloInstruction* i, const Group* target) const;
  // Whether `group` needs the value, by whatever way.
  bool Needs(const Group* group, const HloInstruction* value);
  // Whether it so needs one that `other` computes.
  bool DependsOn(const Group* group, const Group* other);

 private:
  // A group, or an instruction in none.
  struct Node {
    const HloInstruction* instruction = nullptr;
    Group* group = nullptr;
  };
  // Calls `f` with each node that reads `value` from memory.
  template <typename F>
  void ForEachReader(const HloInstruction* value, const F& f) const;
  int LevelOf(const Node& node) const;
  // One more than the highest level of what reads the value.
  int LevelAbove(const HloInstruction* value) const;
  // Sets the level of a node, and raises what it reads from above it.
  void SetLevel(const Node& node, int level);

  absl::flat_hash_map<const HloInstruction*, std::vector<Group*>> in_;
  absl::flat_hash_set<const HloInstruction*> views_;
  // Of instructions in no group: the length of the longest way to a node that nothing reads. A node
  // reaches none that is not lower; so searches stay between two levels.
  absl::flat_hash_map<const HloInstruction*, int> level_;
  int64_t searches_ = 0;
};

}  // namespace sinter::fusion
