// Types of MLIR's builtin dialect. Source: MLIR's BuiltinDialectBytecode.td.
#include <optional>

#include "base/text.h"
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/type_values.h"
#include "frontend/stablehlo/mlir_text.h"

namespace sinter::stablehlo {
namespace {

enum Code : uint64_t {
  kInteger,
  kIndex,
  kFunction,
  kBf16,
  kF16,
  kF32,
  kF64,
  kF80,
  kF128,
  kComplex,
  kMemRef,
  kMemRefInSpace,
  kNone,
  kTensor,
  kTensorWithEncoding,
  kTuple,
  kUnrankedMemRef,
  kUnrankedMemRefInSpace,
  kUnrankedTensor,
  kVector,
  kScalableVector,
};

Type ReadInteger(EntryReader& reader) {
  constexpr std::string_view kPrefixes[] = {"i", "si", "ui"};
  constexpr uint64_t kWidest = (uint64_t{1} << 24) - 1;  // as MLIR has it
  const uint64_t number = reader.VarInt(), width = number >> 2;
  if ((number & 3) >= std::size(kPrefixes) || width == 0 || width > kWidest) {
    reader.FailInvalid("an integer type of the number {}", number);
    return {};
  }
  return NamedType(Format("{}{}", kPrefixes[number & 3], width));
}

}  // namespace

Type ReadBuiltinType(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  switch (code) {
    case kInteger:
      return ReadInteger(reader);
    case kIndex:
      return NamedType("index");
    case kFunction:
      return ReadFunctionType(reader);
    case kBf16:
      return NamedType("bf16");
    case kF16:
      return NamedType("f16");
    case kF32:
      return NamedType("f32");
    case kF64:
      return NamedType("f64");
    case kF80:
      return NamedType("f80");
    case kF128:
      return NamedType("f128");
    case kComplex:
      return ReadComplexType(reader);
    case kNone:
      return NamedType("none");
    case kTensor:
      return ReadTensorType(reader, /*has_encoding=*/false);
    case kTensorWithEncoding:
      return ReadTensorType(reader, /*has_encoding=*/true);
    case kTuple:
      return ReadTupleType(reader);
    case kUnrankedTensor:
      return NamedType(Format("tensor<*x{}>", ToText(*reader.ReadType())));
    case kMemRef: {
      Type type = ReadArrayText(reader, "memref");
      reader.VarInt();  // its layout, an attribute
      return type;
    }
    case kVector:
      return ReadArrayText(reader, "vector");
    default:
      break;
  }
  reader.Fail(reader.source().Unsupported(reader.at(), "builtin types of the number {}", code));
  return {};
}

}  // namespace sinter::stablehlo
