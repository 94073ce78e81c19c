#include "pipelines/cpu.h"

#include "passes/fusion/fusion.h"

namespace sinter {

Pipeline CpuPipeline() {
  Pipeline p;
  p.Add(MakeFusionPass());
  return p;
}

}  // namespace sinter
