// A custom call made ready: its target found and its attributes read, once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "custom_call/lapack.h"
#include "sinter/custom_call.h"
#include "sinter/transfer.h"

namespace sinter {

// The run that calls.
struct CallingRun {
  int64_t participant = 0;
  const HostTransfers* host = nullptr;  // may be null
};
using OwnTarget = std::function<absl::Status(const CustomCallFrame&, const CallingRun&)>;

// Where the targets of calls are found.
struct CustomCallTargets {
  // Those of the caller's own, before all others; empty for names that are none of them.
  std::function<OwnTarget(std::string_view target)> own;
  // Null: the process's.
  std::shared_ptr<const CustomCallRegistry> registry;
};

class ReadyCustomCall {
 public:
  // A target of `targets` for `platform` (made now, where that is a factory) or, where there is
  // none, on the host one of the library's. Unimplemented where there is neither.
  static absl::StatusOr<ReadyCustomCall> Make(const CustomCallTargets& targets,
                                              const std::string& target,
                                              const std::string& platform, std::string opaque,
                                              std::vector<Shape> operands,
                                              std::vector<Shape> results, bool tuple_result);

  // A call without a target, for callers that may never execute it: each Call returns `status`.
  static ReadyCustomCall Missing(absl::Status status);

  // `pointers`: the operands', then the results'. The target's status, with its name before the
  // message unless it is_own; Internal for what it throws.
  // A target of the library's may use the threads.
  absl::Status Call(absl::Span<void* const> pointers, void* stream, const CallingRun& run,
                    const linear_algebra::Threads& threads = {}) const;

  // The target is one of CustomCallTargets::own.
  bool is_own() const { return own_ != nullptr; }

 private:
  absl::Status Instantiate(const CustomCallFactory& factory);

  absl::Status missing_;
  std::string target_;
  std::string opaque_;
  std::vector<Shape> operands_, results_;
  bool tuple_result_ = false;
  std::optional<CustomCallAttributes> attributes_;
  // One of them.
  OwnTarget own_;
  CustomCallFunction function_;
  LibraryFunction library_;
};

}  // namespace sinter
