// Values that control flow carries: the state of loops and the results of conditionals, in whose
// storage bodies and branches compute.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "passes/buffers/values.h"

namespace sinter {

class ControlValues : protected Values {
 protected:
  using Slices = std::vector<Slice>;  // of a value, one an array
  // How many of the slices are of each allocation.
  static absl::flat_hash_map<int, int> TimesOf(const Slices& slices);

  // --- loops

  // Of a loop's state, one a leaf: whether the body passes it on as it is. Such an element is read
  // where it was before the loop, as nothing writes there while it is needed.
  static std::vector<bool> ElementsThatStay(const HloInstruction& loop);

  // Has `next`, a value that the body of the innermost loop made, computed in the storage of
  // `state`, an element of the loop's state, if the body needs the old element no longer when it
  // begins to write the new one. False if it cannot be.
  bool ComputeIn(int state, const Slice& next);

  // Whether the storage of `next`, a value that the body of the innermost loop made, and of
  // `state`, the element whose next value it is, may exchange their roles; if so, `next` has its
  // own through all of the loop.
  bool Exchanges(const Slice& state, const Slice& next);

  // An element of the state that another one is next, which nothing needs any longer: what is next
  // in its own place, `made`, is computed where that one is, and their storage exchanges its roles.
  struct Swap {
    Slice old, made;
  };
  // Those that there are. In `next` both are from then on where they belong.
  std::vector<Swap> TakeSwaps(const Slices& state, Slices& next);
  // The steps of such an exchange, at the end of the body.
  void AddSwap(const Swap& swap, std::vector<Step>& steps);

  // Saves what moves to another place of `places` before its own place is overwritten.
  void SaveMoved(const Slices& places, Slices& values, std::vector<Step>& steps);

  // --- conditionals

  struct BranchResult {
    Slice storage;
    std::optional<Slice> operand;  // what branches pass on or change in place
  };

  // Of the leaves of a branch's result the leaves of its operand that they are, or in whose storage
  // they may be computed, as far as that is plain to see. `predecessor` gives the array whose
  // storage an instruction takes over where it can, or null.
  using Predecessor = std::function<const HloInstruction*(const HloInstruction*)>;
  static std::vector<std::optional<size_t>> Origins(const HloComputation& branch, size_t leaves,
                                                    const Predecessor& predecessor);

  // Forgets operands that are others' too, and those that cannot become a result's storage.
  void DropShared(std::vector<BranchResult>& results) const;

  // The end of a branch that began at `entered` and gives `values`: copies to the results what it
  // does not compute there.
  void EndBranch(const std::vector<BranchResult>& results, Slices values, int entered,
                 std::vector<Step>& steps);

  // Gives the storage of an operand, which the branches read last, to a result, which begins at
  // `begin`.
  void TakeOver(const Slice& operand, const Slice& result, int begin);

 private:
  bool IsFree(int v, int64_t size, int since) const;
  bool ComputeInResult(const BranchResult& result, const Slice& value, int entered);
};

}  // namespace sinter
