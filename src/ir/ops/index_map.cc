// Shape rules of index maps: ops whose result's elements are elements of the operands.

#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

absl::Status CheckStarts(const InferInput& in, size_t first, int64_t rank,
                         std::string_view count_label, std::string_view type_label) {
  size_t n = in.operands.size() - first;
  REQUIRE(n == static_cast<size_t>(rank),
          "({}) needs a start index for each of {} dimensions, got {}", count_label, rank, n);
  for (size_t i = first; i < in.operands.size(); ++i) {
    const Shape& index = in.operand(i);
    REQUIRE(index.is_scalar() && IsInteger(index.element_type()),
            "the start indices must be integer scalars");
    REQUIRE(SameType(index, in.operand(first)), "({}) the start indices must have the same type",
            type_label);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Iota(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  const Shape& s = *in.declared;
  REQUIRE(s.is_array() && !IsPredicate(s.element_type()),
          "the result must be integer, float or complex");
  int64_t d = in.as<IotaAttrs>().iota_dimension;
  REQUIRE(0 <= d && d < s.rank(), "(C1) iota_dimension {} is not a dimension of the result", d);
  return s;
}

absl::StatusOr<Shape> BitcastConvert(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  const Shape &from = in.operand(0), &to = *in.declared;
  REQUIRE(to.is_array(), "the result must be an array");
  int64_t from_bits = BitWidth(from.element_type()), to_bits = BitWidth(to.element_type());
  REQUIRE(IsComplex(from.element_type()) == IsComplex(to.element_type()),
          "(C2) complex numbers convert to complex numbers only");
  // The wider element type's array lacks the last dimension, over which its bits are spread.
  const Shape& wide = from_bits >= to_bits ? from : to;
  const Shape& narrow = from_bits >= to_bits ? to : from;
  Dims dims = wide.dimensions();
  int64_t wide_bits = std::max(from_bits, to_bits), narrow_bits = std::min(from_bits, to_bits);
  REQUIRE(wide_bits % narrow_bits == 0, "(C1) {} bits are no multiple of {} bits", wide_bits,
          narrow_bits);
  if (wide_bits != narrow_bits) dims.push_back(wide_bits / narrow_bits);
  REQUIRE(dims == narrow.dimensions(),
          "(C1) the dimensions must be the operand's, but for the last one over which "
          "the bits of the wider type are spread");
  return to;
}

absl::StatusOr<Shape> Broadcast(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  const Shape &x = in.operand(0), &r = *in.declared;
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(x.element_type() == r.element_type(),
          "(C1) the result must have the operand's element type");
  REQUIRE(static_cast<int64_t>(dims.size()) == x.rank(),
          "(C2) dimensions={} must have an entry for each of the operand's {} dimensions",
          Text(dims), x.rank());
  REQUIRE(InRange(dims, r.rank()), "(C3) dimensions={} must be dimensions of the result",
          Text(dims));
  REQUIRE(IsUnique(dims), "(C4) dimensions={} must be unique", Text(dims));
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t to = dims[static_cast<size_t>(i)];
    REQUIRE(
        x.dimension(i) == 1 || x.dimension(i) == r.dimension(to),
        "(C5) dimension {} of the operand is {}, neither 1 nor {} like dimension {} of the result",
        i, x.dimension(i), r.dimension(to), to);
  }
  return r;
}

absl::StatusOr<Shape> Reshape(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  REQUIRE(in.operand(0).element_type() == in.declared->element_type(),
          "(C1) the result must have the operand's element type");
  REQUIRE(in.operand(0).element_count() == in.declared->element_count(),
          "(C2) the result must have the operand's number of elements: {} is not {}",
          in.declared->element_count(), in.operand(0).element_count());
  return *in.declared;
}

absl::StatusOr<Shape> Transpose(const InferInput& in) {
  const Shape& x = in.operand(0);
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(
      static_cast<int64_t>(dims.size()) == x.rank() && InRange(dims, x.rank()) && IsUnique(dims),
      "(C2) dimensions={} must be a permutation of the operand's dimensions", Text(dims));
  Dims sizes;
  for (int64_t d : dims) sizes.push_back(x.dimension(d));
  Shape r(x.element_type(), sizes);
  for (int64_t i = 0; i < r.rank(); ++i) {
    if (x.is_dynamic(dims[static_cast<size_t>(i)])) r.set_dynamic(i, true);
  }
  return r;
}

absl::StatusOr<Shape> Slice(const InferInput& in) {
  const Shape& x = in.operand(0);
  const auto& a = in.as<SliceAttrs>();
  auto rank = static_cast<size_t>(x.rank());
  REQUIRE(a.starts.size() == rank && a.limits.size() == rank && a.strides.size() == rank,
          "(C2) needs a start, a limit and a stride for each of {} dimensions, got {}, {} and {}",
          rank, a.starts.size(), a.limits.size(), a.strides.size());
  Dims sizes;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = x.dimensions()[i];
    REQUIRE(0 <= a.starts[i] && a.starts[i] <= a.limits[i] && a.limits[i] <= size,
            "(C3) [{}:{}] is not within dimension {} of size {}", a.starts[i], a.limits[i], i,
            size);
    REQUIRE(a.strides[i] > 0, "(C4) the stride {} of dimension {} must be positive", a.strides[i],
            i);
    int64_t length = a.limits[i] - a.starts[i];
    sizes.push_back(length / a.strides[i] + (length % a.strides[i] != 0));
  }
  return Shape(x.element_type(), sizes);
}

absl::StatusOr<Shape> Pad(const InferInput& in) {
  const Shape &x = in.operand(0), &value = in.operand(1);
  const auto& a = in.as<PadAttrs>();
  REQUIRE(value.element_type() == x.element_type(),
          "(C1) the padding value must have the operand's element type");
  REQUIRE(value.is_scalar(), "the padding value must be a scalar");
  auto rank = static_cast<size_t>(x.rank());
  REQUIRE(a.low.size() == rank && a.high.size() == rank && a.interior.size() == rank,
          "(C2) needs low, high and interior padding for each of {} dimensions, got {}, {} and {}",
          rank, a.low.size(), a.high.size(), a.interior.size());
  Dims sizes;
  for (size_t i = 0; i < rank; ++i) {
    REQUIRE(a.interior[i] >= 0, "(C3) interior padding {} of dimension {} must not be negative",
            a.interior[i], i);
    int64_t size = x.dimensions()[i], inner, r;
    bool overflow = __builtin_mul_overflow(std::max<int64_t>(size - 1, 0), a.interior[i], &inner);
    overflow |= __builtin_add_overflow(size, inner, &r);
    overflow |= __builtin_add_overflow(r, a.low[i], &r);
    overflow |= __builtin_add_overflow(r, a.high[i], &r);
    REQUIRE(!overflow, "the size of dimension {} overflows int64", i);
    REQUIRE(r >= 0, "(C4) dimension {} of the result would be {}", i, r);
    sizes.push_back(r);
  }
  return MakeResult(x.element_type(), sizes);
}

absl::StatusOr<Shape> Concatenate(const InferInput& in) {
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(!in.operands.empty(), "(C3) needs an operand");
  const Shape& first = in.operand(0);
  REQUIRE(dims.size() == 1, "dimensions={} must name one dimension", Text(dims));
  int64_t d = dims[0];
  REQUIRE(0 <= d && d < first.rank(), "(C4) dimension {} is not one of the operands'", d);
  Dims sizes = first.dimensions();
  auto at = static_cast<size_t>(d);
  sizes[at] = 0;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const Shape& x = in.operand(i);
    REQUIRE(x.element_type() == first.element_type(),
            "(C1) operand {} has another element type than operand 0", i);
    Dims others = x.dimensions();
    bool same_rank = x.rank() == first.rank();
    int64_t size = same_rank ? others[at] : 0;
    if (same_rank) others[at] = first.dimension(d);
    REQUIRE(others == first.dimensions(),
            "(C2) operand {} differs from operand 0 in more than dimension {}", i, d);
    REQUIRE(!__builtin_add_overflow(sizes[at], size, &sizes[at]),
            "the size of dimension {} overflows int64", d);
  }
  return MakeResult(first.element_type(), sizes);
}

absl::StatusOr<Shape> Reverse(const InferInput& in) {
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  REQUIRE(IsUnique(dims), "(C2) dimensions={} must be unique", Text(dims));
  REQUIRE(InRange(dims, in.operand(0).rank()),
          "(C3) dimensions={} must be dimensions of the operand", Text(dims));
  return in.operand(0);
}

absl::StatusOr<Shape> DynamicSlice(const InferInput& in) {
  REQUIRE(!in.operands.empty(), "needs an operand");
  const Shape& x = in.operand(0);
  const Dims& sizes = in.as<DynamicSliceAttrs>().dynamic_slice_sizes;
  RETURN_IF_ERROR(CheckStarts(in, 1, x.rank(), "C2", "C3"));
  REQUIRE(static_cast<int64_t>(sizes.size()) == x.rank(),
          "(C2) dynamic_slice_sizes={} must have an entry for each of {} dimensions", Text(sizes),
          x.rank());
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t size = sizes[static_cast<size_t>(i)];
    REQUIRE(0 <= size && size <= x.dimension(i),
            "(C4) the slice's size {} is not within dimension {} of size {}", size, i,
            x.dimension(i));
  }
  return Shape(x.element_type(), sizes);
}

absl::StatusOr<Shape> DynamicUpdateSlice(const InferInput& in) {
  REQUIRE(in.operands.size() >= 2, "needs an operand and an update");
  const Shape &x = in.operand(0), &update = in.operand(1);
  REQUIRE(update.element_type() == x.element_type(),
          "(C2) the update must have the operand's element type");
  REQUIRE(update.rank() == x.rank(), "(C3) the update must have the operand's rank");
  RETURN_IF_ERROR(CheckStarts(in, 2, x.rank(), "C4", "C5"));
  for (int64_t i = 0; i < x.rank(); ++i) {
    REQUIRE(update.dimension(i) <= x.dimension(i),
            "(C6) dimension {} of the update is {}, more than the operand's {}", i,
            update.dimension(i), x.dimension(i));
  }
  return x;
}

}  // namespace sinter::infer
