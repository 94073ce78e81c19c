#include "runtime/cpu/top_k.h"

#include <algorithm>

#include "base/status.h"
#include "program/sort_layout.h"
#include "runtime/cpu/sort_order.h"
#include "runtime/cpu/sort_vectors.h"
#include "runtime/cpu/tasks.h"
#include "runtime/cpu/top_k_vectors.h"

namespace sinter::runtime::cpu {
namespace {

using program::TopKLayout;

class Selector {
 public:
  explicit Selector(const LibraryArguments& arguments)
      : arguments_(arguments),
        layout_(TopKLayout::FromDims(arguments.dims)),
        k_(static_cast<size_t>(layout_.k)),
        vectors_(VectorSortFor<uint64_t>(arguments.target)),
        append_(AppendBelowFor(arguments.target)),
        bests_(BestOfGroupsFor(arguments.target)),
        order_(OrderedBits<uint32_t>({0, layout_.order, layout_.largest, kInfinity}).Steps()) {}

  void Run() {
    if (layout_.rows == 0 || layout_.k == 0) return;
    constexpr double kNanoseconds = 0.2, kTask = 5000;  // an element, roughly
    const double work = kNanoseconds * static_cast<double>(layout_.extent * layout_.rows);
    const auto useful =
        std::min<int64_t>(arguments_.workers.parallelism(), static_cast<int64_t>(work / kTask) + 1);
    if (IsShort()) return RunShort(static_cast<int>(useful));
    const int64_t parts = layout_.Parts();
    const int threads = static_cast<int>(std::min<int64_t>(layout_.Slots(), useful));
    ForEachTask(arguments_, layout_.rows * parts, threads, [&](int64_t task, int seat) {
      const int64_t row = task / parts, part = task % parts;
      const auto n = static_cast<size_t>(layout_.extent);
      const size_t lo = n * static_cast<size_t>(part) / static_cast<size_t>(parts),
                   hi = n * static_cast<size_t>(part + 1) / static_cast<size_t>(parts);
      const uint64_t* best = Best(row, lo, hi, seat);
      if (parts == 1) return WriteOut(row, best);
      std::copy_n(best, k_, Candidates(row) + static_cast<size_t>(part) * k_);
    });
    if (parts == 1) return;
    ForEachTask(arguments_, layout_.rows, threads, [&](int64_t row, int) {
      const size_t count = static_cast<size_t>(parts) * k_;
      uint64_t* candidates = Candidates(row);
      vectors_.sort(candidates, count);
      WriteOut(row, candidates);
    });
  }

 private:
  // Many short rows: one is in each lane of a vector.
  bool IsShort() const {
    constexpr int64_t kLeastRows = 8, kLongest = 2048;
    return layout_.rows >= kLeastRows && layout_.extent <= kLongest &&
           layout_.k <= ShortRows::kMostBest;
  }
  void RunShort(int threads) {
    const BestOfShortRows best = BestOfShortRowsFor(arguments_.target);
    const int64_t groups = (layout_.rows + best.lanes - 1) / best.lanes;
    ForEachTask(arguments_, groups, threads, [&](int64_t group, int) {
      const int64_t row = group * best.lanes;
      ShortRows rows;
      rows.x = static_cast<const uint32_t*>(arguments_.buffers[0]) + row * layout_.extent;
      rows.rows = std::min(best.lanes, layout_.rows - row);
      rows.extent = layout_.extent;
      rows.order = order_;
      rows.k = layout_.k;
      rows.values = static_cast<uint32_t*>(arguments_.buffers[1]) + row * layout_.k;
      rows.positions = static_cast<uint32_t*>(arguments_.buffers[2]) + row * layout_.k;
      best.run(rows);
    });
  }

  // Key and position, as the entries of lists; in the order of the results.
  const uint64_t* Best(int64_t row, size_t lo, size_t hi, int seat) const {
    const auto* x = static_cast<const uint32_t*>(arguments_.buffers[0]) + row * layout_.extent;
    char* slot = static_cast<char*>(arguments_.buffers[3]) + layout_.SlotBytes() * seat;
    auto* entries = reinterpret_cast<uint64_t*>(slot);
    auto* spare = reinterpret_cast<uint64_t*>(slot + layout_.SlotBytes() / 2);
    const auto room = static_cast<size_t>(layout_.Capacity());
    size_t count = 0, at = lo;
    if (const uint32_t limit = FirstLimit(x + lo, hi - lo, reinterpret_cast<uint32_t*>(spare));
        limit < UINT32_MAX) {
      at = append_(x, lo, hi, order_, limit + 1, entries, &count, room);
    } else {
      for (count = std::min(hi - lo, room); at < lo + count; ++at)
        entries[at - lo] = uint64_t{order_(x[at])} << 32 | at;
    }
    for (;;) {
      vectors_.sort(entries, count);
      count = std::min(count, k_);
      if (at == hi) return entries;
      // Later ones that are equal come after it.
      const auto limit = static_cast<uint32_t>(entries[k_ - 1] >> 32);
      at = append_(x, at, hi, order_, limit, entries, &count, room);
    }
  }
  // A key that k of the n elements do not exceed: of the best of many groups the k-th. UINT32_MAX
  // where that is no gain. `bests` has room for a slot's half.
  uint32_t FirstLimit(const uint32_t* x, size_t n, uint32_t* bests) const {
    constexpr size_t kLeast = 4, kSample = 16, kLong = 4096;
    const size_t unit = n < kLong ? kGroupLanes : 4 * kGroupLanes,
                 groups = (k_ + k_ / 4 + unit) / unit * unit;
    if (n < kLeast * groups) return UINT32_MAX;
    bests_(x, std::min(n, std::max(kSample * groups, kLong)), order_, groups, bests);
    std::nth_element(bests, bests + k_ - 1, bests + groups);
    return bests[k_ - 1];
  }
  uint64_t* Candidates(int64_t row) const {
    char* scratch = static_cast<char*>(arguments_.buffers[3]);
    return reinterpret_cast<uint64_t*>(scratch + layout_.Slots() * layout_.SlotBytes() +
                                       row * layout_.CandidateBytes());
  }
  void WriteOut(int64_t row, const uint64_t* best) const {
    const auto* x = static_cast<const uint32_t*>(arguments_.buffers[0]) + row * layout_.extent;
    auto* values = static_cast<uint32_t*>(arguments_.buffers[1]) + row * layout_.k;
    auto* positions = static_cast<uint32_t*>(arguments_.buffers[2]) + row * layout_.k;
    for (size_t i = 0; i < k_; ++i) {
      positions[i] = static_cast<uint32_t>(best[i]);
      values[i] = x[positions[i]];
    }
  }

  static constexpr int64_t kInfinity = 0x7f800000;  // the bits of an F32

  const LibraryArguments& arguments_;
  const TopKLayout layout_;
  const size_t k_;
  const VectorSort<uint64_t> vectors_;
  const AppendBelow append_;
  const BestOfGroups bests_;
  // The best element has the least key.
  const KeySteps<uint32_t> order_;
};

}  // namespace

void TopK(const LibraryArguments& arguments) { Selector(arguments).Run(); }

absl::Status CheckTopK(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(s.dims.size() != TopKLayout::kDims || s.sizes.size() != 4,
                     "top-k: {} integers, {} buffers", s.dims.size(), s.sizes.size());
  const TopKLayout layout = TopKLayout::FromDims(s.dims.data());
  RETURN_INTERNAL_IF(layout.rows < 0 || layout.extent < 0 || layout.extent > INT32_MAX ||
                         layout.k < 0 || layout.k > layout.extent || s.dims[3] < 0 ||
                         s.dims[3] > TopKLayout::kMerged,
                     "top-k: {} of {} in {} rows", layout.k, layout.extent, layout.rows);
  const int64_t most = INT64_MAX / 16;
  RETURN_INTERNAL_IF(layout.extent > 0 && layout.rows > most / layout.extent, "top-k: {} rows",
                     layout.rows);
  RETURN_INTERNAL_IF(s.sizes[0] < 4 * layout.rows * layout.extent ||
                         s.sizes[1] < 4 * layout.rows * layout.k ||
                         s.sizes[2] < 4 * layout.rows * layout.k ||
                         (layout.rows > 0 && s.sizes[3] < layout.ScratchBytes()),
                     "top-k: buffers of {} and {} bytes", s.sizes[0], s.sizes[3]);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
