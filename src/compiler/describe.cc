#include "compiler/describe.h"

#include "base/status.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/sort_key.h"
#include "passes/buffers/collective.h"
#include "passes/buffers/library_calls.h"

namespace sinter::compiler {
namespace {

// The fusion that computes what an operand holds, maybe looked at in another shape; or null.
const HloInstruction* ProducerOf(const HloInstruction* operand) {
  for (;;) {
    switch (operand->op()) {
      case HloOpcode::Fusion:
        return operand;
      case HloOpcode::GetTupleElement:
      case HloOpcode::Reshape:
      case HloOpcode::Slice:
      case HloOpcode::BitcastConvert:
        operand = operand->operand(0);
        break;
      default:
        return nullptr;
    }
  }
}

}  // namespace

program::Notes::Kernel Describe(const HloInstruction& fusion, const Backend::Lowered& lowered,
                                int64_t tasks) {
  const plan::Plan& plan = lowered.plan;
  program::Notes::Kernel r;
  r.name = fusion.name();
  r.tasks = tasks;
  if (plan.nest == plan::Nest::kGemm) {
    r.nest = Format("{} in tiles of {}x{}",
                    plan.chained ? "product of a matrix product" : "matrix product", plan.gemm.rows,
                    plan.gemm.cols);
  } else {
    r.nest = plan.nest == plan::Nest::kSplit     ? "reduction in two stages"
             : plan.nest == plan::Nest::kScatter ? "scatter"
             : plan.scan                         ? "scan"
                                                 : "loop";
    if (!plan.pieces.empty()) {
      r.nest += Format(" in {} pieces", plan.pieces.size());
      if (const size_t parts = plan.pieces[0].columns.size(); parts > 0)
        r.nest += Format(" of {} parts a row", parts);
    } else if (plan.col_dim >= 0) {
      r.nest += Format(" over tiles of {}x{}", plan.tile_rows, plan.tile_cols);
    }
  }
  for (const HloInstruction* i : fusion.called(0)->PostOrder()) {
    if (i->op() == HloOpcode::Parameter || i->op() == HloOpcode::Tuple) continue;
    r.operations.push_back(Format("{} {}", Name(i->op()), i->shape().ToString()));
  }
  const HloComputation& planned = lowered.merged ? *lowered.merged->entry() : *fusion.called(0);
  for (const HloInstruction* i : planned.PostOrder()) {
    bool cached = plan.cached.contains(i);
    for (const plan::Plan& piece : plan.pieces) cached |= piece.cached.contains(i);
    if (cached) r.cached.push_back(i->name());
  }
  return r;
}

void DescribeEdges(const HloModule& module, const FusionLog& log, program::Notes& notes) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (i->op() != HloOpcode::Fusion) continue;
      for (size_t k = 0; k < i->operands().size(); ++k) {
        const HloInstruction* producer = ProducerOf(i->operand(k));
        auto decision = log.decisions.find({i.get(), k});
        if (producer == nullptr || decision == log.decisions.end()) continue;
        notes.edges.push_back({producer->name(), i->name(), i->operand(k)->shape().ToString(),
                               Describe(decision->second), decision->second.fused,
                               decision->second.apart});
      }
    }
  }
}

void DescribeOutside(const HloModule& module, program::Notes& notes) {
  for (const auto& c : module.computations()) {
    if (c.get() != module.entry()) continue;
    for (const HloInstruction* i : c->PostOrder()) {
      switch (i->op()) {
        case HloOpcode::Fusion:
        case HloOpcode::Parameter:
        case HloOpcode::Tuple:
        case HloOpcode::GetTupleElement:
          break;
        case HloOpcode::Sort:
          notes.outside.push_back(
              Format("sort {}: a kernel of the library, {}", i->name(),
                     LibraryKeysOf(*i).empty() ? "by compiled comparator" : "by the elements"));
          break;
        case HloOpcode::Cholesky:
        case HloOpcode::Fft:
        case HloOpcode::TopK:
        case HloOpcode::TriangularSolve:
          notes.outside.push_back(
              Format("{} {}: a kernel of the library", Name(i->op()), i->name()));
          break;
        case HloOpcode::CustomCall:
          notes.outside.push_back(
              Format("{} {}: {}", Name(i->op()), i->attrs<CustomCallAttrs>().custom_call_target,
                     ReadLibraryCall(*i, 1) ? "a kernel of the library" : "code of the host"));
          break;
        case HloOpcode::While:
        case HloOpcode::Conditional:
          notes.outside.push_back(Format("{} {}: control flow over arrays, run step by step",
                                         Name(i->op()), i->name()));
          break;
        default:
          notes.outside.push_back(
              IsExchange(i->op())
                  ? Format("{} {}: an exchange with other participants, {}", Name(i->op()),
                           i->name(), i->shape().ToString())
                  : Format("{} {}: a view, no code", Name(i->op()), i->shape().ToString()));
      }
    }
  }
}

}  // namespace sinter::compiler
