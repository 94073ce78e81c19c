// reduce: sequential in index order, rounded after every step as the reducer's own operations
// round.
#include <algorithm>

#include "eval/fold.h"

namespace sinter::eval {
namespace {

// The positions of elements in row-major order of some of their coordinates.
class Odometer {
 public:
  void AddDimension(int64_t extent, int64_t stride) {
    extents_.push_back(extent);
    strides_.push_back(stride);
    size_ *= extent;
  }

  // Calls body(position) for each position from `base`.
  template <class Body>
  void ForEach(int64_t base, Body body) const {
    Dims at(extents_.size(), 0);
    for (int64_t i = 0; i < size_; ++i) {
      body(base);
      for (size_t d = extents_.size(); d-- > 0;) {
        base += strides_[d];
        if (++at[d] < extents_[d]) break;
        base -= strides_[d] * extents_[d];
        at[d] = 0;
      }
    }
  }

 private:
  Dims extents_, strides_;
  int64_t size_ = 1;
};

}  // namespace

absl::StatusOr<Value> Reduce(const Input& in) {
  const Dims& dimensions = in.array(0).shape().dimensions();
  const Dims& reduced_dimensions = in.instruction.dimensions();
  Odometer kept, reduced;
  Dims strides = RowMajorStrides(dimensions);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    bool is_reduced = std::count(reduced_dimensions.begin(), reduced_dimensions.end(),
                                 static_cast<int64_t>(d)) != 0;
    (is_reduced ? reduced : kept).AddDimension(dimensions[d], strides[d]);
  }
  int64_t next = 0;
  return Fold(in, FoldOperands(in), [&](auto step) {
    kept.ForEach(0, [&](int64_t base) {
      step(FoldStep{.result = next++}, [&](auto visit) { reduced.ForEach(base, visit); });
    });
  });
}

}  // namespace sinter::eval
