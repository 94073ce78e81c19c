#include "compiler/compile.h"
#include "compiler/buffer_uses.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string_view>
#include <tuple>

#include "absl/algorithm/container.h"
#include "base/memory.h"
#include "base/status.h"
#include "codegen/kernel/compose.h"
#include "codegen/kernel/hash.h"
#include "codegen/kernel/stages.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "compiler/describe.h"
#include "compiler/facts.h"
#include "compiler/join_loops.h"
#include "compiler/loop_ranges.h"
#include "compiler/region_cost.h"
#include "compiler/share_kernels.h"
#include "ir/analysis/equality.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/sort_key.h"
#include "ir/results.h"
#include "ir/text/printer.h"
#include "passes/buffers/assign.h"
#include "passes/buffers/collective.h"
#include "passes/expand/entry_layouts.h"
#include "passes/partition/traffic.h"
#include "pipelines/pipeline.h"
#include "program/walk.h"
#include "target/tuning.h"

namespace sinter::compiler {
namespace {

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A fusion's kernel: `unique` is the first kernel of equal text.
struct Entry {
  size_t unique = 0;
  KernelFacts facts;
  std::vector<double> nanoseconds;  // of each stage, or one of all
  program::Cost cost;
};

// A kernel in the program's code.
struct CompiledKernel {
  size_t buffers = 0;
  int64_t task_bytes = 0;
  std::vector<program::Stage> stages;
};

class ProgramCompiler {
 public:
  ProgramCompiler(HloModule& module, Backend& backend, const Options& options)
      : module_(module), backend_(backend), options_(options) {}

  absl::StatusOr<program::Program> Run() {
    auto start = Clock::now();
    PipelineOptions passes = options_.passes;
    passes.verify |= options_.verify;
    if (options_.dump && !passes.dump) {
      passes.dump = [&](std::string_view name, const HloModule& m) {
        options_.dump(Format("{}.hlo", name), Print(m));
      };
    }
    EntryLayouts layouts;
    if (options_.stated_layouts) {
      ASSIGN_OR_RETURN(layouts, StatedLayouts(module_));
    }
    if (options_.partitions > 1) RETURN_IF_ERROR(MakePartitions(passes));
    const ComputationShape stated = InLayouts(module_.entry()->shape(), layouts);
    if (!layouts.empty()) RETURN_IF_ERROR(MoveEntryToMemory(module_, layouts));
    FusionLog log;
    RETURN_IF_ERROR(MakePipeline(backend_.target(), &log).Run(module_, passes));
    for (const auto& c : module_.computations()) {
      if (!backend_.target().has_reducers()) break;
      for (const auto& i : c->instructions()) RETURN_IF_ERROR(MakeReducer(*i, passes));
    }
    notes_.pass_ms = Since(start);
    start = Clock::now();
    for (const auto& [collective, reducer] : reducers_) {
      const HloInstruction* fusion = reducer->entry()->root();
      RETURN_IF_ERROR(AddKernel(*fusion));
      entries_[collective] = entries_.at(fusion);
    }
    for (const auto& c : module_.computations()) {
      for (const auto& i : c->instructions()) {
        const bool sort = i->op() == HloOpcode::Sort;
        if (i->op() == HloOpcode::Fusion || (sort && LibraryKeysOf(*i).empty()))
          RETURN_IF_ERROR(AddKernel(*i));
      }
    }
    ASSIGN_OR_RETURN(
        BufferAssignment assigned,
        AssignBuffers(
            module_,
            [&](const HloInstruction* i) -> const KernelFacts& { return entries_.at(i).facts; },
            backend_.target().cpu() != nullptr ? backend_.target().cpu()->threads : 1,
            backend_.target().has_reducers()));
    // Types that are only stored have become those of their bytes; callers see the original ones.
    StateSignature(stated, assigned.program);
    for (const HloInstruction* f : assigned.fusions) launched_.push_back(&entries_.at(f));
    if (backend_.target().joins_loops()) RETURN_IF_ERROR(JoinLoops(assigned.program));
    if (const CpuMachine* cpu = backend_.target().cpu())
      KeepInCaches(assigned.program.steps, cpu->l2_bytes, [&](int k) { return UsesOf(k); });
    notes_.kernel_ms = Since(start);
    start = Clock::now();
    may_share_.assign(kernels_.size(), true);
    MarkUsed(assigned.program.steps);
    RETURN_IF_ERROR(Share());
    ASSIGN_OR_RETURN(assigned.program.codes, CompileKernels());
    RETURN_IF_ERROR(Link(assigned.program.steps));
    if (backend_.target().cpu() != nullptr)
      StateRanges(assigned.program.steps, [&](int k) { return UsesOf(k); });
    notes_.code_ms = Since(start);
    DescribeEdges(module_, log, notes_);
    DescribeOutside(module_, notes_);
    assigned.program.notes = std::make_shared<const program::Notes>(std::move(notes_));
    return std::move(assigned.program);
  }

 private:
  // One program a partition from one of whole arrays.
  absl::Status MakePartitions(const PipelineOptions& passes) {
    PartitionLog log;
    module_.set_partition_count(options_.partitions);
    RETURN_IF_ERROR(MakePartitionPipeline(options_.partition, &log).Run(module_, passes));
    for (const CollectiveTraffic& t : TrafficOf(module_)) notes_.traffic.push_back(ToText(t));
    notes_.replicated = std::move(log.replicated);
    for (const Sharding& s : log.parameters) notes_.parameter_shardings.push_back(ToText(s));
    for (const Sharding& s : log.results) notes_.result_shardings.push_back(ToText(s));
    return absl::OkStatus();
  }
  // The reducer of a collective as a program of its own: a tile of two participants' elements to
  // one.
  absl::Status MakeReducer(const HloInstruction& collective, const PipelineOptions& passes) {
    const int64_t elements = TileElements(collective);
    if (elements == 0) return absl::OkStatus();
    auto made = std::make_unique<HloModule>(Format("{}.reducer", collective.name()));
    const HloComputation& reducer = *collective.called(0);
    if (absl::c_any_of(reducer.instructions(),
                       [](const auto& i) { return !i->called().empty(); })) {
      return Unimplemented("{} '{}': its computation calls others, and has no code",
                           Name(collective.op()), collective.name());
    }
    HloComputation* scalars = made->AddComputation(reducer.name());
    std::vector<HloInstruction*> parameters;
    for (const HloInstruction* p : reducer.parameters())
      parameters.push_back(
          scalars->AddParameter(static_cast<int64_t>(parameters.size()), p->shape()));
    scalars->set_root(scalars->Inline(reducer, parameters));
    HloComputation* entry = made->AddComputation("tile");
    made->set_entry(entry);
    const Shape tile(ResultShape(collective).element_type(), {elements});
    HloInstruction* operands[] = {entry->AddParameter(0, tile), entry->AddParameter(1, tile)};
    ASSIGN_OR_RETURN(HloInstruction * root,
                     entry->Add(HloOpcode::Map, operands, DimensionsAttrs{{0}}, {&scalars, 1}));
    entry->set_root(root);
    RETURN_IF_ERROR(MakePipeline(backend_.target()).Run(*made, passes));
    const HloInstruction* fusion = made->entry()->root();
    // What gives an operand back, or a constant, has no kernel.
    if (fusion->op() != HloOpcode::Fusion || fusion->operands().size() != 2 ||
        fusion->operand(0) != made->entry()->parameter(0) ||
        fusion->operand(1) != made->entry()->parameter(1)) {
      return Unimplemented(
          "{} '{}': its computation has no code: it must be one operation, or several, on both of "
          "its scalars",
          Name(collective.op()), collective.name());
    }
    reducers_.emplace_back(&collective, std::move(made));
    return absl::OkStatus();
  }

  // The region of a fusion, or the comparator of a sort.
  absl::Status AddKernel(const HloInstruction& fusion) {
    const HloComputation& region = *fusion.called(0);
    if (fusion.op() == HloOpcode::Sort && !IsScalarComputation(region)) {
      return Unimplemented(
          "sort {} has no code for the CPU: its comparator is more than elementwise operations on "
          "scalars",
          fusion.name());
    }
    if (plan::Outputs(region)[0]->shape().element_count() == 0)
      return absl::OkStatus();  // nothing to compute
    Region* known = nullptr;
    if (fusion.op() == HloOpcode::Fusion) {
      known = &by_region_[HashOf(region)];
      if (known->fusion != nullptr) {
        program::Notes::Kernel note = notes_.kernels[known->note];
        note.name = fusion.name();
        note.shared = true;
        notes_.kernels.push_back(std::move(note));
        entries_[&fusion] = entries_.at(known->fusion);
        return absl::OkStatus();
      }
    }
    absl::StatusOr<Backend::Lowered> lowered = backend_.Lower(region, options_.emit);
    if (!lowered.ok()) return Annotate(lowered.status(), fusion.name());
    const plan::Plan& plan = lowered->plan;
    const kernel::Kernel& kernel = lowered->kernel;
    // Nests of several boxes choose their places from lists, of which affine arithmetic does not
    // show that no two are the same: ChoosePieces divides the domain.
    const bool has_boxes =
        absl::c_any_of(plan.pieces, [](const plan::Plan& piece) { return piece.boxes.size() > 1; });
    RETURN_IF_ERROR(
        Verified(kernel, Format("kernel of {}", fusion.name()), {.aliases = !has_boxes}));
    Entry entry;
    entry.nanoseconds = lowered->nanoseconds;
    entry.facts = FactsOf(region, plan, kernel);
    if (fusion.op() == HloOpcode::Fusion) entry.cost = CostOf(region);
    ASSIGN_OR_RETURN(const std::vector<const kernel::Op*> stages, kernel::StagesOf(kernel));
    const int64_t tasks = stages.empty() ? 0 : kernel::TasksOf(kernel, *stages[0], {}).value_or(0);
    notes_.kernels.push_back(Describe(fusion, *lowered, tasks));
    entry.unique = Unique(std::move(lowered->kernel), fusion.name());
    entries_[&fusion] = std::move(entry);
    if (known != nullptr) *known = {&fusion, notes_.kernels.size() - 1};
    return absl::OkStatus();
  }

  // The first kernel that is equal; the note of this one is the last.
  size_t Unique(kernel::Kernel kernel, std::string_view name) {
    auto [known, is_new] = by_hash_.try_emplace(kernel::Hash(kernel), kernels_.size());
    notes_.kernels.back().shared = !is_new;
    if (is_new) {
      note_of_.push_back(notes_.kernels.size() - 1);
      if (options_.dump)
        options_.dump(Format("50-{:03}-{}.kernel", kernels_.size(), name), kernel::Print(kernel));
      std::vector<std::vector<program::BufferUse>>& uses = uses_.emplace_back();
      if (backend_.target().cpu() != nullptr) {
        for (const kernel::Op& op : kernel.top.ops)
          if (kernel::IsStage(op)) uses.push_back(compiler::UsesOf(kernel, op));
      }
      kernels_.push_back(std::move(kernel));
      kernels_.back().name = Format("k{}", kernels_.size() - 1);
    }
    return known->second;
  }

  absl::Status Verified(const kernel::Kernel& kernel, std::string_view what,
                        const kernel::VerifyOptions& how) const {
    if (!options_.verify) return absl::OkStatus();
    absl::Status s = kernel::Verify(kernel, how);
    return s.ok() ? s : Internal("{}: {}\n{}", what, MessageOf(s), kernel::Print(kernel));
  }

  absl::Status JoinLoops(program::Program& program) {
    std::vector<JoinedLoop> loops = compiler::JoinLoops(
        program, static_cast<int>(launched_.size()), backend_.target().cpu()->vector_registers,
        [&](int kernel) -> LaunchedKernel {
          const Entry& entry = EntryOf(kernel);
          return {&kernels_[entry.unique], entry.nanoseconds, entry.cost};
        });
    for (JoinedLoop& loop : loops) {
      RETURN_IF_ERROR(Verified(loop.kernel, Format("kernel of {}", loop.name), {.aliases = false}));
      program::Notes::Kernel note;
      note.name = loop.name;
      note.nest = loop.by_columns ? "loop of kernels, by columns" : "loop of kernels";
      note.operations = std::move(loop.launches);
      ASSIGN_OR_RETURN(const auto stages, kernel::StagesOf(loop.kernel));
      note.tasks = kernel::TasksOf(loop.kernel, *stages[0], {}).value_or(1);
      Entry& entry = *joined_.emplace_back(std::make_unique<Entry>());
      entry.nanoseconds = std::move(loop.stages);
      entry.cost = loop.cost;
      notes_.kernels.push_back(std::move(note));
      entry.unique = Unique(std::move(loop.kernel), loop.name);
      launched_.push_back(&entry);
    }
    return absl::OkStatus();
  }

  // Kernels that no step launches any more are not compiled; those that a library or a collective
  // calls are given no parameters.
  void MarkUsed(const std::vector<program::Step>& steps) {
    used_.resize(kernels_.size());
    auto use = [&](int kernel, bool is_launch) {
      const size_t k = EntryOf(kernel).unique;
      used_[k] = true;
      if (!is_launch) may_share_[k] = false;
    };
    for (const program::Step& step : steps) {
      if (const auto* launch = std::get_if<program::Launch>(&step.op)) {
        use(launch->kernel, true);
      } else if (const auto* call = std::get_if<program::LibraryCall>(&step.op)) {
        if (call->code >= 0) use(call->code, false);
      } else if (const auto* collective = std::get_if<program::Collective>(&step.op)) {
        if (collective->code >= 0) use(collective->code, false);
      }
      program::ForEachBody(step, [&](const std::vector<program::Step>& body) { MarkUsed(body); });
    }
  }

  absl::Status Share() {
    for (size_t k = 0; k < kernels_.size(); ++k) may_share_[k] = may_share_[k] && used_[k];
    const size_t own = kernels_.size();
    runs_as_ = ShareKernels(kernels_, may_share_);
    for (size_t k = 0; k < own; ++k) {
      if (runs_as_[k].kernel == k) continue;
      used_[k] = false;
      notes_.kernels[note_of_[k]].shared = true;
    }
    for (size_t k = own; k < kernels_.size(); ++k) {
      runs_as_.push_back({k, {}});
      used_.push_back(true);
      if (options_.dump)
        options_.dump(Format("50-{:03}-shared.kernel", k), kernel::Print(kernels_[k]));
      // Where several parameters together are an index, their bounds do not say enough.
      RETURN_IF_ERROR(Verified(kernels_[k], "shared kernel", {.bounds = false}));
    }
    return absl::OkStatus();
  }

  // Some stages of a kernel that one thread generates code for.
  struct Work {
    size_t kernel = 0;
    std::vector<size_t> stages;
    int64_t operations = 0;
  };
  using Works = std::vector<Work>;

  static constexpr std::string_view kNoMemory =
      "the system has no memory for compiling the program";

  // Neither LLVM nor Abseil's tables can be left at every allocation that fails: code is generated
  // where there is memory for it.
  static absl::Status CheckMemory(absl::Span<const Works> shares) {
    size_t bytes = 0;
    for (const Works& share : shares) {
      bytes += tuning::kModuleMemory;
      for (const Work& work : share)
        bytes += tuning::kOperationMemory * static_cast<size_t>(work.operations);
    }
    return CanMap(bytes) ? absl::OkStatus() : ResourceExhausted(kNoMemory);
  }

  // Each share's code; the stages of all kernels learn where they are in it.
  absl::StatusOr<std::vector<program::Code>> CompileKernels() {
    std::vector<Works> shares = Shares();
    RETURN_IF_ERROR(CheckMemory(shares));
    // Kernels of which a share has some stages only.
    std::deque<kernel::Kernel> parts;
    std::vector<std::vector<const kernel::Kernel*>> kernels(shares.size());
    for (size_t share = 0; share < shares.size(); ++share) {
      for (const Work& work : shares[share]) {
        const kernel::Kernel& whole = kernels_[work.kernel];
        const bool is_whole = work.stages.size() == compiled_[work.kernel].stages.size();
        if (!is_whole) parts.push_back(kernel::WithStages(whole, work.stages));
        kernels[share].push_back(is_whole ? &whole : &parts.back());
      }
    }
    std::vector<absl::StatusOr<codegen::Compiled>> compiled(shares.size());
    codegen::Artifacts artifacts;
    // Nothing may be thrown across threads, and a status would need memory.
    std::atomic<bool> is_out_of_memory = false;
    auto compile = [&](size_t share) {
      try {
        compiled[share] =
            backend_.Compile(kernels[share], "sinter", options_.dump ? &artifacts : nullptr);
      } catch (const std::bad_alloc&) {
        is_out_of_memory = true;
      }
    };
    if (shares.size() > 1) {
      options_.workers->Run(
          static_cast<int64_t>(shares.size()), static_cast<int>(shares.size()), 1,
          [](void* context, int64_t lo, int64_t hi, int) {
            for (int64_t share = lo; share < hi; ++share)
              (*static_cast<decltype(compile)*>(context))(static_cast<size_t>(share));
          },
          &compile);
    } else if (!shares.empty()) {
      compile(0);
    }
    if (is_out_of_memory) return ResourceExhausted(kNoMemory);
    std::vector<program::Code> codes;
    for (size_t share = 0; share < shares.size(); ++share) {
      ASSIGN_OR_RETURN(codegen::Compiled code, std::move(compiled[share]));
      for (size_t k = 0; k < shares[share].size(); ++k)
        Place(shares[share][k], code.kernels[k], static_cast<int>(share));
      codes.push_back(std::move(code.code));
    }
    if (options_.dump && !shares.empty()) {
      options_.dump("60-module.ll", artifacts.llvm_ir);
      options_.dump(Format("70-module.{}", backend_.extension()), artifacts.assembly);
      // Without what writing these files took, but for the passes' own.
      options_.dump("80-times.txt",
                    Format("milliseconds\npasses over the graph  {:.3f}\nplans and kernel IR    "
                           "{:.3f}\nLLVM IR                {:.3f}\nLLVM passes            "
                           "{:.3f}\ncode generation        {:.3f}\n",
                           notes_.pass_ms, notes_.kernel_ms, artifacts.times.emit,
                           artifacts.times.passes, artifacts.times.codegen));
    }
    return codes;
  }
  void Place(const Work& work, const codegen::KernelInfo& info, int code) {
    CompiledKernel& kernel = compiled_[work.kernel];
    kernel.buffers = info.buffers.size();
    kernel.task_bytes = info.task_bytes;
    for (size_t k = 0; k < work.stages.size(); ++k) {
      program::Stage& stage = kernel.stages[work.stages[k]];
      stage.function = info.stages[k].function;
      stage.tasks = info.stages[k].tasks.value_or(1);
      stage.threads = info.threads;
      stage.code = code;
    }
  }

  // What one thread each generates code for: about as much work, kernels and their stages in order.
  // What is dumped or seen is one module.
  std::vector<Works> Shares() {
    Works all;
    int64_t operations = 0, most = 0;
    for (size_t k = 0; k < kernels_.size(); ++k) {
      compiled_.emplace_back();
      if (!used_[k]) continue;
      if (options_.see_kernel) options_.see_kernel(kernels_[k]);
      const Works stages = StagesOf(k);
      Work work{k};
      for (const Work& stage : stages) Append(stage, work);
      compiled_.back().stages.resize(stages.size());
      operations += work.operations;
      most += std::ssize(stages);
      all.push_back(std::move(work));
    }
    if (all.empty()) return {};
    int64_t count = options_.workers != nullptr ? options_.workers->parallelism() : 1;
    count = std::min({count, most, operations / tuning::kModuleOperations});
    if (count < 2 || options_.dump || options_.see_kernel) return {std::move(all)};
    CutLongest(all, operations / count);
    // The largest first, each to who has the least.
    std::stable_sort(all.begin(), all.end(),
                     [](const Work& a, const Work& b) { return a.operations > b.operations; });
    std::vector<Works> shares(static_cast<size_t>(std::min<int64_t>(count, std::ssize(all))));
    std::vector<int64_t> load(shares.size());
    for (Work& work : all) {
      const auto least = std::min_element(load.begin(), load.end()) - load.begin();
      load[static_cast<size_t>(least)] += work.operations;
      shares[static_cast<size_t>(least)].push_back(std::move(work));
    }
    for (Works& share : shares) JoinStages(share);
    return shares;
  }
  // Each stage of a kernel by itself.
  Works StagesOf(size_t k) const {
    Works stages;
    for (const kernel::Op& op : kernels_[k].top.ops) {
      if (!kernel::IsStage(op)) continue;
      stages.push_back(
          {k, {stages.size()}, tuning::kFunctionOperations + kernel::OperationCount(op)});
    }
    return stages;
  }
  // Of the same kernel.
  static void Append(const Work& more, Work& work) {
    work.stages.insert(work.stages.end(), more.stages.begin(), more.stages.end());
    work.operations += more.operations;
  }
  // A kernel that is more than a share becomes one work a stage.
  void CutLongest(Works& all, int64_t share) const {
    Works cut;
    for (Work& work : all) {
      if (work.operations <= share || work.stages.size() < 2) {
        cut.push_back(std::move(work));
        continue;
      }
      absl::c_move(StagesOf(work.kernel), std::back_inserter(cut));
    }
    all = std::move(cut);
  }
  // In order, and the stages of a kernel together.
  static void JoinStages(Works& share) {
    absl::c_sort(share, [](const Work& a, const Work& b) {
      return std::tie(a.kernel, a.stages) < std::tie(b.kernel, b.stages);
    });
    Works joined;
    for (Work& work : share) {
      if (joined.empty() || joined.back().kernel != work.kernel) {
        joined.push_back(std::move(work));
      } else {
        Append(work, joined.back());
      }
    }
    share = std::move(joined);
  }

  // The stage of a kernel that the runtime's own code calls, element by element or tile by tile.
  absl::StatusOr<program::Stage> CalledStage(int kernel, std::string_view what) const {
    const CompiledKernel& called = CompiledOf(kernel);
    RETURN_INTERNAL_IF(called.stages.size() != 1 || called.task_bytes != 0,
                       "a {} of {} stages with {} bytes", what, called.stages.size(),
                       called.task_bytes);
    return called.stages[0];
  }
  // Of a launch's kernel.
  const Entry& EntryOf(int kernel) const { return *launched_[static_cast<size_t>(kernel)]; }
  KernelUses UsesOf(int kernel) {
    const size_t k = EntryOf(kernel).unique;
    return {&kernels_[k], &uses_[k]};
  }
  const CompiledKernel& CompiledOf(int kernel) const {
    return compiled_[runs_as_[EntryOf(kernel).unique].kernel];
  }

  // Launches learn their functions.
  absl::Status Link(std::vector<program::Step>& steps) {
    for (program::Step& step : steps) {
      if (auto* launch = std::get_if<program::Launch>(&step.op)) {
        const Entry& entry = EntryOf(launch->kernel);
        const CompiledKernel& kernel = CompiledOf(launch->kernel);
        launch->dims = runs_as_[entry.unique].dims;
        launch->task_bytes = kernel.task_bytes;
        launch->cost = entry.cost;
        RETURN_INTERNAL_IF(kernel.buffers != launch->buffers.size(),
                           "{} buffers for a kernel of {}", launch->buffers.size(), kernel.buffers);
        launch->stages = kernel.stages;
        for (size_t k = 0; k < launch->stages.size(); ++k) {
          launch->stages[k].nanoseconds =
              static_cast<int64_t>(entry.nanoseconds[std::min(k, entry.nanoseconds.size() - 1)]);
          if (k < uses_[entry.unique].size()) launch->stages[k].uses = uses_[entry.unique][k];
        }
      } else if (auto* call = std::get_if<program::LibraryCall>(&step.op)) {
        if (const CpuMachine* cpu = backend_.target().cpu()) call->vector_bytes = cpu->vector_bytes;
        if (call->code < 0) continue;
        ASSIGN_OR_RETURN(const program::Stage comparator, CalledStage(call->code, "comparator"));
        call->code = comparator.code;
        call->function = comparator.function;
      } else if (auto* collective = std::get_if<program::Collective>(&step.op)) {
        if (collective->code < 0) continue;
        ASSIGN_OR_RETURN(const program::Stage reducer, CalledStage(collective->code, "reducer"));
        collective->code = reducer.code;
        collective->function = reducer.function;
        collective->tasks = reducer.tasks;
      }
      absl::Status status;
      program::ForEachBody(step, [&](std::vector<program::Step>& body) {
        if (status.ok()) status = Link(body);
      });
      RETURN_IF_ERROR(status);
    }
    return absl::OkStatus();
  }

  HloModule& module_;
  Backend& backend_;
  const Options& options_;
  program::Notes notes_;
  std::vector<kernel::Kernel> kernels_;
  std::map<kernel::KernelHash, size_t> by_hash_;
  // Regions that have been lowered, which equal ones need not be, and their notes.
  struct Region {
    const HloInstruction* fusion = nullptr;
    size_t note = 0;
  };
  std::map<Hash128, Region> by_region_;
  std::map<const HloInstruction*, Entry> entries_;
  // Of collectives that reduce.
  std::vector<std::pair<const HloInstruction*, std::unique_ptr<HloModule>>> reducers_;
  std::vector<std::unique_ptr<Entry>> joined_;  // of loops
  std::vector<const Entry*> launched_;          // by the kernel of a launch
  std::vector<size_t> note_of_;                 // by kernel: of the first that has it
  std::vector<bool> used_, may_share_;          // by kernel
  std::vector<std::vector<std::vector<program::BufferUse>>> uses_;  // by kernel and stage
  std::vector<SharedCode> runs_as_;                                 // by kernel
  std::vector<CompiledKernel> compiled_;                            // by kernel
};

}  // namespace

absl::StatusOr<program::Program> Compile(HloModule& module, Backend& backend,
                                         const Options& options) {
  return ProgramCompiler(module, backend, options).Run();
}

absl::Status Simplify(HloModule& module, const Options& options) {
  PipelineOptions passes = options.passes;
  passes.verify |= options.verify;
  if (options.partitions > 1) {
    module.set_partition_count(options.partitions);
    RETURN_IF_ERROR(MakePartitionPipeline(options.partition).Run(module, passes));
  }
  return MakeSimplifyPipeline().Run(module, passes);
}

}  // namespace sinter::compiler
