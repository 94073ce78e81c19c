// What the turns of loops do, task by task, and which tasks have to wait for which: of loops that
// the compiler has said it of (program::Stage::ranges).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "program/program.h"
#include "runtime/flat_program.h"

namespace sinter::runtime::cpu {

// Bytes that tasks of a stage use: of an object that shares memory with no other.
struct Access {
  int object = 0;
  int64_t offset = 0;
  bool is_written = false;
  const std::vector<int64_t>* bounds = nullptr;
  bool ascends = true;  // from task to task, both bounds

  int64_t lo(int64_t task) const { return offset + (*bounds)[static_cast<size_t>(2 * task)]; }
  int64_t hi(int64_t task) const { return offset + (*bounds)[static_cast<size_t>(2 * task + 1)]; }
};

// A stage of a turn, of those that are laid out (one, or two whose storage exchanges its roles).
struct TurnStage {
  int32_t instruction = 0;
  int32_t stage = 0;
  int64_t tasks = 0;
  double task_nanoseconds = 0;
  std::vector<Access> accesses;
  std::vector<float> places;  // by task: where in its arrays it writes, from 0 to 1
};

// Tasks [lo, hi) of the stage so many stages before.
struct Dependence {
  int32_t back = 0;
  int32_t lo = 0, hi = 0;
};

// The turns of a loop as they are laid out.
struct Turns {
  int32_t begin = 0, entry = 0, exit = 0;  // as of TurnTiles
  int64_t count = 0;                       // that the loop has
  int64_t period = 0;                      // turns that are laid out
  double bytes = 0;                        // that these read and write
  std::vector<TurnStage> stages;
  // By stage and task, what has to have run: the first dependence, and behind the last one's end.
  std::vector<std::vector<size_t>> first;
  std::vector<Dependence> dependences;

  size_t in_turn() const { return stages.size() / static_cast<size_t>(period); }
  absl::Span<const Dependence> DependencesOf(size_t stage, size_t task) const {
    const std::vector<size_t>& of = first[stage];
    return absl::MakeConstSpan(dependences).subspan(of[task], of[task + 1] - of[task]);
  }
};

// The loops of `flat`, which is the same program, wherever they are laid out: several times in a
// loop that is itself laid out twice.
std::vector<Turns> ReadTurns(const program::Program& program, const FlatProgram& flat);

// Adds to `turns` what each task has to wait for in the turns that are laid out. Those before them
// need not be looked at: a task that uses bytes which a stage used earlier waits for the same stage
// a period later, or one that writes them does for itself a period before. False where that needs
// more than `most` comparisons.
bool FindDependences(Turns& turns, int64_t most);

}  // namespace sinter::runtime::cpu
