#include "record.h"

namespace sinter {
namespace {

TEST_CASE("gather") {
  Builder b("t");
  GatherDimensionNumbers d;
  d.add_offset_dims(1);
  d.add_collapsed_slice_dims(0);
  d.add_start_index_map(0);
  d.set_index_vector_dim(1);
  Gather(Param(b, 0, kF32, {5, 6}), Param(b, 1, kS32, {4, 1}), d, {1, 6});
  CHECK(Body(b) ==
        "ROOT gather = f32[4,6] gather(x, y), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}");
  Gather(Param(b, 0, kF32, {5, 6}), Param(b, 1, kS32, {4, 1}), d, {1, 7});
  CHECK(ErrorOf(b) ==
        "gather: (C21) the slice's size 7 is not within dimension 1 of size 6; operands f32[5,6], "
        "s32[4,1]");
}

TEST_CASE("gather with batching dimensions") {
  Builder b("t");
  GatherDimensionNumbers d;
  d.start_index_map = {1};
  d.collapsed_slice_dims = {1};
  d.add_operand_batching_dims(0);
  d.add_start_indices_batching_dims(0);
  d.index_vector_dim = 2;
  Gather(Param(b, 0, kF32, {5, 6}), Param(b, 1, kS32, {5, 3, 1}), d, {1, 1}, true);
  CHECK(Body(b) ==
        "ROOT gather = f32[5,3] gather(x, y), offset_dims={}, collapsed_slice_dims={1}, "
        "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
        "index_vector_dim=2, slice_sizes={1,1}, indices_are_sorted=true");
}

TEST_CASE("scatter") {
  Builder b("t");
  ScatterDimensionNumbers d;
  d.add_update_window_dims(1);
  d.add_inserted_window_dims(0);
  d.add_scatter_dims_to_operand_dims(0);
  d.set_index_vector_dim(1);
  Scatter(
      Param(b, 0, kF32, {5, 6}), Param(b, 1, kS32, {4, 1}), Param(b, 2, kF32, {4, 6}),
      [](Op x, Op y) { return x + y; }, d, false, true);
  CHECK(Body(b) ==
        "ROOT scatter = f32[5,6] scatter(x, y, z), update_window_dims={1}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "unique_indices=true, to_apply=scatter_update_computation");
}

TEST_CASE("scatter of several inputs") {
  Builder b("t");
  ScatterDimensionNumbers d;
  d.inserted_window_dims = {0};
  d.scatter_dims_to_operand_dims = {0};
  d.index_vector_dim = 1;
  Op x = Param(b, 0, kF32, {5}), y = Param(b, 1, kS32, {5}), i = Param(b, 2, kS32, {4, 1});
  SECTION("two") {
    Op r = Scatter(
        {x, y}, i, {Param(b, 3, kF32, {4}), Param(b, 4, kS32, {4})},
        [&](Op, Op, Op v, Op w) {
          return Tuple(v.builder(), {v, w});
        },
        d);
    CHECK(r.shape()->ToString() == "(f32[5], s32[5])");
    CHECK(b.Build().ok());
  }
  SECTION("too few updates") {
    Scatter(
        {x, y}, i, {Param(b, 3, kF32, {4})}, [](Op, Op, Op v, Op) { return v; }, d);
    CHECK(ErrorOf(b) ==
          "scatter: (C5) needs as many updates as inputs, got 1 and 2; operands f32[5], s32[5], "
          "s32[4,1], f32[4]");
  }
}

TEST_CASE("sort") {
  Builder b("t");
  Sort({Param(b, 0, kF32, {5, 6})}, [](Op x, Op y) { return Lt(x, y); });
  CHECK(Body(b) == "ROOT sort = f32[5,6] sort(x), dimensions={1}, to_apply=sort_comparator");
  Sort(
      {Param(b, 0, kF32, {5}), Param(b, 1, kS32, {5})},
      [](Op x, Op y, Op, Op) { return GtTotalOrder(x, y); }, 0, true);
  CHECK(Body(b) ==
        "ROOT sort = (f32[5], s32[5]) sort(x, y), dimensions={0}, is_stable=true, "
        "to_apply=sort_comparator");
  Sort(
      {Param(b, 0, kF32, {5})}, [](Op x, Op y) { return Lt(x, y); }, 1);
  CHECK(ErrorOf(b) ==
        "sort: (C4) dimensions={1} must name one dimension of the operands; operands f32[5]");
}

TEST_CASE("topk") {
  Builder b("t");
  TopK(Param(b, 0, kF32, {2, 5}), 3, true);
  CHECK(Body(b) == "ROOT topk = (f32[2,3], s32[2,3]) topk(x), k=3, largest=true");
}

}  // namespace
}  // namespace sinter
