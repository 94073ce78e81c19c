#include "passes/expand/random.h"

#include <array>
#include <cmath>
#include <numbers>

#include "pass/graph.h"
#include "passes/expand/formula.h"

namespace sinter {
namespace {

using expand::Array;
using expand::Formula;
using E = ElementType;
using Words = std::array<Array, 4>;

Array Low(Array x) { return x.f->Convert(x, E::U32); }
Array High(Array x) { return x.f->Convert(x >> 32, E::U32); }
Array Joined(Array low, Array high) {
  Formula& f = *low.f;
  return f.Convert(low, E::U64) | (f.Convert(high, E::U64) << 32);
}

// Word k of the state, as a scalar, and repeated.
Array Word(Array state, int64_t k) {
  return state.f->Reshape(state.f->Slice(state, 0, k, k + 1), {});
}
Array Repeated(Array scalar, const Dims& dims) { return scalar.f->Broadcast(scalar, dims, {}); }

// Threefry-2x32 with 20 rounds.
std::array<Array, 2> ThreeFry(Array counter, Array key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Formula& f = *counter.f;
  const Array low = Low(key), high = High(key);
  const Array ks[3] = {low, high, low ^ high ^ f.Like(low, 0x1BD11BDA)};
  Array x = Low(counter) + ks[0], y = High(counter) + ks[1];
  for (int group = 1; group <= 5; ++group) {
    for (int rotation : kRotations[(group - 1) % 2]) {
      x = x + y;
      y = ((y << rotation) | (y >> (32 - rotation))) ^ x;
    }
    x = x + ks[group % 3];
    y = y + ks[(group + 1) % 3] + f.Like(y, group);
  }
  return {x, y};
}

// Philox-4x32 with 10 rounds.
Words Philox(Words x, Array key) {
  Formula& f = *key.f;
  Array k0 = Low(key), k1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const Array a = f.Like(k0, 0xD2511F53u), b = f.Like(k0, 0xCD9E8D57u);
    const Array a_high = f.Elementwise(HloOpcode::Mulhi, {x[0], a});
    const Array b_high = f.Elementwise(HloOpcode::Mulhi, {x[2], b});
    x = {b_high ^ x[1] ^ k0, x[2] * b, a_high ^ x[3] ^ k1, x[0] * a};
    if (round == 9) break;
    k0 = k0 + f.Like(k0, 0x9E3779B9u);
    k1 = k1 + f.Like(k1, 0xBB67AE85u);
  }
  return x;
}

// low + steps, and high with the carry.
std::array<Array, 2> Plus(Array low, Array high, Array steps) {
  Formula& f = *low.f;
  Array sum = low + steps;
  Array carry = f.Compare(ComparisonDirection::kLt, sum, low);
  return {sum, f.Select(carry, high + f.Like(high, 1), high)};
}

// `count` numbers of U32 or U64 in order, 128 bits a counter.
Array PhiloxNumbers(Array key, Array low, Array high, int64_t count, E type) {
  Formula& f = *key.f;
  const int64_t each = type == E::U64 ? 2 : 4, steps = (count + each - 1) / each;
  const Dims dims{steps};
  auto [at_low, at_high] = Plus(Repeated(low, dims), Repeated(high, dims), f.Iota(E::U64, dims, 0));
  Words w = Philox({Low(at_low), High(at_low), Low(at_high), High(at_high)}, Repeated(key, dims));
  auto column = [&](Array x) { return f.Reshape(x, {steps, 1}); };
  Array all = type == E::U64
                  ? f.Concatenate({column(Joined(w[0], w[1])), column(Joined(w[2], w[3]))}, 1)
                  : f.Concatenate({column(w[0]), column(w[1]), column(w[2]), column(w[3])}, 1);
  return f.Slice(f.Reshape(all, {steps * each}), 0, 0, count);
}

// The dimension along which pairs of 32-bit numbers are neighbours: the first even one, else the
// longest.
size_t PairedDimension(const Dims& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] % 2 == 0) return d;
  }
  size_t longest = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] > dims[longest]) longest = d;
  }
  return longest;
}

Array Counters(Array first, const Dims& dims) {
  Formula& f = *first.f;
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  Array places = f.Reshape(f.Iota(E::U64, {count}, 0), dims);
  return Repeated(first, dims) + places;
}

// Numbers of U32 or U64, 64 bits a counter; `used` counters.
Array ThreeFryNumbers(Array key, Array counter, const Dims& dims, E type, int64_t* used) {
  Formula& f = *key.f;
  if (type == E::U64) {
    *used = 1;
    for (int64_t d : dims) *used *= d;
    auto [x, y] = ThreeFry(Counters(counter, dims), Repeated(key, dims));
    return Joined(x, y);
  }
  if (dims.empty()) {
    *used = 1;
    return ThreeFry(counter, key)[0];
  }
  const size_t split = PairedDimension(dims);
  Dims half = dims, even = dims;
  half[split] = (dims[split] + 1) / 2;
  even[split] = half[split] * 2;
  half.insert(half.begin() + static_cast<int64_t>(split) + 1, 1);
  *used = 1;
  for (int64_t d : half) *used *= d;
  auto [x, y] = ThreeFry(Counters(counter, half), Repeated(key, half));
  const auto at = static_cast<int64_t>(split);
  return f.Slice(f.Reshape(f.Concatenate({x, y}, at + 1), even), at, 0, dims[split]);
}

HloInstruction* ExpandBits(HloComputation& c, const HloInstruction& i) {
  Formula f(c, i);
  const Array state = f.Of(i.operand(0));
  const Shape& shape = i.shape().tuple_shapes()[1];
  const Dims& dims = shape.dimensions();
  const E type = BitWidth(shape.element_type()) == 64 ? E::U64 : E::U32;
  const bool has_high = state.shape().dimension(0) == 3;
  const Array key = Word(state, 0), low = Word(state, 1);
  const int64_t count = shape.element_count();
  Array numbers, next;
  if (i.attrs<RngBitGeneratorAttrs>().algorithm == RandomAlgorithm::kThreeFry) {
    int64_t used = 0;
    numbers = ThreeFryNumbers(key, low, dims, type, &used);
    next = low + f.Like(low, used);
  } else {
    // A state of two words has the key for the counter's upper half.
    const Array high = has_high ? Word(state, 2) : key;
    numbers = f.Reshape(PhiloxNumbers(key, low, high, count, type), dims);
    const int64_t each = type == E::U64 ? 2 : 4;
    auto [new_low, new_high] = Plus(low, high, f.Like(low, (count + each - 1) / each));
    next = new_low;
    if (has_high) next = f.Concatenate({f.Reshape(new_low, {1}), f.Reshape(new_high, {1})}, 0);
  }
  const Array new_state =
      f.Concatenate({f.Reshape(key, {1}), f.Reshape(next, {has_high ? 2 : 1})}, 0);
  // Narrow numbers are the low bits.
  if (BitWidth(shape.element_type()) < 8) {
    numbers = f.Convert(numbers, shape.element_type());
  } else {
    numbers = f.Bitcast(f.Convert(numbers, UnsignedOf(shape.element_type())), shape.element_type());
  }
  return f.Add(HloOpcode::Tuple, i.shape(), {new_state, numbers}).i;
}

// Numbers from 0 to before 1 of a float type.
Array Unit(Array bits, E type) {
  Formula& f = *bits.f;
  const int digits = type == E::F64 ? 53 : 24;
  Array x = f.Convert(bits >> (BitWidth(bits.type()) - digits), type);
  return x * f.Like(x, std::ldexp(1.0, -digits));
}

HloInstruction* ExpandRng(HloComputation& c, const HloInstruction& i) {
  Formula f(c, i);
  const Dims& dims = i.shape().dimensions();
  const E type = i.shape().element_type();
  const int64_t count = i.shape().element_count();
  const bool normal = i.attrs<RngAttrs>().distribution == RandomDistribution::kNormal;
  // Another key for each instruction.
  const auto id = static_cast<uint64_t>(i.id());
  auto bits = [&](E bits_type, int64_t n) {
    return PhiloxNumbers(f.Splat(E::U64, {}, id ^ 0x7369'6e74'6572'0001), f.Splat(E::U64, {}, id),
                         f.Splat(E::U64, {}, uint64_t{0}), n, bits_type);
  };
  const Array a = Repeated(f.Of(i.operand(0)), dims), b = Repeated(f.Of(i.operand(1)), dims);
  if (type == E::PRED) return a.i;  // only false is below true
  if (IsInteger(type)) {
    const E wide = IsSigned(type) ? E::S64 : E::U64;
    Array low = f.Bitcast(f.Convert(a, wide), E::U64);
    Array range = f.Bitcast(f.Convert(b, wide), E::U64) - low;
    Array offset = f.Reshape(bits(E::U64, count), dims) % range;
    offset = f.Select(f.Compare(ComparisonDirection::kEq, range, f.Like(range, 0)),
                      f.Like(range, 0), offset);
    return f.Convert(f.Bitcast(low + offset, wide), type).i;
  }
  const E wide = type == E::F64 ? E::F64 : E::F32, word = type == E::F64 ? E::U64 : E::U32;
  const Array low = f.Convert(a, wide), high = f.Convert(b, wide);
  if (!normal) {
    Array u = Unit(f.Reshape(bits(word, count), dims), wide);
    Array x = f.Convert(low + u * (high - low), type);
    // Rounding must not reach the upper end.
    return f.Select(f.Compare(ComparisonDirection::kGe, x, b), a, x).i;
  }
  // Box and Muller's transform: a radius and an angle a number.
  Array pairs = bits(word, 2 * count);
  Array u = f.Reshape(Unit(f.Slice(pairs, 0, 0, count), wide), dims);
  Array v = f.Reshape(Unit(f.Slice(pairs, 0, count, 2 * count), wide), dims);
  Array log = f.Elementwise(HloOpcode::Log1p, {f.Elementwise(HloOpcode::Negate, {u})});
  Array radius = f.Elementwise(HloOpcode::Sqrt, {log * f.Like(log, -2.0)});
  Array cosine = f.Elementwise(HloOpcode::Cosine, {v * f.Like(v, 2 * std::numbers::pi)});
  return f.Convert(low + high * (radius * cosine), type).i;
}

bool ExpandRandomIn(HloComputation& c) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->op() == HloOpcode::RngBitGenerator) {
      c.ReplaceAllUses(i, ExpandBits(c, *i));
      changed = true;
    } else if (i->op() == HloOpcode::Rng) {
      c.ReplaceAllUses(i, ExpandRng(c, *i));
      changed = true;
    }
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandRandomPass() {
  return MakePass("expand-random", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= ExpandRandomIn(*c);
    return changed;
  });
}

}  // namespace sinter
