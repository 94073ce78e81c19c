// Division by a number that the loop around leaves alone, bit for bit.
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "elementwise.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Builder;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::Tail;
using kernel::Value;
using kernel::Values;

// out[i, j] = x[j] / d[i], columns along the vector.
Kernel Quotients(ElementType elem, int width, int lanes) {
  Builder b("quotients");
  b.kernel().lanes = lanes;
  Value m = b.AddParam("m", 1, 1 << 20), n = b.AddParam("n", 1, 1 << 20);
  const int x = b.AddBuffer("x", elem, Values{n}), d = b.AddBuffer("d", elem, Values{m});
  const int out = b.AddBuffer("out", elem, Values{m, n});
  b.For(LoopKind::kPar, b.Int(0), m, 1, Tail::kExact, {}, [&](Value i, const Values&) {
    Value divisor = b.Load(d, {{i, 0, 0}}, {elem});
    b.For(LoopKind::kSeq, b.Int(0), n, width, Tail::kPeel, {}, [&](Value j, const Values&) {
      Value mask = b.Mask(j, n, {ElementType::PRED, 1, width}, kernel::Axis::kCols);
      Value dividend = b.Load(x, {{j, 0, 1}}, {elem, 1, width}, mask);
      b.Store(b.Div(dividend, divisor), out, {{i, 0, 0}, {j, 0, 1}}, mask);
      return Values{};
    });
    return Values{};
  });
  return b.Take();
}

void TestQuotients(ElementType elem, const Bytes& x, const Bytes& d) {
  const auto bytes = static_cast<size_t>(ByteWidth(elem));
  const auto n = static_cast<int64_t>(x.size() / bytes), m = static_cast<int64_t>(d.size() / bytes);
  for (int width : {8, 16, 37, 64}) {
    INFO(Name(elem) << " width " << width);
    Kernel kernel = Quotients(elem, width, 16);
    Job job{&kernel, {x, d}, {m, n}};
    job.buffers.push_back(Bytes(x.size() / bytes * d.size()));
    Differential(job);
  }
}

TEST_CASE("Special values by special values, random by random") {
  std::mt19937_64 random(7);
  for (ElementType elem : {ElementType::F32, ElementType::F64})
    TestQuotients(elem, Interesting(elem, 301, random), Interesting(elem, 300, random));
}

TEST_CASE("Mantissas of all ones, next to powers of two, and quotients that are denormal") {
  std::vector<float> x, d;
  for (int e : {-149, -140, -130, -127, -126, -100, -24, -1, 0, 1, 23, 100, 127}) {
    for (float mantissa :
         {1.0F, 1.5F, 0x1.000002p0F, 0x1.fffffep0F, 0x1.fffffcp0F, 0x1.8p0F / 1.25F}) {
      const float v = std::ldexp(mantissa, e);
      x.insert(x.end(), {v, -v});
      d.insert(d.end(), {v, -v});
    }
  }
  // Small whole dividends and divisors in units of the least denormal: ties between denormals.
  for (int i = 1; i < 64; i++) {
    x.push_back(std::ldexp(static_cast<float>(i), -149));
    x.push_back(std::ldexp(static_cast<float>(i), -120));
    d.push_back(static_cast<float>(i));
    d.push_back(std::ldexp(static_cast<float>(i), 28));
  }
  TestQuotients(ElementType::F32, BytesOf(x), BytesOf(d));
}

TEST_CASE("Scaling within the range that is promised") {
  for (ElementType elem : {ElementType::F32, ElementType::F64}) {
    const bool wide = elem == ElementType::F64;
    const ElementType word = wide ? ElementType::S64 : ElementType::S32;
    std::mt19937_64 random(11);
    std::vector<double> xs;
    std::vector<int64_t> ns;
    std::uniform_real_distribution<double> mantissa(0.25, 2);
    const int least = wide ? -1080 : -155, most = wide ? 1024 : 128;
    for (int n = least; n <= most; n++) {
      for (double x :
           {0.25, 1.0, 0x1.fffffep0, 0x1.000002p0, mantissa(random), mantissa(random),
            std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}) {
        xs.push_back(x);
        ns.push_back(n);
      }
    }
    const std::vector<float> x32(xs.begin(), xs.end());
    const std::vector<int32_t> n32(ns.begin(), ns.end());
    const std::vector<Bytes> data{wide ? BytesOf(xs) : BytesOf(x32),
                                  wide ? BytesOf(ns) : BytesOf(n32)};
    for (int width : {1, 8, 16, 37}) {
      INFO(Name(elem) << " width " << width);
      Elementwise({elem, word}, width, 16, [&](Builder& b, const Values& v) {
        // Once with the integer as it is, once taken from the bits of a sum, as `exp` has it, which
        // is NaN where x is.
        kernel::Expr x{&b, v[0]}, n{&b, v[1]};
        kernel::Expr sum = n.To(elem) + (wide ? 0x1.8p52 : 0x1.8p23) + (x - x);
        kernel::Expr bits = sum.As(word);
        kernel::Expr same = bits - bits.ci(wide ? int64_t{0x4338000000000000} : 0x4b400000);
        return Values{b.Ldexp(v[0], v[1], true), b.Ldexp(v[0], same, true)};
      }).Run(data, xs.size());
    }
  }
}

TEST_CASE("Remainders: special values, and quotients from tiny to too large for one product") {
  for (ElementType elem : {ElementType::F32, ElementType::F64}) {
    std::mt19937_64 random(13);
    std::vector<double> xs, ys;
    for (int e = -60; e < 60; e++) {
      for (int i = 0; i < 40; i++) {
        const double y = std::ldexp(1 + static_cast<double>(random() % 1024) / 1024, e % 7);
        const auto whole = static_cast<double>(random() >> 34);
        xs.push_back(i % 3 == 0 ? y * whole : std::ldexp(whole, e) * (i % 2 == 0 ? 1 : -1));
        ys.push_back(i % 5 == 0 ? -y : y);
      }
    }
    const Bytes a = Interesting(elem, 997, random), b = Interesting(elem, 997, random);
    const std::vector<float> x32(xs.begin(), xs.end()), y32(ys.begin(), ys.end());
    const bool wide = elem == ElementType::F64;
    for (int width : {1, 8, 16, 37}) {
      INFO(Name(elem) << " width " << width);
      const Elementwise kernel({elem, elem}, width, 16, [&](Builder& k, const Values& v) {
        return Values{k.Binary(kernel::OpCode::kRem, v[0], v[1])};
      });
      kernel.Run({a, b}, 997);
      kernel.Run({wide ? BytesOf(xs) : BytesOf(x32), wide ? BytesOf(ys) : BytesOf(y32)}, xs.size());
    }
  }
}

TEST_CASE("Whether any element of a tile is set") {
  for (int width : {1, 4, 16, 17, 32, 37, 64}) {
    INFO("width " << width);
    const int64_t n = 70;
    Builder b("any");
    b.kernel().lanes = 16;
    const int x = b.AddBuffer("x", ElementType::S32, std::array<int64_t, 2>{n, width});
    const int out = b.AddBuffer("out", ElementType::PRED, std::array<int64_t, 1>{n});
    b.For(LoopKind::kPar, b.Int(0), b.Int(n), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      Value v = b.Load(x, {{i, 0, 0}, {b.Int(0), 0, 1}}, {ElementType::S32, 1, width});
      Value set = b.Compare(kernel::Predicate::kNe, v, b.ConstInt(ElementType::S32, 0));
      if (width > 1) {
        set = b.Reduce({set}, kernel::Axis::kCols, [&](const Values& p, const Values& o) {
          return Values{b.Or(p[0], o[0])};
        })[0];
      }
      b.Store(set, out, {{i, 0, 0}});
      return Values{};
    });
    Kernel kernel = b.Take();
    // Row i has one element set, the last rows none.
    std::vector<int32_t> data(static_cast<size_t>(n * width));
    for (int64_t i = 0; i < std::min<int64_t>(n - 2, width); i++)
      data[static_cast<size_t>(i * width + i)] = 1;
    Job job{&kernel, {BytesOf(data)}, {}};
    job.buffers.push_back(Bytes(static_cast<size_t>(n), 7));
    Differential(job);
  }
}

// A number that leaves all tasks is divided by as if each had computed it: a task that does not
// loop has too few quotients for another way.
TEST_CASE("Tasks alone are no loop to prepare a division for") {
  auto compiler = Compiler::Create(Target::Level("avx2").value());
  REQUIRE(compiler.ok());
  for (int64_t n : {16, 1600}) {
    Builder b("tasks");
    b.kernel().lanes = 8;
    const int x = b.AddBuffer("x", ElementType::F32, std::array<int64_t, 2>{40, n});
    const int d = b.AddBuffer("d", ElementType::F32, std::array<int64_t, 1>{1});
    const int out = b.AddBuffer("out", ElementType::F32, std::array<int64_t, 2>{40, n});
    b.For(LoopKind::kPar, b.Int(0), b.Int(40), 1, Tail::kExact, {}, [&](Value i, const Values&) {
      const Value divisor =
          b.Unary(kernel::OpCode::kSqrt, b.Load(d, {{b.Int(0)}}, {ElementType::F32}));
      b.For(LoopKind::kSeq, b.Int(0), b.Int(n), 16, Tail::kExact, {}, [&](Value j, const Values&) {
        const Value row = b.Load(x, {{i, 0, 0}, {j, 0, 1}}, {ElementType::F32, 1, 16});
        b.Store(b.Div(row, divisor), out, {{i, 0, 0}, {j, 0, 1}});
        return Values{};
      });
      return Values{};
    });
    const Kernel kernel = b.Take();
    Artifacts artifacts;
    REQUIRE((*compiler)->Compile({&kernel}, "k", &artifacts).ok());
    CHECK((artifacts.llvm_ir.find("quotients") != std::string::npos) == (n > 16));
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
