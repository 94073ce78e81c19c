#include "codegen/emit/sum_blocks.h"

#include <algorithm>

namespace sinter::emit {
namespace {

int64_t Quotient(int64_t n, int64_t by) { return (n + by - 1) / by; }

}  // namespace

std::vector<std::vector<int64_t>> CutIntoBlocks(absl::Span<const int64_t> steps) {
  std::vector<std::vector<int64_t>> blocks(steps.size());
  int64_t terms = 1;  // that the accumulator takes in a step of the loop
  for (size_t k = steps.size(); k-- > 0;) {
    if (steps[k] <= 1) continue;
    if (terms <= kSumBlock / steps[k]) {
      terms *= steps[k];
      continue;
    }
    // Blocks of about equal length, as many as there must be.
    int64_t count = Quotient(steps[k], std::max<int64_t>(1, kSumBlock / terms));
    int64_t length = Quotient(steps[k], count);
    blocks[k].push_back(length);
    while ((count = Quotient(steps[k], length)) > kSumBlock) {
      length *= Quotient(count, Quotient(count, kSumBlock));
      blocks[k].push_back(length);
    }
    terms = count;
  }
  return blocks;
}

}  // namespace sinter::emit
