#include <type_traits>

#include "codegen/kernel/scalar.h"
#include "codegen/kernel/tile.h"

namespace sinter::kernel {
namespace {

// The number that an element is, in a C++ type that holds it.
uint8_t Number(Pred x) { return x.value; }
float Number(half x) { return static_cast<float>(x); }
float Number(bfloat16 x) { return static_cast<float>(x); }
template <class T>
T Number(T x) {
  return x;
}

template <class To, class From>
To ConvertNumber(From x) {
  if constexpr (std::is_same_v<To, Pred>) {
    return Pred{static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16>) {
    // From F64 rounded once; integers by way of F32, which is what processors can do.
    if constexpr (std::is_same_v<From, double>) return To(RoundToOdd(x));
    return To(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return SaturatingCast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace

void EvaluateConvert(const Tile& out, const Tile& in) {
  WithElement(in.elem, [&]<class From>(std::type_identity<From>) {
    WithElement(out.elem, [&]<class To>(std::type_identity<To>) {
      Map<To, From>(out, &in, [](From x) { return ConvertNumber<To>(Number(x)); });
    });
  });
}

}  // namespace sinter::kernel
