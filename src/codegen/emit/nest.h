// The loops of a nest: tasks, sequential loops, tiles; in the innermost, every output is evaluated
// and stored.
#pragma once

#include "codegen/emit/region.h"

namespace sinter::emit {

// All of the nest of the region's plan, as stages.
void EmitNest(Region& region);
// Whether that is one stage of one task, and its task inside a stage.
bool NestIsOneTask(Region& region);
void EmitNestTask(Region& region, kernel::Value task);

}  // namespace sinter::emit
