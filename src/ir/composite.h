// StableHLO's composite: a call of an operation that a framework has a name for. The called
// computation is its decomposition, and targets may have code for it. In HLO text it is
//
//   call(x), to_apply=f, is_composite=true,
//     frontend_attributes={composite.attributes={n = 1 : i32},
//                          composite.name="foo.bar",composite.version="1"}
//
// The graph has it as annotations of the call; inlining the call drops them.
#pragma once

#include <optional>
#include <string>

#include "ir/module.h"

namespace sinter {

struct CompositeCallInfo {
  std::string name;
  std::string attributes;  // a dictionary in MLIR's spelling, braces included, or empty
  int64_t version = 0;
};

// The composite that the call is, or nothing where it is a plain call.
std::optional<CompositeCallInfo> CompositeOf(const HloInstruction& call);
void SetComposite(HloInstruction* call, const CompositeCallInfo& info);

}  // namespace sinter
