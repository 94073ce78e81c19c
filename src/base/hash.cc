#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/text.h"

namespace sinter {

std::string Hash128::ToString() const { return Format("{:016x}{:016x}", high, low); }

Hash128 HashBytes(const void* data, size_t size) {
  XXH128_hash_t h = XXH3_128bits(data, size);
  return {h.low64, h.high64};
}

}  // namespace sinter
