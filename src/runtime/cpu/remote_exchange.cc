#include "runtime/cpu/remote_exchange.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "runtime/cpu/exchange_work.h"
#include "runtime/exchange_plan.h"

namespace sinter::runtime::cpu {
namespace {

using program::Collective;

// What an all-reduce may send and receive in all before it is reduced by parts.
constexpr int64_t kReduceEverywhere = int64_t{64} << 10;
// Processes reduce ranges of multiples of so many bytes, whatever their processors are.
constexpr int64_t kRange = 8192;
constexpr int64_t kSegmentAlignment = 64;
constexpr int kEverywhere = -1;

// A part of what goes from one process to another: rows of an operand.
struct Segment {
  int64_t member = 0;
  size_t operand = 0;
  int64_t offset = 0, stride = 0, rows = 1, bytes = 0;
  auto Key() const { return std::tie(member, operand, offset, stride, rows, bytes); }
  bool operator<(const Segment& other) const { return Key() < other.Key(); }
};

// A reduction, and the process that does it.
struct Owned {
  Reduction reduction;
  int owner = kEverywhere;
};

class CpuRemoteExchange final : public RemoteExchange {
 public:
  CpuRemoteExchange(const Exchange& exchange, const Spread& spread, FpMode mode)
      : step_(*exchange.step),
        reducer_(exchange.reducer),
        group_(exchange.group.begin(), exchange.group.end()),
        pointers_(exchange.pointers),
        spread_(spread),
        mode_(mode),
        indices_(IndexOperands(step_)) {
    for (int p : spread_.processes) {
      if (p != spread_.self) others_.push_back(p);
    }
    std::sort(others_.begin(), others_.end());
    others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
    received_.resize(others_.size());
  }

  absl::Status Begin() {
    if (indices_.empty()) return Plan();
    round_ = Round::kIndices;
    return absl::OkStatus();
  }

  const std::vector<int>& others() const override { return others_; }
  bool done() const override { return round_ == Round::kDone; }

  absl::StatusOr<std::vector<network::Bytes>> Pack() override {
    std::vector<network::Bytes> messages;
    for (int to : others_) {
      std::vector<Segment> segments;
      if (round_ == Round::kIndices) {
        segments = Indices(spread_.self);
      } else if (round_ == Round::kOperands) {
        segments = Operands(spread_.self, to);
      } else {
        segments = Sums(spread_.self);
      }
      network::Bytes bytes(SizeOf(segments));
      char* at = bytes.data();
      for (const Segment& s : segments) {
        const char* from = Pointer(s.member, s.operand) + s.offset;
        if (s.stride == s.bytes || s.rows == 1) {
          std::memcpy(at, from, static_cast<size_t>(s.rows * s.bytes));
        } else {
          for (int64_t r = 0; r < s.rows; ++r) {
            std::memcpy(at + r * s.bytes, from + r * s.stride, static_cast<size_t>(s.bytes));
          }
        }
        at += Padded(s);
      }
      messages.push_back(std::move(bytes));
    }
    return messages;
  }

  absl::StatusOr<std::unique_ptr<ExchangeWork>> Unpack(
      std::vector<network::Bytes> received) override {
    received_ = std::move(received);
    switch (round_) {
      case Round::kIndices:
        RETURN_IF_ERROR(TakeIndices());
        RETURN_IF_ERROR(Plan());
        return nullptr;
      case Round::kOperands:
        return TakeOperands();
      case Round::kSums:
        return TakeSums();
      case Round::kDone:
        break;
    }
    return Internal("{}: a round too many", step_.operation.text);
  }

 private:
  // Indices: what all must know to plan. Sums: of those who have reduced parts, to all.
  enum class Round : uint8_t { kIndices, kOperands, kSums, kDone };

  int ProcessOf(int64_t member) const { return spread_.processes[static_cast<size_t>(member)]; }
  bool IsHere(int64_t member) const { return ProcessOf(member) == spread_.self; }
  char* Pointer(int64_t member, size_t k) const {
    return static_cast<char*>(pointers_[static_cast<size_t>(member)][k]);
  }
  char* Result(int64_t member, size_t k) const {
    return Pointer(member, step_.operands.size() + k);
  }
  int64_t size() const { return static_cast<int64_t>(group_.size()); }
  static int64_t Padded(const Segment& s) {
    return (s.rows * s.bytes + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
  }
  static size_t SizeOf(const std::vector<Segment>& segments) {
    int64_t bytes = 0;
    for (const Segment& s : segments) bytes += Padded(s);
    return static_cast<size_t>(bytes);
  }
  // Checks what process `from` has sent, and calls with the place of each segment.
  template <class Visit>
  absl::Status ForEach(size_t from, const std::vector<Segment>& segments, const Visit& visit) {
    const network::Bytes& bytes = received_[from];
    if (bytes.size() != SizeOf(segments)) {
      return InvalidArgument("{}: process {} has sent {} bytes, expected {}", step_.operation.text,
                             others_[from], bytes.size(), SizeOf(segments));
    }
    const char* at = bytes.data();
    for (const Segment& s : segments) {
      visit(s, at);
      at += Padded(s);
    }
    return absl::OkStatus();
  }

  // What `from` sends, in this order.
  std::vector<Segment> Indices(int from) const {
    std::vector<Segment> all;
    for (int64_t m = 0; m < size(); ++m) {
      if (ProcessOf(m) != from) continue;
      for (size_t k : indices_) all.push_back({m, k, 0, 0, 1, step_.operands[k].size});
    }
    return all;
  }
  std::vector<Segment> Operands(int from, int to) const {
    std::vector<Segment> all;
    std::map<Segment, bool> sent;  // what several need is sent once
    auto add = [&](const Segment& s) {
      if (sent.emplace(s, true).second) all.push_back(s);
    };
    for (const Move& m : plan_.moves) {
      if (m.from >= 0 && ProcessOf(m.from) == from && ProcessOf(m.to) == to)
        add({m.from, m.operand, m.from_offset, m.from_stride, m.rows, m.bytes});
    }
    for (const Owned& o : owned_) {
      if (o.owner != kEverywhere && o.owner != to) continue;
      const Reduction& r = o.reduction;
      for (int64_t m = 0; m < size(); ++m) {
        if (ProcessOf(m) == from) add({m, r.operand, r.offset, r.stride, r.rows, r.bytes});
      }
    }
    return all;
  }
  // The results are those of the first that is there.
  std::vector<Segment> Sums(int from) const {
    std::vector<Segment> all;
    const auto first = std::find(spread_.processes.begin(), spread_.processes.end(), from);
    for (const Owned& o : owned_) {
      const Reduction& r = o.reduction;
      if (o.owner == from && r.target < 0) {
        all.push_back({first - spread_.processes.begin(), step_.operands.size() + r.operand, r.to,
                       0, 1, r.rows * r.bytes});
      }
    }
    return all;
  }

  absl::Status TakeIndices() {
    for (size_t n = 0; n < others_.size(); ++n) {
      RETURN_IF_ERROR(ForEach(n, Indices(others_[n]), [&](const Segment& s, const char* at) {
        index_contents_[{s.member, s.operand}].assign(at, at + s.rows * s.bytes);
      }));
    }
    return absl::OkStatus();
  }

  absl::Status Plan() {
    auto contents = [&](int64_t member, size_t operand) -> const void* {
      if (IsHere(member)) return Pointer(member, operand);
      return index_contents_.at({member, operand}).data();
    };
    ASSIGN_OR_RETURN(plan_, PlanExchange(step_, group_, contents));
    int64_t bytes = 0;
    for (const Reduction& r : plan_.reductions) {
      if (r.target < 0) bytes += r.rows * r.bytes;
    }
    // Of two, each sends as much either way.
    const bool everywhere = size() == 2 || bytes * (size() - 1) <= kReduceEverywhere;
    for (const Reduction& r : plan_.reductions) {
      if (r.target >= 0) {
        owned_.push_back({r, ProcessOf(r.target)});
      } else if (everywhere) {
        owned_.push_back({r, kEverywhere});
      } else {
        Split(r);
      }
    }
    round_ = Round::kOperands;
    return absl::OkStatus();
  }

  // A range of the bytes, which have no gaps, for each process.
  void Split(const Reduction& r) {
    std::vector<int> all = others_;
    all.push_back(spread_.self);
    std::sort(all.begin(), all.end());
    const int64_t bytes = r.rows * r.bytes, count = static_cast<int64_t>(all.size());
    const int64_t each = ((bytes + count - 1) / count + kRange - 1) / kRange * kRange;
    for (int64_t n = 0; n * each < bytes; ++n) {
      const int64_t own = std::min(each, bytes - n * each);
      owned_.push_back({{r.operand, r.offset + n * each, own, 1, own, -1, r.to + n * each},
                        all[static_cast<size_t>(n)]});
      by_parts_ = true;
    }
  }

  absl::StatusOr<std::unique_ptr<ExchangeWork>> TakeOperands() {
    std::map<Segment, const char*> places;
    for (size_t n = 0; n < others_.size(); ++n) {
      RETURN_IF_ERROR(ForEach(n, Operands(others_[n], spread_.self),
                              [&](const Segment& s, const char* at) { places[s] = at; }));
    }
    std::vector<Copy> copies;
    for (const Move& m : plan_.moves) {
      if (!IsHere(m.to)) continue;
      Copy& c = copies.emplace_back();
      c = {Result(m.to, m.result) + m.to_offset, nullptr, m.to_stride, 0, m.rows, m.bytes};
      if (m.from < 0) continue;
      const bool here = IsHere(m.from);
      c.from = here ? Pointer(m.from, m.operand) + m.from_offset
                    : places.at({m.from, m.operand, m.from_offset, m.from_stride, m.rows, m.bytes});
      c.from_stride = here ? m.from_stride : m.bytes;
    }
    std::vector<Sum> sums;
    for (const Owned& o : owned_) {
      if (o.owner != kEverywhere && o.owner != spread_.self) continue;
      const Reduction& r = o.reduction;
      Sum& sum = sums.emplace_back();
      sum.rows = r.rows;
      sum.bytes = r.bytes;
      for (int64_t m = 0; m < size(); ++m) {
        if (IsHere(m)) {
          sum.sources.push_back({Pointer(m, r.operand) + r.offset, r.stride});
        } else {
          sum.sources.push_back(
              {places.at({m, r.operand, r.offset, r.stride, r.rows, r.bytes}), r.bytes});
        }
        if (IsHere(m) && (r.target < 0 || r.target == m))
          sum.destinations.push_back(Result(m, r.operand) + r.to);
      }
    }
    round_ = by_parts_ ? Round::kSums : Round::kDone;
    return std::make_unique<CpuExchangeWork>(step_, reducer_, mode_, std::move(copies),
                                             std::move(sums), plan_.first_over > 0);
  }

  absl::StatusOr<std::unique_ptr<ExchangeWork>> TakeSums() {
    std::vector<Copy> copies;
    for (size_t n = 0; n < others_.size(); ++n) {
      RETURN_IF_ERROR(ForEach(n, Sums(others_[n]), [&](const Segment& s, const char* at) {
        for (int64_t m = 0; m < size(); ++m) {
          if (IsHere(m)) copies.push_back({Pointer(m, s.operand) + s.offset, at, 0, 0, 1, s.bytes});
        }
      }));
    }
    round_ = Round::kDone;
    return std::make_unique<CpuExchangeWork>(step_, reducer_, mode_, std::move(copies),
                                             std::vector<Sum>(), /*in_order=*/false);
  }

  const Collective& step_;
  const program::StageFunction reducer_;
  const std::vector<int64_t> group_;
  const std::vector<void* const*> pointers_;
  const Spread spread_;
  const FpMode mode_;
  const std::vector<size_t> indices_;
  std::vector<int> others_;
  Round round_ = Round::kOperands;
  std::map<std::pair<int64_t, size_t>, std::vector<char>> index_contents_;  // of other processes
  ExchangePlan plan_;
  std::vector<Owned> owned_;
  bool by_parts_ = false;
  std::vector<network::Bytes> received_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RemoteExchange>> MakeRemoteExchange(const Exchange& exchange,
                                                                   const Spread& spread,
                                                                   FpMode mode) {
  auto remote = std::make_unique<CpuRemoteExchange>(exchange, spread, mode);
  RETURN_IF_ERROR(remote->Begin());
  return remote;
}

}  // namespace sinter::runtime::cpu
