#include "sinter/lib/approx_topk.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "builder/lib/compose.h"
#include "sinter/lib/approx_topk_shape.h"

namespace sinter {
namespace {

// A tile of operands of rank 1, of others.
constexpr int64_t kTileOfVector = 1024, kTile = 128;

int64_t Log2Ceiling(int64_t x) { return x <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(x - 1)); }
int64_t Log2Floor(int64_t x) { return std::bit_width(static_cast<uint64_t>(x)) - 1; }

// The shapes of the operands, which must have equal dimensions and the types of their initial
// values.
absl::StatusOr<std::vector<Shape>> CheckedOperandShapes(Builder* b, absl::Span<const Op> operands,
                                                        absl::Span<const Op> init_values,
                                                        int64_t top_k, int64_t dim) {
  if (operands.empty() || operands.size() != init_values.size())
    return InvalidArgument("{} operands, {} initial values", operands.size(), init_values.size());
  std::vector<Shape> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(Shape shape, b->GetShape(operands[i]));
    ASSIGN_OR_RETURN(Shape init, b->GetShape(init_values[i]));
    if (!shape.is_array() || !Shape::Compatible(init, Shape(shape.element_type()))) {
      return InvalidArgument("operand {} is {}, its initial value {}", i, shape.ToString(),
                             init.ToString());
    }
    shapes.push_back(shape);
    if (!shape.SameDimensions(shapes[0])) {
      return InvalidArgument("the operands {} and {} differ", shapes[0].ToString(),
                             shape.ToString());
    }
  }
  if (dim < 0 || dim >= shapes[0].rank())
    return InvalidArgument("dimension {} of {}", dim, shapes[0].ToString());
  if (top_k < 1 || top_k > shapes[0].dimension(dim)) {
    return InvalidArgument("the first {} along dimension {} of {}", top_k, dim,
                           shapes[0].ToString());
  }
  return shapes;
}

// Runs `record` for the builder; an error becomes the builder's.
template <class F>
Op ForBuilder(std::string_view name, Builder* builder, F record) {
  if (builder == nullptr) return Op();
  if (!builder->first_error().ok()) return BuilderImpl::Nothing(builder);
  absl::StatusOr<Op> made = record();
  return made.ok() ? *made : Refuse(builder, name, SourceLocation::current(), made.status());
}

}  // namespace

absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override) {
  using Result = std::pair<int64_t, int64_t>;
  if (aggregate_to_topk) return Result(top_k, -1);
  const int64_t tile = rank == 1 ? kTileOfVector : kTile;
  const Result all(input_size, 0);
  if (input_size <= tile) return all;
  if (input_size_override >= 0 && input_size_override < input_size) {
    return InvalidArgument("a size of {} in the place of {}, which is larger", input_size_override,
                           input_size);
  }
  const int64_t logical_size = input_size_override >= 0 ? input_size_override : input_size;
  if (top_k == 1) return Result(tile, Log2Ceiling(CeilOfRatio(logical_size, tile)));
  if (recall_target == 1.0f) return all;
  if (!(recall_target > 0) || recall_target > 1)
    return InvalidArgument("a recall of {} is not in (0, 1]", recall_target);
  // Of k largest in m windows ((m - 1) / m)^(k - 1), about exp((1 - k) / m), are alone.
  const double wanted = (1.0 - static_cast<double>(top_k)) / std::log(double{recall_target});
  const int64_t windows = wanted >= static_cast<double>(input_size)
                              ? input_size
                              : std::min(std::max(static_cast<int64_t>(wanted), tile), input_size);
  const int64_t ratio = Log2Floor(logical_size / windows);
  if (ratio == 0) return all;
  const int64_t log2 = std::min(ratio, Log2Ceiling(input_size / tile));
  return Result(CeilOfRatio(CeilOfRatio(input_size, tile), int64_t{1} << log2) * tile, log2);
}

Op AggregateToTopKBuilder(Builder* builder, absl::Span<const Op> operands,
                          absl::Span<const Op> init_values, int64_t top_k, int64_t reduction_dim,
                          const Computation& comparator) {
  return ForBuilder("aggregate-to-top-k", builder, [&]() -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(std::vector<Shape> shapes,
                     CheckedOperandShapes(builder, operands, init_values, top_k, reduction_dim));
    const size_t count = operands.size();
    std::vector<Op> results;
    if (top_k == 1) {
      // The comparator takes the two elements of each operand side by side, the reduction all of
      // one and then all of the other.
      auto first = [&](absl::Span<const Op> both) {
        std::vector<Op> pairs, chosen;
        for (size_t i = 0; i < count; ++i) pairs.insert(pairs.end(), {both[i], both[count + i]});
        Op before = Call(both[0].builder(), comparator, pairs);
        for (size_t i = 0; i < count; ++i)
          chosen.push_back(Select(before, both[i], both[count + i]));
        return count == 1 ? chosen[0] : Tuple(both[0].builder(), chosen);
      };
      Op reduced = Reduce(builder, operands, init_values, first, {reduction_dim});
      std::vector<int64_t> sizes = shapes[0].dimensions();
      sizes[static_cast<size_t>(reduction_dim)] = 1;
      for (size_t i = 0; i < count; ++i) {
        Op one = count == 1 ? reduced : GetTupleElement(reduced, static_cast<int64_t>(i));
        results.push_back(Reshape(one, sizes));
      }
      return Tuple(builder, results);
    }
    Op sorted = Sort(operands, comparator, reduction_dim);
    for (size_t i = 0; i < count; ++i) {
      Op one = count == 1 ? sorted : GetTupleElement(sorted, static_cast<int64_t>(i));
      results.push_back(SliceInDim(one, 0, top_k, 1, reduction_dim));
    }
    return Tuple(builder, results);
  });
}

namespace {

// With `unreduced_as_is`, operands of which nothing would be left out are returned in their order.
Op RecordApproxTopK(Builder* builder, absl::Span<const Op> operands,
                    absl::Span<const Op> init_values, int64_t top_k, int64_t reduction_dim,
                    const Computation& comparator, float recall_target, bool aggregate_to_topk,
                    int64_t reduction_input_size_override, bool unreduced_as_is) {
  return ForBuilder("approx-top-k", builder, [&]() -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(std::vector<Shape> shapes,
                     CheckedOperandShapes(builder, operands, init_values, top_k, reduction_dim));
    ASSIGN_OR_RETURN(
        auto size, ApproxTopKReductionOutputSize(shapes[0].dimension(reduction_dim),
                                                 shapes[0].rank(), top_k, recall_target,
                                                 aggregate_to_topk, reduction_input_size_override));
    if (unreduced_as_is && !aggregate_to_topk && size.second == 0) return Tuple(builder, operands);
    return AggregateToTopKBuilder(builder, operands, init_values, size.first, reduction_dim,
                                  comparator);
  });
}

}  // namespace

Op ApproxTopK(Builder* builder, absl::Span<const Op> operands, absl::Span<const Op> init_values,
              int64_t top_k, int64_t reduction_dim, const Computation& comparator,
              float recall_target, bool aggregate_to_topk, int64_t reduction_input_size_override) {
  return RecordApproxTopK(builder, operands, init_values, top_k, reduction_dim, comparator,
                          recall_target, aggregate_to_topk, reduction_input_size_override, true);
}

Op ApproxTopKFallback(Builder* builder, absl::Span<const Op> operands,
                      absl::Span<const Op> init_values, int64_t top_k, int64_t reduction_dim,
                      const Computation& comparator, float recall_target, bool aggregate_to_topk,
                      int64_t reduction_input_size_override) {
  return RecordApproxTopK(builder, operands, init_values, top_k, reduction_dim, comparator,
                          recall_target, aggregate_to_topk, reduction_input_size_override, false);
}

}  // namespace sinter
