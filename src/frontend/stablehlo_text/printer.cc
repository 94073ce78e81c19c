// Functions, regions and values. The order of evaluation is that of the computations.
#include "frontend/stablehlo_text/printer.h"

#include "base/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/module_printer.h"
#include "frontend/stablehlo_text/parser.h"
#include "frontend/stablehlo_text/print_preserved_attributes.h"
#include "frontend/stablehlo_text/print_text.h"
#include "ir/composite.h"
#include "types/leaves.h"

namespace sinter {
namespace stablehlo {
namespace {

// Instructions of computations printed once more because they are called from several places.
constexpr int64_t kMostRepeated = 1 << 16;

constexpr int64_t kNoAlias = -1;

std::string PartText(const std::vector<PrintedValue>& values, std::string_view separator,
                     std::string (*text)(const PrintedValue&)) {
  std::string out;
  for (const PrintedValue& v : values) {
    if (&v != values.data()) out += separator;
    out += text(v);
  }
  return out;
}

}  // namespace

std::vector<const Shape*> ResultShapes(const Shape& shape) {
  if (!shape.is_tuple() || shape.tuple_shapes().size() == 1) return {&shape};
  std::vector<const Shape*> shapes;
  for (const Shape& s : shape.tuple_shapes()) shapes.push_back(&s);
  return shapes;
}

std::string ModulePrinter::Names(const std::vector<PrintedValue>& values) {
  return PartText(values, ", ", [](const PrintedValue& v) { return v.name; });
}

std::string ModulePrinter::Types(const std::vector<PrintedValue>& values) {
  return PartText(values, ", ", [](const PrintedValue& v) { return ToText(*v.shape); });
}

std::string ModulePrinter::Signature(const std::vector<PrintedValue>& operands,
                                     const std::vector<PrintedValue>& results) {
  std::string types = Types(results);
  if (results.size() != 1) types = Format("({})", types);
  return Format("({}) -> {}", Types(operands), types);
}

PrintedValue ModulePrinter::FromLeaves(const Shape& shape, const std::vector<PrintedValue>& leaves,
                                       size_t* next) {
  if (!shape.is_tuple()) return leaves[(*next)++];
  PrintedValue bundle{&shape, "", {}, true};
  for (const Shape& s : shape.tuple_shapes()) {
    bundle.elements.push_back(FromLeaves(s, leaves, next));
  }
  return bundle;
}

PrintedValue ModulePrinter::NewArgument(const Shape& shape) {
  return {&shape, Format("%arg{}", next_argument_++), {}, false};
}

PrintedValue ModulePrinter::Single(const PrintedValue& value) {
  if (!value.is_bundle) return value;
  std::vector<PrintedValue> elements;
  for (const PrintedValue& e : value.elements) elements.push_back(Single(e));
  std::vector<PrintedValue> result = Begin({value.shape});
  out_ += Format("\"stablehlo.tuple\"({}) : {}\n", Names(elements), Signature(elements, result));
  return result[0];
}

std::vector<PrintedValue> ModulePrinter::Operands(const HloInstruction& i) {
  std::vector<PrintedValue> operands;
  for (const HloInstruction* o : i.operands()) operands.push_back(Single(Get(o)));
  return operands;
}

std::vector<PrintedValue> ModulePrinter::Elements(const PrintedValue& value) {
  if (value.is_bundle) return value.elements;
  if (!value.shape->is_tuple()) return {value};
  std::vector<PrintedValue> elements;
  const auto& shapes = value.shape->tuple_shapes();
  for (size_t e = 0; e < shapes.size(); ++e) {
    elements.push_back(Begin({&shapes[e]})[0]);
    out_ += Format("stablehlo.get_tuple_element {}[{}] : {}\n", value.name, e,
                   Signature({value}, {elements.back()}));
  }
  return elements;
}

std::vector<PrintedValue> ModulePrinter::Leaves(const PrintedValue& value) {
  if (!value.shape->is_tuple()) return {value};
  std::vector<PrintedValue> leaves;
  for (const PrintedValue& e : Elements(value)) {
    for (PrintedValue& leaf : Leaves(e)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

std::vector<PrintedValue> ModulePrinter::Begin(const std::vector<const Shape*>& results) {
  Indent();
  std::vector<PrintedValue> values;
  if (results.empty()) return values;
  std::string name = Format("%{}", next_value_++);
  if (results.size() == 1) {
    out_ += name + " = ";
    values.push_back({results[0], name, {}, false});
    return values;
  }
  out_ += Format("{}:{} = ", name, results.size());
  for (size_t r = 0; r < results.size(); ++r) {
    values.push_back({results[r], Format("{}#{}", name, r), {}, false});
  }
  return values;
}

// Before the types, in the dictionary that stands there if one does.
void ModulePrinter::InsertAttributes(const HloInstruction& i) {
  const std::string attributes = AttributesText(i);
  if (attributes.empty()) return;
  const size_t types = out_.rfind(" : ");
  if (types == out_.npos) return;
  if (out_[types - 1] == '}') {
    out_.insert(types - 1, Format(", {}", attributes));
  } else {
    out_.insert(types, Format(" {{{}}}", attributes));
  }
}

void ModulePrinter::End(const HloInstruction& i) {
  if (i.op() != HloOpcode::While) InsertAttributes(i);
  const Metadata& m = i.metadata();
  if (options_.locations && (!m.op_name.empty() || m.source_line)) {
    std::string file =
        m.source_line ? Format("{}:{}:0", QuotedText(m.source_file), m.source_line) : std::string();
    out_ += " loc(";
    if (m.op_name.empty()) {
      out_ += file;
    } else {
      out_ += QuotedText(m.op_name);
      if (!file.empty()) out_ += Format("({})", file);
    }
    out_ += ')';
  }
  out_ += '\n';
}

absl::Status ModulePrinter::Plain(const HloInstruction& i, std::string_view name,
                                  std::string_view clauses, bool short_signature) {
  std::vector<PrintedValue> operands = Operands(i);
  std::vector<PrintedValue> result = Begin({&i.shape()});
  std::string type = ToText(i.shape());
  for (const PrintedValue& o : operands) {
    short_signature = short_signature && ToText(*o.shape) == type;
  }
  out_ += Format("{} {}{} : {}", name, Names(operands), clauses,
                 short_signature ? type : Signature(operands, result));
  End(i);
  Set(&i, std::move(result[0]));
  return absl::OkStatus();
}

absl::Status ModulePrinter::Generic(const HloInstruction& i, std::string_view name,
                                    const std::vector<PrintedValue>& operands,
                                    std::string_view properties) {
  std::vector<PrintedValue> results = Begin(ResultShapes(i.shape()));
  out_ += Format("\"{}\"({})", name, Names(operands));
  if (!properties.empty()) out_ += Format(" <{{{}}}>", properties);
  for (size_t c = 0; c < i.called().size(); ++c) {
    out_ += c ? ", " : " (";
    std::vector<PrintedValue> arguments;
    for (const HloInstruction* parameter : i.called(c)->parameters()) {
      arguments.push_back(NewArgument(parameter->shape()));
    }
    RETURN_IF_ERROR(Region(*i.called(c), arguments, true));
  }
  if (!i.called().empty()) out_ += ')';
  out_ += " : " + Signature(operands, results);
  End(i);
  SetResults(i, std::move(results));
  return absl::OkStatus();
}

void ModulePrinter::SetResults(const HloInstruction& i, std::vector<PrintedValue> results) {
  if (results.size() == 1 && results[0].shape == &i.shape()) {
    Set(&i, std::move(results[0]));
  } else {
    Set(&i, {&i.shape(), "", std::move(results), true});
  }
}

absl::Status ModulePrinter::Region(const HloComputation& c,
                                   const std::vector<PrintedValue>& parameters, bool header) {
  if (++regions_ > kMaxRegionDepth) {
    return ResourceExhausted("regions nested deeper than {} levels", kMaxRegionDepth);
  }
  if (!printed_.insert(&c).second) {
    repeated_ += static_cast<int64_t>(c.instructions().size());
    if (repeated_ > kMostRepeated) {
      return ResourceExhausted(
          "computations are called from so many places that {} instructions "
          "would be repeated",
          repeated_);
    }
  }
  out_ += "{\n";
  if (header && !parameters.empty()) {
    Indent();
    out_ += "^bb0(" +
            PartText(parameters, ", ",
                     [](const PrintedValue& v) { return v.name + ": " + ToText(*v.shape); }) +
            "):\n";
  }
  for (size_t n = 0; n < parameters.size(); ++n) Set(c.parameter(n), parameters[n]);
  ++depth_;
  RETURN_IF_ERROR(Instructions(c));
  std::vector<PrintedValue> returned = Leaves(Get(c.root()));
  Indent();
  out_ += "stablehlo.return";
  if (!returned.empty()) out_ += Format(" {} : {}", Names(returned), Types(returned));
  out_ += '\n';
  --depth_;
  --regions_;
  Indent();
  out_ += '}';
  return absl::OkStatus();
}

// The leaves of the state are carried.
absl::Status ModulePrinter::While(const HloInstruction& i) {
  std::vector<PrintedValue> initial = Leaves(Get(i.operand(0))), carried;
  std::vector<const Shape*> shapes;
  for (const PrintedValue& v : initial) {
    shapes.push_back(v.shape);
    carried.push_back(NewArgument(*v.shape));
  }
  std::vector<PrintedValue> results = Begin(shapes);
  out_ += "stablehlo.while(";
  for (size_t n = 0; n < initial.size(); ++n) {
    out_ += Format("{}{} = {}", n ? ", " : "", carried[n].name, initial[n].name);
  }
  out_ += ')';
  if (!initial.empty()) out_ += " : " + Types(initial);
  const std::string attributes = AttributesText(i);
  if (!attributes.empty()) out_ += Format(" attributes {{{}}}", attributes);
  const char* keywords[] = {"cond", "do"};
  for (size_t c = 0; c < 2; ++c) {
    if (c == 0) {
      out_ += '\n';
      Indent();
    } else {
      out_ += ' ';
    }
    out_ += Format("{} ", keywords[c]);
    size_t next = 0;
    RETURN_IF_ERROR(Region(
        *i.called(c), {FromLeaves(i.called(c)->parameter(0)->shape(), carried, &next)}, false));
  }
  End(i);
  size_t next = 0;
  Set(&i, FromLeaves(i.shape(), results, &next));
  return absl::OkStatus();
}

// Branches use their operands by the names outside.
absl::Status ModulePrinter::Conditional(const HloInstruction& i) {
  const Shape& selector = i.operand(0)->shape();
  std::vector<PrintedValue> results = Begin(sinter::Leaves(i.shape()));
  bool is_if = IsPredicate(selector.element_type()) && i.called().size() == 2;
  const PrintedValue index = Get(i.operand(0));
  out_ += Format("\"stablehlo.{}\"({}) (", is_if ? "if" : "case", index.name);
  for (size_t b = 0; b < i.called().size(); ++b) {
    if (b) out_ += ", ";
    RETURN_IF_ERROR(Region(*i.called(b), {Get(i.operand(b + 1))}, false));
  }
  out_ += ") : " + Signature({index}, results);
  End(i);
  size_t next = 0;
  Set(&i, FromLeaves(i.shape(), results, &next));
  return absl::OkStatus();
}

absl::Status ModulePrinter::Call(const HloInstruction& i) {
  std::vector<PrintedValue> operands = Operands(i);
  std::vector<PrintedValue> results = Begin(ResultShapes(i.shape()));
  const std::string function = SymbolText(NameOfFunction(i.called(0)));
  if (const std::optional<CompositeCallInfo> info = CompositeOf(i)) {
    out_ += Format("stablehlo.composite {} {} {{", QuotedText(info->name), Names(operands));
    if (!info->attributes.empty()) out_ += Format("composite_attributes = {}, ", info->attributes);
    out_ += Format("decomposition = {}", function);
    if (info->version != 0) out_ += Format(", version = {} : i32", info->version);
    out_ += "} : " + Signature(operands, results);
  } else {
    out_ +=
        Format("func.call {}({}) : {}", function, Names(operands), Signature(operands, results));
  }
  End(i);
  SetResults(i, std::move(results));
  return absl::OkStatus();
}

absl::Status ModulePrinter::Instructions(const HloComputation& c) {
  for (const HloInstruction* i : c.AllInOrder()) {
    if (i->op() == HloOpcode::Parameter) continue;
    RETURN_IF_ERROR(PrintOperation(*this, *i));
  }
  return absl::OkStatus();
}

// For each parameter the number of the result that may take over its storage.
absl::StatusOr<std::vector<int64_t>> ModulePrinter::ArgumentAliases(const HloComputation& c) const {
  std::vector<int64_t> aliases(c.parameters().size(), kNoAlias);
  if (&c != module_.entry()) return aliases;
  bool several = ResultShapes(c.root()->shape()).size() != 1;
  for (const InputOutputAlias& a : module_.aliases()) {
    if (!a.parameter_index.empty() || a.output_index.size() != (several ? 1 : 0) ||
        aliases.at(static_cast<size_t>(a.parameter)) != kNoAlias) {
      return Unimplemented(
          "StableHLO cannot say that the result {{{}}} takes over a part of "
          "parameter {}, or an element of a result",
          Join(a.output_index, ","), a.parameter);
    }
    aliases[static_cast<size_t>(a.parameter)] = several ? a.output_index[0] : 0;
  }
  return aliases;
}

std::string ModulePrinter::NameOfFunction(const HloComputation* c) {
  auto [it, is_new] = functions_.try_emplace(c);
  if (is_new) {
    std::string stem = c->name().empty() ? "f" : c->name(), name = stem;
    for (int n = 0; !function_names_.insert(name).second; ++n) name = Format("{}_{}", stem, n);
    it->second = name;
    pending_.push_back(c);
  }
  return it->second;
}

absl::Status ModulePrinter::Function(const HloComputation& c) {
  next_value_ = next_argument_ = 0;
  bool is_entry = &c == module_.entry();
  ASSIGN_OR_RETURN(std::vector<int64_t> aliases, ArgumentAliases(c));
  Indent();
  out_ +=
      Format("func.func {} {}(", is_entry ? "public" : "private", SymbolText(functions_.at(&c)));
  for (size_t n = 0; n < c.parameters().size(); ++n) {
    PrintedValue argument = NewArgument(c.parameter(n)->shape());
    out_ += Format("{}{}: {}", n ? ", " : "", argument.name, ToText(*argument.shape));
    std::string attributes = AttributesText(*c.parameter(n));
    if (aliases[n] != kNoAlias) {
      attributes +=
          Format("{}tf.aliasing_output = {} : i32", attributes.empty() ? "" : ", ", aliases[n]);
    }
    if (!attributes.empty()) out_ += Format(" {{{}}}", attributes);
    Set(c.parameter(n), std::move(argument));
  }
  std::vector<PrintedValue> results;
  for (const Shape* s : ResultShapes(c.root()->shape())) results.push_back({s, "", {}, false});
  out_ += ") -> (";
  for (size_t r = 0; r < results.size(); ++r) {
    out_ += Format("{}{}", r ? ", " : "", ToText(*results[r].shape));
    const std::string attributes = AttributesText(c, ResultPrefix(r));
    if (!attributes.empty()) out_ += Format(" {{{}}}", attributes);
  }
  out_ += ") ";
  if (const std::string attributes = AttributesText(c); !attributes.empty())
    out_ += Format("attributes {{{}}} ", attributes);
  out_ += "{\n";
  ++depth_;
  RETURN_IF_ERROR(Instructions(c));
  const PrintedValue& root = Get(c.root());
  std::vector<PrintedValue> returned;
  if (results.size() == 1) {
    returned.push_back(Single(root));
  } else {
    for (const PrintedValue& e : Elements(root)) returned.push_back(Single(e));
  }
  Indent();
  out_ += "return";
  if (!returned.empty()) out_ += Format(" {} : {}", Names(returned), Types(returned));
  out_ += '\n';
  --depth_;
  Indent();
  out_ += "}\n";
  return absl::OkStatus();
}

absl::StatusOr<std::string> ModulePrinter::Run() {
  RETURN_INTERNAL_IF(!module_.entry(), "a module without an entry");
  out_ += Format("module {} ", SymbolText(module_.name().empty() ? "module" : module_.name()));
  std::string attributes = AttributesText(module_);
  if (module_.replica_count() != 1 || module_.partition_count() != 1) {
    attributes +=
        Format("{}mhlo.num_partitions = {} : i32, mhlo.num_replicas = {} : i32",
               attributes.empty() ? "" : ", ", module_.partition_count(), module_.replica_count());
  }
  if (!attributes.empty()) out_ += Format("attributes {{{}}} ", attributes);
  out_ += "{\n";
  depth_ = 1;
  for (const Annotation& a : module_.annotations()) {
    if (!a.name.starts_with(kMeshPrefix)) continue;
    Indent();
    out_ += Format("sdy.mesh {} = {}\n", SymbolText(a.name.substr(kMeshPrefix.size())), a.value);
  }
  functions_[module_.entry()] = "main";
  function_names_.insert("main");
  for (const Annotation& a : module_.annotations()) {
    if (!a.name.starts_with(kDeclarationPrefix)) continue;
    const std::string_view name = std::string_view(a.name).substr(kDeclarationPrefix.size());
    // The entry, whose name it may be, takes that name; nothing refers to a declaration.
    if (!function_names_.insert(std::string(name)).second) continue;
    Indent();
    out_ += Format("func.func private {}{}\n", SymbolText(name), a.value);
  }
  pending_.push_back(module_.entry());
  while (!pending_.empty()) {
    const HloComputation* c = pending_.back();
    pending_.pop_back();
    RETURN_IF_ERROR(Function(*c));
  }
  out_ += "}\n";
  return std::move(out_);
}

}  // namespace stablehlo

absl::StatusOr<std::string> PrintStablehlo(const HloModule& module,
                                           const StablehloPrintOptions& options) {
  return stablehlo::ModulePrinter(module, options).Run();
}

}  // namespace sinter
