// Programs that compute little: parameters of every type, of tuples too, that are unused, returned
// as they are or more than once; constants as results; elements that are moved only.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

E DrawAnyType(Maker& m) {
  static const std::vector<E> all{E::PRED,       E::S2,
                                  E::U2,         E::S4,
                                  E::U4,         E::S8,
                                  E::U8,         E::S16,
                                  E::U16,        E::S32,
                                  E::U32,        E::S64,
                                  E::U64,        E::F4E2M1FN,
                                  E::F6E2M3FN,   E::F6E3M2FN,
                                  E::F8E3M4,     E::F8E4M3,
                                  E::F8E5M2,     E::F8E4M3FN,
                                  E::F8E4M3FNUZ, E::F8E4M3B11FNUZ,
                                  E::F16,        E::BF16,
                                  E::F32,        E::F8E5M2FNUZ,
                                  E::F8E8M0FNU,  E::F64,
                                  E::C64,        E::C128};
  return m.random.Of(all);
}

// A constant with an element for each, of small numbers.
int Constant(Maker& m, E type, const Dims& dims) {
  auto number = [&] {
    if (type == E::PRED) return std::string(m.random.Chance(50) ? "true" : "false");
    const int64_t n = m.random.In(1, 1 + static_cast<int64_t>(std::min(3., LargestOf(type) - 1)));
    return IsComplex(type) ? Format("({}, {})", n, -n) : Format("{}", n);
  };
  std::function<std::string(size_t)> list = [&](size_t d) {
    if (d == dims.size()) return number();
    std::string text;
    for (int64_t i = 0; i < dims[d]; ++i) text += (i ? ", " : "") + list(d + 1);
    return "{" + text + "}";
  };
  const int c = m.Add("constant", type, dims, {}, Facts::Wild());
  // No elements are no text, of whatever rank.
  m.f.nodes.back().literal = m.at(c).count() == 0 ? "{}" : list(0);
  return c;
}

// A parameter that is a tuple, and some of its elements.
void TupleParameter(Maker& m) {
  std::vector<Node> elements(static_cast<size_t>(m.random.In(0, 3)));
  for (Node& n : elements) {
    n.type = DrawAnyType(m);
    n.dims = m.DrawDims(200);
  }
  Node p;
  p.op = "parameter";
  p.tuple = TupleText(elements);
  const int tuple = m.Add(p);
  m.f.parameters.push_back(tuple);
  for (size_t k = 0; k < elements.size(); ++k) {
    if (m.random.Chance(60))
      m.Element(tuple, static_cast<int>(k), elements[k].type, elements[k].dims, Facts::Wild());
  }
}

// The elements of a value, moved.
void MoveElements(Maker& m) {
  const int x = m.Any();
  const Node n = m.at(x);
  const auto rank = static_cast<int64_t>(n.dims.size());
  Dims order(n.dims.size());
  std::iota(order.begin(), order.end(), 0);
  switch (m.random.Below(6)) {
    case 0:
      m.Add("copy", n.type, n.dims, {x}, n.facts);
      return;
    case 1:
      m.random.Shuffle(order);
      m.Transpose(x, order);
      return;
    case 2:
      m.Reshape(x, {n.count()});
      return;
    case 3: {
      Dims dims = n.dims;
      dims.insert(dims.begin(), m.Extent({1, 2, 3}));
      for (int64_t& d : order) ++d;
      m.Broadcast(x, dims, order);
      return;
    }
    case 4:
      if (rank > 0) {
        Dims dims = n.dims;
        dims[0] *= 2;
        m.Add("concatenate", n.type, dims, {x, x}, n.facts, ", dimensions={0}");
      }
      return;
    default:
      m.Add("reverse", n.type, n.dims, {x}, n.facts,
            Format(", dimensions={{{}}}", Join(order, ",")));
  }
}

}  // namespace

void Corners(Maker& m) {
  for (int64_t n = m.random.In(0, 3); n > 0; --n)
    m.Parameter(DrawAnyType(m), m.random.Chance(30) ? Dims{} : m.DrawDims(300), Facts::Wild());
  if (m.random.Chance(40)) TupleParameter(m);
  for (int64_t n = m.random.In(0, 2); n > 0; --n) {
    E type = DrawAnyType(m);
    if (type == E::F8E8M0FNU) type = E::F32;  // it has not every number
    Constant(m, type, m.DrawDims(40));
  }
  bool any = false;
  for (const Node& n : m.f.nodes) any |= n.is_array();
  if (!any) m.Scalar(E::F32, 1);
  for (int64_t n = m.random.In(0, 3); n > 0; --n) MoveElements(m);
  // Results of any kind: arrays that there are, tuples of them, and of those.
  for (int64_t n = m.random.In(0, 2); n > 0; --n) {
    std::vector<int> elements;
    for (int64_t k = m.random.In(0, 3); k > 0; --k)
      elements.push_back(static_cast<int>(m.random.Below(static_cast<int64_t>(m.f.nodes.size()))));
    m.Tuple(elements);
  }
  for (int64_t n = m.random.In(1, 5); n > 0; --n)
    m.f.results.push_back(static_cast<int>(m.random.Below(static_cast<int64_t>(m.f.nodes.size()))));
}

}  // namespace sinter::fuzz
