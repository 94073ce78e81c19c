// Loops inside a kernel: over scalars, and over arrays whose elements iterate independently.
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"

namespace sinter::emit {

using kernel::Value;
using kernel::Values;

// A while whose state is scalars and tiles: carried in registers, native control flow. What it
// depends on is scalar: the same for all elements, or whether any of the tile's goes on.
Parts Region::EvalWhile(const HloInstruction* node, int64_t element, const Coords& at,
                        const Frame& frame) {
  const HloInstruction* state = node->operand(0);
  std::vector<ElementType> types;
  std::vector<kernel::Type> tiles;
  auto carry = [&](const Shape& s) {
    types.push_back(s.element_type());
    tiles.push_back(s.rank() == 0 ? kernel::Type{RealPart(s.element_type())}
                                  : TileOf(at, frame, RealPart(s.element_type())));
  };
  if (node->shape().is_tuple()) {
    for (const Shape& s : node->shape().tuple_shapes()) carry(s);
  } else {
    carry(node->shape());
  }
  // Flattened to real parts, each as a whole tile.
  auto flatten = [&](const std::vector<Parts>& all) {
    Values flat;
    for (size_t k = 0; k < all.size(); ++k) {
      flat.push_back(Widen(all[k].re, tiles[k]));
      if (all[k].complex()) flat.push_back(Widen(all[k].im, tiles[k]));
    }
    return flat;
  };
  std::vector<Parts> begin;
  for (size_t k = 0; k < types.size(); ++k) {
    const bool scalar = !node->shape().is_tuple() || node->shape().tuple_shapes()[k].rank() == 0;
    const Coords own = scalar ? Coords{} : at;
    const Frame in = scalar ? Frame{} : frame;
    begin.push_back(node->shape().is_tuple() ? EvalElement(state, static_cast<int64_t>(k), own, in)
                                             : Eval(state, own, in));
  }
  const Values init = flatten(begin);
  auto any = [&](Value p) {
    // Elements that the arrays do not have might go on forever.
    if (const Value mask = MaskOf(frame, TileOf(at, frame, ElementType::PRED));
        mask != kernel::kNone)
      p = b_.And(Widen(p, b_.type(mask)), mask);
    auto either = [&](const Values& x, const Values& y) { return Values{b_.Or(x[0], y[0])}; };
    if (b_.type(p).cols > 1) p = b_.Reduce({p}, kernel::Axis::kCols, either)[0];
    if (b_.type(p).rows > 1) p = b_.Reduce({p}, kernel::Axis::kRows, either)[0];
    return p;
  };
  auto call = [&](const HloComputation& c, const Values& v) {
    auto y = EvalScalarComputation(b_, c, Unflatten(v, types), false, any);
    if (!y.ok()) {
      Fail(y.status(), types[0]);
      return std::vector<Parts>();
    }
    return *std::move(y);
  };
  Values last = b_.While(
      init,
      [&](const Values& v) {
        const std::vector<Parts> y = call(*node->called(0), v);
        return y.empty() ? b_.ConstInt(ElementType::PRED, 0) : y[0].re;
      },
      [&](const Values& v) {
        const std::vector<Parts> y = call(*node->called(1), v);
        return y.empty() ? v : flatten(y);
      });
  const std::vector<Parts> results = Unflatten(last, types);
  for (size_t k = 0; k < results.size(); ++k)
    Bind(node, at, frame, results[k], static_cast<int64_t>(k));
  return results[static_cast<size_t>(element)];
}

}  // namespace sinter::emit
