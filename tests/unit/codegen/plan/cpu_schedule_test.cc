// What a CPU's schedule chooses, by kind of region.
#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/plan.h"
#include "ir/text/parser.h"
#include "unit/codegen/plan/programs.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

std::string ProductOf(std::string_view left, std::string_view right, std::string_view to,
                      int64_t k) {
  return Format(
      "x = {0}[512,{3}] parameter(0)\ny = {1}[{3},512] parameter(1)\n"
      "ROOT d = {2}[512,512] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
      left, right, to, k);
}
const CpuMachine kAvx512{};
const CpuMachine kAvx2{.vector_bytes = 32, .vector_registers = 16};

TEST_CASE("lanes are those of the widest type, narrow ones counting as 32 bits") {
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[64]")), kAvx512).lanes == 16);
  CHECK(PlannedForCpu(*Region(Unary("negate", "f64[64]")), kAvx512).lanes == 8);
  CHECK(PlannedForCpu(*Region(Unary("negate", "bf16[64]")), kAvx512).lanes == 16);
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[64]")), kAvx2).lanes == 8);
}

TEST_CASE("rows of bytes and halves that are moved or computed as such take whole vectors") {
  auto lanes = [](const std::string& text, const CpuMachine& machine = kAvx2) {
    return PlannedForCpu(*Region(text), machine).lanes;
  };
  CHECK(lanes(Unary("negate", "s8[64]")) == 32);
  CHECK(lanes(Unary("negate", "s16[64]")) == 16);
  CHECK(lanes(Unary("negate", "s8[64]"), kAvx512) == 32);
  CHECK(lanes("p = pred[7,40] parameter(0)\nx = bf16[7,40] parameter(1)\ny = bf16[7,40] "
              "parameter(2)\nROOT s = bf16[7,40] select(p, x, y)") == 16);
  // Scalars need no vectors.
  CHECK(lanes("x = u8[7,40] parameter(0)\ni = s32[] parameter(1)\nzero = s32[] constant(0)\n"
              "ROOT s = u8[7,32] dynamic-slice(x, zero, i), dynamic_slice_sizes={7,32}") == 32);
  // Computed in 32 bits, or of 32 bits, or shorter, or not along rows.
  CHECK(lanes(Unary("negate", "bf16[64]")) == 8);
  CHECK(lanes("x = f32[64] parameter(0)\nROOT p = pred[64] is-finite(x)") == 8);
  CHECK(lanes(Unary("negate", "s8[9,20]")) == 8);
  CHECK(lanes("x = u8[64,64] parameter(0)\nROOT t = u8[64,64] transpose(x), dimensions={1,0}") ==
        8);
}

TEST_CASE("elementwise: columns along the minor axis, tasks over the others") {
  auto m = Region(Unary("negate", "f32[3,5,1024]"));
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.col_dim == 2);
  CHECK(p.row_dim == -1);
  CHECK(p.task_dims == std::vector<int>{0, 1});
  CHECK(p.loop_dims.empty());
}

TEST_CASE("a short axis within what is summed gives the rows of a tile") {
  auto groups = [](int b, int r, int g, int n) {
    return Format(
        "x = f32[{0},{1},{2},{3}] parameter(0)\nzero = f32[] constant(0)\n"
        "ROOT s = f32[{0},{2}] reduce(x, zero), dimensions={{1,3}}, to_apply=add",
        b, r, g, n);
  };
  const Plan p = PlannedForCpu(*Region(groups(8, 4096, 8, 16)));
  CHECK(p.row_dim == 1);
  CHECK(p.tile_rows == 8);
  CHECK(p.task_dims == std::vector<int>{0, 1});
  // Rows that are read from end to end anyway; too few tasks.
  CHECK(PlannedForCpu(*Region(groups(8, 4096, 8, 256))).row_dim == -1);
  CHECK(PlannedForCpu(*Region(groups(2, 4096, 8, 16))).row_dim == -1);
}

TEST_CASE("much of short rows is written out for each element where it saves what the code costs") {
  auto gates = [](int64_t rows, int channels) {
    const std::string shape = Format("f32[{},{}]", rows, channels);
    std::string body = Format("x = f32[{},{}] parameter(0)\n", rows, 4 * channels);
    for (int g = 0; g < 4; ++g) {
      body += Format("s{0} = {1} slice(x), slice={{[0:{2}], [{3}:{4}]}}\nt{0} = {1} tanh(s{0})\n",
                     g, shape, rows, g * channels, (g + 1) * channels);
    }
    return body + Format(
                      "a = {0} multiply(t0, t1)\nb = {0} multiply(t2, t3)\nc = {0} add(a, b)\n"
                      "ROOT d = {0} tanh(c)",
                      shape);
  };
  CHECK(PlannedForCpu(*Region(gates(400, 8)), kAvx512).unrolled_dim == -1);
  CHECK(PlannedForCpu(*Region(gates(1000000, 8)), kAvx512).unrolled_dim == 1);
  CHECK(PlannedForCpu(*Region(gates(400, 3)), kAvx512).unrolled_dim == 1);
}

TEST_CASE("products of words by tiles, where the machine has them") {
  const CpuMachine amx{.dot_bytes = true, .dot_tiles = true};
  auto blocks = [&](const std::string& program, const CpuMachine& machine) {
    const Plan p = PlannedForCpu(*Region(program), machine);
    CHECK(p.nest == Nest::kGemm);
    return p.gemm;
  };
  const GemmBlocks halves = blocks(ProductOf("bf16", "bf16", "f32", 512), amx);
  CHECK(halves.tiles);
  CHECK(halves.word == 2);
  CHECK(halves.rows == 32);
  CHECK(halves.cols == 32);
  CHECK(halves.depth == 512);
  CHECK_FALSE(halves.packs_a);
  // Half a tile of each row is missing: it has to be packed.
  CHECK(blocks(ProductOf("bf16", "bf16", "f32", 528), amx).packs_a);
  CHECK(blocks(ProductOf("s8", "u8", "s32", 512), amx).word == 4);
  CHECK_FALSE(blocks(ProductOf("f32", "f32", "f32", 512), amx).tiles);
  CHECK_FALSE(blocks(ProductOf("bf16", "bf16", "f32", 512), kAvx512).tiles);
  const std::string small =
      "x = bf16[32,32] parameter(0)\ny = bf16[32,32] parameter(1)\n"
      "ROOT d = f32[32,32] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  CHECK(blocks(small, amx).tiles);
  CHECK(PlannedForCpu(*Region(small), kAvx512).nest == Nest::kLoop);
}

TEST_CASE("a short minor axis of parts shorter than vectors is written out") {
  auto roll = [](int64_t n, int64_t by) {
    return Format(
        "x = f32[5000,{0}] parameter(0)\ntail = f32[5000,{1}] slice(x), slice={{[0:5000], "
        "[{2}:{0}]}}\n"
        "head = f32[5000,{2}] slice(x), slice={{[0:5000], [0:{2}]}}\n"
        "ROOT c = f32[5000,{0}] concatenate(tail, head), dimensions={{1}}",
        n, by, n - by);
  };
  const Plan narrow = PlannedForCpu(*Region(roll(6, 1)), kAvx2);
  CHECK(narrow.unrolled_dim == 1);
  CHECK(narrow.col_dim == 0);
  // Parts of a power of two, which are read and stored at once; parts of long rows; of a vector or
  // more each.
  for (auto [n, by] : {std::pair{6, 2}, {20, 6}, {100, 20}}) {
    const Plan along = PlannedForCpu(*Region(roll(n, by)), kAvx2);
    CHECK(along.unrolled_dim == -1);
    REQUIRE(along.pieces.size() == 1);
    CHECK(along.pieces[0].columns.size() == 2);
  }
}

TEST_CASE("parts along a short axis that share work are one nest") {
  // The quotient is computed once for both parts, or there is no more than a move to share.
  auto parts = [](std::string_view shared, std::string_view one, std::string_view all, int along) {
    return Format(
        "x = f32[5000] parameter(0)\nq = f32[5000] {0}(x)\nn = f32[5000] negate(q)\n"
        "a = f32[{1}] reshape(q)\nb = f32[{1}] reshape(n)\n"
        "ROOT c = f32[{2}] concatenate(a, b), dimensions={{{3}}}",
        shared, one, all, along);
  };
  const Plan minor = PlannedForCpu(*Region(parts("exponential", "5000,1", "5000,2", 1)));
  CHECK(minor.unrolled_dim == 1);
  CHECK(minor.col_dim == 0);
  CHECK(minor.pieces.empty());
  CHECK(minor.task_dims.empty());  // little work: one task
  const Plan major = PlannedForCpu(*Region(parts("exponential", "1,5000", "2,5000", 0)));
  CHECK(major.unrolled_dim == 0);
  CHECK(major.col_dim == 1);
  const Plan cheap = PlannedForCpu(*Region(parts("abs", "1,5000", "2,5000", 0)));
  CHECK(cheap.unrolled_dim == -1);
  CHECK(cheap.pieces.size() == 2);
  // Much work, of each part alone.
  const Plan apart =
      PlannedForCpu(*Region("x = f32[5000] parameter(0)\ny = f32[5000] parameter(1)\n"
                            "q = f32[5000] exponential(x)\nn = f32[5000] exponential(y)\n"
                            "a = f32[1,5000] reshape(q)\nb = f32[1,5000] reshape(n)\n"
                            "ROOT c = f32[2,5000] concatenate(a, b), dimensions={0}"));
  CHECK(apart.unrolled_dim == -1);
  CHECK(apart.pieces.size() == 2);
  // Borders too, though they are narrow.
  const Plan padded = PlannedForCpu(
      *Region("x = f32[400,92] parameter(0)\nzero = f32[] constant(0)\n"
              "p = f32[400,100] pad(x, zero), padding=0_0x4_4\nq = f32[400,100] exponential(p)\n"
              "n = f32[400,100] negate(q)\na = f32[1,400,100] reshape(q)\n"
              "b = f32[1,400,100] reshape(n)\n"
              "ROOT c = f32[2,400,100] concatenate(a, b), dimensions={0}"));
  CHECK(padded.unrolled_dim == 0);
  CHECK(padded.pieces.size() == 3);
  for (const Plan& piece : padded.pieces) CHECK(piece.unrolled_dim == 0);
}

TEST_CASE("rows are cut where parts of them begin, and gone through once") {
  const char* roll =
      "x = f32[512,1000] parameter(0)\na = f32[512,3] slice(x), slice={[0:512], [997:1000]}\n"
      "b = f32[512,997] slice(x), slice={[0:512], [0:997]}\n"
      "c = f32[512,1000] concatenate(a, b), dimensions={1}\nROOT s = f32[512,1000] add(c, x)";
  const Plan p = PlannedForCpu(*Region(roll));
  REQUIRE(p.pieces.size() == 1);
  CHECK(p.pieces[0].columns == std::vector<Interval>{{0, 3}, {3, 1000}});
  CHECK(!p.pieces[0].non_temporal);
  // Along other axes parts are nests of their own, with the parts that their rows have.
  const Plan both =
      PlannedForCpu(*Region("x = f32[512,1000] parameter(0)\nzero = f32[] constant(0)\n"
                            "ROOT c = f32[514,1003] pad(x, zero), padding=1_1x1_2"));
  CHECK(both.pieces.size() == 3);
  for (const Plan& piece : both.pieces) {
    const bool is_padding = piece.domain[0].size() == 1;
    CHECK(piece.columns == (is_padding ? std::vector<Interval>{}
                                       : std::vector<Interval>{{0, 1}, {1, 1001}, {1001, 1003}}));
  }
  // Of rows of one vector, parts would be as many.
  CHECK(PlannedForCpu(*Region("x = f32[5000,12] parameter(0)\nzero = f32[] constant(0)\n"
                              "ROOT c = f32[5000,16] pad(x, zero), padding=0_0x2_2"))
            .pieces.empty());
  // Of one row, parts are tasks.
  const Plan flat =
      PlannedForCpu(*Region("x = f32[100000] parameter(0)\nzero = f32[] constant(0)\n"
                            "ROOT c = f32[100020] pad(x, zero), padding=10_10"));
  CHECK(flat.pieces.size() == 3);
  CHECK(flat.pieces[0].columns.empty());
}

TEST_CASE("parts of a loop of tasks that compute reductions before it are no nests of their own") {
  const Plan p = PlannedForCpu(
      *Region("x = f32[300,300] parameter(0)\nzero = f32[] constant(0)\n"
              "s = f32[300] reduce(x, zero), dimensions={0}, to_apply=add\n"
              "b = f32[300,300] broadcast(s), dimensions={1}\ny = f32[300,300] subtract(x, b)\n"
              "l = f32[1,300] slice(y), slice={[299:300], [0:300]}\n"
              "f = f32[299,300] slice(y), slice={[0:299], [0:300]}\n"
              "ROOT c = f32[300,300] concatenate(l, f), dimensions={0}"));
  CHECK(p.pieces.empty());
  CHECK(p.parts_dim == 0);
  CHECK(p.parts == std::vector<Interval>{{0, 1}, {1, 300}});
  CHECK(p.task_dims == std::vector<int>{1});
}

TEST_CASE("bytes that stand apart are loaded one by one, a few of them side by side") {
  const Plan p = PlannedForCpu(
      *Region("x = u8[5000,11] parameter(0)\ns = u8[5000,1] slice(x), slice={[0:5000], [5:6]}\n"
              "ROOT r = u8[5000] reshape(s)"),
      kAvx2);
  CHECK(p.lanes == 8);
  CHECK(p.tile_cols <= 2 * p.lanes);
}

TEST_CASE("places of many short rows are in vectors of one register") {
  auto columns = [](int rows) {  // minima of windows of so many rows and two elements
    std::string text = "x = f32[400,11] parameter(0)\n", least;
    for (int k = 0; k < 2 * rows; ++k) {
      text += Format("s{0} = f32[320,5] slice(x), slice={{[{1}:{2}], [{3}:{4}:2]}}\n", k, k / 2,
                     k / 2 + 320, k % 2, k % 2 + 9);
      if (k > 0)
        text += Format("{2}m{0} = f32[320,5] minimum({1}, s{0})\n", k, least,
                       k + 1 == 2 * rows ? "ROOT " : "");
      least = Format("{}{}", k > 0 ? "m" : "s", k);
    }
    const Plan p = PlannedForCpu(*Region(text));
    CHECK(p.unrolled_dim == 1);
    return p.tile_cols / p.lanes;
  };
  CHECK(columns(2) == 2);
  CHECK(columns(9) == 1);
}

TEST_CASE("reductions go through long parts of rows one after another") {
  auto parts = [](int64_t first, int64_t second) {
    const Plan p = PlannedForCpu(
        *Region(Format("x = f32[300,{0}] parameter(0)\ny = f32[300,{1}] parameter(1)\n"
                       "zero = f32[] constant(0)\nn = f32[300,{1}] negate(y)\n"
                       "c = f32[300,{2}] concatenate(x, n), dimensions={{1}}\n"
                       "ROOT s = f32[300] reduce(c, zero), dimensions={{1}}, to_apply=add",
                       first, second, first + second)));
    return p.reduced_parts.empty() ? std::vector<Interval>() : p.reduced_parts.begin()->second;
  };
  CHECK(parts(900, 700) == std::vector<Interval>{{0, 900}, {900, 1600}});
  CHECK(parts(30, 40).empty());
}

TEST_CASE("parts of rows whose tasks reduce them first are columns of one nest") {
  const Plan p = PlannedForCpu(
      *Region("x = f32[300,500] parameter(0)\nzero = f32[] constant(0)\n"
              "s = f32[300] reduce(x, zero), dimensions={1}, to_apply=add\n"
              "b = f32[300,500] broadcast(s), dimensions={0}\ny = f32[300,500] divide(x, b)\n"
              "ROOT p = f32[300,540] pad(y, zero), padding=0_0x33_7"));
  CHECK(p.pieces.empty());
  CHECK(p.parts.empty());
  CHECK(p.columns == std::vector<Interval>{{0, 33}, {33, 533}, {533, 540}});
  CHECK(p.task_dims == std::vector<int>{0});
}

TEST_CASE("parts of padded rows share what is reduced of them, and what of that is cached") {
  const auto module = Region(
      "x = f32[240,200] parameter(0)\nzero = f32[] constant(0)\nt = f32[240,200] tanh(x)\n"
      "p = f32[244,206] pad(t, zero), padding=2_2x3_3\n"
      "s = f32[244] reduce(p, zero), dimensions={1}, to_apply=add\n"
      "b = f32[244,206] broadcast(s), dimensions={0}\n"
      "ROOT y = f32[244,206] divide(p, b)");
  const Plan p = PlannedForCpu(*module);
  REQUIRE(p.pieces.size() == 3);
  const auto inner = absl::c_find_if(p.pieces, [](const Plan& piece) {
    return piece.domain == Box{{2, 242}, {0, 206}};
  });
  REQUIRE(inner != p.pieces.end());
  CHECK(inner->columns == std::vector<Interval>{{0, 3}, {3, 203}, {203, 206}});
  CHECK(inner->first.size() == 1);
  REQUIRE(inner->cached.size() == 1);
  CHECK((*inner->cached.begin())->op() == HloOpcode::Pad);
}

TEST_CASE(
    "long chains of few values have eight vectors in flight where memory does not bound them") {
  auto chain = [](const char* type, int reads) {
    std::string body = Format("a = {0}[16777216] iota(), iota_dimension=0\n", type);
    for (int k = 0; k < reads; ++k)
      body += Format("x{1} = {0}[16777216] parameter({1})\n", type, k);
    std::string last = "a";
    for (int k = 0; k < 60; ++k) {
      const std::string other = k < reads ? Format("x{}", k) : last;
      body += Format("{4}s{1} = {0}[16777216] {2}({3}, {5})\n", type, k, k % 2 ? "add" : "xor",
                     last, k == 59 ? "ROOT " : "", k < reads ? other : "a");
      last = Format("s{}", k);
    }
    return body;
  };
  CHECK(PlannedForCpu(*Region(chain("u32", 0))).tile_cols == 128);
  CHECK(PlannedForCpu(*Region(chain("u32", 8))).tile_cols == 64);
}

TEST_CASE("a minor axis of a few elements is written out") {
  const Plan p =
      PlannedForCpu(*Region("x = f32[500,7,300,3] parameter(0)\n"
                            "t = f32[7,500,300,3] transpose(x), dimensions={1,0,2,3}\n"
                            "ROOT r = f32[7,500,300,3] tanh(t)"));
  const Plan moved =
      PlannedForCpu(*Region("x = f32[3,500,300] parameter(0)\n"
                            "ROOT t = f32[500,300,3] transpose(x), dimensions={1,2,0}"));
  CHECK(moved.unrolled_dim == 2);
  CHECK(moved.col_dim == 1);
  CHECK(p.unrolled_dim == 3);
  CHECK(p.col_dim == 2);
  // Not where rows are no longer either.
  CHECK(PlannedForCpu(*Region("x = f32[3,500,4] parameter(0)\n"
                              "ROOT t = f32[500,3,4] transpose(x), dimensions={1,0,2}"))
            .unrolled_dim == -1);
}

TEST_CASE("short rows are vectors where little is computed of each") {
  auto unrolled = [](int n, std::string_view op, std::string_view type = "f32") {
    return PlannedForCpu(
               *Region(Format("x = {0}[500,200,{1}] parameter(0)\nb = {0}[500] parameter(1)\n"
                              "c = {0}[200,500,{1}] broadcast(b), dimensions={{1}}\n"
                              "t = {0}[200,500,{1}] transpose(x), dimensions={{1,0,2}}\n"
                              "y = {0}[200,500,{1}] multiply(t, c)\n"
                              "ROOT r = {0}[200,500,{1}] {2}(y)",
                              type, n, op)))
        .unrolled_dim;
  };
  CHECK(unrolled(4, "negate") == -1);
  CHECK(unrolled(8, "tanh") == -1);
  CHECK(unrolled(3, "tanh") == 2);
  CHECK(unrolled(3, "negate", "u8") == 2);
  CHECK(unrolled(4, "negate", "u8") == -1);
}

TEST_CASE("runs that are looked up are read as one, narrow elements or many of them") {
  auto unrolled = [](const std::string& type, int n, const std::string& result) {
    auto m =
        Region(Format("x = {0}[500,{1}] parameter(0)\ni = s32[4000] parameter(1)\n"
                      "g = {0}[4000,{1}] gather(x, i), offset_dims={{1}}, "
                      "collapsed_slice_dims={{0}}, start_index_map={{0}}, "
                      "index_vector_dim=1, slice_sizes={{1,{1}}}\nROOT r = {0}[4000,{1}] {2}",
                      type, n, result));
    return PlannedForCpu(*m).unrolled_dim;
  };
  CHECK(unrolled("u8", 3, "negate(g)") == -1);
  CHECK(unrolled("f32", 3, "negate(g)") == 1);
  CHECK(unrolled("f32", 8, "negate(g)") == -1);
  CHECK(unrolled("bf16", 3, "negate(g)") == -1);
  CHECK(unrolled("bf16", 3, "tanh(g)") == 1);
}

TEST_CASE("results of rows wait for a vector where there is much to do with each") {
  auto cell = [](int64_t n, std::string_view last) {
    return Format(
        "w = f32[{0},64] parameter(0)\nh = f32[64] parameter(1)\nx = f32[{0}] parameter(2)\n"
        "d = f32[{0}] dot(w, h), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "s = f32[{0}] add(d, x)\nROOT t = f32[{0}] {1}(s)",
        n, last);
  };
  const Plan p = PlannedForCpu(*Region(cell(64, "tanh")), kAvx2);
  CHECK(p.col_dim == -1);
  CHECK(p.finish_dim == 0);
  CHECK(p.finish_cols == 8);
  CHECK(p.finished.size() == 1);
  CHECK(PlannedForCpu(*Region(cell(64, "negate")), kAvx2).finish_dim == -1);
  CHECK(PlannedForCpu(*Region(cell(4, "tanh")), kAvx2).finish_dim == -1);
}

TEST_CASE("parts of what is put together are not those of an operand that is reduced by itself") {
  auto region = Region(
      "x = f32[3100] parameter(0)\ny = f32[900] parameter(1)\nzero = f32[] constant(0)\n"
      "z = f32[4000] concatenate(y, x), dimensions={0}\n"
      "p = f32[] reduce(z, zero), dimensions={0}, to_apply=add\n"
      "q = f32[] reduce(x, zero), dimensions={0}, to_apply=max\n"
      "ROOT r = (f32[], f32[]) tuple(p, q)");
  const Plan plan = PlannedForCpu(*region, kAvx2);
  const HloInstruction* sum = region->entry()->root()->operand(0);
  const HloInstruction* most = region->entry()->root()->operand(1);
  CHECK(plan.reduced_parts.contains(sum));
  CHECK_FALSE(plan.reduced_parts.contains(most));
}

TEST_CASE("short rows that are reduced again by what they gave are reduced side by side") {
  auto softmax = [](int64_t rows, int64_t n, std::string_view root) {
    return Format(
        "x = f32[{0},{1}] parameter(0)\nlow = f32[] constant(-inf)\nzero = f32[] constant(0)\n"
        "m = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=max\n"
        "b = f32[{0},{1}] broadcast(m), dimensions={{0}}\ny = f32[{0},{1}] subtract(x, b)\n"
        "e = f32[{0},{1}] exponential(y)\n"
        "s = f32[{0}] reduce(e, zero), dimensions={{1}}, to_apply=add\n"
        "l = f32[{0}] log(s)\nbl = f32[{0},{1}] broadcast(l), dimensions={{0}}\n"
        "a = f32[{0},{1}] subtract(y, bl)\nROOT r = {2}",
        rows, n, root);
  };
  const std::string all = "f32[1000,20] negate(a)";
  const Plan p = PlannedForCpu(*Region(softmax(1000, 20, all)), kAvx2);
  CHECK(p.group_dim == 0);
  CHECK(p.group_rows == 8);
  CHECK(p.grouped.size() == 3);  // the logarithm is computed for all rows at once
  CHECK(p.first.empty());
  const Plan sums = PlannedForCpu(*Region(softmax(1000, 20, "f32[1000] negate(l)")), kAvx2);
  CHECK(sums.group_dim == 0);
  CHECK(sums.grouped.size() == 2);
  // Rows that take longer than their results; few rows; a sum by itself.
  CHECK(PlannedForCpu(*Region(softmax(1000, 200, "f32[1000,200] negate(a)")), kAvx2).group_dim ==
        -1);
  CHECK(PlannedForCpu(*Region(softmax(40, 20, "f32[40,20] negate(a)")), kAvx2).group_dim == 0);
  CHECK(PlannedForCpu(*Region(softmax(4, 20, "f32[4,20] negate(a)")), kAvx2).group_dim == -1);
  const std::string sum =
      "x = f32[1000,20] parameter(0)\nzero = f32[] constant(0)\n"
      "ROOT s = f32[1000] reduce(x, zero), dimensions={1}, to_apply=add";
  CHECK(PlannedForCpu(*Region(sum), kAvx2).group_dim == -1);
}

TEST_CASE("what is long after the sums of a tile is computed part by part") {
  auto cell = [](std::string_view rows, std::string_view last, std::string_view first = "copy") {
    return Format(
        "w = f32[64,256] parameter(0)\nx = f32[{0}64] parameter(1)\nh = f32[{0}64] {2}(x)\n"
        "d = f32[{0}256] dot(h, w), lhs_contracting_dims={{{3}}}, rhs_contracting_dims={{0}}\n"
        "ROOT t = f32[{0}256] {1}(d)",
        rows, last, first, rows.empty() ? 0 : 1);
  };
  const Plan row = PlannedForCpu(*Region(cell("", "tanh")), kAvx2);
  CHECK(row.tile_cols == 64);
  CHECK(row.finish_dim == row.col_dim);
  CHECK(row.finish_cols == 16);
  const Plan rows = PlannedForCpu(*Region(cell("4,", "tanh")), kAvx2);
  CHECK(rows.tile_rows * rows.tile_cols > 16);
  CHECK(rows.finish_cols == 16);
  CHECK(PlannedForCpu(*Region(cell("", "negate")), kAvx2).finish_dim == -1);
  // Registers are for what the loop itself computes.
  CHECK(PlannedForCpu(*Region(cell("", "tanh", "tanh")), kAvx2).tile_cols == 16);
}

TEST_CASE("parts of a tile of several sums are whole vectors") {
  // As many sums as do not divide the vectors of a tile.
  for (const char* type : {"f64", "f32"}) {
    for (int columns : {45, 64, 96, 108, 300}) {
      auto module = ParseHloText(
          Format("HloModule m\n"
                 "sum {{\n  l = {0}[] parameter(0)\n  r = {0}[] parameter(1)\n"
                 "  ROOT s = {0}[] add(l, r)\n}}\n"
                 "ENTRY e {{\n  x = {0}[64,{1}] parameter(0)\n  y = {0}[64,{1}] parameter(1)\n"
                 "  r = {0}[{1}] parameter(2)\n  zero = {0}[] constant(0)\n"
                 "  p = {0}[64,{1}] multiply(x, y)\n"
                 "  a = {0}[{1}] reduce(x, zero), dimensions={{0}}, to_apply=sum\n"
                 "  b = {0}[{1}] reduce(y, zero), dimensions={{0}}, to_apply=sum\n"
                 "  c = {0}[{1}] reduce(p, zero), dimensions={{0}}, to_apply=sum\n"
                 "  d = {0}[{1}] divide(c, r)\n  t = {0}[{1}] tanh(d)\n"
                 "  ROOT all = ({0}[{1}], {0}[{1}], {0}[{1}]) tuple(a, b, t)\n}}\n",
                 type, columns),
          "test");
      INFO(module.status().ToString());
      REQUIRE(module.ok());
      for (const CpuMachine& machine : {kAvx512, kAvx2}) {
        const Plan plan = PlannedForCpu(**module, machine);
        if (plan.finish_dim >= 0) CHECK(plan.tile_cols % plan.finish_cols == 0);
        auto kernel = emit::EmitKernel(*(*module)->entry(), plan, "k");
        REQUIRE(kernel.ok());
        INFO(kernel::Print(*kernel));
        CHECK(kernel::Verify(*kernel).ToString() == "OK");
      }
    }
  }
}

TEST_CASE("what the loops of a result read more than once is cached") {
  // log(sum(exp(f(x)))) along an axis, less the largest f(x).
  auto cached = [](std::string_view f, int along, std::string_view shape = "300,170") {
    const std::string kept = shape == "300,170" ? (along == 0 ? "170" : "300") : "8,170";
    const std::string where = shape == "300,170" ? (along == 0 ? "1" : "0") : "0,2";
    return PlannedForCpu(
               *Region(
                   Format("x = f32[{0}] parameter(0)\ny = f32[{0}] {4}(x)\nz = f32[] constant(0)\n"
                          "t = f32[{1}] reduce(y, z), dimensions={{{2}}}, to_apply=max\n"
                          "b = f32[{0}] broadcast(t), dimensions={{{3}}}\n"
                          "d = f32[{0}] subtract(y, b)\ne = f32[{0}] exponential(d)\n"
                          "s = f32[{1}] reduce(e, z), dimensions={{{2}}}, to_apply=add\n"
                          "ROOT l = f32[{1}] log(s)",
                          shape, kept, along, where, f)),
               kAvx512)
        .cached.size();
  };
  CHECK(cached("tanh", 0) == 1);
  CHECK(cached("tanh", 1) == 1);
  CHECK(cached("negate", 0) == 0);
  CHECK(cached("negate", 1) == 0);
  CHECK(cached("tanh", 1, "8,300,170") == 1);
  // More than the second-level cache has room for.
  const std::string mean =
      "x = f32[900000] parameter(0)\ny = f32[900000] tanh(x)\nz = f32[] constant(0)\n"
      "s = f32[] reduce(y, z), dimensions={0}, to_apply=add\n"
      "b = f32[900000] broadcast(s), dimensions={}\nd = f32[900000] subtract(y, b)\n"
      "m = f32[900000] multiply(d, d)\nROOT v = f32[] reduce(m, z), dimensions={0}, to_apply=add";
  CHECK(PlannedForCpu(*Region(mean), kAvx512).cached.empty());
}

TEST_CASE("what a task's tile of columns computes twice is cached for it") {
  const Plan p =
      PlannedForCpu(*Region("x = f32[1001,511] parameter(0)\nzero = f32[] constant(0)\n"
                            "e = f32[1001,511] exponential(x)\n"
                            "s = f32[511] reduce(e, zero), dimensions={0}, to_apply=add\n"
                            "b = f32[1001,511] broadcast(s), dimensions={1}\n"
                            "ROOT q = f32[1001,511] divide(e, b)"),
                    kAvx2);
  CHECK(p.col_block == p.tile_cols);
  CHECK(p.cached.size() == 1);
}

TEST_CASE("sums over slices of an array: the chunks of a task lie at the same place of it") {
  auto m = Region(
      "x = f32[256,256,256] parameter(0)\nzero = f32[] constant(0)\n"
      "a = f32[255,256,256] slice(x), slice={[1:256], [0:256], [0:256]}\n"
      "r = f32[] reduce(a, zero), dimensions={0,1,2}, to_apply=add\n"
      "b = f32[256,255,256] slice(x), slice={[0:256], [1:256], [0:256]}\n"
      "s = f32[] reduce(b, zero), dimensions={0,1,2}, to_apply=add\n"
      "ROOT t = (f32[], f32[]) tuple(r, s)");
  const Plan p = PlannedForCpu(*m);
  REQUIRE(p.split.size() == 2);
  // One may have the axes of its operand merged into one.
  const int64_t rows[] = {p.split[0].loop->operand(0)->shape().rank() == 1 ? 65536 : 1,
                          p.split[1].loop->operand(0)->shape().rank() == 1 ? 65536 : 1};
  CHECK(p.split[0].chunk / rows[0] == p.split[1].chunk / rows[1]);
}

TEST_CASE("reductions that depend on nothing of one another are cut together") {
  auto m = Region(
      "x = f32[256,256,64] parameter(0)\nzero = f32[] constant(0)\n"
      "a = f32[256,255,64] slice(x), slice={[0:256], [1:256], [0:64]}\n"
      "r = f32[] reduce(a, zero), dimensions={0,1,2}, to_apply=add\n"
      "s = f32[] reduce(x, zero), dimensions={0,1,2}, to_apply=add\n"
      "y = f32[256,256,64] multiply(x, x)\n"
      "q = f32[] reduce(y, zero), dimensions={0,1,2}, to_apply=add\n"
      "ROOT t = (f32[], f32[], f32[]) tuple(r, s, q)");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kSplit);
  REQUIRE(p.split.size() == 3);
  for (const Split& s : p.split) CHECK(s.dim == 0);
  CHECK(p.together.size() == 2);  // over the same elements: one loop
  // One of a single element, over no axis, is none to cut.
  CHECK(PlannedForCpu(*Region("x = f32[65536] parameter(0)\nzero = f32[] constant(0)\n"
                              "y = f32[] parameter(1)\n"
                              "s = f32[] reduce(x, zero), dimensions={0}, to_apply=add\n"
                              "r = f32[] reduce(y, zero), dimensions={}, to_apply=add\n"
                              "ROOT q = f32[] add(s, r)"))
            .nest == Nest::kLoop);
  // One that needs the other's result is a loop after it.
  CHECK(PlannedForCpu(*Region("x = f32[1000000] parameter(0)\nzero = f32[] constant(0)\n"
                              "s = f32[] reduce(x, zero), dimensions={0}, to_apply=add\n"
                              "b = f32[1000000] broadcast(s), dimensions={}\n"
                              "d = f32[1000000] subtract(x, b)\n"
                              "ROOT q = f32[] reduce(d, zero), dimensions={0}, to_apply=add"))
            .nest == Nest::kLoop);
}

TEST_CASE("tiles: eight vectors of arithmetic, two of elementary functions") {
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[4096]"))).tile_cols == 128);
  CHECK(PlannedForCpu(*Region(Unary("exponential", "f32[4096]"))).tile_cols == 32);
}

TEST_CASE("tiles: four vectors of elementary functions where the region runs long") {
  const std::string body = Unary("exponential", "f32[100000000]");
  CHECK(PlannedForCpu(*Region(body), kAvx512).tile_cols == 64);
  CHECK(PlannedForCpu(*Region(body), kAvx2).tile_cols == 32);
  CHECK(PlannedForCpu(*Region(Unary("exponential", "f32[4096]")), kAvx2).tile_cols == 16);
}

TEST_CASE("tiles: the whole axis where it is short, a width that divides it where there is one") {
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[7,5]"))).tile_cols == 8);
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[7,192]"))).tile_cols == 64);
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[7,200]"))).tile_cols == 128);
}

TEST_CASE("reductions along minor axes: a task a result, columns along the reduced axis") {
  auto m = Region(Sum("64,1000", "64", "1"));
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(p.col_dim == -1);
  CHECK(p.reduce_cols == 8 * p.lanes);
}

TEST_CASE("reductions along other axes: columns along the kept minor axis, blocks are tasks") {
  auto m = Region(Sum("100,4096", "4096", "0"));
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.col_dim == 0);
  CHECK(p.tile_cols == 16 * p.lanes);
  CHECK(p.col_block == p.tile_cols);
  CHECK(p.col_blocks_are_tasks);
}

TEST_CASE("few results of long reductions: chunks of the longest reduced axis are tasks") {
  auto m = Region(Sum("1000000", "", "0"));
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kSplit);
  REQUIRE(p.split.size() == 1);
  CHECK(p.split[0].loop == m->entry()->root());
  CHECK(p.split[0].dim == 0);
  CHECK(p.split[0].chunk == 65536);
  m = Region(Sum("4,50,10000", "4", "1,2"));
  CHECK(PlannedForCpu(*m).split[0].dim == 2);
  CHECK(PlannedForCpu(*Region(Sum("1000", "", "0"))).nest == Nest::kLoop);  // short
  CHECK(PlannedForCpu(*Region(Sum("1000,1000", "1000", "1"))).nest ==
        Nest::kLoop);  // enough results
}

TEST_CASE("few results of long sums over windows: chunks, not rows that slide") {
  auto m = Region(
      "x = f32[4,30,30,32] parameter(0)\nw = f32[4,3,3,32,28,28] windows(x), "
      "window={size=1x28x28x1}\ny = f32[4,28,28,32] parameter(1)\n"
      "t = f32[4,3,3,32,28,28] broadcast(y), dimensions={0,4,5,3}\n"
      "p = f32[4,3,3,32,28,28] multiply(w, t)\nzero = f32[] constant(0)\n"
      "ROOT r = f32[3,3,32] reduce(p, zero), dimensions={0,4,5}, to_apply=add");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kSplit);
  CHECK(p.slide_dim == -1);
  CHECK(p.row_dim == -1);
}

TEST_CASE("rows slide along windows, but not along what is looked up") {
  auto m = Region(
      "x = f32[303,512] parameter(0)\nw = f32[300,512,4] windows(x), window={size=4x1}\n"
      "zero = f32[] constant(0)\nROOT r = f32[300,512] reduce(w, zero), dimensions={2}, "
      "to_apply=add");
  Plan p = PlannedForCpu(*m);
  CHECK(p.slide_dim >= 0);
  // It depends on the row and on what is reduced, but on no sum of theirs.
  m = Region(
      "table = f32[16] parameter(0)\nplaces = s32[300,512,3] parameter(1)\n"
      "g = f32[300,512,3] gather(table, places), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=3, slice_sizes={1}\n"
      "zero = f32[] constant(0)\nROOT r = f32[300,512] reduce(g, zero), dimensions={2}, "
      "to_apply=add");
  p = PlannedForCpu(*m);
  CHECK(p.slide_dim == -1);
}

TEST_CASE("no choice depends on the number of threads where results would") {
  auto m = Region(Sum("1000000", "", "0"));
  CHECK(PlannedForCpu(*m, {.threads = 1}).split[0].chunk ==
        PlannedForCpu(*m, {.threads = 64}).split[0].chunk);
}

TEST_CASE("what depends on a reduction waits in the task that computes it first") {
  auto m = Region(
      "x = f32[64,1000] parameter(0)\nzero = f32[] constant(0)\n"
      "e = f32[64,1000] exponential(x)\n"
      "s = f32[64] reduce(e, zero), dimensions={1}, to_apply=add\n"
      "b = f32[64,1000] broadcast(s), dimensions={0}\n"
      "ROOT d = f32[64,1000] divide(e, b)");
  const Plan p = PlannedForCpu(*m);
  const HloInstruction* divide = m->entry()->root();
  const HloInstruction *e = divide->operand(0), *s = divide->operand(1)->operand(0);
  CHECK(p.task_dims == std::vector<int>{0});
  REQUIRE(p.first.size() == 1);
  CHECK(p.first[0].first == s);
  // Computed once, read by the reduction and by the quotient.
  CHECK(p.cached.contains(e));
}

TEST_CASE("reductions over the same elements share a loop") {
  auto m = Region(
      "x = f32[64,1000] parameter(0)\nzero = f32[] constant(0)\nq = f32[64,1000] multiply(x, x)\n"
      "s = f32[64] reduce(x, zero), dimensions={1}, to_apply=add\n"
      "t = f32[64] reduce(q, zero), dimensions={1}, to_apply=add\n"
      "ROOT r = f32[64] add(s, t)");
  const Plan p = PlannedForCpu(*m);
  const HloInstruction *s = m->entry()->root()->operand(0), *t = m->entry()->root()->operand(1);
  REQUIRE(p.together.contains(s));
  CHECK(p.together.at(s) == p.together.at(t));
}

TEST_CASE("rows of products of windows run along an axis that fills half a tile") {
  auto windows = [](int width) {
    return Format(
        "x = f32[4,90,{0},32] parameter(0)\nw = f32[4,88,{1},32,3,3] windows(x), "
        "window={{size=1x3x3x1}}\nf = f32[3,3,32,16] parameter(1)\n"
        "ROOT d = f32[4,88,{1},16] dot(w, f), lhs_contracting_dims={{4,5,3}}, "
        "rhs_contracting_dims={{0,1,2}}",
        width + 2, width);
  };
  CHECK(PlannedForCpu(*Region(windows(2))).row_dim == 1);
  CHECK(PlannedForCpu(*Region(windows(4))).row_dim == 2);
}

TEST_CASE("products: large ones are packed, small ones are not") {
  const Plan large = PlannedForCpu(*Region(Product(512, 512, 512)));
  CHECK(large.nest == Nest::kGemm);
  CHECK(large.gemm.rows == 12);
  CHECK(PlannedForCpu(*Region(Product(512, 512, 512)), kAvx2).gemm.rows == 6);
  const Plan small = PlannedForCpu(*Region(Product(16, 16, 64)));
  CHECK(small.nest == Nest::kLoop);
  CHECK(small.row_dim == 0);
  CHECK(small.col_dim == 1);
  CHECK(small.tile_rows == 8);
  CHECK(PlannedForCpu(*Region(Product(16, 16, 64)), kAvx2).tile_rows == 4);
}

TEST_CASE("columns of products: along the results where the right operand is read so") {
  auto columns = [](const std::string& text) { return PlannedForCpu(*Region(text)).col_dim; };
  // A dimension that is one with the contracted one in memory; half of a vector.
  CHECK(columns("x = f32[40,6,7,2,8] parameter(0)\nw = f32[2,3,256] parameter(1)\n"
                "s = f32[2,1,256] slice(w), slice={[0:2], [1:2], [0:256]}\n"
                "r = f32[2,8,32] reshape(s)\nROOT d = f32[40,6,7,32] dot(x, r), "
                "lhs_contracting_dims={3,4}, rhs_contracting_dims={0,1}") == 3);
  CHECK(columns("x = f32[512,40] parameter(0)\nw = f32[40,10] parameter(1)\n"
                "ROOT d = f32[512,10] dot(x, w), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}") == 1);
  // Of few columns, too, but of narrow elements.
  auto few = [&](const char* type, int n) {
    return columns(
        Format("x = {0}[512,40] parameter(0)\nw = {0}[40,{1}] parameter(1)\n"
               "ROOT d = {0}[512,{1}] dot(x, w), lhs_contracting_dims={{1}}, "
               "rhs_contracting_dims={{0}}",
               type, n));
  };
  CHECK(few("f32", 2) == 1);
  CHECK(few("bf16", 2) == -1);
  CHECK(few("bf16", 4) == 1);
  // A vector that is read along the results, but not by the product.
  CHECK(columns("a = f32[256,256] parameter(0)\nx = f32[256] parameter(1)\n"
                "d = f32[256] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                "ROOT s = f32[256] add(d, x)") == -1);
}

TEST_CASE(
    "sums of products along vectors: few short rows of the left operand share the right one") {
  auto rows = [](int m, int k, const char* right, int dim) {
    const Plan p = PlannedForCpu(
        *Region(Format("x = f32[8,{0},{1}] parameter(0)\ny = f32[8,{2}] parameter(1)\n"
                       "ROOT d = f32[8,{0},300] dot(x, y), lhs_batch_dims={{0}}, "
                       "rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, "
                       "rhs_contracting_dims={{{3}}}",
                       m, k, right, dim)));
    return p.col_dim < 0 ? p.tile_rows : -1;
  };
  CHECK(rows(1, 128, "300,128", 2) == 1);
  CHECK(rows(2, 128, "300,128", 2) == 2);
  CHECK(rows(4, 128, "300,128", 2) == 4);
  CHECK(rows(4, 2048, "300,2048", 2) == 1);
  CHECK(rows(4, 128, "128,300", 1) == -1);  // along the results
}

TEST_CASE("packed products: tiles of equal rows, as many columns as registers take") {
  auto blocks = [](int64_t m, int64_t n, int64_t k, const CpuMachine& machine = kAvx512) {
    return PlannedForCpu(*Region(Product(m, k, n)), machine).gemm;
  };
  CHECK(blocks(64, 64, 512).rows == 11);  // six tiles: 66 rows, not 72
  CHECK(blocks(65, 96, 512).rows == 11);
  CHECK(blocks(16, 512, 512).rows == 8);
  CHECK(blocks(16, 480, 512).cols == 48);
  CHECK(blocks(16, 512, 512).cols == 32);  // 48 would leave 16 of 528 unused
  CHECK(blocks(5, 800, 512).cols == 80);
  CHECK(blocks(64, 64, 512, kAvx2).rows == 6);
  CHECK(blocks(64, 64, 512, kAvx2).cols == 16);
}

TEST_CASE("packed products: the right operand of few rows is read as it is") {
  auto packs = [](std::string_view y, std::string_view of, int dim, int m,
                  const CpuMachine& machine = kAvx512) {
    return PlannedForCpu(*Region(Format("x = f32[{3},512] parameter(0)\np = f32[{1}] parameter(1)\n"
                                        "y = f32[{1}] {0}\nROOT d = f32[{3},512] dot(x, y), "
                                        "lhs_contracting_dims={{1}}, rhs_contracting_dims={{{2}}}",
                                        y, of, dim, m)),
                         machine)
        .gemm.packs_b;
  };
  CHECK(!packs("copy(p)", "512,512", 0, 8));
  CHECK(!packs("copy(p)", "512,512", 0, 100));
  // Of a panel's rows that are one line of the cache.
  CHECK(!packs("copy(p)", "512,512", 0, 18, kAvx2));
  CHECK(packs("copy(p)", "512,512", 0, 24, kAvx2));
  CHECK(packs("copy(p)", "512,512", 0, 200));
  CHECK(packs("copy(p)", "512,512", 1, 8));  // transposed
  CHECK(packs("transpose(p), dimensions={1,0}", "512,512", 0, 8));
  CHECK(!packs("negate(p)", "512,512", 0, 8));
  CHECK(packs("negate(p)", "512,512", 0, 100));  // computed again by each tile
}

TEST_CASE("packed products: a large right operand of few rows is read row by row, in steps") {
  auto blocks = [](int m, int n) {
    return PlannedForCpu(*Region(Format("x = f32[{0},512] parameter(0)\n"
                                        "y = f32[512,{1}] parameter(1)\nROOT d = f32[{0},{1}] "
                                        "dot(x, y), lhs_contracting_dims={{1}}, "
                                        "rhs_contracting_dims={{0}}",
                                        m, n)))
        .gemm;
  };
  CHECK(blocks(8, 512).step == 0);  // 1 MB, as the cache
  CHECK(blocks(8, 1024).step > 0);
  CHECK(blocks(8, 1024).group * 8 * blocks(8, 1024).cols * 4 <= 64 << 10);
  CHECK(blocks(16, 1024).step > 0);
  CHECK(blocks(24, 1024).step == 0);
}

TEST_CASE("packed products: few results of much are cut along the contracted axis") {
  auto blocks = [](int64_t m, int64_t n, int64_t k) {
    return PlannedForCpu(*Region(Product(m, k, n))).gemm;
  };
  CHECK(blocks(64, 64, 100000).chunks == 16);
  CHECK(blocks(64, 64, 100000).bands == 1);
  CHECK(blocks(64, 64, 4096).chunks == 1);
  CHECK(blocks(64, 512, 100000).chunks == 1);
}

TEST_CASE("products of words where the machine has dot instructions") {
  const CpuMachine dots{.dot_bf16 = true, .dot_bytes = true};
  auto word = [](const CpuMachine& machine, const char* left, const char* right, const char* to) {
    return PlannedForCpu(*Region(ProductOf(left, right, to, 512)), machine).gemm.word;
  };
  CHECK(word(dots, "bf16", "bf16", "bf16") == 2);
  CHECK(word(dots, "bf16", "bf16", "f32") == 2);
  CHECK(word(dots, "bf16", "bf16", "f64") == 1);
  CHECK(word(dots, "bf16", "f32", "f32") == 1);
  CHECK(word(dots, "f16", "f16", "f32") == 1);
  CHECK(word(dots, "s8", "s8", "s32") == 4);
  CHECK(word(dots, "u8", "s8", "s32") == 4);
  CHECK(word(dots, "u8", "u8", "s64") == 4);
  CHECK(word(dots, "s16", "s16", "s32") == 1);
  CHECK(word(kAvx512, "bf16", "bf16", "f32") == 1);
  CHECK(word(kAvx512, "s8", "s8", "s32") == 2);
  CHECK(word(kAvx512, "u8", "s8", "f32") == 2);
  // Slices are whole words.
  for (int64_t k : {511, 1023, 1030, 4099, 9001}) {
    for (const char* elem : {"bf16", "s8"}) {
      const auto g = PlannedForCpu(*Region(ProductOf(elem, elem, "f32", k)), dots).gemm;
      CHECK((g.depth % g.word == 0 || g.depth == k));
      CHECK(g.depth <= 512 * g.word);
    }
  }
}

TEST_CASE("scans: the loop along their dimension is the only one inside a task") {
  auto m = Region(
      "x = f32[100,64] parameter(0)\nzero = f32[] constant(0)\n"
      "ROOT s = f32[100,64] reduce-window(x, zero), window={size=100x1 pad=99_0x0_0}, "
      "to_apply=add");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.scan == m->entry()->root());
  CHECK(p.scan_dim == 0);
  CHECK(!p.scan_backwards);
  CHECK(p.loop_dims == std::vector<int>{0});
  CHECK(p.col_dim == 1);
}

TEST_CASE("scans of rows: squares of rows and elements, transposed on the way") {
  const auto scan = [](const std::string& shape, const std::string& window) {
    return Region("x = f32[" + shape + "] parameter(0)\nzero = f32[] constant(0)\n" +
                  "ROOT s = f32[" + shape + "] reduce-window(x, zero), window={" + window +
                  "}, to_apply=add");
  };
  const Plan p = PlannedForCpu(*scan("40,100", "size=1x100 pad=0_0x99_0"));
  CHECK(p.scan_dim == 1);
  CHECK(p.row_dim == 0);
  CHECK(p.col_dim == 1);
  CHECK(p.tile_rows == 16);
  CHECK(p.tile_cols == 16);
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(p.loop_dims.empty());
  // Whole lines of the cache are stored; short rows are one tile.
  CHECK(PlannedForCpu(*scan("40,100", "size=1x100 pad=0_0x99_0"), kAvx2).tile_cols == 16);
  CHECK(PlannedForCpu(*scan("40,20", "size=1x20 pad=0_0x19_0"), kAvx2).tile_cols == 32);
  // Too few rows, or elements in one: one loop.
  CHECK(PlannedForCpu(*scan("4,100", "size=1x100 pad=0_0x99_0")).loop_dims == std::vector<int>{1});
  CHECK(PlannedForCpu(*scan("40,10", "size=1x10 pad=0_0x9_0")).loop_dims == std::vector<int>{1});
}

TEST_CASE("scans of few rows: each by itself, in vectors along it where anything is computed") {
  const auto plan = [](const std::string& shape, const std::string& window) {
    return PlannedForCpu(*Region("x = f32[" + shape + "] parameter(0)\nzero = f32[] constant(0)\n" +
                                 "s = f32[" + shape + "] reduce-window(x, zero), window={" +
                                 window + "}, to_apply=add\nROOT r = f32[" + shape +
                                 "] multiply(s, s)"));
  };
  const Plan p = plan("4,100", "size=1x100 pad=0_0x99_0");
  CHECK(p.col_dim == 1);
  CHECK(p.row_dim == -1);
  CHECK(p.tile_rows == 1);
  CHECK(p.tile_cols == 64);
  CHECK(p.task_dims == std::vector<int>{0});
  CHECK(p.loop_dims.empty());
  CHECK(plan("100", "size=100 pad=99_0").col_dim == 0);
  CHECK(plan("10", "size=10 pad=9_0").loop_dims == std::vector<int>{0});
}

TEST_CASE("scans of rows beside loops of elements: one row of a tile") {
  const Plan p = PlannedForCpu(*Region(
      "x = s32[40,100] parameter(0)\nzero = s32[] constant(0)\n"
      "s = s32[40,100] reduce-window(x, zero), window={size=1x100 pad=0_0x99_0}, to_apply=max_s32\n"
      "ROOT r = s32[40,100] power(s, x)"));
  CHECK(p.loop_dims == std::vector<int>{1});
  CHECK(p.tile_rows == 1);
}

TEST_CASE("scatters: over the updates, and no operand shares storage with what they write over") {
  auto m = Region(
      "x = f32[64,32] parameter(0)\ni = s32[8,1] parameter(1)\nu = f32[8,32] parameter(2)\n"
      "ROOT s = f32[64,32] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kScatter);
  CHECK(p.in_place == std::vector<bool>{false, false, false});
}

TEST_CASE("scatters of many updates: copies of few elements, owners of many") {
  auto plan = [](const std::string& x, const std::string& updates, const std::string& window) {
    const std::string count = updates.substr(0, updates.find(','));
    return PlannedForCpu(*Region(
        "x = f32[" + x + "] parameter(0)\ni = s32[" + count + ",1] parameter(1)\nu = f32[" +
        updates + "] parameter(2)\nROOT s = f32[" + x + "] scatter(x, i, u), update_window_dims={" +
        window + "}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, " +
        "index_vector_dim=1, to_apply=add"));
  };
  const Plan few = plan("100", "70000", "");
  CHECK(few.copies == 4);
  CHECK(few.cut_dim == 0);
  const Plan many = plan("5000,64", "1000,64", "1");
  CHECK(many.copies == 0);
  CHECK(many.owners == CpuMachine{}.threads);
  CHECK(many.owned_dim == 0);
  CHECK(many.cut_dim == 0);
  CHECK(plan("5000,64", "100,64", "1").owners == 0);  // too few to share
}

TEST_CASE("outputs that the caches cannot hold go past them, in whole aligned vectors") {
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[4194304]"))).non_temporal);
  CHECK(!PlannedForCpu(*Region(Unary("negate", "f32[1000]"))).non_temporal);  // the caches hold it
  CHECK(!PlannedForCpu(*Region(Unary("negate", "f32[300000,17]")))
             .non_temporal);  // rows off a vector
  CHECK(!PlannedForCpu(*Region(Unary("negate", "c64[4194304]"))).non_temporal);
}

TEST_CASE("an operand shares storage with an output where each task reads only what it writes") {
  CHECK(PlannedForCpu(*Region(Unary("negate", "f32[4096]"))).in_place == std::vector<bool>{true});
  CHECK(PlannedForCpu(*Region("x = f32[64,64] parameter(0)\n"
                              "ROOT y = f32[64,64] transpose(x), dimensions={1,0}"))
            .in_place == std::vector<bool>{false});
}

TEST_CASE("work that a short axis of the outputs shares is done once for all of it") {
  // Sums over j of (x[k,j] - x[k,i]) * sqrt(w[i,j]), for three k.
  auto m = Region(
      "x = f32[3,512] parameter(0)\nw = f32[512,512] parameter(1)\nzero = f32[] constant(0)\n"
      "xi = f32[3,512,512] broadcast(x), dimensions={0,1}\n"
      "xj = f32[3,512,512] broadcast(x), dimensions={0,2}\n"
      "d = f32[3,512,512] subtract(xj, xi)\ns = f32[512,512] sine(w)\n"
      "f = f32[3,512,512] broadcast(s), dimensions={2,1}\n"
      "p = f32[3,512,512] multiply(d, f)\n"
      "ROOT r = f32[3,512] reduce(p, zero), dimensions={2}, to_apply=add");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.col_dim == 1);
  CHECK(p.row_dim == 0);
  CHECK(p.tile_rows == 3);
  CHECK(p.col_blocks_are_tasks);
}

TEST_CASE("few results of what stays in the caches: narrow tiles instead of two stages") {
  auto m = Region(
      "x = f32[1024] parameter(0)\ny = f32[1024] parameter(1)\nzero = f32[] constant(0)\n"
      "a = f32[1024,1024] broadcast(x), dimensions={0}\n"
      "b = f32[1024,1024] broadcast(y), dimensions={1}\n"
      "p = f32[1024,1024] multiply(a, b)\nROOT r = f32[1024] reduce(p, zero), dimensions={0}, "
      "to_apply=add");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kLoop);
  CHECK(p.tile_cols <= 64);
  // From memory, whole cache lines of long rows are read in chunks.
  auto from_memory = Region(Sum("65536,1024", "1024", "0"));
  CHECK(PlannedForCpu(*from_memory).nest == Nest::kSplit);
}

TEST_CASE("a window is priced by what it holds, not by the array that it is in") {
  auto window = Region(
      "x = f32[1000000] parameter(0)\ni = s32[] parameter(1)\n"
      "ROOT r = f32[8] dynamic-slice(x, i), dynamic_slice_sizes={8}");
  CHECK(PlannedForCpu(*window).nanoseconds < 20);
  auto rows = Region(
      "x = f32[100000,64] parameter(0)\ni = s32[1000,1] parameter(1)\n"
      "ROOT r = f32[1000,64] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}");
  CHECK(PlannedForCpu(*rows).nanoseconds > 1000);
  CHECK(PlannedForCpu(*rows).nanoseconds < 100000);
}

TEST_CASE("tiles of transposed reads have the fewer rows the more code each of them is") {
  auto rows = [](int operations) {
    std::string text = "x0 = f32[1024,2048] parameter(0)\n";
    for (int k = 0; k < operations; ++k)
      text += Format("x{} = f32[1024,2048] exponential(x{})\n", k + 1, k);
    return PlannedForCpu(*Region(text + Format("ROOT t = f32[2048,1024] transpose(x{}), "
                                               "dimensions={{1,0}}",
                                               operations)))
        .tile_rows;
  };
  CHECK(rows(1) == 16);
  CHECK(rows(3) == 8);
  CHECK(rows(20) == 4);
}

TEST_CASE("tiles of transposed reads fit the registers with all that a loop carries") {
  auto m = ParseHloText(
      "HloModule m\nlast {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n"
      "  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n  l = pred[] compare(a, b), "
      "direction=LT\n"
      "  x = f32[] select(l, b, a)\n  k = s32[] select(l, j, i)\n"
      "  ROOT r = (f32[], s32[]) tuple(x, k)\n}\nENTRY main {\n"
      "  x = f32[3,64,32] parameter(0)\n  i = s32[3,64,32] parameter(1)\n"
      "  t = f32[3,32,64] transpose(x), dimensions={0,2,1}\n"
      "  j = s32[3,32,64] transpose(i), dimensions={0,2,1}\n"
      "  z = f32[] constant(0)\n  k = s32[] constant(0)\n"
      "  w = (f32[32,64], s32[32,64]) reduce(t, j, z, k), dimensions={0}, to_apply=last\n"
      "  ROOT r = s32[32,64] get-tuple-element(w), index=1\n}\n",
      "region.hlo");
  REQUIRE(m.ok());
  const Plan p = PlannedForCpu(**m);
  REQUIRE(p.row_dim >= 0);
  CHECK(p.tile_rows == 8);
}

TEST_CASE("a product of a product: blocks of whole rows that stay in the second-level cache") {
  auto m = Region(
      "q = f32[4,1024,64] parameter(0)\nk = f32[4,1024,64] parameter(1)\n"
      "v = f32[4,1024,64] parameter(2)\n"
      "s = f32[4,1024,1024] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
      "e = f32[4,1024,1024] exponential(s)\nz = f32[] constant(0)\n"
      "t = f32[4,1024] reduce(e, z), dimensions={2}, to_apply=add\n"
      "u = f32[4,1024,1024] broadcast(t), dimensions={0,1}\n"
      "w = f32[4,1024,1024] divide(e, u)\n"
      "ROOT o = f32[4,1024,64] dot(w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}");
  const Plan p = PlannedForCpu(*m);
  CHECK(p.nest == Nest::kGemm);
  REQUIRE(p.chained != nullptr);
  CHECK(p.chained->name() == "s");
  REQUIRE(p.chain_reductions.size() == 1);
  CHECK(p.gemm.depth == 1024);
  CHECK(p.gemm.height % p.gemm.rows == 0);
  CHECK(2 * p.gemm.height * 1024 * 4 <= CpuMachine().l2_bytes / 4);
  CHECK(p.chain_rows % p.gemm.rows == 0);
  REQUIRE(p.cached.size() == 1);
  CHECK((*p.cached.begin())->op() == HloOpcode::Exp);
}

TEST_CASE("tall products: parts of the rows are tasks, of wide ones bands of columns") {
  auto blocks = [](int m, int n, int threads) {
    auto region = Region(Format(
        "x = f32[{0},64] parameter(0)\ny = f32[64,{1}] parameter(1)\n"
        "ROOT d = f32[{0},{1}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
        m, n));
    return PlannedForCpu(*region, {.threads = threads}).gemm;
  };
  CHECK(blocks(5000, 64, 4).parts == 4);
  CHECK(blocks(5000, 64, 4).bands == 1);
  CHECK(blocks(500, 640, 4).parts == 1);
  CHECK(blocks(500, 640, 4).bands == 4);
}

TEST_CASE("long products are cut into several tasks for each thread") {
  auto blocks = [](int64_t m, int64_t n, int64_t k, int threads) {
    return PlannedForCpu(*Region(Product(m, k, n)), {.threads = threads}).gemm;
  };
  const GemmBlocks square = blocks(1024, 1024, 1024, 2);
  CHECK(square.shares_b);
  CHECK(square.parts * square.bands >= 16);
  CHECK(1024 / square.bands * square.height * 4 <= CpuMachine().l2_bytes / 4);
  CHECK_FALSE(blocks(1024, 1024, 1024, 1).shares_b);
  CHECK_FALSE(blocks(256, 256, 256, 2).shares_b);
  // What is packed would leave the caches.
  CHECK_FALSE(blocks(1024, 4096, 4096, 2).shares_b);
  const GemmBlocks few_rows = blocks(64, 4096, 1024, 2);
  CHECK_FALSE(few_rows.shares_b);
  CHECK(few_rows.bands == 8);
  CHECK(blocks(100000, 64, 64, 2).parts == 16);
  CHECK(blocks(100000, 64, 8, 2).parts == 2);
}

TEST_CASE("transposes store whole lines of the cache, two where they go past the caches on AVX2") {
  auto columns = [](std::string_view type, int64_t n, const CpuMachine& machine) {
    const std::string body = Format(
        "x = {0}[{1},{1}] parameter(0)\nROOT t = {0}[{1},{1}] transpose(x), dimensions={{1,0}}",
        type, n);
    const Plan p = PlannedForCpu(*Region(body), machine);
    CHECK(p.tile_rows == p.lanes);
    return p.tile_cols;
  };
  CHECK(columns("f32", 8192, kAvx512) == 16);
  CHECK(columns("f32", 512, kAvx2) == 16);
  CHECK(columns("f32", 8192, kAvx2) == 32);
  CHECK(columns("f64", 512, kAvx2) == 8);
  CHECK(columns("f64", 8192, kAvx2) == 16);
  CHECK(columns("bf16", 512, kAvx2) == 32);
  CHECK(columns("u8", 500, kAvx2) == 32);
}

TEST_CASE("tiles of rows of one vector have as many rows as hide latencies") {
  auto rows = [](int64_t n) {
    const Plan p = PlannedForCpu(*Region(Product(64, 16, n)), kAvx2);
    return std::pair(p.tile_rows, p.tile_cols);
  };
  CHECK(rows(64) == std::pair(4, 16));
  CHECK(rows(56) == std::pair(8, 8));
}

TEST_CASE("products of few rows read rows of the right operand side by side") {
  auto plan = [](int m, int n) {
    return PlannedForCpu(*Region(Format(
        "x = f32[{0},4096] parameter(0)\ny = f32[4096,{1}] parameter(1)\n"
        "ROOT d = f32[{0},{1}] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
        m, n)));
  };
  for (int rows : {1, 4}) {
    const Plan p = plan(rows, 1000);
    CHECK(p.nest == Nest::kSplit);
    CHECK(p.split_sweep == 8);
    CHECK(p.split[0].chunk % 8 == 0);
    CHECK(p.split_panel * rows <= 4096);
  }
  CHECK(plan(8, 1000).nest == Nest::kGemm);
  CHECK(plan(1, 100).split_sweep == 1);
}

}  // namespace
}  // namespace sinter::plan
