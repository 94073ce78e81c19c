#include "runtime/host_memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/status.h"

namespace sinter::runtime {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{2} << 20;

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Fresh pages, aligned to huge ones so that the kernel can use them.
void* MapLarge(int64_t size) {
  int64_t slack = size >= kHugePage ? kHugePage - kPage : 0;
  void* raw = mmap(nullptr, static_cast<size_t>(size + slack), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (slack == 0) return raw;
  char* begin = static_cast<char*>(raw);
  int64_t head = RoundUp(static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw)), kHugePage) -
                 static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw));
  if (head > 0) munmap(begin, static_cast<size_t>(head));
  if (slack > head) munmap(begin + head + size, static_cast<size_t>(slack - head));
  madvise(begin + head, static_cast<size_t>(size), MADV_HUGEPAGE);
  return begin + head;
}

}  // namespace

HostMemoryPool::HostMemoryPool(int64_t limit, int64_t pool_limit) {
  stats_.limit = std::max<int64_t>(limit, 0);
  stats_.pool_limit = std::max<int64_t>(pool_limit, 0);
}

HostMemoryPool::~HostMemoryPool() { Trim(); }

int HostMemoryPool::ClassOf(int64_t bytes) {
  if (bytes <= 1024) return static_cast<int>(std::max<int64_t>(bytes - 1, 0) / 64);
  // bytes - 1 = 1.xxx * 2^octave; the three bits after the leading one choose the step.
  auto n = static_cast<uint64_t>(bytes - 1);
  int octave = std::bit_width(n) - 1;
  return 16 + (octave - 10) * 8 + static_cast<int>(n >> (octave - 3) & 7);
}

int64_t HostMemoryPool::ClassSize(int index) {
  if (index < 16) return (index + 1) * 64;
  int octave = 10 + (index - 16) / 8, step = (index - 16) % 8;
  return static_cast<int64_t>(9 + step) << (octave - 3);
}

absl::StatusOr<Block> HostMemoryPool::Allocate(int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX / 2) return ResourceExhausted("allocation of {} bytes", bytes);
  std::lock_guard<std::mutex> lock(mutex_);
  ++stats_.allocations;
  Block block;
  bool large = bytes > kLarge;
  if (large) {
    block.size = RoundUp(bytes, kPage);
    block.data = TakeLarge(block.size, &block.size);
  } else {
    int index = ClassOf(bytes);
    block.size = ClassSize(index);
    if (FreeNode*& head = small_[static_cast<size_t>(index)]; head != nullptr) {
      block.data = head;
      head = head->next;
      small_pooled_ -= block.size;
    }
  }
  if (block.data != nullptr) {
    ++stats_.reused;
    stats_.pooled -= block.size;
  } else {
    if (stats_.limit > 0) {
      MakeRoom(block.size);
      if (stats_.in_use + stats_.pooled + block.size > stats_.limit) {
        return ResourceExhausted("allocation of {} bytes: {} in use, the client's limit is {}",
                                 bytes, stats_.in_use, stats_.limit);
      }
    }
    auto fresh = [&] {
      return large ? MapLarge(block.size)
                   : std::aligned_alloc(kAlignment, static_cast<size_t>(block.size));
    };
    block.data = fresh();
    if (block.data == nullptr && stats_.pooled > 0) {
      MakeRoom(INT64_MAX);
      block.data = fresh();
    }
    if (block.data == nullptr) {
      return ResourceExhausted("allocation of {} bytes: the system has no memory ({} in use)",
                               bytes, stats_.in_use);
    }
  }
  stats_.in_use += block.size;
  stats_.peak_in_use = std::max(stats_.peak_in_use, stats_.in_use);
  return block;
}

void HostMemoryPool::Free(Block block) {
  if (block.data == nullptr) return;
  Block rejected;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stats_.in_use -= block.size;
    if (block.size <= kLarge) {
      if (stats_.pooled + block.size > stats_.pool_limit) {
        std::free(block.data);
        return;
      }
      auto* node = static_cast<FreeNode*>(block.data);
      FreeNode*& head = small_[static_cast<size_t>(ClassOf(block.size))];
      node->next = head;
      head = node;
      small_pooled_ += block.size;
      stats_.pooled += block.size;
      return;
    }
    if (block.size > stats_.pool_limit) {
      rejected = block;
    } else {
      // The newest blocks are the likeliest to be asked for again.
      while (stats_.pooled + block.size > stats_.pool_limit && !large_.empty()) {
        munmap(large_.front().data, static_cast<size_t>(large_.front().size));
        stats_.pooled -= large_.front().size;
        large_.erase(large_.begin());
      }
      if (stats_.pooled + block.size > stats_.pool_limit) TrimSmall();
      stats_.pooled += block.size;
      large_.push_back(block);
    }
  }
  if (rejected.data != nullptr) munmap(rejected.data, static_cast<size_t>(rejected.size));
}

void* HostMemoryPool::TakeLarge(int64_t bytes, int64_t* size) {
  // The best fit that wastes at most an eighth; of equal ones the newest, whose pages may still be
  // cached.
  auto best = large_.end();
  for (auto it = large_.begin(); it != large_.end(); ++it) {
    if (it->size < bytes || it->size > bytes + bytes / 8) continue;
    if (best == large_.end() || it->size <= best->size) best = it;
  }
  if (best == large_.end()) return nullptr;
  void* data = best->data;
  *size = best->size;
  large_.erase(best);
  return data;
}

void HostMemoryPool::MakeRoom(int64_t bytes) {
  auto fits = [&] {
    return bytes != INT64_MAX && stats_.in_use + stats_.pooled + bytes <= stats_.limit;
  };
  while (!fits() && !large_.empty()) {
    munmap(large_.front().data, static_cast<size_t>(large_.front().size));
    stats_.pooled -= large_.front().size;
    large_.erase(large_.begin());
  }
  if (!fits()) TrimSmall();
}

void HostMemoryPool::TrimSmall() {
  for (FreeNode*& head : small_) {
    while (head != nullptr) {
      FreeNode* next = head->next;
      std::free(head);
      head = next;
    }
  }
  stats_.pooled -= small_pooled_;
  small_pooled_ = 0;
}

void HostMemoryPool::Trim() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Block& b : large_) {
    munmap(b.data, static_cast<size_t>(b.size));
    stats_.pooled -= b.size;
  }
  large_.clear();
  TrimSmall();
}

void HostMemoryPool::ResetPeak() {
  std::lock_guard<std::mutex> lock(mutex_);
  stats_.peak_in_use = stats_.in_use;
}

MemoryStats HostMemoryPool::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

}  // namespace sinter::runtime
