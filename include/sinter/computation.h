// Computations: what a Builder builds, text is loaded into, and a Client compiles.
//
//   sinter::Computation c = builder.Build().value();
//   c.ToString();   // HLO text
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/export.h"
#include "sinter/shape.h"

namespace sinter {

class HloModule;

// What a computation takes and gives (xla::ProgramShape).
struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> parameter_names;
  Shape result;

  int parameters_size() const { return static_cast<int>(parameters.size()); }
  // "(x: f32[2], y: f32[]) -> f32[2]".
  SINTER_API std::string ToString() const;
};

// A handle; copies are the same computation, which never changes. Safe to use from several threads.
// It needs neither the builder that made it nor that builder's operands.
class SINTER_API Computation {
 public:
  // No computation: good only to be assigned to. Where one is needed it is an error.
  Computation() = default;
  bool IsNull() const { return module_ == nullptr; }

  // The name given to the builder or read from text; empty if there is no computation.
  const std::string& name() const;
  // InvalidArgument if there is no computation.
  absl::StatusOr<ProgramShape> GetProgramShape() const;
  // HLO text, which LoadHlo reads back. `metadata` adds the source line of each instruction.
  std::string ToString(bool metadata = false) const;

  // --- for the library
  explicit Computation(std::shared_ptr<const HloModule> module) : module_(std::move(module)) {}
  const std::shared_ptr<const HloModule>& module() const { return module_; }

 private:
  std::shared_ptr<const HloModule> module_;
};

}  // namespace sinter
