#include "fuzz/extents.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "sinter/shape.h"

namespace sinter::fuzz {
namespace {

using Dims = std::vector<int64_t>;

int64_t Product(const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// The numbers of an attribute: "dimensions={0,1}"; -1s and signs as they stand.
Dims Numbers(const std::string& attributes, const std::string& name) {
  Dims out;
  size_t at = attributes.find(" " + name + "=");
  if (at == std::string::npos) return out;
  at += name.size() + 2;
  const size_t end = attributes[at] == '{' ? attributes.find('}', at) : attributes.find(',', at);
  for (; at < std::min(end, attributes.size()); ++at) {
    if (attributes[at] != '-' && (attributes[at] < '0' || attributes[at] > '9')) continue;
    size_t used = 0;
    out.push_back(std::stoll(attributes.substr(at), &used));
    at += used;
  }
  return out;
}

std::string Braced(const std::string& name, const Dims& dims) {
  std::string text;
  for (int64_t d : dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return ", " + name + "={" + text + "}";
}

bool Has(const Dims& list, size_t d) {
  return std::find(list.begin(), list.end(), static_cast<int64_t>(d)) != list.end();
}

class Shrinker {
 public:
  Shrinker(const Program& program, int64_t from, int64_t to)
      : old_(program), new_(program), from_(from), to_(to) {}

  Program Run() {
    for (size_t f = 0; f < new_.functions.size(); ++f) {
      for (size_t i = 0; i < new_.functions[f].nodes.size(); ++i) {
        if (live_.size() <= f) live_.push_back(Live(old_.functions[f]));
        if (live_[f][i]) Fit(f, i);
      }
      if (live_.size() <= f) live_.push_back({});
    }
    return std::move(new_);
  }

 private:
  int64_t Replaced(int64_t d) const { return d == from_ ? to_ : d; }
  Dims Replaced(Dims dims) const {
    for (int64_t& d : dims) d = Replaced(d);
    return dims;
  }
  std::string Replaced(const std::string& tuple) const {
    auto shape = Shape::Parse(tuple);
    if (!shape.ok()) return tuple;
    for (Shape& s : shape->mutable_tuple_shapes())
      s = Shape(s.element_type(), Replaced(s.dimensions()));
    return shape->ToString();
  }
  static std::string TupleOf(const std::vector<Shape>& shapes) {
    return Shape::Tuple(shapes).ToString();
  }
  // The shapes of a function's results, as they are now.
  std::vector<Shape> ResultsOf(int function) const {
    const Function& f = new_.functions[static_cast<size_t>(function)];
    std::vector<Shape> shapes;
    for (int r : f.results) {
      shapes.push_back(ShapeOf(f.nodes[static_cast<size_t>(r)]));
    }
    return shapes;
  }

  void Fit(size_t function, size_t index) {
    Function& f = new_.functions[function];
    Node& n = f.nodes[index];
    const Node& was = old_.functions[function].nodes[index];
    auto at = [&](size_t k) -> const Node& { return f.nodes[static_cast<size_t>(n.operands[k])]; };
    auto old = [&](size_t k) -> const Node& {
      return old_.functions[function].nodes[static_cast<size_t>(n.operands[k])];
    };
    if (n.op == "tuple") {
      std::vector<Shape> shapes;
      for (size_t k = 0; k < n.operands.size(); ++k) shapes.push_back(ShapeOf(at(k)));
      n.tuple = TupleOf(shapes);
    } else if (n.op == "while") {
      n.tuple = at(0).tuple;
      for (const auto& [name, called] : n.called) {  // the condition is written by hand
        std::string& text = new_.functions[static_cast<size_t>(called)].text;
        const size_t place = text.find(was.tuple);
        if (place != std::string::npos) text.replace(place, was.tuple.size(), n.tuple);
      }
    } else if (n.op == "call" || n.op == "conditional") {
      const std::vector<Shape> shapes = ResultsOf(n.called[0].second);
      if (n.is_array())
        n.dims = shapes[0].dimensions();
      else
        n.tuple = TupleOf(shapes);
    } else if (n.op == "get-tuple-element") {
      auto shape = Shape::Parse(at(0).tuple);
      const Dims element = Numbers(n.attributes, "index");
      if (shape.ok() && !element.empty()) {
        const Shape& part = shape->tuple_shapes()[static_cast<size_t>(element[0])];
        if (part.is_array())
          n.dims = part.dimensions();
        else
          n.tuple = part.ToString();
      }
    } else if (n.op == "parameter" || n.op == "iota" || n.op == "constant") {
      if (n.is_array())
        n.dims = Replaced(n.dims);
      else
        n.tuple = Replaced(n.tuple);
    } else if (n.op == "broadcast") {
      const Dims where = Numbers(n.attributes, "dimensions");
      n.dims = Replaced(n.dims);
      for (size_t d = 0; d < where.size(); ++d)
        n.dims[static_cast<size_t>(where[d])] = at(0).dims[d];
    } else if (n.op == "transpose") {
      const Dims p = Numbers(n.attributes, "dimensions");
      for (size_t d = 0; d < p.size(); ++d) n.dims[d] = at(0).dims[static_cast<size_t>(p[d])];
    } else if (n.op == "reshape") {
      n.dims = Reshaped(old(0).dims, at(0).dims, was.dims);
    } else if (n.op == "reduce") {
      const Dims over = Numbers(n.attributes, "dimensions");
      Dims kept;
      for (size_t d = 0; d < at(0).dims.size(); ++d)
        if (!Has(over, d)) kept.push_back(at(0).dims[d]);
      if (n.is_array()) {
        n.dims = kept;
      } else {
        std::vector<Shape> shapes;
        for (size_t k = 0; k < n.operands.size() / 2; ++k)
          shapes.push_back(Shape(at(k).type, kept));
        n.tuple = TupleOf(shapes);
      }
    } else if (n.op == "dot") {
      Product(n, at(0).dims, at(1).dims);
    } else if (n.op == "slice") {
      Slice(n, at(0).dims);
    } else if (n.op == "pad") {
      for (size_t d = 0; d < n.dims.size(); ++d) {
        // Interior padding goes between elements: it is what the old extents leave.
        const int64_t before = old(0).dims[d], after = at(0).dims[d];
        n.dims[d] = Padded(n.attributes, d, after, was.dims[d] + after - before);
      }
    } else if (n.op == "concatenate") {
      const auto along = static_cast<size_t>(Numbers(n.attributes, "dimensions")[0]);
      n.dims = at(0).dims;
      for (size_t k = 1; k < n.operands.size(); ++k) n.dims[along] += at(k).dims[along];
    } else if (n.op == "dynamic-slice") {
      Dims sizes = Replaced(n.dims);
      for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::min(sizes[d], at(0).dims[d]);
      n.dims = sizes;
      n.attributes = Braced("dynamic_slice_sizes", sizes);
    } else if (n.op == "select" || n.op == "clamp") {
      n.dims = at(1).dims;
    } else if (n.op == "sort" && !n.is_array()) {
      std::vector<Shape> shapes;
      for (size_t k = 0; k < n.operands.size(); ++k)
        shapes.push_back(Shape(at(k).type, at(k).dims));
      n.tuple = TupleOf(shapes);
    } else if (!n.is_array()) {  // a copy of a tuple
      n.tuple = at(0).tuple;
    } else if (!n.operands.empty()) {
      n.dims = at(0).dims;
    }
  }

  // Runs of dimensions of equal counts belong to each other.
  Dims Reshaped(const Dims& before, const Dims& after, const Dims& was) const {
    Dims out = Replaced(was);
    if (fuzz::Product(before) == 0) return fuzz::Product(out) == fuzz::Product(after) ? out : was;
    size_t i = 0, o = 0;
    while (i < before.size() || o < was.size()) {
      const size_t i0 = i, o0 = o;
      int64_t a = i < before.size() ? before[i++] : 1, b = o < was.size() ? was[o++] : 1;
      while (a != b) {
        if (a < b && i < before.size())
          a *= before[i++];
        else if (o < was.size())
          b *= was[o++];
        else
          return was;
      }
      int64_t count = 1, fits = 1;
      for (size_t d = i0; d < i; ++d) count *= after[d];
      for (size_t d = o0; d < o; ++d) fits *= out[d];
      if (fits == count || o == o0) continue;
      for (size_t d = o0; d < o; ++d) out[d] = d + 1 == o ? count : 1;
    }
    return out;
  }
  static void Product(Node& n, const Dims& x, const Dims& y) {
    const Dims xb = Numbers(n.attributes, "lhs_batch_dims"),
               yb = Numbers(n.attributes, "rhs_batch_dims"),
               xc = Numbers(n.attributes, "lhs_contracting_dims"),
               yc = Numbers(n.attributes, "rhs_contracting_dims");
    n.dims.clear();
    for (int64_t d : xb) n.dims.push_back(x[static_cast<size_t>(d)]);
    for (size_t d = 0; d < x.size(); ++d)
      if (!Has(xb, d) && !Has(xc, d)) n.dims.push_back(x[d]);
    for (size_t d = 0; d < y.size(); ++d)
      if (!Has(yb, d) && !Has(yc, d)) n.dims.push_back(y[d]);
  }
  // Starts, limits and strides stay as they are where they fit.
  static void Slice(Node& n, const Dims& from) {
    const Dims all = Bounds(n.attributes, from.size());
    std::string text;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t limit = std::min(all[3 * d + 1], from[d]);
      const int64_t start = std::min(all[3 * d], std::max<int64_t>(limit - 1, 0)),
                    stride = all[3 * d + 2];
      n.dims[d] = (std::max(limit, start) - start + stride - 1) / stride;
      text += (d == 0 ? "[" : ", [") + std::to_string(start) + ":" +
              std::to_string(std::max(limit, start)) +
              (stride > 1 ? ":" + std::to_string(stride) : "") + "]";
    }
    n.attributes = ", slice={" + text + "}";
  }
  // Of each dimension of ", slice={[0:4], [1:7:2]}" start, limit and stride.
  static Dims Bounds(const std::string& attributes, size_t rank) {
    Dims out;
    size_t at = 0;
    for (size_t d = 0; d < rank; ++d) {
      at = attributes.find('[', at) + 1;
      size_t used = 0;
      for (int k = 0; k < 2; ++k) {
        out.push_back(std::stoll(attributes.substr(at), &used));
        at += used + 1;
      }
      out.push_back(attributes[at - 1] == ':' ? std::stoll(attributes.substr(at)) : 1);
    }
    return out;
  }
  // The extent that ", padding=1_0x2_3_1" makes of `extent` in dimension d.
  static int64_t Padded(const std::string& attributes, size_t d, int64_t extent,
                        int64_t otherwise) {
    size_t at = attributes.find("padding=");
    if (at == std::string::npos) return otherwise;
    at += 8;
    for (; d > 0 && at != std::string::npos; --d) at = attributes.find('x', at) + 1;
    int64_t part[3] = {0, 0, 0};
    for (int64_t& p : part) {
      size_t used = 0;
      p = std::stoll(attributes.substr(at), &used);
      at += used;
      if (at >= attributes.size() || attributes[at] != '_') break;
      ++at;
    }
    return extent + part[0] + part[1] + std::max<int64_t>(extent - 1, 0) * part[2];
  }

  const Program& old_;
  Program new_;
  const int64_t from_, to_;
  std::vector<std::vector<bool>> live_;
};

}  // namespace

std::vector<int64_t> Extents(const Program& program) {
  std::set<int64_t> all;
  const std::vector<bool> called = Called(program);
  for (size_t k = 0; k < called.size(); ++k) {
    if (!called[k]) continue;
    const Function& f = program.functions[k];
    const std::vector<bool> live = Live(f);
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      if (!live[i] || !f.nodes[i].is_array()) continue;
      for (int64_t d : f.nodes[i].dims)
        if (d > 1) all.insert(d);
    }
  }
  return {all.rbegin(), all.rend()};
}

std::optional<Program> WithExtent(const Program& program, int64_t from, int64_t to) {
  Program smaller = Shrinker(program, from, to).Run();
  auto module = ParseHloText(Print(smaller), "smaller.hlo");
  if (!module.ok() || !VerifyModule(**module).ok()) return std::nullopt;
  return smaller;
}

}  // namespace sinter::fuzz
