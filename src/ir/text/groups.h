// Groups of participants in HLO text:
//
//   replica_groups={{0,1},{2,3}}
//   replica_groups=[2,4]<=[8]           (the numbers 0 to 7 in two rows)
//   replica_groups=[2,4]<=[4,2]T(1,0)   (laid out as 4x2, transposed, in two rows)
#pragma once

#include "ir/ops/attributes.h"
#include "ir/text/lexer.h"

namespace sinter {

// ResourceExhausted for more than 2^20 participants in the second form, or more than the lexer
// counts in the whole text.
absl::Status ParseGroups(Lexer& lexer, Groups& groups);

}  // namespace sinter
