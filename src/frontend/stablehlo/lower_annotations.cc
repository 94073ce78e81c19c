// Operations and calls that say where values are placed, and change none.
#include "base/status.h"
#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/preserved_attributes.h"
#include "ir/annotation_call.h"

namespace sinter::stablehlo::lower {
namespace {

// An operation that only annotates its operand becomes a copy, which has the operation's text as an
// annotation and which simplification removes. Where the operand is no array or there is no text,
// it becomes the operand itself.
absl::StatusOr<HloInstruction*> AnnotatedCopy(Lowering& l, const Operation& op, size_t operand,
                                              std::string text) {
  HloInstruction* x = l.Operand(op, operand);
  if (text.empty() || !x->shape().is_array()) return x;
  ASSIGN_OR_RETURN(HloInstruction * copy, l.Add(op, HloOpcode::Copy, {x}));
  copy->set_annotations({{std::string(kIdentity), std::move(text)}});
  return copy;
}

// sdy.sharding_constraint %0 <@mesh, [{"x"}]>, also from the generic form.
std::string AnnotationText(const Operation& op) {
  if (const Attribute* text = op.Find("annotation")) return text->text;
  const Attribute* sharding = op.Find("sharding");
  const bool is_form = op.name == "sdy.sharding_constraint" || op.name == "sdy.reshard";
  if (!is_form || sharding == nullptr) return "";
  const size_t open = sharding->kept.find('<');
  return open == std::string::npos ? "" : Format("{} %0 {}", op.name, sharding->kept.substr(open));
}

}  // namespace

absl::Status Identity(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(HloInstruction * x, AnnotatedCopy(l, op, 0, AnnotationText(op)));
  return l.SetResult(op, x);
}

// Groups of values by where they are placed: users of the value afterwards use that of the group.
absl::Status Nothing(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 0));
  ASSIGN_OR_RETURN(HloInstruction * x, AnnotatedCopy(l, op, 0, AnnotationText(op)));
  l.Rebind(op.operands[0], x);
  return absl::OkStatus();
}

bool IsAnnotationCall(Lowering& l, const Operation& op, std::string_view target) {
  if (!IsAnnotationTarget(target)) return false;
  if (!sinter::AnnotationCall{std::string(target)}.has_result())
    return op.operands.size() == 1 && op.results.empty();
  if (op.operands.size() != op.results.size()) return false;
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (!l.IsOfType(l.Operand(op, i)->shape(), l.ResultShape(op, i))) return false;
  }
  return !op.results.empty();
}

// stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]"}
absl::Status AnnotationCall(Lowering& l, const Operation& op, std::string_view target) {
  sinter::AnnotationCall call;
  call.target = target;
  const Attribute* config = op.Find("backend_config");
  if (config && config->kind == Attribute::Kind::kString) call.backend_config = config->text;
  call.has_side_effect = op.Flag("has_side_effect");
  std::vector<HloInstruction*> results;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    HloInstruction* x = l.Operand(op, i);
    if (x->shape().is_array()) {
      ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Copy, {x}));
      SetAnnotationCall(x, call);
    }
    results.push_back(x);
  }
  if (call.has_result()) return l.BindResults(op, results);
  l.Rebind(op.operands[0], results[0]);
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::lower
