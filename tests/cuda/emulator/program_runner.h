// Compiled programs whose code is PTX, run step by step on the emulator.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cuda/emulator/emulator.h"
#include "program/program.h"
#include "sinter/literal.h"

namespace sinter::emulator {

class ProgramRunner {
 public:
  // NotFound where the PTX of `program`, which must outlive the runner, was never registered;
  // otherwise errors of Module::Load.
  static absl::StatusOr<std::unique_ptr<ProgramRunner>> Load(const program::Program& program);

  // From flattened arguments to flattened results. Launches see only the buffers that they name.
  // Nothing is donated: an argument that a result takes over is copied first. `seed` decides every
  // launch's schedule. Errors of Module::Run; ResourceExhausted where a While takes more than
  // `max_rounds` rounds.
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> arguments, uint64_t seed,
                                           int64_t max_rounds = 100000);
  // From now on accesses to shared memory are counted (Launch::banks).
  void CountBanks(std::vector<BankUse>* banks) { banks_ = banks; }

 private:
  explicit ProgramRunner(const program::Program& program) : program_(program) {}
  struct RunState;
  absl::Status Place(absl::Span<const Literal> arguments, RunState& run);
  absl::Status RunSteps(const std::vector<program::Step>& steps, RunState& run);
  absl::Status RunLaunch(const program::Launch& launch, RunState& run);
  absl::StatusOr<char*> Address(const program::Slice& slice, const RunState& run) const;

  const program::Program& program_;
  std::vector<BankUse>* banks_ = nullptr;
  std::vector<std::unique_ptr<Module>> modules_;  // of each code
};

}  // namespace sinter::emulator
