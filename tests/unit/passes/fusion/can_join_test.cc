// Which producers join the regions of their users: a case a rule, by what the pass forms.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "ir/text/parser.h"
#include "passes/fusion/fusion.h"

namespace sinter {
namespace {

constexpr std::string_view kComputations =
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n"
    "larger { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n";

// The regions that fusion forms, as the operations of each without parameters, constants and
// tuples, in the order of the text: "exponential negate | dot".
std::string Regions(const std::string& body, const FusionOptions& options = {}) {
  auto module =
      ParseHloText("HloModule m\n" + std::string(kComputations) + "ENTRY main {\n" + body + "\n}\n",
                   "fusion.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  auto changed = MakeFusionPass(options)->Run(**module);
  INFO(changed.status().ToString());
  REQUIRE(changed.ok());
  std::vector<std::string> regions;
  for (const HloInstruction* i : (*module)->entry()->PostOrder()) {
    if (i->op() != HloOpcode::Fusion) continue;
    std::vector<std::string> names;
    for (const HloInstruction* member : i->called(0)->PostOrder()) {
      const HloOpcode op = member->op();
      if (op == HloOpcode::Parameter || op == HloOpcode::Constant || op == HloOpcode::Tuple ||
          op == HloOpcode::GetTupleElement)
        continue;
      names.emplace_back(Name(op));
    }
    regions.push_back(Join(names, " "));
  }
  return Join(regions, " | ");
}

TEST_CASE("elementwise operations join their only user") {
  CHECK(Regions("x = f32[8] parameter(0)\n e = f32[8] exponential(x)\n"
                "ROOT n = f32[8] negate(e)") == "exponential negate");
}

TEST_CASE("an expensive producer with two readers inside a region joins where both read alike") {
  CHECK(Regions("x = f32[8] parameter(0)\n e = f32[8] exponential(x)\n n = f32[8] negate(e)\n"
                "ROOT s = f32[8] add(e, n)") == "exponential negate add");
  // Transposed and as it is: it would be computed twice for each element.
  CHECK(Regions("x = f32[8,8] parameter(0)\n e = f32[8,8] exponential(x)\n"
                "t = f32[8,8] transpose(e), dimensions={1,0}\n"
                "ROOT s = f32[8,8] add(e, t)") == "exponential | transpose add");
}

TEST_CASE("regions that read links of a chain do not all repeat it") {
  std::string body =
      "x = f32[64,8] parameter(0)\n u = f32[1,8] parameter(1)\n i0 = s32[] parameter(2)\n"
      "step = s32[] parameter(3)\n z = s32[] constant(0)\n x0 = f32[64,8] negate(x)\n";
  constexpr int kLinks = 100;
  for (int k = 1; k <= kLinks; ++k) {
    body += Format(
        "i{1} = s32[] add(i{0}, step)\n"
        "x{1} = f32[64,8] dynamic-update-slice(x{0}, u, i{1}, z)\n",
        k - 1, k);
  }
  body += Format("ROOT r = f32[64,8] negate(x{})", kLinks);
  const std::string regions = Regions(body);
  const auto adds = [](std::string_view text) {
    int n = 0;
    for (size_t at = text.find("add"); at != text.npos; at = text.find("add", at + 1)) ++n;
    return n;
  };
  CHECK(adds(regions) >= kLinks);
  CHECK(adds(regions) <= 20 * kLinks);
}

TEST_CASE("a cheap producer joins where it is read at several places") {
  CHECK(Regions("x = f32[8,8] parameter(0)\n e = f32[8,8] negate(x)\n"
                "t = f32[8,8] transpose(e), dimensions={1,0}\n"
                "ROOT s = f32[8,8] add(e, t)") == "negate transpose add");
}

TEST_CASE("an expensive producer is computed once for several places, but for parts of one") {
  constexpr std::string_view kQuotient =
      "x = f32[4096] parameter(0)\n w = f32[4096] parameter(1)\n q = f32[4096] divide(x, w)\n"
      "z = f32[] constant(0)\n";
  // Its neighbours through a pad, whose slices are as many as it has elements each.
  CHECK(Regions(std::string(kQuotient) +
                "p = f32[4098] pad(q, z), padding=1_1\n"
                "a = f32[4096] slice(p), slice={[0:4096]}\n"
                "b = f32[4096] slice(p), slice={[2:4098]}\n"
                "s = f32[4096] add(a, b)\n ROOT t = f32[4096] subtract(s, q)") ==
        "divide | pad slice slice add subtract");
  // The parts of a rotation together are as many.
  CHECK(Regions(std::string(kQuotient) + "a = f32[1] slice(q), slice={[4095:4096]}\n"
                                         "b = f32[4095] slice(q), slice={[0:4095]}\n"
                                         "ROOT c = f32[4096] concatenate(a, b), dimensions={0}") ==
        "divide slice slice concatenate");
}

TEST_CASE("columns that are computed are put together where they are an output") {
  auto columns = [](std::string_view operation) {
    std::string body = "x = f32[1000,5] parameter(0)\n", parts;
    for (int k = 0; k < 5; ++k) {
      body += Format(
          "s{0} = f32[1000,1] slice(x), slice={{[0:1000], [{0}:{1}]}}\n"
          "e{0} = f32[1000,1] {2}(s{0})\n",
          k, k + 1, operation);
      parts += Format("{}e{}", k > 0 ? ", " : "", k);
    }
    return Regions(body + Format("c = f32[1000,5] concatenate({}), dimensions={{1}}\n", parts) +
                   "w = f32[999,5] slice(c), slice={[1:1000], [0:5]}\n"
                   "v = f32[999,5] slice(c), slice={[0:999], [0:5]}\n"
                   "ROOT r = f32[999,5] add(w, v)");
  };
  const std::string cheap = columns("negate"), expensive = columns("exponential");
  CHECK(cheap.find(" | ") == std::string::npos);
  CHECK(expensive.find("concatenate | slice") != std::string::npos);
}

TEST_CASE("an expensive producer does not join where a broadcast would compute it again") {
  CHECK(Regions("x = f32[8] parameter(0)\n e = f32[8] exponential(x)\n"
                "b = f32[100,8] broadcast(e), dimensions={1}\n y = f32[100,8] parameter(1)\n"
                "ROOT s = f32[100,8] add(b, y)") == "exponential | broadcast add");
  // Along the minor axis: computed once, outside of its loop.
  CHECK(Regions("x = f32[8] parameter(0)\n e = f32[8] exponential(x)\n"
                "b = f32[8,100] broadcast(e), dimensions={0}\n y = f32[8,100] parameter(1)\n"
                "ROOT s = f32[8,100] add(b, y)") == "exponential broadcast add");
}

TEST_CASE("regions are bounded by instructions and by cost") {
  const std::string chain =
      "x = f32[8] parameter(0)\n a = f32[8] negate(x)\n b = f32[8] abs(a)\n"
      "c = f32[8] negate(b)\n ROOT d = f32[8] abs(c)";
  CHECK(Regions(chain) == "negate abs negate abs");
  CHECK(Regions(chain, {.max_instructions = 2}) == "negate abs | negate abs");
  CHECK(Regions(chain, {.max_depth = 2}) == "negate abs | negate abs");
  CHECK(Regions(chain, {.max_cost = 3}) == "negate | abs negate abs");
}

TEST_CASE(
    "products are computed where the outputs are, reductions at no more places than memory is "
    "worth") {
  const std::string neighbours =
      "minus = f32[] constant(-inf)\n p = f32[200,48] pad(v, minus), padding=0_0x1_1\n"
      "a = f32[200,46] slice(p), slice={[0:200], [0:46]}\n"
      "b = f32[200,46] slice(p), slice={[0:200], [1:47]}\n ROOT m = f32[200,46] maximum(a, b)";
  CHECK(Regions("x = f32[200,64] parameter(0)\n y = f32[64,46] parameter(1)\n"
                "v = f32[200,46] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
                neighbours) == "dot | pad slice slice maximum");
  CHECK(Regions("x = f32[200,46,1000] parameter(0)\n zero = f32[] constant(0)\n"
                "v = f32[200,46] reduce(x, zero), dimensions={2}, to_apply=add\n" +
                neighbours) == "reduce | pad slice slice maximum");
}

TEST_CASE("regions are bounded by the arrays that they read") {
  const std::string sum =
      "a = f32[8] parameter(0)\n b = f32[8] parameter(1)\n c = f32[8] parameter(2)\n"
      "d = f32[8] parameter(3)\n s = f32[8] add(a, b)\n t = f32[8] add(c, d)\n"
      "n = f32[8] negate(t)\n ROOT r = f32[8] multiply(s, n)";
  CHECK(Regions(sum) == "add add negate multiply");
  CHECK(Regions(sum, {.max_arrays = 3}) == "add | add negate multiply");
  // What reads no more than before joins in any case.
  CHECK(Regions(sum, {.max_arrays = 1}) == "add | add | negate multiply");
}

TEST_CASE("a producer read at more than eight places does not join") {
  auto sum_of_slices = [](int count) {
    std::string text = "x = f32[64] parameter(0)\n e = f32[64] negate(x)\n";
    for (int i = 0; i < count; ++i)
      text += Format("s{0} = f32[7] slice(e), slice={{[{1}:{2}]}}\n", i, i + 1, i + 8);
    text += "t1 = f32[7] add(s0, s1)\n";
    for (int i = 2; i < count; ++i) text += Format("t{} = f32[7] add(t{}, s{})\n", i, i - 1, i);
    return text + Format("ROOT r = f32[7] negate(t{})", count - 1);
  };
  CHECK(Regions(sum_of_slices(3)).find('|') == std::string::npos);
  CHECK(Regions(sum_of_slices(9)).substr(0, 9) == "negate | ");
}

TEST_CASE("a reduction joins its epilogue where all dimensions are kept") {
  CHECK(Regions("x = f32[8,100] parameter(0)\n z = f32[] constant(0)\n"
                "s = f32[8] reduce(x, z), dimensions={1}, to_apply=add\n"
                "ROOT n = f32[8] negate(s)") == "reduce negate");
}

TEST_CASE("reductions share a region where they keep the same axes") {
  const std::string softmax =
      "x = f32[64,100] parameter(0)\n z = f32[] constant(0)\n l = f32[] constant(-inf)\n"
      "m = f32[64] reduce(x, l), dimensions={1}, to_apply=larger\n"
      "b = f32[64,100] broadcast(m), dimensions={0}\n d = f32[64,100] subtract(x, b)\n"
      "s = f32[64] reduce(d, z), dimensions={1}, to_apply=add\n"
      "c = f32[64,100] broadcast(s), dimensions={0}\n ROOT r = f32[64,100] divide(d, c)";
  CHECK(Regions(softmax) == "reduce broadcast subtract reduce broadcast divide");
  // One of rows and one of columns.
  CHECK(Regions("x = f32[64,64] parameter(0)\n z = f32[] constant(0)\n"
                "s = f32[64] reduce(x, z), dimensions={1}, to_apply=add\n"
                "t = f32[64] reduce(x, z), dimensions={0}, to_apply=add\n"
                "b = f32[64,64] broadcast(s), dimensions={0}\n"
                "c = f32[64,64] broadcast(t), dimensions={1}\n"
                "ROOT r = f32[64,64] add(b, c)")
            .find('|') != std::string::npos);
}

TEST_CASE("a reduction of everything does not join what is done to each element") {
  CHECK(Regions("x = f32[8,100] parameter(0)\n z = f32[] constant(0)\n"
                "s = f32[] reduce(x, z), dimensions={0,1}, to_apply=add\n"
                "b = f32[8,100] broadcast(s), dimensions={}\n"
                "ROOT r = f32[8,100] divide(x, b)") == "reduce | broadcast divide");
}

TEST_CASE("a product joins an elementwise region of its own dimensions, and one only") {
  const std::string dot =
      "x = f32[8,16] parameter(0)\n y = f32[16,8] parameter(1)\n"
      "d = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  CHECK(Regions(dot + "ROOT n = f32[8,8] negate(d)") == "dot negate");
  CHECK(Regions(dot + "b = f32[8,8,4] broadcast(d), dimensions={0,1}\n"
                      "ROOT n = f32[8,8,4] negate(b)") == "dot | broadcast negate");
  CHECK(Regions(dot + "e = f32[8,8] dot(d, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                      "ROOT n = f32[8,8] negate(e)") == "dot | dot negate");
}

TEST_CASE("what crosses rows and is read again and again is moved once") {
  auto bias = [](int batches) {
    return Format(
        "x = f32[{0},3,49,49] parameter(0)\ny = f32[49,49,3] parameter(1)\n"
        "t = f32[3,49,49] transpose(y), dimensions={{2,0,1}}\n"
        "b = f32[{0},3,49,49] broadcast(t), dimensions={{1,2,3}}\n"
        "ROOT s = f32[{0},3,49,49] add(x, b)",
        batches);
  };
  CHECK(Regions(bias(1)) == "transpose broadcast add");
  CHECK(Regions(bias(128)) == "transpose | broadcast add");
  // Of a scalar there are no rows.
  CHECK(Regions("x = f32[] parameter(0)\nt = f32[] transpose(x), dimensions={}\n"
                "ROOT b = f32[9] broadcast(t), dimensions={}") == "transpose broadcast");
}

TEST_CASE("operands of a product that is not packed take what is hardly computed more often") {
  const std::string dot =
      "d = f32[8,8] dot(e, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "ROOT n = f32[8,8] negate(d)";
  // For each of 64 columns, or once; of a few elements a kernel of their own is more.
  CHECK(Regions("x = f32[64,200] parameter(0)\n y = f32[200,64] parameter(1)\n"
                "e = f32[64,200] negate(x)\n"
                "d = f32[64,64] dot(e, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                "ROOT n = f32[64,64] negate(d)") == "negate | dot negate");
  CHECK(Regions("x = f32[8,16] parameter(0)\n y = f32[16,8] parameter(1)\n"
                "e = f32[8,16] negate(x)\n" +
                dot) == "negate dot negate");
  CHECK(Regions("x = f32[16,8] parameter(0)\n y = f32[16,8] parameter(1)\n"
                "e = f32[8,16] transpose(x), dimensions={1,0}\n" +
                dot) == "transpose dot negate");
  // Of one row, each element of the right operand is read once; of eight, once for all of them.
  for (const char* rows : {"1", "8"}) {
    std::string text =
        "x = f32[N,200] parameter(0)\n y = bf16[200,900] parameter(1)\n"
        "e = f32[200,900] convert(y)\n f = f32[200,900] negate(e)\n"
        "ROOT d = f32[N,900] dot(x, f), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    for (size_t at; (at = text.find('N')) != std::string::npos;) text.replace(at, 1, rows);
    CHECK(Regions(text) == "convert negate dot");
  }
  // But not the left one.
  CHECK(Regions("x = f32[1,200] parameter(0)\n y = f32[200,900] parameter(1)\n"
                "e = f32[1,200] exponential(x)\n"
                "ROOT d = f32[1,900] dot(e, y), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}") == "exponential | dot");
}

TEST_CASE("operands of a packed product take arithmetic, as each is read once a band") {
  CHECK(Regions("x = f32[96,96] parameter(0)\n y = f32[96,96] parameter(1)\n"
                "e = f32[96,96] negate(x)\n"
                "ROOT d = f32[96,96] dot(e, y), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}") == "negate dot");
}

TEST_CASE("a scan joins what reads each of its elements where it computes it") {
  const std::string scan =
      "x = f32[8,64] parameter(0)\n z = f32[] constant(0)\n"
      "s = f32[8,64] reduce-window(x, z), window={size=8x1 pad=7_0x0_0}, to_apply=add\n";
  CHECK(Regions(scan + "ROOT n = f32[8,64] negate(s)") == "reduce-window negate");
  CHECK(Regions(scan + "ROOT t = f32[64,8] transpose(s), dimensions={1,0}") ==
        "reduce-window | transpose");
}

TEST_CASE("an array constant stays in memory, a scalar one joins") {
  CHECK(Regions("x = f32[2] parameter(0)\n c = f32[2] constant({1, 2})\n"
                "ROOT s = f32[2] add(x, c)") == "add");
  CHECK(Regions("x = f32[2] parameter(0)\n c = f32[] constant(3)\n"
                "b = f32[2] broadcast(c), dimensions={}\n ROOT s = f32[2] add(x, b)") ==
        "broadcast add");
}

TEST_CASE("a reshape of what lies in memory is a view and no member of a region") {
  CHECK(Regions("x = f32[4,2] parameter(0)\n r = f32[8] reshape(x)\n"
                "ROOT n = f32[8] negate(r)") == "negate");
  CHECK(Regions("x = f32[4,1,2] parameter(0)\n e = f32[4,1,2] abs(x)\n r = f32[4,2] reshape(e)\n"
                "ROOT n = f32[4,2] negate(r)") == "abs reshape negate");
}

TEST_CASE("parts of an array in memory are read by each region that needs them") {
  // Sums of everything are no epilogue of one another: two regions read the slice.
  const std::string_view body =
      "x = f32[64,64] parameter(0)\n z = f32[] constant(0)\n"
      "a = f32[64,63] slice(x), slice={[0:64], [1:64]}\n"
      "r = f32[64] reduce(a, z), dimensions={1}, to_apply=add\n"
      "s = f32[63] reduce(a, z), dimensions={0}, to_apply=larger\n"
      "ROOT t = (f32[64], f32[63]) tuple(r, s)";
  const std::string regions = Regions(std::string(body));
  CHECK(regions.find("slice reduce | slice reduce") != std::string::npos);
}

TEST_CASE("a slice that starts off the alignment of views is computed in the region") {
  CHECK(Regions("x = f32[64] parameter(0)\n s = f32[8] slice(x), slice={[4:12]}\n"
                "ROOT n = f32[8] negate(s)") == "negate");
  CHECK(Regions("x = f32[64] parameter(0)\n s = f32[8] slice(x), slice={[3:11]}\n"
                "ROOT n = f32[8] negate(s)") == "slice negate");
}

TEST_CASE("what overlapping windows read is computed before, unless it is simple") {
  auto sum = [](const std::string& op) {
    return "x = f32[64] parameter(0)\n z = f32[] constant(0)\n e = f32[64] " + op +
           "(x)\n w = f32[62,3] windows(e), window={size=3}\n"
           "ROOT s = f32[62] reduce(w, z), dimensions={1}, to_apply=add";
  };
  CHECK(Regions(sum("negate")) == "negate windows reduce");
  CHECK(Regions(sum("exponential")) == "exponential | windows reduce");
}

TEST_CASE("a value that others read too is a further output of a region of its dimensions") {
  CHECK(Regions("x = f32[8] parameter(0)\n e = f32[8] exponential(x)\n n = f32[8] negate(e)\n"
                "ROOT t = (f32[8], f32[8]) tuple(e, n)") == "exponential negate");
}

TEST_CASE("a scatter takes no loops and nothing expensive") {
  auto scatter = [](const std::string& op) {
    return "x = f32[64] parameter(0)\n i = s32[8,1] parameter(1)\n u = f32[8] parameter(2)\n"
           "e = f32[8] " +
           op +
           "(u)\n ROOT s = f32[64] scatter(x, i, e), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
           "to_apply=add";
  };
  CHECK(Regions(scatter("negate")) == "negate scatter");
  CHECK(Regions(scatter("exponential")) == "exponential | scatter");
}

TEST_CASE("an update writes over its base, of which the region then reads its own elements only") {
  CHECK(Regions("x = f32[64] parameter(0)\n u = f32[8] parameter(1)\n i = s32[] parameter(2)\n"
                "e = f32[8] negate(u)\n ROOT r = f32[64] dynamic-update-slice(x, e, i)") ==
        "negate dynamic-update-slice");
  CHECK(Regions("x = f32[64] parameter(0)\n i = s32[] parameter(1)\n"
                "s = f32[8] dynamic-slice(x, i), dynamic_slice_sizes={8}\n"
                "ROOT r = f32[64] dynamic-update-slice(x, s, i)") ==
        "dynamic-slice dynamic-update-slice");
  CHECK(Regions("x = f32[64] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
                "s = f32[8] dynamic-slice(x, j), dynamic_slice_sizes={8}\n"
                "ROOT r = f32[64] dynamic-update-slice(x, s, i)") ==
        "dynamic-slice | dynamic-update-slice");
}

TEST_CASE("what overlapping windows read in the rows of a product is no work of vectors") {
  const std::string padded =
      "x = f32[4000] parameter(0)\n y = f32[3,32] parameter(1)\n z = f32[] constant(0)\n"
      "p = f32[4002] pad(x, z), padding=1_1\n w = f32[4000,3] windows(p), window={size=3}\n";
  CHECK(Regions(padded + "d = f32[4000,32] dot(w, y), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={0}\nROOT n = f32[4000,32] negate(d)") ==
        "pad | windows dot negate");
  // Alone they fill vectors.
  CHECK(Regions(padded + "ROOT n = f32[4000,3] negate(w)") == "pad windows negate");
}

TEST_CASE("a reduction of what was reduced before is a kernel where few threads would compute it") {
  auto variance = [](int rows, int columns, const char* reduced, const char* kept, int results,
                     const TargetInfo& target) {
    const std::string result = results == 1 ? "f32[]" : Format("f32[{}]", results),
                      shape = Format("f32[{},{}]", rows, columns);
    return Regions(Format("zero = f32[] constant(0)\n x = {1} parameter(0)\n"
                          "s = {0} reduce(x, zero), dimensions={{{2}}}, to_apply=add\n"
                          "b = {1} broadcast(s), dimensions={{{3}}}\n d = {1} subtract(x, b)\n"
                          "q = {1} multiply(d, d)\n"
                          "ROOT v = {0} reduce(q, zero), dimensions={{{2}}}, to_apply=add",
                          result, shape, reduced, kept),
                   {.target = target});
  };
  const std::string together = "reduce broadcast subtract multiply reduce",
                    apart = "reduce | broadcast subtract multiply reduce";
  CpuMachine one, two;
  one.threads = 1;
  two.threads = 2;
  CHECK(variance(1000, 1000, "0,1", "", 1, two) == apart);
  CHECK(variance(1000, 1000, "0,1", "", 1, one) == together);
  CHECK(variance(100, 100, "0,1", "", 1, two) == together);
  CHECK(variance(1000, 1000, "1", "0", 1000, two) == together);
  CHECK(variance(10000, 100, "0", "1", 100, two) == apart);
  CHECK(variance(100, 10000, "0", "1", 10000, two) == together);
  const GpuMachine gpu;
  CHECK(variance(1000, 1000, "0,1", "", 1, gpu) == apart);
  CHECK(variance(30, 100, "0,1", "", 1, gpu) == together);
  CHECK(variance(1000, 1000, "1", "0", 1000, gpu) == together);
  CHECK(variance(10000, 100, "0", "1", 100, gpu) == apart);
}

}  // namespace
}  // namespace sinter
