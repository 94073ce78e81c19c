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

}  // namespace
}  // namespace sinter
