// The table of operations: what each becomes, and what is known about it whatever it becomes.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "ir/ops/op.h"

namespace sinter::stablehlo {

class Lowering;
struct OpRow;

// Adds the instructions that an operation becomes and binds its results.
using LowerFunction = absl::Status (*)(Lowering&, const Operation&, const OpRow&);

// InvalidArgument with the label of the specification's constraint that the operation breaks. The
// numbers of operands, results and regions may be any.
using Constraints = absl::Status (*)(const Lowering&, const Operation&);

// How an operation hands the elements of its operands to a computation that combines them: those of
// quantized types are promoted to what it takes.
struct Promotion {
  // How the operands of an operation of n results belong to those.
  enum class Form : uint8_t {
    kEach,     // operand i to result i; one computation combines each of them
    kInitial,  // operand i to result i mod n: inputs and initial values
    kScatter,  // the same, with the indices between
  };
  Form form;
  // Labels of the constraints: of the computation, of the results, of the operands that belong to
  // one result.
  std::string_view computation, results, operands;
};

// What an operation does with the elements of its operands. Quantized ones are their stored
// integers in the graph: this says what those become.
enum class ElementUse : uint8_t {
  kElementwise,  // computes with elements at the same place: what is quantized is so throughout,
                 // and differs in scales and zero points only (the specification's
                 // baseline_element_type)
  kComputes,     // combines elements with one another or with numbers, so that scales matter
  kPromotes,     // hands them to a computation, which computes with what it is given
  kMoves,        // gives them where other scales may hold: only one scale a tensor
  // Scales of parts of a tensor move with the elements.
  kBroadcasts,         // to the dimensions that broadcast_dimensions names
  kBroadcastsInFront,  // to the last dimensions
  kReshapes,
  kTransposes,
  kInPlace,  // gives each operand as the result of its number
  kWhole,    // hands values on whatever they stand for; or it states what it makes of them itself
};

struct Elements {
  ElementUse use;
  const Promotion* promotion = nullptr;  // of kPromotes

  constexpr Elements(ElementUse u) : use(u) {}
  constexpr Elements(const Promotion& p) : use(ElementUse::kPromotes), promotion(&p) {}
};

// Where sizes of a result come from that its type leaves open.
enum class SizeRule : uint8_t {
  kInferred,   // from the shape rule of what the operation becomes, or it sets them itself
  kOperands,   // as long as all operands of the largest rank can be
  kBroadcast,  // dimensions that the operand has are as long as there
  kBitcast,    // those of the operand, with a last one for parts of elements
  kReshape,    // the one that is open is what the others leave
};

// Which quantized types values may have (the specification's tables "Inputs" and "Outputs").
enum class Quantized : uint8_t {
  kUnquantized,
  kPerTensor,  // of one scale
  kAnyScales,  // of scales along a dimension too, or in blocks
};
struct QuantizedTypes {
  Quantized operands, results;
  Quantized second;  // operand 1: of products it is the one with several scales

  constexpr QuantizedTypes(Quantized all) : QuantizedTypes(all, all, all) {}
  constexpr QuantizedTypes(Quantized o, Quantized r, Quantized s)
      : operands(o), results(r), second(s) {}
};

// A row has no defaults: what it does not state does not compile.
struct OpRow {
  std::string_view name;
  LowerFunction lower;
  std::optional<HloOpcode> op;  // of rows whose function serves several operations
  Elements elements;
  SizeRule sizes;
  QuantizedTypes quantized;
  Constraints constraints;  // null: none but those of the shape rule of what it becomes

  constexpr OpRow(std::string_view n, LowerFunction l, std::optional<HloOpcode> o, Elements e,
                  SizeRule s, QuantizedTypes q, Constraints c)
      : name(n), lower(l), op(o), elements(e), sizes(s), quantized(q), constraints(c) {}
};

// The row of an operation, or null.
const OpRow* FindOp(std::string_view name);

namespace lower {
// lower_elementwise.cc
absl::Status Elementwise(Lowering&, const Operation&, const OpRow&);
absl::Status BroadcastElementwise(Lowering&, const Operation&, const OpRow&);
absl::Status Compare(Lowering&, const Operation&, const OpRow&);
absl::Status ReducePrecision(Lowering&, const Operation&, const OpRow&);
absl::Status Square(Lowering&, const Operation&, const OpRow&);
absl::Status IsInfinite(Lowering&, const Operation&, const OpRow&);
absl::Status Conjugate(Lowering&, const Operation&, const OpRow&);
absl::Status ConstantLike(Lowering&, const Operation&, const OpRow&);
absl::Status BroadcastSelect(Lowering&, const Operation&, const OpRow&);
// lower_gather.cc
absl::Status DynamicGather(Lowering&, const Operation&, const OpRow&);
absl::Status Gather(Lowering&, const Operation&, const OpRow&);
// What a gather says, but for the sizes of slices.
absl::Status ReadGather(const Lowering&, const Operation&, GatherAttrs* attrs);
absl::Status Scatter(Lowering&, const Operation&, const OpRow&);
absl::Status Sort(Lowering&, const Operation&, const OpRow&);
absl::Status TopK(Lowering&, const Operation&, const OpRow&);
absl::Status TorchIndexSelect(Lowering&, const Operation&, const OpRow&);
// lower_chlo.cc
absl::Status Chlo(Lowering&, const Operation&, const OpRow&);
absl::Status BroadcastChlo(Lowering&, const Operation&, const OpRow&);
absl::Status Sinh(Lowering&, const Operation&, const OpRow&);
// lower_transform.cc
absl::Status Cholesky(Lowering&, const Operation&, const OpRow&);
absl::Status Fft(Lowering&, const Operation&, const OpRow&);
absl::Status TriangularSolve(Lowering&, const Operation&, const OpRow&);
absl::Status Rng(Lowering&, const Operation&, const OpRow&);
absl::Status RngBitGenerator(Lowering&, const Operation&, const OpRow&);
// lower_index_map.cc
absl::Status Broadcast(Lowering&, const Operation&, const OpRow&);
absl::Status BroadcastInDim(Lowering&, const Operation&, const OpRow&);
absl::Status Concatenate(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicSlice(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicUpdateSlice(Lowering&, const Operation&, const OpRow&);
absl::Status Iota(Lowering&, const Operation&, const OpRow&);
absl::Status Pad(Lowering&, const Operation&, const OpRow&);
absl::Status Reshape(Lowering&, const Operation&, const OpRow&);
absl::Status Reverse(Lowering&, const Operation&, const OpRow&);
absl::Status Slice(Lowering&, const Operation&, const OpRow&);
absl::Status Transpose(Lowering&, const Operation&, const OpRow&);
// lower_control.cc
absl::Status Call(Lowering&, const Operation&, const OpRow&);
absl::Status Case(Lowering&, const Operation&, const OpRow&);
absl::Status AsyncDone(Lowering&, const Operation&, const OpRow&);
absl::Status AsyncStart(Lowering&, const Operation&, const OpRow&);
absl::Status Composite(Lowering&, const Operation&, const OpRow&);
absl::Status Inline(Lowering&, const Operation&, const OpRow&);
absl::Status Manual(Lowering&, const Operation&, const OpRow&);
absl::Status Scan(Lowering&, const Operation&, const OpRow&);
absl::Status While(Lowering&, const Operation&, const OpRow&);
// lower_einsum.cc
absl::Status Einsum(Lowering&, const Operation&, const OpRow&);
// lower_reduce.cc
absl::Status Dot(Lowering&, const Operation&, const OpRow&);
absl::Status DotGeneral(Lowering&, const Operation&, const OpRow&);
absl::Status Map(Lowering&, const Operation&, const OpRow&);
absl::Status RaggedDot(Lowering&, const Operation&, const OpRow&);
absl::Status Reduce(Lowering&, const Operation&, const OpRow&);
// lower_window.cc
absl::Status BatchNorm(Lowering&, const Operation&, const OpRow&);
absl::Status Convolution(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicConv(Lowering&, const Operation&, const OpRow&);
absl::Status ReduceWindow(Lowering&, const Operation&, const OpRow&);
absl::Status SelectAndScatter(Lowering&, const Operation&, const OpRow&);
// lower_participants.cc
absl::Status AllGather(Lowering&, const Operation&, const OpRow&);
absl::Status AllReduce(Lowering&, const Operation&, const OpRow&);
absl::Status AllToAll(Lowering&, const Operation&, const OpRow&);
absl::Status CollectiveBroadcast(Lowering&, const Operation&, const OpRow&);
absl::Status CollectivePermute(Lowering&, const Operation&, const OpRow&);
absl::Status CollectiveReduce(Lowering&, const Operation&, const OpRow&);
absl::Status CrossReplicaSum(Lowering&, const Operation&, const OpRow&);
absl::Status Infeed(Lowering&, const Operation&, const OpRow&);
absl::Status Outfeed(Lowering&, const Operation&, const OpRow&);
absl::Status ParticipantId(Lowering&, const Operation&, const OpRow&);
absl::Status Recv(Lowering&, const Operation&, const OpRow&);
absl::Status ReduceScatter(Lowering&, const Operation&, const OpRow&);
absl::Status Send(Lowering&, const Operation&, const OpRow&);
// lower_special.cc
absl::Status AfterAll(Lowering&, const Operation&, const OpRow&);
absl::Status Barrier(Lowering&, const Operation&, const OpRow&);
absl::Status Check(Lowering&, const Operation&, const OpRow&);
absl::Status Constant(Lowering&, const Operation&, const OpRow&);
absl::Status CustomCall(Lowering&, const Operation&, const OpRow&);
absl::Status GetTupleElement(Lowering&, const Operation&, const OpRow&);
absl::Status Identity(Lowering&, const Operation&, const OpRow&);
absl::Status Nothing(Lowering&, const Operation&, const OpRow&);
absl::Status Tuple(Lowering&, const Operation&, const OpRow&);
// quantized.cc
absl::Status UniformDequantize(Lowering&, const Operation&, const OpRow&);
absl::Status UniformQuantize(Lowering&, const Operation&, const OpRow&);
// dynamic.cc
absl::Status DynamicBroadcastInDim(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicIota(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicPad(Lowering&, const Operation&, const OpRow&);
absl::Status DynamicReshape(Lowering&, const Operation&, const OpRow&);
absl::Status GetDimensionSize(Lowering&, const Operation&, const OpRow&);
absl::Status RealDynamicSlice(Lowering&, const Operation&, const OpRow&);
absl::Status SetDimensionSize(Lowering&, const Operation&, const OpRow&);
// dynamic_calls.cc: what a custom call of that target becomes, or null.
using SizedCall = absl::Status (*)(Lowering&, const Operation&);
SizedCall FindSizedCall(std::string_view target);
// A call without those operands that are the sizes of its results, which then are known.
absl::StatusOr<Operation> WithoutShapeOperands(Lowering&, const Operation&);
// Custom calls that say where values are placed, and change none: those whose results have the
// shapes of their operands, so that on one device the whole is its part.
bool IsAnnotationCall(Lowering&, const Operation&, std::string_view target);
absl::Status AnnotationCall(Lowering&, const Operation&, std::string_view target);
// sized.cc: the same where sizes are no constants.
absl::Status SizedConvolution(Lowering&, const Operation&, ConvolutionAttrs attrs);
absl::Status SizedGather(Lowering&, const Operation&, GatherAttrs attrs);
absl::Status SizedRng(Lowering&, const Operation&, const RngAttrs& attrs);
// The second operand is the sizes of the second result.
absl::Status SizedRngBitGenerator(Lowering&, const Operation&);
absl::Status SizedBroadcastInDim(Lowering&, const Operation&, const Dims& dims);
absl::Status SizedIota(Lowering&, const Operation&, int64_t dimension);
absl::Status SizedPad(Lowering&, const Operation&);
absl::Status SizedReshape(Lowering&, const Operation&);
absl::Status SizedSlice(Lowering&, const Operation&);
}  // namespace lower

}  // namespace sinter::stablehlo
