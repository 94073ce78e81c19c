// The caches of the host's processor.
#pragma once

#include <cstdint>
#include <string>

namespace sinter::runtime::cpu {

struct CacheSizes {
  int64_t l2_bytes = 0;  // of one core
  int64_t l3_bytes = 0;  // of all cores that share one
};

// As the kernel tells of the first processor, in a folder like /sys/devices/system/cpu/cpu0/cache;
// 0 where it does not. (sysconf adds up all third-level caches of a socket.)
CacheSizes ReadCacheSizes(const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");
// The same of this processor, read once.
const CacheSizes& CachesOfHost();

}  // namespace sinter::runtime::cpu
