#include "frontend/stablehlo/lowering.h"
#include "ir/composite.h"
#include "ir/participants.h"

namespace sinter::stablehlo::lower {

absl::Status Call(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(const bool inlined, l.InlineDynamic(op, "callee"));
  if (inlined) return absl::OkStatus();
  ASSIGN_OR_RETURN(HloComputation * callee, l.Callee(op, "callee"));
  return l.AddResults(op, HloOpcode::Call, l.Operands(op), NoAttrs{}, {callee});
}

// The decomposition of a composite defines its meaning; targets may have code for its name. A
// composite with a region is the form in which an operation of CHLO with a region (chlo.scan) is
// exported to readers that do not know it: it is read as that operation.
absl::Status Composite(Lowering& l, const Operation& op, const OpRow&) {
  const Attribute* name = op.Find("name");
  const Attribute* attributes = op.Find("composite_attributes");
  if (!op.regions.empty() && name && name->text.starts_with("chlo.") && FindOp(name->text)) {
    Operation meant = op;
    meant.name = name->text;
    meant.attributes = attributes ? attributes->entries : std::vector<NamedAttribute>();
    return l.LowerOperation(meant);
  }
  ASSIGN_OR_RETURN(const bool inlined, l.InlineDynamic(op, "decomposition"));
  if (inlined) return absl::OkStatus();
  ASSIGN_OR_RETURN(HloComputation * callee, l.Callee(op, "decomposition"));
  ASSIGN_OR_RETURN(HloInstruction * call,
                   l.Add(op, HloOpcode::Call, l.Operands(op), NoAttrs{}, {callee}));
  CompositeCallInfo info;
  // The graph has no regions of composites: without them it is a plain call of the decomposition.
  if (name && op.regions.empty()) info.name = name->text;
  if (attributes && !attributes->entries.empty()) info.attributes = attributes->kept;
  if (const Attribute* version = op.Find("version")) info.version = version->integer;
  if (!info.name.empty()) SetComposite(call, info);
  return op.results.size() == 1 ? l.SetResult(op, call) : l.SetResults(op, call);
}

// On one device a computation that each device runs on its part, and one that has a name, become a
// part of their surroundings.
absl::Status Inline(Lowering& l, const Operation& op, const OpRow&) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs a region");
  ASSIGN_OR_RETURN(std::vector<HloInstruction*> returned, l.InlineRegion(op, op.regions[0]));
  if (returned.size() != op.results.size()) {
    return l.Invalid(op, "has {} results, but the region returns {} values", op.results.size(),
                     returned.size());
  }
  for (size_t i = 0; i < returned.size(); ++i) {
    if (Shape::Compatible(returned[i]->shape(), l.ResultShape(op, i))) continue;
    return l.Unsupported(op, "several devices: result {} is {}, of which each has {}", i,
                         ToText(l.ResultShape(op, i)), ToText(returned[i]->shape()));
  }
  return l.BindResults(op, returned);
}

// A future becomes its value.
absl::Status AsyncStart(Lowering& l, const Operation& op, const OpRow&) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs a region");
  ASSIGN_OR_RETURN(std::vector<HloInstruction*> returned, l.InlineRegion(op, op.regions[0]));
  for (HloInstruction* i : returned) MarkAsync(i);
  if (returned.size() == 1) return l.SetResult(op, returned[0]);
  return l.AddResult(op, HloOpcode::Tuple, returned);
}

absl::Status AsyncDone(Lowering& l, const Operation& op, const OpRow&) {
  if (op.operands.size() != 1) return l.Invalid(op, "takes 1 operand, got {}", op.operands.size());
  return l.SetResults(op, l.Operand(op, 0));
}

// Carried values, then captured ones, which the body passes on unchanged.
absl::Status While(Lowering& l, const Operation& op, const OpRow&) {
  if (op.regions.size() != 2) return l.Invalid(op, "needs a condition and a body");
  const Region &cond = op.regions[0], &body = op.regions[1];
  size_t n = op.operands.size();
  if (cond.arguments.size() != n || body.arguments.size() != n || body.returned.size() != n ||
      op.results.size() != n) {
    return l.Invalid(op,
                     "{} values are carried, but the condition takes {}, the body takes {} and "
                     "returns {}, and there are {} results",
                     n, cond.arguments.size(), body.arguments.size(), body.returned.size(),
                     op.results.size());
  }
  if (cond.returned.size() != 1) return l.Invalid(op, "the condition must return one value");
  ASSIGN_OR_RETURN(const Lowering::Loop parts, l.LowerLoop(op, l.Captures(op)));
  ASSIGN_OR_RETURN(HloInstruction * loop,
                   l.Add(op, HloOpcode::While, {parts.state}, NoAttrs{}, {parts.cond, parts.body}));
  return l.SetFirstResults(op, loop);
}

// stablehlo.case and stablehlo.if: each branch takes what it captures.
absl::Status Case(Lowering& l, const Operation& op, const OpRow&) {
  if (op.operands.size() != 1) return l.Invalid(op, "takes 1 operand, got {}", op.operands.size());
  if (op.name == "stablehlo.if" && op.regions.size() != 2) {
    return l.Invalid(op, "needs 2 branches, got {}", op.regions.size());
  }
  std::vector<HloInstruction*> operands = l.Operands(op);
  std::vector<HloComputation*> branches;
  for (const Region& region : op.regions) {
    std::vector<ValueId> captures = l.CapturesOf(region);
    ASSIGN_OR_RETURN(HloInstruction * operand, l.Pack(op, captures));
    operands.push_back(operand);
    std::vector<HloInstruction*> origins;
    for (ValueId id : captures) origins.push_back(l.Get(id));
    ASSIGN_OR_RETURN(
        HloComputation * branch,
        l.PackedBody(op, region, Format("branch{}", branches.size()), captures, {}, origins));
    branches.push_back(branch);
  }
  RETURN_IF_ERROR(l.JoinBranches(op, branches));
  return l.AddResults(op, HloOpcode::Conditional, operands, NoAttrs{}, branches);
}

// The segments say how many of the operands and results belong to carries.
absl::Status Scan(Lowering& l, const Operation& op, const OpRow&) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs 1 region, got {}", op.regions.size());
  auto segments = [&](std::string_view key, size_t count) -> absl::StatusOr<Dims> {
    ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, key));
    if (sizes.size() != 2 || sizes[0] < 0 || sizes[1] < 0 ||
        sizes[0] > static_cast<int64_t>(count) ||
        sizes[1] != static_cast<int64_t>(count) - sizes[0]) {
      return l.Invalid(op, "{} must be 2 numbers that add up to {}", key, count);
    }
    return sizes;
  };
  ScanAttrs attrs;
  ASSIGN_OR_RETURN(int64_t dimension, l.RequireInteger(op, "dimension"));
  ASSIGN_OR_RETURN(Dims operands, segments("operandSegmentSizes", op.operands.size()));
  ASSIGN_OR_RETURN(Dims results, segments("resultSegmentSizes", op.results.size()));
  if (operands[1] != results[1])
    return l.Invalid(op, "{} carries begin, but {} result", operands[1], results[1]);
  attrs.dimensions = {dimension};
  attrs.num_carries = operands[1];
  attrs.is_reverse = op.Flag("is_reverse");
  attrs.is_associative = op.Flag("is_associative");
  if (op.Find("scan_dim_size")) {
    ASSIGN_OR_RETURN(int64_t size, l.RequireInteger(op, "scan_dim_size"));
    const Shape& x = op.operands.empty() ? Shape::Token() : l.Operand(op, 0)->shape();
    if (operands[0] > 0 && 0 <= dimension && dimension < x.rank() &&
        x.dimension(dimension) != size) {
      return l.Invalid(op, "scan_dim_size is {}, but dimension {} of the inputs is {}", size,
                       dimension, x.dimension(dimension));
    }
  }
  ASSIGN_OR_RETURN(HloComputation * body, l.Body(op, op.regions[0], "body"));
  return l.AddResults(op, HloOpcode::Scan, l.Operands(op), std::move(attrs), {body});
}

}  // namespace sinter::stablehlo::lower
