// Operations that run beside others, as XLA's text has them: a start, updates, and an end.
//
//   s = ((f32[2]), f32[2], u32[]) async-start(x), calls=f
//   u = ((f32[2]), f32[2], u32[]) async-update(s)
//   r = f32[2] async-done(u)
//
// or by the name of the operation: negate-start, negate-update, negate-done. The graph has no such
// pairs. A start that has all operands becomes the operation itself (forms.h). Where operands come
// with updates, or the text states the result at the end only, the end becomes the operation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/module.h"
#include "ir/text/forms.h"

namespace sinter {

// What the text says at a start, an update or an end.
struct AsyncParts {
  std::string_view name;  // "async", "negate": of the operation
  TextForm form;
  std::vector<HloInstruction*> operands;
  Attributes attrs;
  std::vector<HloComputation*> called;
  std::string thread;            // async_execution_thread, or empty
  const Shape* shape = nullptr;  // that the text states, or null
};

// The chains of start, updates and end in one computation.
class AsyncChains {
 public:
  // Adds what the form computes and returns what gives its value. InvalidArgument where the parts
  // of a chain differ in what they run, and as AddForm.
  absl::StatusOr<HloInstruction*> Add(HloComputation* c, AsyncParts parts);

 private:
  struct Chain {
    std::string_view name;
    HloOpcode op{};
    Attributes attrs;
    std::vector<HloComputation*> called;
    std::string thread;
    std::vector<HloInstruction*> operands;
    bool is_open = false;  // no instruction computes it yet
  };
  absl::StatusOr<HloInstruction*> Start(HloComputation* c, AsyncParts& parts);
  // Operands join an open chain.
  absl::StatusOr<HloInstruction*> Update(HloComputation* c, AsyncParts& parts, Chain chain);
  absl::StatusOr<HloInstruction*> Done(HloComputation* c, AsyncParts& parts, Chain chain);

  absl::flat_hash_map<const HloInstruction*, Chain> chains_;
  absl::flat_hash_set<const HloComputation*> called_;  // by an async-start
};

}  // namespace sinter
