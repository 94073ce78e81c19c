#include "runtime/cuda/graph.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

KernelNodeParameters KernelOf(const Work& work) {
  KernelNodeParameters p;
  p.function = work.function;
  p.grid_x = work.blocks;
  p.block_x = work.threads;
  p.shared_bytes = work.shared_bytes;
  p.parameters = work.parameters;
  return p;
}

CopyParameters CopyOf(const Work& work) {
  CopyParameters p;
  p.destination.device = Address(work.pointers[0]);
  p.source.device = Address(work.pointers[1]);
  p.width_bytes = static_cast<size_t>(work.bytes);
  return p;
}

}  // namespace

absl::Status Submit(const Context& context, const Work& work, StreamHandle stream) {
  if (work.function != nullptr) {
    return SINTER_CUDA_CHECK(context, LaunchKernel, work.function, work.blocks, 1, 1, work.threads,
                             1, 1, work.shared_bytes, stream, work.parameters, nullptr);
  }
  if (work.count == 1) {
    return SINTER_CUDA_CHECK(context, MemsetD32Async, Address(work.pointers[0]), work.number, 1,
                             stream);
  }
  if (work.pointers[0] == work.pointers[1]) return absl::OkStatus();
  return SINTER_CUDA_CHECK(context, MemcpyDtoDAsync, Address(work.pointers[0]),
                           Address(work.pointers[1]), static_cast<size_t>(work.bytes), stream);
}

absl::StatusOr<std::unique_ptr<Graph>> Graph::Make(std::shared_ptr<Context> context,
                                                   absl::Span<const Work> work) {
  std::unique_ptr<Graph> g(new Graph(std::move(context)));
  const Context& c = *g->context_;
  RETURN_IF_CUDA_ERROR(c, GraphCreate, &g->graph_, 0);
  for (const Work& w : work) {
    Node node{&w, nullptr, {w.pointers, w.pointers + w.count}};
    const GraphNodeHandle* after = g->nodes_.empty() ? nullptr : &g->nodes_.back().handle;
    size_t count = g->nodes_.empty() ? 0 : 1;
    if (w.function != nullptr) {
      KernelNodeParameters p = KernelOf(w);
      RETURN_IF_CUDA_ERROR(c, GraphAddKernelNode, &node.handle, g->graph_, after, count, &p);
    } else {
      CopyParameters p = CopyOf(w);
      RETURN_IF_CUDA_ERROR(c, GraphAddMemcpyNode, &node.handle, g->graph_, after, count, &p,
                           c.handle());
    }
    g->nodes_.push_back(std::move(node));
  }
  RETURN_IF_CUDA_ERROR(c, GraphInstantiate, &g->exec_, g->graph_, 0);
  return g;
}

void Graph::Drop() {
  std::lock_guard<std::mutex> lock(mutex_);
  dropped_ = true;
  if (launching_ == 0) Destroy();
}

bool Graph::dropped() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return dropped_;
}

void Graph::Destroy() {
  Context::Scope scope(*context_);
  const Driver& driver = context_->driver();
  // One that still runs is freed when it has run.
  if (exec_ != nullptr) driver.GraphExecDestroy(std::exchange(exec_, nullptr));
  if (graph_ != nullptr) driver.GraphDestroy(std::exchange(graph_, nullptr));
}

absl::Status Graph::Patch(Node& node) {
  const Work& work = *node.work;
  if (std::equal(node.pointers.begin(), node.pointers.end(), work.pointers))
    return absl::OkStatus();
  if (work.function != nullptr) {
    KernelNodeParameters p = KernelOf(work);
    RETURN_IF_CUDA_ERROR(*context_, GraphExecKernelNodeSetParams, exec_, node.handle, &p);
  } else {
    CopyParameters p = CopyOf(work);
    RETURN_IF_CUDA_ERROR(*context_, GraphExecMemcpyNodeSetParams, exec_, node.handle, &p,
                         context_->handle());
  }
  std::copy_n(work.pointers, node.pointers.size(), node.pointers.begin());
  return absl::OkStatus();
}

absl::Status Graph::Patch() {
  for (Node& node : nodes_) RETURN_IF_ERROR(Patch(node));
  return absl::OkStatus();
}

absl::Status Graph::Launch() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (dropped_) return Unavailable("its communicator has been given up");
    ++launching_;
  }
  absl::Status status;
  {
    Context::Scope scope(*context_);
    status = scope.status();
    if (status.ok()) status = SINTER_CUDA_CHECK(*context_, GraphLaunch, exec_, context_->stream());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (--launching_ == 0 && dropped_) Destroy();
  return status;
}

absl::StatusOr<std::unique_ptr<Capture>> Capture::Begin(std::shared_ptr<Context> context) {
  std::unique_ptr<Capture> capture(new Capture(std::move(context)));
  Context& c = *capture->context_;
  if (!c.driver().captures) return Unimplemented("the CUDA driver has no captures");
  ASSIGN_OR_RETURN(capture->streams_, c.capture_streams());
  // Relaxed: other threads, and NCCL, may allocate memory meanwhile.
  const Result result = c.driver().StreamBeginCapture(capture->stream(), kCaptureRelaxed);
  if (result == Result::kNotSupported) return Unimplemented("the CUDA driver has no captures");
  RETURN_IF_ERROR(c.Check(result, "cuStreamBeginCapture"));
  capture->active_ = true;
  return capture;
}

Capture::~Capture() {
  if (!active_) return;
  Context::Scope scope(*context_);
  GraphHandle graph = nullptr;
  context_->driver().StreamEndCapture(stream(), &graph);
  if (graph != nullptr) context_->driver().GraphDestroy(graph);
}

absl::Status Capture::Add(const Work& work) {
  RETURN_IF_ERROR(Submit(*context_, work, stream()));
  if (work.function == nullptr) return absl::OkStatus();
  int status = 0;
  uint64_t id = 0;
  GraphHandle graph = nullptr;
  const GraphNodeHandle* last = nullptr;
  size_t count = 0;
  RETURN_IF_CUDA_ERROR(*context_, StreamGetCaptureInfo, stream(), &status, &id, &graph, &last,
                       &count);
  RETURN_INTERNAL_IF(status != kCaptureActive || count != 1, "a capture with {} last nodes", count);
  nodes_.push_back({&work, *last, {work.pointers, work.pointers + work.count}});
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Graph>> Capture::End() {
  std::shared_ptr<Graph> g(new Graph(context_));
  active_ = false;
  RETURN_IF_CUDA_ERROR(*context_, StreamEndCapture, stream(), &g->graph_);
  RETURN_IF_CUDA_ERROR(*context_, GraphInstantiate, &g->exec_, g->graph_, 0);
  g->nodes_ = std::move(nodes_);
  return g;
}

}  // namespace sinter::runtime::cuda
