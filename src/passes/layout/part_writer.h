// Writes operations on arrays of small rows as operations on the parts of these.
#pragma once

#include <memory>
#include <vector>

#include "ir/module.h"

namespace sinter::layout {

// All arrays are split as SplitArray::Of says; what is written is added to one computation.
class PartWriter {
 public:
  explicit PartWriter(HloComputation& c);
  ~PartWriter();

  // The parts of a constant, or of an instruction that can be split: those of its operands that are
  // written so or given are used, of others slices.
  void Write(HloInstruction* x);
  // The parts of `x` are these.
  void Give(HloInstruction* x, std::vector<HloInstruction*> parts);
  // The parts as arrays; slices, where `x` was neither written nor given.
  std::vector<HloInstruction*> PartsOf(HloInstruction* x);
  // The array that the parts of what was written or given are.
  HloInstruction* Assembled(HloInstruction* x);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace sinter::layout
