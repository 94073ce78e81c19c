// The custom calls of ir/decomposition_call.h.
#pragma once

#include "eval/evaluator.h"
#include "ir/decomposition_call.h"

namespace sinter::eval {

absl::StatusOr<Value> Decompose(const Input& in, const DecompositionCall& call);

}  // namespace sinter::eval
