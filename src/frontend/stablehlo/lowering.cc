// The module, functions, operations and their values. Regions: regions.cc; attributes:
// lowering_attributes.cc.
#include "frontend/stablehlo/lowering.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "frontend/stablehlo/constraints.h"
#include "frontend/stablehlo/imported.h"
#include "frontend/stablehlo/locations.h"
#include "frontend/stablehlo/preserved_attributes.h"

namespace sinter::stablehlo {
namespace {

bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// %arg0 -> "arg0"; a number alone is no name in HLO text.
std::string NameFor(std::string_view name) {
  if (name.empty() || (!IsLetter(name[0]) && name[0] != '_')) return "";
  std::string out(name);
  std::replace(out.begin(), out.end(), '$', '_');
  return out;
}

std::string NameFor(const Function& f) {
  std::string out = f.name;
  for (char& c : out) {
    if (!IsLetter(c) && !IsDigit(c) && c != '.' && c != '-') c = '_';
  }
  if (out.empty() || (!IsLetter(out[0]) && out[0] != '_')) out = Format("f{}", out);
  return out;
}

const Shape* FindShape(const Shape& s, bool (*matches)(const Shape&)) {
  if (matches(s)) return &s;
  for (const Shape& e : s.tuple_shapes()) {
    if (const Shape* found = FindShape(e, matches)) return found;
  }
  return nullptr;
}

// The shape with its dimensions without a bound of these sizes; one of these sizes alone where they
// are not as many.
Shape WithSizes(Shape s, const Dims& sizes) {
  if (!s.is_array() || static_cast<int64_t>(sizes.size()) != s.rank())
    return Shape(s.element_type(), sizes);
  for (int64_t d = 0; d < s.rank(); ++d) {
    if (s.dimension(d) != Shape::kUnbounded) continue;
    s.set_dimension(d, sizes[static_cast<size_t>(d)]);
    s.set_dynamic(d, false);
  }
  return s;
}

// Whether a StableHLO operation is called as one of HLO: stablehlo.dynamic_slice as dynamic-slice.
bool IsSpelled(std::string_view operation, std::string_view hlo) {
  const size_t dot = operation.find('.');
  if (dot == operation.npos) return false;
  operation.remove_prefix(dot + 1);
  return std::equal(operation.begin(), operation.end(), hlo.begin(), hlo.end(),
                    [](char a, char b) { return a == b || (a == '_' && b == '-'); });
}

bool IsUnbounded(const Shape& s) {
  const auto& d = s.dimensions();
  return std::find(d.begin(), d.end(), Shape::kUnbounded) != d.end();
}

}  // namespace

Lowering::Lowering(const Source& source, const Program& program, const StablehloOptions& options)
    : source_(source), program_(program), options_(options), values_(program.values.size()) {
  shapes_.reserve(program.values.size());
  for (const Value& v : program.values) {
    shapes_.push_back(InGraph(v.shape));
    dynamic_ |= FindShape(v.shape, IsUnbounded) != nullptr;
  }
}

// Functions that the entry needs, callees before callers. Iterative: a chain of calls may be long.
absl::StatusOr<std::vector<const Function*>> Lowering::CalleesFirst(const Function* entry) const {
  struct Frame {
    const Function* function;
    size_t next = 0;
  };
  std::vector<const Function*> order;
  absl::flat_hash_map<const Function*, bool> done;  // false while on the stack
  std::vector<Frame> stack{{entry}};
  done[entry] = false;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.function->callees.size()) {
      done[frame.function] = true;
      order.push_back(frame.function);
      stack.pop_back();
      continue;
    }
    const auto& [name, at] = frame.function->callees[frame.next++];
    auto it = program_.by_name.find(name);
    if (it == program_.by_name.end()) return source_.Invalid(at, "there is no function @{}", name);
    const Function* callee = it->second;
    if (!callee->has_body) return source_.Unsupported(at, "the function @{} has no body", name);
    auto [seen, is_new] = done.try_emplace(callee, false);
    if (is_new) {
      if (stack.size() >= kMaxCallDepth) {
        return source_.Exhausted(at, "calls nested deeper than {} functions", kMaxCallDepth);
      }
      stack.push_back({callee});
    } else if (!seen->second) {
      return source_.Invalid(at, "@{} calls itself", name);
    }
  }
  return order;
}

absl::StatusOr<std::unique_ptr<HloModule>> Lowering::Run() {
  ASSIGN_OR_RETURN(const Function* entry, FindEntry(source_, program_, options_.entry));
  if (!entry->has_body) return source_.Unsupported(entry->at, "@{} has no body", entry->name);
  module_ = std::make_unique<HloModule>(program_.name);
  module_->set_replica_count(program_.replica_count);
  module_->set_partition_count(program_.partition_count);
  ASSIGN_OR_RETURN(auto functions, CalleesFirst(entry));
  for (const Function* f : functions) {
    if (f == entry || !IsDynamic(*f)) RETURN_IF_ERROR(LowerFunction(*f, f == entry));
  }
  module_->set_entry(computations_.at(entry));
  Annotations annotations = PreservedAttributes(program_.attributes);
  for (const Mesh& mesh : program_.meshes)
    annotations.push_back({Format("{}{}", kMeshPrefix, mesh.symbol), std::string(mesh.text)});
  for (const Function& f : program_.functions) {
    if (!f.has_body)
      annotations.push_back({Format("{}{}", kDeclarationPrefix, f.name), f.signature});
  }
  module_->set_annotations(std::move(annotations));
  SetAliases(*entry);
  if (abandoned_) module_->RemoveUnreachable();
  return std::move(module_);
}

absl::Status Lowering::LowerFunction(const Function& f, bool is_entry) {
  computation_ = module_->AddComputation(NameFor(f));
  computations_[&f] = computation_;
  int64_t parameters = 0;
  if (is_entry) parameters_.assign(f.body.arguments.size(), -1);
  for (size_t i = 0; i < f.body.arguments.size(); ++i) {
    ValueId id = f.body.arguments[i];
    Shape& shape = shapes_[static_cast<size_t>(id)];
    if (is_entry && i < options_.arguments.size()) {
      const StablehloArgument& given = options_.arguments[i];
      std::optional<Shape> stated =
          given.value ? std::optional<Shape>(given.value->shape()) : given.shape;
      if (!stated && given.sizes) stated = WithSizes(shape, *given.sizes);
      if (stated && !Fits(*stated, shape)) {
        return source_.Invalid(f.at, "argument {} of @{} is {}, not {}", i, f.name, ToText(*stated),
                               ToText(shape));
      }
      if (given.value) {
        Set(id, computation_->AddConstant(*given.value, NameFor(value(id).name)));
        continue;
      }
      if (stated) shape = *stated;
    }
    if (FindShape(ShapeOf(id), IsUnbounded)) {
      return source_.Unsupported(f.at,
                                 "argument {} of @{} has dynamic dimensions without a bound, which "
                                 "shapes of the arguments would give it: {}",
                                 i, f.name, ToText(ShapeOf(id)));
    }
    if (is_entry) parameters_[i] = parameters;
    HloInstruction* p =
        computation_->AddParameter(parameters++, ShapeOf(id), NameFor(value(id).name));
    Origin origin =
        OriginOf(program_, i < f.argument_locations.size() ? f.argument_locations[i] : kNoLocation,
                 {.file = std::string(source_.filename()),
                  .line = static_cast<int32_t>(source_.LineOf(f.at))});
    p->set_metadata({.op_name = std::move(origin.name),
                     .source_file = std::move(origin.file),
                     .source_line = origin.line});
    if (i < f.argument_attributes.size()) {
      std::vector<NamedAttribute> attributes = f.argument_attributes[i];
      std::erase_if(attributes, [](const auto& a) {
        return a.name == "tf.aliasing_output" || a.name == "jax.buffer_donor";
      });
      p->set_annotations(PreservedAttributes(attributes));
    }
    Set(id, p);
  }
  RETURN_IF_ERROR(LowerOperations(f.body));
  ASSIGN_OR_RETURN(HloInstruction * root, Bundle(f.body.returned));
  computation_->set_root(root);
  if (is_entry) RETURN_IF_ERROR(StateLayouts(f));
  Annotations annotations = PreservedAttributes(f.attributes);
  for (size_t i = 0; i < f.result_attributes.size(); ++i) {
    for (Annotation& a : PreservedAttributes(f.result_attributes[i], ResultPrefix(i)))
      annotations.push_back(std::move(a));
  }
  computation_->set_annotations(std::move(annotations));
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> Lowering::Bundle(const std::vector<ValueId>& ids) {
  if (ids.size() == 1) return Get(ids[0]);
  std::vector<HloInstruction*> elements;
  for (ValueId id : ids) elements.push_back(Get(id));
  return computation_->Add(HloOpcode::Tuple, elements);
}

absl::Status Lowering::LowerOperations(const Region& region) {
  for (const Operation& op : region.operations) RETURN_IF_ERROR(LowerOperation(op));
  return absl::OkStatus();
}

absl::Status Lowering::LowerOperation(const Operation& op) {
  const OpRow* row = FindOp(op.name);
  if (!row) return source_.Unsupported(op.at, "operation '{}'", op.name);
  RETURN_IF_ERROR(CheckConstraints(*this, op, *row));
  RETURN_IF_ERROR(RefineResults(op, *row));
  // Bytecode numbers an operation's results before its regions, which could name them.
  for (const Region& region : op.regions) {
    for (ValueId id : region.captures) {
      if (Get(id) == nullptr)
        return Invalid(op, "a region uses a value that is not defined before the operation");
    }
  }
  const int32_t first = module_->IdLimit();
  RETURN_IF_ERROR(IsQuantized(op) ? LowerQuantized(op, *row) : row->lower(*this, op, *row));
  KeepAttributes(op, first);
  if (dynamic_) RETURN_IF_ERROR(FoldSizes(op));
  for (ValueId id : op.results) {  // a result that is used, of an operation that has none
    if (program_.values[static_cast<size_t>(id)].uses && Get(id) == nullptr) {
      return Invalid(op, "has no results, got {}", op.results.size());
    }
    if (Get(id) && FindShape(Get(id)->shape(), IsUnbounded)) {
      return Unsupported(op,
                         "dynamic dimensions without a bound in {}, which shapes of the arguments "
                         "may make static",
                         ToText(Declared(id)));
    }
  }
  return absl::OkStatus();
}

// On the instruction that gives the results, of which the first may have no user and then no
// instruction, or has the effect, if it is of this operation: one whose id is not below `first`.
void Lowering::KeepAttributes(const Operation& op, int32_t first) {
  Annotations annotations = PreservedAttributes(op.attributes);
  if (annotations.empty() || computation_->instructions().empty()) return;
  HloInstruction* i = op.results.empty() ? computation_->instructions().back().get() : nullptr;
  for (size_t k = 0; k < op.results.size() && i == nullptr; ++k) i = Get(op.results[k]);
  while (i && i->op() == HloOpcode::GetTupleElement && i->id() >= first) i = i->operand(0);
  if (i == nullptr || i->id() < first || i->parent() != computation_) return;
  for (const Annotation& a : i->annotations()) annotations.push_back(a);
  i->set_annotations(std::move(annotations));
}

std::vector<HloInstruction*> Lowering::Operands(const Operation& op) const {
  std::vector<HloInstruction*> operands;
  operands.reserve(op.operands.size());
  for (ValueId id : op.operands) operands.push_back(Get(id));
  return operands;
}

absl::Status Lowering::CheckCounts(const Operation& op, size_t operands, size_t results) const {
  if (op.operands.size() != operands) {
    return Invalid(op, "takes {} operands, got {}", operands, op.operands.size());
  }
  if (op.results.size() != results) {
    return Invalid(op, "has {} results, got {}", results, op.results.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> Lowering::Add(const Operation& op, HloOpcode kind,
                                              absl::Span<HloInstruction* const> operands,
                                              sinter::Attributes attributes,
                                              absl::Span<HloComputation* const> called,
                                              const Shape* declared) {
  std::string name;
  if (op.results.size() == 1) name = NameFor(value(op.results[0]).name);
  std::optional<Shape> known;
  if (declared && FindShape(*declared, IsUnbounded)) {
    ASSIGN_OR_RETURN(known, Inferred(op, kind, operands, attributes, called, *declared));
    declared = &*known;
  } else if (declared && declared->is_array() && !declared->is_static()) {
    // The rule may know better than a stated bound; SetResult gives the value that bound.
    auto inferred = Inferred(op, kind, operands, attributes, called, *declared);
    if (inferred.ok()) known = *std::move(inferred);
    if (known) declared = &*known;
  }
  auto added =
      computation_->Add(kind, operands, std::move(attributes), called, declared, std::move(name));
  if (!added.ok()) {
    // "gather: what" of a stablehlo.dynamic_gather: the text does not know the former.
    std::string message(MessageOf(added.status()));
    const std::string prefix = Format("{}: ", Name(kind));
    if (message.starts_with(prefix) && !IsSpelled(op.name, Name(kind)))
      message.replace(0, prefix.size(), Format("{}: ", op.name));
    return source_.Error(added.status().code(), op.at, message);
  }
  (*added)->set_metadata(MetadataOf(op));
  return *added;
}

absl::Status Lowering::SetResult(const Operation& op, HloInstruction* value) {
  if (op.results.size() != 1) return Invalid(op, "has 1 result, got {}", op.results.size());
  const Shape& declared = ResultShape(op);
  if (!IsOfType(value->shape(), declared)) {
    return Invalid(op, "the result is {}, not {}", ToText(value->shape()), ToText(declared));
  }
  const Shape stated = InGraph(Declared(op.results[0]));
  if (stated.is_array() && !stated.is_static()) {
    ASSIGN_OR_RETURN(value, WithBounds(op, value, stated));
  }
  Set(op.results[0], value);
  return absl::OkStatus();
}

absl::Status Lowering::AddResult(const Operation& op, HloOpcode kind,
                                 absl::Span<HloInstruction* const> operands,
                                 sinter::Attributes attributes,
                                 absl::Span<HloComputation* const> called) {
  if (op.results.size() != 1) return Invalid(op, "has 1 result, got {}", op.results.size());
  ASSIGN_OR_RETURN(HloInstruction * added,
                   Add(op, kind, operands, std::move(attributes), called, &ResultShape(op)));
  return SetResult(op, added);
}

absl::Status Lowering::AddResults(const Operation& op, HloOpcode kind,
                                  absl::Span<HloInstruction* const> operands,
                                  sinter::Attributes attributes,
                                  absl::Span<HloComputation* const> called) {
  if (op.results.size() == 1) {
    return AddResult(op, kind, operands, std::move(attributes), called);
  }
  std::vector<Shape> shapes;
  for (ValueId id : op.results) shapes.push_back(ShapeOf(id));
  Shape declared = Shape::Tuple(std::move(shapes));
  ASSIGN_OR_RETURN(HloInstruction * added,
                   Add(op, kind, operands, std::move(attributes), called, &declared));
  return SetResults(op, added);
}

absl::Status Lowering::SetResults(const Operation& op, HloInstruction* value) {
  if (op.results.size() == 1) return SetResult(op, value);
  std::vector<Shape> shapes;
  for (ValueId id : op.results) shapes.push_back(ShapeOf(id));
  Shape declared = Shape::Tuple(std::move(shapes));
  if (!IsOfType(value->shape(), declared)) {
    return Invalid(op, "the results are {}, not {}", ToText(value->shape()), ToText(declared));
  }
  return SetFirstResults(op, value);
}

absl::Status Lowering::BindResults(const Operation& op,
                                   const std::vector<HloInstruction*>& values) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const Shape& declared = ResultShape(op, i);
    if (!IsOfType(values[i]->shape(), declared)) {
      return Invalid(op, "result {} is {}, not {}", i, ToText(values[i]->shape()),
                     ToText(declared));
    }
    Set(op.results[i], values[i]);
  }
  return absl::OkStatus();
}

absl::Status Lowering::SetFirstResults(const Operation& op, HloInstruction* value) {
  if (!value->shape().is_tuple()) return SetResult(op, value);
  for (size_t i = 0; i < op.results.size(); ++i) {
    ValueId id = op.results[i];
    if (!program_.values[static_cast<size_t>(id)].uses) continue;
    ASSIGN_OR_RETURN(HloInstruction * element, Add(op, HloOpcode::GetTupleElement, {value},
                                                   TupleElementAttrs{static_cast<int64_t>(i)}));
    Set(id, element);
  }
  return absl::OkStatus();
}

const Function* Lowering::FindFunction(std::string_view name) const {
  auto it = program_.by_name.find(std::string(name));
  return it == program_.by_name.end() ? nullptr : it->second;
}

absl::StatusOr<HloComputation*> Lowering::FunctionOf(const Operation& op,
                                                     const Attribute& symbol) const {
  const Function* function = FindFunction(symbol.text);
  auto computation = function ? computations_.find(function) : computations_.end();
  if (computation == computations_.end())
    return Invalid(op, "there is no function @{}", symbol.text);
  return computation->second;
}

absl::StatusOr<HloComputation*> Lowering::Callee(const Operation& op, std::string_view key) const {
  ASSIGN_OR_RETURN(const Attribute* symbol, Require(op, key));
  if (symbol->kind == Attribute::Kind::kArray && symbol->elements.size() == 1)
    symbol = &symbol->elements[0];
  return FunctionOf(op, *symbol);
}

absl::StatusOr<std::vector<HloComputation*>> Lowering::Callees(const Operation& op,
                                                               std::string_view key) const {
  std::vector<HloComputation*> callees;
  const Attribute* symbols = op.Find(key);
  if (symbols == nullptr) return callees;
  for (const Attribute& symbol : symbols->elements) {
    ASSIGN_OR_RETURN(callees.emplace_back(), FunctionOf(op, symbol));
  }
  return callees;
}

// tf.aliasing_output = N names the result that takes over an argument's buffer; jax.buffer_donor
// leaves the choice to us.
void Lowering::SetAliases(const Function& entry) {
  auto flag = [](const std::vector<NamedAttribute>& attributes,
                 std::string_view name) -> const Attribute* {
    for (const auto& a : attributes) {
      if (a.name == name) return &a.value;
    }
    return nullptr;
  };
  size_t results = entry.result_shapes.size();
  std::vector<bool> taken(results);
  auto alias = [&](size_t argument, size_t result) {
    if (argument >= parameters_.size() || parameters_[argument] < 0) return;
    taken[result] = true;
    Dims index;
    if (results != 1) index.push_back(static_cast<int64_t>(result));
    module_->aliases().push_back({index, parameters_[argument], {}, false});
  };
  for (size_t i = 0; i < entry.argument_attributes.size(); ++i) {
    const Attribute* a = flag(entry.argument_attributes[i], "tf.aliasing_output");
    if (!a || a->kind != Attribute::Kind::kInteger || a->integer < 0) continue;
    auto result = static_cast<size_t>(a->integer);
    if (result < results && !taken[result]) alias(i, result);
  }
  std::vector<BufferDonor> donors;
  for (size_t i = 0; i < entry.argument_attributes.size() && i < parameters_.size(); ++i) {
    const Attribute* a = flag(entry.argument_attributes[i], "jax.buffer_donor");
    if (!a || (a->kind == Attribute::Kind::kBool && !a->integer)) continue;
    if (parameters_[i] >= 0) donors.push_back({parameters_[i], {}});
  }
  module_->PlaceDonors(donors);
}

Metadata Lowering::MetadataOf(const Operation& op) const {
  Origin origin = OriginOf(program_, op.location);
  if (origin.line == 0) {
    origin.file = std::string(source_.filename());
    origin.line = static_cast<int32_t>(source_.LineOf(op.at));
  }
  return {.op_name = std::move(origin.name),
          .source_file = std::move(origin.file),
          .source_line = origin.line};
}

}  // namespace sinter::stablehlo
