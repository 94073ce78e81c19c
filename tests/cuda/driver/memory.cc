// Device memory, pinned memory, copies.
#include <cstring>

#include "cuda/driver/world.h"

namespace sinter::fake_cuda {
namespace {

// The allocation that holds [p, p + bytes), or null.
const Allocation* Find(DevicePointer p, size_t bytes) {
  World& w = TheWorld();
  auto after = w.allocations.upper_bound(p);
  if (after == w.allocations.begin()) return nullptr;
  auto& [begin, allocation] = *std::prev(after);
  if (p + bytes > begin + allocation.bytes) return nullptr;
  return &allocation;
}

// Copies on a stream's thread, if the device memory is still there.
Result Copy(char* to, const char* from, size_t bytes, DevicePointer checked) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (Find(checked, bytes) == nullptr) return Result::kIllegalAddress;
  std::memcpy(to, from, bytes);
  ++w.done.copies;
  return Result::kSuccess;
}

}  // namespace

bool IsLive(DevicePointer p, size_t bytes) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const Allocation* a = Find(p, bytes);
  return a != nullptr && !a->freed;
}

bool IsPinned(const void* p, size_t bytes) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const char* at = static_cast<const char*>(p);
  for (auto& [begin, size] : w.pinned) {
    if (at >= begin && at + bytes <= begin + size) return true;
  }
  return false;
}

Result FakeMemPoolCreate(PoolHandle* pool, const PoolProperties* properties) {
  SINTER_FAKE_CUDA_ENTER(MemPoolCreate);
  if (properties->allocation_type != 1 || properties->location.type != 1 ||
      properties->location.id != World::Current()->device || properties->handle_types != 0) {
    return Result::kInvalidValue;
  }
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto made = std::make_unique<Pool>(Pool{World::Current()});
  *pool = made.get();
  w.pools[made.get()] = std::move(made);
  return Result::kSuccess;
}

Result FakeMemPoolDestroy(PoolHandle pool) {
  Result result = EnterDestroying(EntryPoint::kMemPoolDestroy);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  // CUDA would wait for the allocations; a client that leaves some has forgotten them.
  return w.pools.erase(static_cast<Pool*>(pool)) == 1 ? result : Result::kInvalidValue;
}

Result FakeMemPoolSetAttribute(PoolHandle pool, PoolAttribute attribute, void* value) {
  SINTER_FAKE_CUDA_ENTER(MemPoolSetAttribute);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.pools.find(static_cast<Pool*>(pool));
  if (found == w.pools.end() || attribute != PoolAttribute::kReleaseThreshold)
    return Result::kInvalidValue;
  found->first->threshold = *static_cast<uint64_t*>(value);
  return Result::kSuccess;
}

Result FakeMemPoolGetAttribute(PoolHandle pool, PoolAttribute attribute, void* value) {
  SINTER_FAKE_CUDA_ENTER(MemPoolGetAttribute);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.pools.find(static_cast<Pool*>(pool));
  if (found == w.pools.end()) return Result::kInvalidValue;
  switch (attribute) {
    case PoolAttribute::kReleaseThreshold:
      *static_cast<uint64_t*>(value) = found->first->threshold;
      return Result::kSuccess;
    case PoolAttribute::kReservedCurrent:
      *static_cast<uint64_t*>(value) = found->first->reserved;
      return Result::kSuccess;
    case PoolAttribute::kUsedCurrent:
      *static_cast<uint64_t*>(value) = found->first->used;
      return Result::kSuccess;
  }
  return Result::kInvalidValue;
}

Result FakeMemPoolSetAccess(PoolHandle pool, const PoolAccess* accesses, size_t count) {
  SINTER_FAKE_CUDA_ENTER(MemPoolSetAccess);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  if (!w.pools.contains(static_cast<Pool*>(pool))) return Result::kInvalidValue;
  for (size_t k = 0; k < count; ++k) {
    const int device = accesses[k].location.id;
    if (accesses[k].location.type != 1 || accesses[k].flags != 3 || device < 0 ||
        device >= w.settings.devices)
      return Result::kInvalidValue;
    static_cast<Pool*>(pool)->readers.insert(device);
  }
  return Result::kSuccess;
}

Result FakeMemPoolTrimTo(PoolHandle pool, size_t bytes) {
  SINTER_FAKE_CUDA_ENTER(MemPoolTrimTo);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.pools.find(static_cast<Pool*>(pool));
  if (found == w.pools.end()) return Result::kInvalidValue;
  found->first->reserved = std::max<uint64_t>(found->first->used, bytes);
  return Result::kSuccess;
}

Result FakeMemAllocFromPoolAsync(DevicePointer* data, size_t bytes, PoolHandle pool,
                                 StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemAllocFromPoolAsync);
  if (UncapturedStreamOf(stream) == nullptr) return Result::kInvalidHandle;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.pools.find(static_cast<Pool*>(pool));
  if (bytes == 0 || found == w.pools.end()) return Result::kInvalidValue;
  Pool& p = *found->first;
  uint64_t used = 0;
  for (auto& [begin, a] : w.allocations) used += a.freed && w.settings.reuses_memory ? 0 : a.bytes;
  if (used + bytes > static_cast<uint64_t>(w.settings.memory_bytes)) return Result::kOutOfMemory;
  Allocation* oldest = nullptr;
  for (auto& [begin, a] : w.allocations) {
    if (!w.settings.reuses_memory || !a.freed || a.pool != &p || a.bytes != bytes) continue;
    if (oldest != nullptr && oldest->number < a.number) continue;
    oldest = &a;
    *data = begin;
  }
  if (oldest != nullptr) {
    oldest->freed = false;
    p.used += bytes;
    return Result::kSuccess;
  }
  auto made = w.memory.Allocate(bytes);
  if (!made.ok()) return Result::kOutOfMemory;
  *data = reinterpret_cast<DevicePointer>(*made) | kDeviceTag;
  static uint64_t numbers = 0;
  w.allocations[*data] = {World::Current(), &p, bytes, false, ++numbers};
  p.used += bytes;
  p.reserved = std::max(p.reserved, p.used);
  return Result::kSuccess;
}

Result FakeMemFreeAsync(DevicePointer data, StreamHandle stream) {
  Result result = EnterDestroying(EntryPoint::kMemFreeAsync);
  if (World::Current() == nullptr) return Result::kInvalidContext;
  std::shared_ptr<Stream> s = UncapturedStreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto found = w.allocations.find(data);
  if (found == w.allocations.end() || found->second.freed) return Result::kInvalidValue;
  found->second.freed = true;
  if (w.settings.reuses_memory) {
    found->second.pool->used -= found->second.bytes;
    return result;
  }
  s->Push([data] {
    World& world = TheWorld();
    std::lock_guard inner(world.mutex);
    auto at = world.allocations.find(data);
    if (at == world.allocations.end()) return Result::kIllegalAddress;
    if (world.pools.contains(at->second.pool)) {
      Pool& p = *at->second.pool;
      p.used -= at->second.bytes;
      p.reserved = std::max(p.used, std::min(p.reserved, p.threshold));
    }
    world.memory.Free(HostAddress(data)).IgnoreError();
    world.allocations.erase(at);
    return Result::kSuccess;
  });
  return result;
}

Result FakeMemGetInfo(size_t* free, size_t* total) {
  SINTER_FAKE_CUDA_ENTER(MemGetInfo);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  *total = static_cast<size_t>(w.settings.memory_bytes);
  *free = *total;
  for (auto& [begin, a] : w.allocations) *free -= std::min(*free, a.bytes);
  return Result::kSuccess;
}

Result FakeMemHostAlloc(void** data, size_t bytes, unsigned flags) {
  SINTER_FAKE_CUDA_ENTER(MemHostAlloc);
  if (bytes == 0 || flags > 7) return Result::kInvalidValue;
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  auto* made = new char[bytes];
  std::memset(made, 0xa5, bytes);
  w.pinned[made] = bytes;
  *data = made;
  return Result::kSuccess;
}

Result FakeMemFreeHost(void* data) {
  Result result = EnterDestroying(EntryPoint::kMemFreeHost);
  World& w = TheWorld();
  // Of all contexts, and of lost ones too: work that has begun there may still read the memory.
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard lock(w.mutex);
    for (auto& [handle, stream] : w.streams) streams.push_back(stream);
  }
  for (const auto& stream : streams) stream->Synchronize();
  std::lock_guard lock(w.mutex);
  auto found = w.pinned.find(static_cast<char*>(data));
  if (found == w.pinned.end()) return Result::kInvalidValue;
  delete[] found->first;
  w.pinned.erase(found);
  return result;
}

Result FakeMemcpyHtoDAsync(DevicePointer to, const void* from, size_t bytes, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemcpyHtoDAsync);
  std::shared_ptr<Stream> s = UncapturedStreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  if (!IsLive(to, bytes)) return Result::kInvalidValue;
  const char* source = static_cast<const char*>(from);
  if (IsPinned(from, bytes)) {
    s->Push([=] { return Copy(HostAddress(to), source, bytes, to); });
  } else {
    auto staged = std::make_shared<std::vector<char>>(source, source + bytes);
    s->Push([=] { return Copy(HostAddress(to), staged->data(), bytes, to); });
  }
  return Result::kSuccess;
}

Result FakeMemcpyDtoHAsync(void* to, DevicePointer from, size_t bytes, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemcpyDtoHAsync);
  std::shared_ptr<Stream> s = UncapturedStreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  if (!IsLive(from, bytes)) return Result::kInvalidValue;
  s->Push([=] { return Copy(static_cast<char*>(to), HostAddress(from), bytes, from); });
  if (!IsPinned(to, bytes)) s->Synchronize();
  return Result::kSuccess;
}

Result FakeMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes,
                           StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemcpyDtoDAsync);
  std::shared_ptr<Stream> s = StreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  if (!IsLive(from, bytes) || !IsLive(to, bytes)) return Result::kInvalidValue;
  Node node;
  node.to = to;
  node.from = from;
  node.bytes = bytes;
  return Submit(*s, std::move(node));
}

Result FakeMemcpyPeerAsync(DevicePointer to, ContextHandle to_context, DevicePointer from,
                           ContextHandle from_context, size_t bytes, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemcpyPeerAsync);
  World& w = TheWorld();
  {
    std::lock_guard lock(w.mutex);
    const Allocation *target = Find(to, bytes), *source = Find(from, bytes);
    if (target == nullptr || target->context != to_context || source == nullptr ||
        source->context != from_context)
      return Result::kInvalidValue;
  }
  std::shared_ptr<Stream> s = StreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  if (!IsLive(from, bytes) || !IsLive(to, bytes)) return Result::kInvalidValue;
  Node node;
  node.to = to;
  node.from = from;
  node.bytes = bytes;
  return Submit(*s, std::move(node));
}

namespace {
Result Fill(DevicePointer to, std::vector<char> value, size_t count, StreamHandle stream) {
  std::shared_ptr<Stream> s = StreamOf(stream);
  if (s == nullptr) return Result::kInvalidHandle;
  const size_t bytes = count * value.size();
  if (to % value.size() != 0 || !IsLive(to, bytes)) return Result::kInvalidValue;
  Node node;
  node.work = [to, bytes, value = std::move(value)] {
    World& w = TheWorld();
    std::lock_guard lock(w.mutex);
    if (Find(to, bytes) == nullptr) return Result::kIllegalAddress;
    for (size_t k = 0; k < bytes; ++k) HostAddress(to)[k] = value[k % value.size()];
    return Result::kSuccess;
  };
  return Submit(*s, std::move(node));
}
}  // namespace

Result FakeMemsetD8Async(DevicePointer to, unsigned char value, size_t count, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemsetD8Async);
  return Fill(to, {static_cast<char>(value)}, count, stream);
}

Result FakeMemsetD32Async(DevicePointer to, unsigned value, size_t count, StreamHandle stream) {
  SINTER_FAKE_CUDA_ENTER(MemsetD32Async);
  const char* bytes = reinterpret_cast<const char*>(&value);
  return Fill(to, {bytes, bytes + sizeof value}, count, stream);
}

Result FakePointerGetAttribute(void* value, PointerAttribute attribute, DevicePointer data) {
  SINTER_FAKE_CUDA_ENTER(PointerGetAttribute);
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const Allocation* a = Find(data, 1);
  if (a == nullptr) return Result::kInvalidValue;
  if (attribute == PointerAttribute::kMemoryType) {
    *static_cast<unsigned*>(value) = kMemoryTypeDevice;
    return Result::kSuccess;
  }
  *static_cast<int*>(value) = a->context->device;
  return Result::kSuccess;
}

char* MemoryAt(const void* device_pointer, size_t bytes) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const auto p = reinterpret_cast<DevicePointer>(device_pointer);
  return Find(p, bytes) == nullptr ? nullptr : HostAddress(p);
}

bool IsOpenTo(const void* device_pointer, int device) {
  World& w = TheWorld();
  std::lock_guard lock(w.mutex);
  const Allocation* a = Find(reinterpret_cast<DevicePointer>(device_pointer), 1);
  return a != nullptr && w.pools.contains(a->pool) &&
         (a->context->device == device || a->pool->readers.contains(device));
}

}  // namespace sinter::fake_cuda
