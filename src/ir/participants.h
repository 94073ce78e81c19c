// Operations between participants: collectives, channels, and the numbers of replica and partition.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collective/groups.h"
#include "collective/rendezvous.h"
#include "ir/module.h"

namespace sinter {

// Whether what the op does depends on participants besides the one that runs it.
bool NeedsParticipants(HloOpcode op);

// What an instruction whose op NeedsParticipants does where one device runs the program.
enum class Alone {
  // Gives its operands, as a tuple where its shape is one, converted to its element type.
  kOperands,
  kZero,  // gives zeros: no participant sends to this one
};
// Unimplemented, naming the instruction, where it needs others.
absl::StatusOr<Alone> AloneOnDevice(const HloInstruction& i);

// The participants that the module was written for.
collective::Grid GridOf(const HloModule& module);

// Between whom an instruction exchanges.
struct Exchange {
  // Those that meet in it, all of a group at a time. Of a permutation, those that its pairs join;
  // empty for send and recv, which meet nobody.
  collective::Groups groups;
  // Of permutations, send and recv: source and target.
  collective::Groups pairs;
};
// For all-gather and what has CollectiveAttrs, permutations, send, recv, and what waits for those.
// InvalidArgument, naming the instruction, where the grid has not the participants that it names,
// or groups leave out some that need one.
absl::StatusOr<Exchange> ExchangeOf(const HloInstruction& i, const collective::Grid& grid);

// The instruction for messages, and what participants that meet in it must have alike.
collective::Operation OperationOf(const HloInstruction& i);

// What a computation of two scalars does, if it is one operation: `or` and `and` of predicates are
// a maximum and a minimum.
collective::Reduction ReductionOf(const HloComputation& reducer);

// Of collectives that the program has as a start and an end (all-reduce-start and -done): other
// work may run between them. A mark that changes no result; StableHLO's text has it as an attribute
// of the instruction. MarkAsync: of all that the value is made of by tuples alone.
void MarkAsync(HloInstruction* value);
bool IsAsync(const HloInstruction& i);

// The send or recv that an instruction is or waits for. InvalidArgument where that is not known.
absl::StatusOr<const HloInstruction*> TransferOf(const HloInstruction& i);

}  // namespace sinter
