#include "api/flags.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter::api {
namespace {

std::string ErrorOf(std::string_view text) {
  auto flags = ParseFlags(text);
  REQUIRE(flags.status().code() == absl::StatusCode::kInvalidArgument);
  return MessageOf(flags.status());
}

TEST_CASE("flags are read") {
  Flags flags = *ParseFlags(
      "dump=/tmp/x,isa=avx2,disable=fusion,,disable=cse,threads=3,bisect=7,dump_pass=cse");
  REQUIRE(flags.dump_directory == "/tmp/x");
  REQUIRE(flags.isa == "avx2");
  REQUIRE(flags.disabled_passes == std::vector<std::string>{"fusion", "cse"});
  REQUIRE(flags.dump_passes == std::vector<std::string>{"cse"});
  REQUIRE(flags.threads == 3);
  REQUIRE(flags.pass_limit == 7);
  CompileOptions given;
  given.disabled_passes = {"a"};
  given.isa = "sse4";
  CompileOptions options = WithFlags(given, flags);
  REQUIRE(options.disabled_passes == std::vector<std::string>{"a", "fusion", "cse"});
  REQUIRE(options.isa == "avx2");
  REQUIRE(WithFlags(given, *ParseFlags("")).isa == "sse4");
}

TEST_CASE("wrong flags are errors that say what is known") {
  REQUIRE(ErrorOf("thread=2") ==
          "SINTER_FLAGS: unknown flag 'thread'; known: bisect=N, cuda_driver=FILE, disable=PASS, "
          "dump=DIR, "
          "dump_pass=PASS, isa=NAME, "
          "threads=N");
  REQUIRE(ErrorOf("threads=0") == "SINTER_FLAGS: threads=0: expected a number from 1 to 4096");
  REQUIRE(ErrorOf("threads=2x") == "SINTER_FLAGS: threads=2x: expected a number from 1 to 4096");
  REQUIRE(ErrorOf("dump") == "SINTER_FLAGS: dump needs a value: dump=...");
}

}  // namespace
}  // namespace sinter::api
