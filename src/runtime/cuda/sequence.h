// Straight runs of a program's steps with exchanges among them, as one participant offers them to
// be submitted whole, and the graphs that have been captured of them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "runtime/cuda/graph.h"
#include "runtime/flat_program.h"
#include "runtime/step_executor.h"

namespace sinter::runtime::cuda {

// Steps [begin, end) of a program: launches, copies, numbers of participants, and exchanges of one
// group, each with its end.
struct SequenceRange {
  int32_t begin = 0, end = 0;
};

// Those for participant `number`, in order. They begin with an exchange, nothing jumps into them,
// and they are long enough for a graph. `is_target`: by step and for the end, what is jumped to.
std::vector<SequenceRange> FindSequences(const FlatProgram& program, int64_t number,
                                         absl::Span<const char> is_target);

// Of one state, whose table and parameters it refers to.
class CudaSequence final : public StepExecutor::Sequence {
 public:
  struct Exchanged {
    const program::Collective* step = nullptr;
    void* const* pointers = nullptr;
  };
  // In the order of the steps: a piece of work; where an exchange begins; where one has ended that
  // only began. Which, by number.
  struct Part {
    enum class Kind : uint8_t { kWork, kExchange, kEnd };
    Kind kind = Kind::kWork;
    size_t number = 0;
  };

  void Add(const Work& work);
  void Add(const Exchanged& exchange);
  void AddEnd(const program::Collective* step);

  absl::Span<const Part> parts() const { return parts_; }
  const Work& work(size_t number) const { return work_[number]; }
  absl::Span<const Exchanged> exchanges() const { return exchanges_; }
  // Alike where the exchanges are, in all that participants must have alike.
  uint64_t fingerprint() const { return fingerprint_; }

  // A graph whose exchanges and copies are at the addresses of now, or null; `capture` gets the
  // number of the capture that it is of.
  std::shared_ptr<Graph> Find(uint64_t* capture);
  // It has been asked about these addresses before: they come again. Asked once a run.
  bool ComesAgain();
  void Keep(std::shared_ptr<Graph> graph, uint64_t capture);

 private:
  // What is written into the graph: all addresses but those of kernels.
  std::vector<void*> Addresses() const;
  struct Kept {
    std::vector<void*> addresses;
    uint64_t capture = 0;
    std::shared_ptr<Graph> graph;
  };

  std::vector<Part> parts_;
  std::deque<Work> work_;  // graphs refer to it
  std::vector<Exchanged> exchanges_;
  uint64_t fingerprint_ = 0;
  std::deque<Kept> kept_;     // used last first
  std::deque<uint64_t> met_;  // hashes of addresses, the last first
};

}  // namespace sinter::runtime::cuda
