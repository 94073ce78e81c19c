// rng-bit-generator and rng: counter-based generators (J. Salmon et al., Parallel Random Numbers:
// As Easy as 1, 2, 3, SC 2011), with XLA's order of counters and outputs.
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

using Words = std::array<uint32_t, 4>;

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Joined(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// Threefry-2x32 with 20 rounds.
uint64_t ThreeFry(uint64_t counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t ks[3] = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDAu};
  uint32_t x = Low(counter) + ks[0], y = High(counter) + ks[1];
  for (uint32_t group = 1; group <= 5; ++group) {
    for (int rotation : kRotations[(group - 1) % 2]) {
      x += y;
      y = std::rotl(y, rotation) ^ x;
    }
    x += ks[group % 3];
    y += ks[(group + 1) % 3] + group;
  }
  return Joined(x, y);
}

// Philox-4x32 with 10 rounds.
Words Philox(Words x, uint64_t key) {
  uint32_t k0 = Low(key), k1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{x[0]} * 0xD2511F53u, b = uint64_t{x[2]} * 0xCD9E8D57u;
    x = {High(b) ^ x[1] ^ k0, Low(b), High(a) ^ x[3] ^ k1, Low(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x;
}

// The counter of 128 bits `steps` further.
struct Counter {
  uint64_t low, high;
  Counter Plus(uint64_t steps) const {
    const uint64_t sum = low + steps;
    return {sum, high + (sum < low ? 1 : 0)};
  }
  Words words() const { return {Low(low), High(low), Low(high), High(high)}; }
};

int64_t CeilHalf(int64_t n) { return (n + 1) / 2; }

// `count` numbers of 32 or 64 bits from a counter on, in order: each counter gives 128 bits.
std::vector<uint64_t> PhiloxNumbers(uint64_t key, Counter counter, int64_t count, int bits) {
  std::vector<uint64_t> out;
  for (uint64_t step = 0; static_cast<int64_t>(out.size()) < count; ++step) {
    const Words w = Philox(counter.Plus(step).words(), key);
    if (bits == 64) {
      out.push_back(Joined(w[0], w[1]));
      out.push_back(Joined(w[2], w[3]));
    } else {
      out.insert(out.end(), w.begin(), w.end());
    }
  }
  out.resize(static_cast<size_t>(count));
  return out;
}

// 64 bits a counter. Numbers of 32 bits are made in pairs: along the first dimension of even extent
// (else the longest), elements 2i and 2i + 1 are the halves of counter i, whose place is that of an
// array with half the extent.
std::vector<uint64_t> ThreeFryNumbers(uint64_t key, uint64_t counter, const Dims& dims, int bits,
                                      uint64_t* used) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<uint64_t> out(static_cast<size_t>(count));
  if (bits == 64) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = ThreeFry(counter + i, key);
    *used = static_cast<uint64_t>(count);
    return out;
  }
  if (dims.empty()) {
    out[0] = Low(ThreeFry(counter, key));
    *used = 1;
    return out;
  }
  size_t split = dims.size();
  for (size_t d = 0; d < dims.size() && split == dims.size(); ++d) {
    if (dims[d] % 2 == 0) split = d;
  }
  if (split == dims.size()) {
    split = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] > dims[split]) split = d;
    }
  }
  int64_t inner = 1;
  for (size_t d = split + 1; d < dims.size(); ++d) inner *= dims[d];
  const int64_t extent = dims[split], half = CeilHalf(extent);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t along = i / inner % extent, outer = i / inner / extent;
    const auto place = static_cast<uint64_t>((outer * half + along / 2) * inner + i % inner);
    const uint64_t pair = ThreeFry(counter + place, key);
    out[static_cast<size_t>(i)] = along % 2 == 0 ? Low(pair) : High(pair);
  }
  *used = static_cast<uint64_t>(extent == 0 ? 0 : count / extent * half);
  return out;
}

// The low bytes of `numbers` as the elements.
void StoreBits(const std::vector<uint64_t>& numbers, Literal& to) {
  const auto width = static_cast<size_t>(ByteWidth(to.shape().element_type()));
  auto* out = static_cast<std::byte*>(to.untyped_data());
  for (uint64_t n : numbers) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&n);  // little-endian
    out = std::copy_n(bytes, width, out);
  }
}

// The counter of the generators behind rng: no program has seen them, so any will do.
constexpr uint64_t kRngKey = 0x7369'6e74'6572'0001;

}  // namespace

absl::StatusOr<Value> RngBitGenerator(const Input& in) {
  const Literal& state = in.array(0);
  auto word = [&](int64_t i) { return LoadOne<uint64_t>(state, i); };
  const bool has_high = state.shape().dimension(0) == 3;
  Literal numbers(in.shape().tuple_shapes()[1]), next(state.shape());
  const Shape& shape = numbers.shape();
  const int bits = BitWidth(shape.element_type()) == 64 ? 64 : 32;
  const int64_t count = shape.element_count();
  std::vector<uint64_t> words = {word(0)};
  if (in.instruction.attrs<RngBitGeneratorAttrs>().algorithm == RandomAlgorithm::kThreeFry) {
    uint64_t used = 0;
    StoreBits(ThreeFryNumbers(word(0), word(1), shape.dimensions(), bits, &used), numbers);
    words.push_back(word(1) + used);
  } else {
    // A state of two words has the key for the counter's upper half.
    const Counter counter{word(1), has_high ? word(2) : word(0)};
    StoreBits(PhiloxNumbers(word(0), counter, count, bits), numbers);
    const int64_t per_step = bits == 64 ? 2 : 4;
    const Counter after = counter.Plus(static_cast<uint64_t>((count + per_step - 1) / per_step));
    words.push_back(after.low);
    if (has_high) words.push_back(after.high);
  }
  Store(next, 0, static_cast<int64_t>(words.size()), words.data());
  return Value(std::vector<Value>{Value(std::move(next)), Value(std::move(numbers))});
}

absl::StatusOr<Value> Rng(const Input& in) {
  const auto distribution = in.instruction.attrs<RngAttrs>().distribution;
  const Literal &a = in.array(0), &b = in.array(1);
  Literal result = NewResult(in);
  const int64_t count = result.shape().element_count();
  const ElementType type = result.shape().element_type();
  const std::vector<uint64_t> bits =
      PhiloxNumbers(kRngKey, {0, static_cast<uint64_t>(in.instruction.id())}, 2 * count, 64);
  auto unit = [&](int64_t i) {
    return std::ldexp(static_cast<double>(bits[static_cast<size_t>(i)] >> 11), -53);
  };
  VisitWide(type, [&](auto wide) {
    using W = decltype(wide);
    for (int64_t i = 0; i < count; ++i) {
      W x{};
      if constexpr (std::is_same_v<W, double>) {
        const double low = LoadOne<double>(a), high = LoadOne<double>(b);
        if (distribution == RandomDistribution::kNormal) {
          // Box and Muller's transform.
          const double radius = std::sqrt(-2 * std::log1p(-unit(2 * i)));
          x = low + high * (radius * std::cos(2 * std::numbers::pi * unit(2 * i + 1)));
        } else {
          x = RoundTo(type, low + unit(2 * i) * (high - low));
          if (x >= high) x = low;  // rounding must not reach the upper end
        }
      } else if constexpr (std::is_same_v<W, bool>) {
        x = LoadOne<bool>(a);  // only false is below true
      } else if constexpr (!std::is_same_v<W, Complex>) {
        const auto low = static_cast<uint64_t>(LoadOne<W>(a));
        const uint64_t range = static_cast<uint64_t>(LoadOne<W>(b)) - low;
        x = static_cast<W>(low + (range == 0 ? 0 : bits[static_cast<size_t>(2 * i)] % range));
      }
      Store(result, i, 1, &x);
    }
  });
  return Value(std::move(result));
}

}  // namespace sinter::eval
