#include "cuda/emulator/banks.h"

#include <algorithm>
#include <set>

#include "cuda/emulator/block.h"

namespace sinter::emulator {
namespace {

constexpr int64_t kBanks = 32, kWord = 4;

// How many cycles the banks take for the words of these lanes: as many as the busiest bank has
// words; lanes that read one word get it together.
int64_t Waves(const int64_t* offsets, uint32_t lanes, int64_t bytes) {
  std::set<int64_t> words;
  for (uint32_t l = 0; l < lanes; l++) {
    if (offsets[l] < 0) continue;
    for (int64_t b = 0; b < bytes; b += kWord) words.insert((offsets[l] + b) / kWord);
  }
  std::array<int64_t, kBanks> asked{};
  for (int64_t word : words) asked[static_cast<size_t>(word % kBanks)]++;
  return *std::max_element(asked.begin(), asked.end());
}

}  // namespace

void BankCounter::Note(uint32_t site, uint32_t thread, int64_t offset, int64_t bytes) {
  const uint32_t n = count_[{site, thread}]++;
  auto [access, fresh] = accesses_.try_emplace({site, thread / kWarp, n});
  if (fresh) access->second.offsets.fill(-1);
  access->second.bytes = bytes;
  access->second.offsets[thread % kWarp] = offset;
}

void BankCounter::EndBlock(const std::vector<Site>& sites, std::vector<BankUse>& banks) {
  for (const auto& [key, access] : accesses_) {
    const Site& site = sites[std::get<0>(key)];
    auto use = std::find_if(banks.begin(), banks.end(), [&](const BankUse& u) {
      return u.function == site.function && u.text == site.text;
    });
    if (use == banks.end()) use = banks.insert(use, {site.function, site.text});
    use->accesses++;
    // 64 bits an access are served a half warp at a time, 128 bits a quarter: of ldmatrix, whose
    // lanes hold the addresses of 16 bytes each, one matrix.
    const uint32_t lanes = access.bytes <= 4 ? kWarp : access.bytes <= 8 ? kWarp / 2 : kWarp / 4;
    for (uint32_t first = 0; first < kWarp; first += lanes) {
      const int64_t waves = Waves(access.offsets.data() + first, lanes, access.bytes);
      use->waves += waves;
      use->least += waves > 0;
    }
  }
  count_.clear();
  accesses_.clear();
}

}  // namespace sinter::emulator
