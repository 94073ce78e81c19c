// The kernel IR: SSA register tiles, structured loops with carries, explicit memory objects. One IR
// for every target; it knows no LLVM and no HLO. README.md states the semantics of each operation
// and the invariants that Verify checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "sinter/element_type.h"

namespace sinter::kernel {

// --- types

// Where the elements of a tile live. On the CPU rows are unrolled and columns run along the vector,
// so its layout is the empty one; on a GPU each logical axis is a product of factors, outermost
// first, each in registers, lanes of a warp or warps of a block. `stride` is the step within the
// dimension: {kLane, 8, 4} is lane bits 2..4. Extents and strides of lanes and warps are powers of
// two. Registers are numbered by the factors' order, rows before columns, and have stride 1.
//
// An axis of extent 1 drops its factors, so that a tile and what broadcasts to it share one layout.
// Lanes and warps that no remaining factor names hold copies; where memory is written, the copy of
// lane 0, warp 0 (of those bits) writes.
enum class HardwareDim : uint8_t { kReg, kLane, kWarp };
struct Factor {
  HardwareDim dim = HardwareDim::kReg;
  int extent = 1;
  int stride = 1;
  bool operator==(const Factor&) const = default;
};
struct Layout {
  std::vector<Factor> axes[2];  // rows, columns
  bool operator==(const Layout& o) const { return axes[0] == o.axes[0] && axes[1] == o.axes[1]; }
};

// A tile of rows x cols elements in registers; 1 x 1 is a scalar, equal in all threads of a block.
// Element types are PRED (one bit), the integers of 8 to 64 bits, BF16, F16, F32, F64. BF16 and F16
// are only moved, selected, converted and bitcast: arithmetic is done between conversions. Operands
// broadcast along extent 1.
struct Type {
  ElementType elem = ElementType::F32;
  int rows = 1;
  int cols = 1;
  int layout = 0;  // index into Kernel::layouts
  bool is_scalar() const { return rows == 1 && cols == 1; }
  bool operator==(const Type&) const = default;
};
inline constexpr Type kIndexType{ElementType::S64};  // of indices, bounds, dimensions

using Value = int32_t;  // dense id of an SSA value; analyses keep side tables
inline constexpr Value kNone = -1;

// --- operations

// X(enumerator, text, pointwise operand count or -1 where not pointwise)
#define SINTER_KERNEL_OPS(X)           \
  X(kConst, "const", -1)               \
  X(kIota, "iota", -1)                 \
  X(kSplat, "splat", -1)               \
  X(kMask, "mask", -1)                 \
  X(kAdd, "add", 2)                    \
  X(kSub, "sub", 2)                    \
  X(kMul, "mul", 2)                    \
  X(kMulHi, "mulhi", 2)                \
  X(kDiv, "div", 2)                    \
  X(kRem, "rem", 2)                    \
  X(kMin, "min", 2)                    \
  X(kMax, "max", 2)                    \
  X(kAnd, "and", 2)                    \
  X(kOr, "or", 2)                      \
  X(kXor, "xor", 2)                    \
  X(kShl, "shl", 2)                    \
  X(kShr, "shr", 2)                    \
  X(kFma, "fma", 3)                    \
  X(kDotAdd, "dotadd", 3)              \
  X(kNeg, "neg", 1)                    \
  X(kAbs, "abs", 1)                    \
  X(kSqrt, "sqrt", 1)                  \
  X(kFloor, "floor", 1)                \
  X(kCeil, "ceil", 1)                  \
  X(kTrunc, "trunc", 1)                \
  X(kRoundEven, "round", 1)            \
  X(kLdexp, "ldexp", 2)                \
  X(kPopcnt, "popcnt", 1)              \
  X(kClz, "clz", 1)                    \
  X(kCvt, "cvt", 1)                    \
  X(kBitcast, "bitcast", 1)            \
  X(kCmp, "cmp", 2)                    \
  X(kSelect, "select", 3)              \
  X(kLoad, "load", -1)                 \
  X(kStore, "store", -1)               \
  X(kReduce, "reduce", -1)             \
  X(kTranspose, "transpose", -1)       \
  X(kInterleave, "interleave", -1)     \
  X(kDeinterleave, "deinterleave", -1) \
  X(kPack, "pack", -1)                 \
  X(kDot, "dot", -1)                   \
  X(kRelayout, "relayout", -1)         \
  X(kSync, "sync", -1)                 \
  X(kCommit, "commit", -1)             \
  X(kWait, "wait", -1)                 \
  X(kFor, "for", -1)                   \
  X(kWhile, "while", -1)               \
  X(kIf, "if", -1)

enum class OpCode : uint8_t {
#define SINTER_KERNEL_OP_ID(id, ...) id,
  SINTER_KERNEL_OPS(SINTER_KERNEL_OP_ID)
#undef SINTER_KERNEL_OP_ID
};
// The layouts of tiles in a GPU's block.
inline constexpr int kWarpLanes = 32;
inline constexpr int kMaxWarps = 32;

inline constexpr int kMaxRegionDepth = 64;  // so that no kernel exhausts the stack of who walks it
inline constexpr int kOpCodeCount = static_cast<int>(OpCode::kIf) + 1;
std::string_view Name(OpCode code);
// Operands of a pointwise operation, -1 for others.
int PointwiseArity(OpCode code);
inline bool IsPointwise(OpCode code) { return PointwiseArity(code) >= 0; }

enum class Axis : uint8_t { kRows, kCols };
// Of floats: ordered, but kNe is true for NaN. Of integers: by the operand type's signedness.
enum class Predicate : uint8_t { kLt, kLe, kGt, kGe, kEq, kNe };
// kPar: independent iterations; at the top of a kernel it is a stage, whose range the runtime
// splits over threads. kUnroll: constant bounds, expanded when lowered.
enum class LoopKind : uint8_t { kSeq, kPar, kUnroll };
// When the step does not divide the range: kExact promises that it does; kMasked runs one body for
// all, whose masks cut the last step; kPeel emits the body twice, once for whole steps (masks on
// the loop's own bounds are then known to be all true), once for the rest.
enum class Tail : uint8_t { kExact, kMasked, kPeel };

// How far an index of a load or store advances per tile row and per tile column. On a buffer
// dimension of stride 1, cols == 1 is a contiguous vector access; -1 reads backwards; anything else
// is a strided access.
struct Step {
  int rows = 0;
  int cols = 0;
  bool operator==(const Step&) const = default;
};

using Values = absl::InlinedVector<Value, 4>;
struct Op;
struct Block {
  Values args;
  std::vector<Op> ops;
  Values yield;
};

struct Op {
  OpCode code{};
  Values operands{}, results{};
  std::vector<Block> regions{};

  // Attributes; which ones an operation has, the README says. Others keep their default.
  // const of an integer or predicate type (U64 as its bits); for: the step; load: the
  // elements so many further on in memory, if there are any, are wanted soon (0: nothing is known);
  // wait: how many of the last groups of asynchronous stores may still be in flight
  int64_t int_value = 0;
  double float_value = 0;                // const of a float type, exact in it
  int buffer = -1;                       // load, store
  absl::InlinedVector<Step, 4> steps{};  // load, store: one a buffer dimension
  // load: the last operands are mask and else-value; store: the last is the mask.
  bool masked = false;
  bool non_temporal = false;  // store: past the caches
  bool async = false;         // store: in flight until a `wait` for its group
  // cvt float -> integer: the value is finite and in range, so no saturation is needed.
  // ldexp x, n: x is a NaN, or in [1/4, 2) with n in [-155, 128] (F64: [-1080, 1024]). Where n is
  // the integer of a sum that rounded it, x is a NaN only if the sum is.
  bool in_range = false;
  Axis axis = Axis::kRows;               // iota, mask, reduce
  Predicate predicate = Predicate::kLt;  // cmp
  LoopKind loop = LoopKind::kSeq;        // for
  Tail tail = Tail::kExact;              // for
};

// Of an operation at a kernel's top.
inline bool IsStage(const Op& op) { return op.code == OpCode::kFor && op.loop == LoopKind::kPar; }

// --- kernels

// kArgument: passed in. kScratch: shared by the stages of one launch, passed in after the
// arguments. kTask: private to a task, of constant size (L1/L2 resident; shared memory on a GPU).
// kConstant: data of the kernel itself.
enum class Space : uint8_t { kArgument, kScratch, kTask, kConstant };
struct Buffer {
  std::string name;
  ElementType elem = ElementType::F32;  // as in Type; PRED takes a byte, 0 or 1
  Values shape, strides;                // index constants or parameters; strides in elements
  Space space = Space::kArgument;
  bool written = false;
  // Buffers of one group >= 0 may overlap (updated in place); -1: disjoint from all.
  int alias_group = -1;
  std::vector<uint8_t> data;  // kConstant: row-major elements
};

// An int64 known when the kernel is launched, with the bounds and the divisor that its use may rely
// on.
struct Param {
  std::string name;
  Value value = kNone;
  int64_t lo = 0, hi = INT64_MAX, multiple = 1;
};

struct Kernel {
  std::string name;
  // Elements of one native vector chunk, the same for every element type of the kernel.
  int lanes = 16;
  std::vector<Type> types;  // of each value
  std::vector<Buffer> buffers;
  std::vector<Param> params;
  int warps = 0;                    // of a block, 32 threads each; 0: tiles have no layout yet
  std::vector<Layout> layouts{{}};  // 0: the CPU's, and that of scalars
  // Scalar constants and index arithmetic on parameters, then what HoistInvariants moves there,
  // then stages: for.par loops, with a barrier over all tasks between two of them.
  Block top;

  const Type& type(Value v) const { return types[static_cast<size_t>(v)]; }
};

}  // namespace sinter::kernel
