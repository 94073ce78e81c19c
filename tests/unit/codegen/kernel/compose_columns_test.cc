#include "codegen/kernel/compose_columns.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/stages.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

constexpr int kRows = 5;

Kernel ReadKernel(std::string text, int columns) {
  for (const auto& [from, to] : {std::pair<std::string, int>{"COLS", columns}, {"ROWS", kRows}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, from.size(), std::to_string(to));
  auto k = Parse(text);
  INFO(text << k.status().ToString());
  REQUIRE(k.ok());
  REQUIRE(Verify(*k).ToString() == "OK");
  return *k;
}

const char* const kTest = R"(kernel test lanes 16 {
  %c1:s64 = const 1
  %c0:s64 = const 0
  %0:s32 = const ROWS
  buffer @i s32 argument [%c1] [%c1]
  buffer @o pred argument [%c1] [%c1] written
  for.par.exact 1 %c0, %c1 { (%1:s64)
    %2:s32 = load @i[%c0]
    %3:pred = cmp.lt %2, %0
    store %3, @o[%c0]
    yield
  }
})";
const char* const kCount = R"(kernel count lanes 16 {
  %c1:s64 = const 1
  %c0:s64 = const 0
  %0:s32 = const 1
  buffer @i s32 argument [%c1] [%c1] alias 0
  buffer @o s32 argument [%c1] [%c1] written alias 0
  for.par.exact 1 %c0, %c1 { (%1:s64)
    %2:s32 = load @i[%c0]
    %3:s32 = add %2, %0
    store %3, @o[%c0]
    yield
  }
})";
// next = h + x[i, SHIFT + column]
const char* const kAdd = R"(kernel add lanes 16 {
  %c1:s64 = const 1
  %cols:s64 = const COLS
  %rows:s64 = const ROWS
  %last:s64 = const 4
  %c0:s64 = const 0
  %zero:f32 = const 0
  buffer @h f32 argument [%cols] [%c1]
  buffer @x f32 argument [%rows, %cols] [%cols, %c1]
  buffer @i s32 argument [%c1] [%c1]
  buffer @o f32 argument [%cols] [%c1] written
  for.par.exact 1 %c0, %c1 { (%t:s64)
    %2:s32 = load @i[%c0]
    %3:s64 = cvt %2
    %4:s64 = min %3, %last
    %5:s64 = max %4, %c0
    for.seq.peel 16 %c0, %cols { (%j:s64)
      %m:pred[1x16] = mask.cols %j, %cols
      %6:f32[1x16] = load @h[%j+c] mask %m else %zero
      %7:f32[1x16] = load @x[%5, %j+c] mask %m else %zero
      %8:f32[1x16] = add %6, %7
      store %8, @o[%j+c] mask %m
      yield
    }
    yield
  }
})";
// y[i, column] = h
const char* const kPut = R"(kernel put lanes 16 {
  %c1:s64 = const 1
  %cols:s64 = const COLS
  %rows:s64 = const ROWS
  %last:s64 = const 4
  %c0:s64 = const 0
  %zero:f32 = const 0
  buffer @h f32 argument [%cols] [%c1]
  buffer @i s32 argument [%c1] [%c1]
  buffer @y f32 argument [%rows, %cols] [%cols, %c1] written
  for.par.exact 1 %c0, %c1 { (%t:s64)
    %2:s32 = load @i[%c0]
    %3:s64 = cvt %2
    %4:s64 = min %3, %last
    %5:s64 = max %4, %c0
    for.seq.peel 16 %c0, %cols { (%j:s64)
      %m:pred[1x16] = mask.cols %j, %cols
      %6:f32[1x16] = load @h[%j+c] mask %m else %zero
      store %6, @y[%5, %j+c] mask %m
      yield
    }
    yield
  }
})";
// next[column] = h[column + 1]: what another column has.
const char* const kShift = R"(kernel shift lanes 16 {
  %c1:s64 = const 1
  %cols:s64 = const COLS
  %most:s64 = const 15
  %c0:s64 = const 0
  %zero:f32 = const 0
  buffer @h f32 argument [%cols] [%c1]
  buffer @o f32 argument [%cols] [%c1] written
  for.par.exact 1 %c0, %c1 { (%t:s64)
    for.seq.exact 16 %c0, %cols { (%j:s64)
      %k:s64 = add %j, %c1
      %m:pred[1x16] = mask.cols %k, %cols
      %6:f32[1x16] = load @h[%k+c] mask %m else %zero
      store %6, @o[%j+c]
      yield
    }
    yield
  }
})";

// i, the predicate, h, x, the next h, y.
enum { kCounter, kMore, kState, kInput, kNextState, kOutput };
std::vector<ItemMemory> MemoryOf(int64_t columns) {
  return {{4, 0, 0, true},
          {1, 1, 1, false},
          {4 * columns, 2, 2, true},
          {4 * kRows * columns, 3, 3, true},
          {4 * columns, 4, 4, false},
          {4 * kRows * columns, 5, 5, true}};
}

TEST_CASE("a recurrence over rows runs by columns, its state in registers") {
  for (int columns : {16, 40, 64, 100, 1024}) {
    INFO(columns);
    const Kernel test = ReadKernel(kTest, columns), count = ReadKernel(kCount, columns),
                 add = ReadKernel(kAdd, columns), put = ReadKernel(kPut, columns);
    ItemLoop loop;
    loop.condition = {{ItemKernel{&test, {kCounter, kMore}}}};
    loop.body = {{ItemKernel{&add, {kState, kInput, kCounter, kNextState}}},
                 {ItemKernel{&put, {kNextState, kCounter, kOutput}}},
                 {ItemKernel{&count, {kCounter, kCounter}}},
                 {ItemCopy{kNextState, kState}}};
    loop.predicate = kMore;
    const std::vector<ItemMemory> memory = MemoryOf(columns);
    const Items items = {{loop}};
    auto composed = Compose("loop", memory, items);
    REQUIRE(composed.has_value());
    auto by_columns = ByColumns(*composed, memory, 32);
    REQUIRE(by_columns.has_value());
    INFO(Print(*by_columns));
    REQUIRE(Verify(*by_columns, {.aliases = false}).ToString() == "OK");
    CHECK(StagesOf(*by_columns).value().size() == (columns % 16 == 0 ? 2 : 3));
    int32_t i = 0;
    std::vector<float> h, x, next(static_cast<size_t>(columns)), y, want;
    for (int c = 0; c < columns; ++c) h.push_back(static_cast<float>(c));
    for (int k = 0; k < kRows * columns; ++k) x.push_back(static_cast<float>(k % 7));
    y.resize(x.size());
    std::vector<float> state = h;
    for (size_t k = 0; k < x.size(); ++k) want.push_back(state[k % state.size()] += x[k]);
    std::vector<void*> buffers;
    for (int m : composed->arguments) {
      void* const all[] = {&i, nullptr, h.data(), x.data(), next.data(), y.data()};
      buffers.push_back(all[m]);
    }
    REQUIRE(Interpret(*by_columns, buffers, {}).ToString() == "OK");
    CHECK(i == kRows);
    CHECK(y == want);
    CHECK(h == state);
  }
}

// next = h or x[i, column]
const char* const kAny = R"(kernel any lanes 16 {
  %c1:s64 = const 1
  %cols:s64 = const COLS
  %rows:s64 = const ROWS
  %last:s64 = const 4
  %c0:s64 = const 0
  buffer @h pred argument [%cols] [%c1]
  buffer @x pred argument [%rows, %cols] [%cols, %c1]
  buffer @i s32 argument [%c1] [%c1]
  buffer @o pred argument [%cols] [%c1] written
  for.par.exact 1 %c0, %c1 { (%t:s64)
    %2:s32 = load @i[%c0]
    %3:s64 = cvt %2
    %4:s64 = min %3, %last
    %5:s64 = max %4, %c0
    for.seq.exact 16 %c0, %cols { (%j:s64)
      %6:pred[1x16] = load @h[%j+c]
      %7:pred[1x16] = load @x[%5, %j+c]
      %8:pred[1x16] = or %6, %7
      store %8, @o[%j+c]
      yield
    }
    yield
  }
})";

TEST_CASE("a state of predicates is copied as bytes, and bits in registers") {
  const int columns = 32;
  const Kernel test = ReadKernel(kTest, columns), count = ReadKernel(kCount, columns),
               any = ReadKernel(kAny, columns);
  ItemLoop loop;
  loop.condition = {{ItemKernel{&test, {kCounter, kMore}}}};
  loop.body = {{ItemKernel{&any, {kState, kInput, kCounter, kNextState}}},
               {ItemKernel{&count, {kCounter, kCounter}}},
               {ItemCopy{kNextState, kState}}};
  loop.predicate = kMore;
  const std::vector<ItemMemory> memory = {{4, 0, 0, true},
                                          {1, 1, 1, false},
                                          {columns, 2, 2, true},
                                          {int64_t{kRows} * columns, 3, 3, true},
                                          {columns, 4, 4, false}};
  const Items items = {{loop}};
  auto composed = Compose("loop", memory, items);
  REQUIRE(composed.has_value());
  auto by_columns = ByColumns(*composed, memory, 32);
  REQUIRE(by_columns.has_value());
  INFO(Print(*by_columns));
  REQUIRE(Verify(*by_columns, {.aliases = false}).ToString() == "OK");
  int32_t i = 0;
  std::vector<uint8_t> h(columns), x(static_cast<size_t>(kRows * columns)), next(columns), want;
  for (size_t k = 0; k < x.size(); k += 7) x[k] = 1;
  for (size_t c = 0; c < h.size(); ++c) {
    want.push_back(0);
    for (size_t k = c; k < x.size(); k += h.size()) want.back() |= x[k];
  }
  std::vector<void*> buffers;
  for (int m : composed->arguments) {
    void* const all[] = {&i, nullptr, h.data(), x.data(), next.data()};
    buffers.push_back(all[m]);
  }
  REQUIRE(Interpret(*by_columns, buffers, {}).ToString() == "OK");
  CHECK(h == want);
}

TEST_CASE("columns that read one another stay inside of the loop") {
  const int columns = 64;
  const Kernel test = ReadKernel(kTest, columns), count = ReadKernel(kCount, columns),
               shift = ReadKernel(kShift, columns);
  ItemLoop loop;
  loop.condition = {{ItemKernel{&test, {kCounter, kMore}}}};
  loop.body = {{ItemKernel{&shift, {kState, kNextState}}},
               {ItemKernel{&count, {kCounter, kCounter}}},
               {ItemCopy{kNextState, kState}}};
  loop.predicate = kMore;
  const std::vector<ItemMemory> memory = MemoryOf(columns);
  const Items items = {{loop}};
  auto composed = Compose("loop", memory, items);
  REQUIRE(composed.has_value());
  CHECK(!ByColumns(*composed, memory, 32).has_value());
}

}  // namespace
}  // namespace sinter::kernel
