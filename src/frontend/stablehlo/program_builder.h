// What readers of programs share: values and the regions that capture them, functions, and what a
// module states.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/source.h"

namespace sinter::stablehlo {

// Nesting of regions, of types and attributes. Reading, lowering and destruction recurse as deep.
inline constexpr int kMaxRegionDepth = 64, kMaxDepth = 128;

// Whether an operation ends a region: its operands are what the region returns.
bool IsTerminator(std::string_view name);

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Source& source) : source_(source) { program_.name = "module"; }
  ProgramBuilder(const ProgramBuilder&) = delete;

  Program& program() { return program_; }
  const Program& program() const { return program_; }

  ValueId NewValue(Shape shape, std::string_view name = {});
  const Shape& ShapeOf(ValueId id) const { return program_.values[static_cast<size_t>(id)].shape; }
  // Marks a use, also in the captures of each open region inside of the value's definition.
  void Use(ValueId id);
  // Values made from here on belong to the region, until CloseRegion.
  absl::Status OpenRegion(Region* region, const char* at);
  void CloseRegion();

  LocationId AddLocation(Location location);

  // The function that calls belong to from here on; null: none.
  void SetFunction(Function* function) { function_ = function; }
  void AddCallee(std::string name, const char* at);
  // Of all functions that attributes of the operation name.
  void AddCallees(const Operation& op);
  // Those that `called_computations` of a custom call names.
  void AddCalledComputations(const Operation& op);
  // Checks that its body agrees with its type.
  absl::Status AddFunction(Function f);
  // The number of participants that JAX lowers for. All other attributes of a module mean nothing
  // here, and are preserved.
  void AddModuleAttributes(std::vector<NamedAttribute> attributes);

 private:
  const Source& source_;
  Program program_;
  std::vector<Region*> open_;
  Function* function_ = nullptr;
};

}  // namespace sinter::stablehlo
