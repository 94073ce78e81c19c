// Quantized types, of the dialect quant and of vhlo. Source: MLIR's QuantDialectBytecode.td.
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/type_values.h"

namespace sinter::stablehlo {
namespace {

enum class QuantType : uint64_t { kPerTensor = 4, kPerAxis = 5, kPerBlock = 6 };

// What stands in the tensors of scales and zero points.
bool TakeScales(const Attribute& scales, const Attribute& zeros, Quantization* q) {
  if (!scales.value || !zeros.value || scales.type->kind != Type::Kind::kShape) return false;
  const Shape& shape = scales.type->shape;
  if (!IsFloat(shape.element_type()) || !IsInteger(zeros.type->shape.element_type()) ||
      zeros.type->shape.dimensions() != shape.dimensions()) {
    return false;
  }
  constexpr int64_t kMost = 1 << 20;
  if (shape.element_count() > kMost) return false;
  q->scale_dimensions = shape.dimensions();
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    q->scales.push_back(scales.value->GetAsDouble(scales.splat ? 0 : i));
    q->zero_points.push_back(static_cast<int64_t>(zeros.value->GetAsDouble(zeros.splat ? 0 : i)));
  }
  return true;
}

Type ReadPerBlockType(EntryReader& reader) {
  const uint64_t flags = reader.VarInt();
  const std::shared_ptr<const Type> storage = reader.ReadType(), expressed = reader.ReadType();
  Quantization q;
  q.storage_min = reader.SignedVarInt();
  q.storage_max = reader.SignedVarInt();
  q.block_dimensions = reader.SignedVarInts();
  q.block_sizes = reader.SignedVarInts();
  const Attribute scales = reader.ReadAttribute();
  const Attribute zeros = reader.ReadAttribute();
  if (reader.ok() &&
      (q.block_dimensions.size() != q.block_sizes.size() || !TakeScales(scales, zeros, &q))) {
    reader.FailInvalid("a quantized type whose scales do not fit its blocks");
  }
  return MakeQuantizedType(reader, flags, *storage, *expressed, std::move(q));
}

}  // namespace

Type ReadPerTensorType(EntryReader& reader) {
  const uint64_t flags = reader.VarInt();
  const std::shared_ptr<const Type> storage = reader.ReadType(), expressed = reader.ReadType();
  Quantization q;
  q.scales = {reader.ReadDouble()};
  q.zero_points = {reader.SignedVarInt()};
  q.storage_min = reader.SignedVarInt();
  q.storage_max = reader.SignedVarInt();
  return MakeQuantizedType(reader, flags, *storage, *expressed, std::move(q));
}

Type ReadPerAxisType(EntryReader& reader) {
  const uint64_t flags = reader.VarInt();
  const std::shared_ptr<const Type> storage = reader.ReadType(), expressed = reader.ReadType();
  Quantization q;
  q.dimension = static_cast<int64_t>(reader.VarInt());
  q.storage_min = reader.SignedVarInt();
  q.storage_max = reader.SignedVarInt();
  q.scales.resize(reader.Count());
  for (double& scale : q.scales) scale = reader.ReadDouble();
  q.zero_points = reader.SignedVarInts();
  reader.Spend(static_cast<int64_t>(q.scales.size()) / 8);
  return MakeQuantizedType(reader, flags, *storage, *expressed, std::move(q));
}

Type ReadQuantType(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  const auto type = static_cast<QuantType>(code);
  if (type == QuantType::kPerTensor) return ReadPerTensorType(reader);
  if (type == QuantType::kPerAxis) return ReadPerAxisType(reader);
  if (type == QuantType::kPerBlock) return ReadPerBlockType(reader);
  reader.Fail(reader.source().Unsupported(reader.at(), "quant types of the number {}", code));
  return {};
}

}  // namespace sinter::stablehlo
