// Clients: a device with its threads, memory and cache of executables. Nothing is shared between
// clients.
//
//   sinter::CpuOptions options;
//   options.threads = 2;
//   std::shared_ptr<sinter::Client> client = sinter::Client::Cpu(options).value();
//   sinter::Executable f = client->Compile(computation).value();
//   sinter::Buffer x = client->BufferFromLiteral(sinter::Literal::R1<float>({1, 2, 3})).value();
//   std::vector<sinter::Buffer> y = f.Execute({x}).value();
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/buffer.h"
#include "sinter/computation.h"
#include "sinter/custom_call.h"
#include "sinter/distributed.h"
#include "sinter/executable.h"
#include "sinter/executor.h"
#include "sinter/export.h"
#include "sinter/options.h"
#include "sinter/stats.h"
#include "sinter/transfer.h"

namespace sinter {

// Seconds; as CpuOptions::collective_timeout.
inline constexpr double kDefaultCollectiveTimeout = 600;
inline constexpr double kNoCollectiveTimeout = std::numeric_limits<double>::infinity();

struct CpuOptions {
  // Threads that a computation may use, the calling one included. 0: the processors that affinity
  // and control group leave to the process. 1: no parallel sections; asynchronous work still has a
  // thread.
  int threads = 0;
  // No threads at all: everything, asynchronous work included, runs on the calling thread before
  // the call returns.
  bool inline_execution = false;
  // The host's threads instead of our own; `threads`, if not 0, bounds nothing then and is refused.
  std::shared_ptr<Executor> executor;
  // Devices that the client has in this process, 1 to 1024: places for buffers and participants of
  // programs, which share its threads and its memory. However few threads there are, no device
  // starves another.
  int devices = 1;
  // Seconds that one participant of a program may wait for others in a collective, before all of
  // them fail with Unavailable, which says who has come and who is missing. It is watched by a
  // thread that is started when first needed. 0: in a client of one process as long as any of them
  // still runs; that they wait for one another is noticed at once in any case. In a client of
  // several processes kDefaultCollectiveTimeout: that a process has died is noticed, that one which
  // lives never comes is not. kNoCollectiveTimeout: no limit there either.
  double collective_timeout = 0;
  // Other processes, whose devices the client has too.
  DistributedOptions distributed;
  // Bytes for buffers, arenas and free memory in the pool; beyond it ResourceExhausted. 0: no
  // limit.
  int64_t memory_limit = 0;
  // Bytes of freed memory that the pool holds for reuse.
  int64_t memory_pool_limit = int64_t{1} << 30;
  // Executables that the cache holds.
  int64_t cache_entries = 256;
  // The targets of custom calls; null: the process's (CustomCallRegistry::Global()).
  std::shared_ptr<const CustomCallRegistry> custom_calls;
  TransferOptions transfers;
};

// As CudaOptions::device: all devices of the machine.
inline constexpr int kAllCudaDevices = -1;

struct CudaOptions {
  // The ordinal of the device, as the driver counts.
  int device = 0;
  // Several, by their ordinals; empty: `device` alone. They are the client's devices 0, 1, ..., and
  // must be alike. Programs of several participants run on them, which exchange by NCCL 2.14 or
  // later, and buffers are copied between them.
  std::vector<int> devices;
  // NCCL's library; "": libnccl.so.2. It is looked for when a program first exchanges.
  std::string nccl;
  // As CpuOptions::collective_timeout; as long may an exchange take once all have come to it.
  // Without a limit only a device, a process or a connection that is lost ends it.
  double collective_timeout = 0;
  // Other processes, whose devices the client has too.
  DistributedOptions distributed;
  // The driver's library; "": libcuda.so.1, the one that the process has loaded already where there
  // is one.
  std::string driver;
  // A CUcontext and a CUstream of the host's, which must outlive the client, its buffers and its
  // executables. Null: the device's primary context, and a stream of the client's own. All of the
  // client's work is in the order of its stream, so that what the host submits to its own before
  // and after a call is before and after it too.
  void* context = nullptr;
  void* stream = nullptr;
  // Bytes of memory of each device for buffers and arenas; beyond it ResourceExhausted. 0: no
  // limit.
  int64_t memory_limit = 0;
  // Bytes of freed device memory that the driver may hold for reuse.
  int64_t memory_pool_limit = int64_t{1} << 30;
  // Executables that the cache holds.
  int64_t cache_entries = 256;
  // As CpuOptions::custom_calls.
  std::shared_ptr<const CustomCallRegistry> custom_calls;
  TransferOptions transfers;
};

// How a client takes device memory of the host's.
struct DeviceMemoryOptions {
  // The client's device whose memory it is; -1: the first of this process.
  int device = -1;
  // A CUstream; the client waits for what it has been given so far. Null: the contents are there.
  void* stream = nullptr;
  // A result that takes over the buffer may be computed in place.
  bool writable = false;
  // Called when the buffer and all work on it are done, on any thread.
  std::function<void()> on_done;
};

// Held by shared_ptr; buffers and executables may outlive it. Safe to use from several threads.
//
// The environment variable SINTER_FLAGS is read when a client is made, for debugging; it overrides
// options:
//   SINTER_FLAGS=dump=DIR,isa=avx2,disable=PASS,threads=N
class SINTER_API Client {
 public:
  // A client of the host's processors. InvalidArgument for options that contradict themselves, and
  // unknown flags in SINTER_FLAGS; Unavailable where other processes do not come.
  static absl::StatusOr<std::shared_ptr<Client>> Cpu(const CpuOptions& options = {});
  // A client whose executables are interpreted: slow, and so plain that it is what compiled results
  // are compared with. Everything else is as with Cpu: buffers, donation, transfers, custom calls
  // registered for the host, asynchronous runs. Custom calls without a target are errors of the
  // runs that come to them. Options of compilation are accepted and mean nothing but donation.
  // Threads run several executables at a time, never parts of one.
  static absl::StatusOr<std::shared_ptr<Client>> Interpreter(const CpuOptions& options = {});
  // A client of one or several CUDA devices. What the host has made current on a thread
  // (cuCtxSetCurrent) is current after every call again. Up to two threads are started when first
  // needed: one waits for the device, one for runs whose control flow the host drives.
  // InvalidArgument for a device that there is not; Unavailable, in one line, without a driver or
  // device, or where they are too old.
  //
  // An error that the device meets while it runs (an illegal address, say) loses its context: this
  // and all that follows on the client is Internal, and says so.
  static absl::StatusOr<std::shared_ptr<Client>> Cuda(const CudaOptions& options = {});

  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // "cpu", "interpreter" or "cuda".
  std::string platform() const;
  // Threads of the host that a computation may use, the calling one included.
  int parallelism() const;
  // Devices are numbered from 0 (CpuOptions::devices, CudaOptions::devices), through all processes,
  // one after the other. Buffers are on devices of this process.
  int device_count() const;
  std::vector<int> local_devices() const;
  // The process of a device; 0 for a number that there is not.
  int process_of(int device) const;
  int process_id() const;
  int process_count() const;

  // Compiles. InvalidArgument and Unimplemented name what in the computation is wrong or not
  // supported. A computation equal to one compiled before, with equal options, is found in the
  // cache.
  absl::StatusOr<Executable> Compile(const Computation& computation,
                                     const CompileOptions& options = {});

  // What Executable::Serialize gave, without compiling. InvalidArgument for other bytes;
  // Unavailable where another build of the library, a client of another platform or for another
  // processor made them. The bytes are trusted as those of a shared library are: they hold code.
  absl::StatusOr<Executable> LoadSerialized(std::string_view bytes);

  // A buffer of `shape` (an array; InvalidArgument else) from shape.byte_size() bytes at `data`, in
  // the shape's layout. `data` must be aligned to the element, and for a result to be computed in
  // place there to kInPlaceAlignment (sinter/options.h). Until when it must stay is said by
  // `semantics`; `on_done`, which may be empty, is called exactly once if this returns a buffer, on
  // any thread, possibly before this returns, and never if this fails. For kMutableZeroCopy `data`
  // must be writable memory. Elements of 2 and 4 bits have a byte each at
  // `data`, of which the low bits count, and are packed (Buffer::byte_size) into memory of the
  // client's before this returns, whatever `semantics` allows. It is on the device of that number
  // (InvalidArgument where this process has none; -1: on the first that it has).
  absl::StatusOr<Buffer> BufferFromHost(
      const void* data, const Shape& shape,
      HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall,
      std::function<void()> on_done = {}, int device = -1);
  // A copy of an array literal.
  absl::StatusOr<Buffer> BufferFromLiteral(const Literal& literal, int device = -1);

  // A buffer of `shape` (an array of static dimensions; InvalidArgument else), in its layout, whose
  // contents the host writes later. ResourceExhausted.
  absl::StatusOr<BufferPromise> PromiseBuffer(const Shape& shape, int device = -1);
  // A buffer without memory, in place of one that could not be computed: what it is given to fails
  // with `error`, which must be one (InvalidArgument).
  absl::StatusOr<Buffer> ErrorBuffer(const Shape& shape, absl::Status error, int device = -1);

  // A buffer that is device memory of the host's (of `shape`, in its layout, elements of 2 and 4
  // bits packed as in Buffer::byte_size), without a copy.
  // InvalidArgument where the client's device has no such memory, or this is none of it.
  absl::StatusOr<Buffer> BufferFromDevice(void* data, const Shape& shape,
                                          DeviceMemoryOptions options = {});

  // Transfers: the data of an infeed are an array or a tuple in one, those that have waited
  // longest; likewise what an outfeed gives. All programs of the client share the two queues. A run
  // waits in an infeed for data and in an outfeed for room (TransferOptions), and with it, on the
  // thread for asynchronous work, all that has been submitted after it.

  // Gives data to the infeeds, at once. ResourceExhausted where too much waits for them. An infeed
  // that meets other arrays than its own (in whatever tuples) loses them, and its run is
  // InvalidArgument.
  absl::Status TransferToInfeed(Literal data);
  // What an outfeed has given. Waits for it: DeadlineExceeded, Cancelled.
  absl::StatusOr<Literal> TransferFromOutfeed();
  // From now on no transfer waits: one that would, and the run that it is part of, is Cancelled.
  // What waits in the queues can still be taken. Done when the client goes, so that no run is left
  // waiting for ever.
  void CancelTransfers();

  // Of a device of this process; -1: of all together. Devices of the host share their memory.
  MemoryStats memory_stats(int device = -1) const;
  // From now on MemoryStats::peak_in_use of the devices that memory_stats speaks of counts anew.
  void ResetPeakMemory(int device = -1);
  CacheStats cache_stats() const;
  // Returns free memory in the pool to the system.
  void TrimMemory();
  // Removes all executables from the cache; handles to them stay valid.
  void ClearCache();

  // --- for the library
  explicit Client(std::shared_ptr<api::ClientCore> core);
  const std::shared_ptr<api::ClientCore>& core() const { return core_; }

 private:
  std::shared_ptr<api::ClientCore> core_;
};

// What compiling makes of the computation before it is lowered for a device: calls inlined, the
// program of one partition of those that the options say, without work that changes no result. For
// reading: Client::Compile starts from the computation itself, and Executable::Explain says what
// became of it on the device. Errors as those of Client::Compile.
SINTER_API absl::StatusOr<Computation> Simplify(const Computation& computation,
                                                const CompileOptions& options = {});

}  // namespace sinter
