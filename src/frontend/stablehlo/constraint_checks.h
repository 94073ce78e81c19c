// What the checks of constraints share: types as the text states them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::constraints {

// Whether a size is stated.
inline bool Known(int64_t d) { return d != Shape::kUnbounded; }

// Whether two sizes may be the same: those that are dynamic may be any.
bool MayAgree(const Shape& a, int64_t i, const Shape& b, int64_t j);
// Whether arrays may have the same dimensions.
bool SameSizes(const Shape& a, const Shape& b);
// Whether types may be the same, quantization included.
bool SameType(const Shape& a, const Shape& b);
bool SameType(const Lowering& l, ValueId a, ValueId b);

// As MLIR spells them.
std::string Text(const Lowering& l, ValueId id);
std::string Text(const Lowering& l, const std::vector<ValueId>& ids);
std::string Text(const std::vector<Shape>& shapes);

// The results must have the types of these values: else InvalidArgument with the label.
absl::Status CheckResults(const Lowering& l, const Operation& op, const std::vector<ValueId>& ids,
                          std::string_view label);

// The attribute padding, if it is there, has two numbers a dimension: else InvalidArgument with the
// label.
absl::Status CheckPadding(const Lowering& l, const Operation& op, std::string_view label);

// The integers of an operand that is made of constants.
std::optional<Dims> ConstantSizes(const Lowering& l, const Operation& op, size_t operand);

}  // namespace sinter::stablehlo::constraints
