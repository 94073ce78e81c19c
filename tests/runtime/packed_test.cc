// Elements of 2 and 4 bits: packed on the device, a byte each on the host.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "case.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/jit.h"

namespace sinter::conformance {
namespace {

using E = ElementType;
using Bytes = std::vector<uint8_t>;

constexpr E kTypes[] = {E::S2, E::S4, E::U2, E::U4, E::F4E2M1FN};

// Element i of an array, as the host holds it.
uint8_t Element(E type, int64_t i) {
  const int bits = BitWidth(type), value = static_cast<int>(i * 7 + 3) & (0xff >> (8 - bits));
  const int sign = IsSigned(type) ? 1 << (bits - 1) : 0;
  return static_cast<uint8_t>((value ^ sign) - sign);
}
Literal Values(E type, int64_t count) {
  Literal x(Shape(type, {count}));
  for (int64_t i = 0; i < count; ++i) x.data<uint8_t>()[static_cast<size_t>(i)] = Element(type, i);
  return x;
}
// Written down apart from the library's own packing.
Bytes Packed(const Literal& x) {
  const E type = x.shape().element_type();
  const size_t bits = static_cast<size_t>(BitWidth(type));
  auto elements = x.data<uint8_t>();
  Bytes out((elements.size() * bits + 7) / 8);
  for (size_t i = 0; i < elements.size() * bits; ++i)
    out[i / 8] |= static_cast<uint8_t>((elements[i / bits] >> i % bits & 1) << i % 8);
  return out;
}
Bytes Contents(const Buffer& b) {
  auto view = b.View();
  REQUIRE(view.ok());
  const auto* bytes = static_cast<const uint8_t*>(view->get());
  return {bytes, bytes + b.byte_size()};
}
TEST_CASE("transfers pack and unpack") {
  ClientCase c;
  for (E type : kTypes) {
    for (int64_t count : {0, 1, 2, 3, 4, 5, 8, 1003}) {
      CAPTURE(Name(type), count);
      const Literal x = Values(type, count);
      auto buffer = c.client->BufferFromLiteral(x);
      REQUIRE(buffer.ok());
      REQUIRE(buffer->byte_size() == static_cast<int64_t>(Packed(x).size()));
      REQUIRE(Contents(*buffer) == Packed(x));
      REQUIRE(*buffer->ToLiteral() == x);
      Bytes host(static_cast<size_t>(count));
      REQUIRE(buffer->CopyToHost(host.data(), count).ok());
      REQUIRE(host == Bytes(x.data<uint8_t>().begin(), x.data<uint8_t>().end()));
      std::fill(host.begin(), host.end(), uint8_t{99});
      REQUIRE(buffer->CopyToHostAsync(host.data(), count).Wait().ok());
      REQUIRE(host == Bytes(x.data<uint8_t>().begin(), x.data<uint8_t>().end()));
      REQUIRE(buffer->CopyToHost(host.data(), count + 1).code() ==
              absl::StatusCode::kInvalidArgument);
    }
  }
}

TEST_CASE("a layout packs in its own order") {
  ClientCase c;
  Shape shape(E::U4, {2, 3});
  shape.set_minor_to_major({0, 1});
  const Bytes columns = {1, 11, 2, 12, 3, 13};
  auto x = c.client->BufferFromHost(columns.data(), shape);
  REQUIRE(x.ok());
  REQUIRE(Contents(*x) == Bytes{0xb1, 0xc2, 0xd3});
  auto literal = x->ToLiteral();
  REQUIRE(literal.ok());
  auto rows = literal->data<uint8_t>();
  REQUIRE(Bytes(rows.begin(), rows.end()) == Bytes{1, 2, 3, 11, 12, 13});
}

TEST_CASE("the host's memory is never shared") {
  ClientCase c;
  for (auto rule :
       {HostBufferSemantics::kImmutableOnlyDuringCall,
        HostBufferSemantics::kImmutableUntilTransferCompletes,
        HostBufferSemantics::kImmutableZeroCopy, HostBufferSemantics::kMutableZeroCopy}) {
    // So many that other types would be copied later.
    const Literal x = Values(E::S4, 300001);
    Bytes host(x.data<uint8_t>().begin(), x.data<uint8_t>().end());
    std::atomic<int> done{0};
    auto buffer = c.client->BufferFromHost(host.data(), x.shape(), rule, [&] { ++done; });
    REQUIRE(buffer.ok());
    REQUIRE(done == 1);
    std::fill(host.begin(), host.end(), uint8_t{1});
    REQUIRE(*buffer->ToLiteral() == x);
  }
}

TEST_CASE("kernels read and write packed elements") {
  ClientCase c;
  for (E type : kTypes) {
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{}, {1}, {3}, {8}, {3, 5}, {6, 4}, {0}, {1003}}) {
      const Shape shape(type, dims);
      CAPTURE(shape.ToString());
      Builder b("packed");
      Op x = Parameter(&b, 0, shape, "x");
      Op wide = ConvertElementType(x, E::F32);
      Executable e = Compile(*c.client, b,
                             Tuple(&b, {ConvertElementType(wide * 0.5f, type), x, wide, Neg(x)}));
      Literal in(shape);
      for (int64_t i = 0; i < shape.element_count(); ++i)
        in.data<uint8_t>()[static_cast<size_t>(i)] = Element(type, i);
      auto r = e.Execute({*c.client->BufferFromLiteral(in)});
      REQUIRE(r.ok());
      REQUIRE(*(*r)[1].ToLiteral() == in);
      for (const Buffer& result : {(*r)[0], (*r)[1], (*r)[3]}) {
        auto literal = result.ToLiteral();
        REQUIRE(literal.ok());
        REQUIRE(Contents(result) == Packed(*literal));
      }
      auto floats = (*r)[2].ToLiteral(), halves = (*r)[0].ToLiteral(),
           negated = (*r)[3].ToLiteral();
      const int mask = 0xff >> (8 - BitWidth(type));
      for (size_t i = 0; i < in.data<uint8_t>().size(); ++i) {
        const uint8_t bits = in.data<uint8_t>()[i];
        const auto value = static_cast<int8_t>(bits);
        if (IsInteger(type)) {
          REQUIRE(floats->data<float>()[i] == static_cast<float>(value));
          REQUIRE(static_cast<int8_t>(halves->data<uint8_t>()[i]) == value / 2);
          REQUIRE((negated->data<uint8_t>()[i] & mask) == (-value & mask));
        } else {
          REQUIRE(negated->data<uint8_t>()[i] == (bits ^ 8));
        }
      }
    }
  }
}

TEST_CASE("donated memory is taken over") {
  ClientCase c;
  Builder b("increment");
  const Shape shape(E::U4, {1003});
  Op x = Parameter(&b, 0, shape, "x");
  b.SetUpAlias({}, 0, {});
  Executable e = Compile(*c.client, b, x + 1);
  Buffer at = *c.client->BufferFromLiteral(Values(E::U4, 1003));
  for (int i = 0; i < 5; ++i) {
    Buffer before = at;
    auto r = e.ExecuteAsync({at});
    REQUIRE(r.ok());
    at = (*r)[0];
    REQUIRE(before.IsDeleted());
  }
  auto literal = at.ToLiteral();
  REQUIRE(literal.ok());
  for (int64_t i = 0; i < 1003; ++i)
    REQUIRE(literal->data<uint8_t>()[static_cast<size_t>(i)] == (Element(E::U4, i) + 5) % 16);
}

TEST_CASE("types of one width have executables of their own") {
  ClientCase c;
  const Jit widen(
      [](Builder&, absl::Span<const Op> in) -> Op { return ConvertElementType(in[0], E::S32); });
  for (int i = 0; i < 2; ++i) {
    for (E type : {E::S4, E::U4, E::S8}) {
      Literal x(Shape(type, {3}));
      x.data<uint8_t>()[0] = 1, x.data<uint8_t>()[1] = type == E::U4 ? 9 : 0xf9;
      auto y = widen(c.client, {*c.client->BufferFromLiteral(x)});
      REQUIRE(y.ok());
      auto literal = (*y)[0].ToLiteral();
      REQUIRE(literal.ok());
      REQUIRE(*literal == Literal::R1<int32_t>({1, type == E::U4 ? 9 : -7, 0}));
    }
  }
  REQUIRE(widen.traces() == 3);
}

}  // namespace
}  // namespace sinter::conformance
