// Computations: what a Builder builds, text is loaded into, and a Client compiles.
//
//   sinter::Computation c = builder.Build().value();
//   c.ToString();   // HLO text
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/accessors.h"
#include "sinter/export.h"
#include "sinter/shape.h"

namespace sinter {

class HloModule;

// What a computation takes and gives (xla::ProgramShape).
struct ProgramShape {
  ListField<Shape> parameters;
  ListField<std::string> parameter_names;
  ValueField<Shape> result;

  SINTER_LIST_ACCESSORS(Shape, parameters, parameters)
  SINTER_LIST_ACCESSORS(std::string, parameter_names, parameter_names)
  Shape* mutable_result() { return &result; }
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
  // The same without metadata; empty if there is no computation.
  std::string ToHlo() const { return ToString(); }
  // StableHLO text, which LoadStablehlo and MLIR read. Names of values and layouts are lost.
  // InvalidArgument if there is no computation, Unimplemented for operations without a form in
  // StableHLO, ResourceExhausted where what is nested or repeated would be past the limits.
  absl::StatusOr<std::string> ToStablehlo() const;

  // --- for the library
  explicit Computation(std::shared_ptr<const HloModule> module) : module_(std::move(module)) {}
  const std::shared_ptr<const HloModule>& module() const { return module_; }

 private:
  std::shared_ptr<const HloModule> module_;
};

// A computation that a builder has been told of, for the functions that call it (XlaComputationId).
// Like Computation a handle; it is good for other builders too.
class SINTER_API ComputationId {
 public:
  // None.
  ComputationId() = default;
  bool valid() const { return !computation_.IsNull(); }

  // --- for the library
  explicit ComputationId(Computation computation) : computation_(std::move(computation)) {}
  const Computation& computation() const { return computation_; }

 private:
  Computation computation_;
};

}  // namespace sinter
