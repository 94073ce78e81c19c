// Reading programs and files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "sinter/literal.h"

namespace sinter::tools {

// The bytes of a file; "-" is standard input. NotFound, Unavailable.
absl::StatusOr<std::string> ReadFile(const std::string& path);
absl::Status WriteFile(const std::string& path, std::string_view bytes);

// What of a file is the program.
struct ProgramFile {
  std::string path;              // "-" is standard input
  std::string entry;             // the function or computation; empty for the program's own
  std::string platform = "cpu";  // of a file of jax.export for several

  // In messages.
  std::string shown() const { return path == "-" ? "<stdin>" : path; }
};

// A verified module from HLO or StableHLO text, MLIR bytecode or a file of jax.export, which its
// content decides. Arguments of StableHLO, the first so many, have these sizes where their
// dimensions are without a bound. Errors are reported in the file.
absl::StatusOr<std::unique_ptr<HloModule>> LoadProgram(
    const ProgramFile& file, const std::vector<std::vector<int64_t>>& sizes = {});

// The array leaves of a shape, in order.
void FlattenShape(const Shape& shape, std::vector<Shape>* leaves);
// The leaves of the entry's parameters, in order.
std::vector<Shape> FlatParameters(const HloModule& module);
void FlattenLiteral(const Literal& literal, std::vector<Literal>* leaves);
// Literals of the parameters' shapes from their leaves.
std::vector<Literal> ArgumentsFromLeaves(const HloModule& module,
                                         const std::vector<Literal>& leaves);

}  // namespace sinter::tools
