// Counter-based random numbers (xla/hlo/builder/lib/prng.h): bits of J. Salmon et al., Parallel
// Random Numbers: As Easy as 1, 2, 3, SC 2011, in XLA's order, and distributions made of them.
//
//   sinter::RngOutput r = sinter::NormalFloatingPointDistribution(
//       key, state, sinter::PhiloxBitGenerator, sinter::Shape(sinter::ElementType::F32, {2, 3}));
#pragma once

#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/shape.h"

namespace sinter {

// Random values, and the state from which to generate the next ones.
struct RngOutput {
  Op value;
  Op state;
};

// Bits of `shape` from a key and a state: unsigned integers of the width of the shape's type. Of
// types below 32 bits each element is the low part of 32 bits.
using BitGeneratorTy = std::function<RngOutput(Op key, Op initial_state, const Shape& shape)>;

// Threefry-2x32, 20 rounds: key U64[], state U64[] or U64[1], the counter. Integers and floats of 8
// to 64 bits; Unimplemented for other types.
SINTER_API RngOutput ThreeFryBitGenerator(const Operand& key, const Operand& initial_state,
                                          const Shape& shape);
// Philox-4x32, 10 rounds: key U64[], state U64[2], the counter, its low half first.
SINTER_API RngOutput PhiloxBitGenerator(const Operand& key, const Operand& initial_state,
                                        const Shape& shape);
// A state U64[2] and a key U64[] for Philox from a key U64[] of which any bits may be weak.
SINTER_API std::pair<Op, Op> ScramblePhiloxKey(const Operand& key);
// The state of Philox after `delta`, U64[], steps of 128 bits.
SINTER_API Op PhiloxIncreaseCounter(const Operand& counter, const Operand& delta);

// Uniform floats of at least minval and less than maxval, scalars of the shape's type, which the
// result has.
SINTER_API RngOutput UniformFloatingPointDistribution(const Operand& key,
                                                      const Operand& initial_state,
                                                      const BitGeneratorTy& bit_generator,
                                                      const Operand& minval, const Operand& maxval,
                                                      const Shape& shape);
// The same for integers, S32, U32, S64, U64. The remainder of random bits, so that the first values
// come a little more often than the last where the range is no power of two.
SINTER_API RngOutput UniformIntDistribution(const Operand& key, const Operand& initial_state,
                                            const BitGeneratorTy& bit_generator,
                                            const Operand& minval, const Operand& maxval,
                                            const Shape& shape);
// Normal floats of mean 0 and deviation 1, F16, F32, F64 (G. Box, M. Muller, A Note on the
// Generation of Random Normal Deviates, Annals of Mathematical Statistics 29, 1958).
SINTER_API RngOutput NormalFloatingPointDistribution(const Operand& key,
                                                     const Operand& initial_state,
                                                     const BitGeneratorTy& bit_generator,
                                                     const Shape& shape);

// Scalars of one type as a vector.
SINTER_API Op ConcatScalars(Builder* builder, absl::Span<const Op> scalars);

}  // namespace sinter
