// Which rows are looked up, and that the region computes the same.
#include "codegen/plan/short_rows.h"

#include <catch2/catch.hpp>

#include "codegen/plan/merge_dimensions.h"
#include "unit/codegen/plan/merged_region.h"

namespace sinter::plan {
namespace {

std::string Merged(const std::string& body, int vector_bytes = 64) {
  return MergedBy(
      [&](const HloComputation& region) {
        CpuMachine machine;
        machine.vector_bytes = vector_bytes;
        std::unique_ptr<HloModule> merged = MergeDimensions(region);
        return MergeShortRows(merged ? *merged->entry() : region, machine);
      },
      body);
}

const std::string kRow =
    "x = f32[40,5] parameter(0)\nr = f32[5] parameter(1)\n"
    "b = f32[40,5] broadcast(r), dimensions={1}\nm = f32[40,5] multiply(x, b)\n";

TEST_CASE("rows of which little would fill a vector are looked up") {
  CHECK(Merged(kRow + "ROOT t = f32[40,5] tanh(m)") == "[200] [5] -> [200]");
  CHECK(Merged(kRow + "ROOT t = f32[40,5] tanh(m)", 32) == "apart");
  CHECK(Merged(kRow + "ROOT a = f32[40,5] add(m, x)") == "apart");
  // Dimensions before them.
  CHECK(Merged("x = f32[4,10,5] parameter(0)\nr = f32[5] parameter(1)\n"
               "b = f32[4,10,5] broadcast(r), dimensions={2}\nm = f32[4,10,5] multiply(x, b)\n"
               "ROOT t = f32[4,10,5] tanh(m)") == "[200] [5] -> [200]");
  // Nothing is gained of 14 or 16 elements, little of 20.
  for (const char* columns : {"14", "16", "20"}) {
    const std::string c = columns;
    CHECK(Merged("x = f32[40," + c + "] parameter(0)\nr = f32[" + c +
                 "] parameter(1)\nb = f32[40," + c + "] broadcast(r), dimensions={1}\nm = f32[40," +
                 c + "] multiply(x, b)\nROOT t = f32[40," + c + "] negate(m)") == "apart");
  }
}

TEST_CASE("stacks of rows and columns") {
  const std::string stack =
      "y = f32[40,5,1] reshape(m)\nz = f32[40,5,1] reshape(x)\n"
      "ROOT s = f32[40,5,2] concatenate(y, z), dimensions={2}\n";
  CHECK(Merged(kRow + stack) == "[200] [5] -> [200,2]");
  // Indices of elements, whose first numbers are their columns.
  CHECK(Merged("x = s32[40,5] parameter(0)\ni = s32[40,5,1] iota(), iota_dimension=1\n"
               "y = s32[40,5,1] reshape(x)\n"
               "ROOT s = s32[40,5,2] concatenate(i, y), dimensions={2}\n") == "[200] -> [200,2]");
  // What is computed of the row is simple.
  CHECK(Merged("x = f32[40,5] parameter(0)\nq = f32[5] parameter(1)\none = f32[] constant(1)\n"
               "ones = f32[5] broadcast(one), dimensions={}\nr = f32[5] add(q, ones)\n"
               "b = f32[40,5] broadcast(r), dimensions={1}\nm = f32[40,5] multiply(x, b)\n" +
               stack) == "[200] [5] -> [200,2]");
  CHECK(Merged("x = f32[40,5] parameter(0)\nq = f32[5] parameter(1)\nr = f32[5] exponential(q)\n"
               "b = f32[40,5] broadcast(r), dimensions={1}\nm = f32[40,5] multiply(x, b)\n" +
               stack) == "apart");
  // A number for each row is looked up too, where single elements would be computed.
  CHECK(Merged("x = f32[40,5] parameter(0)\nr = f32[40] parameter(1)\n"
               "b = f32[40,5] broadcast(r), dimensions={0}\np = f32[40,5] multiply(x, b)\n"
               "m = f32[40,5] tanh(p)\n" +
               stack) == "[200] [40] -> [200,2]");
  CHECK(Merged("x = f32[40,5] parameter(0)\nr = f32[40] parameter(1)\n"
               "b = f32[40,5] broadcast(r), dimensions={0}\nm = f32[40,5] multiply(x, b)\n"
               "ROOT t = f32[40,5] tanh(m)") == "apart");
}

TEST_CASE("positions along dimensions of one element are those of no row") {
  CHECK(Merged("x = s32[4,5,1] parameter(0)\ni = s32[4,5,1] iota(), iota_dimension=2\n"
               "a = s32[4,5,1] add(x, i)\nj = s32[4,5,1] iota(), iota_dimension=1\n"
               "ROOT s = s32[4,5,2] concatenate(a, j), dimensions={2}\n") == "[20,1] -> [20,2]");
}

TEST_CASE("rows that other operations keep apart") {
  CHECK(Merged(kRow + "z = f32[] constant(0)\ne = f32[40,5] exponential(m)\n"
                      "ROOT s = f32[40] reduce(e, z), dimensions={1}, to_apply=add\n") == "apart");
  CHECK(Merged(kRow + "e = f32[40,5] exponential(m)\n"
                      "ROOT t = f32[5,40] transpose(e), dimensions={1,0}\n") == "apart");
}

}  // namespace
}  // namespace sinter::plan
