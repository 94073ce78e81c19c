#include "passes/expand/formula.h"

#include <algorithm>
#include <complex>

namespace sinter::expand {

Array Formula::Add(HloOpcode op, Shape shape, absl::Span<const Array> operands, Attributes attrs) {
  std::vector<HloInstruction*> instructions;
  for (const Array& x : operands) instructions.push_back(x.i);
  HloInstruction* i = c_.AddWithShape(op, std::move(shape), instructions, std::move(attrs));
  i->set_metadata(origin_.metadata());
  return {this, i};
}

Array Formula::Elementwise(HloOpcode op, std::initializer_list<Array> operands) {
  const Array& first = *operands.begin();
  return Add(op, Shape(first.type(), first.shape().dimensions()), operands);
}

Array Formula::Elementwise3(Array p, Array x, Array y) {
  return Add(HloOpcode::Select, Shape(x.type(), x.shape().dimensions()), {p, x, y});
}

Array Formula::Splat(ElementType type, const Dims& dims, uint64_t value) {
  if (IsFloat(type) || IsComplex(type)) return Splat(type, dims, static_cast<double>(value));
  Literal scalar{Shape(type)};
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);  // little-endian
  std::copy_n(bytes, ByteWidth(type), static_cast<std::byte*>(scalar.untyped_data()));
  return Broadcast(Constant(std::move(scalar)), dims, {});
}

Array Formula::Splat(ElementType type, const Dims& dims, double value) {
  const ElementType wide = type == ElementType::C64 || type == ElementType::C128 ? type
                           : type == ElementType::F32                            ? type
                                                                                 : ElementType::F64;
  Literal scalar{Shape(wide)};
  switch (wide) {
    case ElementType::C64:
      scalar.data<std::complex<float>>()[0] = static_cast<float>(value);
      break;
    case ElementType::C128:
      scalar.data<std::complex<double>>()[0] = value;
      break;
    case ElementType::F32:
      scalar.data<float>()[0] = static_cast<float>(value);
      break;
    default:
      scalar.data<double>()[0] = value;
  }
  return Broadcast(Convert(Constant(std::move(scalar)), type), dims, {});
}

Array Formula::Iota(ElementType type, const Dims& dims, int64_t dimension) {
  return Add(HloOpcode::Iota, Shape(type, dims), {}, IotaAttrs{dimension});
}

Array Formula::Convert(Array x, ElementType type) {
  if (x.type() == type) return x;
  return Add(HloOpcode::Convert, Shape(type, x.shape().dimensions()), {x});
}

Array Formula::Bitcast(Array x, ElementType type) {
  if (x.type() == type) return x;
  return Add(HloOpcode::BitcastConvert, Shape(type, x.shape().dimensions()), {x});
}

Array Formula::Reshape(Array x, const Dims& dims) {
  if (x.shape().dimensions() == dims) return x;
  return Add(HloOpcode::Reshape, Shape(x.type(), dims), {x});
}

Array Formula::Broadcast(Array x, const Dims& dims, const Dims& dimensions) {
  if (x.shape().dimensions() == dims) return x;
  return Add(HloOpcode::Broadcast, Shape(x.type(), dims), {x}, DimensionsAttrs{dimensions});
}

Array Formula::Transpose(Array x, const Dims& permutation) {
  Dims dims;
  for (int64_t d : permutation) dims.push_back(x.shape().dimension(d));
  return Add(HloOpcode::Transpose, Shape(x.type(), dims), {x}, DimensionsAttrs{permutation});
}

Array Formula::Reverse(Array x, int64_t dimension) {
  return Add(HloOpcode::Reverse, x.shape(), {x}, DimensionsAttrs{{dimension}});
}

Array Formula::Slice(Array x, int64_t dimension, int64_t start, int64_t limit) {
  SliceAttrs attrs;
  Dims dims = x.shape().dimensions();
  if (start == 0 && limit == dims[static_cast<size_t>(dimension)]) return x;
  attrs.starts.assign(dims.size(), 0);
  attrs.strides.assign(dims.size(), 1);
  attrs.starts[static_cast<size_t>(dimension)] = start;
  dims[static_cast<size_t>(dimension)] = limit;
  attrs.limits = dims;
  dims[static_cast<size_t>(dimension)] = limit - start;
  return Add(HloOpcode::Slice, Shape(x.type(), dims), {x}, std::move(attrs));
}

Array Formula::PadTo(Array x, int64_t dimension, int64_t extent) {
  PadAttrs attrs;
  Dims dims = x.shape().dimensions();
  attrs.low = attrs.high = attrs.interior = Dims(dims.size(), 0);
  attrs.high[static_cast<size_t>(dimension)] = extent - dims[static_cast<size_t>(dimension)];
  dims[static_cast<size_t>(dimension)] = extent;
  return Add(HloOpcode::Pad, Shape(x.type(), dims), {x, Constant(Literal{Shape(x.type())})},
             std::move(attrs));
}

Array Formula::Concatenate(std::initializer_list<Array> arrays, int64_t dimension) {
  Dims dims = arrays.begin()->shape().dimensions();
  int64_t& extent = dims[static_cast<size_t>(dimension)] = 0;
  for (const Array& x : arrays) extent += x.shape().dimension(dimension);
  return Add(HloOpcode::Concatenate, Shape(arrays.begin()->type(), dims), arrays,
             DimensionsAttrs{{dimension}});
}

Array Formula::Compare(ComparisonDirection direction, Array x, Array y) {
  return Add(HloOpcode::Compare, Shape(ElementType::PRED, x.shape().dimensions()), {x, y},
             CompareAttrs{direction});
}

Array Formula::MakeComplex(Array re, Array im) {
  const ElementType type = re.type() == ElementType::F64 ? ElementType::C128 : ElementType::C64;
  return Add(HloOpcode::Complex, Shape(type, re.shape().dimensions()), {re, im});
}

Array Formula::Part(HloOpcode op, Array x) {
  const ElementType type = x.type() == ElementType::C128 ? ElementType::F64 : ElementType::F32;
  return Add(op, Shape(type, x.shape().dimensions()), {x});
}

}  // namespace sinter::expand
