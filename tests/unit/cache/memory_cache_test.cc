#include "cache/memory_cache.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace sinter::cache {
namespace {

using Cache = MemoryCache<int>;
template <class... T>
Hash128 HashOf(const T&... fields) {
  Hasher h;
  (h.Add(fields), ...);
  return h.Finish();
}
Hash128 Key(int k) { return HashOf(k); }
auto Maker(int v) {
  return [v]() -> absl::StatusOr<std::shared_ptr<int>> { return std::make_shared<int>(v); };
}
auto Failing() {
  return []() -> absl::StatusOr<std::shared_ptr<int>> { return InvalidArgument("no"); };
}

TEST_CASE("hashes tell fields apart") {
  REQUIRE(HashOf("ab", "c") != HashOf("a", "bc"));
  REQUIRE(Key(1) != Key(2));
  REQUIRE(Key(1) == Key(1));
  REQUIRE(Key(1).ToString().size() == 32);
  std::vector<int64_t> one = {1}, none;
  REQUIRE(HashOf(one, none) != HashOf(none, one));
}

TEST_CASE("the least recently used goes first") {
  Cache cache(2);
  REQUIRE(**cache.Get(Key(1), Maker(1)) == 1);
  REQUIRE(**cache.Get(Key(2), Maker(2)) == 2);
  REQUIRE(**cache.Get(Key(1), Maker(9)) == 1);
  REQUIRE(**cache.Get(Key(3), Maker(3)) == 3);  // 2 goes
  REQUIRE(**cache.Get(Key(1), Maker(9)) == 1);
  REQUIRE(**cache.Get(Key(2), Maker(20)) == 20);
  CacheStats s = cache.stats();
  REQUIRE(s.hits == 2);
  REQUIRE(s.misses == 4);
  REQUIRE(s.evictions == 2);
  REQUIRE(s.entries == 2);
  REQUIRE(s.capacity == 2);
  cache.Clear();
  REQUIRE(cache.stats().entries == 0);
  REQUIRE(**cache.Get(Key(1), Maker(7)) == 7);
}

TEST_CASE("errors are not cached") {
  Cache cache(2);
  REQUIRE(cache.Get(Key(1), Failing()).status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(**cache.Get(Key(1), Maker(1)) == 1);
  auto thrower = []() -> absl::StatusOr<std::shared_ptr<int>> { throw std::bad_alloc(); };
  REQUIRE(cache.Get(Key(2), thrower).status().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(**cache.Get(Key(2), Maker(2)) == 2);
  REQUIRE(cache.stats().failures == 2);
}

TEST_CASE("a capacity of 0 keeps nothing") {
  Cache cache(0);
  REQUIRE(**cache.Get(Key(1), Maker(1)) == 1);
  REQUIRE(**cache.Get(Key(1), Maker(2)) == 2);
  REQUIRE(cache.stats().hits == 0);
}

TEST_CASE("asking for the key that is being made is an error, not a deadlock") {
  Cache cache(1);
  auto outer = [&]() -> absl::StatusOr<std::shared_ptr<int>> {
    return cache.Get(Key(1), Maker(1));
  };
  REQUIRE(cache.Get(Key(1), outer).status().code() == absl::StatusCode::kInternal);
}

TEST_CASE("concurrent requests for a key make it once") {
  Cache cache(100);
  std::atomic<int> made{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        auto v = cache.Get(Key(k), [&]() -> absl::StatusOr<std::shared_ptr<int>> {
          ++made;
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return std::make_shared<int>(k);
        });
        if (!v.ok() || **v != k) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(wrong == 0);
  REQUIRE(made == 50);
  REQUIRE(cache.stats().hits == 350);
  REQUIRE(cache.stats().compile_milliseconds > 5);
}

}  // namespace
}  // namespace sinter::cache
