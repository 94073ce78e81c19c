// Attributes and types of the dialects stablehlo and chlo. Source: StableHLO's
// StablehloBytecode.cpp and ChloBytecode.cpp.
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/type_values.h"
#include "frontend/bytecode/words.h"

namespace sinter::stablehlo {
namespace {

using enum Encoding;

constexpr WordsRow kStablehloWords[] = {
    words::Direction(2, "stablehlo.comparison_direction"),
    words::Comparison(3, "stablehlo.comparison_type"),
    words::FftType(6),
    words::Precision(8),
    words::RngAlgorithm(9),
    words::RngDistribution(10),
    words::Transpose(12),
    words::Accuracy(16),
};
constexpr WordsRow kChloWords[] = {
    words::Direction(0, "chlo.comparison_direction"),
    words::Comparison(1, "chlo.comparison_type"),
};

constexpr uint64_t kStablehloSubAxis = 19;
constexpr FieldsRow kStablehloFields[] = {
    {1, "stablehlo.channel_handle", {{"handle", kInteger}, {"type", kInteger}}},
    {4,
     "stablehlo.conv",
     {{"input_batch_dimension", kInteger},
      {"input_feature_dimension", kInteger},
      {"input_spatial_dimensions", kIntegers},
      {"kernel_input_feature_dimension", kInteger},
      {"kernel_output_feature_dimension", kInteger},
      {"kernel_spatial_dimensions", kIntegers},
      {"output_batch_dimension", kInteger},
      {"output_feature_dimension", kInteger},
      {"output_spatial_dimensions", kIntegers}}},
    {5,
     "stablehlo.dot",
     {{"lhs_batching_dimensions", kIntegers},
      {"rhs_batching_dimensions", kIntegers},
      {"lhs_contracting_dimensions", kIntegers},
      {"rhs_contracting_dimensions", kIntegers}}},
    {7,
     "stablehlo.gather",
     {{"offset_dims", kIntegers},
      {"collapsed_slice_dims", kIntegers},
      {"operand_batching_dims", kIntegers},
      {"start_indices_batching_dims", kIntegers},
      {"start_index_map", kIntegers},
      {"index_vector_dim", kInteger}}},
    {11,
     "stablehlo.scatter",
     {{"update_window_dims", kIntegers},
      {"inserted_window_dims", kIntegers},
      {"input_batching_dims", kIntegers},
      {"scatter_indices_batching_dims", kIntegers},
      {"scatter_dims_to_operand_dims", kIntegers},
      {"index_vector_dim", kInteger}}},
    {13, "stablehlo.bounds", {{"bounds", kIntegers}}},
    {14,
     "stablehlo.output_operand_alias",
     {{"output_tuple_indices", kIntegers},
      {"operand_index", kInteger},
      {"operand_tuple_indices", kIntegers}}},
    {15,
     "stablehlo.dot_algorithm",
     {{"lhs_precision_type", kType},
      {"rhs_precision_type", kType},
      {"accumulation_type", kType},
      {"lhs_component_count", kInteger},
      {"rhs_component_count", kInteger},
      {"num_primitive_operations", kInteger},
      {"allow_imprecise_accumulation", kByte}}},
    {17,
     "stablehlo.result_accuracy",
     {{"atol", kDouble}, {"rtol", kDouble}, {"ulps", kInteger}, {"mode", kAttribute}}},
    {18, "stablehlo.replica_group_mesh_axes", {{"mesh", kAttribute}, {"axes", kAttributes}}},
    {20, "stablehlo.axis_ref", {{"name", kString}, {"sub_axis_info", kBehindByte}}},
    {21, "stablehlo.mesh_axis", {{"name", kString}, {"size", kInteger}}},
    {22, "stablehlo.mesh", {{"axes", kAttribute}, {"device_ids", kBehindByte}}},
};

}  // namespace

Attribute ReadStablehloAttribute(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  if (const WordsRow* row = FindRow(kStablehloWords, code)) return ReadWord(reader, *row);
  if (const FieldsRow* row = FindRow(kStablehloFields, code)) return ReadFields(reader, *row);
  if (code == kStablehloSubAxis) {
    const int64_t before = reader.SignedVarInt();
    return IntegersOf({before, reader.SignedVarInt()});
  }
  reader.Fail(
      reader.source().Unsupported(reader.at(), "stablehlo attributes of the number {}", code));
  return {};
}

Type ReadStablehloType(EntryReader& reader) {
  constexpr uint64_t kToken = 0, kFuture = 1;
  const uint64_t code = reader.VarInt();
  if (code == kToken) return ShapeType(Shape::Token());
  if (code == kFuture) return ReadFutureType(reader);
  reader.Fail(reader.source().Unsupported(reader.at(), "stablehlo types of the number {}", code));
  return {};
}

Attribute ReadChloAttribute(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  if (const WordsRow* row = FindRow(kChloWords, code)) return ReadWord(reader, *row);
  reader.Fail(reader.source().Unsupported(reader.at(), "chlo attributes of the number {}", code));
  return {};
}

}  // namespace sinter::stablehlo
