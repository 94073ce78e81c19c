#include "passes/buffers/storage.h"

#include <algorithm>
#include <variant>

#include "passes/buffers/arena.h"
#include "program/walk.h"
#include "types/leaves.h"

namespace sinter {
namespace {

using program::Allocation;
using program::Residence;
using program::Slice;
using program::Step;

// Has the steps name the owners of storage (by allocation), and removes copies to where a value is
// already.
void ShareStorage(const std::vector<int>& owners, std::vector<Step>& steps) {
  auto share = [&](Slice& s) { s.allocation = owners[static_cast<size_t>(s.allocation)]; };
  for (Step& step : steps) {
    program::ForEachSlice(step, share);
    program::ForEachBody(step, [&](std::vector<Step>& body) { ShareStorage(owners, body); });
  }
  auto is_idle = [](const Step& step) {
    const auto* copy = std::get_if<program::Copy>(&step.op);
    return copy != nullptr && copy->source.allocation == copy->destination.allocation &&
           copy->source.offset == copy->destination.offset;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), is_idle), steps.end());
}

class Placer {
 public:
  Placer(const HloModule& module, Lives lives, program::Program& program)
      : module_(module), lives_(std::move(lives)), program_(program) {}

  void Run(const std::vector<Slice>& results) {
    Results(results);
    Aliases(results);
    Pack();
  }

 private:
  // A temporary that is a result becomes one; arguments, constants and values that are results
  // twice are copied by the runtime.
  void Results(const std::vector<Slice>& results) {
    for (size_t k = 0; k < results.size(); ++k) {
      Allocation& a = program_.allocations[static_cast<size_t>(results[k].allocation)];
      if (a.residence == Residence::kTemp && results[k].size == a.size) {
        a.residence = Residence::kResult;
        a.index = static_cast<int>(k);
      }
      program_.results.push_back(results[k]);
    }
    for (const Slice& r : results) TakeOverPredecessors(r.allocation);
  }

  // What a result is computed of in place, link by link, is computed in the result's storage.
  void TakeOverPredecessors(int result) {
    const auto& all = program_.allocations;
    if (all[static_cast<size_t>(result)].residence != Residence::kResult ||
        first_in_.contains(result))  // it is a result twice
      return;
    auto predecessor = [&](int v) {
      int first = -1;
      lives_.in_place.ForEachInto(v, [&](const InPlace& p) {
        const int from = p.from.allocation;
        if (first < 0 && all[static_cast<size_t>(from)].residence == Residence::kTemp &&
            !lives_.computed_in.contains(from) && !result_of_.contains(from) &&
            lives_.Allows(program_, p))
          first = from;
      });
      return first;
    };
    int first = result;
    for (int from = predecessor(first); from >= 0; from = predecessor(first)) {
      result_of_[from] = result;
      first = from;
    }
    first_in_[result] = first;
  }

  // A result may take over a donated argument if the argument is not read once the result begins to
  // be written.
  void Aliases(const std::vector<Slice>& results) {
    if (module_.aliases().empty()) return;
    const std::vector<size_t> first_leaf = FirstLeaves(program_.parameters);
    absl::flat_hash_map<int, int> value_of;  // of each argument
    for (size_t v = 0; v < program_.allocations.size(); ++v) {
      if (program_.allocations[v].residence == Residence::kArgument)
        value_of[program_.allocations[v].index] = static_cast<int>(v);
    }
    for (const InputOutputAlias& alias : module_.aliases()) {
      const size_t result = LeafIndex(program_.result, alias.output_index);
      const auto parameter = static_cast<size_t>(alias.parameter);
      const size_t argument =
          first_leaf[parameter] + LeafIndex(program_.parameters[parameter], alias.parameter_index);
      Allocation& a = program_.allocations[static_cast<size_t>(results[result].allocation)];
      if (a.residence != Residence::kResult || a.index != static_cast<int>(result)) continue;
      if (a.size != program_.argument_shapes[argument].byte_size()) continue;
      const auto found = value_of.find(static_cast<int>(argument));
      if (found == value_of.end()) continue;
      const int argument_value = found->second;
      const int first = first_in_.at(results[result].allocation);
      const int begin = lives_.ranges[static_cast<size_t>(first)].begin,
                end = lives_.ranges[static_cast<size_t>(argument_value)].end;
      if (end >= begin && !lives_.MayShare(program_, argument_value, first)) continue;
      a.aliased_argument = static_cast<int>(argument);
    }
  }
  static size_t LeafIndex(const Shape& shape, const Dims& index) {
    const Shape* at = &shape;
    size_t leaf = 0;
    for (int64_t k : index) {
      for (int64_t before = 0; before < k; ++before)
        leaf += LeafCount(at->tuple_shapes()[static_cast<size_t>(before)]);
      at = &at->tuple_shapes()[static_cast<size_t>(k)];
    }
    return leaf;
  }

  // The value whose storage each value shares: a temporary takes over its operand's where it may.
  std::vector<int> Owners() {
    std::vector<int> owner(lives_.ranges.size());
    for (size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<int>(v);
    for (const auto& [v, state] : lives_.computed_in) owner[static_cast<size_t>(v)] = state;
    for (const auto& [v, result] : result_of_) owner[static_cast<size_t>(v)] = result;
    auto root_of = [&](int v) {
      while (owner[static_cast<size_t>(v)] != v) v = owner[static_cast<size_t>(v)];
      return v;
    };
    for (const InPlace& p : lives_.in_place.all()) {
      const auto& all = program_.allocations;
      const int from = p.from.allocation;
      if (all[static_cast<size_t>(from)].residence != Residence::kTemp ||
          all[static_cast<size_t>(p.to)].residence != Residence::kTemp)
        continue;
      if (owner[static_cast<size_t>(p.to)] != p.to || !lives_.Allows(program_, p)) continue;
      // A result is there from then on, or from before: that of a conditional which takes over what
      // its branches read.
      if (result_of_.contains(from)) continue;
      const int root = root_of(from);
      owner[static_cast<size_t>(p.to)] = root;
      lives_.ranges[static_cast<size_t>(root)].end =
          std::max(lives_.ranges[static_cast<size_t>(root)].end,
                   lives_.ranges[static_cast<size_t>(p.to)].end);
    }
    for (size_t v = 0; v < owner.size(); ++v) owner[v] = root_of(static_cast<int>(v));
    return owner;
  }

  void Pack() {
    const std::vector<int> owners = Owners();
    ShareStorage(owners, program_.steps);
    for (Slice& s : program_.results) s.allocation = owners[static_cast<size_t>(s.allocation)];
    std::vector<Lifetime> intervals;
    std::vector<size_t> packed;
    for (size_t v = 0; v < lives_.ranges.size(); ++v) {
      if (program_.allocations[v].residence != Residence::kTemp) continue;
      if (owners[v] != static_cast<int>(v)) {
        program_.allocations[v].size = 0;  // nothing names it any more
        continue;
      }
      intervals.push_back(
          {program_.allocations[v].size, lives_.ranges[v].begin, lives_.ranges[v].end});
      packed.push_back(v);
    }
    program_.temp_bytes = PackIntervals(intervals);
    for (size_t k = 0; k < packed.size(); ++k)
      program_.allocations[packed[k]].offset = intervals[k].offset;
  }

  const HloModule& module_;
  Lives lives_;
  program::Program& program_;
  absl::flat_hash_map<int, int> result_of_;  // the result in whose storage a value is
  absl::flat_hash_map<int, int> first_in_;   // the first value in a result's storage
};

}  // namespace

bool Lives::Allows(const program::Program& program, const InPlace& p) const {
  const auto from = static_cast<size_t>(p.from.allocation), to = static_cast<size_t>(p.to);
  const Allocation &a = program.allocations[from], &b = program.allocations[to];
  return p.from.size == a.size && a.size == b.size && ranges[to].begin == p.time &&
         ranges[from].end == std::max(p.time, p.until);
}

bool Lives::MayShare(const program::Program& program, int from, int to) const {
  bool may = false;
  in_place.ForEachInto(
      to, [&](const InPlace& p) { may |= p.from.allocation == from && Allows(program, p); });
  return may;
}

void PlaceValues(const HloModule& module, const std::vector<Slice>& results, Lives lives,
                 program::Program& program) {
  Placer(module, std::move(lives), program).Run(results);
}

}  // namespace sinter
