#include "passes/layout/dimension_order.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "pass/graph.h"
#include "passes/layout/choose_rotations.h"
#include "passes/layout/short_dimensions.h"

namespace sinter {
namespace {

using layout::Rotation;

class Rotator : ShapedGraph {
 public:
  explicit Rotator(const layout::Rotations& rotations) : rotations_(rotations) {}

  void Run(HloModule& module) {
    for (const layout::Loop& loop : rotations_.loops) {
      tuples_[loop.init] = loop.loop;
      tuples_[loop.next] = loop.loop;
      for (HloInstruction* state :
           {loop.loop, loop.loop->called(0)->parameter(0), loop.loop->called(1)->parameter(0)})
        states_[state] = loop.loop;
    }
    for (HloComputation* c : module.PostOrder()) In(*c);
  }

 private:
  // An array that is there rotated: by `k`.
  struct Rotated {
    HloInstruction* value = nullptr;
    int k = 0;
    HloInstruction* plain = nullptr;  // made when asked for
  };

  void In(HloComputation& c) {
    c_ = &c;
    rotated_.clear();
    turned_.clear();
    for (HloInstruction* i : c.PostOrder()) {
      Begin(c, *i);
      if (const auto loop = states_.find(i); loop != states_.end()) State(*i, *loop->second);
      if (const auto loop = tuples_.find(i); loop != tuples_.end()) {
        Tuple(*i, *loop->second);
      } else if (!Rotate(*i)) {
        for (size_t k = 0; k < i->operands().size(); ++k)
          i->ReplaceOperand(k, Plain(i->operand(k)));
      }
    }
    c.set_root(Plain(c.root()));
    c.RemoveDead();
  }

  // --- loops

  // The loop, or its parameter in a computation, has a state of other shapes now.
  void State(HloInstruction& i, const HloInstruction& loop) {
    std::vector<Shape> shapes = i.shape().tuple_shapes();
    const std::vector<int>& by = rotations_.states.at(&loop);
    for (size_t k = 0; k < shapes.size(); ++k) shapes[k] = Turn(shapes[k], by[k]);
    i.set_shape(Shape::Tuple(shapes));
    for (HloInstruction* element : i.users()) {
      const auto k = static_cast<size_t>(element->attrs<TupleElementAttrs>().index);
      if (by[k] == 0) continue;
      element->set_shape(shapes[k]);
      rotated_[element] = {element, by[k]};
    }
  }
  // What a loop starts from or goes on with.
  void Tuple(HloInstruction& i, const HloInstruction& loop) {
    const std::vector<int>& by = rotations_.states.at(&loop);
    std::vector<Shape> shapes;
    for (size_t k = 0; k < by.size(); ++k) {
      HloInstruction* o = i.operand(k);
      i.ReplaceOperand(k, by[k] == 0 ? Plain(o) : In(o, by[k]));
      shapes.push_back(i.operand(k)->shape());
    }
    i.set_shape(Shape::Tuple(shapes));
  }

  // --- arrays

  static Shape Turn(const Shape& s, int k) {
    return Shape(s.element_type(), Rotation{s.rank(), k}.Of(s.dimensions()));
  }
  static bool ChangesNothing(const Rotation& r) { return r.k == 0 || r.k == r.rank; }

  int KOf(const HloInstruction* i) const {
    const auto it = rotated_.find(i);
    return it == rotated_.end() ? 0 : it->second.k;
  }

  // The value in the order of the program.
  HloInstruction* Plain(HloInstruction* i) {
    const auto it = rotated_.find(i);
    if (it == rotated_.end()) return i;
    // What costs nothing is there twice.
    const bool free = i != it->second.value && IsFree(*i);
    if (free) return i;
    HloInstruction*& plain = it->second.plain;
    if (plain == nullptr)
      plain = Transpose(it->second.value, Rotation{i->shape().rank(), it->second.k}.Inverse());
    return plain;
  }
  static bool IsFree(const HloInstruction& i) {
    return i.op() == HloOpcode::Iota ||
           (i.op() == HloOpcode::Broadcast && i.operand(0)->shape().rank() == 0);
  }
  // The value rotated by k.
  HloInstruction* In(HloInstruction* i, int k) {
    const auto it = rotated_.find(i);
    if (it != rotated_.end() && it->second.k == k) return it->second.value;
    HloInstruction* plain = Plain(i);
    const Rotation r{plain->shape().rank(), k};
    if (ChangesNothing(r)) return plain;
    HloInstruction*& turned = turned_[{plain, k}];
    if (turned == nullptr) {
      if (IsFree(*plain) && plain->op() == HloOpcode::Broadcast) {
        turned = Add(HloOpcode::Broadcast, Turn(plain->shape(), k), {plain->operand(0)},
                     DimensionsAttrs{});
      } else {
        turned = Transpose(plain, r.Permutation());
      }
    }
    return turned;
  }

  // Computes the instruction on rotated arrays, if some operand is one, or it is to give one; false
  // where it stays as it is.
  bool Rotate(HloInstruction& i) {
    if (rotated_.contains(&i)) return true;  // an element of a state
    if (!i.shape().is_array() || i.called().size() > 1) return false;
    const auto chosen = rotations_.of.find(&i);
    const int wanted = chosen == rotations_.of.end() ? 0 : chosen->second;
    HloInstruction* result = nullptr;
    int k = wanted;  // of the result
    switch (i.op()) {
      case HloOpcode::Broadcast:
        result = Broadcast(i, k);
        break;
      case HloOpcode::Transpose:
        result = Transposed(i, k);
        break;
      case HloOpcode::Reshape:
        result = Reshape(i, k);
        break;
      case HloOpcode::Iota:
        if (k > 0) {
          const Rotation r{i.shape().rank(), k};
          result = Add(HloOpcode::Iota, Turn(i.shape(), k), {},
                       IotaAttrs{r.To(i.attrs<IotaAttrs>().iota_dimension)});
        }
        break;
      case HloOpcode::Reduce:
        result = Reduce(i, k);
        break;
      case HloOpcode::Dot:
        result = Dot(i, k);
        break;
      default:
        result = SameRank(i, k);
    }
    if (result == nullptr) return false;
    if (k == 0 || k == i.shape().rank()) {
      // An element of a state still stands for itself in the order of the program, where its users
      // name it.
      if (rotated_.contains(result)) result = Add(HloOpcode::Reshape, result->shape(), {result});
      c_->ReplaceAllUses(&i, result);
      return true;
    }
    rotated_[&i] = {result, k};
    return true;
  }

  // As the operand lies: `k`.
  HloInstruction* SameRank(HloInstruction& i, int& k) {
    if (i.operands().empty()) return nullptr;
    if (k == 0) {
      if (i.operand(0)->shape().rank() != i.shape().rank()) return nullptr;  // a gather's
      k = KOf(i.operand(0));
    }
    const Rotation r{i.shape().rank(), k};
    if (ChangesNothing(r)) return nullptr;
    const Shape to = Turn(i.shape(), k);
    auto all = [&](size_t from) {
      std::vector<HloInstruction*> operands;
      for (size_t o = from; o < i.operands().size(); ++o) {
        HloInstruction* x = i.operand(o);
        operands.push_back(x->shape().rank() == r.rank ? In(x, k) : x);
      }
      return operands;
    };
    switch (i.op()) {
      case HloOpcode::Slice: {
        const auto& a = i.attrs<SliceAttrs>();
        return Add(i.op(), to, {In(i.operand(0), k)},
                   SliceAttrs{r.Of(a.starts), r.Of(a.limits), r.Of(a.strides)});
      }
      case HloOpcode::Pad: {
        const auto& a = i.attrs<PadAttrs>();
        return Add(i.op(), to, {In(i.operand(0), k), i.operand(1)},
                   PadAttrs{r.Of(a.low), r.Of(a.high), r.Of(a.interior)});
      }
      case HloOpcode::Reverse:
      case HloOpcode::Concatenate: {
        Dims dims;
        for (int64_t d : i.dimensions()) dims.push_back(r.To(d));
        absl::c_sort(dims);
        return Add(i.op(), to, all(0), DimensionsAttrs{dims});
      }
      case HloOpcode::DynamicSlice:
      case HloOpcode::DynamicUpdateSlice: {
        const size_t arrays = i.op() == HloOpcode::DynamicSlice ? 1 : 2;
        std::vector<HloInstruction*> operands(arrays + static_cast<size_t>(r.rank));
        for (size_t o = 0; o < arrays; ++o) operands[o] = In(i.operand(o), k);
        for (int64_t d = 0; d < r.rank; ++d)
          operands[arrays + static_cast<size_t>(r.To(d))] =
              i.operand(arrays + static_cast<size_t>(d));
        if (arrays == 2) return Add(i.op(), to, operands);
        return Add(i.op(), to, operands,
                   DynamicSliceAttrs{r.Of(i.attrs<DynamicSliceAttrs>().dynamic_slice_sizes)});
      }
      default:
        if (!IsElementwise(i.op())) {
          k = 0;
          return nullptr;
        }
        return Add(i.op(), to, all(0), i.attributes(), i.called());
    }
  }

  // From an operand and to a result of any order.
  HloInstruction* Broadcast(HloInstruction& i, int k) {
    HloInstruction* o = i.operand(0);
    const int from = KOf(o);
    if (k == 0 && from == 0) return nullptr;
    const Rotation r{i.shape().rank(), k}, x{o->shape().rank(), from};
    Dims dims(static_cast<size_t>(x.rank));
    for (int64_t d = 0; d < x.rank; ++d)
      dims[static_cast<size_t>(x.To(d))] = r.To(i.dimensions()[static_cast<size_t>(d)]);
    return Add(i.op(), Turn(i.shape(), k), {from == 0 ? o : In(o, from)}, DimensionsAttrs{dims});
  }
  HloInstruction* Transposed(HloInstruction& i, int k) {
    HloInstruction* o = i.operand(0);
    const int from = KOf(o);
    if (k == 0 && from == 0) return nullptr;
    const Rotation r{i.shape().rank(), k}, x{o->shape().rank(), from};
    Dims dims(static_cast<size_t>(r.rank));
    for (int64_t d = 0; d < r.rank; ++d)
      dims[static_cast<size_t>(r.To(d))] = x.To(i.dimensions()[static_cast<size_t>(d)]);
    return Transpose(from == 0 ? o : In(o, from), dims);
  }
  HloInstruction* Reshape(HloInstruction& i, int& k) {
    HloInstruction* o = i.operand(0);
    const int from = KOf(o);
    if (k == 0 && from == 0) return nullptr;
    const Shape before = OriginalShape(o);
    if (layout::ReshapesApart(before, from, i.shape(), k)) {
      return Add(i.op(), Turn(i.shape(), k), {from == 0 ? o : In(o, from)});
    }
    k = 0;
    return nullptr;
  }
  // Elements of states have changed their shape in place.
  Shape OriginalShape(const HloInstruction* i) const {
    const auto it = rotated_.find(i);
    if (it == rotated_.end() || it->second.value != i) return i->shape();
    return Shape(i->shape().element_type(),
                 Rotation{i->shape().rank(), static_cast<int>(i->shape().rank()) - it->second.k}.Of(
                     i->shape().dimensions()));
  }

  // The dimensions that are left keep their order.
  HloInstruction* Reduce(HloInstruction& i, int& k) {
    k = 0;
    HloInstruction* o = i.operand(0);
    const int from = KOf(o);
    if (from == 0 || i.operands().size() != 2) return nullptr;
    const Rotation x{o->shape().rank(), from};
    Dims dims;
    int reduced = 0;
    for (int64_t d : i.dimensions()) {
      dims.push_back(x.To(d));
      reduced += d >= x.rank - from ? 1 : 0;
    }
    absl::c_sort(dims);
    k = from - reduced;
    return Add(i.op(), Turn(i.shape(), k), {In(o, from), i.operand(1)}, DimensionsAttrs{dims},
               i.called());
  }

  // The rotated result is the product of the factors the other way round.
  HloInstruction* Dot(HloInstruction& i, int k) {
    std::array<HloInstruction*, 2> factors{i.operand(0), i.operand(1)};
    auto a = i.attrs<DotAttrs>();
    bool is_rotated = k > 0;
    for (const size_t side : {0, 1}) {
      const int from = KOf(factors[side]);
      if (from == 0) continue;
      const Rotation r{factors[side]->shape().rank(), from};
      if (!layout::TakesRotatedFactor(i, side, OriginalShape(factors[side]))) {
        factors[side] = Plain(factors[side]);
        continue;
      }
      is_rotated = true;
      Dims& contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
      contracting[0] = r.To(contracting[0]);
      factors[side] = In(factors[side], from);
    }
    if (!is_rotated) return nullptr;
    if (k > 0) {
      std::swap(factors[0], factors[1]);
      std::swap(a.lhs_contracting_dims, a.rhs_contracting_dims);
      std::swap(a.lhs_precision, a.rhs_precision);
    }
    return Add(i.op(), Turn(i.shape(), k), {factors[0], factors[1]}, a);
  }

  const layout::Rotations& rotations_;
  HloComputation* c_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> states_, tuples_;
  absl::flat_hash_map<const HloInstruction*, Rotated> rotated_;
  absl::flat_hash_map<std::pair<HloInstruction*, int>, HloInstruction*> turned_;
};

}  // namespace

std::unique_ptr<Pass> MakeDimensionOrderPass() {
  return MakePass("dimension-order", [](HloModule& module) -> absl::StatusOr<bool> {
    const layout::Rotations rotations = layout::ChooseRotations(module);
    if (rotations.of.empty() && rotations.states.empty()) return false;
    Rotator(rotations).Run(module);
    return true;
  });
}

}  // namespace sinter
