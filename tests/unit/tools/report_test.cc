#include "tools/report.h"

#include <catch2/catch.hpp>

#include "base/status.h"

namespace sinter::tools {
namespace {

TEST_CASE("The last line says where, what kind, what") {
  CHECK(ErrorText(InFile(InvalidArgument("a b.mlir:3:14: wrong\n  line\n  ^"), "a b.mlir")) ==
        "  line\n  ^\nsinter: a b.mlir:3:14: invalid: wrong\n");
  CHECK(ErrorText(InFile(InvalidArgument("no place"), "f.hlo")) ==
        "sinter: f.hlo: invalid: no place\n");
  CHECK(ErrorText(InFile(Unimplemented("f.hlo:7: what: it"), "f.hlo")) ==
        "sinter: f.hlo:7: not supported: what: it\n");
  CHECK(ErrorText(Unavailable("no device")) == "sinter: unavailable: no device\n");
  // The first file stays.
  CHECK(ErrorText(InFile(InFile(InvalidArgument("x"), "in.npy"), "f.hlo")) ==
        "sinter: in.npy: invalid: x\n");
}

TEST_CASE("Exit statuses") {
  CHECK(ExitStatusOf(absl::OkStatus()) == 0);
  CHECK(ExitStatusOf(FailedPrecondition("x")) == 1);
  CHECK(ExitStatusOf(InvalidArgument("x")) == 2);
  CHECK(ExitStatusOf(Unimplemented("x")) == 2);
  CHECK(ExitStatusOf(ResourceExhausted("x")) == 3);
  CHECK(ExitStatusOf(AsInputError(ResourceExhausted("nested too deep"))) == 2);
  CHECK(ExitStatusOf(Unavailable("x")) == 3);
  CHECK(ExitStatusOf(Internal("x")) == 70);
}

}  // namespace
}  // namespace sinter::tools
