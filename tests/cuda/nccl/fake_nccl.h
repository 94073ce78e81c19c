// NCCL without a network or a GPU: a shared library libnccl.so.2 that implements the entry points
// of runtime/cuda/nccl.h over the fake driver's streams. What ranks give each other goes through
// files of a folder that the unique id names, so that ranks may be of several processes. An
// operation runs on its stream's thread, waits there for what its peers give, and does so for ever
// where one does not come, until its communicator is aborted: a missing abort shows. A rank may
// read memory of another of its process only where the pool is open to it.
//
// Operations on streams that are being captured are of the graph, and take place each time that it
// is launched. As NCCL does, a communicator's end waits for the graphs that have captured it: one
// that is still there then is a mistake (Mistakes).
//
// A test links this library, which makes it the one that the process has loaded already.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sinter::fake_nccl {

#define SINTER_FAKE_NCCL_API __attribute__((visibility("default")))

// Calls of each entry point since the last Reset, by symbol.
SINTER_FAKE_NCCL_API std::map<std::string, int> Calls();
// The call-th call (from 1) of `symbol` from now on returns `result` (an ncclResult_t) and does
// nothing, unless it destroys something: that is then destroyed all the same.
SINTER_FAKE_NCCL_API void InjectFault(std::string_view symbol, int call, int result);
SINTER_FAKE_NCCL_API bool FaultHappened();

// From now on what the rank is given is never done.
SINTER_FAKE_NCCL_API void Hang(int rank);
// The next operation of the rank fails on the device: ncclCommGetAsyncError gives `result`.
SINTER_FAKE_NCCL_API void FailLater(int rank, int result);

// Operations that streams have come to since the last Reset.
SINTER_FAKE_NCCL_API int64_t Operations();
// What NCCL would have waited for ever for since the last Reset; "": nothing.
SINTER_FAKE_NCCL_API std::string Mistakes();

// Communicators that have been made and are neither destroyed nor aborted.
SINTER_FAKE_NCCL_API int64_t CommsAlive();
SINTER_FAKE_NCCL_API void Reset();

}  // namespace sinter::fake_nccl
