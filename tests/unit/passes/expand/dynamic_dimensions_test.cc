#include <catch2/catch.hpp>
#include <random>

#include "base/status.h"
#include "dynamic_check.h"
#include "dynamic_programs.h"
#include "passes/expand/dynamic_dimensions.h"

namespace sinter {
namespace {

using dynamic::CheckPass;
using dynamic::kAdd;
using dynamic::kMax;
using dynamic::kT;
using dynamic::kV;
using dynamic::kX;
using dynamic::ParseText;
using dynamic::Program;

// Each operation over dynamic dimensions means what it means over the real sizes.

TEST_CASE("Over dynamic dimensions: elementwise") {
  CheckPass(Program(kX, "ROOT y = f32[<=6,3] add(x, x)"));
  CheckPass(Program(kX,
                    "c = f32[] constant(2)\n b = f32[6,3] broadcast(c), dimensions={}\n"
                    "ROOT y = f32[<=6,3] multiply(x, b)"));
}

TEST_CASE("Over dynamic dimensions: sizes") {
  CheckPass(Program(kX, "ROOT n = s32[] get-dimension-size(x), dimensions={0}"));
  CheckPass(Program(kX, "ROOT n = s32[] get-dimension-size(x), dimensions={1}"));
  CheckPass(Program(kX,
                    "n = s32[] constant(2)\n"
                    "ROOT y = f32[<=6,<=3] set-dimension-size(x, n), dimensions={1}"));
  CheckPass(Program(kX,
                    "n = s32[] constant(6)\n"
                    "ROOT y = f32[6,3] set-dimension-size(x, n), dimensions={0}"));
  CheckPass(Program("x = f32[4,<=5] parameter(0)\n n = s32[] constant(3)",
                    "ROOT y = f32[4,<=5] set-dimension-size(x, n), dimensions={1}"));
}

TEST_CASE("Over dynamic dimensions: broadcast, transpose") {
  CheckPass(Program(kV, "ROOT y = f32[4,<=7] broadcast(x), dimensions={1}"));
  CheckPass(Program(kX, "ROOT y = f32[3,<=6] transpose(x), dimensions={1,0}"));
}

TEST_CASE("Over dynamic dimensions: reshape") {
  CheckPass(Program(kX, "ROOT y = f32[<=18] reshape(x)"));
  CheckPass(Program(kT, "ROOT y = f32[<=18] reshape(x)"));
  CheckPass(Program(kT, "ROOT y = f32[1,3,<=6,1] reshape(x)"));
  CheckPass(Program("x = f32[2,<=6,3] parameter(0)", "ROOT y = f32[2,<=18] reshape(x)"));
  CheckPass(Program("x = f32[2,<=6,3] parameter(0)", "ROOT y = f32[<=12,3] reshape(x)"));
  CheckPass(Program("x = f32[2,<=5] parameter(0)",
                    "n = s32[] get-dimension-size(x), dimensions={1}\n two = s32[] constant(2)\n"
                    "ROOT y = f32[<=5,2] dynamic-reshape(x, n, two)"));
  CheckPass(Program("x = f32[<=5,2] parameter(0)",
                    "n = s32[] get-dimension-size(x), dimensions={0}\n two = s32[] constant(2)\n"
                    "m = s32[] multiply(n, two)\n"
                    "ROOT y = f32[<=10] dynamic-reshape(x, m)"));
}

TEST_CASE("Over dynamic dimensions: slice, pad") {
  CheckPass(Program(kV, "ROOT y = f32[<=5] slice(x), slice={[1:6]}"));
  CheckPass(Program(kV, "ROOT y = f32[<=3] slice(x), slice={[2:7:2]}"));
  CheckPass(Program(kV, "ROOT y = f32[1] slice(x), slice={[2:3]}"), 3);
  CheckPass(Program(kV, "z = f32[] constant(9)\n ROOT y = f32[<=22] pad(x, z), padding=2_7_1"));
  CheckPass(Program(kV, "z = f32[] constant(9)\n ROOT y = f32[<=5] pad(x, z), padding=-1_-1"), 2);
}

TEST_CASE("Over dynamic dimensions: concatenate, reverse") {
  CheckPass(
      Program("x = f32[<=4,2] parameter(0)\n y = f32[<=5,2] parameter(1)\n"
              "z = f32[3,2] parameter(2)",
              "ROOT c = f32[<=12,2] concatenate(x, y, z), dimensions={0}"));
  CheckPass(Program("x = f32[2,<=4] parameter(0)\n y = f32[3,<=4] parameter(1)",
                    "ROOT c = f32[5,<=4] concatenate(x, y), dimensions={0}"));
  CheckPass(Program(kX, "ROOT y = f32[<=6,3] reverse(x), dimensions={0,1}"));
  CheckPass(Program("x = f32[<=4,<=5] parameter(0)",
                    "ROOT y = f32[<=4,<=5] reverse(x), dimensions={0,1}"));
}

TEST_CASE("Over dynamic dimensions: dynamic slices") {
  const std::string i = "\n i = s32[] parameter(1)\n zero = s32[] constant(0)";
  CheckPass(Program(kX + i,
                    "ROOT y = f32[2,3] dynamic-slice(x, i, zero), "
                    "dynamic_slice_sizes={2,3}"),
            2, 20);
  CheckPass(Program(kT + i,
                    "ROOT y = f32[2,<=6] dynamic-slice(x, i, i), "
                    "dynamic_slice_sizes={2,6}"),
            0, 20);
  CheckPass(Program(kX + i + "\n u = f32[2,3] parameter(2)",
                    "ROOT y = f32[<=6,3] dynamic-update-slice(x, u, i, zero)"),
            2, 20);
  CheckPass(Program("x = f32[5,3] parameter(0)\n u = f32[<=4,3] parameter(1)\n"
                    "i = s32[] parameter(2)\n zero = s32[] constant(0)",
                    "ROOT y = f32[5,3] dynamic-update-slice(x, u, i, zero)"),
            0, 20);
}

TEST_CASE("Over dynamic dimensions: gather, scatter") {
  CheckPass(Program(kX + "\n i = s32[4] parameter(1)",
                    "ROOT y = f32[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
            1, 20);
  CheckPass(Program("x = f32[5,<=3] parameter(0)\n i = s32[<=4,1] parameter(1)",
                    "ROOT y = f32[<=4,<=3] gather(x, i), offset_dims={1}, "
                    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                    "slice_sizes={1,3}"));
  CheckPass(
      Program("x = f32[5,3] parameter(0)\n i = s32[<=4,1] parameter(1)\n"
              "u = f32[<=4,3] parameter(2)",
              "ROOT y = f32[5,3] scatter(x, i, u), update_window_dims={1}, "
              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
              "index_vector_dim=1, to_apply=add",
              kAdd));
}

TEST_CASE("Over dynamic dimensions: reductions") {
  const std::string zero = "z = f32[] constant(0)\n";
  CheckPass(Program(kX, zero + "ROOT y = f32[3] reduce(x, z), dimensions={0}, to_apply=add", kAdd));
  CheckPass(
      Program(kX, zero + "ROOT y = f32[<=6] reduce(x, z), dimensions={1}, to_apply=add", kAdd));
  CheckPass(Program(kX,
                    "z = f32[] constant(5)\n"
                    "ROOT y = f32[] reduce(x, z), dimensions={0,1}, to_apply=add",
                    kAdd));
  CheckPass(Program(kX,
                    "z = f32[] constant(-3)\n"
                    "ROOT y = f32[3] reduce(x, z), dimensions={0}, to_apply=max",
                    kMax));
  CheckPass(Program(kV,
                    zero + "ROOT y = f32[<=7] reduce-window(x, z), window={size=7 pad=6_0}, "
                           "to_apply=add",
                    kAdd));
  CheckPass(Program(kV,
                    zero + "ROOT y = f32[<=4] reduce-window(x, z), window={size=3 stride=2 "
                           "pad=1_1}, to_apply=max",
                    kMax));
  CheckPass(Program(kX,
                    zero + "ROOT y = f32[<=5,3] reduce-window(x, z), window={size=2x1}, "
                           "to_apply=add",
                    kAdd));
}

TEST_CASE("Over dynamic dimensions: argmax") {
  CheckPass(
      Program(kV,
              "i = s32[7] iota(), iota_dimension=0\n z = f32[] constant(-inf)\n k = s32[] "
              "constant(0)\n ROOT y = (f32[], s32[]) reduce(x, i, z, k), dimensions={0}, "
              "to_apply=pick",
              "pick { a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n "
              "d = s32[] parameter(3)\n g = pred[] compare(a, c), direction=GE\n v = f32[] "
              "select(g, a, c)\n w = s32[] select(g, b, d)\n ROOT t = (f32[], s32[]) tuple(v, w) "
              "}\n"),
      1);
}

TEST_CASE("Over dynamic dimensions: products") {
  CheckPass(Program("x = f32[3,<=6] parameter(0)\n y = f32[<=6,2] parameter(1)",
                    "ROOT z = f32[3,2] dot(x, y), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}"));
  CheckPass(Program("x = f32[3,<=6] parameter(0)\n y = f32[6,2] parameter(1)",
                    "ROOT z = f32[3,2] dot(x, y), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}"));
  CheckPass(Program("x = f32[<=4,2,3] parameter(0)\n y = f32[<=4,3,<=5] parameter(1)",
                    "ROOT z = f32[<=4,2,<=5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_contracting_dims={1}"));
  CheckPass(Program("x = f32[<=2,<=9,3] parameter(0)\n k = f32[3,3,4] parameter(1)",
                    "ROOT z = f32[<=2,<=5,4] convolution(x, k), window={size=3 stride=2 pad=1_1}, "
                    "dim_labels=b0f_0io->b0f"),
            1);
}

TEST_CASE("Over dynamic dimensions: sort") {
  const std::string less =
      "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
      "direction=LT }\n";
  CheckPass(Program(kV, "ROOT y = f32[<=7] sort(x), dimensions={0}, is_stable=true, to_apply=less",
                    less));
  CheckPass(Program(kX + "\n i = s32[6,3] iota(), iota_dimension=0",
                    "ROOT y = (f32[<=6,3], s32[<=6,3]) sort(x, i), dimensions={0}, is_stable=true, "
                    "to_apply=greater",
                    "greater { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] "
                    "parameter(2)\n d = s32[] parameter(3)\n ROOT e = pred[] compare(a, b), "
                    "direction=GT }\n"));
}

TEST_CASE("Over dynamic dimensions: select-and-scatter") {
  CheckPass(Program("x = f32[<=8] parameter(0)",
                    "z = f32[] constant(0)\n c = f32[] constant(1)\n s = f32[4] broadcast(c), "
                    "dimensions={}\n m = f32[<=4] reduce-window(x, z), window={size=2 stride=2}, "
                    "to_apply=max\n t = f32[<=4] add(m, s)\n ROOT y = f32[<=8] "
                    "select-and-scatter(x, t, z), window={size=2 stride=2}, select=ge, "
                    "scatter=add",
                    kAdd + kMax +
                        "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] "
                        "compare(a, b), direction=GE }\n"));
}

TEST_CASE("Control carries sizes along") {
  // A prefix that is cut by one in each iteration.
  CheckPass(Program(
      kV,
      "k = s32[] constant(3)\n t = (s32[], f32[<=7]) tuple(k, x)\n w = (s32[], f32[<=7]) while(t), "
      "condition=more, body=turn\n ROOT y = f32[<=7] get-tuple-element(w), index=1",
      "more { t = (s32[], f32[<=7]) parameter(0)\n k = s32[] get-tuple-element(t), index=0\n z = "
      "s32[] constant(0)\n ROOT c = pred[] compare(k, z), direction=GT }\n"
      "turn { t = (s32[], f32[<=7]) parameter(0)\n k = s32[] get-tuple-element(t), index=0\n x = "
      "f32[<=7] get-tuple-element(t), index=1\n one = s32[] constant(1)\n l = s32[] subtract(k, "
      "one)\n n = s32[] get-dimension-size(x), dimensions={0}\n z = s32[] constant(0)\n m = s32[] "
      "subtract(n, one)\n o = s32[] maximum(m, z)\n y = f32[<=7] set-dimension-size(x, o), "
      "dimensions={0}\n d = f32[<=7] add(y, y)\n ROOT r = (s32[], f32[<=7]) tuple(l, d) }\n"));
  CheckPass(Program(
      kV + "\n p = pred[] parameter(1)",
      "ROOT y = (f32[<=7], f32[<=7]) conditional(p, x, x), true_computation=both, "
      "false_computation=whole",
      "both { x = f32[<=7] parameter(0)\n y = f32[<=7] negate(x)\n ROOT r = (f32[<=7], f32[<=7]) "
      "tuple(x, y) }\n"
      "whole { x = f32[<=7] parameter(0)\n k = s32[] constant(7)\n y = f32[7] "
      "set-dimension-size(x, k), dimensions={0}\n ROOT r = (f32[7], f32[<=7]) tuple(y, x) }\n"));
}

TEST_CASE("Operations one after another") {
  CheckPass(Program("x = f32[<=6,3] parameter(0)\n w = f32[3,4] parameter(1)",
                    "h = f32[<=6,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    "z = f32[] constant(0)\n lo = f32[] constant(-inf)\n"
                    "m = f32[4] reduce(h, lo), dimensions={0}, to_apply=max\n"
                    "b = f32[<=6,4] reverse(h), dimensions={0}\n"
                    "c = f32[<=12,4] concatenate(h, b), dimensions={0}\n"
                    "s = f32[4] reduce(c, z), dimensions={0}, to_apply=add\n"
                    "f = f32[<=48] reshape(c)\n"
                    "n = s32[] get-dimension-size(f), dimensions={0}\n"
                    "ROOT r = (f32[4], f32[4], f32[<=48], s32[]) tuple(m, s, f, n)",
                    kAdd + kMax));
}

TEST_CASE("Random programs") {
  std::mt19937 random(11);
  for (int program = 0; program < 60; ++program)
    CheckPass(testing::RandomDynamicProgram(random), 0, 5);
}

TEST_CASE("What cannot be done is said") {
  auto refused = [](const std::string& text) {
    auto module = ParseText(text);
    auto changed = MakeExpandDynamicDimensionsPass()->Run(*module);
    REQUIRE(!changed.ok());
    CHECK(changed.status().code() == absl::StatusCode::kUnimplemented);
    return MessageOf(changed.status());
  };
  CHECK(
      refused(Program("x = f32[4,<=8] parameter(0)",
                      "ROOT y = c64[4,5] fft(x), fft_type=RFFT, fft_length={8}")) ==
      "fft 'y': fft_length={8} is static, and dimension 1 of f32[4,<=8], which it transforms, has "
      "a size that is known only when the program runs");
  CHECK(refused(Program("x = f32[<=4] parameter(0)",
                        "ROOT y = f32[<=4] custom-call(x), custom_call_target=\"f\"")) ==
        "custom-call y with dynamic dimensions: f32[<=4]");
  auto unbounded = ParseText(Program("x = f32[?] parameter(0)", "ROOT y = f32[?] negate(x)"));
  CHECK(MessageOf(MakeExpandDynamicDimensionsPass()->Run(*unbounded).status()) ==
        "parameter x: dimension 0 of f32[?] has no bound; shapes of the arguments may make it "
        "static");
}

TEST_CASE("Static programs are left alone") {
  auto module = ParseText(Program("x = f32[4] parameter(0)", "ROOT y = f32[4] negate(x)"));
  auto changed = MakeExpandDynamicDimensionsPass()->Run(*module);
  REQUIRE(changed.ok());
  CHECK_FALSE(*changed);
}

}  // namespace
}  // namespace sinter
