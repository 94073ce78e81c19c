// Time grows with sizes as the operations' algorithms say, n or n log n, in programs and in their
// texts: 32 times the elements, less than 256 times the processor time. A quadratic algorithm takes
// 1024 times as long, and caches that grow too small are worth far less than 8, so that no
// machine's speed or load decides.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

constexpr int64_t kSmall = 1 << 13, kFactor = 32;
constexpr double kMostGrowth = 256;

// Processor time of the calling thread in seconds, the least of a few calls.
double Seconds(const std::function<void()>& body) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    timespec start{}, end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    body();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    least = std::min(least, static_cast<double>(end.tv_sec - start.tv_sec) +
                                1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec));
  }
  return least;
}

// Elements that are neither sorted nor equal, indices within `limit`.
Literal Varied(const Shape& shape, int64_t limit) {
  Literal x(shape);
  uint64_t state = 1;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto v = static_cast<int64_t>(state >> 33) % limit;
    if (shape.element_type() == ElementType::S32)
      x.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(v);
    else
      x.data<float>()[static_cast<size_t>(i)] = static_cast<float>(v);
  }
  return x;
}

double TimeToRun(const std::string& text, int64_t n) {
  // One thread that is ours: its processor time is all there is.
  static const std::shared_ptr<Client> client = *Client::Cpu({.threads = 1});
  auto program = Load(text, "growth");
  REQUIRE(program.ok());
  auto executable = client->Compile(*program);
  INFO(executable.status().ToString());
  REQUIRE(executable.ok());
  std::vector<Buffer> buffers;
  for (const Shape& s : executable->flat_parameter_shapes())
    buffers.push_back(*client->BufferFromLiteral(Varied(s, n)));
  return Seconds([&] {
    auto results = executable->Execute(buffers);
    REQUIRE(results.ok());
  });
}

struct Growing {
  const char* name;
  const char* text;  // {0}: n, {1}: n - 1
};

const Growing kPrograms[] = {
    {"scatter to any place, also to one twice",
     "HloModule m\nadd {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "add(a, b)\n}}\nENTRY e {{\n x = f32[{0}] parameter(0)\n i = s32[{0},1] parameter(1)\n u = "
     "f32[{0}] parameter(2)\n ROOT s = f32[{0}] scatter(x, i, u), update_window_dims={{}}, "
     "inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, "
     "to_apply=add\n}}\n"},
    {"gather",
     "HloModule m\nENTRY e {{\n x = f32[{0}] parameter(0)\n i = s32[{0},1] parameter(1)\n ROOT g = "
     "f32[{0}] gather(x, i), offset_dims={{}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
     "index_vector_dim=1, slice_sizes={{1}}\n}}\n"},
    {"sort by a key",
     "HloModule m\nless {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] "
     "parameter(2)\n d = s32[] parameter(3)\n ROOT r = pred[] compare(a, b), direction=LT\n}}\n"
     "ENTRY e {{\n x = f32[{0}] parameter(0)\n i = s32[{0}] parameter(1)\n ROOT s = (f32[{0}], "
     "s32[{0}]) sort(x, i), dimensions={{0}}, is_stable=true, to_apply=less\n}}\n"},
    {"sort by any comparator",
     "HloModule m\nless {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n s = f32[] sine(a)\n "
     "t = f32[] sine(b)\n ROOT r = pred[] compare(s, t), direction=LT\n}}\nENTRY e {{\n x = "
     "f32[{0}] parameter(0)\n ROOT s = f32[{0}] sort(x), dimensions={{0}}, to_apply=less\n}}\n"},
    {"top-k of a row",
     "HloModule m\nENTRY e {{\n x = f32[{0}] parameter(0)\n ROOT t = (f32[16], s32[16]) topk(x), "
     "k=16, largest=true\n}}\n"},
    {"cumulative sum",
     "HloModule m\nadd {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "add(a, b)\n}}\nENTRY e {{\n x = f32[{0}] parameter(0)\n z = f32[] constant(0)\n ROOT w = "
     "f32[{0}] reduce-window(x, z), window={{size={0} pad={1}_0}}, to_apply=add\n}}\n"},
    {"cumulative maximum from the end, of rows",
     "HloModule m\nmax {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "maximum(a, b)\n}}\nENTRY e {{\n x = f32[4,{0}] parameter(0)\n z = f32[] constant(-inf)\n "
     "ROOT w = f32[4,{0}] reduce-window(x, z), window={{size=1x{0} pad=0_0x0_{1}}}, "
     "to_apply=max\n}}\n"},
    {"scan",
     "HloModule m\nstep {{\n x = f32[] parameter(0)\n c = f32[] parameter(1)\n s = f32[] sine(c)\n "
     "t = f32[] add(s, x)\n ROOT r = (f32[], f32[]) tuple(t, t)\n}}\nENTRY e {{\n x = f32[{0}] "
     "parameter(0)\n z = f32[] constant(0)\n ROOT s = (f32[{0}], f32[]) scan(x, z), "
     "dimensions={{0}}, num_carries=1, to_apply=step\n}}\n"},
    {"select and scatter",
     "HloModule m\nge {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=GE\n}}\nadd {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n "
     "ROOT r = f32[] add(a, b)\n}}\nENTRY e {{\n x = f32[{0},2] parameter(0)\n u = f32[{0},1] "
     "parameter(1)\n z = f32[] constant(0)\n ROOT s = f32[{0},2] select-and-scatter(x, u, z), "
     "window={{size=1x2 stride=1x2}}, select=ge, scatter=add\n}}\n"},
    {"Fourier transform",
     "HloModule m\nENTRY e {{\n x = f32[{0}] parameter(0)\n c = f32[] constant(0)\n z = f32[{0}] "
     "broadcast(c), "
     "dimensions={{}}\n y = c64[{0}] complex(x, z)\n ROOT f = c64[{0}] fft(y), fft_type=FFT, "
     "fft_length={{{0}}}\n}}\n"},
    {"loop that writes an element a turn",
     "HloModule m\ncond {{\n s = (s32[], f32[{0}]) parameter(0)\n i = s32[] get-tuple-element(s), "
     "index=0\n n = s32[] constant({0})\n ROOT c = pred[] compare(i, n), direction=LT\n}}\nbody "
     "{{\n s = (s32[], f32[{0}]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n x = "
     "f32[{0}] get-tuple-element(s), index=1\n e = f32[1] dynamic-slice(x, i), "
     "dynamic_slice_sizes={{1}}\n f = f32[1] sine(e)\n y = f32[{0}] dynamic-update-slice(x, f, "
     "i)\n one = s32[] constant(1)\n j = s32[] add(i, one)\n ROOT t = (s32[], f32[{0}]) tuple(j, "
     "y)\n}}\nENTRY e {{\n x = f32[{0}] parameter(0)\n z = s32[] constant(0)\n s = (s32[], "
     "f32[{0}]) tuple(z, x)\n w = (s32[], f32[{0}]) while(s), condition=cond, body=body\n ROOT r = "
     "f32[{0}] get-tuple-element(w), index=1\n}}\n"},
};

TEST_CASE("32 times the elements take less than 256 times the time") {
  for (const Growing& p : kPrograms) {
    auto text = [&](int64_t n) { return Format(fmt::runtime(p.text), n, n - 1); };
    const int64_t large = kSmall * kFactor;
    const double before = TimeToRun(text(kSmall), kSmall), after = TimeToRun(text(large), large);
    INFO(p.name << ": " << before << " s, then " << after << " s");
    if (std::getenv("SINTER_PRINT_GROWTH")) std::printf("%s: %g\n", p.name, after / before);
    CHECK(after < kMostGrowth * before);
  }
}

TEST_CASE("32 times the text takes less than 256 times the time to read and compile") {
  auto chain = [](int64_t n) {
    std::string text = "HloModule m\nENTRY e {\n v0 = f32[8] parameter(0)\n";
    for (int64_t i = 1; i < n; ++i)
      text += Format(" {}v{} = f32[8] {}(v{})\n", i == n - 1 ? "ROOT " : "", i,
                     i % 2 ? "sine" : "negate", i - 1);
    return text + "}\n";
  };
  const std::string small = chain(50), large = chain(50 * kFactor);
  auto read = [&](const std::string& text) {
    return Seconds([&] { REQUIRE(Load(text, "chain").ok()); });
  };
  CHECK(read(large) < kMostGrowth * read(small));
  auto compile = [&](const std::string& text) {
    auto program = *Load(text, "chain");
    return Seconds([&] {
      auto client = *Client::Cpu({.threads = 1});  // which has not compiled it yet
      REQUIRE(client->Compile(program).ok());
    });
  };
  CHECK(compile(large) < kMostGrowth * compile(small));
  // What could all be computed before the loop, and carried through it.
  auto invariants = [](int64_t n) {
    const std::string state = "(s32[], f32[64,64], f32[64,64])";
    std::string text =
        "HloModule m\ncond {\n s = " + state +
        " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n k = s32[] "
        "constant(5)\n ROOT c = pred[] compare(i, k), direction=LT\n}\nbody {\n s = " +
        state +
        " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n v0 = f32[64,64] "
        "get-tuple-element(s), index=1\n x0 = f32[64,64] get-tuple-element(s), "
        "index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n";
    for (int64_t i = 1; i <= n; ++i)
      text +=
          Format(" v{0} = f32[64,64] sine(v{1})\n x{0} = f32[64,64] add(x{1}, v{0})\n", i, i - 1);
    return text + Format(" ROOT r = {} tuple(j, v0, x{})\n}}\n", state, n) +
           "ENTRY e {\n w = f32[64,64] parameter(0)\n x = f32[64,64] parameter(1)\n z = s32[] "
           "constant(0)\n t = " +
           state + " tuple(z, w, x)\n ROOT l = " + state +
           " while(t), condition=cond, body=body\n}\n";
  };
  CHECK(compile(invariants(64 * kFactor)) < kMostGrowth * compile(invariants(64)));
  // Scalars, and rows, that are collected one by one.
  auto stack = [](int64_t n, int64_t row) {
    std::string text = Format("HloModule m\nENTRY e {{\n p = f32[{},{}] parameter(0)\n", n, row);
    std::string parts;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t from = i * 7 % n;
      text += Format(" s{} = f32[1,{}] slice(p), slice={{[{}:{}], [0:{}]}}\n", i, row, from,
                     from + 1, row);
      parts += Format("{}s{}", i > 0 ? ", " : "", i);
    }
    return text +
           Format(" ROOT r = f32[{},{}] concatenate({}), dimensions={{0}}\n}}\n", n, row, parts);
  };
  for (int64_t row : {1, 30})
    CHECK(compile(stack(30 * kFactor, row)) < kMostGrowth * compile(stack(30, row)));
  // A loop whose state is many arrays, as of training.
  auto state = [](int64_t n) {
    std::string type = "(s32[]", next, elements, inits;
    for (int64_t i = 0; i < n; ++i) type += ", f32[64]";
    type += ")";
    std::string parameters;
    for (int64_t i = 0; i < n; ++i) {
      elements += Format(" g{} = f32[64] get-tuple-element(s), index={}\n", i, i + 1);
      next += Format(" a{0} = f32[64] add(g{0}, g{1})\n", i, (i + 1) % n);
      parameters += Format(" p{0} = f32[64] parameter({0})\n", i);
      inits += Format(", p{}", i);
    }
    std::string results = inits;
    std::replace(results.begin(), results.end(), 'p', 'a');
    return "HloModule m\ncond {\n s = " + type +
           " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n k = s32[] constant(5)\n"
           " ROOT c = pred[] compare(i, k), direction=LT\n}\nbody {\n s = " +
           type + " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n" + elements + next +
           " one = s32[] constant(1)\n j = s32[] add(i, one)\n ROOT r = " + type + " tuple(j" +
           results + ")\n}\nENTRY e {\n" + parameters + " z = s32[] constant(0)\n t = " + type +
           " tuple(z" + inits + ")\n ROOT w = " + type +
           " while(t), condition=cond, body=body\n}\n";
  };
  CHECK(compile(state(30 * kFactor)) < kMostGrowth * compile(state(30)));
  // The sum of many arrays, two by two.
  auto sum = [](int64_t n) {
    std::string text = "HloModule m\nENTRY e {\n";
    for (int64_t i = 0; i < n; ++i) text += Format(" v{0} = f32[32] parameter({0})\n", i);
    for (int64_t i = n; i < 2 * n - 1; ++i)
      text += Format(" {}v{} = f32[32] add(v{}, v{})\n", i == 2 * n - 2 ? "ROOT " : "", i,
                     2 * (i - n), 2 * (i - n) + 1);
    return text + "}\n";
  };
  CHECK(compile(sum(100 * kFactor)) < kMostGrowth * compile(sum(100)));
  // One choice after the other by the same selector.
  auto choices = [](int64_t n) {
    std::string text =
        "HloModule m\nf {\n a = f32[64] parameter(0)\n ROOT b = f32[64] sine(a)\n}\ng {\n a = "
        "f32[64] parameter(0)\n ROOT b = f32[64] cosine(a)\n}\nENTRY e {\n v0 = f32[64] "
        "parameter(0)\n p = pred[] parameter(1)\n";
    for (int64_t i = 1; i <= n; ++i)
      text += Format(
          " {}v{} = f32[64] conditional(p, v{}, v{}), true_computation=f, "
          "false_computation=g\n",
          i == n ? "ROOT " : "", i, i - 1, i - 1);
    return text + "}\n";
  };
  CHECK(compile(choices(200 * kFactor)) < kMostGrowth * compile(choices(200)));
}

}  // namespace
}  // namespace sinter
