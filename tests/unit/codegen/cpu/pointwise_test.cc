// Every pointwise operation on every element type that has it, at several widths and under masks,
// against the interpreter.
#include <catch2/catch.hpp>
#include <limits>

#include "codegen/kernel/builder.h"
#include "elementwise.h"

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

const std::vector<ElementType> kIntegers = {ElementType::S8,  ElementType::S16, ElementType::S32,
                                            ElementType::S64, ElementType::U8,  ElementType::U16,
                                            ElementType::U32, ElementType::U64};
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

TEST_CASE("Integer operations", "[.standard]") {
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

TEST_CASE("Integer operations with constants", "[.standard]") {
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
      for (OpCode op :
           {OpCode::kAdd, OpCode::kSub, OpCode::kMul, OpCode::kDiv, OpCode::kMin, OpCode::kMax})
        y.push_back(b.Binary(op, x[0], x[1]));
      for (OpCode op : {OpCode::kNeg, OpCode::kAbs, OpCode::kSqrt, OpCode::kFloor, OpCode::kCeil,
                        OpCode::kTrunc, OpCode::kRoundEven})
        y.push_back(b.Unary(op, x[0]));
      y.push_back(b.Fma(x[0], x[1], x[2]));
      return y;
    });
  }
}

TEST_CASE("Dot products of words") {
  std::mt19937_64 random(5);
  const size_t n = 4000;
  // The words of pairs of BF16: special values, any at all, and such that results are near the
  // least normal number.
  Bytes pairs[2], bytes[2];
  for (int i = 0; i < 2; i++) {
    pairs[i] = Interesting(ElementType::BF16, 2 * n, random);
    bytes[i] = RandomData(ElementType::S32, n, random);
    for (size_t at = n; at < 3 * n; at += 2) {
      const auto bits = static_cast<uint16_t>((random() & 0x807f) | (61 + random() % 4) << 7);
      std::memcpy(pairs[i].data() + at, &bits, sizeof bits);
    }
  }
  Bytes sums = Interesting(ElementType::F32, n, random);
  for (size_t i = n / 2; i < 3 * n / 4; i++) {
    const uint32_t bits = (static_cast<uint32_t>(random()) & 0x80ffffff) | (random() % 4) << 23;
    std::memcpy(sums.data() + 4 * i, &bits, sizeof bits);
  }
  for (int width : {1, 4, 5, 8, 16, 32, 37}) {
    for (int lanes : {4, 8, 16}) {
      INFO("width " << width << " lanes " << lanes);
      auto dot = [](Builder& b, const Values& x) { return Values{b.DotAdd(x[0], x[1], x[2])}; };
      Elementwise({ElementType::U32, ElementType::U32, ElementType::F32}, width, lanes, dot)
          .Run({pairs[0], pairs[1], sums}, n);
      Elementwise({ElementType::U32, ElementType::S32, ElementType::S32}, width, lanes, dot)
          .Run({bytes[0], bytes[1], bytes[0]}, n);
      Elementwise({ElementType::S32, ElementType::S32, ElementType::S32}, width, lanes, dot)
          .Run({bytes[0], bytes[1], bytes[0]}, n);
    }
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
      for (double c :
           {0.0, -0.0, 1.0, -2.5, std::numeric_limits<double>::infinity(), std::nan("")}) {
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
      auto exponent = [&](int range) {
        return static_cast<int>(random() % static_cast<uint64_t>(2 * range + 1)) - range;
      };
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

TEST_CASE("Conversions", "[.standard]") {
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

TEST_CASE("Comparisons and selections", "[.standard]") {
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

// A NaN stays one, whether its lower half is known to be zeros where it is rounded or not.
TEST_CASE("BF16 is computed with in F32") {
  TestBinary(ElementType::BF16, [&](Builder& b, const Values& v) {
    Values x;
    for (Value value : v) x.push_back(b.Convert(value, ElementType::F32));
    const Value sum = b.Add(x[0], x[1]), product = b.Mul(x[1], x[2]);
    Values y = {sum,
                product,
                b.Add(sum, product),
                b.Binary(OpCode::kDiv, x[0], x[1]),
                b.Unary(OpCode::kSqrt, sum),
                b.Unary(OpCode::kNeg, x[0]),
                b.Binary(OpCode::kMax, x[0], sum),
                b.Binary(OpCode::kMin, product, b.Const(ElementType::F32, 1.25)),
                b.Select(b.Compare(kernel::Predicate::kLt, sum, product), x[0], product),
                b.Bitcast(b.Bitcast(sum, ElementType::S32), ElementType::F32),
                b.Add(b.Convert(b.Bitcast(v[0], ElementType::F16), ElementType::F32), x[1])};
    for (Value& value : y) value = b.Convert(value, ElementType::BF16);
    return y;
  });
}

TEST_CASE("Quotients of integers by constants") {
  for (ElementType elem : {ElementType::U8, ElementType::S16, ElementType::S32, ElementType::U32}) {
    TestBinary(elem, [](Builder& b, const Values& v) {
      Values y;
      for (ElementType to : {ElementType::F32, ElementType::F64})
        for (double divisor : {255.0, -3.0, 0.1, 65537.0, 1e-7, 1e20, 0.0})
          y.push_back(b.Binary(OpCode::kDiv, b.Convert(v[0], to), b.Const(to, divisor)));
      return y;
    });
  }
}

TEST_CASE("Operations on F16 are rounded once") {
  TestBinary(ElementType::F16, [&](Builder& b, const Values& v) {
    auto wide = [&](Value x) { return b.Convert(x, ElementType::F32); };
    auto narrow = [&](Value x) { return b.Convert(x, ElementType::F16); };
    const Value x = wide(v[0]), y = wide(v[1]);
    Values results = {b.Add(x, y),
                      b.Sub(x, y),
                      b.Mul(x, y),
                      b.Binary(OpCode::kDiv, x, y),
                      b.Unary(OpCode::kSqrt, x),
                      b.Mul(x, b.Const(ElementType::F32, 0.1)),
                      b.Add(b.Const(ElementType::F32, 1.5), y),
                      b.Sub(b.Add(x, y), wide(v[2]))};
    results.push_back(b.Mul(wide(narrow(results[0])), wide(narrow(results[2]))));
    for (Value& result : results) result = narrow(result);
    return results;
  });
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
