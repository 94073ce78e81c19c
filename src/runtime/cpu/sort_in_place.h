// Sorting one array of keys by several threads, without room for another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/cpu/sort_parts.h"
#include "runtime/cpu/sort_vectors.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {

// Pivots of a sample cut the keys into parts of about the same size, in levels: each halves all
// segments. The threads of a segment move what is below its pivot to the front of a chunk each, and
// then exchange what is on the wrong side of where the halves meet. At last each part is sorted.
template <class Key>
class SortInPlace {
 public:
  SortInPlace(const LibraryArguments& arguments, const VectorSort<Key>& vectors, Key* keys,
              size_t n, int threads)
      : arguments_(arguments),
        vectors_(vectors),
        keys_(keys),
        n_(n),
        threads_(threads),
        parts_(SortParts(threads)) {}

  // Sorts at least kMostSortParts * kSortSamples keys; then done(begin, end) for all ranges of
  // them.
  template <class Done>
  void Run(Done done) {
    const std::array<Key, kMostSortParts> pivots =
        SortPivots<Key>(n_, parts_, [&](size_t i) { return keys_[i]; });
    begin_[parts_] = n_;
    for (width_ = parts_; width_ > 1; width_ /= 2) {
      ForEachPart([&](size_t part) {
        Chunk& chunk = chunks_[part];
        chunk = ChunkOf(part);
        chunk.below =
            vectors_.part(keys_ + chunk.begin, chunk.size, pivots[Segment(part) + width_ / 2]);
      });
      for (size_t segment = 0; segment < parts_; segment += width_) {
        size_t below = 0;
        for (size_t k = 0; k < width_; ++k) below += chunks_[segment + k].below;
        begin_[segment + width_ / 2] = begin_[segment] + below;
      }
      ForEachPart([&](size_t part) { Exchange(part); });
    }
    ForEachPart([&](size_t part) {
      vectors_.sort(keys_ + begin_[part], begin_[part + 1] - begin_[part]);
      done(begin_[part], begin_[part + 1]);
    });
  }

 private:
  // Keys side by side, of which the first `below` are below the segment's pivot.
  struct Chunk {
    size_t begin = 0, size = 0, below = 0;
  };
  // What is left of the keys on one side that belong to the other, chunk by chunk.
  struct Misplaced {
    const Chunk* chunk;
    bool above;  // those at or above the pivot, which stand before the middle
    size_t middle;
    size_t at = 0, end = 0;

    void Enter() {
      at = chunk->begin + (above ? chunk->below : 0);
      end = chunk->begin + (above ? chunk->size : chunk->below);
      if (above) {
        end = std::min(end, middle);
      } else {
        at = std::max(at, middle);
      }
    }
    // Goes on by `count` keys.
    void Skip(size_t count) {
      while (at >= end || count >= end - at) {
        if (at < end) count -= end - at;
        ++chunk;
        Enter();
      }
      at += count;
    }
  };

  template <class Body>
  void ForEachPart(Body body) {
    ForEachTask(arguments_, static_cast<int64_t>(parts_), threads_,
                [&](int64_t task, int) { body(static_cast<size_t>(task)); });
  }
  // The first part of the segment that a part is in.
  size_t Segment(size_t part) const { return part / width_ * width_; }
  Chunk ChunkOf(size_t part) const {
    const size_t segment = Segment(part), k = part - segment, begin = begin_[segment],
                 size = begin_[segment + width_] - begin;
    return {begin + size * k / width_, size * (k + 1) / width_ - size * k / width_, 0};
  }

  // A share of the keys of a segment that are on the wrong side of its middle.
  void Exchange(size_t part) {
    const size_t segment = Segment(part), middle = begin_[segment + width_ / 2];
    const Chunk* const chunks = &chunks_[segment];
    size_t misplaced = 0;
    for (size_t k = 0; k < width_; ++k) {
      Misplaced above{chunks + k, true, middle};
      above.Enter();
      if (above.at < above.end) misplaced += above.end - above.at;
    }
    const size_t first = misplaced * (part - segment) / width_;
    size_t count = misplaced * (part - segment + 1) / width_ - first;
    if (count == 0) return;
    Misplaced above{chunks, true, middle}, below{chunks, false, middle};
    for (Misplaced* side : {&above, &below}) {
      side->Enter();
      side->Skip(first);
    }
    for (;;) {
      const size_t size = std::min({count, above.end - above.at, below.end - below.at});
      Swap(keys_ + above.at, keys_ + below.at, size);
      count -= size;
      if (count == 0) return;
      above.Skip(size);
      below.Skip(size);
    }
  }
  static void Swap(Key* a, Key* b, size_t n) {
    std::array<Key, 256> held;
    for (size_t i = 0; i < n; i += held.size()) {
      const size_t bytes = std::min(held.size(), n - i) * sizeof(Key);
      std::memcpy(held.data(), a + i, bytes);
      std::memcpy(a + i, b + i, bytes);
      std::memcpy(b + i, held.data(), bytes);
    }
  }

  const LibraryArguments& arguments_;
  const VectorSort<Key> vectors_;
  Key* const keys_;
  const size_t n_;
  const int threads_;
  const size_t parts_;
  size_t width_ = 2;
  std::array<size_t, kMostSortParts + 1> begin_{};  // of the parts; of those that are known
  std::array<Chunk, kMostSortParts> chunks_{};
};

}  // namespace sinter::runtime::cpu
