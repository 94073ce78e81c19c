#pragma once

#include "pass/pass.h"

namespace sinter {

// Reductions along the last dimension of what is computed from each pair of rows of two arrays
// (distances between points, kernels of Gaussian processes), where both arrays are small beside all
// pairs: the dimension before it becomes the last one, so that vectors run along the second array's
// rows, and each turn of the loop along the reduced dimension adds to as many results. Rows that
// vectors would run along leave the elements of a vector to be added up for each result.
std::unique_ptr<Pass> MakePairwiseReductionsPass();

}  // namespace sinter
