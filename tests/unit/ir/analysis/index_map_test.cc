#include "ir/analysis/index_map.h"

#include <catch2/catch.hpp>

namespace sinter {
namespace {

using Dimensions = std::vector<int64_t>;

// Checks a map against the row-major order that a reshape keeps.
bool KeepsOrder(const Dimensions& operand, const Dimensions& result, const IndexMap& map) {
  int64_t count = 1;
  for (int64_t n : result) count *= n;
  Dimensions at(result.size());
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t rest = linear;
    for (size_t d = result.size(); d-- > 0;) {
      at[d] = rest % result[d];
      rest /= result[d];
    }
    int64_t there = 0;
    for (size_t d = 0; d < operand.size(); ++d) {
      int64_t coordinate = map[d].offset;
      for (const IndexTerm& t : map[d].terms)
        coordinate += t.coefficient * at[static_cast<size_t>(t.dimension)];
      if (coordinate < 0 || coordinate >= operand[d]) return false;
      there = there * operand[d] + coordinate;
    }
    if (there != linear) return false;
  }
  return true;
}

TEST_CASE("reshapes that merge dimensions are affine") {
  const std::pair<Dimensions, Dimensions> affine[] = {
      {{6}, {2, 3}},           {{2, 3}, {2, 3}}, {{4, 1, 3}, {4, 3}}, {{4, 3}, {1, 4, 1, 3, 1}},
      {{24, 5}, {2, 3, 4, 5}}, {{}, {1, 1}},     {{1}, {}},           {{8}, {8, 1}},
      {{2, 12}, {2, 3, 4}},
  };
  for (const auto& [operand, result] : affine) {
    auto map = ReshapeIndexMap(operand, result);
    REQUIRE(map.has_value());
    CHECK(KeepsOrder(operand, result, *map));
  }
}

TEST_CASE("reshapes that split dimensions are not") {
  CHECK_FALSE(ReshapeIndexMap({2, 3}, {6}).has_value());
  CHECK_FALSE(ReshapeIndexMap({4, 6}, {6, 4}).has_value());
  CHECK_FALSE(ReshapeIndexMap({2, 3, 4}, {6, 4}).has_value());
}

TEST_CASE("contiguous slices are views") {
  HloModule module("m");
  HloComputation* c = module.AddComputation("c");
  HloInstruction* x = c->AddParameter(0, Shape(ElementType::F32, {4, 5, 6}));
  auto slice = [&](Dims starts, Dims limits, Dims strides) {
    auto s = c->Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, strides});
    REQUIRE(s.ok());
    return *s;
  };
  CHECK(IsContiguousSlice(*slice({1, 0, 0}, {3, 5, 6}, {1, 1, 1})));
  CHECK(IsContiguousSlice(*slice({1, 2, 0}, {2, 4, 6}, {1, 1, 1})));
  CHECK(IsContiguousSlice(*slice({1, 2, 3}, {2, 3, 5}, {1, 1, 1})));
  CHECK(SliceOffset(*slice({1, 2, 3}, {2, 3, 5}, {1, 1, 1})) == (30 + 12 + 3) * 4);
  CHECK_FALSE(IsContiguousSlice(*slice({0, 2, 0}, {2, 4, 6}, {1, 1, 1})));
  CHECK_FALSE(IsContiguousSlice(*slice({0, 0, 0}, {4, 5, 3}, {1, 1, 1})));
  CHECK_FALSE(IsContiguousSlice(*slice({0, 0, 0}, {4, 5, 6}, {2, 1, 1})));
}

}  // namespace
}  // namespace sinter
