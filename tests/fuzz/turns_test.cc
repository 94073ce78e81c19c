// Random loops over stencils, of arrays that are larger than the caches: their turns give the same
// where several run at a time as where their number is not known, so that they run one by one.
// SINTER_FUZZ_SEED=N runs one loop, SINTER_FUZZ_COUNT=N so many from there (or from 1).
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/client_core.h"
#include "base/text.h"
#include "environment.h"
#include "fuzz/random.h"
#include "ir/text/parser.h"
#include "program/program.h"
#include "runtime/executable.h"
#include "unit/api/clients.h"

namespace sinter::fuzz {
namespace {

// The text of a loop whose state is one array or two, and a number of turns.
class Stencils {
 public:
  explicit Stencils(uint64_t seed) : random_(seed) {
    dims_ = random_.Of<std::vector<int64_t>>(
        {{2500, 1100}, {3000, 701}, {4096, 512}, {5000, 24, 31}, {90, 170, 160}, {3'100'000}});
    dims_[0] += random_.In(0, 7);
    type_ = random_.Of<std::string>({"f32", "f32", "f32", "s32", "f64"});
    arrays_ = random_.Of({1, 1, 2, 2, 3});
    turns_ = random_.In(8, 30);
    for (int k = 0; k < arrays_; ++k) state_.push_back(Format("a{}", k));
    std::vector<std::string> next = state_;
    for (int k = 0; k < arrays_; ++k) {
      // The new array may be what the next one is made of, or take its place.
      next[static_cast<size_t>(k)] = NextOf(next, k);
      if (arrays_ > 1 && random_.Chance(30)) std::swap(next[0], next[1]);
    }
    results_ = next;
  }

  Shape shape() const { return Shape(*ElementTypeFromName(type_), dims_); }
  int arrays() const { return arrays_; }
  int64_t turns() const { return turns_; }

  std::string Text(bool is_known) const {
    std::string types = "s32[]", read, place;
    std::string parameters, names;
    for (int k = 0; k < arrays_; ++k) {
      types += ", " + Array();
      read += Format("  a{0} = {1} get-tuple-element(s), index={2}\n", k, Array(), k + 1);
      parameters += Format("  x{0} = {1} parameter({0})\n", k, Array());
      names += Format("x{}, ", k);
    }
    types += ", s32[]";
    std::string next;
    for (const std::string& r : results_) next += ", " + r;
    return Format(
        "HloModule m\n\ncond {{\n  s = ({0}) parameter(0)\n  i = s32[] get-tuple-element(s), "
        "index=0\n  n = s32[] {1}\n  ROOT r = pred[] compare(i, n), direction=LT\n}}\n\n"
        "body {{\n  s = ({0}) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n{2}"
        "  n = s32[] get-tuple-element(s), index={3}\n  one = s32[] constant(1)\n"
        "  j = s32[] add(i, one)\n{4}  ROOT r = ({0}) tuple(j{5}, n)\n}}\n\n"
        "ENTRY e {{\n{6}  n = s32[] parameter({7})\n  zero = s32[] constant(0)\n"
        "  s = ({0}) tuple(zero, {8}n)\n  w = ({0}) while(s), condition=cond, body=body\n{9}}}\n",
        types,
        is_known ? Format("constant({})", turns_)
                 : Format("get-tuple-element(s), index={}", arrays_ + 1),
        read, arrays_ + 1, body_, next, parameters, arrays_, names, Results());
  }

 private:
  std::string Array() const { return Of(dims_); }
  std::string Results() const {
    std::string text, types, names;
    for (int k = 0; k < arrays_; ++k) {
      text += Format("  y{0} = {1} get-tuple-element(w), index={2}\n", k, Array(), k + 1);
      types += (k > 0 ? ", " : "") + Array();
      names += (k > 0 ? ", " : "") + Format("y{}", k);
    }
    return text + Format("  ROOT r = ({}) tuple({})\n", types, names);
  }

  std::string Add(const std::string& type, const std::string& operation) {
    const std::string name = Format("v{}", count_++);
    body_ += Format("  {} = {} {}\n", name, type, operation);
    return name;
  }
  std::string Of(const std::vector<int64_t>& dims) const {
    return Format("{}[{}]", type_, Join(dims, ","));
  }
  std::string Splat(const std::string& value) {
    return Add(Array(), Format("broadcast({}), dimensions={{}}",
                               Add(type_ + "[]", Format("constant({})", value))));
  }
  // Elements from `begin` on, so many along `d`.
  std::string Slice(const std::string& x, size_t d, int64_t begin, int64_t count) {
    std::vector<int64_t> dims = dims_;
    dims[d] = count;
    std::string ranges;
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t from = k == d ? begin : 0;
      ranges += Format("{}[{}:{}]", k > 0 ? ", " : "", from, from + dims[k]);
    }
    return Add(Of(dims), Format("slice({}), slice={{{}}}", x, ranges));
  }
  // x(i + by) along `d`, around the ends, or 0 behind them, or x there.
  std::string Moved(const std::string& x, size_t d, int64_t by) {
    const int64_t n = dims_[d], far = std::abs(by);
    const std::string kept = Slice(x, d, by > 0 ? by : 0, n - far);
    const int way = static_cast<int>(random_.Below(3));
    if (way == 0) {
      const std::string zero = Add(type_ + "[]", "constant(0)");
      std::string padding;
      for (size_t k = 0; k < dims_.size(); ++k) {
        padding += k > 0 ? "x" : "";
        padding += k != d ? "0_0" : by > 0 ? Format("0_{}", far) : Format("{}_0", far);
      }
      return Add(Array(), Format("pad({}, {}), padding={}", kept, zero, padding));
    }
    const bool wraps = way == 1;
    const std::string end = Slice(x, d, wraps == (by > 0) ? 0 : n - far, far);
    return Add(Array(), Format("concatenate({}), dimensions={{{}}}",
                               by > 0 ? kept + ", " + end : end + ", " + kept, d));
  }
  std::string Neighbour(const std::string& x) {
    const auto d = static_cast<size_t>(random_.Below(static_cast<int64_t>(dims_.size())));
    return Moved(x, d, random_.Of<int64_t>({1, 1, -1, -1, 2, -3}));
  }
  std::string Combine(const std::string& x, const std::string& y) {
    return Add(
        Array(),
        Format("{}({}, {})", random_.Of<std::string>({"add", "add", "subtract", "maximum"}), x, y));
  }
  // Array k of the next turn, of those that there are.
  std::string NextOf(const std::vector<std::string>& arrays, int k) {
    std::string x = arrays[static_cast<size_t>(k)];
    const int64_t terms = random_.In(2, 4);
    for (int64_t t = 0; t < terms; ++t) {
      const std::string& of = random_.Of(arrays);
      x = Combine(x, random_.Chance(80) ? Neighbour(of) : of);
    }
    if (random_.Chance(60)) x = Add(Array(), Format("multiply({}, {})", x, Splat(Factor())));
    if (random_.Chance(20)) x = Add(Array(), Format("minimum({}, {})", x, Splat("100")));
    if (random_.Chance(25)) {
      // In the array's place, but for its border.
      const auto d = static_cast<size_t>(random_.Below(static_cast<int64_t>(dims_.size())));
      const int64_t border = random_.In(1, 3);
      const std::string inner = Slice(x, d, border, dims_[d] - 2 * border);
      std::string starts;
      for (size_t e = 0; e < dims_.size(); ++e)
        starts += ", " + Add("s32[]", Format("constant({})", e == d ? border : 0));
      x = Add(Array(), Format("dynamic-update-slice({}, {}{})", arrays[static_cast<size_t>(k)],
                              inner, starts));
    }
    return x;
  }
  std::string Factor() { return type_ == "s32" ? "3" : random_.Of<std::string>({"0.25", "0.5"}); }

  Random random_;
  std::vector<int64_t> dims_;
  std::string type_;
  int arrays_ = 1, count_ = 0;
  int64_t turns_ = 0;
  std::string body_;
  std::vector<std::string> state_, results_;
};

// Whether the compiler has said what tasks of a loop's kernels use.
bool SaysWhatTasksUse(const std::vector<program::Step>& steps) {
  for (const program::Step& step : steps) {
    const auto* loop = std::get_if<program::While>(&step.op);
    if (loop == nullptr) continue;
    for (const program::Step& inner : loop->body) {
      const auto* launch = std::get_if<program::Launch>(&inner.op);
      if (launch == nullptr) continue;
      for (const program::Stage& stage : launch->stages)
        if (!stage.ranges.empty()) return true;
    }
  }
  return false;
}

// Whether turns could run together.
bool Check(uint64_t seed) {
  const Stencils stencils(seed);
  INFO("seed " << seed << "\n" << stencils.Text(true));
  std::vector<Literal> arguments;
  uint32_t state = 1;
  for (int k = 0; k < stencils.arrays(); ++k) {
    Literal values(Shape(ElementType::S32, stencils.shape().dimensions()));
    for (int32_t& x : values.data<int32_t>()) {
      state = state * 1664525 + 1013904223;
      x = static_cast<int32_t>(state >> 24);
    }
    arguments.push_back(*values.Convert(stencils.shape().element_type()));
  }
  arguments.push_back(Literal::R0<int32_t>(static_cast<int32_t>(stencils.turns())));
  auto client = MakeClient(static_cast<int>(1 + seed % 3));
  auto run = [&](bool is_known, bool* may_be_cut) {
    auto module = ParseHloText(stencils.Text(is_known), "m");
    CAPTURE(MessageOf(module.status()));
    REQUIRE(module.ok());
    auto executable = client->core()->CompileModule(**module, {});
    CAPTURE(MessageOf(executable.status()));
    REQUIRE(executable.ok());
    if (may_be_cut != nullptr) *may_be_cut = SaysWhatTasksUse(executable->impl()->program().steps);
    auto result = executable->Evaluate(arguments);
    CAPTURE(MessageOf(result.status()));
    REQUIRE(result.ok());
    return *std::move(result);
  };
  bool may_be_cut = false;
  const Literal together = run(true, &may_be_cut);
  CHECK(together == run(false, nullptr));
  return may_be_cut;
}

void CheckSeeds(uint64_t first, int64_t count) {
  int64_t cut = 0;
  for (int64_t k = 0; k < count; ++k) cut += Check(first + static_cast<uint64_t>(k)) ? 1 : 0;
  // Or they would test nothing.
  CHECK(cut >= count / 2);
}

TEST_CASE("random loops of stencils give the same, several turns at a time or one by one") {
  const int64_t seed = testing::FromEnvironment("SINTER_FUZZ_SEED", 0);
  CheckSeeds(seed != 0 ? static_cast<uint64_t>(seed) : 1,
             testing::FromEnvironment("SINTER_FUZZ_COUNT", seed != 0 ? 1 : 24));
}
TEST_CASE("many random loops of stencils", "[.full]") { CheckSeeds(1000, 400); }

}  // namespace
}  // namespace sinter::fuzz
