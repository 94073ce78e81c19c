// How operations store their attributes, and what those of vhlo are in StableHLO.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontend/bytecode/entries.h"

namespace sinter::stablehlo {

inline constexpr std::string_view kVhlo = "vhlo.";

// An operation of a file. VHLO's have a row for each of their versions.
struct OperationRow {
  std::string_view name;
  // The names of attributes in the order in which properties have them, separated by spaces. "?"
  // behind a name: it need not be there.
  std::string_view properties;
  // Whether sizes of segments of operands and of results stand behind them.
  bool has_segments = false;
};
constexpr bool IsBefore(const OperationRow& a, const OperationRow& b) { return a.name < b.name; }
// Null: none of that name is known.
const OperationRow* FindOperation(std::string_view name);
const OperationRow* FindVhloOperation(std::string_view name);  // without "vhlo."
// The operation of the program that a version of VHLO's stands for: "add_v1" is stablehlo.add.
std::string NameOfVhlo(std::string_view name);

// The properties of an operation of the row.
void ReadProperties(EntryReader& reader, const OperationRow& row,
                    std::vector<NamedAttribute>* attributes);

// The attributes of any version of VHLO as those of the current operation of that name in
// StableHLO: what is stated and is no more than the default is left out, what was taken apart is
// put together. Attributes of other dialects stay as they are.
absl::Status ConvertVhloAttributes(const BytecodeSource& source, const char* at,
                                   std::string_view operation,
                                   std::vector<NamedAttribute>* attributes);

}  // namespace sinter::stablehlo
