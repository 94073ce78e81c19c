// What tests steer and see, and the bookkeeping of calls.
#include "base/text.h"
#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

const char* SymbolOf(EntryPoint entry) {
  static constexpr const char* kSymbols[] = {
#define SINTER_FAKE_CUDA_SYMBOL(Name, symbol, ...) symbol,
      SINTER_CUDA_ENTRY_POINTS(SINTER_FAKE_CUDA_SYMBOL)
          SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_FAKE_CUDA_SYMBOL)
#undef SINTER_FAKE_CUDA_SYMBOL
  };
  return kSymbols[static_cast<size_t>(entry)];
}

bool IsSticky(Result r) {
  auto n = static_cast<int>(r);
  return (n >= 700 && n != 701 && n < 720) || r == Result::kEccUncorrectable;
}

// The fault that this call must return, if any.
std::optional<Result> Fault(World& w, EntryPoint entry) {
  ++w.calls[entry];
  if (w.fault != entry || --w.fault_in != 0) return std::nullopt;
  w.fault.reset();
  w.fault_happened = true;
  if (IsSticky(w.fault_result)) {
    // Without a current context the error is of work in one that there is: CtxPushCurrent tells it.
    auto lost = static_cast<int>(w.fault_result);
    if (World::Current() != nullptr) {
      World::Current()->lost = lost;
    } else {
      for (auto& [device, primary] : w.primary) primary->lost = lost;
    }
  }
  return w.fault_result;
}

}  // namespace

World& TheWorld() {
  static auto* world = new World;  // streams of forgotten clients may outlive main
  return *world;
}

std::vector<Context*>& World::Stack() {
  thread_local std::vector<Context*> stack;
  return stack;
}
Context* World::Current() { return Stack().empty() ? nullptr : Stack().back(); }

std::optional<Result> Enter(EntryPoint entry, bool context) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (auto fault = Fault(w, entry)) return fault;
  if (!context) return std::nullopt;
  if (!w.initialized) return Result::kNotInitialized;
  if (World::Current() == nullptr) return Result::kInvalidContext;
  if (int lost = World::Current()->lost) return static_cast<Result>(lost);
  return std::nullopt;
}

Result EnterDestroying(EntryPoint entry) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (auto fault = Fault(w, entry)) return *fault;
  Context* c = World::Current();
  return c != nullptr ? static_cast<Result>(c->lost.load()) : Result::kSuccess;
}

void RegisterDeviceIr(std::string_view ptx, std::string llvm_ir) {
  emulator::RegisterDeviceIr(ptx, std::move(llvm_ir));
}

std::string Alive::ToString() const {
  return Format(
      "contexts {}, streams {}, events {}, pools {}, allocations {}, pinned {}, links {}, modules "
      "{}, graphs {}, graph executables {}",
      contexts, streams, events, pools, allocations, pinned, links, modules, graphs, graph_execs);
}

Alive AliveNow() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto count = [](const auto& map) { return static_cast<int64_t>(map.size()); };
  return {count(w.primary),     count(w.streams), count(w.events), count(w.pools),
          count(w.allocations), count(w.pinned),  count(w.links),  count(w.modules),
          count(w.graphs),      count(w.execs)};
}

std::map<std::string, int> Calls() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  std::map<std::string, int> out;
#define SINTER_FAKE_CUDA_ZERO(Name, symbol, ...) out[symbol] = 0;
  SINTER_CUDA_ENTRY_POINTS(SINTER_FAKE_CUDA_ZERO)
  SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_FAKE_CUDA_ZERO)
#undef SINTER_FAKE_CUDA_ZERO
  for (auto& [entry, n] : w.calls) out[SymbolOf(entry)] = n;
  return out;
}

Done DoneNow() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.done;
}

void InjectFault(std::string_view symbol, int call, int result) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.fault_happened = false;
  w.fault_in = call;
  w.fault_result = static_cast<Result>(result);
  w.fault.reset();
#define SINTER_FAKE_CUDA_FIND(Name, text, ...) \
  if (symbol == text) w.fault = EntryPoint::k##Name;
  SINTER_CUDA_ENTRY_POINTS(SINTER_FAKE_CUDA_FIND)
  SINTER_CUDA_CAPTURE_ENTRY_POINTS(SINTER_FAKE_CUDA_FIND)
#undef SINTER_FAKE_CUDA_FIND
}

bool FaultHappened() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.fault_happened;
}

void Configure(const Settings& settings) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.settings = settings;
  w.random.seed(settings.seed);
}

void Reset() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.settings = {};
  w.calls.clear();
  w.fault.reset();
  w.fault_happened = false;
  w.done = {};
  w.kernel_error.clear();
}

std::string LastKernelError() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.kernel_error;
}

}  // namespace sinter::fake_cuda
