// Attributes as lowering reads them, from their values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/bytecode/entries.h"
#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

inline Attribute OfKind(Attribute::Kind kind) {
  Attribute a;
  a.kind = kind;
  return a;
}
Attribute StringOf(std::string_view text);
Attribute SymbolOf(std::string_view name);
Attribute BoolOf(bool value);
Attribute IntegerOf(int64_t value);
Attribute IntegersOf(std::vector<int64_t> values);
Attribute ArrayOf(std::vector<Attribute> elements);
Attribute TypeOf(std::shared_ptr<const Type> type);
// #NAME<fields>; of enumerations #NAME<WORD>. Names and words are constants of the program's text.
Attribute DialectOf(std::string_view name, std::vector<NamedAttribute> fields);
Attribute WordOf(std::string_view name, std::string_view word);

// A number of a type of elements, of its bits.
int64_t IntegerOfBits(ElementType type, uint64_t bits);
Attribute FloatOf(const std::shared_ptr<const Type>& type, uint64_t bits);

// A type and a number of it. The reader fails where there are no such numbers.
Attribute ReadNumber(EntryReader& reader, const std::shared_ptr<const Type>& type);
// A tensor type, whose elements are these bytes.
Attribute ReadElements(EntryReader& reader, const std::shared_ptr<const Type>& type,
                       std::string_view bytes);

// Tables of encodings: a number says which row follows.
enum class Encoding : uint8_t {
  kInteger,   // signed
  kIntegers,  // a list of them
  kByte,      // true or false
  kDouble,
  kString,
  kType,
  kAttribute,
  kSymbol,      // an attribute, of which a string is a symbol
  kAttributes,  // a list of them
  // Attributes that need not be there, by what says so:
  kOptional,    // a flag in the number of the attribute
  kBehindByte,  // a byte before it
  kBehindFlag,  // a number before it
};
struct FieldRow {
  std::string_view name;
  Encoding encoding;
};
struct FieldsRow {
  uint64_t code;
  std::string_view name;
  FieldRow fields[9];  // up to the first without a name
};
Attribute ReadFields(EntryReader& reader, const FieldsRow& row);
struct WordsRow {
  uint64_t code;
  std::string_view name;
  std::string_view words[6];  // by their numbers; no word: there is no such number
};
Attribute ReadWord(EntryReader& reader, const WordsRow& row);

// The row of the code, or null.
template <class Row, size_t n>
const Row* FindRow(const Row (&rows)[n], uint64_t code) {
  for (const Row& row : rows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace sinter::stablehlo
