// Attributes that change no value - of dialects that this one does not know, of frameworks, of
// compilers for several devices - as annotations of the graph.
//
// `mhlo.sharding = "{replicated}"` and `mhlo.frontend_attributes = {a = "b"}` are what HLO text has
// as sharding={replicated} and frontend_attributes={a="b"}; all others have a name with a dot, by
// which HLO text leaves them out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/stablehlo/ast.h"
#include "ir/module.h"

namespace sinter::stablehlo {

inline constexpr std::string_view kSharding = "mhlo.sharding";
inline constexpr std::string_view kFrontendAttributes = "mhlo.frontend_attributes";

// Whether HLO text and MLIR have it as a name: letters, digits, '_', '$', '.', '-'.
bool IsAttributeName(std::string_view s);

// The attributes that are no operation's own, which are those with a dot in their name, as
// annotations under names that begin with `prefix`.
Annotations PreservedAttributes(const std::vector<NamedAttribute>& attributes,
                                std::string_view prefix = "");

// Annotations of a computation whose names begin so are those of its result of that number.
std::string ResultPrefix(size_t result);
inline constexpr std::string_view kResultPrefix = "results.";
// Of a module: the text of a mesh, by its symbol.
inline constexpr std::string_view kMeshPrefix = "sdy.mesh.";

// The same of a function without a body: what stands behind its name.
inline constexpr std::string_view kDeclarationPrefix = "func.func.";

// Of a copy: the operation that it stands for, which only says where its operand is placed, as text
// with %0 for the operand and without types.
inline constexpr std::string_view kIdentity = "sdy.identity";

// Between which participants a transfer is, as XLA notes it and where: on a send or recv, as
// frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}.
inline constexpr std::string_view kPairs = "_xla_send_recv_source_target_pairs";
Annotation PairsAnnotation(const Groups& pairs);

}  // namespace sinter::stablehlo
