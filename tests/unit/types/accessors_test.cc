#include "sinter/accessors.h"

#include <catch2/catch.hpp>

#include "sinter/op_options.h"

namespace sinter {
namespace {

TEST_CASE("numbers are read as members and by accessors") {
  GatherDimensionNumbers g;
  CHECK(g.index_vector_dim() == 0);
  g.index_vector_dim = 2;
  CHECK(g.index_vector_dim() == 2);
  g.set_index_vector_dim(3);
  CHECK(g.index_vector_dim == 3);
  const int64_t n = g.index_vector_dim;
  CHECK(n == 3);
}

TEST_CASE("lists are read as members and by accessors") {
  ScatterDimensionNumbers s;
  s.update_window_dims = {1, 2};
  s.add_update_window_dims(4);
  s.set_update_window_dims(0, 0);
  CHECK(s.update_window_dims() == std::vector<int64_t>{0, 2, 4});
  CHECK(s.update_window_dims(2) == 4);
  CHECK(s.update_window_dims_size() == 3);
  CHECK(s.update_window_dims().Get(1) == 2);
  s.mutable_inserted_window_dims()->Add(7);
  CHECK(s.inserted_window_dims(0) == 7);
  s.clear_update_window_dims();
  CHECK(s.update_window_dims().empty());
  CHECK(s == s);
}

TEST_CASE("the options of operations") {
  PrecisionConfig p;
  p.add_operand_precision(PrecisionConfig::HIGHEST);
  CHECK(p.operand_precision(0) == Precision::kHighest);
  RaggedDotDimensionNumbers r;
  r.mutable_dot_dimension_numbers()->add_lhs_batch_dimensions(1);
  CHECK(r.dot_dimension_numbers().lhs_batch_dimensions(0) == 1);
  CHECK(r.dot_dimension_numbers.lhs_batch_dimensions_size() == 1);
  ReplicaGroup group;
  group.add_replica_ids(3);
  CHECK(group.replica_ids(0) == 3);
  PaddingConfig padding = MakeEdgePaddingConfig({{1, 2}, {3, 4}});
  CHECK(padding.dimensions(1).edge_padding_high() == 4);
  CHECK(padding.dimensions_size() == 2);
  CHECK(padding.dimensions()[0].interior_padding() == 0);
  ConvolutionDimensionNumbers c{.input_batch_dimension = 1, .input_spatial_dimensions = {2, 3}};
  CHECK(c.input_batch_dimension() == 1);
  CHECK(c.input_spatial_dimensions(1) == 3);
  CHECK(c == c);
}

}  // namespace
}  // namespace sinter
