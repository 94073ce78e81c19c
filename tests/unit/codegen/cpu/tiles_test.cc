// Loops and their tails, reductions, transposes, interleaving, iota: on the interpreter and as
// machine code.
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "codegen/kernel/layout.h"
#include "differential.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Axis;
using kernel::Builder;
using kernel::Index;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// o = f(x) of whole tiles in one task.
Kernel Whole(const std::vector<Type>& in, const std::vector<Type>& out,
             const std::function<Values(Builder&, const Values&)>& f) {
  Builder b("whole");
  std::vector<int> x, o;
  for (const Type& t : in)
    x.push_back(b.AddBuffer("x", t.elem, std::vector<int64_t>{t.rows, t.cols}));
  for (const Type& t : out)
    o.push_back(b.AddBuffer("o", t.elem, std::vector<int64_t>{t.rows, t.cols}));
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Index row{b.Int(0), 1, 0}, col{b.Int(0), 0, 1};
    Values v;
    for (size_t i = 0; i < x.size(); i++) v.push_back(b.Load(x[i], {row, col}, in[i]));
    const Values y = f(b, v);
    for (size_t i = 0; i < o.size(); i++) b.Store(y[i], o[i], {row, col});
    return Values{};
  });
  return b.Take();
}
void RunWhole(const Kernel& k, const std::vector<Type>& in, const std::vector<Type>& out,
              std::mt19937_64& random) {
  Job job{&k, {}, {}};
  auto count = [](const Type& t) { return static_cast<size_t>(t.rows * t.cols); };
  for (const Type& t : in)
    job.buffers.push_back(t.elem == ElementType::F32 ? RandomFloats(count(t), random)
                                                     : RandomData(t.elem, count(t), random));
  for (const Type& t : out) job.buffers.push_back(Bytes(count(t) * Width(t.elem)));
  Differential(job);
}

TEST_CASE("layouts and barriers are nothing to one thread") {
  std::mt19937_64 random(1);
  Kernel k =
      Whole({{ElementType::F32, 4, 64, 1}}, {{ElementType::F32, 4, 64, 2}},
            [](Builder& b, const Values& x) {
              b.kernel().warps = 2;
              auto reg = [](int n) { return kernel::Factor{kernel::HardwareDim::kReg, n, 1}; };
              auto lane = [](int n) { return kernel::Factor{kernel::HardwareDim::kLane, n, 1}; };
              kernel::AddLayout(b.kernel(), {{{reg(4)}, {lane(32), reg(2)}}});
              kernel::AddLayout(b.kernel(), {{{reg(4)}, {reg(2), lane(32)}}});
              const Value y = b.Unary(OpCode::kNeg, x[0]);
              b.Sync();
              return Values{b.Relayout(y, 2)};
            });
  const Type tile{ElementType::F32, 4, 64};
  RunWhole(k, {tile}, {tile}, random);
}

TEST_CASE("Transposes of all shapes") {
  std::mt19937_64 random(1);
  for (ElementType elem : {ElementType::PRED, ElementType::S8, ElementType::BF16, ElementType::F32,
                           ElementType::U32, ElementType::F64}) {
    for (auto [rows, cols] : std::vector<std::pair<int, int>>{{1, 1},
                                                              {1, 7},
                                                              {7, 1},
                                                              {2, 2},
                                                              {4, 4},
                                                              {8, 8},
                                                              {16, 16},
                                                              {3, 5},
                                                              {4, 16},
                                                              {16, 4},
                                                              {16, 3},
                                                              {32, 16},
                                                              {5, 37},
                                                              {20, 20}}) {
      for (int lanes : {4, 16}) {
        if (lanes < 16 && rows * cols > 64) continue;
        INFO(Name(elem) << " " << rows << " x " << cols << " lanes " << lanes);
        const std::vector<Type> in{{elem, rows, cols}}, out{{elem, cols, rows}};
        Kernel k =
            Whole(in, out, [](Builder& b, const Values& v) { return Values{b.Transpose(v[0])}; });
        k.lanes = lanes;
        RunWhole(k, in, out, random);
      }
    }
  }
}

TEST_CASE("Interleaving") {
  std::mt19937_64 random(2);
  for (ElementType elem : {ElementType::PRED, ElementType::S8, ElementType::BF16, ElementType::F32,
                           ElementType::F64}) {
    for (int cols : {1, 3, 8, 16, 19, 40}) {
      INFO(Name(elem) << " cols " << cols);
      const Type half{elem, 2, cols}, whole{elem, 2, 2 * cols};
      const std::vector<Type> in{half, half, whole}, out{whole, half, half};
      const Kernel k = Whole(in, out, [](Builder& b, const Values& v) {
        auto [even, odd] = b.Deinterleave(v[2]);
        return Values{b.Interleave(v[0], v[1]), even, odd};
      });
      RunWhole(k, in, out, random);
    }
  }
}

TEST_CASE("Reductions of all shapes") {
  std::mt19937_64 random(3);
  for (ElementType elem :
       {ElementType::F32, ElementType::S8, ElementType::U64, ElementType::PRED}) {
    for (int rows : {1, 5, 8}) {
      for (int cols : {1, 2, 3, 16, 17, 37, 128}) {
        for (Axis axis : {Axis::kRows, Axis::kCols}) {
          INFO(Name(elem) << " " << rows << " x " << cols
                          << (axis == Axis::kRows ? " rows" : " cols"));
          const Type t{elem, rows, cols};
          Type r = t;
          (axis == Axis::kRows ? r.rows : r.cols) = 1;
          const bool pred = IsPredicate(elem);
          const Kernel k = Whole({t}, {r, r}, [&](Builder& b, const Values& v) {
            auto reduce = [&](OpCode op) {
              return b.Reduce({v[0]}, axis, [&](const Values& x, const Values& y) {
                return Values{b.Binary(op, x[0], y[0])};
              })[0];
            };
            return Values{reduce(pred ? OpCode::kXor : OpCode::kAdd),
                          reduce(pred ? OpCode::kOr : OpCode::kMax)};
          });
          RunWhole(k, {t}, {r, r}, random);
        }
      }
    }
  }
}

TEST_CASE("Reductions with division, of pairs") {
  // Lanes that do not exist must not divide.
  std::mt19937_64 random(4);
  for (int cols : {3, 5, 17, 37}) {
    const Type t{ElementType::S32, 2, cols}, r{ElementType::S32, 2, 1};
    const Kernel k = Whole({t, t}, {r, r}, [&](Builder& b, const Values& v) {
      return b.Reduce({v[0], v[1]}, Axis::kCols, [&](const Values& x, const Values& y) {
        return Values{b.Add(x[0], b.Div(y[0], x[1])), b.Binary(OpCode::kXor, x[1], y[1])};
      });
    });
    RunWhole(k, {t, t}, {r, r}, random);
  }
}

TEST_CASE("Positions") {
  std::mt19937_64 random(5);
  for (ElementType elem :
       {ElementType::S8, ElementType::S32, ElementType::U64, ElementType::F32, ElementType::F64}) {
    for (Axis axis : {Axis::kRows, Axis::kCols}) {
      const Type t{elem, 3, 37};
      const Kernel k = Whole({t}, {t}, [&](Builder& b, const Values& v) {
        return Values{
            b.Select(b.Compare(kernel::Predicate::kNe, v[0], v[0]), v[0], b.Iota(t, axis))};
      });
      RunWhole(k, {t}, {t}, random);
    }
  }
}

// A loop over [lo, hi) that marks what it visits and counts its steps, with two carries that change
// places.
Kernel Marks(LoopKind kind, Tail tail, int64_t step, int width, bool constant, int64_t lo,
             int64_t hi) {
  Builder b("marks");
  Value first = constant ? b.Int(lo) : b.AddParam("lo", 0, 1000);
  Value end = constant ? b.Int(hi) : b.AddParam("hi", 0, 1000);
  const int o = b.AddBuffer("o", ElementType::S32, std::vector<int64_t>{100});
  const int c = b.AddBuffer("c", ElementType::S32, std::vector<int64_t>{2, 8});
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Type row{ElementType::S32, 1, width}, wide{ElementType::S32, 1, 8};
    Value zero = b.Splat(b.ConstInt(ElementType::S32, 0), wide), one = b.Iota(wide, Axis::kCols);
    Values r = b.For(kind, first, end, step, tail, {zero, one}, [&](Value i, const Values& carry) {
      Value m = b.Mask(i, end, row, Axis::kCols);
      Value old = b.Load(o, {{i, 0, 1}}, row, m);
      Value mark = b.Add(old, b.Add(b.Iota(row, Axis::kCols), b.Convert(i, ElementType::S32)));
      b.Store(mark, o, {{i, 0, 1}}, m);
      return Values{carry[1], b.Add(carry[0], b.ConstInt(ElementType::S32, 3))};
    });
    b.Store(r[0], c, {{b.Int(0)}, {b.Int(0), 0, 1}});
    b.Store(r[1], c, {{b.Int(1)}, {b.Int(0), 0, 1}});
    return Values{};
  });
  return b.Take();
}

TEST_CASE("Loops of every kind, at every remainder") {
  for (int64_t step : {1, 4, 8}) {
    for (Tail tail : {Tail::kExact, Tail::kMasked, Tail::kPeel}) {
      const Kernel dynamic = Marks(LoopKind::kSeq, tail, step, static_cast<int>(step), false, 0, 0);
      for (int64_t lo : {0, 3}) {
        for (int64_t count = 0; count <= 17; count++) {
          if (tail == Tail::kExact && count % step != 0) continue;
          INFO("step " << step << " tail " << int(tail) << " range " << lo << ".." << lo + count);
          Differential({&dynamic, {Bytes(400), Bytes(64)}, {lo, lo + count}});
          if (count % 5 != 0 && count != 4) continue;
          for (LoopKind kind : {LoopKind::kSeq, LoopKind::kUnroll}) {
            const Kernel k = Marks(kind, tail, step, static_cast<int>(step), true, lo, lo + count);
            Differential({&k, {Bytes(400), Bytes(64)}, {}});
          }
        }
      }
      Differential({&dynamic, {Bytes(400), Bytes(64)}, {9, 2}});  // empty, upside down
    }
  }
}

// Inner loops over a block of the outer one, cut at n, which always run, and cut at another limit
// k, which need not.
TEST_CASE("Loops over blocks, of which some are empty") {
  for (int64_t step : {1, 2}) {
    Builder b("blocks");
    Value n = b.AddParam("n", 0, 40), k = b.AddParam("k", 0, 40);
    const int whole = b.AddBuffer("whole", ElementType::S64, std::vector<int64_t>{40}),
              part = b.AddBuffer("part", ElementType::S64, std::vector<int64_t>{40});
    b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
      b.For(LoopKind::kSeq, b.Int(0), n, 6, Tail::kMasked, {}, [&](Value i, const Values&) {
        Value end = b.Add(i, b.Int(6));
        auto count = [&](Value last, int buffer) {
          b.For(LoopKind::kSeq, i, last, step, Tail::kMasked, {}, [&](Value j, const Values&) {
            Value at = b.Min(j, b.Int(39));
            b.Store(b.Add(b.Load(buffer, {{at}}, {ElementType::S64}), b.Int(1)), buffer, {{at}});
            return Values{};
          });
        };
        count(b.Min(end, n), whole);
        count(b.Min(end, k), part);
        count(b.Min(b.Min(n, end), k), part);
        return Values{};
      });
      return Values{};
    });
    const Kernel kernel = b.Take();
    for (int64_t extent : {0, 1, 5, 6, 7, 40}) {
      for (int64_t limit : {0, 1, 6, 7, 13, 40}) {
        INFO("step " << step << " n " << extent << " k " << limit);
        Differential({&kernel, {Bytes(320), Bytes(320)}, {extent, limit}});
      }
    }
  }
}

TEST_CASE("Stages with tails") {
  std::mt19937_64 random(6);
  for (Tail tail : {Tail::kMasked, Tail::kPeel}) {
    Builder b("stage");
    Value lo = b.AddParam("lo", 0, 1000), hi = b.AddParam("hi", 0, 1000);
    const int x = b.AddBuffer("x", ElementType::F32, Values{hi}),
              o = b.AddBuffer("o", ElementType::F32, Values{hi});
    b.For(LoopKind::kPar, lo, hi, 8, tail, {}, [&](Value i, const Values&) {
      const Type row{ElementType::F32, 1, 8};
      Value m = b.Mask(i, hi, row, Axis::kCols);
      b.Store(b.Load(x, {{i, 0, 1}}, row, m), o, {{i, 0, 1}}, m);
      return Values{};
    });
    const Kernel k = b.Take();
    for (int64_t first : {0, 5})
      for (int64_t count : {0, 1, 7, 8, 9, 16, 31}) {
        const auto n = static_cast<size_t>(first + count);
        Differential({&k, {RandomFloats(n, random), Bytes(n * 4)}, {first, first + count}});
      }
  }
}

TEST_CASE("Nested control flow") {
  // Counts steps of Collatz sequences; conditionals within a while within a loop.
  Builder b("collatz");
  const int o = b.AddBuffer("o", ElementType::S64, std::vector<int64_t>{40});
  b.For(LoopKind::kPar, b.Int(0), b.Int(40), 1, Tail::kExact, {}, [&](Value i, const Values&) {
    Values r = b.While(
        {b.Add(i, b.Int(1)), b.Int(0)},
        [&](const Values& c) { return b.Compare(kernel::Predicate::kGt, c[0], b.Int(1)); },
        [&](const Values& c) {
          Value even = b.Compare(kernel::Predicate::kEq, b.And(c[0], b.Int(1)), b.Int(0));
          Values next = b.If(
              even, [&] { return Values{b.Div(c[0], b.Int(2))}; },
              [&] { return Values{b.Add(b.Mul(c[0], b.Int(3)), b.Int(1))}; });
          return Values{next[0], b.Add(c[1], b.Int(1))};
        });
    b.Store(r[1], o, {{i}});
    return Values{};
  });
  const Kernel k = b.Take();
  Differential({&k, {Bytes(320)}, {}});
}

TEST_CASE("Several kernels in one object, symbols of their own") {
  const Kernel a = Marks(LoopKind::kSeq, Tail::kPeel, 4, 4, false, 0, 0);
  const Kernel c = Whole({{ElementType::F32, 4, 4}}, {{ElementType::F32, 4, 4}},
                         [](Builder& b, const Values& v) { return Values{b.Transpose(v[0])}; });
  auto compiled = Machines().back().compiler->Compile({&a, &c}, "both");
  REQUIRE(compiled.ok());
  CHECK(compiled->code.symbols == std::vector<std::string>{"both_0_0", "both_1_0"});
  CHECK(compiled->kernels[1].stages[0].function == 1);
  auto code = TheLoader().Load(compiled->code);
  REQUIRE(code.ok());
  std::vector<float> x(16), o(16);
  for (size_t i = 0; i < 16; i++) x[i] = static_cast<float>(i);
  void* buffers[] = {x.data(), o.data()};
  (*code)->functions()[1](buffers, nullptr, 0, 1, nullptr);
  CHECK(o[1] == 4);
  CHECK(o[4] == 1);
}

}  // namespace
}  // namespace sinter::cpu::testing
