// Which parts of its buffers each half of a stage's tasks uses.
#include "compiler/buffer_uses.h"

#include <catch2/catch.hpp>

#include "codegen/kernel/builder.h"
#include "codegen/kernel/stages.h"

namespace sinter::compiler {
namespace {

using namespace kernel;  // NOLINT: builds one
using program::Share;

// How 10 tasks, each of 16 rows or columns, use a square of 160 x 160 that they read and write.
std::vector<program::BufferUse> UsesOfTasks(bool columns, bool all_rows, int64_t shift = 0) {
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
  const Kernel kernel = b.Take();
  auto stages = StagesOf(kernel);
  REQUIRE(stages.ok());
  REQUIRE(stages->size() == 1);
  return UsesOf(kernel, *(*stages)[0]);
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

}  // namespace
}  // namespace sinter::compiler
