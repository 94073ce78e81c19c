// The total table from operations to functions.
#include "eval/functions.h"

namespace sinter::eval {
namespace {

// Those without a kernel of their own, of which the ops' rows tell.
constexpr bool HasNoKernel(const OpInfo& info) {
  return !HasUnaryKernel(info) && !HasBinaryKernel(info);
}
constexpr OpRow<Function> kFunctionRows[] = {
    {HloOpcode::Abs, Abs},
    {HloOpcode::AfterAll, AfterAll},
    {HloOpcode::AllGather, Participants},
    {HloOpcode::AllReduce, Participants},
    {HloOpcode::AllToAll, Participants},
    {HloOpcode::BatchNormGrad, BatchNormGrad},
    {HloOpcode::BatchNormInference, BatchNormInference},
    {HloOpcode::BatchNormTraining, BatchNormTraining},
    {HloOpcode::BitcastConvert, BitcastConvert},
    {HloOpcode::Broadcast, Broadcast},
    {HloOpcode::Call, Call},
    {HloOpcode::Cholesky, Cholesky},
    {HloOpcode::Clamp, Clamp},
    {HloOpcode::CollectiveBroadcast, Participants},
    {HloOpcode::CollectivePermute, Participants},
    {HloOpcode::CollectiveReduce, Participants},
    {HloOpcode::Compare, Compare},
    {HloOpcode::Complex, MakeComplex},
    {HloOpcode::Concatenate, Concatenate},
    {HloOpcode::Conditional, Conditional},
    {HloOpcode::Constant, Constant},
    {HloOpcode::Convert, Convert},
    {HloOpcode::Convolution, Convolution},
    {HloOpcode::Copy, Identity},
    {HloOpcode::CustomCall, CustomCall},
    {HloOpcode::Dot, Dot},
    {HloOpcode::DynamicSlice, DynamicSlice},
    {HloOpcode::DynamicUpdateSlice, DynamicUpdateSlice},
    {HloOpcode::DynamicReshape, DynamicReshape},
    {HloOpcode::Fft, Fft},
    {HloOpcode::Fusion, Call},
    {HloOpcode::Gather, Gather},
    {HloOpcode::GetDimensionSize, GetDimensionSize},
    {HloOpcode::GetTupleElement, GetTupleElement},
    {HloOpcode::Imag, Imag},
    {HloOpcode::Infeed, Infeed},
    {HloOpcode::Iota, Iota},
    {HloOpcode::IsFinite, IsFinite},
    {HloOpcode::Map, Map},
    {HloOpcode::OptimizationBarrier, Identity},
    {HloOpcode::Outfeed, Outfeed},
    {HloOpcode::Pad, Pad},
    {HloOpcode::Parameter, Unreachable},  // the evaluator binds parameters itself
    {HloOpcode::PartitionId, Participants},
    {HloOpcode::RaggedAllToAll, Participants},
    {HloOpcode::RaggedDot, RaggedDot},
    {HloOpcode::Real, Real},
    {HloOpcode::Recv, Participants},
    {HloOpcode::RecvDone, Participants},
    {HloOpcode::Reduce, Reduce},
    {HloOpcode::ReducePrecision, ReducePrecision},
    {HloOpcode::ReduceScatter, Participants},
    {HloOpcode::ReduceWindow, ReduceWindow},
    {HloOpcode::ReplicaId, Participants},
    {HloOpcode::Reshape, Reshape},
    {HloOpcode::Reverse, Reverse},
    {HloOpcode::Rng, Rng},
    {HloOpcode::RngGetAndUpdateState, Participants},
    {HloOpcode::RngBitGenerator, RngBitGenerator},
    {HloOpcode::Scan, Scan},
    {HloOpcode::Scatter, Scatter},
    {HloOpcode::Select, Select},
    {HloOpcode::SelectAndScatter, SelectAndScatter},
    {HloOpcode::Send, Participants},
    {HloOpcode::SendDone, Participants},
    {HloOpcode::Slice, Slice},
    {HloOpcode::SetDimensionSize, SetDimensionSize},
    {HloOpcode::Sort, Sort},
    {HloOpcode::TopK, TopK},
    {HloOpcode::Transpose, Transpose},
    {HloOpcode::TriangularSolve, TriangularSolve},
    {HloOpcode::Tuple, Tuple},
    {HloOpcode::While, While},
    {HloOpcode::Windows, Windows},
};
constexpr auto kTable = TotalTable(kFunctionRows, HasNoKernel);

}  // namespace

Function FunctionOf(HloOpcode op) {
  if (HasUnaryKernel(Info(op))) return Unary;
  if (HasBinaryKernel(Info(op))) return Binary;
  return kTable[static_cast<size_t>(op)];
}

}  // namespace sinter::eval
