#include "codegen/emit/emit.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/gemm.h"
#include "codegen/emit/nest.h"
#include "codegen/emit/region.h"
#include "target/tuning.h"

namespace sinter::emit {
namespace {

using kernel::LoopKind;
using kernel::Tail;
using kernel::Value;
using kernel::Values;

// Neighbours of one task each share a stage: every stage is a function, and a barrier. LLVM's time
// grows faster than a function, which bounds their number. Calls `done` with the serial time of the
// pieces that are emitted since it was last called.
template <class Done>
void EmitPieces(Region& region, const std::vector<plan::Plan>& pieces, const Done& done) {
  auto is_one_task = [&](const plan::Plan& piece) {
    region.SetPlan(piece);
    return NestIsOneTask(region);
  };
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const auto most = std::min<std::ptrdiff_t>(pieces.end() - piece, tuning::kMostStagePieces);
    const auto end = std::find_if_not(piece, piece + most, is_one_task);
    if (end - piece < 2) {
      region.SetPlan(*piece);
      EmitNest(region);
      done(piece++->nanoseconds);
      continue;
    }
    const double nanoseconds = std::accumulate(
        piece, end, 0.0, [](double sum, const plan::Plan& of) { return sum + of.nanoseconds; });
    const Value zero = region.Int(0);
    region.Loop(LoopKind::kPar, zero, region.Int(1), 1, Tail::kExact, {},
                [&](Value, const Values&) {
                  for (; piece != end; ++piece) {
                    region.SetPlan(*piece);
                    EmitNestTask(region, zero);
                  }
                  return Values{};
                });
    done(nanoseconds);
  }
}

}  // namespace

absl::StatusOr<kernel::Kernel> EmitKernel(const HloComputation& computation, const plan::Plan& plan,
                                          std::string name, const EmitOptions& options,
                                          std::vector<double>* stage_nanoseconds) {
  for (const HloInstruction* i : computation.PostOrder()) {
    if (i->shape().is_array() && !HasElementType(i->shape().element_type())) {
      return Unimplemented("{} {}: the element type has no code for compiled devices",
                           Name(i->op()), i->shape().ToString());
    }
  }
  Region region(computation, plan, std::move(name), options);
  region.AddArguments();
  std::vector<double> times;  // by stage
  auto note_stages = [&](double nanoseconds) {
    times.resize(
        static_cast<size_t>(absl::c_count_if(region.b().kernel().top.ops, kernel::IsStage)),
        nanoseconds);
  };
  if (plan.nest == plan::Nest::kGemm) {
    EmitGemm(region);
  } else {
    if (plan.nest == plan::Nest::kSplit && plan.split[0].dim < 0) {
      region.EmitProductPartials(plan.split[0].loop, plan.split[0].chunk);
    } else if (plan.nest == plan::Nest::kSplit) {
      region.EmitPartials();
    }
    if (plan.pieces.empty()) {
      EmitNest(region);
    } else {
      note_stages(plan.nanoseconds);
      EmitPieces(region, plan.pieces, note_stages);
    }
  }
  RETURN_IF_ERROR(region.status());
  if (plan.pieces.empty()) times = {plan.nanoseconds};
  if (stage_nanoseconds != nullptr) *stage_nanoseconds = std::move(times);
  return region.b().Take();
}

}  // namespace sinter::emit
