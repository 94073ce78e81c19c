// Attributes of the dialect vhlo, as those of StableHLO that they stand for. Source: StableHLO's
// VhloBytecode.cpp.
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/words.h"

namespace sinter::stablehlo {
namespace {

using enum Encoding;

enum class VhloAttribute : uint64_t {
  kArray = 1,
  kBool = 2,
  kApiVersion = 5,
  kDictionary = 6,
  kFloat = 8,
  kNumber = 9,
  kText = 14,
  kTensor = 15,
  kTypeAttribute = 17,
  kSubAxis = 21,
};

constexpr WordsRow kVhloWords[] = {
    words::Direction(3, "stablehlo.comparison_direction"),
    words::Comparison(4, "stablehlo.comparison_type"),
    words::FftType(7),
    words::Precision(11),
    words::RngAlgorithm(12),
    words::RngDistribution(13),
    words::Transpose(16),
    words::Accuracy(19),
};

constexpr FieldsRow kVhloFields[] = {
    {10,
     "stablehlo.output_operand_alias",
     {{"output_tuple_indices", kIntegers},
      {"operand_index", kInteger},
      {"operand_tuple_indices", kIntegers}}},
    {18, "stablehlo.bounds", {{"bounds", kIntegers}}},
    {20,
     "stablehlo.result_accuracy",
     {{"atol", kDouble}, {"rtol", kDouble}, {"ulps", kInteger}, {"mode", kAttribute}}},
    {22, "stablehlo.axis_ref", {{"name", kAttribute}, {"sub_axis_info", kBehindFlag}}},
    {23, "stablehlo.replica_group_mesh_axes", {{"mesh", kSymbol}, {"axes", kAttribute}}},
    {24, "stablehlo.mesh_axis", {{"name", kAttribute}, {"size", kInteger}}},
    {25, "stablehlo.mesh", {{"axes", kAttribute}, {"device_ids", kOptional}}},
};

Attribute ReadVhloDictionary(EntryReader& reader) {
  Attribute a = OfKind(Attribute::Kind::kDictionary);
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    Attribute name = reader.ReadAttribute();
    if (reader.ok() && name.kind != Attribute::Kind::kString)
      reader.FailInvalid("the name of an entry must be a string");
    a.entries.push_back({std::move(name.text), reader.ReadAttribute()});
  }
  return a;
}

}  // namespace

Attribute ReadVhloAttribute(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  if (const WordsRow* row = FindRow(kVhloWords, code)) return ReadWord(reader, *row);
  if (const FieldsRow* row = FindRow(kVhloFields, code)) return ReadFields(reader, *row);
  using enum VhloAttribute;
  switch (static_cast<VhloAttribute>(code)) {
    case kArray:
      return ArrayOf(reader.ReadAttributes());
    case kBool:
      return BoolOf(reader.VarInt() != 0);
    case kApiVersion:
      return IntegerOf(static_cast<int64_t>(reader.VarInt()));
    case kDictionary:
      return ReadVhloDictionary(reader);
    case kFloat:
    case kNumber:
      return ReadNumber(reader, reader.ReadType());
    case kText:
      return StringOf(reader.ReadString());
    case kTensor: {
      const std::shared_ptr<const Type> type = reader.ReadType();
      return ReadElements(reader, type, reader.Blob());
    }
    case kTypeAttribute:
      return TypeOf(reader.ReadType());
    case kSubAxis: {
      const int64_t before = reader.SignedVarInt();
      return IntegersOf({before, reader.SignedVarInt()});
    }
    default:
      break;
  }
  reader.Fail(reader.source().Unsupported(reader.at(), "vhlo attributes of the number {}", code));
  return {};
}

}  // namespace sinter::stablehlo
