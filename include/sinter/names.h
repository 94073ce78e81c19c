// The short names of the two handles: users write sinter::Op and sinter::Computation. The library's
// inside has classes of those names: there, and where those are visible, the handles go by their
// long names only.
#pragma once

namespace sinter {

class OpHandle;
class ComputationHandle;

#if !defined(SINTER_INSIDE) && !defined(SINTER_IR_OP_H)
using Op = OpHandle;
using Computation = ComputationHandle;
#endif

}  // namespace sinter
