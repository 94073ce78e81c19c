#include <charconv>

#include "frontend/stablehlo_text/parser.h"
#include "ir/ops/window.h"

namespace sinter::stablehlo {

absl::Status Parser::SkipBrackets(std::string_view* body) {
  const char* open = at();
  const char* stop = EndOfBrackets(open, lexer_.end());
  if (!stop) return source_.Invalid(open, "this '{}' is never closed", *open);
  *body = std::string_view(open + 1, static_cast<size_t>(stop - open) - 2);
  lexer_.MoveTo(stop);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Parser::ParseInteger() {
  bool negative = Eat('-');
  if (!At(Tok::kInteger)) return Expected("an integer");
  std::string_view text = token().text;
  bool hex = text.substr(0, 2) == "0x";
  uint64_t magnitude = 0;
  auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(),
                                       magnitude, hex ? 16 : 10);
  if (error != std::errc() || (negative && magnitude > uint64_t{1} << 63)) {
    return source_.Exhausted(at(), "an integer of more than 64 bits");
  }
  Advance();
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

absl::StatusOr<std::string> Parser::ParseSymbol() {
  if (!At(Tok::kSymbol)) return Expected("a symbol such as @main");
  std::string name = Unquote(token().text.substr(1));
  Advance();
  return name;
}

absl::Status Parser::ParseOptionalDictionary(std::vector<NamedAttribute>* entries) {
  return At('{') ? ParseDictionary(entries) : absl::OkStatus();
}

absl::Status Parser::ParseDictionary(std::vector<NamedAttribute>* entries) {
  RETURN_IF_ERROR(Expect('{', "before attributes"));
  bool first = true;
  while (!At('}')) {
    if (!first) RETURN_IF_ERROR(Expect(',', "between attributes"));
    first = false;
    NamedAttribute entry;
    if (At(Tok::kString)) {
      entry.name = Unquote(token().text);
    } else if (At(Tok::kWord)) {
      entry.name = std::string(token().text);
    } else {
      return Expected("the name of an attribute");
    }
    entry.value.at = at();
    Advance();
    if (Eat('=')) {
      const char* begin = at();
      ASSIGN_OR_RETURN(entry.value, ParseAttribute());
      if (entry.name.find('.') != std::string::npos) {
        ASSIGN_OR_RETURN(entry.value.kept, TextSince(begin));
      }
    }
    entries->push_back(std::move(entry));
  }
  Advance();
  return absl::OkStatus();
}

// Strings are copied unchanged: text in them that looks like an alias is none.
absl::StatusOr<std::string> Parser::WithoutAliases(std::string_view text) const {
  constexpr size_t kMostText = size_t{1} << 20;  // nested aliases unfold to exponentially much text
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '"') {
      const char* close = ClosingQuote(text.data() + at, text.data() + text.size());
      end = close ? static_cast<size_t>(close - text.data()) + 1 : text.size();
    } else if (text[at] == '#' || text[at] == '!') {
      while (end < text.size() && IsWordChar(text[end])) ++end;
      const std::string_view name = text.substr(at, end - at);
      if (auto alias = attribute_texts_.find(name); alias != attribute_texts_.end()) {
        out += alias->second;
        at = end;
        if (out.size() > kMostText)
          return source_.Exhausted(text.data(), "aliases stand for too long a text");
        continue;
      }
      if (auto type = type_aliases_.find(name); type != type_aliases_.end()) {
        out += ToText(type->second);
        at = end;
        continue;
      }
    }
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

// Up to the end of the text: a = 1, b = [2], ...
absl::Status Parser::ParseFields(std::vector<NamedAttribute>* fields) {
  while (!At(Tok::kEnd)) {
    if (!fields->empty()) RETURN_IF_ERROR(Expect(',', "between fields"));
    if (!fields->empty() && At(Tok::kEnd)) break;  // MLIR takes a ',' behind the last one
    if (!At(Tok::kWord)) return Expected("the name of a field");
    NamedAttribute field{std::string(token().text), {}};
    Advance();
    RETURN_IF_ERROR(Expect('=', "behind the name of a field"));
    if (At('(')) {  // sub_axis_info = (1)2: its own form
      field.value.kind = Attribute::Kind::kIntegers;
      field.value.at = at();
      Advance();
      field.value.integers.resize(2);
      ASSIGN_OR_RETURN(field.value.integers[0], ParseInteger());
      RETURN_IF_ERROR(Expect(')', "behind the size before a part of an axis"));
      ASSIGN_OR_RETURN(field.value.integers[1], ParseInteger());
    } else {
      ASSIGN_OR_RETURN(field.value, ParseAttribute());
    }
    fields->push_back(std::move(field));
  }
  return absl::OkStatus();
}

namespace {

void AddInteger(std::string_view name, const char* at, int64_t value,
                std::vector<NamedAttribute>* fields) {
  Attribute a;
  a.at = at;
  a.kind = Attribute::Kind::kInteger;
  a.integer = value;
  fields->push_back({std::string(name), std::move(a)});
}

void AddIntegers(std::string_view name, const char* at, std::vector<int64_t> values,
                 std::vector<NamedAttribute>* fields) {
  Attribute a;
  a.at = at;
  a.kind = Attribute::Kind::kIntegers;
  a.integers = std::move(values);
  fields->push_back({std::string(name), std::move(a)});
}

}  // namespace

// "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", or "raw" and a field for each number.
absl::Status Parser::ReadDimensionNumbers(std::string_view body,
                                          std::vector<NamedAttribute>* fields) {
  if (Eat("raw")) return ParseFields(fields);
  std::string labels[3];
  size_t side = 0;
  for (char c : body) {
    const bool is_label = IsDigit(c) || c == 'b' || c == 'f' || c == 'i' || c == 'o';
    if (is_label) labels[side] += c;
    if (c == ']' && side < 2) ++side;
  }
  struct Side {
    std::string_view name, first, second;
    char first_label, second_label;
  };
  constexpr Side kSides[] = {{"input", "batch", "feature", 'b', 'f'},
                             {"kernel", "input_feature", "output_feature", 'i', 'o'},
                             {"output", "batch", "feature", 'b', 'f'}};
  for (size_t i = 0; i < 3; ++i) {
    const Side& s = kSides[i];
    int64_t first = 0, second = 0;
    std::vector<int64_t> spatial;
    if (!ReadDimensionLabels(labels[i], s.first_label, s.second_label, &first, &second, &spatial)) {
      return source_.Invalid(body.data(),
                             "expected dimension numbers such as [b, 0, f]x[0, i, o]->[b, 0, f]");
    }
    AddInteger(Format("{}_{}_dimension", s.name, s.first), body.data(), first, fields);
    AddInteger(Format("{}_{}_dimension", s.name, s.second), body.data(), second, fields);
    AddIntegers(Format("{}_spatial_dimensions", s.name), body.data(), std::move(spatial), fields);
  }
  return absl::OkStatus();
}

// Whoever asks for fields that cannot be read gets the error then: what another dialect's
// attributes state is its own matter.
void Parser::ReadBody(std::string_view body, Attribute* a) {
  std::string_view words = body;
  while (!words.empty() && words.back() == ' ') words.remove_suffix(1);
  a->word = words.substr(words.rfind(' ') + 1);
  const Lexer outer = lexer_;
  lexer_ = Lexer(body.data(), body.data() + body.size());
  // Where the name follows from where it stands, the brackets of labels tell them from fields.
  const bool numbers = a->text.ends_with(".conv") || (a->text.empty() && body.starts_with('['));
  a->fields_status = numbers ? ReadDimensionNumbers(body, &a->entries) : ParseFields(&a->entries);
  if (!a->fields_status.ok()) a->entries.clear();
  lexer_ = outer;
}

absl::StatusOr<Attribute> Parser::ParseAttribute() {
  Attribute a;
  a.at = at();
  DepthGuard guard(this, a.at);
  RETURN_IF_ERROR(guard.status);
  switch (token().kind) {
    case Tok::kInteger:
    case Tok::kFloat:
      return ParseNumberAttribute();
    case Tok::kString:
      a = ParseStringAttribute();
      if (Eat(':')) RETURN_IF_ERROR(ParseType().status());
      return a;
    case Tok::kSymbol: {
      a.kind = Attribute::Kind::kSymbol;
      ASSIGN_OR_RETURN(a.text, ParseSymbol());
      while (At(':') && token().end() != lexer_.end() && *token().end() == ':') {
        Advance();
        Advance();
        ASSIGN_OR_RETURN(std::string nested, ParseSymbol());
        a.text += "::" + nested;
      }
      return a;
    }
    case Tok::kHash:
      return ParseHashAttribute();
    case Tok::kWord:
      return ParseWordAttribute();
    case Tok::kBang: {
      a.kind = Attribute::Kind::kType;
      ASSIGN_OR_RETURN(Type type, ParseType());
      a.type = std::make_shared<const Type>(std::move(type));
      return a;
    }
    default:
      break;
  }
  if (At('-')) return ParseNumberAttribute();
  if (At('{')) {
    a.kind = Attribute::Kind::kDictionary;
    RETURN_IF_ERROR(ParseDictionary(&a.entries));
    ASSIGN_OR_RETURN(a.kept, TextSince(a.at));
    return a;
  }
  if (At('<')) {  // the pretty form of a dialect attribute whose name is known from where it stands
    a.kind = Attribute::Kind::kDialect;
    std::string_view body;
    RETURN_IF_ERROR(SkipBrackets(&body));
    ReadBody(body, &a);
    ASSIGN_OR_RETURN(a.kept, TextSince(a.at));
    return a;
  }
  if (At('(')) {
    a.kind = Attribute::Kind::kType;
    ASSIGN_OR_RETURN(Type type, ParseType());
    a.type = std::make_shared<const Type>(std::move(type));
    return a;
  }
  if (!Eat('[')) return Expected("an attribute");
  a.kind = Attribute::Kind::kArray;
  while (!At(']')) {
    if (!a.elements.empty()) RETURN_IF_ERROR(Expect(',', "between elements"));
    ASSIGN_OR_RETURN(Attribute element, ParseAttribute());
    a.elements.push_back(std::move(element));
  }
  Advance();
  return a;
}

absl::StatusOr<Attribute> Parser::ParseClauseValue() {
  bool number = At(Tok::kInteger) || At(Tok::kFloat) || At('-');
  if (number) return ParseNumberAttribute(/*may_have_type=*/false);
  return At(Tok::kString) ? ParseStringAttribute() : ParseAttribute();
}

Attribute Parser::ParseStringAttribute() {
  Attribute a;
  a.at = at();
  a.kind = Attribute::Kind::kString;
  a.text = Unquote(token().text);
  Advance();
  return a;
}

absl::StatusOr<Attribute> Parser::ParseNumberAttribute(bool may_have_type) {
  Attribute a;
  a.at = at();
  bool negative = Eat('-');
  if (At(Tok::kFloat)) {
    a.kind = Attribute::Kind::kFloat;
    std::from_chars(token().begin(), token().end(), a.real);
    if (negative) a.real = -a.real;
    Advance();
  } else {
    a.kind = Attribute::Kind::kInteger;
    ASSIGN_OR_RETURN(a.integer, ParseInteger());
    if (negative) a.integer = static_cast<int64_t>(0 - static_cast<uint64_t>(a.integer));
  }
  std::string_view digits(a.at, static_cast<size_t>(lexer_.last_end() - a.at));
  if (!may_have_type || !Eat(':')) return a;
  ASSIGN_OR_RETURN(Type type, ParseType());
  // Hexadecimal digits are the bits of a float.
  if (a.kind == Attribute::Kind::kInteger && type.kind == Type::Kind::kScalar &&
      IsFloat(type.shape.element_type())) {
    bool splat;
    ASSIGN_OR_RETURN(Literal value, ParseDenseText(source_, digits, type.shape, &splat));
    a.kind = Attribute::Kind::kFloat;
    a.real = value.GetAsDouble(0);
  }
  a.type = std::make_shared<const Type>(std::move(type));
  return a;
}

absl::StatusOr<Attribute> Parser::ParseHashAttribute() {
  Attribute a;
  a.at = at();
  a.kind = Attribute::Kind::kDialect;
  std::string_view name = token().text;
  if (auto alias = attribute_aliases_.find(name); alias != attribute_aliases_.end()) {
    Advance();
    Attribute copy = alias->second;
    copy.at = a.at;
    return copy;
  }
  a.text = std::string(name.substr(1));
  Advance();
  std::string_view body = name.substr(name.size());  // a place in the text, for errors
  if (At('<')) RETURN_IF_ERROR(SkipBrackets(&body));
  // Aliases of locations are defined at the end of the text.
  if (body.empty() && a.text.find('.') == std::string::npos && a.text.substr(0, 3) != "loc") {
    return source_.Invalid(a.at, "the attribute alias '{}' is not defined", name);
  }
  ReadBody(body, &a);
  ASSIGN_OR_RETURN(a.kept, TextSince(a.at));
  return a;
}

absl::StatusOr<Attribute> Parser::ParseWordAttribute() {
  Attribute a;
  a.at = at();
  std::string_view word = token().text;
  if (word == "dense") return ParseDense();
  if (word == "dense_resource") return ParseDenseResource();
  if (word == "array") return ParseDenseArray();
  if (word == "true" || word == "false") {
    a.kind = Attribute::Kind::kBool;
    a.integer = word == "true";
    Advance();
    return a;
  }
  if (word == "unit") {
    Advance();
    return a;
  }
  if (word == "loc") {
    a.kind = Attribute::Kind::kOther;
    RETURN_IF_ERROR(ParseOptionalLocation().status());
    return a;
  }
  constexpr std::string_view kOpaque[] = {"affine_map", "affine_set", "distinct",
                                          "opaque",     "sparse",     "strided"};
  for (std::string_view opaque : kOpaque) {
    if (word != opaque) continue;
    a.kind = Attribute::Kind::kOther;
    Advance();
    std::string_view body;
    while (At('<') || At('[')) RETURN_IF_ERROR(SkipBrackets(&body));
    if (Eat(':')) RETURN_IF_ERROR(ParseType().status());
    return a;
  }
  // What is not a type is a keyword of a pretty form: EQ, HIGHEST, e5m10, inf.
  auto is_type = [&] {
    if (word == "tensor" || word == "tuple" || word == "complex" || word == "vector" ||
        word == "memref" || word == "none" || word == "index") {
      return true;
    }
    size_t digits = word.find_first_of("0123456789");
    if (digits == word.npos) return false;
    std::string_view prefix = word.substr(0, digits);
    return prefix == "i" || prefix == "ui" || prefix == "si" || prefix == "f" || prefix == "bf" ||
           prefix == "tf";
  };
  if (!is_type()) {
    a.kind = Attribute::Kind::kKeyword;
    a.text = std::string(word);
    Advance();
    return a;
  }
  a.kind = Attribute::Kind::kType;
  ASSIGN_OR_RETURN(Type type, ParseType());
  a.type = std::make_shared<const Type>(std::move(type));
  return a;
}

// dense<...> : type. The type says how to read what stands before it.
absl::StatusOr<Attribute> Parser::ParseDense() {
  Attribute a;
  a.at = at();
  a.kind = Attribute::Kind::kElements;
  Advance();
  if (!At('<')) return Expected("'<' after 'dense'");
  const char *begin = token().end(), *p = begin, *end = lexer_.end();
  while (p != end && *p == ' ') ++p;
  if (p != end && *p == '"') {
    const char* quote = ClosingQuote(p, end);
    if (!quote) return source_.Invalid(p, "this string is never closed");
    p = quote + 1;
  }
  size_t stop = std::string_view(p, static_cast<size_t>(end - p)).find('>');
  if (stop == std::string_view::npos) return source_.Invalid(a.at, "this 'dense<' is never closed");
  std::string_view text(begin, static_cast<size_t>(p + stop - begin));
  lexer_.MoveTo(p + stop + 1);
  RETURN_IF_ERROR(Expect(':', "and a type behind 'dense<...>'"));
  const char* type_at = at();
  if (At("vector") || At("memref")) {  // in attributes of dialects that mean nothing here
    a.kind = Attribute::Kind::kOther;
    RETURN_IF_ERROR(ParseType().status());
    return a;
  }
  ASSIGN_OR_RETURN(Shape shape, ParseShapeType());
  if (!shape.is_array() || !shape.is_static()) {
    return source_.Invalid(type_at, "a constant must have a static tensor type, not {}",
                           ToText(shape));
  }
  ASSIGN_OR_RETURN(Literal value, ParseDenseText(source_, text, shape, &a.splat));
  a.value = std::make_shared<const Literal>(std::move(value));
  Type type;
  type.kind = Type::Kind::kShape;
  type.shape = std::move(shape);
  a.type = std::make_shared<const Type>(std::move(type));
  return a;
}

// dense_resource<name> : type; the bytes stand at the end of the file.
absl::StatusOr<Attribute> Parser::ParseDenseResource() {
  Attribute a;
  a.at = at();
  a.kind = Attribute::Kind::kElements;
  Advance();
  RETURN_IF_ERROR(Expect('<', "after 'dense_resource'"));
  if (!At(Tok::kWord) && !At(Tok::kString)) return Expected("the name of a resource");
  const std::string_view name = token().text;
  Advance();
  RETURN_IF_ERROR(Expect('>', "behind the name of a resource"));
  RETURN_IF_ERROR(Expect(':', "and a type behind 'dense_resource<...>'"));
  Type type;
  type.kind = Type::Kind::kShape;
  const char* type_at = at();
  ASSIGN_OR_RETURN(type.shape, ParseShapeType());
  if (!type.shape.is_array() || !type.shape.is_static()) {
    return source_.Invalid(type_at, "a constant must have a static tensor type, not {}",
                           ToText(type.shape));
  }
  auto elements = std::make_shared<absl::StatusOr<Literal>>();
  pending_resources_.push_back({name, a.at, type.shape, elements});
  a.resource = std::move(elements);
  a.type = std::make_shared<const Type>(std::move(type));
  return a;
}

// array<i64: 1, 2>, array<i1: true>
absl::StatusOr<Attribute> Parser::ParseDenseArray() {
  Attribute a;
  a.at = at();
  a.kind = Attribute::Kind::kIntegers;
  Advance();
  RETURN_IF_ERROR(Expect('<', "after 'array'"));
  ASSIGN_OR_RETURN(Type type, ParseType());
  bool floats = IsFloat(type.shape.element_type());
  if (Eat(':')) {
    do {
      if (floats) {
        ASSIGN_OR_RETURN(Attribute number, ParseNumberAttribute());
        a.elements.push_back(std::move(number));
      } else if (At("true") || At("false")) {
        a.integers.push_back(At("true"));
        Advance();
      } else {
        ASSIGN_OR_RETURN(int64_t value, ParseInteger());
        a.integers.push_back(value);
      }
    } while (Eat(','));
  }
  RETURN_IF_ERROR(Expect('>', "at the end of an array"));
  if (floats) a.kind = Attribute::Kind::kArray;
  return a;
}

}  // namespace sinter::stablehlo
