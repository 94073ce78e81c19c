#include "codegen/kernel/text.h"

#include <catch2/catch.hpp>
#include <limits>

#include "codegen/kernel/hash.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

TEST_CASE("samples read back as they were printed") {
  for (const Kernel& kernel : samples::All()) {
    const std::string text = Print(kernel);
    INFO(text);
    absl::StatusOr<Kernel> read = Parse(text);
    INFO(read.status().ToString());
    REQUIRE(read.ok());
    CHECK(Print(*read) == text);
    CHECK(Hash(*read) == Hash(kernel));
    CHECK(read->name == kernel.name);
    CHECK(Verify(*read).ToString() == "OK");
  }
}

}  // namespace
}  // namespace sinter::kernel
