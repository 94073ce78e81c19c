// Devices, contexts, errors.
#include <algorithm>
#include <cstring>

#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

template <class Map>
void EraseOf(Map& map, Context* context) {
  for (auto it = map.begin(); it != map.end();)
    it = it->second->context == context ? map.erase(it) : std::next(it);
}

bool HasDevice(DeviceId device) { return device >= 0 && device < TheWorld().settings.devices; }

}  // namespace

void DestroyContents(Context* context) {
  World& w = TheWorld();
  EraseOf(w.events, context);
  EraseOf(w.execs, context);
  EraseOf(w.graphs, context);
  EraseOf(w.modules, context);
  EraseOf(w.links, context);
  for (auto it = w.allocations.begin(); it != w.allocations.end();) {
    if (it->second.context != context) {
      ++it;
      continue;
    }
    w.memory.Free(HostAddress(it->first)).IgnoreError();
    it = w.allocations.erase(it);
  }
  EraseOf(w.pools, context);
}

Result FakeInit(unsigned flags) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(Init);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (flags != 0) return Result::kInvalidValue;
  if (w.settings.devices == 0) return Result::kNoDevice;
  w.initialized = true;
  return Result::kSuccess;
}

Result FakeDriverGetVersion(int* version) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DriverGetVersion);
  *version = TheWorld().settings.driver_version;
  return Result::kSuccess;
}

namespace {
struct ErrorText {
  Result result;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {Result::kSuccess, "CUDA_SUCCESS", "no error"},
    {Result::kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {Result::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {Result::kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {Result::kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {Result::kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {Result::kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain"},
    {Result::kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {Result::kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {Result::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {Result::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};
Result Text(Result result, const char** out, const char* ErrorText::*field) {
  for (const ErrorText& e : kErrors) {
    if (e.result != result) continue;
    *out = e.*field;
    return Result::kSuccess;
  }
  *out = nullptr;
  return Result::kInvalidValue;
}
}  // namespace

Result FakeGetErrorName(Result result, const char** name) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(GetErrorName);
  return Text(result, name, &ErrorText::name);
}
Result FakeGetErrorString(Result result, const char** text) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(GetErrorString);
  return Text(result, text, &ErrorText::text);
}

Result FakeDeviceGetCount(int* count) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceGetCount);
  *count = TheWorld().settings.devices;
  return Result::kSuccess;
}
Result FakeDeviceGet(DeviceId* device, int ordinal) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceGet);
  if (!HasDevice(ordinal)) return Result::kInvalidDevice;
  *device = ordinal;
  return Result::kSuccess;
}
Result FakeDeviceGetName(char* name, int bytes, DeviceId device) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceGetName);
  if (!HasDevice(device)) return Result::kInvalidDevice;
  std::strncpy(name, "Fake GPU", static_cast<size_t>(bytes));
  return Result::kSuccess;
}
Result FakeDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceId device) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceGetAttribute);
  if (!HasDevice(device)) return Result::kInvalidDevice;
  const Settings& s = TheWorld().settings;
  switch (attribute) {
    case DeviceAttribute::kMaxThreadsPerBlock:
      *value = 1024;
      break;
    case DeviceAttribute::kWarpSize:
      *value = 32;
      break;
    case DeviceAttribute::kClockKilohertz:
      *value = 1'980'000;
      break;
    case DeviceAttribute::kMultiprocessorCount:
      *value = 132;
      break;
    case DeviceAttribute::kL2CacheBytes:
      *value = 50 << 20;
      break;
    case DeviceAttribute::kComputeCapabilityMajor:
      *value = s.compute_capability / 10;
      break;
    case DeviceAttribute::kComputeCapabilityMinor:
      *value = s.compute_capability % 10;
      break;
    case DeviceAttribute::kSharedBytesPerMultiprocessor:
      *value = 228 << 10;
      break;
    case DeviceAttribute::kSharedBytesPerBlockOptIn:
      *value = 227 << 10;
      break;
    case DeviceAttribute::kMemoryPoolsSupported:
      *value = s.memory_pools;
      break;
    default:
      return Result::kInvalidValue;
  }
  return Result::kSuccess;
}
Result FakeDeviceCanAccessPeer(int* can, DeviceId device, DeviceId peer) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceCanAccessPeer);
  if (!HasDevice(device) || !HasDevice(peer) || device == peer) return Result::kInvalidDevice;
  *can = 1;
  return Result::kSuccess;
}
Result FakeDeviceTotalMem(size_t* bytes, DeviceId device) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DeviceTotalMem);
  if (!HasDevice(device)) return Result::kInvalidDevice;
  *bytes = static_cast<size_t>(TheWorld().settings.memory_bytes);
  return Result::kSuccess;
}

Result FakeDevicePrimaryCtxRetain(ContextHandle* context, DeviceId device) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(DevicePrimaryCtxRetain);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (!w.initialized) return Result::kNotInitialized;
  if (!HasDevice(device)) return Result::kInvalidDevice;
  std::unique_ptr<Context>& primary = w.primary[device];
  if (primary == nullptr) {
    primary = std::make_unique<Context>();
    primary->device = device;
  }
  ++primary->retained;
  *context = primary.get();
  return Result::kSuccess;
}

Result FakeDevicePrimaryCtxRelease(DeviceId device) {
  Result result = EnterDestroying(EntryPoint::kDevicePrimaryCtxRelease);
  World& w = TheWorld();
  // Streams finish their work, which needs the lock.
  std::vector<std::shared_ptr<Stream>> streams;
  std::unique_ptr<Context> gone;
  {
    std::lock_guard lock(w.mutex);
    auto found = w.primary.find(device);
    if (found == w.primary.end()) return Result::kInvalidContext;
    if (--found->second->retained > 0) return result;
    gone = std::move(found->second);
    w.primary.erase(found);
    for (auto it = w.streams.begin(); it != w.streams.end();) {
      if (it->first->context != gone.get()) {
        ++it;
        continue;
      }
      streams.push_back(std::move(it->second));
      it = w.streams.erase(it);
    }
    if (auto it = w.default_streams.find(gone.get()); it != w.default_streams.end()) {
      streams.push_back(std::move(it->second));
      w.default_streams.erase(it);
    }
  }
  for (const auto& stream : streams) stream->Synchronize();
  streams.clear();
  std::lock_guard lock(w.mutex);
  DestroyContents(gone.get());
  return result;
}

Result FakeCtxPushCurrent(ContextHandle context) {
  SINTER_FAKE_CUDA_ENTER_WITHOUT_CONTEXT(CtxPushCurrent);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  bool known = std::any_of(w.primary.begin(), w.primary.end(),
                           [&](auto& p) { return p.second.get() == context; });
  if (!known) return Result::kInvalidContext;
  World::Stack().push_back(static_cast<Context*>(context));
  return Result::kSuccess;
}
Result FakeCtxPopCurrent(ContextHandle* context) {
  Result result = EnterDestroying(EntryPoint::kCtxPopCurrent);
  if (World::Stack().empty()) return Result::kInvalidContext;
  *context = World::Current();
  World::Stack().pop_back();
  return result;
}
Result FakeCtxGetDevice(DeviceId* device) {
  SINTER_FAKE_CUDA_ENTER(CtxGetDevice);
  *device = World::Current()->device;
  return Result::kSuccess;
}

int WithDevice(int device, const std::function<int()>& call) {
  World& w = TheWorld();
  {
    std::lock_guard lock(w.mutex);
    const auto found = w.primary.find(device);
    if (found == w.primary.end()) return -1;
    World::Stack().push_back(found->second.get());
  }
  const int result = call();
  World::Stack().pop_back();
  return result;
}

}  // namespace sinter::fake_cuda
