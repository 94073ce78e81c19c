// The errors of the interpreter, which judges compiled code, in functions of real numbers: F64
// against MPFR, F32 against the C library's long double. It rounds better results once.
#include "accuracy/reference.h"
#include "eval/eval.h"
#include "ir/text/parser.h"

namespace sinter::emit::testing {
namespace {

std::string NameInHlo(const std::string& function) {
  if (function == "Exp") return "exponential";
  if (function == "Expm1") return "exponential-minus-one";
  if (function == "Log1p") return "log-plus-one";
  if (function == "Sin") return "sine";
  if (function == "Cos") return "cosine";
  if (function == "Pow") return "power";
  std::string name = function;
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

template <class T>
std::vector<T> Evaluated(const Function& f, const Arguments<T>& a) {
  const std::string shape = Format("{}[{}]", Name(kElementTypeOf<T>), a.x.size());
  auto module = ParseHloText(
      Format("HloModule m\nENTRY e {{\n  x = {} parameter(0)\n  y = {} parameter(1)\n"
             "  ROOT r = {} {}({})\n}}\n",
             shape, shape, shape, NameInHlo(f.name), f.unary != nullptr ? "x" : "x, y"),
      "accuracy.hlo");
  if (!module.ok()) FAIL(module.status().ToString());
  auto result = Evaluate(**module, {Literal::R1<T>(absl::MakeConstSpan(a.x)),
                                    Literal::R1<T>(absl::MakeConstSpan(a.y))});
  if (!result.ok()) FAIL(result.status().ToString());
  const absl::Span<const T> data = result->template data<T>();
  return {data.begin(), data.end()};
}

TEST_CASE("The interpreter's F64 against MPFR") {
  for (const Function& f : Functions()) {
    const Arguments<double> a = ArgumentsF64(f, 1 << 15);
    const std::vector<double> out = Evaluated(f, a);
    Reference reference;
    Worst worst;
    for (size_t i = 0; i < out.size(); ++i)
      worst.Note(reference.Error(f, a.x[i], a.y[i], out[i]), a.x[i], a.y[i], out[i]);
    INFO(worst.Text(f));
    CHECK(worst.error <= .51);
  }
}

TEST_CASE("The interpreter's F32 against the C library") {
  for (const Function& f : Functions()) {
    std::mt19937_64 random(6);
    Arguments<float> a;
    for (int i = 0; i < 1 << 17; ++i) {
      if (f.unary == nullptr)
        AddPair(f, random, a);
      else
        a.Add(FromBits<float>(static_cast<uint32_t>(i) << 15 |
                              static_cast<uint32_t>(random() >> 49)));
    }
    const std::vector<float> out = Evaluated(f, a);
    Worst worst;
    for (size_t i = 0; i < out.size(); ++i)
      worst.Note(UlpError(out[i], f.exact(a.x[i], a.y[i])), a.x[i], a.y[i], out[i]);
    INFO(worst.Text(f));
    CHECK(worst.error <= .51);
  }
}

}  // namespace
}  // namespace sinter::emit::testing
