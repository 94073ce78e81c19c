// A straight run of work as a CUDA graph, which the driver submits at once: made of launches and
// copies one by one, or captured from streams, where it may have exchanges too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cuda/context.h"

namespace sinter::runtime::cuda {

// One kernel or copy of a run, or a number to be written. Pointers are entries of the run's table,
// which `parameters` refer to.
struct Work {
  FunctionHandle function = nullptr;  // null: a copy or a number
  unsigned blocks = 1, threads = 1, shared_bytes = 0;
  void** parameters = nullptr;  // of the kernel: addresses of the table's entries and of dimensions
  // The first entry; of a copy the destination, then the source; of a number its place.
  void* const* pointers = nullptr;
  int32_t count = 0;    // entries
  int64_t bytes = 0;    // of a copy
  uint32_t number = 0;  // where there is one entry and no kernel
};

// Submits one piece of work to the stream. Within a Scope.
absl::Status Submit(const Context& context, const Work& work, StreamHandle stream);

// Safe from several threads, but for Patch.
class Graph {
 public:
  // The pieces one after the other, with the pointers of now. `work` and what it refers to must
  // outlive the graph. Within a Scope.
  static absl::StatusOr<std::unique_ptr<Graph>> Make(std::shared_ptr<Context> context,
                                                     absl::Span<const Work> work);
  ~Graph() { Drop(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // The pieces get the pointers of now. What was submitted before keeps its own. Within a Scope.
  absl::Status Patch();
  // Submits them to the context's stream. Unavailable where it has been dropped. Makes its own
  // scope.
  absl::Status Launch();
  // It is never submitted again, and nothing of it is left once what has been submitted is done.
  void Drop();
  bool dropped() const;

 private:
  friend class Capture;
  struct Node {
    const Work* work = nullptr;
    GraphNodeHandle handle = nullptr;
    std::vector<void*> pointers;  // that it has
  };
  explicit Graph(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  absl::Status Patch(Node& node);
  void Destroy();

  const std::shared_ptr<Context> context_;
  std::vector<Node> nodes_;
  mutable std::mutex mutex_;
  GraphHandle graph_ = nullptr;
  GraphExecHandle exec_ = nullptr;
  int launching_ = 0;
  bool dropped_ = false;
};

// What is submitted to two streams of the context's own, until the capture ends, becomes a graph.
class Capture {
 public:
  // Unimplemented where the driver has no captures.
  static absl::StatusOr<std::unique_ptr<Capture>> Begin(std::shared_ptr<Context> context);
  // Without End, what has been captured is dropped.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  const std::shared_ptr<Context>& context() const { return context_; }
  StreamHandle stream() const { return streams_.stream; }
  // For exchanges that only begin; what is there is to be ordered before the end of `stream`.
  StreamHandle exchange_stream() const { return streams_.exchange; }
  // Submits to `stream`; pointers of kernels can be patched later. `work` and what it refers to
  // must outlive the graph. Within a Scope.
  absl::Status Add(const Work& work);
  // Within a Scope.
  absl::StatusOr<std::shared_ptr<Graph>> End();

 private:
  explicit Capture(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const std::shared_ptr<Context> context_;
  Context::CaptureStreams streams_;
  bool active_ = false;
  std::vector<Graph::Node> nodes_;
};

}  // namespace sinter::runtime::cuda
