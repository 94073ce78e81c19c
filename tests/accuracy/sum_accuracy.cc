// The errors of sums, which must not grow with the number of terms as those of one accumulator do:
// F32 and C64 against the interpreter's F64 and C128, on every instruction set of this CPU and in
// kernels planned for a GPU. Terms are positive: so errors are relative to their sum.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <random>

#include "api/client_core.h"
#include "base/text.h"
#include "codegen/cpu/target.h"
#include "eval/eval.h"
#include "gpu_kernels/gpu_program.h"
#include "ir/text/parser.h"
#include "sinter/client.h"

namespace sinter {
namespace {

struct Sum {
  std::string name;
  std::string body;    // of the entry; T stands for the type
  double allowed = 8;  // where roundings even out, in units of half a place
};

std::vector<Sum> Sums() {
  std::vector<Sum> all;
  auto reduce = [&](const std::string& from, const std::string& to, const std::string& dims) {
    all.push_back({"sum of " + from,
                   Format("  x = T[{}] parameter(0)\n  z = T[] constant(0)\n"
                          "  ROOT r = T[{}] reduce(x, z), dimensions={{{}}}, to_apply=add\n",
                          from, to, dims)});
  };
  reduce("100000", "", "0");
  reduce("1000003", "", "0");
  reduce("5,50000", "5", "1");
  reduce("40000,20", "20", "0");
  reduce("20000,3", "3", "0");
  reduce("60,20,70", "20", "0,2");
  auto dot = [&](const std::string& l, const std::string& r, const std::string& to, int lc, int rc,
                 double allowed = 8) {
    all.push_back({Format("product of {} and {}", l, r),
                   Format("  x = T[{}] parameter(0)\n  y = T[{}] parameter(1)\n"
                          "  ROOT r = T[{}] dot(x, y), lhs_contracting_dims={{{}}}, "
                          "rhs_contracting_dims={{{}}}\n",
                          l, r, to, lc, rc),
                   allowed});
  };
  dot("50000", "50000", "", 0, 0);
  dot("3,50000", "50000", "3", 1, 0);
  dot("50000", "50000,40", "40", 0, 0);
  dot("3,50000", "50000,5", "3,5", 1, 0);
  dot("3,50000", "5,50000", "3,5", 1, 1);
  dot("8,5000", "5000,40", "8,40", 1, 0);
  dot("16,20000", "20000,32", "16,32", 1, 0, 16);  // packed, in slices of 512
  all.push_back({"convolution",
                 "  x = T[1,5,5,512] parameter(0)\n  y = T[3,3,512,8] parameter(1)\n"
                 "  ROOT r = T[1,3,3,8] convolution(x, y), window={size=3x3}, "
                 "dim_labels=b01f_01io->b01f\n"});
  all.push_back({"variance",
                 "  x = T[3,30000] parameter(0)\n  z = T[] constant(0)\n"
                 "  n = T[] constant(30000)\n  m = T[3] broadcast(n), dimensions={}\n"
                 "  s = T[3] reduce(x, z), dimensions={1}, to_apply=add\n"
                 "  e = T[3] divide(s, m)\n  b = T[3,30000] broadcast(e), dimensions={0}\n"
                 "  d = T[3,30000] subtract(x, b)\n  q = T[3,30000] multiply(d, d)\n"
                 "  v = T[3] reduce(q, z), dimensions={1}, to_apply=add\n"
                 "  ROOT r = T[3] divide(v, m)\n"});
  auto running = [&](const std::string& shape, const std::string& window) {
    all.push_back({"running sum of " + shape,
                   Format("  x = T[{0}] parameter(0)\n  z = T[] constant(0)\n"
                          "  ROOT r = T[{0}] reduce-window(x, z), window={{{1}}}, to_apply=add\n",
                          shape, window)});
  };
  running("100000", "size=100000 pad=99999_0");
  running("100000", "size=100000 pad=0_99999");
  running("20000,5", "size=20000x1 pad=19999_0x0_0");
  running("3,20001", "size=1x20001 pad=0_0x20000_0");
  all.push_back({"windows",
                 "  x = T[6000] parameter(0)\n  z = T[] constant(0)\n"
                 "  ROOT r = T[3] reduce-window(x, z), window={size=5000 stride=500}, "
                 "to_apply=add\n"});
  return all;
}

std::unique_ptr<HloModule> ModuleOf(const Sum& sum, const std::string& type) {
  std::string text =
      "HloModule m\nadd {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n"
      "  ROOT r = T[] add(a, b)\n}\nENTRY main {\n" +
      sum.body + "}\n";
  for (size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, type);
  auto module = ParseHloText(text, "sum");
  INFO(text);
  REQUIRE(MessageOf(module.status()) == MessageOf(absl::OkStatus()));
  return *std::move(module);
}

// Numbers of F32 from [0, 1), or all of them 1/3: the errors of adding up equal terms do not even
// out.
enum class Terms { kRandom, kEqual };

std::vector<double> TermsOf(int64_t n, Terms terms, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> v;
  for (int64_t i = 0; i < n; ++i) {
    v.push_back(terms == Terms::kEqual ? double{1.0F / 3}
                                       : static_cast<double>(random() >> 40) * 0x1p-24);
  }
  return v;
}

template <class T>
Literal LiteralOf(const std::vector<int64_t>& dims, const std::vector<double>& v) {
  Literal x(Shape(kElementTypeOf<T>, dims));
  for (size_t i = 0; i < v.size(); ++i) x.data<T>()[i] = static_cast<T>(v[i]);
  return x;
}

// The largest error, relative to the result, in units of half a place of F32.
template <class T, class Wide>
double ErrorOf(const Literal& is, const Literal& should) {
  double worst = 0;
  for (size_t i = 0; i < is.data<T>().size(); ++i) {
    const Wide wide = should.data<Wide>()[i];
    worst = std::max(worst,
                     std::abs(static_cast<Wide>(is.data<T>()[i]) - wide) / std::abs(wide) * 0x1p24);
  }
  return worst;
}

// Runs everywhere and returns the worst error.
template <class T, class Wide>
void Check(const Sum& sum, Terms terms, double allowed) {
  auto module = ModuleOf(sum, std::string(Name(kElementTypeOf<T>)));
  auto wide = ModuleOf(sum, std::string(Name(kElementTypeOf<Wide>)));
  std::vector<Literal> arguments, wide_arguments;
  for (const HloInstruction* p : module->entry()->parameters()) {
    const std::vector<double> v = TermsOf(p->shape().element_count(), terms, arguments.size() + 1);
    arguments.push_back(LiteralOf<T>(p->shape().dimensions(), v));
    wide_arguments.push_back(LiteralOf<Wide>(p->shape().dimensions(), v));
  }
  auto expected = Evaluate(*wide, wide_arguments);
  REQUIRE(expected.ok());
  auto check = [&](const std::string& device, const absl::StatusOr<Literal>& result) {
    INFO(sum.name << ", " << Name(kElementTypeOf<T>) << " on " << device);
    REQUIRE(MessageOf(result.status()) == MessageOf(absl::OkStatus()));
    const double error = ErrorOf<T, Wide>(*result, *expected);
    INFO("error " << error << ", allowed " << allowed);
    CHECK(error <= allowed);
  };
  auto client = Client::Cpu();
  REQUIRE(client.ok());
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    CompileOptions options;
    options.isa = isa;
    auto executable = (*client)->core()->CompileModule(*module, options);
    REQUIRE(executable.ok());
    check(isa, executable->Evaluate(arguments));
  }
  auto gpu = testing::GpuProgram::Make(module->Clone());
  REQUIRE(MessageOf(gpu.status()) == MessageOf(absl::OkStatus()));
  auto leaves = (*gpu)->Run(arguments);
  REQUIRE(leaves.ok());
  check("GPU", std::move((*leaves)[0]));
}

TEST_CASE("Sums of random numbers are as good as short ones") {
  for (const Sum& sum : Sums()) Check<float, double>(sum, Terms::kRandom, sum.allowed);
}

TEST_CASE("Sums of equal numbers keep the bound") {
  // Terms are rounded 128 times in each of three accumulators at most.
  for (const Sum& sum : Sums()) {
    if (sum.name == "variance") continue;  // it is 0
    Check<float, double>(sum, Terms::kEqual, 400);
  }
}

TEST_CASE("Sums of complex numbers") {
  for (const Sum& sum : Sums()) {
    if (sum.name == "variance") continue;
    Check<std::complex<float>, std::complex<double>>(sum, Terms::kRandom, sum.allowed);
  }
}

TEST_CASE("Running sums of numbers that are not negative do not decrease") {
  const Sum sum{"running",
                "  x = T[50000] parameter(0)\n  z = T[] constant(0)\n"
                "  ROOT r = T[50000] reduce-window(x, z), window={size=50000 pad=49999_0}, "
                "to_apply=add\n"};
  std::vector<double> terms = TermsOf(50000, Terms::kRandom, 3);
  for (size_t i = 0; i < terms.size(); i += 3) terms[i] *= 0x1p-20;
  auto module = ModuleOf(sum, "f32");
  auto client = Client::Cpu();
  REQUIRE(client.ok());
  auto executable = (*client)->core()->CompileModule(*module, {});
  REQUIRE(executable.ok());
  auto result = executable->Evaluate({LiteralOf<float>({50000}, terms)});
  REQUIRE(result.ok());
  const absl::Span<const float> r = result->data<float>();
  CHECK(std::is_sorted(r.begin(), r.end()));
}

}  // namespace
}  // namespace sinter
