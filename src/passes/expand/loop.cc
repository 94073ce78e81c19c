#include "passes/expand/loop.h"

#include <string>

#include "base/status.h"

namespace sinter::expand {
namespace {

Values StateOf(HloComputation& c, Graph& g, const Shape& shape) {
  return g.Elements(c.AddParameter(0, shape));
}

}  // namespace

absl::StatusOr<Values> AddLoop(HloComputation& c, const HloInstruction& origin,
                               std::string_view name, const Values& initial,
                               const std::function<HloInstruction*(Graph&, const Values&)>& goes_on,
                               const std::function<Values(Graph&, const Values&)>& next) {
  Graph outside(c, origin);
  HloInstruction* first = outside.Add(HloOpcode::Tuple, initial);
  RETURN_IF_ERROR(outside.status());
  HloComputation* condition = c.module()->AddComputation(std::string(name) + ".condition");
  Graph test(*condition, origin);
  const Values tested = StateOf(*condition, test, first->shape());
  condition->set_root(goes_on(test, tested));
  RETURN_IF_ERROR(test.status());
  HloComputation* body = c.module()->AddComputation(std::string(name) + ".body");
  Graph turn(*body, origin);
  const Values state = StateOf(*body, turn, first->shape());
  body->set_root(turn.Add(HloOpcode::Tuple, next(turn, state)));
  RETURN_IF_ERROR(turn.status());
  HloInstruction* loop = outside.Add(HloOpcode::While, {first}, NoAttrs{}, {condition, body});
  Values last = outside.Elements(loop);
  RETURN_IF_ERROR(outside.status());
  return last;
}

}  // namespace sinter::expand
