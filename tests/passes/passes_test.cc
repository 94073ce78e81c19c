// Runs every tests/passes/<pass>/*.hlo: the module before the line "// ---", the expected result
// after it as comments.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
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
#include "passes/partition/partition.h"
#include "passes/simplify/simplify.h"
#include "pipelines/pipeline.h"

namespace sinter {
namespace {

using Maker = std::unique_ptr<Pass> (*)();
const std::map<std::string, Maker>& Makers() {
  static const std::map<std::string, Maker> makers = {
      {"inline-calls", MakeInlineCallsPass},
      {"conditionals", MakeConditionalsPass},
      {"expand-collectives", [] { return MakeExpandCollectivesPass(GpuMachine{}); }},
      {"expand-maps", MakeExpandMapsPass},
      {"expand-batch-norm", MakeExpandBatchNormPass},
      {"expand-dynamic-dimensions", MakeExpandDynamicDimensionsPass},
      {"fft-operands", [] { return MakeFftOperandsPass(CpuMachine{}); }},
      {"expand-fft", [] { return MakeExpandFftPass(GpuMachine{}); }},
      {"expand-layouts", MakeExpandLayoutsPass},
      {"expand-custom-call-layouts", MakeExpandCustomCallLayoutsPass},
      {"expand-ragged-dot", MakeExpandRaggedDotPass},
      {"expand-ordered-reductions", MakeExpandOrderedReductionsPass},
      {"expand-scan", MakeExpandScanPass},
      {"sort-network", [] { return MakeSortNetworkPass(GpuMachine{}); }},
      {"scatter-by-sort", [] { return MakeScatterBySortPass(GpuMachine{}); }},
      {"expand-decompositions", [] { return MakeExpandDecompositionsPass(GpuMachine{}); }},
      {"expand-linear-algebra", [] { return MakeExpandLinearAlgebraPass(GpuMachine{}); }},
      {"expand-small-matrices", [] { return MakeExpandSmallMatricesPass(GpuMachine{}); }},
      {"expand-participants", MakeExpandParticipantsPass},
      {"expand-random", MakeExpandRandomPass},
      {"widen-small-types", MakeWidenSmallTypesPass},
      {"store-small-types", MakeStoreSmallTypesPass},
      {"expand-windows", MakeExpandWindowsPass},
      {"expand-results", MakeExpandResultsPass},
      {"expand-scatter", MakeExpandScatterPass},
      {"expand-sort", [] { return MakeExpandSortPass(CpuMachine{}); }},
      {"expand-topk", [] { return MakeExpandTopKPass(CpuMachine{}); }},
      {"expand-transfers", MakeExpandTransfersPass},
      {"algebraic", MakeAlgebraicPass},
      {"barriers", MakeBarriersPass},
      {"constant-folding", MakeConstantFoldingPass},
      {"common-subexpressions", MakeCommonSubexpressionsPass},
      {"dead-code", MakeDeadCodePass},
      {"dimension-order", MakeDimensionOrderPass},
      {"indexing", MakeIndexingPass},
      {"interleave", MakeInterleavePass},
      {"reroll", MakeRerollPass},
      {"selected-updates", MakeSelectedUpdatesPass},
      {"added-updates", MakeAddedUpdatesPass},
      {"slices", MakeSlicesPass},
      {"integer-ranges", MakeIntegerRangesPass},
      {"loop-invariants", MakeLoopInvariantsPass},
      {"unroll-loops", MakeUnrollLoopsPass},
      {"expand-complex-products", [] { return MakeExpandComplexProductsPass(CpuMachine{}); }},
      {"unpacked-products", [] { return MakeUnpackedProductsPass(CpuMachine{}); }},
      {"turned-broadcasts", MakeTurnedBroadcastsPass},
      {"wide-windows", [] { return MakeWideWindowsPass(CpuMachine{}); }},
      {"matrix-products", [] { return MakeMatrixProductsPass(CpuMachine{}); }},
      {"product-transposes", MakeProductTransposesPass},
      {"scalar-replacement", MakeScalarReplacementPass},
      {"pairwise-reductions", MakePairwiseReductionsPass},
      {"short-reductions", MakeShortReductionsPass},
      {"slice-motion", [] { return MakeSliceMotionPass(CpuMachine{}); }},
      {"split-states", MakeSplitStatesPass},
      {"partition", [] { return MakePartitionPass(); }},
      {"fusion", [] { return MakeFusionPass(); }},
  };
  return makers;
}

constexpr std::string_view kMark = "// ---\n";

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Commented(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += line.empty() ? "//\n" : "// " + line + "\n";
  return out;
}

TEST_CASE("Each module becomes what stands beside it") {
  size_t files = 0;
  for (const auto& [name, make] : Makers()) {
    size_t of_pass = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(SINTER_PASSES_FOLDER) / name)) {
      if (entry.path().extension() != ".hlo") continue;
      ++files;
      ++of_pass;
      INFO(entry.path());
      const std::string text = Read(entry.path());
      const size_t cut = text.find(kMark);
      const std::string program = text.substr(0, cut);
      auto module = ParseHloText(program, entry.path().filename().string());
      REQUIRE(module.ok());
      std::unique_ptr<Pass> pass = make();
      CHECK(pass->name() == name);
      const std::string before = Print(**module);
      absl::StatusOr<bool> changed = pass->Run(**module);
      REQUIRE(changed.ok());
      CHECK((*changed || Print(**module) == before));
      absl::Status verified = VerifyModule(**module);
      CHECK(MessageOf(verified) == "");
      const std::string result = Commented(Print(**module));
      if (name !=
          "fusion") {  // a region is not looked into again, but regions of one are formed anew
        absl::StatusOr<bool> again = pass->Run(**module);
        REQUIRE(again.ok());
        CHECK_FALSE(*again);
      }
      if (std::getenv("SINTER_BLESS")) {
        std::ofstream(entry.path()) << program << kMark << result;
        continue;
      }
      REQUIRE(cut != std::string::npos);
      CHECK(text.substr(cut + kMark.size()) == result);
    }
    INFO("pass " << name << " has no tests");
    CHECK(of_pass > 0);
  }
  CHECK(files >= Makers().size());
}

TEST_CASE("The pipeline's passes can be left out, and cut short") {
  auto module = ParseHloText(
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] add(x, x)\n  ROOT z = "
      "f32[2] multiply(y, y)\n}\n",
      "m");
  REQUIRE(module.ok());
  const std::string before = Print(**module);
  Pipeline pipeline = MakePipeline();
  PipelineOptions none;
  none.limit = 0;
  REQUIRE(pipeline.Run(**module, none).ok());
  CHECK(Print(**module) == before);
  PipelineOptions no_fusion;
  no_fusion.disabled = {"fusion"};
  std::vector<std::string> dumped;
  no_fusion.dump = [&](std::string_view name, const HloModule&) { dumped.emplace_back(name); };
  REQUIRE(pipeline.Run(**module, no_fusion).ok());
  CHECK(Print(**module) == before);
  CHECK(dumped == std::vector<std::string>{"00-start"});
  PipelineOptions all;
  all.verify = true;
  REQUIRE(pipeline.Run(**module, all).ok());
  CHECK((*module)->entry()->root()->op() == HloOpcode::Fusion);
}

TEST_CASE("A pass that lies about a change is found out") {
  auto module = ParseHloText("HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n", "m");
  REQUIRE(module.ok());
  Pipeline pipeline;
  pipeline.Add(MakePass("liar", [](HloModule& m) -> absl::StatusOr<bool> {
    HloComputation* c = m.entry();
    c->set_root(c->AddWithShape(HloOpcode::Negate, c->root()->shape(), {c->root()}));
    return false;
  }));
  PipelineOptions options;
  options.verify = true;
  absl::Status s = pipeline.Run(**module, options);
  CHECK(s.code() == absl::StatusCode::kInternal);
  CHECK(MessageOf(s).find("liar") != std::string::npos);
}

}  // namespace
}  // namespace sinter
