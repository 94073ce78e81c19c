// Counters of a client that a host can read at any time.
#pragma once

#include <cstdint>

namespace sinter {

// All in bytes but the last two. Freed memory of a client waits in its pool to be reused, because
// pages that the system has to provide anew cost more than most programs that write them.
struct MemoryStats {
  int64_t in_use = 0;       // held by buffers, arenas and scratch
  int64_t peak_in_use = 0;  // the most that was in use at a time
  int64_t pooled = 0;       // free, in the pool for reuse
  int64_t limit = 0;        // of in_use + pooled; 0: none
  int64_t pool_limit = 0;   // of pooled
  int64_t allocations = 0;  // requests so far
  int64_t reused = 0;       // of these, met from the pool
};

// Of the cache of executables.
struct CacheStats {
  int64_t hits = 0;    // waiting for a compilation that another thread had begun included
  int64_t misses = 0;  // compilations begun
  int64_t evictions = 0;
  int64_t failures = 0;  // compilations that failed; they are not cached
  int64_t entries = 0;   // now
  int64_t capacity = 0;
  double compile_milliseconds = 0;  // spent compiling, in all
};

}  // namespace sinter
