#include "api/interpreter.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/sized_execution.h"
#include "base/hash.h"
#include "base/status.h"
#include "eval/custom_call.h"
#include "eval/eval.h"
#include "ir/analysis/equality.h"
#include "ir/decomposition_call.h"
#include "passes/buffers/assign.h"
#include "passes/expand/entry_layouts.h"
#include "sinter/testing.h"
#include "types/leaves.h"
#include "types/packing.h"

namespace sinter::api {
namespace {

// Tokens hold nothing, and are no arguments.
Shape WithoutTokens(const Shape& shape) {
  std::vector<Shape> elements;
  for (const Shape& s : shape.tuple_shapes()) {
    if (!s.is_token()) elements.push_back(WithoutTokens(s));
  }
  return shape.is_tuple() ? Shape::Tuple(std::move(elements)) : shape;
}

// The signature of a module, all of it arrays of static shapes (program::Program), in the layouts
// of `stated`, the shape of its entry.
program::Program SignatureOf(const HloModule& module, const ComputationShape& stated) {
  program::Program p;
  p.name = module.name();
  ComputationShape arrays;
  for (const Shape& s : stated.parameters) {
    if (!s.is_token()) arrays.parameters.push_back(WithoutTokens(s));
  }
  arrays.result = stated.result.is_token() ? Shape::Tuple({}) : WithoutTokens(stated.result);
  StateSignature(arrays, p);
  p.parameters = stated.parameters;
  p.result = stated.result;
  return p;
}

program::Slice AddAllocation(program::Program& p, program::Residence residence, size_t index,
                             const Shape& shape) {
  program::Allocation a;
  a.residence = residence;
  a.index = static_cast<int>(index);
  a.size = shape.packed_byte_size();
  p.allocations.push_back(a);
  return {static_cast<int>(p.allocations.size()) - 1, 0, a.size};
}

absl::StatusOr<Compiled> Interpret(const HloModule& module, const CompileOptions& options) {
  if (options.replicas * options.partitions != 1)
    return Unimplemented("a client of the interpreter runs programs of one participant");
  std::unique_ptr<HloModule> copy = module.Clone();
  RETURN_IF_ERROR(AddDonations(*copy, options.donated_parameters));
  Compiled out;
  out.donated = AliasedParameters(*copy);
  out.donated.insert(out.donated.end(), options.donated_parameters.begin(),
                     options.donated_parameters.end());
  EntryLayouts layouts;
  if (options.stated_layouts) {
    ASSIGN_OR_RETURN(layouts, StatedLayouts(*copy));
  }
  const ComputationShape stated = InLayouts(copy->entry()->shape(), layouts);
  if (!layouts.empty()) RETURN_IF_ERROR(MoveEntryToMemory(*copy, layouts));
  program::Program p = SignatureOf(*copy, InLayouts(copy->entry()->shape(), {}));
  program::CustomCall call;
  call.target = kInterpreterTarget;
  for (size_t i = 0; i < p.argument_shapes.size(); ++i) {
    call.operands.push_back(
        AddAllocation(p, program::Residence::kArgument, i, p.argument_shapes[i]));
  }
  for (size_t i = 0; i < p.result_shapes.size(); ++i) {
    p.results.push_back(AddAllocation(p, program::Residence::kResult, i, p.result_shapes[i]));
  }
  call.results = p.results;
  call.operand_shapes = p.argument_shapes;
  call.result_shapes = p.result_shapes;
  call.tuple_result = true;
  p.steps.push_back({std::move(call)});
  if (!layouts.empty()) {
    program::Program seen = SignatureOf(*copy, stated);
    p.parameters = std::move(seen.parameters);
    p.result = std::move(seen.result);
    p.argument_shapes = std::move(seen.argument_shapes);
    p.result_shapes = std::move(seen.result_shapes);
  }
  out.program = std::move(p);
  out.interpreted = std::move(copy);
  return out;
}

int64_t ReadSize(const CustomCallFrame::Array& scalar) {
  return *static_cast<const int32_t*>(scalar.data);
}

// A literal of a parameter's shape, of arrays that are taken from the front of `arrays`.
Literal Assemble(const Shape& shape, std::vector<Literal>& arrays, size_t& next) {
  if (shape.is_array()) return std::move(arrays[next++]);
  if (!shape.is_tuple()) return Literal(shape);
  std::vector<Literal> elements;
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(Assemble(s, arrays, next));
  return Literal::Tuple(std::move(elements));
}

// The arguments of a run, in their real sizes.
std::vector<Literal> Arguments(const program::Program& p, const CustomCallFrame& frame) {
  const size_t count = p.argument_shapes.size() - p.argument_sizes.size();
  std::vector<Literal> arrays;
  for (size_t i = 0; i < count; ++i) {
    Literal& x = arrays.emplace_back(p.argument_shapes[i]);
    if (x.byte_size() > 0) FromBuffer(frame.operands[i].data, x);
  }
  std::vector<std::vector<int64_t>> real;
  for (const Literal& x : arrays) real.push_back(x.shape().dimensions());
  for (const program::DynamicSize& s : p.argument_sizes) {
    real[static_cast<size_t>(s.array)][static_cast<size_t>(s.dimension)] =
        ReadSize(frame.operands[static_cast<size_t>(s.size)]);
  }
  for (size_t i = 0; i < count; ++i) {
    if (real[i] != arrays[i].shape().dimensions()) arrays[i] = Resized(arrays[i], real[i]);
  }
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Shape& s : p.parameters) arguments.push_back(Assemble(s, arrays, next));
  return arguments;
}

void WriteResults(const program::Program& p, const Literal& result, const CustomCallFrame& frame) {
  std::vector<const Literal*> leaves;
  AppendLeaves(result, leaves);
  std::erase_if(leaves, [](const Literal* leaf) { return !leaf->shape().is_array(); });
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Literal& leaf = *leaves[i];
    const std::vector<int64_t>& bounds = p.result_shapes[i].dimensions();
    if (p.result_shapes[i].byte_size() == 0) continue;
    if (leaf.shape().dimensions() == bounds) {
      ToBuffer(leaf, frame.results[i].data);
    } else {
      ToBuffer(Resized(leaf, bounds), frame.results[i].data);
    }
  }
  for (const program::DynamicSize& s : p.result_sizes) {
    const Shape& real = leaves[static_cast<size_t>(s.array)]->shape();
    *static_cast<int32_t*>(frame.results[static_cast<size_t>(s.size)].data) =
        static_cast<int32_t>(real.dimension(s.dimension));
  }
}

// Custom calls whose targets are in the registry; others are the interpreter's own.
EvalOptions::CustomCall OfRegistry(const std::shared_ptr<const CustomCallRegistry>& registry) {
  return [registry](const HloInstruction& i,
                    absl::Span<const Literal> operands) -> absl::StatusOr<std::optional<Literal>> {
    const std::string& target = i.attrs<CustomCallAttrs>().custom_call_target;
    if (IsCheck(target) || IsDecompositionTarget(target)) return std::nullopt;
    CustomCallTargets targets;
    targets.registry = registry;
    return eval::CallTarget(i, {operands.begin(), operands.end()}, targets);
  };
}

// The programs have no code.
class NoLoader : public program::Loader {
 public:
  absl::StatusOr<std::shared_ptr<program::LoadedCode>> Load(const program::Code&) override {
    return Internal("code in a program for the interpreter");
  }
};

}  // namespace

Compiler InterpreterCompiler() {
  Compiler compiler;
  compiler.loader = std::make_shared<NoLoader>();
  compiler.key = [](const HloModule& module, Hasher& key) { key.Add(ModuleFingerprint(module)); };
  compiler.compile = [](const HloModule& module, const CompileOptions& options, Workers&) {
    return Interpret(module, options);
  };
  return compiler;
}

OwnTarget Interpreting(std::shared_ptr<const HloModule> module,
                       std::shared_ptr<const CustomCallRegistry> custom_calls,
                       std::shared_ptr<TransferQueues> transfers) {
  auto signature = std::make_shared<const program::Program>(
      SignatureOf(*module, InLayouts(module->entry()->shape(), {})));
  return [module, signature, custom_calls, transfers](const CustomCallFrame& frame,
                                                      const CallingRun& run) -> absl::Status {
    EvalOptions options;
    if (custom_calls != nullptr) options.custom_call = OfRegistry(custom_calls);
    options.transfers = transfers.get();
    options.host = run.host;
    ASSIGN_OR_RETURN(const Literal result,
                     Evaluate(*module, Arguments(*signature, frame), options));
    WriteResults(*signature, result, frame);
    return absl::OkStatus();
  };
}

}  // namespace sinter::api
