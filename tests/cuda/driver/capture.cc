// Captures of streams.
#include <algorithm>

#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

Result Invalidate(Capture& capture, Result why) {
  capture.invalid = true;
  return why;
}

// All that `last` is behind.
std::set<const Node*> Before(const std::vector<Node*>& last) {
  std::set<const Node*> found;
  std::vector<const Node*> left(last.begin(), last.end());
  while (!left.empty()) {
    const Node* n = left.back();
    left.pop_back();
    if (found.insert(n).second) left.insert(left.end(), n->after.begin(), n->after.end());
  }
  return found;
}

}  // namespace

std::shared_ptr<Stream> UncapturedStreamOf(StreamHandle handle) {
  std::shared_ptr<Stream> s = StreamOf(handle);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (s == nullptr || s->capture == nullptr) return s;
  s->capture->invalid = true;
  return nullptr;
}

Result Submit(Stream& stream, Node node) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (stream.capture == nullptr) {
    stream.Push([node = std::move(node)] { return Execute(node); });
    return Result::kSuccess;
  }
  if (stream.capture->invalid) return kCaptureInvalidated;
  node.after = stream.last;
  auto made = std::make_unique<Node>(std::move(node));
  stream.last = {made.get()};
  stream.capture->graph->nodes.push_back(std::move(made));
  return Result::kSuccess;
}

Result Join(Stream& stream, const Event& event) {
  if (event.capture == nullptr) return Invalidate(*stream.capture, kCaptureIsolation);
  if (event.capture->ended || event.capture->invalid) {
    if (stream.capture != nullptr) stream.capture->invalid = true;
    return kCapturedEvent;
  }
  if (stream.capture == nullptr) {
    stream.capture = event.capture;
  } else if (stream.capture != event.capture) {
    return Invalidate(*stream.capture, Invalidate(*event.capture, kCaptureIsolation));
  }
  for (Node* n : event.last) {
    if (std::find(stream.last.begin(), stream.last.end(), n) == stream.last.end())
      stream.last.push_back(n);
  }
  return Result::kSuccess;
}

bool IsCaptured(void* stream) {
  const std::shared_ptr<Stream> s = StreamOf(stream);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return s != nullptr && s->capture != nullptr;
}

Result FakeStreamBeginCapture(StreamHandle stream, int mode) {
  SINTER_FAKE_CUDA_ENTER(StreamBeginCapture);
  const std::shared_ptr<Stream> s = StreamOf(stream);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (s == nullptr || mode < 0 || mode > 2 || reinterpret_cast<uintptr_t>(stream) <= 2)
    return Result::kInvalidValue;
  if (s->capture != nullptr) return Result::kInvalidValue;
  static uint64_t ids = 0;
  auto capture = std::make_shared<Capture>();
  capture->graph = std::make_unique<Graph>(Graph{World::Current(), {}});
  capture->origin = s.get();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = ++ids;
  s->capture = std::move(capture);
  s->last.clear();
  return Result::kSuccess;
}

Result FakeStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  // What has been captured is gone, whatever the result.
  const Result result = EnterDestroying(EntryPoint::kStreamEndCapture);
  *graph = nullptr;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const auto found = w.streams.find(static_cast<Stream*>(stream));
  if (found == w.streams.end()) return Result::kInvalidHandle;
  const std::shared_ptr<Stream> s = found->second;
  if (s->capture == nullptr) return Result::kInvalidValue;
  const std::shared_ptr<Capture> capture = s->capture;
  if (capture->origin != s.get()) return Invalidate(*capture, kCaptureUnmatched);
  if (capture->mode != 2 && capture->thread != std::this_thread::get_id())
    return Invalidate(*capture, kCaptureWrongThread);
  const std::set<const Node*> joined = Before(s->last);
  bool all_joined = true;
  for (auto& [handle, other] : w.streams) {
    if (other->capture != capture) continue;
    for (const Node* n : other->last) all_joined &= joined.contains(n);
    other->capture = nullptr;
    other->last.clear();
  }
  capture->ended = true;
  // Events may still refer to the capture.
  std::unique_ptr<Graph> made = std::move(capture->graph);
  if (result != Result::kSuccess) return result;
  if (capture->invalid) return kCaptureInvalidated;
  if (!all_joined) return kCaptureUnjoined;
  *graph = made.get();
  w.graphs[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeStreamGetCaptureInfo(StreamHandle stream, int* status, uint64_t* id, GraphHandle* graph,
                                const GraphNodeHandle** last, size_t* count) {
  SINTER_FAKE_CUDA_ENTER(StreamGetCaptureInfo);
  const std::shared_ptr<Stream> s = StreamOf(stream);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (s == nullptr) return Result::kInvalidHandle;
  *status = s->capture == nullptr ? 0 : s->capture->invalid ? 2 : 1;
  if (*status != 1) return Result::kSuccess;
  *id = s->capture->id;
  *graph = s->capture->graph.get();
  // Until the stream is next used.
  static_assert(sizeof(GraphNodeHandle) == sizeof(Node*));
  *last = reinterpret_cast<const GraphNodeHandle*>(s->last.data());
  *count = s->last.size();
  return Result::kSuccess;
}

}  // namespace sinter::fake_cuda
