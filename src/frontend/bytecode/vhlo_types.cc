// Types of the dialect vhlo. Source: StableHLO's VhloBytecode.cpp.
#include "frontend/bytecode/dialects.h"
#include "frontend/bytecode/type_values.h"

namespace sinter::stablehlo {
namespace {

// By their numbers, those that have no parts; integers are signless in StableHLO unless unsigned.
constexpr std::string_view kVhloTypes[] = {
    "i1",         "",           "bf16",
    "f16",        "f32",        "f64",
    "f8E4M3FN",   "f8E5M2",     "",
    "index",      "i4",         "i8",
    "i16",        "i32",        "i64",
    "ui4",        "ui8",        "ui16",
    "ui32",       "ui64",       "",
    "",           "",           "",
    "",           "",           "!shape.witness",
    "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ",
    "",           "i2",         "ui2",
    "none",       "tf32",       "f8E4M3",
    "f8E3M4",     "f4E2M1FN",   "f6E2M3FN",
    "f6E3M2FN",   "f8E8M0FNU",
};

enum class VhloType : uint64_t {
  kComplex = 1,
  kFunction = 8,
  kTensor = 20,
  kTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kQuantized = 24,
  kUnrankedTensor = 25,
  kQuantizedPerAxis = 30,
  kBuffer = 41,
  kFuture = 42,
};

}  // namespace

Type ReadVhloType(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  using enum VhloType;
  switch (static_cast<VhloType>(code)) {
    case kComplex:
      return ReadComplexType(reader);
    case kFunction:
      return ReadFunctionType(reader);
    case kTensor:
      return ReadTensorType(reader, /*has_encoding=*/false);
    case kTensorWithEncoding:
      return ReadTensorType(reader, /*has_encoding=*/true);
    case kToken:
      return ShapeType(Shape::Token());
    case kTuple:
      return ReadTupleType(reader);
    case kQuantized:
      return ReadPerTensorType(reader);
    case kQuantizedPerAxis:
      return ReadPerAxisType(reader);
    case kUnrankedTensor:
      return ReadUnrankedTensorType(reader);
    case kBuffer:
      return ReadArrayText(reader, "memref");
    case kFuture:
      return ReadFutureType(reader);
    default:
      break;
  }
  return NamedTypeOf(reader, code, kVhloTypes, "vhlo");
}

}  // namespace sinter::stablehlo
