// Types from what the encodings of several dialects have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "frontend/bytecode/entries.h"

namespace sinter::stablehlo {

// f32, i8, index; of names that no value's type has, a type of another dialect.
Type NamedType(std::string_view name);
// The type of that number among `names`, of which those are empty that are none; `dialect` is for
// errors.
Type NamedTypeOf(EntryReader& reader, uint64_t number, absl::Span<const std::string_view> names,
                 std::string_view dialect);
// The type of elements: a tensor of any rank, which no value has.
Type ReadUnrankedTensorType(EntryReader& reader);
Type ShapeType(Shape shape);

// Lists of inputs and results.
Type ReadFunctionType(EntryReader& reader);
// The type of the parts.
Type ReadComplexType(EntryReader& reader);
// An encoding, dimensions, the type of elements.
Type ReadTensorType(EntryReader& reader, bool has_encoding);
// A list of types of values.
Type ReadTupleType(EntryReader& reader);
// The same of what is computed already: the value of the only type, or a tuple.
Type ReadFutureType(EntryReader& reader);
// Dimensions and the type of elements, as NAME<2x3xf32>: a type that no value has.
Type ReadArrayText(EntryReader& reader, std::string_view name);
// Quantized types: flags, the types of stored integers and of what they stand for, one scale and
// its zero point or lists of them (quant_types.cc).
Type ReadPerTensorType(EntryReader& reader);
Type ReadPerAxisType(EntryReader& reader);
// `q` has all but the types. Bit 0 of the flags says whether stored integers are signed.
Type MakeQuantizedType(EntryReader& reader, uint64_t flags, const Type& storage,
                       const Type& expressed, Quantization q);

}  // namespace sinter::stablehlo
