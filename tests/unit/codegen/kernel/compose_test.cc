#include "codegen/kernel/compose.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

Kernel Read(const std::string& text) {
  auto k = Parse(text);
  INFO(k.status().ToString());
  REQUIRE(k.ok());
  REQUIRE(Verify(*k).ToString() == "OK");
  return *k;
}

Kernel Less(int limit) {
  return Read(R"(kernel less lanes 16 {
  %c1:s64 = const 1
  %c0:s64 = const 0
  %0:s32 = const )" +
              std::to_string(limit) + R"(
  buffer @i s32 argument [%c1] [%c1]
  buffer @o pred argument [%c1] [%c1] written
  for.par.exact 1 %c0, %c1 { (%1:s64)
    %2:s32 = load @i[%c0]
    %3:pred = cmp.lt %2, %0
    store %3, @o[%c0]
    yield
  }
})");
}
const char* const kIncrement = R"(kernel increment lanes 16 {
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
// x[8 t + 0..8) += i, by two tasks.
const char* const kAddTo = R"(kernel add_to lanes 8 {
  %c1:s64 = const 1
  %c0:s64 = const 0
  %c16:s64 = const 16
  buffer @i s32 argument [%c1] [%c1]
  buffer @x s32 argument [%c16] [%c1] alias 0
  buffer @o s32 argument [%c16] [%c1] written alias 0
  for.par.exact 8 %c0, %c16 { (%1:s64)
    %2:s32 = load @i[%c0]
    %3:s32[1x8] = load @x[%1+c]
    %4:s32[1x8] = add %3, %2
    store %4, @o[%1+c]
    yield
  }
})";

constexpr int kI = 0, kPred = 1, kX = 2, kJ = 3;
std::vector<ItemMemory> Memories() {
  // i, the predicate, x, and a temporary.
  return {{4, 0, 0, true}, {1, 1, 1, false}, {64, 2, 2, true}, {4, 3, 3, false}};
}

Composed Made(const std::vector<ItemMemory>& memory, const Items& items) {
  auto composed = Compose("loop", memory, items);
  REQUIRE(composed.has_value());
  INFO(Print(composed->kernel));
  REQUIRE(Verify(composed->kernel, {.aliases = false}).ToString() == "OK");
  return *composed;
}

TEST_CASE("a loop of kernels is one kernel, with its scalars in registers") {
  const Kernel less = Less(5), increment = Read(kIncrement), add = Read(kAddTo);
  ItemLoop loop;
  loop.condition = {{ItemKernel{&less, {kI, kPred}}}};
  loop.body = {
      {ItemKernel{&increment, {kI, kJ}}}, {ItemKernel{&add, {kJ, kX, kX}}}, {ItemCopy{kJ, kI}}};
  loop.predicate = kPred;
  const Composed composed = Made(Memories(), {{loop}});
  CHECK(composed.kernel.lanes == 16);
  // Neither the predicate nor the temporary is memory any more, and i is read and written once.
  CHECK(composed.arguments == std::vector<int>{kI, kX});
  CHECK(Print(composed.kernel) == R"(kernel loop lanes 16 {
  %c0:s64 = const 0
  %c1:s64 = const 1
  %0:pred = const 0
  %1:s32 = const 0
  %2:s32 = const 5
  %3:s32 = const 1
  %c16:s64 = const 16
  buffer @m0 s32 argument [%c1] [%c1] written
  buffer @m1 s32 argument [%c16] [%c1] written
  for.par.exact 1 %c0, %c1 { (%4:s64)
    %5:s32 = load @m0[%c0]
    %6:s32, %7:s32 = while %5, %1 { (%8:s32, %9:s32)
      %10:pred = cmp.lt %8, %2
      yield %10
    } { (%11:s32, %12:s32)
      %13:s32 = add %11, %3
      for.seq.exact 8 %c0, %c16 { (%14:s64)
        %15:s32[1x8] = load @m1[%14+c]
        %16:s32[1x8] = add %15, %13
        store %16, @m1[%14+c]
        yield
      }
      yield %13, %13
    }
    store %6, @m0[%c0]
    yield
  }
}
)");
  int32_t i = 2, x[16] = {100};
  void* buffers[] = {&i, x};
  REQUIRE(Interpret(composed.kernel, buffers, {}).ToString() == "OK");
  CHECK(i == 5);
  CHECK(x[0] == 100 + 3 + 4 + 5);
  CHECK(x[15] == 3 + 4 + 5);
}

TEST_CASE("choices among items") {
  const Kernel increment = Read(kIncrement), add = Read(kAddTo);
  for (int32_t selector : {-3, 0, 1, 2, 7}) {
    ItemChoice choice;
    choice.selector = kJ;
    choice.branches = {{{ItemKernel{&increment, {kI, kI}}}},
                       {{ItemKernel{&add, {kI, kX, kX}}}},
                       {{ItemCopy{kJ, kI}}}};
    std::vector<ItemMemory> memory = Memories();
    memory[kJ].outside = true;
    const Composed composed = Made(memory, {{choice}, {ItemKernel{&increment, {kI, kI}}}});
    int32_t i = 10, x[16] = {};
    std::vector<void*> buffers;
    for (int m : composed.arguments)
      buffers.push_back(m == kI ? static_cast<void*>(&i) : m == kX ? x : &selector);
    const int32_t selected = selector;
    REQUIRE(Interpret(composed.kernel, buffers, {}).ToString() == "OK");
    CHECK(i == (selected == 0 ? 12 : selected == 1 ? 11 : selected + 1));
    CHECK(x[3] == (selected == 1 ? 10 : 0));
  }
}

TEST_CASE("bytes are copied, whatever their number") {
  for (int64_t bytes : {1, 3, 4, 28, 64, 100, 132, 203}) {
    const std::vector<ItemMemory> memory = {{bytes, 0, 0, true}, {bytes, 1, 1, true}};
    const Composed composed = Made(memory, {{ItemCopy{0, 1}}});
    std::vector<uint8_t> from, to(static_cast<size_t>(bytes) + 1, 7);
    for (int64_t k = 0; k < bytes; ++k) from.push_back(static_cast<uint8_t>(k + 1));
    std::vector<void*> buffers;
    for (int m : composed.arguments) buffers.push_back(m == 0 ? from.data() : to.data());
    REQUIRE(Interpret(composed.kernel, buffers, {}).ToString() == "OK");
    CHECK(to.back() == 7);
    to.pop_back();
    CHECK(to == from);
  }
}

TEST_CASE("what is looked at as an array or as another type stays memory") {
  const Kernel increment = Read(kIncrement), add = Read(kAddTo);
  // The first element of x is a range of its own, of the same object and group.
  const std::vector<ItemMemory> memory = {{4, 2, 2, true}, {1, 1, 1, false}, {64, 2, 2, true}};
  const Composed composed =
      Made(memory, {{ItemKernel{&increment, {0, 0}}}, {ItemKernel{&add, {0, 2, 2}}}});
  CHECK(composed.arguments == std::vector<int>{0, 2});
  for (const Buffer& b : composed.kernel.buffers) CHECK(b.alias_group == 2);
  int32_t x[16] = {4, 1};
  void* buffers[] = {x, x};
  REQUIRE(Interpret(composed.kernel, buffers, {}).ToString() == "OK");
  CHECK(x[0] == 10);
  CHECK(x[1] == 6);
}

TEST_CASE("kernels with parameters are not composed") {
  Kernel with = Read(kIncrement);
  with.params.push_back({"n", kNone, 0, 1, 1});
  CHECK_FALSE(Compose("k", Memories(), {{ItemKernel{&with, {kI, kI}}}}).has_value());
}

}  // namespace
}  // namespace sinter::kernel
