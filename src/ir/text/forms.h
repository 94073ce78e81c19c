// Forms of XLA's text that the graph does not have: orders and layouts of execution. They are read
// as the operations that compute the same.
//
//   add-dependency, domain          their operand
//   bitcast                         transposes and a reshape, which follow from the layouts
//   OP-start, OP-update, OP-done    the op itself; the start gives the tuple that the text states,
//                                   of async-start, ...: operands, result and zeros for its context
//   copy-start, copy-done           a copy
//   dynamic-slice(x, s32[2] i)      slices of the vector of indices
//   after-all(f32[] x, token[] t)   of tokens only
//   copy of a tuple                 of each array in it
//   custom-call to Sharding, ...    copies (annotation_call.h)
//   atan2(x, f32[4] broadcast(f32[] constant(1)))
//                                   the arc tangent of x, which XLA has no op for: it is printed in
//                                   this form. Only a 1 without a name is meant, which XLA does not
//                                   write
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

struct TextForm {
  // kOperand: the first operand, of an add-dependency, a domain or an update.
  enum class Kind { kOperand, kBitcast, kCopyStart, kStart, kFirstDone, kSecondDone };
  Kind kind = Kind::kOperand;
  // Whose attributes and computations the text states, of updates and ends again where it does.
  HloOpcode op = HloOpcode::Tuple;
  // The operation's name, of starts, updates and ends that XLA has no op for: "async", "negate".
  std::string_view async_name;
};

// The form of that name, or nothing. The name must not be an op's.
std::optional<TextForm> FormFromName(std::string_view name);

// Adds what the form computes and returns what gives its value, which may be an operand. `declared`
// is the shape that the text states or null. Errors: InvalidArgument for operands and shapes that
// no such form has, Unimplemented for bitcasts between element types of different widths.
absl::StatusOr<HloInstruction*> AddForm(HloComputation* c, const TextForm& form,
                                        std::vector<HloInstruction*> operands, Attributes attrs,
                                        absl::Span<HloComputation* const> called,
                                        const Shape* declared);

// A value for a context, of which what it holds means nothing here.
absl::StatusOr<HloInstruction*> AddContext(HloComputation* c, const Shape& shape);

// The copies that a copy of a tuple and a custom call that only annotates its operands stand for:
// one value, a tuple where there are several. Null for anything else. `declared` is the shape that
// the text states or null.
absl::StatusOr<HloInstruction*> AddCopies(HloComputation* c, HloOpcode op,
                                          const std::vector<HloInstruction*>& operands,
                                          const Attributes& attrs, const Shape* declared);

// Brings the operands of an op into the form that its shape rule knows.
absl::Status NormalizeOperands(HloComputation* c, HloOpcode op,
                               std::vector<HloInstruction*>& operands);

}  // namespace sinter
