// Which masks are all true.
#include "codegen/llvm/facts.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "codegen/kernel/text.h"

namespace sinter::codegen {
namespace {

using kernel::Op;
using kernel::OpCode;

// The operations of the kernel's first loop within its tasks, entered as one of whole steps.
struct Body {
  explicit Body(std::string_view text) {
    auto parsed = kernel::Parse(text);
    REQUIRE(MessageOf(parsed.status()) == MessageOf(absl::OkStatus()));
    kernel = *std::move(parsed);
    facts.emplace(kernel);
    for (const Op& op : Find(kernel.top.ops).regions[0].ops) {
      if (op.code == OpCode::kFor) loop = &op;
    }
    REQUIRE(loop != nullptr);
    facts->EnterFull(*loop);
  }
  static const Op& Find(const std::vector<Op>& ops) {
    for (const Op& op : ops)
      if (op.code == OpCode::kFor) return op;
    return ops.front();
  }
  // Of the k-th mask of the loop, of so many positions.
  bool IsAllTrue(size_t k, int64_t extent) const {
    for (const Op& op : loop->regions[0].ops) {
      if (op.code == OpCode::kMask && k-- == 0)
        return facts->AlwaysBelow(op.operands[0], extent, op.operands[1]);
    }
    FAIL("there is no such mask");
    return false;
  }

  kernel::Kernel kernel;
  std::optional<Facts> facts;
  const Op* loop = nullptr;
};

TEST_CASE("masks of multiples of a loop's positions are all true in its whole steps") {
  const Body body(R"(kernel k lanes 8 {
  %c1:s64 = const 1
  %c2:s64 = const 2
  %c0:s64 = const 0
  %c12:s64 = const 12
  %c517:s64 = const 517
  %c1034:s64 = const 1034
  %c512:s64 = const 512
  %0:f32 = const 0
  buffer @p0 f32 argument [%c1034] [%c1] written
  for.par.exact 1 %c0, %c12 { (%1:s64)
    %2:s64 = mul %1, %c512
    %3:s64 = add %2, %c512
    %4:s64 = min %3, %c517
    %5:s64 = mul %4, %c2
    for.seq.peel 16 %2, %4 { (%6:s64)
      %7:s64 = mul %6, %c2
      %8:pred[1x32] = mask.cols %7, %5
      %9:pred[1x32] = mask.cols %7, %c1034
      %10:s64 = add %7, %c2
      %11:pred[1x32] = mask.cols %10, %5
      %12:f32[1x32] = splat %0
      store %12, @p0[%7+c] mask %8
      yield
    }
    yield
  }
}
)");
  CHECK(body.IsAllTrue(0, 32));
  CHECK_FALSE(body.IsAllTrue(0, 33));
  CHECK(body.IsAllTrue(1, 32));
  CHECK_FALSE(body.IsAllTrue(1, 33));
  CHECK_FALSE(body.IsAllTrue(2, 32));
  CHECK(body.IsAllTrue(2, 30));
}

}  // namespace
}  // namespace sinter::codegen
