// Calls of LAPACK on batches of small matrices, which become code of our own: compared with the
// interpreter, which calls LAPACK.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/status.h"
#include "base/text.h"
#include "eval/eval.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "unit/api/clients.h"

namespace sinter::small_matrices {
namespace {

constexpr int64_t kBatch = 70;

struct Type {
  char letter;
  ElementType element;
  double tolerance;
};
constexpr Type kTypes[] = {{'s', ElementType::F32, 2e-5},
                           {'d', ElementType::F64, 1e-13},
                           {'c', ElementType::C64, 2e-5},
                           {'z', ElementType::C128, 1e-13}};

// Numbers between -1 and 1 that follow no order; `diagonal` is added where the last two indices are
// equal.
Literal Matrices(ElementType type, int64_t rows, int64_t columns, double diagonal) {
  const Shape real(ElementType::F64, {kBatch, rows, columns});
  auto part = [&](uint32_t seed, double on_diagonal) {
    Literal values(real);
    uint32_t state = seed;
    for (int64_t k = 0; k < real.element_count(); ++k) {
      state = state * 1664525 + 1013904223;
      const double x = static_cast<double>(state >> 8) / (1 << 23) - 1;
      const bool same = k % columns == k / columns % rows;
      values.data<double>()[static_cast<size_t>(k)] = x + (same ? on_diagonal : 0);
    }
    return values;
  };
  if (!IsComplex(type)) return *part(1, diagonal).Convert(type);
  Literal re = part(1, diagonal), im = part(2, 0), out(Shape(ElementType::C128, real.dimensions()));
  for (size_t k = 0; k < static_cast<size_t>(real.element_count()); ++k)
    out.data<std::complex<double>>()[k] = {re.data<double>()[k], im.data<double>()[k]};
  return *out.Convert(type);
}

Literal Run(const Computation& c, const std::vector<Literal>& arguments) {
  return RunOn(**Client::Cpu(), c, arguments);
}

// Integers are equal, and all without a tolerance; others as close as the largest of them lets
// expect.
void RequireClose(Literal x, Literal y, double tolerance) {
  REQUIRE(x.shape() == y.shape());
  if (!x.shape().is_array()) {
    const std::vector<Literal> xs = x.DecomposeTuple(), ys = y.DecomposeTuple();
    for (size_t k = 0; k < xs.size(); ++k) RequireClose(xs[k], ys[k], tolerance);
    return;
  }
  if (tolerance == 0 || IsInteger(x.shape().element_type())) {
    REQUIRE(x == y);
    return;
  }
  const Literal a = *x.Convert(ElementType::C128), b = *y.Convert(ElementType::C128);
  double largest = 0;
  for (std::complex<double> z : b.data<std::complex<double>>())
    largest = std::max(largest, std::abs(z));
  for (int64_t k = 0; k < a.shape().element_count(); ++k) {
    const auto at = static_cast<size_t>(k);
    CAPTURE(k);
    REQUIRE(std::abs(a.data<std::complex<double>>()[at] - b.data<std::complex<double>>()[at]) <=
            tolerance * largest);
  }
}

// The module `text` on both.
void Compare(const std::string& text, const std::vector<Literal>& arguments, double tolerance) {
  auto c = LoadHlo(text);
  CAPTURE(text, MessageOf(c.status()));
  REQUIRE(c.ok());
  auto expected = Evaluate(*c->module(), arguments);
  CAPTURE(MessageOf(expected.status()));
  REQUIRE(expected.ok());
  RequireClose(Run(*c, arguments), *expected, tolerance);
}

TEST_CASE("factors of small matrices, and larger ones") {
  for (const Type& type : kTypes) {
    for (int64_t n : {1, 2, 3, 4, 6, 40}) {
      const std::string a = Shape(type.element, {kBatch, n, n}).ToString();
      Compare(Format("HloModule lu\n\nENTRY main {{\n  a = {0} parameter(0)\n"
                     "  ROOT r = ({0}, s32[{1},{2}], s32[{1}]) custom-call(a), "
                     "custom_call_target=\"lapack_{3}getrf_ffi\", backend_config=\"{{}}\"\n}}\n",
                     a, kBatch, n, type.letter),
              {Matrices(type.element, n, n, 0)}, 100 * type.tolerance);
      for (char triangle : {'L', 'U'}) {
        // Both triangles hold numbers that belong to other matrices: one of them stays.
        const std::string text = Format(
            "HloModule cholesky\n\nENTRY main {{\n  a = {0} parameter(0)\n"
            "  ROOT r = ({0}, s32[{1}]) custom-call(a), "
            "custom_call_target=\"lapack_{2}potrf_ffi\", "
            "backend_config=\"{{uplo = {3} : ui8}}\"\n}}\n",
            a, kBatch, type.letter, static_cast<int>(triangle));
        Compare(text, {Matrices(type.element, n, n, static_cast<double>(2 * n))}, type.tolerance);
      }
    }
  }
}

TEST_CASE("orthogonal factors of small matrices") {
  for (const Type& type : kTypes) {
    const char* product = IsComplex(type.element) ? "ungqr" : "orgqr";
    for (auto [m, n] : {std::pair<int64_t, int64_t>{2, 2}, {3, 3}, {4, 2}, {6, 3}}) {
      const std::string a = Shape(type.element, {kBatch, n, m}).ToString();
      const std::string taus = Shape(type.element, {kBatch, n}).ToString();
      Compare(Format("HloModule qr\n\nENTRY main {{\n  a = {0} parameter(0)\n"
                     "  r = ({0}, {1}) custom-call(a), custom_call_target=\"lapack_{2}geqrf_ffi\", "
                     "backend_config=\"{{}}\"\n  f = {0} get-tuple-element(r), index=0\n"
                     "  t = {1} get-tuple-element(r), index=1\n"
                     "  q = {0} custom-call(f, t), custom_call_target=\"lapack_{2}{3}_ffi\", "
                     "backend_config=\"{{}}\"\n  ROOT all = ({0}, {1}, {0}) tuple(f, t, q)\n}}\n",
                     a, taus, type.letter, product),
              {Matrices(type.element, n, m, 0.5)}, 20 * type.tolerance);
    }
  }
}

TEST_CASE("small matrices that are not positive definite say at which minor") {
  const std::string text = Format(
      "HloModule info\n\nENTRY main {{\n  a = f32[{0},4,4] parameter(0)\n"
      "  both = (f32[{0},4,4], s32[{0}]) custom-call(a), custom_call_target=\"lapack_spotrf_ffi\", "
      "backend_config=\"{{uplo = 76 : ui8}}\"\n"
      "  ROOT r = s32[{0}] get-tuple-element(both), index=1\n}}\n",
      kBatch);
  Compare(text, {Matrices(ElementType::F32, 4, 4, 0.7)}, 0);
}

// What JAX makes of a factorisation: NaN where there is none, zeros above.
TEST_CASE("matrices that are not positive definite have a triangle of NaN") {
  for (int64_t n : {4, 16, 40}) {
    const std::string a = Format("[{},{},{}]", kBatch, n, n);
    const std::string text = Format(
        "HloModule checked\n\nENTRY main {{\n  a = f64{0} parameter(0)\n"
        "  both = (f64{0}, s32[{1}]) custom-call(a), custom_call_target=\"lapack_dpotrf_ffi\", "
        "backend_config=\"{{uplo = 85 : ui8}}\"\n"
        "  f = f64{0} get-tuple-element(both), index=0\n"
        "  t = f64{0} transpose(f), dimensions={{0,2,1}}\n"
        "  info = s32[{1}] get-tuple-element(both), index=1\n  z = s32[] constant(0)\n"
        "  zs = s32[{1}] broadcast(z), dimensions={{}}\n"
        "  ok = pred[{1}] compare(info, zs), direction=EQ\n"
        "  every = pred{0} broadcast(ok), dimensions={{0}}\n  nan = f64[] constant(nan)\n"
        "  nans = f64{0} broadcast(nan), dimensions={{}}\n"
        "  checked = f64{0} select(every, t, nans)\n"
        "  i = s32{0} iota(), iota_dimension=1\n  j = s32{0} iota(), iota_dimension=2\n"
        "  lower = pred{0} compare(i, j), direction=GE\n  zero = f64[] constant(0)\n"
        "  zeros = f64{0} broadcast(zero), dimensions={{}}\n"
        "  l = f64{0} select(lower, checked, zeros)\n"
        "  is_nan = pred{0} compare(l, l), direction=NE\n  mark = f64[] constant(-9)\n"
        "  marks = f64{0} broadcast(mark), dimensions={{}}\n"
        "  ROOT r = f64{0} select(is_nan, marks, l)\n}}\n",
        a, kBatch);
    Compare(text,
            {Matrices(ElementType::F64, n, n, 0.45 * std::sqrt(static_cast<double>(n)) + 0.4)},
            1e-11);
  }
}

TEST_CASE("small matrices that are singular say where the zero is") {
  const std::string text = Format(
      "HloModule info\n\nENTRY main {{\n  a = f32[{0},3,3] parameter(0)\n"
      "  z = f32[] constant(0)\n  s = f32[{0},3,1] slice(a), slice={{[0:{0}], [0:3], [0:1]}}\n"
      "  b = f32[{0},3,3] pad(s, z), padding=0_0x0_0x1_1\n"
      "  both = (f32[{0},3,3], s32[{0},3], s32[{0}]) custom-call(b), "
      "custom_call_target=\"lapack_sgetrf_ffi\", backend_config=\"{{}}\"\n"
      "  ROOT r = s32[{0}] get-tuple-element(both), index=2\n}}\n",
      kBatch);
  Compare(text, {Matrices(ElementType::F32, 3, 3, 0.7)}, 0);
}

TEST_CASE("systems of small triangular matrices") {
  for (const Type& type : kTypes) {
    for (char side : {'L', 'R'}) {
      for (char triangle : {'L', 'U'}) {
        for (char transpose : {'N', 'T', 'C'}) {
          for (char diagonal : {'N', 'U'}) {
            const int64_t n = 3, other = side == 'L' ? 2 : 5;
            // Columns come before rows, as in memory.
            const Dims right = side == 'L' ? Dims{kBatch, other, n} : Dims{kBatch, n, other};
            const std::string b = Shape(type.element, right).ToString();
            Compare(
                Format("HloModule solve\n\nENTRY main {{\n  a = {0} parameter(0)\n"
                       "  b = {1} parameter(1)\n  ROOT r = {1} custom-call(a, b), "
                       "custom_call_target=\"lapack_{2}trsm_ffi\", backend_config=\"{{"
                       "diag = {3} : ui8, side = {4} : ui8, trans_x = {5} : ui8, "
                       "uplo = {6} : ui8}}\"\n}}\n",
                       Shape(type.element, {kBatch, n, n}).ToString(), b, type.letter,
                       static_cast<int>(diagonal), static_cast<int>(side),
                       static_cast<int>(transpose), static_cast<int>(triangle)),
                {Matrices(type.element, n, n, 3), Matrices(type.element, right[1], right[2], 0)},
                type.tolerance);
          }
        }
      }
    }
  }
}

// Rows whose two reductions make a group of them: `lines` compute k, f32[64,w], of a, f32[64,w].
std::string Rows(int64_t w, const std::string& lines) {
  return Format(
      "HloModule rows\n\nadd {{\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
      "  ROOT z = f32[] add(x, y)\n}}\n\nENTRY main {{\n  a = f32[64,2] parameter(0)\n"
      "  zero = f32[] constant(0)\n{1}  q = f32[64,{0}] multiply(k, k)\n"
      "  n = f32[64] reduce(k, init), dimensions={{1}}, to_apply=add\n"
      "  m = f32[64] reduce(q, zero), dimensions={{1}}, to_apply=add\n"
      "  one = f32[64] divide(m, n)\n  ROOT r = (f32[64], f32[64]) tuple(n, one)\n}}\n",
      w, lines);
}

TEST_CASE("parts that are constant arrays, not numbers") {
  std::string numbers, flags;
  for (int k = 0; k < 64; ++k) {
    numbers += Format("{}{}", k ? "," : "", k);
    flags += Format("{}{}", k ? "," : "", k % 2);
  }
  const std::vector<Literal> a{Literal(Shape(ElementType::F32, {64, 2}))};
  Compare(Rows(2, Format("  init = f32[] constant(0)\n  c = f32[64] constant({{{}}})\n"
                         "  b = f32[64,2] broadcast(c), dimensions={{0}}\n"
                         "  k = f32[64,2] add(a, b)\n",
                         numbers)),
          a, 0);
  Compare(Rows(2, Format("  init = f32[] constant(0)\n  c = pred[64] constant({{{}}})\n"
                         "  b = pred[64,2] broadcast(c), dimensions={{0}}\n"
                         "  h = f32[] constant(3)\n  hs = f32[64,2] broadcast(h), dimensions={{}}\n"
                         "  k = f32[64,2] select(b, a, hs)\n",
                         flags)),
          a, 0);
}

TEST_CASE("sums of small rows that begin with -0, updates far outside") {
  const std::vector<Literal> a{Literal(Shape(ElementType::F32, {64, 2}))};
  Compare(Rows(3,
               "  init = f32[] constant(-0)\n  h = f32[64,2] negate(a)\n"
               "  k = f32[64,3] pad(h, zero), padding=0_0x0_1\n"),
          a, 0);
  Compare(Rows(2,
               "  init = f32[] constant(0)\n  i = u64[] constant(0)\n"
               "  j = u64[] constant(18446744073709551615)\n  one1 = f32[] constant(1)\n"
               "  u = f32[64,1] broadcast(one1), dimensions={}\n"
               "  v = f32[64,2] add(a, a)\n  k0 = f32[64,2] dynamic-update-slice(v, u, i, j)\n"
               "  w = f32[] constant(2)\n  y = f32[] constant(5)\n"
               "  ys = f32[64,1] broadcast(y), dimensions={}\n"
               "  k1 = f32[64,1] slice(k0), slice={[0:64], [1:2]}\n"
               "  k = f32[64,2] concatenate(ys, k1), dimensions={1}\n"),
          a, 0);
}

}  // namespace
}  // namespace sinter::small_matrices
