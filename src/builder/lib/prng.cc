#include "sinter/lib/prng.h"

#include <array>
#include <cmath>
#include <numbers>

#include "builder/lib/compose.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

constexpr ElementType kU32 = ElementType::U32, kU64 = ElementType::U64;

using Words2 = std::array<Op, 2>;  // 32 bits each, or 64; the low ones first
using Words4 = std::array<Op, 4>;

Op RotateLeft(Op x, int distance) { return (x << distance) | (x >> (32 - distance)); }

Words2 Split(Op u64) {
  return {ConvertElementType(u64, kU32), ConvertElementType(u64 >> 32, kU32)};
}
Op Joined(Op low, Op high) {
  return ConvertElementType(low, kU64) | (ConvertElementType(high, kU64) << 32);
}

// Twenty rounds, a word of the key schedule after each four.
Words2 ThreeFry2x32(Words2 x, Words2 key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<Op, 3> schedule = {key[0], key[1], key[0] ^ key[1] ^ uint32_t{0x1BD11BDA}};
  x = {x[0] + schedule[0], x[1] + schedule[1]};
  for (size_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x[0] = x[0] + x[1];
      x[1] = RotateLeft(x[1], rotation) ^ x[0];
    }
    x[0] = x[0] + schedule[(group + 1) % 3];
    x[1] = x[1] + schedule[(group + 2) % 3] + static_cast<uint32_t>(group + 1);
  }
  return x;
}

// Ten rounds.
Words4 Philox4x32(Words4 x, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    auto product = [](Op word, uint32_t by) {
      return Split(ConvertElementType(word, kU64) * uint64_t{by});
    };
    const Words2 a = product(x[0], 0xD2511F53), b = product(x[2], 0xCD9E8D57);
    x = {b[1] ^ x[1] ^ key[0], b[0], a[1] ^ x[3] ^ key[1], a[0]};
    key = {key[0] + uint32_t{0x9E3779B9}, key[1] + uint32_t{0xBB67AE85}};
  }
  return x;
}

// 128 bits and 64, with the carry; `sizes` are the dimensions of u64.
Words2 Add128(const Words2& x, Op u64, absl::Span<const int64_t> sizes) {
  Op low = x[0] + u64;
  Op high = Select(Lt(low, x[0]), Broadcast(x[1] + 1, sizes), Broadcast(x[1], sizes));
  return {low, high};
}
Words2 CounterOf(Op vector) {
  return {Reshape(SliceInDim(vector, 0, 1, 1, 0), {}), Reshape(SliceInDim(vector, 1, 2, 1, 0), {})};
}
Op VectorOf(const Words2& counter) {
  return ConcatScalars(counter[0].builder(), {counter[0], counter[1]});
}

// How the elements of a shape are made of pairs of values: the two halves of a dimension's elements
// alternate along it. That is the first even dimension, else the first of the largest, which is
// then cut by one. A scalar is the first of a pair.
struct Halves {
  std::vector<int64_t> original, half, whole;  // whole: with the dimension of 2 of its own
  int64_t split = 0;

  explicit Halves(const std::vector<int64_t>& dimensions) : original(dimensions), half(dimensions) {
    if (original.empty()) half = {1};
    for (size_t i = 0; i < half.size(); ++i) {
      auto at = static_cast<size_t>(split);
      if (half[at] % 2 == 0) break;
      if (half[i] % 2 == 0 || half[i] > half[at]) split = static_cast<int64_t>(i);
    }
    auto at = static_cast<size_t>(split);
    half[at] = CeilOfRatio(half[at], 2);
    whole = half;
    if (original.empty()) {
      whole = {2};
      return;
    }
    half.insert(half.begin() + split + 1, 1);
    whole.insert(whole.begin() + split + 1, 2);
  }
  int64_t pair_dim() const { return original.empty() ? 0 : split + 1; }

  Op Combine(const Words2& pair) const {
    if (original.empty()) return Reshape(pair[0], {});
    Op both = ConcatInDim(pair[0].builder(), {pair[0], pair[1]}, pair_dim());
    std::vector<int64_t> joined = original;
    auto at = static_cast<size_t>(split);
    joined[at] = CeilOfRatio(original[at], 2) * 2;
    return SliceInDim(Reshape(both, joined), 0, original[at], 1, split);
  }
};

int64_t CountOf(const std::vector<int64_t>& dimensions) {
  return Shape(kU64, dimensions).element_count();
}

// The counter of each element in row-major order.
Op Counters(Op state, const std::vector<int64_t>& dimensions) {
  Op counters = Broadcast(Reshape(state, {}), dimensions);
  uint64_t stride = 1;
  for (auto i = static_cast<int64_t>(dimensions.size()) - 1; i >= 0; --i) {
    const int64_t size = dimensions[static_cast<size_t>(i)];
    if (size < 2) continue;
    counters = counters + Iota(state.builder(), Shape(kU64, dimensions), i) * stride;
    stride *= static_cast<uint64_t>(size);
  }
  return counters;
}

RngOutput ThreeFryBits(Op key, Op state, const std::vector<int64_t>& dimensions, bool wide) {
  const Halves halves(dimensions);
  const std::vector<int64_t>& counted = wide ? dimensions : halves.half;
  Words2 bits = ThreeFry2x32(Split(Counters(state, counted)), Split(key));
  Op value = wide ? Joined(bits[0], bits[1]) : halves.Combine(bits);
  return {value, state + static_cast<uint64_t>(CountOf(counted))};
}

RngOutput PhiloxBits(Op key, Op state, const std::vector<int64_t>& dimensions, bool wide) {
  Builder* b = key.builder();
  const int64_t count = CountOf(dimensions), per_step = wide ? 2 : 4;
  const int64_t steps = CeilOfRatio(count, per_step);
  const Words2 counter = CounterOf(state);
  const Words2 counters = Add128(counter, Iota(b, kU64, steps), {steps});
  const Words2 low = Split(counters[0]), high = Split(counters[1]);
  Words4 bits = Philox4x32({low[0], low[1], high[0], high[1]}, Split(key));
  std::vector<Op> columns(bits.begin(), bits.end());
  if (wide) columns = {Joined(bits[0], bits[1]), Joined(bits[2], bits[3])};
  for (Op& column : columns) column = Reshape(column, {steps, 1});
  Op all = Reshape(ConcatInDim(b, columns, 1), {steps * per_step});
  Op next = VectorOf(Add128(counter, ConstantR0<uint64_t>(b, static_cast<uint64_t>(steps)), {}));
  return {Reshape(SliceInDim(all, 0, count, 1, 0), dimensions), next};
}

// Bits of the width of the shape's type.
template <class F>
RngOutput Bits(std::string_view name, const Operand& key, const Operand& initial_state,
               const Shape& shape, F generate) {
  RngOutput output;
  output.value = Compose(name, key, [&](Builder*) -> absl::StatusOr<Op> {
    const ElementType type = shape.element_type();
    const int width = BitWidth(type);
    if (!(IsInteger(type) || IsFloat(type)) || width < 8)
      return Unimplemented("random bits of {}", shape.ToString());
    RngOutput made =
        generate(key.op(), initial_state.op(), shape.dimensions(), /*wide=*/width == 64);
    output.state = made.state;
    if (width >= 32) return made.value;
    return ConvertElementType(made.value, width == 16 ? ElementType::U16 : ElementType::U8);
  });
  if (output.state.IsUninitialized()) output.state = output.value;
  return output;
}

// Bits of a width as floats of [0, 1), scaled.
absl::StatusOr<Op> UniformFloats(Op bits, const Operand& minval, const Operand& maxval,
                                 const Shape& shape) {
  ASSIGN_OR_RETURN(Shape bits_shape, bits.shape());
  const ElementType type = shape.element_type(), bit_type = bits_shape.element_type();
  if (!IsFloat(type) || !IsInteger(bit_type)) {
    return InvalidArgument("{} from bits {}: expected floats from integers", shape.ToString(),
                           bits_shape.ToString());
  }
  if (type == ElementType::F16 && bit_type == ElementType::U16) {
    // The mantissa of a number of [1, 2); its range is not asked for, as in XLA.
    Op ones_and_more = BitcastConvertType((bits & uint16_t{0x3ff}) | uint16_t{15 << 10}, type);
    return ones_and_more - 1;
  }
  const int width = BitWidth(bit_type);
  int mantissa = 0;
  switch (type) {
    case ElementType::F64:
      mantissa = 52;
      break;
    case ElementType::F32:
      mantissa = 23;
      break;
    case ElementType::F16:
      mantissa = 10;
      break;
    case ElementType::BF16:
      mantissa = 7;
      break;
    default:
      return Unimplemented("uniform numbers of {}", shape.ToString());
  }
  if (mantissa > width)
    return InvalidArgument("{} bits are too few for {}", width, shape.ToString());
  Op unit = ConvertElementType(ShiftRightLogical(bits, width - mantissa), type) *
            std::ldexp(1.0, -mantissa);
  return unit * Sub(maxval, minval) + minval;
}

}  // namespace

Op ConcatScalars(Builder* builder, absl::Span<const Op> scalars) {
  std::vector<Op> vectors;
  for (Op scalar : scalars) vectors.push_back(Reshape(scalar, {1}));
  return ConcatInDim(builder, vectors, 0);
}

RngOutput ThreeFryBitGenerator(const Operand& key, const Operand& initial_state,
                               const Shape& shape) {
  return Bits("three-fry-bit-generator", key, initial_state, shape, ThreeFryBits);
}
RngOutput PhiloxBitGenerator(const Operand& key, const Operand& initial_state, const Shape& shape) {
  return Bits("philox-bit-generator", key, initial_state, shape, PhiloxBits);
}

std::pair<Op, Op> ScramblePhiloxKey(const Operand& key) {
  ComposedAt at(key);
  Builder* b = key.builder();
  if (b == nullptr) return {};
  const Words2 words = Split(key.op());
  Op zero = ConstantR0<uint32_t>(b, 0);
  const Words2 fixed = {ConstantR0<uint32_t>(b, 0x3ec8f720), ConstantR0<uint32_t>(b, 0x02461e29)};
  const Words4 bits = Philox4x32({words[0], zero, words[1], zero}, fixed);
  Op low = ConstantR0<uint64_t>(b, 0);
  return {VectorOf({low, Joined(bits[2], bits[3])}), Joined(bits[0], bits[1])};
}

Op PhiloxIncreaseCounter(const Operand& counter, const Operand& delta) {
  ComposedAt at(counter);
  return VectorOf(Add128(CounterOf(counter.op()), delta.op(), {}));
}

RngOutput UniformFloatingPointDistribution(const Operand& key, const Operand& initial_state,
                                           const BitGeneratorTy& bit_generator,
                                           const Operand& minval, const Operand& maxval,
                                           const Shape& shape) {
  ComposedAt at(key);
  RngOutput output = bit_generator(key.op(), initial_state.op(), shape);
  output.value = Compose("uniform-floating-point-distribution", key, [&](Builder*) {
    return UniformFloats(output.value, minval, maxval, shape);
  });
  return output;
}

RngOutput UniformIntDistribution(const Operand& key, const Operand& initial_state,
                                 const BitGeneratorTy& bit_generator, const Operand& minval,
                                 const Operand& maxval, const Shape& shape) {
  ComposedAt at(key);
  RngOutput output = bit_generator(key.op(), initial_state.op(), shape);
  output.value = Compose("uniform-int-distribution", key, [&](Builder*) -> absl::StatusOr<Op> {
    const ElementType type = shape.element_type();
    const int width = BitWidth(type);
    if (!IsInteger(type) || width < 32)
      return Unimplemented("uniform numbers of {}", shape.ToString());
    const ElementType bits = width == 64 ? kU64 : kU32;
    Op range = BitcastConvertType(maxval, bits) - BitcastConvertType(minval, bits);
    Op distance = Rem(output.value, range);
    // In two steps, neither of which leaves the type.
    Op half = distance >> 1;
    return Add(minval, BitcastConvertType(half, type)) + BitcastConvertType(distance - half, type);
  });
  return output;
}

RngOutput NormalFloatingPointDistribution(const Operand& key, const Operand& initial_state,
                                          const BitGeneratorTy& bit_generator, const Shape& shape) {
  ComposedAt at(key);
  RngOutput output;
  output.value =
      Compose("normal-floating-point-distribution", key, [&](Builder* b) -> absl::StatusOr<Op> {
        const ElementType type = shape.element_type();
        if (type != ElementType::F16 && type != ElementType::F32 && type != ElementType::F64)
          return Unimplemented("normal numbers of {}", shape.ToString());
        const Halves halves(shape.dimensions());
        RngOutput uniform =
            UniformFloatingPointDistribution(key, initial_state, bit_generator, Zero(b, type),
                                             One(b, type), Shape(type, halves.whole));
        output.state = uniform.state;
        auto half = [&](int64_t n) {
          return SliceInDim(uniform.value, n, n + 1, 1, halves.pair_dim());
        };
        // The logarithm's argument is kept away from 0.
        Op radius = Sqrt(Log(Max(half(0), 1.0e-7f)) * -2.0f);
        Op angle = half(1) * (2 * std::numbers::pi);
        return halves.Combine({Sin(angle) * radius, Cos(angle) * radius});
      });
  if (output.state.IsUninitialized()) output.state = output.value;
  return output;
}

}  // namespace sinter
