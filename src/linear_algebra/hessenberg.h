// Hessenberg matrices, with zeros below the first diagonal under the main one, and their Schur
// forms. G. Golub and C. Van Loan, Matrix Computations, chapter 7.
#pragma once

#include <utility>

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// Rows and columns [low, high) of a matrix, outside of which it is an upper triangle.
struct Active {
  int64_t low, high;
};

// Q^H a Q is a Hessenberg matrix; Q's reflections stand under it (gehrd). taus has a.rows - 1
// elements.
template <class T>
void MakeHessenberg(const Matrix<T>& a, Active active, T* taus, const Threads& threads);
// Q of these reflections. They are removed from a.
template <class T>
void MakeHessenbergUnitary(const Matrix<T>& a, Active active, const T* taus, const Matrix<T>& q,
                           const Threads& threads);

// A similar matrix of which parts are triangular by permutation alone (Golub and Van Loan 7.5.7).
// LAPACK's gebal.
template <class T>
class Balanced {
 public:
  // Permutes a and, if asked to, scales it by powers of two so that rows and columns are of the
  // same length. (R. James, J. Langou and B. Lowery, On matrix balancing and eigenvector
  // computation, 2014.)
  Balanced(const Matrix<T>& a, bool scale);

  Active active() const { return active_; }
  // Vectors of the matrix before, from those of the balanced one, in the rows of x.
  template <class X>
  void Restore(const Matrix<X>& x, bool left) const;

 private:
  using R = RealOf<T>;
  void Exchange(const Matrix<T>& a, int64_t i, int64_t j);
  void ScaleRowsAndColumns(const Matrix<T>& a);

  Active active_;
  std::vector<std::pair<int64_t, int64_t>> exchanges_;
  std::vector<R> scales_;
};

// The Schur form of a Hessenberg matrix h in its place, z times the unitary matrix that does it;
// real ones keep blocks of two rows for pairs of complex eigenvalues, with equal elements on the
// diagonal (hseqr). Without `z` the eigenvalues alone. 0, or the number of eigenvalues that are not
// known: of rows from the first active one on.
int32_t MakeSchur(const Matrix<float>& h, Active active, const Matrix<float>* z,
                  std::complex<float>* values, const Threads& threads);
int32_t MakeSchur(const Matrix<double>& h, Active active, const Matrix<double>* z,
                  std::complex<double>* values, const Threads& threads);
int32_t MakeSchur(const Matrix<std::complex<float>>& h, Active active,
                  const Matrix<std::complex<float>>* z, std::complex<float>* values,
                  const Threads& threads);
int32_t MakeSchur(const Matrix<std::complex<double>>& h, Active active,
                  const Matrix<std::complex<double>>* z, std::complex<double>* values,
                  const Threads& threads);

}  // namespace sinter::linear_algebra
