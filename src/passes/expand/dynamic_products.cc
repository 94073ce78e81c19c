// Products over dynamic dimensions: what is not there counts as zero, of matrices that are taken as
// a whole as the identity.
#include <limits>

#include "base/status.h"
#include "ir/ops/dynamic.h"
#include "passes/expand/dynamic_values.h"

namespace sinter::expand {
namespace {

// For positions of s32.
bool TooMany(const Sized& x) {
  return x.array->shape().element_count() > std::numeric_limits<int32_t>::max();
}

}  // namespace

Dims SizedOperation::Split(const Sized& x, int64_t d, int64_t groups,
                           std::vector<HloInstruction*>* sizes) {
  const auto at = static_cast<size_t>(d);
  Dims split = x.bounds();
  split[at] /= groups;
  split.insert(split.begin() + d, groups);
  *sizes = x.sizes;
  (*sizes)[at] = Op(HloOpcode::Divide, x.size(d), Int(groups));
  sizes->insert(sizes->begin() + d, nullptr);
  return split;
}

HloInstruction* SizedOperation::Regroup(const Sized& x, int64_t d, int64_t groups) {
  Sized y;
  const Dims split = Split(x, d, groups, &y.sizes);
  y.array = Repack(x, split, y.sizes);
  y.array = Mask(y, {d + 1}, g_.Zero(x.array->shape().element_type()));
  return g_.Reshape(y.array, x.bounds());
}

HloInstruction* SizedOperation::Ungroup(const Sized& x, int64_t d, int64_t groups) {
  Sized y;
  const Dims split = Split(x, d, groups, &y.sizes);
  y.array = g_.Reshape(x.array, split);
  return Repack(y, x.bounds(), x.sizes);
}

SizedOperation::Results SizedOperation::Convolution() {
  auto& a = std::get<ConvolutionAttrs>(attributes_);
  const auto& d = a.dim_labels;
  Sized lhs = operands_[0], rhs = operands_[1];
  auto of = [](Sized& x, int64_t dimension) -> HloInstruction*& {
    return x.sizes[static_cast<size_t>(dimension)];
  };
  HloInstruction* zero = g_.Zero(lhs.array->shape().element_type());
  sizes_.resize(static_cast<size_t>(i_.shape().rank()));

  for (size_t k = 0; k < a.window.size(); ++k) {
    WindowDimension& w = a.window[k];
    const int64_t from = d.input_spatial_dimensions[k], in = d.kernel_spatial_dimensions[k];
    HloInstruction* elements = of(rhs, in);
    if (of(lhs, from) || elements) {
      HloInstruction* size =
          of(lhs, from) ? of(lhs, from) : Int(lhs.array->shape().dimension(from));
      if (elements || !(w == WindowDimension()))
        sizes_[static_cast<size_t>(d.output_spatial_dimensions[k])] =
            CountWindows(size, w, elements);
    }
    if (!elements) continue;
    if (w.window_reversal) {
      HloInstruction* reversed = g_.Add(HloOpcode::Reverse, {rhs.array}, DimensionsAttrs{{in}});
      rhs.array = WithoutFront(reversed, {in}, rhs.sizes);
      w.window_reversal = false;
    }
    // Where a shorter window would still be within the array, a whole one must be as well.
    w.padding_high += (w.size - 1) * w.window_dilation;
  }
  rhs.array = Mask(rhs, d.kernel_spatial_dimensions, zero);
  lhs.array = Mask(lhs, d.input_spatial_dimensions, zero);

  // Products over features that are not there are of zeros on both sides.
  const int64_t groups = a.feature_group_count, batches = a.batch_group_count;
  HloInstruction*& features = of(lhs, d.input_feature_dimension);
  HloInstruction*& of_group = of(rhs, d.kernel_input_feature_dimension);
  if (!features && of_group)
    features = groups == 1 ? of_group : Op(HloOpcode::Multiply, of_group, Int(groups));
  if (!of_group && features)
    of_group = groups == 1 ? features : Op(HloOpcode::Divide, features, Int(groups));
  rhs.array = Mask(rhs, {d.kernel_input_feature_dimension}, zero);
  if (features && groups != 1) {
    if (TooMany(lhs)) return Refuse("groups of more than 2^31 - 1 elements");
    lhs.array = Regroup(lhs, d.input_feature_dimension, groups);
  } else {
    lhs.array = Mask(lhs, {d.input_feature_dimension}, zero);
  }
  HloInstruction* batch = of(lhs, d.input_batch_dimension);
  if (batch && batches != 1) {
    if (TooMany(lhs)) return Refuse("groups of more than 2^31 - 1 elements");
    lhs.array = Regroup(lhs, d.input_batch_dimension, batches);
    sizes_[static_cast<size_t>(d.output_batch_dimension)] =
        Op(HloOpcode::Divide, batch, Int(batches));
  }
  const bool outputs = of(rhs, d.kernel_output_feature_dimension) && groups * batches != 1;
  if (outputs) {
    if (TooMany(rhs)) return Refuse("groups of more than 2^31 - 1 elements");
    rhs.array = Regroup(rhs, d.kernel_output_feature_dimension, groups * batches);
  }
  operands_ = {lhs, rhs};
  ASSIGN_OR_RETURN(std::vector<Sized> results, Same());
  if (outputs) {
    if (TooMany(results[0])) return Refuse("groups of more than 2^31 - 1 elements");
    results[0].array = Ungroup(results[0], d.output_feature_dimension, groups * batches);
  }
  RETURN_IF_ERROR(g_.status());
  return results;
}

void SizedOperation::MaskContracted(const DotAttrs& a) {
  Sized lhs = operands_[0], rhs = operands_[1];
  for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k) {
    HloInstruction*& left = lhs.sizes[static_cast<size_t>(a.lhs_contracting_dims[k])];
    HloInstruction*& right = rhs.sizes[static_cast<size_t>(a.rhs_contracting_dims[k])];
    if (!left) left = right;
    right = left;
  }
  operands_[0].array =
      Mask(lhs, a.lhs_contracting_dims, g_.Zero(lhs.array->shape().element_type()));
  operands_[1].array =
      Mask(rhs, a.rhs_contracting_dims, g_.Zero(rhs.array->shape().element_type()));
}

SizedOperation::Results SizedOperation::Dot() {
  MaskContracted(i_.attrs<DotAttrs>());
  return Same();
}

// Groups that are not there have no elements.
SizedOperation::Results SizedOperation::RaggedDot() {
  const auto& a = i_.attrs<RaggedDotAttrs>();
  MaskContracted(a);
  Sized& groups = operands_[2];
  HloInstruction*& count = groups.sizes.back();
  if (!count && !a.rhs_group_dims.empty()) count = operands_[1].size(a.rhs_group_dims[0]);
  MaskOperand(2, {static_cast<int64_t>(groups.sizes.size()) - 1},
              g_.Zero(groups.array->shape().element_type()));
  return Same();
}

HloInstruction* SizedOperation::OrIdentity(const Sized& x, HloInstruction* size) {
  const auto rank = static_cast<int64_t>(x.sizes.size());
  const ElementType type = x.array->shape().element_type();
  const Shape shape(ElementType::S32, x.bounds());
  HloInstruction* row = g_.Add(HloOpcode::Iota, {}, IotaAttrs{rank - 2}, {}, &shape);
  HloInstruction* column = g_.Add(HloOpcode::Iota, {}, IotaAttrs{rank - 1}, {}, &shape);
  HloInstruction* identity =
      g_.Add(HloOpcode::Select,
             {g_.Compare(row, column, ComparisonDirection::kEq),
              g_.Splat(g_.Scalar(type, 1), x.bounds()), g_.Splat(g_.Zero(type), x.bounds())});
  HloInstruction* present =
      Op(HloOpcode::And, Present(x.bounds(), rank - 2, size), Present(x.bounds(), rank - 1, size));
  return g_.Add(HloOpcode::Select, {present, x.array, identity});
}

SizedOperation::Results SizedOperation::Cholesky() {
  Sized& x = operands_[0];
  HloInstruction *rows = x.sizes[x.sizes.size() - 2], *columns = x.sizes.back();
  if (rows || columns) x.array = OrIdentity(x, rows ? rows : columns);
  return Same();
}

SizedOperation::Results SizedOperation::TriangularSolve() {
  Sized &a = operands_[0], &b = operands_[1];
  const int64_t rank = static_cast<int64_t>(b.sizes.size());
  const int64_t d = i_.attrs<TriangularSolveAttrs>().left_side ? rank - 2 : rank - 1;
  HloInstruction* size = a.sizes.back();
  if (!size) size = a.sizes[a.sizes.size() - 2];
  if (!size) size = b.size(d);
  if (size) {
    a.array = OrIdentity(a, size);
    b.sizes[static_cast<size_t>(d)] = size;
    MaskOperand(1, {d}, g_.Zero(b.array->shape().element_type()));
  }
  return Same();
}

// Transforms of different lengths have no elements in common, and the length is an attribute.
SizedOperation::Results SizedOperation::Fft() {
  RETURN_IF_ERROR(Annotate(CheckTransformed(i_.attrs<FftAttrs>(), i_.operand(0)->shape()),
                           Format("{} '{}'", Name(i_.op()), i_.name())));
  return Same();
}

}  // namespace sinter::expand
