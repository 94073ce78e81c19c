#include "network/encoding.h"

#include <catch2/catch.hpp>

namespace sinter::network {
namespace {

TEST_CASE("What is written is read") {
  const std::string text = Writer().Number(7).Text("seven").Number(~uint64_t{0}).Text("").Take();
  Reader reader(text);
  CHECK(reader.Number() == 7);
  CHECK(reader.Text() == "seven");
  CHECK(reader.Signed() == -1);
  CHECK(reader.Text().empty());
  CHECK(reader.ok());
  CHECK(reader.Number() == 0);
  CHECK_FALSE(reader.ok());
}

TEST_CASE("A text that ends early is noticed, wherever it does") {
  const std::string text = Writer().Number(7).Text("seven").Number(8).Take();
  for (size_t size = 0; size < text.size(); ++size) {
    Reader reader(std::string_view(text).substr(0, size));
    reader.Number();
    reader.Text();
    reader.Number();
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("A size beyond the text reads nothing") {
  for (uint64_t size : {uint64_t{6}, uint64_t{1} << 40, ~uint64_t{0}}) {
    const std::string text = Writer().Number(size).Take() + "short";
    Reader reader(text);
    CHECK(reader.Text().empty());
    CHECK_FALSE(reader.ok());
    CHECK(reader.Number() == 0);
  }
}

}  // namespace
}  // namespace sinter::network
