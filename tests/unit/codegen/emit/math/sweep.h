// Elementary functions over many arguments: the functions with what is promised of them, kernels
// that apply one, the arguments to try, and the error of a result.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "codegen/cpu/compiler.h"
#include "codegen/emit/math/math.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/verify.h"
#include "jit/loader.h"
#include "sinter/float_types.h"

namespace sinter::emit::testing {

using kernel::Expr;

struct Function {
  const char* name;
  double bound;  // largest error, in units in the last place
  Expr (*unary)(Expr) = nullptr;
  Expr (*binary)(Expr, Expr) = nullptr;
  long double (*exact)(long double,
                       long double) = nullptr;  // of the C library, much closer than the bound
  double (*quick)(double, double) = nullptr;    // the same, close enough for F32
};

template <class T>
T ExactLogistic(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

// The long double function of some C libraries is wrong for odd powers of infinity.
inline long double ExactPow(long double x, long double y) {
  if (x == 0 || !std::isfinite(x) || !std::isfinite(y))
    return std::pow(static_cast<double>(x), static_cast<double>(y));
  return std::pow(x, y);
}
inline double ExactPow(double x, double y) { return std::pow(x, y); }

#define SINTER_TEST_UNARY(Name, bound, expression)                                               \
  {                                                                                              \
#Name, bound, Name, nullptr,                                                                 \
        [](long double x, long double) { return expression; }, [](double x,                      \
                                                                  double) { return expression; } \
  }
#define SINTER_TEST_BINARY(Name, bound, function)                                             \
  {                                                                                           \
#Name, bound, nullptr, Name,                                                              \
        [](long double x,                                                                     \
           long double y) { return function(x, y); }, [](double x,                            \
                                                         double y) { return function(x, y); } \
  }
inline const std::vector<Function>& Functions() {
  static const auto* all = new std::vector<Function>{
      SINTER_TEST_UNARY(Exp, 2, std::exp(x)),
      SINTER_TEST_UNARY(Expm1, 2, std::expm1(x)),
      SINTER_TEST_UNARY(Logistic, 2, ExactLogistic(x)),
      SINTER_TEST_UNARY(Log, 1, std::log(x)),
      SINTER_TEST_UNARY(Log1p, 1, std::log1p(x)),
      SINTER_TEST_UNARY(Sin, 2, std::sin(x)),
      SINTER_TEST_UNARY(Cos, 2, std::cos(x)),
      SINTER_TEST_UNARY(Tan, 2.5, std::tan(x)),
      SINTER_TEST_UNARY(Tanh, 2, std::tanh(x)),
      SINTER_TEST_UNARY(Sinh, 3, std::sinh(x)),
      SINTER_TEST_UNARY(Cosh, 3, std::cosh(x)),
      SINTER_TEST_UNARY(Asinh, 3, std::asinh(x)),
      SINTER_TEST_UNARY(Acosh, 3, std::acosh(x)),
      SINTER_TEST_UNARY(Atanh, 3, std::atanh(x)),
      SINTER_TEST_UNARY(Atan, 3, std::atan(x)),
      SINTER_TEST_UNARY(Asin, 3, std::asin(x)),
      SINTER_TEST_UNARY(Acos, 3, std::acos(x)),
      SINTER_TEST_UNARY(Erf, 2, std::erf(x)),
      SINTER_TEST_UNARY(Cbrt, 2, std::cbrt(x)),
      SINTER_TEST_UNARY(Rsqrt, 1, 1 / std::sqrt(x)),
      SINTER_TEST_BINARY(Pow, 3, ExactPow),
      SINTER_TEST_BINARY(Atan2, 3, std::atan2),
  };
  return *all;
}

// out[i] = f(x[i], y[i]) in tiles; the number of elements is a multiple of the tile's.
inline kernel::Kernel Apply(const Function& f, ElementType elem, int rows, int cols) {
  kernel::Builder b(f.name);
  const kernel::Value blocks = b.AddParam("blocks", 0, int64_t{1} << 40);
  const kernel::Value shape[] = {blocks, b.Int(rows), b.Int(cols)};
  const int x = b.AddBuffer("x", elem, absl::MakeConstSpan(shape));
  const int y = b.AddBuffer("y", elem, absl::MakeConstSpan(shape));
  const int out = b.AddBuffer("out", elem, absl::MakeConstSpan(shape));
  b.For(kernel::LoopKind::kPar, b.Int(0), blocks, 1, kernel::Tail::kExact, {},
        [&](kernel::Value i, const kernel::Values&) {
          const kernel::Index at[] = {{i, 0, 0}, {b.Int(0), 1, 0}, {b.Int(0), 0, 1}};
          const kernel::Type tile{elem, rows, cols};
          Expr u{&b, b.Load(x, at, tile)}, v{&b, b.Load(y, at, tile)};
          b.Store(f.unary != nullptr ? f.unary(u) : f.binary(u, v), out, at);
          return kernel::Values{};
        });
  return b.Take();
}

// Runs a kernel of Apply on `count` elements. Fails the test rather than return an error.
using Runner = std::function<void(const void* x, const void* y, void* out, int64_t count)>;
struct Tile {
  int rows = 1, cols = 64;
};

inline kernel::Kernel Checked(const Function& f, ElementType elem, Tile tile) {
  kernel::Kernel kernel = Apply(f, elem, tile.rows, tile.cols);
  absl::Status status = kernel::Verify(kernel);
  if (!status.ok()) FAIL(f.name << ": " << status.ToString());
  return kernel;
}

inline Runner Interpreter(const Function& f, ElementType elem, Tile tile) {
  return [kernel = Checked(f, elem, tile), tile](const void* x, const void* y, void* out,
                                                 int64_t count) {
    void* const buffers[] = {const_cast<void*>(x), const_cast<void*>(y), out};
    const int64_t params[] = {count / (tile.rows * tile.cols)};
    absl::Status status = kernel::Interpret(kernel, buffers, params);
    if (!status.ok()) FAIL(status.ToString());
  };
}

inline program::Loader& Loader() {
  static program::Loader* loader = jit::CreateLoader().value().release();
  return *loader;
}

// Machine code for a target.
inline Runner Machine(const Function& f, ElementType elem, Tile tile, const cpu::Target& target) {
  kernel::Kernel kernel = Checked(f, elem, tile);
  auto compiler = cpu::Compiler::Create(target);
  REQUIRE(compiler.ok());
  auto compiled = (*compiler)->Compile({&kernel}, "sweep");
  if (!compiled.ok()) FAIL(f.name << ": " << compiled.status().ToString());
  auto code = Loader().Load(compiled->code);
  if (!code.ok()) FAIL(f.name << ": " << code.status().ToString());
  std::shared_ptr<program::LoadedCode> loaded = std::move(code).value();
  const cpu::KernelInfo info = compiled->kernels[0];
  return [loaded, info, tile](const void* x, const void* y, void* out, int64_t count) {
    std::vector<uint8_t> scratch(static_cast<size_t>(info.task_bytes) + 64);
    void* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    void* buffers[] = {const_cast<void*>(x), const_cast<void*>(y), out};
    const int64_t params[] = {count / (tile.rows * tile.cols)};
    loaded->functions()[static_cast<size_t>(info.stages[0].function)](buffers, params, 0, params[0],
                                                                      aligned);
  };
}

// --- arguments

template <class T>
constexpr ElementType kElem = sizeof(T) == 4 ? ElementType::F32 : ElementType::F64;
template <class T>
using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <class T>
T FromBits(Word<T> bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
template <class T>
Word<T> ToBits(T x) {
  Word<T> bits;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

// Zeros, infinities, NaN, the ends of the normal and denormal numbers, small integers, where
// functions overflow.
template <class T>
std::vector<T> SpecialValues() {
  using L = std::numeric_limits<T>;
  std::vector<T> positive = {0,
                             L::infinity(),
                             L::quiet_NaN(),
                             L::denorm_min(),
                             3 * L::denorm_min(),
                             L::min(),
                             L::max(),
                             L::min() - L::denorm_min(),
                             L::epsilon(),
                             L::epsilon() / 4,
                             1 + L::epsilon(),
                             1 - L::epsilon() / 2,
                             T(0.25),
                             T(0.5),
                             T(0.75),
                             T(1.5),
                             T(1) / 3,
                             T(M_PI_2),
                             T(M_PI),
                             T(M_PI_4),
                             T(88.72284),
                             T(103.97208),
                             T(709.782712893384),
                             T(745.1332191019411),
                             T(1e-3),
                             T(1e3),
                             T(1e10),
                             T(1e30)};
  for (int i = 1; i <= 9; ++i) positive.push_back(T(i));
  for (int bits : {8, 23, 24, 25, 31, 32, 52, 53, 54, 63, 64}) {
    const T p = std::ldexp(T(1), bits);
    positive.insert(positive.end(), {p - 1, p, p + 1, 1 / p});
  }
  std::vector<T> all;
  for (T x : positive) all.insert(all.end(), {x, -x});
  return all;
}

template <class T>
struct Arguments {
  std::vector<T> x, y;
  void Add(T a, T b = 0) {
    x.push_back(a);
    y.push_back(b);
  }
};

// All special values and a value of every sign, exponent and few digits, 2^16 in all; all values of
// F16 and BF16.
template <class T>
Arguments<T> FastUnary() {
  Arguments<T> a;
  std::mt19937_64 random(1);
  for (T x : SpecialValues<T>()) a.Add(x);
  constexpr int kLow = 8 * sizeof(T) - 16;
  for (uint64_t top = 0; top < 65536; ++top) {
    a.Add(FromBits<T>(static_cast<Word<T>>(top << kLow | random() >> (64 - kLow))));
    if (sizeof(T) == 8 && top % 4 != 0) continue;
    a.Add(half::ToFloat(static_cast<uint16_t>(top)));
    a.Add(bfloat16::ToFloat(static_cast<uint16_t>(top)));
  }
  std::uniform_real_distribution<double> near(-3, 3), far(-110, 110), overflow(-760, 760);
  for (int i = 0; i < 8192; ++i) {
    a.Add(T(near(random)));
    a.Add(T(far(random)));
    a.Add(T(sizeof(T) == 8 ? overflow(random) : near(random) * 1e-3));
  }
  return a;
}

// A random value, by its bits or by its logarithm.
template <class T>
T AnyValue(std::mt19937_64& random) {
  return FromBits<T>(static_cast<Word<T>>(random()));
}

// A random pair that is of interest to a function of two operands: powers that do not overflow,
// quotients near 1.
template <class T>
void AddPair(const Function& f, std::mt19937_64& random, Arguments<T>& a) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const int kind = static_cast<int>(random() % 8);
  T x = AnyValue<T>(random), y = AnyValue<T>(random);
  if (std::string(f.name) == "Pow") {
    if (kind < 4)
      x = T(1 +
            std::ldexp(unit(random), -static_cast<int>(random() % std::numeric_limits<T>::digits)));
    if (kind == 4) x = T(unit(random) * 100);
    if (kind < 7)
      y = T(unit(random) * 1.1 * std::numeric_limits<T>::max_exponent /
            std::log2(std::fabs(double(x))));
    if (kind == 6) y = std::round(y);
    if (kind == 7) y = T(static_cast<int>(random() % 64) - 32);
  } else if (kind < 6) {
    y = T(x * std::ldexp(unit(random), static_cast<int>(random() % 40) - 20));
  }
  a.Add(x, y);
}
template <class T>
Arguments<T> FastBinary(const Function& f) {
  Arguments<T> a;
  std::mt19937_64 random(2);
  for (T x : SpecialValues<T>())
    for (T y : SpecialValues<T>()) a.Add(x, y);
  for (int i = 0; i < 65536; ++i) AddPair(f, random, a);
  return a;
}

// --- errors

// The distance of a result from an exact value (in higher precision), in units in the last place of
// the exact value rounded to T. Infinite where a NaN, a zero's sign or an infinity is wrong.
template <class T, class Exact>
double UlpError(T result, Exact exact) {
  using L = std::numeric_limits<T>;
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact)) return std::isnan(result) ? 0 : kWrong;
  if (std::isnan(result)) return kWrong;
  if (std::isinf(exact)) return result == static_cast<T>(exact) ? 0 : kWrong;
  if (std::signbit(exact) != std::signbit(result)) return kWrong;
  if (exact == 0) return result == 0 ? 0 : kWrong;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int last = std::max(exponent, L::min_exponent) - L::digits;
  // Infinity stands for the first number that is too large; what rounds to it may be far beyond.
  const Exact limit = std::ldexp(Exact(1), L::max_exponent);
  if (std::isinf(result) && std::fabs(exact) >= limit) return 0;
  const Exact value = std::isinf(result) ? std::copysign(limit, exact) : Exact(result);
  return static_cast<double>(std::fabs(std::ldexp(value - exact, -last)));
}

struct Worst {
  double error = -1;
  double x = 0, y = 0, result = 0;
  void Note(double e, double at_x, double at_y, double got) {
    if (e > error) *this = {e, at_x, at_y, got};
  }
  std::string Text(const Function& f) const {
    return Format("{}({:a}, {:a}) = {:a}: {} ulp", f.name, x, y, result, error);
  }
};

// The largest error over arguments, against the C library.
template <class T>
Worst Sweep(const Function& f, const Runner& run, Arguments<T> a, Tile tile) {
  const size_t count = a.x.size(), step = static_cast<size_t>(tile.rows * tile.cols);
  while (a.x.size() % step != 0) a.Add(0);
  std::vector<T> out(a.x.size());
  run(a.x.data(), a.y.data(), out.data(), static_cast<int64_t>(out.size()));
  Worst worst;
  for (size_t i = 0; i < count; ++i) {
    const double error = sizeof(T) == 4 ? UlpError(out[i], f.quick(a.x[i], a.y[i]))
                                        : UlpError(out[i], f.exact(a.x[i], a.y[i]));
    worst.Note(error, a.x[i], a.y[i], out[i]);
  }
  return worst;
}

}  // namespace sinter::emit::testing
