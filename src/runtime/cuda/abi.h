// The part of the CUDA driver's binary interface that this room uses, declared here so that no
// header of the CUDA toolkit is needed. Names and values are those of the CUDA Driver API reference
// (12.0 and later), in this library's spelling.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::runtime::cuda {

using DeviceId = int;            // CUdevice
using DevicePointer = uint64_t;  // CUdeviceptr
using ContextHandle = void*;     // CUcontext
using StreamHandle = void*;      // CUstream
using EventHandle = void*;       // CUevent
using ModuleHandle = void*;      // CUmodule
using FunctionHandle = void*;    // CUfunction
using LinkHandle = void*;        // CUlinkState
using PoolHandle = void*;        // CUmemoryPool
using GraphHandle = void*;       // CUgraph
using GraphNodeHandle = void*;   // CUgraphNode
using GraphExecHandle = void*;   // CUgraphExec

// CUresult: those that are distinguished.
enum class Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kSystemNotReady = 802,
  kSystemDriverMismatch = 803,
  kCompatNotSupportedOnDevice = 804,
  kUnknown = 999,
};

// CUdevice_attribute
enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kWarpSize = 10,
  kClockKilohertz = 13,
  kMultiprocessorCount = 16,
  kL2CacheBytes = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kSharedBytesPerMultiprocessor = 81,
  kSharedBytesPerBlockOptIn = 97,
  kMemoryPoolsSupported = 115,
};

// CUfunction_attribute
enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
};

// CUpointer_attribute
enum class PointerAttribute : int { kMemoryType = 2, kDeviceOrdinal = 9 };
inline constexpr unsigned kMemoryTypeDevice = 2;  // CU_MEMORYTYPE_DEVICE

// CUmemPool_attribute: each a uint64_t.
enum class PoolAttribute : int {
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kUsedCurrent = 7,
};

// CUmemPoolProps: device memory, pinned, not exported.
struct PoolProperties {
  int allocation_type = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 0;     // CU_MEM_HANDLE_TYPE_NONE
  struct {
    int type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;
  } location;
  void* security_attributes = nullptr;
  size_t max_size = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(PoolProperties) == 88);

// CUmemAccessDesc: a device may read and write.
struct PoolAccess {
  struct {
    int type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;
  } location;
  int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};
static_assert(sizeof(PoolAccess) == 12);

// CUjit_option
enum class JitOption : int {
  kInfoLogBuffer = 3,
  kInfoLogBytes = 4,
  kErrorLogBuffer = 5,
  kErrorLogBytes = 6,
};
inline constexpr int kJitInputPtx = 1;  // CU_JIT_INPUT_PTX

inline constexpr unsigned kStreamNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kEventBlockingSync = 1;   // CU_EVENT_BLOCKING_SYNC
inline constexpr unsigned kEventDisableTiming = 2;  // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned kHostAllocPortable = 1;   // CU_MEMHOSTALLOC_PORTABLE

// CUstreamCaptureMode, CUstreamCaptureStatus
inline constexpr int kCaptureRelaxed = 2;
inline constexpr int kCaptureActive = 1;

// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNodeParameters {
  FunctionHandle function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;           // CUkernel
  ContextHandle context = nullptr;  // null: the current one
};
static_assert(sizeof(KernelNodeParameters) == 72);

// CUDA_MEMCPY3D_v2
struct CopyParameters {
  struct Side {
    size_t x_bytes = 0, y = 0, z = 0, lod = 0;
    unsigned memory_type = kMemoryTypeDevice;
    const void* host = nullptr;
    DevicePointer device = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
  };
  Side source, destination;
  size_t width_bytes = 0, height = 1, depth = 1;
};
static_assert(sizeof(CopyParameters) == 200);

}  // namespace sinter::runtime::cuda
