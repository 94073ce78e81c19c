#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter {

Hash128 HashBytes(const void* data, size_t size) {
  XXH128_hash_t h = XXH3_128bits(data, size);
  return {h.low64, h.high64};
}

}  // namespace sinter
