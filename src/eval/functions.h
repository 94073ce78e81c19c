// The functions of the interpreter, by family. Each reads an instruction whose shapes the verifier
// has checked, and returns its value.
#pragma once

#include "base/constant.h"
#include "eval/elements.h"
#include "eval/evaluator.h"

namespace sinter::eval {

// elementwise_unary.cc, elementwise_binary.cc: one function a kind of element, given the bits of an
// integer type; null where the row of the op does not allow that kind.
struct UnaryKernel {
  bool (*p)(bool) = nullptr;
  int64_t (*s)(int64_t, int bits) = nullptr;
  uint64_t (*u)(uint64_t, int bits) = nullptr;
  double (*f)(double) = nullptr;
  Complex (*c)(Complex) = nullptr;
};
struct BinaryKernel {
  bool (*p)(bool, bool) = nullptr;
  int64_t (*s)(int64_t, int64_t, int bits) = nullptr;
  uint64_t (*u)(uint64_t, uint64_t, int bits) = nullptr;
  double (*f)(double, double) = nullptr;
  Complex (*c)(Complex, Complex) = nullptr;
};

// The ops that kernels compute: functions of single elements whose result is of their type. Those
// of another type are functions of arrays, as is a copy, which keeps the bits.
constexpr bool HasUnaryKernel(const OpInfo& info) {
  switch (info.op) {
    case HloOpcode::Abs:
    case HloOpcode::Convert:
    case HloOpcode::Copy:
    case HloOpcode::Imag:
    case HloOpcode::IsFinite:
    case HloOpcode::Real:
      return false;
    default:
      return info.kind == OpKind::kElementwise && info.arity == 1 &&
             info.attrs == kAttributesIndex<NoAttrs>;
  }
}
constexpr bool HasBinaryKernel(const OpInfo& info) {
  return info.kind == OpKind::kElementwise && info.arity == 2 &&
         info.attrs == kAttributesIndex<NoAttrs> && info.op != HloOpcode::Complex;
}

template <HloOpcode op>
consteval void KernelLacksAnElementKind(bool holds) {
  if (holds) throw op;
}
// TotalTable, and each kernel has a function for every kind of element that the op's row allows.
template <class Kernel, size_t N>
consteval std::array<Kernel, kOpCount> KernelTable(const OpRow<Kernel> (&rows)[N],
                                                   bool (*domain)(const OpInfo&)) {
  const std::array<Kernel, kOpCount> table = TotalTable(rows, domain);
  ForEveryOp([&]<HloOpcode op>() consteval {
    const Kernel& k = table[static_cast<size_t>(op)];
    const TypeSet has = (IsStated(k.p) ? kPredicates : 0) | (IsStated(k.s) ? kSignedInts : 0) |
                        (IsStated(k.u) ? kUnsignedInts : 0) | (IsStated(k.f) ? kFloats : 0) |
                        (IsStated(k.c) ? kComplexes : 0);
    KernelLacksAnElementKind<op>(domain(Info(op)) && (has & Info(op).types) != Info(op).types);
  });
  return table;
}

// Null for ops that have no such kernel.
const BinaryKernel* BinaryKernelOf(HloOpcode op);

inline bool Has(const BinaryKernel& k, bool) { return k.p; }
inline bool Has(const BinaryKernel& k, int64_t) { return k.s; }
inline bool Has(const BinaryKernel& k, uint64_t) { return k.u; }
inline bool Has(const BinaryKernel& k, double) { return k.f; }
inline bool Has(const BinaryKernel& k, Complex) { return k.c; }

// The exact result of one application, or one rounded to the wide type; RoundTo or Store finish it.
inline bool Apply(const BinaryKernel& k, int, bool x, bool y) { return k.p(x, y); }
inline int64_t Apply(const BinaryKernel& k, int bits, int64_t x, int64_t y) {
  return k.s(x, y, bits);
}
inline uint64_t Apply(const BinaryKernel& k, int bits, uint64_t x, uint64_t y) {
  return k.u(x, y, bits);
}
inline double Apply(const BinaryKernel& k, int, double x, double y) { return k.f(x, y); }
inline Complex Apply(const BinaryKernel& k, int, Complex x, Complex y) { return k.c(x, y); }

absl::StatusOr<Value> Unary(const Input&);
absl::StatusOr<Value> Binary(const Input&);

// elementwise_other.cc
absl::StatusOr<Value> Abs(const Input&);
absl::StatusOr<Value> Real(const Input&);
absl::StatusOr<Value> Imag(const Input&);
absl::StatusOr<Value> MakeComplex(const Input&);
absl::StatusOr<Value> IsFinite(const Input&);
absl::StatusOr<Value> ReducePrecision(const Input&);
absl::StatusOr<Value> Clamp(const Input&);
absl::StatusOr<Value> Select(const Input&);

absl::StatusOr<Value> Compare(const Input&);  // compare.cc
// The position of float element i in the total order: -NaN < -inf < ... < -0 < +0 < ... < NaN. The
// only NaN of the FNUZ types has the sign bit set and comes first.
int64_t TotalOrderKey(const Literal& x, int64_t i);  // compare.cc
absl::StatusOr<Value> Convert(const Input&);         // convert.cc
absl::StatusOr<Value> BitcastConvert(const Input&);  // convert.cc
// The elements converted to `to`, by the rules of the operation convert.
Literal ConvertTo(const Literal& x, ElementType to);

// index_map.cc
Dims RowMajorStrides(const Dims& dimensions);
// Elements in the row-major order of their coordinates, given the position of the first and the
// strides along each dimension, in elements; strides may be zero or negative.
struct Strided {
  int64_t offset = 0;
  Dims strides;
};
// Copies elements (of the same width) for every coordinate within `dimensions`.
void CopyStrided(const Dims& dimensions, const Literal& from, const Strided& source, Literal& to,
                 const Strided& destination);
absl::StatusOr<Value> Iota(const Input&);
absl::StatusOr<Value> Broadcast(const Input&);
absl::StatusOr<Value> Reshape(const Input&);
absl::StatusOr<Value> Transpose(const Input&);
absl::StatusOr<Value> Reverse(const Input&);
absl::StatusOr<Value> Slice(const Input&);
absl::StatusOr<Value> Pad(const Input&);
absl::StatusOr<Value> Concatenate(const Input&);
absl::StatusOr<Value> DynamicSlice(const Input&);
absl::StatusOr<Value> DynamicUpdateSlice(const Input&);

absl::StatusOr<Value> Reduce(const Input&);     // reduce.cc
absl::StatusOr<Value> Gather(const Input&);     // gather.cc
absl::StatusOr<Value> Scatter(const Input&);    // gather.cc
absl::StatusOr<Value> Sort(const Input&);       // sort.cc
absl::StatusOr<Value> TopK(const Input&);       // sort.cc
absl::StatusOr<Value> Dot(const Input&);        // dot.cc
absl::StatusOr<Value> RaggedDot(const Input&);  // dot.cc
// The type in which sums of products are accumulated: floats up to 32 bits in f32, integers modulo
// 2^64 (which no narrower integer can tell from its own accumulator), others in the result's or
// operands' own type, whichever is wider.
ElementType AccumulatorOf(ElementType operand, ElementType result);
absl::StatusOr<Value> Convolution(const Input&);  // convolution.cc

// window.cc
absl::StatusOr<Value> Windows(const Input&);
absl::StatusOr<Value> ReduceWindow(const Input&);
absl::StatusOr<Value> SelectAndScatter(const Input&);

// batch_norm.cc
absl::StatusOr<Value> BatchNormGrad(const Input&);
absl::StatusOr<Value> BatchNormInference(const Input&);
absl::StatusOr<Value> BatchNormTraining(const Input&);

// dynamic.cc
absl::StatusOr<Value> DynamicReshape(const Input&);
absl::StatusOr<Value> GetDimensionSize(const Input&);
absl::StatusOr<Value> SetDimensionSize(const Input&);

absl::StatusOr<Value> Fft(const Input&);  // fft.cc
// linear_algebra.cc
absl::StatusOr<Value> Cholesky(const Input&);
absl::StatusOr<Value> TriangularSolve(const Input&);
// random.cc
absl::StatusOr<Value> Rng(const Input&);
absl::StatusOr<Value> RngBitGenerator(const Input&);

// control.cc
absl::StatusOr<Value> Constant(const Input&);
absl::StatusOr<Value> Tuple(const Input&);
absl::StatusOr<Value> GetTupleElement(const Input&);
absl::StatusOr<Value> Call(const Input&);
absl::StatusOr<Value> Map(const Input&);
absl::StatusOr<Value> While(const Input&);
absl::StatusOr<Value> Conditional(const Input&);
absl::StatusOr<Value> Scan(const Input&);
absl::StatusOr<Value> CustomCall(const Input&);
absl::StatusOr<Value> Identity(const Input&);
absl::StatusOr<Value> AfterAll(const Input&);
absl::StatusOr<Value> Unreachable(const Input&);
absl::StatusOr<Value> Participants(const Input&);  // participants.cc

// transfers.cc
absl::StatusOr<Value> Infeed(const Input&);
absl::StatusOr<Value> Outfeed(const Input&);

// Zeros of the instruction's shape.
inline Literal NewResult(const Input& in) { return Literal(in.shape()); }

}  // namespace sinter::eval
