#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/expand/formula.h"
#include "passes/expand/small_floats.h"
#include "passes/expand/small_types.h"
#include "types/leaves.h"

namespace sinter {
namespace expand {
namespace {

using E = ElementType;
using TypeTest = bool (*)(E);

bool IsPacked(E t) { return ElementsPerByte(t) > 1; }

bool Has(const Shape& shape, TypeTest test) {
  if (!shape.is_tuple()) return test(shape.element_type());
  return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                     [&](const Shape& s) { return Has(s, test); });
}

Shape PackedShape(const Shape& shape) {
  if (!shape.is_tuple())
    return IsPacked(shape.element_type()) ? Shape(E::U8, {shape.packed_byte_size()}) : shape;
  std::vector<Shape> elements;
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(PackedShape(s));
  return Shape::Tuple(std::move(elements));
}

class Packer {
 public:
  explicit Packer(HloModule& module) : module_(module) {}

  bool Run() {
    HloComputation& entry = *module_.entry();
    for (HloInstruction* parameter : std::vector<HloInstruction*>(entry.parameters())) {
      if (!Has(parameter->shape(), IsPacked)) continue;
      const Shape stated = parameter->shape();
      ReplaceBy(entry, *parameter, PackedShape(stated), stated);
    }
    for (HloComputation* c : module_.AllInOrder()) {
      for (HloInstruction* i : c->AllInOrder()) {
        if (i->op() == HloOpcode::CustomCall) Call(*c, *i);
      }
    }
    if (Has(entry.root()->shape(), IsPacked)) {
      Formula f(entry, *entry.root());
      entry.set_root(Packed(f, entry.root()));
      changed_ = true;
    }
    return changed_;
  }

 private:
  // Gives `i` the shape `packed`, and what uses it, the elements of `stated` that it then holds.
  void ReplaceBy(HloComputation& c, HloInstruction& i, const Shape& packed, const Shape& stated) {
    const std::vector<HloInstruction*> users = i.users();
    i.set_shape(packed);
    Formula f(c, i);
    HloInstruction* elements = Unpacked(f, &i, stated);
    for (HloInstruction* user : users) {
      for (size_t k = 0; k < user->operands().size(); ++k) {
        if (user->operand(k) == &i) user->ReplaceOperand(k, elements);
      }
    }
    if (c.root() == &i) c.set_root(elements);
    changed_ = true;
  }

  void Call(HloComputation& c, HloInstruction& i) {
    if (!i.attrs<CustomCallAttrs>().stated_shapes.empty()) return;  // it is packed already
    std::vector<Shape> stated;
    for (const HloInstruction* o : i.operands()) AppendLeaves(o->shape(), stated);
    AppendLeaves(i.shape(), stated);
    if (std::none_of(stated.begin(), stated.end(),
                     [](const Shape& s) { return IsSmall(s.element_type()); }))
      return;
    i.mutable_attrs<CustomCallAttrs>().stated_shapes = std::move(stated);
    changed_ = true;
    Formula f(c, i);
    for (size_t k = 0; k < i.operands().size(); ++k) {
      if (Has(i.operand(k)->shape(), IsPacked)) i.ReplaceOperand(k, Packed(f, i.operand(k)));
    }
    const Shape result = i.shape();
    if (Has(result, IsPacked)) ReplaceBy(c, i, PackedShape(result), result);
  }

  static HloInstruction* Element(Formula& f, HloInstruction* tuple, int64_t k) {
    if (tuple->op() == HloOpcode::Tuple) return tuple->operand(static_cast<size_t>(k));
    return f
        .Add(HloOpcode::GetTupleElement, tuple->shape().tuple_shapes()[static_cast<size_t>(k)],
             {f.Of(tuple)}, TupleElementAttrs{k})
        .i;
  }
  template <class Of>
  static HloInstruction* Tuple(Formula& f, HloInstruction* tuple, Of of) {
    std::vector<Array> elements;
    std::vector<Shape> shapes;
    for (size_t k = 0; k < tuple->shape().tuple_shapes().size(); ++k) {
      elements.push_back(f.Of(of(Element(f, tuple, static_cast<int64_t>(k)), k)));
      shapes.push_back(elements.back().shape());
    }
    return f.Add(HloOpcode::Tuple, Shape::Tuple(std::move(shapes)), elements).i;
  }

  HloInstruction* Unpacked(Formula& f, HloInstruction* packed, const Shape& stated) {
    if (!Has(stated, IsPacked)) return packed;
    if (stated.is_tuple()) {
      return Tuple(f, packed, [&](HloInstruction* element, size_t k) {
        return Unpacked(f, element, stated.tuple_shapes()[k]);
      });
    }
    const E type = stated.element_type();
    const int64_t each = ElementsPerByte(type), count = stated.element_count();
    // Rows that end at a byte's end are split, which makes simpler loops than one long row. Other
    // arrays must be one row.
    Dims bytes = stated.dimensions(), split;
    const bool even = !bytes.empty() && bytes.back() % each == 0;
    if (even) {
      bytes.back() /= each;
    } else {
      bytes = {packed->shape().dimension(0)};
    }
    split = bytes;
    split.push_back(each);
    Array x =
        f.Add(HloOpcode::BitcastConvert, Shape(type, split), {f.Reshape(f.Of(packed), bytes)});
    if (!even) x = f.Slice(f.Reshape(x, {bytes[0] * each}), 0, 0, count);
    x = f.Reshape(x, stated.dimensions());
    packed_[x.i] = packed;
    return x.i;
  }

  HloInstruction* Packed(Formula& f, HloInstruction* x) {
    if (!Has(x->shape(), IsPacked)) return x;
    while (x->op() == HloOpcode::GetTupleElement && x->operand(0)->op() == HloOpcode::Tuple)
      x = x->operand(0)->operand(static_cast<size_t>(x->attrs<TupleElementAttrs>().index));
    // An array that is only passed on stays as it came.
    if (auto it = packed_.find(x); it != packed_.end()) return it->second;
    if (x->shape().is_tuple()) {
      return Tuple(f, x, [&](HloInstruction* element, size_t) { return Packed(f, element); });
    }
    const int64_t each = ElementsPerByte(x->shape().element_type());
    const int64_t bytes = x->shape().packed_byte_size();
    Dims split = x->shape().dimensions();
    Array y = f.Of(x);
    if (!split.empty() && split.back() % each == 0) {
      split.back() /= each;
    } else {
      y = f.Reshape(y, {x->shape().element_count()});
      if (bytes * each != y.shape().dimension(0)) y = f.PadTo(y, 0, bytes * each);
      split = {bytes};
    }
    Dims ends = split;
    ends.push_back(each);
    y = f.Add(HloOpcode::BitcastConvert, Shape(E::U8, split), {f.Reshape(y, ends)});
    return f.Reshape(y, {bytes}).i;
  }

  HloModule& module_;
  // By the elements, the bytes that they are.
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> packed_;
  bool changed_ = false;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakePackSmallTypesPass() {
  return MakePass("pack-small-types", [](HloModule& module) -> absl::StatusOr<bool> {
    return expand::Packer(module).Run();
  });
}

}  // namespace sinter
