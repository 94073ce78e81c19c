// A CUDA driver without a GPU: a shared library libcuda.so.1 that implements the entry points of
// runtime/cuda/entry_points.h over memory of the host. Streams are threads, so that a missing wait
// shows; launches run on the emulator (cuda/emulator), which checks every access; device pointers
// are no addresses of the host, so that a host that touches device memory is stopped at once; work
// within a graph runs in any order that its edges admit. Streams are captured, and what CUDA
// forbids meanwhile ends the capture.
//
// Machine code is found by its PTX among what a test has registered, and, for programs that are
// compiled in any process, among the dumps of compilations (SINTER_FLAGS=dump=DIR) in the folder
// that the environment variable SINTER_FAKE_CUDA_DUMPS names.
//
// A test links this library, which makes it the driver that the process has loaded already, and
// steers it by what is declared here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sinter::fake_cuda {

#define SINTER_FAKE_CUDA_API __attribute__((visibility("default")))

// As emulator::RegisterDeviceIr: PTX that has not been registered is refused as invalid.
SINTER_FAKE_CUDA_API void RegisterDeviceIr(std::string_view ptx, std::string llvm_ir);

// What has been made and not yet been destroyed.
struct SINTER_FAKE_CUDA_API Alive {
  int64_t contexts = 0, streams = 0, events = 0, pools = 0, allocations = 0, pinned = 0, links = 0,
          modules = 0, graphs = 0, graph_execs = 0;
  bool operator==(const Alive&) const = default;
  std::string ToString() const;
};
SINTER_FAKE_CUDA_API Alive AliveNow();

// Calls of each entry point since the last Reset, by symbol.
SINTER_FAKE_CUDA_API std::map<std::string, int> Calls();
// Of work of each kind that streams have done since the last Reset.
struct Done {
  int64_t launches = 0, graph_launches = 0, copies = 0;
};
SINTER_FAKE_CUDA_API Done DoneNow();

// The call-th call (from 1) of `symbol` from now on returns `result` (a CUresult) and does nothing,
// unless it destroys something: that is then destroyed all the same. A result that CUDA documents
// as leaving the process in an inconsistent state (illegal address, ...) loses the current context:
// all its later calls return it.
SINTER_FAKE_CUDA_API void InjectFault(std::string_view symbol, int call, int result);
// The injected fault has been returned.
SINTER_FAKE_CUDA_API bool FaultHappened();

struct Settings {
  int driver_version = 12080;
  int devices = 2;
  int compute_capability = 90;
  bool memory_pools = true;
  int64_t memory_bytes = int64_t{1} << 30;  // of each device
  // What is freed is given out again in the order of the stream, as CUDA's pools do: the same
  // addresses come again. Else uses of what has been freed are found.
  bool reuses_memory = false;
  bool launches_wait = false;  // a graph's launch returns when it has run
  int most_delay_us = 0;       // a stream sleeps up to so long before each piece of work
  uint64_t seed = 1;
};
SINTER_FAKE_CUDA_API void Configure(const Settings& settings);
// No faults, no counts, default settings. What is alive stays so.
SINTER_FAKE_CUDA_API void Reset();

// For other fake libraries, whose work is in the order of streams too.

// Does `work` on the stream when its turn comes, unless the context is lost; a result that is not 0
// (a CUresult) loses it. False for a handle that is no stream of the current context. On a stream
// that is being captured: when that is launched, each time.
SINTER_FAKE_CUDA_API bool SubmitToStream(void* stream, std::function<int()> work);
SINTER_FAKE_CUDA_API bool IsCaptured(void* stream);
// The host's address of device memory; null where those bytes are not allocated.
SINTER_FAKE_CUDA_API char* MemoryAt(const void* device_pointer, size_t bytes);
// The device of the current context, or -1.
SINTER_FAKE_CUDA_API int CurrentDevice();
// Calls with the device's primary context current; -1 where it has none.
SINTER_FAKE_CUDA_API int WithDevice(int device, const std::function<int()>& call);
// Whether other devices may read the allocation.
SINTER_FAKE_CUDA_API bool IsOpenTo(const void* device_pointer, int device);

// What the emulator said of the last kernel that failed.
SINTER_FAKE_CUDA_API std::string LastKernelError();

}  // namespace sinter::fake_cuda
