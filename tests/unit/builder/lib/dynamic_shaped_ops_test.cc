// Values of sinter/lib/dynamic_shaped_ops.h.
#include "sinter/lib/dynamic_shaped_ops.h"

#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

// The first n elements of f32[4].
Computation First(int64_t n) {
  Builder b("first");
  Op x = Parameter(&b, 0, Shape(kF32, {4}), "x");
  return b.Build(SliceInDim(x, 0, n, 1, 0)).value();
}

TEST_CASE("branches of different sizes") {
  const Literal x = LiteralOfValues(kF32, {4}, {1, 2, 3, 4});
  const Computation two = First(2), three = First(3);
  for (bool first : {true, false}) {
    const Literal p = Literal::R0<bool>(first);
    Builder b("t");
    Op which = Argument(b, 0, p), y = Argument(b, 1, x);
    Op of_two = DynamicConditional(&b, which, y, two, y, three);
    Op index = ConvertElementType(which, ElementType::S32);
    Op of_list = DynamicConditional(&b, index, {&three, &two}, {y, y});
    const double size = first ? 2 : 3, last = first ? 0 : 3;
    CheckValues(b,
                {GetDimensionSize(of_two, 0), RemoveDynamicDimension(of_two, 0),
                 RemoveDynamicDimension(of_list, 0)},
                {p, x}, {{size}, {1, 2, last}, {1, 2, last}});
  }
  // Of one size the result is static.
  Builder b("t");
  Op y = Parameter(&b, 0, Shape(kF32, {4}), "x");
  Op same = DynamicConditional(&b, Lt(Reshape(SliceInDim(y, 0, 1, 1, 0), {}), 0), y, two, y, two);
  CHECK(same.shape()->ToString() == "f32[2]");

  Builder c("t");
  Op z = Parameter(&c, 0, Shape(kF32, {4}), "x");
  Builder other("scalar");
  Op scalar = Parameter(&other, 0, Shape(kF32, {4}), "x");
  const Computation sum =
      other.Build(ReduceAll(scalar, 0, [](Op l, Op r) { return l + r; })).value();
  DynamicConditional(&c, ConstantR0<bool>(&c, true), z, two, z, sum);
  CHECK(ErrorOf(c).find("dynamic-conditional: branches give f32[2] and f32[]") !=
        std::string::npos);
}

}  // namespace
}  // namespace sinter
