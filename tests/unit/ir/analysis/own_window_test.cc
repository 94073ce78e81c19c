// What updates of a part of an array need of that array.
#include "ir/analysis/own_window.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "base/text.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

// Of the update `u` of x at (i, zero), whose value these lines make.
OwnReads Of(const std::string& update, const std::string& start = "i") {
  auto module = ParseHloText(
      "HloModule m\nENTRY main {\n  x = f32[20,8] parameter(0)\n  i = s32[] parameter(1)\n"
      "  j = s32[] parameter(2)\n  o = f32[1,4] parameter(3)\n  zero = s32[] constant(0)\n"
      "  two = s32[] constant(2)\n" +
          update + "  ROOT r = f32[20,8] dynamic-update-slice(x, u, " + start + ", zero)\n}\n",
      "update.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  return ReadsOfOwnArray(*(*module)->entry()->root(), [](const HloInstruction& i) {
    return i.op() != HloOpcode::Parameter && i.op() != HloOpcode::GetTupleElement;
  });
}

const std::string kWindow = "  w = f32[1,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,4}\n";

TEST_CASE("An update may be made of the window's own elements") {
  CHECK(Of("  u = f32[1,4] negate(o)\n") == OwnReads::kNone);
  CHECK(Of(kWindow + "  u = f32[1,4] add(w, o)\n") == OwnReads::kWindow);
  CHECK(Of(kWindow + "  f = f32[4] reshape(w)\n  g = f32[4] negate(f)\n"
                     "  u = f32[1,4] broadcast(g), dimensions={1}\n") == OwnReads::kWindow);
  CHECK(Of("  w = f32[1,4] slice(x), slice={[2:3], [0:4]}\n  u = f32[1,4] negate(w)\n", "two") ==
        OwnReads::kWindow);
}

TEST_CASE("Other elements are read before any is written") {
  // Another place, another size, other elements of the window.
  CHECK(Of("  w = f32[1,4] dynamic-slice(x, j, zero), dynamic_slice_sizes={1,4}\n"
           "  u = f32[1,4] negate(w)\n") == OwnReads::kOther);
  CHECK(Of("  w = f32[1,4] slice(x), slice={[3:4], [0:4]}\n  u = f32[1,4] negate(w)\n", "two") ==
        OwnReads::kOther);
  CHECK(Of("  w = f32[2,4] dynamic-slice(x, i, zero), dynamic_slice_sizes={2,4}\n"
           "  u = f32[1,4] slice(w), slice={[0:1], [0:4]}\n") == OwnReads::kOther);
  CHECK(Of(kWindow + "  u = f32[1,4] reverse(w), dimensions={1}\n") == OwnReads::kOther);
  // Of the array itself; both ways; and for the place.
  CHECK(Of("  n = f32[20,8] negate(x)\n  u = f32[1,4] slice(n), slice={[0:1], [0:4]}\n") ==
        OwnReads::kOther);
  CHECK(Of(kWindow + "  v = f32[1,4] reverse(w), dimensions={1}\n  u = f32[1,4] add(w, v)\n") ==
        OwnReads::kOther);
  CHECK(Of("  e = f32[1,1] slice(x), slice={[0:1], [0:1]}\n  f = f32[] reshape(e)\n"
           "  at = s32[] convert(f)\n  u = f32[1,4] negate(o)\n",
           "at") == OwnReads::kOther);
}

TEST_CASE("What is complete before is no part of the update") {
  CHECK(Of("  s = f32[20,8] negate(x)\n  t = (f32[20,8]) tuple(s)\n"
           "  g = f32[20,8] get-tuple-element(t), index=0\n"
           "  u = f32[1,4] slice(g), slice={[0:1], [0:4]}\n") == OwnReads::kNone);
}

}  // namespace
}  // namespace sinter
