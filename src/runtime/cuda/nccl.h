// NCCL, found at run time: the part of its binary interface that is used, declared here so that no
// header of NCCL is needed. Names and values are those of NCCL's API reference (2.14 and later), in
// this library's spelling.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cuda/abi.h"

namespace sinter::runtime::cuda {

using NcclComm = void*;  // ncclComm_t

// ncclResult_t
enum class NcclResult : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

// ncclDataType_t
enum class NcclType : int { kS8, kU8, kS32, kU32, kS64, kU64, kF16, kF32, kF64, kBF16 };
// ncclRedOp_t
enum class NcclReduction : int { kSum, kProduct, kMaximum, kMinimum };

// ncclUniqueId
struct NcclId {
  char bytes[128] = {};
};

// ncclConfig_t as of 2.14; later versions read what its size and version say that there is.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};
static_assert(sizeof(NcclConfig) == 24);

// 2.14.0, the first whose calls need not block.
inline constexpr int kOldestNccl = 21400;

// clang-format off
#define SINTER_NCCL_ENTRY_POINTS(X) \
  X(NcclResult, GetVersion, "ncclGetVersion", int* version) \
  X(NcclResult, GetUniqueId, "ncclGetUniqueId", NcclId* id) \
  X(NcclResult, CommInitRankConfig, "ncclCommInitRankConfig", NcclComm* comm, int ranks, NcclId id, int rank, NcclConfig* config) \
  X(NcclResult, CommFinalize, "ncclCommFinalize", NcclComm comm) \
  X(NcclResult, CommDestroy, "ncclCommDestroy", NcclComm comm) \
  X(NcclResult, CommAbort, "ncclCommAbort", NcclComm comm) \
  X(NcclResult, CommGetAsyncError, "ncclCommGetAsyncError", NcclComm comm, NcclResult* error) \
  X(const char*, GetErrorString, "ncclGetErrorString", NcclResult result) \
  X(NcclResult, GroupStart, "ncclGroupStart") \
  X(NcclResult, GroupEnd, "ncclGroupEnd") \
  X(NcclResult, AllGather, "ncclAllGather", const void* from, void* to, size_t count, NcclType type, NcclComm comm, StreamHandle stream) \
  X(NcclResult, AllReduce, "ncclAllReduce", const void* from, void* to, size_t count, NcclType type, NcclReduction op, NcclComm comm, StreamHandle stream) \
  X(NcclResult, ReduceScatter, "ncclReduceScatter", const void* from, void* to, size_t count, NcclType type, NcclReduction op, NcclComm comm, StreamHandle stream) \
  X(NcclResult, Reduce, "ncclReduce", const void* from, void* to, size_t count, NcclType type, NcclReduction op, int root, NcclComm comm, StreamHandle stream) \
  X(NcclResult, Broadcast, "ncclBroadcast", const void* from, void* to, size_t count, NcclType type, int root, NcclComm comm, StreamHandle stream) \
  X(NcclResult, Send, "ncclSend", const void* from, size_t count, NcclType type, int peer, NcclComm comm, StreamHandle stream) \
  X(NcclResult, Recv, "ncclRecv", void* to, size_t count, NcclType type, int peer, NcclComm comm, StreamHandle stream)
// clang-format on

struct Nccl {
#define SINTER_NCCL_MEMBER(Returned, Name, symbol, ...) Returned (*Name)(__VA_ARGS__) = nullptr;
  SINTER_NCCL_ENTRY_POINTS(SINTER_NCCL_MEMBER)
#undef SINTER_NCCL_MEMBER
  int version = 0;  // 22304: NCCL 2.23.4

  // The library at `path`; "" for libnccl.so.2, of which a copy that the process has loaded already
  // is preferred. It stays loaded. Unavailable where there is none, or it is too old (the message
  // names the entry point that it lacks).
  static absl::StatusOr<std::shared_ptr<const Nccl>> Load(const std::string& path);

  // The status of a result; `call` names the entry point. One that is in progress is no error.
  absl::Status Check(NcclResult result, std::string_view call) const;
};

#define RETURN_IF_NCCL_ERROR(nccl, Call, ...) \
  RETURN_IF_ERROR((nccl).Check((nccl).Call(__VA_ARGS__), "nccl" #Call))

}  // namespace sinter::runtime::cuda
