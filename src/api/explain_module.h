// Explain, for callers that hold a module.
#pragma once

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "sinter/explain.h"

namespace sinter::api {

// As sinter::Explain; `module` is consumed.
absl::StatusOr<Explanation> ExplainModule(HloModule& module);

}  // namespace sinter::api
