#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/kernel/affine.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;

// Verifies a load from @x of 100 x 50 elements, @v of n elements (n in 1..4096, a multiple of 8)
// and @l of 5000, written in `body`; `top` stands before the loop over i in 0..100.
std::string VerifiedBounds(std::string_view body, std::string_view tail = "exact 1") {
  std::string text =
      "kernel k lanes 16 {\n  param %n 1..4096 multiple 8\n  param %m 1..64\n  %f:f32 = const 0\n";
  for (int c : {0, 1, 2, 3, 7, 8, 16, 49, 50, 64, 99, 100, 5000})
    text += Format("  %c{0}:s64 = const {0}\n", c);
  text += "  %m1:s64 = const -1\n  %t:pred = const 1\n";
  text +=
      "  buffer @x f32 argument [%c100, %c50] [%c50, %c1]\n  buffer @v f32 argument [%n] [%c1]\n";
  text += "  buffer @l f32 argument [%c5000] [%c1]\n  buffer @s s64 argument [%c1] [%c1]\n";
  text += Format("  for.par.{} %c0, %c100 {{ (%i:s64)\n    {}\n    yield\n  }}\n}}\n", tail, body);
  absl::StatusOr<Kernel> k = Parse(text);
  return k.ok() ? Verify(*k).ToString() : k.status().ToString();
}

TEST_CASE("bounds: loops") {
  CHECK(VerifiedBounds("%a:f32 = load @x[%i, %c49]") == "OK");
  CHECK_THAT(VerifiedBounds("%a:f32 = load @x[%i, %c50]"),
             Contains("index 1 is not known to be below"));
  CHECK_THAT(VerifiedBounds("%a:f32 = load @x[%i, %m1]"),
             Contains("index 1 is not known to be at least 0"));
  CHECK_THAT(VerifiedBounds("%a:f32 = load @x[%i+r, %c0]", "exact 3"),
             Contains("not known to divide"));
  CHECK(VerifiedBounds("%a:f32[2x1] = load @x[%i+r, %c0]", "exact 2") == "OK");
  CHECK_THAT(VerifiedBounds("%a:f32[3x1] = load @x[%i+r, %c0]", "exact 2"),
             Contains("index 0 is not known to be below"));
  CHECK_THAT(VerifiedBounds("%a:f32[3x1] = load @x[%i+r, %c0]", "masked 3"),
             Contains("index 0 is not known"));
  // 0, 16 ... 96: a tile of 4 rows is the most that fits.
  CHECK(VerifiedBounds("%a:f32[4x1] = load @x[%i+r, %c0]", "masked 16") == "OK");
  CHECK_THAT(VerifiedBounds("%a:f32[5x1] = load @x[%i+r, %c0]", "masked 16"),
             Contains("index 0 is not known"));
  CHECK(VerifiedBounds(
            "for.seq.exact 8 %c0, %n { (%j:s64)\n %a:f32[1x8] = load @v[%j+c]\n yield\n}") == "OK");
  CHECK_THAT(VerifiedBounds(
                 "for.seq.exact 16 %c0, %n { (%j:s64)\n %a:f32[1x8] = load @v[%j+c]\n yield\n}"),
             Contains("a multiple of 8"));
  CHECK(VerifiedBounds(
            "for.seq.exact 1 %c0, %i { (%j:s64)\n %k:s64 = sub %i, %j\n %a:f32 = load @x[%k, "
            "%c0]\n yield\n}") == "OK");
}

TEST_CASE("bounds: steps and reversal") {
  CHECK(VerifiedBounds("%a:f32[1x50] = load @x[%i, %c0+c]") == "OK");
  CHECK(VerifiedBounds("%a:f32[1x50] = load @x[%i, %c49-c]") == "OK");
  CHECK_THAT(VerifiedBounds("%a:f32[1x51] = load @x[%i, %c49-c]"),
             Contains("not known to be at least 0"));
  CHECK(VerifiedBounds("%a:f32[1x25] = load @x[%i, %c1+2c]") == "OK");
  CHECK_THAT(VerifiedBounds("%a:f32[1x26] = load @x[%i, %c0+2c]"),
             Contains("not known to be below"));
}

TEST_CASE("bounds: masks") {
  const std::string loop = "for.seq.masked 64 %c0, %n { (%j:s64)\n ";
  CHECK(VerifiedBounds(loop +
                       "%m0:pred[1x64] = mask.cols %j, %n\n %a:f32[1x64] = load @v[%j+c] mask %m0 "
                       "else %f\n yield\n}") == "OK");
  CHECK_THAT(VerifiedBounds(loop + "%a:f32[1x64] = load @v[%j+c]\n yield\n}"),
             Contains("not known to be below"));
  // The mask is of another axis, of another base, too wide.
  CHECK_THAT(
      VerifiedBounds(loop + "%m0:pred[64x64] = mask.rows %j, %n\n %a:f32[64x64] = load @v[%j+c] "
                            "mask %m0 else %f\n yield\n}"),
      Contains("not known to be below"));
  CHECK_THAT(
      VerifiedBounds(loop + "%m0:pred[1x64] = mask.cols %c0, %n\n %a:f32[1x64] = load @v[%j+c] "
                            "mask %m0 else %f\n yield\n}"),
      Contains("not known to be below"));
  CHECK_THAT(VerifiedBounds(loop + "%k:s64 = add %n, %c1\n %m0:pred[1x64] = mask.cols %j, %k\n"
                                   " %a:f32[1x64] = load @v[%j+c] mask %m0 else %f\n yield\n}"),
             Contains("not known to be below"));
  CHECK(VerifiedBounds(loop + "%k:s64 = min %n, %i\n %m0:pred[1x64] = mask.cols %j, %k\n"
                              " %a:f32[1x64] = load @v[%j+c] mask %m0 else %f\n yield\n}") == "OK");
  // A scalar condition, splatted or not, bounds an index on both sides (a pad).
  const std::string pad =
      "%y:s64 = sub %i, %c8\n %p:pred = cmp.ge %y, %c0\n %q:pred = cmp.lt %y, %c50\n %both:pred = "
      "and %p, %q\n ";
  CHECK(VerifiedBounds(pad + "%a:f32 = load @x[%c0, %y] mask %both else %f") == "OK");
  CHECK(
      VerifiedBounds(
          pad + "%s:pred[1x8] = splat %both\n %a:f32[1x8] = load @x[%c0+c, %y] mask %s else %f") ==
      "OK");
  CHECK_THAT(VerifiedBounds(pad + "%a:f32 = load @x[%c0, %y] mask %q else %f"),
             Contains("at least 0"));
  CHECK(VerifiedBounds(pad + "if %both {\n %a:f32 = load @x[%c0, %y]\n yield\n} {\n yield\n}") ==
        "OK");
  CHECK_THAT(VerifiedBounds(pad + "if %both {\n yield\n} {\n %a:f32 = load @x[%c0, %y]\n yield\n}"),
             Contains("not known"));
  CHECK_THAT(
      VerifiedBounds(pad + "%o:pred = or %p, %q\n %a:f32 = load @x[%c0, %y] mask %o else %f"),
      Contains("not known"));
  // Element-wise conditions on coordinates.
  CHECK(
      VerifiedBounds(
          "%l:s64[1x64] = iota.cols\n %k:s64[1x64] = sub %l, %c7\n %p:pred[1x64] = cmp.ge %k, %c0\n"
          " %q:pred[1x64] = cmp.lt %k, %c50\n %b:pred[1x64] = and %p, %q\n %s:s64 = sub %c0, %c7\n"
          " %a:f32[1x64] = load @x[%i, %s+c] mask %b else %f") == "OK");
}

TEST_CASE("bounds: clamps of what nothing is known of") {
  const std::string start = "%d:s64 = load @s[%c0]\n ";
  CHECK_THAT(VerifiedBounds(start + "%a:f32 = load @x[%i, %d]"), Contains("at least 0"));
  CHECK(VerifiedBounds(start +
                       "%e:s64 = max %d, %c0\n %g:s64 = min %e, %c49\n %a:f32 = load @x[%i, %g]") ==
        "OK");
  CHECK(VerifiedBounds(start +
                       "%e:s64 = min %d, %c49\n %g:s64 = max %e, %c0\n %a:f32 = load @x[%i, %g]") ==
        "OK");
  CHECK_THAT(VerifiedBounds(start + "%g:s64 = min %d, %c49\n %a:f32 = load @x[%i, %g]"),
             Contains("at least 0"));
  CHECK_THAT(VerifiedBounds(
                 start + "%e:s64 = max %d, %c0\n %g:s64 = min %e, %c50\n %a:f32 = load @x[%i, %g]"),
             Contains("below"));
  // A slice of 8 columns at a clamped start, walked by a loop.
  CHECK(VerifiedBounds(start +
                       "%e:s64 = max %d, %c0\n %w:s64 = sub %c50, %c8\n %g:s64 = min %e, %w\n"
                       " for.seq.exact 1 %c0, %c8 { (%j:s64)\n %k:s64 = add %g, %j\n %a:f32 = "
                       "load @x[%i, %k]\n yield\n}") == "OK");
  // A dynamic-slice of a run-time extent.
  CHECK(VerifiedBounds(start +
                       "%w:s64 = sub %n, %c1\n %e:s64 = max %d, %c0\n %g:s64 = min %e, %w\n "
                       "%a:f32 = load @v[%g]") == "OK");
  CHECK(VerifiedBounds(
            start +
            "%q:pred = cmp.lt %d, %c0\n %g:s64 = select %q, %c3, %c7\n %a:f32 = load @x[%i, %g]") ==
        "OK");
  CHECK(VerifiedBounds(start +
                       "%g:s64 = rem %d, %c50\n %q:pred = cmp.ge %g, %c0\n %a:f32 = load @x[%i, "
                       "%g] mask %q else %f") == "OK");
  CHECK_THAT(VerifiedBounds(start + "%g:s64 = rem %d, %c50\n %a:f32 = load @x[%i, %g]"),
             Contains("at least 0"));
}

TEST_CASE("bounds: clamps of narrow integers") {
  const std::string start =
      "%d:s64 = load @s[%c0]\n %n0:s32 = cvt %d\n %lo:s32 = const 0\n %hi:s32 = const 49\n ";
  const std::string access = " %g:s64 = cvt %w\n %a:f32 = load @x[%i, %g]";
  CHECK(VerifiedBounds(start + "%e:s32 = min %n0, %hi\n %w:s32 = max %e, %lo\n" + access) == "OK");
  CHECK(VerifiedBounds(start + "%e:s32 = max %n0, %lo\n %w:s32 = min %e, %hi\n" + access) == "OK");
  CHECK(VerifiedBounds(start + "%q:pred = cmp.lt %n0, %lo\n %w:s32 = select %q, %lo, %hi\n" +
                       access) == "OK");
  CHECK_THAT(VerifiedBounds(start + "%w:s32 = min %n0, %hi\n" + access), Contains("at least 0"));
  CHECK_THAT(VerifiedBounds(start + "%w:s32 = max %n0, %lo\n" + access), Contains("below"));
  // A sum may wrap.
  CHECK_THAT(VerifiedBounds(start + "%e:s32 = max %n0, %lo\n %w:s32 = add %e, %lo\n" + access),
             Contains("at least 0"));
}

TEST_CASE("bounds: linear indices") {
  auto linear = [&](std::string_view access) {
    return VerifiedBounds("for.seq.exact 1 %c0, %c5000 { (%j:s64)\n " + std::string(access) +
                          "\n yield\n}");
  };
  CHECK(linear("%r:s64 = div %j, %c50\n %c:s64 = rem %j, %c50\n %a:f32 = load @x[%r, %c]") == "OK");
  CHECK_THAT(linear("%r:s64 = div %j, %c49\n %a:f32 = load @x[%r, %c0]"), Contains("below"));
  CHECK_THAT(linear("%c:s64 = rem %j, %c64\n %a:f32 = load @x[%c0, %c]"), Contains("below"));
  // And back: row * 50 + column.
  CHECK(linear("%r:s64 = div %j, %c50\n %c:s64 = rem %j, %c50\n %k:s64 = mul %r, %c50\n %l:s64 = "
               "add %k, %c\n"
               " %a:f32 = load @l[%l]") == "OK");
  CHECK(VerifiedBounds(
            "for.seq.exact 1 %c0, %c50 { (%j:s64)\n %k:s64 = mul %i, %c50\n %l:s64 = add %k, %j\n"
            " %a:f32 = load @l[%l]\n %r:s64 = div %l, %c50\n %c:s64 = rem %l, %c50\n %b:f32 = load "
            "@x[%r, %c]\n"
            " yield\n}") == "OK");
  // Blocks of a run-time extent: ceil(n / 64) of 64.
  CHECK(
      VerifiedBounds("%p:s64 = add %n, %c64\n %q:s64 = sub %p, %c1\n %r:s64 = div %q, %c64\n"
                     " for.seq.exact 1 %c0, %r { (%b:s64)\n %lo:s64 = mul %b, %c64\n %a:f32 = load "
                     "@v[%lo]\n yield\n}") == "OK");
  CHECK(VerifiedBounds(
            "%h:s64 = div %n, %c8\n for.seq.exact 1 %c0, %h { (%b:s64)\n %lo:s64 = mul %b, %c8\n"
            " %a:f32[1x8] = load @v[%lo+c]\n yield\n}") == "OK");
  // What divides the number and the divisor divides the remainder.
  auto steps = [&](int step, std::string_view access) {
    return VerifiedBounds(
        Format("for.seq.masked {} %c0, %c5000 {{ (%j:s64)\n %q:s64 = div %j, %c50\n"
               " %c:s64 = rem %j, %c50\n {}\n yield\n}}",
               step, access));
  };
  CHECK(steps(2, "%a:f32[1x2] = load @x[%i, %c+c]") == "OK");
  CHECK_THAT(steps(2, "%a:f32[1x3] = load @x[%i, %c+c]"), Contains("index 1 is not known"));
  CHECK_THAT(steps(3, "%a:f32[1x2] = load @x[%i, %c+c]"), Contains("index 1 is not known"));
  const std::string back = "%k:s64 = mul %q, %c50\n %d:s64 = sub %k, %j\n %a:f32 = load @v[%d]";
  CHECK(steps(100, back) == "OK");
  CHECK_THAT(steps(10, back), Contains("at least 0"));
  // Remainders by what is known at run time only.
  CHECK(VerifiedBounds("%r:s64 = rem %i, %n\n %a:f32 = load @v[%r]") == "OK");
}

// Elements of [2, 50] arrays by their number, the rows or the middle of three dimensions reversed.
TEST_CASE("bounds: what a remainder is by a divisor of all but a constant") {
  // 2 i + 1 for i = 0, 8, 16 ... leaves 1 by 16, and 2 i + 7 leaves 7.
  auto loop = [](int constant, int tile) {
    return VerifiedBounds(
        Format("for.seq.masked 8 %c0, %i {{ (%j:s64)\n %a:s64 = mul %j, %c2\n"
               " %b:s64 = add %a, %c{}\n %d:s64 = rem %b, %c16\n"
               " %e:f32[1x{}] = load @x[%c0, %d+c]\n yield\n}}",
               constant, tile));
  };
  CHECK(loop(1, 49) == "OK");
  CHECK_THAT(loop(1, 50), Contains("index 1 is not known to be below"));
  CHECK(loop(7, 43) == "OK");
  CHECK_THAT(loop(7, 44), Contains("index 1 is not known to be below"));
}

TEST_CASE("bounds: linear indices with a reversed coordinate") {
  const std::string rows =
      "%q:s64 = div %i, %c50\n %r:s64 = rem %i, %c50\n %back:s64 = sub %c1, %q\n"
      " %u:s64 = mul %back, %c50\n %w:s64 = add %u, %r\n";
  CHECK(VerifiedBounds(rows + " %b:f32 = load @x[%w, %c0]") == "OK");
  CHECK_THAT(VerifiedBounds(rows + " %z:s64 = add %w, %c1\n %b:f32 = load @x[%z, %c0]"),
             Contains("not known to be below"));
  CHECK_THAT(VerifiedBounds(rows + " %z:s64 = add %w, %m1\n %b:f32 = load @x[%z, %c0]"),
             Contains("not known to be at least 0"));
  // From a row that is found at run time.
  CHECK(VerifiedBounds("%g:s64 = load @s[%c0]\n %l0:s64 = min %g, %c1\n %l1:s64 = max %l0, %c0\n"
                       " for.seq.exact 1 %c0, %c2 { (%p:s64)\n" +
                       std::string(" %q:s64 = div %p, %c2\n %r:s64 = rem %p, %c2\n"
                                   " %back:s64 = sub %c1, %r\n %o:s64 = add %q, %l1\n"
                                   " %u:s64 = mul %o, %c2\n %w:s64 = add %u, %back\n"
                                   " %b:f32 = load @x[%w, %c0]\n yield\n}")) == "OK");
  const std::string middle =
      "%q:s64 = div %i, %c2\n %r:s64 = rem %i, %c2\n %o:s64 = div %q, %c2\n %d:s64 = rem %q, %c2\n"
      " %back:s64 = sub %c1, %d\n %h:s64 = mul %o, %c2\n %u:s64 = add %h, %back\n"
      " %v2:s64 = mul %u, %c2\n %w:s64 = add %v2, %r\n";
  CHECK(VerifiedBounds(middle + " %b:f32 = load @x[%w, %c0]") == "OK");
  // Of [2, 3, 2] by the numbers of [2, 2, 3]: two coordinates in another order and reversed.
  const std::string two =
      "%k3:s64 = const 3\n %k4:s64 = const 4\n %k12:s64 = const 12\n"
      " for.seq.exact 1 %c0, %k12 { (%t_p:s64)\n"
      " %t_d:s64 = rem %t_p, %k3\n %t_q:s64 = div %t_p, %k3\n %t_e:s64 = rem %t_q, %c2\n"
      " %t_f:s64 = div %t_q, %c2\n %back_d:s64 = sub %c2, %t_d\n %back_e:s64 = sub %c1, %t_e\n"
      " %t_u:s64 = mul %t_f, %c2\n %v4:s64 = mul %back_d, %k4\n %w12:s64 = mul %back_e, %k12\n"
      " %t_s:s64 = add %t_u, %v4\n %t_w:s64 = add %t_s, %w12\n";
  CHECK(VerifiedBounds(two + " %b:f32 = load @x[%t_w, %c0]\n yield\n}") == "OK");
  CHECK_THAT(VerifiedBounds(two + " %z:s64 = add %t_w, %m1\n %b:f32 = load @x[%z, %c0]\n yield\n}"),
             Contains("not known to be at least 0"));
}

TEST_CASE("bounds: carried indices") {
  CHECK(
      VerifiedBounds(
          "%r:s64 = for.seq.exact 1 %c0, %c50, %c0 { (%j:s64, %k:s64)\n %a:f32 = load @x[%i, %k]\n"
          " %l:s64 = add %k, %c1\n yield %l\n}") == "OK");
  CHECK(
      VerifiedBounds(
          "%r:s64 = for.seq.exact 1 %c0, %c50, %c49 { (%j:s64, %k:s64)\n %a:f32 = load @x[%i, %k]\n"
          " %l:s64 = add %k, %m1\n yield %l\n}") == "OK");
  CHECK_THAT(
      VerifiedBounds(
          "%r:s64 = for.seq.exact 1 %c0, %c50, %c1 { (%j:s64, %k:s64)\n %a:f32 = load @x[%i, %k]\n"
          " %l:s64 = add %k, %c1\n yield %l\n}"),
      Contains("below"));
  CHECK(VerifiedBounds(
            "%r:s64 = while %c0 { (%k:s64)\n %p:pred = cmp.lt %k, %c50\n yield %p\n} { (%l:s64)\n"
            " %a:f32 = load @x[%i, %l]\n %o:s64 = add %l, %c1\n yield %o\n}") == "OK");
  CHECK_THAT(
      VerifiedBounds(
          "%r:s64 = while %c0 { (%k:s64)\n %p:pred = cmp.le %k, %c50\n yield %p\n} { (%l:s64)\n"
          " %a:f32 = load @x[%i, %l]\n %o:s64 = add %l, %c1\n yield %o\n}"),
      Contains("below"));
}

TEST_CASE("bounds: gathers are not looked at") {
  CHECK(VerifiedBounds(
            "%l:s64[1x16] = iota.cols\n %k:s64[1x16] = mul %l, %c5000\n %a:f32[1x16] = load "
            "@x[%i, %k]") == "OK");
}

TEST_CASE("bounds: what a condition proves stays within it") {
  // The division is of a number that only inside is known not to be negative.
  CHECK_THAT(
      VerifiedBounds(
          "%d:s64 = load @s[%c0]\n %p:pred = cmp.ge %d, %c0\n if %p {\n %q:s64 = rem %d, %c50\n"
          " %a:f32 = load @x[%i, %q]\n yield\n} {\n yield\n}\n %r:s64 = rem %d, %c50\n %b:f32 = "
          "load @x[%i, %r]"),
      Contains("%8:f32 = load @x[%2, %7]: index 1"));
}

TEST_CASE("a form that many paths lead to is tried once") {
  Prover p;
  // Each at least the two before it: as many paths down as Fibonacci's numbers, none of which ends.
  std::vector<Affine> a;
  for (int i = 0; i < 30; ++i) {
    a.push_back(Affine::OfAtom(p.NewAtom({})));
    for (int back : {1, 2}) {
      if (i >= back) p.Push(a[static_cast<size_t>(i)] - a[static_cast<size_t>(i - back)]);
    }
  }
  const Affine x = Affine::OfAtom(p.NewAtom({.range = {0, 10}}));
  p.Push(x - a.back());
  CHECK_FALSE(p.NotNegative(x - Affine(1)));
  const Affine y = Affine::OfAtom(p.NewAtom({}));
  p.Push(y - a.back());
  p.Push(y - x);
  CHECK(p.NotNegative(y));
}

TEST_CASE("cases of an earlier atom each take a fact of the latest one") {
  // 65 columns behind 130 others, of tiles of 32: element s + c of them, s being 0 or i - 130.
  Prover p;
  const Affine i = Affine::OfAtom(p.NewAtom({.range = {0, 194}}));
  const Affine s =
      Affine::OfAtom(p.NewAtom({.range = {-130, 64}, .cases = {Affine(0), i - Affine(130)}}));
  const Affine c = Affine::OfAtom(p.NewAtom({.range = {0, 31}}));
  CHECK_FALSE(p.NotNegative(Affine(64) - s - c));
  p.Push(Affine(194) - i - c);
  CHECK(p.NotNegative(Affine(64) - s - c));
  CHECK_FALSE(p.NotNegative(Affine(63) - s - c));
}

TEST_CASE("a fact is taken once more often than it goes into a form") {
  Prover p;
  const Affine whole = Affine::OfAtom(p.NewAtom({.range = {0, 239}}));
  const Affine div = Affine::OfAtom(p.NewAtom({.range = {0, 4}}));
  const Affine rem = whole - div.Times(48);
  p.Push(rem - Affine(32));
  // Rows of 10 in planes of 5 rows, the 32nd of 48 the first.
  CHECK(p.NotNegative(div.Times(10) + (rem - Affine(32)).Times(50)));
  CHECK_FALSE(p.NotNegative(div.Times(10) + (rem - Affine(33)).Times(50)));
}

TEST_CASE("a fact is taken as often as rids a form of another atom") {
  Prover p;
  const Affine whole = Affine::OfAtom(p.NewAtom({.range = {0, 151}}));
  const Affine div = Affine::OfAtom(p.NewAtom({.range = {0, 7}}));
  const Affine rem = whole - div.Times(19);
  p.Push(rem - Affine(2));
  // Rows of 2 in planes of 17 rows, the third of 19 the first.
  CHECK(p.NotNegative(div.Times(34) + (rem - Affine(2)).Times(2)));
  CHECK_FALSE(p.NotNegative(div.Times(34) + (rem - Affine(3)).Times(2)));
}

TEST_CASE("a fact is taken in part, as often as rids a form of another atom") {
  Prover p;
  const Affine whole = Affine::OfAtom(p.NewAtom({.range = {0, 9}}));
  const Affine div = Affine::OfAtom(p.NewAtom({.range = {0, 1}}));
  const Affine rem = whole - div.Times(5);
  p.Push(rem);
  p.Push(div.Times(5) - whole + Affine(4));
  // Five blocks of 8 rows of 33 in two planes of 64 rows, the planes reversed.
  const Affine index = (Affine(1) - div).Times(2112) + rem.Times(264);
  CHECK(p.NotNegative(index));
  CHECK_FALSE(p.NotNegative(index - Affine(1)));
  CHECK(p.NotNegative(Affine(2112 + 4 * 264) - index));
  CHECK_FALSE(p.NotNegative(Affine(2112 + 4 * 264 - 1) - index));
}

TEST_CASE("one fact too many is tried before many") {
  Prover p;
  const Affine whole = Affine::OfAtom(p.NewAtom({.range = {0, 69}}));
  const Affine column = Affine::OfAtom(p.NewAtom({.range = {0, 7}}));
  const Affine div = Affine::OfAtom(p.NewAtom({.range = {0, 1}}));
  const Affine rem = whole - div.Times(35);
  p.Push(rem);
  p.Push(div.Times(35) - whole + Affine(34));
  p.Push(Affine(5) - column);
  p.Push(div - Affine(1));
  p.Push(rem - Affine(2));
  p.Push(column - Affine(2));
  // Columns, rows and planes of what is padded by 2, 2 and 1 in front.
  const Affine index =
      column - Affine(2) + (rem - Affine(2)).Times(7) + (div - Affine(1)).Times(231);
  CHECK(p.NotNegative(index));
  CHECK_FALSE(p.NotNegative(index - Affine(1)));
}

TEST_CASE("from a contradiction everything follows, while it lasts") {
  Prover p;
  const Affine x = Affine::OfAtom(p.NewAtom({}));
  const size_t depth = p.depth();
  p.Push(Affine(3));
  CHECK_FALSE(p.NotNegative(x));
  p.Push(Affine(-1));
  CHECK(p.NotNegative(x));
  p.Pop(depth);
  CHECK_FALSE(p.NotNegative(x));
}

TEST_CASE("a fact that its atoms' ranges exclude is a contradiction") {
  Prover p;
  const Affine x = Affine::OfAtom(p.NewAtom({}));
  const Affine column = Affine::OfAtom(p.NewAtom({.range = {0, 1}}));
  const size_t depth = p.depth();
  p.Push(column - Affine(1));
  CHECK_FALSE(p.NotNegative(x));
  p.Push(column - Affine(2));
  CHECK(p.NotNegative(x));
  p.Pop(depth);
  CHECK_FALSE(p.NotNegative(x));
}

TEST_CASE("affine forms do not overflow") {
  Prover p;
  Affine x = Affine::OfAtom(p.NewAtom({.range = {0, 10}}));
  CHECK(p.NotNegative(x));
  CHECK_FALSE(p.NotNegative(x - Affine(1)));
  CHECK(p.NotNegative(Affine(10) - x));
  CHECK_FALSE(x.Times(INT64_MAX).Times(4).valid());
  CHECK_FALSE(Affine(INT64_MIN).valid());
  CHECK_FALSE(p.NotNegative(Affine(INT64_MAX) + Affine(INT64_MAX)));
  CHECK(p.RangeOf(x.Times(-3) + Affine(5)).lo == -25);
  CHECK(p.MultipleOf(x.Times(12) + Affine(18)) == 6);
}

}  // namespace
}  // namespace sinter::kernel
