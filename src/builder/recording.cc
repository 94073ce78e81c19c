#include <algorithm>

#include "builder/impl.h"

namespace sinter {

absl::StatusOr<HloInstruction*> Recording::Find(Op op) const {
  absl::StatusOr<HloInstruction*> found = impl_.Find(builder_, op);
  if (!found.ok()) return Error(MessageOf(found.status()));
  return found;
}

absl::StatusOr<std::vector<HloInstruction*>> Recording::Find(absl::Span<const Op> ops) const {
  std::vector<HloInstruction*> found;
  found.reserve(ops.size());
  for (Op op : ops) {
    ASSIGN_OR_RETURN(HloInstruction * i, Find(op));
    found.push_back(i);
  }
  return found;
}

absl::StatusOr<HloInstruction*> Recording::Find(const Operand& operand, ElementType number_type) {
  return operand.is_number() ? AddNumber(operand.number(), number_type) : Find(operand.op());
}

absl::StatusOr<std::vector<HloInstruction*>> Recording::FindAlike(
    std::initializer_list<const Operand*> operands) {
  std::vector<HloInstruction*> found(operands.size());
  std::optional<ElementType> type;
  size_t n = 0;
  for (const Operand* operand : operands) {
    if (!operand->is_number()) {
      ASSIGN_OR_RETURN(found[n], Find(operand->op()));
      if (!type) type = found[n]->shape().element_type();
    }
    ++n;
  }
  if (!type) return InvalidArgument("one of the operands must be an op, all are numbers");
  n = 0;
  for (const Operand* operand : operands) {
    if (operand->is_number()) {
      ASSIGN_OR_RETURN(found[n], AddNumber(operand->number(), *type));
    }
    ++n;
  }
  return found;
}

void Recording::SetMetadata(HloInstruction* instruction) const {
  Metadata m;
  if (const auto& given = impl_.one_shot_metadata ? impl_.one_shot_metadata : impl_.metadata) {
    m = {given->op_name, given->source_file, given->source_line};
  }
  if (m.source_file.empty()) {
    m.source_file = where_.file_name();
    m.source_line = static_cast<int32_t>(where_.line());
  }
  instruction->set_metadata(std::move(m));
  impl_.Annotate(*instruction);
}

absl::StatusOr<HloInstruction*> Recording::Add(HloOpcode op,
                                               absl::Span<HloInstruction* const> operands,
                                               Attributes attrs,
                                               absl::Span<HloComputation* const> called,
                                               const Shape* declared) {
  ASSIGN_OR_RETURN(HloInstruction * i,
                   impl_.computation->Add(op, operands, std::move(attrs), called, declared));
  SetMetadata(i);
  return i;
}

HloInstruction* Recording::AddConstant(Literal value) {
  HloInstruction* i = impl_.computation->AddConstant(std::move(value));
  SetMetadata(i);
  return i;
}

absl::StatusOr<HloInstruction*> Recording::AddNumber(const Number& number, ElementType type) {
  absl::StatusOr<Literal> literal = LiteralOf(number, type);
  if (!literal.ok()) return Error(MessageOf(literal.status()));
  return AddConstant(*std::move(literal));
}

absl::Status Recording::Error(std::string_view message,
                              absl::Span<HloInstruction* const> operands) const {
  std::string text = Format("{}: {}", name_, message);
  const char* separator = "; operands ";
  for (const HloInstruction* operand : operands) {
    text += separator + operand->shape().ToString();
    separator = ", ";
  }
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<HloComputation*> Recording::Called(const Callable& callable,
                                                  std::vector<Shape> parameters,
                                                  std::string_view role) {
  if (callable.is_function()) return RecordFunction(callable, std::move(parameters), role);
  absl::StatusOr<HloComputation*> imported = impl_.Import(callable.computation());
  if (!imported.ok()) return Error(Format("{}: {}", role, MessageOf(imported.status())));
  return imported;
}

absl::StatusOr<HloComputation*> Recording::RecordFunction(const Callable& callable,
                                                          std::vector<Shape> parameters,
                                                          std::string_view role) {
  bool is_tuple = parameters.size() == 1 && parameters[0].is_tuple();
  bool unpacks = is_tuple && (callable.TakesSpan() || !callable.Takes(1)) &&
                 callable.Takes(parameters[0].tuple_shapes().size());
  if (!unpacks && !callable.Takes(parameters.size())) {
    return Error(Format("{}: the function must take {} op{}", role, parameters.size(),
                        parameters.size() == 1 ? "" : "s"));
  }
  auto owned = std::make_unique<BuilderImpl>(Format("{}_{}", name_, role), impl_, where_);
  BuilderImpl& inner = *owned;
  Builder* builder = impl_.Keep(std::make_unique<Builder>(std::move(owned)));
  Recording recording(builder, name_, where_);
  std::vector<Op> arguments;
  for (size_t n = 0; n < parameters.size(); ++n) {
    HloInstruction* p =
        inner.computation->AddParameter(static_cast<int64_t>(n), parameters[n], Format("p{}", n));
    recording.SetMetadata(p);
    arguments.push_back(inner.Handle(builder, p));
  }
  if (unpacks) {
    HloInstruction* tuple = inner.computation->parameter(0);
    arguments.clear();
    for (size_t n = 0; n < tuple->shape().tuple_shapes().size(); ++n) {
      ASSIGN_OR_RETURN(HloInstruction * element,
                       recording.Add(HloOpcode::GetTupleElement, {tuple},
                                     TupleElementAttrs{static_cast<int64_t>(n)}));
      arguments.push_back(inner.Handle(builder, element));
    }
  }
  HloComputation* computation = inner.computation;
  Op result = callable.function()(*builder, arguments);
  absl::Status error = inner.first_error;
  absl::StatusOr<HloInstruction*> root = inner.Find(builder, result);
  inner.Close();
  if (!error.ok()) {
    // The message names its own line, which is nearer to the mistake than ours.
    if (impl_.first_error.ok()) impl_.first_error = error;
    return error;
  }
  if (!root.ok()) return Error(Format("{}: the result: {}", role, MessageOf(root.status())));
  computation->set_root(*root);
  return computation;
}

Builder* BuilderOf(absl::Span<const Op> ops) {
  for (Op op : ops) {
    if (op.builder()) return op.builder();
  }
  return nullptr;
}

Op Record(Builder* builder, std::string_view name, const std::source_location& where,
          const std::function<absl::StatusOr<HloInstruction*>(Recording&)>& record) {
  if (builder == nullptr) return Op();
  BuilderImpl& impl = builder->impl();
  if (!impl.first_error.ok()) return BuilderImpl::Nothing(builder);
  Recording recording(builder, name, where);
  absl::StatusOr<HloInstruction*> made =
      impl.computation ? record(recording)
                       : recording.Error(Format("the function \"{}\" is over", impl.name));
  impl.one_shot_metadata.reset();
  if (made.ok()) return impl.Handle(builder, *made);
  if (impl.first_error.ok()) {
    impl.first_error = Annotate(
        made.status(), Format("{}:{}", recording.where().file_name(), recording.where().line()));
  }
  return BuilderImpl::Nothing(builder);
}

Op Record(std::initializer_list<const Operand*> operands, std::string_view name,
          const std::function<absl::StatusOr<HloInstruction*>(Recording&)>& record) {
  for (const Operand* operand : operands) {
    if (operand->builder()) return Record(operand->builder(), name, operand->where(), record);
  }
  return Op();
}

}  // namespace sinter
