#include "frontend/bytecode/sdy_operations.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "frontend/bytecode/attribute_text.h"
#include "frontend/bytecode/attribute_values.h"
#include "frontend/stablehlo/mlir_text.h"

namespace sinter::stablehlo {
namespace {

// Which attributes stand before the operand, and which behind it, with a name or without one.
struct Annotation {
  std::string_view name, before, label, behind;
};
constexpr Annotation kAnnotations[] = {
    {"sdy.all_gather", "gathering_axes", "out_sharding=", "out_sharding"},
    {"sdy.all_reduce", "reduction_axes", "out_sharding=", "out_sharding"},
    {"sdy.all_slice", "slicing_axes", "out_sharding=", "out_sharding"},
    {"sdy.all_to_all", "params", "out_sharding=", "out_sharding"},
    {"sdy.collective_permute", "", "out_sharding=", "out_sharding"},
    {"sdy.propagation_barrier", "", "allowed_direction=", "allowed_direction"},
    {"sdy.reduce_scatter", "reduce_scatter_axes", "out_sharding=", "out_sharding"},
    {"sdy.replicated_to_unreduced", "axes", "out_sharding=", "out_sharding"},
    {"sdy.reshard", "", "", "sharding"},
    {"sdy.sharded_to_unreduced", "axes", "out_sharding=", "out_sharding"},
    {"sdy.sharding_constraint", "", "", "sharding"},
    {"sdy.sharding_group", "", "group_id=", "group_id"},
};

// The words of enumerations are numbers in files.
std::string ValueText(std::string_view name, const Attribute& a) {
  constexpr std::string_view kDirections[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  if (a.kind != Attribute::Kind::kInteger) return StrippedText(a);
  const bool is_direction = name == "allowed_direction" && a.integer >= 0 && a.integer < 4;
  return is_direction ? std::string(kDirections[a.integer]) : Format("{}", a.integer);
}

// " {a = 1 : i32}", or nothing.
std::string DictionaryText(const std::vector<NamedAttribute>& attributes) {
  if (attributes.empty()) return "";
  Attribute dictionary = OfKind(Attribute::Kind::kDictionary);
  dictionary.entries = attributes;
  return " " + AttributeText(dictionary);
}

}  // namespace

void AddAnnotation(Operation* op) {
  auto* row = std::find_if(std::begin(kAnnotations), std::end(kAnnotations),
                           [&](const Annotation& r) { return r.name == op->name; });
  if (row == std::end(kAnnotations)) return;
  std::string text = Format("{} ", op->name);
  constexpr std::string_view kReductions[] = {"", "max ", "min "};
  const Attribute* reduction = op->Find("reduction_op");
  if (reduction && reduction->integer > 0 && reduction->integer < 3)
    text += kReductions[reduction->integer];
  if (const Attribute* before = op->Find(row->before))
    text += ValueText(row->before, *before) + " ";
  text += "%0";
  if (const Attribute* behind = op->Find(row->behind))
    text += Format(" {}{}", row->label, ValueText(row->behind, *behind));
  op->attributes.push_back({"annotation", StringOf(text)});
}

std::string SignatureText(const Function& f) {
  std::vector<std::string> arguments, results;
  for (size_t i = 0; i < f.argument_shapes.size(); ++i) {
    arguments.push_back(ToText(f.argument_shapes[i]) + DictionaryText(f.argument_attributes[i]));
  }
  for (size_t i = 0; i < f.result_shapes.size(); ++i) {
    results.push_back(ToText(f.result_shapes[i]) + DictionaryText(f.result_attributes[i]));
  }
  std::string text = Format("({})", Join(arguments, ", "));
  const bool is_alone = results.size() == 1 && f.result_attributes[0].empty();
  if (is_alone) {
    text += Format(" -> {}", results[0]);
  } else if (!results.empty()) {
    text += Format(" -> ({})", Join(results, ", "));
  }
  const std::string attributes = DictionaryText(f.attributes);
  return attributes.empty() ? text : Format("{} attributes{}", text, attributes);
}

}  // namespace sinter::stablehlo
