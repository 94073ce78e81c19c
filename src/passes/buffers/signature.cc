#include "passes/buffers/assign.h"
#include "passes/buffers/leaves.h"

namespace sinter {

void StateSignature(const ComputationShape& stated, program::Program& program) {
  program.parameters = stated.parameters;
  program.result = stated.result;
  program.argument_shapes.clear();
  for (const Shape& s : program.parameters) AppendLeaves(s, program.argument_shapes);
  program.result_shapes = Leaves(program.result);
  // Buffers are row-major, whatever layouts the text states.
  for (std::vector<Shape>* shapes : {&program.argument_shapes, &program.result_shapes}) {
    for (Shape& s : *shapes) {
      if (s.is_array()) s.set_minor_to_major({});
    }
  }
}

}  // namespace sinter
