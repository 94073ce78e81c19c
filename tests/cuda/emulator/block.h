// One block of threads as fibers, and what its instrumented code calls.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cuda/emulator/banks.h"
#include "cuda/emulator/fiber.h"
#include "cuda/emulator/intrinsics.h"
#include "cuda/emulator/memory.h"

namespace sinter::emulator {

// An instrumented instruction.
struct Site {
  enum class Kind : uint8_t { kLoad, kStore, kCall, kJump };
  Kind kind = Kind::kLoad;
  unsigned space = 0;             // loads and stores: the address space, 0 (generic), 1, 3 or 4
  uint32_t bytes = 0, align = 1;  // loads and stores
  bool read_only = false;         // a load of memory that nobody writes while the kernel runs
  const Intrinsic* callee = nullptr;
  std::string function, text;  // as in the device's module
};

// A module's own memory.
struct ModuleRange {
  std::string name;
  char* base = nullptr;
  size_t bytes = 0;
};

// Lives as long as its module: stacks and shadow memory are reused from launch to launch.
class Block {
 public:
  static constexpr uint32_t kMaxThreads = 1024, kWarp = 32;
  static constexpr size_t kMaxShared = size_t{227} << 10;  // of a block on sm_90

  absl::Status Init();
  char* shared() const { return shared_; }

  struct Work {
    const std::vector<Site>* sites = nullptr;
    const std::vector<ModuleRange>* constants = nullptr;
    void (*entry)(void* const* arguments) = nullptr;
    void* const* arguments = nullptr;
    std::string_view symbol;
    size_t shared_bytes = 0;  // static and dynamic
    const std::vector<Launch::Range>* ranges = nullptr;
    Memory::Impl* memory = nullptr;
    uint64_t max_steps = 0;
    std::vector<BankUse>* banks = nullptr;
    Geometry geometry;
  };
  // The blocks of a launch run between Begin and the next Begin.
  absl::Status Begin(const Work& work, uint64_t seed);
  absl::Status Run(std::array<uint32_t, 3> block);

  // Called by fibers.
  void Access(uint32_t site, char* p);
  void Call(uint32_t site, const uint64_t* arguments, uint64_t* results);
  void Jump(uint32_t site);

  // For intrinsics that touch memory: as a load or store of that many bytes in address space
  // `space`.
  void AccessBytes(char* p, size_t bytes, size_t align, unsigned space, bool write, bool read_only);
  // Counts such an access to shared memory, of the instruction that runs, among those of its warp.
  void CountBanks(const char* p, size_t bytes);
  // Bytes of shared memory to which a copy is in flight: nobody may access them.
  void SetInFlight(const char* p, size_t bytes, bool in_flight);
  [[noreturn]] void Fail(std::string what);
  uint32_t thread() const { return current_; }
  const Geometry& geometry() const { return work_.geometry; }
  PendingCopies& copies() { return threads_[current_].copies; }

 private:
  enum class State : uint8_t { kReady, kBarrier, kWarp, kEnded };
  struct Thread {
    FiberContext fiber;
    State state = State::kReady;
    uint32_t site = 0, mask = 0;  // kBarrier, kWarp: where it waits, and for which lanes
    const uint64_t* arguments = nullptr;
    uint64_t* results = nullptr;
    PendingCopies copies;
  };

  static void Start();
  // What is wrong with an access; nothing where all is well, and then it is recorded.
  std::string Examine(char* p, size_t bytes, size_t align, unsigned space, bool write,
                      bool read_only);
  // Finds `last_allocation_`, with a shadow.
  std::string FindGlobal(const char* p, size_t bytes, std::string_view verb);
  void Wait(State state, uint32_t site);
  void Meet(const Site& site);
  void Barrier(const Site& site);
  absl::Status Deadlock() const;
  absl::Status Problem(uint32_t thread, std::string_view what) const;
  std::string Where(uint32_t thread) const;
  std::string NameOf(uint32_t thread) const;
  const Site& SiteOf(const Thread& t) const { return (*work_.sites)[t.site]; }

  Work work_;
  std::mt19937_64 random_;
  FiberStacks stacks_;
  FiberContext scheduler_;
  std::vector<Thread> threads_;
  std::unique_ptr<char, void (*)(char*)> shared_memory_{nullptr, nullptr};
  char* shared_ = nullptr;
  std::unique_ptr<Cell[], FreeCells> shared_cells_;
  std::vector<uint8_t> in_flight_;  // of each byte of shared memory: 1 where a copy will land
  BankCounter banks_;
  Accessor time_;
  uint32_t current_ = 0, current_site_ = 0, count_ = 0, waiting_ = 0, ended_ = 0;
  uint64_t steps_ = 0;
  Allocation* last_allocation_ = nullptr;
  size_t last_range_ = 0;
  absl::Status error_;
};

}  // namespace sinter::emulator
