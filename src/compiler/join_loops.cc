#include "compiler/join_loops.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "codegen/kernel/compose.h"
#include "codegen/kernel/compose_columns.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::compiler {
namespace {

using kernel::Item;
using kernel::Items;
using program::Allocation;
using program::Residence;
using program::Slice;
using program::Step;

// Loops and branches in one another, each a region of the kernel, which has more of its own
// (kernel::kMaxRegionDepth).
constexpr int kMostNested = 24;

// How often steps name each allocation.
using Uses = absl::flat_hash_map<int, int>;

class Joiner {
 public:
  Joiner(program::Program& program, int next_kernel, int vector_registers,
         const std::function<LaunchedKernel(int kernel)>& kernel_of)
      : program_(program),
        next_kernel_(next_kernel),
        vector_registers_(vector_registers),
        kernel_of_(kernel_of) {}

  std::vector<JoinedLoop> Run() {
    Count(program_.steps, all_);
    for (const Slice& s : program_.results) ++all_[s.allocation];
    Join(program_.steps);
    return std::move(out_);
  }

 private:
  // A loop as items.
  struct Loop {
    std::vector<Slice> slices;  // of each memory
    std::map<std::tuple<int, int64_t, int64_t>, int> memory;
    JoinedLoop joined;
    int steps = 0;
    int64_t code = 0;
    int nesting = 0;       // of the loops and branches being read
    bool is_long = false;  // steps take so long that launching them counts for nothing
  };
  struct Nested {
    explicit Nested(Loop& loop) : loop(loop) { ++loop.nesting; }
    ~Nested() { --loop.nesting; }
    Loop& loop;
  };

  static void Count(const std::vector<Step>& steps, Uses& uses) {
    for (const Step& step : steps) Count(step, uses);
  }
  static void Count(const Step& step, Uses& uses) {
    program::ForEachSlice(step, [&](const Slice& s) { ++uses[s.allocation]; });
    program::ForEachBody(step, [&](const std::vector<Step>& body) { Count(body, uses); });
  }

  void Join(std::vector<Step>& steps) {
    for (Step& step : steps) {
      if (std::holds_alternative<program::While>(step.op) && Replace(step)) continue;
      program::ForEachBody(step, [&](std::vector<Step>& body) { Join(body); });
    }
  }

  bool Replace(Step& step) {
    Loop loop;
    Items items(1);
    if (!Read(step, loop, items[0])) return false;
    const JoinedLoop& joined = loop.joined;
    if (loop.code > tuning::kMostJoinedCode) return false;
    loop.joined.name = std::get<program::While>(step.op).name;
    Uses inside;
    Count(step, inside);
    const std::vector<kernel::ItemMemory> memory = MemoryOf(loop, inside);
    std::optional<kernel::Composed> composed = kernel::Compose("loop", memory, items);
    if (!composed || composed->arguments.size() > tuning::kMostJoinedArrays) return false;
    const double all = joined.nanoseconds * TurnsOf(composed->kernel);
    if (std::optional<kernel::Kernel> columns =
            kernel::ByColumns(*composed, memory, vector_registers_)) {
      composed->kernel = *std::move(columns);
      loop.joined.by_columns = true;
      loop.joined.stages = {all};
    } else if (loop.is_long || joined.nanoseconds > tuning::kJoinedStep * loop.steps) {
      return false;
    } else {
      loop.joined.stages = {joined.nanoseconds};
    }
    program::Launch launch;
    launch.name = loop.joined.name;
    launch.kernel = next_kernel_ + static_cast<int>(out_.size());
    for (int m : composed->arguments) launch.buffers.push_back(loop.slices[static_cast<size_t>(m)]);
    loop.joined.kernel = std::move(composed->kernel);
    out_.push_back(std::move(loop.joined));
    step.op = std::move(launch);
    return true;
  }

  // What the first loop counts up to, for its turns; a guess where it does not count.
  static double TurnsOf(const kernel::Kernel& kernel) {
    constexpr double kGuess = 16;
    std::map<kernel::Value, int64_t> ints;
    for (const kernel::Op& op : kernel.top.ops)
      if (op.code == kernel::OpCode::kConst) ints[op.results[0]] = op.int_value;
    const kernel::Block* block = &kernel.top;
    while (block != nullptr) {
      const kernel::Block* inner = nullptr;
      for (const kernel::Op& op : block->ops) {
        if (op.code == kernel::OpCode::kWhile) {
          for (const kernel::Op& test : op.regions[0].ops) {
            if (test.code != kernel::OpCode::kCmp) continue;
            for (kernel::Value v : test.operands)
              if (ints.contains(v)) return static_cast<double>(std::max<int64_t>(ints.at(v), 1));
          }
          return kGuess;
        }
        if (!op.regions.empty() && inner == nullptr) inner = &op.regions.back();
      }
      block = inner;
    }
    return kGuess;
  }

  // --- steps as items

  bool Read(const std::vector<Step>& steps, Loop& loop, Items& items) {
    for (const Step& step : steps) {
      items.emplace_back();
      if (!Read(step, loop, items.back())) return false;
    }
    return true;
  }
  bool Read(const Step& step, Loop& loop, Item& item) {
    ++loop.steps;
    if (const auto* launch = std::get_if<program::Launch>(&step.op))
      return Read(*launch, loop, item);
    if (const auto* copy = std::get_if<program::Copy>(&step.op)) {
      loop.is_long |= copy->source.size > tuning::kJoinedCopyBytes;
      loop.joined.nanoseconds += static_cast<double>(copy->source.size) / 32;
      item.op = kernel::ItemCopy{MemoryOf(copy->source, loop), MemoryOf(copy->destination, loop)};
      return true;
    }
    if (const auto* inner = std::get_if<program::While>(&step.op)) {
      kernel::ItemLoop out;
      const Nested nested(loop);
      if (loop.nesting > kMostNested) return false;
      if (!Read(inner->condition, loop, out.condition) || !Read(inner->body, loop, out.body))
        return false;
      out.predicate = MemoryOf(inner->predicate, loop);
      item.op = std::move(out);
      return true;
    }
    if (const auto* branch = std::get_if<program::Conditional>(&step.op)) {
      kernel::ItemChoice out;
      const Nested nested(loop);
      if (loop.nesting > kMostNested) return false;
      out.selector = MemoryOf(branch->selector, loop);
      out.selector_is_predicate = branch->selector_is_predicate;
      for (const auto& b : branch->branches) {
        out.branches.emplace_back();
        if (!Read(b, loop, out.branches.back())) return false;
      }
      item.op = std::move(out);
      return true;
    }
    return false;  // what the runtime or the host does
  }
  bool Read(const program::Launch& launch, Loop& loop, Item& item) {
    const LaunchedKernel of = kernel_of_(launch.kernel);
    for (double ns : of.nanoseconds) {
      loop.is_long |= ns >= static_cast<double>(tuning::kNanosecondsPerThread);
      loop.joined.nanoseconds += ns;
    }
    loop.code += kernel::OperationCount(*of.kernel);
    program::Cost& cost = loop.joined.cost;
    cost.bytes_read += of.cost.bytes_read;
    cost.bytes_written += of.cost.bytes_written;
    cost.operations += of.cost.operations;
    cost.wide_operations += of.cost.wide_operations;
    loop.joined.launches.push_back(launch.name);
    kernel::ItemKernel out{of.kernel, {}};
    for (const Slice& s : launch.buffers) out.memory.push_back(MemoryOf(s, loop));
    item.op = std::move(out);
    return launch.dims.empty();
  }

  static int MemoryOf(const Slice& s, Loop& loop) {
    auto [it, is_new] = loop.memory.try_emplace({s.allocation, s.offset, s.size},
                                                static_cast<int>(loop.slices.size()));
    if (is_new) loop.slices.push_back(s);
    return it->second;
  }

  // --- memory

  // The bytes that a slice is of: of what, from where.
  std::pair<int, int64_t> PlaceOf(const Slice& s) const {
    const Allocation& a = program_.allocations[static_cast<size_t>(s.allocation)];
    if (a.residence == Residence::kTemp) return {-1, a.offset + s.offset};
    if (a.residence == Residence::kResult && a.aliased_argument >= 0) {
      for (size_t k = 0; k < program_.allocations.size(); ++k) {
        const Allocation& other = program_.allocations[k];
        if (other.residence == Residence::kArgument && other.index == a.aliased_argument)
          return {static_cast<int>(k), s.offset};
      }
    }
    return {s.allocation, s.offset};
  }

  std::vector<kernel::ItemMemory> MemoryOf(const Loop& loop, const Uses& inside) const {
    std::vector<kernel::ItemMemory> out;
    std::vector<size_t> order;
    for (const Slice& s : loop.slices) {
      const bool temp =
          program_.allocations[static_cast<size_t>(s.allocation)].residence == Residence::kTemp;
      order.push_back(out.size());
      out.push_back({s.size, temp ? s.allocation : PlaceOf(s).first, 0,
                     !temp || all_.at(s.allocation) > inside.at(s.allocation), PlaceOf(s).second});
    }
    // Groups: runs of ranges that overlap, in the order of their beginnings.
    auto place = [&](size_t k) { return PlaceOf(loop.slices[k]); };
    std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return place(x) < place(y); });
    int group = -1, object = -2;
    int64_t end = 0;
    for (size_t k : order) {
      const auto [of, begin] = place(k);
      if (of != object || begin >= end) {
        ++group;
        object = of;
        end = begin;
      }
      end = std::max(end, begin + loop.slices[k].size);
      out[k].group = group;
    }
    return out;
  }

  program::Program& program_;
  const int next_kernel_, vector_registers_;
  const std::function<LaunchedKernel(int kernel)>& kernel_of_;
  Uses all_;
  std::vector<JoinedLoop> out_;
};

}  // namespace

std::vector<JoinedLoop> JoinLoops(program::Program& program, int next_kernel, int vector_registers,
                                  const std::function<LaunchedKernel(int kernel)>& kernel_of) {
  return Joiner(program, next_kernel, vector_registers, kernel_of).Run();
}

}  // namespace sinter::compiler
