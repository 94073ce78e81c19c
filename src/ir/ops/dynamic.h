// Dynamic dimensions: which dimensions of a result have sizes that follow from those of operands.
#pragma once

#include <vector>

#include "ir/ops/op.h"

namespace sinter {

// The size of dimension `dimension` of the result (of element `element`, where the result is a
// tuple) follows from that of a dimension of an operand: it is the same, but for slices, pads,
// concatenations, reshapes and windows, which compute it from that.
struct SizeSource {
  int64_t element = 0, dimension = 0;
  int64_t operand = 0, operand_dimension = 0;
};

// The sources of a result of `result`'s sizes, those of static dimensions too. Nothing for
// operations whose results have static sizes, and for the flow of control, where values bring their
// sizes along. InvalidArgument where the operation leaves open which dimension of the result has
// the size: a reshape of dynamic dimensions that the declared shape does not explain.
absl::StatusOr<std::vector<SizeSource>> SizeSources(HloOpcode op, const InferInput& in,
                                                    const Shape& result);

// Marks what follows from dynamic dimensions of operands as dynamic in `result`.
absl::Status MarkDynamic(HloOpcode op, const InferInput& in, Shape& result);

// Whether a value of shape `actual` is one of `declared`: the same, and no dimension is dynamic but
// those that are so there.
bool TakesDynamic(const Shape& declared, const Shape& actual);

// Unimplemented where a Fourier transform of `operand` is along dynamic dimensions: its lengths are
// attributes, so that no program can say that they are sizes.
absl::Status CheckTransformed(const FftAttrs& attrs, const Shape& operand);

// `shape`, in which the dimensions that are dynamic in `other` are dynamic too.
Shape WithDynamicOf(Shape shape, const Shape& other);

// Runs of dimensions of a reshape's operand and result that have equally many elements, as short as
// possible: [from, from_end) becomes [to, to_end). Both have as many elements, by their bounds.
struct ReshapeRun {
  int64_t from = 0, from_end = 0, to = 0, to_end = 0;
};
std::vector<ReshapeRun> ReshapeRuns(const Dims& from, const Dims& to);

// The shape that a reshape of `operand` to `sizes` has where nobody says what becomes dynamic: of
// the dimensions that a dynamic one becomes a part of, the most major that is not 1.
Shape ReshapedShape(const Shape& operand, const Dims& sizes);

}  // namespace sinter
