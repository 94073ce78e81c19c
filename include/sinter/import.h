// Programs in the forms of others: StableHLO as MLIR's text or bytecode, HLO text, and files of
// jax.export.
//
//   sinter::Computation c = sinter::Load(bytes, "model.mlir").value();
//   sinter::Executable f = client->Compile(c).value();
//
// Of a program with open dimensions there is a computation for each choice of shapes:
//
//   sinter::Program p = sinter::LoadProgram(bytes, {.name = "model.bin"}).value();
//   p.arguments()[0].dimensions;                                       // {"batch", "2*n"}
//   sinter::Computation c =
//       p.Specialize({sinter::Shape(sinter::ElementType::F32, {8, 6})}).value();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sinter/computation.h"
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter {

// A module of the dialects stablehlo, func, chlo, sdy and check, as text or, where it begins with
// "ML\xefR", as MLIR bytecode: a portable artifact of StableHLO 0.9.0 to 1.22 (VHLO), which JAX's
// serialize_portable_artifact makes, or what MLIR writes of the module itself. The function "main",
// else the only public one, is the program. Several results become a tuple. Errors, with
// NAME:LINE:COLUMN, the line and a mark below the place, or of bytecode with "NAME: byte OFFSET"
// and the file and line that an operation comes from: InvalidArgument where the program is wrong,
// Unimplemented for what sinter does not know, versions past the newest known among it,
// ResourceExhausted for sizes and nesting past its limits. Source: StableHLO specification,
// "Programs"; MLIR, "MLIR Bytecode Format".
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view program,
                                                     std::string_view name = "");

// The same for arguments of these shapes, the first so many: dimensions without a bound ("?") of
// the program are theirs, and all that follow from them. InvalidArgument where an argument's type
// does not admit the shape; Unimplemented for dimensions that still are without a bound.
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view program,
                                                     std::string_view name,
                                                     const std::vector<Shape>& arguments);

// HLO text as XLA prints it and Computation::ToString does. Errors as above.
SINTER_API absl::StatusOr<Computation> LoadHlo(std::string_view text, std::string_view name = "");

// Any of these, or a file that jax.export's Exported.serialize wrote, by how it begins.
// InvalidArgument for what begins like none of them, and where sizes are open, for which
// LoadProgram is. Of a file of jax.export see there.
SINTER_API absl::StatusOr<Computation> Load(std::string_view program, std::string_view name = "");

// What a program takes or gives.
struct ProgramValue {
  // Of an argument: its name in the program's source, else in the program. Of a result of JAX's:
  // its place among the results ("result[0]"). Empty where there is none.
  std::string name;
  // Open sizes are Shape::kUnbounded.
  Shape shape;
  // A text for each dimension of an array: "3"; "<=4", any size up to that; "?", any; of a file of
  // jax.export an expression of symbols: "a", "2*b".
  std::vector<std::string> dimensions;
  // Of an argument: whether the program says that a result may take over its storage.
  bool donated = false;
  // Of an argument: its number among those of the function, of which a file of jax.export leaves
  // out those that are not used. Of a result its own number.
  int64_t source_index = 0;
};

struct ProgramOptions {
  // For errors; empty: "program".
  std::string name;
  // The function of StableHLO or the computation of HLO text; empty: "main", else the only public
  // one, or the entry.
  std::string entry;
  // The platform of a file of jax.export that holds code for several: as JAX names them, "cpu",
  // "cuda".
  std::string platform = "cpu";
};

// A program whose shapes need not be known yet. A handle: copies share what was read, and have
// bound values of their own. Const functions may be called from several threads.
class SINTER_API Program {
 public:
  // No program: good only to be assigned to. It takes and gives nothing; Specialize is an error.
  Program();
  ~Program();
  Program(const Program&);
  Program(Program&&) noexcept;
  Program& operator=(const Program&);
  Program& operator=(Program&&) noexcept;

  // The name of the module.
  const std::string& name() const;
  // In order; bound ones among them.
  const std::vector<ProgramValue>& arguments() const;
  // The arrays that the program gives, tuples of HLO text taken apart.
  const std::vector<ProgramValue>& results() const;

  // The argument has this value from now on: it becomes a constant, which sizes may depend on, and
  // computations have no parameter for it. InvalidArgument where there is no such argument or it
  // does not admit the value's shape; Unimplemented for HLO text.
  absl::Status Bind(int64_t argument, Literal value);

  // The computation for arguments of these shapes: one for each argument that is not bound, in
  // order, or none where no size is open. Dimensions may be dynamic with a bound where the program
  // leaves a size open. InvalidArgument with the argument and the dimension where one does not
  // admit its shape, and with what JAX says of it where sizes break a constraint of symbols
  // ("a>=2"); Unimplemented where an operation needs a size that does not follow from shapes and
  // bound values.
  absl::StatusOr<Computation> Specialize(const std::vector<Shape>& shapes = {}) const;

  // --- for the library
  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
  std::vector<std::pair<int64_t, Literal>> bound_;
};

// Any form that Load takes. The bytes are copied. Errors as of LoadStablehlo and LoadHlo. Of a file
// of jax.export moreover InvalidArgument where it does not hold the platform, and Unimplemented for
// effects, which are named, for several devices, and for calling conventions before 9. What
// such a file says of trees of arguments, shardings, derivatives and disabled checks is not looked
// at, and not the version that it states of its format. Source: JAX, "Exporting and serializing
// staged-out computations".
SINTER_API absl::StatusOr<Program> LoadProgram(std::string_view program,
                                               const ProgramOptions& options = {});

}  // namespace sinter
