#include "ir/analysis/row_operations.h"

#include "absl/algorithm/container.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/scalar_computation.h"

namespace sinter {
namespace {

// Whether the long dimensions of a broadcast's operand are the result's first ones, in order.
bool KeepsOrder(const HloInstruction& broadcast) {
  const Dims to = LongDims(broadcast.shape());
  const Dims from = LongDims(broadcast.operand(0)->shape());
  for (size_t k = 0; k < from.size(); ++k)
    if (broadcast.dimensions()[static_cast<size_t>(from[k])] != to[k]) return false;
  return true;
}

bool MovesShortOnly(const HloInstruction& transpose) {
  int64_t before = -1;
  for (int64_t d : transpose.dimensions()) {
    if (transpose.operand(0)->shape().dimension(d) == 1) continue;
    if (d < before) return false;
    before = d;
  }
  return true;
}

}  // namespace

Dims LongDims(const Shape& s) {
  Dims dims;
  for (int64_t d = 0; d < s.rank(); ++d)
    if (s.dimension(d) != 1) dims.push_back(d);
  return dims;
}

Dims LongSizes(const Shape& s) {
  Dims sizes;
  for (int64_t d : LongDims(s)) sizes.push_back(s.dimension(d));
  return sizes;
}

bool AreWholeRows(const Shape& s, const Dims& dims) {
  const Dims rows = LongDims(s);
  const auto summed = absl::c_count_if(dims, [&](int64_t d) { return s.dimension(d) != 1; });
  return summed == 1 && absl::c_linear_search(dims, rows.back());
}

RowOperations::RowOperations(const Shape& shape) : full_(LongSizes(shape)), values_(full_) {
  if (!values_.empty()) values_.pop_back();
}

bool RowOperations::Has(const HloInstruction& i) const {
  if (!i.shape().is_array() || !(HasRows(i) || HasRowValues(i))) return false;
  if (IsElementwise(i.op())) return true;
  if (i.operands().empty() || !i.operand(0)->shape().is_array()) return false;
  const HloInstruction& x = *i.operand(0);
  const bool same = HasRows(x) == HasRows(i) && HasRowValues(x) == HasRowValues(i);
  switch (i.op()) {
    case HloOpcode::Reduce:
      return HasRowValues(i) && HasRows(x) && i.operands().size() == 2 &&
             AreWholeRows(x.shape(), i.dimensions()) && IsScalarComputation(*i.called(0));
    case HloOpcode::Broadcast:
      return (same || (HasRows(i) && HasRowValues(x))) && KeepsOrder(i);
    case HloOpcode::Reshape:
      return same && OperandIndexMap(i, 0).has_value();
    case HloOpcode::Transpose:
      return same && MovesShortOnly(i);
    default:
      return false;
  }
}

}  // namespace sinter
