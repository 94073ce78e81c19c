// Pretty forms that are not "operands, clauses : types".
#include <algorithm>
#include <iterator>

#include "frontend/stablehlo_text/parser.h"
#include "frontend/stablehlo_text/spellings.h"

namespace sinter::stablehlo::pretty {
namespace {

Attribute Integers(const char* at) {
  Attribute a;
  a.kind = Attribute::Kind::kIntegers;
  a.at = at;
  return a;
}

absl::Status ParseOperandsInParentheses(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.Expect('(', "before operands"));
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  return p.Expect(')', "behind operands");
}

absl::Status ParseSymbolAttribute(Parser& p, Operation* op, std::string_view key) {
  Attribute a;
  a.at = p.at();
  a.kind = Attribute::Kind::kSymbol;
  ASSIGN_OR_RETURN(a.text, p.ParseSymbol());
  op->attributes.push_back({std::string(key), std::move(a)});
  return absl::OkStatus();
}

}  // namespace

// func.call @f(%0, %1) {...} : (types) -> types
absl::Status Call(Parser& p, Operation* op) {
  RETURN_IF_ERROR(ParseSymbolAttribute(p, op, "callee"));
  p.builder().AddCallee(op->attributes.back().value.text, op->at);
  RETURN_IF_ERROR(ParseOperandsInParentheses(p, op));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// stablehlo.custom_call @target(%0, %1) {...} : (types) -> types
absl::Status CustomCall(Parser& p, Operation* op) {
  RETURN_IF_ERROR(ParseSymbolAttribute(p, op, "call_target_name"));
  RETURN_IF_ERROR(ParseOperandsInParentheses(p, op));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  p.builder().AddCalledComputations(*op);
  return p.ParseFullSignature(op);
}

// stablehlo.composite "name" %0, %1 ({...}) {decomposition = @f, ...} : (types) -> types
absl::Status Composite(Parser& p, Operation* op) {
  if (!p.At(Tok::kString)) return p.Expected("the name of a composite");
  Attribute name;
  name.at = p.at();
  name.kind = Attribute::Kind::kString;
  name.text = Unquote(p.token().text);
  op->attributes.push_back({"name", std::move(name)});
  p.Advance();
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  RETURN_IF_ERROR(p.ParseOptionalRegions(&op->regions));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  if (const Attribute* d = op->Find("decomposition")) p.builder().AddCallee(d->text, op->at);
  return p.ParseFullSignature(op);
}

// check.expect_eq %0, %1 : types; check.expect_eq_const %0, dense<...> : type
absl::Status Check(Parser& p, Operation* op) {
  while (!p.At(':') && !p.At('{')) {
    if (p.At(Tok::kValue)) {
      ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
      op->operands.push_back(id);
    } else {
      NamedAttribute clause{"value", {}};
      if (p.At(Tok::kWord) && !p.At("dense") && !p.At("dense_resource")) {
        clause.name = std::string(p.token().text);
        p.Advance();
        RETURN_IF_ERROR(p.Expect('=', "behind the name of an attribute"));
      }
      ASSIGN_OR_RETURN(clause.value, p.ParseClauseValue());
      op->attributes.push_back(std::move(clause));
    }
    if (!p.Eat(',')) break;
  }
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  // The type of the constant is the type of the operand; then it need not be repeated.
  if (!p.At(':')) return absl::OkStatus();
  return p.ParseSignature().status();
}

// stablehlo.compare LT, %0, %1, TOTALORDER : (types) -> type
absl::Status Compare(Parser& p, Operation* op) {
  auto keyword = [&](std::string_view key) -> absl::Status {
    if (!p.At(Tok::kWord)) return p.Expected("a comparison such as LT");
    ASSIGN_OR_RETURN(Attribute a, p.ParseAttribute());
    op->attributes.push_back({std::string(key), std::move(a)});
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(keyword("comparison_direction"));
  for (int i = 0; i < 2; ++i) {
    RETURN_IF_ERROR(p.Expect(',', "before an operand"));
    ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
    op->operands.push_back(id);
  }
  if (p.Eat(',')) RETURN_IF_ERROR(keyword("compare_type"));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// stablehlo.constant {...} dense<...> : type
absl::Status Constant(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  bool parentheses = p.Eat('(');  // an older form
  // Where the value is not of the result's type, as of quantized ones:
  // stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<...>>
  if (parentheses && p.Eat(')')) {
    if (p.Eat('<')) {
      RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
      RETURN_IF_ERROR(p.Expect('>', "behind properties"));
    }
    RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
    return p.ParseFullSignature(op);
  }
  const char* start = p.at();
  ASSIGN_OR_RETURN(Attribute value, p.ParseAttribute());
  if (parentheses) RETURN_IF_ERROR(p.Expect(')', "behind a constant"));
  if (value.kind != Attribute::Kind::kElements) {
    return p.source().Invalid(start, "expected a constant such as dense<0> : tensor<i32>");
  }
  std::vector<Shape> results{value.type->shape};
  op->attributes.push_back({"value", std::move(value)});
  if (p.Eat(':')) {
    ASSIGN_OR_RETURN(results[0], p.ParseShapeType());
  }
  return p.SetResults(op, std::move(results));
}

// stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
//   window = {stride = [2], pad = [[1, 1]]} {...} : (types) -> type
absl::Status Convolution(Parser& p, Operation* op) {
  RETURN_IF_ERROR(ParseOperandsInParentheses(p, op));
  RETURN_IF_ERROR(p.Expect("dim_numbers"));
  RETURN_IF_ERROR(p.Expect('=', "before dimension numbers"));
  Attribute numbers;
  numbers.at = p.at();
  numbers.kind = Attribute::Kind::kDialect;
  numbers.text = "stablehlo.conv";
  for (int side = 0; side < 3; ++side) {
    if (side == 1) RETURN_IF_ERROR(p.Expect("x"));
    if (side == 2) {
      if (!p.At(Tok::kArrow)) return p.Expected("'->'");
      p.Advance();
    }
    if (!p.At('[')) return p.Expected("labels of dimensions such as [b, 0, f]");
    RETURN_IF_ERROR(p.ParseAttribute().status());
  }
  p.ReadBody(std::string_view(numbers.at, static_cast<size_t>(p.last_end() - numbers.at)),
             &numbers);
  op->attributes.push_back({"dimension_numbers", std::move(numbers)});
  RETURN_IF_ERROR(p.Expect(',', "behind dimension numbers"));
  RETURN_IF_ERROR(p.Expect("window"));
  RETURN_IF_ERROR(p.Expect('=', "before a window"));
  ASSIGN_OR_RETURN(Attribute window, p.ParseAttribute());
  if (window.kind != Attribute::Kind::kDictionary) {
    return p.source().Invalid(window.at, "expected a window such as {{stride = [2]}}");
  }
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"stride", "window_strides"},
      {"pad", "padding"},
      {"lhs_dilate", "lhs_dilation"},
      {"rhs_dilate", "rhs_dilation"},
      {"reverse", "window_reversal"}};
  for (NamedAttribute& field : window.entries) {
    auto known = std::find_if(std::begin(kFields), std::end(kFields),
                              [&](const auto& f) { return f.first == field.name; });
    if (known == std::end(kFields)) {
      return p.source().Invalid(field.value.at, "a window has no field '{}'", field.name);
    }
    op->attributes.push_back({std::string(known->second), std::move(field.value)});
  }
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// stablehlo.get_tuple_element %0[1] : (type) -> type
absl::Status GetTupleElement(Parser& p, Operation* op) {
  ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
  op->operands.push_back(id);
  RETURN_IF_ERROR(p.Expect('[', "before the index"));
  Attribute index;
  index.at = p.at();
  index.kind = Attribute::Kind::kInteger;
  ASSIGN_OR_RETURN(index.integer, p.ParseInteger());
  op->attributes.push_back({"index", std::move(index)});
  RETURN_IF_ERROR(p.Expect(']', "behind the index"));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// stablehlo.optimization_barrier %0, %1 : types
absl::Status Barrier(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  if (p.Eat('(')) RETURN_IF_ERROR(p.Expect(')', "since there are no operands"));
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  if (op->operands.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Parser::Signature s, p.ParseSignature());
  RETURN_IF_ERROR(p.CheckOperandTypes(*op, s.operands));
  return p.SetResults(op, s.operands);
}

// stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>
absl::Status Select(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  ASSIGN_OR_RETURN(Parser::Signature s, p.ParseSignature());
  if (!s.full) {
    if (s.operands.size() != 2) {
      return p.source().Invalid(op->at, "{} needs the types of the predicate and of the values",
                                op->name);
    }
    s.operands.push_back(s.operands[1]);
    s.results = {s.operands[1]};
  }
  RETURN_IF_ERROR(p.CheckOperandTypes(*op, s.operands));
  return p.SetResults(op, s.results);
}

// Operations that only say where values are placed: sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]>
// : type, sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : type. A group of values
// has no result. The text, with %0 for the operand, is the attribute "annotation".
absl::Status Annotation(Parser& p, Operation* op) {
  auto skip = [&](auto ends) -> absl::Status {
    while (!ends()) {
      std::string_view body;
      if (p.At('<') || p.At('[') || p.At('{')) {
        RETURN_IF_ERROR(p.SkipBrackets(&body));
      } else if (p.At(Tok::kWord) || p.At('=') || p.At(Tok::kInteger) || p.At(Tok::kSymbol)) {
        p.Advance();
      } else {
        return p.Expected("':' before the type");
      }
    }
    return absl::OkStatus();
  };
  auto between = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<size_t>(end - begin));
  };
  const char* begin = p.at();
  RETURN_IF_ERROR(skip([&] { return p.At(Tok::kValue) || p.At(':'); }));
  std::string text = Format("{} {}%0", op->name, between(begin, p.at()));
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  begin = p.last_end();
  RETURN_IF_ERROR(skip([&] { return p.At(':'); }));
  text += between(begin, p.last_end());
  ASSIGN_OR_RETURN(Parser::Signature s, p.ParseSignature());
  RETURN_IF_ERROR(p.CheckOperandTypes(*op, s.operands));
  Attribute annotation;
  annotation.kind = Attribute::Kind::kString;
  annotation.at = op->at;
  annotation.text = std::move(text);
  op->attributes.push_back({"annotation", std::move(annotation)});
  if (op->name == "sdy.sharding_group") return absl::OkStatus();
  return p.SetResults(op, s.operands);
}

// sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[...] manual_axes={"x"}
// (%arg: type) { ... sdy.return %1 : type } : (type) -> type, sdy.named_computation<"f">(%0) ...
absl::Status Manual(Parser& p, Operation* op) {
  std::string_view body;
  if (p.At('<')) RETURN_IF_ERROR(p.SkipBrackets(&body));
  RETURN_IF_ERROR(p.Expect('(', "before operands"));
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  RETURN_IF_ERROR(p.Expect(')', "behind operands"));
  while (p.At(Tok::kWord)) {
    NamedAttribute a{std::string(p.token().text), {}};
    p.Advance();
    RETURN_IF_ERROR(p.Expect('=', "behind the name of an attribute"));
    if (!p.At('[') && !p.At('{')) return p.Expected("a list");
    a.value.kind = Attribute::Kind::kOther;
    a.value.at = p.at();
    RETURN_IF_ERROR(p.SkipBrackets(&body));
    a.value.kept.assign(a.value.at, p.last_end());
    op->attributes.push_back(std::move(a));
  }
  std::vector<Parser::RegionArgument> arguments;
  if (p.At('(')) RETURN_IF_ERROR(p.ParseArgumentList(&arguments));
  RETURN_IF_ERROR(p.ParseRegion(&op->regions.emplace_back(), arguments));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// stablehlo.slice %0 [0:2, 1:9:2] : (type) -> type
absl::Status Slice(Parser& p, Operation* op) {
  ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
  op->operands.push_back(id);
  Attribute starts = Integers(p.at()), limits = starts, strides = starts;
  RETURN_IF_ERROR(p.Expect('[', "before the ranges"));
  while (!p.At(']')) {
    if (!starts.integers.empty()) RETURN_IF_ERROR(p.Expect(',', "between ranges"));
    ASSIGN_OR_RETURN(int64_t start, p.ParseInteger());
    RETURN_IF_ERROR(p.Expect(':', "in a range"));
    ASSIGN_OR_RETURN(int64_t limit, p.ParseInteger());
    int64_t stride = 1;
    if (p.Eat(':')) {
      ASSIGN_OR_RETURN(stride, p.ParseInteger());
    }
    starts.integers.push_back(start);
    limits.integers.push_back(limit);
    strides.integers.push_back(stride);
  }
  p.Advance();
  op->attributes.push_back({"start_indices", std::move(starts)});
  op->attributes.push_back({"limit_indices", std::move(limits)});
  op->attributes.push_back({"strides", std::move(strides)});
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// chlo.top_k(%0, k = 2, is_stable = true) {...} : type -> (types)
absl::Status TopK(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.Expect('(', "before the operand"));
  ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
  op->operands.push_back(id);
  while (p.Eat(',')) {
    if (!p.At(Tok::kWord)) return p.Expected("an attribute such as k");
    NamedAttribute clause{std::string(p.token().text), {}};
    p.Advance();
    RETURN_IF_ERROR(p.Expect('=', "behind the name of an attribute"));
    ASSIGN_OR_RETURN(clause.value, p.ParseClauseValue());
    op->attributes.push_back(std::move(clause));
  }
  RETURN_IF_ERROR(p.Expect(')', "behind the attributes"));
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  return p.ParseFullSignature(op);
}

// chlo.scan(%inputs) inits (%carries) dimension=0 attributes {...} { ... } : types
absl::Status Scan(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.Expect('(', "before the inputs"));
  RETURN_IF_ERROR(p.ParseUses(&op->operands));
  const size_t inputs = op->operands.size();
  RETURN_IF_ERROR(p.Expect(')', "behind the inputs"));
  RETURN_IF_ERROR(p.Expect("inits"));
  RETURN_IF_ERROR(p.Expect('(', "before what is carried"));
  std::vector<ValueId> inits;
  RETURN_IF_ERROR(p.ParseUses(&inits));
  op->operands.insert(op->operands.end(), inits.begin(), inits.end());
  RETURN_IF_ERROR(p.Expect(')', "behind what is carried"));
  RETURN_IF_ERROR(p.Expect("dimension"));
  RETURN_IF_ERROR(p.Expect('=', "before the dimension"));
  ASSIGN_OR_RETURN(Attribute dimension, p.ParseClauseValue());
  op->attributes.push_back({"dimension", std::move(dimension)});
  if (p.Eat("attributes")) RETURN_IF_ERROR(p.ParseDictionary(&op->attributes));
  op->regions.resize(1);
  RETURN_IF_ERROR(p.ParseRegion(&op->regions[0]));
  RETURN_IF_ERROR(p.ParseFullSignature(op));
  // The attributes of the generic form for operands and results.
  auto add_segments = [&](std::string_view name, size_t count) {
    Attribute sizes;
    sizes.kind = Attribute::Kind::kIntegers;
    sizes.at = op->at;
    const auto carries = static_cast<int64_t>(inits.size());
    sizes.integers = {static_cast<int64_t>(count) - carries, carries};
    op->attributes.push_back({std::string(name), std::move(sizes)});
  };
  add_segments("operandSegmentSizes", inputs + inits.size());
  add_segments("resultSegmentSizes", op->results.size());
  return absl::OkStatus();
}

// stablehlo.while(%a = %0, %b = %1) : types attributes {...} cond { ... } do { ... }
absl::Status While(Parser& p, Operation* op) {
  RETURN_IF_ERROR(p.Expect('(', "before what is carried"));
  std::vector<Parser::RegionArgument> arguments;
  while (!p.At(')')) {
    if (!arguments.empty()) RETURN_IF_ERROR(p.Expect(',', "between what is carried"));
    if (!p.At(Tok::kValue)) return p.Expected("an argument such as %iterArg");
    Parser::RegionArgument argument{p.token().text, {}, p.at()};
    p.Advance();
    RETURN_IF_ERROR(p.Expect('=', "between an argument and its first value"));
    ASSIGN_OR_RETURN(ValueId id, p.ParseUse());
    op->operands.push_back(id);
    argument.shape = p.ShapeOf(id);
    arguments.push_back(std::move(argument));
  }
  p.Advance();
  if (!arguments.empty()) {
    ASSIGN_OR_RETURN(Parser::Signature s, p.ParseSignature());
    RETURN_IF_ERROR(p.CheckOperandTypes(*op, s.operands));
  }
  if (p.Eat("attributes")) RETURN_IF_ERROR(p.ParseDictionary(&op->attributes));
  op->regions.resize(2);
  RETURN_IF_ERROR(p.Expect("cond"));
  RETURN_IF_ERROR(p.ParseRegion(&op->regions[0], arguments));
  RETURN_IF_ERROR(p.Expect("do"));
  RETURN_IF_ERROR(p.ParseRegion(&op->regions[1], arguments));
  std::vector<Shape> results;
  for (ValueId id : op->operands) results.push_back(p.ShapeOf(id));
  return p.SetResults(op, std::move(results));
}

namespace {

// The region of "applies stablehlo.add": %a, %b -> add(%a, %b), on the type of the initial value.
absl::Status MakeReducer(Parser& p, Operation* op, std::string_view name, const char* at) {
  Region& region = op->regions.emplace_back();
  if (op->operands.size() != 2) {
    return p.source().Invalid(at, "'applies' reduces one operand, not {}", op->operands.size() / 2);
  }
  const Shape shape = p.ShapeOf(op->operands[1]);
  RETURN_IF_ERROR(p.OpenRegion(&region, {{{}, shape, at}, {{}, shape, at}}));
  Operation inner;
  inner.name = std::string(name);
  inner.at = at;
  inner.operands = region.arguments;
  for (ValueId id : inner.operands) p.Use(id);
  RETURN_IF_ERROR(p.SetResults(&inner, std::vector<Shape>{shape}));
  region.returned = inner.results;
  p.Use(region.returned[0]);
  region.terminator_at = at;
  region.operations.push_back(std::move(inner));
  p.CloseRegion();
  return absl::OkStatus();
}

}  // namespace

// stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] {...}
//   : (types) -> type
// stablehlo.reduce(%0 init: %1), (%2 init: %3) across dimensions = [0] {...} : (types) -> (types)
//   reducer(%a: type, %b: type) (%c: type, %d: type) { ... }
absl::Status Reduce(Parser& p, Operation* op) {
  std::vector<ValueId> inits;
  do {
    RETURN_IF_ERROR(p.Expect('(', "before what is reduced"));
    ASSIGN_OR_RETURN(ValueId input, p.ParseUse());
    op->operands.push_back(input);
    RETURN_IF_ERROR(p.Expect("init"));
    RETURN_IF_ERROR(p.Expect(':', "before the initial value"));
    ASSIGN_OR_RETURN(ValueId init, p.ParseUse());
    inits.push_back(init);
    RETURN_IF_ERROR(p.Expect(')', "behind the initial value"));
  } while (p.Eat(','));
  op->operands.insert(op->operands.end(), inits.begin(), inits.end());
  bool applies = p.Eat("applies");
  std::string reducer;
  const char* reducer_at = p.at();
  if (applies) {
    if (!p.At(Tok::kWord)) return p.Expected("the name of an operation");
    reducer = std::string(p.token().text);
    p.Advance();
  }
  RETURN_IF_ERROR(p.Expect("across"));
  RETURN_IF_ERROR(p.Expect("dimensions"));
  RETURN_IF_ERROR(p.Expect('=', "before dimensions"));
  ASSIGN_OR_RETURN(Attribute dimensions, p.ParseAttribute());
  op->attributes.push_back({"dimensions", std::move(dimensions)});
  RETURN_IF_ERROR(p.ParseOptionalDictionary(&op->attributes));
  const char* signature_at = p.at();
  ASSIGN_OR_RETURN(Parser::Signature s, p.ParseSignature());
  if (!s.full) {
    return p.source().Invalid(signature_at, "expected types as (operands) -> results");
  }
  RETURN_IF_ERROR(p.CheckOperandTypes(*op, s.operands));
  if (applies) {
    RETURN_IF_ERROR(MakeReducer(p, op, reducer, reducer_at));
    return p.SetResults(op, s.results);
  }
  // A location may stand between the types and the region.
  RETURN_IF_ERROR(p.ParseOptionalLocation().status());
  RETURN_IF_ERROR(p.Expect("reducer"));
  std::vector<Parser::RegionArgument> left, right;
  while (p.At('(')) {
    std::vector<Parser::RegionArgument> pair;
    const char* pair_at = p.at();
    RETURN_IF_ERROR(p.ParseArgumentList(&pair));
    if (pair.size() != 2) return p.source().Invalid(pair_at, "expected two arguments");
    left.push_back(std::move(pair[0]));
    right.push_back(std::move(pair[1]));
  }
  left.insert(left.end(), right.begin(), right.end());
  RETURN_IF_ERROR(p.ParseRegion(&op->regions.emplace_back(), left));
  return p.SetResults(op, s.results);
}

}  // namespace sinter::stablehlo::pretty
