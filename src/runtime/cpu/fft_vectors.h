// Fourier transforms of as many lines at a time as a vector has lanes, compiled for each
// instruction set. A line is the sequence of numbers that one transform takes.
//
// Blocks: element i of all lines lies together, the real parts and then the imaginary ones; a block
// is two vectors long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/vector_targets.h"

namespace sinter::runtime::cpu {

// A Stockham pass over transforms of length radix * m that are s apart (C. Van Loan, Computational
// Frameworks for the Fast Fourier Transform, 1992, section 1.7). Roots are e^(-2 pi i k / n).
template <class T>
struct FftPass {
  int64_t radix = 1, m = 1, s = 1;
  const T* twiddles = nullptr;  // [m][radix - 1] complex: root of order radix * m to the power p j
  const T* roots = nullptr;  // [radix] real parts, [radix] imaginary parts of order radix, negated
};

template <class T>
struct FftPasses {
  int64_t n = 1;
  std::vector<FftPass<T>> passes;
};

// How a line of n is transformed: by passes; as first.n x second.n; or, with `convolved`, as a
// convolution of length convolved->n (program::FftLineLayout): with a chirp, or, with `order`, a
// cyclic one; or, with `factor`, as factor->n x second.n, of which the former is a convolution.
template <class T>
struct FftLine {
  int64_t n = 1;
  FftPasses<T> first, second;
  std::unique_ptr<const FftLine> factor;
  const T* twiddles = nullptr;  // [second.n][first.n] complex: root of order n to the power j2 k1
  std::unique_ptr<const FftLine> convolved;
  const int32_t* order = nullptr;  // [n - 1] powers of a generator modulo n
  const T* chirp = nullptr;        // [n] complex
  const T* filter = nullptr;  // [convolved->n] complex: the spectrum of what elements are convolved
                              // with, over its length
  const T* real = nullptr;    // [n / 2 + 1] complex: roots of order 2 n, for real lines of 2 n

  bool IsOfPasses() const { return convolved == nullptr && factor == nullptr; }
};

enum class FftForm : uint8_t {
  kBlocks,   // element i at i * stride
  kColumns,  // element i at i * stride, the lines side by side
  kApart,    // element i of line l at apart[l] + i * stride
  kRows,     // line l at l * stride, its elements side by side
};
// Real lines are in rows. Forward, lines of real numbers become the first half of their spectrum
// with its middle; the inverse takes those. In pairs: lines of 2 n real numbers are transformed as
// n complex ones. Alone: lines of n.
enum class FftReal : uint8_t { kNone, kPairs, kAlone };

// What is going to be read or written soon: pieces of so many bytes, from the beginning of one to
// that of the next `stride` bytes.
template <class T>
struct FftAhead {
  const T* at = nullptr;
  int64_t count = 0, stride = 0;
  int64_t piece = 64;
  const T* im = nullptr;  // as many pieces of the imaginary parts, where these are apart
};

// Strides and offsets are numbers of T.
template <class T>
struct FftLinesCall {
  const FftLine<T>* line = nullptr;
  FftForm in_form = FftForm::kColumns, out_form = FftForm::kColumns;
  const T* in = nullptr;
  // If not null, `in` are the real parts alone and these the imaginary ones, of columns, lines
  // apart or rows: `in_stride` is theirs, `apart` in any case that of whole numbers.
  const T* in_im = nullptr;
  T* out = nullptr;
  const int64_t* apart = nullptr;
  int64_t in_stride = 0, out_stride = 0;
  int64_t lines = 0;  // at most the lanes of a vector, but for rows
  FftReal real = FftReal::kNone;
  bool inverse = false;
  T scale = 1;
  bool stream = false;  // columns and rows are written past the caches, where they are whole lines
  const T* twiddles = nullptr;  // of results that are blocks: [n] blocks, or null
  FftAhead<T> ahead;            // of rows, for the first vector of them: it is behind these
  T* scratch = nullptr;         // FftLineLayout::ScratchBlocks() blocks
};

// Of one instruction set.
template <class T>
struct FftKernels {
  int64_t lanes;
  void (*lines)(const FftLinesCall<T>& call);
  // Blocks [n2 rounded up to lanes] of lanes k1, ..., k1 + lanes - 1 from blocks [n2 / lanes
  // rounded up][n1] whose lanes are positions in n2.
  void (*turn)(const T* blocks, int64_t n1, int64_t n2, int64_t k1, T* turned);
  // twiddles[k] = base[k] * lane[k], complex numbers times blocks, for k < n.
  void (*twiddles)(const T* base, const T* lane, int64_t n, T* twiddles);
  // Of a row of n complex numbers, that of a line of pairs, its spectrum of n + 1, in its place:
  // the elements k and n - k for begin <= k < end; 2 end <= n + 2. `real` as in FftLine.
  void (*spectrum_of_reals)(int64_t n, const T* real, int64_t begin, int64_t end, T* row);
  // The inverse: complex numbers whose inverse transform is that of the spectrum, without 1 / 2.
  void (*reals_of_spectrum)(int64_t n, const T* real, int64_t begin, int64_t end, const T* spectrum,
                            T* row);
  // to[i] = from[i] * factors[i], all of them complex and, where asked, first or last conjugated.
  void (*multiply)(const T* from, const T* factors, int64_t n, bool conjugate_from,
                   bool conjugate_result, T scale, T* to);
};

template <class T>
FftKernels<T> FftKernelsFor(VectorTarget target);
template <>
FftKernels<float> FftKernelsFor<float>(VectorTarget target);
template <>
FftKernels<double> FftKernelsFor<double>(VectorTarget target);

}  // namespace sinter::runtime::cpu
