#include "ir/custom_call_aliases.h"

#include "absl/algorithm/container.h"
#include "types/leaves.h"

namespace sinter {
namespace {

// How many leaves of the shape come before those of the part at `index`.
size_t LeavesBefore(const Shape& shape, const Dims& index) {
  size_t count = 0;
  const Shape* part = &shape;
  for (int64_t i : index) {
    const std::vector<Shape>& elements = part->tuple_shapes();
    for (int64_t k = 0; k < i; ++k) count += Leaves(elements[static_cast<size_t>(k)]).size();
    part = &elements[static_cast<size_t>(i)];
  }
  return count;
}

}  // namespace

std::vector<LeafAlias> LeafAliases(const HloInstruction& call) {
  std::vector<LeafAlias> out;
  for (const OutputOperandAlias& a : call.attrs<CustomCallAttrs>().output_to_operand_aliasing) {
    const auto number = static_cast<size_t>(a.operand);
    LeafAlias leaf;
    for (size_t i = 0; i < number; ++i) leaf.operand += Leaves(call.operand(i)->shape()).size();
    leaf.operand += LeavesBefore(call.operand(number)->shape(), a.operand_index);
    leaf.result = LeavesBefore(call.shape(), a.output_index);
    const size_t count = Leaves(*Subshape(call.shape(), a.output_index)).size();
    for (size_t k = 0; k < count; ++k, ++leaf.operand, ++leaf.result) {
      if (absl::c_none_of(out, [&](const LeafAlias& o) { return o.result == leaf.result; }))
        out.push_back(leaf);
    }
  }
  return out;
}

}  // namespace sinter
