#include "runtime/cpu/caches.h"

#include <charconv>
#include <fstream>
#include <string_view>

namespace sinter::runtime::cpu {
namespace {

std::string FirstWord(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  in >> word;
  return word;
}

// "1024K"; 0 for what is no size.
int64_t BytesOf(std::string_view text) {
  int64_t unit = 1;
  if (!text.empty() && (text.back() == 'K' || text.back() == 'M' || text.back() == 'G')) {
    unit = int64_t{1} << (text.back() == 'K' ? 10 : text.back() == 'M' ? 20 : 30);
    text.remove_suffix(1);
  }
  int32_t n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  return error == std::errc() && stop == end && n > 0 ? n * unit : 0;
}

}  // namespace

CacheSizes ReadCacheSizes(const std::string& folder) {
  constexpr int kMostCaches = 16;
  CacheSizes sizes;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string cache = folder + "/index" + std::to_string(i);
    const std::string level = FirstWord(cache + "/level");
    if (level.empty()) break;
    if (FirstWord(cache + "/type") == "Instruction") continue;
    if (level == "2") sizes.l2_bytes = BytesOf(FirstWord(cache + "/size"));
    if (level == "3") sizes.l3_bytes = BytesOf(FirstWord(cache + "/size"));
  }
  return sizes;
}

const CacheSizes& CachesOfHost() {
  static const CacheSizes sizes = ReadCacheSizes();
  return sizes;
}

}  // namespace sinter::runtime::cpu
