#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "frontend/stablehlo/make_types.h"
#include "frontend/stablehlo_text/parser.h"

namespace sinter::stablehlo {
absl::StatusOr<Shape> Parser::ParseShapeType() {
  const char* start = at();
  ASSIGN_OR_RETURN(Type type, ParseType());
  if (type.kind == Type::Kind::kShape) return std::move(type.shape);
  if (type.kind == Type::Kind::kFunction) {
    return source_.Invalid(start, "a function type does not fit here");
  }
  return source_.Unsupported(start, "values of type {}", ToText(type));
}

absl::StatusOr<std::vector<Type>> Parser::ParseTypeList() {
  std::vector<Type> types;
  if (!Eat('(')) {
    ASSIGN_OR_RETURN(Type type, ParseType());
    types.push_back(std::move(type));
    return types;
  }
  while (!At(')')) {
    if (!types.empty()) RETURN_IF_ERROR(Expect(',', "between types"));
    ASSIGN_OR_RETURN(Type type, ParseType());
    types.push_back(std::move(type));
  }
  Advance();
  return types;
}

absl::StatusOr<Type> Parser::ParseType() {
  const char* start = at();
  DepthGuard guard(this, start);
  RETURN_IF_ERROR(guard.status);
  Type type;
  auto text = [&] {
    return std::string_view(start, static_cast<size_t>(lexer_.last_end() - start));
  };
  if (At(Tok::kBang)) return ParseDialectType();
  if (At('(')) {
    type.kind = Type::Kind::kFunction;
    ASSIGN_OR_RETURN(type.inputs, ParseTypeList());
    if (!At(Tok::kArrow)) return Expected("'->'");
    Advance();
    ASSIGN_OR_RETURN(type.results, ParseTypeList());
    type.text = text();
    return type;
  }
  if (!At(Tok::kWord)) return Expected("a type");
  if (At("tensor")) return ParseTensorType();
  if (Eat("tuple")) {
    type.kind = Type::Kind::kShape;
    RETURN_IF_ERROR(Expect('<', "after 'tuple'"));
    std::vector<Shape> elements;
    while (!At('>')) {
      if (!elements.empty()) RETURN_IF_ERROR(Expect(',', "between types"));
      ASSIGN_OR_RETURN(Shape element, ParseShapeType());
      elements.push_back(std::move(element));
    }
    Advance();
    type.shape = Shape::Tuple(std::move(elements));
    return type;
  }
  if (Eat("complex")) {
    RETURN_IF_ERROR(Expect('<', "after 'complex'"));
    ASSIGN_OR_RETURN(Type part, ParseType());
    RETURN_IF_ERROR(Expect('>', "behind the type of complex numbers"));
    ElementType e = part.shape.element_type();
    if (part.kind != Type::Kind::kScalar || (e != ElementType::F32 && e != ElementType::F64)) {
      return source_.Unsupported(start, "the type {}", text());
    }
    type.kind = Type::Kind::kScalar;
    type.shape = Shape(e == ElementType::F32 ? ElementType::C64 : ElementType::C128);
    return type;
  }
  if (auto element = ElementTypeOf(token().text)) {
    type.kind = Type::Kind::kScalar;
    type.shape = Shape(*element);
    Advance();
    return type;
  }
  std::string_view word = token().text;
  bool integer = word.find_first_not_of("0123456789", word[0] == 'i' ? 1 : 2) == word.npos;
  bool known = word == "none" || word == "tf32" || word == "f80" || word == "f128" ||
               (word.size() > 1 && integer &&
                (word[0] == 'i' || word.substr(0, 2) == "ui" || word.substr(0, 2) == "si"));
  Advance();
  if (word == "vector" || word == "memref") {
    std::string_view body;
    if (At('<')) RETURN_IF_ERROR(SkipBrackets(&body));
    known = true;
  }
  if (!known) return source_.Invalid(start, "'{}' is not a type", word);
  type.text = text();
  return type;
}

absl::StatusOr<Type> Parser::ParseDialectType() {
  const char* start = at();
  std::string_view name = token().text;
  Type type;
  if (auto alias = type_aliases_.find(name); alias != type_aliases_.end()) {
    Advance();
    return alias->second;
  }
  Advance();
  if (name == "!stablehlo.token" || name == "!mhlo.token") {
    type.kind = Type::Kind::kShape;
    type.shape = Shape::Token();
    return type;
  }
  if (name == "!stablehlo.future" || name == "!mhlo.future") {
    // What is computed already: the values themselves.
    RETURN_IF_ERROR(Expect('<', "behind '!stablehlo.future'"));
    std::vector<Shape> shapes;
    do {
      ASSIGN_OR_RETURN(Shape shape, ParseShapeType());
      shapes.push_back(std::move(shape));
    } while (Eat(','));
    RETURN_IF_ERROR(Expect('>', "at the end of a future"));
    type.kind = Type::Kind::kShape;
    type.shape = shapes.size() == 1 ? std::move(shapes[0]) : Shape::Tuple(std::move(shapes));
    return type;
  }
  std::string_view body;
  if (At('<')) RETURN_IF_ERROR(SkipBrackets(&body));
  if (name == "!quant.uniform") return ParseQuantizedType(body, start);
  if (name.find('.') == name.npos && body.empty()) {
    return source_.Invalid(start, "the type alias '{}' is not defined", name);
  }
  type.text = std::string_view(start, static_cast<size_t>(lexer_.last_end() - start));
  return type;
}

absl::StatusOr<Type> Parser::ParseTensorType() {
  const char* start = at();
  Advance();
  if (!At('<')) return Expected("'<' after 'tensor'");
  // Dimensions are no tokens: "2x3xf32".
  const char *open = at(), *p = token().end(), *end = lexer_.end();
  // Types that no value may have, but attributes.
  auto other = [&]() -> absl::StatusOr<Type> {
    lexer_.MoveTo(open);
    std::string_view body;
    RETURN_IF_ERROR(SkipBrackets(&body));
    Type type;
    type.text = std::string_view(start, static_cast<size_t>(lexer_.last_end() - start));
    return type;
  };
  std::vector<int64_t> dimensions;
  while (p != end && (IsDigit(*p) || *p == '?' || *p == '*' || *p == ' ')) {
    if (*p == ' ') {
      ++p;
      continue;
    }
    if (*p == '*') return other();
    int64_t size = Shape::kUnbounded;
    const char* number = p;
    if (*p == '?') {
      ++p;
    } else {
      auto [stop, error] = std::from_chars(p, end, size);
      if (error != std::errc()) return source_.Exhausted(p, "a dimension of more than 2^63 - 1");
      p = stop;
    }
    if (p == end || *p != 'x') return source_.Invalid(number, "expected 'x' behind a dimension");
    ++p;
    dimensions.push_back(size);
  }
  lexer_.MoveTo(p);
  const char* element_at = at();
  ASSIGN_OR_RETURN(Type element, ParseType());
  if (element.kind == Type::Kind::kOther) return other();
  if (element.kind != Type::Kind::kScalar) {
    return source_.Invalid(element_at, "{} is not the type of an element", ToText(element));
  }
  Type type;
  type.kind = Type::Kind::kShape;
  ASSIGN_OR_RETURN(type.shape, MakeArray(source_, start, element.shape, std::move(dimensions)));
  if (Eat(',')) RETURN_IF_ERROR(ParseBounds(&type.shape));
  RETURN_IF_ERROR(Expect('>', "at the end of a tensor type"));
  return type;
}

// The encoding of a tensor type: #stablehlo.bounds<?, 4> or #stablehlo.type_extensions<bounds = [?,
// 4]>. Others, such as shardings, mean nothing here.
absl::Status Parser::ParseBounds(Shape* shape) {
  const char* start = at();
  ASSIGN_OR_RETURN(Attribute encoding, ParseAttribute());
  if (encoding.kind != Attribute::Kind::kDialect) return absl::OkStatus();
  std::string_view body = encoding.kept;
  body.remove_prefix(std::min(body.size(), body.find('<') + 1));
  if (!body.empty()) body.remove_suffix(1);
  if (encoding.text == "stablehlo.type_extensions" || encoding.text == "mhlo.type_extensions") {
    size_t open = body.find('['), close = body.find(']');
    if (open == body.npos || close == body.npos || close < open) return absl::OkStatus();
    body = body.substr(open + 1, close - open - 1);
  } else if (encoding.text != "stablehlo.bounds") {
    return absl::OkStatus();
  }
  Lexer lexer(body.data(), body.data() + body.size());
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i < shape->rank(); ++i) {
    if (i && lexer.token().Is(',')) lexer.Advance();
    int64_t& bound = bounds.emplace_back(Shape::kUnbounded);
    const Token& t = lexer.token();
    if (t.kind == Tok::kInteger) {
      if (std::from_chars(t.begin(), t.end(), bound).ec != std::errc()) {
        return source_.Exhausted(start, "a bound of more than 2^63 - 1");
      }
    } else if (!t.Is('?')) {
      return source_.Invalid(start, "expected {} bounds, each a number or '?'", shape->rank());
    }
    lexer.Advance();
  }
  if (lexer.token().kind != Tok::kEnd) {
    return source_.Invalid(start, "expected {} bounds, each a number or '?'", shape->rank());
  }
  return SetBounds(source_, start, bounds, shape);
}

// "i8<-128:127>:f32:1, {0.1:3, 0.2}" behind !quant.uniform<.
absl::StatusOr<Type> Parser::ParseQuantizedType(std::string_view body, const char* start) {
  if (body.empty()) return source_.Invalid(start, "expected '<' after '!quant.uniform'");
  Lexer lex(body.data(), body.data() + body.size());
  Quantization q;
  auto bad = [&](std::string_view what) {
    return source_.Invalid(lex.token().begin(), "expected {} in a quantized type", what);
  };
  auto integer = [&](int64_t* value) {
    bool negative = lex.token().Is('-');
    if (negative) lex.Advance();
    const Token& t = lex.token();
    if (t.kind != Tok::kInteger) return false;
    if (std::from_chars(t.begin(), t.end(), *value).ec != std::errc()) return false;
    if (negative) *value = -*value;
    lex.Advance();
    return true;
  };
  const std::string_view text = lex.token().text;
  const bool is_u = text.starts_with('u') && !text.starts_with("ui");
  const std::string storage = is_u ? Format("ui{}", text.substr(1)) : std::string(text);
  auto type = ElementTypeOf(storage);
  if (!type || !IsInteger(*type)) return bad("a storage type");
  q.storage = *type;
  std::tie(q.storage_min, q.storage_max) = StorageRange(*type);
  lex.Advance();
  if (lex.token().Is('<')) {
    lex.Advance();
    if (!integer(&q.storage_min) || !lex.token().Is(':')) return bad("the smallest value and ':'");
    lex.Advance();
    if (!integer(&q.storage_max) || !lex.token().Is('>')) return bad("the largest value and '>'");
    lex.Advance();
  }
  if (!lex.token().Is(':')) return bad("':'");
  lex.Advance();
  type = ElementTypeOf(lex.token().text);
  if (!type || !IsFloat(*type)) return bad("a float type");
  q.expressed = *type;
  lex.Advance();
  if (lex.token().Is(':')) {
    lex.Advance();
    if (lex.token().Is('{')) {  // {0:2, 1:4}: sizes of blocks
      do {
        lex.Advance();
        if (!integer(&q.block_dimensions.emplace_back()) || q.block_dimensions.back() < 0) {
          return bad("a dimension");
        }
        if (!lex.token().Is(':')) return bad("':'");
        lex.Advance();
        if (!integer(&q.block_sizes.emplace_back()) || q.block_sizes.back() < 1) {
          return bad("the size of a block");
        }
      } while (lex.token().Is(','));
      if (!lex.token().Is('}')) return bad("'}'");
      lex.Advance();
    } else if (!integer(&q.dimension)) {
      return bad("a dimension");
    }
  }
  if (!lex.token().Is(',')) return bad("','");
  lex.Advance();
  // Scales, in lists for blocks as deep as there are dimensions. `counts` has the entries of each
  // open list.
  std::vector<int64_t> counts;
  std::vector<int64_t>& sizes = q.scale_dimensions;  // of the lists closed so far, outermost first
  for (;;) {
    while (lex.token().Is('{')) {
      if (counts.size() == kMaxRegionDepth) return bad("fewer lists of scales");
      counts.push_back(0);
      if (sizes.size() < counts.size()) sizes.push_back(-1);
      lex.Advance();
    }
    if (counts.size() != sizes.size()) return bad("as many lists around each scale");
    double scale = 0;
    int64_t zero = 0;
    const Token& t = lex.token();
    if (t.kind != Tok::kFloat && t.kind != Tok::kInteger) return bad("a scale");
    if (std::from_chars(t.begin(), t.end(), scale).ec != std::errc()) return bad("a scale");
    lex.Advance();
    if (lex.token().Is(':')) {
      lex.Advance();
      if (!integer(&zero)) return bad("a zero point");
    }
    q.scales.push_back(scale);
    q.zero_points.push_back(zero);
    if (!counts.empty()) ++counts.back();
    while (!counts.empty() && lex.token().Is('}')) {
      int64_t& size = sizes[counts.size() - 1];
      if (size >= 0 && size != counts.back()) return bad("lists of scales of one length");
      size = counts.back();
      counts.pop_back();
      if (!counts.empty()) ++counts.back();
      lex.Advance();
    }
    if (counts.empty()) break;
    if (!lex.token().Is(',')) return bad("',' or '}'");
    lex.Advance();
  }
  if (q.block_dimensions.empty()) {
    if (sizes.size() != (q.dimension >= 0 ? 1 : 0)) return bad("one scale or a list of scales");
    sizes.clear();
  }
  if (lex.token().kind != Tok::kEnd) return bad("'>'");
  Type result;
  result.kind = Type::Kind::kScalar;
  ASSIGN_OR_RETURN(result.shape, MakeQuantized(source_, start, std::move(q)));
  return result;
}

}  // namespace sinter::stablehlo
