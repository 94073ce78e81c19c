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
  if (target.cpu() != nullptr) out.merged = plan::MergeShortRows(region, *target.cpu());
  if (out.merged == nullptr) out.merged = plan::MergeDimensions(region);
  const HloComputation& planned = out.merged != nullptr ? *out.merged->entry() : region;
  ASSIGN_OR_RETURN(out.plan, plan::MakePlan(planned, target));
  ASSIGN_OR_RETURN(out.kernel, emit::EmitKernel(planned, out.plan, "k", options, &out.nanoseconds));
  return out;
}

}  // namespace sinter::compiler
