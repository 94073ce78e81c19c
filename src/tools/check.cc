#include "tools/check.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "sinter/testing.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

bool IsCheckCall(const HloInstruction& i) {
  return i.op() == HloOpcode::CustomCall && IsCheck(i.attrs<CustomCallAttrs>().custom_call_target);
}

// Computations that hold checks, directly or through what they call.
absl::flat_hash_set<const HloComputation*> HoldingChecks(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> holding;
  for (const HloComputation* c : module.PostOrder()) {
    for (const auto& i : c->instructions()) {
      bool holds = IsCheckCall(*i);
      for (const HloComputation* called : i->called()) holds |= holding.contains(called);
      if (holds) holding.insert(c);
    }
  }
  return holding;
}

// Copies `callee` into `into`; what it checks is copied too, unlike by Computation::Inline, which
// copies what the root needs.
HloInstruction* InlineWhole(const HloComputation& callee,
                            const std::vector<HloInstruction*>& arguments, HloComputation* into) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const HloInstruction* i : callee.PostOrder()) {
    if (i->op() == HloOpcode::Parameter) {
      copies[i] = arguments[static_cast<size_t>(i->attrs<ParameterAttrs>().number)];
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* o : i->operands()) operands.push_back(copies.at(o));
    copies[i] =
        into->AddWithShape(i->op(), i->shape(), operands, i->attributes(), i->called(), i->name());
    copies[i]->set_metadata(i->metadata());
  }
  return copies.at(callee.root());
}

absl::Status InlineChecks(HloModule* module) {
  auto holding = HoldingChecks(*module);
  HloComputation* entry = module->entry();
  // Inlined instructions are appended and visited later.
  for (size_t n = 0; n < entry->instructions().size(); ++n) {
    HloInstruction* i = entry->instructions()[n].get();
    bool holds = false;
    for (const HloComputation* called : i->called()) holds |= holding.contains(called);
    if (!holds) continue;
    if (i->op() != HloOpcode::Call) {
      return AtPlace(Unimplemented("{}: checks inside of it, on a compiled device", Name(i->op())),
                     i->metadata());
    }
    HloInstruction* root = InlineWhole(*i->called(0), i->operands(), entry);
    entry->ReplaceAllUses(i, root);
  }
  // Calls that have been replaced still hold checks, so they count as side effects: remove them by
  // hand.
  for (size_t n = entry->instructions().size(); n-- > 0;) {
    HloInstruction* i = entry->instructions()[n].get();
    if (i->op() == HloOpcode::Call && holding.contains(i->called(0))) entry->Remove(i);
  }
  return absl::OkStatus();
}

bool Reorders(const HloModule& module) {
  for (const HloComputation* c : module.PostOrder()) {
    for (const auto& i : c->instructions()) {
      OpKind kind = Info(i->op()).kind;
      if (kind == OpKind::kReduction || kind == OpKind::kContraction) return true;
      if (i->op() == HloOpcode::Fft || i->op() == HloOpcode::Cholesky ||
          i->op() == HloOpcode::TriangularSolve)
        return true;
    }
  }
  return false;
}

}  // namespace

absl::Status AtPlace(const absl::Status& status, const Metadata& place) {
  if (status.ok() || place.source_line == 0) return status;
  absl::Status located(
      status.code(), Format("{}:{}: {}", place.source_file, place.source_line, MessageOf(status)));
  return InFile(located, place.source_file);
}

absl::StatusOr<CheckedProgram> ExtractChecks(const HloModule& module) {
  CheckedProgram p;
  p.module = module.Clone();
  p.reorders = Reorders(module);
  HloComputation* entry = p.module->entry();
  std::vector<Shape> leaves;
  FlattenShape(entry->root()->shape(), &leaves);
  p.results = leaves.size();
  if (!HoldingChecks(*p.module).contains(entry)) return p;
  RETURN_IF_ERROR(InlineChecks(p.module.get()));

  std::vector<HloInstruction*> results{entry->root()}, checks;
  for (const auto& i : entry->instructions()) {
    if (IsCheckCall(*i)) checks.push_back(i.get());
  }
  for (HloInstruction* i : checks) {
    const auto& attrs = i->attrs<CustomCallAttrs>();
    if (i->operands().size() != 2 || !i->users().empty()) {
      return AtPlace(
          InvalidArgument("{} takes 2 operands and has no result", attrs.custom_call_target),
          i->metadata());
    }
    std::vector<Shape> operand;
    FlattenShape(i->operand(0)->shape(), &operand);
    p.checks.push_back({attrs.custom_call_target, attrs.opaque, i->metadata(), operand.size()});
    results.insert(results.end(), i->operands().begin(), i->operands().end());
  }
  // A program may return what its check gives: nothing.
  if (IsCheckCall(*results[0])) {
    ASSIGN_OR_RETURN(results[0], entry->Add(HloOpcode::Tuple, std::vector<HloInstruction*>{}));
  }
  ASSIGN_OR_RETURN(HloInstruction * root, entry->Add(HloOpcode::Tuple, results));
  entry->set_root(root);
  for (HloInstruction* i : checks) entry->Remove(i);
  for (auto& alias : p.module->aliases()) alias.output_index.insert(alias.output_index.begin(), 0);
  p.module->RemoveUnreachable();
  return p;
}

absl::Status RunChecks(const CheckedProgram& program, absl::Span<const Literal> leaves,
                       bool strict) {
  size_t next = program.results;
  CheckRules rules{.strict = strict, .reorders = program.reorders, .by_ulp = strict};
  for (const ExtractedCheck& check : program.checks) {
    if (next + 2 * check.leaves > leaves.size()) return Internal("a check has lost its operands");
    for (size_t k = 0; k < check.leaves; ++k) {
      const Literal pair[] = {leaves[next + k], leaves[next + check.leaves + k]};
      absl::Status s = RunCheck(check.target, check.options, pair, rules);
      if (!s.ok()) return AtPlace(s, check.place);
    }
    next += 2 * check.leaves;
  }
  return absl::OkStatus();
}

}  // namespace sinter::tools
