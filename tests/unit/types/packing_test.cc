#include "types/packing.h"

#include <catch2/catch.hpp>
#include <vector>

#include "base/text.h"
#include "sinter/shape.h"

namespace sinter {
namespace {

using E = ElementType;
using Bytes = std::vector<uint8_t>;

Bytes Packed(E type, const Bytes& elements) {
  const auto count = static_cast<int64_t>(elements.size());
  Bytes out(static_cast<size_t>(Shape(type, {count}).packed_byte_size()), 0xee);
  PackElements(type, elements.data(), count, out.data());
  return out;
}
Bytes Unpacked(E type, const Bytes& packed, int64_t count) {
  Bytes out(static_cast<size_t>(count), 0xee);
  UnpackElements(type, packed.data(), count, out.data());
  return out;
}

TEST_CASE("The first element has the low bits, and the rest of the last byte is zeros") {
  CHECK(Packed(E::U4, {1, 2, 15}) == Bytes{0x21, 0x0f});
  CHECK(Packed(E::S4, {0xff, 0xf8, 7}) == Bytes{0x8f, 0x07});
  CHECK(Packed(E::F4E2M1FN, {0xf, 1, 8, 2}) == Bytes{0x1f, 0x28});
  CHECK(Packed(E::U2, {0, 1, 2, 3, 3}) == Bytes{0xe4, 0x03});
  CHECK(Packed(E::S2, {0xff, 0xfe, 1, 0, 0xfe, 1}) == Bytes{0x1b, 0x06});
  CHECK(Packed(E::U4, {}).empty());
}

TEST_CASE("Only the low bits of an element's byte are read") {
  CHECK(Packed(E::U4, {0xf1, 0x52}) == Bytes{0x21});
  CHECK(Packed(E::U2, {0xfc, 0xfd}) == Bytes{0x04});
}

TEST_CASE("Signs extend, other bits do not") {
  CHECK(Unpacked(E::S4, {0x8f, 0xf7}, 3) == Bytes{0xff, 0xf8, 7});
  CHECK(Unpacked(E::U4, {0x8f, 0xf7}, 3) == Bytes{15, 8, 7});
  CHECK(Unpacked(E::F4E2M1FN, {0x8f}, 1) == Bytes{15});
  CHECK(Unpacked(E::S2, {0x1b, 0xf6}, 6) == Bytes{0xff, 0xfe, 1, 0, 0xfe, 1});
  CHECK(Unpacked(E::U2, {0xe4}, 4) == Bytes{0, 1, 2, 3});
}

TEST_CASE("Arrays go to buffers and come back") {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<E>(t);
    if (!IsArrayType(type)) continue;
    for (int64_t count : {0, 1, 2, 3, 4, 5, 31}) {
      INFO(Name(type) << " " << count);
      Literal x(Shape(type, {count})), y(x.shape());
      auto* bytes = static_cast<uint8_t*>(x.untyped_data());
      for (int64_t i = 0; i < x.byte_size(); ++i) {
        // The values that a literal of the type can hold.
        const int unused = ElementsPerByte(type) > 1 ? 8 - BitWidth(type) : 0;
        const int value = static_cast<int>(i * 37 + 11) & (0xff >> unused);
        const int sign = IsSigned(type) && unused > 0 ? 0x80 >> unused : 0;
        bytes[i] = static_cast<uint8_t>((value ^ sign) - sign);
      }
      Bytes buffer(static_cast<size_t>(x.shape().packed_byte_size()));
      ToBuffer(x, buffer.data());
      FromBuffer(buffer.data(), y);
      CHECK(std::equal(bytes, bytes + x.byte_size(), static_cast<uint8_t*>(y.untyped_data())));
    }
  }
}

}  // namespace
}  // namespace sinter
