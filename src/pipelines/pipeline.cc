#include "pipelines/pipeline.h"

#include "passes/control/barriers.h"
#include "passes/control/conditionals.h"
#include "passes/control/inline_calls.h"
#include "passes/control/loop_invariants.h"
#include "passes/control/unroll_loops.h"
#include "passes/expand/batch_norm.h"
#include "passes/expand/collectives.h"
#include "passes/expand/complex_products.h"
#include "passes/expand/decompositions.h"
#include "passes/expand/dynamic_dimensions.h"
#include "passes/expand/elements.h"
#include "passes/expand/fft.h"
#include "passes/expand/fft_operands.h"
#include "passes/expand/layouts.h"
#include "passes/expand/linear_algebra.h"
#include "passes/expand/ordered_reduction.h"
#include "passes/expand/participants.h"
#include "passes/expand/powers.h"
#include "passes/expand/ragged_dot.h"
#include "passes/expand/random.h"
#include "passes/expand/results.h"
#include "passes/expand/scan.h"
#include "passes/expand/scatter.h"
#include "passes/expand/scatter_by_sort.h"
#include "passes/expand/small_matrices.h"
#include "passes/expand/small_types.h"
#include "passes/expand/sort.h"
#include "passes/expand/sort_network.h"
#include "passes/expand/transfers.h"
#include "passes/expand/windows.h"
#include "passes/fusion/fusion.h"
#include "passes/layout/dimension_order.h"
#include "passes/layout/matrix_products.h"
#include "passes/layout/pairwise_reductions.h"
#include "passes/layout/product_transposes.h"
#include "passes/layout/scalar_replacement.h"
#include "passes/layout/short_reductions.h"
#include "passes/layout/slice_motion.h"
#include "passes/layout/split_states.h"
#include "passes/layout/turned_broadcasts.h"
#include "passes/layout/unpacked_products.h"
#include "passes/layout/wide_windows.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// What makes programs smaller and plainer, before what writes out arrays of few elements.
std::vector<std::unique_ptr<Pass>> Simplifications() {
  std::vector<std::unique_ptr<Pass>> simplify;
  // Before folding: it turns constants of one value into broadcasts, which cost nothing.
  simplify.push_back(MakeAlgebraicPass());
  simplify.push_back(MakeExpandPowersPass());  // exponents may be known only now
  simplify.push_back(MakeIntegerRangesPass());
  simplify.push_back(MakeConstantFoldingPass());
  simplify.push_back(MakeIndexingPass());
  simplify.push_back(MakeSlicesPass());
  simplify.push_back(MakeInterleavePass());
  simplify.push_back(MakeSelectedUpdatesPass());
  simplify.push_back(MakeAddedUpdatesPass());
  simplify.push_back(MakeCommonSubexpressionsPass());
  // What is known by now decides them, and what they were is simplified with what is around them.
  simplify.push_back(MakeConditionalsPass());
  return simplify;
}

}  // namespace

Pipeline MakePartitionPipeline(PartitionOptions options, PartitionLog* log) {
  Pipeline p;
  // So that shardings spread into what was called.
  p.Add(MakeInlineCallsPass());
  // Parts of arrays are row-major.
  p.Add(MakeExpandLayoutsPass());
  // What has no sharding rule of its own becomes operations that have: elements, loops, products.
  p.Add(MakeExpandMapsPass());
  p.Add(MakeExpandScanPass());
  p.Add(MakeExpandRaggedDotPass());
  p.Add(MakeExpandBatchNormPass());
  // Each partition computes its part of the numbers, which are a formula of their positions.
  p.Add(MakeExpandRandomPass());
  p.Add(MakePartitionPass(std::move(options), log));
  return p;
}

Pipeline MakeSimplifyPipeline() {
  Pipeline p;
  p.Add(MakeInlineCallsPass());
  p.Add(MakeExpandLayoutsPass());
  // Before equal operations are shared, which would take two rng for one.
  p.Add(MakeExpandRandomPass());
  std::vector<std::unique_ptr<Pass>> simplify;
  simplify.push_back(MakeAlgebraicPass());
  simplify.push_back(MakeConstantFoldingPass());
  simplify.push_back(MakeCommonSubexpressionsPass());
  p.AddFixedPoint(std::move(simplify), 4);
  p.Add(MakeDeadCodePass());
  return p;
}

Pipeline MakePipeline(const TargetInfo& target, FusionLog* log) {
  Pipeline p;
  // First, so that everything after it sees one computation.
  p.Add(MakeInlineCallsPass());
  // Before every pass that makes an instruction of the shape of another.
  p.Add(MakeExpandLayoutsPass());
  p.Add(MakeExpandCustomCallLayoutsPass());
  // Programs that need other participants are refused here, before any other work is done.
  p.Add(MakeExpandParticipantsPass());
  // Before every expansion, which what it makes of them needs: maps, transposes, slices.
  p.Add(MakeExpandCollectivesPass(target));
  // Nothing below knows a dimension that is dynamic.
  p.Add(MakeExpandDynamicDimensionsPass());
  // Before what looks at the types of arrays that the host gets: it knows custom calls only.
  p.Add(MakeExpandTransfersPass());
  // Before what is in the loops of scans, and what ragged dots are made of: dots, windows.
  p.Add(MakeExpandScanPass());
  p.Add(MakeExpandRaggedDotPass());
  // Before every expansion: from here on elements are of types that kernels compute with. Random
  // numbers look at what their own rounding gives.
  p.Add(MakeExpandRandomPass());
  p.Add(MakeWidenSmallTypesPass());
  p.Add(MakePackSmallTypesPass());
  p.Add(MakeStoreSmallTypesPass());
  // Reducers have been inlined into, so that what they do to initial values can be evaluated.
  p.Add(MakeExpandBatchNormPass());
  p.Add(MakeExpandWindowsPass());
  p.Add(MakeExpandOrderedReductionsPass());  // windows' too
  p.Add(MakeExpandMapsPass());
  // Before simplification, which finds work in what they make, and would take two rng for one.
  // Top-k and scatters first: they make sorts.
  p.Add(MakeExpandFftPass(target));
  p.Add(MakeExpandSmallMatricesPass(target));  // to the operations of the next two
  p.Add(MakeExpandLinearAlgebraPass(target));
  p.Add(MakeExpandDecompositionsPass(target));
  // Before simplification: real parts of what is made of real parts are these.
  p.Add(MakeExpandComplexProductsPass(target));
  p.Add(MakeExpandTopKPass(target));
  p.Add(MakeExpandScatterPass());
  p.Add(MakeScatterBySortPass(target));
  p.Add(MakeExpandSortPass(target));
  p.Add(MakeSortNetworkPass(target));
  // What it writes out is simplified with the rest.
  p.Add(MakeUnrollLoopsPass());
  // Once, when slices are what they are, and before what is written out on purpose.
  p.AddFixedPoint(Simplifications(), 1);
  p.Add(MakeRerollPass());
  std::vector<std::unique_ptr<Pass>> simplify = Simplifications();
  // Where places are known; what it writes is simplified in turn.
  simplify.push_back(MakeScalarReplacementPass());
  // After it, which leaves less of loops' bodies to split.
  simplify.push_back(MakeSplitStatesPass());
  p.AddFixedPoint(std::move(simplify), 4);
  p.Add(MakeDeadCodePass());
  // When what a turn computes is as plain as it gets: what is left of it is worth a carry.
  p.Add(MakeLoopInvariantsPass());
  // Nothing below simplifies or folds.
  p.Add(MakeBarriersPass());
  // When programs are as small as they get: what it chooses depends on all that is there.
  p.Add(MakeFftOperandsPass(target));
  p.Add(MakeDimensionOrderPass());
  // What is computed from a product no longer moves it: its form is chosen with the order that all
  // of that is read in, and two products with little between them may be one kernel.
  p.Add(MakeProductTransposesPass());
  p.Add(MakeMatrixProductsPass(target));
  p.Add(MakeUnpackedProductsPass(target));
  p.Add(MakeWideWindowsPass(target));
  p.Add(MakeShortReductionsPass());
  // After it, which writes out those of few elements, and after the order of those was chosen.
  p.Add(MakePairwiseReductionsPass());
  // After short reductions, which make slices of what reductions of few elements read.
  p.Add(MakeSliceMotionPass(target));
  p.Add(MakeTurnedBroadcastsPass());
  // After simplification, which makes loops over scalars of others, and would share tuples again.
  p.Add(MakeExpandResultsPass());
  // Last: no other pass looks into fusions.
  p.Add(MakeFusionPass({.target = target}, log));
  return p;
}

}  // namespace sinter
