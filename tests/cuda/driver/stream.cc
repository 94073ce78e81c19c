// Streams and events.
#include "cuda/driver/world.h"

namespace sinter::fake_cuda {

void Mark::Set() {
  {
    std::lock_guard lock(mutex);
    done = true;
    time = std::chrono::steady_clock::now();
  }
  changed.notify_all();
}
void Mark::Wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}
bool Mark::IsDone() {
  std::lock_guard lock(mutex);
  return done;
}

Stream::Stream(Context* c) : context(c), thread_([this] { Loop(); }) {}

Stream::~Stream() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::Push(std::function<Result()> work) { Push(Task{std::move(work), nullptr, nullptr}); }
void Stream::PushMark(std::shared_ptr<Mark> mark) { Push(Task{{}, std::move(mark), nullptr}); }
void Stream::PushWait(std::shared_ptr<Mark> mark) { Push(Task{{}, nullptr, std::move(mark)}); }
void Stream::Push(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void Stream::Synchronize() {
  auto mark = std::make_shared<Mark>();
  PushMark(mark);
  mark->Wait();
}

void Stream::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    if (task.wait != nullptr) task.wait->Wait();
    if (task.work && context->lost == 0) {
      World& w = TheWorld();
      int64_t delay = 0;
      {
        std::lock_guard world_lock(w.mutex);
        if (w.settings.most_delay_us > 0)
          delay =
              static_cast<int64_t>(w.random() % static_cast<uint64_t>(w.settings.most_delay_us));
      }
      if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
      Result result = task.work();
      if (result != Result::kSuccess) context->lost = static_cast<int>(result);
    }
    task.work = nullptr;
    if (task.set != nullptr) task.set->Set();
    lock.lock();
  }
}

std::shared_ptr<Stream> StreamOf(StreamHandle handle) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  // The legacy and the per-thread default stream have handles of their own.
  if (reinterpret_cast<uintptr_t>(handle) <= 2) {
    std::shared_ptr<Stream>& stream = w.default_streams[World::Current()];
    if (stream == nullptr) stream = std::make_shared<Stream>(World::Current());
    return stream;
  }
  auto found = w.streams.find(static_cast<Stream*>(handle));
  if (found == w.streams.end() || found->first->context != World::Current()) return nullptr;
  return found->second;
}

Result FakeStreamCreate(StreamHandle* stream, unsigned flags) {
  SINTER_FAKE_CUDA_ENTER(StreamCreate);
  if (flags > 1) return Result::kInvalidValue;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto made = std::make_shared<Stream>(World::Current());
  *stream = made.get();
  w.streams[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeStreamDestroy(StreamHandle stream) {
  Result result = EnterDestroying(EntryPoint::kStreamDestroy);
  World& w = TheWorld();
  std::shared_ptr<Stream> gone;  // finishes its work without the lock
  {
    std::lock_guard lock(w.mutex);
    auto found = w.streams.find(static_cast<Stream*>(stream));
    if (found == w.streams.end()) return Result::kInvalidHandle;
    gone = std::move(found->second);
    w.streams.erase(found);
  }
  gone->Synchronize();
  return result;
}

Result FakeStreamSynchronize(StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(StreamSynchronize);
  std::shared_ptr<Stream> s = UncapturedStreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  s->Synchronize();
  return static_cast<Result>(s->context->lost.load());
}

Result FakeStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags) {
  SINTER_FAKE_CUDA_ENTER(StreamWaitEvent);
  std::shared_ptr<Stream> s = StreamOf(stream);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.events.find(static_cast<Event*>(event));
  if (s == nullptr || flags != 0 || found == w.events.end()) return Result::kInvalidHandle;
  if (found->first->capture != nullptr || s->capture != nullptr) return Join(*s, *found->first);
  if (found->first->mark != nullptr) s->PushWait(found->first->mark);
  return Result::kSuccess;
}

Result FakeEventCreate(EventHandle* event, unsigned flags) {
  SINTER_FAKE_CUDA_ENTER(EventCreate);
  if (flags > 7) return Result::kInvalidValue;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto made =
      std::make_unique<Event>(Event{World::Current(), nullptr, (flags & kEventDisableTiming) == 0});
  *event = made.get();
  w.events[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeEventDestroy(EventHandle event) {
  Result result = EnterDestroying(EntryPoint::kEventDestroy);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.events.erase(static_cast<Event*>(event)) == 1 ? result : Result::kInvalidHandle;
}

Result FakeEventRecord(EventHandle event, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(EventRecord);
  std::shared_ptr<Stream> s = StreamOf(stream);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.events.find(static_cast<Event*>(event));
  if (s == nullptr || found == w.events.end()) return Result::kInvalidHandle;
  found->first->capture = s->capture;
  found->first->last = s->last;
  found->first->mark = nullptr;
  if (s->capture != nullptr) return Result::kSuccess;
  found->first->mark = std::make_shared<Mark>();
  s->PushMark(found->first->mark);
  return Result::kSuccess;
}

namespace {
// The mark of an event, null: never recorded; or why there is none.
Result FindMark(EventHandle event, std::shared_ptr<Mark>* mark) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.events.find(static_cast<Event*>(event));
  if (found == w.events.end()) return Result::kInvalidHandle;
  if (found->first->capture != nullptr) {
    found->first->capture->invalid = true;
    return kCapturedEvent;
  }
  *mark = found->first->mark;
  return Result::kSuccess;
}
}  // namespace

Result FakeEventQuery(EventHandle event) {
  SINTER_FAKE_CUDA_ENTER(EventQuery);
  std::shared_ptr<Mark> mark;
  if (Result r = FindMark(event, &mark); r != Result::kSuccess) return r;
  if (mark != nullptr && !mark->IsDone()) return Result::kNotReady;
  return static_cast<Result>(World::Current()->lost.load());
}

Result FakeEventSynchronize(EventHandle event) {
  SINTER_FAKE_CUDA_ENTER(EventSynchronize);
  std::shared_ptr<Mark> mark;
  if (Result r = FindMark(event, &mark); r != Result::kSuccess) return r;
  if (mark != nullptr) mark->Wait();
  return static_cast<Result>(World::Current()->lost.load());
}

Result FakeEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  SINTER_FAKE_CUDA_ENTER(EventElapsedTime);
  World& w = TheWorld();
  std::shared_ptr<Mark> marks[2];
  {
    std::lock_guard lock(w.mutex);
    for (int i = 0; i < 2; i++) {
      auto found = w.events.find(static_cast<Event*>(i == 0 ? start : end));
      if (found == w.events.end() || !found->first->timed || found->first->mark == nullptr)
        return Result::kInvalidHandle;
      marks[i] = found->first->mark;
    }
  }
  for (const auto& mark : marks)
    if (!mark->IsDone()) return Result::kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(marks[1]->time - marks[0]->time).count();
  return static_cast<Result>(World::Current()->lost.load());
}

bool SubmitToStream(void* stream, std::function<int()> work) {
  std::shared_ptr<Stream> s = StreamOf(stream);
  if (s == nullptr) return false;
  Node node;
  node.work = [work = std::move(work)] { return static_cast<Result>(work()); };
  return Submit(*s, std::move(node)) == Result::kSuccess;
}

int CurrentDevice() { return World::Current() == nullptr ? -1 : World::Current()->device; }

}  // namespace sinter::fake_cuda
