#include "pass/carries.h"

#include "absl/algorithm/container.h"

namespace sinter {
namespace {

void SetShapes(HloInstruction& loop, const Shape& shape) {
  loop.set_shape(shape);
  for (HloComputation* c : loop.called()) c->parameter(0)->set_shape(shape);
}

HloInstruction* AddTuple(HloComputation& c, const std::vector<HloInstruction*>& elements,
                         const Metadata& metadata) {
  std::vector<Shape> shapes;
  for (const HloInstruction* e : elements) shapes.push_back(e->shape());
  HloInstruction* tuple =
      c.AddWithShape(HloOpcode::Tuple, Shape::Tuple(std::move(shapes)), elements);
  tuple->set_metadata(metadata);
  return tuple;
}

}  // namespace

Callers CountCallers(const HloModule& module) {
  Callers callers;
  for (const auto& c : module.computations())
    for (const auto& i : c->instructions())
      for (const HloComputation* called : i->called()) ++callers[called];
  return callers;
}

bool IsElementOf(const HloInstruction* i, const HloInstruction* tuple) {
  return i->op() == HloOpcode::GetTupleElement && i->operand(0) == tuple;
}

size_t IndexOf(const HloInstruction* element) {
  return static_cast<size_t>(element->attrs<TupleElementAttrs>().index);
}

HloInstruction* AddElement(HloInstruction* tuple, size_t k) {
  return tuple->parent()->AddWithShape(HloOpcode::GetTupleElement, tuple->shape().tuple_shapes()[k],
                                       {{tuple}}, TupleElementAttrs{static_cast<int64_t>(k)});
}

bool IsTakenApart(const HloInstruction* tuple) {
  return tuple != tuple->parent()->root() &&
         absl::c_all_of(tuple->users(),
                        [&](const HloInstruction* u) { return IsElementOf(u, tuple); });
}

std::vector<bool> UsedElements(const HloInstruction& tuple) {
  std::vector<bool> used(tuple.shape().tuple_shapes().size(), false);
  for (const HloInstruction* u : tuple.users())
    if (!u->users().empty() || u->parent()->root() == u) used[IndexOf(u)] = true;
  return used;
}

void Narrow(HloInstruction& tuple, const std::vector<bool>& kept) {
  std::vector<Shape> shapes;
  std::vector<int64_t> place;
  for (size_t k = 0; k < kept.size(); ++k) {
    place.push_back(static_cast<int64_t>(shapes.size()));
    if (kept[k]) shapes.push_back(tuple.shape().tuple_shapes()[k]);
  }
  const std::vector<HloInstruction*> users = tuple.users();
  for (HloInstruction* u : users) {
    if (kept[IndexOf(u)]) {
      u->mutable_attrs<TupleElementAttrs>().index = place[IndexOf(u)];
    } else {
      u->parent()->Remove(u);
    }
  }
  tuple.set_shape(Shape::Tuple(std::move(shapes)));
}

HloInstruction* Narrowed(HloInstruction& tuple, const std::vector<bool>& kept) {
  std::vector<HloInstruction*> elements;
  for (size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) elements.push_back(tuple.operand(k));
  return AddTuple(*tuple.parent(), elements, tuple.metadata());
}

bool CarriesElements(const HloInstruction& loop, const Callers& callers) {
  if (loop.op() != HloOpcode::While || !loop.shape().is_tuple()) return false;
  const HloComputation &condition = *loop.called(0), &body = *loop.called(1);
  return &condition != &body && callers.at(&condition) == 1 && callers.at(&body) == 1 &&
         IsTakenApart(condition.parameter(0)) && IsTakenApart(body.parameter(0)) &&
         body.root()->op() == HloOpcode::Tuple && body.root()->users().empty();
}

HloInstruction* InitialElement(HloInstruction& loop, size_t k) {
  HloInstruction* start = loop.operand(0);
  if (start->op() == HloOpcode::Tuple) return start->operand(k);
  for (HloInstruction* u : start->users())
    if (IsElementOf(u, start) && IndexOf(u) == k) return u;
  return AddElement(start, k);
}

bool IsPassedOn(const HloInstruction& loop, size_t k) {
  const HloComputation& body = *loop.called(1);
  const HloInstruction* next = body.root()->operand(k);
  return IsElementOf(next, body.parameter(0)) && IndexOf(next) == k;
}

void TakeApart(HloInstruction& loop) {
  if (IsTakenApart(&loop)) return;
  HloComputation& around = *loop.parent();
  const std::vector<HloInstruction*> users = loop.users();
  std::vector<HloInstruction*> parts;
  for (size_t k = 0; k < loop.shape().tuple_shapes().size(); ++k)
    parts.push_back(AddElement(&loop, k));
  HloInstruction* result = AddTuple(around, parts, loop.metadata());
  if (around.root() == &loop) around.set_root(result);
  for (HloInstruction* user : users) {
    for (size_t k = 0; !IsElementOf(user, &loop) && k < user->operands().size(); ++k)
      if (user->operand(k) == &loop) user->ReplaceOperand(k, result);
  }
}

std::vector<HloInstruction*> CarryMore(HloInstruction& loop,
                                       const std::vector<HloInstruction*>& initial) {
  TakeApart(loop);
  const size_t before = loop.shape().tuple_shapes().size();
  std::vector<HloInstruction*> start;
  for (size_t k = 0; k < before; ++k) start.push_back(InitialElement(loop, k));
  start.insert(start.end(), initial.begin(), initial.end());
  HloInstruction* wide = AddTuple(*loop.parent(), start, loop.metadata());
  // The loop stays where it is: effects take place in the order of addition.
  loop.ReplaceOperand(0, wide);
  SetShapes(loop, wide->shape());
  HloComputation& body = *loop.called(1);
  std::vector<HloInstruction*> elements, next = body.root()->operands();
  for (size_t k = before; k < start.size(); ++k) {
    elements.push_back(AddElement(body.parameter(0), k));
    next.push_back(elements.back());
  }
  body.set_root(AddTuple(body, next, body.root()->metadata()));
  body.RemoveDead();
  return elements;
}

void DropCarries(HloInstruction& loop, const std::vector<bool>& kept) {
  TakeApart(loop);
  std::vector<HloInstruction*> start;
  for (size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) start.push_back(InitialElement(loop, k));
  HloInstruction* narrow = AddTuple(*loop.parent(), start, loop.metadata());
  loop.ReplaceOperand(0, narrow);
  HloComputation& body = *loop.called(1);
  body.set_root(Narrowed(*body.root(), kept));
  body.RemoveDead();
  Narrow(loop, kept);
  for (HloComputation* c : loop.called()) Narrow(*c->parameter(0), kept);
}

}  // namespace sinter
