#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/expand/formula.h"
#include "passes/expand/small_floats.h"
#include "passes/expand/small_types.h"

namespace sinter {
namespace expand {
namespace {

using E = ElementType;

// The type of the byte that holds an element.
E ByteOf(E t) { return IsSmall(t) ? (IsSigned(t) ? E::S8 : E::U8) : t; }

bool HasSmall(const Shape& shape) {
  if (!shape.is_tuple()) return IsSmall(shape.element_type());
  return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasSmall);
}

Shape InBytes(const Shape& shape) {
  if (!shape.is_tuple()) {
    if (!IsSmall(shape.element_type())) return shape;
    return Shape(ByteOf(shape.element_type()), shape.dimensions());
  }
  std::vector<Shape> elements;
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(InBytes(s));
  return Shape::Tuple(std::move(elements));
}

Literal InBytes(const Literal& literal) {
  if (literal.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& e : literal.tuple()) elements.push_back(InBytes(e));
    return Literal::Tuple(std::move(elements));
  }
  Literal bytes(InBytes(literal.shape()));
  const auto size = static_cast<size_t>(literal.byte_size());
  if (size != 0) std::memcpy(bytes.untyped_data(), literal.untyped_data(), size);
  return bytes;
}

// The low bits of bytes as integers of 2 or 4 bits, extended by their sign.
Array Wrapped(Array bytes, E type) {
  Formula& f = *bytes.f;
  const int unused = 8 - BitWidth(type);
  Array x = f.Convert(bytes, ByteOf(type));
  if (IsUnsigned(type)) return And(x, f.Like(x, 0xff >> unused));
  const Array distance = f.Like(x, unused);
  return f.Elementwise(HloOpcode::ShiftRightArithmetic,
                       {f.Elementwise(HloOpcode::ShiftLeft, {x, distance}), distance});
}

// An element of type `from`, in its byte, as one of type `to`, in its.
Array Converted(Array x, E from, E to) {
  Formula& f = *x.f;
  if (from == to) return x;
  if (IsSmallFloat(from)) {
    x = DecodeSmallFloat(x, from);
    from = E::F32;
  }
  if (!IsSmall(to)) return f.Convert(x, to);
  if (IsFloat(to)) return EncodeSmallFloat(ForEncoding(x, to), to);
  if (IsComplex(x.type())) x = f.Part(HloOpcode::Real, x);
  if (!IsFloat(x.type())) return Wrapped(f.Convert(x, ByteOf(to)), to);
  // The byte saturates, and what is beyond the type's own ends becomes them.
  const int64_t most = (int64_t{1} << (BitWidth(to) - (IsSigned(to) ? 1 : 0))) - 1;
  Array byte = f.Convert(x, ByteOf(to));
  byte = f.Elementwise(HloOpcode::Minimum, {byte, f.Like(byte, most)});
  if (IsUnsigned(to)) return byte;
  return f.Elementwise(HloOpcode::Maximum, {byte, f.Like(byte, -most - 1)});
}

// Element k of the minor dimension.
Array ElementOf(Array x, int64_t k) {
  Formula& f = *x.f;
  const int64_t minor = x.shape().rank() - 1;
  Dims dims = x.shape().dimensions();
  dims.pop_back();
  return f.Reshape(f.Slice(x, minor, k, k + 1), dims);
}

// bitcast-convert between types of which at least one is small; x is in bytes.
Array Bitcast(Array x, E from, const Shape& to) {
  Formula& f = *x.f;
  const int from_bits = BitWidth(from), to_bits = BitWidth(to.element_type());
  auto finished = [&](Array bytes) {  // patterns of U8
    const E type = to.element_type();
    if (IsSigned(type) && IsSmall(type)) return Wrapped(bytes, type);
    return f.Bitcast(bytes, ByteOf(type));
  };
  // Patterns, without copies of a sign.
  auto patterns = [&] {
    if (!IsSmall(from) || !IsSigned(from)) return f.Bitcast(x, E::U8);
    const Array u = f.Bitcast(x, E::U8);
    return And(u, f.Like(u, 0xff >> (8 - from_bits)));
  };
  if (from_bits == to_bits) return finished(patterns());
  if (from_bits < to_bits) {
    Array bytes = patterns();
    if (from_bits < 8) {  // the first element lowest
      const int64_t each = std::min(to_bits, 8) / from_bits, n = x.shape().dimensions().back();
      Dims dims = x.shape().dimensions();
      dims.back() = n / each;
      dims.push_back(each);
      const Array split = f.Reshape(bytes, dims);
      bytes = ElementOf(split, 0);
      for (int64_t k = 1; k < each; ++k)
        bytes = bytes | (ElementOf(split, k) << static_cast<int>(k * from_bits));
      if (to_bits <= 8) return finished(f.Reshape(bytes, to.dimensions()));
    }
    return f.Add(HloOpcode::BitcastConvert, to, {bytes});
  }
  Array bytes = x;
  if (from_bits > 8) {
    Dims dims = x.shape().dimensions();
    dims.push_back(from_bits / 8);
    bytes = f.Add(HloOpcode::BitcastConvert, Shape(E::U8, dims), {x});
  } else {
    bytes = patterns();
  }
  if (to_bits < 8) {
    // Each byte as often as it has elements, shifted by another distance each time.
    Dims dims = bytes.shape().dimensions(), all = dims;
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(d);
    all.push_back(std::min(from_bits, 8) / to_bits);
    bytes = f.Broadcast(bytes, all, dims);
    const Array place = f.Iota(E::U8, all, bytes.shape().rank() - 1);
    bytes = f.Elementwise(HloOpcode::ShiftRightLogical, {bytes, place * f.Like(place, to_bits)});
    bytes = And(bytes, f.Like(bytes, 0xff >> (8 - to_bits)));
    bytes = f.Reshape(bytes, to.dimensions());
  }
  return finished(bytes);
}

class Storer {
 public:
  explicit Storer(HloModule& module) : module_(module) {}

  absl::StatusOr<bool> Run() {
    // What the conversions must know when instructions have changed their types.
    for (const auto& c : module_.computations()) {
      for (const auto& i : c->instructions()) {
        if (HasSmall(i->shape())) types_[i.get()] = i->shape();
      }
    }
    if (types_.empty()) return false;
    for (HloComputation* c : module_.AllInOrder()) {
      for (HloInstruction* i : c->AllInOrder()) RETURN_IF_ERROR(Store(*c, *i));
    }
    return true;
  }

 private:
  E TypeOf(const HloInstruction* i) const {
    auto it = types_.find(i);
    return (it == types_.end() ? i->shape() : it->second).element_type();
  }

  absl::Status Store(HloComputation& c, HloInstruction& i) {
    const bool gives = types_.contains(&i);
    const bool takes = std::any_of(i.operands().begin(), i.operands().end(),
                                   [&](const auto* o) { return types_.contains(o); });
    if (!gives && !takes) return absl::OkStatus();
    Formula f(c, i);
    HloInstruction* made = nullptr;
    switch (i.op()) {
      case HloOpcode::Constant:
        made = c.AddConstant(InBytes(i.literal()));
        made->set_metadata(i.metadata());
        break;
      case HloOpcode::Convert:
        made = Converted(f.Of(i.operand(0)), TypeOf(i.operand(0)), i.shape().element_type()).i;
        break;
      case HloOpcode::BitcastConvert:
        made = Bitcast(f.Of(i.operand(0)), TypeOf(i.operand(0)), i.shape()).i;
        // The same byte as another type: not to be taken for the operand, which keeps its own.
        if (made == i.operand(0)) made = f.Elementwise(HloOpcode::Copy, {f.Of(made)}).i;
        break;
      default:
        if (gives) i.set_shape(InBytes(i.shape()));
        return absl::OkStatus();
    }
    if (gives) types_[made] = i.shape();
    c.ReplaceAllUses(&i, made);
    types_.erase(&i);
    c.Remove(&i);
    return absl::OkStatus();
  }

  HloModule& module_;
  absl::flat_hash_map<const HloInstruction*, Shape> types_;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeStoreSmallTypesPass() {
  return MakePass("store-small-types", [](HloModule& module) -> absl::StatusOr<bool> {
    return expand::Storer(module).Run();
  });
}

}  // namespace sinter
