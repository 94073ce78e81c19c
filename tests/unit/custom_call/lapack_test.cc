// What the factors multiply to, for all element types: matrices well and ill conditioned, tall,
// wide, empty, in batches.
#include "custom_call/lapack.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "base/status.h"
#include "custom_call/call.h"

namespace sinter {
namespace {

template <class T>
struct RealOfImpl {
  using Type = T;
};
template <class R>
struct RealOfImpl<std::complex<R>> {
  using Type = R;
};
template <class T>
using RealOf = typename RealOfImpl<T>::Type;
template <class T>
using ComplexOf = std::complex<RealOf<T>>;
template <class T>
constexpr bool kComplex = !std::is_same_v<T, RealOf<T>>;

using Wide = std::complex<double>;

// Column-major, as LAPACK has it.
class Matrix {
 public:
  Matrix(int64_t m, int64_t n) : m_(m), n_(n), elements_(static_cast<size_t>(m * n)) {}
  int64_t m() const { return m_; }
  int64_t n() const { return n_; }
  Wide& operator()(int64_t i, int64_t j) { return elements_[static_cast<size_t>(j * m_ + i)]; }
  Wide operator()(int64_t i, int64_t j) const { return elements_[static_cast<size_t>(j * m_ + i)]; }

 private:
  int64_t m_, n_;
  std::vector<Wide> elements_;
};

Matrix Make(int64_t m, int64_t n, const std::function<Wide(int64_t, int64_t)>& at) {
  Matrix out(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out(i, j) = at(i, j);
  }
  return out;
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  REQUIRE(a.n() == b.m());
  return Make(a.m(), b.n(), [&](int64_t i, int64_t j) {
    Wide sum = 0;
    for (int64_t k = 0; k < a.n(); ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}
Matrix Adjoint(const Matrix& a) {
  return Make(a.n(), a.m(), [&](int64_t i, int64_t j) { return std::conj(a(j, i)); });
}
Matrix Identity(int64_t n) {
  return Make(n, n, [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
}
Matrix Upper(const Matrix& a, int64_t rows) {
  return Make(rows, a.n(), [&](int64_t i, int64_t j) { return i <= j ? a(i, j) : 0.0; });
}
double Norm(const Matrix& a) {
  double sum = 0;
  for (int64_t i = 0; i < a.m(); ++i) {
    for (int64_t j = 0; j < a.n(); ++j) sum += std::norm(a(i, j));
  }
  return std::sqrt(sum);
}
template <class T>
void RequireClose(const Matrix& a, const Matrix& b) {
  REQUIRE(a.m() == b.m());
  REQUIRE(a.n() == b.n());
  Matrix difference = Make(a.m(), a.n(), [&](int64_t i, int64_t j) { return a(i, j) - b(i, j); });
  const double bound = 200 * double{std::numeric_limits<RealOf<T>>::epsilon()};
  REQUIRE(Norm(difference) <= bound * (1 + Norm(b)));
}

template <class T>
T To(Wide x) {
  if constexpr (kComplex<T>) {
    return T(x);
  } else {
    return static_cast<T>(x.real());
  }
}

// Arrays of a batch in the order of memory.
template <class T>
Literal Batch(const std::vector<Matrix>& matrices) {
  Literal out{Shape(kElementTypeOf<T>,
                    {static_cast<int64_t>(matrices.size()), matrices[0].n(), matrices[0].m()})};
  size_t at = 0;
  for (const Matrix& a : matrices) {
    for (int64_t j = 0; j < a.n(); ++j) {
      for (int64_t i = 0; i < a.m(); ++i) out.data<T>()[at++] = To<T>(a(i, j));
    }
  }
  return out;
}
template <class T>
Matrix Member(const Literal& x, int64_t b) {
  const Shape& s = x.shape();
  const int64_t m = s.dimensions().back(), n = s.rank() == 3 ? s.dimension(1) : 1;
  return Make(m, n, [&](int64_t i, int64_t j) {
    return Wide(x.data<T>()[static_cast<size_t>((b * n + j) * m + i)]);
  });
}
Matrix Diagonal(const Matrix& column) {
  return Make(column.m(), column.m(),
              [&](int64_t i, int64_t j) { return i == j ? column(i, 0) : 0.0; });
}

absl::StatusOr<std::vector<Literal>> RunLapack(const std::string& target,
                                               const std::string& attributes,
                                               std::vector<Literal> operands,
                                               const std::vector<Shape>& shapes) {
  auto none = std::make_shared<CustomCallRegistry>();
  std::vector<Shape> operand_shapes;
  std::vector<void*> pointers;
  for (Literal& o : operands) {
    operand_shapes.push_back(o.shape());
    pointers.push_back(o.untyped_data());
  }
  std::vector<Literal> results;
  for (const Shape& s : shapes) results.emplace_back(s);
  for (Literal& r : results) pointers.push_back(r.untyped_data());
  ASSIGN_OR_RETURN(ReadyCustomCall call, ReadyCustomCall::Make({{}, none}, target, "Host",
                                                               attributes, operand_shapes, shapes,
                                                               /*tuple_result=*/true));
  RETURN_IF_ERROR(call.Call(pointers, nullptr, {}));
  return results;
}
template <class T>
std::string Target(std::string_view real, std::string_view complex) {
  const char letter =
      std::string_view("sdcz")[(kComplex<T> ? 2 : 0) + (sizeof(RealOf<T>) == 8 ? 1 : 0)];
  return Format("lapack_{}{}_ffi", letter, kComplex<T> ? complex : real);
}
template <class T>
std::vector<Literal> Call(std::string_view real, std::string_view complex,
                          const std::string& attributes, std::vector<Literal> operands,
                          const std::vector<Shape>& shapes) {
  auto results = RunLapack(Target<T>(real, complex), attributes, std::move(operands), shapes);
  CAPTURE(MessageOf(results.status()));
  REQUIRE(results.ok());
  return *std::move(results);
}
template <class T>
Shape ShapeOf(std::vector<int64_t> dimensions) {
  return Shape(kElementTypeOf<T>, std::move(dimensions));
}

class Random {
 public:
  template <class T>
  Matrix Next(int64_t m, int64_t n) {
    return Make(m, n, [&](int64_t, int64_t) {
      const double real = normal_(engine_), imaginary = normal_(engine_);
      return Wide(To<T>(Wide(real, imaginary)));
    });
  }
  template <class T>
  Matrix Positive(int64_t n) {
    Matrix a = Next<T>(n, n);
    return Member<T>(Batch<T>({a * Adjoint(a)}), 0);
  }

 private:
  std::mt19937 engine_{7};
  std::normal_distribution<double> normal_;
};
template <class T>
Matrix Hilbert(int64_t n) {
  return Make(
      n, n, [](int64_t i, int64_t j) { return Wide(To<T>(1.0 / static_cast<double>(i + j + 1))); });
}

#define ELEMENT_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("LAPACK: QR", "", ELEMENT_TYPES) {
  using T = TestType;
  Random random;
  for (auto [m, n] : {std::pair{5, 3}, {3, 5}, {4, 4}, {1, 1}, {70, 40}, {3, 0}, {0, 3}}) {
    CAPTURE(m, n);
    const int64_t k = std::min(m, n);
    std::vector<Matrix> a{random.Next<T>(m, n), random.Next<T>(m, n)};
    if (m == n) a[1] = Hilbert<T>(n);
    auto qr =
        Call<T>("geqrf", "geqrf", "{}", {Batch<T>(a)}, {ShapeOf<T>({2, n, m}), ShapeOf<T>({2, k})});
    auto columns = [&](const Literal& packed, int64_t count) {
      std::vector<Matrix> out;
      for (int64_t b = 0; b < 2; ++b) {
        Matrix x = Member<T>(packed, b);
        out.push_back(Make(m, count, [&](int64_t i, int64_t j) { return x(i, j); }));
      }
      return Batch<T>(out);
    };
    auto q = Call<T>("orgqr", "ungqr", "{}", {columns(qr[0], k), qr[1]}, {ShapeOf<T>({2, k, m})});
    std::vector<Matrix> right{random.Next<T>(m, 2), random.Next<T>(m, 2)};
    auto product = Call<T>("ormqr", "unmqr", "{left = true, transpose = true}",
                           {columns(qr[0], k), qr[1], Batch<T>(right)}, {ShapeOf<T>({2, 2, m})});
    Literal no_pivots{Shape(ElementType::S32, {2, n})};
    auto pivoted =
        Call<T>("geqp3", "geqp3", "{}", {Batch<T>(a), no_pivots},
                {ShapeOf<T>({2, n, m}), Shape(ElementType::S32, {2, n}), ShapeOf<T>({2, k})});
    auto pivoted_q =
        Call<T>("orgqr", "ungqr", "{}", {columns(pivoted[0], k), pivoted[2]}, {q[0].shape()});
    for (int64_t b = 0; b < 2; ++b) {
      Matrix unitary = Member<T>(q[0], b);
      RequireClose<T>(unitary * Upper(Member<T>(qr[0], b), k), a[static_cast<size_t>(b)]);
      RequireClose<T>(Adjoint(unitary) * unitary, Identity(k));
      Matrix applied = Member<T>(product[0], b);
      RequireClose<T>(Make(k, 2, [&](int64_t i, int64_t j) { return applied(i, j); }),
                      Adjoint(unitary) * right[static_cast<size_t>(b)]);
      auto pivots = pivoted[1].template data<int32_t>();
      Matrix permuted = Make(m, n, [&](int64_t i, int64_t j) {
        return a[static_cast<size_t>(b)](i, pivots[static_cast<size_t>(b * n + j)] - 1);
      });
      RequireClose<T>(Member<T>(pivoted_q[0], b) * Upper(Member<T>(pivoted[0], b), k), permuted);
    }
  }
}

TEMPLATE_TEST_CASE("LAPACK: LU, Cholesky and triangles", "", ELEMENT_TYPES) {
  using T = TestType;
  Random random;
  const Shape info(ElementType::S32, {2});
  for (auto [m, n] : {std::pair{5, 3}, {3, 5}, {4, 4}, {1, 1}, {60, 60}, {3, 0}, {0, 3}}) {
    CAPTURE(m, n);
    const int64_t k = std::min(m, n);
    std::vector<Matrix> a{random.Next<T>(m, n), random.Next<T>(m, n)};
    auto lu = Call<T>("getrf", "getrf", "{}", {Batch<T>(a)},
                      {ShapeOf<T>({2, n, m}), Shape(ElementType::S32, {2, k}), info});
    for (int64_t b = 0; b < 2; ++b) {
      Matrix packed = Member<T>(lu[0], b), permuted = a[static_cast<size_t>(b)];
      for (int64_t i = 0; i < k; ++i) {
        int32_t other = lu[1].template data<int32_t>()[static_cast<size_t>(b * k + i)] - 1;
        for (int64_t j = 0; j < n; ++j) std::swap(permuted(i, j), permuted(other, j));
      }
      Matrix lower = Make(m, k, [&](int64_t i, int64_t j) {
        return i > j ? packed(i, j) : i == j ? 1.0 : 0.0;
      });
      RequireClose<T>(lower * Upper(packed, k), permuted);
      REQUIRE(lu[2].template data<int32_t>()[static_cast<size_t>(b)] == 0);
    }
    if (m != n) continue;
    std::vector<Matrix> p{random.Positive<T>(n), Identity(n)};
    auto factor = Call<T>("potrf", "potrf", "{uplo = 85 : ui8}", {Batch<T>(p)},
                          {ShapeOf<T>({2, n, n}), info});
    std::vector<Matrix> upper, right{random.Next<T>(3, n), random.Next<T>(3, n)};
    for (int64_t b = 0; b < 2; ++b) {
      upper.push_back(Upper(Member<T>(factor[0], b), n));
      RequireClose<T>(Adjoint(upper.back()) * upper.back(), p[static_cast<size_t>(b)]);
    }
    // x U^H = right
    auto x = Call<T>("trsm", "trsm",
                     "{side = 82 : ui8, uplo = 85 : ui8, trans_x = 67 : ui8, diag = 78 : ui8}",
                     {factor[0], Batch<T>(right)}, {ShapeOf<T>({2, n, 3})});
    // The same of twice what is on the right.
    Literal two(ShapeOf<T>({}));
    two.data<T>()[0] = T(2);
    auto twice = Call<T>("trsm", "trsm",
                         "{side = 82 : ui8, uplo = 85 : ui8, trans_x = 67 : ui8, diag = 78 : ui8}",
                         {factor[0], Batch<T>(right), two}, {ShapeOf<T>({2, n, 3})});
    for (int64_t b = 0; b < 2; ++b) {
      const Matrix solved = Member<T>(x[0], b);
      RequireClose<T>(Member<T>(twice[0], b), Make(3, n, [&](int64_t i, int64_t j) {
                        return solved(i, j) + solved(i, j);
                      }));
    }
    for (size_t b = 0; b < 2; ++b) {
      // The residual, as the matrices may be ill conditioned.
      Matrix solved = Member<T>(x[0], static_cast<int64_t>(b));
      Matrix residual = solved * Adjoint(upper[b]);
      Matrix difference =
          Make(3, n, [&](int64_t i, int64_t j) { return residual(i, j) - right[b](i, j); });
      REQUIRE(Norm(difference) <= 200 * double{std::numeric_limits<RealOf<T>>::epsilon()} *
                                      (1 + Norm(solved) * Norm(upper[b])));
    }
  }
}

TEMPLATE_TEST_CASE("LAPACK: singular values", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  Random random;
  for (std::string routine : {"gesdd", "gesvd"}) {
    for (auto [m, n] : {std::pair{5, 3}, {3, 5}, {8, 8}, {1, 1}, {40, 30}}) {
      CAPTURE(routine, m, n);
      const int64_t k = std::min(m, n);
      std::vector<Matrix> a{random.Next<T>(m, n), random.Next<T>(m, n)};
      if (m == 8) a[1] = Hilbert<T>(8);
      Literal first;
      for (bool full : {false, true}) {
        const int64_t u = full ? m : k, v = full ? n : k;
        auto svd = Call<T>(routine, routine, full ? "{mode = 65 : ui8}" : "{mode = 83 : ui8}",
                           {Batch<T>(a)},
                           {ShapeOf<T>({2, n, m}), ShapeOf<R>({2, k}), ShapeOf<T>({2, u, m}),
                            ShapeOf<T>({2, n, v}), Shape(ElementType::S32, {2})});
        for (int64_t b = 0; b < 2; ++b) {
          Matrix left = Member<T>(svd[2], b), right = Member<T>(svd[3], b),
                 s = Diagonal(Member<R>(svd[1], b));
          RequireClose<T>(Adjoint(left) * left, Identity(u));
          RequireClose<T>(right * Adjoint(right), Identity(v));
          Matrix middle =
              Make(u, v, [&](int64_t i, int64_t j) { return i < k && j < k ? s(i, j) : 0.0; });
          RequireClose<T>(left * middle * right, a[static_cast<size_t>(b)]);
        }
        first = svd[1];
      }
      auto values = Call<T>(routine, routine, "{mode = 78 : ui8}", {Batch<T>(a)},
                            {ShapeOf<T>({2, n, m}), ShapeOf<R>({2, k}), ShapeOf<T>({2, m, m}),
                             ShapeOf<T>({2, n, n}), Shape(ElementType::S32, {2})});
      for (int64_t b = 0; b < 2; ++b) RequireClose<T>(Member<R>(values[1], b), Member<R>(first, b));
    }
  }
}

TEMPLATE_TEST_CASE("LAPACK: eigenvalues", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  using C = ComplexOf<T>;
  Random random;
  const Shape info(ElementType::S32, {2});
  for (int64_t n : {1, 2, 6, 30}) {
    CAPTURE(n);
    const Shape square = ShapeOf<T>({2, n, n});
    std::vector<Matrix> p{random.Positive<T>(n), Hilbert<T>(n)};
    auto eigh = Call<T>("syevd", "heevd", "{mode = 86 : ui8, uplo = 76 : ui8}", {Batch<T>(p)},
                        {square, ShapeOf<R>({2, n}), info});
    auto tridiagonal =
        Call<T>("sytrd", "hetrd", "{uplo = 76 : ui8}", {Batch<T>(p)},
                {square, ShapeOf<R>({2, n}), ShapeOf<R>({2, n - 1}), ShapeOf<T>({2, n - 1}), info});
    for (int64_t b = 0; b < 2; ++b) {
      const Matrix& a = p[static_cast<size_t>(b)];
      Matrix v = Member<T>(eigh[0], b), w = Diagonal(Member<R>(eigh[1], b));
      RequireClose<T>(a * v, v * w);
      RequireClose<T>(Adjoint(v) * v, Identity(n));
      // A unitary transformation keeps the norm.
      Matrix d = Member<R>(tridiagonal[1], b), e = Member<R>(tridiagonal[2], b);
      const double norm = std::sqrt(std::pow(Norm(d), 2) + 2 * std::pow(Norm(e), 2));
      REQUIRE(norm == Approx(Norm(a)).epsilon(1e-5));
    }

    std::vector<Matrix> a{random.Next<T>(n, n), random.Next<T>(n, n)};
    std::vector<Shape> shapes(kComplex<T> ? 1 : 2, ShapeOf<T>({2, n}));
    shapes.insert(shapes.end(), {ShapeOf<C>({2, n, n}), ShapeOf<C>({2, n, n}), info});
    auto eig = Call<T>("geev", "geev", "{compute_left = 86 : ui8, compute_right = 86 : ui8}",
                       {Batch<T>(a)}, shapes);
    shapes.assign(2, square);
    shapes.insert(shapes.end(), kComplex<T> ? 1 : 2, ShapeOf<T>({2, n}));
    shapes.insert(shapes.end(), {info, info});
    auto schur =
        Call<T>("gees", "gees", "{mode = 86 : ui8, sort = 78 : ui8}", {Batch<T>(a)}, shapes);
    auto hessenberg = Call<T>("gehrd", "gehrd", Format("{{low = 1 : i32, high = {} : i32}}", n),
                              {Batch<T>(a)}, {square, ShapeOf<T>({2, n - 1}), info});
    for (int64_t b = 0; b < 2; ++b) {
      const Matrix& x = a[static_cast<size_t>(b)];
      Matrix values = Member<T>(eig[0], b);
      if (!kComplex<T>) {
        Matrix imaginary = Member<T>(eig[1], b);
        for (int64_t i = 0; i < n; ++i) values(i, 0) += Wide(0, 1) * imaginary(i, 0);
      }
      Matrix left = Member<C>(eig[eig.size() - 3], b), right = Member<C>(eig[eig.size() - 2], b);
      RequireClose<T>(x * right, right * Diagonal(values));
      RequireClose<T>(Adjoint(left) * x, Diagonal(values) * Adjoint(left));
      REQUIRE(Norm(right) == Approx(std::sqrt(n)).epsilon(1e-4));
      Matrix t = Member<T>(schur[0], b), z = Member<T>(schur[1], b);
      RequireClose<T>(z * t * Adjoint(z), x);
      for (int64_t i = 2; i < n; ++i) REQUIRE(t(i, i - 2) == 0.0);
      Matrix h = Member<T>(hessenberg[0], b);
      h = Make(n, n, [&](int64_t i, int64_t j) { return i <= j + 1 ? h(i, j) : 0.0; });
      REQUIRE(Norm(h) == Approx(Norm(x)).epsilon(1e-5));
    }
  }
}

// One batch of tridiagonal matrices and right-hand sides.
template <class T>
struct Tridiagonal {
  Tridiagonal(Random& random, int64_t n) {
    for (auto* x : {&lower, &middle, &upper}) *x = {random.Next<T>(n, 1), random.Next<T>(n, 1)};
    right = {random.Next<T>(n, 2), random.Next<T>(n, 2)};
  }

  std::vector<Literal> Operands() const {
    auto flat = [](const std::vector<Matrix>& x) { return *Batch<T>(x).Reshape({2, x[0].m()}); };
    return {flat(lower), flat(middle), flat(upper), Batch<T>(right)};
  }
  Matrix Whole(size_t b) const {
    const int64_t n = middle[b].m();
    return Make(n, n, [&](int64_t i, int64_t j) -> Wide {
      if (i == j) return middle[b](i, 0);
      if (i == j + 1) return lower[b](i, 0);
      return j == i + 1 ? upper[b](i, 0) : 0.0;
    });
  }
  void RequireSolved(const Literal& x) const {
    for (size_t b = 0; b < 2; ++b) {
      const Matrix a = Whole(b), solved = Member<T>(x, static_cast<int64_t>(b));
      const Matrix product = a * solved;
      const Matrix residual =
          Make(a.n(), 2, [&](int64_t i, int64_t j) { return product(i, j) - right[b](i, j); });
      REQUIRE(Norm(residual) <= 200 * double{std::numeric_limits<RealOf<T>>::epsilon()} *
                                    (1 + Norm(solved) * Norm(a)));
    }
  }

  std::vector<Matrix> lower, middle, upper, right;
};

TEMPLATE_TEST_CASE("LAPACK: tridiagonal systems", "", ELEMENT_TYPES) {
  using T = TestType;
  Random random;
  for (int64_t n : {0, 1, 2, 7}) {
    CAPTURE(n);
    const Tridiagonal<T> system(random, n);
    const Shape vector = ShapeOf<T>({2, n});
    auto x = Call<T>("gtsv", "gtsv", "{}", system.Operands(),
                     {vector, vector, vector, ShapeOf<T>({2, 2, n}), Shape(ElementType::S32, {2})});
    system.RequireSolved(x[3]);
  }
}

TEMPLATE_TEST_CASE("tridiagonal systems whose small pivots are moved", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  auto solve = [](const Tridiagonal<T>& system, int64_t n) {
    auto x = RunLapack("tridiagonal_solve_perturbed_ffi", "", system.Operands(),
                       {ShapeOf<T>({2, 2, n})});
    CAPTURE(MessageOf(x.status()));
    REQUIRE(x.ok());
    return std::move((*x)[0]);
  };
  Random random;
  for (int64_t n : {0, 1, 2, 3, 7, 40}) {
    CAPTURE(n);
    Tridiagonal<T> system(random, n);
    system.RequireSolved(solve(system, n));
    if (n == 0) continue;
    // Rows that are in order already, and a zero on the way.
    for (size_t b = 0; b < 2; ++b) {
      for (int64_t i = 0; i < n; ++i) system.middle[b](i, 0) += Wide(To<T>(4.0));
      system.lower[b](n / 2, 0) = 0.0;
    }
    system.RequireSolved(solve(system, n));
  }
  // Singular ones: finite, and where the null space is a line, along it (inverse iteration).
  for (int64_t n : {2, 3, 8}) {
    CAPTURE(n);
    Tridiagonal<T> system(random, n);
    for (size_t b = 0; b < 2; ++b) {
      for (int64_t i = 0; i < n; ++i) {
        system.lower[b](i, 0) = system.upper[b](i, 0) = -1.0;
        system.middle[b](i, 0) = i == 0 || i + 1 == n ? 1.0 : 2.0;
      }
    }
    const Literal x = solve(system, n);
    for (size_t b = 0; b < 2; ++b) {
      const Matrix solved = Member<T>(x, static_cast<int64_t>(b));
      REQUIRE(std::isfinite(Norm(solved)));
      REQUIRE(Norm(solved) > 0.001 / double{std::numeric_limits<R>::epsilon()});
      REQUIRE(Norm(system.Whole(b) * solved) <=
              200 * double{std::numeric_limits<R>::epsilon()} * Norm(solved));
    }
  }
  // Pivots and right-hand sides at the ends of the range.
  for (double pivot : {0.0, 1e-44, 1e-37, 1.0}) {
    for (double value : {0.0, 1e-40, 1.0, 1e38}) {
      CAPTURE(pivot, value);
      Tridiagonal<T> system(random, 2);
      for (size_t b = 0; b < 2; ++b) {
        for (int64_t i = 0; i < 2; ++i) {
          system.lower[b](i, 0) = system.upper[b](i, 0) = 0.0;
          system.middle[b](i, 0) = pivot;
          for (int64_t j = 0; j < 2; ++j) system.right[b](i, j) = value;
        }
      }
      const Literal x = solve(system, 2);
      for (T e : x.template data<T>()) REQUIRE(std::isfinite(std::abs(e)));
    }
  }
}

TEST_CASE("tridiagonal systems of other types") {
  const Shape ints(ElementType::S32, {2});
  std::vector<Literal> zeros(4, Literal(ints));
  absl::Status s = RunLapack("tridiagonal_solve_perturbed_ffi", "", zeros, {ints}).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(s).find("a tridiagonal system of s32") != std::string::npos);
}

TEST_CASE("LAPACK: how a routine fared") {
  const Shape info(ElementType::S32, {1}), square(ElementType::F32, {1, 2, 2});
  Literal indefinite =
      Batch<float>({Make(2, 2, [](int64_t i, int64_t j) { return i == j ? 1.0 : 2.0; })});
  auto factor = Call<float>("potrf", "potrf", "{uplo = 76 : ui8}", {indefinite}, {square, info});
  REQUIRE(factor[1].data<int32_t>()[0] == 2);
  Literal singular = Batch<float>({Matrix(2, 2)});
  auto lu = Call<float>("getrf", "getrf", "{}", {singular},
                        {square, Shape(ElementType::S32, {1, 2}), info});
  REQUIRE(lu[2].data<int32_t>()[0] == 1);
  Literal nan = Batch<float>({Make(2, 2, [](int64_t, int64_t) { return std::nan(""); })});
  const Shape vector(ElementType::F32, {1, 2}), complex(ElementType::C64, {1, 2, 2});
  auto eig = Call<float>("geev", "geev", "{compute_left = 78 : ui8, compute_right = 86 : ui8}",
                         {nan}, {vector, vector, complex, complex, info});
  REQUIRE(eig[4].data<int32_t>()[0] != 0);
}

TEST_CASE("LAPACK: calls that no routine takes") {
  for (const char* target :
       {"sgetrf", "lapack__ffi", "lapack_hgetrf_ffi", "lapack_ssyrk_ffi", "lapack_sheevd_ffi"})
    REQUIRE(FindLapack(target) == nullptr);

  const Shape info(ElementType::S32, {2}), square(ElementType::F32, {2, 3, 3});
  auto error = [](const std::string& target, const std::string& attributes,
                  std::vector<Shape> operands, const std::vector<Shape>& results) {
    std::vector<Literal> zeros(operands.begin(), operands.end());
    absl::Status s = RunLapack("lapack_" + target + "_ffi", attributes, zeros, results).status();
    REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
    return MessageOf(s);
  };
  const std::string potrf = "custom call to \"lapack_spotrf_ffi\": ";
  REQUIRE(error("spotrf", "{uplo = 76 : ui8}", {square}, {square}) ==
          potrf + "1 operands and 1 results, expected 1 and 2");
  REQUIRE(error("spotrf", "{uplo = 70 : ui8}", {square}, {square, info}) ==
          potrf + "attribute uplo is 70, not one of the characters LU");
  REQUIRE(error("spotrf", "", {square}, {square, info}) == potrf + "there is no attribute uplo");
  REQUIRE(error("spotrf", "{uplo = 76 : ui8}", {Shape(ElementType::F32, {2, 3, 4})},
                {square, info}) == potrf + "operand 0 is f32[2,3,4]: expected T[nn] of f32, n = 4");
  REQUIRE(
      error("spotrf", "{uplo = 76 : ui8}", {Shape(ElementType::F64, {2, 3, 3})}, {square, info}) ==
      potrf + "operand 0 is f64[2,3,3]: expected T[nn] of f32, the element type");
  REQUIRE(error("spotrf", "{uplo = 76 : ui8}", {square}, {square, Shape(ElementType::S32, {3})}) ==
          potrf + "result 1 is s32[3]: expected i[] of s32, the batch dimensions of operand 0");
  REQUIRE(error("spotrf", "{uplo = 76 : ui8}", {Shape(ElementType::F32, {3})}, {square, info}) ==
          potrf + "operand 0 is f32[3]: expected T[nn] of f32, the rank");
  const Shape vector(ElementType::F32, {2, 2});
  error("sgehrd", "{low = 0 : i32, high = 3 : i32}", {square}, {square, vector, info});
  error("sgehrd", "{low = 1 : i32, high = 4 : i32}", {square}, {square, vector, info});
  error("sgees", "{mode = 86 : ui8, sort = 83 : ui8}", {square},
        {square, square, Shape(ElementType::F32, {2, 3}), Shape(ElementType::F32, {2, 3}), info,
         info});
  error("sorgqr", "", {Shape(ElementType::F32, {2, 4, 3}), vector},
        {Shape(ElementType::F32, {2, 4, 3})});
  error("sormqr", "{left = false, transpose = false}",
        {square, vector, Shape(ElementType::F32, {2, 2, 3})}, {Shape(ElementType::F32, {2, 2, 3})});
  error("sgesdd", "{mode = 65 : ui8}", {Shape(ElementType::F32, {2, 3, 4})},
        {Shape(ElementType::F32, {2, 3, 4}), Shape(ElementType::F32, {2, 3}),
         Shape(ElementType::F32, {2, 3, 4}), Shape(ElementType::F32, {2, 3, 3}), info});
  error("strsm", "{side = 76 : ui8, uplo = 85 : ui8, trans_x = 67 : ui8, diag = 78 : ui8}",
        {square, Shape(ElementType::F32, {2, 3, 2})}, {Shape(ElementType::F32, {2, 3, 2})});
  const Shape right(ElementType::F32, {2, 3, 3});
  error("strsm", "{side = 76 : ui8, uplo = 85 : ui8, trans_x = 67 : ui8, diag = 78 : ui8}",
        {square, right, Shape(ElementType::F32, {2})}, {right});
}

}  // namespace
}  // namespace sinter
