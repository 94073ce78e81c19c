// Operations and regions: values and their scopes, the generic form, the plain pretty form.
#include <algorithm>
#include <charconv>

#include "frontend/stablehlo_text/parser.h"
#include "frontend/stablehlo_text/spellings.h"

namespace sinter::stablehlo {
absl::Status Parser::Define(std::string_view name, Binding binding, const char* at) {
  if (!bindings_.try_emplace(name, binding).second) {
    return source_.Invalid(at, "{} is defined twice", name);
  }
  open_.back().push_back(name);
  return absl::OkStatus();
}

absl::StatusOr<ValueId> Parser::ParseUse() {
  const char* start = at();
  if (!At(Tok::kValue)) return Expected("a value such as %0");
  std::string_view name = token().text;
  const char* end = token().end();
  Advance();
  int64_t number = -1;
  if (At(Tok::kHash) && at() == end && token().text.size() > 1 && IsDigit(token().text[1])) {
    auto text = token().text.substr(1);
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size()) {
      return source_.Invalid(start, "{}{} is not a value", name, token().text);
    }
    Advance();
  }
  auto it = bindings_.find(name);
  if (it == bindings_.end()) return source_.Invalid(start, "{} is not defined", name);
  const Binding& binding = it->second;
  if (number < 0 && binding.count == 0)
    return source_.Invalid(start, "{} stands for no value", name);
  if (number >= binding.count) {
    return source_.Invalid(start, "{}#{}: {} stands for {} values", name, number, name,
                           binding.count);
  }
  // A name alone is the first of its values.
  ValueId id = binding.first + static_cast<ValueId>(std::max<int64_t>(number, 0));
  Use(id);
  return id;
}

absl::Status Parser::ParseUses(std::vector<ValueId>* uses) {
  if (!At(Tok::kValue)) return absl::OkStatus();
  do {
    ASSIGN_OR_RETURN(ValueId id, ParseUse());
    uses->push_back(id);
  } while (Eat(','));
  return absl::OkStatus();
}

absl::Status Parser::CheckOperandTypes(const Operation& op, const std::vector<Type>& types) {
  if (types.size() != op.operands.size()) {
    return source_.Invalid(op.at, "{} has {} operands, but {} operand types", op.name,
                           op.operands.size(), types.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Value& value = program_.values[static_cast<size_t>(op.operands[i])];
    if (types[i].kind == Type::Kind::kShape && types[i].shape == value.shape) continue;
    return source_.Invalid(op.at, "operand {} of {} is %{} of type {}, not {}", i, op.name,
                           value.name, ToText(value.shape), ToText(types[i]));
  }
  return absl::OkStatus();
}

absl::Status Parser::SetResults(Operation* op, const std::vector<Type>& types) {
  std::vector<Shape> shapes;
  for (const Type& t : types) {
    if (t.kind != Type::Kind::kShape) {
      return source_.Unsupported(op->at, "{} with a result of type {}", op->name, ToText(t));
    }
    shapes.push_back(t.shape);
  }
  return SetResults(op, std::move(shapes));
}

absl::Status Parser::SetResults(Operation* op, std::vector<Shape> shapes) {
  for (Shape& s : shapes) op->results.push_back(builder_.NewValue(std::move(s)));
  return absl::OkStatus();
}

absl::StatusOr<Parser::Signature> Parser::ParseSignature() {
  RETURN_IF_ERROR(Expect(':', "before types"));
  Signature s;
  if (!At('(')) {
    do {
      ASSIGN_OR_RETURN(Type type, ParseType());
      s.operands.push_back(std::move(type));
    } while (Eat(','));
    if (!At(Tok::kArrow)) return s;
  } else {
    ASSIGN_OR_RETURN(s.operands, ParseTypeList());
    if (!At(Tok::kArrow)) return Expected("'->'");
  }
  s.full = true;
  Advance();
  ASSIGN_OR_RETURN(s.results, ParseTypeList());
  return s;
}

absl::Status Parser::ParseFullSignature(Operation* op) {
  const char* start = at();
  ASSIGN_OR_RETURN(Signature s, ParseSignature());
  if (!s.full) return source_.Invalid(start, "expected types as (operands) -> results");
  RETURN_IF_ERROR(CheckOperandTypes(*op, s.operands));
  return SetResults(op, s.results);
}

absl::Status Parser::OpenRegion(Region* region, const std::vector<RegionArgument>& arguments) {
  open_.emplace_back();
  RETURN_IF_ERROR(builder_.OpenRegion(region, at()));
  return DefineArguments(region, arguments);
}

absl::Status Parser::DefineArguments(Region* region, const std::vector<RegionArgument>& arguments) {
  for (const auto& a : arguments) {
    ValueId id = builder_.NewValue(a.shape, a.name.substr(a.name.empty() ? 0 : 1));
    region->arguments.push_back(id);
    if (!a.name.empty()) RETURN_IF_ERROR(Define(a.name, {id, 1}, a.at));
  }
  return absl::OkStatus();
}

void Parser::CloseRegion() {
  for (std::string_view name : open_.back()) bindings_.erase(name);
  open_.pop_back();
  builder_.CloseRegion();
}

absl::Status Parser::ParseArgumentList(std::vector<RegionArgument>* arguments) {
  RETURN_IF_ERROR(Expect('(', "before arguments"));
  bool first = true;
  while (!At(')')) {
    if (!first) RETURN_IF_ERROR(Expect(',', "between arguments"));
    first = false;
    if (!At(Tok::kValue)) return Expected("an argument such as %arg0");
    RegionArgument argument{token().text, {}, at()};
    Advance();
    RETURN_IF_ERROR(Expect(':', "between an argument and its type"));
    ASSIGN_OR_RETURN(argument.shape, ParseShapeType());
    RETURN_IF_ERROR(ParseOptionalLocation().status());
    arguments->push_back(std::move(argument));
  }
  Advance();
  return absl::OkStatus();
}

absl::Status Parser::ParseRegion(Region* region, const std::vector<RegionArgument>& arguments) {
  RETURN_IF_ERROR(OpenRegion(region, arguments));
  RETURN_IF_ERROR(Expect('{', "before a region"));
  if (At(Tok::kBlock)) {
    Advance();
    std::vector<RegionArgument> more;
    if (At('(')) RETURN_IF_ERROR(ParseArgumentList(&more));
    RETURN_IF_ERROR(Expect(':', "behind the name of a block"));
    RETURN_IF_ERROR(DefineArguments(region, more));
  }
  bool terminated = false;
  while (!At('}')) {
    if (At(Tok::kBlock)) return source_.Unsupported(at(), "regions of several blocks");
    if (At(Tok::kEnd)) return Expected("'}' at the end of a region");
    if (terminated) return Expected("'}' behind the return");
    RETURN_IF_ERROR(ParseOperation(region, &terminated));
  }
  if (!terminated) return source_.Invalid(at(), "the region ends without a return");
  Advance();
  CloseRegion();
  return absl::OkStatus();
}

absl::Status Parser::ParseOperation(Region* into, bool* terminated) {
  std::vector<ResultName> names;
  int64_t named = 0;
  if (At(Tok::kValue)) {
    do {
      if (!At(Tok::kValue)) return Expected("the name of a result");
      ResultName result{token().text, 1, at()};
      Advance();
      if (Eat(':')) {
        const char* count_at = at();
        ASSIGN_OR_RETURN(int64_t count, ParseInteger());
        if (count < 1 || count > 1 << 24) {
          return source_.Invalid(count_at, "{} is no number of results", count);
        }
        result.count = static_cast<int>(count);
      }
      named += result.count;
      names.push_back(result);
    } while (Eat(','));
    RETURN_IF_ERROR(Expect('=', "between results and their operation"));
  }
  Operation op;
  op.at = at();
  if (At(Tok::kString)) {
    RETURN_IF_ERROR(ParseGenericOperation(&op));
  } else if (At(Tok::kWord)) {
    RETURN_IF_ERROR(ParsePrettyOperation(&op));
  } else {
    return Expected("an operation");
  }
  ASSIGN_OR_RETURN(op.location, ParseOptionalLocation());
  if (!names.empty() && named != static_cast<int64_t>(op.results.size())) {
    return source_.Invalid(op.at, "{} has {} results, but {} are named", op.name, op.results.size(),
                           named);
  }
  size_t next = 0;
  for (const ResultName& n : names) {
    for (int i = 0; i < n.count; ++i) {
      program_.values[static_cast<size_t>(op.results[next + static_cast<size_t>(i)])].name =
          n.name.substr(1);
    }
    RETURN_IF_ERROR(Define(n.name, {op.results[next], n.count}, n.at));
    next += static_cast<size_t>(n.count);
  }
  if (IsTerminator(op.name)) {
    into->returned = std::move(op.operands);
    into->terminator_at = op.at;
    *terminated = true;
  } else {
    into->operations.push_back(std::move(op));
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseOptionalRegions(std::vector<Region>* regions) {
  if (!Eat('(')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(ParseRegion(&regions->emplace_back()));
  } while (Eat(','));
  return Expect(')', "behind regions");
}

absl::Status Parser::ParseGenericOperation(Operation* op) {
  op->name = Unquote(token().text);
  Advance();
  RETURN_IF_ERROR(Expect('(', "before operands"));
  RETURN_IF_ERROR(ParseUses(&op->operands));
  RETURN_IF_ERROR(Expect(')', "behind operands"));
  if (At('[')) return source_.Unsupported(at(), "operations with successor blocks");
  if (Eat('<')) {
    RETURN_IF_ERROR(ParseDictionary(&op->attributes));
    RETURN_IF_ERROR(Expect('>', "behind properties"));
  }
  RETURN_IF_ERROR(ParseOptionalRegions(&op->regions));
  RETURN_IF_ERROR(ParseOptionalDictionary(&op->attributes));
  builder_.AddCallees(*op);
  return ParseFullSignature(op);
}

absl::Status Parser::ParsePrettyOperation(Operation* op) {
  op->name = std::string(token().text);
  if (op->name == "call" || op->name == "return") op->name.insert(0, "func.");
  if (IsTerminator(op->name)) return ParseReturn(op);
  const Spelling* spelling = FindSpelling(op->name);
  if (!spelling) {
    if (op->name.find('.') == op->name.npos) return Expected("an operation");
    return source_.Unsupported(at(), "operation '{}'", op->name);
  }
  Advance();
  return spelling->form ? spelling->form(*this, op) : ParsePlain(*spelling, op);
}

absl::Status Parser::ParseReturn(Operation* op) {
  Advance();
  std::vector<NamedAttribute> ignored;
  RETURN_IF_ERROR(ParseUses(&op->operands));
  RETURN_IF_ERROR(ParseOptionalDictionary(&ignored));
  if (op->operands.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Signature s, ParseSignature());
  return CheckOperandTypes(*op, s.operands);
}

absl::Status Parser::ParseClauses(const Spelling& spelling, Operation* op) {
  bool first = true;
  while (!At(':') && !At('{')) {
    if (!first) RETURN_IF_ERROR(Expect(',', "or ':' behind an operand"));
    first = false;
    if (At(Tok::kValue)) {
      ASSIGN_OR_RETURN(ValueId id, ParseUse());
      op->operands.push_back(id);
      continue;
    }
    if (!At(Tok::kWord)) return Expected("an operand or an attribute");
    NamedAttribute clause;
    clause.name = std::string(token().text);
    for (const ClauseName& c : spelling.clauses) {
      if (clause.name == c.pretty) clause.name = c.generic;
    }
    Advance();
    RETURN_IF_ERROR(Expect('=', "behind the name of an attribute"));
    ASSIGN_OR_RETURN(clause.value, ParseClauseValue());
    if (Eat("x")) {  // contracting_dims = [1] x [0]
      Attribute pair;
      pair.kind = Attribute::Kind::kArray;
      pair.at = clause.value.at;
      pair.elements.push_back(std::move(clause.value));
      ASSIGN_OR_RETURN(Attribute right, ParseAttribute());
      pair.elements.push_back(std::move(right));
      clause.value = std::move(pair);
    }
    op->attributes.push_back(std::move(clause));
  }
  return absl::OkStatus();
}

absl::Status Parser::ParsePlain(const Spelling& spelling, Operation* op) {
  RETURN_IF_ERROR(ParseClauses(spelling, op));
  RETURN_IF_ERROR(ParseOptionalDictionary(&op->attributes));
  ASSIGN_OR_RETURN(Signature s, ParseSignature());
  if (s.full) {
    RETURN_IF_ERROR(CheckOperandTypes(*op, s.operands));
    return SetResults(op, s.results);
  }
  if (s.operands.size() != 1) {
    return source_.Invalid(op->at, "{} needs types as (operands) -> results", op->name);
  }
  if (!spelling.result_type_only) {
    std::vector<Type> each(op->operands.size(), s.operands[0]);
    RETURN_IF_ERROR(CheckOperandTypes(*op, each));
  }
  return SetResults(op, s.operands);
}

}  // namespace sinter::stablehlo
