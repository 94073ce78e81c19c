#include "cuda/emulator/program_runner.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "types/packing.h"

namespace sinter::emulator {

using program::Residence;
using program::Slice;

struct ProgramRunner::RunState {
  Memory memory;
  std::vector<char*> bases;  // of each allocation
  uint64_t seed = 0;
  int64_t rounds_left = 0;
};

absl::StatusOr<std::unique_ptr<ProgramRunner>> ProgramRunner::Load(
    const program::Program& program) {
  std::unique_ptr<ProgramRunner> runner(new ProgramRunner(program));
  for (const program::Code& code : program.codes) {
    const std::string_view ptx(reinterpret_cast<const char*>(code.object.data()),
                               code.object.size());
    ASSIGN_OR_RETURN(const std::string ir, DeviceIrOf(ptx));
    ASSIGN_OR_RETURN(auto module, Module::Load(ir));
    runner->modules_.push_back(std::move(module));
  }
  return runner;
}

absl::StatusOr<char*> ProgramRunner::Address(const Slice& slice, const RunState& run) const {
  RETURN_INTERNAL_IF(slice.allocation < 0 || slice.allocation >= static_cast<int>(run.bases.size()),
                     "program {}: no allocation {}", program_.name, slice.allocation);
  const auto a = static_cast<size_t>(slice.allocation);
  const int64_t size = program_.allocations[a].size;
  RETURN_INTERNAL_IF(slice.offset < 0 || slice.size < 0 || slice.offset + slice.size > size,
                     "program {}: bytes {} to {} of an allocation of {}", program_.name,
                     slice.offset, slice.offset + slice.size, size);
  return run.bases[a] + slice.offset;
}

absl::Status ProgramRunner::Place(absl::Span<const Literal> arguments, RunState& run) {
  RETURN_INTERNAL_IF(arguments.size() != program_.argument_shapes.size(),
                     "program {}: {} arguments for {}", program_.name, arguments.size(),
                     program_.argument_shapes.size());
  auto upload = [&](const Literal& value, char* to, int64_t size) {
    const int64_t bytes = value.shape().packed_byte_size();
    RETURN_INTERNAL_IF(bytes > size, "program {}: {} bytes for a buffer of {}", program_.name,
                       bytes, size);
    ToBuffer(value, to);
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(void* arena, run.memory.Allocate(static_cast<size_t>(program_.temp_bytes)));
  for (const program::Allocation& a : program_.allocations) {
    if (a.residence == Residence::kTemp) {
      RETURN_INTERNAL_IF(a.offset < 0 || a.offset + a.size > program_.temp_bytes,
                         "program {}: a temporary at {} of {} bytes", program_.name, a.offset,
                         program_.temp_bytes);
      run.bases.push_back(static_cast<char*>(arena) + a.offset);
      continue;
    }
    ASSIGN_OR_RETURN(void* p, run.memory.Allocate(static_cast<size_t>(a.size)));
    auto* base = static_cast<char*>(p);
    run.bases.push_back(base);
    const auto index = static_cast<size_t>(a.index);
    if (a.residence == Residence::kArgument)
      RETURN_IF_ERROR(upload(arguments[index], base, a.size));
    if (a.residence == Residence::kConstant)
      RETURN_IF_ERROR(upload(program_.constants[index], base, a.size));
    if (a.residence == Residence::kResult && a.aliased_argument >= 0) {
      RETURN_IF_ERROR(upload(arguments[static_cast<size_t>(a.aliased_argument)], base, a.size));
    }
  }
  // The program was compiled for one memory under both names.
  for (size_t r = 0; r < program_.allocations.size(); r++) {
    const int donor = program_.allocations[r].aliased_argument;
    if (program_.allocations[r].residence != Residence::kResult || donor < 0) continue;
    for (size_t a = 0; a < program_.allocations.size(); a++) {
      const program::Allocation& other = program_.allocations[a];
      if (other.residence == Residence::kArgument && other.index == donor)
        run.bases[a] = run.bases[r];
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramRunner::RunLaunch(const program::Launch& step, RunState& run) {
  Launch launch;
  launch.shared_bytes = static_cast<size_t>(step.task_bytes);
  launch.banks = banks_;
  std::vector<char*> pointers;
  for (const Slice& slice : step.buffers) {
    ASSIGN_OR_RETURN(char* p, Address(slice, run));
    pointers.push_back(p);
    launch.ranges.push_back({p, static_cast<size_t>(slice.size)});
  }
  std::vector<int64_t> dims = step.dims;
  for (char*& p : pointers) launch.arguments.push_back(&p);
  for (int64_t& d : dims) launch.arguments.push_back(&d);
  for (const program::Stage& stage : step.stages) {
    RETURN_INTERNAL_IF(stage.code < 0 || stage.code >= static_cast<int>(modules_.size()),
                       "program {}: no code {}", program_.name, stage.code);
    const auto code = static_cast<size_t>(stage.code);
    RETURN_INTERNAL_IF(stage.function < 0 ||
                           stage.function >= static_cast<int>(program_.codes[code].symbols.size()),
                       "launch {}: no function {}", step.name, stage.function);
    RETURN_INTERNAL_IF(stage.tasks < 0 || stage.tasks > INT32_MAX, "launch {}: {} tasks", step.name,
                       stage.tasks);
    if (stage.tasks == 0) continue;
    launch.symbol = program_.codes[code].symbols[static_cast<size_t>(stage.function)];
    launch.grid[0] = static_cast<uint32_t>(stage.tasks);
    launch.block[0] = static_cast<uint32_t>(stage.threads);
    launch.seed = run.seed++;
    if (absl::Status s = modules_[code]->Run(launch, run.memory); !s.ok())
      return Annotate(s, step.name);
  }
  return absl::OkStatus();
}

absl::Status ProgramRunner::RunSteps(const std::vector<program::Step>& steps, RunState& run) {
  for (const program::Step& step : steps) {
    if (const auto* launch = std::get_if<program::Launch>(&step.op)) {
      RETURN_IF_ERROR(RunLaunch(*launch, run));
    } else if (const auto* copy = std::get_if<program::Copy>(&step.op)) {
      ASSIGN_OR_RETURN(char* to, Address(copy->destination, run));
      ASSIGN_OR_RETURN(char* from, Address(copy->source, run));
      RETURN_INTERNAL_IF(copy->source.size != copy->destination.size, "a copy of {} bytes to {}",
                         copy->source.size, copy->destination.size);
      std::memmove(to, from, static_cast<size_t>(copy->source.size));
    } else if (const auto* loop = std::get_if<program::While>(&step.op)) {
      while (true) {
        RETURN_IF_ERROR(RunSteps(loop->condition, run));
        ASSIGN_OR_RETURN(const char* predicate, Address(loop->predicate, run));
        if (*predicate == 0) break;
        if (run.rounds_left-- <= 0)
          return ResourceExhausted("program {}: a loop without end", program_.name);
        RETURN_IF_ERROR(RunSteps(loop->body, run));
      }
    } else if (const auto* library = std::get_if<program::LibraryCall>(&step.op)) {
      return Unimplemented("program {}: a call of '{}' of a library", program_.name, library->name);
    } else if (const auto* call = std::get_if<program::CustomCall>(&step.op)) {
      return Unimplemented("program {}: a custom call to {}", program_.name, call->target);
    } else {
      const auto& c = std::get<program::Conditional>(step.op);
      ASSIGN_OR_RETURN(const char* selector, Address(c.selector, run));
      const auto count = static_cast<int32_t>(c.branches.size());
      RETURN_INTERNAL_IF(count == 0, "program {}: a conditional without branches", program_.name);
      int32_t branch = 0;
      if (c.selector_is_predicate) {
        branch = *selector != 0 ? 0 : 1;
      } else {
        std::memcpy(&branch, selector, sizeof branch);
      }
      if (branch < 0 || branch >= count) branch = count - 1;
      RETURN_IF_ERROR(RunSteps(c.branches[static_cast<size_t>(branch)], run));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> ProgramRunner::Run(absl::Span<const Literal> arguments,
                                                        uint64_t seed, int64_t max_rounds) {
  RunState run;
  run.seed = seed;
  run.rounds_left = max_rounds;
  RETURN_IF_ERROR(Place(arguments, run));
  RETURN_IF_ERROR(RunSteps(program_.steps, run));
  std::vector<Literal> results;
  for (size_t i = 0; i < program_.results.size(); i++) {
    Literal value(program_.result_shapes[i]);
    ASSIGN_OR_RETURN(const char* from, Address(program_.results[i], run));
    const int64_t bytes = value.shape().packed_byte_size();
    RETURN_INTERNAL_IF(bytes != program_.results[i].size, "result {}: {} bytes of {}", i,
                       program_.results[i].size, bytes);
    FromBuffer(from, value);
    results.push_back(std::move(value));
  }
  return results;
}

}  // namespace sinter::emulator
