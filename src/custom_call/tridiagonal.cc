#include "custom_call/tridiagonal.h"

#include <cmath>

#include "custom_call/lapack_call.h"

namespace sinter {
namespace {

using lapack::Call;
using lapack::RealOf;

// One row of the triangle: its elements on the diagonal and in the two columns behind it.
template <class T>
struct Row {
  T pivot = 0, next = 0, second = 0;

  RealOf<T> Largest() const {
    return std::max({std::abs(pivot), std::abs(next), std::abs(second)});
  }
};

template <class T>
class System {
 public:
  using R = RealOf<T>;

  System(const T* below, const T* diagonal, const T* above, T* x, int64_t n, int64_t columns)
      : below_(below), diagonal_(diagonal), above_(above), x_(x), n_(n), columns_(columns) {}

  // What x holds, the right-hand sides, becomes the solution.
  void Solve() {
    Eliminate();
    const R step = std::numeric_limits<R>::epsilon() * largest_;
    for (int64_t k = n_ - 1; k >= 0; --k) {
      const Row<T>& row = rows_[static_cast<size_t>(k)];
      if (k + 1 < n_) Subtract(k, row.next, k + 1);
      if (k + 2 < n_) Subtract(k, row.second, k + 2);
      const T reciprocal = T(1) / SafePivot(row.pivot, step, k);
      for (int64_t j = 0; j < columns_; ++j) At(k, j) *= reciprocal;
    }
  }

 private:
  T& At(int64_t row, int64_t column) { return x_[column * n_ + row]; }
  void Subtract(int64_t row, T factor, int64_t other) {
    for (int64_t j = 0; j < columns_; ++j) At(row, j) -= factor * At(other, j);
  }

  // Rows of the triangle, and the right-hand sides changed as the rows are. A row is exchanged
  // with the next where the next one's element is larger in proportion to its row.
  void Eliminate() {
    auto above = [&](int64_t k) { return k + 1 < n_ ? above_[k] : T(0); };
    rows_.assign(static_cast<size_t>(n_), {});
    if (n_ == 0) return;
    Row<T> current{diagonal_[0], above(0)};
    largest_ = current.Largest();
    R scale = std::abs(current.pivot) + std::abs(current.next);
    for (int64_t k = 0; k + 1 < n_; ++k) {
      const T leading = below_[k + 1];
      Row<T> next{diagonal_[k + 1], above(k + 1)};
      const R next_scale = std::abs(leading) + std::abs(next.pivot) + std::abs(next.next);
      const R here = current.pivot == T(0) ? R(0) : std::abs(current.pivot) / scale;
      if (leading == T(0)) {
        scale = next_scale;
      } else if (std::abs(leading) / next_scale <= here) {
        const T factor = leading / current.pivot;
        next.pivot -= factor * current.next;
        Subtract(k + 1, factor, k);
        scale = next_scale;
      } else {
        const T factor = current.pivot / leading;
        const Row<T> upper{leading, next.pivot, next.next};
        next = {current.next - factor * next.pivot, -factor * next.next};
        current = upper;
        for (int64_t j = 0; j < columns_; ++j) std::swap(At(k, j), At(k + 1, j));
        Subtract(k + 1, factor, k);
        scale = std::abs(next.pivot) + std::abs(next.next);
      }
      // jaxlib leaves the last but one out; solutions of singular systems depend on it.
      if (k + 2 < n_) largest_ = std::max(largest_, current.Largest());
      rows_[static_cast<size_t>(k)] = current;
      current = next;
    }
    rows_.back() = current;
    largest_ = std::max(largest_, std::abs(current.pivot));
  }

  // A pivot by which row `k` of the right-hand sides can be divided without overflow: the row's
  // own, moved by `step` and its doubles, or scaled together with the row.
  T SafePivot(T pivot, R step, int64_t k) {
    constexpr R kLeast = std::numeric_limits<R>::min(), kMost = 1 / kLeast;
    R largest = 0;
    for (int64_t j = 0; j < columns_; ++j) largest = std::max(largest, std::abs(At(k, j)));
    step = std::copysign(std::max(step, kLeast), std::real(pivot));
    for (R size = std::abs(pivot); size < 1; size = std::abs(pivot)) {
      const bool tiny = size < kLeast;
      if (tiny ? size == 0 || largest * kLeast > size : largest > size * kMost) {
        pivot += step;
        step *= 2;
      } else {
        if (!tiny) break;
        for (int64_t j = 0; j < columns_; ++j) At(k, j) *= kMost;
        pivot *= kMost;
        break;
      }
    }
    return pivot;
  }

  const T *below_, *diagonal_, *above_;
  T* x_;
  int64_t n_, columns_;
  std::vector<Row<T>> rows_;
  R largest_ = 0;
};

template <class T>
absl::Status Solve(const CustomCallFrame& frame, char type) {
  ASSIGN_OR_RETURN(Call c, Call::Make(frame, "T[n] T[n] T[n] T[nr] -> T[nr]", type, {}));
  c.Copy(3, 0);
  for (int64_t b = 0; b < c.batch(); ++b) {
    System<T>(c.In<T>(0, b), c.In<T>(1, b), c.In<T>(2, b), c.Out<T>(0, b), c['n'], c['r']).Solve();
  }
  return absl::OkStatus();
}

absl::Status SolveAny(const CustomCallFrame& frame) {
  RETURN_IF_ERROR(internal::CheckCustomCallCounts(frame, 4, 1));
  const ElementType t = frame.operands[1].shape->element_type();
  switch (t) {
    case ElementType::F32:
      return Solve<float>(frame, 's');
    case ElementType::F64:
      return Solve<double>(frame, 'd');
    case ElementType::C64:
      return Solve<std::complex<float>>(frame, 'c');
    case ElementType::C128:
      return Solve<std::complex<double>>(frame, 'z');
    default:
      return InvalidArgument("a tridiagonal system of {}", Name(t));
  }
}

}  // namespace

CustomCallFunction FindTridiagonalSolve(std::string_view target) {
  return target == "tridiagonal_solve_perturbed_ffi" ? CustomCallFunction(SolveAny)
                                                     : CustomCallFunction();
}

}  // namespace sinter
