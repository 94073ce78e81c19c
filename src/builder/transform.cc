// Fourier transforms and random numbers.

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

Op Random(RandomDistribution distribution, const Operand& a, const Operand& b, const Shape& shape) {
  return Record({&a, &b}, Name(HloOpcode::Rng),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  RETURN_IF_ERROR(CheckShape(shape));
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(a, shape.element_type()));
                  ASSIGN_OR_RETURN(HloInstruction * y, r.Find(b, shape.element_type()));
                  return r.Add(HloOpcode::Rng, {x, y}, RngAttrs{distribution}, {}, &shape);
                });
}

}  // namespace

Op Fft(const Operand& operand, FftType fft_type, absl::Span<const int64_t> fft_length) {
  return Record({&operand}, Name(HloOpcode::Fft),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
                  return r.Add(HloOpcode::Fft, {x},
                               FftAttrs{fft_type, Dims(fft_length.begin(), fft_length.end())});
                });
}

Op RngBitGenerator(RandomAlgorithm algorithm, const Operand& initial_state, const Shape& shape) {
  return Record({&initial_state}, Name(HloOpcode::RngBitGenerator),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  RETURN_IF_ERROR(CheckShape(shape));
                  ASSIGN_OR_RETURN(HloInstruction * state, r.Find(initial_state.op()));
                  const Shape result = Shape::Tuple({state->shape(), shape});
                  return r.Add(HloOpcode::RngBitGenerator, {state}, RngBitGeneratorAttrs{algorithm},
                               {}, &result);
                });
}

Op RngUniform(const Operand& a, const Operand& b, const Shape& shape) {
  return Random(RandomDistribution::kUniform, a, b, shape);
}
Op RngNormal(const Operand& mu, const Operand& sigma, const Shape& shape) {
  return Random(RandomDistribution::kNormal, mu, sigma, shape);
}

}  // namespace sinter
