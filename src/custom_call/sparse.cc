#include "custom_call/sparse.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "base/status.h"

namespace sinter {
namespace {

struct Sizes {
  int64_t entries, rows, columns, width;  // of the dense sides
};

absl::StatusOr<Sizes> SizesOf(const CustomCallFrame& frame) {
  const Shape &entries = *frame.operands[0].shape, &starts = *frame.operands[1].shape,
              &columns = *frame.operands[2].shape, &right = *frame.operands[3].shape,
              &result = *frame.results[0].shape;
  const bool is_one_type = right.element_type() == entries.element_type() &&
                           result.element_type() == entries.element_type() &&
                           columns.element_type() == starts.element_type();
  const bool fits = entries.rank() == 1 && starts.rank() == 1 && starts.dimension(0) > 0 &&
                    columns.dimensions() == entries.dimensions() &&
                    (right.rank() == 1 || right.rank() == 2) && result.rank() == right.rank() &&
                    result.dimension(0) + 1 == starts.dimension(0) &&
                    (right.rank() == 1 || result.dimension(1) == right.dimension(1));
  if (!is_one_type || !fits) {
    return InvalidArgument("entries {}, rows {}, columns {} and right-hand side {} do not give {}",
                           entries.ToString(), starts.ToString(), columns.ToString(),
                           right.ToString(), result.ToString());
  }
  return Sizes{entries.dimension(0), result.dimension(0), right.dimension(0),
               right.rank() == 2 ? right.dimension(1) : 1};
}

template <class T, class Index>
absl::Status Multiply(const CustomCallFrame& frame, const Sizes& s) {
  const auto* entries = static_cast<const T*>(frame.operands[0].data);
  const auto* starts = static_cast<const Index*>(frame.operands[1].data);
  const auto* columns = static_cast<const Index*>(frame.operands[2].data);
  const auto* right = static_cast<const T*>(frame.operands[3].data);
  auto* result = static_cast<T*>(frame.results[0].data);
  for (int64_t row = 0; row < s.rows; ++row) {
    const int64_t begin = starts[row], end = starts[row + 1];
    if (begin < 0 || end < begin || end > s.entries)
      return InvalidArgument("row {} has entries {} to {} of {}", row, begin, end, s.entries);
    T* sums = result + row * s.width;
    std::fill_n(sums, s.width, T(0));
    for (int64_t e = begin; e < end; ++e) {
      const int64_t column = columns[e];
      if (column < 0 || column >= s.columns)
        return InvalidArgument("entry {} is in column {} of {}", e, column, s.columns);
      const T* x = right + column * s.width;
      for (int64_t j = 0; j < s.width; ++j) sums[j] += entries[e] * x[j];
    }
  }
  return absl::OkStatus();
}

template <class T>
absl::Status Multiply(const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(frame));
  switch (const ElementType index = frame.operands[1].shape->element_type()) {
    case ElementType::S32:
      return Multiply<T, int32_t>(frame, sizes);
    case ElementType::S64:
      return Multiply<T, int64_t>(frame, sizes);
    default:
      return InvalidArgument("a sparse matrix with indices of {}", Name(index));
  }
}

absl::Status MultiplyAny(const CustomCallFrame& frame) {
  RETURN_IF_ERROR(internal::CheckCustomCallCounts(frame, 4, 1));
  switch (const ElementType type = frame.operands[0].shape->element_type()) {
    case ElementType::F32:
      return Multiply<float>(frame);
    case ElementType::F64:
      return Multiply<double>(frame);
    case ElementType::C64:
      return Multiply<std::complex<float>>(frame);
    case ElementType::C128:
      return Multiply<std::complex<double>>(frame);
    case ElementType::S32:  // sums wrap
      return Multiply<uint32_t>(frame);
    case ElementType::S64:
      return Multiply<uint64_t>(frame);
    default:
      return InvalidArgument("a sparse matrix of {}", Name(type));
  }
}

}  // namespace

CustomCallFunction FindSparseProduct(std::string_view target) {
  return target == "cpu_csr_sparse_dense_ffi" ? CustomCallFunction(MultiplyAny)
                                              : CustomCallFunction();
}

}  // namespace sinter
