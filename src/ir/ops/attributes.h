// Attributes of operations: plain structs with a Fields() tuple, from which printing, parsing,
// hashing, equality and the cache key derive. Field names are those of HLO text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "ir/ops/window.h"
#include "sinter/literal.h"
#include "sinter/op_options.h"
#include "sinter/shape.h"

namespace sinter {

template <class Struct, class T>
struct Field {
  std::string_view name;
  T Struct::*member;
};
template <class Struct, class T>
Field(std::string_view, T Struct::*) -> Field<Struct, T>;

// Calls f(name, value) for each field of an attribute struct, const or not.
template <class Struct, class F>
void ForEachField(Struct& attrs, [[maybe_unused]] F&& f) {
  std::apply([&](const auto&... field) { (f(field.name, attrs.*field.member), ...); },
             std::remove_const_t<Struct>::Fields());
}

using Dims = std::vector<int64_t>;
// Of participants, named by their numbers: each group by itself, or pairs of source and target.
using Groups = std::vector<Dims>;

struct NoAttrs {
  bool operator==(const NoAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{}; }
};
struct ParameterAttrs {
  int64_t number = 0;
  bool operator==(const ParameterAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"number", &ParameterAttrs::number}}; }
};
struct ConstantAttrs {
  std::shared_ptr<const Literal> value;
  bool operator==(const ConstantAttrs& o) const {
    return value == o.value || (value && o.value && *value == *o.value);
  }
  static constexpr auto Fields() { return std::tuple{Field{"value", &ConstantAttrs::value}}; }
};
struct IotaAttrs {
  int64_t iota_dimension = 0;
  bool operator==(const IotaAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"iota_dimension", &IotaAttrs::iota_dimension}};
  }
};
struct TupleElementAttrs {
  int64_t index = 0;
  bool operator==(const TupleElementAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"index", &TupleElementAttrs::index}}; }
};
struct CompareAttrs {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
  bool operator==(const CompareAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"direction", &CompareAttrs::direction},
                      Field{"type", &CompareAttrs::type}};
  }
};
// broadcast (operand dimension i becomes result dimension dimensions[i]; extent 1 stretches as in
// StableHLO's broadcast_in_dim), transpose (result dimension i is operand dimension dimensions[i]),
// reverse, reduce (the reduced ones), map, concatenate (exactly one).
struct DimensionsAttrs {
  Dims dimensions;
  bool operator==(const DimensionsAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"dimensions", &DimensionsAttrs::dimensions}};
  }
};
struct SliceAttrs {
  Dims starts, limits, strides;
  bool operator==(const SliceAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"starts", &SliceAttrs::starts}, Field{"limits", &SliceAttrs::limits},
                      Field{"strides", &SliceAttrs::strides}};
  }
};
struct PadAttrs {
  Dims low, high, interior;  // low and high may be negative
  bool operator==(const PadAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"low", &PadAttrs::low}, Field{"high", &PadAttrs::high},
                      Field{"interior", &PadAttrs::interior}};
  }
};
struct DynamicSliceAttrs {
  Dims dynamic_slice_sizes;
  bool operator==(const DynamicSliceAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"dynamic_slice_sizes", &DynamicSliceAttrs::dynamic_slice_sizes}};
  }
};
// The result's dimensions: batch, left free, right free, each in the operands' order (StableHLO
// dot_general).
struct DotAttrs {
  Dims lhs_batch_dims, rhs_batch_dims, lhs_contracting_dims, rhs_contracting_dims;
  Precision lhs_precision = Precision::kDefault, rhs_precision = Precision::kDefault;
  bool operator==(const DotAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"lhs_batch_dims", &DotAttrs::lhs_batch_dims},
                      Field{"rhs_batch_dims", &DotAttrs::rhs_batch_dims},
                      Field{"lhs_contracting_dims", &DotAttrs::lhs_contracting_dims},
                      Field{"rhs_contracting_dims", &DotAttrs::rhs_contracting_dims},
                      Field{"lhs_precision", &DotAttrs::lhs_precision},
                      Field{"rhs_precision", &DotAttrs::rhs_precision}};
  }
};
// A dimension of lhs is cut into groups, whose sizes the third operand gives (ir/ops/ragged_dot.h).
struct RaggedDotAttrs : DotAttrs {
  Dims lhs_ragged_dims, rhs_group_dims;
  bool operator==(const RaggedDotAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple_cat(DotAttrs::Fields(),
                          std::tuple{Field{"lhs_ragged_dims", &RaggedDotAttrs::lhs_ragged_dims},
                                     Field{"rhs_group_dims", &RaggedDotAttrs::rhs_group_dims}});
  }
};
struct ReducePrecisionAttrs {
  int64_t exponent_bits = 8, mantissa_bits = 23;
  bool operator==(const ReducePrecisionAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"exponent_bits", &ReducePrecisionAttrs::exponent_bits},
                      Field{"mantissa_bits", &ReducePrecisionAttrs::mantissa_bits}};
  }
};
// One operand, or, of complex numbers, their real and their imaginary parts: only passes write it
// so.
struct FftAttrs {
  FftType fft_type = FftType::kFft;
  Dims fft_length;  // of the last dimensions; of the real side, where there is one
  // Dimensions behind those that are transformed: of complex results only. Only passes write them.
  int64_t trailing = 0;
  bool operator==(const FftAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"fft_type", &FftAttrs::fft_type},
                      Field{"fft_length", &FftAttrs::fft_length},
                      Field{"trailing", &FftAttrs::trailing}};
  }
};
struct CholeskyAttrs {
  bool lower = false;
  bool operator==(const CholeskyAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"lower", &CholeskyAttrs::lower}}; }
};
struct TriangularSolveAttrs {
  bool left_side = false, lower = false, unit_diagonal = false;
  MatrixTranspose transpose_a = MatrixTranspose::kNoTranspose;
  bool operator==(const TriangularSolveAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"left_side", &TriangularSolveAttrs::left_side},
                      Field{"lower", &TriangularSolveAttrs::lower},
                      Field{"unit_diagonal", &TriangularSolveAttrs::unit_diagonal},
                      Field{"transpose_a", &TriangularSolveAttrs::transpose_a}};
  }
};
struct RngAttrs {
  RandomDistribution distribution = RandomDistribution::kUniform;
  bool operator==(const RngAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"distribution", &RngAttrs::distribution}};
  }
};
struct RngStateAttrs {
  int64_t delta = 0;  // by how much the state is advanced
  bool operator==(const RngStateAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"delta", &RngStateAttrs::delta}}; }
};
struct RngBitGeneratorAttrs {
  RandomAlgorithm algorithm = RandomAlgorithm::kDefault;
  bool operator==(const RngBitGeneratorAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"algorithm", &RngBitGeneratorAttrs::algorithm}};
  }
};
// all-gather, all-reduce, all-to-all, collective-broadcast, collective-reduce, reduce-scatter. No
// groups: all participants are one. The groups are of replicas unless there is a channel, of
// devices where `use_global_device_ids` says so.
struct CollectiveAttrs {
  std::optional<int64_t> channel_id;
  Groups replica_groups;
  Dims dimensions;  // along which arrays are split: one, or none for ops that do not split
  bool use_global_device_ids = false;
  // The last operand has, for each of the others, the participant that it is from or for.
  bool has_dynamic_root = false;
  bool operator==(const CollectiveAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"channel_id", &CollectiveAttrs::channel_id},
                      Field{"replica_groups", &CollectiveAttrs::replica_groups},
                      Field{"dimensions", &CollectiveAttrs::dimensions},
                      Field{"use_global_device_ids", &CollectiveAttrs::use_global_device_ids},
                      Field{"has_dynamic_root", &CollectiveAttrs::has_dynamic_root}};
  }
};
struct CollectivePermuteAttrs {
  std::optional<int64_t> channel_id;
  Groups source_target_pairs;
  // Of slices that are taken from operand 0 and put into operand 1, one after the other; operands 2
  // and 3 are their starts.
  Groups slice_sizes;
  bool operator==(const CollectivePermuteAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"channel_id", &CollectivePermuteAttrs::channel_id},
                      Field{"source_target_pairs", &CollectivePermuteAttrs::source_target_pairs},
                      Field{"slice_sizes", &CollectivePermuteAttrs::slice_sizes}};
  }
};
// send, recv, and what waits for them.
struct TransferAttrs {
  std::optional<int64_t> channel_id;
  bool is_host_transfer = false;
  bool operator==(const TransferAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"channel_id", &TransferAttrs::channel_id},
                      Field{"is_host_transfer", &TransferAttrs::is_host_transfer}};
  }
};
struct InfeedAttrs {
  std::string infeed_config;  // uninterpreted
  bool operator==(const InfeedAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"infeed_config", &InfeedAttrs::infeed_config}};
  }
};
struct OutfeedAttrs {
  std::string outfeed_config;  // uninterpreted
  bool operator==(const OutfeedAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"outfeed_config", &OutfeedAttrs::outfeed_config}};
  }
};
// A part of the result that may share the storage of a part of an operand.
struct OutputOperandAlias {
  Dims output_index;
  int64_t operand = 0;
  Dims operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};
// The orders in memory, minor to major, in which a target takes and gives its arrays: one a leaf,
// empty where it is row-major. Both are empty where all are.
struct CustomCallLayouts {
  std::vector<Dims> operands, results;
  bool empty() const { return operands.empty() && results.empty(); }
  bool operator==(const CustomCallLayouts&) const = default;
};
struct CustomCallAttrs {
  std::string custom_call_target;
  std::string opaque;  // backend_config, uninterpreted
  bool has_side_effect = false;
  CustomCallApiVersion api_version = CustomCallApiVersion::kUnspecified;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  CustomCallLayouts layouts;
  // The shapes that the target sees, of its operands and then its results, leaf by leaf, where the
  // instructions have the bytes as arrays of other types (u8[2] for s4[3]). Empty: the shapes of
  // the instructions.
  std::vector<Shape> stated_shapes;
  bool operator==(const CustomCallAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{
        Field{"custom_call_target", &CustomCallAttrs::custom_call_target},
        Field{"backend_config", &CustomCallAttrs::opaque},
        Field{"custom_call_has_side_effect", &CustomCallAttrs::has_side_effect},
        Field{"api_version", &CustomCallAttrs::api_version},
        Field{"output_to_operand_aliasing", &CustomCallAttrs::output_to_operand_aliasing},
        // In text the result's layout and operand_layout_constraints.
        Field{"", &CustomCallAttrs::layouts},
        Field{"stated_shapes", &CustomCallAttrs::stated_shapes}};
  }
};
// StableHLO gather: the result's dimensions are those of the start indices without
// index_vector_dim, and at offset_dims those of the slices without the collapsed and batching ones.
struct GatherAttrs {
  Dims offset_dims, collapsed_slice_dims, start_index_map;
  Dims operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Dims slice_sizes;  // one an operand dimension
  bool indices_are_sorted = false;
  bool operator==(const GatherAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{
        Field{"offset_dims", &GatherAttrs::offset_dims},
        Field{"collapsed_slice_dims", &GatherAttrs::collapsed_slice_dims},
        Field{"start_index_map", &GatherAttrs::start_index_map},
        Field{"operand_batching_dims", &GatherAttrs::operand_batching_dims},
        Field{"start_indices_batching_dims", &GatherAttrs::start_indices_batching_dims},
        Field{"index_vector_dim", &GatherAttrs::index_vector_dim},
        Field{"slice_sizes", &GatherAttrs::slice_sizes},
        Field{"indices_are_sorted", &GatherAttrs::indices_are_sorted}};
  }
};
// StableHLO scatter: the mirror image of gather; the updates have the dimensions that the result of
// a gather would have.
struct ScatterAttrs {
  Dims update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  Dims input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  bool operator==(const ScatterAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{
        Field{"update_window_dims", &ScatterAttrs::update_window_dims},
        Field{"inserted_window_dims", &ScatterAttrs::inserted_window_dims},
        Field{"scatter_dims_to_operand_dims", &ScatterAttrs::scatter_dims_to_operand_dims},
        Field{"input_batching_dims", &ScatterAttrs::input_batching_dims},
        Field{"scatter_indices_batching_dims", &ScatterAttrs::scatter_indices_batching_dims},
        Field{"index_vector_dim", &ScatterAttrs::index_vector_dim},
        Field{"indices_are_sorted", &ScatterAttrs::indices_are_sorted},
        Field{"unique_indices", &ScatterAttrs::unique_indices}};
  }
};
// Operands: inputs, then the initial values of num_carries carries.
struct ScanAttrs {
  Dims dimensions;  // exactly one, of each input and output
  int64_t num_carries = 0;
  bool is_reverse = false;  // from the last element to the first
  // Elements may be combined in another grouping; nothing relies on it.
  bool is_associative = false;
  bool operator==(const ScanAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"dimensions", &ScanAttrs::dimensions},
                      Field{"num_carries", &ScanAttrs::num_carries},
                      Field{"is_reverse", &ScanAttrs::is_reverse},
                      Field{"is_associative", &ScanAttrs::is_associative}};
  }
};
struct SortAttrs {
  Dims dimensions;  // exactly one
  bool is_stable = false;
  bool operator==(const SortAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"dimensions", &SortAttrs::dimensions},
                      Field{"is_stable", &SortAttrs::is_stable}};
  }
};
struct TopKAttrs {
  int64_t k = 0;
  bool largest = true;  // else the smallest
  // F32: zeros are equal, and NaNs, which are the greatest. Else floats have their total order.
  bool merged = false;
  bool operator==(const TopKAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"k", &TopKAttrs::k}, Field{"largest", &TopKAttrs::largest},
                      Field{"merged", &TopKAttrs::merged}};
  }
};
struct FusionAttrs {
  std::string label;  // why the region was formed: "loop", "reduce", "rows", "dot", "while"
  bool operator==(const FusionAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"kind", &FusionAttrs::label}}; }
};

// reduce-window and select-and-scatter: an entry for each dimension of the operand; windows.
struct WindowAttrs {
  Window window;
  bool operator==(const WindowAttrs&) const = default;
  static constexpr auto Fields() { return std::tuple{Field{"window", &WindowAttrs::window}}; }
};
struct ConvolutionAttrs {
  Window window;  // an entry for each spatial dimension
  ConvolutionDimensionNumbers dim_labels;
  int64_t feature_group_count = 1, batch_group_count = 1;
  Precision lhs_precision = Precision::kDefault, rhs_precision = Precision::kDefault;
  bool operator==(const ConvolutionAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"window", &ConvolutionAttrs::window},
                      Field{"dim_labels", &ConvolutionAttrs::dim_labels},
                      Field{"feature_group_count", &ConvolutionAttrs::feature_group_count},
                      Field{"batch_group_count", &ConvolutionAttrs::batch_group_count},
                      Field{"lhs_precision", &ConvolutionAttrs::lhs_precision},
                      Field{"rhs_precision", &ConvolutionAttrs::rhs_precision}};
  }
};
struct BatchNormAttrs {
  float epsilon = 0;  // added to the variance
  int64_t feature_index = 0;
  bool operator==(const BatchNormAttrs&) const = default;
  static constexpr auto Fields() {
    return std::tuple{Field{"epsilon", &BatchNormAttrs::epsilon},
                      Field{"feature_index", &BatchNormAttrs::feature_index}};
  }
};

using Attributes =
    std::variant<NoAttrs, ParameterAttrs, ConstantAttrs, IotaAttrs, TupleElementAttrs, CompareAttrs,
                 DimensionsAttrs, SliceAttrs, PadAttrs, DynamicSliceAttrs, DotAttrs,
                 ReducePrecisionAttrs, CustomCallAttrs, FusionAttrs, WindowAttrs, ConvolutionAttrs,
                 BatchNormAttrs, GatherAttrs, ScatterAttrs, SortAttrs, TopKAttrs, FftAttrs,
                 RngAttrs, RngBitGeneratorAttrs, CollectiveAttrs, CollectivePermuteAttrs,
                 TransferAttrs, InfeedAttrs, OutfeedAttrs, CholeskyAttrs, TriangularSolveAttrs,
                 RaggedDotAttrs, ScanAttrs, RngStateAttrs>;

// Which alternative of Attributes an op carries, as a constant of the op table.
template <class T>
inline constexpr uint8_t kAttributesIndex = [] {
  return []<size_t... I>(std::index_sequence<I...>) {
    uint8_t r = 255;
    ((std::is_same_v<std::variant_alternative_t<I, Attributes>, T> ? void(r = I) : void()), ...);
    return r;
  }
  (std::make_index_sequence<std::variant_size_v<Attributes>>{});
}();

}  // namespace sinter
