// The values of a program while its steps are made: where each is needed, in the steps' time.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/buffers/assign.h"
#include "passes/buffers/storage.h"

namespace sinter {

class Values {
 protected:
  using Allocation = program::Allocation;
  using Residence = program::Residence;
  using Slice = program::Slice;
  using Step = program::Step;

  int NewValue(int64_t bytes, Residence residence, int index = 0) {
    Allocation a;
    a.residence = residence;
    a.index = index;
    a.size = bytes;
    out_.program.allocations.push_back(a);
    lives_.ranges.push_back({now_, now_});
    return static_cast<int>(lives_.ranges.size()) - 1;
  }
  int NewTemp(int64_t bytes) { return NewValue(bytes, Residence::kTemp); }

  void Use(const Slice& s) { Use(s.allocation); }
  // A value from outside a loop that its body needs is live until the loop ends.
  void Use(int v) {
    LiveRange& range = lives_.ranges[static_cast<size_t>(v)];
    range.end = std::max(range.end, now_);
    for (Loop& loop : loops_) {
      if (range.begin < loop.begin) {
        loop.extended.push_back(v);
        break;
      }
    }
  }
  struct Loop {
    int begin;
    std::vector<int> extended;
  };
  void EnterLoop() { loops_.push_back({++now_, {}}); }
  void LeaveLoop() {
    ++now_;
    Loop loop = std::move(loops_.back());
    loops_.pop_back();
    for (int v : loop.extended) Use(v);
  }

  Slice Whole(int v) const { return {v, 0, out_.program.allocations[static_cast<size_t>(v)].size}; }
  static bool Same(const Slice& a, const Slice& b) {
    return a.allocation == b.allocation && a.offset == b.offset;
  }
  void CopyStep(const Slice& from, const Slice& to, std::vector<Step>& steps) {
    if (Same(from, to)) return;
    ++now_;
    Use(from);
    Use(to);
    steps.push_back({program::Copy{from, to}});
  }

  // A new value of the size of `from`, in its storage if nothing needs that any longer.
  Slice InPlaceOf(const Slice& from) {
    ++now_;
    const Slice to = Whole(NewTemp(from.size));
    Use(from);
    lives_.in_place.Add({from, to.allocation, now_});
    return to;
  }
  // The same, which begins as a copy.
  Slice CopyOf(const Slice& from, std::vector<Step>& steps) {
    const Slice to = InPlaceOf(from);
    steps.push_back({program::Copy{from, to}});
    return to;
  }

  // An all-reduce from `begin` to `end`: each element is read from all before it is written to all.
  void ReduceInPlace(const program::Collective& c, int begin, int end) {
    if (c.kind != program::Collective::Kind::kAllReduce) return;
    for (size_t k = 0; k < c.operands.size(); ++k) {
      const int from = c.operands[k].allocation;
      const auto same = std::count_if(c.operands.begin(), c.operands.end(),
                                      [&](const Slice& s) { return s.allocation == from; });
      // What other steps read meanwhile stays.
      if (same == 1 && lives_.ranges[static_cast<size_t>(from)].end <= begin)
        lives_.in_place.Add({c.operands[k], c.results[k].allocation, begin, end});
    }
  }

  // The end of exchange n of those that have begun. Until now it has its operands and results.
  void Await(size_t n, std::vector<Step>& steps) {
    const Begun begun = std::move(begun_[n]);
    begun_.erase(begun_.begin() + static_cast<ptrdiff_t>(n));
    if (begun.steps == &steps && begun.place + 1 == steps.size()) {
      // Nothing is between: it is one step.
      std::get<program::Collective>(steps.back().op).ticket = -1;
      return ReduceInPlace(begun.step, begun.time, begun.time);
    }
    ++now_;
    ReduceInPlace(begun.step, begun.time, now_);
    for (const Slice& s : begun.step.operands) Use(s);
    for (const Slice& s : begun.step.results) Use(s);
    steps.push_back({program::Await{begun.step.ticket}});
  }

  BufferAssignment out_;
  Lives lives_;
  std::vector<Loop> loops_;  // around
  // Exchanges that have not ended yet.
  struct Begun {
    program::Collective step;
    int time = 0;
    const std::vector<Step>* steps = nullptr;  // where it begins, and its place there
    size_t place = 0;
  };
  std::vector<Begun> begun_;
  int tickets_ = 0;
  int now_ = 0;
};

}  // namespace sinter
