#include "passes/buffers/assign.h"
#include "types/leaves.h"

namespace sinter {
namespace {

// An s32 scalar for each dynamic dimension, behind the arrays, which are then of their bounds.
void AddSizes(std::vector<Shape>& leaves, std::vector<program::DynamicSize>& sizes) {
  sizes.clear();
  const size_t arrays = leaves.size();
  for (size_t k = 0; k < arrays; ++k) {
    for (int64_t d = 0; d < leaves[k].rank(); ++d) {
      if (!leaves[k].is_dynamic(d)) continue;
      leaves[k].set_dynamic(d, false);
      sizes.push_back({static_cast<int>(k), d, static_cast<int>(leaves.size())});
      leaves.emplace_back(ElementType::S32);
    }
  }
}

}  // namespace

void StateSignature(const ComputationShape& stated, program::Program& program) {
  program.parameters = stated.parameters;
  program.result = stated.result;
  program.argument_shapes.clear();
  for (const Shape& s : program.parameters) AppendLeaves(s, program.argument_shapes);
  program.result_shapes = LeafShapes(program.result);
  AddSizes(program.argument_shapes, program.argument_sizes);
  AddSizes(program.result_shapes, program.result_sizes);
}

}  // namespace sinter
