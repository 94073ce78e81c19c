#include "fuzz/dynamic.h"

#include <vector>

#include "base/text.h"
#include "fuzz/random.h"

namespace sinter::fuzz {
namespace {

using Rows = std::function<int64_t(int64_t)>;
constexpr int64_t kLargest = 6;    // rows of the argument
constexpr int64_t kMostRows = 80;  // of any value, by its bound

// A value of rank 2, of `columns`, or of rank 1 where there are none. Values of one `size` have
// equally many rows.
struct Value {
  std::string name;
  int64_t columns = 0;
  size_t size = 0;
  std::string Type(std::string_view element = "f32") const {
    return columns ? Format("tensor<?x{}x{}>", columns, element) : Format("tensor<?x{}>", element);
  }
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  DynamicProgram Run() {
    rows_.push_back([](int64_t n) { return n; });
    bounds_.push_back(kLargest);
    values_.push_back({"%x", 3, 0});
    const int64_t steps = random_.In(2, 9);
    for (int64_t k = 0; k < steps; ++k) Step();
    const Value& last = values_.back();
    DynamicProgram program;
    program.rows = rows_[last.size];
    program.text = Format(
        "func.func @main(%x: tensor<?x3xf32>) -> {0} {{\n"
        "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %low = stablehlo.constant dense<-8.0> : tensor<f32>\n"
        "  %high = stablehlo.constant dense<8.0> : tensor<f32>\n"
        "  %c0 = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %c1 = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %c2 = stablehlo.constant dense<2> : tensor<i32>\n{1}  return {2} : {0}\n}}\n{3}",
        last.Type(), body_, last.name, functions_);
    return program;
  }

 private:
  std::string New() { return Format("%v{}", next_++); }
  const Value& Any() { return values_[values_.size() - 1 - Late()]; }
  // Mostly one of the last.
  size_t Late() {
    const auto count = static_cast<int64_t>(values_.size());
    return static_cast<size_t>(random_.Chance(60) ? 0 : random_.Below(count));
  }
  // Another of as many rows and columns, or the same.
  const Value& Like(const Value& x) {
    std::vector<const Value*> alike;
    for (const Value& v : values_) {
      if (v.size == x.size && v.columns == x.columns) alike.push_back(&v);
    }
    return *alike[static_cast<size_t>(random_.Below(static_cast<int64_t>(alike.size())))];
  }
  size_t NewSize(Rows rows, int64_t bound) {
    rows_.push_back(std::move(rows));
    bounds_.push_back(bound);
    return rows_.size() - 1;
  }
  // "NAME = OP : (TYPES) -> TYPE"
  std::string Line(const std::string& op, const std::string& types, const std::string& type) {
    std::string name = New();
    body_ += Format("  {} = {} : ({}) -> {}\n", name, op, types, type);
    return name;
  }
  void Add(const std::string& op, const std::string& types, Value result) {
    result.name = Line(op, types, result.Type());
    values_.push_back(std::move(result));
  }
  // The number of rows as tensor<i32>, as tensor<1xi32>, and a vector of it and the columns.
  std::string Count(const Value& x) {
    return Line(Format("stablehlo.get_dimension_size {}, dim = 0", x.name), x.Type(),
                "tensor<i32>");
  }
  std::string Vector(const std::string& scalar) {
    return Line("stablehlo.reshape " + scalar, "tensor<i32>", "tensor<1xi32>");
  }
  std::string Sizes(const std::string& rows, int64_t columns) {
    const std::string first = Vector(rows);
    if (columns == 0) return first;
    const std::string second = New();
    body_ += Format("  {} = stablehlo.constant dense<{}> : tensor<1xi32>\n", second, columns);
    return Line(Format("stablehlo.concatenate {}, {}, dim = 0", first, second),
                "tensor<1xi32>, tensor<1xi32>", "tensor<2xi32>");
  }
  static std::string SizesType(int64_t columns) {
    return columns ? "tensor<2xi32>" : "tensor<1xi32>";
  }
  std::string Ints(const std::string& op, const std::string& a, const std::string& b) {
    return Line(Format("stablehlo.{} {}, {}", op, a, b), "tensor<i32>, tensor<i32>", "tensor<i32>");
  }
  // Values stay small.
  void Clamp(Value x) {
    const std::string was = x.name;
    Add(Format("stablehlo.clamp %low, {}, %high", was),
        Format("tensor<f32>, {}, tensor<f32>", x.Type()), x);
  }

  void Step() {
    const Value x = Any();
    switch (random_.Below(17)) {
      case 0:
        return Add(Format("stablehlo.{} {}", random_.Of({"negate", "abs", "floor"}), x.name),
                   x.Type(), x);
      case 1: {
        const Value y = Like(x);
        Add(Format("stablehlo.{} {}, {}", random_.Of({"add", "subtract", "maximum"}), x.name,
                   y.name),
            Format("{}, {}", x.Type(), y.Type()), x);
        return Clamp(values_.back());
      }
      case 2:
        return Broadcast(x);
      case 3:
        return Concatenate(x);
      case 4:
        return Pad(x);
      case 5:
        return Half(x);
      case 6:
        return Add(Format("stablehlo.reverse {}, dims = [0]", x.name), x.Type(), x);
      case 7:
        return Products(x);
      case 8:
        return Sum(x);
      case 9:
        return Flat(x);
      case 10:
        return Loop(x);
      case 11:
        return Branches(x);
      case 12:
        return Collective(x);
      case 13:
        return Loose(x);
      case 14:
        return Filled(x);
      case 15:
        return Choice(x);
      default:
        return Function(x);
    }
  }

  void Broadcast(const Value& x) {
    const std::string dims = x.columns ? "[1, 2]" : "[1]";
    const std::string type = "tensor<2x" + x.Type().substr(7);
    const std::string y =
        Line(Format("stablehlo.broadcast_in_dim {}, dims = {}", x.name, dims), x.Type(), type);
    Add(Format("stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = [0]", y),
        type + ", tensor<f32>", x);
    Clamp(values_.back());
  }
  void Concatenate(const Value& x) {
    for (const Value& y : values_) {
      if (y.columns != x.columns || random_.Chance(30)) continue;
      if (bounds_[x.size] + bounds_[y.size] > kMostRows) continue;
      const Rows a = rows_[x.size], b = rows_[y.size];
      const size_t size =
          NewSize([a, b](int64_t n) { return a(n) + b(n); }, bounds_[x.size] + bounds_[y.size]);
      return Add(Format("stablehlo.concatenate {}, {}, dim = 0", x.name, y.name),
                 Format("{}, {}", x.Type(), y.Type()), {"", x.columns, size});
    }
  }
  void Pad(const Value& x) {
    const int64_t low = random_.In(0, 2), high = random_.In(0, 2);
    if (bounds_[x.size] + low + high > kMostRows) return;
    const Rows a = rows_[x.size];
    const size_t size = NewSize([a, low, high](int64_t n) { return a(n) + low + high; },
                                bounds_[x.size] + low + high);
    const std::string zero = x.columns ? ", 0]" : "]";
    Add(Format("stablehlo.pad {0}, %zero, low = [{1}{3}, high = [{2}{3}, interior = [0{3}", x.name,
               low, high, zero),
        x.Type() + ", tensor<f32>", {"", x.columns, size});
  }
  // The rows in front, half as many as there are.
  void Half(const Value& x) {
    const std::string half = Ints("divide", Count(x), "%c2"), limits = Sizes(half, x.columns),
                      type = SizesType(x.columns);
    const std::string starts = New(), strides = New();
    body_ += Format("  {} = stablehlo.constant dense<0> : {}\n", starts, type);
    body_ += Format("  {} = stablehlo.constant dense<1> : {}\n", strides, type);
    const Rows a = rows_[x.size];
    const size_t size = NewSize([a](int64_t n) { return a(n) / 2; }, bounds_[x.size] / 2);
    Add(Format("stablehlo.real_dynamic_slice {}, {}, {}, {}", x.name, starts, limits, strides),
        Format("{0}, {1}, {1}, {1}", x.Type(), type), {"", x.columns, size});
  }
  // All rows with all rows, added up.
  void Products(const Value& x) {
    if (x.columns == 0) return;
    const std::string products =
        Line(Format("stablehlo.dot_general {0}, {0}, contracting_dims = [1] x [1]", x.name),
             Format("{0}, {0}", x.Type()), "tensor<?x?xf32>");
    const std::string turned = Line(Format("stablehlo.transpose {}, dims = [1, 0]", products),
                                    "tensor<?x?xf32>", "tensor<?x?xf32>");
    Add(Format("stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = [1]",
               turned),
        "tensor<?x?xf32>, tensor<f32>", {"", 0, x.size});
    Clamp(values_.back());
  }
  // The sum of the rows, for each of them.
  void Sum(const Value& x) {
    const std::string type = x.columns ? Format("tensor<{}xf32>", x.columns) : "tensor<f32>";
    const std::string sum =
        Line(Format("stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = "
                    "[0]",
                    x.name),
             x.Type() + ", tensor<f32>", type);
    const std::string sizes = Sizes(Count(x), x.columns);
    Add(Format("stablehlo.dynamic_broadcast_in_dim {}, {}, dims = [{}]", sum, sizes,
               x.columns ? "1" : ""),
        Format("{}, {}", type, SizesType(x.columns)), x);
    Clamp(values_.back());
  }
  void Flat(const Value& x) {
    const int64_t columns = x.columns;
    if (columns == 0 || bounds_[x.size] * columns > kMostRows) return;
    const Rows a = rows_[x.size];
    const size_t size =
        NewSize([a, columns](int64_t n) { return a(n) * columns; }, bounds_[x.size] * columns);
    Add("stablehlo.reshape " + x.name, x.Type(), {"", 0, size});
    const Value flat = values_.back();
    if (random_.Chance(50)) return;
    const std::string sizes = Sizes(Count(x), columns);
    Add(Format("stablehlo.dynamic_reshape {}, {}", flat.name, sizes),
        flat.Type() + ", tensor<2xi32>", x);
  }
  // Two values change places every round, whatever their sizes; captured ones are used as well.
  void Loop(const Value& x) {
    Value y = x;
    for (const Value& v : values_) {
      if (v.columns == x.columns && random_.Chance(60)) y = v;
    }
    const int64_t rounds = random_.In(0, 3);
    const std::string count = Count(x), limit = New(), type = x.Type(), loop = New();
    body_ += Format("  {} = stablehlo.constant dense<{}> : tensor<i32>\n", limit, rounds);
    body_ += Format(
        "  {0}:3 = stablehlo.while(%i = %c0, %a = {1}, %b = {2}) : tensor<i32>, {3}, {3}\n"
        "   cond {{\n    %p = stablehlo.compare LT, %i, {4} : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }} do {{\n"
        "    %j = stablehlo.add %i, %c1 : tensor<i32>\n    %e = stablehlo.negate %a : {3}\n"
        "    stablehlo.return %j, %b, %e : tensor<i32>, {3}, {3}\n  }}\n",
        loop, x.name, y.name, type, limit);
    Value result = rounds % 2 == 0 ? x : y;
    result.name = loop + "#1";
    values_.push_back(result);
  }
  void Branches(const Value& x) {
    Value y = x;
    for (const Value& v : values_) {
      if (v.columns == x.columns && random_.Chance(60)) y = v;
    }
    const std::string p = Line(Format("stablehlo.compare LT, {}, %c2", Count(x)),
                               "tensor<i32>, tensor<i32>", "tensor<i1>");
    const Rows a = rows_[x.size], b = rows_[y.size];
    const size_t size = NewSize([a, b](int64_t n) { return a(n) < 2 ? a(n) : b(n); },
                                std::max(bounds_[x.size], bounds_[y.size]));
    const std::string name = New(), type = x.Type();
    body_ += Format(
        "  {0} = \"stablehlo.if\"({1}) ({{\n    %a = stablehlo.negate {2} : {4}\n"
        "    stablehlo.return %a : {4}\n  }}, {{\n    stablehlo.return {3} : {4}\n"
        "  }}) : (tensor<i1>) -> {4}\n",
        name, p, x.name, y.name, type);
    values_.push_back({name, x.columns, size});
  }
  // Of one participant.
  void Collective(const Value& x) {
    const std::string one = "replica_groups = dense<0> : tensor<1x1xi64>";
    const std::string add =
        "({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo.add %a, %b : "
        "tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  })";
    const std::vector<std::string> ops = {
        Format("\"stablehlo.all_gather\"({}) <{{all_gather_dim = 0 : i64, {}}}>", x.name, one),
        Format("\"stablehlo.all_reduce\"({}) <{{{}}}> {}", x.name, one, add),
        Format("\"stablehlo.reduce_scatter\"({}) <{{scatter_dimension = 0 : i64, {}}}> {}", x.name,
               one, add),
        Format("\"stablehlo.all_to_all\"({}) <{{split_dimension = 0 : i64, concat_dimension = 0 : "
               "i64, split_count = 1 : i64, {}}}>",
               x.name, one),
        Format("\"stablehlo.collective_broadcast\"({}) <{{{}}}>", x.name, one),
        Format("\"stablehlo.collective_permute\"({}) <{{source_target_pairs = dense<0> : "
               "tensor<1x2xi64>}}>",
               x.name),
        Format("\"stablehlo.collective_permute\"({}) <{{source_target_pairs = dense<> : "
               "tensor<0x2xi64>}}>",
               x.name)};
    Add(ops[static_cast<size_t>(random_.Below(static_cast<int64_t>(ops.size())))], x.Type(), x);
  }
  // As many numbers as rows, which is not seen: the square of their number divided by it.
  void Loose(const Value& x) {
    if (x.columns != 0 || bounds_[x.size] > 12) return;
    const std::string n = Count(x), square = Ints("multiply", n, n),
                      divisor = Ints("maximum", n, "%c1"), size = Ints("divide", square, divisor);
    const std::string numbers = Line(Format("stablehlo.dynamic_iota {}, dim = 0", Vector(size)),
                                     "tensor<1xi32>", "tensor<?xf32>");
    Add(Format("stablehlo.add {}, {}", numbers, x.name), "tensor<?xf32>, tensor<?xf32>", x);
    Clamp(values_.back());
  }
  // Some more rows than another value has, all of one number.
  void Filled(const Value& x) {
    if (bounds_[x.size] + 1 > kMostRows) return;
    const std::string rows = Ints("add", Count(x), "%c1"), sizes = Sizes(rows, x.columns);
    const Rows a = rows_[x.size];
    const size_t size = NewSize([a](int64_t n) { return a(n) + 1; }, bounds_[x.size] + 1);
    Add(Format("stablehlo.dynamic_broadcast_in_dim %high, {}, dims = []", sizes),
        Format("tensor<f32>, {}", SizesType(x.columns)), {"", x.columns, size});
  }
  void Choice(const Value& x) {
    const Value y = Like(x);
    const std::string p = Line(Format("stablehlo.compare LT, {}, {}", x.name, y.name),
                               Format("{0}, {0}", x.Type()), x.Type("i1"));
    Add(Format("stablehlo.select {}, {}, {}", p, y.name, x.name),
        Format("{0}, {1}, {1}", x.Type("i1"), x.Type()), x);
  }
  void Function(const Value& x) {
    const std::string name = Format("@f{}", next_++), type = x.Type();
    functions_ += Format(
        "func.func private {0}(%a: {1}) -> {1} {{\n  %b = stablehlo.reverse %a, dims = [0] : {1}\n"
        "  %c = stablehlo.maximum %a, %b : {1}\n  return %c : {1}\n}}\n",
        name, type);
    Add(Format("func.call {}({})", name, x.name), type, x);
  }

  Random random_;
  std::vector<Value> values_;
  std::vector<Rows> rows_;
  std::vector<int64_t> bounds_;
  std::string body_, functions_;
  int64_t next_ = 0;
};

}  // namespace

DynamicProgram GenerateDynamic(uint64_t seed) { return Generator(seed).Run(); }

}  // namespace sinter::fuzz
