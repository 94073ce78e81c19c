// Which dimensions merge, and that the region computes the same: eval judges both.
#include "codegen/plan/merge_dimensions.h"

#include <catch2/catch.hpp>

#include "unit/codegen/plan/merged_region.h"

namespace sinter::plan {
namespace {

std::string Merged(const std::string& body) { return MergedBy(MergeDimensions, body); }

TEST_CASE("elementwise regions become one dimension") {
  CHECK(Merged("  x = f32[5,3,2] parameter(0)\n  y = f32[5,3,2] parameter(1)\n"
               "  s = f32[5,3,2] add(x, y)\n  ROOT r = f32[5,3,2] multiply(s, x)\n") ==
        "[30] [30] -> [30]");
  CHECK(Merged("  x = f32[7] parameter(0)\n  ROOT r = f32[7] negate(x)\n") == "apart");
  CHECK(Merged("  x = f32[5,3] parameter(0)\n  p = pred[] parameter(1)\n"
               "  n = f32[5,3] negate(x)\n  ROOT r = f32[5,3] select(p, x, n)\n") ==
        "[15] [] -> [15]");
}

TEST_CASE("broadcasts keep apart what they repeat") {
  CHECK(Merged("  x = f32[2,3,4,5] parameter(0)\n  w = f32[5] parameter(1)\n"
               "  b = f32[2,3,4,5] broadcast(w), dimensions={3}\n"
               "  ROOT r = f32[2,3,4,5] add(x, b)\n") == "[24,5] [5] -> [24,5]");
  CHECK(Merged("  x = f32[2,3,4,5] parameter(0)\n  w = f32[3,4] parameter(1)\n"
               "  b = f32[2,3,4,5] broadcast(w), dimensions={1,2}\n"
               "  ROOT r = f32[2,3,4,5] add(x, b)\n") == "[2,12,5] [12] -> [2,12,5]");
  CHECK(Merged("  x = f32[4,3] parameter(0)\n"
               "  ROOT r = f32[3,4,2] broadcast(x), dimensions={1,0}\n") == "apart");
  CHECK(Merged("  x = f32[] parameter(0)\n  ROOT r = f32[3,4] broadcast(x), dimensions={}\n") ==
        "[] -> [12]");
  // Extents of 1 that are stretched.
  CHECK(Merged("  x = f32[1,4,3] parameter(0)\n"
               "  ROOT r = f32[2,4,3] broadcast(x), dimensions={0,1,2}\n") == "[12] -> [2,12]");
  CHECK(Merged("  x = f32[1,1,3] parameter(0)\n"
               "  ROOT r = f32[2,4,3] broadcast(x), dimensions={0,1,2}\n") == "[3] -> [8,3]");
  // An iota counts along one dimension.
  CHECK(Merged("  i = f32[2,3,4,5] iota(), iota_dimension=2\n  x = f32[2,3,4,5] parameter(0)\n"
               "  ROOT r = f32[2,3,4,5] add(x, i)\n") == "[6,4,5] -> [6,4,5]");
}

TEST_CASE("all outputs keep the same dimensions") {
  // The slice is a part of a longer dimension in one of its readers; the sum is of one position.
  std::unique_ptr<HloModule> module = Region(
      "  x = s32[1,10,1,2] parameter(0)\n  y = s32[1,1,1,2] parameter(1)\n"
      "  z = s32[] constant(0)\n  k = s32[] parameter(2)\n"
      "  part = s32[1,1,1,2] slice(x), slice={[0:1], [9:10], [0:1], [0:2]}\n"
      "  u = s32[1,10,1,2] dynamic-update-slice(x, part, z, k, z, z)\n"
      "  first = s32[1,1,1,2] slice(u), slice={[0:1], [0:1], [0:1], [0:2]}\n"
      "  sum = s32[1,1,1,2] add(first, y)\n"
      "  ROOT r = (s32[1,1,1,2], s32[1,1,1,2]) tuple(sum, part)\n");
  std::unique_ptr<HloModule> merged = MergeDimensions(*module->entry());
  REQUIRE(merged != nullptr);
  const HloInstruction& root = *merged->entry()->root();
  CHECK(Dimensions(root.operand(0)->shape()) == "[1,2]");
  CHECK(Dimensions(root.operand(1)->shape()) == "[1,2]");
}

TEST_CASE("reductions keep their dimensions apart from the others") {
  const std::string zero = "  z = f32[] constant(0)\n";
  CHECK(Merged(zero + "  x = f32[2,3,4,5] parameter(0)\n"
                      "  ROOT r = f32[2,3] reduce(x, z), dimensions={2,3}, to_apply=add\n") ==
        "[6,20] -> [6]");
  CHECK(Merged(zero + "  x = f32[2,3,4,5] parameter(0)\n"
                      "  ROOT r = f32[2,5] reduce(x, z), dimensions={1,2}, to_apply=add\n") ==
        "[2,12,5] -> [2,5]");
  CHECK(Merged(zero + "  x = f32[2,3,4,5] parameter(0)\n"
                      "  ROOT r = f32[3,4] reduce(x, z), dimensions={0,3}, to_apply=add\n") ==
        "[2,12,5] -> [12]");
  CHECK(Merged(zero + "  x = f32[2,3,4] parameter(0)\n"
                      "  ROOT r = f32[] reduce(x, z), dimensions={0,1,2}, to_apply=add\n") ==
        "[24] -> []");
  // Rows that are normalised.
  CHECK(Merged(zero + "  x = f32[2,3,4,5] parameter(0)\n"
                      "  s = f32[2,3,4] reduce(x, z), dimensions={3}, to_apply=add\n"
                      "  b = f32[2,3,4,5] broadcast(s), dimensions={0,1,2}\n"
                      "  ROOT r = f32[2,3,4,5] subtract(x, b)\n") == "[24,5] -> [24,5]");
}

TEST_CASE("what moves, moves whole rows") {
  CHECK(Merged("  x = f32[2,3,4,5] parameter(0)\n"
               "  ROOT t = f32[4,5,2,3] transpose(x), dimensions={2,3,0,1}\n") ==
        "[6,20] -> [20,6]");
  CHECK(Merged("  x = f32[2,3,4] parameter(0)\n"
               "  ROOT t = f32[4,3,2] transpose(x), dimensions={2,1,0}\n") == "apart");
  CHECK(Merged("  x = f32[2,6,4,5] parameter(0)\n"
               "  ROOT t = f32[2,3,4,5] slice(x), slice={[0:2], [1:4], [0:4], [0:5]}\n") ==
        "[2,120] -> [2,60]");
  CHECK(Merged("  x = f32[6,4] parameter(0)\n"
               "  ROOT t = f32[3,4] slice(x), slice={[0:6:2], [0:4]}\n") == "apart");
  CHECK(Merged("  x = f32[5,7,6] parameter(0)\n"
               "  ROOT t = f32[5,4,2] slice(x), slice={[0:5], [2:6], [1:6:3]}\n") ==
        "[5,42] -> [5,8]");
  CHECK(Merged("  x = f32[7,5] parameter(0)\n"
               "  ROOT t = f32[7,3] slice(x), slice={[0:7], [0:5:2]}\n") == "apart");
  CHECK(Merged("  x = f32[2,6,4] parameter(0)\n  z = f32[] constant(7)\n"
               "  ROOT t = f32[2,9,4] pad(x, z), padding=0_0x1_2x0_0\n") == "[2,24] -> [2,36]");
  CHECK(Merged("  x = f32[2,6,4] parameter(0)\n  z = f32[] constant(7)\n"
               "  ROOT t = f32[4,6,7] pad(x, z), padding=1_1x0_0x1_2\n") == "[12,4] -> [24,7]");
  CHECK(Merged("  x = f32[2,6,4] parameter(0)\n  y = f32[2,1,4] parameter(1)\n"
               "  ROOT t = f32[2,7,4] concatenate(x, y), dimensions={1}\n") ==
        "[2,24] [2,4] -> [2,28]");
  CHECK(Merged("  x = f32[3,2,6,4] parameter(0)\n"
               "  ROOT t = f32[3,2,6,4] reverse(x), dimensions={1,2}\n") == "[3,12,4] -> [3,12,4]");
  // Views inside a region: the operand's dimensions are sums of the result's, and end where these
  // do.
  CHECK(Merged("  x = f32[20,8] parameter(0)\n  y = f32[8,5] parameter(1)\n"
               "  s = f32[4,5,8] reshape(x)\n"
               "  ROOT d = f32[8,4] dot(y, s), lhs_batch_dims={0}, rhs_batch_dims={2}, "
               "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n") == "apart");
  CHECK(Merged("  x = f32[6,20] parameter(0)\n  n = f32[6,20] negate(x)\n"
               "  s = f32[2,3,4,5] reshape(n)\n  w = f32[5] parameter(1)\n"
               "  b = f32[2,3,4,5] broadcast(w), dimensions={3}\n"
               "  ROOT r = f32[2,3,4,5] add(s, b)\n") == "[120] [5] -> [24,5]");
  CHECK(Merged("  x = f32[6,20] parameter(0)\n  w = f32[20] parameter(1)\n"
               "  b = f32[6,20] broadcast(w), dimensions={1}\n  n = f32[6,20] add(x, b)\n"
               "  ROOT s = f32[2,3,4,5] reshape(n)\n") == "[6,20] [20] -> [6,20]");
}

TEST_CASE("windows with a start of their own") {
  CHECK(Merged("  x = f32[7,3,4] parameter(0)\n  i = s32[] parameter(1)\n  z = s32[] constant(0)\n"
               "  ROOT r = f32[2,3,4] dynamic-slice(x, i, z, z), dynamic_slice_sizes={2,3,4}\n") ==
        "[7,12] [] -> [2,12]");
  CHECK(Merged("  x = f32[3,4,7] parameter(0)\n  i = s32[] parameter(1)\n"
               "  u = f32[3,4,2] parameter(2)\n  z = s32[] constant(0)\n"
               "  ROOT r = f32[3,4,7] dynamic-update-slice(x, u, z, z, i)\n") ==
        "[12,7] [] [12,2] -> [12,7]");
  // Dimensions of one element go with the one whose part it is, not further.
  CHECK(Merged("  x = f32[1,7,1,4] parameter(0)\n  i = s32[] parameter(1)\n"
               "  z = s32[] constant(0)\n"
               "  ROOT r = f32[1,2,1,4] dynamic-slice(x, z, i, z, z), "
               "dynamic_slice_sizes={1,2,1,4}\n") == "[7,4] [] -> [2,4]");
  CHECK(Merged("  x = f32[1,3,7,1] parameter(0)\n  i = s32[] parameter(1)\n"
               "  u = f32[1,2,5,1] parameter(2)\n  j = s32[] parameter(3)\n"
               "  ROOT r = f32[1,3,7,1] dynamic-update-slice(x, u, j, i, j, j)\n") ==
        "[3,7] [] [2,5] [] -> [3,7]");
}

TEST_CASE("windows of gathers and scatters: dimensions that they have all of") {
  const std::string rows = "x = f32[6,5,4,3] parameter(0)\ni = s32[7,1] parameter(1)\n",
                    attributes =
                        "offset_dims={1,2,3}, collapsed_slice_dims={0}, start_index_map={0}, "
                        "index_vector_dim=1, ";
  CHECK(Merged(rows + "ROOT g = f32[7,5,4,3] gather(x, i), " + attributes +
               "slice_sizes={1,5,4,3}") == "[6,60] [7] -> [7,60]");
  CHECK(Merged(rows + "ROOT g = f32[7,2,4,3] gather(x, i), " + attributes +
               "slice_sizes={1,2,4,3}") == "[6,5,12] [7] -> [7,2,12]");
  // What is made of them is made of fewer dimensions, too.
  CHECK(Merged(rows + "g = f32[7,5,4,3] gather(x, i), " + attributes + "slice_sizes={1,5,4,3}\n" +
               "zero = f32[] constant(0)\n"
               "ROOT r = f32[7,5] reduce(g, zero), dimensions={2,3}, to_apply=add") ==
        "[6,5,12] [7] -> [7,5]");
  CHECK(Merged("x = f32[2,6,5,4] parameter(0)\ni = s32[2,7] parameter(1)\n"
               "ROOT g = f32[2,7,5,4] gather(x, i), offset_dims={2,3}, collapsed_slice_dims={1}, "
               "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
               "index_vector_dim=2, slice_sizes={1,1,5,4}") == "[2,6,20] [2,7] -> [2,7,20]");
  const std::string scatter =
      "update_window_dims={1,2,3}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=add";
  CHECK(Merged(rows +
               "u = f32[7,5,4,3] parameter(2)\nv = f32[7,5,4,3] multiply(u, u)\n"
               "ROOT s = f32[6,5,4,3] scatter(x, i, v), " +
               scatter) == "[6,60] [7] [7,60] -> [6,60]");
  CHECK(Merged(rows + "u = f32[7,5,2,3] parameter(2)\nROOT s = f32[6,5,4,3] scatter(x, i, u), " +
               scatter) == "[6,5,4,3] [7] [7,5,2,3] -> [6,5,4,3]");
  CHECK(Merged("x = f32[5,4,6,3,2] parameter(0)\ni = s32[7] parameter(1)\n"
               "u = f32[5,4,7,3,2] parameter(2)\nROOT s = f32[5,4,6,3,2] scatter(x, i, u), "
               "update_window_dims={0,1,3,4}, inserted_window_dims={2}, "
               "scatter_dims_to_operand_dims={2}, index_vector_dim=1, to_apply=add") ==
        "[20,6,6] [7] [20,7,6] -> [20,6,6]");
}

TEST_CASE("products with fewer dimensions") {
  CHECK(Merged("  x = f32[2,3,5] parameter(0)\n  y = f32[5,4] parameter(1)\n"
               "  ROOT d = f32[2,3,4] dot(x, y), lhs_contracting_dims={2}, "
               "rhs_contracting_dims={0}\n") == "[6,5] [5,4] -> [6,4]");
  CHECK(Merged("  x = f32[2,3,5] parameter(0)\n  y = f32[3,5,4] parameter(1)\n"
               "  ROOT d = f32[2,4] dot(x, y), lhs_contracting_dims={1,2}, "
               "rhs_contracting_dims={0,1}\n") == "[2,15] [15,4] -> [2,4]");
  CHECK(Merged("  x = f32[2,3,4,5] parameter(0)\n  y = f32[2,3,5,6] parameter(1)\n"
               "  ROOT d = f32[2,3,4,6] dot(x, y), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
               "lhs_contracting_dims={3}, rhs_contracting_dims={2}\n") ==
        "[6,4,5] [6,5,6] -> [6,4,6]");
  // One operand on both sides: what one side merges, the other needs apart.
  CHECK(Merged("  x = f32[5,5,5] parameter(0)\n"
               "  ROOT d = f32[5,5,5,5] dot(x, x), lhs_contracting_dims={2}, "
               "rhs_contracting_dims={0}\n") == "apart");
  CHECK(Merged("  x = f32[2,3,4] parameter(0)\n  y = f32[3,2,4] parameter(1)\n"
               "  ROOT d = f32[4,4] dot(x, y), lhs_contracting_dims={0,1}, "
               "rhs_contracting_dims={1,0}\n") == "apart");
}

TEST_CASE("complex numbers that are only moved are words") {
  auto type = [](const std::string& body) {
    std::unique_ptr<HloModule> module = Region(body);
    std::unique_ptr<HloModule> merged = MergeDimensions(*module->entry());
    return merged == nullptr ? ElementType::C64 : merged->entry()->root()->shape().element_type();
  };
  const std::string moves =
      "x = c64[3,5] parameter(0)\np = pred[5,3] parameter(1)\nz = c64[] constant((1, -2))\n"
      "t = c64[5,3] transpose(x), dimensions={1,0}\n"
      "b = c64[5,3] broadcast(z), dimensions={}\n";
  CHECK(type(moves + "ROOT r = c64[5,3] select(p, t, b)") == ElementType::U64);
  CHECK(Merged(moves + "ROOT r = c64[5,3] select(p, t, b)") == "[3,5] [5,3] -> [5,3]");
  CHECK(Merged(moves + "ROOT r = c64[8,3] pad(t, z), padding=1_2x0_0") == "[3,5] [15] -> [8,3]");
  CHECK(type(moves + "ROOT r = c64[5,3] add(t, b)") == ElementType::C64);
}

TEST_CASE("values without elements are left alone") {
  CHECK(Merged("  x = f32[2,0,4] parameter(0)\n  ROOT r = f32[2,0,4] negate(x)\n") == "apart");
}

TEST_CASE("dimensions of one element go") {
  // Rows of one element, reduced along the axis before it.
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  z = f32[] constant(0)\n"
               "  s = f32[6,1] reduce(x, z), dimensions={1}, to_apply=add\n"
               "  b = f32[6,9,1] broadcast(s), dimensions={0,2}\n"
               "  ROOT r = f32[6,9,1] subtract(x, b)\n") == "[6,9] -> [6,9]");
  CHECK(Merged("  x = f32[6,1,9] parameter(0)\n"
               "  ROOT r = f32[9,6,1] transpose(x), dimensions={2,0,1}\n") == "[6,9] -> [9,6]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n"
               "  ROOT r = f32[6,9,1] reverse(x), dimensions={1,2}\n") == "[6,9] -> [6,9]");
  CHECK(Merged("  x = f32[1,6,9,1] parameter(0)\n  z = f32[] constant(7)\n"
               "  ROOT r = f32[1,8,12,1] pad(x, z), padding=0_0x1_1x2_1x0_0\n") ==
        "[6,9] -> [8,12]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  i = s32[] parameter(1)\n"
               "  j = s32[] constant(0)\n"
               "  ROOT r = f32[4,3,1] dynamic-slice(x, i, i, j), dynamic_slice_sizes={4,3,1}\n") ==
        "[6,9] [] -> [4,3]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  u = f32[4,3,1] parameter(1)\n"
               "  i = s32[] parameter(2)\n  j = s32[] constant(0)\n"
               "  ROOT r = f32[6,9,1] dynamic-update-slice(x, u, i, i, j)\n") ==
        "[6,9] [4,3] [] -> [6,9]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  i = s32[4,1] parameter(1)\n"
               "  ROOT r = f32[6,4,1] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={1}, "
               "start_index_map={1}, index_vector_dim=1, slice_sizes={6,1,1}\n") ==
        "[6,9] [4] -> [6,4]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  i = s32[4,1] parameter(1)\n"
               "  ROOT r = f32[6,4] gather(x, i), offset_dims={0}, collapsed_slice_dims={1,2}, "
               "start_index_map={1}, index_vector_dim=1, slice_sizes={6,1,1}\n") ==
        "[6,9] [4] -> [6,4]");
  CHECK(Merged("  x = f32[9,6,1] parameter(0)\n  i = s32[4,1] parameter(1)\n"
               "  u = f32[4,6,1] parameter(2)\n"
               "  ROOT r = f32[9,6,1] scatter(x, i, u), update_window_dims={1,2}, "
               "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
               "to_apply=add\n") == "[9,6] [4] [4,6] -> [9,6]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  i = s32[6,4,1] parameter(1)\n"
               "  ROOT r = f32[6,4] gather(x, i), offset_dims={}, collapsed_slice_dims={1,2}, "
               "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
               "index_vector_dim=2, slice_sizes={1,1,1}\n") == "[6,9] [6,4] -> [6,4]");
  CHECK(Merged("  x = f32[6,9] parameter(0)\n  i = s32[1,4,1,2] parameter(1)\n"
               "  ROOT r = f32[4,1,2] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, "
               "start_index_map={1}, index_vector_dim=0, slice_sizes={1,1}\n") ==
        "[6,9] [4,2] -> [4,2]");
  CHECK(Merged("  x = f32[1] parameter(0)\n  c = f32[1] constant({2})\n"
               "  ROOT r = f32[1] add(x, c)\n") == "[] -> []");
}

TEST_CASE("dimensions of one element stay where an operation asks for them") {
  // Parts of longer ones: rotations are seen by their slices.
  CHECK(Merged("  x = f32[6,9,3] parameter(0)\n"
               "  a = f32[6,1,3] slice(x), slice={[0:6],[8:9],[0:3]}\n"
               "  b = f32[6,8,3] slice(x), slice={[0:6],[0:8],[0:3]}\n"
               "  ROOT r = f32[6,9,3] concatenate(a, b), dimensions={1}\n") == "[6,27] -> [6,27]");
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  y = f32[6,9,1] parameter(1)\n"
               "  ROOT r = f32[6,9,2] concatenate(x, y), dimensions={2}\n") ==
        "[54,1] [54,1] -> [54,2]");
  // Single elements that are computed: a plan may write the axis out.
  CHECK(Merged("  x = f32[54] parameter(0)\n  y = f32[54] negate(x)\n"
               "  a = f32[1,54] broadcast(x), dimensions={1}\n"
               "  b = f32[1,54] broadcast(y), dimensions={1}\n"
               "  ROOT r = f32[2,54] concatenate(a, b), dimensions={0}\n") == "apart");
  CHECK(Merged("  x = f32[54] parameter(0)\n  y = f32[54] parameter(1)\n"
               "  a = f32[1,54] broadcast(x), dimensions={1}\n"
               "  b = f32[1,54] broadcast(y), dimensions={1}\n"
               "  ROOT r = f32[2,54] concatenate(a, b), dimensions={0}\n") == "[54] [54] -> [108]");
  // What is put in and taken away again is another element.
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  z = f32[] constant(7)\n"
               "  ROOT r = f32[6,9,1] pad(x, z), padding=0_0x1_-1x1_-1\n") == "apart");
  // The initial value counts.
  CHECK(Merged("  x = f32[6,1,9] parameter(0)\n  z = f32[] constant(5)\n"
               "  ROOT r = f32[6,9] reduce(x, z), dimensions={1}, to_apply=add\n") == "apart");
  // An index chooses along it.
  CHECK(Merged("  x = f32[6,9,1] parameter(0)\n  i = s32[4,2] parameter(1)\n"
               "  ROOT r = f32[6,4] gather(x, i), offset_dims={0}, collapsed_slice_dims={1,2}, "
               "start_index_map={1,2}, index_vector_dim=1, slice_sizes={6,1,1}\n") == "apart");
  CHECK(Merged("  x = s32[6,1,9] parameter(0)\n"
               "  i = s32[6,1,9] iota(), iota_dimension=1\n"
               "  ROOT r = s32[6,1,9] add(x, i)\n") == "apart");
}

}  // namespace
}  // namespace sinter::plan
