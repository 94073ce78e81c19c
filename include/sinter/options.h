// Options of compilation and of execution.
//
//   sinter::CompileOptions options;
//   options.allow_contraction = true;   // a * b + c may round once
//   auto executable = client->Compile(computation, options);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sinter {

struct HostTransfers;

struct CompileOptions {
  // --- what changes the compiled code; all of it is part of every cache key

  // A multiplication and the addition that uses it may be contracted to one rounding.
  bool allow_contraction = false;
  // Values of bf16 and f16 may stay in f32 between operations.
  bool allow_excess_precision = false;
  // Denormal inputs and results of arithmetic count as zeros.
  bool flush_denormals = false;
  // Instruction set: "" for all that this processor has, else "sse4.2", "avx2", "avx2-vnni",
  // "avx512", "avx512-bf16" or "avx512-amx". Unavailable where this processor lacks it. For "" and
  // "avx512-amx" on a processor with AMX the process asks Linux, once, for the use of the tile
  // registers (arch_prctl, ARCH_REQ_XCOMP_PERM), as its threads may then need larger stacks for
  // signals (sysconf(_SC_MINSIGSTKSZ)); where it is refused, code goes without them.
  std::string isa;
  // Parameters (of the flattened list) whose buffers results may take over, besides the
  // computation's own aliases. Execution then consumes them, unless ExecuteOptions.keep names them.
  std::vector<int64_t> donated_parameters;
  // Who runs the program: `replicas` times `partitions` participants, of which participant
  // replica * partitions + partition runs on device `device_assignment[participant]` of the client,
  // each on another one. Empty: on devices 0, 1, ... in that order; of one participant, on the
  // first of this process.
  int64_t replicas = 1, partitions = 1;
  std::vector<int> device_assignment;
  // Arguments and results are buffers in the layouts that the entry of the computation states for
  // them (HLO text; mhlo.layout_mode of StableHLO). Unimplemented for arrays of dynamic sizes in
  // another layout than the default. Else they are row-major, whatever it states.
  bool stated_layouts = false;
  // Passes that are left out, by name; and the number of pass runs after which the rest is left out
  // (-1: none), for finding the one that breaks a program.
  std::vector<std::string> disabled_passes;
  int64_t pass_limit = -1;
  // Of a program of several partitions that states shardings: whether parameters and results of
  // which it states none may be cut too; one for all, or one an array. Explanation tells how they
  // are. Empty: what the program says (allow_spmd_sharding_propagation_to_output of HLO), else no.
  std::vector<bool> cut_parameters, cut_results;

  // --- what does not

  // Where each stage of compilation leaves its text, and how long it took; "" for nowhere.
  std::string dump_directory;
  // Dump only after the passes named; empty for all.
  std::vector<std::string> dump_passes;
};

struct ExecuteOptions {
  // Arguments (of the flattened list) to consume besides those that results take over.
  std::vector<int64_t> donate;
  // Arguments that must survive although a result would take them over; the run then copies them
  // first.
  std::vector<int64_t> keep;
  // Who answers the program's sends to the host and receives from it (sinter/transfer.h).
  std::shared_ptr<const HostTransfers> host_transfers;
};

// The alignment in bytes of buffers that a client allocates, and what memory of the host's must
// have for a result to be computed in place there (Buffer::CanBeTakenOver). Less is no error: the
// result then has a buffer of its own.
inline constexpr int64_t kInPlaceAlignment = 64;

// Until when the host leaves memory alone that it hands to Client::BufferFromHost, and who may
// write to it. A device that has memory of its own takes the two last for
// kImmutableUntilTransferCompletes.
enum class HostBufferSemantics : uint8_t {
  // It is copied before the call returns.
  kImmutableOnlyDuringCall,
  // It is copied at some time before `on_done` is called. The host must neither write nor free it
  // before.
  kImmutableUntilTransferCompletes,
  // It is the buffer's memory, without a copy. The host must neither write nor free it before
  // `on_done`, which is called when the buffer and all computations on it are gone. Donating such a
  // buffer copies it.
  kImmutableZeroCopy,
  // As above, and the device may write to it: a result that takes over the buffer is computed in
  // place, if the memory is aligned to kInPlaceAlignment; else it has memory of its own.
  kMutableZeroCopy,
};

}  // namespace sinter
