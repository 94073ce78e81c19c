#include "tools/npy.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter::tools {
namespace {

std::string File(std::string dict, std::string_view data, char version = 1) {
  dict += '\n';
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(dict.size());
  out += '\0';
  if (version > 1) out.append(2, '\0');
  return out + dict + std::string(data);
}
std::string Read(std::string_view bytes, const Shape& shape) {
  auto literal = ParseNpy(bytes, shape);
  return literal.ok() ? literal->ToString() : MessageOf(literal.status());
}
const std::string_view kOneTwo("\x01\0\x02\0", 4);

TEST_CASE("What is written is read back") {
  auto check = [](const Literal& l) {
    auto back = ParseNpy(ToNpy(l), l.shape());
    INFO(MessageOf(back.status()));
    REQUIRE(back.ok());
    CHECK(*back == l);
  };
  check(Literal::R0<float>(1.5f));
  check(Literal::R1<double>({1, 2, 3}));
  check(Literal::R2<int32_t>({{1, 2}, {3, 4}}));
  check(Literal::R1<bool>({true, false}));
  check(Literal::R1<std::complex<float>>({{1, 2}, {3, 4}}));
  check(Literal::R1<bfloat16>({bfloat16(1), bfloat16(2)}));
  check(Literal(Shape(ElementType::F32, {0, 3})));
  check(Literal(Shape(ElementType::S4, {5})));
  check(Literal(Shape(ElementType::F8E4M3FN, {2})));
}

TEST_CASE("The header is as NumPy writes it") {
  std::string file = ToNpy(Literal::R1<float>({1, 2}));
  CHECK(file.size() == 128 + 8);
  CHECK(file.substr(10, 57) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
  CHECK(file[127] == '\n');
  CHECK(ToNpy(Literal::R1<bfloat16>({})).substr(10, 15) == "{'descr': '<u2'");
}

TEST_CASE("Other writers' files") {
  Shape s16(ElementType::S16, {2}), bf16(ElementType::BF16, {2});
  const char* shape = "'fortran_order': False, 'shape': (2,)}";
  CHECK(Read(File(Format("{{'descr': '<i2', {}", shape), kOneTwo), s16) == "s16[2] {1, 2}");
  CHECK(Read(File(Format("{{'descr': '<i2', {}", shape), kOneTwo, 2), s16) == "s16[2] {1, 2}");
  CHECK(Read(File(Format("{{'descr': '>i2', {}", shape), kOneTwo), s16) == "s16[2] {256, 512}");
  std::string_view ones("\x80\x3f\x00\x40", 4);
  CHECK(Read(File(Format("{{'descr': '|V2', {}", shape), ones), bf16) == "bf16[2] {1, 2}");
  CHECK(Read(File(Format("{{'descr': '<u2', {}", shape), ones), bf16) == "bf16[2] {1, 2}");
  // ml_dtypes writes the low bits alone.
  Shape s4(ElementType::S4, {2}), u2(ElementType::U2, {2});
  CHECK(Read(File(Format("{{'descr': '|V1', {}", shape), "\x0e\x07"), s4) == "s4[2] {-2, 7}");
  CHECK(Read(File(Format("{{'descr': '|V1', {}", shape), "\xfe\x03"), u2) == "u2[2] {2, 3}");
  CHECK(Read(File("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2), }", "\1\2\3\4"),
             Shape(ElementType::S8, {2, 2})) == "s8[2,2] {{1, 3}, {2, 4}}");
}

TEST_CASE("Files that do not fit") {
  Shape f32(ElementType::F32, {2});
  std::string good = ToNpy(Literal::R1<float>({1, 2}));
  CHECK(Read("", f32) == "it is no .npy file");
  CHECK(Read(good.substr(0, 20), f32) == "it ends within the header");
  CHECK(Read(good.substr(0, good.size() - 1), f32) == "it holds 7 bytes, f32[2] has 8");
  CHECK(Read(good, Shape(ElementType::F32, {3})) == "its shape is (2), the parameter is f32[3]");
  CHECK(Read(good, Shape(ElementType::S32, {2})) ==
        "its elements are 'f4', the parameter is s32[2]");
  CHECK(Read(File("{'descr': [('a', '<f4')], 'shape': (2,)}", ""), f32) ==
        "its element type is not a simple one");
  CHECK(Read(File("{'descr': '<f4', 'shape': 2}", ""), f32) == "its header states no shape");
  // No cut or changed byte ends the process.
  for (size_t i = 0; i < good.size(); ++i) {
    Read(good.substr(0, i), f32);
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    Read(bad, f32);
  }
}

}  // namespace
}  // namespace sinter::tools
