// The matrix product among the samples: see samples.h, which includes this file.
#pragma once

#include <functional>

#include "codegen/kernel/builder.h"

namespace sinter::kernel::samples {

struct GemmBlocks {
  int mr = 12, nr = 32, kc = 512, mc = 96, unroll = 4;
};

// C = max(A B + bias, 0). A task is a band of columns; it packs its columns of B into panels,
// copies A row by row, keeps the accumulators in registers and the epilogue in a loop over an L1
// tile. Partial sums between blocks of K stay panel-major. Buffers A, B, bias, C, Bp, Cp (scratch);
// parameters M, N, K, panels, bands, band_panels.
class GemmSample {
 public:
  explicit GemmSample(const GemmBlocks& blocks) : g_(blocks), b_("gemm_bias_relu") {
    const ElementType f32 = ElementType::F32;
    rows_ = b_.AddParam("M", 1, 1 << 20);
    cols_ = b_.AddParam("N", 1, 1 << 20);
    depth_ = b_.AddParam("K", 1, 1 << 20);
    panels_ = b_.AddParam("panels", 1, 1 << 16);
    bands_ = b_.AddParam("bands", 1, 1 << 10);
    width_ = b_.AddParam("band_panels", 1, 1 << 16);
    z_ = b_.Int(0);
    mr_ = b_.Int(g_.mr);
    nr_ = b_.Int(g_.nr);
    zero_ = b_.Const(f32, 0);
    a_ = b_.AddBuffer("A", f32, Values{rows_, depth_});
    bb_ = b_.AddBuffer("B", f32, Values{depth_, cols_});
    bias_ = b_.AddBuffer("bias", f32, Values{cols_});
    c_ = b_.AddBuffer("C", f32, Values{rows_, cols_});
    Value kc = b_.Int(g_.kc), strips = b_.Int((g_.mc + g_.mr - 1) / g_.mr);
    bp_ = b_.AddBuffer("Bp", f32, Values{panels_, kc, nr_}, Space::kScratch);
    cp_ = b_.AddBuffer("Cp", f32, Values{panels_, rows_, nr_}, Space::kScratch);
    ap_ = b_.AddBuffer("Ap", f32, Values{strips, mr_, b_.Int(g_.kc + 16)}, Space::kTask);
    ct_ = b_.AddBuffer("Ct", f32, Values{mr_, nr_}, Space::kTask);
  }

  Kernel Build() {
    b_.For(LoopKind::kPar, z_, bands_, 1, Tail::kExact, {}, [&](Value t, const Values&) {
      Value p0 = b_.Mul(t, width_), p1 = b_.Min(b_.Add(p0, width_), panels_);
      Seq(z_, depth_, g_.kc, [&](Value kc) { Slice(kc, p0, p1); });
      return Values{};
    });
    return b_.Take();
  }

 private:
  // What is the same in a slice of K and in a panel of B.
  struct SliceValues {
    Value kc, kb, more, last;
  };
  struct PanelValues {
    Value p, j, mask;
  };

  Type Row() const { return {ElementType::F32, 1, g_.nr}; }
  void Seq(Value lo, Value hi, int64_t step, const std::function<void(Value)>& body) {
    Tail tail = step == 1 ? Tail::kExact : Tail::kMasked;
    b_.For(LoopKind::kSeq, lo, hi, step, tail, {}, [&](Value i, const Values&) {
      body(i);
      return Values{};
    });
  }
  PanelValues Panel(Value p) {
    Value j = b_.Mul(p, nr_);
    return {p, j, b_.Mask(j, cols_, Row(), Axis::kCols)};
  }

  void Slice(Value kc, Value p0, Value p1) {
    Value ke = b_.Min(b_.Add(kc, b_.Int(g_.kc)), depth_);
    SliceValues s{kc, b_.Sub(ke, kc), b_.Compare(Predicate::kGt, kc, z_),
                  b_.Compare(Predicate::kEq, ke, depth_)};
    Seq(p0, p1, 1, [&](Value p) { PackB(s, Panel(p)); });
    Seq(z_, rows_, g_.mc, [&](Value ic) {
      Value ie = b_.Min(b_.Add(ic, b_.Int(g_.mc)), rows_);
      Seq(ic, ie, 1, [&](Value i) { CopyA(s, i, b_.Sub(i, ic)); });
      Seq(p0, p1, 1, [&](Value p) { Strips(s, Panel(p), ic, ie); });
    });
  }
  void PackB(const SliceValues& s, const PanelValues& panel) {
    Seq(z_, s.kb, 1, [&](Value q) {
      Value row = b_.Load(bb_, {{b_.Add(s.kc, q)}, {panel.j, 0, 1}}, Row(), panel.mask, zero_);
      b_.Store(row, bp_, {{panel.p}, {q}, {z_, 0, 1}});
    });
  }
  void CopyA(const SliceValues& s, Value i, Value row) {
    const Type wide{ElementType::F32, 1, 64};
    Value ip = b_.Div(row, mr_), ir = b_.Rem(row, mr_);
    b_.For(LoopKind::kSeq, z_, s.kb, 64, Tail::kPeel, {}, [&](Value q, const Values&) {
      Value mask = b_.Mask(q, s.kb, wide, Axis::kCols);
      Value v = b_.Load(a_, {{i}, {b_.Add(s.kc, q), 0, 1}}, wide, mask, zero_);
      b_.Store(v, ap_, {{ip}, {ir}, {q, 0, 1}}, mask);
      return Values{};
    });
  }
  void Strips(const SliceValues& s, const PanelValues& panel, Value ic, Value ie) {
    Seq(ic, ie, g_.mr, [&](Value i) {
      Accumulate(s, panel, b_.Div(b_.Sub(i, ic), mr_));
      Seq(i, b_.Min(b_.Add(i, mr_), rows_), 1, [&](Value r) { Epilogue(s, panel, i, r); });
    });
  }
  // Leaves the product of a strip of A and a panel of B in Ct.
  void Accumulate(const SliceValues& s, const PanelValues& panel, Value ip) {
    const Type column{ElementType::F32, g_.mr, 1}, block{ElementType::F32, g_.mr, g_.nr};
    auto step = [&](Value q, Value acc) {
      Value left = b_.Load(ap_, {{ip}, {z_, 1, 0}, {q}}, column);
      return b_.Fma(left, b_.Load(bp_, {{panel.p}, {q}, {z_, 0, 1}}, Row()), acc);
    };
    auto unrolled = [&](Value q, const Values& carry) {
      Value acc = carry[0];
      for (int u = 0; u < g_.unroll; ++u) acc = step(b_.Add(q, b_.Int(u)), acc);
      return Values{acc};
    };
    auto single = [&](Value q, const Values& carry) { return Values{step(q, carry[0])}; };
    Value whole = b_.Mul(b_.Div(s.kb, b_.Int(g_.unroll)), b_.Int(g_.unroll));
    Values acc{b_.Splat(zero_, block)};
    acc = b_.For(LoopKind::kSeq, z_, whole, g_.unroll, Tail::kExact, acc, unrolled);
    acc = b_.For(LoopKind::kSeq, whole, s.kb, 1, Tail::kExact, acc, single);
    b_.Store(acc[0], ct_, {{z_, 1, 0}, {z_, 0, 1}});
  }
  // Of row r, in the strip that begins at row i.
  void Epilogue(const SliceValues& s, const PanelValues& panel, Value i, Value r) {
    Value v = b_.Load(ct_, {{b_.Sub(r, i)}, {z_, 0, 1}}, Row());
    auto partial = [&] { return Values{b_.Load(cp_, {{panel.p}, {r}, {z_, 0, 1}}, Row())}; };
    auto nothing = [&] { return Values{b_.Splat(zero_, Row())}; };
    v = b_.Add(v, b_.If(s.more, partial, nothing)[0]);
    auto finish = [&] {
      Value u = b_.Add(v, b_.Load(bias_, {{panel.j, 0, 1}}, Row(), panel.mask, zero_));
      b_.Store(b_.Max(u, zero_), c_, {{r}, {panel.j, 0, 1}}, panel.mask);
      return Values{};
    };
    auto keep = [&] {
      b_.Store(v, cp_, {{panel.p}, {r}, {z_, 0, 1}});
      return Values{};
    };
    b_.If(s.last, finish, keep);
  }

  GemmBlocks g_;
  Builder b_;
  Value rows_, cols_, depth_, panels_, bands_, width_, z_, mr_, nr_, zero_;
  int a_, bb_, bias_, c_, bp_, cp_, ap_, ct_;
};

inline Kernel Gemm(const GemmBlocks& blocks = {}) { return GemmSample(blocks).Build(); }

}  // namespace sinter::kernel::samples
