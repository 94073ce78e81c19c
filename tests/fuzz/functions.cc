// Elementary and special functions on ranges where they are smooth, complex ones away from their
// branch cuts, and batch normalisations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"
#include "ir/text/printer.h"
#include "sinter/builder.h"
#include "sinter/lib/math.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// One with the range of the operand and bounds of the result and of the derivative there.
struct Smooth {
  const char* op;
  double lo, hi, largest, slope;
};

bool OfReals(Maker& m) {
  static const std::vector<Smooth> functions{
      {"acos", -.875, .875, 3, 2.1},     {"asin", -.875, .875, 2, 2.1}, {"atan", -4, 4, 1.4, 1},
      {"sinh", -4, 4, 28, 28},           {"cosh", -4, 4, 28, 28},       {"asinh", -4, 4, 2.2, 1},
      {"acosh", 1.25, 4, 2.1, 1.4},      {"atanh", -.75, .75, 1, 2.4},  {"tan", -1, 1, 1.6, 3.5},
      {"log-plus-one", -.5, 4, 1.7, 2},  {"log", .125, 4, 2.1, 8},      {"erf", -4, 4, 1, 1.2},
      {"logistic", -80, 4, 1, .25},      {"tanh", -30, 30, 1, 1},       {"sine", -1000, 1000, 1, 1},
      {"exponential", -80, 1, 2.8, 2.8}, {"cbrt", .125, 100, 4.7, 1.4}};
  const Smooth s = m.random.Of(functions);
  const E type = m.random.Of({E::F32, E::F32, E::F64, E::F16, E::BF16});
  const int x = m.Parameter(type, m.DrawDims(500), Facts::Within(s.lo, s.hi));
  const double error = 8 * EpsilonOf(type) * s.largest;
  const int y = m.Add(s.op, type, m.at(x).dims, {x}, Facts::Near(s.largest, error));
  return y >= 0 && (m.random.Chance(50) || m.Binary("multiply", y, y) >= 0);
}

bool OfComplexNumbers(Maker& m) {
  // Bounds of the modulus where both parts lie between 1/2 and 2.
  static const std::vector<Smooth> functions{
      {"exponential", 0, 0, 7.4, 1}, {"exponential-minus-one", 0, 0, 8.4, 1},
      {"log", 0, 0, 2, 1},           {"log-plus-one", 0, 0, 2, 1},
      {"sqrt", 0, 0, 1.7, 1},        {"rsqrt", 0, 0, 1.2, 1},
      {"cbrt", 0, 0, 1.5, 1},        {"sine", 0, 0, 4, 1},
      {"cosine", 0, 0, 4, 1},        {"tan", 0, 0, 3, 1},
      {"sinh", 0, 0, 4, 1},          {"cosh", 0, 0, 4, 1},
      {"tanh", 0, 0, 3, 1},          {"logistic", 0, 0, 3, 1},
      {"asin", 0, 0, 3, 1},          {"acos", 0, 0, 3, 1},
      {"atan", 0, 0, 2, 1},          {"asinh", 0, 0, 3, 1},
      {"acosh", 0, 0, 3, 1},         {"atanh", 0, 0, 3, 1},
      {"sign", 0, 0, 1, 1},          {"abs", 0, 0, 3, 1},
      {"divide", 0, 0, 4.1, 1},      {"power", 0, 0, 8, 1},
      {"atan2", 0, 0, 8, 1}};
  const Smooth s = m.random.Of(functions);
  const std::string op = s.op;
  const E type = m.random.Of({E::C64, E::C64, E::C128});
  const Dims dims = m.DrawDims(300);
  std::vector<int> operands;
  const bool binary = op == "divide" || op == "power" || op == "atan2";
  for (int i = 0; i < (binary ? 2 : 1); ++i)
    operands.push_back(m.Parameter(type, dims, Facts::Within(.5, 2)));
  // Branch points of the inverse functions are 1, i and -i, off the operands by 1/2 or more.
  const double error = 32 * EpsilonOf(type) * s.largest;
  const E result = op == "abs" ? RealPart(type) : type;
  const int y = m.Add(op, result, dims, operands, Facts::Near(s.largest, error));
  if (y < 0 || m.random.Chance(50)) return y >= 0;
  return m.Binary(m.random.Of({"add", "multiply"}), y, y) >= 0;
}

// Functions that are made of operations, as the builder records them. The interpreter and devices
// run the same operations, so that they differ by the errors of those.
bool Special(Maker& m) {
  struct Function {
    std::function<Op(const Op&, const Op&)> make;
    double lo, hi, second_lo, second_hi, largest;
    bool exact;
  };
  static const std::vector<Function> functions{
      {[](const Op& x, const Op&) { return Erfc(x); }, -3, 3, 0, 0, 2, false},
      {[](const Op& x, const Op&) { return ErfInv(x); }, -.875, .875, 0, 0, 1.2, false},
      {[](const Op& x, const Op&) { return Lgamma(x); }, .25, 10, 0, 0, 13, false},
      {[](const Op& x, const Op&) { return Digamma(x); }, .25, 10, 0, 0, 5, false},
      {[](const Op& x, const Op&) { return BesselI0e(x); }, -20, 20, 0, 0, 1, false},
      {[](const Op& x, const Op&) { return BesselI1e(x); }, -20, 20, 0, 0, 1, false},
      {[](const Op& x, const Op& q) { return Zeta(x, q); }, 2, 8, 1, 4, 2, false},
      {[](const Op& x, const Op& y) { return NextAfter(x, y); }, -2, 2, -2, 2, 3, true},
      {[](const Op& x, const Op&) { return Square(x); }, -2, 2, 0, 0, 4, true},
  };
  const Function f = m.random.Of(functions);
  const E type = m.random.Of({E::F32, E::F32, E::F64, E::BF16});
  const Dims dims = m.DrawDims(200);
  const Shape shape(type, dims);
  Builder b("special");
  const Op x = Parameter(&b, 0, shape, "x"), second = Parameter(&b, 1, shape, "y");
  const Op result = f.make(x, second);
  auto computation = b.Build(result);
  if (!computation.ok()) return false;
  const std::string text = sinter::Print(*computation->module()->entry(), {.metadata = false});
  const size_t open = text.find('\n'), close = text.rfind('}');
  if (open == text.npos || close == text.npos || text.find("to_apply") != text.npos) return false;
  Node call;
  call.op = "call";
  call.type = type;
  call.dims = dims;
  call.operands = {m.Parameter(type, dims, Facts::Within(f.lo, f.hi)),
                   m.Parameter(type, dims, Facts::Within(f.second_lo, f.second_hi))};
  const double units = type == E::BF16 ? 4 : 64;  // BF16 is computed in F32
  call.facts = f.exact ? Facts::Within(-f.largest, f.largest)
                       : Facts::Near(f.largest, units * EpsilonOf(type) * f.largest);
  call.called = {{"to_apply", AddText(m, text.substr(open + 1, close - open - 1))}};
  return m.Add(call) >= 0;
}

}  // namespace

bool FunctionPattern(Maker& m) {
  if (m.inner) return false;
  switch (m.random.Below(3)) {
    case 0:
      return OfReals(m);
    case 1:
      return OfComplexNumbers(m);
    default:
      return Special(m);
  }
}

// Variances of at least 1/2, or with as much added, so that quotients are at most 2 of operands.
bool NormPattern(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::F64});
  const Dims dims = m.DrawDims(600, 1);
  const auto feature = m.random.Below(static_cast<int64_t>(dims.size()));
  const int64_t features = dims[static_cast<size_t>(feature)];
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  if (n == 0) return false;  // means of nothing
  n /= features;
  const double eps = EpsilonOf(type), sums = eps * static_cast<double>(8 + n);
  auto vector = [&](double lo, double hi) {
    return m.Parameter(type, {features}, Facts::Within(lo, hi));
  };
  auto array = [&] { return m.Parameter(type, dims, Facts::Within(-2, 2)); };
  Node node;
  node.type = type;
  node.dims = dims;
  node.attributes = Format(", epsilon=0.5, feature_index={}", feature);
  const std::string big = ShapeText(type, dims), small = ShapeText(type, {features});
  auto three = [&](const Facts& first, const Facts& second, const Facts& third) {
    node.tuple = "(" + big + ", " + small + ", " + small + ")";
    node.facts = first;
    const int t = m.Add(node);
    const int a = m.Element(t, 0, type, dims, first), b = m.Element(t, 1, type, {features}, second),
              c = m.Element(t, 2, type, {features}, third);
    return a >= 0 || b >= 0 || c >= 0;
  };
  switch (m.random.Below(3)) {
    case 0:
      node.op = "batch-norm-inference";
      node.operands = {array(), vector(.5, 2), vector(-2, 2), vector(-2, 2), vector(.5, 2)};
      node.facts = Facts::Near(12, 32 * 12 * eps);
      return m.Add(node) >= 0;
    case 1:
      node.op = "batch-norm-training";
      node.operands = {array(), vector(.5, 2), vector(-2, 2)};
      return three(Facts::Near(14, 16 * 14 * sums), Facts::Near(2, 4 * sums),
                   Facts::Near(4, 32 * sums));
    default:
      node.op = "batch-norm-grad";
      node.operands = {array(), vector(.5, 2), vector(-2, 2), vector(.5, 2), array()};
      return three(
          Facts::Near(80, 32 * 80 * sums),
          Facts::Near(8. * static_cast<double>(n), 32. * 8 * static_cast<double>(n) * sums),
          Facts::Near(2. * static_cast<double>(n), 8. * static_cast<double>(n) * sums));
  }
}

}  // namespace sinter::fuzz
