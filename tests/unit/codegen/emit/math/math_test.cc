// What math.h promises, on the interpreter; that machine code agrees with it to the bit is tested
// on fewer arguments. The wide sweeps are in tests/accuracy.
#include "codegen/emit/math/math.h"

#include <xmmintrin.h>

#include "unit/codegen/emit/math/sweep.h"

namespace sinter::emit::testing {
namespace {

template <class T>
void Fast(const Function& f) {
  const Tile tile;
  Worst worst = Sweep<T>(f, Interpreter(f, kElem<T>, tile),
                         f.unary != nullptr ? FastUnary<T>() : FastBinary<T>(f), tile);
  INFO(worst.Text(f));
  CHECK(worst.error <= f.bound);
}

TEST_CASE("Elementary functions of F32 keep their bounds") {
  for (const Function& f : Functions()) Fast<float>(f);
}
TEST_CASE("Elementary functions of F64 keep their bounds") {
  for (const Function& f : Functions()) Fast<double>(f);
}

// Two NaNs are equal whatever their bits.
template <class T>
void Agree(const Function& f, Tile tile, const Arguments<T>& a,
           const std::vector<cpu::Target>& targets) {
  const auto count = static_cast<int64_t>(a.x.size());
  std::vector<T> expected(a.x.size()), got(a.x.size());
  Interpreter(f, kElem<T>, tile)(a.x.data(), a.y.data(), expected.data(), count);
  for (const cpu::Target& target : targets) {
    Machine(f, kElem<T>, tile, target)(a.x.data(), a.y.data(), got.data(), count);
    for (size_t i = 0; i < got.size(); ++i) {
      if (ToBits(got[i]) == ToBits(expected[i]) || (std::isnan(got[i]) && std::isnan(expected[i])))
        continue;
      FAIL(
          f.name << " " << tile.rows << "x" << tile.cols << " " << target.cpu << ": "
                 << Format("{:a}, {:a}: {:a}, expected {:a}", a.x[i], a.y[i], got[i], expected[i]));
    }
  }
}

template <class T>
void Levels() {
  std::vector<cpu::Target> targets;
  for (const std::string& level : cpu::Target::RunnableLevels())
    targets.push_back(cpu::Target::Level(level).value());
  for (const Function& f : Functions()) {
    Arguments<T> all = f.unary != nullptr ? FastUnary<T>() : FastBinary<T>(f), some;
    for (size_t i = 0; i < all.x.size(); i += i < 200 ? 1 : 61) some.Add(all.x[i], all.y[i]);
    while (some.x.size() % 64 != 0) some.Add(1, 1);
    Agree<T>(f, {1, 16}, some, targets);
  }
}
TEST_CASE("Elementary functions are the same on all levels of instruction sets, F32") {
  Levels<float>();
}
TEST_CASE("Elementary functions are the same on all levels of instruction sets, F64") {
  Levels<double>();
}

// Where the processor counts denormal operands and results as zeros, as CompileOptions may ask: the
// function of an operand that is denormal is that of a zero or its own, a result that would be
// denormal is too small to be normal, and all others keep their bounds.
template <class T>
void Flushed(const Function& f) {
  using L = std::numeric_limits<T>;
  const Tile tile;
  Arguments<T> a = f.unary != nullptr ? FastUnary<T>() : FastBinary<T>(f);
  while (a.x.size() % 64 != 0) a.Add(1, 1);
  std::vector<T> got(a.x.size());
  const Runner run = Machine(f, kElem<T>, tile, cpu::Target::Host().value());
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  run(a.x.data(), a.y.data(), got.data(), static_cast<int64_t>(got.size()));
  _mm_setcsr(mode);
  auto zero_of = [](T v) { return std::fabs(v) < L::min() ? std::copysign(T(0), v) : v; };
  Worst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (T x : {a.x[i], zero_of(a.x[i])}) {
      for (T y : {a.y[i], zero_of(a.y[i])}) {
        const long double exact = f.exact(x, y);
        const bool tiny = std::fabs(exact) < L::min() && std::fabs(got[i]) < L::min() &&
                          std::signbit(exact) == std::signbit(got[i]);
        const bool flushed = got[i] == 0 && std::fabs(exact) <= 2 * L::min();
        least = std::min(least, tiny || flushed ? 0 : UlpError(got[i], exact));
      }
    }
    worst.Note(least, a.x[i], a.y[i], got[i]);
  }
  INFO(worst.Text(f));
  CHECK(worst.error <= f.bound);
}
TEST_CASE("Functions keep their bounds where denormals are flushed") {
  for (const Function& f : Functions()) {
    Flushed<float>(f);
    Flushed<double>(f);
  }
}

TEST_CASE("Tiles of any shape reduce huge angles") {
  const std::vector<cpu::Target> host = {cpu::Target::Host().value()};
  std::mt19937_64 random(3);
  for (const Function& f : Functions()) {
    if (std::string(f.name) != "Sin" && std::string(f.name) != "Tan") continue;
    Arguments<float> single;
    Arguments<double> wide;
    for (int i = 0; i < 3 * 64; ++i) {
      // Tiles without, with a few and with many huge elements.
      const bool huge = i >= 64 && (i >= 128 || i % 13 == 0);
      const int exponent =
          huge ? static_cast<int>(random() % 90) + 31 : static_cast<int>(random() % 10);
      const double x = std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, exponent - 52);
      single.Add(static_cast<float>(x));
      wide.Add(huge ? std::ldexp(x, static_cast<int>(random() % 800)) : x);
    }
    for (Tile tile : {Tile{1, 1}, {1, 4}, {1, 8}, {1, 64}, {4, 16}, {64, 1}, {16, 2}}) {
      Agree<float>(f, tile, single, host);
      Agree<double>(f, tile, wide, host);
    }
  }
}

TEST_CASE("Angles closest to multiples of a quarter turn") {
  Function sin, cos, tan;
  for (const Function& f : Functions()) {
    if (std::string(f.name) == "Sin") sin = f;
    if (std::string(f.name) == "Cos") cos = f;
    if (std::string(f.name) == "Tan") tan = f;
  }
  // J.-M. Muller, Elementary Functions, on worst cases of range reduction: 6381956970095103 * 2^797
  // and 16367173 * 2^72.
  const double wide = std::ldexp(6381956970095103.0, 797);
  const float single = std::ldexp(16367173.0f, 72);
  for (const Function& f : {sin, cos, tan}) {
    Arguments<double> a;
    Arguments<float> b;
    for (int k = 1; k <= 100; ++k) {
      a.Add(k * M_PI_2);
      b.Add(static_cast<float>(k * M_PI_2));
    }
    for (int k = -4; k <= 3; ++k) {
      a.Add(std::ldexp(wide, k));
      a.Add(-std::ldexp(wide, k));
      b.Add(std::ldexp(single, k));
      b.Add(-std::ldexp(single, k));
    }
    Worst worst = Sweep<double>(f, Interpreter(f, ElementType::F64, {1, 1}), a, {1, 1});
    INFO(worst.Text(f));
    CHECK(worst.error <= f.bound);
    worst = Sweep<float>(f, Interpreter(f, ElementType::F32, {1, 1}), b, {1, 1});
    INFO(worst.Text(f));
    CHECK(worst.error <= f.bound);
  }
}

TEST_CASE("Functions do not leave their range") {
  Arguments<float> a;
  for (uint32_t top = 0; top < 65536; ++top) a.Add(FromBits<float>(top << 16 | top));
  for (const Function& f : Functions()) {
    const std::string name = f.name;
    if (name != "Sin" && name != "Cos" && name != "Tanh" && name != "Erf" && name != "Logistic")
      continue;
    std::vector<float> out(a.x.size());
    Interpreter(f, ElementType::F32, {1, 64})(a.x.data(), a.y.data(), out.data(),
                                              static_cast<int64_t>(out.size()));
    for (size_t i = 0; i < out.size(); ++i) {
      if (std::fabs(out[i]) > 1) FAIL(name << Format("({:a}) = {:a}", a.x[i], out[i]));
    }
  }
}

}  // namespace
}  // namespace sinter::emit::testing
