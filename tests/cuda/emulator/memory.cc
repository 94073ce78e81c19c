#include "cuda/emulator/memory.h"

#include <cstdlib>
#include <cstring>

#include "base/status.h"

namespace sinter::emulator {
namespace {

constexpr size_t kAlignment = 256;

}  // namespace

Conflict Touch(Cell& cell, const Accessor& by, bool write, bool read_only) {
  const bool written = cell.write >= by.launch, read = cell.read >= by.launch;
  if (written && cell.write < by.block) return Conflict::kOtherBlockWrote;
  if (written && cell.write == by.now && cell.writer != by.thread)
    return write ? Conflict::kWriteAfterWrite : Conflict::kReadAfterWrite;
  if (write) {
    if (read && cell.first_read < by.block) return Conflict::kOtherBlockRead;
    if (cell.read_only >= by.launch) return Conflict::kReadOnly;
    if (read && cell.read == by.now && cell.reader != by.thread) return Conflict::kWriteAfterRead;
    cell.write = by.now;
    cell.writer = by.thread;
    return Conflict::kNone;
  }
  if (read_only) {
    if (written) return Conflict::kReadOnly;
    cell.read_only = by.now;
  }
  if (!read) cell.first_read = by.now;
  if (cell.read != by.now) {
    cell.read = by.now;
    cell.reader = by.thread;
  } else if (cell.reader != by.thread) {
    cell.reader = Cell::kSeveral;
  }
  return Conflict::kNone;
}

std::unique_ptr<Cell[], FreeCells> NewCells(size_t count) {
  return std::unique_ptr<Cell[], FreeCells>(static_cast<Cell*>(std::calloc(count, sizeof(Cell))));
}

std::mutex& LaunchMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

Memory::Impl::~Impl() {
  for (auto& [base, a] : allocations) std::free(a.base);
}

Allocation* Memory::Impl::Find(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  Allocation& a = std::prev(next)->second;
  return address - reinterpret_cast<uintptr_t>(a.base) < a.bytes ? &a : nullptr;
}

Memory::Memory() : impl_(std::make_unique<Impl>()) {}
Memory::~Memory() { std::lock_guard launches(LaunchMutex()); }

absl::StatusOr<void*> Memory::Allocate(size_t bytes) {
  // At least one, for an address.
  const size_t rounded = (bytes + kAlignment) / kAlignment * kAlignment;
  if (rounded < bytes) return ResourceExhausted("no device memory for {} bytes", bytes);
  void* p = std::aligned_alloc(kAlignment, rounded);
  if (p == nullptr) return ResourceExhausted("no device memory for {} bytes", bytes);
  std::memset(p, 0xff, rounded);
  std::lock_guard launches(LaunchMutex());
  std::lock_guard lock(impl_->mutex);
  impl_->allocations[reinterpret_cast<uintptr_t>(p)] = {static_cast<char*>(p), bytes, nullptr};
  impl_->bytes_in_use += bytes;
  return p;
}

absl::Status Memory::Free(void* data) {
  std::lock_guard launches(LaunchMutex());
  std::lock_guard lock(impl_->mutex);
  auto found = impl_->allocations.find(reinterpret_cast<uintptr_t>(data));
  if (found == impl_->allocations.end()) return InvalidArgument("no allocation begins at {}", data);
  impl_->bytes_in_use -= found->second.bytes;
  std::free(found->second.base);
  impl_->allocations.erase(found);
  return absl::OkStatus();
}

absl::Status Memory::Check(const void* data, size_t bytes) const {
  std::lock_guard lock(impl_->mutex);
  const Allocation* a = impl_->Find(data);
  if (a == nullptr) {
    if (bytes == 0) return absl::OkStatus();
    return InvalidArgument("{} is no address of device memory", data);
  }
  const auto offset = static_cast<size_t>(static_cast<const char*>(data) - a->base);
  if (bytes > a->bytes - offset) {
    return InvalidArgument("{} bytes at offset {} of an allocation of {} bytes", bytes, offset,
                           a->bytes);
  }
  return absl::OkStatus();
}

size_t Memory::bytes_in_use() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->bytes_in_use;
}

}  // namespace sinter::emulator
