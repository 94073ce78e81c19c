// Every collective, by every form of its groups, of every type, on 2, 3, 4 and 8 devices, compiled,
// against the interpreter.
#include <catch2/catch.hpp>
#include <numeric>

#include "base/status.h"
#include "collectives/run.h"
#include "sinter/element_type.h"

namespace sinter::testing {
namespace {

const std::vector<ElementType> kTypes = {
    ElementType::PRED, ElementType::S2,       ElementType::S4,       ElementType::U4,
    ElementType::S8,   ElementType::U8,       ElementType::S16,      ElementType::U16,
    ElementType::S32,  ElementType::U32,      ElementType::S64,      ElementType::U64,
    ElementType::F16,  ElementType::F32,      ElementType::F8E4M3FN, ElementType::F8E5M2,
    ElementType::BF16, ElementType::F64,      ElementType::F4E2M1FN, ElementType::C64,
    ElementType::C128, ElementType::F8E8M0FNU};

// Small whole numbers, of which few are zero.
Literal Numbers(ElementType t, std::vector<int64_t> dims, int64_t seed) {
  Literal numbers(Shape(ElementType::S32, dims));
  auto data = numbers.data<int32_t>();
  for (size_t k = 0; k < data.size(); ++k)
    data[k] = static_cast<int32_t>((seed * 7 + static_cast<int64_t>(k) * 5) % 13 + 1);
  return numbers.Convert(t).value();
}

struct Form {
  std::string attributes;
  collective::Grid grid;
  int64_t group;  // participants of one
};

// Of `n` participants.
std::vector<Form> Forms(int64_t n) {
  std::vector<int64_t> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int64_t> reversed(all.rbegin(), all.rend());
  const std::string whole = Join(all, ","), back = Join(reversed, ",");
  const std::string global = ", channel_id=1, use_global_device_ids=true";
  std::vector<Form> forms{
      {"replica_groups={}", {n, 1}, n},
      {Format("replica_groups={{{{{}}}}}", back), {n, 1}, n},
      {"channel_id=1, replica_groups={}", {1, n}, n},
      {Format("replica_groups={{{{{}}}}}{}", back, global), {n, 1}, n},
      {Format("replica_groups=[1,{}]<=[{}]{}", n, n, global), {1, n}, n},
      {Format("replica_groups=mesh['a'={}] {{'a'}}{}", n, global), {1, n}, n},
  };
  if (n % 2 == 0) {
    const int64_t h = n / 2;
    forms.push_back({"channel_id=1, replica_groups={{0},{1}}", {2, h}, h});
    forms.push_back({Format("replica_groups=[{},2]<=[2,{}]T(1,0){}", h, h, global), {2, h}, 2});
    forms.push_back({"replica_groups={{1,0}}", {2, h}, 2});
  }
  return forms;
}

// Whether the attributes mean the same for operations that have no numbers of devices.
bool HasNoDevices(const Form& f) {
  return f.attributes.find("use_global_device_ids") == std::string::npos &&
         (f.attributes.find("channel_id") == std::string::npos || f.grid.replicas == 1);
}

std::string Reducer(ElementType t, std::string_view op) {
  const std::string s = Shape(t).ToString();
  return Format("f {{ a = {} parameter(0)\n b = {} parameter(1)\n ROOT r = {} {}(a, b)\n}}\n", s, s,
                s, op);
}

std::string Sized(ElementType t, std::vector<int64_t> dims) {
  return Shape(t, std::move(dims)).ToString();
}

// The programs of one form and type: an operand x of 3 x 2n x 2. With `delayed` each participant
// has it after a time of its own.
std::vector<std::string> Programs(const Form& f, ElementType t, bool delayed = false) {
  const int64_t n = f.group;
  const std::string x = Sized(t, {3, 2 * n, 2});
  auto program = [&](std::string_view op, const std::string& body) {
    const std::string operand = delayed ? Format(
                                              " p = {} parameter(0)\n x = {} custom-call(p), "
                                              "custom_call_target=\"tests.delay\"\n",
                                              x, x)
                                        : Format(" x = {} parameter(0)\n", x);
    return Format("HloModule m\n{}ENTRY main {{\n{}{}}}\n", Reducer(t, op), operand, body);
  };
  std::vector<std::string> reducers{IsPredicate(t) ? "or" : "add"};
  if (!IsComplex(t)) reducers.push_back(IsPredicate(t) ? "and" : "maximum");
  std::vector<std::string> programs;
  for (const std::string& op : reducers) {
    programs.push_back(
        program(op, Format(" ROOT y = {} all-reduce(x), to_apply=f, {}\n", x, f.attributes)));
  }
  programs.push_back(program(
      reducers[0],
      Format(" s = {} slice(x), slice={{[0:1], [0:{}], [0:2]}}\n ROOT y = ({}, {}) all-reduce(x, "
             "s), to_apply=f, {}\n",
             Sized(t, {1, 2 * n, 2}), 2 * n, x, Sized(t, {1, 2 * n, 2}), f.attributes)));
  for (int d : {0, 1, 2}) {
    std::vector<int64_t> gathered{3, 2 * n, 2};
    gathered[static_cast<size_t>(d)] *= n;
    programs.push_back(
        program(reducers[0], Format(" ROOT y = {} all-gather(x), dimensions={{{}}}, {}\n",
                                    Sized(t, gathered), d, f.attributes)));
  }
  programs.push_back(program(
      reducers[0], Format(" ROOT y = {} reduce-scatter(x), dimensions={{1}}, to_apply=f, {}\n",
                          Sized(t, {3, 2, 2}), f.attributes)));
  if (!HasNoDevices(f)) return programs;
  programs.push_back(program(
      reducers[0], Format(" ROOT y = {} all-to-all(x), dimensions={{1}}, {}\n", x, f.attributes)));
  if (f.attributes.find("{{") != std::string::npos ||
      f.attributes.find("={}") != std::string::npos) {
    programs.push_back(program(
        reducers[0], Format(" ROOT y = {} collective-broadcast(x), {}\n", x, f.attributes)));
  }
  std::string parts, operands, shapes;
  for (int64_t k = 0; k < n; ++k) {
    parts += Format(" p{} = {} slice(x), slice={{[0:3], [{}:{}], [0:2]}}\n", k, Sized(t, {3, 2, 2}),
                    2 * k, 2 * k + 2);
    operands += Format("{}p{}", k == 0 ? "" : ", ", k);
    shapes += Format("{}{}", k == 0 ? "" : ", ", Sized(t, {3, 2, 2}));
  }
  programs.push_back(program(reducers[0], Format("{} ROOT y = ({}) all-to-all({}), {}\n", parts,
                                                 shapes, operands, f.attributes)));
  const std::string channel =
      f.attributes.find("channel_id") == std::string::npos ? "" : ", channel_id=1";
  programs.push_back(program(
      reducers[0],
      Format(" ROOT y = {} collective-permute(x), source_target_pairs={{{{0,1}},{{1,0}}}}{}\n", x,
             channel)));
  return programs;
}

struct Extent {
  std::vector<int64_t> participants;
  std::vector<ElementType> types;
  int delayed_runs = 0;  // where there are some, each program so often
};

void RunMatrix(Client& client, const Extent& extent) {
  for (int64_t n : extent.participants) {
    for (const Form& f : Forms(n)) {
      for (ElementType t : extent.types) {
        Arguments arguments;
        for (int64_t k = 0; k < n; ++k) arguments.push_back({Numbers(t, {3, 2 * f.group, 2}, k)});
        const int runs = extent.delayed_runs;
        const std::vector<std::string> programs = Programs(f, t);
        std::vector<std::string> delayed;
        if (runs > 0) delayed = Programs(f, t, /*delayed=*/true);
        for (size_t k = 0; k < programs.size(); ++k) {
          const absl::Status s =
              runs > 0 ? SameInRuns(client, programs[k], delayed[k], f.grid, arguments, runs)
                       : SameOnDevices(client, programs[k], f.grid, arguments);
          INFO(n << " participants\n" << programs[k]);
          REQUIRE(Told(s) == "ok");
        }
      }
    }
  }
}

std::shared_ptr<Client> ClientWithDelays() {
  CpuOptions options;
  options.custom_calls = Delays();
  return ClientOfEight(options);
}

TEST_CASE("Collectives by form of groups and number of devices", "[processes]") {
  const auto client = ClientOfEight();
  RunMatrix(*client, {{2, 3, 4, 8}, {ElementType::F32}});
}

TEST_CASE("Collectives by type", "[processes]") {
  const auto client = ClientOfEight();
  RunMatrix(*client, {{2}, kTypes});
}

TEST_CASE("Every collective, form, type and number of devices", "[.standard]") {
  const auto client = ClientOfEight();
  RunMatrix(*client, {{3, 4, 8}, kTypes});
}

// A hang ends by the test's time limit, or by the client's for collectives.
TEST_CASE("Participants that come at different times", "[processes]") {
  RunMatrix(*ClientWithDelays(), {{3, 4}, {ElementType::S32}, 10});
}

TEST_CASE("A hundred runs of each form and number of devices, with delays", "[.hundred]") {
  RunMatrix(*ClientWithDelays(), {{2, 3, 4, 8}, {ElementType::F32}, 100});
}

TEST_CASE("A hundred runs of each collective, form, type and number of devices, with delays",
          "[.full]") {
  RunMatrix(*ClientWithDelays(), {{2, 3, 4, 8}, kTypes, 100});
}

TEST_CASE("Devices do not starve each other, however few threads there are") {
  for (int threads : {0, 1, 2}) {
    CpuOptions options;
    options.threads = threads;
    options.inline_execution = threads == 0;
    const auto client = ClientOfEight(options);
    RunMatrix(*client, {{8}, {ElementType::S32}});
  }
}

}  // namespace
}  // namespace sinter::testing
