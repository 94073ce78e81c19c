#include "kernels/program_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/thread/fp_environment.h"
#include "base/thread/workers.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "kernels/memory.h"
#include "runtime/cpu/library.h"
#include "types/packing.h"

namespace sinter::testing {
namespace {

using kernel::Kernel;
using program::Residence;
using program::Slice;

constexpr size_t kAlign = 64;
constexpr uint8_t kGarbage = 0xcd;

uint8_t* Aligned(Bytes& bytes) {
  const size_t over = reinterpret_cast<uintptr_t>(bytes.data()) % kAlign;
  return bytes.data() + (over == 0 ? 0 : kAlign - over);
}
Bytes Room(int64_t bytes) { return Bytes(static_cast<size_t>(bytes) + kAlign, kGarbage); }

// A piece of a run's memory that a launch sees; slices that share bytes share a piece.
struct Piece {
  uint8_t *begin = nullptr, *end = nullptr;
  size_t size() const { return static_cast<size_t>(end - begin); }
};

}  // namespace

struct ProgramRun::Memory {
  std::vector<uint8_t*> bases;  // of each allocation
  std::vector<Bytes> owned;

  uint8_t* Own(int64_t bytes) {
    owned.push_back(Room(bytes));
    return Aligned(owned.back());
  }
  uint8_t* At(const Slice& s) const { return bases[static_cast<size_t>(s.allocation)] + s.offset; }
};

absl::StatusOr<ProgramRun> ProgramRun::Compile(const HloModule& module, cpu::Compiler& code,
                                               program::Loader& loader,
                                               const PipelineOptions& passes,
                                               const CpuMachine& machine) {
  ProgramRun run;
  compiler::Options options;
  options.verify = true;
  options.passes = passes;
  options.see_kernel = [&](const Kernel& k) {
    for (const kernel::Op& op : k.top.ops) {
      if (op.code == kernel::OpCode::kFor) run.kernel_of_.push_back(run.kernels_.size());
    }
    run.kernels_.push_back(k);
  };
  std::unique_ptr<HloModule> copy = module.Clone();
  std::unique_ptr<compiler::Backend> backend = compiler::CpuBackend(code, machine);
  ASSIGN_OR_RETURN(run.program_, compiler::Compile(*copy, *backend, options));
  if (!run.program_.codes.empty()) {
    RETURN_INTERNAL_IF(run.program_.codes.size() != 1 ||
                           run.program_.codes[0].symbols.size() != run.kernel_of_.size(),
                       "{} stages of kernels, {} functions", run.kernel_of_.size(),
                       run.program_.codes[0].symbols.size());
    ASSIGN_OR_RETURN(run.code_, loader.Load(run.program_.codes[0]));
  }
  return run;
}

absl::StatusOr<std::vector<Literal>> ProgramRun::Run(absl::Span<const Literal> arguments) const {
  RETURN_INTERNAL_IF(arguments.size() != program_.argument_shapes.size(), "{} arguments, not {}",
                     arguments.size(), program_.argument_shapes.size());
  Memory memory;
  // Both names of what a result takes over are one memory.
  std::vector<uint8_t*> of_argument;
  for (size_t i = 0; i < arguments.size(); ++i) {
    of_argument.push_back(memory.Own(arguments[i].shape().packed_byte_size()));
    ToBuffer(arguments[i], of_argument.back());
  }
  uint8_t* arena = memory.Own(program_.temp_bytes);
  for (const program::Allocation& a : program_.allocations) {
    switch (a.residence) {
      case Residence::kArgument:
        memory.bases.push_back(of_argument[static_cast<size_t>(a.index)]);
        break;
      case Residence::kResult:
        memory.bases.push_back(a.aliased_argument >= 0
                                   ? of_argument[static_cast<size_t>(a.aliased_argument)]
                                   : memory.Own(a.size));
        break;
      case Residence::kTemp:
        memory.bases.push_back(arena + a.offset);
        break;
      case Residence::kConstant: {
        const Literal& literal = program_.constants[static_cast<size_t>(a.index)];
        memory.bases.push_back(memory.Own(literal.shape().packed_byte_size()));
        ToBuffer(literal, memory.bases.back());
        break;
      }
    }
  }
  RETURN_IF_ERROR(Steps(program_.steps, memory));
  std::vector<Literal> results;
  for (size_t r = 0; r < program_.results.size(); ++r) {
    results.emplace_back(program_.result_shapes[r]);
    FromBuffer(memory.At(program_.results[r]), results.back());
  }
  return results;
}

absl::Status ProgramRun::Steps(const std::vector<program::Step>& steps, Memory& memory) const {
  for (const program::Step& step : steps) {
    if (const auto* launch = std::get_if<program::Launch>(&step.op)) {
      RETURN_IF_ERROR(Launch(*launch, memory));
    } else if (const auto* copy = std::get_if<program::Copy>(&step.op)) {
      if (copy->source.size > 0)
        std::memmove(memory.At(copy->destination), memory.At(copy->source),
                     static_cast<size_t>(copy->source.size));
    } else if (const auto* call = std::get_if<program::LibraryCall>(&step.op)) {
      RETURN_IF_ERROR(Call(*call, memory));
    } else if (const auto* loop = std::get_if<program::While>(&step.op)) {
      for (;;) {
        RETURN_IF_ERROR(Steps(loop->condition, memory));
        if (*memory.At(loop->predicate) == 0) break;
        RETURN_IF_ERROR(Steps(loop->body, memory));
      }
    } else if (const auto* branch = std::get_if<program::Conditional>(&step.op)) {
      size_t taken = 0;
      if (branch->selector_is_predicate) {
        taken = *memory.At(branch->selector) != 0 ? 0 : 1;
      } else {
        int32_t selector = 0;
        std::memcpy(&selector, memory.At(branch->selector), sizeof selector);
        const auto count = static_cast<int32_t>(branch->branches.size());
        taken = static_cast<size_t>(selector < 0 || selector >= count ? count - 1 : selector);
      }
      RETURN_IF_ERROR(Steps(branch->branches[taken], memory));
    } else {
      return Unimplemented("a step of another kind");
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramRun::Call(const program::LibraryCall& call, Memory& memory) const {
  const runtime::cpu::LibraryKernel* kernel = runtime::cpu::FindLibraryKernel(call.name);
  RETURN_INTERNAL_IF(kernel == nullptr, "the library has no kernel '{}'", call.name);
  std::vector<int64_t> sizes;
  std::vector<void*> buffers;
  for (const Slice& s : call.buffers) {
    sizes.push_back(s.size);
    buffers.push_back(memory.At(s));
  }
  RETURN_IF_ERROR(kernel->check({sizes, call.dims, call.code >= 0}));
  const program::StageFunction stage =
      call.code >= 0 ? code_->functions()[static_cast<size_t>(call.function)] : nullptr;
  ScopedFpEnvironment fp(FpMode::kKeepDenormals);
  std::unique_ptr<Workers> workers = MakeInlineWorkers();
  const VectorTarget target = VectorTargetFor(call.vector_bytes);
  std::shared_ptr<const void> prepared;
  if (kernel->prepare != nullptr) prepared = kernel->prepare(call.dims, target);
  kernel->run({buffers.data(), call.dims.data(), stage, *workers, FpMode::kKeepDenormals, target,
               prepared.get()});
  return absl::OkStatus();
}

absl::Status ProgramRun::Launch(const program::Launch& launch, Memory& memory) const {
  if (launch.stages.empty()) return absl::OkStatus();
  const auto first = static_cast<size_t>(launch.stages[0].function);
  RETURN_INTERNAL_IF(first >= kernel_of_.size(), "launch {} has no kernel", launch.name);
  const Kernel& kernel = kernels_[kernel_of_[first]];
  std::vector<Piece> pieces;
  for (const Slice& s : launch.buffers)
    if (s.size > 0) pieces.push_back({memory.At(s), memory.At(s) + s.size});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin < pieces[kept].end)
      pieces[kept].end = std::max(pieces[kept].end, pieces[i].end);
    else
      pieces[++kept] = pieces[i];
  }
  if (!pieces.empty()) pieces.resize(kept + 1);

  const bool at_end = launches_++ % 2 == 0;
  std::vector<Bytes> copies;  // the interpreter's
  std::vector<std::unique_ptr<Guarded>> guarded;
  for (const Piece& p : pieces) {
    copies.push_back(Room(static_cast<int64_t>(p.size())));
    std::memcpy(Aligned(copies.back()), p.begin, p.size());
    guarded.push_back(std::make_unique<Guarded>(p.begin, p.size(), at_end));
  }
  std::vector<void*> interpreted, compiled;
  static uint8_t nowhere[kAlign];  // of empty buffers
  for (const Slice& s : launch.buffers) {
    if (s.size == 0) {
      interpreted.push_back(nowhere);
      compiled.push_back(nowhere);
      continue;
    }
    const auto in = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) {
      return memory.At(s) >= p.begin && memory.At(s) < p.end;
    });
    const auto which = static_cast<size_t>(in - pieces.begin());
    const auto offset = static_cast<size_t>(memory.At(s) - in->begin);
    interpreted.push_back(Aligned(copies[which]) + offset);
    compiled.push_back(static_cast<uint8_t*>(guarded[which]->data()) + offset);
  }

  ScopedFpEnvironment fp(FpMode::kKeepDenormals);
  RETURN_IF_ERROR(kernel::Interpret(kernel, interpreted, launch.dims));
  Bytes task = Room(launch.task_bytes);
  for (const program::Stage& stage : launch.stages) {
    const program::StageFunction function = code_->functions()[static_cast<size_t>(stage.function)];
    const int64_t middle = stage.tasks / 3;
    function(compiled.data(), launch.dims.data(), middle, stage.tasks, Aligned(task));
    function(compiled.data(), launch.dims.data(), 0, middle, Aligned(task));
  }

  size_t next = 0;
  for (const kernel::Buffer& b : kernel.buffers) {
    if (b.space != kernel::Space::kArgument && b.space != kernel::Space::kScratch) continue;
    const auto size = static_cast<size_t>(launch.buffers[next].size);
    const auto *expected = static_cast<const uint8_t*>(interpreted[next]),
               *actual = static_cast<const uint8_t*>(compiled[next]);
    ++next;
    if (size == 0 || std::memcmp(expected, actual, size) == 0) continue;
    const auto width = static_cast<size_t>(ByteWidth(b.elem));
    for (size_t at = 0; at + width <= size; at += width) {
      if (SameElement(b.elem, expected + at, actual + at)) continue;
      uint64_t e = 0, a = 0;
      std::memcpy(&e, expected + at, width);
      std::memcpy(&a, actual + at, width);
      return absl::DataLossError(
          Format("kernel {}: buffer {}, element {}: machine code gives {:#x}, the interpreter "
                 "{:#x}\n{}",
                 launch.name, b.name, at / width, a, e, kernel::Print(kernel)));
    }
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    std::memcpy(pieces[i].begin, guarded[i]->data(), pieces[i].size());
  return absl::OkStatus();
}

}  // namespace sinter::testing
