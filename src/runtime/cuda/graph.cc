#include "runtime/cuda/graph.h"

#include <algorithm>

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

absl::Status Submit(const Context& context, const Work& work) {
  if (work.function != nullptr) {
    return SINTER_CUDA_CHECK(context, LaunchKernel, work.function, work.blocks, 1, 1, work.threads,
                             1, 1, work.shared_bytes, context.stream(), work.parameters, nullptr);
  }
  if (work.pointers[0] == work.pointers[1]) return absl::OkStatus();
  return SINTER_CUDA_CHECK(context, MemcpyDtoDAsync, Address(work.pointers[0]),
                           Address(work.pointers[1]), static_cast<size_t>(work.bytes),
                           context.stream());
}

absl::StatusOr<std::unique_ptr<Graph>> Graph::Make(std::shared_ptr<Context> context,
                                                   absl::Span<const Work> work) {
  std::unique_ptr<Graph> g(new Graph(std::move(context)));
  const Context& c = *g->context_;
  g->work_ = work;
  RETURN_IF_CUDA_ERROR(c, GraphCreate, &g->graph_, 0);
  for (const Work& w : work) {
    Node node;
    node.pointers.assign(w.pointers, w.pointers + w.count);
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

Graph::~Graph() {
  Context::Scope scope(*context_);
  const Driver& driver = context_->driver();
  // One that still runs is freed when it has run.
  if (exec_ != nullptr) driver.GraphExecDestroy(exec_);
  if (graph_ != nullptr) driver.GraphDestroy(graph_);
}

absl::Status Graph::Patch(const Work& work, Node& node) {
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

absl::Status Graph::Submit() {
  for (size_t i = 0; i < nodes_.size(); ++i) RETURN_IF_ERROR(Patch(work_[i], nodes_[i]));
  return SINTER_CUDA_CHECK(*context_, GraphLaunch, exec_, context_->stream());
}

}  // namespace sinter::runtime::cuda
