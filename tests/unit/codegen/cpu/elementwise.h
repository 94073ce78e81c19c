// Kernels that compute elements one by one, and data that tests their corners.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "codegen/kernel/builder.h"
#include "differential.h"

namespace sinter::cpu::testing {

template <class Float, class Bits>
void AddFloats(std::vector<Bits>& out) {
  using L = std::numeric_limits<Float>;
  const Float inf = L::infinity();
  std::vector<Float> special{0,
                             1,
                             1.5,
                             2,
                             2.5,
                             3,
                             0.5,
                             0.75,
                             1e-3F,
                             100,
                             255,
                             256,
                             127,
                             128,
                             32767,
                             32768,
                             65535,
                             65536,
                             65519,
                             65520,
                             1e6F,
                             8388609,
                             16777216,
                             2147483520.0F,
                             2147483648.0F,
                             4294967040.0F,
                             4294967296.0F,
                             9223371487098961920.0F,
                             9223372036854775808.0F,
                             18446742974197923840.0F,
                             18446744073709551616.0F,
                             1e30F,
                             L::max(),
                             L::min(),
                             L::denorm_min(),
                             L::min() / 4,
                             L::epsilon(),
                             inf,
                             L::quiet_NaN()};
  if (sizeof(Float) == 8) {
    for (double x : {2147483647.0, 2147483646.5, 4294967295.0, 1e-310, 1e300, 1e-300, 65519.99999,
                     1.0000000000000002, 3.3895313892515355e38, 3.4028235e38, 1e-40, 1e-46, 7e-46,
                     5.9604644775390625e-08, 2.98023223876953125e-08, 1.00390625, 1.003906250001})
      special.push_back(static_cast<Float>(x));
  }
  for (Float f : special) {
    for (Float x : {f, -f}) {
      Bits b;
      std::memcpy(&b, &x, sizeof x);
      out.push_back(b);
    }
  }
}

// Special values of a type, then random ones.
inline Bytes Interesting(ElementType elem, size_t count, std::mt19937_64& random) {
  std::vector<uint64_t> bits;
  if (elem == ElementType::F32) {
    std::vector<uint32_t> b;
    AddFloats<float>(b);
    bits.assign(b.begin(), b.end());
  } else if (elem == ElementType::F64) {
    AddFloats<double>(bits);
  } else if (IsFloat(elem)) {
    bits = {0,      1,      0x3ff,  0x400,  0x7bff, 0x7c00, 0x7c01, 0x7e00,
            0x3c00, 0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x80,   0x7f,
            0x4f00, 0x5f00, 0x4f80, 0x5f80, 0x4300, 0x4380, 0x4700};
    const size_t n = bits.size();
    for (size_t i = 0; i < n; i++) bits.push_back(bits[i] | 0x8000);
  } else if (IsPredicate(elem)) {
    bits = {0, 1};
  } else {
    const uint64_t top = uint64_t{1} << (BitWidth(elem) - 1);
    for (uint64_t b : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{8},
                       uint64_t{31}, uint64_t{32}, uint64_t{33}, uint64_t{63}, uint64_t{64}, top,
                       uint64_t{10}, uint64_t{100}}) {
      bits.insert(bits.end(),
                  {b, ~b, top - b, top + b, b + (uint64_t{1} << 53), b + (uint64_t{1} << 24)});
    }
    for (int s = 0; s < 64; s += 3)
      bits.insert(bits.end(), {(uint64_t{1} << s) - 1, uint64_t{1} << s, (uint64_t{3} << s) + 1});
  }
  Bytes bytes = RandomData(elem, count, random);
  const auto width = static_cast<size_t>(ByteWidth(elem));
  // Each special value somewhere; the rest of the first half mixes them at random, so that pairs
  // meet.
  for (size_t i = 0; i < count / 2; i++) {
    const uint64_t b = i < bits.size() ? bits[i] : bits[random() % bits.size()];
    std::memcpy(bytes.data() + i * width, &b, width);
  }
  return bytes;
}

// A kernel over n elements in one task: `body` is given the loads of `inputs` at a tile of `width`
// and returns what to store, each to a buffer of its own.
struct Elementwise {
  using Builder = kernel::Builder;
  using Kernel = kernel::Kernel;
  using Value = kernel::Value;
  using Values = kernel::Values;
  using Body = std::function<Values(Builder&, const Values&)>;
  Elementwise(const std::vector<ElementType>& inputs, int width, int lanes, const Body& body) {
    Builder b("elementwise");
    b.kernel().lanes = lanes;
    Value n = b.AddParam("n", 1, 1 << 20);
    std::vector<int> in;
    for (ElementType e : inputs) in.push_back(b.AddBuffer("in", e, Values{n}));
    // Result types are known only after the body has run; run it once on a scratch builder.
    {
      Builder dry("dry");
      Values x;
      Value dry_n = dry.AddParam("n", 1, 1 << 20);
      for (ElementType e : inputs) {
        const int buffer = dry.AddBuffer("in", e, Values{dry_n});
        x.push_back(dry.Load(buffer, {{dry.Int(0), 0, 1}}, {e, 1, width}));
      }
      for (Value v : body(dry, x)) results.push_back(dry.type(v).elem);
    }
    std::vector<int> out;
    for (ElementType e : results) out.push_back(b.AddBuffer("out", e, Values{n}));
    b.For(kernel::LoopKind::kPar, b.Int(0), b.Int(1), 1, kernel::Tail::kExact, {},
          [&](Value, const Values&) {
            b.For(kernel::LoopKind::kSeq, b.Int(0), n, width, kernel::Tail::kPeel, {},
                  [&](Value i, const Values&) {
                    Value m = b.Mask(i, n, {ElementType::PRED, 1, width}, kernel::Axis::kCols);
                    Values x;
                    for (size_t j = 0; j < in.size(); j++)
                      x.push_back(b.Load(in[j], {{i, 0, 1}}, {inputs[j], 1, width}, m));
                    const Values y = body(b, x);
                    for (size_t j = 0; j < out.size(); j++) b.Store(y[j], out[j], {{i, 0, 1}}, m);
                    return Values{};
                  });
            return Values{};
          });
    kernel = b.Take();
  }
  void Run(const std::vector<Bytes>& inputs, size_t n) const {
    Job job{&kernel, inputs, {static_cast<int64_t>(n)}};
    for (ElementType e : results)
      job.buffers.push_back(Bytes(n * static_cast<size_t>(ByteWidth(e))));
    Differential(job);
  }

  Kernel kernel;
  std::vector<ElementType> results;
};

}  // namespace sinter::cpu::testing
