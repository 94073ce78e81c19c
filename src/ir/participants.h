// Operations between participants: collectives, channels, and the numbers of replica and partition.
// A program that runs on one device is the only participant.
#pragma once

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter {

// Whether what the op does depends on participants besides the one that runs it.
bool NeedsParticipants(HloOpcode op);

// What an instruction whose op NeedsParticipants does on one device.
enum class Alone {
  // Gives its operands, as a tuple where its shape is one, converted to its element type.
  kOperands,
  kZero,  // gives zeros: no participant sends to this one
};
// Unimplemented, naming the instruction, where it needs others.
absl::StatusOr<Alone> AloneOnDevice(const HloInstruction& i);

}  // namespace sinter
