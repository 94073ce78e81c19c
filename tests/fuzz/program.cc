#include "fuzz/program.h"

#include <cmath>
#include <complex>

#include "base/status.h"
#include "eval/elements.h"
#include "fuzz/random.h"
#include "sinter/testing.h"
#include "types/leaves.h"

namespace sinter::fuzz {
namespace {

std::string List(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& i : items) text += (text.empty() ? "" : ", ") + i;
  return text;
}

std::string Name(int node) { return "n" + std::to_string(node); }

std::string Print(const Node& node, int id, int parameter) {
  std::vector<std::string> operands;
  for (int o : node.operands) operands.push_back(Name(o));
  std::string inside = List(operands);
  if (node.op == "parameter") inside = std::to_string(parameter);
  if (node.op == "constant") inside = node.literal;
  std::string line =
      Name(id) + " = " + ShapeText(node) + " " + node.op + "(" + inside + ")" + node.attributes;
  std::vector<std::string> branches;
  for (const auto& [attribute, function] : node.called) {
    if (attribute.empty())
      branches.push_back(FunctionName(function));
    else
      line += ", " + attribute + "=" + FunctionName(function);
  }
  if (!branches.empty()) line += ", branch_computations={" + List(branches) + "}";
  return line;
}

double DrawFloat(const Facts& facts, ElementType type, Random& random) {
  if (!facts.tame()) {
    switch (random.Below(16)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -std::numeric_limits<double>::infinity();
      case 3:
        return -0.0;
      case 4:
        return 0.0;
      case 5:
        return random.Uniform() * 1e-40;
      case 6:
        return (random.Uniform() - .5) * 1e20;
      case 7:
        return static_cast<double>(static_cast<int64_t>(random.Next())) / 2;
      default:
        return (random.Uniform() - .5) * 100;
    }
  }
  double x = facts.lo + random.Uniform() * (facts.hi - facts.lo);
  if (facts.integral)
    return std::min(std::floor(facts.lo + random.Uniform() * (facts.hi - facts.lo + 1)), facts.hi);
  // Room for the rounding to the type.
  double room = type == ElementType::BF16 ? 1 - 0x1p-6 : 1 - 0x1p-9;
  double middle = (facts.lo + facts.hi) / 2;
  return middle + (x - middle) * room;
}

template <class T>
void FillIntegers(Literal& literal, const Facts& facts, Random& random) {
  for (T& x : literal.data<T>()) {
    if (facts.tame()) {
      x = static_cast<T>(random.In(static_cast<int64_t>(facts.lo), static_cast<int64_t>(facts.hi)));
    } else {
      x = static_cast<T>(random.Next() >> random.Below(64));
      switch (random.Below(20)) {
        case 0:
          x = std::numeric_limits<T>::min();
          break;
        case 1:
          x = std::numeric_limits<T>::max();
          break;
        case 2:
          x = static_cast<T>(-1);
          break;
        case 3:
          x = 0;
          break;
        default:
          break;
      }
    }
  }
}

// An element of a type that no C++ type stands for.
void FillNarrow(Literal& literal, int64_t at, const Facts& facts, Random& random) {
  const ElementType type = literal.shape().element_type();
  if (IsFloat(type)) {
    const double x = DrawFloat(facts, type, random);
    return eval::Store(literal, at, 1, &x);
  }
  const int64_t x = facts.tame()
                        ? random.In(static_cast<int64_t>(facts.lo), static_cast<int64_t>(facts.hi))
                        : static_cast<int64_t>(random.Next());
  const auto u = static_cast<uint64_t>(x);
  return IsSigned(type) ? eval::Store(literal, at, 1, &x) : eval::Store(literal, at, 1, &u);
}

void Fill(Literal& literal, const Facts& facts, Random& random) {
  ElementType type = literal.shape().element_type();
  auto draw = [&] { return DrawFloat(facts, type, random); };
  switch (type) {
    case ElementType::PRED:
      for (bool& x : literal.data<bool>()) x = random.Chance(50);
      break;
    case ElementType::S8:
      FillIntegers<int8_t>(literal, facts, random);
      break;
    case ElementType::U8:
      FillIntegers<uint8_t>(literal, facts, random);
      break;
    case ElementType::S16:
      FillIntegers<int16_t>(literal, facts, random);
      break;
    case ElementType::U16:
      FillIntegers<uint16_t>(literal, facts, random);
      break;
    case ElementType::S32:
      FillIntegers<int32_t>(literal, facts, random);
      break;
    case ElementType::U32:
      FillIntegers<uint32_t>(literal, facts, random);
      break;
    case ElementType::S64:
      FillIntegers<int64_t>(literal, facts, random);
      break;
    case ElementType::U64:
      FillIntegers<uint64_t>(literal, facts, random);
      break;
    case ElementType::F16:
      for (half& x : literal.data<half>()) x = half(static_cast<float>(draw()));
      break;
    case ElementType::BF16:
      for (bfloat16& x : literal.data<bfloat16>()) x = bfloat16(static_cast<float>(draw()));
      break;
    case ElementType::F32:
      for (float& x : literal.data<float>()) x = static_cast<float>(draw());
      break;
    case ElementType::F64:
      for (double& x : literal.data<double>()) x = draw();
      break;
    case ElementType::C64:
      for (auto& x : literal.data<std::complex<float>>()) {
        auto re = static_cast<float>(draw());
        x = {re, static_cast<float>(draw())};
      }
      break;
    case ElementType::C128:
      for (auto& x : literal.data<std::complex<double>>()) {
        const double re = draw();
        x = {re, draw()};
      }
      break;
    default:
      for (int64_t i = 0; i < literal.shape().element_count(); ++i)
        FillNarrow(literal, i, facts, random);
  }
}

}  // namespace

std::string FunctionName(int function) { return "f" + std::to_string(function); }

int64_t Node::count() const {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

std::string ShapeText(ElementType type, const std::vector<int64_t>& dims) {
  return Shape(type, dims).ToString();
}
Shape ShapeOf(const Node& node) {
  return node.is_array() ? Shape(node.type, node.dims) : *Shape::Parse(node.tuple);
}
std::string ShapeText(const Node& node) {
  return node.is_array() ? ShapeText(node.type, node.dims) : node.tuple;
}

std::vector<bool> Live(const Function& function) {
  std::vector<bool> live(function.nodes.size());
  for (int r : function.results) live[static_cast<size_t>(r)] = true;
  for (int p : function.parameters) live[static_cast<size_t>(p)] = true;
  for (size_t i = function.nodes.size(); i-- > 0;) {
    if (!live[i]) continue;
    for (int o : function.nodes[i].operands) live[static_cast<size_t>(o)] = true;
  }
  return live;
}

std::vector<bool> Called(const Program& program) {
  std::vector<bool> called(program.functions.size());
  called.back() = true;
  for (size_t f = program.functions.size(); f-- > 0;) {
    if (!called[f]) continue;
    for (const int c : program.functions[f].called) called[static_cast<size_t>(c)] = true;
    std::vector<bool> live = Live(program.functions[f]);
    for (size_t i = 0; i < live.size(); ++i) {
      if (!live[i]) continue;
      for (const auto& c : program.functions[f].nodes[i].called)
        called[static_cast<size_t>(c.second)] = true;
    }
  }
  return called;
}

std::string Print(const Program& program) {
  std::string text = "HloModule fuzz";
  if (program.replicas != 1) text += ", replica_count=" + std::to_string(program.replicas);
  if (program.partitions != 1) text += ", num_partitions=" + std::to_string(program.partitions);
  text += "\n";
  const std::vector<bool> called = Called(program);
  for (size_t f = 0; f < program.functions.size(); ++f) {
    if (!called[f]) continue;
    const Function& function = program.functions[f];
    bool entry = f + 1 == program.functions.size();
    text += "\n" + (entry ? "ENTRY main" : FunctionName(static_cast<int>(f))) + " {\n";
    if (!function.text.empty()) {
      text += function.text + "}\n";
      continue;
    }
    std::vector<bool> live = Live(function);
    std::vector<int> number(live.size(), -1);
    for (size_t p = 0; p < function.parameters.size(); ++p) {
      number[static_cast<size_t>(function.parameters[p])] = static_cast<int>(p);
    }
    for (size_t i = 0; i < live.size(); ++i) {
      if (!live[i]) continue;
      bool root = !function.tuple && function.results[0] == static_cast<int>(i);
      text += std::string(root ? "  ROOT " : "  ") +
              Print(function.nodes[i], static_cast<int>(i), number[i]) + "\n";
    }
    if (function.tuple) {
      std::vector<std::string> shapes, names;
      for (int r : function.results) {
        shapes.push_back(ShapeText(function.nodes[static_cast<size_t>(r)]));
        names.push_back(Name(r));
      }
      text += "  ROOT r = (" + List(shapes) + ") tuple(" + List(names) + ")\n";
    }
    text += "}\n";
  }
  return text;
}

std::vector<Literal> Arguments(const Program& program, uint64_t seed) {
  std::vector<Literal> arguments;
  for (int p : program.entry().parameters) {
    const Node& node = program.entry().nodes[static_cast<size_t>(p)];
    Random random(seed * 1000003 + static_cast<uint64_t>(p));
    arguments.emplace_back(ShapeOf(node));
    std::vector<Literal*> leaves;
    AppendLeaves(arguments.back(), leaves);
    for (Literal* leaf : leaves) Fill(*leaf, node.facts, random);
  }
  return arguments;
}

std::vector<Literal> LeavesOf(const std::vector<Literal>& arguments) {
  std::vector<const Literal*> parts;
  for (const Literal& argument : arguments) AppendLeaves(argument, parts);
  std::vector<Literal> leaves;
  for (const Literal* part : parts) leaves.push_back(*part);
  return leaves;
}

Literal FromLeaves(const Shape& shape, std::vector<Literal> leaves) {
  Literal whole(shape);
  std::vector<Literal*> parts;
  AppendLeaves(whole, parts);
  for (size_t k = 0; k < parts.size(); ++k) *parts[k] = std::move(leaves[k]);
  return whole;
}

absl::Status Compare(const Program& program, const Literal& actual, const Literal& expected) {
  const Function& entry = program.entry();
  for (size_t i = 0; i < entry.results.size(); ++i) {
    const Literal& a = entry.tuple ? actual.tuple()[i] : actual;
    const Literal& e = entry.tuple ? expected.tuple()[i] : expected;
    const Facts& facts = entry.nodes[static_cast<size_t>(entry.results[i])].facts;
    absl::Status s;
    if (facts.exact) {
      s = ExpectEqual(a, e);
    } else {
      s = ExpectClose(a, e, {.max_ulp = 8, .rtol = 0, .atol = 4 * facts.error});
    }
    if (!s.ok()) {
      return Annotate(s, Format("result {} (n{}, {})", i, entry.results[i],
                                facts.exact ? "exact" : Format("within {}", 4 * facts.error)));
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::fuzz
