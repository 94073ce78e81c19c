// Where values are stored whose lives are known: which share storage, which are results, and where
// in the arena the others are.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "program/program.h"

namespace sinter {

// A value is an allocation of the program, by its number.
struct LiveRange {
  int begin = 0, end = 0;  // inclusive
};
// The step at `time`, the last to read `from`, may write `to` into its storage. It ends at `until`,
// if that is later.
struct InPlace {
  program::Slice from;
  int to = 0, time = 0, until = 0;
};

class InPlaces {
 public:
  void Add(const InPlace& p) {
    into_[p.to].push_back(all_.size());
    all_.push_back(p);
  }
  const std::vector<InPlace>& all() const { return all_; }
  // Calls `f` with each one that writes `to`, in the order in which they were added.
  template <typename F>
  void ForEachInto(int to, const F& f) const {
    const auto found = into_.find(to);
    if (found == into_.end()) return;
    for (size_t k : found->second) f(all_[k]);
  }

 private:
  std::vector<InPlace> all_;
  absl::flat_hash_map<int, std::vector<size_t>> into_;  // places in it, by `to`
};

// What is known of the values of a program when all steps are made.
struct Lives {
  std::vector<LiveRange> ranges;
  InPlaces in_place;
  // Next values of elements of a loop's state that are computed in the state's storage.
  absl::flat_hash_map<int, int> computed_in;

  // Whether its step is the last to read the one and the first to write the other, each as a whole.
  bool Allows(const program::Program& program, const InPlace& p) const;
  // Whether any step may write `to` in the storage of `from`.
  bool MayShare(const program::Program& program, int from, int to) const;
};

// Decides it for a program whose results are at `results`. Steps then name the owners of storage;
// copies to where a value is already are removed.
void PlaceValues(const HloModule& module, const std::vector<program::Slice>& results, Lives lives,
                 program::Program& program);

}  // namespace sinter
