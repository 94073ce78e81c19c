// Fourier transforms as sums of products, for targets without a library that has them.
#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Without a library (program/fft_layout.h) fft becomes passes over the whole array, each a sum of
// as many products as its radix, n log n in all. Along an axis whose elements have at least 16
// neighbours behind them: Stockham's passes (radix 4 first; C. Van Loan, Computational Frameworks
// for the Fast Fourier Transform, 1992), which need no reordering and run along those neighbours.
// Other axes are brought there: short ones by a transpose of the array, long ones as n1 x n2 with
// one transpose between the factors (D. H. Bailey, FFTs in External or Hierarchical Memory, 1990).
// Lengths with a prime factor above 31 become a convolution with a chirp, of a power of 2 (L. I.
// Bluestein, 1970). Roots of unity are constants up to 4096 of them, and computed where they are
// used beyond.
std::unique_ptr<Pass> MakeExpandFftPass(const TargetInfo& target);

}  // namespace sinter
