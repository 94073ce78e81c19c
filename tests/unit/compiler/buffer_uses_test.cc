// Which parts of its buffers each half of a stage's tasks uses, and each task.
#include "compiler/buffer_uses.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "codegen/kernel/stages.h"

namespace sinter::compiler {
namespace {

using namespace kernel;  // NOLINT: builds one
using program::Share;

// 10 tasks, each of 16 rows or columns of a square of 160 x 160 that they read and write.
Kernel KernelOfTasks(bool columns, bool all_rows, int64_t shift) {
  Builder b("k");
  const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{160, 160});
  const int y = b.AddBuffer("y", ElementType::F32, std::vector<int64_t>{160, 160});
  const Value zero = b.ConstInt(ElementType::S64, 0), n = b.ConstInt(ElementType::S64, 160),
              block = b.ConstInt(ElementType::S64, 16);
  const Type row{ElementType::F32, 1, 16};
  b.For(LoopKind::kPar, zero, b.ConstInt(ElementType::S64, 10), 1, Tail::kExact, {},
        [&](Value task, const Values&) {
          const Value first = b.Mul(task, block);
          const Value lo = columns || all_rows ? zero : first,
                      hi = columns || all_rows ? n : b.Add(first, block);
          b.For(LoopKind::kSeq, lo, hi, 1, Tail::kExact, {}, [&](Value r, const Values&) {
            auto store = [&](Value column) {
              const Value read = b.Min(b.Add(r, b.ConstInt(ElementType::S64, shift)),
                                       b.ConstInt(ElementType::S64, 159));
              const Value v = b.Load(x, {{read}, {column, 0, 1}}, row);
              b.Store(v, y, {{r}, {column, 0, 1}});
            };
            if (columns) {
              store(first);
              return Values{};
            }
            b.For(LoopKind::kSeq, zero, n, 16, Tail::kExact, {}, [&](Value c, const Values&) {
              store(c);
              return Values{};
            });
            return Values{};
          });
          return Values{};
        });
  return b.Take();
}
const Op& StageOf(const Kernel& kernel) {
  auto stages = StagesOf(kernel);
  REQUIRE(stages.ok());
  REQUIRE(stages->size() == 1);
  return *(*stages)[0];
}
std::vector<program::BufferUse> UsesOfTasks(bool columns, bool all_rows, int64_t shift = 0) {
  const Kernel kernel = KernelOfTasks(columns, all_rows, shift);
  return UsesOf(kernel, StageOf(kernel));
}
// Of the square's rows.
std::vector<program::TaskRanges> RangesOfTasks(const Kernel& kernel, int64_t most_tasks = 100) {
  const std::vector<int64_t> sizes{160 * 160 * 4, 160 * 160 * 4};
  return RangesOf(kernel, StageOf(kernel), sizes, most_tasks);
}

TEST_CASE("halves of tasks use their own rows, columns all over the array, or all of it") {
  auto check = [](const std::vector<program::BufferUse>& uses, Share share) {
    REQUIRE(uses.size() == 2);
    CHECK(uses[0].share == share);
    CHECK(!uses[0].is_written);
    CHECK(uses[1].share == share);
    CHECK(uses[1].is_written);
  };
  check(UsesOfTasks(false, false), Share::kOwn);
  check(UsesOfTasks(false, false, 2), Share::kOwn);  // with neighbours
  check(UsesOfTasks(true, false), Share::kApart);
  check(UsesOfTasks(false, true), Share::kAll);
}

TEST_CASE("each task states the bytes that it uses") {
  constexpr int64_t kRow = 160 * 4;
  auto check = [](const Kernel& kernel, auto&& lo, auto&& hi, int64_t before, int64_t behind) {
    const std::vector<program::TaskRanges> ranges = RangesOfTasks(kernel);
    REQUIRE(ranges.size() == 2);
    CHECK(ranges[0].buffer == 0);
    CHECK(!ranges[0].is_written);
    CHECK(ranges[1].buffer == 1);
    CHECK(ranges[1].is_written);
    for (size_t t = 0; t < 10; ++t) {
      const auto task = static_cast<int64_t>(t);
      CHECK(ranges[0].bounds[2 * t] == std::min<int64_t>(lo(task) + before, 159 * kRow));
      CHECK(ranges[0].bounds[2 * t + 1] == std::min(hi(task) + behind, 160 * kRow));
      CHECK(ranges[1].bounds[2 * t] == lo(task));
      CHECK(ranges[1].bounds[2 * t + 1] == hi(task));
    }
  };
  auto first_row = [](int64_t t) { return 16 * t * kRow; };
  auto last_row = [](int64_t t) { return 16 * (t + 1) * kRow; };
  check(KernelOfTasks(false, false, 0), first_row, last_row, 0, 0);
  check(KernelOfTasks(false, false, 2), first_row, last_row, 2 * kRow, 2 * kRow);
  auto first_column = [](int64_t t) { return 16 * t * 4; };
  auto last_column = [](int64_t t) { return 159 * kRow + 16 * (t + 1) * 4; };
  check(KernelOfTasks(true, false, 0), first_column, last_column, 0, 0);
  CHECK(RangesOfTasks(KernelOfTasks(false, false, 0), 9).empty());
}

// y[t] = x[i], where i is (t + 1) % 10 or what is in memory at t, or 7 unless the task is the
// first.
std::vector<program::TaskRanges> RangesOfElements(bool from_memory, bool masked) {
  Builder b("k");
  const int x = b.AddBuffer("x", ElementType::F32, std::vector<int64_t>{10});
  const int at = b.AddBuffer("at", ElementType::S64, std::vector<int64_t>{10});
  const int y = b.AddBuffer("y", ElementType::F32, std::vector<int64_t>{10});
  auto number = [&](int64_t n) { return b.ConstInt(ElementType::S64, n); };
  b.For(LoopKind::kPar, number(0), number(10), 1, Tail::kExact, {}, [&](Value t, const Values&) {
    const Type f32{ElementType::F32};
    const Value next = from_memory ? b.Load(at, {{t}}, {ElementType::S64})
                                   : b.Rem(b.Add(t, number(1)), number(10));
    const Value other = b.Const(ElementType::F32, 7);
    const Value v = masked
                        ? b.Load(x, {{next}}, f32, b.Compare(Predicate::kEq, t, number(0)), other)
                        : b.Load(x, {{next}}, f32);
    b.Store(v, y, {{t}});
    return Values{};
  });
  const Kernel kernel = b.Take();
  const std::vector<int64_t> sizes{40, 80, 40};
  return RangesOf(kernel, StageOf(kernel), sizes, 100);
}

TEST_CASE("of elements whose place is data, tasks use all; of those that a mask leaves out, none") {
  const std::vector<program::TaskRanges> near = RangesOfElements(false, false);
  REQUIRE(near.size() == 2);
  CHECK(near[0].bounds == std::vector<int64_t>{4,  8,  8,  12, 12, 16, 16, 20, 20, 24,
                                               24, 28, 28, 32, 32, 36, 36, 40, 0,  4});
  const std::vector<program::TaskRanges> any = RangesOfElements(true, false);
  REQUIRE(any.size() == 3);
  CHECK(any[0].buffer == 1);
  CHECK(any[0].bounds[2] == 8);
  CHECK(any[1].buffer == 0);
  for (size_t t = 0; t < 10; ++t) {
    CHECK(any[1].bounds[2 * t] == 0);
    CHECK(any[1].bounds[2 * t + 1] == 40);
  }
  const std::vector<program::TaskRanges> first = RangesOfElements(false, true);
  REQUIRE(first.size() == 2);
  CHECK(first[0].bounds[0] == 4);
  CHECK(first[0].bounds[1] == 8);
  for (size_t t = 1; t < 10; ++t) CHECK(first[0].bounds[2 * t] == first[0].bounds[2 * t + 1]);
}

}  // namespace
}  // namespace sinter::compiler
