// How operations are spelled behind their names where MLIR's generic form is not used.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

class Parser;

// Reads what stands behind the operation's name.
using PrettyForm = absl::Status (*)(Parser&, Operation*);

// What a pretty form calls an attribute, and its name in the generic form.
struct ClauseName {
  std::string_view pretty, generic;
};

// Operands and clauses, attributes, types; or a form of its own.
struct Spelling {
  PrettyForm form = nullptr;      // null: the plain one
  bool result_type_only = false;  // a single type is that of the result, not of operands
  ClauseName clauses[3] = {};
};

// The spelling of an operation of the table (ops.h), or null where it has no such operation.
const Spelling* FindSpelling(std::string_view name);

namespace pretty {
absl::Status Annotation(Parser&, Operation*);
absl::Status Call(Parser&, Operation*);
absl::Status Check(Parser&, Operation*);
absl::Status Compare(Parser&, Operation*);
absl::Status Composite(Parser&, Operation*);
absl::Status Constant(Parser&, Operation*);
absl::Status Convolution(Parser&, Operation*);
absl::Status CustomCall(Parser&, Operation*);
absl::Status GetTupleElement(Parser&, Operation*);
absl::Status Barrier(Parser&, Operation*);
absl::Status Manual(Parser&, Operation*);
absl::Status Reduce(Parser&, Operation*);
absl::Status Scan(Parser&, Operation*);
absl::Status Select(Parser&, Operation*);
absl::Status Slice(Parser&, Operation*);
absl::Status TopK(Parser&, Operation*);
absl::Status While(Parser&, Operation*);
}  // namespace pretty

}  // namespace sinter::stablehlo
