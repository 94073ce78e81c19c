// Arrays of many small rows, points or matrices.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "sinter/shape.h"

namespace sinter {

// Elements of long dimensions together, below which there are no vectors to fill.
inline constexpr int64_t kFewestRows = 64;
// The longest dimension, and the most elements of such dimensions together, that are split into an
// array for each place: 8 x 8 matrices, lists of 3 x 3 matrices' elements.
inline constexpr int64_t kLongestSplit = 16, kMostSplit = 64;

// The most elements, rows apart, whose reduction is written out as operations on rows.
inline constexpr int64_t kMostReduced = 8;

// How many of the last dimensions are short, where the others together are long; 0 for arrays that
// are not so.
int ShortDimensions(const Shape& shape);

// Whether x's dimension d is the position in a window of an array that x is computed from element
// by element: its elements are at one place of each window, as many as there are windows.
bool IsPositionInWindow(const HloInstruction& x, int64_t d);

}  // namespace sinter
