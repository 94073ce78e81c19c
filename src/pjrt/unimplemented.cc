// Slots that do nothing but say so by name.
#include "pjrt/objects.h"
#include "pjrt/slot.h"

namespace sinter::pjrt {

#define SINTER_PJRT_UNIMPLEMENTED(slot, why) \
  absl::Status Handle(PJRT_##slot##_Args&) { return Unimplemented("PJRT_" #slot ": {}", why); }

// Streams into a running program are given to callbacks of recv, which there are not.
#define SINTER_PJRT_STREAM(slot) \
  SINTER_PJRT_UNIMPLEMENTED(CopyToDeviceStream_##slot, "programs have no send and recv")
SINTER_PJRT_STREAM(AddChunk)
SINTER_PJRT_STREAM(TotalBytes)
SINTER_PJRT_STREAM(GranuleSize)
SINTER_PJRT_STREAM(CurrentBytes)
#undef SINTER_PJRT_STREAM

absl::Status Handle(PJRT_CopyToDeviceStream_Destroy_Args& args) {
  if (args.stream == nullptr) return absl::OkStatus();
  return Unimplemented("PJRT_CopyToDeviceStream_Destroy: programs have no send and recv");
}

SINTER_PJRT_UNIMPLEMENTED(Device_PoisonExecution, "a run that has been submitted cannot be stopped")
SINTER_PJRT_UNIMPLEMENTED(Device_ClearMemoryStats, "the peak counts from the client's beginning")
SINTER_PJRT_UNIMPLEMENTED(Buffer_DonateWithControlDependency,
                          "a buffer cannot come to depend on what its contents do not")
#undef SINTER_PJRT_UNIMPLEMENTED

}  // namespace sinter::pjrt
