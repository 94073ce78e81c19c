// Types of MLIR's builtin dialect. Source: MLIR's BuiltinDialectBytecode.td.
#include <iterator>

#include "base/text.h"
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/type_values.h"

namespace sinter::stablehlo {
namespace {

enum class BuiltinType : uint64_t {
  kInteger = 0,
  kFunction = 2,
  kComplex = 9,
  kMemRef = 10,
  kTensor = 13,
  kTensorWithEncoding = 14,
  kTuple = 15,
  kUnrankedTensor = 18,
  kVector = 19,
};

// By their numbers, those that have no parts.
constexpr std::string_view kBuiltinTypes[] = {
    "",       "index",    "",         "bf16",     "f16",        "f32",        "f64",
    "f80",    "f128",     "",         "",         "",           "none",       "",
    "",       "",         "",         "",         "",           "",           "",
    "tf32",   "f8E5M2",   "f8E4M3",   "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ",
    "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU",
};

Type ReadIntegerType(EntryReader& reader) {
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
  using enum BuiltinType;
  switch (static_cast<BuiltinType>(code)) {
    case kInteger:
      return ReadIntegerType(reader);
    case kFunction:
      return ReadFunctionType(reader);
    case kComplex:
      return ReadComplexType(reader);
    case kTensor:
      return ReadTensorType(reader, /*has_encoding=*/false);
    case kTensorWithEncoding:
      return ReadTensorType(reader, /*has_encoding=*/true);
    case kTuple:
      return ReadTupleType(reader);
    case kUnrankedTensor:
      return ReadUnrankedTensorType(reader);
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
  return NamedTypeOf(reader, code, kBuiltinTypes, "builtin");
}

}  // namespace sinter::stablehlo
