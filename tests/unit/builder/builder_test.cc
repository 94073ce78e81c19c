#include "record.h"

namespace sinter {
namespace {

TEST_CASE("quick") {
  Builder b("axpy");
  Op a = Param(b, 0, kF32, {}), x = Param(b, 1, kF32, {4}), y = Param(b, 2, kF32, {4});
  Op z = 2.0f * (a * x) + y - 1;
  z = Reduce(z, 0, [](Op p, Op q) { return p + q; }, {0});
  Op i = ConstantR0<int32_t>(&b, 0);
  Op w = While([](Op n, Op) { return Lt(n, 10); }, [](Op n, Op v) { return std::vector{n + 1, v * 2}; }, {i, z});
  DynamicSlice(x, {i}, {2});
  DynamicSlice(x, {0}, {2});
  DynamicSlice(x, std::vector<Op>{i}, {2});
  Op r = GetTupleElement(w, 1);
  Conditional(Lt(i, 3), z, [](Op v) { return v; }, r, [](Op v) { return -v; });
  Conditional(i, {[](Op v) { return v; }, [](Op v) { return -v; }}, {z, r});
  ComputationHandle c1, c2;
  auto c = b.Build();
  INFO(c.status().message());
  REQUIRE(c.ok());
  WARN(c->ToString(true));
  Conditional(i, {&c1, &c2}, {z, r});
  WARN(b.first_error().message());
}

}  // namespace
}  // namespace sinter
