// Bits: elements taken apart and put together, random bits, numbers as quantized programs have
// them.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Between types of different widths: the last dimension is the parts of one element.
bool BetweenWidths(Maker& m) {
  static const std::vector<E> integers{E::S2,  E::U2,  E::S4,  E::U4,  E::S8,  E::U8,
                                       E::S16, E::U16, E::S32, E::U32, E::S64, E::U64};
  E narrow = m.random.Of(integers), wide = m.random.Of(integers);
  if (BitWidth(narrow) > BitWidth(wide)) std::swap(narrow, wide);
  const int64_t parts = BitWidth(wide) / BitWidth(narrow);
  if (parts == 1) return false;
  const Dims dims = m.DrawDims(300);
  Dims apart = dims;
  apart.push_back(parts);
  bool join = m.random.Chance(50);
  // Predicates are bytes that are 0 or 1, which not all parts of a wider type are.
  if (BitWidth(narrow) == BitWidth(E::PRED) && m.random.Chance(50)) narrow = E::PRED, join = true;
  const int x = m.inner ? m.Like(join ? narrow : wide, join ? apart : dims)
                        : m.Parameter(join ? narrow : wide, join ? apart : dims, Facts::Wild());
  const int y =
      m.Add("bitcast-convert", join ? wide : narrow, join ? dims : apart, {x}, Facts::Wild());
  if (y < 0 || m.random.Chance(40)) return y >= 0;
  return m.Unary(m.random.Of({"count-leading-zeros", "popcnt", "not", "negate"}), y) >= 0;
}

bool RandomBits(Maker& m) {
  if (m.inner) return false;
  const E type =
      m.random.Of({E::U32, E::U32, E::U64, E::U8, E::U16, E::S8, E::S16, E::S32, E::S64});
  const std::string algorithm = m.random.Of(
      {std::string("rng_default"), std::string("rng_philox"), std::string("rng_three_fry")});
  const Dims dims = m.DrawDims(2000),
             state{algorithm == "rng_philox" ? m.random.Of({2, 3}) : int64_t{2}};
  Node node;
  node.op = "rng-bit-generator";
  node.type = type;
  node.tuple = "(" + ShapeText(E::U64, state) + ", " + ShapeText(type, dims) + ")";
  node.operands = {m.Parameter(E::U64, state, Facts::Wild())};
  node.attributes = ", algorithm=" + algorithm;
  const int t = m.Add(node);
  m.Element(t, 0, E::U64, state, Facts::Wild());
  m.Element(t, 1, type, dims, Facts::Wild());
  return true;
}

// round(x / scale) + zero point, clamped.
int Quantize(Maker& m, int x, E storage, double scale, double zero) {
  const E type = m.at(x).type;
  const Dims dims = m.at(x).dims;
  int y = m.Binary("divide", x, m.Splat(type, dims, scale));
  y = y < 0 ? -1 : m.Unary("round-nearest-even", y);
  y = y < 0 ? -1 : m.Binary("add", y, m.Splat(type, dims, zero));
  if (y < 0) return -1;
  const int lo = m.Scalar(type, LeastOf(storage)), hi = m.Scalar(type, LargestOf(storage));
  y = m.Add("clamp", type, dims, {lo, y, hi},
            Facts::Within(LeastOf(storage), LargestOf(storage), true));
  return y < 0 ? -1 : m.Convert(y, storage);
}

// (y - zero point) * scale, the difference in S32.
int Dequantize(Maker& m, int y, double scale, double zero) {
  const Dims dims = m.at(y).dims;
  int x = m.at(y).type == E::S32 ? y : m.Convert(y, E::S32);
  x = x < 0 ? -1 : m.Binary("subtract", x, m.Splat(E::S32, dims, zero));
  x = x < 0 ? -1 : m.Convert(x, E::F32);
  return x < 0 ? -1 : m.Binary("multiply", x, m.Splat(E::F32, dims, scale));
}

// A product of quantized operands, as the passes make of one: every step is exact or rounds once.
bool Quantized(Maker& m) {
  if (m.inner) return false;
  const E storage = m.random.Of({E::S8, E::S8, E::U8, E::S4});
  const int64_t rows = m.Extent({1, 3, 8, 17}), depth = m.Extent({1, 5, 16, 33}),
                columns = m.Extent({1, 4, 7, 16});
  const double scale = m.random.Of({.5, .05, .01}),
               zero = storage == E::U8 ? 128 : m.random.Of({0, 3, -2});
  const int x =
      Quantize(m, m.Parameter(E::F32, {rows, depth}, Facts::Within(-2, 2)), storage, scale, zero);
  if (x < 0) return false;
  if (m.random.Chance(40)) return Dequantize(m, x, scale, zero) >= 0;
  const int w = m.Parameter(E::S8, {depth, columns}, Facts::Within(-9, 9, true));
  const int wide_x = m.Convert(x, E::S32), wide_w = m.Convert(w, E::S32);
  int sum = m.Dot(wide_x, wide_w, {}, {}, {1}, {0}, E::S32);
  if (sum < 0) return false;
  // The zero point's part: zero * the sum of each column.
  const int columns_sum = m.Reduce(wide_w, {0}, "add");
  const int part = columns_sum < 0 ? -1 : m.Broadcast(columns_sum, {rows, columns}, {1});
  const int shift =
      part < 0 ? -1 : m.Binary("multiply", part, m.Splat(E::S32, {rows, columns}, zero));
  sum = shift < 0 ? -1 : m.Binary("subtract", sum, shift);
  const int real = sum < 0 ? -1 : Dequantize(m, sum, scale * .125, 0);
  return real >= 0 && Quantize(m, real, m.random.Of({E::S8, E::S4, E::U8}), .25, 0) >= 0;
}

// Numbers through a narrow type and back.
bool ThroughNarrow(Maker& m) {
  const E type =
      m.random.Of({E::F4E2M1FN, E::F6E2M3FN, E::F6E3M2FN, E::F8E3M4, E::F8E4M3, E::F8E4M3FN,
                   E::F8E4M3FNUZ, E::F8E4M3B11FNUZ, E::F8E5M2, E::F8E5M2FNUZ, E::F8E8M0FNU});
  const E from = m.random.Of({E::F32, E::F32, E::F64, E::BF16, E::F16});
  const Dims dims = m.DrawDims(500);
  const int x = m.inner ? m.Like(from, dims) : m.Parameter(from, dims, m.DrawFacts(from));
  if (!m.at(x).facts.exact) return false;
  const int y = m.Add("convert", type, dims, {x}, Facts::Wild());
  if (m.random.Chance(30)) return y >= 0;
  const E to = m.random.Of({E::F32, E::F64, E::F8E4M3FN, E::F8E5M2, E::S32, E::BF16, E::S4, E::U8});
  return m.Add("convert", to, dims, {y}, Facts::Wild()) >= 0;
}

// Positions in an array as numbers, and the halves of their bits: counters of random numbers.
bool Counters(Maker& m) {
  const Dims dims = m.DrawDims(m.options.max_elements, 1);
  const E wide = m.random.Of({E::U64, E::U64, E::S64, E::U32, E::S32});
  int at = -1;
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    int i = m.Add("iota", wide, dims, {}, Facts::Within(0, static_cast<double>(dims[d]), true),
                  Format(", iota_dimension={}", d));
    if (stride != 1) i = m.Binary("multiply", i, m.Splat(wide, dims, static_cast<double>(stride)));
    if (i < 0) return false;
    at = at < 0 ? i : m.Binary("add", at, i);
    if (at < 0) return false;
    stride *= dims[d];
  }
  if (m.random.Chance(30)) at = m.Binary("add", at, m.Like(wide, dims));
  if (at < 0) return false;
  const char* op =
      m.random.Of({"shift-right-logical", "shift-right-arithmetic", "divide", "remainder", "and"});
  const int by = m.Splat(wide, dims, static_cast<double>(m.random.Of({1, 3, 9, 16, 31})));
  const int part = m.Add(op, wide, dims, {at, by}, Facts::Wild());
  const E narrow = m.random.Of({E::U32, E::S32, E::U16, E::S8});
  const int high = m.Add("convert", narrow, dims, {part}, Facts::Wild());
  const int low = m.Add("convert", narrow, dims, {at}, Facts::Wild());
  return m.Add("xor", narrow, dims, {high, low}, Facts::Wild()) >= 0;
}

}  // namespace

bool BitPattern(Maker& m) {
  switch (m.random.Below(5)) {
    case 0:
      return Counters(m);
    case 4:
      return BetweenWidths(m);
    case 1:
      return RandomBits(m);
    case 2:
      return Quantized(m);
    default:
      return ThroughNarrow(m);
  }
}

}  // namespace sinter::fuzz
