#include "frontend/bytecode/ir_reader.h"

#include <algorithm>

#include "base/status.h"
#include "frontend/bytecode/attribute_text.h"
#include "frontend/bytecode/attribute_values.h"
#include "frontend/bytecode/sdy_operations.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

// Which parts an operation has.
enum Part : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseLists = 32,
  kHasProperties = 64,
};

constexpr std::string_view kCast = "builtin.unrealized_conversion_cast";

// Graphs keep the text of what they do not know, and of dictionaries.
void KeepText(NamedAttribute* a) {
  const bool is_kept = a->name.find('.') != std::string::npos || a->value.kind == Kind::kDictionary;
  if (is_kept && a->value.kind != Kind::kUnit && a->value.kept.empty())
    a->value.kept = AttributeText(a->value);
}

absl::Status KeepTexts(Entries& entries, const char* at, std::vector<NamedAttribute>* attributes) {
  for (NamedAttribute& a : *attributes) {
    KeepText(&a);
    RETURN_IF_ERROR(entries.Spend(at, static_cast<int64_t>(a.value.kept.size()) / kPartOfText));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status IrReader::Read(std::string_view ir) {
  EntryReader reader(source_, entries_, ir);
  bool has_arguments = false;
  const uint64_t count = reader.VarIntWithFlag(&has_arguments);
  if (reader.ok() && has_arguments) reader.FailInvalid("arguments outside of functions");
  for (uint64_t i = 0; i < count && reader.ok(); ++i)
    RETURN_IF_ERROR(ReadTopLevel(reader, /*depth=*/0));
  return reader.Finish("the program");
}

absl::Status IrReader::ReadTopLevel(EntryReader& reader, int depth) {
  Header header;
  scopes_.emplace_back();
  RETURN_IF_ERROR(ReadHeader(reader, &header));
  const std::string& name = header.op.name;
  absl::Status read;
  if (name == "builtin.module") {
    read = ReadModule(reader, std::move(header), depth);
  } else if (name == "func.func") {
    read = ReadFunction(reader, std::move(header));
  } else if (name == "sdy.mesh") {
    read = ReadMesh(header);
  } else {
    read = source_.Unsupported(header.op.at, "operation '{}' outside of functions", name);
  }
  scopes_.pop_back();
  return read;
}

absl::Status IrReader::ReadModule(EntryReader& reader, Header header, int depth) {
  if (depth > 0) return source_.Unsupported(header.op.at, "modules inside a module");
  if (const Attribute* symbol = header.op.Find("sym_name")) builder_.program().name = symbol->text;
  builder_.AddModuleAttributes(std::move(header.op.attributes));
  return ReadRegions(reader, header, [&](EntryReader& body) -> absl::Status {
    const uint64_t blocks = body.VarInt();
    if (blocks > 1) return source_.Unsupported(header.op.at, "regions of several blocks");
    if (blocks == 0) return body.status();
    body.VarInt();  // how many values there are, of functions and meshes none
    bool has_arguments = false;
    const uint64_t count = body.VarIntWithFlag(&has_arguments);
    if (body.ok() && has_arguments) body.FailInvalid("arguments of a module");
    for (uint64_t i = 0; i < count && body.ok(); ++i)
      RETURN_IF_ERROR(ReadTopLevel(body, depth + 1));
    return body.status();
  });
}

absl::Status IrReader::ReadFunction(EntryReader& reader, Header header) {
  Operation& op = header.op;
  Function f;
  f.at = op.at;
  const Attribute *symbol = op.Find("sym_name"), *type = op.Find("function_type");
  if (!symbol || symbol->kind != Kind::kString || !type || !type->type ||
      type->type->kind != Type::Kind::kFunction) {
    return source_.Invalid(op.at, "a function needs the attributes sym_name and function_type");
  }
  f.name = symbol->text;
  const Attribute* visibility = op.Find("sym_visibility");
  f.is_public = !visibility || visibility->text.empty() || visibility->text == "public";
  auto shapes_of = [&](const std::vector<Type>& types, std::vector<Shape>* shapes) -> absl::Status {
    for (const Type& t : types) {
      if (t.kind != Type::Kind::kShape)
        return source_.Unsupported(op.at, "values of type {}", ToText(t));
      shapes->push_back(t.shape);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(shapes_of(type->type->inputs, &f.argument_shapes));
  RETURN_IF_ERROR(shapes_of(type->type->results, &f.result_shapes));
  auto attributes_of = [&](std::string_view key, size_t count,
                           std::vector<std::vector<NamedAttribute>>* all) -> absl::Status {
    all->resize(count);
    const Attribute* each = op.Find(key);
    if (each == nullptr) return absl::OkStatus();
    for (size_t i = 0; i < std::min(each->elements.size(), count); ++i) {
      (*all)[i] = each->elements[i].entries;
      RETURN_IF_ERROR(KeepTexts(entries_, op.at, &(*all)[i]));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(attributes_of("arg_attrs", f.argument_shapes.size(), &f.argument_attributes));
  RETURN_IF_ERROR(attributes_of("res_attrs", f.result_shapes.size(), &f.result_attributes));
  if (header.regions > 1)
    return source_.Invalid(op.at, "@{} has {} regions", f.name, header.regions);
  builder_.SetFunction(&f);
  RETURN_IF_ERROR(ReadRegions(reader, header, [&](EntryReader& body) -> absl::Status {
    // A declaration has a region without blocks.
    EntryReader ahead = body;
    if (ahead.VarInt() == 0) return body.VarInt(), body.status();
    f.has_body = true;
    return ReadRegion(body, &f.body,
                      {.depth = 1, .arguments = 0, .locations = &f.argument_locations});
  }));
  builder_.SetFunction(nullptr);
  f.argument_locations.resize(f.argument_shapes.size(), kNoLocation);
  constexpr std::string_view kOwn[] = {"arg_attrs", "function_type",  "res_attrs",
                                       "sym_name",  "sym_visibility", "no_inline"};
  for (NamedAttribute& a : op.attributes) {
    if (std::find(std::begin(kOwn), std::end(kOwn), a.name) == std::end(kOwn))
      f.attributes.push_back(std::move(a));
  }
  if (!f.has_body) f.signature = SignatureText(f);
  return builder_.AddFunction(std::move(f));
}

absl::Status IrReader::ReadMesh(const Header& header) {
  const Attribute *symbol = header.op.Find("sym_name"), *of = header.op.Find("mesh");
  if (!symbol || !of || of->text != "sdy.mesh")
    return source_.Invalid(header.op.at, "a mesh needs the attributes sym_name and mesh");
  if (header.regions != 0) return source_.Invalid(header.op.at, "a mesh with regions");
  Mesh mesh;
  mesh.symbol = symbol->text;
  mesh.text = StrippedText(*of);
  if (const Attribute* axes = FindAttribute(of->entries, "axes")) {
    for (const Attribute& axis : axes->elements) {
      const Attribute *name = FindAttribute(axis.entries, "name"),
                      *size = FindAttribute(axis.entries, "size");
      if (!name || !size) return source_.Invalid(header.op.at, "an axis of a mesh has no name");
      mesh.axes.push_back({name->text, size->integer});
    }
  }
  if (const Attribute* devices = FindAttribute(of->entries, "device_ids"))
    mesh.devices = devices->integers;
  builder_.program().meshes.push_back(std::move(mesh));
  return absl::OkStatus();
}

absl::Status IrReader::ReadHeader(EntryReader& reader, Header* header) {
  Operation& op = header->op;
  op.at = reader.at();
  const Container& container = entries_.container();
  const uint64_t name = reader.VarInt();
  if (reader.ok() && name >= container.operations.size())
    reader.FailInvalid("operation {} of {}", name, container.operations.size());
  const uint8_t parts = reader.Byte();
  const uint64_t location = reader.VarInt();
  RETURN_IF_ERROR(reader.status());
  if (parts & 0x80) {
    return source_.Invalid(op.at, "an operation of unknown parts");
  }
  ASSIGN_OR_RETURN(op.location, entries_.LocationAt(op.at, location));
  source_.AddOperation(op.at, op.location);
  const Container::Operation& stored = container.operations[name];
  const std::string& stored_name = stored.name;
  const bool is_vhlo = stored_name.starts_with(kVhlo);
  if (is_vhlo && FindOperation(stored_name) == nullptr)
    return source_.Unsupported(op.at, "operation '{}'", stored_name);
  op.name = is_vhlo ? NameOfVhlo(std::string_view(stored_name).substr(kVhlo.size())) : stored_name;
  RETURN_IF_ERROR(entries_.Spend(op.at, 1));
  RETURN_IF_ERROR(ReadAttributes(reader, parts, stored, &op));
  if (is_vhlo) RETURN_IF_ERROR(ConvertVhloAttributes(source_, op.at, op.name, &op.attributes));
  RETURN_IF_ERROR(KeepTexts(entries_, op.at, &op.attributes));
  if (parts & kHasResults) header->result_types = reader.ReadTypes();
  if (parts & kHasOperands) {
    const size_t count = reader.Count();
    for (size_t i = 0; i < count && reader.ok(); ++i) {
      ASSIGN_OR_RETURN(const ValueId id, ValueAt(op.at, reader.VarInt()));
      op.operands.push_back(id);
    }
  }
  if ((parts & kHasSuccessors) && reader.ok() && reader.VarInt() != 0)
    return source_.Unsupported(op.at, "operations with successor blocks");
  if (parts & kHasUseLists) RETURN_IF_ERROR(SkipUseLists(reader, header->result_types.size()));
  if (parts & kHasRegions) header->regions = reader.VarIntWithFlag(&header->is_isolated);
  if (reader.ok() && header->regions > reader.left())
    reader.FailInvalid("{} regions", header->regions);
  return reader.status();
}

absl::Status IrReader::ReadAttributes(EntryReader& reader, uint8_t parts,
                                      const Container::Operation& stored, Operation* op) {
  if (parts & kHasAttributes) {
    Attribute dictionary = reader.ReadAttribute();
    if (reader.ok() && dictionary.kind != Kind::kDictionary)
      reader.FailInvalid("attributes that are no dictionary");
    op->attributes = std::move(dictionary.entries);
  }
  if (!(parts & kHasProperties)) return reader.status();
  const auto& properties = entries_.container().properties;
  const uint64_t index = reader.VarInt();
  if (reader.ok() && index >= properties.size())
    reader.FailInvalid("properties {} of {}", index, properties.size());
  RETURN_IF_ERROR(reader.status());
  EntryReader inner(source_, entries_, properties[index]);
  if (!stored.registered) {  // a writer that did not know the operation has them as a dictionary
    Attribute dictionary = inner.ReadAttribute();
    for (NamedAttribute& a : dictionary.entries) op->attributes.push_back(std::move(a));
  } else if (const OperationRow* row = FindOperation(stored.name)) {
    ReadProperties(inner, *row, &op->attributes);
  } else {
    return source_.Unsupported(op->at, "properties of operation '{}'", stored.name);
  }
  return inner.Finish(Format("the properties of {}", stored.name));
}

// How the uses of each result were ordered, which means nothing here.
absl::Status IrReader::SkipUseLists(EntryReader& reader, size_t values) {
  if (values <= 1) return SkipUses(reader, /*is_of_many=*/false);
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i)
    RETURN_IF_ERROR(SkipUses(reader, /*is_of_many=*/true));
  return reader.status();
}

absl::Status IrReader::SkipUses(EntryReader& reader, bool is_of_many) {
  if (is_of_many) reader.VarInt();  // which of the values
  bool is_pairs = false;
  const size_t count = reader.CheckCount(reader.VarIntWithFlag(&is_pairs));
  for (size_t i = 0; i < count && reader.ok(); ++i) reader.VarInt();
  return reader.status();
}

template <class Function>
absl::Status IrReader::ReadRegions(EntryReader& reader, const Header& header,
                                   const Function& read) {
  if (header.regions == 0) return absl::OkStatus();
  const bool is_apart = header.is_isolated && entries_.container().version >= kLazySections;
  EntryReader* from = &reader;
  std::optional<EntryReader> section;
  if (is_apart) {
    constexpr uint8_t kIr = 4;
    uint8_t id = 0;
    const std::string_view bytes = reader.Section(&id);
    RETURN_IF_ERROR(reader.status());
    if (id != kIr) return source_.Invalid(header.op.at, "regions in section {}", id);
    from = &section.emplace(source_, entries_, bytes);
  }
  if (header.is_isolated) scopes_.emplace_back();
  for (size_t i = 0; i < header.regions; ++i) RETURN_IF_ERROR(read(*from));
  if (header.is_isolated) scopes_.pop_back();
  return is_apart ? from->Finish("the regions of an operation") : from->status();
}

absl::Status IrReader::ReadRegion(EntryReader& reader, Region* region, const Place& place) {
  RETURN_IF_ERROR(builder_.OpenRegion(region, reader.at()));
  const char* at = reader.at();
  const uint64_t blocks = reader.VarInt();
  if (reader.ok() && blocks == 0) return source_.Invalid(at, "a region without a block");
  if (blocks > 1) return source_.Unsupported(at, "regions of several blocks");
  Scopes& scopes = scopes_.back();
  Scope scope;
  if (!scopes.empty()) scope.first = scopes.back().first + scopes.back().count;
  scope.count = reader.Count();  // each value has a byte for its type
  scopes.push_back(std::move(scope));
  bool has_arguments = false;
  const uint64_t count = reader.VarIntWithFlag(&has_arguments);
  if (has_arguments) RETURN_IF_ERROR(ReadArguments(reader, region, place));
  const Place inside{.depth = place.depth + 1,
                     .arguments = place.arguments + region->arguments.size()};
  bool terminated = false;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    if (terminated) return source_.Invalid(reader.at(), "an operation behind the return");
    RETURN_IF_ERROR(ReadOperation(reader, region, inside, &terminated));
  }
  RETURN_IF_ERROR(reader.status());
  if (!terminated) return source_.Invalid(reader.at(), "the region ends without a return");
  scopes_.back().pop_back();
  builder_.CloseRegion();
  return absl::OkStatus();
}

absl::Status IrReader::ReadArguments(EntryReader& reader, Region* region, const Place& place) {
  const uint64_t version = entries_.container().version;
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    bool has_location = true;
    const uint64_t index =
        version >= kElidedLocations ? reader.VarIntWithFlag(&has_location) : reader.VarInt();
    const uint64_t location = has_location ? reader.VarInt() : 0;
    RETURN_IF_ERROR(reader.status());
    if (place.locations != nullptr) {
      place.locations->push_back(kNoLocation);
      if (has_location) {
        ASSIGN_OR_RETURN(place.locations->back(), entries_.LocationAt(reader.at(), location));
      }
    }
    ASSIGN_OR_RETURN(const auto* type, entries_.TypeAt(reader.at(), index));
    if (type->value->kind != Type::Kind::kShape) {
      return source_.Unsupported(reader.at(), "values of type {}", ToText(*type->value));
    }
    RETURN_IF_ERROR(Define(reader, type->value->shape, type->parts,
                           NameOfArgument(place.arguments + i), &region->arguments));
  }
  if (version >= kUseListOrders && reader.Byte() != 0) return SkipUseLists(reader, count);
  return reader.status();
}

absl::Status IrReader::ReadOperation(EntryReader& reader, Region* into, const Place& place,
                                     bool* terminated) {
  Header header;
  RETURN_IF_ERROR(ReadHeader(reader, &header));
  Operation& op = header.op;
  if (op.name == kCast) return ReadCast(reader, header);
  for (ValueId id : op.operands) builder_.Use(id);
  // Its results have their numbers before those of its regions.
  for (Type& t : header.result_types) {
    if (t.kind != Type::Kind::kShape) {
      return source_.Unsupported(op.at, "{} with a result of type {}", op.name, ToText(t));
    }
    RETURN_IF_ERROR(Define(reader, std::move(t.shape), 0, {}, &op.results));
  }
  RETURN_IF_ERROR(ReadRegions(reader, header, [&](EntryReader& body) {
    return ReadRegion(body, &op.regions.emplace_back(), place);
  }));
  return FinishOperation(std::move(header), into, terminated);
}

// Where dialects of a file meet, values go from a type of VHLO to the one that it stands for: here
// they are the same value.
absl::Status IrReader::ReadCast(EntryReader& reader, const Header& header) {
  const Operation& op = header.op;
  bool is_same = op.operands.size() == header.result_types.size() && header.regions == 0;
  for (size_t i = 0; i < op.operands.size() && is_same; ++i) {
    const Type& type = header.result_types[i];
    is_same = type.kind == Type::Kind::kShape && type.shape == builder_.ShapeOf(op.operands[i]);
  }
  if (!is_same) return source_.Unsupported(op.at, "{} of other types", op.name);
  for (ValueId id : op.operands) RETURN_IF_ERROR(Number(reader, id));
  return absl::OkStatus();
}

absl::Status IrReader::FinishOperation(Header header, Region* into, bool* terminated) {
  Operation& op = header.op;
  if (IsTerminator(op.name)) {
    into->returned = std::move(op.operands);
    into->terminator_at = op.at;
    *terminated = true;
    return absl::OkStatus();
  }
  AddAnnotation(&op);
  builder_.AddCallees(op);
  into->operations.push_back(std::move(op));
  return absl::OkStatus();
}

absl::Status IrReader::Define(EntryReader& reader, Shape shape, int64_t parts,
                              std::string_view name, std::vector<ValueId>* ids) {
  RETURN_IF_ERROR(entries_.Spend(reader.at(), parts));
  ids->push_back(builder_.NewValue(std::move(shape), name));
  return Number(reader, ids->back());
}

absl::Status IrReader::Number(EntryReader& reader, ValueId id) {
  Scope& scope = scopes_.back().back();
  if (scope.values.size() == scope.count)
    return source_.Invalid(reader.at(), "more values than the {} that the region has", scope.count);
  scope.values.push_back(id);
  return absl::OkStatus();
}

absl::StatusOr<ValueId> IrReader::ValueAt(const char* at, uint64_t number) {
  const Scopes& scopes = scopes_.back();
  auto scope = std::find_if(scopes.rbegin(), scopes.rend(),
                            [&](const Scope& s) { return s.first <= number; });
  if (scope == scopes.rend() || number - scope->first >= scope->values.size())
    return source_.Invalid(at, "value {} is used, but not defined here", number);
  return scope->values[number - scope->first];
}

// As MLIR prints them: counted through the regions around, from those of the function on.
std::string_view IrReader::NameOfArgument(size_t number) {
  std::deque<std::string>& texts = builder_.program().texts;
  while (argument_names_.size() <= number) {
    texts.push_back(Format("arg{}", argument_names_.size()));
    argument_names_.push_back(texts.back());
  }
  return argument_names_[number];
}

}  // namespace sinter::stablehlo
