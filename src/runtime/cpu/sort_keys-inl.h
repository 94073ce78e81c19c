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

// steps(x) of a vector's elements; kMerges: steps.merges.
template <class T, bool kMerges>
class KeysOf {
  using Tag = hwy::HWY_NAMESPACE::ScalableTag<T>;
  using Vector = hwy::HWY_NAMESPACE::Vec<Tag>;
  static constexpr T kRest = static_cast<T>(~KeySteps<T>::kTop);

 public:
  HWY_INLINE explicit KeysOf(const KeySteps<T>& steps)
      : all_(hwy::HWY_NAMESPACE::Set(kTag, static_cast<T>(steps.sign ^ steps.flip))),
        flipped_(hwy::HWY_NAMESPACE::Set(kTag, steps.is_float ? kRest : T{0})),
        rest_(hwy::HWY_NAMESPACE::Set(kTag, kRest)),
        infinity_(hwy::HWY_NAMESPACE::Set(kTag, steps.infinity)),
        nan_(hwy::HWY_NAMESPACE::Set(kTag, static_cast<T>(steps.infinity + 1))) {}
  HWY_INLINE Vector operator()(Vector v) const {
    namespace hn = hwy::HWY_NAMESPACE;
    if constexpr (kMerges) {
      const Vector magnitude = hn::And(v, rest_), zero = hn::Zero(kTag);
      v = hn::IfThenElse(hn::Gt(magnitude, infinity_), nan_, v);
      v = hn::IfThenElse(hn::Eq(magnitude, zero), zero, v);
    }
    const hn::RebindToSigned<Tag> ds;
    const Vector negative = hn::BitCast(kTag, hn::BroadcastSignBit(hn::BitCast(ds, v)));
    return hn::Xor(hn::Xor(v, hn::And(negative, flipped_)), all_);
  }
  HWY_INLINE Vector operator()(const T* x) const {
    return (*this)(hwy::HWY_NAMESPACE::LoadU(kTag, x));
  }

 private:
  static constexpr Tag kTag{};
  Vector all_, flipped_, rest_, infinity_, nan_;
};

}  // namespace sinter::runtime::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // SINTER_SORT_KEYS
