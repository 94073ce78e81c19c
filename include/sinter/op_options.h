// Options of operations: comparisons, precision, dimension numbers, padding.
//
//   sinter::DotDimensionNumbers d;              // batch matrix product
//   d.lhs_batch = {0}, d.rhs_batch = {0}, d.lhs_contracting = {2}, d.rhs_contracting = {1};
//
// The structs also have the accessors of XLA's messages of the same names
// (`add_lhs_batch_dimensions(0)`), so that programs written for XLA compile.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

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

  std::vector<Precision> operand_precision;

  void add_operand_precision(Precision p) { operand_precision.push_back(p); }
};

// Which dimensions a dot pairs (xla.DotDimensionNumbers; StableHLO `dot_dimension_numbers`): batch
// dimensions stand in the result, contracting ones are summed over. Entry i of a list belongs to
// entry i of the other side's.
struct DotDimensionNumbers {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;

  void add_lhs_batch_dimensions(int64_t d) { lhs_batch.push_back(d); }
  void add_rhs_batch_dimensions(int64_t d) { rhs_batch.push_back(d); }
  void add_lhs_contracting_dimensions(int64_t d) { lhs_contracting.push_back(d); }
  void add_rhs_contracting_dimensions(int64_t d) { rhs_contracting.push_back(d); }
};

// As DotDimensionNumbers, where one dimension of lhs is cut into groups (xla's message of that
// name; chlo's `ragged_dot_dimension_numbers`): which one, and which dimension of rhs, if any,
// counts the groups.
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions, rhs_group_dimensions;

  DotDimensionNumbers* mutable_dot_dimension_numbers() { return &dot_dimension_numbers; }
  void add_lhs_ragged_dimensions(int64_t d) { lhs_ragged_dimensions.push_back(d); }
  void add_rhs_group_dimensions(int64_t d) { rhs_group_dimensions.push_back(d); }
};

// What each dimension of a convolution's operands and result is (xla.ConvolutionDimensionNumbers;
// StableHLO `dimension_numbers`). Entry i of the three lists is spatial dimension i. The kernel
// sums over the window and its input features.
struct ConvolutionDimensionNumbers {
  int64_t input_batch_dimension = 0, input_feature_dimension = 0;
  std::vector<int64_t> input_spatial_dimensions;
  int64_t kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 0;
  std::vector<int64_t> kernel_spatial_dimensions;
  int64_t output_batch_dimension = 0, output_feature_dimension = 0;
  std::vector<int64_t> output_spatial_dimensions;

  void set_input_batch_dimension(int64_t d) { input_batch_dimension = d; }
  void set_input_feature_dimension(int64_t d) { input_feature_dimension = d; }
  void add_input_spatial_dimensions(int64_t d) { input_spatial_dimensions.push_back(d); }
  void set_kernel_input_feature_dimension(int64_t d) { kernel_input_feature_dimension = d; }
  void set_kernel_output_feature_dimension(int64_t d) { kernel_output_feature_dimension = d; }
  void add_kernel_spatial_dimensions(int64_t d) { kernel_spatial_dimensions.push_back(d); }
  void set_output_batch_dimension(int64_t d) { output_batch_dimension = d; }
  void set_output_feature_dimension(int64_t d) { output_feature_dimension = d; }
  void add_output_spatial_dimensions(int64_t d) { output_spatial_dimensions.push_back(d); }

  bool operator==(const ConvolutionDimensionNumbers&) const = default;
};

// How the functions that take it pad: kValid not at all, kSame so that a window begins at each
// stride-th element (xla/client/padding.h).
enum class Padding { kSame, kValid };

// How a gather reads an operand at indices (xla.GatherDimensionNumbers; StableHLO
// `dimension_numbers`): which dimensions of the result run along a slice, which dimensions of a
// slice (of size 1) the result lacks, which operand dimension each component of an index vector
// starts, which dimension of the indices holds the components. Batching dimensions pair operand
// dimensions with dimensions of the indices.
struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> operand_batching_dims, start_indices_batching_dims;

  void add_offset_dims(int64_t d) { offset_dims.push_back(d); }
  void add_collapsed_slice_dims(int64_t d) { collapsed_slice_dims.push_back(d); }
  void add_start_index_map(int64_t d) { start_index_map.push_back(d); }
  void add_operand_batching_dims(int64_t d) { operand_batching_dims.push_back(d); }
  void add_start_indices_batching_dims(int64_t d) { start_indices_batching_dims.push_back(d); }
  void set_index_vector_dim(int64_t d) { index_vector_dim = d; }
};
// How a scatter writes updates at indices (xla.ScatterDimensionNumbers; StableHLO
// `scatter_dimension_numbers`): as a gather of the updates would read them.
struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> input_batching_dims, scatter_indices_batching_dims;

  void add_update_window_dims(int64_t d) { update_window_dims.push_back(d); }
  void add_inserted_window_dims(int64_t d) { inserted_window_dims.push_back(d); }
  void add_scatter_dims_to_operand_dims(int64_t d) { scatter_dims_to_operand_dims.push_back(d); }
  void add_input_batching_dims(int64_t d) { input_batching_dims.push_back(d); }
  void add_scatter_indices_batching_dims(int64_t d) { scatter_indices_batching_dims.push_back(d); }
  void set_index_vector_dim(int64_t d) { index_vector_dim = d; }
};

// How much a pad adds to one dimension (xla.PaddingConfig.PaddingConfigDimension). low and high may
// be negative, which cuts; interior is what comes between neighbours.
struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;

  void set_edge_padding_low(int64_t n) { low = n; }
  void set_edge_padding_high(int64_t n) { high = n; }
  void set_interior_padding(int64_t n) { interior = n; }
};
// An entry for each dimension of the operand (xla.PaddingConfig).
struct PaddingConfig {
  using PaddingConfigDimension = PaddingDimension;

  std::vector<PaddingDimension> dimensions;

  // Good until the next call.
  PaddingDimension* add_dimensions() { return &dimensions.emplace_back(); }
  PaddingDimension* mutable_dimensions(int i) { return &dimensions[static_cast<size_t>(i)]; }
  int dimensions_size() const { return static_cast<int>(dimensions.size()); }
};

// A group of participants of a collective, by their numbers (xla.ReplicaGroup).
struct ReplicaGroup {
  std::vector<int64_t> replica_ids;

  void add_replica_ids(int64_t id) { replica_ids.push_back(id); }
};
// Ties collectives and transfers of several programs together (xla.ChannelHandle). A handle of 0 is
// none.
struct ChannelHandle {
  enum ChannelType { CHANNEL_TYPE_INVALID, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE };
  int64_t handle = 0;
  ChannelType type = CHANNEL_TYPE_INVALID;

  void set_handle(int64_t value) { handle = value; }
  void set_type(ChannelType value) { type = value; }
};

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
