#include "base/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/module_printer.h"
#include "frontend/stablehlo_text/parser.h"
#include "frontend/stablehlo_text/print_text.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"

namespace sinter::stablehlo::print {
namespace {

bool IsDictionary(std::string_view text) {
  const TextSource source(text, "");
  Parser parser(source);
  const absl::StatusOr<Attribute> read = parser.ParseAttribute();
  return read.ok() && read->kind == Attribute::Kind::kDictionary && parser.At(Tok::kEnd);
}

// "backend_config = {uplo = 76 : ui8}", or a string.
absl::StatusOr<std::string> ConfigText(const CustomCallAttrs& a, const HloInstruction& i) {
  if (a.api_version != CustomCallApiVersion::kTypedFfi)
    return a.opaque.empty() ? "" : "backend_config = " + QuotedText(a.opaque);
  if (a.opaque.empty()) return std::string();
  if (!IsDictionary(a.opaque)) {
    return Unimplemented(
        "{} with a backend_config that is no dictionary has no form in StableHLO ({})",
        Name(a.api_version), i.name());
  }
  return "backend_config = " + a.opaque;
}

// "#stablehlo.output_operand_alias<...>"
std::string AliasText(const OutputOperandAlias& a) {
  return Format(
      "#stablehlo.output_operand_alias<output_tuple_indices = {}, operand_index = {}, "
      "operand_tuple_indices = {}>",
      ListText(a.output_index), a.operand, ListText(a.operand_index));
}

// "dense<[0, 1]> : tensor<2xindex>"
std::string LayoutText(const Shape& shape) {
  const Dims order = MinorToMajor(shape);
  return Format("dense<{}> : tensor<{}xindex>", order.empty() ? "" : ListText(order), order.size());
}

// One an operand or result; those of elements where the only one is a tuple.
absl::StatusOr<std::string> LayoutsText(const std::vector<const Shape*>& values,
                                        absl::Span<const Dims> layouts, const HloInstruction& i) {
  std::vector<std::string> texts;
  for (const Shape* value : values) {
    const Shape shape = InLayouts(*value, layouts);
    const bool only = values.size() == 1 && shape.is_tuple();
    const std::vector<Shape> parts = only ? shape.tuple_shapes() : std::vector<Shape>{shape};
    for (const Shape& part : parts) {
      if (part.is_tuple())
        return Unimplemented("the layout of a tuple in another has no form in StableHLO ({})",
                             i.name());
      texts.push_back(LayoutText(part));
    }
  }
  return Format("[{}]", Join(texts, ", "));
}

}  // namespace

absl::Status CustomCall(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<CustomCallAttrs>();
  const std::vector<const Shape*> result_shapes = ResultShapes(i.shape());
  std::vector<std::string> attributes;
  if (a.api_version != CustomCallApiVersion::kUnspecified)
    attributes.push_back(Format("api_version = {} : i32", static_cast<int>(a.api_version)));
  ASSIGN_OR_RETURN(const std::string config, ConfigText(a, i));
  if (!config.empty()) attributes.push_back(config);
  std::vector<std::string> called;
  for (const HloComputation* c : i.called()) called.push_back(SymbolText(p.NameOfFunction(c)));
  if (!called.empty())
    attributes.push_back(Format("called_computations = [{}]", Join(called, ", ")));
  if (a.has_side_effect) attributes.push_back("has_side_effect = true");
  if (!a.output_to_operand_aliasing.empty()) {
    std::vector<std::string> aliases;
    for (const OutputOperandAlias& alias : a.output_to_operand_aliasing)
      aliases.push_back(AliasText(alias));
    attributes.push_back(Format("output_operand_aliases = [{}]", Join(aliases, ", ")));
  }
  if (!a.layouts.empty()) {
    std::vector<const Shape*> operand_shapes;
    for (const HloInstruction* x : i.operands()) operand_shapes.push_back(&x->shape());
    ASSIGN_OR_RETURN(const std::string in, LayoutsText(operand_shapes, a.layouts.operands, i));
    ASSIGN_OR_RETURN(const std::string out, LayoutsText(result_shapes, a.layouts.results, i));
    attributes.push_back("operand_layouts = " + in);
    attributes.push_back("result_layouts = " + out);
  }
  std::vector<PrintedValue> operands = p.Operands(i), results = p.Begin(result_shapes);
  p.out() +=
      Format("stablehlo.custom_call {}({})", SymbolText(a.custom_call_target), p.Names(operands));
  if (!attributes.empty()) p.out() += Format(" {{{}}}", Join(attributes, ", "));
  p.out() += " : " + p.Signature(operands, results);
  p.End(i);
  p.SetResults(i, std::move(results));
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::print
