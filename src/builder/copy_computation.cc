#include "builder/copy_computation.h"

#include "absl/container/flat_hash_map.h"

namespace sinter {

HloComputation* CopyInto(const HloModule& from, HloModule& to) {
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations;
  for (const HloComputation* source : from.PostOrder()) {
    HloComputation* copy = to.AddComputation(source->name());
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
    for (const HloInstruction* i : source->PostOrder()) {
      std::vector<HloInstruction*> operands;
      operands.reserve(i->operands().size());
      for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
      std::vector<HloComputation*> called;
      for (const HloComputation* c : i->called()) called.push_back(computations.at(c));
      HloInstruction* new_copy =
          copy->AddWithShape(i->op(), i->shape(), operands, i->attributes(), called, i->name());
      new_copy->set_metadata(i->metadata());
      new_copy->copy_annotations(*i);
      copies[i] = new_copy;
    }
    copy->set_root(copies.at(source->root()));
    computations[source] = copy;
  }
  return computations.at(from.entry());
}

}  // namespace sinter
