// The table of operations: how each is spelled where it is not spelled as most are, and what it
// becomes.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "ir/ops/op.h"

namespace sinter::stablehlo {

class Lowering;
class Parser;
struct OpRow;

// Reads what stands behind the operation's name.
using PrettyForm = absl::Status (*)(Parser&, Operation*);
// Adds the instructions that an operation becomes and binds its results.
using LowerFunction = absl::Status (*)(Lowering&, const Operation&, const OpRow&);

// What a pretty form calls an attribute, and its name in the generic form.
struct ClauseName {
  std::string_view pretty, generic;
};

struct OpRow {
  std::string_view name;
  LowerFunction lower = nullptr;
  HloOpcode op{};                 // of rows whose function serves several operations
  PrettyForm pretty = nullptr;    // null: operands and clauses, attributes, types
  bool result_type_only = false;  // a single type is that of the result, not of operands
  ClauseName clauses[3] = {};
};

// The row of an operation, or null.
const OpRow* FindOp(std::string_view name);

namespace pretty {
absl::Status Annotation(Parser&, Operation*);
absl::Status Call(Parser&, Operation*);
absl::Status Check(Parser&, Operation*);
absl::Status Compare(Parser&, Operation*);
absl::Status Composite(Parser&, Operation*);
absl::Status Constant(Parser&, Operation*);
absl::Status Convolution(Parser&, Operation*);
absl::Status CustomCall(Parser&, Operation*);
absl::Status GetTupleElement(Parser&, Operation*);
absl::Status Barrier(Parser&, Operation*);
absl::Status Manual(Parser&, Operation*);
absl::Status Reduce(Parser&, Operation*);
absl::Status Scan(Parser&, Operation*);
absl::Status Select(Parser&, Operation*);
absl::Status Slice(Parser&, Operation*);
absl::Status TopK(Parser&, Operation*);
absl::Status While(Parser&, Operation*);
}  // namespace pretty

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
// Custom calls that say where values lie, and change none: those whose results have the shapes of
// their operands, so that on one device the whole is its part.
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
