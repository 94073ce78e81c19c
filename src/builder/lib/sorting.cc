#include "sinter/lib/sorting.h"

#include "builder/lib/compose.h"
#include "sinter/lib/comparators.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/slicing.h"

namespace sinter {
namespace {

struct Best {
  Op values, indices;
};

// The first k of each row in descending order. Positions of equal values stay in their order.
Best Largest(Builder* b, Op values, Op indices, ElementType type, ElementType index_type,
             int64_t rank, int64_t k) {
  Op sorted = Sort({values, indices}, CreateScalarGtComputation({type, index_type}, b), rank - 1,
                   /*is_stable=*/true);
  auto first = [&](int64_t element) {
    // k is static also where the row is not.
    Op all = RemoveDynamicDimension(GetTupleElement(sorted, element), rank - 1);
    return SliceInDim(all, 0, k, 1, rank - 1);
  };
  return {first(0), first(1)};
}

// Positions along the last dimension, of the input's dynamic sizes.
Op Positions(Builder* b, const Operand& input, const Shape& shape, ElementType index_type) {
  Op iota = Iota(b, Shape(index_type, shape.dimensions()), shape.rank() - 1);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic(i)) iota = SetDimensionSize(iota, GetDimensionSize(input, i), i);
  }
  return iota;
}

absl::StatusOr<Shape> CheckedTopKShape(const Operand& input, int64_t k, ElementType index_type) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(input.op(), 1));
  if (k < 0 || k > shape.dimensions().back())
    return InvalidArgument("the {} largest of the rows of {}", k, shape.ToString());
  if (!IsInteger(index_type)) return InvalidArgument("{} indices", Name(index_type));
  return shape;
}

}  // namespace

Op TopK(const Operand& input, int64_t k, ElementType index_type) {
  return Compose("top-k", input, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, CheckedTopKShape(input, k, index_type));
    Best best = Largest(b, input.op(), Positions(b, input, shape, index_type), shape.element_type(),
                        index_type, shape.rank(), k);
    return Tuple(b, {best.values, best.indices});
  });
}

Op TopKWithPartitions(const Operand& input, int64_t k, int64_t num_partitions,
                      ElementType index_type) {
  return Compose("top-k-with-partitions", input, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, CheckedTopKShape(input, k, index_type));
    if (num_partitions < 1) return InvalidArgument("{} partitions", num_partitions);
    const int64_t rank = shape.rank(), last = rank - 1, size = shape.dimensions().back();
    const int64_t part = CeilOfRatio(size, num_partitions);
    if (k >= part || shape.is_dynamic(last)) return TopK(input, k, index_type);

    const ElementType type = shape.element_type();
    Op positions = Positions(b, input, shape, index_type);
    // The best so far come first, so that of equal elements the earlier ones stay.
    auto better = [&](Builder* builder, const Best& best, Op more, Op more_indices) {
      return Largest(builder, ConcatInDim(builder, {best.values, more}, last),
                     ConcatInDim(builder, {best.indices, more_indices}, last), type, index_type,
                     rank, k);
    };
    auto body = [&](Op number, absl::Span<const Op> v,
                    Builder* inner) -> absl::StatusOr<std::vector<Op>> {
      Op at = (number + 1) * part;
      Best best = better(inner, {v[0], v[1]}, DynamicSliceInMinorDims(v[2], {at}, {part}),
                         DynamicSliceInMinorDims(v[3], {at}, {part}));
      return std::vector<Op>{best.values, best.indices, v[2], v[3]};
    };
    auto cut = [&](Op x, int64_t from, int64_t to) { return SliceInDim(x, from, to, 1, last); };
    Best best =
        Largest(b, cut(input.op(), 0, part), cut(positions, 0, part), type, index_type, rank, k);
    const int64_t whole = size / part;
    ASSIGN_OR_RETURN(std::vector<Op> values,
                     ForEachIndex(whole - 1, index_type, body,
                                  {best.values, best.indices, input.op(), positions}, "top-k", b));
    if (whole * part < size) {
      best = better(b, {values[0], values[1]}, cut(input.op(), whole * part, size),
                    cut(positions, whole * part, size));
      return Tuple(b, {best.values, best.indices});
    }
    return Tuple(b, {values[0], values[1]});
  });
}

}  // namespace sinter
