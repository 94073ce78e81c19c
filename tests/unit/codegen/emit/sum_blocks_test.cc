#include "codegen/emit/sum_blocks.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace sinter::emit {
namespace {

// Counts what the accumulators of a nest of loops take, as LoopInBlocks carries them.
struct Nest {
  const std::vector<int64_t>& steps;
  const std::vector<std::vector<int64_t>>& blocks;
  int64_t most = 0;   // terms of one accumulator
  int64_t depth = 0;  // accumulators that a term passes through
  int64_t terms = 0;

  // What `count` terms and an accumulator that already has `have` come to.
  void Note(int64_t have) { most = std::max(most, have); }

  // The loop `k` over n of its steps in the first `levels` of its blocks: what it adds to the
  // accumulator that it carries, which has taken `have` terms.
  int64_t Run(size_t k, size_t levels, int64_t n, int64_t have, int64_t at) {
    if (k == steps.size()) {
      ++terms;
      depth = std::max(depth, at);
      Note(have + 1);
      return have + 1;
    }
    if (levels == 0) {
      for (int64_t i = 0; i < n; ++i) have = Enter(k + 1, have, at);
      return have;
    }
    const int64_t length = blocks[k][levels - 1];
    for (int64_t i = 0; i < n; i += length) {
      Run(k, levels - 1, std::min(length, n - i), 0, at + 1);
      Note(++have);
    }
    return have;
  }
  int64_t Enter(size_t k, int64_t have, int64_t at) {
    if (k == steps.size()) return Run(k, 0, 1, have, at);
    return Run(k, blocks[k].size(), steps[k], have, at);
  }
};

TEST_CASE("No accumulator takes more terms than a block has") {
  const std::vector<std::vector<int64_t>> nests = {
      {},       {1},       {128},         {129},           {1000},
      {20000},  {3000000}, {3, 3, 512},   {100, 100, 100}, {1000, 3},
      {5, 128}, {2, 129},  {3, 65, 2, 1}, {127, 127, 7},   {50, 1, 1, 1000}};
  for (const std::vector<int64_t>& steps : nests) {
    const auto blocks = CutIntoBlocks(steps);
    REQUIRE(blocks.size() == steps.size());
    int64_t n = 1;
    for (size_t k = 0; k < steps.size(); ++k) {
      n *= steps[k];
      for (size_t i = 0; i < blocks[k].size(); ++i) {
        CHECK(blocks[k][i] < steps[k]);
        if (i > 0) CHECK(blocks[k][i] % blocks[k][i - 1] == 0);
      }
    }
    Nest nest{steps, blocks};
    nest.Enter(0, 0, 1);
    INFO("of " << n << " terms");
    CHECK(nest.terms == n);
    CHECK(nest.most <= kSumBlock);
    CHECK(static_cast<double>(nest.depth) <=
          2 + std::log(static_cast<double>(n)) / std::log(kSumBlock / 4.0));
    if (n <= kSumBlock) CHECK(nest.depth == 1);
  }
}

}  // namespace
}  // namespace sinter::emit
