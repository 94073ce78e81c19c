// Each instruction set gives its own code.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "unit/runtime/cpu/vector_targets_vectors_test.cc"
#include "base/vector_targets.h"
// Highway's headers, in this order.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The bytes of a vector; adds x to every y.
static int64_t AddTo(float x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::Set(d, x)), d, y + i);
  return lanes * 4;
}

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <catch2/catch.hpp>
#include <vector>

namespace sinter::runtime::cpu {
namespace {

TEST_CASE("A kernel runs with the vectors of the target that is chosen") {
  for (int bytes : {16, 32, 64, 0}) {
    const VectorTarget target = VectorTargetFor(bytes);
    CHECK(target <= HostVectorTarget());
    std::vector<float> y(32, 1.0f);
    const int64_t given = SINTER_FOR_VECTOR_TARGET(target, AddTo)(2.0f, y.data(), 32);
    CHECK(y == std::vector<float>(32, 3.0f));
    if (bytes != 0) CHECK(given <= bytes);
    CHECK(given == 16 << static_cast<int>(target));
  }
  CHECK(VectorTargetFor(16) == VectorTarget::kBits128);
  CHECK(VectorTargetFor(0) == HostVectorTarget());
  CHECK(VectorTargetFor(128) == HostVectorTarget());
}

}  // namespace
}  // namespace sinter::runtime::cpu
#endif
