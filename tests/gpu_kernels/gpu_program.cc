#include "gpu_kernels/gpu_program.h"

#include <cstring>

#include "base/status.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/assign_layouts.h"
#include "codegen/kernel/hash.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/place_syncs.h"
#include "codegen/kernel/stages.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/merge_dimensions.h"
#include "compiler/facts.h"
#include "pipelines/pipeline.h"
#include "types/packing.h"
#include "unit/codegen/kernel/races.h"

namespace sinter::testing {
namespace {

constexpr int64_t kSharedBytes = 48 << 10;  // that every device gives a block

absl::Status Check(const kernel::Kernel& k) {
  RETURN_IF_ERROR(kernel::Verify(k));
  const std::string text = kernel::Print(k);
  ASSIGN_OR_RETURN(kernel::Kernel read, kernel::Parse(text));
  RETURN_INTERNAL_IF(kernel::Print(read) != text || kernel::Hash(read) != kernel::Hash(k),
                     "the text does not survive reading");
  int64_t shared = 0;
  for (const kernel::Buffer& b : k.buffers) {
    if (b.space == kernel::Space::kTask)
      shared += kernel::BufferBytes(k, b).value_or(kSharedBytes + 1);
  }
  RETURN_INTERNAL_IF(shared > kSharedBytes, "{} bytes of shared memory", shared);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GpuProgram>> GpuProgram::Make(std::unique_ptr<HloModule> module,
                                                             const GpuProgramOptions& options) {
  auto p = std::make_unique<GpuProgram>();
  p->module_ = std::move(module);
  const ComputationShape stated = p->module_->entry()->shape();
  PipelineOptions passes;
  passes.verify = true;
  if (!options.simplify)
    passes.disabled = {"algebraic", "constant-folding", "common-subexpressions"};
  RETURN_IF_ERROR(MakePipeline(options.machine).Run(*p->module_, passes));
  for (const auto& c : p->module_->computations()) {
    for (const auto& i : c->instructions()) {
      if (i->op() == HloOpcode::Fusion) RETURN_IF_ERROR(p->AddUnit(*i, options));
    }
  }
  ASSIGN_OR_RETURN(
      p->assigned_,
      AssignBuffers(
          *p->module_, [&](const HloInstruction* i) -> const KernelFacts& { return p->facts_[i]; },
          1));
  StateSignature(stated, p->assigned_.program);
  return p;
}

absl::Status GpuProgram::AddUnit(const HloInstruction& fusion, const GpuProgramOptions& options) {
  const HloComputation& region = *fusion.called(0);
  if (plan::Outputs(region)[0]->shape().element_count() == 0) return absl::OkStatus();
  Unit unit;
  unit.merged = plan::MergeDimensions(region);
  const HloComputation& planned = unit.merged != nullptr ? *unit.merged->entry() : region;
  ASSIGN_OR_RETURN(unit.plan, plan::MakePlan(planned, options.machine));
  auto emitted = emit::EmitKernel(planned, unit.plan, "k");
  if (!emitted.ok()) return Annotate(emitted.status(), fusion.name());
  unit.kernel = *std::move(emitted);
  RETURN_IF_ERROR(kernel::AssignLayouts(unit.kernel, {.warps = unit.plan.warps}));
  RETURN_IF_ERROR(kernel::PlaceSyncs(unit.kernel));
  if (absl::Status s = Check(unit.kernel); !s.ok()) {
    return Internal("kernel of {}: {}\n{}", fusion.name(), MessageOf(s),
                    kernel::Print(unit.kernel));
  }
  facts_[&fusion] = compiler::FactsOf(region, unit.plan, unit.kernel);
  unit_of_[&fusion] = units_.size();
  units_.push_back(std::move(unit));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> GpuProgram::Run(absl::Span<const Literal> arguments) const {
  const program::Program& p = assigned_.program;
  std::vector<Literal> constants = p.constants;
  std::vector<Literal> results(p.result_shapes.begin(), p.result_shapes.end());
  std::vector<std::vector<std::byte>> own(p.allocations.size());
  std::vector<std::byte> arena(static_cast<size_t>(p.temp_bytes));
  std::vector<std::byte*> bases;
  for (size_t i = 0; i < p.allocations.size(); ++i) {
    const program::Allocation& a = p.allocations[i];
    switch (a.residence) {
      case program::Residence::kArgument: {
        const Literal& argument = arguments[static_cast<size_t>(a.index)];
        own[i].resize(static_cast<size_t>(argument.shape().packed_byte_size()));
        ToBuffer(argument, own[i].data());
        bases.push_back(own[i].data());
        break;
      }
      case program::Residence::kConstant:
        bases.push_back(
            static_cast<std::byte*>(constants[static_cast<size_t>(a.index)].untyped_data()));
        break;
      case program::Residence::kTemp:
        bases.push_back(arena.data() + a.offset);
        break;
      case program::Residence::kResult:
        own[i].resize(static_cast<size_t>(a.size));
        bases.push_back(own[i].data());
        break;
    }
  }
  RETURN_IF_ERROR(Execute(p.steps, bases));
  for (size_t i = 0; i < results.size(); ++i) {
    const program::Slice& s = p.results[i];
    if (s.size == 0) continue;
    FromBuffer(bases[static_cast<size_t>(s.allocation)] + s.offset, results[i]);
  }
  return results;
}

absl::Status GpuProgram::Execute(const std::vector<program::Step>& steps,
                                 absl::Span<std::byte* const> bases) const {
  auto at = [&](const program::Slice& s) {
    return bases[static_cast<size_t>(s.allocation)] + s.offset;
  };
  for (const program::Step& step : steps) {
    if (const auto* launch = std::get_if<program::Launch>(&step.op)) {
      RETURN_IF_ERROR(Execute(*launch, bases));
    } else if (const auto* copy = std::get_if<program::Copy>(&step.op)) {
      const auto size = static_cast<size_t>(copy->source.size);
      if (size > 0) std::memmove(at(copy->destination), at(copy->source), size);
    } else if (const auto* loop = std::get_if<program::While>(&step.op)) {
      for (;;) {
        RETURN_IF_ERROR(Execute(loop->condition, bases));
        if (*at(loop->predicate) == std::byte{0}) break;
        RETURN_IF_ERROR(Execute(loop->body, bases));
      }
    } else if (const auto* branch = std::get_if<program::Conditional>(&step.op)) {
      const int64_t last = static_cast<int64_t>(branch->branches.size()) - 1;
      int32_t selected = 0;
      if (branch->selector_is_predicate) {
        selected = *at(branch->selector) != std::byte{0} ? 0 : 1;
      } else {
        std::memcpy(&selected, at(branch->selector), sizeof selected);
      }
      const int64_t taken = selected < 0 || selected > last ? last : selected;
      RETURN_IF_ERROR(Execute(branch->branches[static_cast<size_t>(taken)], bases));
    }
  }
  return absl::OkStatus();
}

absl::Status GpuProgram::Execute(const program::Launch& launch,
                                 absl::Span<std::byte* const> bases) const {
  const HloInstruction* fusion = assigned_.fusions[static_cast<size_t>(launch.kernel)];
  const kernel::Kernel& k = units_[unit_of_.at(fusion)].kernel;
  std::vector<void*> buffers;
  for (const program::Slice& s : launch.buffers)
    buffers.push_back(bases[static_cast<size_t>(s.allocation)] + s.offset);
  kernel::RaceChecker races(k);
  absl::Status status = kernel::Interpret(k, buffers, launch.dims, &races);
  if (!status.ok()) return Internal("{}\n{}", MessageOf(status), kernel::Print(k));
  RETURN_INTERNAL_IF(!races.race().empty(), "race: {}\n{}", races.race(), kernel::Print(k));
  return absl::OkStatus();
}

}  // namespace sinter::testing
