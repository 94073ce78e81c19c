#include "builder/copy_computation.h"

#include "absl/container/flat_hash_map.h"

namespace sinter {

Computation* CopyInto(const Module& from, Module& to) {
  absl::flat_hash_map<const Computation*, Computation*> computations;
  for (const Computation* source : from.PostOrder()) {
    Computation* copy = to.AddComputation(source->name());
    absl::flat_hash_map<const Instruction*, Instruction*> copies;
    for (const Instruction* i : source->PostOrder()) {
      std::vector<Instruction*> operands;
      operands.reserve(i->operands().size());
      for (const Instruction* operand : i->operands()) operands.push_back(copies.at(operand));
      std::vector<Computation*> called;
      for (const Computation* c : i->called()) called.push_back(computations.at(c));
      Instruction* new_copy =
          copy->AddWithShape(i->op(), i->shape(), operands, i->attributes(), called, i->name());
      new_copy->set_metadata(i->metadata());
      copies[i] = new_copy;
    }
    copy->set_root(copies.at(source->root()));
    computations[source] = copy;
  }
  return computations.at(from.entry());
}

}  // namespace sinter
