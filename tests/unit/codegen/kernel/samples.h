// Kernels written by hand as codegen writes them: what tests of this room, and of what lowers
// kernels, run over.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "codegen/kernel/builder.h"
#include "unit/codegen/kernel/samples_gemm.h"

namespace sinter::kernel::samples {

inline constexpr Type F32Tile(int rows, int cols) { return {ElementType::F32, rows, cols}; }
inline Values NoValues() { return {}; }

inline Value ReduceWith(Builder& b, OpCode code, Value x, Axis axis) {
  return b.Reduce({x}, axis, [&](const Values& l, const Values& r) {
    return Values{b.Binary(code, l[0], r[0])};
  })[0];
}

// A loop that carries nothing.
inline void Each(Builder& b, LoopKind kind, Value lo, Value hi, int64_t step,
                 const std::function<void(Value)>& body, Tail tail = Tail::kExact) {
  b.For(kind, lo, hi, step, tail, {}, [&](Value i, const Values&) {
    body(i);
    return NoValues();
  });
}

// e^x with an error of about an ulp; NaN stays.
inline Expr Exp(Expr x) {
  x = Select(Cmp(Predicate::kGt, x, 89), x.c(89), x);
  x = Select(Cmp(Predicate::kLt, x, -104), x.c(-104), x);
  Expr n = RoundEven(x * 1.44269504088896341);
  Expr r = Fma(n, x.c(-0.693145751953125), x);
  r = Fma(n, x.c(-1.42860682030941723e-6), r);
  Expr p = Fma(r, x.c(1.9875691500e-4), x.c(1.3981999507e-3));
  for (double c : {8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1})
    p = Fma(p, r, c);
  p = Fma(p, r * r, r) + 1.0;
  return Ldexp(p, n.To(ElementType::S32, /*in_range=*/true));
}

// sum(x + y * z) over n elements: a partial sum a task of `chunk` elements, then their sum.
// Buffers x, y, z, part (scratch), out; parameters n, tasks.
inline Kernel SumFma(int width = 128, Tail tail = Tail::kPeel, int64_t chunk = 1 << 16) {
  Builder b("sum_fma");
  Value n = b.AddParam("n", 1, int64_t{1} << 40), tasks = b.AddParam("tasks", 1, 1 << 20);
  Values shape{n};
  int x = b.AddBuffer("x", ElementType::F32, shape), y = b.AddBuffer("y", ElementType::F32, shape);
  int z = b.AddBuffer("z", ElementType::F32, shape);
  int part = b.AddBuffer("part", ElementType::F32, Values{tasks}, Space::kScratch);
  int out = b.AddBuffer("out", ElementType::F32, Values{b.Int(1)});
  const Type row = F32Tile(1, width);
  Value zero = b.Const(ElementType::F32, 0);
  b.For(LoopKind::kPar, b.Int(0), tasks, 1, Tail::kExact, {}, [&](Value t, const Values&) {
    Value lo = b.Mul(t, b.Int(chunk)), hi = b.Min(b.Add(lo, b.Int(chunk)), n);
    Values sum = b.For(LoopKind::kSeq, lo, hi, width, tail, {b.Splat(zero, row)},
                       [&](Value i, const Values& c) {
                         Value m = b.Mask(i, hi, row, Axis::kCols);
                         auto load = [&](int buffer) {
                           return Expr{&b, b.Load(buffer, {{i, 0, 1}}, row, m, zero)};
                         };
                         return Values{Expr{&b, c[0]} + (load(x) + load(y) * load(z))};
                       });
    b.Store(ReduceWith(b, OpCode::kAdd, sum[0], Axis::kCols), part, {{t}});
    return NoValues();
  });
  b.For(LoopKind::kPar, b.Int(0), b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    const Type narrow = F32Tile(1, 16);
    Values sum = b.For(LoopKind::kSeq, b.Int(0), tasks, 16, Tail::kPeel, {b.Splat(zero, narrow)},
                       [&](Value i, const Values& c) {
                         Value m = b.Mask(i, tasks, narrow, Axis::kCols);
                         return Values{b.Add(c[0], b.Load(part, {{i, 0, 1}}, narrow, m, zero))};
                       });
    b.Store(ReduceWith(b, OpCode::kAdd, sum[0], Axis::kCols), out, {{b.Int(0)}});
    return NoValues();
  });
  return b.Take();
}

// o[i] = f(x[i]) over n elements, `chunk` a task. Buffers x, o; parameters n, tasks.
inline Kernel Unary(ElementType from, ElementType to, const std::function<Expr(Expr)>& f,
                    int width = 32, int64_t chunk = 1 << 15) {
  Builder b("unary");
  Value n = b.AddParam("n", 1, int64_t{1} << 40), tasks = b.AddParam("tasks", 1, 1 << 20);
  int x = b.AddBuffer("x", from, Values{n}), o = b.AddBuffer("o", to, Values{n});
  b.For(LoopKind::kPar, b.Int(0), tasks, 1, Tail::kExact, {}, [&](Value t, const Values&) {
    Value lo = b.Mul(t, b.Int(chunk)), hi = b.Min(b.Add(lo, b.Int(chunk)), n);
    b.For(LoopKind::kSeq, lo, hi, width, Tail::kPeel, {}, [&](Value i, const Values&) {
      const Type row{from, 1, width};
      Value m = b.Mask(i, hi, row, Axis::kCols);
      Expr v{&b, b.Load(x, {{i, 0, 1}}, row, m)};
      b.Store(f(v), o, {{i, 0, 1}}, m, /*non_temporal=*/true);
      return NoValues();
    });
    return NoValues();
  });
  return b.Take();
}

// Softmax of rows of n (a multiple of 64): the row of exponentials stays in a task buffer.
// Buffers x, o; parameter rows.
inline Kernel Softmax(int64_t n = 1024, int width = 64) {
  Builder b("softmax");
  Value rows = b.AddParam("rows", 1, 1 << 30), cols = b.Int(n), zero = b.Int(0);
  int x = b.AddBuffer("x", ElementType::F32, Values{rows, cols});
  int o = b.AddBuffer("o", ElementType::F32, Values{rows, cols});
  int e = b.AddBuffer("e", ElementType::F32, Values{cols}, Space::kTask);
  const Type tile = F32Tile(1, width);
  auto row_loop = [&](const Values& init, const Builder::Body& body) {
    return b.For(LoopKind::kSeq, zero, cols, width, Tail::kPeel, init, body);
  };
  b.For(LoopKind::kPar, zero, rows, 1, Tail::kExact, {}, [&](Value r, const Values&) {
    Value lowest =
        b.Splat(b.Const(ElementType::F32, -std::numeric_limits<double>::infinity()), tile);
    Value m = row_loop({lowest}, [&](Value j, const Values& c) {
      return Values{b.Max(c[0], b.Load(x, {{r}, {j, 0, 1}}, tile))};
    })[0];
    Expr top{&b, ReduceWith(b, OpCode::kMax, m, Axis::kCols)};
    Value none = b.Splat(b.Const(ElementType::F32, 0), tile);
    Value s = row_loop({none}, [&](Value j, const Values& c) {
      Expr v = Exp(Expr{&b, b.Load(x, {{r}, {j, 0, 1}}, tile)} - top);
      b.Store(v, e, {{j, 0, 1}});
      return Values{b.Add(c[0], v)};
    })[0];
    Expr inverse = top.c(1) / Expr{&b, ReduceWith(b, OpCode::kAdd, s, Axis::kCols)};
    row_loop({}, [&](Value j, const Values&) {
      b.Store(Expr{&b, b.Load(e, {{j, 0, 1}}, tile)} * inverse, o, {{r}, {j, 0, 1}}, kNone, true);
      return NoValues();
    });
    return NoValues();
  });
  return b.Take();
}

// o[j, i] = x[i, j], n x n, n a multiple of `block`, in `size` x `size` register tiles. Buffers x,
// o; parameter n.
inline Kernel Transpose(int block = 64, int size = 16) {
  Builder b("transpose");
  Value n = b.AddParam("n", block, 1 << 20, block), zero = b.Int(0);
  int x = b.AddBuffer("x", ElementType::F32, Values{n, n});
  int o = b.AddBuffer("o", ElementType::F32, Values{n, n});
  auto tile = [&](Value i, Value j) {
    Value t = b.Load(x, {{i, 1, 0}, {j, 0, 1}}, F32Tile(size, size));
    b.Store(b.Transpose(t), o, {{j, 1, 0}, {i, 0, 1}}, kNone, true);
  };
  auto square = [&](Value i0, Value j0) {
    Value i1 = b.Add(i0, b.Int(block)), j1 = b.Add(j0, b.Int(block));
    Each(b, LoopKind::kSeq, i0, i1, size,
         [&](Value i) { Each(b, LoopKind::kSeq, j0, j1, size, [&](Value j) { tile(i, j); }); });
  };
  Each(b, LoopKind::kPar, zero, n, block, [&](Value i0) {
    Each(b, LoopKind::kSeq, zero, n, block, [&](Value j0) { square(i0, j0); });
  });
  return b.Take();
}

// n times c = c * 0.999 + a, carried in a register. Buffers a, x, o of one element; parameter n.
inline Kernel Steps() {
  Builder b("while_steps");
  Value n = b.AddParam("n", 0, int64_t{1} << 40), z = b.Int(0);
  const Values one{b.Int(1)};
  int a = b.AddBuffer("a", ElementType::F32, one), x = b.AddBuffer("x", ElementType::F32, one);
  int o = b.AddBuffer("o", ElementType::F32, one);
  b.For(LoopKind::kPar, z, b.Int(1), 1, Tail::kExact, {}, [&](Value, const Values&) {
    Expr added{&b, b.Load(a, {{z}}, F32Tile(1, 1))};
    Values r = b.While(
        {z, b.Load(x, {{z}}, F32Tile(1, 1))},
        [&](const Values& c) { return b.Compare(Predicate::kLt, c[0], n); },
        [&](const Values& c) {
          return Values{b.Add(c[0], b.Int(1)), Expr{&b, c[1]} * .999 + added};
        });
    b.Store(r[1], o, {{z}});
    return NoValues();
  });
  return b.Take();
}

// Sum over the rows of x[rows, cols]: a task is `width` columns, R rows at a time. Buffers x, o;
// parameters rows, cols.
inline Kernel ColumnSum(int width = 256, int rows_at_once = 1) {
  Builder b("column_sum");
  Value rows = b.AddParam("rows", 1, 1 << 30), cols = b.AddParam("cols", 1, 1 << 30), z = b.Int(0);
  int x = b.AddBuffer("x", ElementType::F32, Values{rows, cols}),
      o = b.AddBuffer("o", ElementType::F32, Values{cols});
  const Type tile = F32Tile(rows_at_once, width);
  Value zero = b.Const(ElementType::F32, 0);
  b.For(LoopKind::kPar, z, cols, width, Tail::kMasked, {}, [&](Value j, const Values&) {
    Value m = b.Mask(j, cols, F32Tile(1, width), Axis::kCols);
    Value sum =
        b.For(LoopKind::kSeq, z, rows, rows_at_once, Tail::kPeel, {b.Splat(zero, tile)},
              [&](Value r, const Values& c) {
                Value here = b.And(m, b.Mask(r, rows, F32Tile(rows_at_once, 1), Axis::kRows));
                return Values{b.Add(c[0], b.Load(x, {{r, 1, 0}, {j, 0, 1}}, tile, here, zero))};
              })[0];
    b.Store(ReduceWith(b, OpCode::kAdd, sum, Axis::kRows), o, {{j, 0, 1}}, m);
    return NoValues();
  });
  return b.Take();
}

// The column of the greatest element of each row, the first of equals: a reduction of pairs.
// Buffers x, o (S32); parameters rows, n.
inline Kernel ArgMax(int width = 64) {
  Builder b("argmax");
  Value rows = b.AddParam("rows", 1, 1 << 30), n = b.AddParam("n", 1, 1 << 30), z = b.Int(0);
  int x = b.AddBuffer("x", ElementType::F32, Values{rows, n}),
      o = b.AddBuffer("o", ElementType::S32, Values{rows});
  const Type tile = F32Tile(1, width), indices = WithElem(tile, ElementType::S32);
  Value lowest = b.Const(ElementType::F32, -std::numeric_limits<double>::infinity());
  auto better = [&](const Values& p, const Values& q) {
    Value less = b.Compare(Predicate::kLt, p[0], q[0]),
          same = b.Compare(Predicate::kEq, p[0], q[0]);
    Value take = b.Or(less, b.And(same, b.Compare(Predicate::kLt, q[1], p[1])));
    return Values{b.Select(take, q[0], p[0]), b.Select(take, q[1], p[1])};
  };
  b.For(LoopKind::kPar, z, rows, 1, Tail::kExact, {}, [&](Value r, const Values&) {
    Value lane = b.Iota(indices, Axis::kCols), far = b.ConstInt(ElementType::S32, 0x7fffffff);
    Values best =
        b.For(LoopKind::kSeq, z, n, width, Tail::kPeel,
              {b.Splat(lowest, tile), b.Splat(far, indices)}, [&](Value j, const Values& c) {
                Value m = b.Mask(j, n, tile, Axis::kCols);
                Value v = b.Load(x, {{r}, {j, 0, 1}}, tile, m, lowest);
                Value at = b.Add(lane, b.Convert(j, ElementType::S32));
                return better(c, {v, b.Select(m, at, far)});
              });
    b.Store(b.Reduce(best, Axis::kCols, better)[1], o, {{r}});
    return NoValues();
  });
  return b.Take();
}

// o[i] = table[index[i]] over `count` elements, a constant table, indices clamped. Buffers index
// (S32), o.
inline Kernel Gather(const std::vector<float>& table, int64_t count = 100) {
  Builder b("gather");
  const int64_t size = static_cast<int64_t>(table.size());
  int data = b.AddBuffer("table", ElementType::F32, std::vector<int64_t>{size}, Space::kConstant);
  const auto* bytes = reinterpret_cast<const uint8_t*>(table.data());
  b.kernel().buffers[0].data.assign(bytes, bytes + table.size() * sizeof(float));
  int index = b.AddBuffer("index", ElementType::S32, std::vector<int64_t>{count});
  int o = b.AddBuffer("o", ElementType::F32, std::vector<int64_t>{count});
  const Type tile = F32Tile(1, 16);
  b.For(LoopKind::kPar, b.Int(0), b.Int(count), 16, Tail::kMasked, {}, [&](Value i, const Values&) {
    Value m = b.Mask(i, b.Int(count), tile, Axis::kCols);
    Value at = b.Load(index, {{i, 0, 1}}, WithElem(tile, ElementType::S32), m);
    at = b.Min(b.Max(at, b.ConstInt(ElementType::S32, 0)), b.ConstInt(ElementType::S32, size - 1));
    b.Store(b.Load(data, {{at}}, tile), o, {{i, 0, 1}}, m);
    return NoValues();
  });
  return b.Take();
}

// Swaps the elements of each of n / 2 pairs, by lanes. Buffers x, o of 64 C64-like pairs of BF16.
inline Kernel SwapPairs() {
  Builder b("swap pairs");
  const std::vector<int64_t> shape{64, 2};
  int x = b.AddBuffer("x", ElementType::BF16, shape),
      o = b.AddBuffer("x", ElementType::BF16, shape);
  b.kernel().buffers[0].alias_group = b.kernel().buffers[1].alias_group = 3;
  const std::vector<int64_t> flat{128};
  b.For(LoopKind::kPar, b.Int(0), b.Int(64), 16, Tail::kExact, {}, [&](Value i, const Values&) {
    const Type half{ElementType::BF16, 1, 16};
    Value even = b.Load(x, {{i, 0, 1}, {b.Int(0)}}, half),
          odd = b.Load(x, {{i, 0, 1}, {b.Int(1)}}, half);
    auto [first, second] = b.Deinterleave(b.Interleave(odd, even));
    b.Store(first, o, {{i, 0, 1}, {b.Int(0)}});
    b.Store(second, o, {{i, 0, 1}, {b.Int(1)}});
    return NoValues();
  });
  return b.Take();
}

// One of each, with a name for messages.
inline std::vector<Kernel> All() {
  std::vector<Kernel> all;
  all.push_back(SumFma());
  all.push_back(Unary(ElementType::F32, ElementType::F32, Exp));
  all.push_back(Softmax());
  all.push_back(Transpose());
  all.push_back(Gemm());
  all.push_back(Steps());
  all.push_back(ColumnSum(256, 1));
  all.push_back(ColumnSum(64, 4));
  all.push_back(ArgMax());
  all.push_back(Gather({1, 2, 3, 4.5F}));
  all.push_back(SwapPairs());
  return all;
}

}  // namespace sinter::kernel::samples
