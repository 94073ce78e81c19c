#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "ir/decomposition_call.h"
#include "passes/expand/formula.h"
#include "passes/expand/small_floats.h"
#include "passes/expand/small_types.h"

namespace sinter {
namespace expand {
namespace {

using E = ElementType;

// Whether the operation only moves elements, or passes them to another computation.
bool OnlyMoves(HloOpcode op) {
  switch (op) {
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Tuple:
    case HloOpcode::GetTupleElement:
    case HloOpcode::Call:
    case HloOpcode::Map:
    case HloOpcode::While:
    case HloOpcode::Conditional:
    case HloOpcode::Fusion:
    case HloOpcode::CustomCall:
    case HloOpcode::OptimizationBarrier:
    case HloOpcode::AfterAll:
    case HloOpcode::Convert:
    case HloOpcode::BitcastConvert:
    case HloOpcode::Copy:
    case HloOpcode::Select:
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Pad:
    case HloOpcode::Concatenate:
    case HloOpcode::Reverse:
    case HloOpcode::DynamicSlice:
    case HloOpcode::DynamicUpdateSlice:
    case HloOpcode::Gather:
    case HloOpcode::Scatter:
    case HloOpcode::Sort:
    case HloOpcode::Windows:
    // Those that reduce have wide elements already (MakeExpandParticipantsPass).
    case HloOpcode::AllGather:
    case HloOpcode::AllReduce:
    case HloOpcode::AllToAll:
    case HloOpcode::CollectiveBroadcast:
    case HloOpcode::CollectivePermute:
    case HloOpcode::CollectiveReduce:
    case HloOpcode::RaggedAllToAll:
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::ReduceScatter:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
      return true;
    default:
      return false;
  }
}

bool CallsReducers(HloOpcode op) {
  return op == HloOpcode::Reduce || op == HloOpcode::ReduceWindow ||
         op == HloOpcode::SelectAndScatter;
}

// The type in which elements of a small one are computed with. Products and quotients of F8E8M0FNU,
// which has F32's exponents and no zero, lie below all that F32 has.
E WideOf(E t) {
  if (t == E::F8E8M0FNU) return E::F64;
  return IsFloat(t) ? E::F32 : IsSigned(t) ? E::S8 : E::U8;
}

// Whether the computation may compute in a wide type wherever it has a small float: it has only
// scalar operations whose meaning does not depend on the width.
bool CanCompute(const HloComputation& c) {
  return std::all_of(c.instructions().begin(), c.instructions().end(), [](const auto& i) {
    switch (i->op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
      case HloOpcode::Tuple:
        return true;
      default:
        return IsElementwise(i->op());
    }
  });
}

Shape WithWideFloats(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& s : shape.tuple_shapes()) elements.push_back(WithWideFloats(s));
    return Shape::Tuple(std::move(elements));
  }
  if (!IsSmallFloat(shape.element_type())) return shape;
  return Shape(WideOf(shape.element_type()), shape.dimensions());
}

class Widener {
 public:
  explicit Widener(HloModule& module) : module_(module) {}

  absl::StatusOr<bool> Run() {
    for (HloComputation* c : module_.AllInOrder()) {
      for (HloInstruction* i : c->AllInOrder()) {
        if (CallsReducers(i->op())) changed_ |= WidenReduction(*c, *i);
      }
    }
    for (HloComputation* c : module_.AllInOrder()) {
      for (HloInstruction* i : c->AllInOrder()) {
        // Before the instruction may be gone.
        ASSIGN_OR_RETURN(const std::optional<DecompositionCall> matrices,
                         ReadDecompositionCall(*i));
        const bool computes = !OnlyMoves(i->op()) && !CallsReducers(i->op());
        if (computes || matrices) changed_ |= Widen(*c, *i);
      }
    }
    return changed_;
  }

 private:
  static bool HasSmall(const Shape& shape) {
    if (!shape.is_tuple()) return IsSmall(shape.element_type());
    return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasSmall);
  }
  static bool Involves(const HloInstruction& i) {
    return HasSmall(i.shape()) ||
           std::any_of(i.operands().begin(), i.operands().end(),
                       [](const HloInstruction* o) { return HasSmall(o->shape()); });
  }

  // Puts `wide`, of another element type, where `i` was.
  static void Replace(HloComputation& c, HloInstruction& i, HloInstruction* wide) {
    Formula f(c, i);
    HloInstruction* narrow = wide;
    if (i.shape().is_tuple()) {
      std::vector<HloInstruction*> elements;
      for (size_t k = 0; k < i.shape().tuple_shapes().size(); ++k) {
        HloInstruction* e =
            c.AddWithShape(HloOpcode::GetTupleElement, wide->shape().tuple_shapes()[k], {wide},
                           TupleElementAttrs{static_cast<int64_t>(k)});
        elements.push_back(f.Convert(f.Of(e), i.shape().tuple_shapes()[k].element_type()).i);
      }
      narrow = c.AddWithShape(HloOpcode::Tuple, i.shape(), elements);
    } else {
      narrow = f.Convert(f.Of(wide), i.shape().element_type()).i;
    }
    c.ReplaceAllUses(&i, narrow);
    c.Remove(&i);
  }

  HloComputation* WithWideFloats(HloComputation* c) {
    HloComputation*& wide = with_wide_floats_[c];
    if (wide) return wide;
    HloComputation* copy = module_.AddComputation(c->name());
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
    for (const HloInstruction* i : c->AllInOrder()) {
      const Shape shape = expand::WithWideFloats(i->shape());
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* o : i->operands()) operands.push_back(copies[o]);
      HloInstruction*& made = copies[i];
      if (i->op() == HloOpcode::Parameter) {
        made = copy->AddParameter(i->attrs<ParameterAttrs>().number, shape);
      } else if (i->op() == HloOpcode::Constant && shape != i->shape()) {
        Literal value(shape);
        for (int64_t k = 0; k < shape.element_count(); ++k) {
          const double element = i->literal().GetAsDouble(k);
          const auto at = static_cast<size_t>(k);
          if (shape.element_type() == E::F64) {
            value.data<double>()[at] = element;
          } else {
            value.data<float>()[at] = static_cast<float>(element);
          }
        }
        made = copy->AddConstant(std::move(value));
      } else if (i->op() == HloOpcode::Convert && operands[0]->shape() == shape) {
        made = operands[0];
      } else {
        made = copy->AddWithShape(i->op(), shape, operands, i->attributes());
      }
    }
    copy->set_root(copies[c->root()]);
    return wide = copy;
  }

  // Sums and products of small integers are those of bytes, whose low bits are theirs: what is wide
  // is cut off once, and the reducer stays the one operation whose neutral element is known.
  bool SumInBytes(HloComputation& c, HloInstruction& i) {
    const bool folds = i.op() == HloOpcode::Reduce || i.op() == HloOpcode::ReduceWindow;
    if (!folds || i.operands().size() != 2) return false;
    const E type = i.shape().element_type();
    const HloInstruction* root = i.called(0)->root();
    const bool wraps = root->op() == HloOpcode::Add || root->op() == HloOpcode::Multiply;
    if (!IsInteger(type) || !IsSmall(type) || !wraps || root->operand(0) == root->operand(1) ||
        root->operand(0)->op() != HloOpcode::Parameter ||
        root->operand(1)->op() != HloOpcode::Parameter)
      return false;
    const Shape scalar(WideOf(type));
    HloComputation* reducer = module_.AddComputation(i.called(0)->name());
    HloInstruction* a = reducer->AddParameter(0, scalar);
    HloInstruction* b = reducer->AddParameter(1, scalar);
    reducer->set_root(reducer->AddWithShape(root->op(), scalar, {a, b}));
    Formula f(c, i);
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i.operands()) operands.push_back(f.Convert(f.Of(o), WideOf(type)).i);
    HloInstruction* wide = c.AddWithShape(i.op(), Shape(WideOf(type), i.shape().dimensions()),
                                          operands, i.attributes(), {reducer});
    wide->set_metadata(i.metadata());
    Replace(c, i, wide);
    return true;
  }

  // Small floats are reduced in a wide type; other integers stay what they are, which their reducer
  // converts.
  bool WidenReduction(HloComputation& c, HloInstruction& i) {
    if (SumInBytes(c, i)) return true;
    const bool any = std::any_of(i.operands().begin(), i.operands().end(), [](const auto* o) {
      return IsSmallFloat(o->shape().element_type());
    });
    if (!any) return false;
    for (const HloComputation* called : i.called()) {
      if (!CanCompute(*called)) return false;
    }
    Formula f(c, i);
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i.operands()) {
      const E type = o->shape().element_type();
      operands.push_back(IsSmallFloat(type) ? f.Convert(f.Of(o), WideOf(type)).i : o);
    }
    std::vector<HloComputation*> called;
    for (HloComputation* x : i.called()) called.push_back(WithWideFloats(x));
    HloInstruction* wide =
        c.AddWithShape(i.op(), expand::WithWideFloats(i.shape()), operands, i.attributes(), called);
    wide->set_metadata(i.metadata());
    Replace(c, i, wide);
    return true;
  }

  // Products of bytes of two signednesses stay: there are instructions for them.
  static bool MixesTypes(const HloInstruction& i) {
    if (i.op() != HloOpcode::Dot && i.op() != HloOpcode::Convolution) return false;
    const E left = i.operand(0)->shape().element_type(),
            right = i.operand(1)->shape().element_type();
    auto byte = [](E t) { return t == E::S8 || t == E::U8; };
    return left != right && !(i.op() == HloOpcode::Dot && byte(left) && byte(right));
  }

  bool Widen(HloComputation& c, HloInstruction& i) {
    if (!Involves(i) && !MixesTypes(i)) return false;
    Formula f(c, i);
    switch (i.op()) {
      case HloOpcode::Iota:
        return WidenIota(c, i);
      case HloOpcode::Dot:
      case HloOpcode::Convolution:
        return WidenProduct(c, i);
      case HloOpcode::Rng:  // its expansion rounds, and looks at what comes of it
      case HloOpcode::RngBitGenerator:
        return false;
      default:
        break;
    }
    if (i.shape().is_array() && IsInteger(i.shape().element_type()) && WidenBits(c, i)) return true;
    std::vector<HloInstruction*> operands;
    for (HloInstruction* o : i.operands()) {
      const E t = o->shape().element_type();
      operands.push_back(IsSmall(t) ? f.Convert(f.Of(o), WideOf(t)).i : o);
    }
    HloInstruction* wide =
        c.AddWithShape(i.op(), WideShape(i.shape()), operands, i.attributes(), i.called());
    wide->set_metadata(i.metadata());
    Replace(c, i, wide);
    return true;
  }
  static Shape WideShape(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Shape> elements;
      for (const Shape& s : shape.tuple_shapes()) elements.push_back(WideShape(s));
      return Shape::Tuple(std::move(elements));
    }
    if (!IsSmall(shape.element_type())) return shape;
    return Shape(WideOf(shape.element_type()), shape.dimensions());
  }

  // Operations whose result depends on how many bits there are.
  static bool WidenBits(HloComputation& c, HloInstruction& i) {
    Formula f(c, i);
    const E t = i.shape().element_type();
    const int bits = BitWidth(t);
    const E as_unsigned = bits == 4 ? E::U4 : E::U2, as_signed = bits == 4 ? E::S4 : E::S2;
    auto unsigned_byte = [&](size_t k) {
      return f.Convert(f.Convert(f.Of(i.operand(k)), as_unsigned), E::U8);
    };
    auto signed_byte = [&](size_t k) {
      return f.Convert(f.Convert(f.Of(i.operand(k)), as_signed), E::S8);
    };
    Array wide;
    switch (i.op()) {
      case HloOpcode::Clz: {
        const Array x = unsigned_byte(0);
        wide = f.Elementwise(HloOpcode::Clz, {x}) - f.Like(x, 8 - bits);
        break;
      }
      case HloOpcode::Popcnt:
        wide = f.Elementwise(HloOpcode::Popcnt, {unsigned_byte(0)});
        break;
      case HloOpcode::ShiftLeft:  // distances are unsigned
      case HloOpcode::ShiftRightLogical:
        wide = f.Elementwise(i.op(), {unsigned_byte(0), unsigned_byte(1)});
        break;
      case HloOpcode::ShiftRightArithmetic: {
        const Array distance = f.Convert(unsigned_byte(1), E::S8);
        wide = f.Elementwise(i.op(), {signed_byte(0), distance});
        break;
      }
      case HloOpcode::Mulhi: {
        const Array x = IsSigned(t) ? signed_byte(0) : unsigned_byte(0);
        const Array y = IsSigned(t) ? signed_byte(1) : unsigned_byte(1);
        const HloOpcode shift =
            IsSigned(t) ? HloOpcode::ShiftRightArithmetic : HloOpcode::ShiftRightLogical;
        wide = f.Elementwise(shift, {x * y, f.Like(x, bits)});
        break;
      }
      default:
        return false;
    }
    Replace(c, i, wide.i);
    return true;
  }

  static bool WidenIota(HloComputation& c, HloInstruction& i) {
    // Of floats only F8E8M0FNU has numbers that F32 rounds indices to.
    const E t = i.shape().element_type();
    const E counts = IsInteger(t) ? E::S32 : t == E::F8E8M0FNU ? E::U64 : E::F32;
    Formula f(c, i);
    Array wide = f.Add(HloOpcode::Iota, Shape(counts, i.shape().dimensions()), {}, i.attributes());
    Replace(c, i, wide.i);
    return true;
  }

  static bool WidenProduct(HloComputation& c, HloInstruction& i) {
    Formula f(c, i);
    const E left = i.operand(0)->shape().element_type(),
            right = i.operand(1)->shape().element_type(), result = i.shape().element_type();
    E operand, product = result;
    if (IsComplex(left)) {
      operand = left == E::C128 || right == E::C128 ? E::C128 : E::C64;
    } else if (IsFloat(left) || IsFloat(right)) {
      operand = result == E::F64 || left == E::F64 || right == E::F64 ? E::F64 : E::F32;
      if (IsSmall(result)) product = operand;
    } else {
      const bool bytes =
          BitWidth(left) <= 8 && BitWidth(right) <= 8 && left != E::U8 && right != E::U8;
      // Sums are modulo the result's width, and S32 has all 16-bit integers of either sign.
      const bool wide = BitWidth(result) > 32 || BitWidth(left) > 16 || BitWidth(right) > 16;
      operand = left == right ? WideOf(left) : bytes ? E::S8 : wide ? E::S64 : E::S32;
      if (IsSmall(result)) product = E::S32;
    }
    HloInstruction* wide = c.AddWithShape(
        i.op(), Shape(product, i.shape().dimensions()),
        {f.Convert(f.Of(i.operand(0)), operand).i, f.Convert(f.Of(i.operand(1)), operand).i},
        i.attributes());
    wide->set_metadata(i.metadata());
    Replace(c, i, wide);
    return true;
  }

  HloModule& module_;
  absl::flat_hash_map<HloComputation*, HloComputation*> with_wide_floats_;
  bool changed_ = false;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeWidenSmallTypesPass() {
  return MakePass("widen-small-types", [](HloModule& module) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const bool changed, expand::Widener(module).Run());
    if (!changed) return false;
    module.RemoveUnreachable();
    return true;
  });
}

}  // namespace sinter
