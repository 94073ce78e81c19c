// A custom call made ready: its target found and its attributes read, once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sinter/custom_call.h"

namespace sinter {

class ReadyCustomCall {
 public:
  // A target of `registry` (null: the process's) for `platform` or, where that has none, on the
  // host one of the library's own. Unimplemented where there is neither; Unavailable where the
  // library's needs one of the host's that is not there.
  static absl::StatusOr<ReadyCustomCall> Make(const CustomCallRegistry* registry,
                                              const std::string& target,
                                              const std::string& platform, std::string opaque,
                                              std::vector<Shape> operands,
                                              std::vector<Shape> results, bool tuple_result);

  // `pointers`: the operands', then the results'. The target's status, with its name before the
  // message; Internal for what it throws.
  absl::Status Call(absl::Span<void* const> pointers, void* stream) const;

 private:
  std::string target_;
  std::string opaque_;
  std::vector<Shape> operands_, results_;
  bool tuple_result_ = false;
  std::optional<CustomCallAttributes> attributes_;
  CustomCallFunction function_;
};

}  // namespace sinter
