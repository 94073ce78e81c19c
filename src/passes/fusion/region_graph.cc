#include "passes/fusion/region_graph.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace sinter::fusion {

void RegionGraph::Add(const HloInstruction* i, Group* group) {
  in_[i].push_back(group);
  if (!views_.contains(i)) level_.erase(i);
}

template <typename F>
void RegionGraph::ForEachReader(const HloInstruction* value, const F& f) const {
  for (const HloInstruction* u : value->users()) {
    const auto in = in_.find(u);
    if (in == in_.end() || views_.contains(u)) f(Node{u, nullptr});
    if (in == in_.end()) continue;
    for (Group* g : in->second)
      if (!g->contains(value)) f(Node{nullptr, g});
  }
}

int RegionGraph::LevelOf(const Node& node) const {
  if (node.group != nullptr) return node.group->level;
  const auto known = level_.find(node.instruction);
  return known == level_.end() ? 0 : known->second;
}

int RegionGraph::LevelAbove(const HloInstruction* value) const {
  int level = 0;
  ForEachReader(value, [&](const Node& n) { level = std::max(level, LevelOf(n) + 1); });
  return level;
}

void RegionGraph::Placed(const HloInstruction* i) {
  if (!in_.contains(i) || views_.contains(i)) level_[i] = LevelAbove(i);
}

void RegionGraph::Raise(Group* group) {
  int level = group->level;
  for (const HloInstruction* o : group->outputs) level = std::max(level, LevelAbove(o));
  if (level > group->level) SetLevel({nullptr, group}, level);
}

void RegionGraph::SetLevel(const Node& first, int first_level) {
  // The lowest first, so that no node is raised to a level twice.
  auto is_higher = [](const auto& a, const auto& b) { return a.second > b.second; };
  std::vector<std::pair<Node, int>> raised{{first, first_level}};
  auto raise = [&](const Node& node, int level) {
    raised.emplace_back(node, level);
    absl::c_push_heap(raised, is_higher);
  };
  while (!raised.empty()) {
    absl::c_pop_heap(raised, is_higher);
    const auto [node, level] = raised.back();
    raised.pop_back();
    if (LevelOf(node) >= level) continue;
    (node.group != nullptr ? node.group->level : level_[node.instruction]) = level;
    auto raise_sources = [&, group = node.group, above = level + 1](const HloInstruction* reader) {
      for (const HloInstruction* o : reader->operands()) {
        if (group != nullptr && group->contains(o)) continue;
        if (level_.contains(o)) raise({o, nullptr}, above);
        const auto in = in_.find(o);
        if (in == in_.end()) continue;
        for (Group* g : in->second)
          if (absl::c_linear_search(g->outputs, o)) raise({nullptr, g}, above);
      }
    };
    if (node.group == nullptr) {
      raise_sources(node.instruction);
    } else {
      absl::c_for_each(node.group->members, raise_sources);
    }
  }
}

void RegionGraph::Absorb(Group* group, const Group* other) {
  for (const HloInstruction* m : other->members) {
    std::vector<Group*>& in = in_[m];
    std::erase(in, other);
    if (!absl::c_linear_search(in, group)) in.push_back(group);
  }
  // What `other` reads is below the level that it had.
  const int level = std::max(group->level, other->level);
  group->level = -1;
  SetLevel({nullptr, group}, level);
}

Consumers RegionGraph::ConsumersOf(const HloInstruction* i) {
  Consumers r;
  r.outside = i == i->parent()->root();
  ++searches_;
  for (const HloInstruction* u : i->users()) {
    auto it = in_.find(u);
    r.outside |= it == in_.end() || views_.contains(u);
    if (it == in_.end()) continue;
    for (Group* g : it->second) {
      if (std::exchange(g->found_by, searches_) != searches_) r.groups.push_back(g);
    }
  }
  return r;
}

bool RegionGraph::ReachesThroughOthers(const HloInstruction* i, const Group* target) const {
  constexpr size_t kLimit = 2000;
  absl::flat_hash_set<const void*> seen;
  std::vector<const HloInstruction*> stack;
  bool reaches = false;
  auto visit_readers = [&](const HloInstruction* value) {
    ForEachReader(value, [&](const Node& n) {
      if (n.group == target) {
        reaches |= value != i;
        return;
      }
      if (LevelOf(n) <= target->level) return;
      const void* key = n.group != nullptr ? static_cast<const void*>(n.group) : n.instruction;
      if (!seen.insert(key).second) return;
      if (n.group == nullptr) {
        stack.push_back(n.instruction);
      } else {  // all of a region's results come at once
        stack.insert(stack.end(), n.group->outputs.begin(), n.group->outputs.end());
      }
    });
  };
  visit_readers(i);
  while (!stack.empty() && !reaches) {
    if (seen.size() > kLimit) return true;
    const HloInstruction* x = stack.back();
    stack.pop_back();
    visit_readers(x);
  }
  return reaches;
}

bool RegionGraph::Needs(const Group* group, const HloInstruction* value) {
  return absl::c_linear_search(ConsumersOf(value).groups, group) ||
         ReachesThroughOthers(value, group);
}

bool RegionGraph::DependsOn(const Group* group, const Group* other) {
  return absl::c_any_of(other->outputs, [&](const HloInstruction* o) { return Needs(group, o); });
}

}  // namespace sinter::fusion
