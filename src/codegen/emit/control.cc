// Loops of scalars inside a kernel.
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"

namespace sinter::emit {

using kernel::Value;
using kernel::Values;

// A while whose state is scalars: carried in registers, native control flow.
Parts Region::EvalWhile(const HloInstruction* node, int64_t element) {
  const HloInstruction* state = node->operand(0);
  std::vector<ElementType> types;
  if (node->shape().is_tuple()) {
    for (const Shape& s : node->shape().tuple_shapes()) types.push_back(s.element_type());
  } else {
    types.push_back(node->shape().element_type());
  }
  Values init;
  for (size_t k = 0; k < types.size(); ++k) {
    Parts p = node->shape().is_tuple() ? EvalElement(state, static_cast<int64_t>(k), {}, Frame{})
                                       : Eval(state, {}, Frame{});
    init.push_back(p.re);
    if (p.complex()) init.push_back(p.im);
  }
  auto call = [&](const HloComputation& c, const Values& v) {
    std::vector<Parts> arguments;
    size_t at = 0;
    for (ElementType t : types) {
      Parts p{v[at++]};
      if (IsComplex(t)) p.im = v[at++];
      arguments.push_back(p);
    }
    auto y = EvalScalarComputation(b_, c, arguments, false);
    Values flat;
    if (!y.ok()) {
      Fail(y.status(), types[0]);
      return flat;
    }
    for (const Parts& p : *y) {
      flat.push_back(p.re);
      if (p.complex()) flat.push_back(p.im);
    }
    return flat;
  };
  Values last = b_.While(
      init,
      [&](const Values& v) {
        Values y = call(*node->called(0), v);
        return y.empty() ? b_.ConstInt(ElementType::PRED, 0) : y[0];
      },
      [&](const Values& v) {
        Values y = call(*node->called(1), v);
        return y.empty() ? v : y;
      });
  Parts mine;
  size_t at = 0;
  const int depth = NodeDepth({}, Frame{});
  for (size_t k = 0; k < types.size(); ++k) {
    Parts p{last[at++]};
    if (IsComplex(types[k])) p.im = last[at++];
    levels_[static_cast<size_t>(depth)]
        .values[Key{node, static_cast<int64_t>(k), {}, kernel::kNone, 1, 1}] = p;
    if (static_cast<int64_t>(k) == element) mine = p;
  }
  return mine;
}

}  // namespace sinter::emit
