#include "ir/text/async.h"

#include <utility>

#include "base/status.h"

namespace sinter {
namespace {

constexpr std::string_view kMainThread = "main";

// A value that stands for what is not computed yet, and for contexts.
absl::StatusOr<HloInstruction*> AddNothing(HloComputation* c, const Shape& shape) {
  if (!shape.is_tuple()) return AddContext(c, shape);
  std::vector<HloInstruction*> elements;
  for (const Shape& s : shape.tuple_shapes()) {
    ASSIGN_OR_RETURN(elements.emplace_back(), AddNothing(c, s));
  }
  return c->Add(HloOpcode::Tuple, elements);
}

// The value of a start or an update: (operands, result, contexts...).
absl::StatusOr<HloInstruction*> AddState(HloComputation* c,
                                         const std::vector<HloInstruction*>& operands,
                                         const Shape* declared) {
  if (!declared || !declared->is_tuple() || declared->tuple_shapes().size() < 2)
    return InvalidArgument("the shape must be a tuple of operands, result and context");
  std::vector<HloInstruction*> elements;
  ASSIGN_OR_RETURN(elements.emplace_back(), c->Add(HloOpcode::Tuple, operands));
  for (size_t n = 1; n < declared->tuple_shapes().size(); ++n) {
    ASSIGN_OR_RETURN(elements.emplace_back(), AddNothing(c, declared->tuple_shapes()[n]));
  }
  ASSIGN_OR_RETURN(HloInstruction * state, c->Add(HloOpcode::Tuple, elements));
  if (!Shape::Compatible(state->shape(), *declared)) {
    return InvalidArgument("the result is {}, not {}", state->shape().ToString(),
                           declared->ToString());
  }
  return state;
}

// Whether a start leaves something to updates or to the end.
bool IsOpen(const AsyncParts& parts) {
  if (parts.form.kind != TextForm::Kind::kStart) return false;
  const bool has_shape = parts.shape && parts.shape->is_tuple() &&
                         parts.shape->tuple_shapes().size() >= 2 &&
                         parts.shape->tuple_shapes()[0].is_tuple();
  if (!has_shape) return false;
  if (Info(parts.form.op).infer == infer::Call && parts.called.size() == 1 && parts.called[0] &&
      parts.called[0]->parameters().size() > parts.operands.size())
    return true;
  const Shape& result = parts.shape->tuple_shapes()[1];
  return result.is_tuple() && result.tuple_shapes().empty();
}

}  // namespace

absl::StatusOr<HloInstruction*> AsyncChains::Start(HloComputation* c, AsyncParts& parts) {
  if (parts.name == "async" && parts.called.size() == 1 && !called_.insert(parts.called[0]).second)
    return InvalidArgument("another async-start calls {}", parts.called[0]->name());
  Chain chain{parts.name,
              parts.form.op,
              parts.attrs,
              parts.called,
              parts.thread.empty() ? std::string(kMainThread) : parts.thread,
              parts.operands,
              IsOpen(parts)};
  absl::StatusOr<HloInstruction*> value;
  if (chain.is_open) {
    value = AddState(c, parts.operands, parts.shape);
  } else {
    value = AddForm(c, parts.form, std::move(parts.operands), std::move(parts.attrs), parts.called,
                    parts.shape);
  }
  if (value.ok()) chains_[*value] = std::move(chain);
  return value;
}

absl::StatusOr<HloInstruction*> AsyncChains::Update(HloComputation* c, AsyncParts& parts,
                                                    Chain chain) {
  chain.operands.insert(chain.operands.end(), parts.operands.begin() + 1, parts.operands.end());
  ASSIGN_OR_RETURN(HloInstruction * state, AddState(c, chain.operands, parts.shape));
  chains_[state] = std::move(chain);
  return state;
}

absl::StatusOr<HloInstruction*> AsyncChains::Done(HloComputation* c, AsyncParts& parts,
                                                  Chain chain) {
  RETURN_IF_ERROR(NormalizeOperands(c, chain.op, chain.operands));
  return c->Add(chain.op, chain.operands, std::move(chain.attrs), chain.called, parts.shape);
}

absl::StatusOr<HloInstruction*> AsyncChains::Add(HloComputation* c, AsyncParts parts) {
  const TextForm form = parts.form;
  if (form.kind == TextForm::Kind::kStart) return Start(c, parts);
  const auto found = parts.operands.empty() ? chains_.end() : chains_.find(parts.operands[0]);
  if (parts.name.empty() || found == chains_.end()) {
    return AddForm(c, form, std::move(parts.operands), std::move(parts.attrs), parts.called,
                   parts.shape);
  }
  Chain& chain = found->second;
  if (chain.name != parts.name) {
    return InvalidArgument("continues what {}-start begins", chain.name);
  }
  if (!parts.called.empty() && parts.called != chain.called)
    return InvalidArgument("calls another computation than its start");
  if (!parts.thread.empty() && parts.thread != chain.thread) {
    return InvalidArgument("runs on the thread '{}', its start on '{}'", parts.thread,
                           chain.thread);
  }
  if (chain.is_open) {
    return form.kind == TextForm::Kind::kOperand ? Update(c, parts, chain) : Done(c, parts, chain);
  }
  if (parts.operands.size() > 1)
    return InvalidArgument("takes operands, but its start has all of them");
  return AddForm(c, form, std::move(parts.operands), std::move(parts.attrs), parts.called,
                 parts.shape);
}

}  // namespace sinter
