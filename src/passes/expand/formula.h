// Formulas over arrays of equal dimensions, written with operators.
//
//   Formula f(computation, origin);
//   Array y = f.Convert(x, ElementType::F32) * f.Like(x, 0.5);
#pragma once

#include "ir/module.h"

namespace sinter::expand {

class Formula;

struct Array {
  Formula* f = nullptr;
  HloInstruction* i = nullptr;
  const Shape& shape() const { return i->shape(); }
  ElementType type() const { return i->shape().element_type(); }
};

class Formula {
 public:
  // Instructions are added to `c` and carry the metadata of `origin`, for which they stand.
  Formula(HloComputation& c, const HloInstruction& origin) : c_(c), origin_(origin) {}
  Formula(const Formula&) = delete;

  Array Of(HloInstruction* i) { return {this, i}; }
  Array Add(HloOpcode op, Shape shape, absl::Span<const Array> operands,
            Attributes attrs = NoAttrs{});
  Array Add(HloOpcode op, Shape shape, std::initializer_list<Array> operands,
            Attributes attrs = NoAttrs{}) {
    return Add(op, std::move(shape), absl::MakeConstSpan(operands.begin(), operands.size()),
               std::move(attrs));
  }
  // The operation on operands of equal dimensions; the result has the first one's type.
  Array Elementwise(HloOpcode op, std::initializer_list<Array> operands);

  Array Constant(Literal value) { return {this, c_.AddConstant(std::move(value))}; }
  // One value of a type throughout. The integer's low bits, the real number rounded.
  Array Splat(ElementType type, const Dims& dims, uint64_t value);
  Array Splat(ElementType type, const Dims& dims, double value);
  template <class T>
  Array Like(Array x, T value) {
    if constexpr (std::is_floating_point_v<T>)
      return Splat(x.type(), x.shape().dimensions(), value);
    return Splat(x.type(), x.shape().dimensions(), static_cast<uint64_t>(value));
  }
  Array Iota(ElementType type, const Dims& dims, int64_t dimension);

  Array Convert(Array x, ElementType type);
  Array Bitcast(Array x, ElementType type);
  Array Reshape(Array x, const Dims& dims);
  // Dimension i of x becomes dimension dimensions[i].
  Array Broadcast(Array x, const Dims& dims, const Dims& dimensions);
  Array Transpose(Array x, const Dims& permutation);
  Array Reverse(Array x, int64_t dimension);
  // Elements start <= k < limit along a dimension.
  Array Slice(Array x, int64_t dimension, int64_t start, int64_t limit);
  // Zeros behind the elements of a dimension, up to `extent`.
  Array PadTo(Array x, int64_t dimension, int64_t extent);
  Array Concatenate(std::initializer_list<Array> arrays, int64_t dimension);
  Array Compare(ComparisonDirection direction, Array x, Array y);
  Array Select(Array p, Array x, Array y) { return Elementwise3(p, x, y); }
  Array MakeComplex(Array re, Array im);
  // The real or imaginary part.
  Array Part(HloOpcode op, Array x);

 private:
  Array Elementwise3(Array p, Array x, Array y);

  HloComputation& c_;
  const HloInstruction& origin_;
};

inline Array operator+(Array x, Array y) { return x.f->Elementwise(HloOpcode::Add, {x, y}); }
inline Array operator-(Array x, Array y) { return x.f->Elementwise(HloOpcode::Subtract, {x, y}); }
inline Array operator*(Array x, Array y) { return x.f->Elementwise(HloOpcode::Multiply, {x, y}); }
inline Array operator%(Array x, Array y) { return x.f->Elementwise(HloOpcode::Remainder, {x, y}); }
inline Array operator^(Array x, Array y) { return x.f->Elementwise(HloOpcode::Xor, {x, y}); }
inline Array operator|(Array x, Array y) { return x.f->Elementwise(HloOpcode::Or, {x, y}); }
inline Array And(Array x, Array y) { return x.f->Elementwise(HloOpcode::And, {x, y}); }
inline Array operator<<(Array x, int distance) {
  return x.f->Elementwise(HloOpcode::ShiftLeft, {x, x.f->Like(x, distance)});
}
inline Array operator>>(Array x, int distance) {
  return x.f->Elementwise(HloOpcode::ShiftRightLogical, {x, x.f->Like(x, distance)});
}

}  // namespace sinter::expand
