// Where the time of an executable goes: its kernels and other steps, one by one.
//
//   sinter::Profile profile = executable.Profile({x, y}).value();
//   std::cout << profile.ToString();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sinter/export.h"

namespace sinter {

struct HostTransfers;

struct ProfileOptions {
  // Runs before those that are measured, and those. At most 1,000,000 of each.
  int64_t warmup_runs = 1;
  int64_t runs = 1;
  // Calls that are kept one by one (Profile::events), from the first one on; 0: none.
  int64_t event_limit = 0;
  // What the device can do at most: bytes of its memory a second, read and written; operations on
  // numbers of 4 bytes a second, a multiply-add being two (products of bf16 and of bytes by the
  // instructions that processors have for them do more). 0: as measured, once a process, when the
  // first profile needs it; that takes a fraction of a second and 128 MiB of memory.
  double bytes_per_second = 0;
  double operations_per_second = 0;
  // Who answers the program's sends to the host and receives from it (sinter/transfer.h).
  std::shared_ptr<const HostTransfers> host_transfers;
};

struct SINTER_API Profile {
  enum class Kind : uint8_t {
    kKernel,       // compiled; the name is that in Explanation::kernels
    kCopy,         // of an array that is still needed before it is written to
    kLibrary,      // a kernel of the library: sort
    kWhile,        // a loop over steps
    kConditional,  // the steps of one of its branches
    kCustomCall,   // the host's function
    kCollective,   // an exchange with other participants
  };
  struct Step {
    std::string name;
    Kind kind = Kind::kKernel;
    // Its place in the program, from 0, with loops and conditionals before what is in them; and
    // that of the loop or conditional that it is in, -1: none.
    int64_t number = 0, parent = -1;
    // In all measured runs, each turn of a loop by itself. The seconds of loops and conditionals
    // contain those of the steps in them.
    int64_t calls = 0;
    double seconds = 0;
    int64_t turns = 0;                  // of a loop's body, in all measured runs
    std::vector<double> stage_seconds;  // of a kernel's stages, each for all calls
    // Of one call, as the compiler counts them: bytes of distinct elements of arguments and
    // results; additions, multiplications and the like, a multiply-add being two, other functions
    // by their length. Loops and conditionals have none of their own. Of functions of the host's
    // operations are not known; of a loop inside a kernel one turn counts.
    int64_t bytes_read = 0, bytes_written = 0;
    double operations = 0;
    // The time that one call would take at least, by bandwidth or by arithmetic, whichever is
    // longer, as a share of the time that it took. Above 1 where data come from caches.
    double share_of_limit = 0;

    double seconds_per_call() const { return calls > 0 ? seconds / static_cast<double>(calls) : 0; }
  };
  // One call of a step, or of a stage of a kernel; or, of a stage on several threads, what one of
  // them ran at a time. Those of a thread nest.
  struct Event {
    int64_t step = 0;           // Step::number
    int64_t stage = -1;         // -1: the step
    int64_t thread = 0;         // 0: the one that runs the steps
    double begin = 0, end = 0;  // seconds since the first measured run began
  };

  std::string name;         // of the executable
  std::vector<Step> steps;  // all of the program's; the longest time first
  std::vector<Event> events;
  int64_t runs = 0;
  double seconds = 0;  // of a run, on average, with what is no step: memory, copies of results
  double bytes_per_second = 0, operations_per_second = 0;  // the limits that were used

  // A table: a line a step that was called, the longest first.
  std::string ToString() const;
};

// "kernel", "copy", "library", "while", "conditional", "custom call".
SINTER_API const char* KindName(Profile::Kind kind);

}  // namespace sinter
