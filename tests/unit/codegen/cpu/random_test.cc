// Random graphs of pointwise operations over all types, as machine code against the interpreter.
#include <catch2/catch.hpp>

#include "elementwise.h"
#include "random_graph.h"

namespace sinter::cpu::testing {
namespace {

using kernel::Builder;
using kernel::Values;

TEST_CASE("Random graphs of pointwise operations", "[.standard]") {
  const std::vector<int> widths = {1, 3, 8, 16, 21, 32};
  for (uint64_t seed = 0; seed < 30; seed++) {
    std::mt19937_64 random(seed);
    const size_t n = 331;
    std::vector<Bytes> data;
    for (ElementType e : kTypes) data.push_back(Interesting(e, n, random));
    const int width = widths[seed % widths.size()], lanes = 4 << seed % 3;
    INFO("seed " << seed << " width " << width << " lanes " << lanes);
    Elementwise(kTypes, width, lanes, [&](Builder& b, const Values& x) {
      return RandomGraph(b, x, seed, 25);
    }).Run(data, n);
  }
}

}  // namespace
}  // namespace sinter::cpu::testing
