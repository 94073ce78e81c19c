#include "ir/verify/graph_checks.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"

namespace sinter::verify {

absl::Status At(const HloInstruction& i, const absl::Status& s) {
  std::string text =
      Format("{} %{}: {}", i.parent() ? i.parent()->name() : "?", i.name(), MessageOf(s));
  const Metadata& m = i.metadata();
  if (!m.source_file.empty()) text += Format(" ({}:{})", m.source_file, m.source_line);
  return absl::Status(s.code(), text);
}

absl::Status CheckOwnership(const HloModule& m) {
  absl::flat_hash_set<const HloComputation*> computations;
  absl::flat_hash_set<std::string> computation_names;
  for (const auto& c : m.computations()) {
    computations.insert(c.get());
    if (c->module() != &m) return Internal("{}: belongs to another module", c->name());
    if (!computation_names.insert(c->name()).second)
      return InvalidArgument("two computations {}", c->name());
  }
  if (!m.entry()) return InvalidArgument("module {} has no entry", m.name());
  if (!computations.contains(m.entry()))
    return Internal("module {}: the entry is not its own", m.name());

  std::vector<bool> ids(static_cast<size_t>(m.IdLimit()));
  for (const auto& c : m.computations()) {
    absl::flat_hash_set<const HloInstruction*> own;
    absl::flat_hash_set<std::string> names;
    for (const auto& i : c->instructions()) own.insert(i.get());
    if (!c->root()) return InvalidArgument("{}: has no root", c->name());
    if (!own.contains(c->root())) return Internal("{}: the root is not its own", c->name());
    for (const HloInstruction* p : c->parameters()) {
      if (p && !own.contains(p)) return Internal("{}: a parameter is not its own", c->name());
    }
    for (const auto& i : c->instructions()) {
      if (i->parent() != c.get())
        return At(*i, Internal("is in {}, but says another parent", c->name()));
      if (i->id() < 0 || i->id() >= m.IdLimit() || ids[static_cast<size_t>(i->id())]) {
        return At(*i, Internal("the id {} is not unique or not below {}", i->id(), m.IdLimit()));
      }
      ids[static_cast<size_t>(i->id())] = true;
      if (i->name().empty()) return At(*i, Internal("has no name"));
      if (!names.insert(i->name()).second)
        return At(*i, Internal("the name is not unique in the computation"));
      for (const HloInstruction* operand : i->operands()) {
        if (!own.contains(operand))
          return At(*i, Internal("an operand is not of the same computation"));
      }
      for (const HloComputation* called : i->called()) {
        if (!computations.contains(called))
          return At(*i, Internal("calls a computation of no or another module"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckUsers(const HloModule& m) {
  absl::flat_hash_set<std::pair<const HloInstruction*, const HloInstruction*>> uses;
  for (const auto& c : m.computations()) {
    uses.clear();
    for (const auto& i : c->instructions()) {
      for (const HloInstruction* operand : i->operands()) uses.emplace(operand, i.get());
    }
    for (const auto& i : c->instructions()) {
      for (const HloInstruction* user : i->users()) {
        // A user listed twice is missing the second time.
        if (!uses.erase({i.get(), user}))
          return At(*i, Internal("has a user that is listed twice or does not use it"));
      }
    }
    if (!uses.empty()) {
      auto [operand, user] = *uses.begin();
      return At(*user, Internal("is not among the users of its operand %{}", operand->name()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNoRecursion(const HloModule& m) {
  // Callees come first in the order, unless there is a cycle.
  absl::flat_hash_set<const HloComputation*> done;
  for (const HloComputation* c : m.AllInOrder()) {
    for (const auto& i : c->instructions()) {
      for (const HloComputation* called : i->called()) {
        if (called == m.entry()) return At(*i, InvalidArgument("calls the entry"));
        if (!done.contains(called))
          return At(*i, InvalidArgument("computation {} calls itself", called->name()));
      }
    }
    done.insert(c);
  }
  return absl::OkStatus();
}

absl::Status CheckNoCycle(const HloComputation& c) {
  absl::flat_hash_set<const HloInstruction*> done;
  for (const HloInstruction* i : c.AllInOrder()) {
    for (const HloInstruction* operand : i->operands()) {
      if (!done.contains(operand))
        return At(*i, Internal("depends on itself through %{}", operand->name()));
    }
    done.insert(i);
  }
  return absl::OkStatus();
}

}  // namespace sinter::verify
