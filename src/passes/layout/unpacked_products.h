#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Products that are not packed (IsWorthPacking) read both operands where vectors find them in one
// place, on the CPU:
// - An operand of few rows or columns (three; four beside windows; less than half a vector where
//   elements are narrow) is transposed where it is read across what is contracted, along which the
//   other one's memory runs: each result is a sum of vectors then (convolutions to two or three
//   channels: twice as fast). So is the smaller one where the two are contracted in different
//   orders.
// - What runs along a batch is transposed where the other operand does not.
// - A product whose operands both run along the same batch is written as the sums of products of
//   elements that it is, a vector of results at a time.
// - One with a single column, whose left operand is not contracted along its minor dimension, is
//   one with a vector (4096 x 512, transposed, times 4096 x 1: 3.4 to 0.05 ms).
std::unique_ptr<Pass> MakeUnpackedProductsPass(const TargetInfo& target);

}  // namespace sinter
