// A straight run of launches and copies as a CUDA graph, which the driver submits at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cuda/context.h"

namespace sinter::runtime::cuda {

// One kernel or copy of a run. Pointers are entries of the run's table, which `parameters` refer
// to.
struct Work {
  FunctionHandle function = nullptr;  // null: a copy
  unsigned blocks = 1, threads = 1, shared_bytes = 0;
  void** parameters = nullptr;  // of the kernel: addresses of the table's entries and of dimensions
  void* const* pointers = nullptr;  // the first entry; of a copy the destination, then the source
  int32_t count = 0;                // entries
  int64_t bytes = 0;                // of a copy
};

// Submits one piece of work to the stream. Within a Scope.
absl::Status Submit(const Context& context, const Work& work);

class Graph {
 public:
  // The pieces one after the other, with the pointers of now. `work` and what it refers to must
  // outlive the graph. Within a Scope.
  static absl::StatusOr<std::unique_ptr<Graph>> Make(std::shared_ptr<Context> context,
                                                     absl::Span<const Work> work);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Submits the pieces with the pointers of now. What was submitted before keeps its own. Within a
  // Scope.
  absl::Status Submit();

 private:
  struct Node {
    GraphNodeHandle handle = nullptr;
    std::vector<void*> pointers;  // that it has
  };
  explicit Graph(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  absl::Status Patch(const Work& work, Node& node);

  const std::shared_ptr<Context> context_;
  absl::Span<const Work> work_;
  std::vector<Node> nodes_;
  GraphHandle graph_ = nullptr;
  GraphExecHandle exec_ = nullptr;
};

}  // namespace sinter::runtime::cuda
