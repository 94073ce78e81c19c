// The state of the fake driver.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cuda/driver/fake_driver.h"
#include "cuda/emulator/emulator.h"
#include "runtime/cuda/entry_points.h"

// The functions that the library exports under the driver's names.
#define SINTER_FAKE_CUDA_DECLARE(Name, symbol, ...) \
  extern "C" __attribute__((visibility("default"))) \
  sinter::runtime::cuda::Result Fake##Name(__VA_ARGS__) __asm__(symbol);

namespace sinter::fake_cuda {

using namespace runtime::cuda;  // the names of the binary interface

SINTER_CUDA_ENTRY_POINTS(SINTER_FAKE_CUDA_DECLARE)
SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_FAKE_CUDA_DECLARE)
#undef SINTER_FAKE_CUDA_DECLARE

enum class EntryPoint {
#define SINTER_FAKE_CUDA_ENUM(Name, symbol, ...) k##Name,
  SINTER_CUDA_ENTRY_POINTS(SINTER_FAKE_CUDA_ENUM)
      SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_FAKE_CUDA_ENUM)
#undef SINTER_FAKE_CUDA_ENUM
};

// Work that has been recorded: what waits for it may outlive the event.
struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point time;  // once done
  void Set();
  void Wait();
  bool IsDone();
};

struct Context {
  int device = 0;
  int retained = 0;
  std::atomic<int> lost{0};  // the CUresult that all calls return
};

struct Node;
struct Graph;

// What has been captured by now. Its streams are those that have it.
struct Capture {
  std::unique_ptr<Graph> graph;
  const void* origin = nullptr;  // stream
  int mode = 0;
  std::thread::id thread;
  uint64_t id = 0;
  bool invalid = false, ended = false;
};

// A thread that does work in order. What follows the loss of the context is dropped, but for marks.
class Stream {
 public:
  explicit Stream(Context* context);
  ~Stream();  // does what is pending first
  void Push(std::function<Result()> work);
  void PushMark(std::shared_ptr<Mark> mark);
  void PushWait(std::shared_ptr<Mark> mark);
  void Synchronize();
  Context* const context;
  // While it is being captured, and the nodes that what comes next is behind. With the world's
  // mutex.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> last;

 private:
  struct Task {
    std::function<Result()> work;  // null: the others
    std::shared_ptr<Mark> set, wait;
  };
  void Push(Task task);
  void Loop();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stop_ = false;
  std::thread thread_;
};

struct Event {
  Context* context;
  std::shared_ptr<Mark> mark;  // null: never recorded
  bool timed = false;
  // Of one that has been recorded in a capture last.
  std::shared_ptr<Capture> capture = nullptr;
  std::vector<Node*> last = {};
};

struct Pool {
  Context* context;
  uint64_t threshold = 0, used = 0, reserved = 0;
  std::set<int> readers = {};  // other devices
};

struct Allocation {
  Context* context;
  Pool* pool;
  size_t bytes;
  bool freed = false;   // in the order of a stream that has not come to it yet, or kept for reuse
  uint64_t number = 0;  // in the order of their coming
};

struct Link {
  Context* context;
  std::string ptx;
  std::string cubin;
  char* error_log = nullptr;
  size_t error_log_bytes = 0;
};

struct Module;
struct Function {
  Module* module;
  std::string symbol;
  emulator::KernelAttributes attributes;
  int64_t max_dynamic_shared = 48 << 10;
};
struct Module {
  Context* context;
  std::shared_ptr<emulator::Module> code;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

// A launch or copy with its parameters' values, or other work.
struct Node {
  std::vector<Node*> after;
  std::function<Result()> work;
  std::shared_ptr<emulator::Module> code;  // null: a copy
  Function* function = nullptr;
  emulator::Launch launch;  // without arguments
  std::vector<std::vector<char>> arguments;
  DevicePointer to = 0, from = 0;
  size_t bytes = 0;
};
struct Graph {
  Context* context;
  std::vector<std::unique_ptr<Node>> nodes;
};
struct GraphExec {
  Context* context;
  std::vector<const Node*> origin;  // of the graph that it was made from
  std::vector<Node> nodes;          // `after` names nodes of the graph
};

// Everything is guarded by `mutex`, which work on streams takes only for bookkeeping.
struct World {
  std::recursive_mutex mutex;
  Settings settings;
  std::map<EntryPoint, int> calls;
  std::optional<EntryPoint> fault;
  int fault_in = 0;
  Result fault_result = Result::kSuccess;
  bool fault_happened = false;
  Done done;
  std::string kernel_error;
  std::mt19937_64 random{1};
  bool initialized = false;

  std::map<int, std::unique_ptr<Context>> primary;  // by device, while retained
  // Shared: who waits for a stream does so without the lock, and another may destroy it meanwhile.
  std::map<Context*, std::shared_ptr<Stream>> default_streams;
  std::map<Stream*, std::shared_ptr<Stream>> streams;
  std::map<Event*, std::unique_ptr<Event>> events;
  std::map<Pool*, std::unique_ptr<Pool>> pools;
  std::map<DevicePointer, Allocation> allocations;
  std::map<char*, size_t> pinned;
  std::map<Link*, std::unique_ptr<Link>> links;
  std::map<Module*, std::unique_ptr<Module>> modules;
  std::map<Graph*, std::unique_ptr<Graph>> graphs;
  std::map<GraphExec*, std::unique_ptr<GraphExec>> execs;
  // By text: making IR runnable takes long.
  std::map<std::string, std::shared_ptr<emulator::Module>> code;

  emulator::Memory memory;

  // The thread's current context, or null.
  static std::vector<Context*>& Stack();
  static Context* Current();
};
World& TheWorld();

// Counts a call. A value: what it must return at once. `context`: it needs a current one that is
// not lost. `destroys`: an injected fault is returned by Leave instead.
std::optional<Result> Enter(EntryPoint entry, bool context = true);
// For calls that destroy: an injected fault or a lost context changes the result only.
Result EnterDestroying(EntryPoint entry);

#define SINTER_FAKE_CUDA_ENTER(Name) \
  if (std::optional<Result> _r = Enter(EntryPoint::k##Name)) return *_r
#define SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(Name) \
  if (std::optional<Result> _r = Enter(EntryPoint::k##Name, false)) return *_r

// Device pointers are addresses of the emulator's memory with bits that no address of the host has.
inline constexpr DevicePointer kDeviceTag = DevicePointer{0x00de} << 48;
inline bool IsDevicePointer(DevicePointer p) { return p >> 48 == kDeviceTag >> 48; }
inline char* HostAddress(DevicePointer p) { return reinterpret_cast<char*>(p & ~kDeviceTag); }

// The stream of a handle in the current context; null for one that there is not.
std::shared_ptr<Stream> StreamOf(StreamHandle handle);
// The same for calls that cannot be captured: on a stream that is being captured they end the
// capture, and fail.
std::shared_ptr<Stream> UncapturedStreamOf(StreamHandle handle);
// Work for the stream, or for what is being captured of it.
Result Submit(Stream& stream, Node node);
// The stream waits for an event, of which one or both are of a capture.
Result Join(Stream& stream, const Event& event);
// [p, p + bytes) lies within one live allocation.
bool IsLive(DevicePointer p, size_t bytes);
bool IsPinned(const void* p, size_t bytes);
// Frees what belongs to a context.
void DestroyContents(Context* context);
// Results of captures.
inline constexpr auto kCaptureUnsupported = static_cast<Result>(900);
inline constexpr auto kCaptureInvalidated = static_cast<Result>(901);
inline constexpr auto kCaptureUnmatched = static_cast<Result>(903);
inline constexpr auto kCaptureUnjoined = static_cast<Result>(904);
inline constexpr auto kCaptureIsolation = static_cast<Result>(905);
inline constexpr auto kCapturedEvent = static_cast<Result>(907);
inline constexpr auto kCaptureWrongThread = static_cast<Result>(908);
// What a node does, on the stream's thread.
Result Execute(const Node& node);
// Copies the values of a kernel's parameters; kInvalidValue for what cannot be launched.
Result FillKernel(Function* function, const std::array<unsigned, 3>& grid,
                  const std::array<unsigned, 3>& block, unsigned shared_bytes, void** parameters,
                  Node& node);

}  // namespace sinter::fake_cuda
