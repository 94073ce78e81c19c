#include "compiler/compile.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/status.h"
#include "codegen/kernel/hash.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/sort_key.h"
#include "ir/text/printer.h"
#include "passes/buffers/assign.h"
#include "pipelines/cpu.h"

namespace sinter::compiler {
namespace {

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

plan::Machine MachineOf(const cpu::Target& target, int threads) {
  plan::Machine m;
  m.vector_bytes = target.vector_bytes;
  m.vector_registers = target.avx512 ? 32 : 16;
  m.threads = threads;
  return m;
}

int64_t ConstantOf(const kernel::Kernel& k, kernel::Value v) {
  for (const kernel::Op& op : k.top.ops) {
    if (op.code == kernel::OpCode::kConst && op.results[0] == v) return op.int_value;
  }
  return 0;
}

int64_t BufferBytes(const kernel::Kernel& k, const kernel::Buffer& buffer) {
  int64_t n = ByteWidth(buffer.elem);
  for (kernel::Value v : buffer.shape) n *= ConstantOf(k, v);
  return n;
}

// A fusion's kernel: `unique` is the first kernel of equal text.
struct Entry {
  size_t unique = 0;
  KernelFacts facts;
  double nanoseconds = 0;
};

class ProgramCompiler {
 public:
  ProgramCompiler(HloModule& module, cpu::Compiler& code, const Options& options, Report& report)
      : module_(module),
        code_(code),
        options_(options),
        report_(report),
        machine_(MachineOf(code.target(), options.threads)) {}

  absl::StatusOr<program::Program> Run() {
    auto start = Clock::now();
    PipelineOptions passes = options_.passes;
    passes.verify |= options_.verify;
    if (options_.dump && !passes.dump) {
      passes.dump = [&](std::string_view name, const HloModule& m) {
        options_.dump(Format("{}.hlo", name), Print(m));
      };
    }
    RETURN_IF_ERROR(CpuPipeline().Run(module_, passes));
    report_.pass_ms = Since(start);
    start = Clock::now();
    for (const auto& c : module_.computations()) {
      for (const auto& i : c->instructions()) {
        if (i->op() == HloOpcode::Fusion ||
            (i->op() == HloOpcode::Sort && !SortsByUnsignedKey(*i)))
          RETURN_IF_ERROR(AddKernel(*i));
      }
    }
    ASSIGN_OR_RETURN(BufferAssignment assigned,
                     AssignBuffers(module_, [&](const HloInstruction* i) -> const KernelFacts& {
                       return entries_.at(i).facts;
                     }));
    report_.emit_ms = Since(start);
    start = Clock::now();
    ASSIGN_OR_RETURN(cpu::Compiled compiled, CompileKernels());
    RETURN_IF_ERROR(Link(assigned.program.steps, assigned.fusions, compiled));
    if (!kernels_.empty()) assigned.program.codes.push_back(std::move(compiled.code));
    report_.codegen_ms = Since(start);
    DescribeOutside();
    return std::move(assigned.program);
  }

 private:
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
    ASSIGN_OR_RETURN(plan::Plan plan, plan::MakePlan(region, machine_));
    absl::StatusOr<kernel::Kernel> kernel = emit::EmitKernel(region, plan, "k", options_.emit);
    if (!kernel.ok()) return Annotate(kernel.status(), fusion.name());
    if (options_.verify) {
      if (absl::Status s = kernel::Verify(*kernel); !s.ok()) {
        return Internal("kernel of {}: {}\n{}", fusion.name(), MessageOf(s),
                        kernel::Print(*kernel));
      }
    }
    Entry entry;
    entry.nanoseconds = plan.nanoseconds;
    entry.facts.in_place = plan.in_place;
    if (const HloInstruction* window = plan::Window(region)) AddBases(*window, 1, entry.facts);
    if (const HloInstruction* scatter = plan::ScatterOf(region))
      AddBases(*scatter, scatter->operands().size() / 2, entry.facts);
    for (const kernel::Buffer& b : kernel->buffers) {
      if (b.space == kernel::Space::kScratch)
        entry.facts.scratch.push_back(BufferBytes(*kernel, b));
    }
    int64_t tasks = 0;
    for (const kernel::Op& op : kernel->top.ops) {
      if (op.code == kernel::OpCode::kFor && tasks == 0)
        tasks = ConstantOf(*kernel, op.operands[1]);
    }
    auto [known, is_new] = by_hash_.try_emplace(kernel::Hash(*kernel), kernels_.size());
    entry.unique = known->second;
    if (is_new) {
      if (options_.dump)
        options_.dump(Format("50-{:03}-{}.kernel", kernels_.size(), fusion.name()),
                      kernel::Print(*kernel));
      kernels_.push_back(*std::move(kernel));
      kernels_.back().name = Format("k{}", kernels_.size() - 1);
    }
    Describe(fusion, plan, !is_new, tasks);
    entries_[&fusion] = std::move(entry);
    return absl::OkStatus();
  }

  // The first `count` operands of the operation are what its results begin as. Only there, they are
  // not read.
  static void AddBases(const HloInstruction& i, size_t count, KernelFacts& facts) {
    for (size_t k = 0; k < count; ++k) {
      const HloInstruction* base = i.operand(k);
      const auto first = i.operands().begin();
      const bool read =
          base->users().size() > 1 ||
          std::count(first + static_cast<ptrdiff_t>(count), i.operands().end(), base) > 0;
      facts.bases.push_back(
          {static_cast<size_t>(base->attrs<ParameterAttrs>().number), read});
    }
  }

  void Describe(const HloInstruction& fusion, const plan::Plan& plan, bool shared, int64_t tasks) {
    KernelReport r;
    r.name = fusion.name();
    r.tasks = tasks;
    if (plan.nest == plan::Nest::kGemm) {
      r.nest = Format("matrix product in tiles of {}x{}", plan.gemm.rows, plan.gemm.cols);
    } else {
      r.nest = plan.nest == plan::Nest::kSplit     ? "reduction in two stages"
               : plan.nest == plan::Nest::kScatter ? "scatter"
                                                   : "loop";
      if (plan.col_dim >= 0)
        r.nest += Format(" over tiles of {}x{}", plan.tile_rows, plan.tile_cols);
    }
    for (const HloInstruction* i : fusion.called(0)->PostOrder()) {
      if (i->op() == HloOpcode::Parameter || i->op() == HloOpcode::Tuple) continue;
      r.operations.push_back(Format("{} {}", Name(i->op()), i->shape().ToString()));
      if (plan.tiled.contains(i)) r.kept.push_back(i->name());
    }
    r.shared = shared;
    report_.kernels.push_back(std::move(r));
  }

  // The operations that passed fusion by.
  void DescribeOutside() {
    for (const auto& c : module_.computations()) {
      if (c.get() != module_.entry()) continue;
      for (const HloInstruction* i : c->PostOrder()) {
        switch (i->op()) {
          case HloOpcode::Fusion:
          case HloOpcode::Parameter:
          case HloOpcode::Tuple:
          case HloOpcode::GetTupleElement:
            break;
          case HloOpcode::Sort:
            report_.outside.push_back(
                Format("sort {}: a kernel of the library, {}", i->name(),
                       SortsByUnsignedKey(*i) ? "by unsigned keys" : "by compiled comparator"));
            break;
          case HloOpcode::While:
          case HloOpcode::Conditional:
            report_.outside.push_back(Format("{} {}: control flow over arrays, run step by step",
                                             Name(i->op()), i->name()));
            break;
          default:
            report_.outside.push_back(
                Format("{} {}: a view, no code", Name(i->op()), i->shape().ToString()));
        }
      }
    }
  }

  absl::StatusOr<cpu::Compiled> CompileKernels() {
    std::vector<const kernel::Kernel*> all;
    for (const kernel::Kernel& k : kernels_) all.push_back(&k);
    if (all.empty()) return cpu::Compiled{};
    cpu::Artifacts artifacts;
    ASSIGN_OR_RETURN(cpu::Compiled compiled,
                     code_.Compile(all, "sinter", options_.dump ? &artifacts : nullptr));
    if (options_.dump) {
      options_.dump("60-module.ll", artifacts.llvm_ir);
      options_.dump("70-module.s", artifacts.assembly);
    }
    return compiled;
  }

  // Launches learn their functions.
  absl::Status Link(std::vector<program::Step>& steps,
                    const std::vector<const HloInstruction*>& fusions,
                    const cpu::Compiled& compiled) {
    for (program::Step& step : steps) {
      if (auto* launch = std::get_if<program::Launch>(&step.op)) {
        const Entry& entry = entries_.at(fusions[static_cast<size_t>(launch->code)]);
        const cpu::KernelInfo& info = compiled.kernels[entry.unique];
        launch->code = 0;
        launch->task_bytes = info.task_bytes;
        RETURN_INTERNAL_IF(info.buffers.size() != launch->buffers.size(),
                           "{} buffers for a kernel of {}", launch->buffers.size(),
                           info.buffers.size());
        for (const cpu::StageInfo& s : info.stages) {
          program::Stage stage;
          stage.function = s.function;
          stage.tasks = s.tasks.value_or(1);
          stage.nanoseconds = static_cast<int64_t>(entry.nanoseconds);
          launch->stages.push_back(stage);
        }
      } else if (auto* call = std::get_if<program::LibraryCall>(&step.op)) {
        if (call->code < 0) continue;
        const Entry& entry = entries_.at(fusions[static_cast<size_t>(call->code)]);
        const cpu::KernelInfo& info = compiled.kernels[entry.unique];
        RETURN_INTERNAL_IF(info.stages.size() != 1 || info.task_bytes != 0,
                           "a comparator of {} stages with {} bytes", info.stages.size(),
                           info.task_bytes);
        call->code = 0;
        call->function = info.stages[0].function;
      } else if (auto* loop = std::get_if<program::While>(&step.op)) {
        RETURN_IF_ERROR(Link(loop->condition, fusions, compiled));
        RETURN_IF_ERROR(Link(loop->body, fusions, compiled));
      } else if (auto* branch = std::get_if<program::Conditional>(&step.op)) {
        for (auto& b : branch->branches) RETURN_IF_ERROR(Link(b, fusions, compiled));
      }
    }
    return absl::OkStatus();
  }

  HloModule& module_;
  cpu::Compiler& code_;
  const Options& options_;
  Report& report_;
  plan::Machine machine_;
  std::vector<kernel::Kernel> kernels_;
  std::map<kernel::KernelHash, size_t> by_hash_;
  std::map<const HloInstruction*, Entry> entries_;
};

}  // namespace

absl::StatusOr<program::Program> Compile(HloModule& module, cpu::Compiler& code,
                                         const Options& options, Report* report) {
  Report own;
  return ProgramCompiler(module, code, options, report ? *report : own).Run();
}

}  // namespace sinter::compiler
