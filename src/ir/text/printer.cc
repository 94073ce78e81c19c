#include "ir/text/printer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ir/annotation_call.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"
#include "ir/text/attributes.h"
#include "ir/text/entry_layout.h"
#include "types/literal_text.h"

namespace sinter {
namespace {

// Names that XLA's lexer takes for keywords or numbers unless a '%' precedes them.
bool NeedsPercent(std::string_view name) {
  if (name.empty()) return false;
  const char c = name[0];
  if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_') return true;
  static constexpr std::string_view kWords[] = {
      "HloModule", "ENTRY",     "ROOT",     "true",       "false",
      "inf",       "nan",       "manual",   "maximal",    "replicated",
      "unknown",   "unreduced", "shard_as", "shard_like", "last_tile_dims"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// XLA has no instruction of such a name, with a '%' or without.
bool IsTypeOfXla(std::string_view name) {
  static constexpr std::string_view kMore[] = {"token",     "opaque", "f4e2m1fn",
                                               "f8e8m0fnu", "s1",     "u1"};
  return (name != "tuple" && ElementTypeFromName(name).has_value()) ||
         std::find(std::begin(kMore), std::end(kMore), name) != std::end(kMore);
}

// "f32[2,3]{1,0}": with the layout as text where it is the default too, which XLA wants of the
// operands of custom calls.
std::string WithLayouts(const Shape& s) {
  if (s.is_tuple()) {
    std::vector<std::string> elements;
    for (const Shape& e : s.tuple_shapes()) elements.push_back(WithLayouts(e));
    return Format("({})", Join(elements, ", "));
  }
  if (s.rank() == 0 || !s.has_default_layout()) return s.ToString();
  return Format("{}{{{}}}", s.ToString(), Join(MinorToMajor(s), ","));
}

// In the layouts that a custom call gives.
Shape ShapeOf(const HloInstruction& i) {
  if (i.op() != HloOpcode::CustomCall) return i.shape();
  const CustomCallLayouts& layouts = i.attrs<CustomCallAttrs>().layouts;
  if (layouts.empty()) return i.shape();
  absl::Span<const Dims> results = layouts.results;
  return InLayouts(i.shape(), results);
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void PrintModule(const HloModule& m) {
    out_ += "HloModule ";
    AppendNameAsItIs(m.name());
    const std::string* layout = sinter::Find(m.annotations(), kEntryLayout);
    if (options_.entry_layout && m.entry() && layout == nullptr) PrintLayout(*m.entry());
    if (!m.aliases().empty()) PrintAliases(m.aliases());
    if (m.replica_count() != 1) out_ += Format(", replica_count={}", m.replica_count());
    if (m.partition_count() != 1) out_ += Format(", num_partitions={}", m.partition_count());
    PrintAnnotations(m, [&](const Annotation& a) {
      // Passes may have changed the entry.
      const bool stale =
          a.name == kEntryLayout && m.entry() && !CheckEntryLayout(a.value, *m.entry()).ok();
      return stale ? std::string() : a.value;
    });
    out_ += '\n';
    for (const HloComputation* c : m.AllInOrder()) {
      out_ += '\n';
      PrintComputation(*c);
    }
  }

  void PrintComputation(const HloComputation& c) {
    if (c.module()->entry() == &c) out_ += "ENTRY ";
    AppendName(c.name());
    out_ += " {\n";
    for (const HloInstruction* i : c.AllInOrder()) {
      out_ += "  ";
      if (i == c.root()) out_ += "ROOT ";
      PrintInstruction(*i);
      out_ += '\n';
    }
    out_ += '}';
    PrintAnnotations(c);
    out_ += '\n';
  }

  void PrintInstruction(const HloInstruction& i) {
    AppendNameOf(i);
    out_ += " = ";
    out_ += ShapeOf(i).ToString();
    out_ += ' ';
    std::optional<AnnotationCall> call = AnnotationCallOf(i);
    if (call && !call->has_result()) call.reset();
    out_ += Name(call                        ? HloOpcode::CustomCall
                 : i.op() == HloOpcode::Atan ? HloOpcode::Atan2
                                             : i.op());
    out_ += '(';
    PrintOperands(i);
    if (i.op() == HloOpcode::Atan) PrintOne(i.shape());
    out_ += ')';
    if (call) {
      CustomCallAttrs attrs;
      attrs.custom_call_target = call->target;
      attrs.opaque = call->backend_config;
      attrs.has_side_effect = call->has_side_effect;
      AppendAttributes(HloOpcode::CustomCall, attrs, out_);
    }
    AppendAttributes(i.op(), i.attributes(), out_);
    if (i.op() == HloOpcode::CustomCall) PrintOperandLayouts(i);
    PrintCalled(i);
    PrintAnnotations(i, [&](const Annotation& a) {
      return a.name == "control-predecessors" ? PredecessorsText(a.value, i) : a.value;
    });
    if (options_.metadata) PrintMetadata(i.metadata());
  }

  std::string Take() { return std::move(out_); }

 private:
  // The instruction's name, with as many '_' behind the name of a type as make it another's.
  void AppendNameOf(const HloInstruction& i) {
    if (!IsTypeOfXla(i.name())) return AppendName(i.name());
    std::string& name = renamed_[&i];
    if (name.empty()) {
      name = i.name();
      const auto& all = i.parent()->instructions();
      do {
        name += '_';
      } while (
          std::any_of(all.begin(), all.end(), [&](const auto& o) { return o->name() == name; }));
    }
    AppendName(name);
  }
  // Characters that no name may have become '_'.
  void AppendName(std::string_view name) {
    if (NeedsPercent(name)) out_ += '%';
    AppendNameAsItIs(name);
  }
  void AppendNameAsItIs(std::string_view name) {
    size_t start = out_.size();
    out_ += name.empty() ? "_" : name;
    for (size_t i = start; i < out_.size(); ++i) {
      char c = out_[i];
      bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c == '.' || c == '-' || c == '$' || c == '@';
      if (!ok) out_[i] = '_';
    }
  }

  void PrintOperands(const HloInstruction& i) {
    if (i.op() == HloOpcode::Parameter) {
      out_ += std::to_string(i.attrs<ParameterAttrs>().number);
    } else if (i.op() == HloOpcode::Constant) {
      if (i.attrs<ConstantAttrs>().value)
        AppendLiteralValue(i.literal(), options_.max_constant_elements, out_);
    }
    const char* separator = "";
    for (const HloInstruction* operand : i.operands()) {
      out_ += separator;
      if (options_.operand_shapes) out_ += operand->shape().ToString() + " ";
      AppendNameOf(*operand);
      separator = ", ";
    }
  }

  // A custom call takes arrays in the layouts that it states, or in the default one, whatever is
  // stated where they come from, as of parameters; text without this means the layouts stated
  // there.
  void PrintOperandLayouts(const HloInstruction& i) {
    const CustomCallLayouts& layouts = i.attrs<CustomCallAttrs>().layouts;
    const auto& operands = i.operands();
    if (layouts.empty() &&
        std::none_of(operands.begin(), operands.end(),
                     [](const HloInstruction* o) { return HasLayout(o->shape()); }))
      return;
    out_ += ", operand_layout_constraints={";
    const char* separator = "";
    absl::Span<const Dims> rest = layouts.operands;
    for (const HloInstruction* o : operands) {
      out_ += separator + WithLayouts(InLayouts(o->shape(), rest));
      separator = ", ";
    }
    out_ += '}';
  }

  // The arc tangent, which XLA has of two operands only, as that of x and 1 (forms.h).
  void PrintOne(const Shape& shape) {
    const Shape scalar(shape.element_type());
    const std::string one = Format("{} constant({})", scalar.ToString(),
                                   IsComplex(shape.element_type()) ? "(1, 0)" : "1");
    out_ += shape.rank() == 0 ? Format(", {}", one)
                              : Format(", {} broadcast({})", shape.ToString(), one);
  }

  void PrintCalled(const HloInstruction& i) {
    std::vector<std::string_view> names = CalledNames(i.op());
    if (i.op() == HloOpcode::Conditional && !i.operands().empty() &&
        IsPredicate(i.operand(0)->shape().element_type()) && i.called().size() == 2) {
      names = {"true_computation", "false_computation"};
    }
    const bool custom = i.op() == HloOpcode::CustomCall;
    if ((i.op() == HloOpcode::Conditional && names.empty()) || (custom && !i.called().empty())) {
      out_ += custom ? ", called_computations={" : ", branch_computations={";
      for (size_t b = 0; b < i.called().size(); ++b) {
        if (b) out_ += ", ";
        AppendName(i.called(b)->name());
      }
      out_ += '}';
      return;
    }
    for (size_t c = 0; c < names.size() && c < i.called().size(); ++c) {
      out_ += Format(", {}=", names[c]);
      AppendName(i.called(c)->name());
    }
  }

  void PrintAnnotations(const Annotated& a) {
    PrintAnnotations(a, [](const Annotation& each) { return each.value; });
  }
  // ValueOf: the text of an annotation's value, empty where it is not printed.
  template <class ValueOf>
  void PrintAnnotations(const Annotated& a, ValueOf value_of) {
    for (const Annotation& each : a.annotations()) {
      if (each.name.find('.') != each.name.npos) continue;
      const std::string value = value_of(each);
      if (!value.empty()) out_ += Format(", {}={}", each.name, value);
    }
  }

  // The names of "{a, b}" that still exist, since passes remove and rename instructions.
  std::string PredecessorsText(std::string_view value, const HloInstruction& i) {
    std::string out;
    value.remove_prefix(1);
    while (!value.empty()) {
      const size_t end = value.find_first_of(",}");
      const std::string_view name = value.substr(0, end);
      value.remove_prefix(std::min(value.size(), end + 1));
      if (value.starts_with(' ')) value.remove_prefix(1);
      const HloInstruction* found = InstructionNamed(*i.parent(), name);
      if (found == nullptr || found == &i) continue;
      std::string rest = std::exchange(out_, "");
      AppendNameOf(*found);
      out += (out.empty() ? "" : ", ") + std::exchange(out_, std::move(rest));
    }
    return out.empty() ? out : Format("{{{}}}", out);
  }
  const HloInstruction* InstructionNamed(const HloComputation& c, std::string_view name) {
    if (named_computation_ != &c) {
      named_computation_ = &c;
      by_name_.clear();
      for (const auto& i : c.instructions()) by_name_[i->name()] = i.get();
    }
    auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

  void PrintMetadata(const Metadata& m) {
    if (m == Metadata{}) return;
    out_ += ", metadata={";
    const char* separator = "";
    auto add = [&](std::string_view name, const std::string& value) {
      out_ += Format("{}{}={}", separator, name, value);
      separator = " ";
    };
    if (!m.op_name.empty()) add("op_name", Quoted(m.op_name));
    if (!m.source_file.empty()) add("source_file", Quoted(m.source_file));
    if (m.source_line) add("source_line", std::to_string(m.source_line));
    if (!m.other.empty()) out_ += separator + m.other;
    out_ += '}';
  }

  void PrintLayout(const HloComputation& entry) {
    ComputationShape s = entry.shape();
    out_ += ", entry_computation_layout={(";
    for (size_t i = 0; i < s.parameters.size(); ++i)
      out_ += (i ? ", " : "") + s.parameters[i].ToString();
    out_ += ")->" + s.result.ToString() + "}";
  }

  void PrintAliases(const std::vector<InputOutputAlias>& aliases) {
    out_ += ", input_output_alias={ ";
    const char* separator = "";
    for (const InputOutputAlias& a : aliases) {
      out_ +=
          Format("{}{{{}}}: ({}, {{{}}}, {})", separator, Join(a.output_index, ","), a.parameter,
                 Join(a.parameter_index, ","), a.must ? "must-alias" : "may-alias");
      separator = ", ";
    }
    out_ += " }";
  }

  absl::flat_hash_map<const HloInstruction*, std::string> renamed_;
  const HloComputation* named_computation_ = nullptr;  // whose instructions by_name_ has
  absl::flat_hash_map<std::string_view, const HloInstruction*, std::hash<std::string_view>>
      by_name_;
  const PrintOptions& options_;
  std::string out_;
};

}  // namespace

std::string Print(const HloModule& module, const PrintOptions& options) {
  Printer p(options);
  p.PrintModule(module);
  return p.Take();
}
std::string Print(const HloComputation& computation, const PrintOptions& options) {
  Printer p(options);
  p.PrintComputation(computation);
  return p.Take();
}
std::string Print(const HloInstruction& instruction, const PrintOptions& options) {
  Printer p(options);
  p.PrintInstruction(instruction);
  return p.Take();
}

}  // namespace sinter
