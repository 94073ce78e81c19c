// The op table: the enum, facts about each op, and total tables for what transformations do with
// them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/ops/attributes.h"
#include "sinter/shape.h"

namespace sinter {

enum class HloOpcode : uint8_t {
#define OP(id, ...) id,
#include "ir/ops/ops.def"
#undef OP
};
inline constexpr size_t kOpCount = 0
#define OP(...) +1
#include "ir/ops/ops.def"
#undef OP
    ;

// What shapes of code an op needs: an elementwise op supplies one scalar function, an index map one
// function from result coordinates to operand coordinates.
enum class OpKind : uint8_t {
  kSpecial,
  kControl,
  kElementwise,
  kIndexMap,
  kReduction,
  kContraction
};

inline constexpr int8_t kVariadic = -1;

using Traits = uint32_t;
inline constexpr Traits kCommutative = 1;
// HLO text may state how exact the result has to be: result_accuracy={...}.
inline constexpr Traits kResultAccuracy = 2;

// What one element of the result takes, in additions of F32, which every row states: of floats as
// measured on a Zen 4 (32768 elements in the first-level caches), of the rest an estimate.
struct Work {
  int8_t of_floats = -1, of_integers = -1, of_complexes = -1;  // -1: not stated
  bool by_width = false;    // twice as much for types of 8 bytes and more
  bool elementary = false;  // a function that no device computes exactly
};
inline constexpr Work kNoWork{0, 0, 0}, kArithmetic{1, 1, 4}, kAddressing{2, 2, 2};
inline constexpr Work kDivision{8, 20, 8, true}, kSquareRoot{13, 13, 13, true};
inline constexpr Work kUnknownTurns{50, 50, 50};  // a loop's: nobody knows how often it runs
// An elementary function, whose floating-point results devices may round differently.
constexpr Work Elementary(int8_t additions) {
  return {additions, additions, additions, true, true};
}

// Sets of element kinds that the (first data) operand may have.
using TypeSet = uint8_t;
inline constexpr TypeSet kPredicates = 1, kSignedInts = 2, kUnsignedInts = 4, kFloats = 8,
                         kComplexes = 16;
inline constexpr TypeSet kInts = kSignedInts | kUnsignedInts;
inline constexpr TypeSet kAnyArray = kPredicates | kInts | kFloats | kComplexes;

struct ComputationShape {
  std::vector<Shape> parameters;
  Shape result;
};

// What an inference rule may look at. `declared` is the result shape that the program states, or
// null: rules of ops whose result does not follow from the rest (convert, reshape, iota, ...) need
// it, others check it if it is there.
struct InferInput {
  absl::Span<const Shape* const> operands;
  const Attributes& attrs;
  absl::Span<const ComputationShape> called;
  const Shape* declared = nullptr;

  const Shape& operand(size_t i) const { return *operands[i]; }
  template <class T>
  const T& as() const {
    return std::get<T>(attrs);
  }
};
// The result shape, or InvalidArgument that names the constraint (StableHLO's label in parentheses
// where it has one) and the shapes. Arity, the attribute alternative, the number of called
// computations and the element kind of operand 0 have been checked before (InferShape does).
using InferRule = absl::StatusOr<Shape> (*)(const InferInput&);

namespace infer {
absl::StatusOr<Shape> Declared(const InferInput&);
absl::StatusOr<Shape> Constant(const InferInput&);
absl::StatusOr<Shape> Iota(const InferInput&);
absl::StatusOr<Shape> Tuple(const InferInput&);
absl::StatusOr<Shape> GetTupleElement(const InferInput&);
absl::StatusOr<Shape> Call(const InferInput&);
absl::StatusOr<Shape> Map(const InferInput&);
absl::StatusOr<Shape> While(const InferInput&);
absl::StatusOr<Shape> Conditional(const InferInput&);
absl::StatusOr<Shape> Scan(const InferInput&);
absl::StatusOr<Shape> Token(const InferInput&);
absl::StatusOr<Shape> SameAsOperand(const InferInput&);
absl::StatusOr<Shape> SameOperands(const InferInput&);
absl::StatusOr<Shape> Abs(const InferInput&);
absl::StatusOr<Shape> Convert(const InferInput&);
absl::StatusOr<Shape> BitcastConvert(const InferInput&);
absl::StatusOr<Shape> RealPart(const InferInput&);
absl::StatusOr<Shape> ToPredicate(const InferInput&);
absl::StatusOr<Shape> Compare(const InferInput&);
absl::StatusOr<Shape> Complex(const InferInput&);
absl::StatusOr<Shape> Clamp(const InferInput&);
absl::StatusOr<Shape> Select(const InferInput&);
absl::StatusOr<Shape> Broadcast(const InferInput&);
absl::StatusOr<Shape> Reshape(const InferInput&);
absl::StatusOr<Shape> Transpose(const InferInput&);
absl::StatusOr<Shape> Slice(const InferInput&);
absl::StatusOr<Shape> Pad(const InferInput&);
absl::StatusOr<Shape> Concatenate(const InferInput&);
absl::StatusOr<Shape> Reverse(const InferInput&);
absl::StatusOr<Shape> DynamicSlice(const InferInput&);
absl::StatusOr<Shape> DynamicUpdateSlice(const InferInput&);
absl::StatusOr<Shape> Gather(const InferInput&);
absl::StatusOr<Shape> GetDimensionSize(const InferInput&);
absl::StatusOr<Shape> SetDimensionSize(const InferInput&);
absl::StatusOr<Shape> DynamicReshape(const InferInput&);
absl::StatusOr<Shape> Scatter(const InferInput&);
absl::StatusOr<Shape> Sort(const InferInput&);
absl::StatusOr<Shape> TopK(const InferInput&);
absl::StatusOr<Shape> Reduce(const InferInput&);
absl::StatusOr<Shape> Dot(const InferInput&);
absl::StatusOr<Shape> RaggedDot(const InferInput&);
absl::StatusOr<Shape> Cholesky(const InferInput&);
absl::StatusOr<Shape> Fft(const InferInput&);
absl::StatusOr<Shape> TriangularSolve(const InferInput&);
absl::StatusOr<Shape> Rng(const InferInput&);
absl::StatusOr<Shape> RngState(const InferInput&);
absl::StatusOr<Shape> RngBitGenerator(const InferInput&);
absl::StatusOr<Shape> Windows(const InferInput&);
absl::StatusOr<Shape> ReduceWindow(const InferInput&);
absl::StatusOr<Shape> SelectAndScatter(const InferInput&);
absl::StatusOr<Shape> Convolution(const InferInput&);
absl::StatusOr<Shape> BatchNormGrad(const InferInput&);
absl::StatusOr<Shape> BatchNormInference(const InferInput&);
absl::StatusOr<Shape> BatchNormTraining(const InferInput&);
absl::StatusOr<Shape> AllGather(const InferInput&);
absl::StatusOr<Shape> AllReduce(const InferInput&);
absl::StatusOr<Shape> AllToAll(const InferInput&);
absl::StatusOr<Shape> CollectiveBroadcast(const InferInput&);
absl::StatusOr<Shape> CollectivePermute(const InferInput&);
absl::StatusOr<Shape> CollectiveReduce(const InferInput&);
absl::StatusOr<Shape> RaggedAllToAll(const InferInput&);
absl::StatusOr<Shape> ReduceScatter(const InferInput&);
absl::StatusOr<Shape> ParticipantId(const InferInput&);
absl::StatusOr<Shape> Infeed(const InferInput&);
absl::StatusOr<Shape> Outfeed(const InferInput&);
absl::StatusOr<Shape> Recv(const InferInput&);
absl::StatusOr<Shape> RecvDone(const InferInput&);
absl::StatusOr<Shape> Send(const InferInput&);
absl::StatusOr<Shape> SendDone(const InferInput&);
}  // namespace infer

// StableHLO's labels of the constraints on the result: on its dimensions, on its element type.
struct ResultLabels {
  std::string_view dimensions, element_type;
};

struct OpInfo {
  HloOpcode op;
  std::string_view name;  // in HLO text
  int8_t arity = kVariadic;
  OpKind kind = OpKind::kSpecial;
  uint8_t attrs = kAttributesIndex<NoAttrs>;
  int8_t called = 0;  // called computations; kVariadic: any number
  TypeSet types = 0;  // 0: not checked by the table
  Traits traits = 0;
  Work work;
  InferRule infer = nullptr;
  ResultLabels result;
};

inline constexpr std::array<OpInfo, kOpCount> kOps{{
#define OP(id, text, ...) OpInfo{.op = HloOpcode::id, .name = text, __VA_ARGS__},
#include "ir/ops/ops.def"
#undef OP
}};
constexpr const OpInfo& Info(HloOpcode op) { return kOps[static_cast<size_t>(op)]; }
constexpr std::string_view Name(HloOpcode op) { return Info(op).name; }
constexpr bool IsElementwise(HloOpcode op) { return Info(op).kind == OpKind::kElementwise; }
constexpr bool IsElementaryFunction(HloOpcode op) { return Info(op).work.elementary; }

// The op of that name in HLO text, or nothing.
std::optional<HloOpcode> OpFromName(std::string_view name);

// Checks what the table states (arity, attributes, called computations, element kinds), then
// applies the op's rule.
absl::StatusOr<Shape> InferShape(HloOpcode op, const InferInput& input);

// Text of attribute enums as HLO writes them ("EQ", "TOTALORDER", "highest").
std::string_view Name(ComparisonDirection d);
std::string_view Name(ComparisonType t);
std::string_view Name(Precision p);
std::string_view Name(FftType t);
std::string_view Name(MatrixTranspose t);
std::string_view Name(RandomAlgorithm a);
std::string_view Name(CustomCallApiVersion v);
std::string_view Name(RandomDistribution d);

// --- total tables: one per transformation, checked when compiled

// Where a table is wrong about an op, the compiler's error names one of these and the op: no
// constant expression throws.
template <HloOpcode op>
consteval void OpHasNoRow(bool holds) {
  if (holds) throw op;
}
template <HloOpcode op>
consteval void OpHasTwoRows(bool holds) {
  if (holds) throw op;
}
template <HloOpcode op>
consteval void OpIsOutsideOfTheTable(bool holds) {
  if (holds) throw op;
}
// check.template operator()<op>() for every op.
template <class Check>
consteval void ForEveryOp(const Check& check) {
  [&]<size_t... op>(std::index_sequence<op...>) consteval {
    (check.template operator()<static_cast<HloOpcode>(op)>(), ...);
  }
  (std::make_index_sequence<kOpCount>{});
}

template <class T>
struct OpRow {
  HloOpcode op;
  T value;
};
constexpr bool EveryOp(const OpInfo&) { return true; }

// Fails to compile where an op of the domain has no row or two, or another one has a row. A row may
// hold a value that says "expanded earlier"; none is silent.
template <class T, size_t N>
consteval std::array<T, kOpCount> TotalTable(const OpRow<T> (&rows)[N],
                                             bool (*domain)(const OpInfo&) = EveryOp) {
  std::array<T, kOpCount> table{};
  std::array<int, kOpCount> seen{};
  for (const auto& row : rows) {
    ++seen[static_cast<size_t>(row.op)];
    table[static_cast<size_t>(row.op)] = row.value;
  }
  ForEveryOp([&]<HloOpcode op>() consteval {
    const int count = seen[static_cast<size_t>(op)];
    OpHasTwoRows<op>(count > 1);
    OpHasNoRow<op>(count == 0 && domain(Info(op)));
    OpIsOutsideOfTheTable<op>(count > 0 && !domain(Info(op)));
  });
  return table;
}

}  // namespace sinter
