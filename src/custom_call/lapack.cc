// Each function below is one routine for all element types: its arguments checked, and
// linear_algebra called for each matrix.
#include "custom_call/lapack.h"

#include <complex>

#include "custom_call/lapack_call.h"
#include "linear_algebra/eigenvectors.h"
#include "linear_algebra/elimination.h"
#include "linear_algebra/hessenberg.h"
#include "linear_algebra/reflections.h"
#include "linear_algebra/singular_values.h"
#include "linear_algebra/symmetric.h"

namespace sinter {
namespace lapack {
namespace {

using F32 = float;
using F64 = double;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

// x of op(a) x = alpha b or x op(a) = alpha b; alpha is 1 where it is not given.
template <class T>
absl::Status Trsm(const Call& c) {
  ASSIGN_OR_RETURN(char side, c.Character("side", "LR"));
  ASSIGN_OR_RETURN(char uplo, c.Character("uplo", "LU"));
  ASSIGN_OR_RETURN(char trans, c.Character("trans_x", "NTC"));
  ASSIGN_OR_RETURN(char diag, c.Character("diag", "NU"));
  const Int m = c['m'], n = c['n'], a = c['a'];
  if (a != (side == 'L' ? m : n))
    return InvalidArgument("a triangle of size {} on side {} of {} x {}", a, side, m, n);
  const T alpha = c.operands() > 2 ? *c.In<T>(2, 0) : T(1);
  c.Copy(1, 0);
  const auto op = trans == 'N'   ? linear_algebra::Transposition::kNone
                  : trans == 'T' ? linear_algebra::Transposition::kTranspose
                                 : linear_algebra::Transposition::kAdjoint;
  return c.Each([&](int64_t b, const Threads& threads) {
    const Matrix<T> x = c.At<T>(0, b, m, n);
    if (alpha != T(1)) linear_algebra::Multiply(x, alpha);
    linear_algebra::SolveTriangle(c.AtOperand<T>(0, b, a, a), side == 'L', uplo == 'U', op,
                                  diag == 'U', x, threads);
    return 0;
  });
}

template <class T>
absl::Status Getrf(const Call& c) {
  const Int m = c['m'], n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    return linear_algebra::FactorLu(c.At<T>(0, b, m, n), c.Out<Int>(1, b), threads);
  });
}

template <class T>
absl::Status Potrf(const Call& c) {
  ASSIGN_OR_RETURN(char uplo, c.Character("uplo", "LU"));
  const Int n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    return linear_algebra::FactorCholesky(c.At<T>(0, b, n, n), uplo == 'U', threads);
  });
}

template <class T>
absl::Status Geqrf(const Call& c) {
  const Int m = c['m'], n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    linear_algebra::FactorQr(c.At<T>(0, b, m, n), c.Out<T>(1, b), threads);
    return 0;
  });
}

template <class T>
absl::Status Geqp3(const Call& c) {
  const Int m = c['m'], n = c['n'];
  c.Copy(0, 0);
  c.Copy(1, 1);
  return c.Each([&](int64_t b, const Threads& threads) {
    linear_algebra::FactorPivotedQr(c.At<T>(0, b, m, n), c.Out<Int>(1, b), c.Out<T>(2, b), threads);
    return 0;
  });
}

// orgqr and ungqr: the first n columns of the product of t reflections.
template <class T>
absl::Status Orgqr(const Call& c) {
  const Int m = c['m'], n = c['n'], t = c['t'];
  if (n > m || t > n) return InvalidArgument("{} columns of {} reflections of {} rows", n, t, m);
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    linear_algebra::MakeUnitary(c.At<T>(0, b, m, n), c.In<T>(1, b), t, threads);
    return 0;
  });
}

// ormqr and unmqr: op(q) c or c op(q) with q a product of t reflections.
template <class T>
absl::Status Ormqr(const Call& c) {
  ASSIGN_OR_RETURN(bool left, c.Attribute<bool>("left"));
  ASSIGN_OR_RETURN(bool transpose, c.Attribute<bool>("transpose"));
  const Int m = c['m'], n = c['n'], t = c['t'], r = c['r'];
  if (r != (left ? m : n) || t > r || t > c['q']) {
    return InvalidArgument("{} reflections of {} x {} on the {} of {} x {}", t, r, c['q'],
                           left ? "left" : "right", m, n);
  }
  c.Copy(2, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    linear_algebra::ApplyReflections(c.AtOperand<T>(0, b, r, c['q']), c.In<T>(1, b), t, left,
                                     transpose, c.At<T>(0, b, m, n), threads);
    return 0;
  });
}

// All of u and vt, their first min(m, n) vectors, or none.
absl::StatusOr<char> SvdMode(const Call& c) {
  ASSIGN_OR_RETURN(char mode, c.Character("mode", "ASN"));
  const Int m = c['m'], n = c['n'], k = std::min(m, n);
  const bool fits = mode == 'N' || (mode == 'A' && c['u'] == m && c['v'] == n) ||
                    (mode == 'S' && c['u'] == k && c['v'] == k);
  if (fits) return mode;
  return InvalidArgument("mode {} of {} x {} with {} and {} vectors", mode, m, n, c['u'], c['v']);
}

// gesdd and gesvd.
template <class T>
absl::Status Gesvd(const Call& c) {
  using R = RealOf<T>;
  ASSIGN_OR_RETURN(char mode, SvdMode(c));
  const Int m = c['m'], n = c['n'], u = c['u'], v = c['v'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    const Matrix<T> left = c.At<T>(2, b, m, u), right = c.At<T>(3, b, v, n);
    const bool has_vectors = mode != 'N';
    return linear_algebra::SingularValues(c.At<T>(0, b, m, n), c.Out<R>(1, b),
                                          has_vectors ? &left : nullptr,
                                          has_vectors ? &right : nullptr, threads);
  });
}

// syevd and heevd.
template <class T>
absl::Status Syevd(const Call& c) {
  using R = RealOf<T>;
  ASSIGN_OR_RETURN(char mode, c.Character("mode", "NV"));
  ASSIGN_OR_RETURN(char uplo, c.Character("uplo", "LU"));
  const Int n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    return linear_algebra::SymmetricEigenvalues(c.At<T>(0, b, n, n), uplo == 'U', mode == 'V',
                                                c.Out<R>(1, b), threads);
  });
}

// sytrd and hetrd.
template <class T>
absl::Status Sytrd(const Call& c) {
  using R = RealOf<T>;
  ASSIGN_OR_RETURN(char uplo, c.Character("uplo", "LU"));
  const Int n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads&) {
    linear_algebra::Tridiagonalise(c.At<T>(0, b, n, n), uplo == 'U', c.Out<R>(1, b), c.Out<R>(2, b),
                                   c.Out<T>(3, b));
    return 0;
  });
}

template <class T>
absl::Status Gehrd(const Call& c) {
  ASSIGN_OR_RETURN(Int low, c.Attribute<Int>("low"));
  ASSIGN_OR_RETURN(Int high, c.Attribute<Int>("high"));
  const Int n = c['n'];
  if (low < 1 || low > std::max(n, 1) || high < std::min(low, n) || high > n)
    return InvalidArgument("rows {} to {} of {}", low, high, n);
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    linear_algebra::MakeHessenberg(c.At<T>(0, b, n, n), {low - 1, high}, c.Out<T>(1, b), threads);
    return 0;
  });
}

// Eigenvalues into a result, of real routines into two: real and imaginary parts.
template <class T>
void PutValues(const Call& c, size_t result, int64_t b,
               const std::vector<std::complex<RealOf<T>>>& values) {
  if constexpr (kIsComplex<T>) {
    std::copy(values.begin(), values.end(), c.Out<T>(result, b));
  } else {
    for (size_t i = 0; i < values.size(); ++i) {
      c.Out<T>(result, b)[i] = values[i].real();
      c.Out<T>(result + 1, b)[i] = values[i].imag();
    }
  }
}

template <class T>
absl::Status Geev(const Call& c) {
  ASSIGN_OR_RETURN(char left, c.Character("compute_left", "NV"));
  ASSIGN_OR_RETURN(char right, c.Character("compute_right", "NV"));
  const Int n = c['n'];
  using C = std::complex<RealOf<T>>;
  const size_t vectors = kIsComplex<T> ? 1 : 2;
  return c.Each([&](int64_t b, const Threads& threads) {
    std::vector<T> a = c.CopyOf<T>(0, b);
    std::vector<C> values(static_cast<size_t>(n));
    const Matrix<C> l = c.At<C>(vectors, b, n, n), r = c.At<C>(vectors + 1, b, n, n);
    const Int info = linear_algebra::Eigenvalues(Matrix<T>{a.data(), n, n, std::max(n, 1)},
                                                 values.data(), left == 'V' ? &l : nullptr,
                                                 right == 'V' ? &r : nullptr, threads);
    PutValues<T>(c, 0, b, values);
    return info;
  });
}

// Eigenvalues are not sorted: there is no predicate to select by.
template <class T>
absl::Status Gees(const Call& c) {
  ASSIGN_OR_RETURN(char mode, c.Character("mode", "NV"));
  RETURN_IF_ERROR(c.Character("sort", "N").status());
  const Int n = c['n'];
  c.Copy(0, 0);
  return c.Each([&](int64_t b, const Threads& threads) {
    std::vector<std::complex<RealOf<T>>> values(static_cast<size_t>(n));
    const Matrix<T> z = c.At<T>(1, b, n, n);
    const Int info = linear_algebra::SchurForm(c.At<T>(0, b, n, n), mode == 'V' ? &z : nullptr,
                                               values.data(), threads);
    PutValues<T>(c, 2, b, values);
    return info;
  });
}

// The diagonals have n elements each; the lower one's first and the upper one's last are not used.
template <class T>
absl::Status Gtsv(const Call& c) {
  const Int n = c['n'], r = c['r'];
  for (size_t i = 0; i < 4; ++i) c.Copy(i, i);
  if (n == 0) return absl::OkStatus();
  return c.Each([&](int64_t b, const Threads&) {
    return linear_algebra::SolveTridiagonal(c.Out<T>(0, b) + 1, c.Out<T>(1, b), c.Out<T>(2, b),
                                            c.At<T>(3, b, n, r));
  });
}

constexpr std::string_view kTypes = "sdcz";

struct Routine {
  std::string_view name;
  std::string_view types;  // of kTypes
  std::string_view signature;
  absl::Status (*run[4])(const Call&);  // in the order of kTypes
};

#define SINTER_EACH_TYPE(F) \
  { F<F32>, F<F64>, F<C64>, F<C128> }
constexpr Routine kRoutines[] = {
    {"gees", "sd", "T[nn] -> T[nn] T[nn] T[n] T[n] i[] i[]", SINTER_EACH_TYPE(Gees)},
    {"gees", "cz", "T[nn] -> T[nn] T[nn] T[n] i[] i[]", SINTER_EACH_TYPE(Gees)},
    {"geev", "sd", "T[nn] -> T[n] T[n] C[nn] C[nn] i[]", SINTER_EACH_TYPE(Geev)},
    {"geev", "cz", "T[nn] -> T[n] T[nn] T[nn] i[]", SINTER_EACH_TYPE(Geev)},
    {"gehrd", kTypes, "T[nn] -> T[nn] T[l] i[]", SINTER_EACH_TYPE(Gehrd)},
    {"geqp3", kTypes, "T[mn] i[n] -> T[mn] i[n] T[k]", SINTER_EACH_TYPE(Geqp3)},
    {"geqrf", kTypes, "T[mn] -> T[mn] T[k]", SINTER_EACH_TYPE(Geqrf)},
    {"gesdd", kTypes, "T[mn] -> T[mn] R[k] T[mu] T[vn] i[]", SINTER_EACH_TYPE(Gesvd)},
    {"gesvd", kTypes, "T[mn] -> T[mn] R[k] T[mu] T[vn] i[]", SINTER_EACH_TYPE(Gesvd)},
    {"getrf", kTypes, "T[mn] -> T[mn] i[k] i[]", SINTER_EACH_TYPE(Getrf)},
    {"gtsv", kTypes, "T[n] T[n] T[n] T[nr] -> T[n] T[n] T[n] T[nr] i[]", SINTER_EACH_TYPE(Gtsv)},
    {"heevd", "cz", "T[nn] -> T[nn] R[n] i[]", SINTER_EACH_TYPE(Syevd)},
    {"hetrd", "cz", "T[nn] -> T[nn] R[n] R[l] T[l] i[]", SINTER_EACH_TYPE(Sytrd)},
    {"orgqr", "sd", "T[mn] T[t] -> T[mn]", SINTER_EACH_TYPE(Orgqr)},
    {"ormqr", "sd", "T[rq] T[t] T[mn] -> T[mn]", SINTER_EACH_TYPE(Ormqr)},
    {"potrf", kTypes, "T[nn] -> T[nn] i[]", SINTER_EACH_TYPE(Potrf)},
    {"syevd", "sd", "T[nn] -> T[nn] R[n] i[]", SINTER_EACH_TYPE(Syevd)},
    {"sytrd", "sd", "T[nn] -> T[nn] R[n] R[l] T[l] i[]", SINTER_EACH_TYPE(Sytrd)},
    {"trsm", kTypes, "T[aa] T[mn] T()? -> T[mn]", SINTER_EACH_TYPE(Trsm)},
    {"ungqr", "cz", "T[mn] T[t] -> T[mn]", SINTER_EACH_TYPE(Orgqr)},
    {"unmqr", "cz", "T[rq] T[t] T[mn] -> T[mn]", SINTER_EACH_TYPE(Ormqr)},
};
#undef SINTER_EACH_TYPE

}  // namespace
}  // namespace lapack

std::optional<LapackTarget> ParseLapackTarget(std::string_view target) {
  constexpr std::string_view kBefore = "lapack_", kBehind = "_ffi";
  if (!target.starts_with(kBefore) || !target.ends_with(kBehind) ||
      target.size() <= kBefore.size() + 1 + kBehind.size())
    return std::nullopt;
  target.remove_prefix(kBefore.size());
  target.remove_suffix(kBehind.size());
  return LapackTarget{target};
}

LibraryFunction FindLapack(std::string_view target) {
  const std::optional<LapackTarget> named = ParseLapackTarget(target);
  if (!named) return {};
  const char type = named->type();
  for (const lapack::Routine& routine : lapack::kRoutines) {
    if (named->routine() != routine.name || routine.types.find(type) == std::string_view::npos)
      continue;
    const auto run = routine.run[lapack::kTypes.find(type)];
    return [&routine, type, run](const CustomCallFrame& frame,
                                 const linear_algebra::Threads& threads) {
      absl::StatusOr<lapack::Call> call =
          lapack::Call::Make(frame, routine.signature, type, threads);
      return call.ok() ? run(*call) : call.status();
    };
  }
  return {};
}

}  // namespace sinter
