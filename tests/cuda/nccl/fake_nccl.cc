#include "cuda/nccl/fake_nccl.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/text.h"
#include "cuda/driver/fake_driver.h"
#include "cuda/nccl/combine.h"
#include "runtime/cuda/nccl.h"

namespace sinter::fake_nccl {

using namespace runtime::cuda;  // the names of the binary interface

// The functions that the library exports under NCCL's names.
#define SINTER_FAKE_NCCL_DECLARE(Returned, Name, symbol, ...) \
  extern "C" __attribute__((visibility("default")))           \
  Returned Fake##Name(__VA_ARGS__) __asm__(symbol);
SINTER_NCCL_ENTRY_POINTS(SINTER_FAKE_NCCL_DECLARE)
#undef SINTER_FAKE_NCCL_DECLARE

namespace {

constexpr auto kPoll = std::chrono::microseconds(50);
// For graphs that have captured a communicator, and still run, to end.
constexpr auto kGraphsEnd = std::chrono::seconds(5);

struct Comm {
  std::filesystem::path folder;
  int ranks = 0, rank = 0, device = -1;
  std::atomic<bool> aborted{false};
  std::atomic<int> error{0};
  // In the order in which the rank's streams come to them, which is that of the calls.
  std::atomic<int64_t> collectives{0};
  std::mutex mutex;
  std::map<int, int64_t> sent, received;  // by peer
  // Held by all that has been captured.
  std::shared_ptr<int> captured = std::make_shared<int>(0);
  int64_t Next(std::map<int, int64_t>& numbers, int peer) {
    std::lock_guard lock(mutex);
    return numbers[peer]++;
  }

  bool IsReady() const {
    for (int r = 0; r < ranks; ++r) {
      if (!std::filesystem::exists(folder / Format("rank.{}", r))) return false;
    }
    return true;
  }
  // False: it has been aborted meanwhile.
  bool Put(const std::string& name, const std::vector<char>& bytes) const {
    const std::filesystem::path to = folder / name, half = folder / (name + ".half");
    {
      std::ofstream out(half, std::ios::binary);
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    std::error_code failed;
    std::filesystem::rename(half, to, failed);
    return !aborted;
  }
  // What a peer has put there, once it has.
  std::optional<std::vector<char>> Get(const std::string& name) const {
    while (!aborted) {
      std::ifstream in(folder / name, std::ios::binary);
      if (in) return std::vector<char>(std::istreambuf_iterator<char>(in), {});
      std::this_thread::sleep_for(kPoll);
    }
    return std::nullopt;
  }
  void WaitForAbort() const {
    while (!aborted) std::this_thread::sleep_for(kPoll);
  }
};

struct World {
  std::mutex mutex;
  std::map<std::string, int> calls;
  std::string fault;
  int fault_in = 0, fault_result = 0;
  bool fault_happened = false;
  std::set<int> hanging;
  std::map<int, int> failing;
  int64_t operations = 0;
  std::string mistakes;
  std::map<Comm*, std::shared_ptr<Comm>> comms;
  std::vector<std::filesystem::path> folders;
  ~World() {
    std::error_code ignored;
    for (const auto& f : folders) std::filesystem::remove_all(f, ignored);
  }
};
World& TheWorld() {
  static World world;
  return world;
}

thread_local int depth = 0;
// Of a group's calls: some were on streams that are being captured, some on others.
thread_local bool has_captured = false, has_uncaptured = false;
thread_local std::vector<std::function<NcclResult()>> queued;
// Behind the others of a group, which do not wait: two that send each other would wait for ever.
thread_local std::vector<std::function<NcclResult()>> queued_last;

std::optional<NcclResult> Enter(const char* symbol) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  ++w.calls[symbol];
  if (w.fault != symbol || --w.fault_in != 0) return std::nullopt;
  w.fault.clear();
  w.fault_happened = true;
  return static_cast<NcclResult>(w.fault_result);
}
#define SINTER_FAKE_NCCL_ENTER(symbol) \
  if (std::optional<NcclResult> _r = Enter(symbol)) return *_r

std::shared_ptr<Comm> Find(NcclComm handle) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const auto found = w.comms.find(static_cast<Comm*>(handle));
  return found == w.comms.end() ? nullptr : found->second;
}

NcclResult Later(std::function<NcclResult()> call) {
  if (depth == 0) return call();
  queued.push_back(std::move(call));
  return NcclResult::kSuccess;
}

// Device memory as it is when the operation's turn comes; nullopt: it is not there.
std::optional<std::vector<char>> Read(const void* from, size_t bytes) {
  if (bytes == 0) return std::vector<char>();
  const char* data = fake_cuda::MemoryAt(from, bytes);
  if (data == nullptr) return std::nullopt;
  return std::vector<char>(data, data + bytes);
}
bool Write(void* to, const std::vector<char>& bytes) {
  if (bytes.empty()) return true;
  char* data = fake_cuda::MemoryAt(to, bytes.size());
  if (data == nullptr) return false;
  std::memcpy(data, bytes.data(), bytes.size());
  return true;
}

// Peers of the process read memory directly.
bool IsOpen(const Comm& comm, const void* memory, size_t bytes) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  for (const auto& [handle, other] : w.comms) {
    if (bytes > 0 && other->folder == comm.folder && !fake_cuda::IsOpenTo(memory, other->device))
      return false;
  }
  return true;
}

// Queues what `run` does on the rank's stream: it returns false for memory that is not there.
NcclResult Operate(NcclComm handle, StreamHandle stream, std::function<bool(Comm&)> run) {
  const std::shared_ptr<Comm> comm = Find(handle);
  if (comm == nullptr || comm->device != fake_cuda::CurrentDevice())
    return NcclResult::kInvalidArgument;
  if (!comm->IsReady()) return NcclResult::kInvalidUsage;
  const bool captured = fake_cuda::IsCaptured(stream);
  (captured ? has_captured : has_uncaptured) = true;
  const std::shared_ptr<int> holds = captured ? comm->captured : nullptr;
  const bool submitted = fake_cuda::SubmitToStream(stream, [comm, holds, run = std::move(run)] {
    {
      World& w = TheWorld();
      std::unique_lock lock(w.mutex);
      ++w.operations;
      if (auto failing = w.failing.find(comm->rank); failing != w.failing.end()) {
        comm->error = failing->second;
        w.failing.erase(failing);
        lock.unlock();
        comm->WaitForAbort();
        return 0;
      }
      if (w.hanging.contains(comm->rank)) {
        lock.unlock();
        comm->WaitForAbort();
        return 0;
      }
    }
    return run(*comm) || comm->aborted ? 0 : static_cast<int>(Result::kIllegalAddress);
  });
  return submitted ? NcclResult::kSuccess : NcclResult::kInvalidArgument;
}

// Every rank gives its bytes, and makes its result of those of all.
using Gathered = std::vector<std::vector<char>>;
NcclResult Together(NcclComm handle, StreamHandle stream, const void* from, size_t bytes,
                    std::function<bool(const Comm&, Gathered)> finish) {
  const std::shared_ptr<Comm> comm = Find(handle);
  if (comm == nullptr || !IsOpen(*comm, from, bytes)) return NcclResult::kInvalidArgument;
  return Operate(handle, stream, [=, finish = std::move(finish)](Comm& c) {
    const int64_t number = c.collectives++;
    auto own = Read(from, bytes);
    if (!own) return false;
    if (!c.Put(Format("all.{}.{}", number, c.rank), *own)) return true;
    Gathered all;
    for (int r = 0; r < c.ranks; ++r) {
      auto theirs = c.Get(Format("all.{}.{}", number, r));
      if (!theirs) return true;
      if (theirs->size() != bytes) {
        // NCCL would read beyond, or wait for ever.
        c.WaitForAbort();
        return true;
      }
      all.push_back(*std::move(theirs));
    }
    return finish(c, std::move(all));
  });
}

std::vector<char> Reduced(Gathered all, NcclType type, NcclReduction op) {
  std::vector<char> sum = std::move(all[0]);
  for (size_t r = 1; r < all.size(); ++r) Combine(type, op, sum, all[r]);
  return sum;
}

bool Knows(NcclType type, NcclReduction op) {
  return static_cast<int>(type) >= 0 && static_cast<int>(type) <= 9 && static_cast<int>(op) >= 0 &&
         static_cast<int>(op) <= 3;
}

}  // namespace

NcclResult FakeGetVersion(int* version) {
  SINTER_FAKE_NCCL_ENTER("ncclGetVersion");
  *version = 22304;
  return NcclResult::kSuccess;
}

const char* FakeGetErrorString(NcclResult result) {
  Enter("ncclGetErrorString");
  return result == NcclResult::kRemoteError ? "remote process exited or there was a network error"
                                            : "internal error";
}

NcclResult FakeGetUniqueId(NcclId* id) {
  SINTER_FAKE_NCCL_ENTER("ncclGetUniqueId");
  std::string path = (std::filesystem::temp_directory_path() / "sinter_nccl_XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr || path.size() >= sizeof id->bytes)
    return NcclResult::kSystemError;
  *id = {};
  std::memcpy(id->bytes, path.data(), path.size());
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.folders.emplace_back(path);
  return NcclResult::kSuccess;
}

NcclResult FakeCommInitRankConfig(NcclComm* comm, int ranks, NcclId id, int rank,
                                  NcclConfig* config) {
  SINTER_FAKE_NCCL_ENTER("ncclCommInitRankConfig");
  if (config == nullptr || config->magic != 0xcafebeef || config->size < sizeof(NcclConfig) ||
      config->blocking != 0 || rank < 0 || rank >= ranks || fake_cuda::CurrentDevice() < 0)
    return NcclResult::kInvalidArgument;
  auto made = std::make_shared<Comm>();
  made->folder = id.bytes;
  made->ranks = ranks;
  made->rank = rank;
  made->device = fake_cuda::CurrentDevice();
  *comm = made.get();
  World& w = TheWorld();
  {
    std::lock_guard lock(w.mutex);
    w.comms[made.get()] = made;
  }
  return Later([made] {
    made->Put(Format("rank.{}", made->rank), {});
    return NcclResult::kInProgress;
  });
}

namespace {
void AwaitGraphs(const Comm& comm, const char* symbol) {
  const auto end = std::chrono::steady_clock::now() + kGraphsEnd;
  while (comm.captured.use_count() > 1) {
    if (std::chrono::steady_clock::now() > end) {
      World& w = TheWorld();
      std::lock_guard lock(w.mutex);
      w.mistakes += Format("{} of rank {} waits for graphs. ", symbol, comm.rank);
      return;
    }
    std::this_thread::sleep_for(kPoll);
  }
}
NcclResult End(NcclComm comm, bool aborts) {
  World& w = TheWorld();
  std::shared_ptr<Comm> gone;
  {
    std::lock_guard lock(w.mutex);
    const auto found = w.comms.find(static_cast<Comm*>(comm));
    if (found == w.comms.end()) return NcclResult::kInvalidArgument;
    if (aborts) found->second->aborted = true;
    gone = std::move(found->second);
    w.comms.erase(found);
  }
  AwaitGraphs(*gone, aborts ? "ncclCommAbort" : "ncclCommDestroy");
  return NcclResult::kSuccess;
}
}  // namespace

NcclResult FakeCommFinalize(NcclComm comm) {
  SINTER_FAKE_NCCL_ENTER("ncclCommFinalize");
  if (const auto c = Find(comm)) AwaitGraphs(*c, "ncclCommFinalize");
  return Find(comm) == nullptr ? NcclResult::kInvalidArgument : NcclResult::kInProgress;
}
NcclResult FakeCommDestroy(NcclComm comm) {
  const auto fault = Enter("ncclCommDestroy");
  const NcclResult ended = End(comm, false);
  return fault.value_or(ended);
}
NcclResult FakeCommAbort(NcclComm comm) {
  const auto fault = Enter("ncclCommAbort");
  const NcclResult ended = End(comm, true);
  return fault.value_or(ended);
}

NcclResult FakeCommGetAsyncError(NcclComm comm, NcclResult* error) {
  SINTER_FAKE_NCCL_ENTER("ncclCommGetAsyncError");
  const std::shared_ptr<Comm> c = Find(comm);
  if (c == nullptr) return NcclResult::kInvalidArgument;
  *error = static_cast<NcclResult>(c->error.load());
  if (*error == NcclResult::kSuccess && !c->IsReady()) *error = NcclResult::kInProgress;
  return NcclResult::kSuccess;
}

NcclResult FakeGroupStart() {
  SINTER_FAKE_NCCL_ENTER("ncclGroupStart");
  ++depth;
  return NcclResult::kSuccess;
}
NcclResult FakeGroupEnd() {
  const auto fault = Enter("ncclGroupEnd");
  if (depth == 0) return NcclResult::kInvalidUsage;
  if (--depth > 0) return NcclResult::kSuccess;
  std::vector<std::function<NcclResult()>> calls = std::move(queued);
  calls.insert(calls.end(), queued_last.begin(), queued_last.end());
  queued.clear();
  queued_last.clear();
  if (fault) return *fault;
  NcclResult result = NcclResult::kSuccess;
  has_captured = has_uncaptured = false;
  for (auto& call : calls) {
    const NcclResult one = call();
    if (result == NcclResult::kSuccess || result == NcclResult::kInProgress) result = one;
  }
  if (has_captured && has_uncaptured) return NcclResult::kInvalidUsage;
  return result;
}

// Calls in a group are made when it ends, with the device that was current when they were queued.
#define SINTER_FAKE_NCCL_LATER(...) return Later([=]() -> NcclResult { __VA_ARGS__ })

namespace {
// The group's end may have another context current: NCCL makes the communicator's own so.
NcclResult OnDevice(NcclComm handle, const std::function<NcclResult()>& call) {
  const std::shared_ptr<Comm> comm = Find(handle);
  if (comm == nullptr) return NcclResult::kInvalidArgument;
  return static_cast<NcclResult>(
      fake_cuda::WithDevice(comm->device, [&] { return static_cast<int>(call()); }));
}
}  // namespace

NcclResult FakeAllGather(const void* from, void* to, size_t count, NcclType type, NcclComm comm,
                         StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclAllGather");
  const size_t bytes = count * WidthOf(type);
  SINTER_FAKE_NCCL_LATER(
      return OnDevice(comm, [=] {
               return Together(comm, stream, from, bytes, [=](const Comm&, const Gathered& all) {
                 std::vector<char> joined;
                 for (const auto& part : all) joined.insert(joined.end(), part.begin(), part.end());
                 return Write(to, joined);
               });
             }););
}

NcclResult FakeAllReduce(const void* from, void* to, size_t count, NcclType type, NcclReduction op,
                         NcclComm comm, StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclAllReduce");
  if (!Knows(type, op)) return NcclResult::kInvalidArgument;
  SINTER_FAKE_NCCL_LATER(return OnDevice(comm, [=] {
                                  return Together(comm, stream, from, count * WidthOf(type),
                                                  [=](const Comm&, Gathered all) {
                                                    return Write(to,
                                                                 Reduced(std::move(all), type, op));
                                                  });
                                }););
}

NcclResult FakeReduceScatter(const void* from, void* to, size_t count, NcclType type,
                             NcclReduction op, NcclComm comm, StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclReduceScatter");
  if (!Knows(type, op)) return NcclResult::kInvalidArgument;
  const std::shared_ptr<Comm> c = Find(comm);
  if (c == nullptr) return NcclResult::kInvalidArgument;
  const size_t bytes = count * WidthOf(type), all_bytes = bytes * static_cast<size_t>(c->ranks);
  SINTER_FAKE_NCCL_LATER(
      return OnDevice(comm, [=] {
               return Together(comm, stream, from, all_bytes, [=](const Comm& self, Gathered all) {
                 const std::vector<char> sum = Reduced(std::move(all), type, op);
                 const char* own = sum.data() + bytes * static_cast<size_t>(self.rank);
                 return Write(to, {own, own + bytes});
               });
             }););
}

NcclResult FakeReduce(const void* from, void* to, size_t count, NcclType type, NcclReduction op,
                      int root, NcclComm comm, StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclReduce");
  if (!Knows(type, op)) return NcclResult::kInvalidArgument;
  SINTER_FAKE_NCCL_LATER(
      return OnDevice(comm, [=] {
               return Together(
                   comm, stream, from, count * WidthOf(type), [=](const Comm& self, Gathered all) {
                     return self.rank != root || Write(to, Reduced(std::move(all), type, op));
                   });
             }););
}

NcclResult FakeBroadcast(const void* from, void* to, size_t count, NcclType type, int root,
                         NcclComm comm, StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclBroadcast");
  SINTER_FAKE_NCCL_LATER(return OnDevice(comm, [=] {
                                  return Together(comm, stream, from, count * WidthOf(type),
                                                  [=](const Comm&, Gathered all) {
                                                    return Write(to,
                                                                 all[static_cast<size_t>(root)]);
                                                  });
                                }););
}

NcclResult FakeSend(const void* from, size_t count, NcclType type, int peer, NcclComm comm,
                    StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclSend");
  const size_t bytes = count * WidthOf(type);
  SINTER_FAKE_NCCL_LATER(return OnDevice(comm, [=] {
                                  const std::shared_ptr<Comm> c = Find(comm);
                                  if (!IsOpen(*c, from, bytes)) return NcclResult::kInvalidArgument;
                                  return Operate(comm, stream, [=](Comm& self) {
                                    const int64_t number = self.Next(self.sent, peer);
                                    auto own = Read(from, bytes);
                                    if (own)
                                      self.Put(Format("one.{}.{}.{}", self.rank, peer, number),
                                               *own);
                                    return own.has_value();
                                  });
                                }););
}

NcclResult FakeRecv(void* to, size_t count, NcclType type, int peer, NcclComm comm,
                    StreamHandle stream) {
  SINTER_FAKE_NCCL_ENTER("ncclRecv");
  const size_t bytes = count * WidthOf(type);
  auto call = [=]() -> NcclResult {
    return OnDevice(comm, [=] {
      return Operate(comm, stream, [=](Comm& self) {
        const int64_t number = self.Next(self.received, peer);
        const auto theirs = self.Get(Format("one.{}.{}.{}", peer, self.rank, number));
        if (!theirs) return true;
        if (theirs->size() != bytes) self.WaitForAbort();
        return Write(to, *theirs);
      });
    });
  };
  if (depth == 0) return call();
  queued_last.emplace_back(call);
  return NcclResult::kSuccess;
}

std::map<std::string, int> Calls() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  std::map<std::string, int> out;
#define SINTER_FAKE_NCCL_COUNT(Returned, Name, symbol, ...) out[symbol] = w.calls[symbol];
  SINTER_NCCL_ENTRY_POINTS(SINTER_FAKE_NCCL_COUNT)
#undef SINTER_FAKE_NCCL_COUNT
  return out;
}

void InjectFault(std::string_view symbol, int call, int result) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.fault = symbol;
  w.fault_in = call;
  w.fault_result = result;
  w.fault_happened = false;
}
bool FaultHappened() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.fault_happened;
}
void Hang(int rank) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.hanging.insert(rank);
}
void FailLater(int rank, int result) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.failing[rank] = result;
}
int64_t Operations() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.operations;
}
std::string Mistakes() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return w.mistakes;
}
int64_t CommsAlive() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  return static_cast<int64_t>(w.comms.size());
}
void Reset() {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  w.calls.clear();
  w.fault.clear();
  w.fault_happened = false;
  w.hanging.clear();
  w.failing.clear();
  w.operations = 0;
  w.mistakes.clear();
}

}  // namespace sinter::fake_nccl
