// Index maps over dynamic dimensions: elements that are there stay in front of those that are not.
#include <limits>
#include <numeric>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/ops/dynamic.h"
#include "passes/expand/dynamic_values.h"

namespace sinter::expand {

SizedOperation::Results SizedOperation::GetDimensionSize() {
  HloInstruction* size = SizeOf(0, i_.dimensions()[0]);
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{{size, {}}};
}

SizedOperation::Results SizedOperation::SetDimensionSize() {
  const int64_t d = i_.dimensions()[0];
  Sized x = operands_[0];
  HloInstruction* size = operands_[1].array;
  if (x.size(d) != size) {
    x.array = Mask(x, {d}, g_.Zero(x.array->shape().element_type()));
    const bool dynamic = i_.shape().is_dynamic(d);
    x.sizes[static_cast<size_t>(d)] = dynamic ? Within(size, i_.shape().dimension(d)) : nullptr;
  }
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{x};
}

HloInstruction* SizedOperation::Repack(const Sized& x, const Dims& bounds,
                                       const std::vector<HloInstruction*>& sizes) {
  const ElementType type = x.array->shape().element_type();
  if (x.array->shape().element_count() == 0) return g_.Splat(g_.Zero(type), bounds);
  const Shape shape(ElementType::S32, bounds);
  auto repeat = [&](HloInstruction* scalar) { return g_.Splat(scalar, bounds); };
  // The element's number in row-major order.
  HloInstruction *number = repeat(Int(0)), *stride = Int(1);
  for (size_t d = bounds.size(); d-- > 0;) {
    HloInstruction* at =
        g_.Add(HloOpcode::Iota, {}, IotaAttrs{static_cast<int64_t>(d)}, {}, &shape);
    number = Op(HloOpcode::Add, number, Op(HloOpcode::Multiply, at, repeat(stride)));
    stride = Op(HloOpcode::Multiply, stride, sizes[d] ? sizes[d] : Int(bounds[d]));
  }
  // Where that is in x.
  HloInstruction* place = repeat(Int(0));
  int64_t step = 1;
  for (size_t d = x.sizes.size(); d-- > 0;) {
    HloInstruction* size = x.sizes[d] ? x.sizes[d] : Int(x.bounds()[d]);
    size = repeat(Op(HloOpcode::Maximum, size, Int(1)));
    HloInstruction* at = Op(HloOpcode::Remainder, number, size);
    place = Op(HloOpcode::Add, place, Op(HloOpcode::Multiply, at, repeat(Int(step))));
    number = Op(HloOpcode::Divide, number, size);
    step *= x.bounds()[d];
  }
  GatherAttrs attrs;
  attrs.collapsed_slice_dims = attrs.start_index_map = {0};
  attrs.index_vector_dim = static_cast<int64_t>(bounds.size());
  attrs.slice_sizes = {1};
  HloInstruction* flat = g_.Reshape(x.array, {x.array->shape().element_count()});
  return g_.Add(HloOpcode::Gather, {flat, place}, std::move(attrs));
}

SizedOperation::Results SizedOperation::Reshape() {
  const Sized& x = operands_[0];
  const Dims& to = i_.shape().dimensions();
  ASSIGN_OR_RETURN(
      const std::vector<SizeSource> sources,
      SizeSources(i_.op(), {{&i_.operand(0)->shape()}, i_.attributes(), {}, &i_.shape()},
                  i_.shape()));
  std::vector<HloInstruction*> sizes(to.size());
  bool in_front = true;
  for (const ReshapeRun& run : ReshapeRuns(x.bounds(), to)) {
    const SizeSource* source = nullptr;
    for (const SizeSource& s : sources) {
      if (run.to <= s.dimension && s.dimension < run.to_end) source = &s;
    }
    if (source == nullptr || !x.size(source->operand_dimension)) continue;
    // Elements that are there are in front of all others where nothing comes before the dimension.
    int64_t inner = 1, outer = 1, others = 1;
    for (int64_t d = run.from; d < run.from_end; ++d) {
      if (d != source->operand_dimension) inner *= x.array->shape().dimension(d);
      if (d < source->operand_dimension) outer *= x.array->shape().dimension(d);
    }
    for (int64_t d = run.to; d < run.to_end; ++d) {
      if (d != source->dimension) others *= i_.shape().dimension(d);
      if (d < source->dimension) outer *= i_.shape().dimension(d);
    }
    in_front &= outer == 1;
    HloInstruction* size = x.size(source->operand_dimension);
    if (inner != others) {
      size = Op(HloOpcode::Multiply, size, Int(inner));
      size = Op(HloOpcode::Divide, size, Int(std::max<int64_t>(others, 1)));
    }
    sizes[static_cast<size_t>(source->dimension)] = size;
  }
  if (x.array->shape().element_count() > std::numeric_limits<int32_t>::max())
    return Refuse("dimensions of more than 2^31 - 1 elements");
  HloInstruction* array = in_front ? g_.Reshape(x.array, to) : Repack(x, to, sizes);
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{{array, sizes}};
}

SizedOperation::Results SizedOperation::DynamicReshape() {
  const Sized& x = operands_[0];
  const Dims& to = i_.shape().dimensions();
  if (std::max(x.array->shape().element_count(), i_.shape().element_count()) >
      std::numeric_limits<int32_t>::max())
    return Refuse("dimensions of more than 2^31 - 1 elements");
  std::vector<HloInstruction*> sizes(to.size());
  for (size_t d = 0; d < to.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (i_.shape().is_dynamic(at)) sizes[d] = Within(operands_[d + 1].array, to[d]);
  }
  // Whether nothing but the first dimension of more than one element is dynamic.
  auto in_front = [](const std::vector<HloInstruction*>& s, const Dims& bounds) {
    bool first = true;
    for (size_t d = 0; d < s.size(); ++d) {
      if (s[d] && !first) return false;
      first &= bounds[d] == 1;
    }
    return true;
  };
  const bool plain = in_front(x.sizes, x.bounds()) && in_front(sizes, to) &&
                     x.array->shape().element_count() == i_.shape().element_count();
  HloInstruction* array = plain ? g_.Reshape(x.array, to) : Repack(x, to, sizes);
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{{array, sizes}};
}

SizedOperation::Results SizedOperation::Slice() {
  const auto& a = i_.attrs<SliceAttrs>();
  sizes_.resize(static_cast<size_t>(i_.shape().rank()));
  for (size_t d = 0; d < sizes_.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (!operands_[0].sizes[d] || i_.shape().dimension(at) == 1) continue;
    HloInstruction* size = operands_[0].sizes[d];
    if (a.limits[d] != operands_[0].bounds()[d])
      size = Op(HloOpcode::Minimum, size, Int(a.limits[d]));
    if (a.starts[d] != 0)
      size = Op(HloOpcode::Maximum, Op(HloOpcode::Subtract, size, Int(a.starts[d])), Int(0));
    if (a.strides[d] != 1) {
      size = Op(HloOpcode::Add, size, Int(a.strides[d] - 1));
      size = Op(HloOpcode::Divide, size, Int(a.strides[d]));
    }
    sizes_[d] = size;
  }
  return Same();
}

SizedOperation::Results SizedOperation::Pad() {
  const auto& a = i_.attrs<PadAttrs>();
  const Sized& x = operands_[0];
  sizes_.resize(x.sizes.size());
  for (size_t d = 0; d < sizes_.size(); ++d) {
    HloInstruction* size = x.sizes[d];
    if (!size || (a.low[d] == 0 && a.high[d] == 0 && a.interior[d] == 0)) continue;
    if (a.interior[d] != 0) {
      HloInstruction* gaps = Op(HloOpcode::Maximum, Op(HloOpcode::Subtract, size, Int(1)), Int(0));
      size = Op(HloOpcode::Add, size, Op(HloOpcode::Multiply, gaps, Int(a.interior[d])));
    }
    size = Op(HloOpcode::Add, size, Int(a.low[d] + a.high[d]));
    sizes_[d] = Op(HloOpcode::Maximum, size, Int(0));
  }
  MaskOperand(0, AllDims(0), operands_[1].array);
  return Same();
}

SizedOperation::Results SizedOperation::Concatenate() {
  const int64_t d = i_.dimensions()[0];
  bool moves = false;
  HloInstruction* total = nullptr;
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (operands_[k].size(d)) moves |= k + 1 < operands_.size();
    total = total ? Op(HloOpcode::Add, total, SizeOf(k, d)) : SizeOf(k, d);
  }
  const bool dynamic =
      absl::c_any_of(operands_, [&](const Sized& x) { return x.size(d) != nullptr; });
  sizes_.resize(static_cast<size_t>(i_.shape().rank()));
  if (dynamic) sizes_[static_cast<size_t>(d)] = total;
  ASSIGN_OR_RETURN(std::vector<Sized> results, Same());
  if (!moves) return results;
  // One over the other, so that each covers what is not there of those before.
  const Shape bounds = Bounds(i_.shape());
  HloInstruction* all = g_.Splat(g_.Zero(bounds.element_type()), bounds.dimensions());
  HloInstruction *start = Int(0), *zero = Int(0);
  for (size_t k = 0; k < operands_.size(); ++k) {
    std::vector<HloInstruction*> update{all, operands_[k].array};
    for (int64_t e = 0; e < bounds.rank(); ++e) update.push_back(e == d ? start : zero);
    all = g_.Add(HloOpcode::DynamicUpdateSlice, update);
    start = Op(HloOpcode::Add, start, SizeOf(k, d));
  }
  RETURN_IF_ERROR(g_.status());
  results[0].array = all;
  return results;
}

HloInstruction* SizedOperation::WithoutFront(HloInstruction* reversed, const Dims& dims,
                                             const std::vector<HloInstruction*>& sizes) {
  const Dims bounds = reversed->shape().dimensions();
  PadAttrs pad;
  pad.low = pad.high = pad.interior = Dims(bounds.size(), 0);
  std::vector<HloInstruction*> slice{reversed};
  bool moves = false;
  for (size_t d = 0; d < bounds.size(); ++d) {
    const bool here = sizes[d] && absl::c_linear_search(dims, static_cast<int64_t>(d));
    if (here) pad.high[d] = bounds[d];
    slice.push_back(here ? Op(HloOpcode::Subtract, Int(bounds[d]), sizes[d]) : Int(0));
    moves |= here;
  }
  if (!moves) return reversed;
  HloInstruction* zero = g_.Zero(reversed->shape().element_type());
  slice[0] = g_.Add(HloOpcode::Pad, {reversed, zero}, std::move(pad));
  return g_.Add(HloOpcode::DynamicSlice, slice, DynamicSliceAttrs{bounds});
}

SizedOperation::Results SizedOperation::Reverse() {
  ASSIGN_OR_RETURN(std::vector<Sized> results, Same());
  results[0].array = WithoutFront(results[0].array, i_.dimensions(), results[0].sizes);
  RETURN_IF_ERROR(g_.status());
  return results;
}

HloInstruction* SizedOperation::Signed(HloInstruction* indices) {
  const ElementType t = indices->shape().element_type();
  const bool wide = BitWidth(t) > 32 || (t == ElementType::U32);
  return g_.Convert(indices, wide ? ElementType::S64 : ElementType::S32);
}

HloInstruction* SizedOperation::Least(HloInstruction* index, HloInstruction* limit) {
  limit = g_.Convert(Op(HloOpcode::Maximum, limit, Int(0)), index->shape().element_type());
  return Op(HloOpcode::Minimum, index, limit);
}

SizedOperation::Results SizedOperation::DynamicSlice() {
  const Dims& slice = i_.attrs<DynamicSliceAttrs>().dynamic_slice_sizes;
  for (size_t d = 0; d < slice.size(); ++d) {
    HloInstruction*& start = operands_[d + 1].array;
    start = Signed(start);
    if (!operands_[0].sizes[d]) continue;
    const bool whole = slice[d] == operands_[0].bounds()[d] && slice[d] != 1;
    HloInstruction* limit =
        whole ? Int(0) : Op(HloOpcode::Subtract, operands_[0].sizes[d], Int(slice[d]));
    start = Least(start, limit);
  }
  return Same();
}

SizedOperation::Results SizedOperation::DynamicUpdateSlice() {
  const Sized& update = operands_[1];
  const Dims sizes = operands_[0].bounds();
  PadAttrs pad;
  pad.low = pad.high = pad.interior = Dims(sizes.size(), 0);
  std::vector<HloInstruction*> starts;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    HloInstruction*& start = operands_[d + 2].array;
    start = Signed(start);
    if (operands_[0].sizes[d] || update.sizes[d])
      start = Least(start, Op(HloOpcode::Subtract, SizeOf(0, at), SizeOf(1, at)));
    if (update.sizes[d]) {
      // A slice that ends behind the operand would be moved.
      pad.high[d] = update.bounds()[d];
      start = Op(HloOpcode::Maximum, start, g_.Zero(start->shape().element_type()));
    }
    starts.push_back(start);
  }
  if (update.is_static()) return Same();
  const HloInstruction* original = operands_[0].array;
  HloInstruction* x =
      g_.Add(HloOpcode::Pad, {operands_[0].array, g_.Zero(original->shape().element_type())},
             std::move(pad));
  // What is not there of the update leaves the operand as it was.
  std::vector<HloInstruction*> read{x};
  read.insert(read.end(), starts.begin(), starts.end());
  HloInstruction* old = g_.Add(HloOpcode::DynamicSlice, read, DynamicSliceAttrs{update.bounds()});
  HloInstruction* present = nullptr;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!update.sizes[d]) continue;
    HloInstruction* here = Present(update.bounds(), static_cast<int64_t>(d), update.sizes[d]);
    present = present ? Op(HloOpcode::And, present, here) : here;
  }
  HloInstruction* merged = g_.Add(HloOpcode::Select, {present, update.array, old});
  std::vector<HloInstruction*> write{x, merged};
  write.insert(write.end(), starts.begin(), starts.end());
  HloInstruction* all = g_.Add(HloOpcode::DynamicUpdateSlice, write);
  SliceAttrs front{Dims(sizes.size(), 0), sizes, Dims(sizes.size(), 1)};
  all = g_.Add(HloOpcode::Slice, {all}, std::move(front));
  RETURN_IF_ERROR(g_.status());
  return std::vector<Sized>{{all, operands_[0].sizes}};
}

SizedOperation::Results SizedOperation::Gather() {
  const auto& a = i_.attrs<GatherAttrs>();
  const Sized& x = operands_[0];
  HloInstruction*& indices = operands_[1].array;
  std::vector<HloInstruction*> limits;
  bool limited = false;
  for (int64_t d : a.start_index_map) {
    const int64_t slice = a.slice_sizes[static_cast<size_t>(d)];
    const int64_t bound = x.array->shape().dimension(d);
    HloInstruction* limit = Int(bound - slice);
    if (x.size(d)) {
      limited = true;
      const bool whole = slice == bound && slice != 1;
      limit = whole
                  ? Int(0)
                  : Op(HloOpcode::Maximum, Op(HloOpcode::Subtract, x.size(d), Int(slice)), Int(0));
    }
    limits.push_back(limit);
  }
  if (limited) {
    indices = Signed(indices);
    const Dims sizes = indices->shape().dimensions();
    HloInstruction* all;
    if (a.index_vector_dim == indices->shape().rank()) {
      all = g_.Splat(limits[0], sizes);
    } else {
      for (HloInstruction*& limit : limits) limit = g_.Reshape(limit, {1});
      all = limits.size() == 1 ? limits[0]
                               : g_.Add(HloOpcode::Concatenate, limits, DimensionsAttrs{{0}});
      all = g_.Broadcast(all, sizes, {a.index_vector_dim});
    }
    indices = Op(HloOpcode::Minimum, indices, g_.Convert(all, indices->shape().element_type()));
  }
  return Same();
}

}  // namespace sinter::expand
