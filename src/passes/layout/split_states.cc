#include "passes/layout/split_states.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/carries.h"
#include "passes/layout/part_writer.h"
#include "passes/layout/split_array.h"
#include "passes/layout/split_groups.h"
#include "target/tuning.h"

namespace sinter {
namespace {

using layout::PartWriter;
using layout::SplitArray;
using Instructions = std::vector<HloInstruction*>;

// Rounds in which members are found: operands of members, users of those, and so on.
constexpr int kMostRounds = 8;

class SplitLoop {
 public:
  explicit SplitLoop(HloInstruction& loop)
      : loop_(loop),
        body_(*loop.called(1)),
        state_(*body_.parameter(0)),
        order_(body_.PostOrder()) {}

  bool Run() {
    if (!FindCarries()) return false;
    FindMembers();
    if (members_.empty()) return false;
    Connect();
    std::vector<size_t> chosen;
    for (size_t k = 0; k < carries_.size(); ++k)
      if (carries_[k] && IsSplit(*carries_[k])) chosen.push_back(k);
    if (chosen.empty()) return false;
    Split(chosen);
    return true;
  }

 private:
  // Carries and operations on their parts that are connected: all are split, or none.
  struct Group {
    size_t parent = 0;
    int64_t operations = 0;
    double single = 0;  // the work of long operations on parts that are single elements
    bool rows_meet = false, needs_whole = false;
    bool changes = false;  // from turn to turn
  };

  size_t NewGroup(int64_t operations = 0) {
    groups_.push_back({groups_.size(), operations});
    return groups_.size() - 1;
  }
  size_t Find(size_t g) {
    while (groups_[g].parent != g) g = groups_[g].parent = groups_[groups_[g].parent].parent;
    return g;
  }
  void Join(size_t x, size_t y) {
    x = Find(x), y = Find(y);
    if (x == y) return;
    groups_[y].parent = x;
    groups_[x].operations += groups_[y].operations;
    groups_[x].single += groups_[y].single;
    groups_[x].rows_meet |= groups_[y].rows_meet;
    groups_[x].needs_whole |= groups_[y].needs_whole;
    groups_[x].changes |= groups_[y].changes;
  }
  bool IsSplit(size_t g) {
    const Group& group = groups_[Find(g)];
    return group.rows_meet && group.changes && !group.needs_whole &&
           group.operations <= layout::kMostOperations && group.single <= tuning::kMostSingleWork;
  }

  // --- what may be split

  // 0 for what is none of rows: rows have parts, if only one.
  int64_t PartsOf(const HloInstruction* i) {
    const auto [at, is_new] = parts_.try_emplace(i, 0);
    if (!is_new) return at->second;
    const auto split = i->shape().is_array() ? SplitArray::Of(*i) : std::nullopt;
    return at->second = split && !split->short_dims.empty() ? split->parts : 0;
  }
  bool CanSplit(const HloInstruction* i) {
    const auto [at, is_new] = can_split_.try_emplace(i, false);
    if (is_new) at->second = i->shape().is_array() && layout::CanSplit(*i);
    return at->second;
  }
  bool IsOfRows(const HloInstruction* i) { return of_.contains(i) && PartsOf(i) > 0; }

  bool FindCarries() {
    const std::vector<bool> compared = UsedElements(*loop_.called(0)->parameter(0));
    const HloInstruction &start = *loop_.operand(0), &next = *body_.root();
    carries_.resize(compared.size());
    for (size_t k = 0; k < carries_.size(); ++k) {
      const Shape& shape = state_.shape().tuple_shapes()[k];
      const auto split = shape.is_array() ? SplitArray::Of(shape) : std::nullopt;
      if (compared[k] || !split || split->parts < 2 || split->parts > tuning::kMostCarriedRows)
        continue;
      // Reshapes may be split otherwise than their shapes are.
      auto is_split_so = [&](const HloInstruction& x) {
        const auto own = SplitArray::Of(x);
        return own && own->parts == split->parts && own->part == split->part;
      };
      if (is_split_so(*next.operand(k)) &&
          (start.op() != HloOpcode::Tuple || is_split_so(*start.operand(k))))
        carries_[k] = NewGroup();
    }
    for (const HloInstruction* i : order_)
      if (IsElementOf(i, &state_) && carries_[IndexOf(i)]) of_[i] = *carries_[IndexOf(i)];
    return absl::c_any_of(carries_, [](const auto& c) { return c.has_value(); });
  }

  bool Add(HloInstruction* i) {
    if (of_.contains(i) || !CanSplit(i)) return false;
    const SplitArray split = *SplitArray::Of(*i);
    of_[i] = NewGroup(layout::OperationsOf(*i, split));
    const double cost = OpCost(*i);
    if (split.PartElements() == 1 && cost > tuning::kLongOperation)
      groups_.back().single = cost * static_cast<double>(split.parts);
    return true;
  }
  // What is computed of rows, and what that and the next state are computed of.
  void FindMembers() {
    const HloInstruction* next = body_.root();
    bool more = true;
    for (int round = 0; more && round < kMostRounds; ++round) {
      more = false;
      for (HloInstruction* i : order_) {
        if (absl::c_any_of(i->operands(), [&](const HloInstruction* o) { return IsOfRows(o); }))
          more |= Add(i);
      }
      for (size_t k = 0; k < carries_.size(); ++k)
        if (carries_[k]) more |= Add(next->operand(k));
      for (size_t k = order_.size(); k-- > 0;) {
        HloInstruction* i = order_[k];
        if (!of_.contains(i) || IsElementOf(i, &state_)) continue;
        for (HloInstruction* o : i->operands())
          if (PartsOf(o) > 0 && !layout::IsFree(*o)) more |= Add(o);
      }
    }
    for (HloInstruction* i : order_)
      if (of_.contains(i) && !IsElementOf(i, &state_)) members_.push_back(i);
  }

  // Operations that rows meet in: of the others, kernels and loops over elements are made without.
  static bool RowsMeet(const HloInstruction& i) {
    return !IsElementwise(i.op()) && !IsElementwiseBitcast(i) && i.op() != HloOpcode::Reshape &&
           i.op() != HloOpcode::Iota && !layout::IsFree(i);
  }
  // Whether parts can be cut out of what is not split where they are used.
  bool MayEnter(const HloInstruction& i) const {
    const OpKind kind = Info(i.op()).kind;
    return kind == OpKind::kElementwise || kind == OpKind::kIndexMap ||
           i.op() == HloOpcode::Constant || i.op() == HloOpcode::Iota || IsElementOf(&i, &state_);
  }
  // Whether an operation that is not split takes the array put together as well.
  static bool MayLeave(const HloInstruction& user, const HloInstruction* i) {
    if (user.op() == HloOpcode::Reduce) return true;
    return user.op() == HloOpcode::DynamicUpdateSlice && user.operand(1) == i &&
           user.operand(0) != i;
  }

  void Connect() {
    const HloInstruction* next = body_.root();
    for (const HloInstruction* i : members_) {
      const size_t own = of_.at(i);
      if (RowsMeet(*i)) groups_[Find(own)].rows_meet = true;
      for (const HloInstruction* o : i->operands()) {
        if (const auto at = of_.find(o); at != of_.end()) {
          Join(own, at->second);
        } else if (PartsOf(o) > 1 && !MayEnter(*o)) {
          groups_[Find(own)].needs_whole = true;
        }
      }
    }
    for (size_t k = 0; k < carries_.size(); ++k) {
      if (!carries_[k]) continue;
      if (!IsPassedOn(loop_, k)) groups_[Find(*carries_[k])].changes = true;
      if (const auto at = of_.find(next->operand(k)); at != of_.end()) {
        Join(*carries_[k], at->second);
      } else if (!layout::IsFree(*next->operand(k))) {
        groups_[Find(*carries_[k])].needs_whole = true;
      }
    }
    const absl::flat_hash_set<const HloInstruction*> alive(order_.begin(), order_.end());
    for (const HloInstruction* i : order_) {
      if (!of_.contains(i) || PartsOf(i) < 2) continue;
      for (const HloInstruction* user : i->users()) {
        if (!alive.contains(user)) continue;
        if (user == next) {
          for (size_t k = 0; k < carries_.size(); ++k)
            if (next->operand(k) == i && !carries_[k]) groups_[Find(of_.at(i))].needs_whole = true;
        } else if (!of_.contains(user) && !MayLeave(*user, i)) {
          groups_[Find(of_.at(i))].needs_whole = true;
        }
      }
    }
  }

  // --- splitting

  void Split(const std::vector<size_t>& chosen) {
    HloComputation& around = *loop_.parent();
    const size_t before = carries_.size();
    PartWriter outside(around), inside(body_);
    Instructions initial;
    std::vector<size_t> parts;
    for (size_t k : chosen) {
      const Instructions of_carry = outside.PartsOf(InitialElement(loop_, k));
      initial.insert(initial.end(), of_carry.begin(), of_carry.end());
      parts.push_back(of_carry.size());
    }
    const Instructions elements = CarryMore(loop_, initial);
    Turn(chosen, parts, inside, elements);

    size_t next = before;
    const Instructions users = loop_.users();
    for (size_t c = 0; c < chosen.size(); ++c) {
      Instructions results;
      for (size_t p = 0; p < parts[c]; ++p) results.push_back(AddElement(&loop_, next++));
      for (HloInstruction* u : users) {
        if (IndexOf(u) != chosen[c] || (u->users().empty() && around.root() != u)) continue;
        outside.Give(u, results);
        around.ReplaceAllUses(u, outside.Assembled(u));
      }
    }
    std::vector<bool> kept(next, true);
    for (size_t k : chosen) kept[k] = false;
    DropCarries(loop_, kept);
  }

  // What the body does, on parts.
  void Turn(const std::vector<size_t>& chosen, const std::vector<size_t>& parts, PartWriter& inside,
            const Instructions& elements) {
    absl::flat_hash_map<size_t, Instructions> of_carry;
    auto element = elements.begin();
    for (size_t c = 0; c < chosen.size(); ++c) {
      const auto end = element + static_cast<ptrdiff_t>(parts[c]);
      of_carry[chosen[c]] = Instructions(element, end);
      element = end;
    }
    Instructions split;
    for (HloInstruction* i : order_) {
      const auto at = of_.find(i);
      if (at == of_.end() || !IsSplit(at->second)) continue;
      split.push_back(i);
      if (IsElementOf(i, &state_)) {
        inside.Give(i, of_carry.at(IndexOf(i)));
      } else {
        inside.Write(i);
      }
    }
    HloInstruction* root = body_.root();
    size_t next = carries_.size();
    for (size_t k : chosen)
      for (HloInstruction* part : inside.PartsOf(root->operand(k)))
        root->ReplaceOperand(next++, part);
    for (HloInstruction* i : split) {
      auto leaves = [&](const HloInstruction* u) {
        if (u != root) return !of_.contains(u) || !IsSplit(of_.at(u));
        for (size_t k = 0; k < carries_.size(); ++k)
          if (root->operand(k) == i && !absl::c_linear_search(chosen, k)) return true;
        return false;
      };
      if (absl::c_any_of(i->users(), leaves)) leaving_.push_back(i);
    }
    for (HloInstruction* i : leaving_) body_.ReplaceAllUses(i, inside.Assembled(i));
  }

  HloInstruction& loop_;
  HloComputation& body_;
  HloInstruction& state_;
  Instructions order_, members_, leaving_;
  std::vector<std::optional<size_t>> carries_;  // the groups of those that may be split
  std::vector<Group> groups_;
  absl::flat_hash_map<const HloInstruction*, size_t> of_;
  absl::flat_hash_map<const HloInstruction*, int64_t> parts_;
  absl::flat_hash_map<const HloInstruction*, bool> can_split_;
};

}  // namespace

std::unique_ptr<Pass> MakeSplitStatesPass() {
  return MakePass("split-states", [](HloModule& module) -> absl::StatusOr<bool> {
    const Callers callers = CountCallers(module);
    bool changed = false;
    // Inner loops first: their states are those of outer ones.
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      // Splitting one removes other instructions.
      Instructions loops = c->PostOrder();
      std::erase_if(loops, [&](const HloInstruction* i) { return !CarriesElements(*i, callers); });
      for (HloInstruction* loop : loops) own |= SplitLoop(*loop).Run();
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
