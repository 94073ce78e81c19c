// What moves between threads and memory, as device code against the interpreter.
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "codegen/kernel/builder.h"
#include "cuda/walk/differential.h"
#include "unit/codegen/gpu/kernels.h"

namespace sinter::gpu::testing {
namespace {

using kernel::Axis;
using kernel::Builder;
using kernel::Expr;
using kernel::Kernel;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Space;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// Small whole numbers: their sums are exact in any order.
template <class T>
std::vector<T> Whole(size_t n, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return x;
}

Kernel Parsed(const char* text) {
  auto kernel = kernel::Parse(text);
  if (!kernel.ok()) FAIL(kernel.status().ToString());
  return std::move(kernel).value();
}

TEST_CASE("kernels as they are generated") {
  Differential(Parsed(kNormalizeRows), {BytesOf(Whole<float>(4096 * 1024)), Bytes(4096 * 1024 * 4)},
               {}, "sm_90", 1);
  Differential(Parsed(kTranspose), {BytesOf(Whole<float>(1024 * 512)), Bytes(1024 * 512 * 4)});
  for (int64_t n : {8, 1016, 1024, 4104}) {
    const auto size = static_cast<size_t>(n);
    Differential(Parsed(kScaleMasked), {BytesOf(Whole<uint16_t>(size)), Bytes(size * 2)}, {n});
  }
}

// A task with one tile of [rows x cols] in each of three buffers.
struct OneTile {
  OneTile(ElementType elem, int rows, int cols, ElementType out_elem, int out_rows, int out_cols)
      : b("tile") {
    const std::vector<int64_t> shape{rows, cols}, out_shape{out_rows, out_cols};
    in = b.AddBuffer("in", elem, shape);
    other = b.AddBuffer("other", elem, shape);
    out = b.AddBuffer("out", out_elem, out_shape);
    type = {elem, rows, cols};
  }
  void Body(const std::function<void()>& body) {
    b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
      body();
      return Values{};
    });
  }
  Value Load(int buffer) { return b.Load(buffer, {{b.Int(0), 1, 0}, {b.Int(0), 0, 1}}, type); }
  void Store(Value x) { b.Store(x, out, {{b.Int(0), 1, 0}, {b.Int(0), 0, 1}}); }
  Builder b;
  int in, other, out;
  Type type;
};

// A masked-off load may read the buffer's first elements only if there are as many.
TEST_CASE("nothing is read beyond a small buffer") {
  OneTile t(ElementType::F32, 1, 2, ElementType::F32, 1, 256);
  t.type.cols = 256;
  Builder& b = t.b;
  Value n = b.AddParam("n", 0, 2, 2);
  t.Body([&] {
    auto load = [&](Value limit) {
      Value mask = b.Mask(b.Int(0), limit, {ElementType::PRED, 1, 256}, Axis::kCols);
      return b.Load(t.in, {{b.Int(0), 1, 0}, {b.Int(0), 0, 1}}, t.type, mask);
    };
    // No position is below the second limit, which is a multiple of everything.
    t.Store(b.Add(load(n), load(b.Int(0))));
  });
  const Kernel kernel = WithLayouts(b.Take(), 2, TileLayout({}, {Warp(2), Lane(32), Reg(4)}));
  const Bytes two = BytesOf(std::vector<float>{3, 4});
  for (int64_t count : {0, 2}) Differential(kernel, {two, two, Bytes(256 * 4)}, {count});
}

struct Spread {
  int warps;
  kernel::Layout layout;
};
// Of [16 x 64].
std::vector<Spread> Spreads() {
  return {
      {1, TileLayout({Reg(16)}, {Lane(32), Reg(2)})},
      {4, TileLayout({Reg(4), Warp(4)}, {Reg(2), Lane(32)})},
      {4, TileLayout({Lane(2, 16), Reg(8)}, {Warp(4), Lane(16)})},
      {8, TileLayout({Warp(2, 4), Reg(2), Lane(4)}, {Reg(2), Warp(4), Lane(8, 4)})},
      {4, TileLayout({Lane(16)}, {Reg(64)})},                     // copies
      {2, TileLayout({Reg(2), Lane(8, 4)}, {Reg(16), Lane(4)})},  // copies in the second warp
  };
}

TEST_CASE("reductions, whatever the layouts") {
  for (ElementType elem :
       {ElementType::F32, ElementType::F64, ElementType::S64, ElementType::U8, ElementType::PRED}) {
    for (Axis axis : {Axis::kRows, Axis::kCols}) {
      for (const Spread& spread : Spreads()) {
        const bool cols = axis == Axis::kCols;
        OneTile t(elem, 16, 64, elem, cols ? 16 : 1, cols ? 1 : 64);
        t.Body([&] {
          const OpCode op = IsPredicate(elem) ? OpCode::kXor : OpCode::kAdd;
          t.Store(t.b.Reduce({t.Load(t.in)}, axis, [&](const Values& l, const Values& r) {
            return Values{t.b.Binary(op, l[0], r[0])};
          })[0]);
        });
        std::mt19937_64 random(3);
        Bytes in = cpu::testing::RandomData(elem, 16 * 64, random);
        if (elem == ElementType::F32) in = BytesOf(Whole<float>(16 * 64));
        if (elem == ElementType::F64) in = BytesOf(Whole<double>(16 * 64));
        const size_t results = (cols ? 16 : 64) * static_cast<size_t>(ByteWidth(elem));
        Differential(WithLayouts(t.b.Take(), spread.warps, spread.layout),
                     {in, in, Bytes(results)});
      }
    }
  }
}

// Combiners that tell their sides apart: every thread adds what it believes the result to be.
TEST_CASE("all threads come to one result") {
  const std::function<Values(Builder&, const Values&, const Values&)> combiners[] = {
      [](Builder&, const Values& l, const Values&) { return l; },
      [](Builder&, const Values&, const Values& r) { return r; },
      [](Builder& b, const Values& l, const Values& r) {  // the first of the largest
        Value same = b.Compare(Predicate::kEq, l[0], r[0]);
        Value before = b.And(same, b.Compare(Predicate::kLt, l[1], r[1]));
        Value keep = b.Or(b.Compare(Predicate::kGt, l[0], r[0]), before);
        return Values{b.Select(keep, l[0], r[0]), b.Select(keep, l[1], r[1])};
      }};
  for (const Spread& spread : Spreads()) {
    for (const auto& combiner : combiners) {
      OneTile t(ElementType::S32, 16, 64, ElementType::S32, 16, 64);
      t.Body([&] {
        Builder& b = t.b;
        Value at = b.Iota(t.type, Axis::kCols);
        const Values r =
            b.Reduce({t.Load(t.in), at}, Axis::kCols,
                     [&](const Values& l, const Values& x) { return combiner(b, l, x); });
        t.Store(b.Add(t.Load(t.other), b.Add(r[0], r[1])));
      });
      Differential(WithLayouts(t.b.Take(), spread.warps, spread.layout),
                   {BytesOf(Whole<int32_t>(16 * 64)), BytesOf(Whole<int32_t>(16 * 64, 2)),
                    Bytes(16 * 64 * 4)});
    }
  }
}

TEST_CASE("several reductions share memory without a race") {
  for (const Spread& spread : Spreads()) {
    OneTile t(ElementType::F32, 16, 64, ElementType::F32, 16, 1);
    t.Body([&] {
      Builder& b = t.b;
      auto sum = [&](Value x) {
        return b.Reduce({x}, Axis::kCols, [&](const Values& l, const Values& r) {
          return Values{b.Add(l[0], r[0])};
        })[0];
      };
      Value x = t.Load(t.in);
      Value total = b.Splat(b.Const(ElementType::F32, 0), {ElementType::F32, 16, 1});
      total = b.For(LoopKind::kSeq, b.Int(0), b.Int(5), 2, Tail::kPeel, {total},
                    [&](Value, const Values& c) {
                      Value first = sum(x);
                      return Values{b.Add(c[0], sum(b.Add(x, first)))};
                    })[0];
      t.Store(b.Add(sum(b.Sub(x, sum(x))), total));
    });
    Differential(WithLayouts(t.b.Take(), spread.warps, spread.layout),
                 {BytesOf(Whole<float>(16 * 64)), Bytes(16 * 64 * 4), Bytes(16 * 4)});
  }
}

TEST_CASE("relayout and transpose between all layouts") {
  const std::vector<Spread> spreads = Spreads();
  const kernel::Layout turned[] = {TileLayout({Lane(32), Reg(2)}, {Reg(16)}),
                                   TileLayout({Reg(2), Warp(4), Lane(8)}, {Reg(4), Lane(4, 8)})};
  for (ElementType elem :
       {ElementType::F32, ElementType::S64, ElementType::S16, ElementType::PRED}) {
    for (const Spread& from : spreads) {
      for (const Spread& to : spreads) {
        OneTile t(elem, 16, 64, elem, 16, 64);
        t.b.kernel().warps = 8;
        const int first = kernel::AddLayout(t.b.kernel(), from.layout);
        const int second = kernel::AddLayout(t.b.kernel(), to.layout);
        t.type.layout = first;
        t.Body([&] { t.Store(t.b.Relayout(t.Load(t.in), second)); });
        std::mt19937_64 random(5);
        const Bytes in = cpu::testing::RandomData(elem, 16 * 64, random);
        Differential(t.b.Take(), {in, in, Bytes(in.size())}, {}, "sm_80", 1);
      }
      for (const kernel::Layout& to : turned) {
        OneTile t(elem, 16, 64, elem, 64, 16);
        t.b.kernel().warps = 8;
        t.type.layout = kernel::AddLayout(t.b.kernel(), from.layout);
        Value result = kernel::kNone;
        t.Body([&] {
          result = t.b.Transpose(t.Load(t.in));
          t.Store(result);
        });
        Kernel kernel = t.b.Take();
        kernel.types[static_cast<size_t>(result)].layout = kernel::AddLayout(kernel, to);
        std::mt19937_64 random(5);
        const Bytes in = cpu::testing::RandomData(elem, 16 * 64, random);
        Differential(kernel, {in, in, Bytes(in.size())}, {}, "sm_80", 1);
      }
    }
  }
}

}  // namespace
}  // namespace sinter::gpu::testing
