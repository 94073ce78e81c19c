// Every pointwise operation on every element type that has it, at several widths and under masks, against the interpreter.
#include <catch2/catch.hpp>
#include <limits>

#include "codegen/kernel/builder.h"
#include "differential.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Axis;
using kernel::Builder;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

const std::vector<ElementType> kIntegers = {
    ElementType::S8, ElementType::S16, ElementType::S32, ElementType::S64,
    ElementType::U8, ElementType::U16, ElementType::U32, ElementType::U64};
const std::vector<ElementType> kFloats = {ElementType::F32, ElementType::F64};
const std::vector<ElementType> kNarrow = {ElementType::F16, ElementType::BF16};
const std::vector<int> kWidths = {1, 4, 5, 16, 37};

std::vector<ElementType> All() {
  std::vector<ElementType> all = kIntegers;
  all.insert(all.end(), kFloats.begin(), kFloats.end());
  all.insert(all.end(), kNarrow.begin(), kNarrow.end());
  all.push_back(ElementType::PRED);
  return all;
}

template <class Float, class Bits>
void AddFloats(std::vector<Bits>& out) {
  using L = std::numeric_limits<Float>;
  const Float inf = L::infinity();
  std::vector<Float> special{0, 1, 1.5, 2, 2.5, 3, 0.5, 0.75, 1e-3F, 100, 255, 256, 127, 128, 32767,
                             32768, 65535, 65536, 65519, 65520, 1e6F, 8388609, 16777216,
                             2147483520.0F, 2147483648.0F, 4294967040.0F, 4294967296.0F,
                             9223371487098961920.0F, 9223372036854775808.0F,
                             18446742974197923840.0F, 18446744073709551616.0F, 1e30F, L::max(),
                             L::min(), L::denorm_min(), L::min() / 4, L::epsilon(), inf,
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
Bytes Interesting(ElementType elem, size_t count, std::mt19937_64& random) {
  std::vector<uint64_t> bits;
  if (elem == ElementType::F32) {
    std::vector<uint32_t> b;
    AddFloats<float>(b);
    bits.assign(b.begin(), b.end());
  } else if (elem == ElementType::F64) {
    AddFloats<double>(bits);
  } else if (IsFloat(elem)) {
    bits = {0, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x3c00, 0x3f80, 0x7f7f, 0x7f80,
            0x7f81, 0x7fc0, 0x80, 0x7f, 0x4f00, 0x5f00, 0x4f80, 0x5f80, 0x4300, 0x4380, 0x4700};
    const size_t n = bits.size();
    for (size_t i = 0; i < n; i++) bits.push_back(bits[i] | 0x8000);
  } else if (IsPredicate(elem)) {
    bits = {0, 1};
  } else {
    const uint64_t top = uint64_t{1} << (BitWidth(elem) - 1);
    for (uint64_t b : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{8},
                       uint64_t{31}, uint64_t{32}, uint64_t{33}, uint64_t{63}, uint64_t{64}, top,
                       uint64_t{10}, uint64_t{100}}) {
      bits.insert(bits.end(), {b, ~b, top - b, top + b, b + (uint64_t{1} << 53), b + (uint64_t{1} << 24)});
    }
    for (int s = 0; s < 64; s += 3) bits.insert(bits.end(), {(uint64_t{1} << s) - 1, uint64_t{1} << s, (uint64_t{3} << s) + 1});
  }
  Bytes bytes = RandomData(elem, count, random);
  const auto width = static_cast<size_t>(ByteWidth(elem));
  // Each special value somewhere; the rest of the first half mixes them at random, so that pairs meet.
  for (size_t i = 0; i < count / 2; i++) {
    const uint64_t b = i < bits.size() ? bits[i] : bits[random() % bits.size()];
    std::memcpy(bytes.data() + i * width, &b, width);
  }
  return bytes;
}

// A kernel over n elements in one task: `body` is given the loads of `inputs` at a tile of `width` and returns what to
// store, each to a buffer of its own.
struct Elementwise {
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
    b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
      b.For(LoopKind::kSeq, b.Int(0), n, width, Tail::kPeel, {}, [&](Value i, const Values&) {
        Value m = b.Mask(i, n, {ElementType::PRED, 1, width}, Axis::kCols);
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
    for (ElementType e : results) job.buffers.push_back(Bytes(n * static_cast<size_t>(ByteWidth(e))));
    Differential(job);
  }

  Kernel kernel;
  std::vector<ElementType> results;
};

void TestBinary(ElementType elem, const Elementwise::Body& body, size_t n = 1999) {
  std::mt19937_64 random(static_cast<uint64_t>(elem));
  const std::vector<Bytes> data{Interesting(elem, n, random), Interesting(elem, n, random),
                                Interesting(elem, n, random)};
  // The second operand in another order, so that special values meet all kinds of others.
  for (int width : kWidths) {
    for (int lanes : {4, 16}) {
      if (lanes == 4 && width != 5) continue;
      INFO(Name(elem) << " width " << width << " lanes " << lanes);
      Elementwise({elem, elem, elem}, width, lanes, body).Run(data, n);
    }
  }
}

TEST_CASE("Integer operations") {
  for (ElementType elem : kIntegers) {
    TestBinary(elem, [](Builder& b, const Values& x) {
      Values y;
      for (OpCode op : {OpCode::kAdd, OpCode::kSub, OpCode::kMul, OpCode::kMulHi, OpCode::kDiv,
                        OpCode::kRem, OpCode::kMin, OpCode::kMax, OpCode::kAnd, OpCode::kOr,
                        OpCode::kXor, OpCode::kShl, OpCode::kShr})
        y.push_back(b.Binary(op, x[0], x[1]));
      for (OpCode op : {OpCode::kNeg, OpCode::kAbs, OpCode::kPopcnt, OpCode::kClz})
        y.push_back(b.Unary(op, x[0]));
      return y;
    });
  }
}

TEST_CASE("Integer operations with constants") {
  for (ElementType elem : kIntegers) {
    TestBinary(elem, [&](Builder& b, const Values& x) {
      Values y;
      for (int64_t c : {0, 7, 31, 100, -1}) {
        if (c < 0 && IsUnsigned(elem)) continue;
        const Value k = b.ConstInt(elem, c);
        for (OpCode op : {OpCode::kDiv, OpCode::kRem, OpCode::kShl, OpCode::kShr})
          y.push_back(b.Binary(op, x[0], k));
      }
      return y;
    });
  }
}

TEST_CASE("Float operations") {
  for (ElementType elem : kFloats) {
    TestBinary(elem, [](Builder& b, const Values& x) {
      Values y;
      for (OpCode op : {OpCode::kAdd, OpCode::kSub, OpCode::kMul, OpCode::kDiv, OpCode::kMin,
                        OpCode::kMax})
        y.push_back(b.Binary(op, x[0], x[1]));
      for (OpCode op : {OpCode::kNeg, OpCode::kAbs, OpCode::kSqrt, OpCode::kFloor, OpCode::kCeil,
                        OpCode::kTrunc, OpCode::kRoundEven})
        y.push_back(b.Unary(op, x[0]));
      y.push_back(b.Fma(x[0], x[1], x[2]));
      return y;
    });
  }
}

TEST_CASE("Remainder of floats") {
  for (ElementType elem : kFloats) {
    TestBinary(elem, [](Builder& b, const Values& x) {
      return Values{b.Rem(x[0], x[1]), b.Rem(x[0], x[2])};
    });
  }
}

TEST_CASE("Minimum and maximum with constants") {
  for (ElementType elem : kFloats) {
    TestBinary(elem, [&](Builder& b, const Values& x) {
      Values y;
      for (double c : {0.0, -0.0, 1.0, -2.5, std::numeric_limits<double>::infinity(), std::nan("")}) {
        const Value k = b.Const(elem, c);
        for (OpCode op : {OpCode::kMin, OpCode::kMax}) {
          y.push_back(b.Binary(op, x[0], k));
          y.push_back(b.Binary(op, k, x[0]));
        }
      }
      return y;
    });
  }
}

TEST_CASE("Fused multiply-add where products cancel") {
  // c is close to -a b: the result is what one rounding leaves of it.
  std::mt19937_64 random(11);
  const size_t n = 4000;
  auto test = [&]<class Float>(Float, ElementType elem, int exponents) {
    std::vector<Float> a(n), m(n), c(n);
    std::uniform_real_distribution<double> uniform(1, 2);
    for (size_t i = 0; i < n; i++) {
      auto exponent = [&](int range) { return static_cast<int>(random() % static_cast<uint64_t>(2 * range + 1)) - range; };
      a[i] = static_cast<Float>(std::ldexp(uniform(random), exponent(exponents)));
      m[i] = static_cast<Float>(std::ldexp(uniform(random), exponent(exponents)));
      c[i] = -a[i] * m[i];
      if (i % 4 == 1) c[i] = std::nextafter(c[i], Float{0});
      if (i % 4 == 2) c[i] = static_cast<Float>(std::ldexp(c[i], exponent(110)));
      if (i % 4 == 3) c[i] = -c[i];
    }
    for (int width : {1, 5, 16}) {
      Elementwise({elem, elem, elem}, width, 4, [](Builder& b, const Values& x) {
        return Values{b.Fma(x[0], x[1], x[2])};
      }).Run({BytesOf(a), BytesOf(m), BytesOf(c)}, n);
    }
  };
  test(float{}, ElementType::F32, 60);
  test(float{}, ElementType::F32, 90);
  test(double{}, ElementType::F64, 60);
  test(double{}, ElementType::F64, 520);
}

TEST_CASE("Scaling by powers of two") {
  std::mt19937_64 random(12);
  const size_t n = 3000;
  for (ElementType elem : kFloats) {
    const bool wide = elem == ElementType::F64;
    const Bytes x = Interesting(elem, n, random);
    std::vector<int64_t> powers(n);
    for (size_t i = 0; i < n; i++) {
      const int range = i % 3 == 0 ? 30 : i % 3 == 1 ? 300 : 2200;
      powers[i] = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * range)) - range;
      if (i % 100 == 7) powers[i] = i % 200 == 7 ? INT32_MAX : INT32_MIN;
      if (i % 100 == 8 && wide) powers[i] = i % 200 == 8 ? INT64_MAX : INT64_MIN;
    }
    const std::vector<int32_t> narrow(powers.begin(), powers.end());
    const ElementType power = wide ? ElementType::S64 : ElementType::S32;
    for (int width : kWidths) {
      Elementwise({elem, power}, width, 16, [](Builder& b, const Values& v) {
        return Values{b.Binary(OpCode::kLdexp, v[0], v[1])};
      }).Run({x, wide ? BytesOf(powers) : BytesOf(narrow)}, n);
    }
  }
}

TEST_CASE("Conversions") {
  std::mt19937_64 random(13);
  const size_t n = 2500;
  for (ElementType from : All()) {
    const Bytes x = Interesting(from, n, random);
    for (int width : kWidths) {
      INFO(Name(from) << " width " << width);
      Elementwise({from}, width, 16, [&](Builder& b, const Values& v) {
        Values y;
        for (ElementType to : All()) y.push_back(b.Convert(v[0], to));
        return y;
      }).Run({x}, n);
    }
  }
}

TEST_CASE("Conversions of values that are in range") {
  for (ElementType from : {ElementType::F32, ElementType::F64}) {
    const size_t n = 100;
    std::vector<double> values(n);
    for (size_t i = 0; i < n; i++) values[i] = static_cast<double>(i) * 1.27;
    const std::vector<float> narrow(values.begin(), values.end());
    for (int width : kWidths) {
      Elementwise({from}, width, 16, [&](Builder& b, const Values& v) {
        Values y;
        for (ElementType to : kIntegers) y.push_back(b.Convert(v[0], to, /*in_range=*/true));
        return y;
      }).Run({from == ElementType::F32 ? BytesOf(narrow) : BytesOf(values)}, n);
    }
  }
}

TEST_CASE("Comparisons and selections") {
  for (ElementType elem : All()) {
    if (IsFloat(elem) && BitWidth(elem) < 32) continue;
    TestBinary(elem, [&](Builder& b, const Values& x) {
      Values y;
      for (auto p : {kernel::Predicate::kLt, kernel::Predicate::kLe, kernel::Predicate::kGt,
                     kernel::Predicate::kGe, kernel::Predicate::kEq, kernel::Predicate::kNe})
        y.push_back(b.Compare(p, x[0], x[1]));
      y.push_back(b.Select(y[0], x[1], x[2]));
      y.push_back(b.Or(b.And(y[0], y[4]), b.Binary(OpCode::kXor, y[1], y[3])));
      return y;
    });
  }
}

TEST_CASE("Narrow floats are moved and selected") {
  for (ElementType elem : kNarrow) {
    TestBinary(elem, [&](Builder& b, const Values& x) {
      const ElementType bits = ElementType::U16;
      Value m = b.Compare(kernel::Predicate::kLt, b.Bitcast(x[0], bits), b.Bitcast(x[1], bits));
      return Values{b.Select(m, x[0], x[1]), b.Select(m, x[0], b.Const(elem, 1.5))};
    });
  }
}

TEST_CASE("Bitcasts") {
  std::mt19937_64 random(14);
  const std::vector<std::vector<ElementType>> groups = {
      {ElementType::S8, ElementType::U8},
      {ElementType::S16, ElementType::U16, ElementType::F16, ElementType::BF16},
      {ElementType::S32, ElementType::U32, ElementType::F32},
      {ElementType::S64, ElementType::U64, ElementType::F64}};
  for (const auto& group : groups) {
    for (ElementType from : group) {
      for (int width : {1, 37}) {
        Elementwise({from}, width, 16, [&](Builder& b, const Values& v) {
          Values y;
          for (ElementType to : group) y.push_back(b.Bitcast(v[0], to));
          return y;
        }).Run({Interesting(from, 500, random)}, 500);
      }
    }
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
