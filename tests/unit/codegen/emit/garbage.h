// What kernels read of their own memory before anything is there.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"

namespace sinter::kernel {

// Finds floating-point numbers that are read of a kernel's own memory before anything is written
// there: whatever becomes of what is computed of them, it is slow where they are denormal. Of what
// a task has for itself, its own writes count.
class GarbageFinder : public kernel::Observer {
 public:
  explicit GarbageFinder(const Kernel& k) : k_(k), written_(k.buffers.size()) {}
  const std::string& found() const { return found_; }
  int64_t reads() const { return reads_; }

  void BeginTask() override {
    for (size_t b = 0; b < written_.size(); ++b)
      if (k_.buffers[b].space == Space::kTask) written_[b].clear();
  }
  void Touch(const Op& op, int row, int col, int64_t element) override {
    const auto buffer = static_cast<size_t>(op.buffer);
    const Space space = k_.buffers[buffer].space;
    if ((space != Space::kTask && space != Space::kScratch) || !IsFloat(k_.buffers[buffer].elem))
      return;
    if (op.code == OpCode::kStore) {
      written_[buffer].insert(element);
      return;
    }
    ++reads_;
    if (!written_[buffer].contains(element) && found_.empty()) {
      found_ = Print(k_, op) + ": row " + std::to_string(row) + ", column " + std::to_string(col) +
               ", element " + std::to_string(element);
    }
  }

 private:
  const Kernel& k_;
  std::vector<absl::flat_hash_set<int64_t>> written_;
  std::string found_;
  int64_t reads_ = 0;
};

}  // namespace sinter::kernel
