// Programs of MLIR's operations, in its generic form: name, operands, attributes, regions, result
// types. Readers make them, of text or of another form; lowering makes graphs of them. Views and
// places (`at`) point into what was read, or into texts of the program.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/stablehlo/mlir_text.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter::stablehlo {

struct Type {
  enum class Kind : uint8_t {
    kShape,     // tensor, token, tuple
    kScalar,    // i32, f32, index: shape of rank 0
    kFunction,  // (inputs) -> results
    kOther,     // types of dialects that no operation of ours has, by their text
  };
  Kind kind = Kind::kOther;
  Shape shape;
  std::vector<Type> inputs, results;
  std::string text;
};

struct NamedAttribute;

struct Attribute {
  enum class Kind : uint8_t {
    kUnit,
    kBool,        // integer
    kInteger,     // integer
    kFloat,       // real
    kString,      // text
    kSymbol,      // text, without @
    kKeyword,     // text: a bare word, as pretty forms have
    kType,        // type
    kArray,       // elements
    kIntegers,    // integers: array<i64: 1, 2>
    kDictionary,  // entries
    kElements,    // value (of one element where it is the same for all) or resource; type
    kDialect,     // text: name ("stablehlo.dot"); what it states: FieldsOf, or word
    kOther,       // a value that only operations unknown to us have
  };
  Kind kind = Kind::kUnit;
  const char* at = nullptr;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::string_view word;  // of an enumeration: HIGH of #stablehlo<precision HIGH>
  std::vector<Attribute> elements;
  std::vector<int64_t> integers;
  // Of an attribute of a dialect its fields. Those of dimension numbers of convolutions are those
  // of the raw form.
  std::vector<NamedAttribute> entries;
  absl::Status fields_status;  // why the fields of an attribute of a dialect could not be read
  std::shared_ptr<const Literal> value;
  bool splat = false;
  // Elements that stand elsewhere, or why they cannot be had.
  std::shared_ptr<const absl::StatusOr<Literal>> resource;
  std::shared_ptr<const Type> type;
  // As MLIR spells it, aliases replaced by what they name: of dictionaries, of attributes of
  // dialects, and of what has a name with a dot.
  std::string kept;
};

struct NamedAttribute {
  std::string name;
  Attribute value;
};
// The first of the name; null: there is none.
const Attribute* FindAttribute(absl::Span<const NamedAttribute> attributes, std::string_view name);
// The fields of an attribute such as #stablehlo.dot<lhs_batching_dimensions = [0], ...>; none of
// one that is not of a dialect.
absl::StatusOr<absl::Span<const NamedAttribute>> FieldsOf(const Attribute& attribute);

using ValueId = int32_t;
using LocationId = int32_t;
inline constexpr LocationId kNoLocation = -1;

struct Value {
  Shape shape;
  std::string_view name;  // without %
  int32_t uses = 0;
};

struct Location {
  enum class Kind : uint8_t { kUnknown, kFile, kName, kCallSite, kFused, kAlias };
  Kind kind = Kind::kUnknown;
  std::string text;  // the file, the name or the alias
  int32_t line = 0;
  std::vector<LocationId> children;
};

struct Operation;

// One block. Values defined inside, nested regions included, have ids in [first, end).
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;  // without the terminator
  std::vector<ValueId> returned;      // the operands of the terminator
  const char* terminator_at = nullptr;
  std::vector<ValueId> captures;  // values of outside that are used inside, ascending
  ValueId first = 0, end = 0;
};

struct Operation {
  std::string name;
  const char* at = nullptr;  // the name
  std::vector<ValueId> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::vector<ValueId> results;
  LocationId location = kNoLocation;

  const Attribute* Find(std::string_view key) const { return FindAttribute(attributes, key); }
  // Whether it has a unit attribute of the name, or true.
  bool Flag(std::string_view key) const {
    const Attribute* a = Find(key);
    return a && (a->kind == Attribute::Kind::kUnit ||
                 (a->kind == Attribute::Kind::kBool && a->integer != 0));
  }
};

struct Function {
  std::string name;
  const char* at = nullptr;
  bool is_public = true;
  bool has_body = false;
  std::vector<NamedAttribute> attributes;
  std::vector<std::vector<NamedAttribute>> argument_attributes, result_attributes;
  std::vector<Shape> argument_shapes, result_shapes;
  std::vector<LocationId> argument_locations;
  Region body;
  std::string signature;  // as the text has it, aliases replaced: "(tensor<2xf32>) -> tensor<f32>"
  std::vector<std::pair<std::string, const char*>> callees;  // symbols called, and where
};

// How devices are arranged (Shardy's meshes).
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size = 0;
  };
  std::string symbol;
  std::string text;              // as MLIR spells it, behind "="
  std::vector<Axis> axes;        // from major to minor
  std::vector<int64_t> devices;  // none: 0, 1, ...
  absl::Status status;           // why axes and devices could not be read
};

struct Program {
  std::string name;
  int64_t replica_count = 1, partition_count = 1;
  std::vector<NamedAttribute> attributes;
  std::vector<Mesh> meshes;
  std::deque<Function> functions;
  absl::flat_hash_map<std::string, Function*> by_name;
  std::vector<Value> values;
  std::deque<std::string> texts;  // what views point into that was not read
  std::vector<Location> locations;
  absl::flat_hash_map<std::string_view, LocationId> location_aliases;
};

}  // namespace sinter::stablehlo
