#include "generate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/text.h"
#include "fuzz/random.h"

namespace sinter::partition_testing {
namespace {

using Dims = std::vector<int64_t>;

struct Value {
  std::string name;
  Dims dims;
  bool is_index = false;  // small numbers that are not negative
};

int64_t Product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : r_(seed) {
    partitions_ = r_.Of({2, 3, 4, 4, 6, 8, 8});
    floats_ = r_.Chance(25);
    type_ = floats_ ? "f32" : "s32";
    for (int64_t n = partitions_, p = 2; n > 1; ++p) {
      for (; n % p == 0; n /= p) factors_.push_back(p);
    }
  }

  Program Run() {
    const int64_t parameters = r_.In(1, 4);
    for (int64_t p = 0; p < parameters; ++p) {
      Value v{Format("p{}", p), SomeDims(), r_.Chance(20)};
      Literal x(Shape(v.is_index || !floats_ ? ElementType::S32 : ElementType::F32, v.dims));
      for (int64_t k = 0; k < x.element_count(); ++k) {
        const auto n = static_cast<int32_t>(v.is_index ? r_.In(-1, 9) : r_.In(-4, 4));
        if (x.shape().element_type() == ElementType::F32) {
          x.data<float>()[static_cast<size_t>(k)] = static_cast<float>(n);
        } else {
          x.data<int32_t>()[static_cast<size_t>(k)] = n;
        }
      }
      program_.arguments.push_back(std::move(x));
      body_ += Format("  {} = {} parameter({}){}\n", v.name, Typed(v), p, Annotated(v.dims, 70));
      values_.push_back(v);
    }
    if (AllIndices()) values_.push_back(Line(Dims{4, 6}, "iota(), iota_dimension=1"));
    const int64_t operations = r_.In(1, 8);
    for (int64_t k = 0; k < operations; ++k) Operation();
    return Finish();
  }

 private:
  bool AllIndices() const {
    return std::all_of(values_.begin(), values_.end(), [](const Value& v) { return v.is_index; });
  }
  Dims SomeDims() {
    static const std::vector<int64_t> sizes{1, 2, 3, 4, 4, 5, 6, 8, 8, 12};
    Dims dims;
    for (int64_t rank = r_.In(1, 3); rank > 0; --rank) dims.push_back(r_.Of(sizes));
    return dims;
  }
  std::string Typed(const Dims& dims) const { return Format("{}[{}]", type_, Join(dims, ",")); }
  std::string Typed(const Value& v) const {
    return v.is_index ? Format("s32[{}]", Join(v.dims, ",")) : Typed(v.dims);
  }

  // {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, sometimes with devices in any order.
  std::string SomeSharding(size_t rank, bool any = true) {
    if (any && r_.Chance(10)) return "{replicated}";
    if (any && r_.Chance(4)) return Format("{{maximal device={}}}", r_.Below(partitions_));
    Dims sizes = factors_;
    r_.Shuffle(sizes);
    std::vector<Dims> of_dims(rank + 1);  // and what is not cut
    Dims order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    r_.Shuffle(order);
    for (int64_t axis : order)
      of_dims[static_cast<size_t>(r_.Below(static_cast<int64_t>(rank) + 1))].push_back(axis);
    Dims tiles, permutation;
    for (const Dims& axes : of_dims) {
      int64_t parts = 1;
      for (int64_t a : axes) {
        parts *= sizes[static_cast<size_t>(a)];
        permutation.push_back(a);
      }
      tiles.push_back(parts);
    }
    const bool has_rest = tiles.back() != 1;
    if (!has_rest) tiles.pop_back();
    std::string devices = Format("<=[{}]T({})", Join(sizes, ","), Join(permutation, ","));
    if (any && r_.Chance(6)) {
      Dims all(static_cast<size_t>(partitions_));
      std::iota(all.begin(), all.end(), 0);
      r_.Shuffle(all);
      devices = Join(all, ",");
    }
    return Format("{{devices=[{}]{}{}}}", Join(tiles, ","), devices,
                  has_rest ? " last_tile_dim_replicate" : "");
  }
  std::string Annotated(const Dims& dims, int percent) {
    if (!r_.Chance(percent)) return "";
    return Format(", sharding={}", SomeSharding(dims.size()));
  }

  std::string Name() { return Format("v{}", next_++); }
  Value Line(const Dims& dims, const std::string& operation, bool may_annotate = true) {
    Value v{Name(), dims};
    body_ += Format("  {} = {} {}{}\n", v.name, Typed(dims), operation,
                    may_annotate ? Annotated(dims, 15) : "");
    return v;
  }
  Value Some() {
    for (;;) {
      const Value& v = values_[static_cast<size_t>(r_.Below(static_cast<int64_t>(values_.size())))];
      if (!v.is_index) return v;
    }
  }
  Value SomeOfRank(size_t least) {
    for (int k = 0; k < 20; ++k) {
      Value v = Some();
      if (v.dims.size() >= least) return v;
    }
    Value x = Some();
    Dims dims = x.dims;
    Dims map(dims.size());
    while (dims.size() < least) dims.insert(dims.begin(), r_.In(1, 6));
    std::iota(map.begin(), map.end(), static_cast<int64_t>(dims.size() - map.size()));
    return Line(dims, Format("broadcast({}), dimensions={{{}}}", x.name, Join(map, ",")));
  }
  // A value of these dimensions: one that is there, or one made of another.
  Value OfDims(const Dims& dims) {
    std::vector<Value> fit;
    for (const Value& v : values_) {
      if (v.dims == dims && !v.is_index) fit.push_back(v);
    }
    if (!fit.empty() && r_.Chance(70)) return r_.Of(fit);
    if (r_.Chance(50) && !dims.empty())
      return Line(dims,
                  Format("iota(), iota_dimension={}", r_.Below(static_cast<int64_t>(dims.size()))));
    return Line(dims,
                Format("broadcast({}), dimensions={{}}", Zero(static_cast<int>(r_.In(-3, 3)))));
  }
  std::string Zero(int value = 0) {
    const std::string name = Name();
    body_ += Format("  {} = {}[] constant({})\n", name, type_, value);
    return name;
  }
  // Values stay small, so that floats are exact and no order of additions matters.
  Value Small(const Value& v) {
    if (!floats_) return v;
    const std::string low = Zero(-6), high = Zero(6);
    return Line(v.dims, Format("clamp({}, {}, {})", low, v.name, high), false);
  }
  size_t Dim(const Value& v) {
    return static_cast<size_t>(r_.Below(static_cast<int64_t>(v.dims.size())));
  }

  void Operation() {
    switch (r_.Below(22)) {
      case 0:
      case 1: {
        const Value x = Some(), y = OfDims(x.dims);
        const auto* op = r_.Of({"add", "subtract", "maximum", "minimum"});
        return Keep(Line(x.dims, Format("{}({}, {})", op, x.name, y.name)));
      }
      case 2: {
        const Value x = Some(), y = OfDims(x.dims);
        const std::string p = Name();
        body_ += Format("  {} = pred[{}] compare({}, {}), direction=LT{}\n", p, Join(x.dims, ","),
                        x.name, y.name, Annotated(x.dims, 20));
        return Keep(Line(x.dims, Format("select({}, {}, {})", p, y.name, x.name)));
      }
      case 3: {
        const Value x = Some();
        Dims dims = x.dims, map;
        for (size_t d = 0; d < x.dims.size(); ++d) map.push_back(static_cast<int64_t>(d));
        const auto at = r_.Below(static_cast<int64_t>(dims.size()) + 1);
        dims.insert(dims.begin() + at, r_.In(1, 6));
        for (int64_t& d : map) d += d >= at;
        if (Product(dims) > 2000) return;
        return Keep(Line(dims, Format("broadcast({}), dimensions={{{}}}", x.name, Join(map, ","))));
      }
      case 4:
        return Reduce();
      case 5:
      case 6:
        return Dot();
      case 7:
        return Reshape();
      case 8: {
        const Value x = SomeOfRank(2);
        Dims order(x.dims.size()), dims;
        std::iota(order.begin(), order.end(), 0);
        r_.Shuffle(order);
        for (int64_t d : order) dims.push_back(x.dims[static_cast<size_t>(d)]);
        return Keep(
            Line(dims, Format("transpose({}), dimensions={{{}}}", x.name, Join(order, ","))));
      }
      case 9: {
        const Value x = SomeOfRank(1);
        const size_t d = Dim(x);
        Dims other = x.dims, dims = x.dims;
        if (r_.Chance(50)) other[d] = r_.In(1, 8);
        const Value y = OfDims(other);
        dims[d] += other[d];
        return Keep(
            Line(dims, Format("concatenate({}, {}), dimensions={{{}}}", x.name, y.name, d)));
      }
      case 10:
        return Slice();
      case 11:
        return Pad();
      case 12: {
        const Value x = SomeOfRank(1);
        return Keep(Line(x.dims, Format("reverse({}), dimensions={{{}}}", x.name, Dim(x))));
      }
      case 13:
        return Dynamic();
      case 14:
      case 15:
        return Gather();
      case 16:
        return Scatter();
      case 17:
        return Convolution();
      case 18: {
        const Value x = SomeOfRank(1);
        helpers_["less"] = Format(
            "less {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT l = pred[] "
            "compare(a, b), direction=LT\n}}\n",
            type_);
        return Keep(Line(x.dims, Format("sort({}), dimensions={{{}}}, is_stable=true, "
                                        "to_apply=less",
                                        x.name, Dim(x))));
      }
      case 19:
        return Loop();
      case 20:
        return Branches();
      default: {
        const Value x = Some();
        const std::string name = Name();
        body_ += Format("  {} = {} custom-call({}), custom_call_target=\"Sharding\", sharding={}\n",
                        name, Typed(x.dims), x.name, SomeSharding(x.dims.size(), false));
        return Keep({name, x.dims});
      }
    }
  }
  void Keep(Value v) {
    if (Product(v.dims) <= 3000) values_.push_back(std::move(v));
  }

  std::string Combiner(const std::string& op) {
    const std::string name = op + "_of_two";
    helpers_[name] = Format(
        "{0} {{\n  a = {1}[] parameter(0)\n  b = {1}[] parameter(1)\n  ROOT c = {1}[] {2}(a, "
        "b)\n}}\n",
        name, type_, op);
    return name;
  }

  void Reduce() {
    const Value x = Small(SomeOfRank(1));
    Dims reduced, kept;
    for (size_t d = 0; d < x.dims.size(); ++d) {
      if (r_.Chance(50)) {
        reduced.push_back(static_cast<int64_t>(d));
      } else {
        kept.push_back(x.dims[d]);
      }
    }
    if (r_.Chance(15)) {
      // The greatest element and where it is: parts of it are not combined.
      helpers_["greatest"] = Format(
          "greatest {{\n  a = {0}[] parameter(0)\n  i = s32[] parameter(1)\n  b = {0}[] "
          "parameter(2)\n  j = s32[] parameter(3)\n  g = pred[] compare(a, b), direction=GE\n  v = "
          "{0}[] select(g, a, b)\n  w = s32[] select(g, i, j)\n  ROOT t = ({0}[], s32[]) tuple(v, "
          "w)\n}}\n",
          type_);
      const std::string at = Name(), zero = Name(), both = Name();
      body_ += Format("  {} = s32[{}] iota(), iota_dimension=0\n  {} = s32[] constant(0)\n", at,
                      Join(x.dims, ","), zero);
      body_ += Format(
          "  {0} = ({1}, s32[{2}]) reduce({3}, {4}, {5}, {6}), dimensions={{{7}}}, "
          "to_apply=greatest\n",
          both, Typed(kept), Join(kept, ","), x.name, at, Zero(-100), zero, Join(reduced, ","));
      return Keep(Line(kept, Format("get-tuple-element({}), index=0", both)));
    }
    const std::string op = r_.Of({"add", "add", "maximum", "minimum"});
    const std::string combiner = Combiner(op), initial = Zero(static_cast<int>(r_.In(-2, 2)));
    Keep(Line(kept, Format("reduce({}, {}), dimensions={{{}}}, to_apply={}", x.name, initial,
                           Join(reduced, ","), combiner)));
  }

  void Dot() {
    Value x = Small(SomeOfRank(1));
    Dims order(x.dims.size());
    std::iota(order.begin(), order.end(), 0);
    Dims batch, contracted, free, dims, of_y, y_batch, y_contracted;
    for (int64_t d : order) {
      const auto kind = r_.Below(3);
      (kind == 0 ? batch : kind == 1 ? contracted : free).push_back(d);
    }
    auto add = [&](const Dims& from, Dims& to) {
      for (int64_t d : from) {
        to.push_back(static_cast<int64_t>(of_y.size()));
        of_y.push_back(x.dims[static_cast<size_t>(d)]);
      }
    };
    const bool batch_first = r_.Chance(50);
    if (batch_first) add(batch, y_batch);
    add(contracted, y_contracted);
    if (r_.Chance(70)) of_y.push_back(r_.In(1, 8));
    if (!batch_first) add(batch, y_batch);
    for (int64_t d : batch) dims.push_back(x.dims[static_cast<size_t>(d)]);
    for (int64_t d : free) dims.push_back(x.dims[static_cast<size_t>(d)]);
    for (size_t d = 0; d < of_y.size(); ++d) {
      const auto k = static_cast<int64_t>(d);
      if (std::count(y_batch.begin(), y_batch.end(), k) +
              std::count(y_contracted.begin(), y_contracted.end(), k) ==
          0)
        dims.push_back(of_y[d]);
    }
    if (Product(dims) > 3000 || Product(of_y) > 3000) return;
    const Value y = Small(OfDims(of_y));
    Keep(Small(Line(dims, Format("dot({}, {}), lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, "
                                 "lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
                                 x.name, y.name, Join(batch, ","), Join(y_batch, ","),
                                 Join(contracted, ","), Join(y_contracted, ",")))));
  }

  // Dimensions are merged and split at random.
  void Reshape() {
    const Value x = Some();
    Dims dims;
    int64_t rest = Product(x.dims);
    if (r_.Chance(50)) {
      for (size_t d = 0; d < x.dims.size(); ++d) {
        if (!dims.empty() && r_.Chance(50)) {
          dims.back() *= x.dims[d];
        } else if (x.dims[d] % 2 == 0 && r_.Chance(50)) {
          dims.push_back(2);
          dims.push_back(x.dims[d] / 2);
        } else {
          dims.push_back(x.dims[d]);
        }
      }
    } else {
      while (rest > 1) {
        Dims divisors;
        for (int64_t n = 2; n <= rest; ++n) {
          if (rest % n == 0) divisors.push_back(n);
        }
        dims.push_back(r_.Of(divisors));
        rest /= dims.back();
      }
    }
    if (dims.size() > 5) return;
    Keep(Line(dims, Format("reshape({})", x.name)));
  }

  void Slice() {
    const Value x = Some();
    Dims dims;
    std::vector<std::string> ranges;
    for (int64_t n : x.dims) {
      const int64_t start = r_.Chance(50) ? 0 : r_.Below(n), limit = r_.In(start + 1, n),
                    stride = r_.Chance(80) ? 1 : 2;
      ranges.push_back(Format("[{}:{}:{}]", start, limit, stride));
      dims.push_back((limit - start + stride - 1) / stride);
    }
    Keep(Line(dims, Format("slice({}), slice={{{}}}", x.name, Join(ranges, ","))));
  }

  void Pad() {
    const Value x = Some();
    Dims dims;
    std::vector<std::string> each;
    for (int64_t n : x.dims) {
      int64_t low = r_.Chance(50) ? 0 : r_.In(-1, 4), high = r_.Chance(50) ? 0 : r_.In(-1, 4);
      const int64_t interior = r_.Chance(85) ? 0 : 1;
      if (n + low + high + (n - 1) * interior < 1) low = high = 0;
      each.push_back(Format("{}_{}_{}", low, high, interior));
      dims.push_back(n + low + high + (n - 1) * interior);
    }
    Keep(Line(dims, Format("pad({}, {}), padding={}", x.name, Zero(7), Join(each, "x"))));
  }

  void Dynamic() {
    const Value x = SomeOfRank(1);
    Dims sizes;
    std::vector<std::string> starts;
    for (int64_t n : x.dims) {
      sizes.push_back(r_.Chance(50) ? n : r_.In(1, n));
      const std::string start = Name();
      body_ += Format("  {} = s32[] constant({})\n", start, r_.In(-1, n));
      starts.push_back(start);
    }
    if (r_.Chance(50)) {
      Keep(Line(sizes, Format("dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", x.name,
                              Join(starts, ", "), Join(sizes, ","))));
    } else {
      const Value y = OfDims(sizes);
      Keep(Line(x.dims,
                Format("dynamic-update-slice({}, {}, {})", x.name, y.name, Join(starts, ", "))));
    }
  }

  Value Indices() {
    std::vector<Value> fit;
    for (const Value& v : values_) {
      if (v.is_index) fit.push_back(v);
    }
    if (!fit.empty()) return r_.Of(fit);
    Value v{Name(), SomeDims(), true};
    body_ += Format("  {} = s32[{}] iota(), iota_dimension={}{}\n", v.name, Join(v.dims, ","),
                    Dim(v), Annotated(v.dims, 50));
    return v;
  }

  // Rows of a table.
  void Gather() {
    const Value x = SomeOfRank(2);
    const Value at = Indices();
    const auto d = static_cast<int64_t>(Dim(x));
    Dims dims = at.dims, offsets, slice = x.dims;
    slice[static_cast<size_t>(d)] = 1;
    for (size_t k = 0; k < x.dims.size(); ++k) {
      if (static_cast<int64_t>(k) == d) continue;
      offsets.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(x.dims[k]);
    }
    if (Product(dims) > 3000) return;
    Keep(Line(dims,
              Format("gather({}, {}), offset_dims={{{}}}, collapsed_slice_dims={{{}}}, "
                     "start_index_map={{{}}}, index_vector_dim={}, slice_sizes={{{}}}",
                     x.name, at.name, Join(offsets, ","), d, d, at.dims.size(), Join(slice, ","))));
  }

  void Scatter() {
    const Value x = Small(SomeOfRank(2));
    const Value at = Indices();
    const auto d = static_cast<int64_t>(Dim(x));
    Dims dims = at.dims, window;
    for (size_t k = 0; k < x.dims.size(); ++k) {
      if (static_cast<int64_t>(k) == d) continue;
      window.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(x.dims[k]);
    }
    if (Product(dims) > 3000) return;
    const Value updates = Small(OfDims(dims));
    const std::string combiner = Combiner(r_.Of({"add", "add", "maximum", "minimum"}));
    Keep(Small(Line(
        x.dims,
        Format("scatter({}, {}, {}), update_window_dims={{{}}}, "
               "inserted_window_dims={{{}}}, scatter_dims_to_operand_dims={{{}}}, "
               "index_vector_dim={}, to_apply={}",
               x.name, at.name, updates.name, Join(window, ","), d, d, at.dims.size(), combiner))));
  }

  void Convolution() {
    const int64_t batch = r_.Of({1, 2, 4, 6, 8}), in = r_.Of({1, 2, 4, 6}),
                  out = r_.Of({1, 2, 4, 8}), size = r_.In(2, 6);
    const int64_t groups = r_.Chance(30) ? in : 1;
    const int64_t batches = groups == 1 && r_.Chance(20) ? batch : 1;
    const int64_t kernel_out = groups > 1 ? groups * out : batches > 1 ? batches * out : out;
    const Value x = Small(OfDims({batch, size, in}));
    const Value k = Small(OfDims({2, in / groups, kernel_out}));
    const std::string more = groups > 1    ? Format(", feature_group_count={}", groups)
                             : batches > 1 ? Format(", batch_group_count={}", batches)
                                           : "";
    Keep(Small(Line({batch / batches, size, kernel_out},
                    Format("convolution({}, {}), window={{size=2 pad=1_0}}, "
                           "dim_labels=b0f_0io->b0f{}",
                           x.name, k.name, more))));
  }

  // x and y change places, and x grows, three times.
  void Loop() {
    const Value x = Some(), y = OfDims(x.dims);
    const int id = static_cast<int>(helpers_.size());
    const std::string state = Format("(s32[], {0}, {0})", Typed(x.dims));
    const std::string inner = Annotated(x.dims, 30);
    helpers_[Format("loop{}", id)] = Format(
        "body{0} {{\n  s = {1} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  a = {2} "
        "get-tuple-element(s), index=1\n  b = {2} get-tuple-element(s), index=2\n  one = s32[] "
        "constant(1)\n  j = s32[] add(i, one)\n  c = {2} maximum(a, b){3}\n  d = {2} subtract(c, "
        "b)\n  ROOT t = {1} tuple(j, b, d)\n}}\ncond{0} {{\n  s = {1} parameter(0)\n  i = s32[] "
        "get-tuple-element(s), index=0\n  n = s32[] constant(3)\n  ROOT l = pred[] compare(i, n), "
        "direction=LT\n}}\n",
        id, state, Typed(x.dims), inner);
    const std::string zero = Name(), start = Name(), loop = Name();
    body_ += Format("  {} = s32[] constant(0)\n  {} = {} tuple({}, {}, {})\n", zero, start, state,
                    zero, x.name, y.name);
    body_ +=
        Format("  {} = {} while({}), condition=cond{}, body=body{}\n", loop, state, start, id, id);
    Keep(Line(x.dims, Format("get-tuple-element({}), index={}", loop, r_.In(1, 2))));
  }

  void Branches() {
    const Value x = Some(), y = OfDims(x.dims);
    const int id = static_cast<int>(helpers_.size());
    helpers_[Format("branch{}", id)] = Format(
        "yes{0} {{\n  a = {1} parameter(0)\n  ROOT n = {1} negate(a){2}\n}}\nno{0} {{\n  a = {1} "
        "parameter(0)\n  ROOT n = {1} add(a, a)\n}}\n",
        id, Typed(x.dims), Annotated(x.dims, 30));
    const std::string p = Name();
    body_ += Format("  {} = pred[] constant({})\n", p, r_.Chance(50) ? "true" : "false");
    Keep(Line(x.dims, Format("conditional({}, {}, {}), true_computation=yes{}, "
                             "false_computation=no{}",
                             p, x.name, y.name, id, id)));
  }

  Program Finish() {
    std::vector<std::string> names, shapes, shardings;
    for (int64_t count = r_.In(1, 3); count > 0; --count) {
      const Value v = count == 1 ? values_.back() : Some();
      names.push_back(v.name);
      shapes.push_back(Typed(v));
      shardings.push_back(SomeSharding(v.dims.size()));
    }
    std::string& text = program_.text;
    text = Format("HloModule m, num_partitions={}\n\n", partitions_);
    for (const auto& [name, helper] : helpers_) text += helper + "\n";
    text += Format("ENTRY e {{\n{}  ROOT r = ({}) tuple({}), sharding={{{}}}\n}}\n", body_,
                   Join(shapes, ", "), Join(names, ", "), Join(shardings, ", "));
    program_.is_exact = !floats_;
    return std::move(program_);
  }

  fuzz::Random r_;
  int64_t partitions_;
  bool floats_;
  std::string type_;
  Dims factors_;
  std::vector<Value> values_;
  std::string body_;
  std::map<std::string, std::string> helpers_;
  int next_ = 0;
  Program program_;
};

}  // namespace

Program Generate(uint64_t seed) { return Generator(seed).Run(); }

}  // namespace sinter::partition_testing
