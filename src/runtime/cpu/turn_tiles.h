// Turns of loops that run several at a time, part by part of their arrays, so that what a turn
// writes is still in a core's cache when the next one reads it, and threads meet twice for many
// turns. A turn of a stencil needs of the turn before its own elements and their neighbours: so of
// a part of the arrays, T turns may run before the other parts do, each turn on fewer elements than
// the one before (an upright trapezoid of elements and turns), and then what is left between the
// parts (inverted ones). T. Grosser et al., "Split tiling for GPUs: automatic parallelization using
// trapezoidal tiles", 2013.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "runtime/cpu/stage_plan.h"
#include "runtime/flat_program.h"

namespace sinter::runtime::cpu {

// Of the loops of `flat`, which is the same program, those whose turns run so. Stages are those of
// `plan`, which knows functions and threads already; `l2_bytes` is the second-level cache of a
// core.
std::vector<TurnTiles> TileTurns(const program::Program& program, const FlatProgram& flat,
                                 const StagePlan& plan, int parallelism, int64_t l2_bytes);

}  // namespace sinter::runtime::cpu
