#include "pjrt/ffi_attributes.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace sinter::pjrt::ffi {
namespace {

template <class T>
T NumberIn(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The one attribute, named x, that is `text`.
struct Only {
  explicit Only(const std::string& text) : list(AttributeList::Parse("{x = " + text + "}")) {
    INFO(list.status().ToString());
    REQUIRE(list.ok());
    REQUIRE((*list)->list().size == 1);
  }
  AttrKind kind() const { return (*list)->list().kinds[0]; }
  template <class T>
  const T& value() const {
    return *static_cast<const T*>((*list)->list().values[0]);
  }
  absl::StatusOr<std::shared_ptr<const AttributeList>> list;
};

TEST_CASE("scalars have their types") {
  CHECK(NumberIn<int64_t>(Only("-3").value<Scalar>().value) == -3);
  CHECK(Only("-3").value<Scalar>().dtype == 5);
  CHECK(NumberIn<int32_t>(Only("7 : i32").value<Scalar>().value) == 7);
  CHECK(Only("7 : i32").value<Scalar>().dtype == 4);
  CHECK(NumberIn<uint64_t>(Only("18446744073709551615 : ui64").value<Scalar>().value) ==
        ~uint64_t{0});
  CHECK(NumberIn<float>(Only("2.5 : f32").value<Scalar>().value) == 2.5f);
  CHECK(NumberIn<double>(Only("1.0e-3").value<Scalar>().value) == 1e-3);
  CHECK(NumberIn<uint32_t>(Only("0x7FC00000 : f32").value<Scalar>().value) == 0x7FC00000u);
  CHECK(NumberIn<uint16_t>(Only("1.0 : bf16").value<Scalar>().value) == 0x3f80);
  CHECK(NumberIn<uint16_t>(Only("1.0 : f16").value<Scalar>().value) == 0x3c00);
  CHECK(NumberIn<uint8_t>(Only("true").value<Scalar>().value) == 1);
  CHECK(Only("true").value<Scalar>().dtype == 1);
}

TEST_CASE("strings, arrays and dictionaries") {
  const Only text("\"a\\22\\n\\5Cb\"");
  CHECK(text.kind() == AttrKind::kString);
  CHECK(std::string(text.value<ByteSpan>().data, text.value<ByteSpan>().size) == "a\"\n\\b");
  const Only array("array<f32: 1.0, -2.0>");
  CHECK(array.kind() == AttrKind::kArray);
  CHECK(array.value<Array>().size == 2);
  CHECK(static_cast<float*>(array.value<Array>().data)[1] == -2);
  CHECK(Only("array<i64>").value<Array>().size == 0);
  const Only inner("{b = 1, a = {}}");
  CHECK(inner.kind() == AttrKind::kDictionary);
  CHECK(inner.value<Attrs>().size == 2);
  CHECK(inner.value<Attrs>().names[0]->data[0] == 'a');
}

TEST_CASE("attributes are sorted by name") {
  auto list = AttributeList::Parse("{b = 1, \"a.c\" = 2, a = 3}");
  REQUIRE(list.ok());
  std::string names;
  for (int i = 0; i < 3; ++i) {
    const ByteSpan* name = (*list)->list().names[i];
    names += std::string(name->data, name->size) + " ";
  }
  CHECK(names == "a a.c b ");
  CHECK((*AttributeList::Parse(""))->list().size == 0);
  CHECK((*AttributeList::Parse("{}"))->list().size == 0);
}

TEST_CASE("text that is no dictionary is an error") {
  for (const char* text : {"x", "{", "{x", "{x =", "{x = }", "{x = 1", "{x = 1,}", "{x = 1} y",
                           "{x = \"a}", "{= 1}", "{x = array<i64: 1}", "{x = array<i64: q>}",
                           "{x = 1z}", "{x = 1, x = 2}", "{x = 0xg : f32}"}) {
    INFO(text);
    CHECK_FALSE(AttributeList::Parse(text).ok());
  }
  CHECK(AttributeList::Parse("{x = 1 : i7}").status().code() == absl::StatusCode::kUnimplemented);
  std::string deep = "{x = 1}";
  for (int i = 0; i < 1000; ++i) deep = "{x = " + deep + "}";
  CHECK_FALSE(AttributeList::Parse(deep).ok());
}

}  // namespace
}  // namespace sinter::pjrt::ffi
