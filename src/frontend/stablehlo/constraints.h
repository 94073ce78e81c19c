// Constraints of the StableHLO specification that the graph's shape rules do not know: on quantized
// types, on attributes that the graph does not have, on operations that become several.
#pragma once

#include "absl/status/status.h"
#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

class Lowering;
struct OpRow;

// InvalidArgument with the label of the specification's constraint that the operation breaks: on
// which types may be quantized, and what its row says beside.
absl::Status CheckConstraints(const Lowering& l, const Operation& op, const OpRow& row);

// Of the families of constraints_*.cc, for the table of operations.
namespace constraints {
absl::Status Add(const Lowering&, const Operation&);
absl::Status AllToAll(const Lowering&, const Operation&);
absl::Status AsyncDone(const Lowering&, const Operation&);
absl::Status AsyncStart(const Lowering&, const Operation&);
absl::Status Case(const Lowering&, const Operation&);
absl::Status CollectiveBroadcast(const Lowering&, const Operation&);
absl::Status CollectiveReduce(const Lowering&, const Operation&);
absl::Status Composite(const Lowering&, const Operation&);
absl::Status Constant(const Lowering&, const Operation&);
absl::Status Convolution(const Lowering&, const Operation&);
absl::Status CustomCall(const Lowering&, const Operation&);
absl::Status DotGeneral(const Lowering&, const Operation&);
absl::Status DynamicBroadcastInDim(const Lowering&, const Operation&);
absl::Status DynamicGather(const Lowering&, const Operation&);
absl::Status DynamicIota(const Lowering&, const Operation&);
absl::Status DynamicPad(const Lowering&, const Operation&);
absl::Status DynamicReshape(const Lowering&, const Operation&);
absl::Status Infeed(const Lowering&, const Operation&);
absl::Status Map(const Lowering&, const Operation&);
absl::Status ReduceWindow(const Lowering&, const Operation&);
absl::Status ResultAccuracy(const Lowering&, const Operation&);
absl::Status Rng(const Lowering&, const Operation&);
absl::Status SelectAndScatter(const Lowering&, const Operation&);
absl::Status Sort(const Lowering&, const Operation&);
absl::Status Transfer(const Lowering&, const Operation&);
absl::Status UniformDequantize(const Lowering&, const Operation&);
absl::Status UniformQuantize(const Lowering&, const Operation&);
absl::Status While(const Lowering&, const Operation&);
}  // namespace constraints

}  // namespace sinter::stablehlo
