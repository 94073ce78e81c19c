// Our declarations.
#include "table.h"

#include "sinter/pjrt_c_api.h"
#include "sinter/pjrt_extensions.h"

namespace sinter::pjrt_abi {

#include "fill.inc"

Table Ours() { return Fill(); }

}  // namespace sinter::pjrt_abi
