// A program that a reader has read, and no graph yet: what it takes and gives, and graphs of it for
// the shapes that arguments have.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/options.h"
#include "frontend/stablehlo/source.h"
#include "ir/module.h"

namespace sinter {

// An argument or a result of the entry function.
struct StablehloValue {
  std::string name;  // of an argument that where it comes from, else that of its value; or empty
  Shape shape;       // as its type states it
  bool donated = false;         // its storage may become a result's
  std::string global_constant;  // jax.global_constant: "_platform_index", a symbol of sizes
};

struct StablehloSignature {
  std::vector<StablehloValue> arguments, results;
};

class ImportedProgram {
 public:
  // The bytes and the file's name that the source has are to outlive this. So does the program's
  // place in memory: sources refer to it.
  ImportedProgram(std::unique_ptr<const stablehlo::Source> source,
                  std::unique_ptr<const stablehlo::Program> program)
      : source_(std::move(source)), program_(std::move(program)) {}

  const std::string& name() const { return program_->name; }
  const stablehlo::Source& source() const { return *source_; }
  // Of the entry function; InvalidArgument where there is none.
  absl::StatusOr<StablehloSignature> Signature(std::string_view entry) const;
  // The graph. May be called from several threads.
  absl::StatusOr<std::unique_ptr<HloModule>> Lower(const StablehloOptions& options) const;

 private:
  std::unique_ptr<const stablehlo::Source> source_;
  std::unique_ptr<const stablehlo::Program> program_;
};

namespace stablehlo {

// The function of that name; where "main" is asked for and not there, the only public one.
absl::StatusOr<const Function*> FindEntry(const Source& source, const Program& program,
                                          std::string_view entry);

// Whether an attribute of an argument says that a result may take its storage over.
bool IsAlias(const NamedAttribute& attribute);

}  // namespace stablehlo
}  // namespace sinter
