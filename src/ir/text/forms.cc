#include "ir/text/forms.h"

#include "base/status.h"
#include "ir/annotation_call.h"
#include "ir/layout.h"
#include "ir/participants.h"

namespace sinter {
namespace {

using Form = TextForm::Kind;

bool EatSuffix(std::string_view& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) {
    return false;
  }
  name.remove_suffix(suffix.size());
  return true;
}

bool IsIdentity(const Dims& order) {
  for (size_t d = 0; d < order.size(); ++d) {
    if (order[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

absl::StatusOr<HloInstruction*> Transposed(HloComputation* c, HloInstruction* x, Dims order) {
  if (IsIdentity(order)) return x;
  return c->Add(HloOpcode::Transpose, {x}, DimensionsAttrs{std::move(order)});
}

absl::StatusOr<HloInstruction*> AddBitcast(HloComputation* c, HloInstruction* x,
                                           const Shape& result) {
  if (!x->shape().is_array() || !result.is_array()) {
    return InvalidArgument("takes and gives an array");
  }
  if (!x->shape().is_static() || !result.is_static()) {
    return Unimplemented("{} as {}", x->shape().ToString(), result.ToString());
  }
  if (BitWidth(x->shape().element_type()) != BitWidth(result.element_type())) {
    return Unimplemented("{} as {}", x->shape().ToString(), result.ToString());
  }
  const Dims from = MajorToMinor(x->shape()), to = MajorToMinor(result);
  if (x->shape().element_type() != result.element_type()) {
    const Shape bits(result.element_type(), x->shape().dimensions());
    ASSIGN_OR_RETURN(x, c->Add(HloOpcode::BitcastConvert, {x}, NoAttrs{}, {}, &bits));
  }
  ASSIGN_OR_RETURN(x, Transposed(c, x, from));
  // To the order of memory, and from there to the order of the result's dimensions.
  Dims in_memory;
  for (int64_t d : to) in_memory.push_back(result.dimension(d));
  const Shape reshaped(result.element_type(), in_memory);
  if (!x->shape().SameDimensions(reshaped)) {
    ASSIGN_OR_RETURN(x, c->Add(HloOpcode::Reshape, {x}, NoAttrs{}, {}, &reshaped));
  }
  ASSIGN_OR_RETURN(x, Transposed(c, x, InversePermutation(to)));
  return c->Add(HloOpcode::Copy, {x}, NoAttrs{}, {}, &result);
}

// `x` with a copy of each array in it. `call`: what the copies stand for, or null.
absl::StatusOr<HloInstruction*> CopyArrays(HloComputation* c, HloInstruction* x,
                                           const Shape& result, const AnnotationCall* call) {
  if (x->shape().is_array()) {
    ASSIGN_OR_RETURN(HloInstruction * copy, c->Add(HloOpcode::Copy, {x}, NoAttrs{}, {}, &result));
    if (call != nullptr) SetAnnotationCall(copy, *call);
    return copy;
  }
  if (!x->shape().is_tuple()) return x;
  std::vector<HloInstruction*> elements;
  for (size_t i = 0; i < x->shape().tuple_shapes().size(); ++i) {
    ASSIGN_OR_RETURN(HloInstruction * element, c->Add(HloOpcode::GetTupleElement, {x},
                                                      TupleElementAttrs{static_cast<int64_t>(i)}));
    ASSIGN_OR_RETURN(elements.emplace_back(),
                     CopyArrays(c, element, result.tuple_shapes()[i], call));
  }
  return c->Add(HloOpcode::Tuple, elements, NoAttrs{}, {}, &result);
}

// The collective that is started, or that the computation has which is.
void MarkAllAsync(HloInstruction* started) {
  MarkAsync(started);
  if (started->op() != HloOpcode::Call) return;
  for (const auto& i : started->called(0)->instructions()) MarkAsync(i.get());
}

absl::StatusOr<HloInstruction*> AddStart(HloComputation* c, const TextForm& form,
                                         const std::vector<HloInstruction*>& operands,
                                         Attributes attrs, absl::Span<HloComputation* const> called,
                                         const Shape* declared) {
  // The one start that XLA gives the shape of its result.
  if (form.op == HloOpcode::AllReduce) {
    ASSIGN_OR_RETURN(HloInstruction * sum,
                     c->Add(form.op, operands, std::move(attrs), called, declared));
    MarkAsync(sum);
    return sum;
  }
  const bool copies = form.kind == Form::kCopyStart;
  if (!declared || !declared->is_tuple() || declared->tuple_shapes().size() < 2) {
    return InvalidArgument("the shape must be a tuple of operands, result and context");
  }
  if (copies ? operands.size() != 1 : operands.empty() && !declared->tuple_shapes()[0].is_tuple()) {
    return InvalidArgument("takes one operand, got {}", operands.size());
  }
  const auto& shapes = declared->tuple_shapes();
  HloInstruction *taken = nullptr, *result = nullptr;
  if (!copies && shapes[0].is_tuple()) {
    ASSIGN_OR_RETURN(taken, c->Add(HloOpcode::Tuple, operands));
  } else {
    taken = operands[0];
  }
  ASSIGN_OR_RETURN(result, c->Add(copies ? HloOpcode::Copy : form.op, operands, std::move(attrs),
                                  called, &shapes[copies ? 0 : 1]));
  MarkAllAsync(result);
  std::vector<HloInstruction*> elements{taken, result};
  if (copies) std::swap(elements[0], elements[1]);
  for (size_t n = 2; n < shapes.size(); ++n) {
    ASSIGN_OR_RETURN(HloInstruction * context, AddContext(c, shapes[n]));
    elements.push_back(context);
  }
  return c->Add(HloOpcode::Tuple, elements, NoAttrs{}, {}, declared);
}

absl::StatusOr<HloInstruction*> AddDone(HloComputation* c, HloInstruction* start, int64_t index) {
  if (start->op() == HloOpcode::AllReduce) return start;
  if (!start->shape().is_tuple() || start->shape().tuple_shapes().size() < 2) {
    return InvalidArgument("the operand must be that of a start");
  }
  if (start->op() == HloOpcode::Tuple) return start->operand(static_cast<size_t>(index));
  return c->Add(HloOpcode::GetTupleElement, {start}, TupleElementAttrs{index});
}

// Operations for which XLA has a start and an end. They have no updates, and several may run at a
// time.
bool HasOwnStart(HloOpcode op) {
  switch (op) {
    case HloOpcode::AllGather:
    case HloOpcode::AllReduce:
    case HloOpcode::CollectivePermute:
    case HloOpcode::Copy:
    case HloOpcode::Recv:
    case HloOpcode::Send:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<HloInstruction*> AddContext(HloComputation* c, const Shape& shape) {
  if (shape.is_token()) return c->Add(HloOpcode::AfterAll, {});
  if (!shape.is_array()) return Unimplemented("a context of shape {}", shape.ToString());
  HloInstruction* zero = c->AddConstant(Literal(Shape(shape.element_type())));
  if (shape.rank() == 0) return zero;
  return c->Add(HloOpcode::Broadcast, {zero}, DimensionsAttrs{}, {}, &shape);
}

std::optional<TextForm> FormFromName(std::string_view name) {
  if (name == "add-dependency" || name == "domain") return TextForm{Form::kOperand};
  if (name == "bitcast") return TextForm{Form::kBitcast};
  if (name == "copy-start") return TextForm{Form::kCopyStart, HloOpcode::Copy};
  if (name == "copy-done") return TextForm{Form::kFirstDone};
  std::string_view stem = name;
  Form kind = Form::kStart;
  if (EatSuffix(stem, "-done")) {
    kind = Form::kSecondDone;
  } else if (EatSuffix(stem, "-update")) {
    kind = Form::kOperand;
  } else if (!EatSuffix(stem, "-start")) {
    return std::nullopt;
  }
  std::optional<HloOpcode> op = stem == "async" ? std::optional(HloOpcode::Call) : OpFromName(stem);
  if (!op || *op == HloOpcode::Parameter || *op == HloOpcode::Constant) return std::nullopt;
  const bool own = stem != "async" && HasOwnStart(*op);
  if (own && kind == Form::kOperand) return std::nullopt;
  return TextForm{kind, *op, own ? std::string_view() : stem};
}

absl::StatusOr<HloInstruction*> AddForm(HloComputation* c, const TextForm& form,
                                        std::vector<HloInstruction*> operands, Attributes attrs,
                                        absl::Span<HloComputation* const> called,
                                        const Shape* declared) {
  const bool starts = form.kind == Form::kStart || form.kind == Form::kCopyStart;
  if (!starts && operands.empty()) return InvalidArgument("needs an operand");
  absl::StatusOr<HloInstruction*> result;
  switch (form.kind) {
    case Form::kOperand:
      result = operands[0];
      break;
    case Form::kBitcast:
      if (!declared) return InvalidArgument("needs the result's shape");
      result = AddBitcast(c, operands[0], *declared);
      break;
    case Form::kCopyStart:
    case Form::kStart:
      RETURN_IF_ERROR(NormalizeOperands(c, form.op, operands));
      result = AddStart(c, form, operands, std::move(attrs), called, declared);
      break;
    case Form::kFirstDone:
    case Form::kSecondDone:
      result = AddDone(c, operands[0], form.kind == Form::kFirstDone ? 0 : 1);
      break;
  }
  if (!result.ok()) return result;
  if (declared && !Shape::Compatible((*result)->shape(), *declared)) {
    return InvalidArgument("the result is {}, not {}", (*result)->shape().ToString(),
                           declared->ToString());
  }
  return result;
}

absl::StatusOr<HloInstruction*> AddCopies(HloComputation* c, HloOpcode op,
                                          const std::vector<HloInstruction*>& operands,
                                          const Attributes& attrs, const Shape* declared) {
  if (op == HloOpcode::Copy) {
    if (operands.size() != 1 || !operands[0]->shape().is_tuple()) return nullptr;
    const Shape& shape = operands[0]->shape();
    if (declared && !Shape::Compatible(*declared, shape))
      return InvalidArgument("copy: the result is {}, not {}", shape.ToString(),
                             declared->ToString());
    return CopyArrays(c, operands[0], declared ? *declared : shape, nullptr);
  }
  if (op != HloOpcode::CustomCall || declared == nullptr) return nullptr;
  const auto& custom = std::get<CustomCallAttrs>(attrs);
  if (!IsAnnotationTarget(custom.custom_call_target)) return nullptr;
  const AnnotationCall call{custom.custom_call_target, custom.opaque, custom.has_side_effect};
  if (operands.size() == 1 && call.has_result()) {
    if (!Shape::Compatible(*declared, operands[0]->shape())) return nullptr;
    return CopyArrays(c, operands[0], *declared, &call);
  }
  // Several results, or none.
  const size_t results = call.has_result() ? operands.size() : 0;
  if (!declared->is_tuple() || declared->tuple_shapes().size() != results) return nullptr;
  for (size_t i = 0; i < results; ++i) {
    if (!Shape::Compatible(declared->tuple_shapes()[i], operands[i]->shape())) return nullptr;
  }
  std::vector<HloInstruction*> elements;
  for (size_t i = 0; i < results; ++i) {
    ASSIGN_OR_RETURN(elements.emplace_back(),
                     CopyArrays(c, operands[i], declared->tuple_shapes()[i], &call));
  }
  return c->Add(HloOpcode::Tuple, elements, NoAttrs{}, {}, declared);
}

absl::Status NormalizeOperands(HloComputation* c, HloOpcode op,
                               std::vector<HloInstruction*>& operands) {
  if (op == HloOpcode::AfterAll) {
    std::erase_if(operands, [](const HloInstruction* o) { return !o->shape().is_token(); });
    return absl::OkStatus();
  }
  const size_t first = op == HloOpcode::DynamicSlice         ? 1
                       : op == HloOpcode::DynamicUpdateSlice ? 2
                                                             : 0;
  if (first == 0 || operands.size() != first + 1) return absl::OkStatus();
  HloInstruction* vector = operands[first];
  // More than the dimensions of any array: the shape rule will say so.
  constexpr int64_t kMostDimensions = 256;
  if (!vector->shape().is_array() || vector->shape().rank() != 1 ||
      vector->shape().dimension(0) > kMostDimensions) {
    return absl::OkStatus();
  }
  operands.pop_back();
  const Shape scalar(vector->shape().element_type());
  for (int64_t d = 0; d < vector->shape().dimension(0); ++d) {
    ASSIGN_OR_RETURN(HloInstruction * one,
                     c->Add(HloOpcode::Slice, {vector}, SliceAttrs{{d}, {d + 1}, {1}}));
    ASSIGN_OR_RETURN(one, c->Add(HloOpcode::Reshape, {one}, NoAttrs{}, {}, &scalar));
    operands.push_back(one);
  }
  return absl::OkStatus();
}

}  // namespace sinter
