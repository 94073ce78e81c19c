// Regions that the tests of schedules plan, as the text of unit/region.h.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "codegen/plan/plan.h"

namespace sinter::plan {

inline Plan PlannedForCpu(const HloModule& module, const CpuMachine& machine = {}) {
  auto plan = MakePlan(*module.entry(), machine);
  INFO(plan.status().ToString());
  REQUIRE(plan.ok());
  return *plan;
}

inline std::string Unary(const std::string& op, const std::string& shape) {
  return Format("x = {0} parameter(0)\nROOT y = {0} {1}(x)", shape, op);
}

inline std::string Sum(const std::string& shape, const std::string& kept, const std::string& dims) {
  return Format(
      "x = f32[{}] parameter(0)\nzero = f32[] constant(0)\n"
      "ROOT r = f32[{}] reduce(x, zero), dimensions={{{}}}, to_apply=add",
      shape, kept, dims);
}

inline std::string Product(int64_t m, int64_t k, int64_t n) {
  return Format(
      "x = f32[{0},{1}] parameter(0)\ny = f32[{1},{2}] parameter(1)\n"
      "ROOT d = f32[{0},{2}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
      m, k, n);
}

}  // namespace sinter::plan
