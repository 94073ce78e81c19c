// The keys by which vectors of elements are ordered. Compiled for each instruction set, as often as
// Highway includes the file.
#if defined(SINTER_SORT_KEYS) == defined(HWY_TARGET_TOGGLE)
#ifdef SINTER_SORT_KEYS
#undef SINTER_SORT_KEYS
#else
#define SINTER_SORT_KEYS
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "runtime/cpu/sort_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace sinter::runtime::cpu::HWY_NAMESPACE {

// order(x) of a vector's elements.
class KeysOf {
  using Tag = hwy::HWY_NAMESPACE::ScalableTag<uint32_t>;
  using Vector = hwy::HWY_NAMESPACE::Vec<Tag>;

 public:
  HWY_INLINE explicit KeysOf(OrderOfBits order)
      : flip_(hwy::HWY_NAMESPACE::Set(kTag, order.flip)),
        magnitude_(hwy::HWY_NAMESPACE::Set(kTag, order.is_float ? 0x7fffffffu : 0u)) {}
  HWY_INLINE Vector operator()(Vector v) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToSigned<Tag> ds;
    const auto negative = hn::BitCast(kTag, hn::ShiftRight<31>(hn::BitCast(ds, v)));
    return hn::Xor(hn::Xor(v, hn::And(negative, magnitude_)), flip_);
  }
  HWY_INLINE Vector operator()(const uint32_t* x) const {
    return (*this)(hwy::HWY_NAMESPACE::LoadU(kTag, x));
  }

 private:
  static constexpr Tag kTag{};
  Vector flip_, magnitude_;
};

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SINTER_SORT_KEYS
