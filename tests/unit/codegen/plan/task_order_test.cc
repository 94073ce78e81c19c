// The order of tasks: what they share stays in the cache.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/plan/plan.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

// A convolution whose filters' features are no whole vectors, so that it is not packed.
std::vector<int> TasksOf(int64_t rows, int64_t features) {
  auto region =
      Region(Format("x = f32[1,{2},9,{0}] parameter(0)\nw = f32[1,{3},7,{0},3,3] windows(x), "
                    "window={{size=1x3x3x1}}\n"
                    "y = f32[3,3,{0},{1}] parameter(1)\n"
                    "ROOT d = f32[1,{3},7,{1}] dot(w, y), lhs_contracting_dims={{4,5,3}}, "
                    "rhs_contracting_dims={{0,1,2}}",
                    features, features + 12, rows + 2, rows));
  auto plan = MakePlan(*region->entry(), CpuMachine{.l2_bytes = 1 << 20});
  REQUIRE(plan.ok());
  REQUIRE(plan->nest == Nest::kLoop);
  std::vector<int> tasks;
  for (int d : plan->task_dims)
    if (d != plan->row_dim && d != 0) tasks.push_back(d);
  return tasks;
}

TEST_CASE("a band of filters stays for all rows where not all filters do") {
  CHECK(TasksOf(7, 300) == std::vector<int>{3, 1});
}
TEST_CASE("tasks stay in the order of the output where all filters stay") {
  CHECK(TasksOf(15, 108) == std::vector<int>{1, 3});
}

}  // namespace
}  // namespace sinter::plan
