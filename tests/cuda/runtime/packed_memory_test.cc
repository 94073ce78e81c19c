// Elements of 2 and 4 bits where the host and the device share addresses: device memory of the
// host's, and custom calls.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "clients.h"
#include "runtime/cuda/driver.h"
#include "sinter/builder.h"
#include "sinter/custom_call.h"

namespace sinter::conformance {
namespace {

using Bytes = std::vector<uint8_t>;
using runtime::cuda::DevicePointer;
using runtime::cuda::Driver;

const Shape kFive(ElementType::S4, {5}), kNine(ElementType::U2, {9});

Literal Fives() {
  Literal x(kFive);
  const int8_t values[] = {-8, 7, -1, 0, 3};
  for (size_t i = 0; i < 5; ++i) x.data<int8_t>()[i] = values[i];
  return x;
}

std::shared_ptr<Client> MakeClient() {
  auto client = Devices()[0].make();
  REQUIRE(client.ok());
  return *client;
}

TEST_CASE("device memory of the host's holds packed elements") {
  auto client = MakeClient();
  Buffer bytes = *client->BufferFromLiteral(Literal::R1<uint8_t>({0x78, 0x0f, 0x03}));
  auto address = bytes.DeviceView();
  REQUIRE(address.ok());
  Buffer x = *client->BufferFromDevice(const_cast<void*>(address->get()), kFive);
  REQUIRE(x.byte_size() == 3);
  REQUIRE(*x.ToLiteral() == Fives());
  auto seen = x.DeviceView();
  REQUIRE(seen.ok());
  REQUIRE(seen->get() == address->get());
}

// Three bytes of s4[5] and three of u2[9] change places.
absl::Status Exchange(const CustomCallFrame& frame) {
  static auto driver = *Driver::Load("");
  if (*frame.operands[0].shape != kFive || *frame.operands[1].shape != kNine ||
      *frame.results[0].shape != kNine || *frame.results[1].shape != kFive) {
    return InvalidArgument("the target is told of other shapes");
  }
  auto address = [](void* p) { return reinterpret_cast<DevicePointer>(p); };
  for (size_t i : {0, 1}) {
    const auto result =
        driver->MemcpyDtoDAsync(address(frame.results[i].data), address(frame.operands[i].data), 3,
                                static_cast<CUstream_st*>(frame.stream));
    if (static_cast<int>(result) != 0) return Internal("the copy fails");
  }
  return absl::OkStatus();
}
SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.exchange", CustomCallFunction(Exchange), "CUDA");

TEST_CASE("custom calls get packed elements on CUDA") {
  auto client = MakeClient();
  Builder b("exchange");
  Op x = Parameter(&b, 0, kFive, "x");
  // What kernels make, and what they take.
  Op nine = ConvertElementType(Iota(&b, ElementType::S32, 9), ElementType::U2);
  Op both = CustomCall(&b, "test.exchange", {x + x - x, nine}, Shape::Tuple({kNine, kFive}));
  Op wide = ConvertElementType(GetTupleElement(both, 1), ElementType::S32);
  auto c = b.Build(Tuple(&b, {GetTupleElement(both, 0), wide}));
  REQUIRE(c.ok());
  auto e = client->Compile(*c);
  CAPTURE(MessageOf(e.status()));
  REQUIRE(e.ok());
  auto r = e->Evaluate({Fives()});
  CAPTURE(MessageOf(r.status()));
  REQUIRE(r.ok());
  // 78 0f 03 in elements of two bits, and e4 e4 00 in elements of four.
  Literal two(kNine);
  const uint8_t pairs[] = {0, 2, 3, 1, 3, 3, 0, 0, 3};
  for (size_t i = 0; i < 9; ++i) two.data<uint8_t>()[i] = pairs[i];
  REQUIRE(r->tuple()[0] == two);
  REQUIRE(r->tuple()[1] == Literal::R1<int32_t>({4, -2, 4, -2, 0}));
}

}  // namespace
}  // namespace sinter::conformance
