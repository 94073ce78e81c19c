// Groups of participants in HLO text:
//
//   replica_groups={{0,1},{2,3}}
//   replica_groups=[2,4]<=[8]           (the numbers 0 to 7 in two rows)
//   replica_groups=[2,4]<=[4,2]T(1,0)   (laid out as 4x2, transposed, in two rows)
//   replica_groups=mesh['x'=2,'y'=4] {'y'}   (as 2x4: a group for each x)
//   replica_groups=mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'x','y':(1)2}
//                                       (the 2x4 filled so, a group for each second half of y)
#pragma once

#include "ir/ops/attributes.h"
#include "ir/text/lexer.h"

namespace sinter {

// ResourceExhausted for more than 2^20 participants in a form but the first, or more than the lexer
// counts in the whole text.
absl::Status ParseGroups(Lexer& lexer, Groups& groups);

}  // namespace sinter
