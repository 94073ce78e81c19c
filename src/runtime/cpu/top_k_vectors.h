// The best elements of many short rows, a row to a lane, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "runtime/cpu/sort_vectors.h"

namespace sinter::runtime::cpu {

struct ShortRows {
  static constexpr int64_t kMostBest = 16;

  const uint32_t* x = nullptr;  // [rows, extent]
  int64_t rows = 0, extent = 0;
  KeySteps<uint32_t> order;
  int64_t k = 1;                  // at most kMostBest and at most `extent`
  uint32_t* values = nullptr;     // [rows, k]: the k elements of the least order(x), ascending
  uint32_t* positions = nullptr;  // [rows, k]; of equal ones the earlier come first
};
struct BestOfShortRows {
  int64_t lanes;  // rows of a call, at most
  void (*run)(const ShortRows& rows);
};
BestOfShortRows BestOfShortRowsFor(VectorTarget target);

}  // namespace sinter::runtime::cpu
