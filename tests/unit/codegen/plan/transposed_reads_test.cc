// Which operands are read transposed, from where, and which of their lines stay in a cache.
#include "codegen/plan/transposed_reads.h"

#include <catch2/catch.hpp>

#include "unit/codegen/plan/programs.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

// The reads point to the region's parameters.
std::vector<TransposedRead> ReadsOf(const HloModule& module) {
  const std::vector<const HloInstruction*> outputs = Outputs(*module.entry());
  const Box domain = WholeOf(outputs[0]->shape());
  const int minor = static_cast<int>(domain.size()) - 1;
  return FindTransposedReads(FindAccesses(outputs, domain), domain, minor - 1, minor);
}
size_t CountOfReads(const std::string& region) { return ReadsOf(*Region(region)).size(); }

TEST_CASE("reads across rows, and where") {
  auto m = Region(
      "x = u8[3,70,90] parameter(0)\ns = u8[2,60,80] slice(x), slice={[1:3], [4:64], [5:85]}\n"
      "t = u8[2,80,60] transpose(s), dimensions={0,2,1}\ny = u8[2,80,60] parameter(1)\n"
      "ROOT r = u8[2,80,60] add(t, y)");
  const std::vector<TransposedRead> reads = ReadsOf(*m);
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].map == IndexMap{{{{0, 1}}, 1}, {{{2, 1}}, 4}, {{{1, 1}}, 5}});
  CHECK(StrideOf(reads[0], 2) == 90);
  CHECK(StrideOf(reads[0], 0) == 70 * 90);
}

TEST_CASE("an operand that is read in order as well") {
  CHECK(CountOfReads("x = f32[64,64] parameter(0)\nt = f32[64,64] transpose(x), dimensions={1,0}\n"
                     "ROOT r = f32[64,64] add(t, x)") == 1);
}

TEST_CASE("reads that are not alike, or not of whole arrays") {
  // At two places.
  CHECK(CountOfReads(
            "x = f32[65,64] parameter(0)\na = f32[64,64] slice(x), slice={[0:64], [0:64]}\n"
            "b = f32[64,64] slice(x), slice={[1:65], [0:64]}\n"
            "s = f32[64,64] transpose(a), dimensions={1,0}\n"
            "t = f32[64,64] transpose(b), dimensions={1,0}\nROOT r = f32[64,64] add(s, t)") == 0);
  // Every other row.
  CHECK(CountOfReads(
            "x = f32[128,64] parameter(0)\na = f32[64,64] slice(x), slice={[0:128:2], [0:64]}\n"
            "ROOT t = f32[64,64] transpose(a), dimensions={1,0}") == 0);
  // Not everywhere.
  CHECK(CountOfReads("x = f32[60,64] parameter(0)\nz = f32[] constant(0)\n"
                     "a = f32[64,64] pad(x, z), padding=0_4x0_0\n"
                     "ROOT t = f32[64,64] transpose(a), dimensions={1,0}") == 0);
  CHECK(CountOfReads("x = f32[64,64] parameter(0)\nROOT t = f32[64,64] negate(x)") == 0);
}

TEST_CASE("lines that are a power of two apart share a few sets of a cache") {
  CHECK(LinesInCache(1500) == 512);
  CHECK(LinesInCache(64) == 512);
  CHECK(LinesInCache(64 * 47) == 512);
  CHECK(LinesInCache(1024) == 32);
  CHECK(LinesInCache(2048) == 16);
  CHECK(LinesInCache(4096) == 8);
  CHECK(LinesInCache(3 << 12) == 8);
}

}  // namespace
}  // namespace sinter::plan
