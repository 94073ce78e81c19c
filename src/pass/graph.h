// Writing a formula down as instructions: one function an operation, shapes inferred.
#pragma once

#include "ir/module.h"

namespace sinter {

class Graph {
 public:
  // Instructions are added to `c` and carry the metadata of `origin`, for which they stand.
  Graph(HloComputation& c, const HloInstruction& origin) : c_(c), origin_(origin) {}

  // The first error of a shape rule: a bug of the caller, made Internal. What is returned after one
  // must not be used.
  const absl::Status& status() const { return status_; }
  // Takes over the error of a graph that is a part of this one.
  void Fail(absl::Status status) { status_.Update(std::move(status)); }

  HloInstruction* Add(HloOpcode op, absl::Span<HloInstruction* const> operands,
                      Attributes attrs = NoAttrs{}, absl::Span<HloComputation* const> called = {},
                      const Shape* declared = nullptr);
  HloInstruction* Add(HloOpcode op, std::initializer_list<HloInstruction*> operands,
                      Attributes attrs = NoAttrs{}, absl::Span<HloComputation* const> called = {},
                      const Shape* declared = nullptr) {
    return Add(op, absl::Span<HloInstruction* const>(operands.begin(), operands.size()),
               std::move(attrs), called, declared);
  }

  // Scalars. The value is rounded to the type.
  HloInstruction* Zero(ElementType type);
  HloInstruction* Scalar(ElementType type, double value);
  // An array; what kept it from being made is the error of this graph.
  HloInstruction* Constant(absl::StatusOr<Literal> literal);

  HloInstruction* Convert(HloInstruction* x, ElementType type);
  // Dimension i of x becomes dimension dims[i].
  HloInstruction* Broadcast(HloInstruction* x, const Dims& sizes, const Dims& dims);
  // A scalar repeated.
  HloInstruction* Splat(HloInstruction* scalar, const Dims& sizes) {
    return Broadcast(scalar, sizes, {});
  }
  HloInstruction* Reshape(HloInstruction* x, const Dims& sizes);
  // A reshape where only dimensions of size 1 move.
  HloInstruction* Transpose(HloInstruction* x, const Dims& permutation);
  HloInstruction* Element(HloInstruction* tuple, int64_t index);
  // All of a tuple, those of a Tuple instruction as it has them; of what is no tuple, itself.
  std::vector<HloInstruction*> Elements(HloInstruction* x);
  HloInstruction* Compare(HloInstruction* x, HloInstruction* y, ComparisonDirection direction);
  // x where all entries of `window` are IsInside, else what its padding and base dilation make of
  // it.
  HloInstruction* Pad(HloInstruction* x, HloInstruction* value, const Window& window);
  // The windows' elements (HloOpcode::Windows), of an operand that is padded already.
  HloInstruction* Windows(HloInstruction* x, Window window);
  // Sums over the dimensions, of a numeric type.
  HloInstruction* Sum(HloInstruction* x, const Dims& dims);

 private:
  HloComputation& c_;
  const HloInstruction& origin_;
  absl::Status status_;
};

// The same for whoever knows the shapes: nothing is checked or inferred.
class ShapedGraph {
 public:
  ShapedGraph() = default;
  ShapedGraph(HloComputation& c, const HloInstruction& origin) { Begin(c, origin); }

  // What is added from now on is added to `c`, stands for `origin` and carries its metadata.
  void Begin(HloComputation& c, const HloInstruction& origin) {
    c_ = &c;
    origin_ = &origin;
  }

  HloInstruction* Add(HloOpcode op, Shape shape, absl::Span<HloInstruction* const> operands,
                      Attributes attrs = NoAttrs{}, absl::Span<HloComputation* const> called = {});
  HloInstruction* Reshape(HloInstruction* x, const Dims& sizes);
  // A reshape where only dimensions of size 1 move.
  HloInstruction* Transpose(HloInstruction* x, const Dims& permutation);

 private:
  HloComputation* c_ = nullptr;
  const HloInstruction* origin_ = nullptr;
};

// A computation of two scalars that is one operation on them.
HloComputation* BinaryComputation(HloModule& module, HloOpcode op, ElementType type);

// F32 for floats that are narrower, else the type itself.
ElementType Wide(ElementType type);

// The unsigned integer of the type's width; U8 for those that are narrower.
ElementType UnsignedOf(ElementType type);

}  // namespace sinter
