// How a library call "fft" is written down, and into which steps it falls: for the compiler, which
// gives it memory, and the kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "program/slots.h"

namespace sinter::program {

// As many lines as a vector has lanes are transformed side by side; their elements number i make a
// block.
inline constexpr int64_t kFftBlockBytes = 128;  // of the longest vectors
inline constexpr int64_t kMostFftRadix = 61;

// A transform of n complex numbers, side by side with others: in passes that stay in the first
// cache; as first x second of such; or, where n has a prime factor above kMostFftRadix, as a
// convolution: if n is prime and n - 1 has no such factor, a cyclic one of all elements but the
// first, in the order of the powers of a generator (C. M. Rader, 1968), of `cyclic` = n - 1
// numbers; else one with a chirp (L. I. Bluestein, 1970) of `chirp` numbers. Or, if that takes
// longer, as first x second, of which `first` is that prime, and its transforms are convolutions.
struct FftLineLayout {
  int64_t n = 1, first = 1, second = 1, cyclic = 0, chirp = 0;
  int64_t vector_bytes = 0;

  FftLineLayout(int64_t n, int64_t vector_bytes);
  bool IsConvolution() const { return cyclic > 0 || chirp > 0; }
  // In times through all elements: an estimate.
  double Work() const;
  // Blocks from one transform of `first` to the next between the two: an odd number, so that
  // elements of the same number do not share a few sets of the cache.
  int64_t Pitch() const { return first | 1; }
  int64_t ScratchBlocks() const;

 private:
  void Convolve();
};

// A transform by itself, of n = columns x rows numbers: first along the columns of a matrix of
// `columns` rows, then along its rows (D. H. Bailey, FFTs in External or Hierarchical Memory,
// 1990), where these are transforms side by side of any kind; or that of a chirp of columns x rows
// numbers.
struct FftLongLayout {
  int64_t n = 1, columns = 1, rows = 1;
  bool chirped = false;
  bool wide = false;
  int64_t vector_bytes = 0;
  double work = 0;  // in times through all elements: an estimate

  FftLongLayout(int64_t n, bool wide, int64_t vector_bytes);
  int64_t length() const { return columns * rows; }
  // A vector's lanes.
  int64_t Lanes() const { return wide ? 8 : 16; }
  int64_t Padded(int64_t extent) const { return (extent + Lanes() - 1) / Lanes() * Lanes(); }
  // Roots between the two: a table, or products of two tables.
  bool HasWholeTable() const { return length() <= (int64_t{1} << 14); }
  int64_t MiddleBytes() const;  // blocks between the two
  int64_t LineBytes() const;    // all that lives from step to step of a line
  int64_t TaskBytes() const;    // and within one

 private:
  void Factor(int64_t length);
};

struct FftLayout {
  enum Type : int64_t { kForward, kInverse, kRealForward, kRealInverse };
  // kSlab: memory of the thread that works on a slab, which stays in its cache.
  enum class Place : uint8_t { kArgument, kResult, kScratch, kSlab };
  // kLines: lines of all rows, or columns, of the slab, side by side. kLong: each line by itself.
  // kShared: each by itself, and by all threads. kLongColumns: kShared, and the lines are copied
  // for it.
  enum class Method : uint8_t { kLines, kLong, kShared, kLongColumns };

  // Along one dimension of [outer, n, inner] numbers of the type; of real ones inner is 1.
  struct Step {
    Method method = Method::kLines;
    bool real = false;
    int64_t n = 1;  // of real transforms, the real numbers
    int64_t outer = 1, inner = 1;
    Place from = Place::kArgument, to = Place::kResult;
    bool last = false;

    // Complex numbers that are transformed: half as many if n is even.
    int64_t Complexes() const { return real && n % 2 == 0 ? n / 2 : n; }
    int64_t Lines() const { return outer * inner; }
  };
  // Steps that are done slab by slab. If there is but one slab, several threads share it.
  struct Stage {
    int64_t slabs = 1;
    std::vector<Step> steps;
  };

  Type type = kForward;
  bool wide = false;   // numbers of F64
  bool parts = false;  // the argument is two arrays: real and imaginary parts
  int64_t batch = 1;
  std::vector<int64_t> lengths;    // of the dimensions that are transformed
  int64_t inner = 1;               // numbers behind these, of complex ones
  int64_t threads = kMostThreads;  // that there is scratch memory for
  // Of the processor that it is for: which steps it is done in. No part of what is written down.
  int64_t vector_bytes = 64;

  bool is_inverse() const { return type == kInverse || type == kRealInverse; }
  bool is_real() const { return type == kRealForward || type == kRealInverse; }
  int64_t NumberBytes() const { return wide ? 16 : 8; }  // complex
  int64_t Count() const;                                 // numbers that lengths state
  int64_t Half() const { return lengths.back() / 2 + 1; }
  int64_t SpectrumBytes() const;  // of what is not real
  int64_t RealBytes() const { return Count() * batch * NumberBytes() / 2; }
  int64_t ArgumentBytes() const { return type == kRealForward ? RealBytes() : SpectrumBytes(); }
  // Buffers: the argument or its parts, the result, scratch memory.
  std::vector<int64_t> BufferBytes() const;
  int64_t ResultBytes() const { return type == kRealInverse ? RealBytes() : SpectrumBytes(); }

  // Of the batch as many as are taken through all stages before the next ones: what is between two
  // stages stays in the last cache.
  int64_t Together() const;
  std::vector<Stage> Stages() const { return StagesOf(Together()); }  // of so many
  // Scratch memory: what stands between steps, what the line at work has, and what each of the
  // slots has. In all it is enough for vectors of any length.
  int64_t BetweenBytes() const;
  int64_t SharedBytes() const;
  int64_t SlotBytes() const { return StepsBytes() + SlabBytes(); }
  int64_t StepsBytes() const;
  int64_t SlabBytes() const;
  int64_t Slots() const;
  int64_t ScratchBytes() const;

  // Type, wide, parts, batch, inner, threads, lengths.
  static constexpr size_t kLengths = 6;
  std::vector<int64_t> ToDims() const;
  static FftLayout FromDims(absl::Span<const int64_t> dims);

 private:
  std::vector<Stage> StagesOf(int64_t count) const;
  int64_t SpectrumBytesTogether() const { return SpectrumBytes() / batch * Together(); }
  Method MethodFor(const Step& step) const;
  int64_t LongestBeside() const;
  int64_t StepSlotBytes(const Step& step) const;
};

}  // namespace sinter::program
