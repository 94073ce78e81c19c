// The first step of Backend::Lower, the same for every target.
#pragma once

#include "base/status.h"
#include "codegen/plan/merge_dimensions.h"
#include "codegen/plan/short_rows.h"
#include "compiler/backend.h"

namespace sinter::compiler {

// The region's kernel as it is planned for the target.
inline absl::StatusOr<Backend::Lowered> LowerFor(const TargetInfo& target,
                                                 const HloComputation& region,
                                                 const emit::EmitOptions& options) {
  Backend::Lowered out;
  auto planned = [&]() -> const HloComputation& {
    return out.merged != nullptr ? *out.merged->entry() : region;
  };
  out.merged = plan::MergeDimensions(region);
  if (target.cpu() != nullptr)
    if (auto rows = plan::MergeShortRows(planned(), *target.cpu())) out.merged = std::move(rows);
  ASSIGN_OR_RETURN(out.plan, plan::MakePlan(planned(), target));
  ASSIGN_OR_RETURN(out.kernel,
                   emit::EmitKernel(planned(), out.plan, "k", options, &out.nanoseconds));
  return out;
}

}  // namespace sinter::compiler
