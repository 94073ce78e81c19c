// Arrays of dynamic dimensions as static ones of the dimensions' bounds, and what operations on
// them become.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "pass/graph.h"

namespace sinter::expand {

// An array of the bounds, and for each dimension its real size, an s32 scalar from 0 to the bound,
// or null: all of it. The elements behind are anything.
struct Sized {
  HloInstruction* array = nullptr;
  std::vector<HloInstruction*> sizes;

  bool is_static() const;
  HloInstruction* size(int64_t d) const { return sizes[static_cast<size_t>(d)]; }
  const Dims& bounds() const { return array->shape().dimensions(); }
};

// The shape without anything dynamic in it.
Shape Bounds(Shape shape);

// One operation over such arrays, written down in computation `c`.
class SizedOperation {
 public:
  SizedOperation(HloComputation& c, const HloInstruction& i, std::vector<Sized> operands);

  // The elements of the result (one, unless it is a tuple). Unimplemented for operations that do
  // not know dynamic dimensions, or not there.
  absl::StatusOr<std::vector<Sized>> Run();

 private:
  using Results = absl::StatusOr<std::vector<Sized>>;

  // dynamic_values.cc
  absl::Status Refuse(std::string_view what) const;
  // The operation itself on the arrays of `operands_`, whose result has the sizes of its sources
  // unless they have been put into sizes_.
  Results Same();
  HloInstruction* Int(int64_t value) {
    return g_.Scalar(ElementType::S32, static_cast<double>(value));
  }
  HloInstruction* Op(HloOpcode op, HloInstruction* x, HloInstruction* y) {
    return g_.Add(op, {x, y});
  }
  // The size of dimension d of operand k.
  HloInstruction* SizeOf(size_t k, int64_t d);
  // Size min(max(x, 0), bound).
  HloInstruction* Within(HloInstruction* x, int64_t bound);
  // Which elements along dimension d are there: a predicate for each, repeated to the array's
  // dimensions.
  HloInstruction* Present(const Dims& bounds, int64_t d, HloInstruction* size);
  // The same for all of these dimensions that are dynamic; null where none is.
  HloInstruction* Presence(const Sized& x, const Dims& dims);
  // The array with `value`, a scalar of its type, for what is not there along these dimensions.
  HloInstruction* Mask(const Sized& x, const Dims& dims, HloInstruction* value);
  void MaskOperand(size_t k, const Dims& dims, HloInstruction* value) {
    operands_[k].array = Mask(operands_[k], dims, value);
  }
  bool AnySize(size_t k, const Dims& dims) const;
  Dims AllDims(size_t k) const;

  // dynamic_index_maps.cc
  Results GetDimensionSize();
  Results SetDimensionSize();
  Results Reshape();
  Results DynamicReshape();
  Results Slice();
  Results Pad();
  Results Concatenate();
  Results Reverse();
  Results DynamicSlice();
  Results DynamicUpdateSlice();
  Results Gather();
  // An array reversed along these dimensions, without the elements that are not there, which then
  // come first.
  HloInstruction* WithoutFront(HloInstruction* reversed, const Dims& dims,
                               const std::vector<HloInstruction*>& sizes);
  // Elements in row-major order of the real sizes, read as an array of these sizes.
  HloInstruction* Repack(const Sized& x, const Dims& bounds,
                         const std::vector<HloInstruction*>& sizes);
  // Integers that hold every size and are signed.
  HloInstruction* Signed(HloInstruction* indices);
  HloInstruction* Least(HloInstruction* index, HloInstruction* limit);

  // dynamic_scatter.cc
  Results Scatter();
  Results ScatterElements();

  // dynamic_reductions.cc
  Results Reduce();
  Results ReduceWindow();
  Results SelectAndScatter();
  Results Sort();
  Results TopK();
  Results BatchNorm();
  // The arrays, and what is there of them, sorted along dimension d, of `size` elements: what is
  // not there comes last.
  HloInstruction* Sorted(std::vector<HloInstruction*> arrays, int64_t d, HloInstruction* size,
                         const HloComputation& comparator, bool is_stable);
  // How many windows there are along a dimension of `size` elements. The window has `elements`
  // elements, unless that is null.
  HloInstruction* CountWindows(HloInstruction* size, const WindowDimension& window,
                               HloInstruction* elements = nullptr);
  // The neutral value: that of the combiner where it is known, else the initial value.
  HloInstruction* Neutral(const HloComputation& combiner, ElementType type,
                          HloInstruction* initial);

  // dynamic_products.cc
  Results Convolution();
  Results Dot();
  Results RaggedDot();
  Results Cholesky();
  Results TriangularSolve();
  Results Fft();
  void MaskContracted(const DotAttrs& attrs);
  // Matrices of `size` rows and columns, and the identity behind them.
  HloInstruction* OrIdentity(const Sized& x, HloInstruction* size);
  // The bounds, and real sizes, of x with dimension d as so many groups and the elements of each.
  Dims Split(const Sized& x, int64_t d, int64_t groups, std::vector<HloInstruction*>* sizes);
  // The elements of dimension d in groups of equal real sizes, each at a multiple of their bound
  // with zeros behind; and the other way.
  HloInstruction* Regroup(const Sized& x, int64_t d, int64_t groups);
  HloInstruction* Ungroup(const Sized& x, int64_t d, int64_t groups);

  HloComputation& c_;
  const HloInstruction& i_;
  Graph g_;
  std::vector<Sized> operands_;
  Attributes attributes_;
  std::vector<HloComputation*> called_;
  // Sizes of the only result that are not those of its sources.
  std::vector<HloInstruction*> sizes_;
};

}  // namespace sinter::expand
