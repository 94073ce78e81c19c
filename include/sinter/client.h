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
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/buffer.h"
#include "sinter/computation.h"
#include "sinter/executable.h"
#include "sinter/executor.h"
#include "sinter/export.h"
#include "sinter/options.h"
#include "sinter/stats.h"

namespace sinter {

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
  // Bytes for buffers, arenas and memory kept for reuse; beyond it ResourceExhausted. 0: no limit.
  int64_t memory_limit = 0;
  // Bytes of freed memory that are kept for reuse.
  int64_t memory_pool_limit = int64_t{1} << 30;
  // Executables that the cache keeps.
  int64_t cache_entries = 256;
};

// Held by shared_ptr; buffers and executables may outlive it. Safe to use from several threads.
//
// The environment variable SINTER_FLAGS is read when a client is made, for debugging; it overrides
// options:
//   SINTER_FLAGS=dump=DIR,isa=avx2,disable=PASS,threads=N
class SINTER_API Client {
 public:
  // A client of the host's processors. InvalidArgument for options that contradict themselves, and
  // unknown flags in SINTER_FLAGS.
  static absl::StatusOr<std::shared_ptr<Client>> Cpu(const CpuOptions& options = {});

  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // "cpu".
  std::string platform() const;
  // Threads that a computation may use, the calling one included.
  int parallelism() const;

  // Compiles. InvalidArgument and Unimplemented name what in the computation is wrong or not
  // supported. A computation equal to one compiled before, with equal options, is found in the
  // cache.
  absl::StatusOr<Executable> Compile(const Computation& computation,
                                     const CompileOptions& options = {});

  // A buffer of `shape` (an array; InvalidArgument else) from shape.byte_size() bytes at `data`, in
  // the shape's layout. `data` must be aligned to the element. Until when it must stay is said by
  // `semantics`; `on_done`, which may be empty, is called exactly once if this returns a buffer, on
  // any thread, possibly before this returns, and never if this fails. For kMutableZeroCopy `data`
  // must be writable memory.
  absl::StatusOr<Buffer> BufferFromHost(
      const void* data, const Shape& shape,
      HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall,
      std::function<void()> on_done = {});
  // A copy of an array literal.
  absl::StatusOr<Buffer> BufferFromLiteral(const Literal& literal);

  MemoryStats memory_stats() const;
  CacheStats cache_stats() const;
  // Gives memory kept for reuse back to the system.
  void TrimMemory();
  // Forgets cached executables; handles to them stay good.
  void ClearCache();

  // --- for the library
  explicit Client(std::shared_ptr<api::ClientCore> core);
  const std::shared_ptr<api::ClientCore>& core() const { return core_; }

 private:
  std::shared_ptr<api::ClientCore> core_;
};

}  // namespace sinter
