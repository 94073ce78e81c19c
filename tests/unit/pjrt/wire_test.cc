#include "pjrt/wire.h"

#include <catch2/catch.hpp>

#include <bit>
#include <limits>

#include "pjrt/compile_options.h"

namespace sinter::pjrt {
namespace {

std::string_view View(const char* bytes, size_t size) { return {bytes, size}; }

TEST_CASE("what is written is read") {
  std::string out;
  const int64_t numbers[] = {0, 1, 127, 128, 300, -1, std::numeric_limits<int64_t>::min()};
  for (int64_t n : numbers) WriteInteger(7, n, out);
  WriteBytes(200, "text", out);
  WireReader reader(out);
  for (int64_t n : numbers) {
    REQUIRE(reader.Next());
    CHECK(reader.field() == 7);
    CHECK(reader.integer() == n);
    CHECK(reader.bytes().empty());
  }
  REQUIRE(reader.Next());
  CHECK(reader.field() == 200);
  CHECK(reader.bytes() == "text");
  CHECK(reader.integer() == 0);
  CHECK_FALSE(reader.Next());
  CHECK(reader.status().ok());
}

TEST_CASE("numbers of 4 and 8 bytes") {
  WireReader reader(View("\x0d\x01\x02\x00\x00\x11\x00\x00\x00\x00\x00\x00\xf8\x3f", 14));
  REQUIRE(reader.Next());
  CHECK(reader.integer() == 0x201);
  REQUIRE(reader.Next());
  CHECK(reader.number() == 1.5);
  CHECK_FALSE(reader.Next());
  CHECK(reader.status().ok());
}

TEST_CASE("bytes that are no message are an error") {
  auto error = [](std::string_view bytes) {
    WireReader reader(bytes);
    while (reader.Next()) {
    }
    return std::string(reader.status().message());
  };
  CHECK(error(View("\x08", 1)) == "no protocol buffer: a number is cut off");
  CHECK(error(View("\x08\x80", 2)) == "no protocol buffer: a number is cut off");
  CHECK(error("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") ==
        "no protocol buffer: a number has more than 64 bits");
  CHECK(error(View("\x09\x00", 2)) == "no protocol buffer: a number is cut off");
  CHECK(error(View("\x0d\x00", 2)) == "no protocol buffer: a number is cut off");
  CHECK(error(View("\x12\x05x", 3)) == "no protocol buffer: a field is longer than its message");
  CHECK(error(View("\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10)) ==
        "no protocol buffer: a field is longer than its message");
  CHECK(error(View("\x0b", 1)) == "no protocol buffer: a field of an unknown kind");
  CHECK(error(View("\x00\x00", 2)) == "no protocol buffer: a field has the number 0");
}

std::string Entry(std::string_view name, std::string_view value) {
  std::string entry, out;
  WriteBytes(1, name, entry);
  WriteBytes(2, value, entry);
  WriteBytes(7, entry, out);
  return out;
}
std::string Text(std::string_view text) {
  std::string out;
  WriteBytes(1, text, out);
  return out;
}
std::string Truth(bool b) {
  std::string out;
  WriteInteger(2, b, out);
  return out;
}

TEST_CASE("compile options that mean something") {
  std::string build, bytes;
  WriteInteger(1, -1, build);        // device_ordinal
  WriteBytes(3, "\x08\x01", build);  // debug_options
  WriteInteger(4, 1, build);
  WriteInteger(5, 1, build);
  WriteInteger(2, 1, bytes);
  WriteBytes(3, build, bytes);
  bytes += Entry("sinter_allow_contraction", Truth(true));
  bytes += Entry("xla_allow_excess_precision", Truth(true));
  bytes += Entry("sinter_flush_denormals", Text("false"));
  bytes += Entry("sinter_isa", Text("avx2"));
  bytes += Entry("sinter_disabled_passes", Text("a,b"));
  bytes += Entry("xla_dump_to", Text("/somewhere"));
  bytes += Entry("xla_cpu_something", Text("else"));
  auto read = ReadCompileOptions(bytes);
  REQUIRE(read.ok());
  CHECK(read->tupled_arguments);
  CHECK(read->compile.allow_contraction);
  CHECK(read->compile.allow_excess_precision);
  CHECK_FALSE(read->compile.flush_denormals);
  CHECK(read->compile.isa == "avx2");
  CHECK(read->compile.disabled_passes == std::vector<std::string>{"a", "b"});
  CHECK(read->compile.dump_directory == "/somewhere");
  auto none = ReadCompileOptions("");
  REQUIRE(none.ok());
  CHECK_FALSE(none->compile.allow_contraction);
  CHECK(none->compile.flush_denormals);
}

TEST_CASE("compile options that cannot be honoured are refused by name") {
  auto error = [](std::string_view bytes) {
    return std::string(ReadCompileOptions(bytes).status().message());
  };
  CHECK(error(Entry("sinter_flush_denormals", Text("maybe"))) ==
        "compile option sinter_flush_denormals: 'maybe' is not a valid bool value.");
  CHECK(error(Entry("sinter_x", Truth(true))).find("compile option sinter_x; there are") == 0);
  Shape columns(ElementType::F32, {2, 3});
  std::string bytes;
  WriteBytes(1, WriteShape(columns), bytes);
  CHECK(error(bytes).empty());
  columns.set_minor_to_major({0, 1});
  WriteBytes(1, WriteShape(columns), bytes);
  CHECK(error(bytes) == "compile option argument_layouts: a layout that is not row-major");
  std::string tuple, build, result;
  WriteBytes(4, WriteShape(columns), tuple);
  WriteBytes(2, tuple, build);
  WriteBytes(3, build, result);
  CHECK(error(result) == "compile option result_layout: a layout that is not row-major");
  std::string nested;
  for (int i = 0; i < 100; ++i) {
    std::string outer;
    WriteBytes(4, nested, outer);
    nested = outer;
  }
  bytes.clear();
  WriteBytes(1, nested, bytes);
  CHECK(error(bytes) == "a shape is nested too deeply");
}

}  // namespace
}  // namespace sinter::pjrt
