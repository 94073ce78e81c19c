#include "base/memory.h"

#include <sys/mman.h>

namespace sinter {

bool CanMap(size_t bytes) {
  if (bytes == 0) return true;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

}  // namespace sinter
