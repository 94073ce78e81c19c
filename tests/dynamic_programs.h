// Random programs with a dynamic dimension.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "base/status.h"

namespace sinter::testing {

// HLO text: a chain of operations on a parameter f32[<=6,3], each of which looks at elements over
// the first dimension, or moves them along it, or changes its size.
inline std::string RandomDynamicProgram(std::mt19937& random) {
  int64_t rows = 6;
  const int64_t columns = 3;
  std::string body, x = "x";
  const uint32_t steps = 1 + random() % 5;
  for (uint32_t step = 0; step < steps; ++step) {
    const std::string y = Format("y{}", step);
    auto shape = [&] { return Format("f32[<={},{}]", rows, columns); };
    switch (random() % 12) {
      case 0:
        body += Format("  {} = {} negate({})\n", y, shape(), x);
        break;
      case 1:
        body += Format("  {} = {} reverse({}), dimensions={{0}}\n", y, shape(), x);
        break;
      case 2:
        if (rows > 24) continue;
        rows *= 2;
        body += Format("  {} = {} concatenate({}, {}), dimensions={{0}}\n", y, shape(), x, x);
        break;
      case 3:
        rows += 1;
        body += Format("  {} = {} pad({}, z), padding=1_0x0_0\n", y, shape(), x);
        break;
      case 4:
        body += Format("  {} = {} sort({}), dimensions={{0}}, to_apply=less\n", y, shape(), x);
        break;
      case 5:
        body += Format(
            "  {} = {} reduce-window({}, z), window={{size={}x1 pad={}_0x0_0}}, to_apply=add\n", y,
            shape(), x, rows, rows - 1);
        break;
      case 6:
        body += Format("  t{} = f32[{}] reduce({}, z), dimensions={{0}}, to_apply=add\n", step,
                       columns, x);
        body += Format("  b{} = f32[{},{}] broadcast(t{}), dimensions={{1}}\n", step, rows, columns,
                       step);
        body += Format("  {} = {} subtract({}, b{})\n", y, shape(), x, step);
        break;
      case 7:
        rows -= 1;
        body += Format("  {} = {} slice({}), slice={{[1:{}], [0:{}]}}\n", y, shape(), x, rows + 1,
                       columns);
        break;
      case 8:
        body += Format("  i{} = s32[2] iota(), iota_dimension=0\n", step);
        body += Format("  u{} = f32[2,{}] broadcast(one), dimensions={{}}\n", step, columns);
        body += Format(
            "  {} = {} scatter({}, i{}, u{}), update_window_dims={{1}}, "
            "inserted_window_dims={{0}}, "
            "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=add\n",
            y, shape(), x, step, step);
        break;
      case 9:
        body += Format("  i{} = f32[{}] broadcast(one), dimensions={{}}\n", step, columns);
        body += Format(
            "  t{} = ({}, f32[{}]) scan({}, i{}), dimensions={{0}}, num_carries=1, to_apply=sums\n",
            step, shape(), columns, x, step);
        body += Format("  {} = {} get-tuple-element(t{}), index=0\n", y, shape(), step);
        break;
      case 10:
        body += Format("  k{} = f32[2,{},{}] broadcast(one), dimensions={{}}\n", step, columns,
                       columns);
        body += Format("  t{} = f32[1,<={},{}] reshape({})\n", step, rows, columns, x);
        body += Format(
            "  c{} = f32[1,<={},{}] convolution(t{}, k{}), window={{size=2 pad=1_0}}, "
            "dim_labels=b0f_0io->b0f\n",
            step, rows, columns, step, step);
        body += Format("  {} = {} reshape(c{})\n", y, shape(), step);
        break;
      default:
        body += Format("  t{} = f32[{},<={}] transpose({}), dimensions={{1,0}}\n", step, columns,
                       rows, x);
        body += Format("  f{} = f32[<={}] reshape(t{})\n", step, rows * columns, step);
        body += Format("  {} = {} reshape(f{})\n", y, shape(), step);
        break;
    }
    x = y;
    if (rows < 3) break;
  }
  return "HloModule random\n\n"
         "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, "
         "b)\n}\n"
         "sums {\n  a = f32[3] parameter(0)\n  b = f32[3] parameter(1)\n  s = f32[3] add(b, a)\n"
         "  ROOT r = (f32[3], f32[3]) tuple(s, s)\n}\n"
         "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
         "  ROOT c = pred[] compare(a, b), direction=LT\n}\n"
         "ENTRY main {\n  x = f32[<=6,3] parameter(0)\n  z = f32[] constant(0)\n"
         "  one = f32[] constant(1)\n" +
         body + Format("  ROOT r = f32[<={},{}] copy({})\n}}\n", rows, columns, x);
}

}  // namespace sinter::testing
