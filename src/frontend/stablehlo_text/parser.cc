// Modules, functions, aliases, resources. Operations: operations.cc.
#include "frontend/stablehlo_text/parser.h"

#include <algorithm>

namespace sinter::stablehlo {

absl::Status Parser::Expected(std::string_view what) const {
  if (At(Tok::kEnd)) return source_.Invalid(at(), "expected {}, got the end of the text", what);
  if (At(Tok::kBad) && *at() == '"') {
    return source_.Invalid(at(), "this string is never closed");
  }
  std::string_view text = token().text.substr(0, 40);
  return source_.Invalid(at(), "expected {}, got '{}'", what, text);
}

absl::Status Parser::Expect(char c, std::string_view where) {
  if (Eat(c)) return absl::OkStatus();
  return Expected(Format("'{}' {}", c, where));
}

absl::Status Parser::Expect(std::string_view word) {
  if (Eat(word)) return absl::OkStatus();
  return Expected(Format("'{}'", word));
}

absl::StatusOr<Program> Parser::ParseProgram() {
  while (!At(Tok::kEnd)) RETURN_IF_ERROR(ParseTopLevel());
  FillResources();
  return std::move(program_);
}

absl::Status Parser::Finish() {
  if (!At(Tok::kEnd)) return Expected("the end of the text");
  FillResources();
  return absl::OkStatus();
}

absl::Status Parser::ParseTopLevel() {
  if (At(Tok::kHash) || At(Tok::kBang)) return ParseAliasDefinition();
  if (At(Tok::kResources)) return ParseResources();
  if (At("module") || At("builtin.module")) return ParseModuleOp();
  if (At("func.func") || At("func")) return ParseFunction();
  if (At(Tok::kString)) return ParseGenericTopLevel();
  if (Eat("sdy.mesh")) return ParseMesh();
  return Expected("a module, a function or an alias");
}

// sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
absl::Status Parser::ParseMesh() {
  Mesh mesh;
  ASSIGN_OR_RETURN(mesh.symbol, ParseSymbol());
  RETURN_IF_ERROR(Expect('=', "behind the name of a mesh"));
  if (!At('<')) return Expected("'<' before the axes of a mesh");
  const char* begin = at();
  std::string_view body;
  RETURN_IF_ERROR(SkipBrackets(&body));
  // Places in it are places in the source.
  const std::string_view text(begin, static_cast<size_t>(lexer_.last_end() - begin));
  ReadMesh(text, &mesh);
  mesh.text = std::string(text);
  program_.meshes.push_back(std::move(mesh));
  std::vector<NamedAttribute> attributes;
  RETURN_IF_ERROR(ParseOptionalDictionary(&attributes));
  return ParseOptionalLocation().status();
}

// An error is that of those who use the mesh: how devices are arranged changes no value.
void Parser::ReadMesh(std::string_view text, Mesh* mesh) {
  const Lexer outer = lexer_;
  lexer_ = Lexer(text.data(), text.data() + text.size());
  mesh->status = ParseAxesAndDevices(mesh);
  lexer_ = outer;
}

absl::Status Parser::ParseAxesAndDevices(Mesh* mesh) {
  RETURN_IF_ERROR(Expect('<', "before a mesh"));
  RETURN_IF_ERROR(Expect('[', "before the axes of a mesh"));
  while (!Eat(']')) {
    if (!mesh->axes.empty()) RETURN_IF_ERROR(Expect(',', "between the axes of a mesh"));
    if (!At(Tok::kString)) return Expected("the name of an axis");
    Mesh::Axis& axis = mesh->axes.emplace_back();
    axis.name = Unquote(token().text);
    Advance();
    RETURN_IF_ERROR(Expect('=', "before the size of an axis"));
    ASSIGN_OR_RETURN(axis.size, ParseInteger());
  }
  if (Eat(',')) {
    RETURN_IF_ERROR(Expect("device_ids"));
    RETURN_IF_ERROR(Expect('=', "before the devices of a mesh"));
    RETURN_IF_ERROR(Expect('[', "before the devices of a mesh"));
    while (!Eat(']')) {
      if (!mesh->devices.empty()) RETURN_IF_ERROR(Expect(',', "between devices"));
      ASSIGN_OR_RETURN(mesh->devices.emplace_back(), ParseInteger());
    }
  }
  return Expect('>', "behind a mesh");
}

absl::StatusOr<std::string> Parser::TextSince(const char* begin) const {
  return WithoutAliases(std::string_view(begin, static_cast<size_t>(lexer_.last_end() - begin)));
}

absl::Status Parser::ParseAliasDefinition() {
  std::string_view name = token().text;
  bool type = At(Tok::kBang);
  Advance();
  RETURN_IF_ERROR(Expect('=', "behind the name of an alias"));
  if (type) {
    ASSIGN_OR_RETURN(type_aliases_[name], ParseType());
  } else if (At("loc")) {
    ASSIGN_OR_RETURN(program_.location_aliases[name], ParseOptionalLocation());
  } else {
    const char* begin = at();
    ASSIGN_OR_RETURN(attribute_aliases_[name], ParseAttribute());
    ASSIGN_OR_RETURN(attribute_texts_[name], TextSince(begin));
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseModuleOp() {
  Advance();
  if (At(Tok::kSymbol)) {
    ASSIGN_OR_RETURN(program_.name, ParseSymbol());
  }
  std::vector<NamedAttribute> attributes;
  if (Eat("attributes")) RETURN_IF_ERROR(ParseDictionary(&attributes));
  builder_.AddModuleAttributes(attributes);
  RETURN_IF_ERROR(Expect('{', "before the body of the module"));
  while (!Eat('}')) {
    if (At("module") || At("builtin.module")) {
      return source_.Unsupported(at(), "modules inside a module");
    }
    if (At(Tok::kEnd)) return Expected("'}' at the end of the module");
    RETURN_IF_ERROR(ParseTopLevel());
  }
  return ParseOptionalLocation().status();
}

// "builtin.module"() <{...}> ({ ... }) {...} : () -> () and "func.func"() <{...}> ({^bb0(...): ...
// }) : () -> ().
absl::Status Parser::ParseGenericTopLevel() {
  std::string name = Unquote(token().text);
  const char* start = at();
  bool module = name == "builtin.module";
  if (!module && name != "func.func") {
    return source_.Unsupported(start, "operation '{}' outside of functions", name);
  }
  Advance();
  RETURN_IF_ERROR(Expect('(', "behind the name of an operation"));
  RETURN_IF_ERROR(Expect(')', "since it has no operands"));
  std::vector<NamedAttribute> attributes;
  if (Eat('<')) {
    RETURN_IF_ERROR(ParseDictionary(&attributes));
    RETURN_IF_ERROR(Expect('>', "behind properties"));
  }
  RETURN_IF_ERROR(Expect('(', "before the region"));
  Function f;
  f.at = start;
  if (module) {
    RETURN_IF_ERROR(Expect('{', "before the body of the module"));
    if (At(Tok::kBlock)) {
      Advance();
      RETURN_IF_ERROR(Expect(':', "behind the name of a block"));
    }
    while (!Eat('}')) {
      if (At(Tok::kString) && token().text == "\"builtin.module\"") {
        return source_.Unsupported(at(), "modules inside a module");
      }
      if (At(Tok::kEnd)) return Expected("'}' at the end of the module");
      RETURN_IF_ERROR(ParseTopLevel());
    }
  } else {
    bindings_.clear();
    builder_.SetFunction(&f);
    f.has_body = At('{') && *token().end() != '}';
    if (f.has_body) {
      RETURN_IF_ERROR(ParseRegion(&f.body));
    } else {
      RETURN_IF_ERROR(Expect('{', "before the body"));
      RETURN_IF_ERROR(Expect('}', "behind an empty body"));
    }
    builder_.SetFunction(nullptr);
  }
  RETURN_IF_ERROR(Expect(')', "behind the region"));
  RETURN_IF_ERROR(ParseOptionalDictionary(&attributes));
  RETURN_IF_ERROR(Expect(':', "before the type of the operation"));
  RETURN_IF_ERROR(ParseType().status());
  RETURN_IF_ERROR(ParseOptionalLocation().status());
  auto find = [&](std::string_view key) -> const Attribute* {
    for (const auto& a : attributes) {
      if (a.name == key) return &a.value;
    }
    return nullptr;
  };
  const Attribute* symbol = find("sym_name");
  if (module) {
    if (symbol) program_.name = symbol->text;
    builder_.AddModuleAttributes(attributes);
    return absl::OkStatus();
  }
  const Attribute* type = find("function_type");
  if (!symbol || symbol->kind != Attribute::Kind::kString || !type || !type->type ||
      type->type->kind != Type::Kind::kFunction) {
    return source_.Invalid(start, "a function needs the attributes sym_name and function_type");
  }
  f.name = symbol->text;
  f.attributes = attributes;
  const Attribute* visibility = find("sym_visibility");
  f.is_public = !visibility || visibility->text == "public";
  f.signature = ToText(*type->type);
  for (const Type& t : type->type->inputs) f.argument_shapes.push_back(t.shape);
  for (const Type& t : type->type->results) f.result_shapes.push_back(t.shape);
  f.argument_attributes.resize(f.argument_shapes.size());
  f.argument_locations.resize(f.argument_shapes.size(), kNoLocation);
  if (const Attribute* each = find("arg_attrs")) {
    for (size_t i = 0; i < std::min(each->elements.size(), f.argument_shapes.size()); ++i) {
      f.argument_attributes[i] = each->elements[i].entries;
    }
  }
  if (const Attribute* each = find("res_attrs")) {
    for (const Attribute& e : each->elements) f.result_attributes.push_back(e.entries);
  }
  f.result_attributes.resize(f.result_shapes.size());
  return builder_.AddFunction(std::move(f));
}

absl::Status Parser::ParseFunction() {
  Advance();
  Function f;
  if (Eat("private") || Eat("nested")) f.is_public = false;
  Eat("public");
  f.at = at();
  ASSIGN_OR_RETURN(f.name, ParseSymbol());
  bindings_.clear();
  std::vector<RegionArgument> arguments;
  RETURN_IF_ERROR(ParseFunctionArguments(&f, &arguments));
  if (At(Tok::kArrow)) {
    const char* begin = at();
    RETURN_IF_ERROR(ParseFunctionResults(&f));
    ASSIGN_OR_RETURN(const std::string results, TextSince(begin));
    f.signature += Format(" {}", results);
  }
  f.result_attributes.resize(f.result_shapes.size());
  if (Eat("attributes")) {
    const char* begin = at();
    RETURN_IF_ERROR(ParseDictionary(&f.attributes));
    ASSIGN_OR_RETURN(const std::string attributes, TextSince(begin));
    f.signature += Format(" attributes {}", attributes);
  }
  f.has_body = At('{');
  if (f.has_body) {
    builder_.SetFunction(&f);
    RETURN_IF_ERROR(ParseRegion(&f.body, arguments));
    builder_.SetFunction(nullptr);
  }
  RETURN_IF_ERROR(ParseOptionalLocation().status());
  return builder_.AddFunction(std::move(f));
}

absl::Status Parser::ParseFunctionArguments(Function* f, std::vector<RegionArgument>* arguments) {
  RETURN_IF_ERROR(Expect('(', "before the arguments of a function"));
  bool first = true;
  while (!At(')')) {
    if (!first) RETURN_IF_ERROR(Expect(',', "between arguments"));
    first = false;
    RegionArgument argument{{}, {}, at()};
    if (At(Tok::kValue)) {
      argument.name = token().text;
      Advance();
      RETURN_IF_ERROR(Expect(':', "between an argument and its type"));
    }
    const char* begin = at();
    ASSIGN_OR_RETURN(argument.shape, ParseShapeType());
    RETURN_IF_ERROR(ParseOptionalDictionary(&f->argument_attributes.emplace_back()));
    ASSIGN_OR_RETURN(const std::string text, TextSince(begin));
    f->signature += Format("{}{}", f->argument_shapes.empty() ? "(" : ", ", text);
    ASSIGN_OR_RETURN(LocationId location, ParseOptionalLocation());
    f->argument_locations.push_back(location);
    f->argument_shapes.push_back(argument.shape);
    arguments->push_back(std::move(argument));
  }
  f->signature += f->argument_shapes.empty() ? "()" : ")";
  Advance();
  return absl::OkStatus();
}

absl::Status Parser::ParseFunctionResults(Function* f) {
  Advance();
  if (!Eat('(')) {
    ASSIGN_OR_RETURN(Shape shape, ParseShapeType());
    f->result_shapes.push_back(std::move(shape));
    return absl::OkStatus();
  }
  while (!At(')')) {
    if (!f->result_shapes.empty()) RETURN_IF_ERROR(Expect(',', "between results"));
    ASSIGN_OR_RETURN(Shape shape, ParseShapeType());
    f->result_shapes.push_back(std::move(shape));
    RETURN_IF_ERROR(ParseOptionalDictionary(&f->result_attributes.emplace_back()));
  }
  Advance();
  return absl::OkStatus();
}

// {-# dialect_resources: { builtin: { name: "0x...", ... } }, external_resources: {...} #-}
absl::Status Parser::ParseResources() {
  Advance();
  // Blobs are the only strings whose key stands right before them; the nesting does not matter.
  std::string_view key;
  while (!At(Tok::kResourcesEnd)) {
    if (At(Tok::kEnd) || At(Tok::kBad)) return Expected("'#-}' at the end of resources");
    if (At(Tok::kWord) || At(Tok::kString)) {
      std::string_view text = token().text;
      Advance();
      if (Eat(':')) {
        key = text;
        if (At(Tok::kString)) {
          resources_[key] = token().text;
          Advance();
        }
      }
      continue;
    }
    Advance();
  }
  Advance();
  return absl::OkStatus();
}

// An error is that of those who use the elements.
void Parser::FillResources() {
  constexpr size_t kAlignment = 4;  // bytes at the beginning of a blob
  for (const PendingResource& p : pending_resources_) {
    auto it = resources_.find(p.name);
    *p.elements = it == resources_.end()
                      ? source_.Invalid(p.at, "there is no resource '{}'", p.name)
                      : ParseHex(source_, it->second, p.shape, kAlignment, nullptr);
  }
}

}  // namespace sinter::stablehlo
