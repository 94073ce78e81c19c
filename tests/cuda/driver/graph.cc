// Graphs.
#include <algorithm>

#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

Result FillKernel(const KernelNodeParameters& p, Node& node) {
  if (p.function == nullptr || p.extra != nullptr || p.kernel != nullptr)
    return Result::kInvalidValue;
  return FillKernel(static_cast<Function*>(p.function), {p.grid_x, p.grid_y, p.grid_z},
                    {p.block_x, p.block_y, p.block_z}, p.shared_bytes, p.parameters, node);
}

Result FillCopy(const CopyParameters& p, Node& node) {
  if (p.height != 1 || p.depth != 1 || p.source.memory_type != kMemoryTypeDevice ||
      p.destination.memory_type != kMemoryTypeDevice || p.source.x_bytes != 0 ||
      p.destination.x_bytes != 0 || p.width_bytes == 0) {
    return Result::kInvalidValue;
  }
  node.to = p.destination.device;
  node.from = p.source.device;
  node.bytes = p.width_bytes;
  return IsLive(node.to, node.bytes) && IsLive(node.from, node.bytes) ? Result::kSuccess
                                                                      : Result::kInvalidValue;
}

Result Add(GraphNodeHandle* handle, GraphHandle graph, const GraphNodeHandle* after, size_t count,
           std::unique_ptr<Node> node) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.graphs.find(static_cast<Graph*>(graph));
  if (found == w.graphs.end()) return Result::kInvalidHandle;
  for (size_t i = 0; i < count; ++i) node->after.push_back(static_cast<Node*>(after[i]));
  *handle = node.get();
  found->first->nodes.push_back(std::move(node));
  return Result::kSuccess;
}

// The executable's own copy of a graph's node; null for another graph's.
Node* NodeOf(GraphExecHandle exec, GraphNodeHandle handle) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.execs.find(static_cast<GraphExec*>(exec));
  if (found == w.execs.end()) return nullptr;
  auto& origin = found->first->origin;
  auto at = std::find(origin.begin(), origin.end(), handle);
  return at == origin.end() ? nullptr
                            : &found->first->nodes[static_cast<size_t>(at - origin.begin())];
}

// Runs nodes in a random order that the edges admit.
Result RunNodes(const std::vector<const Node*>& origin, const std::vector<Node>& nodes) {
  World& w = TheWorld();
  std::vector<char> done(nodes.size());
  auto is_done = [&](const Node* n) {
    auto at = std::find(origin.begin(), origin.end(), n);
    return at != origin.end() && done[static_cast<size_t>(at - origin.begin())];
  };
  for (size_t left = nodes.size(); left > 0; --left) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(), is_done))
        ready.push_back(i);
    }
    if (ready.empty()) return Result::kUnknown;
    size_t pick;
    {
      std::lock_guard lock(w.mutex);
      pick = ready[w.random() % ready.size()];
    }
    if (Result r = Execute(nodes[pick]); r != Result::kSuccess) return r;
    done[pick] = true;
  }
  std::lock_guard lock(w.mutex);
  ++w.done.graph_launches;
  return Result::kSuccess;
}

}  // namespace

Result FakeGraphCreate(GraphHandle* graph, unsigned flags) {
  SINTER_FAKE_CUDA_ENTER(GraphCreate);
  if (flags != 0) return Result::kInvalidValue;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto made = std::make_unique<Graph>(Graph{World::Current(), {}});
  *graph = made.get();
  w.graphs[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeGraphDestroy(GraphHandle graph) {
  Result result = EnterDestroying(EntryPoint::kGraphDestroy);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.graphs.erase(static_cast<Graph*>(graph)) == 1 ? result : Result::kInvalidHandle;
}

Result FakeGraphAddKernelNode(GraphNodeHandle* node, GraphHandle graph,
                              const GraphNodeHandle* after, size_t count,
                              const KernelNodeParameters* parameters) {
  SINTER_FAKE_CUDA_ENTER(GraphAddKernelNode);
  auto made = std::make_unique<Node>();
  if (Result r = FillKernel(*parameters, *made); r != Result::kSuccess) return r;
  return Add(node, graph, after, count, std::move(made));
}

Result FakeGraphAddMemcpyNode(GraphNodeHandle* node, GraphHandle graph,
                              const GraphNodeHandle* after, size_t count,
                              const CopyParameters* parameters, ContextHandle context) {
  SINTER_FAKE_CUDA_ENTER(GraphAddMemcpyNode);
  if (context != World::Current()) return Result::kInvalidContext;
  auto made = std::make_unique<Node>();
  if (Result r = FillCopy(*parameters, *made); r != Result::kSuccess) return r;
  return Add(node, graph, after, count, std::move(made));
}

Result FakeGraphInstantiate(GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) {
  SINTER_FAKE_CUDA_ENTER(GraphInstantiate);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.graphs.find(static_cast<Graph*>(graph));
  if (flags != 0 || found == w.graphs.end()) return Result::kInvalidValue;
  auto made = std::make_unique<GraphExec>();
  made->context = World::Current();
  for (const auto& node : found->first->nodes) {
    made->origin.push_back(node.get());
    made->nodes.push_back(*node);
  }
  *exec = made.get();
  w.execs[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeGraphExecDestroy(GraphExecHandle exec) {
  Result result = EnterDestroying(EntryPoint::kGraphExecDestroy);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.execs.erase(static_cast<GraphExec*>(exec)) == 1 ? result : Result::kInvalidHandle;
}

Result FakeGraphExecKernelNodeSetParams(GraphExecHandle exec, GraphNodeHandle handle,
                                        const KernelNodeParameters* parameters) {
  SINTER_FAKE_CUDA_ENTER(GraphExecKernelNodeSetParams);
  Node* node = NodeOf(exec, handle);
  if (node == nullptr || node->code == nullptr) return Result::kInvalidHandle;
  return FillKernel(*parameters, *node);
}

Result FakeGraphExecMemcpyNodeSetParams(GraphExecHandle exec, GraphNodeHandle handle,
                                        const CopyParameters* parameters, ContextHandle context) {
  SINTER_FAKE_CUDA_ENTER(GraphExecMemcpyNodeSetParams);
  Node* node = NodeOf(exec, handle);
  if (node == nullptr || node->code != nullptr || context != World::Current())
    return Result::kInvalidHandle;
  return FillCopy(*parameters, *node);
}

Result FakeGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(GraphLaunch);
  std::shared_ptr<Stream> s = UncapturedStreamOf(stream);
  World& w = TheWorld();
  std::unique_lock lock(w.mutex);
  auto found = w.execs.find(static_cast<GraphExec*>(exec));
  if (s == nullptr || found == w.execs.end()) return Result::kInvalidHandle;
  s->Push([origin = found->first->origin, nodes = found->first->nodes] {
    return RunNodes(origin, nodes);
  });
  if (!w.settings.launches_wait) return Result::kSuccess;
  lock.unlock();
  s->Synchronize();
  return Result::kSuccess;
}

}  // namespace sinter::fake_cuda
