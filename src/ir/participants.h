// What a program does together with other participants: collectives, channels, and the numbers of
// replica and partition. A program that runs on one device is the only participant there is.
#pragma once

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter {

// Whether what the op does depends on participants besides the one that runs it.
bool NeedsParticipants(HloOpcode op);

// What an instruction whose op NeedsParticipants does on one device.
enum class Alone {
  kOperands,  // gives its operands, as a tuple where its shape is one, converted to its element
              // type
  kZero,      // gives zeros: no participant sends to this one
};
// Unimplemented, naming the instruction, where it needs others.
absl::StatusOr<Alone> AloneOnDevice(const HloInstruction& i);

}  // namespace sinter
