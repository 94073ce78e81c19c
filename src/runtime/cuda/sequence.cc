#include "runtime/cuda/sequence.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "runtime/cuda/executor.h"
#include "runtime/exchange_plan.h"

namespace sinter::runtime::cuda {
namespace {

using program::Collective;

// What an exchange costs to submit by itself, in launches.
constexpr size_t kExchangeLaunches = 3;
// Buffers of results and arguments take turns, a few of each.
constexpr size_t kKeptGraphs = 4;
constexpr size_t kMetAddresses = 8;

// The group that meets in it; null: none does, or its transport must read what they exchange, or
// takes it from one to the other by itself.
const std::vector<int64_t>* MeetingGroup(const Collective& c, int64_t number) {
  if (c.kind == Collective::Kind::kSend || c.kind == Collective::Kind::kReceive) return nullptr;
  if (!IndexOperands(c).empty()) return nullptr;
  const std::vector<int64_t>* group = collective::GroupOf(c.groups, number);
  return group == nullptr || group->size() < 2 ? nullptr : group;
}

// The longest that begins there; empty: none is long enough.
SequenceRange SequenceFrom(const FlatProgram& program, int32_t begin, int64_t number,
                           absl::Span<const char> is_target) {
  const auto& code = program.code;
  SequenceRange range{begin, begin};
  const auto collective_of = [&](const FlatStep& s) -> const Collective& {
    return program.collectives[static_cast<size_t>(s.first)];
  };
  const std::vector<int64_t>* group =
      MeetingGroup(collective_of(code[static_cast<size_t>(begin)]), number);
  if (group == nullptr) return range;
  std::set<int32_t> open;  // exchanges that have begun
  size_t launches = 0, closed_launches = 0;
  for (auto at = static_cast<size_t>(begin); at < code.size(); ++at) {
    const FlatStep& s = code[at];
    if (static_cast<int32_t>(at) > begin && is_target[at]) break;
    if (s.kind == FlatStep::Kind::kLaunch) {
      launches += static_cast<size_t>(s.count);
    } else if (s.kind == FlatStep::Kind::kCopy || s.kind == FlatStep::Kind::kParticipantId) {
      ++launches;
    } else if (s.kind == FlatStep::Kind::kCollective) {
      const std::vector<int64_t>* own = MeetingGroup(collective_of(s), number);
      if (own == nullptr || *own != *group) break;
      launches += kExchangeLaunches;
      if (collective_of(s).ticket >= 0) open.insert(s.first);
    } else if (s.kind != FlatStep::Kind::kAwait || open.erase(s.first) == 0) {
      break;
    }
    if (!open.empty()) continue;
    range.end = static_cast<int32_t>(at) + 1;
    closed_launches = launches;
  }
  if (closed_launches < kGraphLength) range.end = begin;
  return range;
}

}  // namespace

std::vector<SequenceRange> FindSequences(const FlatProgram& program, int64_t number,
                                         absl::Span<const char> is_target) {
  std::vector<SequenceRange> found;
  for (int32_t at = 0; at < static_cast<int32_t>(program.code.size());) {
    SequenceRange range{at, at};
    if (program.code[static_cast<size_t>(at)].kind == FlatStep::Kind::kCollective)
      range = SequenceFrom(program, at, number, is_target);
    if (range.end > at) found.push_back(range);
    at = std::max(range.end, at + 1);
  }
  return found;
}

void CudaSequence::Add(const Work& work) {
  parts_.push_back({Part::Kind::kWork, work_.size()});
  work_.push_back(work);
}

void CudaSequence::Add(const Exchanged& exchange) {
  parts_.push_back({Part::Kind::kExchange, exchanges_.size()});
  exchanges_.push_back(exchange);
  Hasher hash;
  hash.Add(fingerprint_);
  hash.Add(std::string_view(exchange.step->operation.agreed));
  hash.Add(exchange.step->ticket >= 0);
  fingerprint_ = hash.Finish().low | 1;
}

void CudaSequence::AddEnd(const Collective* step) {
  const auto begun = std::find_if(exchanges_.begin(), exchanges_.end(),
                                  [&](const Exchanged& e) { return e.step == step; });
  parts_.push_back({Part::Kind::kEnd, static_cast<size_t>(begun - exchanges_.begin())});
}

std::vector<void*> CudaSequence::Addresses() const {
  std::vector<void*> addresses;
  for (const Exchanged& e : exchanges_) {
    addresses.insert(addresses.end(), e.pointers,
                     e.pointers + e.step->operands.size() + e.step->results.size());
  }
  for (const Work& w : work_) {
    if (w.function == nullptr) addresses.insert(addresses.end(), w.pointers, w.pointers + w.count);
  }
  return addresses;
}

std::shared_ptr<Graph> CudaSequence::Find(uint64_t* capture) {
  std::erase_if(kept_, [](const Kept& k) { return k.graph->dropped(); });
  const std::vector<void*> addresses = Addresses();
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& k) { return k.addresses == addresses; });
  if (found == kept_.end()) return nullptr;
  std::rotate(kept_.begin(), found, found + 1);
  *capture = kept_.front().capture;
  return kept_.front().graph;
}

bool CudaSequence::ComesAgain() {
  Hasher hash;
  for (const void* a : Addresses()) hash.Add(reinterpret_cast<int64_t>(a));
  const uint64_t own = hash.Finish().low;
  const bool again = std::find(met_.begin(), met_.end(), own) != met_.end();
  std::erase(met_, own);
  met_.push_front(own);
  if (met_.size() > kMetAddresses) met_.pop_back();
  return again;
}

void CudaSequence::Keep(std::shared_ptr<Graph> graph, uint64_t capture) {
  std::vector<void*> addresses = Addresses();
  std::erase_if(kept_, [&](const Kept& k) { return k.addresses == addresses; });
  kept_.push_front({std::move(addresses), capture, std::move(graph)});
  if (kept_.size() > kKeptGraphs) kept_.pop_back();
}

}  // namespace sinter::runtime::cuda
