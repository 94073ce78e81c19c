#include "pipelines/cpu.h"

#include "passes/control/inline_calls.h"
#include "passes/fusion/fusion.h"

namespace sinter {

Pipeline CpuPipeline() {
  Pipeline p;
  // First, so that everything after it sees one computation.
  p.Add(MakeInlineCallsPass());
  p.Add(MakeExpandMapsPass());
  // Last: what it forms, no other pass looks into.
  p.Add(MakeFusionPass());
  return p;
}

}  // namespace sinter
