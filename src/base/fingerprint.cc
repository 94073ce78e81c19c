#include "base/fingerprint.h"

#include <xxhash.h>

#include "base/text.h"

namespace sinter {

std::string Fingerprint::ToString() const { return Format("{:016x}{:016x}", high, low); }

Fingerprint FingerprintOf(std::string_view bytes) {
  XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.high64, h.low64};
}

}  // namespace sinter
