#include "passes/buffers/arena.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace sinter {
namespace {

TEST_CASE("intervals that overlap in time get disjoint ranges") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> v(1 + random() % 40);
    int64_t largest = 0, sum = 0;
    for (Lifetime& i : v) {
      i.size = static_cast<int64_t>(random() % 5000);
      i.begin = static_cast<int>(random() % 50);
      i.end = i.begin + static_cast<int>(random() % 20);
      largest = std::max(largest, i.size);
      sum += (i.size + 63) / 64 * 64;
    }
    const int64_t bytes = PackIntervals(v);
    CHECK(bytes >= largest);
    CHECK(bytes <= sum);
    for (size_t a = 0; a < v.size(); ++a) {
      CHECK(v[a].offset % 64 == 0);
      CHECK(v[a].offset + v[a].size <= bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool apart_in_time = v[a].end < v[b].begin || v[b].end < v[a].begin;
        const bool apart =
            v[a].offset + v[a].size <= v[b].offset || v[b].offset + v[b].size <= v[a].offset;
        CHECK((apart_in_time || apart));
      }
    }
  }
}

TEST_CASE("a chain needs two buffers at a time") {
  std::vector<Lifetime> chain;
  for (int k = 0; k < 10; ++k) chain.push_back({1024, k, k + 1});
  CHECK(PackIntervals(chain) == 2048);
}

}  // namespace
}  // namespace sinter
