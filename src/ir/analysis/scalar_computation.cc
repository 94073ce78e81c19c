#include "ir/analysis/scalar_computation.h"

#include <algorithm>

#include "ir/analysis/choice.h"
#include "ir/analysis/masked_loop.h"
#include "ir/ops/monoid.h"
#include "target/tuning.h"

namespace sinter {
namespace {

bool IsScalarOrTuple(const Shape& s) {
  if (!s.is_tuple()) return s.is_scalar();
  return std::all_of(s.tuple_shapes().begin(), s.tuple_shapes().end(),
                     [](const Shape& e) { return e.is_scalar(); });
}

}  // namespace

bool IsElementwiseBitcast(const HloInstruction& i) {
  if (i.op() != HloOpcode::BitcastConvert) return false;
  const ElementType from = i.operand(0)->shape().element_type(), to = i.shape().element_type();
  for (ElementType t : {from, to}) {
    if (!IsInteger(t) && !IsFloat(t)) return false;
  }
  return BitWidth(from) == BitWidth(to);
}

bool IsScalarComputation(const HloComputation& computation) {
  for (const HloInstruction* i : computation.PostOrder()) {
    if (!IsScalarOrTuple(i->shape())) return false;
    switch (i->op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
        break;
      case HloOpcode::GetTupleElement:
        if (i->operand(0)->op() != HloOpcode::Parameter) return false;
        break;
      case HloOpcode::Tuple:
        if (i != computation.root()) return false;
        break;
      case HloOpcode::Broadcast:
      case HloOpcode::Reshape:
      case HloOpcode::OptimizationBarrier:
        break;
      default:
        if (!IsElementwise(i->op()) && !IsElementwiseBitcast(*i)) return false;
    }
  }
  return true;
}

namespace {

const HloInstruction* WithoutConversions(const HloInstruction* i) {
  while (i->op() == HloOpcode::Convert || i->op() == HloOpcode::Copy) i = i->operand(0);
  return i;
}
const HloInstruction* AsItIs(const HloInstruction* i) { return i; }

// The elementwise operation of accumulator k and element k that result k is, each as `seen`; or
// null.
const HloInstruction* Combiner(const HloComputation& computation, size_t n, size_t k,
                               const HloInstruction* (*seen)(const HloInstruction*)) {
  const HloInstruction* op = computation.root();
  if (op->shape().is_tuple()) {
    if (op->op() != HloOpcode::Tuple) return nullptr;
    op = op->operand(k);
  }
  op = seen(op);
  if (op->operands().size() != 2 || !IsElementwise(op->op())) return nullptr;
  const HloInstruction *accumulator = computation.parameter(k),
                       *element = computation.parameter(n + k);
  const HloInstruction *a = seen(op->operand(0)), *c = seen(op->operand(1));
  return (a == accumulator && c == element) || (a == element && c == accumulator) ? op : nullptr;
}

}  // namespace

const HloInstruction* CombinerOf(const HloComputation& computation, size_t n, size_t k) {
  return Combiner(computation, n, k, AsItIs);
}

bool CombinesInAnyOrder(const HloComputation& computation, size_t n) {
  bool all = true;
  for (size_t k = 0; k < n; ++k) {
    const HloInstruction* op = Combiner(computation, n, k, WithoutConversions);
    all = all && op != nullptr && IsMonoid(op->op());
  }
  if (all) return true;
  const Choice choice = ChoiceOf(computation, n);
  return choice == Choice::kAnyOrder || choice == Choice::kNumbers;
}

bool IsScalarLoop(const HloInstruction& i) {
  return i.op() == HloOpcode::While && i.operand(0)->op() == HloOpcode::Tuple &&
         IsScalarComputation(*i.called(0)) && IsScalarComputation(*i.called(1));
}

namespace {

// Whether every value is a scalar or an array of these dimensions that depends on scalars and on
// the same element of others, but for one reduction.
bool IsElementwiseBody(const HloComputation& computation, const std::vector<int64_t>& dims,
                       const HloInstruction* but_for) {
  for (const HloInstruction* i : computation.PostOrder()) {
    if (i == but_for) continue;
    if (i->shape().is_array() && i->shape().rank() > 0 && i->shape().dimensions() != dims)
      return false;
    switch (i->op()) {
      case HloOpcode::Parameter:
        break;
      case HloOpcode::Constant:
        if (!i->shape().is_scalar()) return false;
        break;
      case HloOpcode::GetTupleElement:
        if (i->operand(0)->op() != HloOpcode::Parameter) return false;
        break;
      case HloOpcode::Tuple:
        if (i != computation.root()) return false;
        break;
      case HloOpcode::Broadcast:
      case HloOpcode::Reshape:
        if (!i->operand(0)->shape().is_scalar()) return false;
        break;
      case HloOpcode::OptimizationBarrier:
        if (!i->shape().is_array()) return false;
        break;
      default:
        if (!IsElementwise(i->op()) && !IsElementwiseBitcast(*i)) return false;
    }
  }
  return true;
}

}  // namespace

int CarriedRegisters(const HloInstruction& loop, int vectors) {
  int registers = 0;
  for (const Shape& s : loop.shape().tuple_shapes()) {
    const int parts = IsComplex(s.element_type()) ? 2 : 1;
    const int wide = ByteWidth(RealPart(s.element_type())) > 4 ? 2 : 1;
    registers += parts * (s.rank() == 0 ? 1 : vectors * wide);
  }
  return registers;
}

bool IsElementwiseLoop(const HloInstruction& i) {
  if (i.op() != HloOpcode::While || i.operand(0)->op() != HloOpcode::Tuple || i.users().empty() ||
      i.parent()->root() == &i)
    return false;
  const std::vector<int64_t>* dims = nullptr;
  for (const Shape& s : i.shape().tuple_shapes()) {
    if (!s.is_array()) return false;
    if (s.rank() == 0) continue;
    if (dims != nullptr && s.dimensions() != *dims) return false;
    if (s.element_count() == 0) return false;
    dims = &s.dimensions();
  }
  for (const HloInstruction* user : i.users()) {
    if (user->op() != HloOpcode::GetTupleElement || user->shape().rank() == 0) return false;
  }
  if (dims == nullptr) return false;
  const HloInstruction* any = nullptr;
  for (const HloInstruction* c : i.called(0)->PostOrder()) {
    if (c->op() == HloOpcode::Parameter || (c->shape().is_array() && c->shape().rank() == 0))
      continue;
    any = AnyGoesOn(i);
    if (any == nullptr) return false;
    break;
  }
  // What is carried must fit a thread's registers, several vectors of each array at a time. Those
  // that each turn asks for go on for fewer elements the fewer there are at a time.
  const int vectors = any == nullptr ? 4 : 1;
  return CarriedRegisters(i, vectors) <= tuning::kMostCarriedRegisters &&
         IsElementwiseBody(*i.called(0), *dims, any) &&
         IsElementwiseBody(*i.called(1), *dims, nullptr);
}

}  // namespace sinter
