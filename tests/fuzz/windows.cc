// Operations over windows: pooling, sums so far, convolutions, selection and scattering.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"
#include "ir/ops/window.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

WindowDimension DrawWindow(Maker& m, int64_t extent, bool dilated) {
  WindowDimension w;
  w.size = m.random.Of({1, 2, 2, 3, 3, 5});
  w.stride = m.random.Of({1, 1, 1, 2, 3});
  if (m.random.Chance(50)) {
    w.padding_low = m.random.In(-1, 3);
    w.padding_high = m.random.In(-1, 3);
  }
  if (dilated) {
    w.base_dilation = m.random.Of({1, 1, 1, 1, 2, 2, 3, 9});
    w.window_dilation = m.random.Of({1, 1, 1, 2, 3});
  }
  if (m.random.Chance(10)) w.size = std::max<int64_t>(1, extent);
  return w;
}

std::string WindowAttribute(const Window& window) {
  if (window.empty()) return ", window={}";
  std::string fields[6];
  for (const WindowDimension& w : window) {
    const char* x = fields[0].empty() ? "" : "x";
    fields[0] += x + std::to_string(w.size);
    fields[1] += x + std::to_string(w.stride);
    fields[2] += Format("{}{}_{}", x, w.padding_low, w.padding_high);
    fields[3] += x + std::to_string(w.base_dilation);
    fields[4] += x + std::to_string(w.window_dilation);
    fields[5] += x + std::to_string(int{w.window_reversal});
  }
  return Format(", window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
                fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]);
}

int BinaryBody(Maker& m, E type, E result, const std::string& op,
               const std::string& attributes = "") {
  const std::string s = ShapeText(type, {}), r = ShapeText(result, {});
  Function body;
  body.text = "  a = " + s + " parameter(0)\n  b = " + s + " parameter(1)\n  ROOT r = " + r + " " +
              op + "(a, b)" + attributes + "\n";
  m.program.functions.push_back(body);
  return static_cast<int>(m.program.functions.size()) - 1;
}

// Of integers, where devices agree whatever the order.
int WindowOperand(Maker& m, E type, const Dims& dims) {
  const Facts facts = IsFloatOrComplex(type) ? Facts::Within(-2, 2, true)
                      : type == E::PRED      ? Facts::Wild()
                                             : Facts::Within(0, 5, true);
  if (m.inner) return -1;
  int x = m.Parameter(type, dims, facts);
  if (m.random.Chance(30) && type != E::PRED) x = m.Binary("add", x, m.Splat(type, dims, 1));
  return x;
}

E DrawWindowElement(Maker& m) {
  if (m.random.Chance(6)) return m.random.Of({E::S4, E::U4, E::F8E4M3FN, E::F8E5M2});
  return m.random.Of({E::F32, E::F32, E::F32, E::BF16, E::F16, E::F64, E::S32, E::S8, E::U16});
}

Facts WindowSumFacts(E type, double count, double largest, bool* fits) {
  *fits = !IsFloatOrComplex(type) || count * largest <= LargestInteger(type);
  if (!IsFloatOrComplex(type)) return Facts::Wild();
  return Facts::Within(-count * largest, count * largest, true);
}

// Padding inside of an array of these dimensions, which it changes: the gradient of an average is a
// reduction over windows of that.
std::string DrawSpread(Maker& m, Dims& dims) {
  std::string text;
  for (int64_t& n : dims) {
    int64_t low = m.random.Of({0, 0, 1, 2, -1}), high = m.random.Of({0, 0, 1, 2, -1}),
            interior = m.random.Of({0, 1, 1, 2});
    int64_t to = low + high + n + std::max<int64_t>(n - 1, 0) * interior;
    if (to < 1 || to > 60) low = high = interior = 0, to = n;
    n = to;
    text += Format("{}{}_{}_{}", text.empty() ? "" : "x", low, high, interior);
  }
  return ", padding=" + text;
}

bool ReduceWindow(Maker& m) {
  const E type = DrawWindowElement(m);
  const Dims inner = m.DrawDims(600, 1);
  const bool cumulative = m.random.Chance(40);
  Dims dims = inner;
  std::string padding;
  if (!cumulative && m.random.Chance(30)) padding = DrawSpread(m, dims);
  Window window;
  Dims result;
  double count = 1;
  const size_t along = static_cast<size_t>(m.random.Below(static_cast<int>(dims.size())));
  for (size_t d = 0; d < dims.size(); ++d) {
    WindowDimension w;
    if (cumulative && d == along) {
      w.size = std::max<int64_t>(1, dims[d]);
      (m.random.Chance(60) ? w.padding_low : w.padding_high) = w.size - 1;
    } else if (!cumulative && m.random.Chance(70)) {
      w = DrawWindow(m, dims[d], true);
    }
    std::optional<int64_t> n = WindowCount(dims[d], w);
    if (!n) return false;
    result.push_back(*n);
    count *= static_cast<double>(w.size);
    window.push_back(w);
  }
  const std::string op = m.random.Of({"add", "add", "maximum", "minimum"});
  bool fits;
  Facts facts = WindowSumFacts(type, count, 3, &fits);
  if (!fits) return false;
  int x = WindowOperand(m, type, inner);
  if (x >= 0 && !padding.empty()) {
    const int between = m.Scalar(type, m.random.Of({0, 0, 1}));
    x = m.Add("pad", type, dims, {x, between}, m.at(x).facts.Or(m.at(between).facts), padding);
  }
  if (x < 0) return false;
  int initial = m.Scalar(type, op == "add" ? 0 : 1);
  if (op != "add" && IsFloatOrComplex(type)) facts = Facts::Within(-3, 3, true);
  int y = m.Add("reduce-window", type, result, {x, initial}, facts, WindowAttribute(window));
  if (y < 0) return false;
  m.f.nodes.back().called = {{"to_apply", BinaryBody(m, type, type, op)}};
  return !m.random.Chance(50) || type == E::PRED || m.Binary("add", y, y) >= 0;
}

bool SelectAndScatter(Maker& m) {
  const E type = DrawWindowElement(m);
  const Dims dims = m.DrawDims(300, 1);
  Window window;
  Dims windows;
  double count = 1;
  for (int64_t extent : dims) {
    WindowDimension w;
    if (m.random.Chance(70)) w = DrawWindow(m, extent, false);
    // A window of nothing but padding selects nothing, which the specification leaves open.
    w.padding_low = std::clamp<int64_t>(w.padding_low, 0, w.size - 1);
    w.padding_high = std::clamp<int64_t>(w.padding_high, 0, w.size - 1);
    windows.push_back(*WindowCount(extent, w));
    count *= static_cast<double>(w.size);
    window.push_back(w);
  }
  bool fits;
  Facts facts = WindowSumFacts(type, count + 1, 3, &fits);
  int x = fits ? WindowOperand(m, type, dims) : -1;
  int source = x < 0 ? -1 : WindowOperand(m, type, windows);
  if (source < 0) return false;
  int initial = m.Scalar(type, m.random.Of({0, 0, 1}));
  if (m.Add("select-and-scatter", type, dims, {x, source, initial}, facts,
            WindowAttribute(window)) < 0)
    return false;
  const std::string direction = m.random.Of({"GE", "GE", "LE", "GT"});
  int select = BinaryBody(m, type, E::PRED, "compare", ", direction=" + direction);
  // What is not associative takes the windows one after another.
  const std::string scatter = type != E::PRED && m.random.Chance(30) ? "subtract" : "add";
  m.f.nodes.back().called = {{"select", select}, {"scatter", BinaryBody(m, type, type, scatter)}};
  return true;
}

// Letters and extents of an array's dimensions, in an order drawn.
struct Labels {
  std::string text;
  Dims dims;
};
Labels Arrange(Maker& m, std::vector<std::pair<char, int64_t>> of, int shuffle_percent) {
  if (m.random.Chance(shuffle_percent)) m.random.Shuffle(of);
  Labels labels;
  for (auto [c, n] : of) {
    labels.text += c;
    labels.dims.push_back(n);
  }
  return labels;
}

// A convolution of these, of integers.
bool AddConvolution(Maker& m, E type, const Labels& lhs, const Labels& rhs, const Labels& result,
                    const Window& window, double count, const std::string& attributes = "") {
  bool fits;
  Facts facts = WindowSumFacts(type, count * (IsComplex(type) ? 2 : 1), 9, &fits);
  int a = fits ? WindowOperand(m, type, lhs.dims) : -1;
  int b = a < 0 ? -1 : WindowOperand(m, type, rhs.dims);
  if (b < 0) return false;
  const std::string labels = ", dim_labels=" + lhs.text + "_" + rhs.text + "->" + result.text;
  int c = m.Add("convolution", type, result.dims, {a, b}, facts,
                (window.empty() ? "" : WindowAttribute(window)) + labels + attributes);
  return c >= 0 && (m.random.Chance(60) || type == E::PRED || m.Binary("add", c, c) >= 0);
}

// As gradients for a filter are: windows of many places, few results along each dimension, batches
// that are added up, and rows of features.
bool FilterGradient(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::F64, E::BF16});
  // Of a depthwise convolution: a result of each feature by itself.
  const bool depthwise = m.random.Chance(30);
  const int64_t batches = m.random.In(1, type == E::BF16 ? 1 : 4),
                in = m.random.Of({3, 8, 12, 16, 24, 11}),
                out = depthwise ? in : m.random.In(32, 70);
  std::vector<std::pair<char, int64_t>> x{{'f', batches}}, k{{'i', batches}}, y;
  Window window;
  double count = static_cast<double>(batches);
  for (char c : {'0', '1'}) {
    WindowDimension w;
    w.size = m.random.In(5, 17);
    w.window_dilation = m.random.Of({1, 1, 2});
    w.padding_low = m.random.In(0, 1);
    const int64_t results = m.random.In(1, 3), extent = (w.size - 1) * w.window_dilation + results;
    x.push_back({c, extent - w.padding_low});
    k.push_back({c, w.size});
    y.push_back({c, results});
    count *= static_cast<double>(w.size);
    window.push_back(w);
  }
  x.push_back({'b', in});
  k.push_back({'o', out});
  y.insert(y.end(), {{'b', depthwise ? 1 : in}, {'f', out}});
  return AddConvolution(m, type, Arrange(m, x, 15), Arrange(m, k, 15), Arrange(m, y, 15), window,
                        count, depthwise ? Format(", batch_group_count={}", in) : "");
}

bool Convolution(Maker& m) {
  // Of so many features that their filters do not stay in the second-level cache: packed products.
  const bool deep = !m.inner && m.random.Chance(2);
  const E type = deep                  ? m.random.Of({E::F32, E::F32, E::F64})
                 : m.random.Chance(10) ? m.random.Of({E::C64, E::PRED})
                                       : DrawWindowElement(m);
  // Of one feature, rows long enough for vectors: windows that slide over rows.
  const bool blurs = !deep && m.random.Chance(20);
  // Each feature by itself, of places enough for a border of its own.
  const bool depthwise = !blurs && !deep && !m.inner && m.random.Chance(15);
  const int spatial = blurs || deep || depthwise ? 2 : m.random.Of({0, 1, 1, 2, 2, 2, 3});
  const int64_t groups = depthwise       ? m.random.In(4, 20)
                         : blurs || deep ? 1
                                         : m.random.Of({1, 1, 1, 2, 3});
  const bool of_batch = !depthwise && groups > 1 && m.random.Chance(30);
  const int64_t in = deep                                        ? m.random.Of({64, 128, 192})
                     : blurs || depthwise || m.random.Chance(30) ? 1
                                                                 : m.Extent({1, 2, 3, 4, 5, 6}),
                out = deep        ? (1 << 19) / (in * 9) + m.random.In(1, 40)
                      : blurs     ? 1
                      : depthwise ? groups
                                  : groups * m.Extent({1, 1, 2, 3, 8, 17});
  const int64_t batch = m.Extent({1, 2, 3});
  std::vector<std::pair<char, int64_t>> x{{'b', batch * (of_batch ? groups : 1)},
                                          {'f', in * (of_batch ? 1 : groups)}},
      k{{'i', in}, {'o', out}}, y{{'b', batch}, {'f', out}};
  Window window;
  double count = static_cast<double>(in);
  for (int s = 0; s < spatial; ++s) {
    const int64_t extent = blurs       ? (s == 0 ? m.random.In(6, 13) : m.random.In(33, 50))
                           : deep      ? m.random.In(5, 6)
                           : depthwise ? m.random.In(8, 30)
                                       : m.Extent({1, 3, 5, 8, 9, s == 0 && spatial < 3 ? 35 : 4});
    WindowDimension w;
    if (blurs || deep || depthwise) {
      w.size = deep || depthwise ? 3 : m.random.In(2, 6);
      w.padding_low = m.random.In(0, 3);
      w.padding_high = m.random.In(0, 3);
      if (deep || depthwise) w.window_dilation = m.random.In(1, 2);
      if (deep) w.stride = m.random.In(1, 2);
    } else {
      w = DrawWindow(m, extent, true);
    }
    w.window_reversal = m.random.Chance(10);
    std::optional<int64_t> n = WindowCount(extent, w);
    const char c = static_cast<char>('0' + s);
    x.push_back({c, extent});
    k.push_back({c, w.size});
    y.push_back({c, *n});
    count *= static_cast<double>(w.size);
    window.push_back(w);
  }
  // Features last, as most programs have it, or in front.
  if (m.random.Chance(50)) {
    std::rotate(x.begin() + 1, x.begin() + 2, x.end());
    std::rotate(k.begin(), k.begin() + 2, k.end());
    std::rotate(y.begin() + 1, y.begin() + 2, y.end());
  }
  Labels lhs = Arrange(m, x, 20), rhs = Arrange(m, k, 20), result = Arrange(m, y, 20);
  const std::string grouped =
      Format(", {}={}", of_batch ? "batch_group_count" : "feature_group_count", groups);
  return AddConvolution(m, type, lhs, rhs, result, window, count, groups > 1 ? grouped : "");
}

}  // namespace

bool WindowPattern(Maker& m) {
  switch (m.random.Below(4)) {
    case 0:
      return SelectAndScatter(m);
    case 1:
      return ReduceWindow(m);
    default:
      return !m.inner && m.random.Chance(4) ? FilterGradient(m) : Convolution(m);
  }
}

}  // namespace sinter::fuzz
