// The extensions of the table, as a list.
#pragma once

#include <utility>

#include "pjrt/error.h"
#include "sinter/pjrt_extensions.h"

namespace sinter::pjrt {

PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* FfiStagesExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* MemoryDescriptionsExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next);

// The C function around `kHandle`, as Invoke (pjrt/slot.h) for the functions of the table. Their
// structs have not grown, so that a caller's are never smaller, but for padding at the end.
template <auto kHandle>
struct ExtensionFunction;
template <class Args, absl::Status (*kHandle)(Args&)>
struct ExtensionFunction<kHandle> {
  static PJRT_Error* Call(Args* args) noexcept {
    return Guarded([&]() -> absl::Status {
      if (args == nullptr) return InvalidArgument("no arguments");
      if (args->struct_size + alignof(Args) <= sizeof(Args)) {
        return InvalidArgument("struct_size is {}, expected {}", args->struct_size, sizeof(Args));
      }
      return kHandle(*args);
    });
  }
};

}  // namespace sinter::pjrt
