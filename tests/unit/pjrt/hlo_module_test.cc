// Modules as protocol buffers: the text that they become, and bytes that are no module.
#include "pjrt/hlo_module.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "pjrt/wire.h"
#include "sinter/import.h"

namespace sinter::pjrt {
namespace {

std::string Of(int field, std::string_view bytes) {
  std::string out;
  WriteBytes(field, bytes, out);
  return out;
}
std::string Of(int field, int64_t number) {
  std::string out;
  WriteInteger(field, number, out);
  return out;
}
std::string Packed(int field, std::initializer_list<int64_t> numbers) {
  std::string packed;
  for (int64_t n : numbers) WriteVarint(static_cast<uint64_t>(n), packed);
  return Of(field, packed);
}
std::string ArrayOf(int64_t type, std::initializer_list<int64_t> sizes) {
  return Of(2, type) + (sizes.size() == 0 ? "" : Packed(3, sizes));
}
std::string Instruction(std::string_view op, int64_t id, std::string_view shape,
                        std::string_view rest) {
  return Of(2, Of(1, "x") + Of(2, op) + Of(3, shape) + Of(35, id) + std::string(rest));
}

// y = x * {2, 3}, and its sum, whose computation is the module's first.
std::string Products() {
  const std::string f32 = ArrayOf(11, {}), pair = ArrayOf(11, {2});
  const float constants[] = {2, 3};
  std::string numbers(sizeof constants, '\0');
  std::memcpy(numbers.data(), constants, sizeof constants);
  const int64_t upper = int64_t{7} << 32;  // the computation's number, as newer writers have it
  const std::string add = Of(5, 1) + Of(6, 3) + Instruction("parameter", 1, f32, Of(9, 0)) +
                          Instruction("parameter", 2, f32, Of(9, 1)) +
                          Instruction("add", 3, f32, Packed(36, {1, 2}));
  const std::string main =
      Of(5, 7) + Of(6, upper + 5) + Instruction("parameter", upper + 1, pair, Of(9, 0)) +
      Instruction("constant", upper + 2, pair, Of(8, Of(1, pair) + Of(8, numbers))) +
      Instruction("multiply", upper + 3, pair, Packed(36, {upper + 1, upper + 2})) +
      Instruction("constant", upper + 4, f32, Of(8, Of(1, f32) + Of(8, std::string(4, '\0')))) +
      Instruction("reduce", upper + 5, f32,
                  Packed(36, {upper + 3, upper + 4}) + Packed(14, {0}) + Packed(38, {1}));
  return Of(1, "products") + Of(3, add) + Of(3, main) + Of(6, 7);
}

TEST_CASE("a module's protocol buffer becomes its text") {
  const auto text = HloTextOfProto(Products());
  REQUIRE(text.ok());
  CHECK(*text ==
        "HloModule program\n"
        "\nc1 {\ni1 = f32[] parameter(0)\ni2 = f32[] parameter(1)\nROOT i3 = f32[] add(i1, i2)\n}\n"
        "\nENTRY c7 {\ni1 = f32[2] parameter(0)\ni2 = f32[2] constant({2, 3})\n"
        "i3 = f32[2] multiply(i1, i2)\ni4 = f32[] constant(0)\n"
        "ROOT i5 = f32[] reduce(i3, i4), dimensions={0}, to_apply=c1\n}\n");
  CHECK(LoadHlo(*text, "program").ok());
}

TEST_CASE("what a comparison orders is kept") {
  const std::string f32 = ArrayOf(11, {}), pred = ArrayOf(1, {});
  const std::string main =
      Of(5, 1) + Of(6, 3) + Instruction("parameter", 1, f32, Of(9, 0)) +
      Instruction("parameter", 2, f32, Of(9, 1)) +
      Instruction("compare", 3, pred, Packed(36, {1, 2}) + Of(63, "LT") + Of(102, "TOTAL"));
  const auto text = HloTextOfProto(Of(3, main) + Of(6, 1));
  REQUIRE(text.ok());
  CHECK(text->find("compare(i1, i2), direction=LT, order=TOTAL\n") != std::string::npos);
}

TEST_CASE("text in a module's protocol buffer stays text") {
  const std::string f32 = ArrayOf(11, {});
  auto error = [&](std::string_view op, std::string_view rest) {
    const auto text =
        HloTextOfProto(Of(3, Of(5, 1) + Of(6, 1) + Instruction(op, 1, f32, rest)) + Of(6, 1));
    return std::string(text.status().message());
  };
  CHECK(error("parameter(0)\n}", "") ==
        "HloModuleProto: instruction \"x\": opcode \"parameter(0)\\012}\"");
  CHECK(error("compare", Of(63, "LT, x=1")) ==
        "HloModuleProto: instruction \"x\": a comparison \"LT, x=1\"");
  CHECK(
      error("constant", Of(8, Of(1, ArrayOf(11, {1LL << 40})))) ==
      "HloModuleProto: instruction \"x\": a constant f32[1099511627776] with 0 bytes of elements");
  CHECK(std::string(HloTextOfProto(Of(1, "nothing")).status().message()) ==
        "HloModuleProto: an HloModuleProto without computations");
}

TEST_CASE("bytes that are no module are refused or become some text") {
  const std::string whole = Products();
  for (size_t size = 0; size < whole.size(); ++size)
    (void)HloTextOfProto(std::string_view(whole).substr(0, size));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int flip : {1, 0x08, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const auto text = HloTextOfProto(changed);
      if (text.ok()) (void)LoadHlo(*text, "program");
    }
  }
  std::string nested;
  for (int k = 0; k < 1000; ++k) nested = Of(2, 13) + Of(4, nested);
  CHECK_FALSE(HloTextOfProto(Of(3, Instruction("parameter", 1, nested, ""))).ok());
}

}  // namespace
}  // namespace sinter::pjrt
