// Parts of programs that are written for one of several devices.
#include "frontend/stablehlo/lowering.h"
#include "ir/annotation_call.h"

namespace sinter::stablehlo::lower {
namespace {

// [<...>, <...>], with or without #sdy.sharding_per_value<> around it, as its elements.
std::vector<std::string> Shardings(const Attribute* list) {
  std::vector<std::string> out;
  if (list == nullptr) return out;
  const std::string_view text = list->kept;
  int depth = 0;
  size_t begin = 0;
  bool quoted = false;
  for (size_t k = text.find('['); k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '<' || c == '[' || c == '{') {
      if (++depth == 2) begin = k;
    } else if (c == '>' || c == ']' || c == '}') {
      if (depth-- == 2) out.emplace_back(text.substr(begin, k + 1 - begin));
      if (depth == 0) break;
    }
  }
  return out;
}

// {"x"}, with or without #sdy<manual_axes > around it, as an attribute of MLIR.
std::string AxesText(const Attribute* axes) {
  if (axes == nullptr || axes->kept.empty()) return "#sdy<manual_axes{}>";
  if (axes->kept.starts_with('{')) return Format("#sdy<manual_axes{}>", axes->kept);
  return axes->kept;
}

}  // namespace

// The body is part of its surroundings, between custom calls that make whole arrays the device's
// own and back. On one device there is no difference.
absl::Status Manual(Lowering& l, const Operation& op, const OpRow& row) {
  if (l.module().partition_count() == 1) return Inline(l, op, row);
  if (op.regions.size() != 1) return l.Invalid(op, "needs a region");
  const Region& region = op.regions[0];
  const std::vector<std::string> in = Shardings(op.Find("in_shardings")),
                                 out = Shardings(op.Find("out_shardings"));
  const std::string axes = AxesText(op.Find("manual_axes"));
  if (in.size() != op.operands.size() || region.arguments.size() != op.operands.size())
    return l.Invalid(op, "has {} operands, {} shardings of them and a region of {} arguments",
                     op.operands.size(), in.size(), region.arguments.size());
  if (out.size() != op.results.size() || region.returned.size() != op.results.size())
    return l.Invalid(op, "has {} results, {} shardings of them and a region that returns {} values",
                     op.results.size(), out.size(), region.returned.size());
  auto cross = [&](HloInstruction* x, std::string_view target, const Shape& shape,
                   const std::string& sharding) -> absl::StatusOr<HloInstruction*> {
    if (!x->shape().is_array()) return x;
    CustomCallAttrs attrs;
    attrs.custom_call_target = target;
    ASSIGN_OR_RETURN(HloInstruction * call,
                     l.Add(op, HloOpcode::CustomCall, {x}, std::move(attrs), {}, &shape));
    call->set_annotations(
        {{"sdy.sharding", Format("#sdy.sharding{}", sharding)}, {"sdy.manual_axes", axes}});
    return call;
  };
  std::vector<HloInstruction*> values, results;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ASSIGN_OR_RETURN(HloInstruction * x,
                     cross(l.Operand(op, i), kIntoManual, l.ShapeOf(region.arguments[i]), in[i]));
    values.push_back(x);
  }
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> returned, l.InlineRegion(op, region, values));
  for (size_t i = 0; i < returned.size(); ++i) {
    ASSIGN_OR_RETURN(HloInstruction * x,
                     cross(returned[i], kOutOfManual, l.ResultShape(op, i), out[i]));
    results.push_back(x);
  }
  return l.BindResults(op, results);
}

}  // namespace sinter::stablehlo::lower
