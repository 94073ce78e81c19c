// What goes where in an exchange, by the places of participants in their group: the same on every
// process.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "program/program.h"

namespace sinter::runtime {

// `rows` times `bytes` bytes, `stride` bytes apart, of one's operand into one's result.
struct Move {
  int64_t from = -1, to = 0;  // places; -1: zeros
  size_t operand = 0, result = 0;
  int64_t from_offset = 0, to_offset = 0;
  int64_t from_stride = 0, to_stride = 0;
  int64_t rows = 1, bytes = 0;
};

// The group's operands `operand` from `offset` on, rows as above, combined in the group's order and
// written without gaps from `to` on into the result of the same number, for one participant
// (`target`) or for all (-1).
struct Reduction {
  size_t operand = 0;
  int64_t offset = 0;
  int64_t stride = 0, rows = 1, bytes = 0;
  int64_t target = -1;
  int64_t to = 0;
};

struct ExchangePlan {
  std::vector<Move> moves;
  size_t first_over = 0;  // moves from there on write over what those before have written
  std::vector<Reduction> reductions;
};

// The operands of which all in the group must know the contents of all others: roots, and where
// rows go.
std::vector<size_t> IndexOperands(const program::Collective& step);

// `contents` finds those operands of a participant, by its place. The group is not empty.
// InvalidArgument for operands that contradict themselves.
absl::StatusOr<ExchangePlan> PlanExchange(
    const program::Collective& step, absl::Span<const int64_t> group,
    absl::FunctionRef<const void*(int64_t member, size_t operand)> contents);

}  // namespace sinter::runtime
