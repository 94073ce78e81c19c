#include "types/packing.h"

#include <cstring>

namespace sinter {
namespace {

// Bits are a constant of the loops, which the compiler turns into vectors.
template <int kBits>
void Pack(const uint8_t* from, int64_t count, uint8_t* to) {
  constexpr int kEach = 8 / kBits, kMask = 0xff >> (8 - kBits);
  const int64_t whole = count / kEach;
  for (int64_t i = 0; i < whole; ++i) {
    int byte = 0;
    for (int k = 0; k < kEach; ++k) byte |= (from[i * kEach + k] & kMask) << (k * kBits);
    to[i] = static_cast<uint8_t>(byte);
  }
  if (whole * kEach == count) return;
  int last = 0;
  for (int64_t i = whole * kEach; i < count; ++i)
    last |= (from[i] & kMask) << ((i - whole * kEach) * kBits);
  to[whole] = static_cast<uint8_t>(last);
}

template <int kBits, bool kSigned>
uint8_t Element(uint8_t byte, int k) {
  const int value = byte >> (k * kBits) & (0xff >> (8 - kBits));
  constexpr int kSign = 1 << (kBits - 1);
  return static_cast<uint8_t>(kSigned ? (value ^ kSign) - kSign : value);
}

template <int kBits, bool kSigned>
void Unpack(const uint8_t* from, int64_t count, uint8_t* to) {
  constexpr int kEach = 8 / kBits;
  const int64_t whole = count / kEach;
  for (int64_t i = 0; i < whole; ++i) {
    for (int k = 0; k < kEach; ++k) to[i * kEach + k] = Element<kBits, kSigned>(from[i], k);
  }
  for (int64_t i = whole * kEach; i < count; ++i)
    to[i] = Element<kBits, kSigned>(from[whole], static_cast<int>(i - whole * kEach));
}

}  // namespace

void PackElements(ElementType type, const void* elements, int64_t count, void* packed) {
  const auto* from = static_cast<const uint8_t*>(elements);
  auto* to = static_cast<uint8_t*>(packed);
  BitWidth(type) == 4 ? Pack<4>(from, count, to) : Pack<2>(from, count, to);
}

void UnpackElements(ElementType type, const void* packed, int64_t count, void* elements) {
  const auto* from = static_cast<const uint8_t*>(packed);
  auto* to = static_cast<uint8_t*>(elements);
  if (BitWidth(type) == 4) {
    IsSigned(type) ? Unpack<4, true>(from, count, to) : Unpack<4, false>(from, count, to);
  } else {
    IsSigned(type) ? Unpack<2, true>(from, count, to) : Unpack<2, false>(from, count, to);
  }
}

void ToBuffer(const Literal& array, void* buffer) {
  const ElementType type = array.shape().element_type();
  if (array.byte_size() == 0) return;
  if (ElementsPerByte(type) > 1) {
    PackElements(type, array.untyped_data(), array.shape().element_count(), buffer);
  } else {
    std::memcpy(buffer, array.untyped_data(), static_cast<size_t>(array.byte_size()));
  }
}

void FromBuffer(const void* buffer, Literal& array) {
  const ElementType type = array.shape().element_type();
  if (array.byte_size() == 0) return;
  if (ElementsPerByte(type) > 1) {
    UnpackElements(type, buffer, array.shape().element_count(), array.untyped_data());
  } else {
    std::memcpy(array.untyped_data(), buffer, static_cast<size_t>(array.byte_size()));
  }
}

}  // namespace sinter
