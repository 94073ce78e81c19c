#include "runtime/host_memory_pool.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <thread>
#include <vector>

#include "base/status.h"

namespace sinter::runtime {
namespace {

TEST_CASE("blocks are aligned, big enough and reused") {
  HostMemoryPool pool(0, int64_t{256} << 20);
  for (int64_t bytes : {0, 1, 63, 64, 65, 1000, 1024, 1025, 4096, 100000, (1 << 20) - 1, 1 << 20,
                        (1 << 20) + 1, (2 << 20) - 1, 2 << 20, 9 << 20}) {
    CAPTURE(bytes);
    auto block = pool.Allocate(bytes);
    REQUIRE(block.ok());
    REQUIRE(block->size >= bytes);
    REQUIRE((bytes < 1024 || block->size <= bytes + bytes / 7));
    REQUIRE(reinterpret_cast<uintptr_t>(block->data) % kAlignment == 0);
    std::memset(block->data, 1, static_cast<size_t>(block->size));
    void* data = block->data;
    pool.Free(*block);
    int64_t reused = pool.stats().reused;
    block = pool.Allocate(bytes);
    REQUIRE(block->data == data);
    REQUIRE(pool.stats().reused == reused + 1);
    pool.Free(*block);
  }
  REQUIRE(pool.stats().in_use == 0);
  REQUIRE(pool.stats().pooled > 0);
  pool.Trim();
  REQUIRE(pool.stats().pooled == 0);
}

TEST_CASE("every size below 16 KiB fits its class") {
  HostMemoryPool pool(0, int64_t{1} << 20);
  for (int64_t bytes = 0; bytes < 16384; ++bytes) {
    auto block = pool.Allocate(bytes);
    REQUIRE((block.ok() && block->size >= bytes));
    pool.Free(*block);
  }
}

TEST_CASE("a large block serves a slightly smaller request only") {
  HostMemoryPool pool(0, int64_t{1} << 30);
  auto block = pool.Allocate(64 << 20);
  void* data = block->data;
  pool.Free(*block);
  auto smaller = pool.Allocate(60 << 20);
  REQUIRE(smaller->data == data);
  pool.Free(*smaller);
  auto much_smaller = pool.Allocate(32 << 20);
  REQUIRE(much_smaller->data != data);
  pool.Free(*much_smaller);
}

TEST_CASE("the pool keeps no more than its limit") {
  HostMemoryPool pool(0, 8 << 20);
  std::vector<Block> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(*pool.Allocate(3 << 20));
  for (Block b : blocks) {
    pool.Free(b);
    REQUIRE(pool.stats().pooled <= 8 << 20);
  }
  REQUIRE(pool.stats().pooled == 6 << 20);
  pool.Free(*pool.Allocate(20 << 20));
  REQUIRE(pool.stats().pooled == 6 << 20);
  // The newest stays.
  Block last = *pool.Allocate(5 << 20);
  pool.Free(last);
  REQUIRE(pool.stats().pooled <= 8 << 20);
  REQUIRE(pool.Allocate(5 << 20)->data == last.data);
}

TEST_CASE("over the memory limit is ResourceExhausted, and pooled memory is freed first") {
  HostMemoryPool pool(10 << 20, 10 << 20);
  auto a = pool.Allocate(6 << 20);
  auto b = pool.Allocate(6 << 20);
  REQUIRE(b.status().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(MessageOf(b.status()) ==
          "allocation of 6291456 bytes: 6291456 in use, the client's limit is 10485760");
  pool.Free(*a);
  REQUIRE(pool.stats().pooled == 6 << 20);
  b = pool.Allocate(9 << 20);
  REQUIRE(b.ok());
  REQUIRE(pool.stats().pooled == 0);
  pool.Free(*b);
  REQUIRE(pool.stats().peak_in_use == 9 << 20);
}

TEST_CASE("what the system cannot give is ResourceExhausted") {
  HostMemoryPool pool(0, 0);
  REQUIRE(pool.Allocate(int64_t{1} << 60).status().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(pool.Allocate(INT64_MAX).status().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(pool.Allocate(-1).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("several threads share a pool") {
  HostMemoryPool pool(0, 4 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 500; ++i) {
        int64_t bytes = (i * 7919 + t * 104729) % (3 << 20);
        Block b = *pool.Allocate(bytes);
        std::memset(b.data, t, static_cast<size_t>(std::min<int64_t>(bytes, 4096)));
        pool.Free(b);
      }
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(pool.stats().in_use == 0);
}

}  // namespace
}  // namespace sinter::runtime
