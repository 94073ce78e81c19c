#include "passes/expand/dynamic_values.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/ops/dynamic.h"

namespace sinter::expand {

bool Sized::is_static() const {
  return absl::c_all_of(sizes, [](const HloInstruction* s) { return s == nullptr; });
}

Shape Bounds(Shape shape) {
  for (int64_t d = 0; d < shape.rank(); ++d) shape.set_dynamic(d, false);
  for (Shape& element : shape.mutable_tuple_shapes()) element = Bounds(std::move(element));
  return shape;
}

SizedOperation::SizedOperation(HloComputation& c, const HloInstruction& i,
                               std::vector<Sized> operands)
    : c_(c),
      i_(i),
      g_(c, i),
      operands_(std::move(operands)),
      attributes_(i.attributes()),
      called_(i.called()) {}

absl::Status SizedOperation::Refuse(std::string_view what) const {
  return Unimplemented("{} {} with dynamic {}: {}", Name(i_.op()), i_.name(), what,
                       i_.shape().ToString());
}

SizedOperation::Results SizedOperation::Run() {
  const bool is_static = absl::c_all_of(operands_, [](const Sized& x) { return x.is_static(); });
  // Sizes that are not stated are the bounds.
  switch (i_.op()) {
    case HloOpcode::GetDimensionSize:
      return GetDimensionSize();
    case HloOpcode::SetDimensionSize:
      return SetDimensionSize();
    case HloOpcode::DynamicReshape:
      return DynamicReshape();
    default:
      if (is_static) return Same();
  }
  switch (i_.op()) {
    case HloOpcode::BatchNormInference:
    case HloOpcode::BitcastConvert:
    case HloOpcode::Broadcast:
    case HloOpcode::Copy:
    case HloOpcode::Map:
    case HloOpcode::Transpose:
      return Same();
    case HloOpcode::BatchNormGrad:
    case HloOpcode::BatchNormTraining:
      return BatchNorm();
    case HloOpcode::Cholesky:
      return Cholesky();
    case HloOpcode::Fft:
      return Fft();
    case HloOpcode::TopK:
      return TopK();
    case HloOpcode::TriangularSolve:
      return TriangularSolve();
    case HloOpcode::Reshape:
      return Reshape();
    case HloOpcode::Slice:
      return Slice();
    case HloOpcode::Pad:
      return Pad();
    case HloOpcode::Concatenate:
      return Concatenate();
    case HloOpcode::Reverse:
      return Reverse();
    case HloOpcode::DynamicSlice:
      return DynamicSlice();
    case HloOpcode::DynamicUpdateSlice:
      return DynamicUpdateSlice();
    case HloOpcode::Gather:
      return Gather();
    case HloOpcode::Scatter:
      return Scatter();
    case HloOpcode::Reduce:
      return Reduce();
    case HloOpcode::ReduceWindow:
      return ReduceWindow();
    case HloOpcode::SelectAndScatter:
      return SelectAndScatter();
    case HloOpcode::Convolution:
      return Convolution();
    case HloOpcode::Dot:
      return Dot();
    case HloOpcode::RaggedDot:
      return RaggedDot();
    case HloOpcode::Sort:
      return Sort();
    default:
      if (IsElementwise(i_.op())) return Same();
      return Refuse("dimensions");
  }
}

SizedOperation::Results SizedOperation::Same() {
  std::vector<HloInstruction*> arrays;
  std::vector<const Shape*> declared;
  for (size_t k = 0; k < operands_.size(); ++k) {
    arrays.push_back(operands_[k].array);
    declared.push_back(&i_.operand(std::min(k, i_.operands().size() - 1))->shape());
  }
  const Shape bounds = Bounds(i_.shape());
  HloInstruction* made = g_.Add(i_.op(), arrays, attributes_, called_, &bounds);
  RETURN_IF_ERROR(g_.status());
  made->set_name(c_.module()->UniqueName(i_.name()));
  const bool tuple = bounds.is_tuple();
  std::vector<Sized> results(tuple ? bounds.tuple_shapes().size() : 1);
  for (size_t k = 0; k < results.size(); ++k) {
    const Shape& shape = tuple ? bounds.tuple_shapes()[k] : bounds;
    results[k].array = tuple ? g_.Element(made, static_cast<int64_t>(k)) : made;
    results[k].sizes.resize(static_cast<size_t>(shape.rank()));
  }
  std::vector<ComputationShape> signatures;
  ASSIGN_OR_RETURN(
      const std::vector<SizeSource> sources,
      SizeSources(i_.op(), {declared, i_.attributes(), signatures, &i_.shape()}, i_.shape()));
  for (const SizeSource& s : sources) {
    HloInstruction*& size =
        results[static_cast<size_t>(s.element)].sizes[static_cast<size_t>(s.dimension)];
    if (size == nullptr) size = operands_[static_cast<size_t>(s.operand)].size(s.operand_dimension);
  }
  for (Sized& r : results) {
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (sizes_[d]) r.sizes[d] = sizes_[d];
    }
  }
  RETURN_IF_ERROR(g_.status());
  return results;
}

HloInstruction* SizedOperation::SizeOf(size_t k, int64_t d) {
  HloInstruction* size = operands_[k].size(d);
  return size ? size : Int(operands_[k].array->shape().dimension(d));
}

HloInstruction* SizedOperation::Within(HloInstruction* x, int64_t bound) {
  return Op(HloOpcode::Minimum, Op(HloOpcode::Maximum, x, Int(0)), Int(bound));
}

HloInstruction* SizedOperation::Present(const Dims& bounds, int64_t d, HloInstruction* size) {
  const Dims line{bounds[static_cast<size_t>(d)]};
  const Shape shape(ElementType::S32, line);
  HloInstruction* at = g_.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &shape);
  HloInstruction* present = g_.Compare(at, g_.Splat(size, line), ComparisonDirection::kLt);
  return g_.Broadcast(present, bounds, {d});
}

HloInstruction* SizedOperation::Presence(const Sized& x, const Dims& dims) {
  HloInstruction* present = nullptr;
  for (int64_t d : dims) {
    if (!x.size(d)) continue;
    HloInstruction* here = Present(x.bounds(), d, x.size(d));
    present = present ? Op(HloOpcode::And, present, here) : here;
  }
  return present;
}

HloInstruction* SizedOperation::Mask(const Sized& x, const Dims& dims, HloInstruction* value) {
  HloInstruction* present = Presence(x, dims);
  if (!present) return x.array;
  return g_.Add(HloOpcode::Select, {present, x.array, g_.Splat(value, x.bounds())});
}

bool SizedOperation::AnySize(size_t k, const Dims& dims) const {
  return absl::c_any_of(dims, [&](int64_t d) { return operands_[k].size(d) != nullptr; });
}

Dims SizedOperation::AllDims(size_t k) const {
  Dims dims(operands_[k].sizes.size());
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

}  // namespace sinter::expand
