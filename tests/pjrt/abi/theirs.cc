// Those of XLA.
#include "table.h"

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"

namespace sinter::pjrt_abi {

#include "fill.inc"

Table Theirs() { return Fill(); }

}  // namespace sinter::pjrt_abi
