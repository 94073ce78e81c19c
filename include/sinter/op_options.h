// Options of operations: comparisons, precision, dimension numbers, padding.
//
//   sinter::DotDimensionNumbers d;              // batch matrix product
//   d.lhs_batch = {0}, d.rhs_batch = {0}, d.lhs_contracting = {2}, d.rhs_contracting = {1};
//
// The structs also have the accessors of XLA's messages of the same names (sinter/accessors.h):
// d.lhs_batch_dimensions(0), d.lhs_batch_dimensions_size(), d.add_lhs_batch_dimensions(1).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "sinter/accessors.h"

namespace sinter {

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
// kFloat and kTotalOrder for floats (IEEE 754 totalOrder: -NaN < -inf < ... < -0 < +0 < ... < NaN),
// kSigned and kUnsigned for integers; kDefault picks by the element type (never total order).
enum class ComparisonType : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
enum class Precision : uint8_t { kDefault, kHigh, kHighest };
// Forward, inverse (scaled by 1/n), of real numbers, inverse to real numbers.
enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
// Counter-based generators (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC
// 2011): Threefry-2x32-20, Philox-4x32-10; the default is Philox.
enum class RandomAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
enum class RandomDistribution : uint8_t { kUniform, kNormal };

// What a triangular solver does to its matrix first: nothing, transposes it, transposes and
// conjugates it.
enum class MatrixTranspose : uint8_t { kNoTranspose, kTranspose, kAdjoint };

// The names of xla.TriangularSolveOptions.
struct TriangularSolveOptions {
  using Transpose = MatrixTranspose;
  static constexpr Transpose NO_TRANSPOSE = Transpose::kNoTranspose;
  static constexpr Transpose TRANSPOSE = Transpose::kTranspose;
  static constexpr Transpose ADJOINT = Transpose::kAdjoint;
};

// How exactly a dot multiplies each operand (xla.PrecisionConfig; StableHLO `precision_config`).
// Missing entries are kDefault. More than two are an error of the op that gets them.
struct PrecisionConfig {
  using Precision = sinter::Precision;
  static constexpr Precision DEFAULT = Precision::kDefault;
  static constexpr Precision HIGH = Precision::kHigh;
  static constexpr Precision HIGHEST = Precision::kHighest;

  ListField<Precision> operand_precision;
  SINTER_LIST_ACCESSORS(Precision, operand_precision, operand_precision)
};

// Which dimensions a dot pairs (xla.DotDimensionNumbers; StableHLO `dot_dimension_numbers`): batch
// dimensions stand in the result, contracting ones are summed over. Entry i of a list belongs to
// entry i of the other side's.
struct DotDimensionNumbers {
  ListField<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;

  SINTER_LIST_READERS(int64_t, lhs_batch_dimensions, lhs_batch)
  SINTER_LIST_ACCESSORS(int64_t, lhs_batch_dimensions, lhs_batch)
  SINTER_LIST_READERS(int64_t, rhs_batch_dimensions, rhs_batch)
  SINTER_LIST_ACCESSORS(int64_t, rhs_batch_dimensions, rhs_batch)
  SINTER_LIST_READERS(int64_t, lhs_contracting_dimensions, lhs_contracting)
  SINTER_LIST_ACCESSORS(int64_t, lhs_contracting_dimensions, lhs_contracting)
  SINTER_LIST_READERS(int64_t, rhs_contracting_dimensions, rhs_contracting)
  SINTER_LIST_ACCESSORS(int64_t, rhs_contracting_dimensions, rhs_contracting)

  bool operator==(const DotDimensionNumbers&) const = default;
};

// As DotDimensionNumbers, where one dimension of lhs is cut into groups (xla's message of that
// name; chlo's `ragged_dot_dimension_numbers`): which one, and which dimension of rhs, if any,
// counts the groups.
struct RaggedDotDimensionNumbers {
  ValueField<DotDimensionNumbers> dot_dimension_numbers;
  ListField<int64_t> lhs_ragged_dimensions, rhs_group_dimensions;

  DotDimensionNumbers* mutable_dot_dimension_numbers() { return &dot_dimension_numbers; }
  SINTER_LIST_ACCESSORS(int64_t, lhs_ragged_dimensions, lhs_ragged_dimensions)
  SINTER_LIST_ACCESSORS(int64_t, rhs_group_dimensions, rhs_group_dimensions)
};

// What each dimension of a convolution's operands and result is (xla.ConvolutionDimensionNumbers;
// StableHLO `dimension_numbers`). Entry i of the three lists is spatial dimension i. The kernel
// sums over the window and its input features.
struct ConvolutionDimensionNumbers {
  ValueField<int64_t> input_batch_dimension, input_feature_dimension;
  ListField<int64_t> input_spatial_dimensions;
  ValueField<int64_t> kernel_input_feature_dimension, kernel_output_feature_dimension;
  ListField<int64_t> kernel_spatial_dimensions;
  ValueField<int64_t> output_batch_dimension, output_feature_dimension;
  ListField<int64_t> output_spatial_dimensions;

  SINTER_FIELD_SETTER(int64_t, input_batch_dimension, input_batch_dimension)
  SINTER_FIELD_SETTER(int64_t, input_feature_dimension, input_feature_dimension)
  SINTER_LIST_ACCESSORS(int64_t, input_spatial_dimensions, input_spatial_dimensions)
  SINTER_FIELD_SETTER(int64_t, kernel_input_feature_dimension, kernel_input_feature_dimension)
  SINTER_FIELD_SETTER(int64_t, kernel_output_feature_dimension, kernel_output_feature_dimension)
  SINTER_LIST_ACCESSORS(int64_t, kernel_spatial_dimensions, kernel_spatial_dimensions)
  SINTER_FIELD_SETTER(int64_t, output_batch_dimension, output_batch_dimension)
  SINTER_FIELD_SETTER(int64_t, output_feature_dimension, output_feature_dimension)
  SINTER_LIST_ACCESSORS(int64_t, output_spatial_dimensions, output_spatial_dimensions)

  bool operator==(const ConvolutionDimensionNumbers&) const = default;
};

// How the functions that take it pad: kValid not at all, kSame so that a window begins at each
// stride-th element (xla/client/padding.h).
enum class Padding { kSame, kValid };
// How the functions that take it pad dimensions whose sizes are known when the program runs
// (xla.PaddingType): kSame by those sizes, kValid as stated.
enum class PaddingType : uint8_t { kInvalid, kValid, kSame };

// How a gather reads an operand at indices (xla.GatherDimensionNumbers; StableHLO
// `dimension_numbers`): which dimensions of the result run along a slice, which dimensions of a
// slice (of size 1) the result lacks, which operand dimension each component of an index vector
// starts, which dimension of the indices holds the components. Batching dimensions pair operand
// dimensions with dimensions of the indices.
struct GatherDimensionNumbers {
  ListField<int64_t> offset_dims, collapsed_slice_dims, start_index_map;
  ValueField<int64_t> index_vector_dim;
  ListField<int64_t> operand_batching_dims, start_indices_batching_dims;

  SINTER_LIST_ACCESSORS(int64_t, offset_dims, offset_dims)
  SINTER_LIST_ACCESSORS(int64_t, collapsed_slice_dims, collapsed_slice_dims)
  SINTER_LIST_ACCESSORS(int64_t, start_index_map, start_index_map)
  SINTER_LIST_ACCESSORS(int64_t, operand_batching_dims, operand_batching_dims)
  SINTER_LIST_ACCESSORS(int64_t, start_indices_batching_dims, start_indices_batching_dims)
  SINTER_FIELD_SETTER(int64_t, index_vector_dim, index_vector_dim)

  bool operator==(const GatherDimensionNumbers&) const = default;
};
// How a scatter writes updates at indices (xla.ScatterDimensionNumbers; StableHLO
// `scatter_dimension_numbers`): as a gather of the updates would read them.
struct ScatterDimensionNumbers {
  ListField<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  ValueField<int64_t> index_vector_dim;
  ListField<int64_t> input_batching_dims, scatter_indices_batching_dims;

  SINTER_LIST_ACCESSORS(int64_t, update_window_dims, update_window_dims)
  SINTER_LIST_ACCESSORS(int64_t, inserted_window_dims, inserted_window_dims)
  SINTER_LIST_ACCESSORS(int64_t, scatter_dims_to_operand_dims, scatter_dims_to_operand_dims)
  SINTER_LIST_ACCESSORS(int64_t, input_batching_dims, input_batching_dims)
  SINTER_LIST_ACCESSORS(int64_t, scatter_indices_batching_dims, scatter_indices_batching_dims)
  SINTER_FIELD_SETTER(int64_t, index_vector_dim, index_vector_dim)

  bool operator==(const ScatterDimensionNumbers&) const = default;
};

// How much a pad adds to one dimension (xla.PaddingConfig.PaddingConfigDimension). low and high may
// be negative, which cuts; interior is what comes between neighbours.
struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;

  int64_t edge_padding_low() const { return low; }
  int64_t edge_padding_high() const { return high; }
  int64_t interior_padding() const { return interior; }
  SINTER_FIELD_SETTER(int64_t, edge_padding_low, low)
  SINTER_FIELD_SETTER(int64_t, edge_padding_high, high)
  SINTER_FIELD_SETTER(int64_t, interior_padding, interior)

  bool operator==(const PaddingDimension&) const = default;
};
// An entry for each dimension of the operand (xla.PaddingConfig).
struct PaddingConfig {
  using PaddingConfigDimension = PaddingDimension;

  ListField<PaddingDimension> dimensions;

  int dimensions_size() const { return static_cast<int>(dimensions.size()); }
  // Good until the next call.
  PaddingDimension* add_dimensions() { return &dimensions.emplace_back(); }
  PaddingDimension* mutable_dimensions(int i) { return dimensions.Mutable(i); }
  ListField<PaddingDimension>* mutable_dimensions() { return &dimensions; }
  void clear_dimensions() { dimensions.clear(); }

  bool operator==(const PaddingConfig&) const = default;
};

// A group of participants of a collective, by their numbers (xla.ReplicaGroup).
struct ReplicaGroup {
  ListField<int64_t> replica_ids;
  SINTER_LIST_ACCESSORS(int64_t, replica_ids, replica_ids)
};
// Ties collectives and transfers of several programs together (xla.ChannelHandle). A handle of 0 is
// none.
struct ChannelHandle {
  enum ChannelType { CHANNEL_TYPE_INVALID, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE };
  ValueField<int64_t> handle;
  ValueField<ChannelType> type;

  SINTER_FIELD_SETTER(int64_t, handle, handle)
  SINTER_FIELD_SETTER(ChannelType, type, type)
};

// What is said of an operation's property that may be left open (xla.TriState).
enum class TriState : uint8_t { kUnspecified, kFalse, kTrue };

// How XLA hands the target of a custom call its arguments (xla.CustomCallApiVersion). It is a note
// in the program's text: targets here have one form (sinter/custom_call.h).
enum class CustomCallApiVersion : uint8_t {
  kUnspecified,
  kOriginal,
  kStatusReturning,
  kStatusReturningUnified,
  kTypedFfi,
};
// When a custom call may run among what does not depend on it (xla.CustomCallSchedule): a note in
// the program's text, which changes no result.
enum class CustomCallSchedule : uint8_t { kNone, kLatest, kEarliest };

// No padding for an operand of that rank.
inline PaddingConfig MakeNoPaddingConfig(int64_t rank) {
  PaddingConfig config;
  config.dimensions.resize(static_cast<size_t>(rank < 0 ? 0 : rank));
  return config;
}
// (low, high) for each dimension.
inline PaddingConfig MakeEdgePaddingConfig(absl::Span<const std::pair<int64_t, int64_t>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) config.dimensions.push_back({low, high, 0});
  return config;
}

}  // namespace sinter
