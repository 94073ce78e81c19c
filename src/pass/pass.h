// Passes over a module, and the pipeline that runs them: it alone verifies, dumps, times, disables
// and bisects.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  // Whether the module changed; the pipeline proves the answer where it verifies.
  virtual absl::StatusOr<bool> Run(HloModule& module) = 0;
};

// A pass made of a function.
std::unique_ptr<Pass> MakePass(std::string name,
                               std::function<absl::StatusOr<bool>(HloModule&)> run);

struct PipelineOptions {
  bool verify = false;  // after each pass that changed something; own bugs become Internal
  std::vector<std::string> disabled;  // names of passes that are skipped
  int64_t limit = -1;                 // >= 0: only the first so many passes run (bisection)
  // Receives the module before the first pass and after each one that changed it, with a name that
  // sorts in order.
  std::function<void(std::string_view name, const HloModule&)> dump;
  // Receives the time of each pass.
  std::function<void(std::string_view name, double milliseconds)> timing;
};

class Pipeline {
 public:
  Pipeline& Add(std::unique_ptr<Pass> pass);
  // Passes that are repeated, one after another, until none changes anything, at most `rounds`
  // times.
  Pipeline& AddFixedPoint(std::vector<std::unique_ptr<Pass>> passes, int rounds = 8);
  std::vector<std::string> PassNames() const;
  absl::Status Run(HloModule& module, const PipelineOptions& options) const;

 private:
  struct Entry {
    std::vector<std::unique_ptr<Pass>> passes;
    int rounds = 1;
  };
  std::vector<Entry> entries_;
};

}  // namespace sinter
