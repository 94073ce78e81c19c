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

// An integer as a number of 53 bits that rounds to fewer as it does: what is dropped leaves its
// last place odd.
template <class Integer>
double Jammed(Integer x) {
  constexpr uint64_t kDropped = (uint64_t{1} << 11) - 1;
  const bool negative = x < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  if (magnitude >> 53)
    magnitude = (magnitude & ~kDropped) | ((magnitude & kDropped) != 0 ? kDropped + 1 : 0);
  const auto number = static_cast<double>(magnitude);
  return negative ? -number : number;
}

template <class To, class From>
To ConvertNumber(From x) {
  if constexpr (std::is_same_v<To, Pred>) {
    return Pred{static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16>) {
    // Rounded once.
    if constexpr (std::is_same_v<From, double>) return To(RoundToOdd(x));
    if constexpr (std::is_integral_v<From>) return To(RoundToOdd(Jammed(x)));
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
