#include "record.h"

namespace sinter {
namespace {

TEST_CASE("dot") {
  Builder b("t");
  Dot(Param(b, 0, kF32, {2, 3}), Param(b, 1, kF32, {3, 4}));
  CHECK(Body(b) ==
        "ROOT dot = f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  Dot(Param(b, 0, kF32, {3}), Param(b, 1, kF32, {3}));
  CHECK(Body(b) ==
        "ROOT dot = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  Dot(Param(b, 0, kF32, {3, 2}), Param(b, 1, kF32, {3}));
  CHECK(ErrorOf(b) ==
        "dot: (C10) contracting dimension 1 of the left operand is 2, dimension 0 of the right "
        "operand is 3; operands "
        "f32[3,2], f32[3]");
}

TEST_CASE("dot general") {
  Builder b("t");
  DotDimensionNumbers d;
  d.add_lhs_batch_dimensions(0);
  d.add_rhs_batch_dimensions(0);
  d.add_lhs_contracting_dimensions(2);
  d.add_rhs_contracting_dimensions(1);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGHEST);
  DotGeneral(Param(b, 0, ElementType::BF16, {5, 2, 3}), Param(b, 1, ElementType::BF16, {5, 3, 4}),
             d, &precision, kF32);
  CHECK(Body(b) ==
        "ROOT dot = f32[5,2,4] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={2}, "
        "rhs_contracting_dims={1}, operand_precision={highest,default}");
}

TEST_CASE("ragged dot") {
  Builder b("t");
  RaggedDotDimensionNumbers d;
  d.mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
  d.mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(1);
  d.add_lhs_ragged_dimensions(0);
  d.add_rhs_group_dimensions(0);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGH);
  const ElementType bf16 = ElementType::BF16;
  RaggedDot(Param(b, 0, bf16, {6, 4}), Param(b, 1, bf16, {3, 4, 5}), Param(b, 2, kS32, {3}), d,
            &precision, kF32);
  CHECK(Body(b) ==
        "ROOT ragged-dot = f32[6,5] ragged-dot(x, y, z), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}, "
        "operand_precision={high,default}");
  RaggedDot(Param(b, 0, kF32, {6, 4}), Param(b, 1, kF32, {3, 4, 5}), Param(b, 2, kS32, {2}), d);
  CHECK(ErrorOf(b) ==
        "ragged-dot: there are 2 group sizes, but 3 groups of the right operand; operands "
        "f32[6,4], f32[3,4,5], s32[2]");
}

}  // namespace
}  // namespace sinter
