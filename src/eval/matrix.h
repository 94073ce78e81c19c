// A matrix of a batch in the precision in which the interpreter computes.
#pragma once

#include <complex>
#include <vector>

#include "eval/elements.h"

namespace sinter::eval {

using Wide = std::complex<long double>;

class Matrix {
 public:
  Matrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<size_t>(rows * columns)) {}
  // Matrix number `index` of those in the last two dimensions.
  Matrix(const Literal& from, int64_t index)
      : Matrix(from.shape().dimension(from.shape().rank() - 2),
               from.shape().dimension(from.shape().rank() - 1)) {
    Load(from, index);
  }

  void Load(const Literal& from, int64_t index) {
    for (size_t i = 0; i < elements_.size(); ++i) {
      const int64_t at = index * rows_ * columns_ + static_cast<int64_t>(i);
      if (IsComplex(from.shape().element_type())) {
        elements_[i] = Wide(LoadOne<Complex>(from, at));
      } else {
        elements_[i] = Wide(LoadOne<double>(from, at));
      }
    }
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  Wide& operator()(int64_t i, int64_t j) {
    return elements_[static_cast<size_t>(i * columns_ + j)];
  }

  void StoreTo(Literal& to, int64_t index) const {
    for (size_t i = 0; i < elements_.size(); ++i) {
      const int64_t at = index * rows_ * columns_ + static_cast<int64_t>(i);
      const Complex c(elements_[i]);
      const double real = c.real();
      if (IsComplex(to.shape().element_type())) {
        Store(to, at, 1, &c);
      } else {
        Store(to, at, 1, &real);
      }
    }
  }

 private:
  int64_t rows_, columns_;
  std::vector<Wide> elements_;
};

inline int64_t MatrixCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < shape.rank(); ++d) count *= shape.dimension(d);
  return count;
}

}  // namespace sinter::eval
