// Each operation with dynamic dimensions wherever it can have them.
#include <catch2/catch.hpp>
#include <random>

#include "base/status.h"
#include "dynamic_check.h"
#include "passes/expand/dynamic_dimensions.h"

namespace sinter {
namespace {

using dynamic::CheckPass;
using dynamic::kAdd;
using dynamic::kLess;
using dynamic::kMax;
using dynamic::Program;

TEST_CASE("Windows over dynamic dimensions") {
  const std::string pick =
      "pick { a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] "
      "parameter(3)\n g = pred[] compare(a, b), direction=GE\n v = f32[] select(g, a, b)\n w = "
      "s32[] "
      "select(g, i, j)\n ROOT r = (f32[], s32[]) tuple(v, w) }\n";
  CheckPass(Program("x = f32[<=7,2] parameter(0)\n i = s32[7,2] parameter(1)",
                    "l = f32[] constant(-inf)\n o = s32[] constant(-1)\n"
                    "ROOT y = (f32[<=3,2], s32[<=3,2]) reduce-window(x, i, l, o), "
                    "window={size=3x1 stride=2x1}, to_apply=pick",
                    pick));
  // The selection is by distance from zero, and the last of equals wins.
  const std::string far =
      "far { a = f32[] parameter(0)\n b = f32[] parameter(1)\n p = f32[] abs(a)\n q = f32[] "
      "abs(b)\n ROOT c = pred[] compare(p, q), direction=GT }\n";
  CheckPass(Program("x = f32[<=9] parameter(0)\n s = f32[4] parameter(1)",
                    "z = f32[] constant(1)\n m = f32[<=4] reduce-window(x, z), window={size=3 "
                    "stride=2}, to_apply=max\n t = f32[<=4] add(m, s)\n ROOT y = f32[<=9] "
                    "select-and-scatter(x, t, z), window={size=3 stride=2}, select=far, "
                    "scatter=add",
                    kAdd + kMax + far));
}

TEST_CASE("Convolutions with dynamic dimensions of every kind") {
  const std::string same = "dim_labels=b0f_0io->b0f";
  SECTION("features") {
    CheckPass(Program("x = f32[2,5,<=4] parameter(0)\n k = f32[3,<=4,2] parameter(1)",
                      "ROOT z = f32[2,3,2] convolution(x, k), window={size=3}, " + same));
    CheckPass(Program("x = f32[2,5,4] parameter(0)\n k = f32[3,4,<=3] parameter(1)",
                      "ROOT z = f32[2,3,<=3] convolution(x, k), window={size=3}, " + same));
  }
  SECTION("windows") {
    CheckPass(Program("x = f32[2,6,1] parameter(0)\n k = f32[<=3,1,2] parameter(1)",
                      "ROOT z = f32[2,<=4,2] convolution(x, k), window={size=3 stride=2 pad=1_1 "
                      "rhs_dilate=2}, " +
                          same),
              1);
    CheckPass(
        Program("x = f32[2,<=6,1] parameter(0)\n k = f32[<=3,1,2] parameter(1)",
                "ROOT z = f32[2,<=6,2] convolution(x, k), window={size=3 rhs_reversal=1}, " + same),
        1, 20);
  }
  // Sizes that groups divide: twice those of the parameters.
  const std::string twice =
      "n = s32[] get-dimension-size(x0), dimensions={0}\n two = s32[] constant(2)\n m = s32[] "
      "multiply(n, two)\n";
  SECTION("groups of features") {
    CheckPass(
        Program("x0 = f32[<=3] parameter(0)\n k0 = f32[<=3] parameter(1)\n w = f32[2,6] "
                "parameter(2)\n v = f32[3,8] parameter(3)",
                twice +
                    "s = f32[2,<=6] set-dimension-size(w, m), dimensions={1}\n"
                    "x = f32[2,1,<=6] reshape(s)\n"
                    "t = f32[<=3,8] set-dimension-size(v, n), dimensions={0}\n"
                    "q = f32[<=3,<=8] set-dimension-size(t, m), dimensions={1}\n"
                    "k = f32[1,<=3,<=8] reshape(q)\n"
                    "ROOT z = f32[2,1,<=8] convolution(x, k), window={size=1}, " +
                    same + ", feature_group_count=2"));
  }
  SECTION("groups of the batch") {
    CheckPass(
        Program("x0 = f32[<=3] parameter(0)\n w = f32[6,3,2] parameter(1)\n v = f32[2,2,6] "
                "parameter(2)",
                twice +
                    "x = f32[<=6,3,2] set-dimension-size(w, m), dimensions={0}\n"
                    "k = f32[2,2,<=6] set-dimension-size(v, m), dimensions={2}\n"
                    "ROOT z = f32[<=3,2,<=6] convolution(x, k), window={size=2}, " +
                    same + ", batch_group_count=2"));
  }
}

TEST_CASE("Batch normalisation counts what is there") {
  const Tolerance rounded{.max_ulp = 64};
  const std::string vectors = "\n a = f32[2] parameter(1)\n b = f32[2] parameter(2)";
  CheckPass(Program("x = f32[<=5,3,2] parameter(0)" + vectors,
                    "ROOT y = (f32[<=5,3,2], f32[2], f32[2]) batch-norm-training(x, a, b), "
                    "epsilon=0.5, feature_index=2"),
            1, 12, rounded);
  CheckPass(Program("x = f32[2,3,<=4] parameter(0)\n a = f32[<=4] parameter(1)",
                    "ROOT y = (f32[2,3,<=4], f32[<=4], f32[<=4]) batch-norm-training(x, a, a), "
                    "epsilon=0.5, feature_index=2"),
            0, 12, rounded);
  CheckPass(
      Program("x = f32[2,3,<=4] parameter(0)\n a = f32[<=4] parameter(1)",
              "m = f32[<=4] multiply(a, a)\n ROOT y = f32[2,3,<=4] batch-norm-inference(x, a, "
              "a, a, m), epsilon=0.5, feature_index=2"),
      0, 12, rounded);
  CheckPass(Program("x = f32[<=5,2] parameter(0)" + vectors + "\n g = f32[<=5,2] parameter(3)",
                    "v = f32[2] multiply(a, a)\n ROOT y = (f32[<=5,2], f32[2], f32[2]) "
                    "batch-norm-grad(x, a, b, v, g), epsilon=0.5, feature_index=1"),
            1, 12, rounded);
}

TEST_CASE("Matrices of dynamic sizes") {
  const std::string square =
      "p = f32[<=4,<=4] dot(x, x), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}\n";
  // Diagonally dominant: x x^T and a large diagonal.
  const std::string dominant =
      square +
      "r = s32[4,4] iota(), iota_dimension=0\n c = s32[4,4] iota(), iota_dimension=1\n"
      "e = pred[4,4] compare(r, c), direction=EQ\n h = f32[] constant(500)\n o = f32[] "
      "constant(0)\n"
      "hb = f32[4,4] broadcast(h), dimensions={}\n ob = f32[4,4] broadcast(o), dimensions={}\n"
      "d = f32[4,4] select(e, hb, ob)\n a = f32[<=4,<=4] add(p, d)\n";
  CheckPass(Program("x = f32[<=4,3] parameter(0)",
                    dominant + "ROOT y = f32[<=4,<=4] cholesky(a), lower=true"));
  CheckPass(Program("x = f32[<=4,3] parameter(0)\n b = f32[<=4,2] parameter(1)",
                    dominant + "ROOT y = f32[<=4,2] triangular-solve(a, b), left_side=true, "
                               "lower=true, transpose_a=TRANSPOSE"));
  CheckPass(Program("x = f32[<=4,3] parameter(0)\n b = f32[2,<=4] parameter(1)",
                    dominant + "ROOT y = f32[2,<=4] triangular-solve(a, b), left_side=false, "
                               "lower=false, transpose_a=NO_TRANSPOSE"));
  CheckPass(Program("x = f32[<=3,8] parameter(0)",
                    "ROOT y = c64[<=3,5] fft(x), fft_type=RFFT, fft_length={8}"));
}

TEST_CASE("Sorting along and beside dynamic dimensions") {
  CheckPass(Program("x = f32[2,<=6] parameter(0)",
                    "ROOT y = (f32[2,2], s32[2,2]) topk(x), k=2, largest=true"),
            2);
  CheckPass(Program("x = s32[<=3,<=6] parameter(0)",
                    "ROOT y = (s32[<=3,1], s32[<=3,1]) topk(x), k=1, largest=false"),
            1, 20);
  CheckPass(Program("x = f32[<=6,3] parameter(0)",
                    "ROOT y = f32[<=6,3] sort(x), dimensions={1}, to_apply=less", kLess));
}

TEST_CASE("Ragged products") {
  CheckPass(
      Program("x = f32[<=6,2] parameter(0)\n w = f32[2,2,3] parameter(1)\n g = s32[2] "
              "parameter(2)",
              "ROOT y = f32[<=6,3] ragged-dot(x, w, g), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"));
  CheckPass(
      Program("x = f32[<=6,2] parameter(0)\n w = f32[<=6,3] parameter(1)\n g = s32[2] "
              "parameter(2)",
              "ROOT y = f32[2,2,3] ragged-dot(x, w, g), lhs_contracting_dims={0}, "
              "rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={}"));
  CheckPass(
      Program("x = f32[5,2] parameter(0)\n w = f32[<=3,2,3] parameter(1)\n g = s32[<=3] "
              "parameter(2)",
              "ROOT y = f32[5,3] ragged-dot(x, w, g), lhs_contracting_dims={1}, "
              "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"));
}

TEST_CASE("Scans over dynamic dimensions") {
  const std::string sums =
      "sums { x = f32[2] parameter(0)\n c = f32[2] parameter(1)\n s = f32[2] add(c, x)\n ROOT r = "
      "(f32[2], f32[2]) tuple(s, s) }\n";
  for (const char* order : {"", ", is_reverse=true"}) {
    CheckPass(Program("x = f32[<=5,2] parameter(0)\n i = f32[2] parameter(1)",
                      Format("ROOT y = (f32[<=5,2], f32[2]) scan(x, i), dimensions={{0}}, "
                             "num_carries=1{}, to_apply=sums",
                             order),
                      sums));
  }
  CheckPass(Program("x = f32[<=0,2] parameter(0)\n i = f32[2] parameter(1)",
                    "ROOT y = (f32[<=0,2], f32[2]) scan(x, i), dimensions={0}, num_carries=1, "
                    "to_apply=sums",
                    sums));
  CheckPass(Program("x = f32[3,<=5] parameter(0)\n i = f32[<=5] parameter(1)",
                    "ROOT y = (f32[3,<=5], f32[<=5]) scan(x, i), dimensions={0}, num_carries=1, "
                    "to_apply=sums",
                    "sums { x = f32[<=5] parameter(0)\n c = f32[<=5] parameter(1)\n s = f32[<=5] "
                    "add(c, x)\n ROOT r = (f32[<=5], f32[<=5]) tuple(s, s) }\n"));
}

TEST_CASE("Scatters with dynamic dimensions of every kind") {
  const std::string start =
      "update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add";
  CheckPass(Program("x = f32[<=6] parameter(0)\n i = s32[3,1] parameter(1)\n u = f32[3,2] "
                    "parameter(2)",
                    "ROOT y = f32[<=6] scatter(x, i, u), " + start, kAdd),
            2, 20);
  CheckPass(Program("x = f32[6] parameter(0)\n i = s32[3,1] parameter(1)\n u = f32[3,<=4] "
                    "parameter(2)",
                    "ROOT y = f32[6] scatter(x, i, u), " + start, kAdd),
            0, 20);
  CheckPass(
      Program("x = f32[5,<=4] parameter(0)\n i = s32[3] parameter(1)\n u = f32[3,<=4] "
              "parameter(2)",
              "ROOT y = f32[5,<=4] scatter(x, i, u), update_window_dims={1}, "
              "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
              "index_vector_dim=1, to_apply=add",
              kAdd));
  CheckPass(Program("x = f32[<=4,5] parameter(0)\n i = s32[<=4,2,1] parameter(1)\n u = f32[<=4,2] "
                    "parameter(2)",
                    "ROOT y = f32[<=4,5] scatter(x, i, u), update_window_dims={}, "
                    "inserted_window_dims={1}, input_batching_dims={0}, "
                    "scatter_indices_batching_dims={0}, scatter_dims_to_operand_dims={1}, "
                    "index_vector_dim=2, to_apply=add",
                    kAdd),
            0, 20);
  // Nothing says where, but how often.
  CheckPass(
      Program("x = f32[3] parameter(0)\n i = s32[<=4,0] parameter(1)\n u = f32[<=4,3] "
              "parameter(2)",
              "ROOT y = f32[3] scatter(x, i, u), update_window_dims={1}, "
              "inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
              "index_vector_dim=1, to_apply=add",
              kAdd));
}

}  // namespace
}  // namespace sinter
