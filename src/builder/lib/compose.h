// What functions composed of the builder's share: the caller's line, errors, shapes.
#pragma once

#include <string_view>

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {

// Makes `error` the builder's, with `name` and the line before its message.
inline Op Refuse(Builder* builder, std::string_view name, const SourceLocation& where,
                 const absl::Status& error) {
  return Record(builder, name, where, [&](Recording&) -> absl::StatusOr<HloInstruction*> {
    return Annotate(error, name);
  });
}

// The op that `record` (of Builder*, to absl::StatusOr<Op>) returns. What it records carries the
// line of the operand's caller. Its error becomes the builder's; after an error it is not called.
template <class F>
Op Compose(std::string_view name, const Operand& operand, F record) {
  Builder* builder = operand.builder();
  if (builder == nullptr) return Op();
  if (!builder->first_error().ok()) return BuilderImpl::Nothing(builder);
  ComposedAt at(operand);
  absl::StatusOr<Op> made = record(builder);
  if (made.ok()) return *made;
  return Refuse(builder, name, operand.where(), made.status());
}

// The shape of an array of at least that rank; InvalidArgument for another value.
inline absl::StatusOr<Shape> ArrayShape(Op op, int64_t least_rank = 0) {
  ASSIGN_OR_RETURN(Shape shape, op.shape());
  if (!shape.is_array() || shape.rank() < least_rank) {
    return InvalidArgument("expected an array of rank {} or more, got {}", least_rank,
                           shape.ToString());
  }
  return shape;
}

// `type` under the dimensions of `shape`, which may be dynamic.
inline Shape WithType(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

// 0, 1, ..., n - 1.
inline std::vector<int64_t> Count(int64_t n) {
  std::vector<int64_t> count(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) count[static_cast<size_t>(i)] = i;
  return count;
}

inline int64_t CeilOfRatio(int64_t x, int64_t y) { return (x + y - 1) / y; }

}  // namespace sinter
