#include "passes/expand/complex_products.h"

#include "ir/analysis/packing.h"
#include "ir/ops/ragged_dot.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "target/tuning.h"

namespace sinter {
namespace expand {
namespace {

class ComplexProduct {
 public:
  ComplexProduct(HloComputation& c, const HloInstruction& dot)
      : g_(c, dot), dot_(dot), attrs_(dot.attrs<DotAttrs>()) {
    const Dims* batch[] = {&attrs_.lhs_batch_dims, &attrs_.rhs_batch_dims};
    const Dims* contracted[] = {&attrs_.lhs_contracting_dims, &attrs_.rhs_contracting_dims};
    auto next = static_cast<int64_t>(batch[0]->size());
    for (size_t k = 0; k < 2; ++k) {
      Side& side = sides_[k];
      side.x = dot.operand(k);
      side.contracted = contracted[k]->empty() ? -1 : contracted[k]->front();
      const Shape& shape = side.x->shape();
      for (int64_t d : FreeDims(shape.rank(), {batch[k], contracted[k]})) {
        if (side.free < 0 && shape.dimension(d) > 1) {
          side.free = d;
          side.result = next;
        }
        ++next;
      }
    }
  }

  bool Pays(const CpuMachine& machine) const {
    const ProductExtents e = ExtentsOf(dot_);
    const bool is_across =
        IsReadAcross(dot_.operand(1)->shape(), attrs_.rhs_batch_dims, attrs_.rhs_contracting_dims);
    const int64_t bytes = e.k * e.n * ByteWidth(dot_.shape().element_type());
    return sides_[0].contracted >= 0 && e.m >= tuning::kLeastComplexRows &&
           e.n >= tuning::kLeastComplexRows &&
           bytes > (is_across ? tuning::kAcrossCaches * machine.l2_bytes : machine.l3_bytes / 4);
  }

  absl::StatusOr<HloInstruction*> Make() {
    const size_t twice =
        sides_[0].x->shape().element_count() < sides_[1].x->shape().element_count() ? 0 : 1;
    HloInstruction* operands[2];
    for (size_t k = 0; k < 2; ++k) {
      const Side& side = sides_[k];
      HloInstruction *re = g_.Add(HloOpcode::Real, {side.x}),
                     *im = g_.Add(HloOpcode::Imag, {side.x});
      operands[k] =
          Together(re, k == twice ? g_.Add(HloOpcode::Negate, {im}) : im, side.contracted);
      if (k == twice)
        operands[k] = Together(operands[k], Together(im, re, side.contracted), side.free);
    }
    const int64_t along = sides_[twice].result;
    Dims sizes = dot_.shape().dimensions();
    const int64_t n = sizes[static_cast<size_t>(along)];
    sizes[static_cast<size_t>(along)] *= 2;
    const Shape both(RealPart(dot_.shape().element_type()), sizes);
    HloInstruction* product =
        g_.Add(HloOpcode::Dot, {operands[0], operands[1]}, DotAttrs(attrs_), {}, &both);
    HloInstruction* result =
        g_.Add(HloOpcode::Complex, {Part(product, along, 0, n), Part(product, along, n, 2 * n)});
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  struct Side {
    HloInstruction* x = nullptr;
    int64_t contracted = -1, free = -1;  // one dimension of each kind
    int64_t result = -1;                 // where the free one is in the result
  };

  HloInstruction* Together(HloInstruction* x, HloInstruction* y, int64_t dim) {
    return g_.Add(HloOpcode::Concatenate, {x, y}, DimensionsAttrs{{dim}});
  }
  HloInstruction* Part(HloInstruction* x, int64_t dim, int64_t lo, int64_t hi) {
    const auto d = static_cast<size_t>(dim);
    SliceAttrs slice{Dims(static_cast<size_t>(x->shape().rank()), 0), x->shape().dimensions(),
                     Dims(static_cast<size_t>(x->shape().rank()), 1)};
    slice.starts[d] = lo;
    slice.limits[d] = hi;
    return g_.Add(HloOpcode::Slice, {x}, std::move(slice));
  }

  Graph g_;
  const HloInstruction& dot_;
  const DotAttrs attrs_;
  Side sides_[2];
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeExpandComplexProductsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-complex-products",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.cpu() == nullptr || i.op() != HloOpcode::Dot ||
            !IsComplex(i.shape().element_type()) || i.operand(0)->op() == HloOpcode::Windows ||
            i.operand(1)->op() == HloOpcode::Windows)
          return nullptr;
        expand::ComplexProduct product(c, i);
        if (!product.Pays(*target.cpu())) return nullptr;
        return product.Make();
      });
}

}  // namespace sinter
