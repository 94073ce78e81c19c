// Shape rules of Fourier transforms and random numbers.

#include "ir/ops/rule.h"

namespace sinter::infer {

absl::StatusOr<Shape> Fft(const InferInput& in) {
  const auto& a = in.as<FftAttrs>();
  REQUIRE(in.operands.size() == 1 || in.operands.size() == 2, "takes 1 operand, got {}",
          in.operands.size());
  Shape x = in.operand(0);
  const auto count = static_cast<int64_t>(a.fft_length.size());
  REQUIRE(1 <= count && count <= 3, "(C3) 1 to 3 dimensions are transformed, not {}", count);
  REQUIRE(count <= x.rank(), "(C1) {} dimensions of an operand of rank {} are transformed", count,
          x.rank());
  if (in.operands.size() == 2) {
    REQUIRE(x == in.operand(1) && a.fft_type != FftType::kRfft &&
                (x.element_type() == ElementType::F32 || x.element_type() == ElementType::F64),
            "of two operands, the parts of complex numbers, both are of f32 or f64");
    x.set_element_type(x.element_type() == ElementType::F64 ? ElementType::C128 : ElementType::C64);
  }
  REQUIRE(a.trailing >= 0 && a.trailing <= x.rank() - count, "trailing={} of a rank of {}",
          a.trailing, x.rank());
  const ElementType t = x.element_type();
  const bool from_real = a.fft_type == FftType::kRfft, to_real = a.fft_type == FftType::kIrfft;
  if (from_real) {
    REQUIRE(t == ElementType::F32 || t == ElementType::F64,
            "(C2) the operand of an RFFT is of f32 or f64");
  } else {
    REQUIRE(IsComplex(t), "(C2) the operand of an {} is complex", Name(a.fft_type));
  }
  REQUIRE(a.trailing == 0 || (!from_real && !to_real), "trailing={} of real numbers", a.trailing);
  // The lengths are those of the side that may be real.
  Dims dims = x.dimensions();
  for (int64_t k = 0; k < count; ++k) {
    const int64_t length = a.fft_length[static_cast<size_t>(k)],
                  d = x.rank() - a.trailing - count + k;
    REQUIRE(length >= 0, "fft_length must not be negative");
    int64_t& extent = dims[static_cast<size_t>(d)];
    if (to_real && k == count - 1) {
      const int64_t half = length == 0 ? 0 : length / 2 + 1;
      REQUIRE(extent == half, "(C5) dimension {} of the operand of an IRFFT of length {} is {}", d,
              length, half);
      extent = length;
    } else {
      REQUIRE(extent == length, "(C4) fft_length {} must be that of the operand's last dimensions",
              Text(a.fft_length));
    }
  }
  if (from_real) dims.back() = dims.back() == 0 ? 0 : dims.back() / 2 + 1;
  const bool is_double = t == ElementType::F64 || t == ElementType::C128;
  ElementType result = t;
  if (from_real) result = is_double ? ElementType::C128 : ElementType::C64;
  if (to_real) result = is_double ? ElementType::F64 : ElementType::F32;
  return MakeResult(result, dims);
}

// Where the result has dynamic dimensions there are as many numbers as their bounds say: no operand
// is a size. Numbers of fewer are the first ones along each dimension of those, which
// set-dimension-size takes, as in XLA.
absl::StatusOr<Shape> Rng(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  const Shape &a = in.operand(0), &b = in.operand(1), &result = *in.declared;
  REQUIRE(a.is_array() && b.is_array() && a.rank() == 0 && b.rank() == 0,
          "the operands must be scalars");
  REQUIRE(result.is_array() && a.element_type() == b.element_type() &&
              a.element_type() == result.element_type(),
          "(C1) operands and result must have one element type");
  if (in.as<RngAttrs>().distribution == RandomDistribution::kNormal) {
    REQUIRE(IsFloat(a.element_type()), "(C2) a normal distribution is of floats");
  }
  return result;
}

// The state is of 128 bits.
absl::StatusOr<Shape> RngState(const InferInput&) { return Shape(ElementType::U64, {2}); }

// With dynamic dimensions as Rng.
absl::StatusOr<Shape> RngBitGenerator(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  const Shape &state = in.operand(0), &result = *in.declared;
  REQUIRE(state.element_type() == ElementType::U64 && state.rank() == 1,
          "the state must be a vector of u64");
  const int64_t words = state.dimension(0);
  const bool three_fry = in.as<RngBitGeneratorAttrs>().algorithm == RandomAlgorithm::kThreeFry;
  REQUIRE(words == 2 || (words == 3 && !three_fry), "(C2) the state has {} words, not {}",
          three_fry ? "2" : "2 or 3", words);
  REQUIRE(result.is_tuple() && result.tuple_shapes().size() == 2,
          "the result must be a tuple of state and numbers");
  REQUIRE(SameType(result.tuple_shapes()[0], state),
          "(C1) the new state must have the shape of the old one");
  const Shape& numbers = result.tuple_shapes()[1];
  REQUIRE(numbers.is_array() &&
              (IsInteger(numbers.element_type()) || IsFloat(numbers.element_type())) &&
              BitWidth(numbers.element_type()) >= 8,
          "the numbers must be integers or floats of whole bytes");
  return result;
}

}  // namespace sinter::infer
