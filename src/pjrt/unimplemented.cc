// Slots that do nothing but say so by name.
#include "pjrt/objects.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {

absl::Status Handle(PJRT_Device_PoisonExecution_Args&) {
  return Unimplemented(
      "PJRT_Device_PoisonExecution: a run that has been submitted cannot be stopped");
}

}  // namespace sinter::pjrt
