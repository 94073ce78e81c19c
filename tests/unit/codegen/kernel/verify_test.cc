#include "codegen/kernel/verify.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "base/text.h"
#include "codegen/kernel/text.h"
#include "unit/codegen/kernel/samples.h"

namespace sinter::kernel {
namespace {

using Catch::Matchers::Contains;
const ElementType kF32 = ElementType::F32;

std::string Check(const Kernel& k, bool bounds = true) {
  return Verify(k, {.bounds = bounds}).ToString();
}

// The text of a kernel with `body` in a parallel loop over 64 rows and usual things around it.
std::string Verified(std::string_view body, std::string_view top = "") {
  std::string text = "kernel k lanes 16 {\n  param %n 1..64\n";
  text +=
      "  %c0:s64 = const 0\n  %c1:s64 = const 1\n  %c64:s64 = const 64\n  %zero:f32 = const 0\n";
  text += "  %h:f16 = const 1\n  %d:f64 = const 1\n  %t:pred = const 1\n  %w:s32 = const 3\n";
  text += std::string(top);
  text += "  buffer @x f32 argument [%c64, %c64] [%c64, %c1]\n";
  text += "  buffer @o f32 argument [%c64, %c64] [%c64, %c1] written\n";
  text += "  buffer @tile f32 task [%c64] [%c1] written\n";
  text +=
      "  for.par.exact 1 %c0, %c64 { (%i:s64)\n    " + std::string(body) + "\n    yield\n  }\n}\n";
  absl::StatusOr<Kernel> k = Parse(text);
  return k.ok() ? Check(*k) : k.status().ToString();
}

TEST_CASE("samples are valid") {
  for (const Kernel& k : samples::All()) CHECK(Check(k) == "OK");
  CHECK(Verified("%v:f32[1x64] = load @x[%i, %c0+c]\n    store %v, @o[%i, %c0+c]") == "OK");
}

TEST_CASE("a loop may carry more scalars than there are registers, but not tiles") {
  auto loop = [](int carries, std::string_view type, std::string_view initial,
                 bool is_while = false) {
    std::string results, operands, arguments, in_body, yielded;
    for (int k = 0; k < carries; ++k) {
      const char* comma = k == 0 ? "" : ", ";
      results += Format("{}%r{}:{}", comma, k, type);
      operands += Format("{}{}", comma, initial);
      arguments += Format("{}%a{}:{}", comma, k, type);
      in_body += Format("{}%b{}:{}", comma, k, type);
      yielded += Format("{}%{}{}", comma, is_while ? "b" : "a", k);
    }
    const std::string body =
        is_while
            ? Format("while {} {{ ({})\n      yield %t\n    }} {{ ({})\n      yield {}\n    }}",
                     operands, arguments, in_body, yielded)
            : Format("for.seq.exact 1 %c0, %c64, {} {{ (%j:s64, {})\n      yield {}\n    }}",
                     operands, arguments, yielded);
    return Verified(Format("%v:f32[1x16] = splat %zero\n    {} = {}", results, body));
  };
  CHECK(loop(40, "s32", "%w") == "OK");
  CHECK(loop(31, "f32[1x16]", "%v") == "OK");
  CHECK_THAT(loop(32, "f32[1x16]", "%v"), Contains("the carries need 32 vector registers of 31"));
  // A loop of elements keeps some in memory.
  CHECK(loop(32, "f32[1x16]", "%v", /*is_while=*/true) == "OK");
}

TEST_CASE("masked steps to a bound that is known at run time begin at whole steps") {
  auto loop = [](std::string_view most) {
    return Verified(Format("%m:s64 = sub %c64, %i\n    %end:s64 = min %m, {}\n"
                           "    for.seq.masked 16 %c0, %end {{ (%j:s64)\n"
                           "      %v:f32[1x16] = load @tile[%j+c]\n      yield\n    }}",
                           most),
                    "  %c65:s64 = const 65\n");
  };
  CHECK(loop("%c64") == "OK");
  CHECK(loop("%n") == "OK");
  CHECK_THAT(Verified("for.seq.masked 16 %c0, %c65 { (%j:s64)\n"
                      "      %v:f32[1x16] = load @tile[%j+c]\n      yield\n    }",
                      "  %c65:s64 = const 65\n"),
             Contains("below the extent"));
}

TEST_CASE("operands are defined in an enclosing block before") {
  auto k = Parse(
      "kernel k lanes 16 {\n %c0:s64 = const 0\n for.par.exact 1 %c0, %c0 { (%i:s64)\n"
      " %a:s64 = add %i, %i\n %b:s64 = add %a, %a\n yield\n}\n}");
  REQUIRE(k.ok());
  CHECK(Check(*k) == "OK");
  auto broken = [&](const std::function<void(Kernel&)>& edit) {
    Kernel copy = *k;
    edit(copy);
    return Check(copy);
  };
  auto body = [](Kernel& x) -> std::vector<Op>& { return x.top.ops[1].regions[0].ops; };
  CHECK_THAT(broken([&](Kernel& x) { std::swap(body(x)[0], body(x)[1]); }),
             Contains("not defined in an enclosing"));
  CHECK_THAT(broken([&](Kernel& x) { body(x)[0].operands[0] = 99; }),
             Contains("what is not a value"));
  CHECK_THAT(broken([&](Kernel& x) { body(x)[1].results = body(x)[0].results; }),
             Contains("defined twice"));
  CHECK_THAT(broken([&](Kernel& x) { body(x)[1].results = {}; }), Contains("has 0 results"));
  CHECK_THAT(broken([&](Kernel& x) { x.top.ops.push_back(x.top.ops[1]); }),
             Contains("defined twice"));
  CHECK_THAT(broken([&](Kernel& x) { body(x)[0].operands.pop_back(); }),
             Contains("has 1 operands, not 2"));
  CHECK_THAT(broken([&](Kernel& x) {
               Op after;
               after.code = OpCode::kNeg;
               after.operands = body(x)[0].results;
               after.results = {static_cast<Value>(x.types.size())};
               x.types.push_back(kIndexType);
               x.top.ops.insert(x.top.ops.begin() + 2, after);
             }),
             Contains("stands before all stages"));
}

TEST_CASE("the top reads nothing that stages write, and writes nothing") {
  auto k = Parse(
      "kernel k lanes 16 {\n %c0:s64 = const 0\n %c1:s64 = const 1\n"
      " buffer @x f32 argument [%c1] [%c1]\n buffer @o f32 argument [%c1] [%c1] written\n"
      " for.par.exact 1 %c0, %c1 { (%i:s64)\n"
      " %v:f32 = load @x[%c0]\n store %v, @o[%c0]\n yield\n}\n}");
  REQUIRE(k.ok());
  auto moved = [&](const std::function<void(std::vector<Op>&)>& edit) {
    Kernel copy = *k;
    std::vector<Op>& body = copy.top.ops[2].regions[0].ops;
    std::vector<Op> top(body.begin(), body.begin() + 1);
    edit(top);
    body.erase(body.begin());
    copy.top.ops.insert(copy.top.ops.begin() + 2, top.begin(), top.end());
    return Check(copy);
  };
  CHECK(moved([](std::vector<Op>&) {}) == "OK");
  CHECK_THAT(moved([](std::vector<Op>& top) { top[0].buffer = 1; }),
             Contains("at the top stand values"));
  CHECK_THAT(moved([&](std::vector<Op>& top) { top.push_back(k->top.ops[2].regions[0].ops[1]); }),
             Contains("at the top stand values"));
}

TEST_CASE("values leave a region by yield") {
  CHECK_THAT(
      Verified("if %t {\n %a:s64 = add %i, %i\n yield\n} {\n yield\n}\n %b:s64 = add %a, %a"),
      Contains("not defined in an enclosing block"));
}

TEST_CASE("element types") {
  CHECK_THAT(Verified("%a:f32 = add %zero, %d"), Contains("differ in element type"));
  CHECK_THAT(Verified("%a:f16 = add %h, %h"), Contains("is not defined for f16"));
  CHECK_THAT(Verified("%a:pred = add %t, %t"), Contains("is not defined for pred"));
  CHECK(Verified("%a:pred = xor %t, %t") == "OK");
  CHECK(Verified("%a:f16 = select %t, %h, %h\n %b:s16 = bitcast %a\n %c:f32 = cvt %a") == "OK");
  CHECK_THAT(Verified("%a:s32 = sqrt %w"), Contains("is not defined for s32"));
  CHECK_THAT(Verified("%a:f32 = shl %zero, %zero"), Contains("is not defined for f32"));
  CHECK_THAT(Verified("%a:f64 = ldexp %d, %w"), Contains("the exponent is not s64"));
  CHECK(Verified("%a:f32 = ldexp %zero, %w") == "OK");
  CHECK(Verified("%a:f32 = ldexp.inrange %zero, %w") == "OK");
  CHECK_THAT(Verified("%a:f32 = cmp.lt %zero, %zero"), Contains("not a predicate"));
  CHECK_THAT(Verified("%a:f32 = select %w, %zero, %zero"), Contains("not a predicate"));
  CHECK_THAT(Verified("%a:f64 = bitcast %zero"), Contains("widths differ"));
  CHECK_THAT(Verified("%a:f64 = cvt.inrange %zero"), Contains("inrange is of floats to integers"));
  CHECK_THAT(Verified("%a:s8 = const 128"), Contains("exceeds its type"));
  CHECK_THAT(Verified("%a:f16 = const 0.1"), Contains("not exact"));
  CHECK_THAT(Verified("%a:c64 = const 1"), Contains("values cannot be of c64"));
  CHECK_THAT(Verified("%a:s4 = const 1"), Contains("values cannot be of s4"));
}

TEST_CASE("shapes") {
  CHECK_THAT(Verified("%a:f32[1x4] = splat %zero\n %b:f32[1x8] = add %a, %a"),
             Contains("does not broadcast"));
  CHECK(Verified(
            "%a:f32[1x4] = splat %zero\n %b:f32[2x1] = splat %zero\n %c:f32[2x4] = add %a, %b") ==
        "OK");
  CHECK_THAT(Verified("%a:f32[2x4] = splat %zero\n %b:f32[2x4] = transpose %a"),
             Contains("transposed is not"));
  CHECK_THAT(Verified("%a:f32[2x4] = splat %zero\n %b:f32[2x4] = interleave %a, %a"),
             Contains("columns of both"));
  CHECK_THAT(Verified("%a:f32[2x4] = splat %zero\n %b:f32[2x4], %c:f32[2x2] = deinterleave %a"),
             Contains("half the columns"));
  CHECK_THAT(Verified("%a:f32[0x4] = splat %zero"), Contains("a tile of 0 x 4"));
}

TEST_CASE("accesses") {
  CHECK_THAT(Verified("%a:f32 = load @x[%i]"), Contains("an index for each of the 2 dimensions"));
  CHECK_THAT(Verified("%a:f64 = load @x[%i, %c0]"), Contains("moves f64 of a buffer of f32"));
  CHECK_THAT(Verified("%a:f32 = load @x[%i, %zero]"), Contains("of s64 or s32"));
  CHECK_THAT(Verified("%a:f32 = load @x[%i, %c0] mask %i else %zero"),
             Contains("the mask is not a predicate"));
  CHECK_THAT(Verified("%a:f32 = load @x[%i, %c0] mask %t else %d"), Contains("the else-value"));
  CHECK_THAT(Verified("store %zero, @x[%i, %c0]"), Contains("not marked as written"));
  CHECK_THAT(Verified("%a:f32[1x4] = splat %zero\n store %a, @o[%i, %c0]"),
             Contains("go to one place"));
  CHECK_THAT(Verified("%a:f32[4x4] = splat %zero\n store %a, @o[%i, %c0+c]"),
             Contains("go to one place"));
}

TEST_CASE("control flow") {
  CHECK_THAT(Verified("%r:f32 = for.seq.exact 1 %c0, %c64, %zero { (%j:s64, %c:f32)\n yield %d\n}"),
             Contains("of carry 0 changes"));
  CHECK_THAT(Verified("%r:f32 = for.seq.exact 1 %c0, %c64, %zero { (%j:s64, %c:f32)\n yield\n}"),
             Contains("differ in number"));
  CHECK_THAT(Verified("for.seq.exact 0 %c0, %c64 { (%j:s64)\n yield\n}"),
             Contains("step is not positive"));
  CHECK_THAT(Verified("for.seq.exact 1 %c0, %w { (%j:s64)\n yield\n}"),
             Contains("bounds are not index scalars"));
  CHECK_THAT(Verified("%r:f32 = for.par.exact 1 %c0, %c64, %zero { (%j:s64, %c:f32)\n yield %c\n}"),
             Contains("carries nothing"));
  CHECK_THAT(Verified("for.unroll.exact 1 %c0, %n { (%j:s64)\n yield\n}"),
             Contains("unrolled loop are constants"));
  CHECK_THAT(Verified("if %i {\n yield\n} {\n yield\n}"), Contains("not a scalar predicate"));
  CHECK_THAT(Verified("%r:f32 = if %t {\n yield %zero\n} {\n yield\n}"),
             Contains("does not yield the results"));
  CHECK_THAT(Verified("%r:f32 = if %t {\n yield %zero\n} {\n yield %d\n}"),
             Contains("yields f64[1x1]"));
  CHECK_THAT(Verified("%r:f32 = while %zero { (%a:f32)\n yield %a\n} { (%b:f32)\n yield %b\n}"),
             Contains("does not yield a scalar predicate"));
}

TEST_CASE("carries fit the registers") {
  auto carried = [&](std::string_view type) {
    return Verified(
        Format("%a:{0} = splat %zero\n %r:{0} = for.seq.exact 1 %c0, %c64, %a {{ (%j:s64, "
               "%c:{0})\n yield %c\n}}",
               type));
  };
  CHECK(carried("f32[15x32]") == "OK");
  CHECK_THAT(carried("f32[16x32]"), Contains("need 32 vector registers of 31"));
  CHECK_THAT(carried("f32[11x33]"), Contains("need 33 vector registers"));
}

TEST_CASE("combiners are pointwise, of scalars") {
  auto reduced = [&](std::string_view body) {
    return Verified("%a:f32[1x16] = splat %zero\n %r:f32 = reduce.cols %a { (%p:f32, %q:f32)\n " +
                    std::string(body) + "\n}");
  };
  CHECK(reduced("%s:f32 = add %p, %q\n yield %s") == "OK");
  CHECK(reduced("%s:f32 = fma %p, %q, %zero\n yield %s") == "OK");
  CHECK_THAT(reduced("%s:f32 = load @x[%i, %c0]\n yield %s"), Contains("not pointwise"));
  CHECK_THAT(reduced("%s:f32[1x16] = add %a, %p\n yield %p"), Contains("not of scalars"));
  CHECK_THAT(reduced("yield %d"), Contains("not of scalars of the operands"));
  CHECK_THAT(
      Verified(
          "%a:f32[2x16] = splat %zero\n %r:f32 = reduce.cols %a { (%p:f32, %q:f32)\n yield %p\n}"),
      Contains("is not f32[2x1]"));
}

TEST_CASE("tasks write different elements") {
  CHECK_THAT(Verified("store %zero, @o[%c0, %c0]"), Contains("would write the same elements"));
  CHECK(Verified("store %zero, @tile[%c0]") == "OK");
  CHECK(Verified("%f:pred = cmp.eq %i, %c0\n if %f {\n store %zero, @o[%c0, %c0]\n yield\n} {\n "
                 "yield\n}") == "OK");
  CHECK_THAT(
      Verified(
          "%f:pred = cmp.eq %i, %c0\n if %f {\n yield\n} {\n store %zero, @o[%c0, %c0]\n yield\n}"),
      Contains("would write the same elements"));
  CHECK(Verified("for.seq.exact 1 %i, %c64 { (%j:s64)\n store %zero, @o[%j, %c0]\n yield\n}") ==
        "OK");
  CHECK_THAT(Verified("for.seq.exact 1 %c0, %i { (%j:s64)\n store %zero, @o[%j, %c0]\n yield\n}"),
             Contains("would write the same elements"));
}

// The text of a kernel over two buffers of one alias group, 64 x 64 each, and a third of twice the
// columns and half the width.
std::string Aliased(std::string_view stages) {
  std::string text = "kernel k lanes 16 {\n  param %n 1..64\n";
  for (int c : {0, 1, 2, 4, 8, 16, 32, 63, 64, 128}) text += Format("  %c{0}:s64 = const {0}\n", c);
  text += "  %zero:f32 = const 0\n  %half:f16 = const 0\n";
  text += "  buffer @x f32 argument [%c64, %c64] [%c64, %c1] alias 0\n";
  text += "  buffer @o f32 argument [%c64, %c64] [%c64, %c1] written alias 0\n";
  text += "  buffer @h f16 argument [%c64, %c128] [%c128, %c1] written alias 0\n";
  text += "  buffer @turned f32 argument [%c64, %c64] [%c1, %c64] written alias 0\n";
  text += "  buffer @other f32 argument [%c64, %c64] [%c64, %c1] written alias 1\n";
  text += std::string(stages) + "}\n";
  absl::StatusOr<Kernel> k = Parse(text);
  return k.ok() ? Check(*k) : k.status().ToString();
}
std::string Rows(std::string_view body) {
  return Format("for.par.exact 1 %c0, %c64 {{ (%i:s64)\n{}\nyield\n}}\n", body);
}

TEST_CASE("in an alias group a task reads an element before it writes it") {
  const std::string harm = "is not known to leave alone";
  // The same elements, read first.
  CHECK(Aliased(Rows("%v:f32[1x64] = load @x[%i, %c0+c]\n store %v, @o[%i, %c0+c]")) == "OK");
  // Written first; but not where that is another group, or another row.
  auto late = [&](std::string_view buffer) {
    return Aliased(
        Rows(Format("%s:f32[1x64] = splat %zero\n store %s, @{}[%i, %c0+c]\n "
                    "%w:f32[1x64] = load @x[%i, %c0+c]",
                    buffer)));
  };
  CHECK_THAT(late("o"), Contains(harm));
  CHECK(late("other") == "OK");
  // In a loop: element by element, and one column on, which the iteration before has written.
  auto loop = [&](std::string_view read, std::string_view write) {
    return Aliased(
        Rows(Format("for.seq.exact 1 %c0, %c63 {{ (%j:s64)\n %k:s64 = add %j, %c1\n "
                    "%v:f32 = load @x[%i, {}]\n store %v, @o[%i, {}]\n yield\n}}",
                    read, write)));
  };
  CHECK(loop("%j", "%j") == "OK");
  CHECK(loop("%k", "%j") == "OK");
  CHECK_THAT(loop("%j", "%k"), Contains(harm));
  // All of the row is read before any of it is written.
  CHECK(Aliased(Rows("%a:f32[1x64] = load @x[%i, %c0+c]\n %b:f32[1x64] = load @x[%i, %c63-c]\n "
                     "store %b, @o[%i, %c0+c]")) == "OK");
  CHECK(Aliased(Rows(
            "%r:f32 = for.seq.exact 1 %c0, %c64, %zero { (%j:s64, %c:f32)\n %v:f32 = load @x[%i, "
            "%j]\n %t:f32 = add %c, %v\n yield %t\n}\n for.seq.exact 1 %c0, %c64 { (%k:s64)\n "
            "store %r, @o[%i, %k]\n yield\n}")) == "OK");
  CHECK_THAT(
      Aliased(Rows("for.seq.exact 1 %c0, %c64 { (%j:s64)\n store %zero, @o[%i, %j]\n yield\n}\n "
                   "for.seq.exact 1 %c0, %c64 { (%k:s64)\n %v:f32 = load @x[%i, %k]\n yield\n}")),
      Contains(harm));
  // Only one branch runs.
  CHECK(Aliased(Rows("%f:pred = cmp.eq %i, %c0\n if %f {\n store %zero, @o[%i, %c0]\n yield\n} "
                     "{\n %v:f32 = load @x[%i, %c0]\n yield\n}")) == "OK");
  // Which element a loop of unknown length has come to is not known.
  CHECK_THAT(Aliased(Rows("%e:s64 = while %c0 { (%j:s64)\n %t:pred = cmp.lt %j, %c63\n yield %t\n} "
                          "{ (%l:s64)\n %v:f32 = load @x[%i, %l]\n store %v, @o[%i, %l]\n "
                          "%k:s64 = add %l, %c1\n yield %k\n}")),
             Contains(harm));
}

TEST_CASE("in an alias group no task reads what another writes") {
  const std::string harm = "is not known to leave alone";
  CHECK_THAT(Aliased("for.par.exact 1 %c0, %c63 { (%i:s64)\n %j:s64 = add %i, %c1\n "
                     "%v:f32[1x64] = load @x[%j, %c0+c]\n store %v, @o[%i, %c0+c]\n yield\n}\n"),
             Contains(harm));
  CHECK_THAT(Aliased("for.par.exact 1 %c0, %c63 { (%i:s64)\n %j:s64 = add %i, %c1\n "
                     "%v:f32[1x64] = load @x[%i, %c0+c]\n store %v, @o[%j, %c0+c]\n yield\n}\n"),
             Contains(harm));
  CHECK_THAT(Aliased(Rows("%v:f32[64x1] = load @x[%c0+r, %i]\n %w:f32[1x64] = transpose %v\n "
                          "store %w, @o[%i, %c0+c]")),
             Contains(harm));
  // Tasks are blocks of 8 rows and 32 columns by their number; rows may end early.
  auto blocks = [&](std::string_view read_row, std::string_view read_col) {
    return Aliased(
        Format("for.par.exact 1 %c0, %c16 {{ (%t:s64)\n %q:s64 = div %t, %c2\n %p:s64 = rem %t, "
               "%c2\n %r:s64 = mul %q, %c8\n %s:s64 = mul %p, %c32\n %d:s64 = add %r, %c8\n "
               "%e:s64 = min %d, %n\n for.seq.exact 1 %r, %e {{ (%j:s64)\n %v:f32[1x32] = load "
               "@x[{}, {}+c]\n store %v, @o[%j, %s+c]\n yield\n}}\n yield\n}}\n",
               read_row, read_col));
  };
  CHECK(blocks("%j", "%s") == "OK");
  CHECK_THAT(blocks("%r", "%s"), Contains(harm));
  CHECK_THAT(blocks("%j", "%c32"), Contains(harm));
  // A loop of one task.
  CHECK(Aliased("for.par.exact 1 %c0, %c1 { (%i:s64)\n %v:f32 = load @x[%c0, %c0]\n "
                "store %v, @o[%c0, %c0]\n yield\n}\n") == "OK");
  // Of two stages the first ends before the second begins.
  const std::string read = Rows("%v:f32[1x64] = load @x[%i, %c0+c]"),
                    write =
                        "for.par.exact 1 %c0, %c64 { (%k:s64)\n store %zero, @o[%k, %c0]\n "
                        "yield\n}\n";
  CHECK(Aliased(read + write) == "OK");
  CHECK_THAT(Aliased(write + read), Contains(harm));
}

TEST_CASE("buffers of an alias group have equal strides") {
  CHECK_THAT(Aliased(Rows("%v:f32[1x64] = load @x[%i, %c0+c]\n store %zero, @turned[%i, %c0]")),
             Contains("lies otherwise in memory than"));
  // In bytes: two elements take the place of one.
  auto narrow = [&](std::string_view col) {
    return Aliased(Rows(Format(
        "for.seq.exact 1 %c0, %c64 {{ (%j:s64)\n %v:f32 = load @x[%i, %j]\n %k:s64 = mul %j, "
        "%c2\n %l:s64 = add %k, %c1\n store %half, @h[%i, {}]\n yield\n}}",
        col)));
  };
  CHECK(narrow("%k") == "OK");
  CHECK(narrow("%l") == "OK");
  CHECK(narrow("%j") == "OK");
  CHECK_THAT(Aliased(Rows("for.seq.exact 1 %c0, %c32 { (%j:s64)\n %v:f32 = load @x[%i, %j]\n "
                          "%k:s64 = mul %j, %c4\n store %half, @h[%i, %k]\n yield\n}")),
             Contains("is not known to leave alone"));
}

TEST_CASE("declarations") {
  auto edited = [](const std::function<void(Kernel&)>& edit) {
    Kernel k = samples::Gather({1, 2});
    edit(k);
    return Check(k);
  };
  CHECK_THAT(edited([](Kernel& k) { k.buffers[0].data.pop_back(); }),
             Contains("7 bytes of data for 2 elements"));
  CHECK_THAT(edited([](Kernel& k) { k.buffers[0].written = true; }),
             Contains("constant data is written"));
  CHECK_THAT(edited([](Kernel& k) { k.buffers[1].data = {1}; }),
             Contains("has data but is not constant"));
  CHECK_THAT(edited([](Kernel& k) { k.buffers[1].strides.clear(); }), Contains("differ in rank"));
  CHECK_THAT(edited([](Kernel& k) { k.buffers[1].elem = ElementType::C64; }),
             Contains("is of c64"));
  CHECK_THAT(edited([](Kernel& k) { k.lanes = 0; }), Contains("lanes is below 1"));
  CHECK_THAT(edited([](Kernel& k) {
               k.params.push_back({"p", 0, 0, 1});
             }),
             Contains("defined twice"));
  CHECK_THAT(edited([](Kernel& k) {
               k.params.push_back({"p", kNone, 0, 1});
             }),
             Contains("value is undefined"));
  CHECK_THAT(edited([](Kernel& k) {
               k.types.push_back(kIndexType);
               k.params.push_back({"p", static_cast<Value>(k.types.size()) - 1, 2, 1});
             }),
             Contains("bounds 2..1"));
  Builder b("dynamic task buffer");
  Value n = b.AddParam("n", 1, 8);
  b.AddBuffer("t", kF32, Values{n}, Space::kTask);
  CHECK_THAT(Check(b.kernel()), Contains("task buffers are of constant size"));
}

TEST_CASE("several violations are listed, a few at most") {
  Kernel k = samples::Gather({1, 2});
  for (int i = 0; i < 100; ++i) k.types.push_back({ElementType::TOKEN});
  const std::string message = Check(k);
  CHECK(std::count(message.begin(), message.end(), '\n') == 8);
}

}  // namespace
}  // namespace sinter::kernel
