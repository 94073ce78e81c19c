#include "ir/text/annotations.h"

#include <algorithm>
#include <iterator>

namespace sinter {
namespace {

using Of = AnnotationOf;

struct Row {
  Of of;
  std::string_view op;  // in HLO text; empty: any
  std::string_view name;
};

constexpr Row kRows[] = {
    // The order of the text, which is a schedule, is kept whether or not this says so.
    {Of::kModule, "", "is_scheduled"},
    // Layouts of parameters and results, held against the entry by entry_layout.h.
    {Of::kModule, "", "entry_computation_layout"},
    // What XLA's partitioner and buffer assignment may do.
    {Of::kModule, "", "alias_passthrough_params"},
    {Of::kModule, "", "allow_spmd_sharding_propagation_to_output"},
    {Of::kModule, "", "allow_spmd_sharding_propagation_to_parameters"},
    {Of::kModule, "", "cross_program_prefetches"},
    // Notes of frameworks, backends and debuggers.
    {Of::kModule, "", "backend_config"},
    {Of::kModule, "", "debug_attributes"},
    {Of::kModule, "", "frontend_attributes"},
    {Of::kModule, "", "origin_recovery_table"},

    {Of::kComputation, "", "backend_config"},
    {Of::kComputation, "", "execution_thread"},

    // Notes of frameworks, backends and debuggers, and for XLA's partitioner.
    {Of::kInstruction, "", "backend_config"},
    {Of::kInstruction, "", "frontend_attributes"},
    {Of::kInstruction, "", "origin"},
    {Of::kInstruction, "", "original_value"},
    {Of::kInstruction, "", "outer_dimension_partitions"},
    {Of::kInstruction, "", "parameter_replication"},
    {Of::kInstruction, "", "sharding"},
    {Of::kInstruction, "", "statistics"},

    // Layouts and memory, of which nothing is bound to what XLA chose.
    {Of::kInstruction, "all-gather", "constrain_layout"},
    {Of::kInstruction, "all-reduce", "constrain_layout"},
    {Of::kInstruction, "all-to-all", "constrain_layout"},
    {Of::kInstruction, "reduce-scatter", "constrain_layout"},
    {Of::kInstruction, "async-start", "output_to_operand_aliasing"},
    {Of::kInstruction, "call-start", "output_to_operand_aliasing"},
    {Of::kInstruction, "fusion", "output_to_operand_aliasing"},
    {Of::kInstruction, "copy-start", "cross_program_prefetch_index"},
    {Of::kInstruction, "copy-start", "is_cross_program_prefetch"},
    {Of::kInstruction, "outfeed", "outfeed_shape"},
    // Follows from channel_id and use_global_device_ids, which are read.
    {Of::kInstruction, "all-reduce", "mode"},
    {Of::kInstruction, "reduce-scatter", "mode"},
    // What ran a call before it was inlined or compiled: composite.h reads it.
    {Of::kInstruction, "call", "is_composite"},
    // Algorithms of products: the least exact that will do. Ours is as exact as the element types.
    {Of::kInstruction, "convolution", "algorithm"},
    {Of::kInstruction, "dot", "algorithm"},
    // Which gradient a convolution computes: its dimension numbers say what to compute.
    {Of::kInstruction, "convolution", "conv_kind"},
    {Of::kInstruction, "convolution", "convolution_kind"},
    // What XLA's own targets are told. No target here is told it.
    {Of::kInstruction, "custom-call", "batch_group_count"},
    {Of::kInstruction, "custom-call", "dim_labels"},
    {Of::kInstruction, "custom-call", "feature_group_count"},
    {Of::kInstruction, "custom-call", "literal"},
    {Of::kInstruction, "custom-call", "operand_precision"},
    {Of::kInstruction, "custom-call", "padding_type"},
    {Of::kInstruction, "custom-call", "schedule"},
    {Of::kInstruction, "custom-call", "window"},
    // Shardings on both sides of a domain.
    {Of::kInstruction, "domain", "domain"},
    // Which dimension of a dynamic reshape XLA computes: the result's shape says it.
    {Of::kInstruction, "reshape", "inferred_dimension"},
    // Of equal elements the first come first here, whether or not the program asks for it.
    {Of::kInstruction, "topk", "is_stable"},
};

}  // namespace

bool IsAnnotation(AnnotationOf of, std::string_view name, std::string_view op) {
  return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    return row.of == of && row.name == name && (row.op.empty() || row.op == op);
  });
}

bool IsAnnotationOfAnyOp(std::string_view name) {
  return IsAnnotation(AnnotationOf::kInstruction, name);
}

}  // namespace sinter
