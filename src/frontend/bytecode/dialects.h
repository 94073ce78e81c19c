// How each dialect encodes its attributes and types.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/bytecode/entries.h"

namespace sinter::stablehlo {

struct DialectEncoding {
  std::string_view name;
  // What they read has the form that the text reader gives it, VHLO's that of StableHLO. Errors are
  // those of the reader. Null: the dialect has none.
  Attribute (*attribute)(EntryReader&);
  Type (*type)(EntryReader&);
};
// Null: none of that name is known.
const DialectEncoding* FindDialect(std::string_view name);

// A location of the builtin dialect without its children, whose numbers are in `children`.
Location ReadLocation(EntryReader& reader, std::vector<uint64_t>* children);

// --- builtin_attributes.cc, builtin_types.cc
Attribute ReadBuiltinAttribute(EntryReader& reader);
Type ReadBuiltinType(EntryReader& reader);
// --- vhlo_attributes.cc, vhlo_types.cc
Attribute ReadVhloAttribute(EntryReader& reader);
Type ReadVhloType(EntryReader& reader);
// --- stablehlo_attributes.cc
Attribute ReadStablehloAttribute(EntryReader& reader);
Type ReadStablehloType(EntryReader& reader);
Attribute ReadChloAttribute(EntryReader& reader);
// --- sdy_attributes.cc
Attribute ReadSdyAttribute(EntryReader& reader);
// --- quant_types.cc
Type ReadQuantType(EntryReader& reader);

}  // namespace sinter::stablehlo
